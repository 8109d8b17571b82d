# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:17ab5f6c40475d1ca2b8a677f60604d3
"""cuDNN 9.19.1: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._front.pinned import open_release as _open_release

__getattr__, __dir__ = _open_release(__name__, "9.19.1")
