# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:3bbfe31d1292dacd66c47b0a0169ae75
"""cuDNN 9.9.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from . import _pinned

__getattr__, __dir__ = _pinned.module(__name__, "9.9.0")
