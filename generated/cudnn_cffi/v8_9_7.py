# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:8727d1b24dbda26c1bf8410b241c1a0f
"""cuDNN 8.9.7: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._pinned import open_release as _open_release

__getattr__, __dir__ = _open_release(__name__, "8.9.7")
