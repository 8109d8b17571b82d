# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:4049091bfafc595a7aed5e6c5e26274b
"""cuDNN 9.21.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._tables import pinned as _pinned

__getattr__, __dir__ = _pinned.module(__name__, "9.21.0")
