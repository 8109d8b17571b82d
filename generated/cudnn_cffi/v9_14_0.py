# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:af1d9f7a10fddc23c6daa93ba0ae4f36
"""cuDNN 9.14.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from . import _pinned

__getattr__, __dir__ = _pinned.module(__name__, "9.14.0")
