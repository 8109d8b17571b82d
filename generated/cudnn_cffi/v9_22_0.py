# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:fb42a52ff67c9adccd60a82c72885e85
"""cuDNN 9.22.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from . import _pinned

__getattr__, __dir__ = _pinned.module(__name__, "9.22.0")
