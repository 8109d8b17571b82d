# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:3ee4e9de45a32876625ef583c6856881
"""The names of cuDNN 9.3.0, for type checkers and editors."""

from .v9_2_0 import *
