# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:693d9badb728ad6ee0de448b33ff6037
"""cuDNN 9.23.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from . import _pinned

__getattr__, __dir__ = _pinned.module(__name__, "9.23.0")
