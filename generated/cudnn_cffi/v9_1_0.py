# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:6eba0b18351b73a9cc5091f4271d647e
"""cuDNN 9.1.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._pinned import open_release as _open_release

__getattr__, __dir__ = _open_release(__name__, "9.1.0")
