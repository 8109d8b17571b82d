# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:ba28e2161cdf5f068e3e0758e6f2ac93
"""The API of 8.9.0, for type checkers."""

from .v8_9_0 import *
