# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:0f0980b61432a759f1ef969edebb111c
"""The API of 9.15.0, for type checkers."""

from .v9_15_0 import *
