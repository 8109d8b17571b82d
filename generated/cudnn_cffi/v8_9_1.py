# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:86679ea99cf2b27793b4798e25b477d3
"""cuDNN 8.9.1: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from . import _pinned

__getattr__, __dir__ = _pinned.module(__name__, "8.9.1")
