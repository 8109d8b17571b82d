# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:128aa79b752c06a56f90cca9c0b5ab14
"""cuDNN 9.25.1: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._pinned import open_release as _open_release

__getattr__, __dir__ = _open_release(__name__, "9.25.1")
