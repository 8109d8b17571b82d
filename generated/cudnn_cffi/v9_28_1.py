# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:516da2739251126cead61eae0faeff63
"""cuDNN 9.28.1: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._pinned import open_release as _open_release

__getattr__, __dir__ = _open_release(__name__, "9.28.1")
