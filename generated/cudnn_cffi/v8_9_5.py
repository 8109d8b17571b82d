# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:809d9abcddc6e7c58519e59c0d0ce0be
"""cuDNN 8.9.5: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._tables import pinned as _pinned

__getattr__, __dir__ = _pinned.module(__name__, "8.9.5")
