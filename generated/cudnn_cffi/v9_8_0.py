# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:c42798394300acae491082c670e6d1be
"""cuDNN 9.8.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from . import _pinned

__getattr__, __dir__ = _pinned.module(__name__, "9.8.0")
