"""The names of the front door, for type checkers and editors."""

# By absolute names: editors would offer the modules of relative ones. Mypy takes
# the first of two definitions, if it is named, pyright the last: the overlay's must be both.
from cudnn_cffi._own import (
    check_calls as check_calls,
    has as has,
    check as check,
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
    Event as Event,
    Stream as Stream,
    AllocationError as AllocationError,
    ArchMismatchError as ArchMismatchError,
    ArgumentError as ArgumentError,
    BadParamError as BadParamError,
    ClosedError as ClosedError,
    CudnnError as CudnnError,
    DatabaseError as DatabaseError,
    DeprecatedError as DeprecatedError,
    ErrataError as ErrataError,
    ExecutionFailedError as ExecutionFailedError,
    ForkedError as ForkedError,
    GraphError as GraphError,
    InternalError as InternalError,
    LibraryConflictError as LibraryConflictError,
    LibraryError as LibraryError,
    LibraryLoadError as LibraryLoadError,
    LibraryNotFoundError as LibraryNotFoundError,
    LicenseError as LicenseError,
    MisalignedPointerError as MisalignedPointerError,
    MissingFunctionError as MissingFunctionError,
    NotFinalizedError as NotFinalizedError,
    NotInitializedError as NotInitializedError,
    NotSupportedError as NotSupportedError,
    NullPointerError as NullPointerError,
    RuntimeInProgressError as RuntimeInProgressError,
    RuntimeOverflowError as RuntimeOverflowError,
    ShapeMismatchError as ShapeMismatchError,
    SublibraryError as SublibraryError,
    UnknownMemberError as UnknownMemberError,
    UnsupportedVersionError as UnsupportedVersionError,
    VersionMismatchError as VersionMismatchError,
    Graph as Graph,
    Handle as Handle,
    handle as handle,
    load as load,
    cudnnSetCallback as cudnnSetCallback,
    log as log,
    DeviceArray as DeviceArray,
    pinned_empty as pinned_empty,
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
