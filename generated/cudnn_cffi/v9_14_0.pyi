# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:d4ec0fb855c2e45c5e6e9c9a94a30ba2
"""The names of cuDNN 9.14.0, for type checkers and editors."""

from .v9_13_0 import *
from .enums import (
    CUDNN_ATTR_OPERATION_SDPA_FWD_BLOCK_MASK_DESC as CUDNN_ATTR_OPERATION_SDPA_FWD_BLOCK_MASK_DESC,
    CUDNN_DATA_COMPLEX_FP32 as CUDNN_DATA_COMPLEX_FP32,
    CUDNN_DATA_COMPLEX_FP64 as CUDNN_DATA_COMPLEX_FP64,
)
