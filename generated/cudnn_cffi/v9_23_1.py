# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:215ab061eb4297f8c9548043b9b15f23
"""cuDNN 9.23.1: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from . import _pinned

__getattr__, __dir__ = _pinned.module(__name__, "9.23.1")
