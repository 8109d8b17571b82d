# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:b3a694a5f0eee15d027a62fb32cc303f
"""cuDNN 9.17.1: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from . import _pinned

__getattr__, __dir__ = _pinned.module(__name__, "9.17.1")
