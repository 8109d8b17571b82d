# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:8b365fd502707abf6f43ec0f7627e5bb
"""cuDNN 9.5.1: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from . import _pinned

__getattr__, __dir__ = _pinned.module(__name__, "9.5.1")
