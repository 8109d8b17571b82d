# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:e6220d92edefcec5917b7b9e252b3103
"""cuDNN 9.10.1: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._tables import pinned as _pinned

__getattr__, __dir__ = _pinned.module(__name__, "9.10.1")
