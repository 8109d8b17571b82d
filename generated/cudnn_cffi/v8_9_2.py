# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:8be2b32e9f3f491a48009a85b1fcf4e0
"""cuDNN 8.9.2: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._tables import pinned as _pinned

__getattr__, __dir__ = _pinned.module(__name__, "8.9.2")
