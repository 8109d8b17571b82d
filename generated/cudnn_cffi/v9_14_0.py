# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:d9a3d757296d7a6e137a9a9a894c519d
"""cuDNN 9.14.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._tables import pinned as _pinned

__getattr__, __dir__ = _pinned.module(__name__, "9.14.0")
