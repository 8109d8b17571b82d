# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:6bfe137b62d9741ca427b7999a6718bb
"""cuDNN 9.0.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._tables import pinned as _pinned

__getattr__, __dir__ = _pinned.module(__name__, "9.0.0")
