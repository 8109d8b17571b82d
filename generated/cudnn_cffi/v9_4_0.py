# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:1267c064fe59a0f2563af608823d3e95
"""cuDNN 9.4.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from . import _pinned

__getattr__, __dir__ = _pinned.module(__name__, "9.4.0")
