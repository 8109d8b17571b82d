# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:8d284acd9bf72704eeee1775e298d7db
"""cuDNN 8.8.1: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from . import _pinned

__getattr__, __dir__ = _pinned.module(__name__, "8.8.1")
