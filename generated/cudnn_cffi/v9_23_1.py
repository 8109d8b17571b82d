# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:bbb64a15d1b45fce9442aa160ab3c428
"""cuDNN 9.23.1: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._pinned import open_release as _open_release

__getattr__, __dir__ = _open_release(__name__, "9.23.1")
