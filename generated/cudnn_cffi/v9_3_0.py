# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:d7707c2c38f80fb288d691e476e8076b
"""cuDNN 9.3.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._tables import pinned as _pinned

__getattr__, __dir__ = _pinned.module(__name__, "9.3.0")
