# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:81ef44146619dd08d5011a3d8c910316
"""cuDNN 8.9.6: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._tables import pinned as _pinned

__getattr__, __dir__ = _pinned.module(__name__, "8.9.6")
