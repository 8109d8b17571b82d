# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:7a7490936b93d447389a2d6f65e52e53
"""cuDNN 9.1.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._front.pinned import open_release as _open_release

__getattr__, __dir__ = _open_release(__name__, "9.1.0")
