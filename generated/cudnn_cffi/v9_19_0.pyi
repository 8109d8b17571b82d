# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:2dee140a5bc40aa146fa6f1b7d800963
"""The API of 9.18.0, for type checkers."""

from .v9_18_0 import *
