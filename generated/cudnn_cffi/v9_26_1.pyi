# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:bee0b7f80d47079a060a9e8a6b8fa4e8
"""The API of 9.26.0, for type checkers."""

from .v9_26_0 import *
