# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:f0647659f48a351c8ddb9862e7259950
"""cuDNN 9.14.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._pinned import open_release as _open_release

__getattr__, __dir__ = _open_release(__name__, "9.14.0")
