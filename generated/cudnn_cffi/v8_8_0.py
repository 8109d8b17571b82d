# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:2bb828c95c0b06ea9f48e37cede642af
"""cuDNN 8.8.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from . import _pinned

__getattr__, __dir__ = _pinned.module(__name__, "8.8.0")
