# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:5319153f350dc870e7ae6f097ade5524
"""cuDNN 9.10.1: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from . import _pinned

__getattr__, __dir__ = _pinned.module(__name__, "9.10.1")
