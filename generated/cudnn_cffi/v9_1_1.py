# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:3d01ec54f6c7a4cd7549c0d84e258d70
"""cuDNN 9.1.1: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._pinned import open_release as _open_release

__getattr__, __dir__ = _open_release(__name__, "9.1.1")
