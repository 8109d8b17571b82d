# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:c209461a7228cc6f51da05d9213a0cd0
"""cuDNN 9.5.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._front.pinned import open_release as _open_release

__getattr__, __dir__ = _open_release(__name__, "9.5.0")
