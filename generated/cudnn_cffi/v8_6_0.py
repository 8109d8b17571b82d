# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:7b433d0ba2e03f0b0ea87971584fa4c0
"""cuDNN 8.6.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._front.pinned import open_release as _open_release

__getattr__, __dir__ = _open_release(__name__, "8.6.0")
