# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:91d143f38ba589f1ad4fdc35d8ea1973
"""cuDNN 9.6.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from . import _pinned

__getattr__, __dir__ = _pinned.module(__name__, "9.6.0")
