# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:ec9bcbbe49fee0bf8c6099136c017e9a
"""cuDNN 9.11.1: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from . import _pinned

__getattr__, __dir__ = _pinned.module(__name__, "9.11.1")
