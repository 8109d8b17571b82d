# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:117c4c61acbe1711c4212ae20da04e39
"""cuDNN 9.28.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from . import _pinned

__getattr__, __dir__ = _pinned.module(__name__, "9.28.0")
