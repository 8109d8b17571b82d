# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:626657944f7e0f9c1c4e605c2155032b
"""cuDNN 8.8.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._pinned import open_release as _open_release

__getattr__, __dir__ = _open_release(__name__, "8.8.0")
