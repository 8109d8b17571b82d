# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:b8385f4efaaff317cc6d9846a58659ad
"""cuDNN 9.20.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._front.pinned import open_release as _open_release

__getattr__, __dir__ = _open_release(__name__, "9.20.0")
