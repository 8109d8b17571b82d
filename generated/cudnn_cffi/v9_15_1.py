# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:48750b5ce72d3abbbd09e202b632b382
"""cuDNN 9.15.1: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._tables import pinned as _pinned

__getattr__, __dir__ = _pinned.module(__name__, "9.15.1")
