# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:7a525ca28cf32f361f7aa2bb329a0890
"""cuDNN 9.17.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._tables import pinned as _pinned

__getattr__, __dir__ = _pinned.module(__name__, "9.17.0")
