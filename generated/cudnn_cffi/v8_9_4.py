# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:d42a228db0dfe7b4efe22073acd4bfc2
"""cuDNN 8.9.4: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from . import _pinned

__getattr__, __dir__ = _pinned.module(__name__, "8.9.4")
