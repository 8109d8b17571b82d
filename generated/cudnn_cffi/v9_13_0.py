# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:1822c422d99c49be049c5f8e7f58385d
"""cuDNN 9.13.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from . import _pinned

__getattr__, __dir__ = _pinned.module(__name__, "9.13.0")
