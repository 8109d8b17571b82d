# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:16ac95445c2645ee170754c49a28420d
"""cuDNN 8.9.2: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from . import _pinned

__getattr__, __dir__ = _pinned.module(__name__, "8.9.2")
