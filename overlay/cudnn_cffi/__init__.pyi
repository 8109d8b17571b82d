"""The names of the front door, for type checkers and editors."""

# By absolute names: editors would offer the modules of relative ones. Mypy takes
# the first of two definitions, if it is named, pyright the last: the overlay's must be both.
from cudnn_cffi._own import (
    FilterDescriptor as FilterDescriptor,
    OpTensorDescriptor as OpTensorDescriptor,
    ReduceTensorDescriptor as ReduceTensorDescriptor,
    TensorDescriptor as TensorDescriptor,
    TensorTransformDescriptor as TensorTransformDescriptor,
    ActivationDescriptor as ActivationDescriptor,
    ConvolutionDescriptor as ConvolutionDescriptor,
    DropoutDescriptor as DropoutDescriptor,
    LRNDescriptor as LRNDescriptor,
    PoolingDescriptor as PoolingDescriptor,
    SpatialTransformerDescriptor as SpatialTransformerDescriptor,
    AttnDescriptor as AttnDescriptor,
    CTCLossDescriptor as CTCLossDescriptor,
    RNNDataDescriptor as RNNDataDescriptor,
    RNNDescriptor as RNNDescriptor,
    SeqDataDescriptor as SeqDataDescriptor,
    Handle as Handle,
    cudnnSetCallback as cudnnSetCallback,
)
from cudnn_cffi.names import *  # type: ignore[assignment]
from cudnn_cffi._own import *

from . import errata as errata
from . import errors as errors
from . import graph as graph
from . import ops as ops
from . import types as types
from .choice.calling import choice as choice

__version__: str

# Settings of the process; see the guide to operations.
allow_tf32: bool
benchmark: bool
deterministic: bool
fastest: bool
verbose: bool
algo_bwd: str | int | None
algo_bwd_data: str | int | None
algo_bwd_filter: str | int | None
algo_fwd: str | int | None
conv_bwd_data_algo: str | int | None
conv_bwd_filter_algo: str | int | None
conv_fwd_algo: str | int | None
