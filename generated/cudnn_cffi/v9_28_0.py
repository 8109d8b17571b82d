# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:3bf6d2c5f6d1d351574787aa60af76f2
"""cuDNN 9.28.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._front.pinned import open_release as _open_release

__getattr__, __dir__ = _open_release(__name__, "9.28.0")
