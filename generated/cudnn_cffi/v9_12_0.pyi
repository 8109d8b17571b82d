# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:3ab9f94117711100e2390b8b6081ad37
"""The API of 9.11.0, for type checkers."""

from .v9_11_0 import *
