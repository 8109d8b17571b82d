# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:3dc58f867abba925e4b3c3456e381e5c
"""cuDNN 9.25.1: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._front.pinned import open_release as _open_release

__getattr__, __dir__ = _open_release(__name__, "9.25.1")
