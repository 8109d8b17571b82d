# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:40f5331ffe07011b84e91f1139ec9c79
"""cuDNN 9.10.2: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._tables import pinned as _pinned

__getattr__, __dir__ = _pinned.module(__name__, "9.10.2")
