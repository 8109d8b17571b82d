# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:4505181b043e8ff79de618c29c38f7c5
"""cuDNN 9.25.1: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from . import _pinned

__getattr__, __dir__ = _pinned.module(__name__, "9.25.1")
