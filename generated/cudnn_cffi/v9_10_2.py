# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:8b7ec1ad225767dd66382d3feb2ba5e4
"""cuDNN 9.10.2: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from ._front.pinned import open_release as _open_release

__getattr__, __dir__ = _open_release(__name__, "9.10.2")
