# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:002704fc0e391361aa6dd7f5160610b0
"""cuDNN 9.16.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from . import _pinned

__getattr__, __dir__ = _pinned.module(__name__, "9.16.0")
