# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:80af408cbf32c71a59589277e8a89d34
"""The API of 9.28.0, for type checkers."""

from .v9_28_0 import *
