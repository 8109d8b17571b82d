# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:bccb561023e3df27bee6d6ffe8abaec2
"""The API of 9.5.0, for type checkers."""

from .v9_5_0 import *
