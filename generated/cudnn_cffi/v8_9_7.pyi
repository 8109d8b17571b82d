# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:5e89b44c2ce5a584849cb64ad806c9b6
"""The API of 8.9.6, for type checkers."""

from .v8_9_6 import *
