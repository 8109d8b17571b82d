# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:e97a4fcb0e8375a591db59a4f703e613
"""The API of 9.25.0, for type checkers."""

from .v9_25_0 import *
