# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:65e941c1be1fb7344a10c8331e605c1e
"""cuDNN 8.7.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from . import _pinned

__getattr__, __dir__ = _pinned.module(__name__, "8.7.0")
