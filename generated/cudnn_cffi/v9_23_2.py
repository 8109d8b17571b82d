# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:86d12a6dc483b45ad1aa5be2d0926d6d
"""cuDNN 9.23.2: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._pinned import open_release as _open_release

__getattr__, __dir__ = _open_release(__name__, "9.23.2")
