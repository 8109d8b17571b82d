# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:8b659a9e9f25f33a1625f528f2242d59
"""cuDNN 9.21.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from . import _pinned

__getattr__, __dir__ = _pinned.module(__name__, "9.21.0")
