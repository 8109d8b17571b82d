# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:59f232cafc0f26816e3010e2a0503824
"""cuDNN 9.19.1: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._pinned import open_release as _open_release

__getattr__, __dir__ = _open_release(__name__, "9.19.1")
