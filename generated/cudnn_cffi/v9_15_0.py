# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:7bdb90011ff896c63203ffd756a63cff
"""cuDNN 9.15.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._pinned import open_release as _open_release

__getattr__, __dir__ = _open_release(__name__, "9.15.0")
