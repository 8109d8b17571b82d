# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:ff842c67f8cf472cf37c740280db8801
"""The names of cuDNN 9.2.0, for type checkers and editors."""

from .v9_1_0 import *
from .enums import (
    CUDNN_ATTR_ENGINECFG_SHARED_MEMORY_USED as CUDNN_ATTR_ENGINECFG_SHARED_MEMORY_USED,
    CUDNN_ATTR_ENGINECFG_WORKSPACE_SIZE as CUDNN_ATTR_ENGINECFG_WORKSPACE_SIZE,
    CUDNN_STATUS_SUBLIBRARY_LOADING_FAILED as CUDNN_STATUS_SUBLIBRARY_LOADING_FAILED,
)
