# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:b71e97e922db824934e7ac5d889134d6
"""cuDNN 9.25.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from . import _pinned

__getattr__, __dir__ = _pinned.module(__name__, "9.25.0")
