# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:b5ffe3517a626d964eab7d119f859205
"""cuDNN 9.24.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._tables import pinned as _pinned

__getattr__, __dir__ = _pinned.module(__name__, "9.24.0")
