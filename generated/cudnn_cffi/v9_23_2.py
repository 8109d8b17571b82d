# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:5088fceaaca8e98bd17c240d5c29d627
"""cuDNN 9.23.2: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._tables import pinned as _pinned

__getattr__, __dir__ = _pinned.module(__name__, "9.23.2")
