# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:a9b65de26af32395b6c78553826626fc
"""cuDNN 9.17.1: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._pinned import open_release as _open_release

__getattr__, __dir__ = _open_release(__name__, "9.17.1")
