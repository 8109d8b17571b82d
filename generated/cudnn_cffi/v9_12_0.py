# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:eb6200bcf9c9d60d7a337c2f8cdb7d03
"""cuDNN 9.12.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from . import _pinned

__getattr__, __dir__ = _pinned.module(__name__, "9.12.0")
