# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:58c744b890687ed772e70b5a1fd9546f
"""The API of 9.2.0, for type checkers."""

from .v9_2_0 import *
