# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:8b42e97ae2c9b06ba5bee1a9886e485f
"""cuDNN 9.21.1: its functions, enums, constants, structs and descriptors.

For programs that must have exactly this API. A library with another one is refused.
"""

from . import _pinned

__getattr__, __dir__ = _pinned.module(__name__, "9.21.1")
