# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:f063a82661eab744978af3ceb066d598
"""The names of cuDNN 8.9.6, for type checkers and editors."""

from .v8_9_5 import *
from .enums import (
    CUDNN_RMS_NORM as CUDNN_RMS_NORM,
)
