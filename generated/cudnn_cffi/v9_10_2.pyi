# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:56c99a66d8ec23dd2fe404c59a078486
"""The API of 9.10.1, for type checkers."""

from .v9_10_1 import *
