# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:23a137dd066ba7ec6903bd12b84a86eb
"""cuDNN 9.4.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._pinned import open_release as _open_release

__getattr__, __dir__ = _open_release(__name__, "9.4.0")
