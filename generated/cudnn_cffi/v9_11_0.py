# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:cbf76daf327bf005a61d8d378d8419b7
"""cuDNN 9.11.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._tables import pinned as _pinned

__getattr__, __dir__ = _pinned.module(__name__, "9.11.0")
