# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:e83522658471926ba108b267e53a5c50
"""The names of cuDNN 9.1.0, for type checkers and editors."""

from .v9_0_0 import *
from .enums import (
    CUDNN_NUMERICAL_NOTE_STRICT_NAN_PROP as CUDNN_NUMERICAL_NOTE_STRICT_NAN_PROP,
    CUDNN_POINTWISE_ATAN2 as CUDNN_POINTWISE_ATAN2,
)
