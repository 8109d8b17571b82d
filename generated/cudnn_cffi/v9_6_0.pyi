# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:370550c640fe0857d7c4e0feeb2107ff
"""The names of cuDNN 9.6.0, for type checkers and editors."""

from .v9_5_0 import *
from .enums import (
    CUDNN_ATTR_OPERATIONGRAPH_IS_SAME_TOPOLOGY as CUDNN_ATTR_OPERATIONGRAPH_IS_SAME_TOPOLOGY,
    CUDNN_STATUS_BAD_PARAM_DESCRIPTOR_TYPE as CUDNN_STATUS_BAD_PARAM_DESCRIPTOR_TYPE,
)
