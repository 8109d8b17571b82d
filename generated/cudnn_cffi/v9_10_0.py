# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:1b1ebb6cb1c664711b7e205b24fa66f3
"""cuDNN 9.10.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._pinned import open_release as _open_release

__getattr__, __dir__ = _open_release(__name__, "9.10.0")
