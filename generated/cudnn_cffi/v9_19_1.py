# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:2e8def70f12fd49399c8f8c118ece5d9
"""cuDNN 9.19.1: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from . import _pinned

__getattr__, __dir__ = _pinned.module(__name__, "9.19.1")
