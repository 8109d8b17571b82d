# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:d027f0228c3956f380e0a832d6fdf619
"""cuDNN 9.10.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from . import _pinned

__getattr__, __dir__ = _pinned.module(__name__, "9.10.0")
