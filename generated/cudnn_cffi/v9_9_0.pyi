# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:3f7b38a4d4844b74592e8f2e598e7d08
"""The names of cuDNN 9.9.0, for type checkers and editors."""

from .v9_8_0 import *
