# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:1b2170f793d5923de08528fbabcf13f8
"""cuDNN 9.1.1: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from . import _pinned

__getattr__, __dir__ = _pinned.module(__name__, "9.1.1")
