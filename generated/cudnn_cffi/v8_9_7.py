# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:181fecd674aa917f9aed2e5b892a0668
"""cuDNN 8.9.7: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._front.pinned import open_release as _open_release

__getattr__, __dir__ = _open_release(__name__, "8.9.7")
