# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:4756d341680bcd311b4c1c17a61cee49
"""The API of 9.7.0, for type checkers."""

from .v9_7_0 import *
