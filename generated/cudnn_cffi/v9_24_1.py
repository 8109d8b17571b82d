# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:f6379a167d03b785d85062bd973cf7d5
"""cuDNN 9.24.1: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._tables import pinned as _pinned

__getattr__, __dir__ = _pinned.module(__name__, "9.24.1")
