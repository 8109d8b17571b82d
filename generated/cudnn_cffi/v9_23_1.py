# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:97511f3a019338b908319511897df58b
"""cuDNN 9.23.1: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._tables import pinned as _pinned

__getattr__, __dir__ = _pinned.module(__name__, "9.23.1")
