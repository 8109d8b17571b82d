# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:e99c1f2b26c223efa8d3e29ba7c9ce78
"""cuDNN 9.23.2: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from . import _pinned

__getattr__, __dir__ = _pinned.module(__name__, "9.23.2")
