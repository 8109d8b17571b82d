# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:a07a1ad021994a65750668251a562ab9
"""cuDNN 9.18.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from . import _pinned

__getattr__, __dir__ = _pinned.module(__name__, "9.18.0")
