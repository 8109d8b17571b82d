# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:51f4f051d70d9112d7a318c10d2de36d
"""cuDNN 9.11.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._pinned import open_release as _open_release

__getattr__, __dir__ = _open_release(__name__, "9.11.0")
