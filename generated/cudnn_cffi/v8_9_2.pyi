# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:85f229e8dfce32599d4da02e09c78614
"""The names of cuDNN 8.9.2, for type checkers and editors."""

from .v8_9_0 import *
