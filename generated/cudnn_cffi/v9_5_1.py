# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:ac925896dfe2653e33b6babb098084ae
"""cuDNN 9.5.1: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._tables import pinned as _pinned

__getattr__, __dir__ = _pinned.module(__name__, "9.5.1")
