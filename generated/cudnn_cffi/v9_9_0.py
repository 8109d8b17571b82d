# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:39e2c7e311aa0205f2f9d0cdf5f702ba
"""cuDNN 9.9.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._front.pinned import open_release as _open_release

__getattr__, __dir__ = _open_release(__name__, "9.9.0")
