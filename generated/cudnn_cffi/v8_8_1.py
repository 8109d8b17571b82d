# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:7011aae6bb806a738162edef2aaedab8
"""cuDNN 8.8.1: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._tables import pinned as _pinned

__getattr__, __dir__ = _pinned.module(__name__, "8.8.1")
