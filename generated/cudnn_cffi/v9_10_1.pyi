# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:64d7a0ef64909e59f255e832b5f3949f
"""The names of cuDNN 9.10.1, for type checkers and editors."""

from .v9_10_0 import *
