# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:8e72fb252b3a0f7ed84d8f6e5ba065ab
"""cuDNN 9.27.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._pinned import open_release as _open_release

__getattr__, __dir__ = _open_release(__name__, "9.27.0")
