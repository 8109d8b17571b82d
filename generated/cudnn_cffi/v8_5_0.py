# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:196738ea6ad36416dc9620f86a38508e
"""cuDNN 8.5.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._tables import pinned as _pinned

__getattr__, __dir__ = _pinned.module(__name__, "8.5.0")
