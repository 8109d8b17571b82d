# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:4053f3bd9a306251a401b02e87043538
"""cuDNN 9.5.1: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._front.pinned import open_release as _open_release

__getattr__, __dir__ = _open_release(__name__, "9.5.1")
