# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:cd236c365a55e16d7856824396a85e33
"""cuDNN 8.6.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._tables import pinned as _pinned

__getattr__, __dir__ = _pinned.module(__name__, "8.6.0")
