# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:fce165beb024fdfd89cb7ebba35423ba
"""cuDNN 9.0.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from . import _pinned

__getattr__, __dir__ = _pinned.module(__name__, "9.0.0")
