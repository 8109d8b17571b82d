# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:7c34a58ea10e3b3c03fbdf487c9b882f
"""cuDNN 9.2.1: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from . import _pinned

__getattr__, __dir__ = _pinned.module(__name__, "9.2.1")
