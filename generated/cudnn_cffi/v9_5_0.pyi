# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:4ba6ce471ce2c44b3bc790a59e2a462c
"""The names of cuDNN 9.5.0, for type checkers and editors."""

from .v9_4_0 import *
from .enums import (
    CUDNN_ATTR_KERNEL_CACHE_OPERATION_GRAPH as CUDNN_ATTR_KERNEL_CACHE_OPERATION_GRAPH,
    CUDNN_BEHAVIOR_NOTE_SUPPORTS_CUDA_GRAPH_NATIVE_API as CUDNN_BEHAVIOR_NOTE_SUPPORTS_CUDA_GRAPH_NATIVE_API,
    CUDNN_STATUS_BAD_PARAM_CUDA_GRAPH_MISMATCH as CUDNN_STATUS_BAD_PARAM_CUDA_GRAPH_MISMATCH,
    CUDNN_STATUS_NOT_SUPPORTED_CUDA_GRAPH_NATIVE_API as CUDNN_STATUS_NOT_SUPPORTED_CUDA_GRAPH_NATIVE_API,
)
from .calls.graph import (
    cudnnBackendPopulateCudaGraph as cudnnBackendPopulateCudaGraph,
    cudnnBackendUpdateCudaGraph as cudnnBackendUpdateCudaGraph,
)
