# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:acbc73c9b1d1bf4bdb3f19bc40c537b2
"""cuDNN 9.13.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._tables import pinned as _pinned

__getattr__, __dir__ = _pinned.module(__name__, "9.13.0")
