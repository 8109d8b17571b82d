# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:7994dfd17c801a58e57e66f950acdb36
"""The API of 9.13.0, for type checkers."""

from .v9_13_0 import *
