# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:3a6439f0e4210376aa699a533f9458b7
"""cuDNN 9.2.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from . import _pinned

__getattr__, __dir__ = _pinned.module(__name__, "9.2.0")
