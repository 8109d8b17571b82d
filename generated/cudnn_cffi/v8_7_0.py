# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:c8cd69a96e7cba120e48de3dd5722d1b
"""cuDNN 8.7.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._tables import pinned as _pinned

__getattr__, __dir__ = _pinned.module(__name__, "8.7.0")
