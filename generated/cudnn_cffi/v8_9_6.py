# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:321cb8e3eec4bafd1a12c763b94e24bd
"""cuDNN 8.9.6: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._pinned import open_release as _open_release

__getattr__, __dir__ = _open_release(__name__, "8.9.6")
