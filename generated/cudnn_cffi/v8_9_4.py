# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:cf43399a65093a4348daceb4ab613d27
"""cuDNN 8.9.4: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._front.pinned import open_release as _open_release

__getattr__, __dir__ = _open_release(__name__, "8.9.4")
