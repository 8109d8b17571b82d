# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:9fc1842a394045e550f83a4c7565024b
"""cuDNN 9.24.1: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from . import _pinned

__getattr__, __dir__ = _pinned.module(__name__, "9.24.1")
