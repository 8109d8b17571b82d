# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:7f6c30c9fc53c9650f33f3b23206ea9c
"""cuDNN 8.9.2: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._pinned import open_release as _open_release

__getattr__, __dir__ = _open_release(__name__, "8.9.2")
