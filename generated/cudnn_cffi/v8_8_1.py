# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:93e6c298216922b719603c84b9e13c9a
"""cuDNN 8.8.1: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._front.pinned import open_release as _open_release

__getattr__, __dir__ = _open_release(__name__, "8.8.1")
