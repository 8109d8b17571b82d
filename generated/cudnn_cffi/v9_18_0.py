# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:80c8d0a062a2f27292feea6d3e2018fa
"""cuDNN 9.18.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._tables import pinned as _pinned

__getattr__, __dir__ = _pinned.module(__name__, "9.18.0")
