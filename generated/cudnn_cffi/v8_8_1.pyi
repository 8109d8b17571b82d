# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:b91f378765d2a43dd9e47306d0222c46
"""The API of 8.8.0, for type checkers."""

from .v8_8_0 import *
