# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:5791e9e9a556f1be7070f09acd093597
"""cuDNN 8.9.4: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._tables import pinned as _pinned

__getattr__, __dir__ = _pinned.module(__name__, "8.9.4")
