# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:ad3306c4d2238bb909a6b29a852f94f6
"""cuDNN 8.9.7: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from . import _pinned

__getattr__, __dir__ = _pinned.module(__name__, "8.9.7")
