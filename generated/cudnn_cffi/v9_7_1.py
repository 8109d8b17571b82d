# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:c275669e0bbc3e3a7894e754904636a3
"""cuDNN 9.7.1: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._tables import pinned as _pinned

__getattr__, __dir__ = _pinned.module(__name__, "9.7.1")
