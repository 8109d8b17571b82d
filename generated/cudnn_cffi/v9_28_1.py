# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:5fe1955ae8b2985b7dc9ffcdd54e2874
"""cuDNN 9.28.1: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._front.pinned import open_release as _open_release

__getattr__, __dir__ = _open_release(__name__, "9.28.1")
