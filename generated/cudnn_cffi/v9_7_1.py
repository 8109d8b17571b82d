# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:f193307df34d06c9ae98b3c228315a28
"""cuDNN 9.7.1: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._front.pinned import open_release as _open_release

__getattr__, __dir__ = _open_release(__name__, "9.7.1")
