# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:badfa3750665b734e57a948238f0251a
"""cuDNN 9.26.1: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._tables import pinned as _pinned

__getattr__, __dir__ = _pinned.module(__name__, "9.26.1")
