# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:5f5aca2174d43af8c6e31694265223bd
"""cuDNN 9.7.1: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from . import _pinned

__getattr__, __dir__ = _pinned.module(__name__, "9.7.1")
