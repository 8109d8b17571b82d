# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:561afb99d0d6d9da16750794f4912598
"""cuDNN 8.6.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from . import _pinned

__getattr__, __dir__ = _pinned.module(__name__, "8.6.0")
