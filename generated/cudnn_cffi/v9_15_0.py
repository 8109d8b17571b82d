# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:98bc95e7b16a9167d6982b4d9f2c6203
"""cuDNN 9.15.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._tables import pinned as _pinned

__getattr__, __dir__ = _pinned.module(__name__, "9.15.0")
