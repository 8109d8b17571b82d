# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:34d747269e8ee39d1d343d0ac140898f
"""cuDNN 9.27.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._tables import pinned as _pinned

__getattr__, __dir__ = _pinned.module(__name__, "9.27.0")
