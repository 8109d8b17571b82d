# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:cc6f3819835b908bd1a32c51d50978a5
"""cuDNN 9.13.1: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from . import _pinned

__getattr__, __dir__ = _pinned.module(__name__, "9.13.1")
