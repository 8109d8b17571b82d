# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:01e7d529f84cf6921576bcd37b5e25c7
"""cuDNN 9.27.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from . import _pinned

__getattr__, __dir__ = _pinned.module(__name__, "9.27.0")
