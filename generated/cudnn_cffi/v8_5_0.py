# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:e498fe73c940c9e9e234a10a7d4dc7af
"""cuDNN 8.5.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._pinned import open_release as _open_release

__getattr__, __dir__ = _open_release(__name__, "8.5.0")
