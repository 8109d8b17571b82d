# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:a5ee095650bd49ad5c592f301fe931aa
"""cuDNN 9.19.1: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._tables import pinned as _pinned

__getattr__, __dir__ = _pinned.module(__name__, "9.19.1")
