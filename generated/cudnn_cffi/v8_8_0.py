# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:f4e632518f6db1d66e9bf23cb4e2e6a9
"""cuDNN 8.8.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._tables import pinned as _pinned

__getattr__, __dir__ = _pinned.module(__name__, "8.8.0")
