# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:6cb1369d9a3da2d9277fa5e89ade9c86
"""cuDNN 8.9.6: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from . import _pinned

__getattr__, __dir__ = _pinned.module(__name__, "8.9.6")
