# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:44b70c663b192e7eb94880b8f518805f
"""cuDNN 9.18.1: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._tables import pinned as _pinned

__getattr__, __dir__ = _pinned.module(__name__, "9.18.1")
