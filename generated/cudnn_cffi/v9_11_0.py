# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:1c5792e87c54ffc5b0ab7ff3e716bc68
"""cuDNN 9.11.0: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._front.pinned import open_release as _open_release

__getattr__, __dir__ = _open_release(__name__, "9.11.0")
