# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:8cc80205d917f26cb4e3fba38eb8aa62
"""cuDNN 9.26.1: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from . import _pinned

__getattr__, __dir__ = _pinned.module(__name__, "9.26.1")
