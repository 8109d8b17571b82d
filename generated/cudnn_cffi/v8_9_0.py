# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:0576d1d4c853ef7419615bf5845d1bc5
"""cuDNN 8.9.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._pinned import open_release as _open_release

__getattr__, __dir__ = _open_release(__name__, "8.9.0")
