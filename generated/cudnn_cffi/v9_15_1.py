# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:a3a4ef58010d07ced00845bfe428ad36
"""cuDNN 9.15.1: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from . import _pinned

__getattr__, __dir__ = _pinned.module(__name__, "9.15.1")
