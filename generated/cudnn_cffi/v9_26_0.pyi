# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:9e444bceb41dcbaba4f8d08dc4a5fd40
"""The names of cuDNN 9.26.0, for type checkers and editors."""

from .v9_25_0 import *
from .enums import (
    CUDNN_DATA_FP8_E5M3 as CUDNN_DATA_FP8_E5M3,
    CUDNN_GNN_AGG_MAX as CUDNN_GNN_AGG_MAX,
    CUDNN_GNN_AGG_MEAN as CUDNN_GNN_AGG_MEAN,
    CUDNN_GNN_AGG_MIN as CUDNN_GNN_AGG_MIN,
    CUDNN_GNN_AGG_SUM as CUDNN_GNN_AGG_SUM,
    GnnAggOp as GnnAggOp,
    cudnnGnnAggOp_t as cudnnGnnAggOp_t,
)
from .records import (
    GnnCscGraph as GnnCscGraph,
    cudnnGnnCscGraph_t as cudnnGnnCscGraph_t,
)
from .calls.gnn_ops import (
    cudnnGnnAggSimpleBackward as cudnnGnnAggSimpleBackward,
    cudnnGnnAggSimpleForward as cudnnGnnAggSimpleForward,
)
from .calls.subquadratic_ops import (
    cudnnFFTCausalConv1dBackward as cudnnFFTCausalConv1dBackward,
    cudnnFFTCausalConv1dForward as cudnnFFTCausalConv1dForward,
    cudnnLongFFTCausalConv1dBackward as cudnnLongFFTCausalConv1dBackward,
    cudnnLongFFTCausalConv1dForward as cudnnLongFFTCausalConv1dForward,
    cudnnLongFFTCausalConv1dGetBufferSizes as cudnnLongFFTCausalConv1dGetBufferSizes,
)
