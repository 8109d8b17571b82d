# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:3fc1431fc8fa77d679a4937b880dc8aa
"""cuDNN 9.23.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._tables import pinned as _pinned

__getattr__, __dir__ = _pinned.module(__name__, "9.23.0")
