# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:331b47e733d0a6a60a658e283e8974fc
"""The API of 9.1.0, for type checkers."""

from .v9_1_0 import *
