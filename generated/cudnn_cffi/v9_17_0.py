# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:bc7bf0fc3bb62a46801248fb8d4d60be
"""cuDNN 9.17.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from . import _pinned

__getattr__, __dir__ = _pinned.module(__name__, "9.17.0")
