# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:a437722aac73688ef88c6e0a329559e0
"""cuDNN 9.11.1: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._pinned import open_release as _open_release

__getattr__, __dir__ = _open_release(__name__, "9.11.1")
