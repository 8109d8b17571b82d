# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:195396b607df5d22fadd78ae05602a69
"""cuDNN 8.5.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from . import _pinned

__getattr__, __dir__ = _pinned.module(__name__, "8.5.0")
