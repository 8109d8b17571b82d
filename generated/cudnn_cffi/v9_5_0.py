# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:5b386f97d6992bc0b3b8c78fbb545d1c
"""cuDNN 9.5.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._pinned import open_release as _open_release

__getattr__, __dir__ = _open_release(__name__, "9.5.0")
