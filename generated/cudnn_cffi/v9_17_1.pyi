# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:58813ddf89c7773aebd5b13c2c1aec30
"""The API of 9.17.0, for type checkers."""

from .v9_17_0 import *
