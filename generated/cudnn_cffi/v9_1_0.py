# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:08730b981ca2be05a754104307fc4fc3
"""cuDNN 9.1.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from . import _pinned

__getattr__, __dir__ = _pinned.module(__name__, "9.1.0")
