# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:1d81216073cfe18476f2f8a5819ec3c3
"""The names of cuDNN 9.11.0, for type checkers and editors."""

from .v9_10_1 import *
from .enums import (
    CUDNN_ATTR_REDUCTION_IS_DETERMINISTIC as CUDNN_ATTR_REDUCTION_IS_DETERMINISTIC,
    CUDNN_DATA_INT4 as CUDNN_DATA_INT4,
    CUDNN_DATA_UINT32 as CUDNN_DATA_UINT32,
    CUDNN_DATA_UINT4 as CUDNN_DATA_UINT4,
)
