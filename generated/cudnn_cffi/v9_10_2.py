# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:71627e65f047607bf8c7c9ef639134f9
"""cuDNN 9.10.2: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._pinned import open_release as _open_release

__getattr__, __dir__ = _open_release(__name__, "9.10.2")
