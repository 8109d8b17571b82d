# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:dcea3d95bb780fe09b4d95ba6fd75159
"""cuDNN 9.15.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from . import _pinned

__getattr__, __dir__ = _pinned.module(__name__, "9.15.0")
