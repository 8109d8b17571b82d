# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:7bafdfac8adcc142164fd088e1419e12
"""The API of 8.9.2, for type checkers."""

from .v8_9_2 import *
