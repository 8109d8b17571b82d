# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:ab9ce67f09730428e647ea4148c0daf3
"""cuDNN 9.5.1: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._pinned import open_release as _open_release

__getattr__, __dir__ = _open_release(__name__, "9.5.1")
