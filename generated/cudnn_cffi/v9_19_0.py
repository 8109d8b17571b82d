# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:b48aad4ec94baa93c1a199e89d2a7d11
"""cuDNN 9.19.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from . import _pinned

__getattr__, __dir__ = _pinned.module(__name__, "9.19.0")
