# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:7b0af448d858c47d42588c41f065b841
"""cuDNN 8.7.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._front.pinned import open_release as _open_release

__getattr__, __dir__ = _open_release(__name__, "8.7.0")
