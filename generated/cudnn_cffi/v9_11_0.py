# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:d90772999e3a52d2817724f375a4f394
"""cuDNN 9.11.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from . import _pinned

__getattr__, __dir__ = _pinned.module(__name__, "9.11.0")
