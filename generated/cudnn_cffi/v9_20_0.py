# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:998eb18ee7905eed1329e185717b9e49
"""cuDNN 9.20.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from . import _pinned

__getattr__, __dir__ = _pinned.module(__name__, "9.20.0")
