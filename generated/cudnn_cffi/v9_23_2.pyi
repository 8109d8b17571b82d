# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:173031b012e6de1971be847a165101b9
"""The API of 9.23.0, for type checkers."""

from .v9_23_0 import *
