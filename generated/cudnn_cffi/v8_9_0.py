# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:82a3fe757413201b0d30685dd5d3304a
"""cuDNN 8.9.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._tables import pinned as _pinned

__getattr__, __dir__ = _pinned.module(__name__, "8.9.0")
