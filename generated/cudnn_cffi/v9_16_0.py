# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:fc73ae15c3493e1851d33e2356cbf6c5
"""cuDNN 9.16.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._tables import pinned as _pinned

__getattr__, __dir__ = _pinned.module(__name__, "9.16.0")
