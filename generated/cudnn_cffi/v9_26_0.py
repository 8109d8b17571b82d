# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:4b4f2b2d2dfe8c2dbb5fc642c7a3d2aa
"""cuDNN 9.26.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from . import _pinned

__getattr__, __dir__ = _pinned.module(__name__, "9.26.0")
