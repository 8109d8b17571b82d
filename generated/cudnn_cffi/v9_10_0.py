# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:dd1545210c4e495f30b844e076c4df09
"""cuDNN 9.10.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._tables import pinned as _pinned

__getattr__, __dir__ = _pinned.module(__name__, "9.10.0")
