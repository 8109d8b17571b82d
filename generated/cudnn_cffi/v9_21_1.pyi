# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:fe26a5f97cad3008c3569d412dd2ee80
"""The API of 9.21.0, for type checkers."""

from .v9_21_0 import *
