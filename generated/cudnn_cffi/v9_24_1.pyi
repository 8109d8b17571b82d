# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:d3719b80635fc7facf190894c7dad528
"""The API of 9.24.0, for type checkers."""

from .v9_24_0 import *
