# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:de7393b15bc6ec6dc8605d36aa9dad97
"""cuDNN 9.3.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from . import _pinned

__getattr__, __dir__ = _pinned.module(__name__, "9.3.0")
