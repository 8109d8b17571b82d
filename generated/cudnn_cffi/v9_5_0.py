# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:5ee90026b2cc0f2b7984d08d3f61039d
"""cuDNN 9.5.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._tables import pinned as _pinned

__getattr__, __dir__ = _pinned.module(__name__, "9.5.0")
