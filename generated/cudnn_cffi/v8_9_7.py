# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:3a55afffc8cec5ad99684001c4c099d0
"""cuDNN 8.9.7: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._tables import pinned as _pinned

__getattr__, __dir__ = _pinned.module(__name__, "8.9.7")
