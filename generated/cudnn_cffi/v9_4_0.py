# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:6d1c388caa3a06924ddf98ea81c8f9df
"""cuDNN 9.4.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._front.pinned import open_release as _open_release

__getattr__, __dir__ = _open_release(__name__, "9.4.0")
