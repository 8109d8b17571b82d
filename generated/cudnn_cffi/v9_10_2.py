# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:541d8c3d460d5ae603a9e4727fe647a6
"""cuDNN 9.10.2: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from . import _pinned

__getattr__, __dir__ = _pinned.module(__name__, "9.10.2")
