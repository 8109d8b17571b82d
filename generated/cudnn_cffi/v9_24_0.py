# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:5c5d97673856931ecdd6b888faebc1fa
"""cuDNN 9.24.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from . import _pinned

__getattr__, __dir__ = _pinned.module(__name__, "9.24.0")
