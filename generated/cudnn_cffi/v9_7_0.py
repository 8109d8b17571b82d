# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:74418454b870f46ffba759bdb270755c
"""cuDNN 9.7.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from . import _pinned

__getattr__, __dir__ = _pinned.module(__name__, "9.7.0")
