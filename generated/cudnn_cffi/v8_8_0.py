# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:d6b0ed97f6a2647010199a16c613c089
"""cuDNN 8.8.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._front.pinned import open_release as _open_release

__getattr__, __dir__ = _open_release(__name__, "8.8.0")
