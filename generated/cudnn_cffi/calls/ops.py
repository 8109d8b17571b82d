# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:83501e8d31b5f95bbeb85463ac8884cf
"""Functions of cudnn_ops.h, called under their C names without their out-parameters.

They raise what `cudnn_cffi.errors` defines. Pointers are ints or the objects that hold them;
see `cudnn_cffi.types` for what is taken where.
"""

# The signatures are for type checkers, what is inside is not.
# mypy: ignore-errors

from __future__ import annotations

from .._call import (
    CONVERT as _CONVERT,
    array as _array,
    enum_map as _enum_map,
    failed as _failed,
    getters as _getters,
    instead as _instead,
    lend as _lend,
    lib as _lib,
    memory as _memory,
    outs as _outs,
    plain as _plain,
    quick as _quick,
    scale as _scale,
    slow as _slow,
    unpack as _unpack,
    unpacker as _unpacker,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, NamedTuple

    from ..enums import (
        ActivationMode,
        BatchNormMode,
        BatchNormOps,
        DataType,
        DivNormMode,
        FoldingDirection,
        IndicesType,
        LRNMode,
        NanPropagation,
        NormAlgo,
        NormMode,
        NormOps,
        OpTensorOp,
        PoolingMode,
        ReduceTensorIndices,
        ReduceTensorOp,
        SamplerType,
        SoftmaxAlgorithm,
        SoftmaxMode,
        TensorFormat,
    )
    from ..families import (
        ActivationDescriptor,
        DropoutDescriptor,
        FilterDescriptor,
        Handle,
        LRNDescriptor,
        OpTensorDescriptor,
        PoolingDescriptor,
        ReduceTensorDescriptor,
        SpatialTransformerDescriptor,
        TensorDescriptor,
        TensorTransformDescriptor,
    )
    from ..types import Callback, DevicePointer, HostPointer, ScalingFactor, Stream
else:
    from .._support.results import NamedTuple

_new = tuple.__new__
_type = type
_unpack_2q = _unpacker("2q")
_unpack_3q = _unpacker("3q")
_ActivationMode = _enum_map("ActivationMode")
_DataType = _enum_map("DataType")
_FoldingDirection = _enum_map("FoldingDirection")
_IndicesType = _enum_map("IndicesType")
_NanPropagation = _enum_map("NanPropagation")
_OpTensorOp = _enum_map("OpTensorOp")
_PoolingMode = _enum_map("PoolingMode")
_ReduceTensorIndices = _enum_map("ReduceTensorIndices")
_ReduceTensorOp = _enum_map("ReduceTensorOp")
_TensorFormat = _enum_map("TensorFormat")
_cudnnGetFilterNdDescriptor = _lib.cudnnGetFilterNdDescriptor
_cudnnGetPoolingNdDescriptor = _lib.cudnnGetPoolingNdDescriptor
_cudnnGetPoolingNdForwardOutputDim = _lib.cudnnGetPoolingNdForwardOutputDim
_cudnnGetTensorNdDescriptor = _lib.cudnnGetTensorNdDescriptor
_cudnnGetTensorTransformDescriptor = _lib.cudnnGetTensorTransformDescriptor
_cudnnSetFilterNdDescriptor = _lib.cudnnSetFilterNdDescriptor
_cudnnSetPoolingNdDescriptor = _lib.cudnnSetPoolingNdDescriptor
_cudnnSetSpatialTransformerNdDescriptor = _lib.cudnnSetSpatialTransformerNdDescriptor
_cudnnSetTensorNdDescriptor = _lib.cudnnSetTensorNdDescriptor
_cudnnSetTensorNdDescriptorEx = _lib.cudnnSetTensorNdDescriptorEx
_cudnnSetTensorTransformDescriptor = _lib.cudnnSetTensorTransformDescriptor
_plain_cudnnGetFilterNdDescriptor = _plain("cudnnGetFilterNdDescriptor")
_plain_cudnnGetPoolingNdDescriptor = _plain("cudnnGetPoolingNdDescriptor")
_plain_cudnnGetPoolingNdForwardOutputDim = _plain("cudnnGetPoolingNdForwardOutputDim")
_plain_cudnnGetTensorNdDescriptor = _plain("cudnnGetTensorNdDescriptor")
_plain_cudnnGetTensorTransformDescriptor = _plain("cudnnGetTensorTransformDescriptor")
_plain_cudnnSetFilterNdDescriptor = _plain("cudnnSetFilterNdDescriptor")
_plain_cudnnSetPoolingNdDescriptor = _plain("cudnnSetPoolingNdDescriptor")
_plain_cudnnSetSpatialTransformerNdDescriptor = _plain("cudnnSetSpatialTransformerNdDescriptor")
_plain_cudnnSetTensorNdDescriptor = _plain("cudnnSetTensorNdDescriptor")
_plain_cudnnSetTensorNdDescriptorEx = _plain("cudnnSetTensorNdDescriptorEx")
_plain_cudnnSetTensorTransformDescriptor = _plain("cudnnSetTensorTransformDescriptor")


class GetActivationDescriptorResult(NamedTuple):
    """Results of `cudnnGetActivationDescriptor`."""

    mode: ActivationMode
    reluNanOpt: NanPropagation
    coef: float


class GetDropoutDescriptorResult(NamedTuple):
    """Results of `cudnnGetDropoutDescriptor`."""

    dropout: float
    states: int
    seed: int


class GetFilter4dDescriptorResult(NamedTuple):
    """Results of `cudnnGetFilter4dDescriptor`."""

    dataType: DataType
    format: TensorFormat
    k: int
    c: int
    h: int
    w: int


class GetFilterNdDescriptorResult(NamedTuple):
    """Results of `cudnnGetFilterNdDescriptor`."""

    dataType: DataType
    format: TensorFormat
    nbDims: int
    filterDimA: tuple[int, ...]


class GetLRNDescriptorResult(NamedTuple):
    """Results of `cudnnGetLRNDescriptor`."""

    lrnN: int
    lrnAlpha: float
    lrnBeta: float
    lrnK: float


class GetOpTensorDescriptorResult(NamedTuple):
    """Results of `cudnnGetOpTensorDescriptor`."""

    opTensorOp: OpTensorOp
    opTensorCompType: DataType
    opTensorNanOpt: NanPropagation


class GetPooling2dDescriptorResult(NamedTuple):
    """Results of `cudnnGetPooling2dDescriptor`."""

    mode: PoolingMode
    maxpoolingNanOpt: NanPropagation
    windowHeight: int
    windowWidth: int
    verticalPadding: int
    horizontalPadding: int
    verticalStride: int
    horizontalStride: int


class GetPooling2dForwardOutputDimResult(NamedTuple):
    """Results of `cudnnGetPooling2dForwardOutputDim`."""

    n: int
    c: int
    h: int
    w: int


class GetPoolingNdDescriptorResult(NamedTuple):
    """Results of `cudnnGetPoolingNdDescriptor`."""

    mode: PoolingMode
    maxpoolingNanOpt: NanPropagation
    nbDims: int
    windowDimA: tuple[int, ...]
    paddingA: tuple[int, ...]
    strideA: tuple[int, ...]


class GetReduceTensorDescriptorResult(NamedTuple):
    """Results of `cudnnGetReduceTensorDescriptor`."""

    reduceTensorOp: ReduceTensorOp
    reduceTensorCompType: DataType
    reduceTensorNanOpt: NanPropagation
    reduceTensorIndices: ReduceTensorIndices
    reduceTensorIndicesType: IndicesType


class GetTensor4dDescriptorResult(NamedTuple):
    """Results of `cudnnGetTensor4dDescriptor`."""

    dataType: DataType
    n: int
    c: int
    h: int
    w: int
    nStride: int
    cStride: int
    hStride: int
    wStride: int


class GetTensorNdDescriptorResult(NamedTuple):
    """Results of `cudnnGetTensorNdDescriptor`."""

    dataType: DataType
    nbDims: int
    dimA: tuple[int, ...]
    strideA: tuple[int, ...]


class GetTensorTransformDescriptorResult(NamedTuple):
    """Results of `cudnnGetTensorTransformDescriptor`."""

    destFormat: TensorFormat
    padBeforeA: tuple[int, ...]
    padAfterA: tuple[int, ...]
    foldA: tuple[int, ...]
    direction: FoldingDirection


_cudnnActivationBackward = _quick(
    "cudnnActivationBackward",
    "",
    (
        "_cudnnHandle_t",
        "_cudnnActivationDescriptor_t",
        _scale,
        "_cudnnTensorDescriptor_t",
        _getters,
        "_cudnnTensorDescriptor_t",
        _getters,
        "_cudnnTensorDescriptor_t",
        _getters,
        _scale,
        "_cudnnTensorDescriptor_t",
        _getters,
    ),
    (None,),
)


@_instead(_cudnnActivationBackward)
def cudnnActivationBackward(
    handle: Handle | int,
    activationDesc: ActivationDescriptor | int,
    alpha: ScalingFactor,
    yDesc: TensorDescriptor | int,
    y: DevicePointer,
    dyDesc: TensorDescriptor | int,
    dy: DevicePointer,
    xDesc: TensorDescriptor | int,
    x: DevicePointer,
    beta: ScalingFactor,
    dxDesc: TensorDescriptor | int,
    dx: DevicePointer,
) -> None:
    """Compute `dx` from `y`, `dy` and `x`.

    Formula: dx = alpha * dy f'(x) + beta * dx, with the function f of activationDesc

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        activationDesc: cudnnActivationDescriptor_t, an `ActivationDescriptor` or its address.
        alpha: const void*, a number, which cuDNN reads as double where the tensor is double,
            else as float; multiplies the result.
        yDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        y: const void*, device memory, laid out as `yDesc` says, read.
        dyDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        dy: const void*, device memory, laid out as `dyDesc` says, read.
        xDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        x: const void*, device memory, laid out as `xDesc` says, read.
        beta: const void*, a number, which cuDNN reads as double where the tensor is double,
            else as float; multiplies what `dx` held before; 0 leaves that unread.
        dxDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        dx: void*, device memory, laid out as `dxDesc` says, read and written.

    Returns:
        None; the function writes `dx`, in place.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.activation_backward`, `ops.batch_norm_activation_backward`,
    `Graph.pointwise`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnnactivationbackward

    C, cudnn_ops.h::

        cudnnStatus_t cudnnActivationBackward(cudnnHandle_t handle, cudnnActivationDescriptor_t
            activationDesc, const void *alpha, const cudnnTensorDescriptor_t yDesc, const void
            *y, const cudnnTensorDescriptor_t dyDesc, const void *dy, const
            cudnnTensorDescriptor_t xDesc, const void *x, const void *beta, const
            cudnnTensorDescriptor_t dxDesc, void *dx)
    """
    return _cudnnActivationBackward(
        handle,
        activationDesc,
        alpha,
        yDesc,
        y,
        dyDesc,
        dy,
        xDesc,
        x,
        beta,
        dxDesc,
        dx,
    )


_cudnnActivationForward = _quick(
    "cudnnActivationForward",
    "",
    (
        "_cudnnHandle_t",
        "_cudnnActivationDescriptor_t",
        _scale,
        "_cudnnTensorDescriptor_t",
        _getters,
        _scale,
        "_cudnnTensorDescriptor_t",
        _getters,
    ),
    (None,),
)


@_instead(_cudnnActivationForward)
def cudnnActivationForward(
    handle: Handle | int,
    activationDesc: ActivationDescriptor | int,
    alpha: ScalingFactor,
    xDesc: TensorDescriptor | int,
    x: DevicePointer,
    beta: ScalingFactor,
    yDesc: TensorDescriptor | int,
    y: DevicePointer,
) -> None:
    """Compute `y` from `x`.

    Formula: y = alpha * f(x) + beta * y, with the function f of activationDesc

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        activationDesc: cudnnActivationDescriptor_t, an `ActivationDescriptor` or its address.
        alpha: const void*, a number, which cuDNN reads as double where the tensor is double,
            else as float; multiplies the result.
        xDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        x: const void*, device memory, laid out as `xDesc` says, read.
        beta: const void*, a number, which cuDNN reads as double where the tensor is double,
            else as float; multiplies what `y` held before; 0 leaves that unread.
        yDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        y: void*, device memory, laid out as `yDesc` says, read and written.

    Returns:
        None; the function writes `y`, in place.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.activation`, `ops.relu`, `ops.clipped_relu`, `ops.sigmoid`, `ops.tanh`,
    `ops.elu`, `Graph.pointwise`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnnactivationforward

    C, cudnn_ops.h::

        cudnnStatus_t cudnnActivationForward(cudnnHandle_t handle, cudnnActivationDescriptor_t
            activationDesc, const void *alpha, const cudnnTensorDescriptor_t xDesc, const void
            *x, const void *beta, const cudnnTensorDescriptor_t yDesc, void *y)
    """
    return _cudnnActivationForward(handle, activationDesc, alpha, xDesc, x, beta, yDesc, y)


_cudnnAddTensor = _quick(
    "cudnnAddTensor",
    "",
    (
        "_cudnnHandle_t",
        _scale,
        "_cudnnTensorDescriptor_t",
        _getters,
        _scale,
        "_cudnnTensorDescriptor_t",
        _getters,
    ),
    (None,),
)


@_instead(_cudnnAddTensor)
def cudnnAddTensor(
    handle: Handle | int,
    alpha: ScalingFactor,
    aDesc: TensorDescriptor | int,
    A: DevicePointer,
    beta: ScalingFactor,
    cDesc: TensorDescriptor | int,
    C: DevicePointer,
) -> None:
    """Compute `C` from `A`.

    Formula: C = alpha * A + beta * C, with A repeated along its extents of 1

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        alpha: const void*, a number, which cuDNN reads as double where the tensor is double,
            else as float; multiplies the result.
        aDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        A: const void*, device memory, laid out as `aDesc` says, read.
        beta: const void*, a number, which cuDNN reads as double where the tensor is double,
            else as float; multiplies what `C` held before; 0 leaves that unread.
        cDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        C: void*, device memory, laid out as `cDesc` says, read and written.

    Returns:
        None; the function writes `C`, in place.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.add`, `ops.tensor_operation`, `ops.scale`, `ops.convolution_transpose`,
    `ops.convolution`, `ops.batch_norm_activation`, `Graph.pointwise`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnnaddtensor

    C, cudnn_ops.h::

        cudnnStatus_t cudnnAddTensor(cudnnHandle_t handle, const void *alpha, const
            cudnnTensorDescriptor_t aDesc, const void *A, const void *beta, const
            cudnnTensorDescriptor_t cDesc, void *C)
    """
    return _cudnnAddTensor(handle, alpha, aDesc, A, beta, cDesc, C)


_cudnnBatchNormalizationBackward = _quick(
    "cudnnBatchNormalizationBackward",
    "",
    (
        "_cudnnHandle_t",
        None,
        _scale,
        _scale,
        _scale,
        _scale,
        "_cudnnTensorDescriptor_t",
        _getters,
        "_cudnnTensorDescriptor_t",
        _getters,
        "_cudnnTensorDescriptor_t",
        _getters,
        "_cudnnTensorDescriptor_t",
        _getters,
        _getters,
        _getters,
        None,
        _getters,
        _getters,
    ),
    (None,),
)


@_instead(_cudnnBatchNormalizationBackward)
def cudnnBatchNormalizationBackward(
    handle: Handle | int,
    mode: BatchNormMode,
    alphaDataDiff: ScalingFactor,
    betaDataDiff: ScalingFactor,
    alphaParamDiff: ScalingFactor,
    betaParamDiff: ScalingFactor,
    xDesc: TensorDescriptor | int,
    x: DevicePointer,
    dyDesc: TensorDescriptor | int,
    dy: DevicePointer,
    dxDesc: TensorDescriptor | int,
    dx: DevicePointer,
    dBnScaleBiasDesc: TensorDescriptor | int,
    bnScale: DevicePointer,
    dBnScaleResult_: DevicePointer,
    dBnBiasResult_: DevicePointer,
    epsilon: float,
    savedMean: DevicePointer,
    savedInvVariance: DevicePointer,
) -> None:
    """Compute `dx`, `dBnScaleResult_` and `dBnBiasResult_`.

    Formula: with n = (x - mean) inv_variance: dx = alphaDataDiff * (bnScale inv_variance (dy -
        mean of dy - n (mean of dy n))) + betaDataDiff * dx; dBnScaleResult: sum of dy n;
        dBnBiasResult: sum of dy

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        mode: cudnnBatchNormMode_t, a `BatchNormMode`: `PER_ACTIVATION`, `SPATIAL` or
            `SPATIAL_PERSISTENT`; statistics for each element of a sample (1, C, H, W), or for
            each channel (1, C, 1, 1).
        alphaDataDiff: const void*, a number, which cuDNN reads as double where the tensor is
            double, else as float; multiplies the gradient for the input.
        betaDataDiff: const void*, a number, which cuDNN reads as double where the tensor is
            double, else as float; multiplies what the input's gradient held before; 0 leaves
            that unread.
        alphaParamDiff: const void*, a number, which cuDNN reads as double where the tensor is
            double, else as float; multiplies the gradients for scale and bias.
        betaParamDiff: const void*, a number, which cuDNN reads as double where the tensor is
            double, else as float; multiplies what those of scale and bias held before; 0 leaves
            that unread.
        xDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        x: const void*, device memory, laid out as `xDesc` says, read.
        dyDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        dy: const void*, device memory, laid out as `dyDesc` says, read.
        dxDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        dx: void*, device memory, laid out as `dxDesc` says, read and written.
        dBnScaleBiasDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        bnScale: const void*, device memory, read.
        dBnScaleResult_: void*, device memory, read and written.
        dBnBiasResult_: void*, device memory, read and written.
        epsilon: double; added to the variance before the root; the same forward and backward.
        savedMean: const void*, device memory, read; of the forward function; None to compute it
            again.
        savedInvVariance: const void*, device memory, read; of the forward function; None to
            compute it again.

    Returns:
        None; the function writes `dx`, `dBnScaleResult_` and `dBnBiasResult_`, in place.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.batch_norm_backward`, `ops.group_norm_backward`,
    `ops.batch_norm_activation_backward`, `Graph.norm_backward`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnnbatchnormalizationbackward

    C, cudnn_ops.h::

        cudnnStatus_t cudnnBatchNormalizationBackward(cudnnHandle_t handle, cudnnBatchNormMode_t
            mode, const void *alphaDataDiff, const void *betaDataDiff, const void
            *alphaParamDiff, const void *betaParamDiff, const cudnnTensorDescriptor_t xDesc,
            const void *x, const cudnnTensorDescriptor_t dyDesc, const void *dy, const
            cudnnTensorDescriptor_t dxDesc, void *dx, const cudnnTensorDescriptor_t
            dBnScaleBiasDesc, const void *bnScale, void *dBnScaleResult, void *dBnBiasResult,
            double epsilon, const void *savedMean, const void *savedInvVariance)
    """
    return _cudnnBatchNormalizationBackward(
        handle,
        mode,
        alphaDataDiff,
        betaDataDiff,
        alphaParamDiff,
        betaParamDiff,
        xDesc,
        x,
        dyDesc,
        dy,
        dxDesc,
        dx,
        dBnScaleBiasDesc,
        bnScale,
        dBnScaleResult_,
        dBnBiasResult_,
        epsilon,
        savedMean,
        savedInvVariance,
    )


_cudnnBatchNormalizationBackwardEx = _quick(
    "cudnnBatchNormalizationBackwardEx",
    "",
    (
        "_cudnnHandle_t",
        None,
        None,
        _scale,
        _scale,
        _scale,
        _scale,
        "_cudnnTensorDescriptor_t",
        _getters,
        "_cudnnTensorDescriptor_t",
        _getters,
        "_cudnnTensorDescriptor_t",
        _getters,
        "_cudnnTensorDescriptor_t",
        _getters,
        "_cudnnTensorDescriptor_t",
        _getters,
        "_cudnnTensorDescriptor_t",
        _getters,
        _getters,
        _getters,
        _getters,
        None,
        _getters,
        _getters,
        "_cudnnActivationDescriptor_t",
        _getters,
        None,
        _getters,
        None,
    ),
    (None,),
)


@_instead(_cudnnBatchNormalizationBackwardEx)
def cudnnBatchNormalizationBackwardEx(
    handle: Handle | int,
    mode: BatchNormMode,
    bnOps: BatchNormOps,
    alphaDataDiff: ScalingFactor,
    betaDataDiff: ScalingFactor,
    alphaParamDiff: ScalingFactor,
    betaParamDiff: ScalingFactor,
    xDesc: TensorDescriptor | int,
    xData: DevicePointer,
    yDesc: TensorDescriptor | int | None,
    yData: DevicePointer,
    dyDesc: TensorDescriptor | int,
    dyData: DevicePointer,
    dzDesc: TensorDescriptor | int | None,
    dzData: DevicePointer,
    dxDesc: TensorDescriptor | int,
    dxData: DevicePointer,
    dBnScaleBiasDesc: TensorDescriptor | int,
    bnScaleData: DevicePointer,
    bnBiasData: DevicePointer,
    dBnScaleData: DevicePointer,
    dBnBiasData: DevicePointer,
    epsilon: float,
    savedMean: DevicePointer,
    savedInvVariance: DevicePointer,
    activationDesc: ActivationDescriptor | int | None,
    workSpace: DevicePointer,
    workSpaceSizeInBytes: int,
    reserveSpace: DevicePointer,
    reserveSpaceSizeInBytes: int,
) -> None:
    """Compute `dzData`, `dxData`, `dBnScaleData` and `dBnBiasData`.

    Formula: dxData, dBnScaleData, dBnBiasData: as `cudnnBatchNormalizationBackward`, of dyData
        through the activation; dzData: dyData through the activation

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        mode: cudnnBatchNormMode_t, a `BatchNormMode`: `PER_ACTIVATION`, `SPATIAL` or
            `SPATIAL_PERSISTENT`; statistics for each element of a sample (1, C, H, W), or for
            each channel (1, C, 1, 1).
        bnOps: cudnnBatchNormOps_t, a `BatchNormOps`: `BN`, `BN_ACTIVATION` or
            `BN_ADD_ACTIVATION`; the norm alone, with an activation, or with an addition of `z`
            before the activation.
        alphaDataDiff: const void*, a number, which cuDNN reads as double where the tensor is
            double, else as float; multiplies the gradient for the input.
        betaDataDiff: const void*, a number, which cuDNN reads as double where the tensor is
            double, else as float; multiplies what the input's gradient held before; 0 leaves
            that unread.
        alphaParamDiff: const void*, a number, which cuDNN reads as double where the tensor is
            double, else as float; multiplies the gradients for scale and bias.
        betaParamDiff: const void*, a number, which cuDNN reads as double where the tensor is
            double, else as float; multiplies what those of scale and bias held before; 0 leaves
            that unread.
        xDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        xData: const void*, device memory, laid out as `xDesc` says, read.
        yDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, or None.
        yData: const void*, device memory, laid out as `yDesc` says, read.
        dyDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        dyData: const void*, device memory, laid out as `dyDesc` says, read.
        dzDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, or None.
        dzData: void*, device memory, laid out as `dzDesc` says, read and written.
        dxDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        dxData: void*, device memory, laid out as `dxDesc` says, read and written.
        dBnScaleBiasDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        bnScaleData: const void*, device memory, read.
        bnBiasData: const void*, device memory, read.
        dBnScaleData: void*, device memory, read and written.
        dBnBiasData: void*, device memory, read and written.
        epsilon: double; added to the variance before the root; the same forward and backward.
        savedMean: const void*, device memory, read; of the forward function; None to compute it
            again.
        savedInvVariance: const void*, device memory, read; of the forward function; None to
            compute it again.
        activationDesc: cudnnActivationDescriptor_t, an `ActivationDescriptor` or its address,
            or None.
        workSpace: void*, device memory for scratch space, at least `workSpaceSizeInBytes`
            bytes, or None; the caller allocates it, of the size that
            `cudnnGetBatchNormalizationBackwardExWorkspaceSize` tells, and may use it for later
            work on the stream.
        workSpaceSizeInBytes: size_t, how many bytes `workSpace` has.
        reserveSpace: void*, device memory that the backward calls need again, at least
            `reserveSpaceSizeInBytes` bytes, read and written, or None; as
            `cudnnBatchNormalizationForwardTrainingEx` left it.
        reserveSpaceSizeInBytes: size_t, how many bytes `reserveSpace` has.

    Returns:
        None; the function writes `dzData`, `dxData`, `dBnScaleData` and `dBnBiasData`, in
            place.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.batch_norm_activation_backward`, `Graph.norm_backward`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnnbatchnormalizationbackwardex

    C, cudnn_ops.h::

        cudnnStatus_t cudnnBatchNormalizationBackwardEx(cudnnHandle_t handle,
            cudnnBatchNormMode_t mode, cudnnBatchNormOps_t bnOps, const void *alphaDataDiff,
            const void *betaDataDiff, const void *alphaParamDiff, const void *betaParamDiff,
            const cudnnTensorDescriptor_t xDesc, const void *xData, const
            cudnnTensorDescriptor_t yDesc, const void *yData, const cudnnTensorDescriptor_t
            dyDesc, const void *dyData, const cudnnTensorDescriptor_t dzDesc, void *dzData,
            const cudnnTensorDescriptor_t dxDesc, void *dxData, const cudnnTensorDescriptor_t
            dBnScaleBiasDesc, const void *bnScaleData, const void *bnBiasData, void
            *dBnScaleData, void *dBnBiasData, double epsilon, const void *savedMean, const void
            *savedInvVariance, cudnnActivationDescriptor_t activationDesc, void *workSpace,
            size_t workSpaceSizeInBytes, void *reserveSpace, size_t reserveSpaceSizeInBytes)
    """
    return _cudnnBatchNormalizationBackwardEx(
        handle,
        mode,
        bnOps,
        alphaDataDiff,
        betaDataDiff,
        alphaParamDiff,
        betaParamDiff,
        xDesc,
        xData,
        yDesc,
        yData,
        dyDesc,
        dyData,
        dzDesc,
        dzData,
        dxDesc,
        dxData,
        dBnScaleBiasDesc,
        bnScaleData,
        bnBiasData,
        dBnScaleData,
        dBnBiasData,
        epsilon,
        savedMean,
        savedInvVariance,
        activationDesc,
        workSpace,
        workSpaceSizeInBytes,
        reserveSpace,
        reserveSpaceSizeInBytes,
    )


_cudnnBatchNormalizationForwardInference = _quick(
    "cudnnBatchNormalizationForwardInference",
    "",
    (
        "_cudnnHandle_t",
        None,
        _scale,
        _scale,
        "_cudnnTensorDescriptor_t",
        _getters,
        "_cudnnTensorDescriptor_t",
        _getters,
        "_cudnnTensorDescriptor_t",
        _getters,
        _getters,
        _getters,
        _getters,
        None,
    ),
    (None,),
)


@_instead(_cudnnBatchNormalizationForwardInference)
def cudnnBatchNormalizationForwardInference(
    handle: Handle | int,
    mode: BatchNormMode,
    alpha: ScalingFactor,
    beta: ScalingFactor,
    xDesc: TensorDescriptor | int,
    x: DevicePointer,
    yDesc: TensorDescriptor | int,
    y: DevicePointer,
    bnScaleBiasMeanVarDesc: TensorDescriptor | int,
    bnScale: DevicePointer,
    bnBias: DevicePointer,
    estimatedMean: DevicePointer,
    estimatedVariance: DevicePointer,
    epsilon: float,
) -> None:
    """Compute `y` from `x`, `bnScale`, `bnBias`, `estimatedMean` and `estimatedVariance`.

    Formula: y = alpha * ((x - estimatedMean) / sqrt(estimatedVariance + epsilon) bnScale +
        bnBias) + beta * y

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        mode: cudnnBatchNormMode_t, a `BatchNormMode`: `PER_ACTIVATION`, `SPATIAL` or
            `SPATIAL_PERSISTENT`; statistics for each element of a sample (1, C, H, W), or for
            each channel (1, C, 1, 1).
        alpha: const void*, a number, which cuDNN reads as double where the tensor is double,
            else as float; multiplies the result.
        beta: const void*, a number, which cuDNN reads as double where the tensor is double,
            else as float; multiplies what `y` held before; 0 leaves that unread.
        xDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        x: const void*, device memory, laid out as `xDesc` says, read.
        yDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        y: void*, device memory, laid out as `yDesc` says, read and written.
        bnScaleBiasMeanVarDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its
            address.
        bnScale: const void*, device memory, read.
        bnBias: const void*, device memory, read.
        estimatedMean: const void*, device memory, read; the running statistics of training.
        estimatedVariance: const void*, device memory, read; the running statistics of training.
        epsilon: double; added to the variance before the root; the same forward and backward.

    Returns:
        None; the function writes `y`, in place.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.batch_norm_inference`, `ops.group_norm`, `Graph.pointwise`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnnbatchnormalizationforwardinference

    C, cudnn_ops.h::

        cudnnStatus_t cudnnBatchNormalizationForwardInference(cudnnHandle_t handle,
            cudnnBatchNormMode_t mode, const void *alpha, const void *beta, const
            cudnnTensorDescriptor_t xDesc, const void *x, const cudnnTensorDescriptor_t yDesc,
            void *y, const cudnnTensorDescriptor_t bnScaleBiasMeanVarDesc, const void *bnScale,
            const void *bnBias, const void *estimatedMean, const void *estimatedVariance, double
            epsilon)
    """
    return _cudnnBatchNormalizationForwardInference(
        handle,
        mode,
        alpha,
        beta,
        xDesc,
        x,
        yDesc,
        y,
        bnScaleBiasMeanVarDesc,
        bnScale,
        bnBias,
        estimatedMean,
        estimatedVariance,
        epsilon,
    )


_cudnnBatchNormalizationForwardTraining = _quick(
    "cudnnBatchNormalizationForwardTraining",
    "",
    (
        "_cudnnHandle_t",
        None,
        _scale,
        _scale,
        "_cudnnTensorDescriptor_t",
        _getters,
        "_cudnnTensorDescriptor_t",
        _getters,
        "_cudnnTensorDescriptor_t",
        _getters,
        _getters,
        None,
        _getters,
        _getters,
        None,
        _getters,
        _getters,
    ),
    (None,),
)


@_instead(_cudnnBatchNormalizationForwardTraining)
def cudnnBatchNormalizationForwardTraining(
    handle: Handle | int,
    mode: BatchNormMode,
    alpha: ScalingFactor,
    beta: ScalingFactor,
    xDesc: TensorDescriptor | int,
    x: DevicePointer,
    yDesc: TensorDescriptor | int,
    y: DevicePointer,
    bnScaleBiasMeanVarDesc: TensorDescriptor | int,
    bnScale: DevicePointer,
    bnBias: DevicePointer,
    exponentialAverageFactor: float,
    resultRunningMean: DevicePointer,
    resultRunningVariance: DevicePointer,
    epsilon: float,
    resultSaveMean: DevicePointer,
    resultSaveInvVariance: DevicePointer,
) -> None:
    """Compute `y`, `resultRunningMean` and `resultRunningVariance`, and more.

    Formula: y = alpha * ((x - mean) / sqrt(variance + epsilon) bnScale + bnBias) + beta * y,
        with the statistics of the batch

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        mode: cudnnBatchNormMode_t, a `BatchNormMode`: `PER_ACTIVATION`, `SPATIAL` or
            `SPATIAL_PERSISTENT`; statistics for each element of a sample (1, C, H, W), or for
            each channel (1, C, 1, 1).
        alpha: const void*, a number, which cuDNN reads as double where the tensor is double,
            else as float; multiplies the result.
        beta: const void*, a number, which cuDNN reads as double where the tensor is double,
            else as float; multiplies what the output held before; 0 leaves that unread.
        xDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        x: const void*, device memory, laid out as `xDesc` says, read.
        yDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        y: void*, device memory, laid out as `yDesc` says, read and written.
        bnScaleBiasMeanVarDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its
            address.
        bnScale: const void*, device memory, read.
        bnBias: const void*, device memory, read.
        exponentialAverageFactor: double; the weight f of this batch in running statistics: (1 -
            f) * running + f * batch.
        resultRunningMean: void*, device memory, read and written; running statistics, updated
            in place; None for both to keep none.
        resultRunningVariance: void*, device memory, read and written; running statistics,
            updated in place; None for both to keep none.
        epsilon: double; added to the variance before the root; the same forward and backward.
        resultSaveMean: void*, device memory, written; the mean of the batch, for the backward
            function; None not to get it.
        resultSaveInvVariance: void*, device memory, written; 1 / sqrt(variance + epsilon) of
            the batch, for the backward function; None not to get it.

    Returns:
        None; the function writes `y`, `resultRunningMean`, `resultRunningVariance`,
            `resultSaveMean` and `resultSaveInvVariance`, in place.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.batch_norm`, `ops.group_norm`, `ops.batch_norm_activation`,
    `Graph.norm_forward`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnnbatchnormalizationforwardtraining

    C, cudnn_ops.h::

        cudnnStatus_t cudnnBatchNormalizationForwardTraining(cudnnHandle_t handle,
            cudnnBatchNormMode_t mode, const void *alpha, const void *beta, const
            cudnnTensorDescriptor_t xDesc, const void *x, const cudnnTensorDescriptor_t yDesc,
            void *y, const cudnnTensorDescriptor_t bnScaleBiasMeanVarDesc, const void *bnScale,
            const void *bnBias, double exponentialAverageFactor, void *resultRunningMean, void
            *resultRunningVariance, double epsilon, void *resultSaveMean, void
            *resultSaveInvVariance)
    """
    return _cudnnBatchNormalizationForwardTraining(
        handle,
        mode,
        alpha,
        beta,
        xDesc,
        x,
        yDesc,
        y,
        bnScaleBiasMeanVarDesc,
        bnScale,
        bnBias,
        exponentialAverageFactor,
        resultRunningMean,
        resultRunningVariance,
        epsilon,
        resultSaveMean,
        resultSaveInvVariance,
    )


_cudnnBatchNormalizationForwardTrainingEx = _quick(
    "cudnnBatchNormalizationForwardTrainingEx",
    "",
    (
        "_cudnnHandle_t",
        None,
        None,
        _scale,
        _scale,
        "_cudnnTensorDescriptor_t",
        _getters,
        "_cudnnTensorDescriptor_t",
        _getters,
        "_cudnnTensorDescriptor_t",
        _getters,
        "_cudnnTensorDescriptor_t",
        _getters,
        _getters,
        None,
        _getters,
        _getters,
        None,
        _getters,
        _getters,
        "_cudnnActivationDescriptor_t",
        _getters,
        None,
        _getters,
        None,
    ),
    (None,),
)


@_instead(_cudnnBatchNormalizationForwardTrainingEx)
def cudnnBatchNormalizationForwardTrainingEx(
    handle: Handle | int,
    mode: BatchNormMode,
    bnOps: BatchNormOps,
    alpha: ScalingFactor,
    beta: ScalingFactor,
    xDesc: TensorDescriptor | int,
    xData: DevicePointer,
    zDesc: TensorDescriptor | int | None,
    zData: DevicePointer,
    yDesc: TensorDescriptor | int,
    yData: DevicePointer,
    bnScaleBiasMeanVarDesc: TensorDescriptor | int,
    bnScale: DevicePointer,
    bnBias: DevicePointer,
    exponentialAverageFactor: float,
    resultRunningMean: DevicePointer,
    resultRunningVariance: DevicePointer,
    epsilon: float,
    resultSaveMean: DevicePointer,
    resultSaveInvVariance: DevicePointer,
    activationDesc: ActivationDescriptor | int | None,
    workspace: DevicePointer,
    workSpaceSizeInBytes: int,
    reserveSpace: DevicePointer,
    reserveSpaceSizeInBytes: int,
) -> None:
    """Compute `yData`, `resultRunningMean` and `resultRunningVariance`, and more.

    Formula: yData = alpha * f(norm(xData) bnScale + bnBias + zData) + beta * yData, with z and
        the activation f as bnOps says; norm(x) = (x - mean) / sqrt(variance + epsilon)

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        mode: cudnnBatchNormMode_t, a `BatchNormMode`: `PER_ACTIVATION`, `SPATIAL` or
            `SPATIAL_PERSISTENT`; statistics for each element of a sample (1, C, H, W), or for
            each channel (1, C, 1, 1).
        bnOps: cudnnBatchNormOps_t, a `BatchNormOps`: `BN`, `BN_ACTIVATION` or
            `BN_ADD_ACTIVATION`; the norm alone, with an activation, or with an addition of `z`
            before the activation.
        alpha: const void*, a number, which cuDNN reads as double where the tensor is double,
            else as float; multiplies the result.
        beta: const void*, a number, which cuDNN reads as double where the tensor is double,
            else as float; multiplies what the output held before; 0 leaves that unread.
        xDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        xData: const void*, device memory, laid out as `xDesc` says, read.
        zDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, or None.
        zData: const void*, device memory, laid out as `zDesc` says, read.
        yDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        yData: void*, device memory, laid out as `yDesc` says, read and written.
        bnScaleBiasMeanVarDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its
            address.
        bnScale: const void*, device memory, read.
        bnBias: const void*, device memory, read.
        exponentialAverageFactor: double; the weight f of this batch in running statistics: (1 -
            f) * running + f * batch.
        resultRunningMean: void*, device memory, read and written; running statistics, updated
            in place; None for both to keep none.
        resultRunningVariance: void*, device memory, read and written; running statistics,
            updated in place; None for both to keep none.
        epsilon: double; added to the variance before the root; the same forward and backward.
        resultSaveMean: void*, device memory, written; the mean of the batch, for the backward
            function; None not to get it.
        resultSaveInvVariance: void*, device memory, written; 1 / sqrt(variance + epsilon) of
            the batch, for the backward function; None not to get it.
        activationDesc: cudnnActivationDescriptor_t, an `ActivationDescriptor` or its address,
            or None.
        workspace: void*, device memory for scratch space, at least `workSpaceSizeInBytes`
            bytes, or None; the caller allocates it, of the size that
            `cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize` tells, and may use it for
            later work on the stream.
        workSpaceSizeInBytes: size_t, how many bytes `workspace` has.
        reserveSpace: void*, device memory that the backward calls need again, at least
            `reserveSpaceSizeInBytes` bytes, written, or None; the caller allocates it, of the
            size that `cudnnGetBatchNormalizationTrainingExReserveSpaceSize` tells, and keeps it
            unchanged for `cudnnBatchNormalizationBackwardEx`.
        reserveSpaceSizeInBytes: size_t, how many bytes `reserveSpace` has.

    Returns:
        None; the function writes `yData`, `resultRunningMean`, `resultRunningVariance`,
            `resultSaveMean` and `resultSaveInvVariance`, in place.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.batch_norm_activation`, `Graph.norm_forward`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnnbatchnormalizationforwardtrainingex

    C, cudnn_ops.h::

        cudnnStatus_t cudnnBatchNormalizationForwardTrainingEx(cudnnHandle_t handle,
            cudnnBatchNormMode_t mode, cudnnBatchNormOps_t bnOps, const void *alpha, const void
            *beta, const cudnnTensorDescriptor_t xDesc, const void *xData, const
            cudnnTensorDescriptor_t zDesc, const void *zData, const cudnnTensorDescriptor_t
            yDesc, void *yData, const cudnnTensorDescriptor_t bnScaleBiasMeanVarDesc, const void
            *bnScale, const void *bnBias, double exponentialAverageFactor, void
            *resultRunningMean, void *resultRunningVariance, double epsilon, void
            *resultSaveMean, void *resultSaveInvVariance, cudnnActivationDescriptor_t
            activationDesc, void *workspace, size_t workSpaceSizeInBytes, void *reserveSpace,
            size_t reserveSpaceSizeInBytes)
    """
    return _cudnnBatchNormalizationForwardTrainingEx(
        handle,
        mode,
        bnOps,
        alpha,
        beta,
        xDesc,
        xData,
        zDesc,
        zData,
        yDesc,
        yData,
        bnScaleBiasMeanVarDesc,
        bnScale,
        bnBias,
        exponentialAverageFactor,
        resultRunningMean,
        resultRunningVariance,
        epsilon,
        resultSaveMean,
        resultSaveInvVariance,
        activationDesc,
        workspace,
        workSpaceSizeInBytes,
        reserveSpace,
        reserveSpaceSizeInBytes,
    )


_cudnnCreateActivationDescriptor = _quick("cudnnCreateActivationDescriptor", "Q", (), (None, None))


@_instead(_cudnnCreateActivationDescriptor)
def cudnnCreateActivationDescriptor() -> int:
    """Create an `ActivationDescriptor`, which the caller destroys.

    Returns:
        int, the caller's to destroy.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.relu`, `ops.activation_backward`, `Graph.pointwise`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnncreateactivationdescriptor

    C, cudnn_ops.h::

        cudnnStatus_t cudnnCreateActivationDescriptor(cudnnActivationDescriptor_t
            *activationDesc)
    """
    return _cudnnCreateActivationDescriptor()


_cudnnCreateDropoutDescriptor = _quick("cudnnCreateDropoutDescriptor", "Q", (), (None, None))


@_instead(_cudnnCreateDropoutDescriptor)
def cudnnCreateDropoutDescriptor() -> int:
    """Create a `DropoutDescriptor`, which the caller destroys.

    Returns:
        int, the caller's to destroy.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier.

    See also: `ops.dropout`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnncreatedropoutdescriptor

    C, cudnn_ops.h::

        cudnnStatus_t cudnnCreateDropoutDescriptor(cudnnDropoutDescriptor_t *dropoutDesc)
    """
    return _cudnnCreateDropoutDescriptor()


_cudnnCreateFilterDescriptor = _quick("cudnnCreateFilterDescriptor", "Q", (), (None, None))


@_instead(_cudnnCreateFilterDescriptor)
def cudnnCreateFilterDescriptor() -> int:
    """Create a `FilterDescriptor`, which the caller destroys.

    Returns:
        int, the caller's to destroy.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnncreatefilterdescriptor

    C, cudnn_ops.h::

        cudnnStatus_t cudnnCreateFilterDescriptor(cudnnFilterDescriptor_t *filterDesc)
    """
    return _cudnnCreateFilterDescriptor()


_cudnnCreateLRNDescriptor = _quick("cudnnCreateLRNDescriptor", "Q", (), (None, None))


@_instead(_cudnnCreateLRNDescriptor)
def cudnnCreateLRNDescriptor() -> int:
    """Create an `LRNDescriptor`, which the caller destroys.

    Returns:
        int, the caller's to destroy.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier.

    See also: `ops.local_response_norm`, `ops.divisive_norm`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnncreatelrndescriptor

    C, cudnn_ops.h::

        cudnnStatus_t cudnnCreateLRNDescriptor(cudnnLRNDescriptor_t *normDesc)
    """
    return _cudnnCreateLRNDescriptor()


_cudnnCreateOpTensorDescriptor = _quick("cudnnCreateOpTensorDescriptor", "Q", (), (None, None))


@_instead(_cudnnCreateOpTensorDescriptor)
def cudnnCreateOpTensorDescriptor() -> int:
    """Create an `OpTensorDescriptor`, which the caller destroys.

    Returns:
        int, the caller's to destroy.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.add`, `ops.tensor_operation`, `ops.scale`, `Graph.pointwise`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnncreateoptensordescriptor

    C, cudnn_ops.h::

        cudnnStatus_t cudnnCreateOpTensorDescriptor(cudnnOpTensorDescriptor_t *opTensorDesc)
    """
    return _cudnnCreateOpTensorDescriptor()


_cudnnCreatePoolingDescriptor = _quick("cudnnCreatePoolingDescriptor", "Q", (), (None, None))


@_instead(_cudnnCreatePoolingDescriptor)
def cudnnCreatePoolingDescriptor() -> int:
    """Create a `PoolingDescriptor`, which the caller destroys.

    Returns:
        int, the caller's to destroy.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.max_pool`, `ops.pooling_backward`, `Graph.resample`,
    `Graph.resample_backward`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnncreatepoolingdescriptor

    C, cudnn_ops.h::

        cudnnStatus_t cudnnCreatePoolingDescriptor(cudnnPoolingDescriptor_t *poolingDesc)
    """
    return _cudnnCreatePoolingDescriptor()


_cudnnCreateReduceTensorDescriptor = _quick(
    "cudnnCreateReduceTensorDescriptor",
    "Q",
    (),
    (None, None),
)


@_instead(_cudnnCreateReduceTensorDescriptor)
def cudnnCreateReduceTensorDescriptor() -> int:
    """Create a `ReduceTensorDescriptor`, which the caller destroys.

    Returns:
        int, the caller's to destroy.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.reduce`, `Graph.reduction`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnncreatereducetensordescriptor

    C, cudnn_ops.h::

        cudnnStatus_t cudnnCreateReduceTensorDescriptor(cudnnReduceTensorDescriptor_t
            *reduceTensorDesc)
    """
    return _cudnnCreateReduceTensorDescriptor()


_cudnnCreateSpatialTransformerDescriptor = _quick(
    "cudnnCreateSpatialTransformerDescriptor",
    "Q",
    (),
    (None, None),
)


@_instead(_cudnnCreateSpatialTransformerDescriptor)
def cudnnCreateSpatialTransformerDescriptor() -> int:
    """Create a `SpatialTransformerDescriptor`, which the caller destroys.

    Returns:
        int, the caller's to destroy.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier.

    See also: `ops.affine_grid`, `ops.grid_sample`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnncreatespatialtransformerdescriptor

    C, cudnn_ops.h::

        cudnnStatus_t
            cudnnCreateSpatialTransformerDescriptor(cudnnSpatialTransformerDescriptor_t *stDesc)
    """
    return _cudnnCreateSpatialTransformerDescriptor()


_cudnnCreateTensorDescriptor = _quick("cudnnCreateTensorDescriptor", "Q", (), (None, None))


@_instead(_cudnnCreateTensorDescriptor)
def cudnnCreateTensorDescriptor() -> int:
    """Create a `TensorDescriptor`, which the caller destroys.

    Returns:
        int, the caller's to destroy.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnncreatetensordescriptor

    C, cudnn_ops.h::

        cudnnStatus_t cudnnCreateTensorDescriptor(cudnnTensorDescriptor_t *tensorDesc)
    """
    return _cudnnCreateTensorDescriptor()


_cudnnCreateTensorTransformDescriptor = _quick(
    "cudnnCreateTensorTransformDescriptor",
    "Q",
    (),
    (None, None),
)


@_instead(_cudnnCreateTensorTransformDescriptor)
def cudnnCreateTensorTransformDescriptor() -> int:
    """Create a `TensorTransformDescriptor`, which the caller destroys.

    Returns:
        int, the caller's to destroy.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.transform`, `Graph.pointwise`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnncreatetensortransformdescriptor

    C, cudnn_ops.h::

        cudnnStatus_t cudnnCreateTensorTransformDescriptor(cudnnTensorTransformDescriptor_t
            *transformDesc)
    """
    return _cudnnCreateTensorTransformDescriptor()


_cudnnDeriveBNTensorDescriptor = _quick(
    "cudnnDeriveBNTensorDescriptor",
    "",
    ("_cudnnTensorDescriptor_t", "_cudnnTensorDescriptor_t", None),
    (None,),
)


@_instead(_cudnnDeriveBNTensorDescriptor)
def cudnnDeriveBNTensorDescriptor(
    derivedBnDesc: TensorDescriptor | int,
    xDesc: TensorDescriptor | int,
    mode: BatchNormMode,
) -> None:
    """Derive `derivedBnDesc` from `xDesc` and `mode`.

    Args:
        derivedBnDesc: cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, changed.
        xDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        mode: cudnnBatchNormMode_t, a `BatchNormMode`: `PER_ACTIVATION`, `SPATIAL` or
            `SPATIAL_PERSISTENT`; statistics for each element of a sample (1, C, H, W), or for
            each channel (1, C, 1, 1).

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.batch_norm`, `ops.batch_norm_activation`, `Graph.norm_forward`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnnderivebntensordescriptor

    C, cudnn_ops.h::

        cudnnStatus_t cudnnDeriveBNTensorDescriptor(cudnnTensorDescriptor_t derivedBnDesc, const
            cudnnTensorDescriptor_t xDesc, cudnnBatchNormMode_t mode)
    """
    return _cudnnDeriveBNTensorDescriptor(derivedBnDesc, xDesc, mode)


_cudnnDeriveNormTensorDescriptor = _quick(
    "cudnnDeriveNormTensorDescriptor",
    "",
    (
        "_cudnnTensorDescriptor_t",
        "_cudnnTensorDescriptor_t",
        "_cudnnTensorDescriptor_t",
        None,
        None,
    ),
    (None,),
)


@_instead(_cudnnDeriveNormTensorDescriptor)
def cudnnDeriveNormTensorDescriptor(
    derivedNormScaleBiasDesc: TensorDescriptor | int,
    derivedNormMeanVarDesc: TensorDescriptor | int,
    xDesc: TensorDescriptor | int,
    mode: NormMode,
    groupCnt: int,
) -> None:
    """Derive `derivedNormScaleBiasDesc` and `derivedNormMeanVarDesc`.

    Args:
        derivedNormScaleBiasDesc: cudnnTensorDescriptor_t, a `TensorDescriptor` or its address,
            changed.
        derivedNormMeanVarDesc: cudnnTensorDescriptor_t, a `TensorDescriptor` or its address,
            changed.
        xDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        mode: cudnnNormMode_t, a `NormMode`: `ACTIVATION` or `CHANNEL`; statistics for each
            element of a sample (1, C, H, W), or for each channel (1, C, 1, 1).
        groupCnt: int; always 1: groups are not supported.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.batch_norm`, `ops.batch_norm_activation`, `Graph.norm_forward`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnnderivenormtensordescriptor

    C, cudnn_ops.h::

        cudnnStatus_t cudnnDeriveNormTensorDescriptor(cudnnTensorDescriptor_t
            derivedNormScaleBiasDesc, cudnnTensorDescriptor_t derivedNormMeanVarDesc, const
            cudnnTensorDescriptor_t xDesc, cudnnNormMode_t mode, int groupCnt)
    """
    return _cudnnDeriveNormTensorDescriptor(
        derivedNormScaleBiasDesc,
        derivedNormMeanVarDesc,
        xDesc,
        mode,
        groupCnt,
    )


_cudnnDestroyActivationDescriptor = _quick(
    "cudnnDestroyActivationDescriptor",
    "",
    (lambda given: given._detach("cudnnActivationDescriptor_t"),),
    (None,),
)


@_instead(_cudnnDestroyActivationDescriptor)
def cudnnDestroyActivationDescriptor(activationDesc: ActivationDescriptor | int) -> None:
    """Destroy an `ActivationDescriptor`.

    Args:
        activationDesc: cudnnActivationDescriptor_t, an `ActivationDescriptor` or its address,
            invalid afterwards.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.relu`, `ops.activation_backward`, `Graph.pointwise`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnndestroyactivationdescriptor

    C, cudnn_ops.h::

        cudnnStatus_t cudnnDestroyActivationDescriptor(cudnnActivationDescriptor_t
            activationDesc)
    """
    return _cudnnDestroyActivationDescriptor(activationDesc)


_cudnnDestroyDropoutDescriptor = _quick(
    "cudnnDestroyDropoutDescriptor",
    "",
    (lambda given: given._detach("cudnnDropoutDescriptor_t"),),
    (None,),
)


@_instead(_cudnnDestroyDropoutDescriptor)
def cudnnDestroyDropoutDescriptor(dropoutDesc: DropoutDescriptor | int) -> None:
    """Destroy a `DropoutDescriptor`.

    Args:
        dropoutDesc: cudnnDropoutDescriptor_t, a `DropoutDescriptor` or its address, invalid
            afterwards.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnndestroydropoutdescriptor

    C, cudnn_ops.h::

        cudnnStatus_t cudnnDestroyDropoutDescriptor(cudnnDropoutDescriptor_t dropoutDesc)
    """
    return _cudnnDestroyDropoutDescriptor(dropoutDesc)


_cudnnDestroyFilterDescriptor = _quick(
    "cudnnDestroyFilterDescriptor",
    "",
    (lambda given: given._detach("cudnnFilterDescriptor_t"),),
    (None,),
)


@_instead(_cudnnDestroyFilterDescriptor)
def cudnnDestroyFilterDescriptor(filterDesc: FilterDescriptor | int) -> None:
    """Destroy a `FilterDescriptor`.

    Args:
        filterDesc: cudnnFilterDescriptor_t, a `FilterDescriptor` or its address, invalid
            afterwards.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnndestroyfilterdescriptor

    C, cudnn_ops.h::

        cudnnStatus_t cudnnDestroyFilterDescriptor(cudnnFilterDescriptor_t filterDesc)
    """
    return _cudnnDestroyFilterDescriptor(filterDesc)


_cudnnDestroyLRNDescriptor = _quick(
    "cudnnDestroyLRNDescriptor",
    "",
    (lambda given: given._detach("cudnnLRNDescriptor_t"),),
    (None,),
)


@_instead(_cudnnDestroyLRNDescriptor)
def cudnnDestroyLRNDescriptor(lrnDesc: LRNDescriptor | int) -> None:
    """Destroy an `LRNDescriptor`.

    Args:
        lrnDesc: cudnnLRNDescriptor_t, an `LRNDescriptor` or its address, invalid afterwards.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnndestroylrndescriptor

    C, cudnn_ops.h::

        cudnnStatus_t cudnnDestroyLRNDescriptor(cudnnLRNDescriptor_t lrnDesc)
    """
    return _cudnnDestroyLRNDescriptor(lrnDesc)


_cudnnDestroyOpTensorDescriptor = _quick(
    "cudnnDestroyOpTensorDescriptor",
    "",
    (lambda given: given._detach("cudnnOpTensorDescriptor_t"),),
    (None,),
)


@_instead(_cudnnDestroyOpTensorDescriptor)
def cudnnDestroyOpTensorDescriptor(opTensorDesc: OpTensorDescriptor | int) -> None:
    """Destroy an `OpTensorDescriptor`.

    Args:
        opTensorDesc: cudnnOpTensorDescriptor_t, an `OpTensorDescriptor` or its address, invalid
            afterwards.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.add`, `ops.tensor_operation`, `ops.scale`, `Graph.pointwise`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnndestroyoptensordescriptor

    C, cudnn_ops.h::

        cudnnStatus_t cudnnDestroyOpTensorDescriptor(cudnnOpTensorDescriptor_t opTensorDesc)
    """
    return _cudnnDestroyOpTensorDescriptor(opTensorDesc)


_cudnnDestroyPoolingDescriptor = _quick(
    "cudnnDestroyPoolingDescriptor",
    "",
    (lambda given: given._detach("cudnnPoolingDescriptor_t"),),
    (None,),
)


@_instead(_cudnnDestroyPoolingDescriptor)
def cudnnDestroyPoolingDescriptor(poolingDesc: PoolingDescriptor | int) -> None:
    """Destroy a `PoolingDescriptor`.

    Args:
        poolingDesc: cudnnPoolingDescriptor_t, a `PoolingDescriptor` or its address, invalid
            afterwards.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.max_pool`, `ops.pooling_backward`, `Graph.resample`,
    `Graph.resample_backward`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnndestroypoolingdescriptor

    C, cudnn_ops.h::

        cudnnStatus_t cudnnDestroyPoolingDescriptor(cudnnPoolingDescriptor_t poolingDesc)
    """
    return _cudnnDestroyPoolingDescriptor(poolingDesc)


_cudnnDestroyReduceTensorDescriptor = _quick(
    "cudnnDestroyReduceTensorDescriptor",
    "",
    (lambda given: given._detach("cudnnReduceTensorDescriptor_t"),),
    (None,),
)


@_instead(_cudnnDestroyReduceTensorDescriptor)
def cudnnDestroyReduceTensorDescriptor(reduceTensorDesc: ReduceTensorDescriptor | int) -> None:
    """Destroy a `ReduceTensorDescriptor`.

    Args:
        reduceTensorDesc: cudnnReduceTensorDescriptor_t, a `ReduceTensorDescriptor` or its
            address, invalid afterwards.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.reduce`, `Graph.reduction`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnndestroyreducetensordescriptor

    C, cudnn_ops.h::

        cudnnStatus_t cudnnDestroyReduceTensorDescriptor(cudnnReduceTensorDescriptor_t
            reduceTensorDesc)
    """
    return _cudnnDestroyReduceTensorDescriptor(reduceTensorDesc)


_cudnnDestroySpatialTransformerDescriptor = _quick(
    "cudnnDestroySpatialTransformerDescriptor",
    "",
    (lambda given: given._detach("cudnnSpatialTransformerDescriptor_t"),),
    (None,),
)


@_instead(_cudnnDestroySpatialTransformerDescriptor)
def cudnnDestroySpatialTransformerDescriptor(stDesc: SpatialTransformerDescriptor | int) -> None:
    """Destroy a `SpatialTransformerDescriptor`.

    Args:
        stDesc: cudnnSpatialTransformerDescriptor_t, a `SpatialTransformerDescriptor` or its
            address, invalid afterwards.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnndestroyspatialtransformerdescriptor

    C, cudnn_ops.h::

        cudnnStatus_t
            cudnnDestroySpatialTransformerDescriptor(cudnnSpatialTransformerDescriptor_t stDesc)
    """
    return _cudnnDestroySpatialTransformerDescriptor(stDesc)


_cudnnDestroyTensorDescriptor = _quick(
    "cudnnDestroyTensorDescriptor",
    "",
    (lambda given: given._detach("cudnnTensorDescriptor_t"),),
    (None,),
)


@_instead(_cudnnDestroyTensorDescriptor)
def cudnnDestroyTensorDescriptor(tensorDesc: TensorDescriptor | int) -> None:
    """Destroy a `TensorDescriptor`.

    Args:
        tensorDesc: cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, invalid
            afterwards.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnndestroytensordescriptor

    C, cudnn_ops.h::

        cudnnStatus_t cudnnDestroyTensorDescriptor(cudnnTensorDescriptor_t tensorDesc)
    """
    return _cudnnDestroyTensorDescriptor(tensorDesc)


_cudnnDestroyTensorTransformDescriptor = _quick(
    "cudnnDestroyTensorTransformDescriptor",
    "",
    (lambda given: given._detach("cudnnTensorTransformDescriptor_t"),),
    (None,),
)


@_instead(_cudnnDestroyTensorTransformDescriptor)
def cudnnDestroyTensorTransformDescriptor(transformDesc: TensorTransformDescriptor | int) -> None:
    """Destroy a `TensorTransformDescriptor`.

    Args:
        transformDesc: cudnnTensorTransformDescriptor_t, a `TensorTransformDescriptor` or its
            address, invalid afterwards.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.transform`, `Graph.pointwise`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnndestroytensortransformdescriptor

    C, cudnn_ops.h::

        cudnnStatus_t cudnnDestroyTensorTransformDescriptor(cudnnTensorTransformDescriptor_t
            transformDesc)
    """
    return _cudnnDestroyTensorTransformDescriptor(transformDesc)


_cudnnDivisiveNormalizationBackward = _quick(
    "cudnnDivisiveNormalizationBackward",
    "",
    (
        "_cudnnHandle_t",
        "_cudnnLRNDescriptor_t",
        None,
        _scale,
        "_cudnnTensorDescriptor_t",
        _getters,
        _getters,
        _getters,
        _getters,
        _getters,
        _scale,
        "_cudnnTensorDescriptor_t",
        _getters,
        _getters,
    ),
    (None,),
)


@_instead(_cudnnDivisiveNormalizationBackward)
def cudnnDivisiveNormalizationBackward(
    handle: Handle | int,
    normDesc: LRNDescriptor | int,
    mode: DivNormMode,
    alpha: ScalingFactor,
    xDesc: TensorDescriptor | int,
    x: DevicePointer,
    means: DevicePointer,
    dy: DevicePointer,
    temp: DevicePointer,
    temp2: DevicePointer,
    beta: ScalingFactor,
    dXdMeansDesc: TensorDescriptor | int,
    dx: DevicePointer,
    dMeans: DevicePointer,
) -> None:
    """Compute `dx` and `dMeans` from `x`, `means` and `dy`.

    Formula: dx, dMeans = alpha * (the gradients of `cudnnDivisiveNormalizationForward`, of dy)
        + beta * dx, dMeans

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        normDesc: cudnnLRNDescriptor_t, an `LRNDescriptor` or its address.
        mode: cudnnDivNormMode_t, a `DivNormMode`; `PRECOMPUTED_MEANS`: the caller gives
            `means`.
        alpha: const void*, a number, which cuDNN reads as double where the tensor is double,
            else as float; multiplies the result.
        xDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        x: const void*, device memory, laid out as `xDesc` says, read.
        means: const void*, device memory, read; local means like `x`, which the caller
            computes; None for zeros.
        dy: const void*, device memory, read.
        temp: void*, device memory for scratch space; as large as `x`, free for later work on
            the stream.
        temp2: void*, device memory for scratch space; as large as `x`, free for later work on
            the stream.
        beta: const void*, a number, which cuDNN reads as double where the tensor is double,
            else as float; multiplies what `dx` and `dMeans` held before; 0 leaves that unread.
        dXdMeansDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        dx: void*, device memory, read and written.
        dMeans: void*, device memory, read and written; the gradient for `means`; None not to
            get it.

    Returns:
        None; the function writes `dx` and `dMeans`, in place.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier.

    See also: `ops.divisive_norm_backward`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnndivisivenormalizationbackward

    C, cudnn_ops.h::

        cudnnStatus_t cudnnDivisiveNormalizationBackward(cudnnHandle_t handle,
            cudnnLRNDescriptor_t normDesc, cudnnDivNormMode_t mode, const void *alpha, const
            cudnnTensorDescriptor_t xDesc, const void *x, const void *means, const void *dy,
            void *temp, void *temp2, const void *beta, const cudnnTensorDescriptor_t
            dXdMeansDesc, void *dx, void *dMeans)
    """
    return _cudnnDivisiveNormalizationBackward(
        handle,
        normDesc,
        mode,
        alpha,
        xDesc,
        x,
        means,
        dy,
        temp,
        temp2,
        beta,
        dXdMeansDesc,
        dx,
        dMeans,
    )


_cudnnDivisiveNormalizationForward = _quick(
    "cudnnDivisiveNormalizationForward",
    "",
    (
        "_cudnnHandle_t",
        "_cudnnLRNDescriptor_t",
        None,
        _scale,
        "_cudnnTensorDescriptor_t",
        _getters,
        _getters,
        _getters,
        _getters,
        _scale,
        "_cudnnTensorDescriptor_t",
        _getters,
    ),
    (None,),
)


@_instead(_cudnnDivisiveNormalizationForward)
def cudnnDivisiveNormalizationForward(
    handle: Handle | int,
    normDesc: LRNDescriptor | int,
    mode: DivNormMode,
    alpha: ScalingFactor,
    xDesc: TensorDescriptor | int,
    x: DevicePointer,
    means: DevicePointer,
    temp: DevicePointer,
    temp2: DevicePointer,
    beta: ScalingFactor,
    yDesc: TensorDescriptor | int,
    y: DevicePointer,
) -> None:
    """Compute `y` from `x` and `means`.

    Formula: y = alpha * x / (lrnK + lrnAlpha / lrnN^d * (sum of (x - means)^2 over windows in d
        spatial axes))^lrnBeta + beta * y, with the numbers of normDesc

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        normDesc: cudnnLRNDescriptor_t, an `LRNDescriptor` or its address.
        mode: cudnnDivNormMode_t, a `DivNormMode`; `PRECOMPUTED_MEANS`: the caller gives
            `means`.
        alpha: const void*, a number, which cuDNN reads as double where the tensor is double,
            else as float; multiplies the result.
        xDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        x: const void*, device memory, laid out as `xDesc` says, read.
        means: const void*, device memory, read; local means like `x`, which the caller
            computes; None for zeros.
        temp: void*, device memory for scratch space; as large as `x`, free for later work on
            the stream.
        temp2: void*, device memory for scratch space; as large as `x`, free for later work on
            the stream.
        beta: const void*, a number, which cuDNN reads as double where the tensor is double,
            else as float; multiplies what `y` held before; 0 leaves that unread.
        yDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        y: void*, device memory, laid out as `yDesc` says, read and written.

    Returns:
        None; the function writes `y`, in place.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier.

    See also: `ops.divisive_norm`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnndivisivenormalizationforward

    C, cudnn_ops.h::

        cudnnStatus_t cudnnDivisiveNormalizationForward(cudnnHandle_t handle,
            cudnnLRNDescriptor_t normDesc, cudnnDivNormMode_t mode, const void *alpha, const
            cudnnTensorDescriptor_t xDesc, const void *x, const void *means, void *temp, void
            *temp2, const void *beta, const cudnnTensorDescriptor_t yDesc, void *y)
    """
    return _cudnnDivisiveNormalizationForward(
        handle,
        normDesc,
        mode,
        alpha,
        xDesc,
        x,
        means,
        temp,
        temp2,
        beta,
        yDesc,
        y,
    )


_cudnnDropoutBackward = _quick(
    "cudnnDropoutBackward",
    "",
    (
        "_cudnnHandle_t",
        "_cudnnDropoutDescriptor_t",
        "_cudnnTensorDescriptor_t",
        _getters,
        "_cudnnTensorDescriptor_t",
        _getters,
        _getters,
        None,
    ),
    (None,),
)


@_instead(_cudnnDropoutBackward)
def cudnnDropoutBackward(
    handle: Handle | int,
    dropoutDesc: DropoutDescriptor | int,
    dydesc: TensorDescriptor | int,
    dy: DevicePointer,
    dxdesc: TensorDescriptor | int,
    dx: DevicePointer,
    reserveSpace: DevicePointer,
    reserveSpaceSizeInBytes: int,
) -> None:
    """Compute `dx` from `dy`.

    Formula: dx = dy / (1 - probability) where x was kept, else 0

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        dropoutDesc: const cudnnDropoutDescriptor_t, a `DropoutDescriptor` or its address.
        dydesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        dy: const void*, device memory, laid out as `dydesc` says, read.
        dxdesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        dx: void*, device memory, laid out as `dxdesc` says, written.
        reserveSpace: void*, device memory that the backward calls need again, at least
            `reserveSpaceSizeInBytes` bytes, read, or None; as `cudnnDropoutForward` left it.
        reserveSpaceSizeInBytes: size_t, how many bytes `reserveSpace` has.

    Returns:
        None; the function writes `dx`, in place.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier.

    See also: `ops.dropout_backward`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnndropoutbackward

    C, cudnn_ops.h::

        cudnnStatus_t cudnnDropoutBackward(cudnnHandle_t handle, const cudnnDropoutDescriptor_t
            dropoutDesc, const cudnnTensorDescriptor_t dydesc, const void *dy, const
            cudnnTensorDescriptor_t dxdesc, void *dx, void *reserveSpace, size_t
            reserveSpaceSizeInBytes)
    """
    return _cudnnDropoutBackward(
        handle,
        dropoutDesc,
        dydesc,
        dy,
        dxdesc,
        dx,
        reserveSpace,
        reserveSpaceSizeInBytes,
    )


_cudnnDropoutForward = _quick(
    "cudnnDropoutForward",
    "",
    (
        "_cudnnHandle_t",
        "_cudnnDropoutDescriptor_t",
        "_cudnnTensorDescriptor_t",
        _getters,
        "_cudnnTensorDescriptor_t",
        _getters,
        _getters,
        None,
    ),
    (None,),
)


@_instead(_cudnnDropoutForward)
def cudnnDropoutForward(
    handle: Handle | int,
    dropoutDesc: DropoutDescriptor | int,
    xdesc: TensorDescriptor | int,
    x: DevicePointer,
    ydesc: TensorDescriptor | int,
    y: DevicePointer,
    reserveSpace: DevicePointer,
    reserveSpaceSizeInBytes: int,
) -> None:
    """Compute `y` from `x`.

    Formula: y = 0 with the probability of dropoutDesc, else x / (1 - probability)

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        dropoutDesc: const cudnnDropoutDescriptor_t, a `DropoutDescriptor` or its address.
        xdesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        x: const void*, device memory, laid out as `xdesc` says, read.
        ydesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        y: void*, device memory, laid out as `ydesc` says, written.
        reserveSpace: void*, device memory that the backward calls need again, at least
            `reserveSpaceSizeInBytes` bytes, written, or None; the caller allocates it, of the
            size that `cudnnDropoutGetReserveSpaceSize` tells, and keeps it unchanged for
            `cudnnDropoutBackward`.
        reserveSpaceSizeInBytes: size_t, how many bytes `reserveSpace` has.

    Returns:
        None; the function writes `y`, in place.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier.

    See also: `ops.dropout`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnndropoutforward

    C, cudnn_ops.h::

        cudnnStatus_t cudnnDropoutForward(cudnnHandle_t handle, const cudnnDropoutDescriptor_t
            dropoutDesc, const cudnnTensorDescriptor_t xdesc, const void *x, const
            cudnnTensorDescriptor_t ydesc, void *y, void *reserveSpace, size_t
            reserveSpaceSizeInBytes)
    """
    return _cudnnDropoutForward(
        handle,
        dropoutDesc,
        xdesc,
        x,
        ydesc,
        y,
        reserveSpace,
        reserveSpaceSizeInBytes,
    )


_cudnnDropoutGetReserveSpaceSize = _quick(
    "cudnnDropoutGetReserveSpaceSize",
    "Q",
    ("_cudnnTensorDescriptor_t",),
    (None, None),
)


@_instead(_cudnnDropoutGetReserveSpaceSize)
def cudnnDropoutGetReserveSpaceSize(xdesc: TensorDescriptor | int) -> int:
    """Return `sizeInBytes` of `xdesc`.

    Args:
        xdesc: cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.

    Returns:
        int, in bytes; of the reserve space of `cudnnDropoutForward` and `cudnnDropoutBackward`.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier.

    See also: `ops.dropout`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnndropoutgetreservespacesize

    C, cudnn_ops.h::

        cudnnStatus_t cudnnDropoutGetReserveSpaceSize(cudnnTensorDescriptor_t xdesc, size_t
            *sizeInBytes)
    """
    return _cudnnDropoutGetReserveSpaceSize(xdesc)


_cudnnDropoutGetStatesSize = _quick(
    "cudnnDropoutGetStatesSize",
    "Q",
    ("_cudnnHandle_t",),
    (None, None),
)


@_instead(_cudnnDropoutGetStatesSize)
def cudnnDropoutGetStatesSize(handle: Handle | int) -> int:
    """Return `sizeInBytes`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.

    Returns:
        int, in bytes; of the `states` of `cudnnSetDropoutDescriptor`.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier.

    See also: `ops.dropout`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnndropoutgetstatessize

    C, cudnn_ops.h::

        cudnnStatus_t cudnnDropoutGetStatesSize(cudnnHandle_t handle, size_t *sizeInBytes)
    """
    return _cudnnDropoutGetStatesSize(handle)


_cudnnGetActivationDescriptor = _quick(
    "cudnnGetActivationDescriptor",
    "qqd",
    ("_cudnnActivationDescriptor_t",),
    (GetActivationDescriptorResult, _ActivationMode, _NanPropagation, None),
)


@_instead(_cudnnGetActivationDescriptor)
def cudnnGetActivationDescriptor(
    activationDesc: ActivationDescriptor | int,
) -> GetActivationDescriptorResult:
    """Return `mode`, `reluNanOpt` and `coef` of `activationDesc`.

    Args:
        activationDesc: const cudnnActivationDescriptor_t, an `ActivationDescriptor` or its
            address.

    Returns:
        mode: ActivationMode; the function f.
        reluNanOpt: NanPropagation; whether NaN in the input gives NaN.
        coef: float; the ceiling of `CLIPPED_RELU`, the alpha of `ELU`; other functions ignore
            it.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.relu`, `ops.activation_backward`, `Graph.pointwise`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnngetactivationdescriptor

    C, cudnn_ops.h::

        cudnnStatus_t cudnnGetActivationDescriptor(const cudnnActivationDescriptor_t
            activationDesc, cudnnActivationMode_t *mode, cudnnNanPropagation_t *reluNanOpt,
            double *coef)
    """
    return _cudnnGetActivationDescriptor(activationDesc)


_cudnnGetActivationDescriptorSwishBeta = _quick(
    "cudnnGetActivationDescriptorSwishBeta",
    "d",
    ("_cudnnActivationDescriptor_t",),
    (None, None),
)


@_instead(_cudnnGetActivationDescriptorSwishBeta)
def cudnnGetActivationDescriptorSwishBeta(activationDesc: ActivationDescriptor | int) -> float:
    """Return `swish_beta` of `activationDesc`.

    Args:
        activationDesc: cudnnActivationDescriptor_t, an `ActivationDescriptor` or its address.

    Returns:
        float; the b of f(x) = x / (1 + exp(-b x)), 1 by default.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.relu`, `ops.activation_backward`, `Graph.pointwise`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnngetactivationdescriptorswishbeta

    C, cudnn_ops.h::

        cudnnStatus_t cudnnGetActivationDescriptorSwishBeta(cudnnActivationDescriptor_t
            activationDesc, double *swish_beta)
    """
    return _cudnnGetActivationDescriptorSwishBeta(activationDesc)


_cudnnGetBatchNormalizationBackwardExWorkspaceSize = _quick(
    "cudnnGetBatchNormalizationBackwardExWorkspaceSize",
    "Q",
    (
        "_cudnnHandle_t",
        None,
        None,
        "_cudnnTensorDescriptor_t",
        "_cudnnTensorDescriptor_t",
        "_cudnnTensorDescriptor_t",
        "_cudnnTensorDescriptor_t",
        "_cudnnTensorDescriptor_t",
        "_cudnnTensorDescriptor_t",
        "_cudnnActivationDescriptor_t",
    ),
    (None, None),
)


@_instead(_cudnnGetBatchNormalizationBackwardExWorkspaceSize)
def cudnnGetBatchNormalizationBackwardExWorkspaceSize(
    handle: Handle | int,
    mode: BatchNormMode,
    bnOps: BatchNormOps,
    xDesc: TensorDescriptor | int,
    yDesc: TensorDescriptor | int | None,
    dyDesc: TensorDescriptor | int,
    dzDesc: TensorDescriptor | int | None,
    dxDesc: TensorDescriptor | int,
    dBnScaleBiasDesc: TensorDescriptor | int,
    activationDesc: ActivationDescriptor | int | None,
) -> int:
    """Return `sizeInBytes` for the descriptors.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        mode: cudnnBatchNormMode_t, a `BatchNormMode`: `PER_ACTIVATION`, `SPATIAL` or
            `SPATIAL_PERSISTENT`; statistics for each element of a sample (1, C, H, W), or for
            each channel (1, C, 1, 1).
        bnOps: cudnnBatchNormOps_t, a `BatchNormOps`: `BN`, `BN_ACTIVATION` or
            `BN_ADD_ACTIVATION`; the norm alone, with an activation, or with an addition of `z`
            before the activation.
        xDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        yDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, or None.
        dyDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        dzDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, or None.
        dxDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        dBnScaleBiasDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        activationDesc: const cudnnActivationDescriptor_t, an `ActivationDescriptor` or its
            address, or None.

    Returns:
        int, in bytes; of the workspace of `cudnnBatchNormalizationBackwardEx`.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.batch_norm`, `ops.batch_norm_backward`, `Graph.norm_backward`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnngetbatchnormalizationbackwardexworkspacesize

    C, cudnn_ops.h::

        cudnnStatus_t cudnnGetBatchNormalizationBackwardExWorkspaceSize(cudnnHandle_t handle,
            cudnnBatchNormMode_t mode, cudnnBatchNormOps_t bnOps, const cudnnTensorDescriptor_t
            xDesc, const cudnnTensorDescriptor_t yDesc, const cudnnTensorDescriptor_t dyDesc,
            const cudnnTensorDescriptor_t dzDesc, const cudnnTensorDescriptor_t dxDesc, const
            cudnnTensorDescriptor_t dBnScaleBiasDesc, const cudnnActivationDescriptor_t
            activationDesc, size_t *sizeInBytes)
    """
    return _cudnnGetBatchNormalizationBackwardExWorkspaceSize(
        handle,
        mode,
        bnOps,
        xDesc,
        yDesc,
        dyDesc,
        dzDesc,
        dxDesc,
        dBnScaleBiasDesc,
        activationDesc,
    )


_cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize = _quick(
    "cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize",
    "Q",
    (
        "_cudnnHandle_t",
        None,
        None,
        "_cudnnTensorDescriptor_t",
        "_cudnnTensorDescriptor_t",
        "_cudnnTensorDescriptor_t",
        "_cudnnTensorDescriptor_t",
        "_cudnnActivationDescriptor_t",
    ),
    (None, None),
)


@_instead(_cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize)
def cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize(
    handle: Handle | int,
    mode: BatchNormMode,
    bnOps: BatchNormOps,
    xDesc: TensorDescriptor | int,
    zDesc: TensorDescriptor | int | None,
    yDesc: TensorDescriptor | int,
    bnScaleBiasMeanVarDesc: TensorDescriptor | int,
    activationDesc: ActivationDescriptor | int | None,
) -> int:
    """Return `sizeInBytes` for the descriptors.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        mode: cudnnBatchNormMode_t, a `BatchNormMode`: `PER_ACTIVATION`, `SPATIAL` or
            `SPATIAL_PERSISTENT`; statistics for each element of a sample (1, C, H, W), or for
            each channel (1, C, 1, 1).
        bnOps: cudnnBatchNormOps_t, a `BatchNormOps`: `BN`, `BN_ACTIVATION` or
            `BN_ADD_ACTIVATION`; the norm alone, with an activation, or with an addition of `z`
            before the activation.
        xDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        zDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, or None.
        yDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        bnScaleBiasMeanVarDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its
            address.
        activationDesc: const cudnnActivationDescriptor_t, an `ActivationDescriptor` or its
            address, or None.

    Returns:
        int, in bytes; of the workspace of `cudnnBatchNormalizationForwardTrainingEx`.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.batch_norm`, `ops.batch_norm_activation`, `Graph.norm_forward`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnngetbatchnormalizationforwardtrainingexworkspacesize

    C, cudnn_ops.h::

        cudnnStatus_t cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize(cudnnHandle_t
            handle, cudnnBatchNormMode_t mode, cudnnBatchNormOps_t bnOps, const
            cudnnTensorDescriptor_t xDesc, const cudnnTensorDescriptor_t zDesc, const
            cudnnTensorDescriptor_t yDesc, const cudnnTensorDescriptor_t bnScaleBiasMeanVarDesc,
            const cudnnActivationDescriptor_t activationDesc, size_t *sizeInBytes)
    """
    return _cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize(
        handle,
        mode,
        bnOps,
        xDesc,
        zDesc,
        yDesc,
        bnScaleBiasMeanVarDesc,
        activationDesc,
    )


_cudnnGetBatchNormalizationTrainingExReserveSpaceSize = _quick(
    "cudnnGetBatchNormalizationTrainingExReserveSpaceSize",
    "Q",
    ("_cudnnHandle_t", None, None, "_cudnnActivationDescriptor_t", "_cudnnTensorDescriptor_t"),
    (None, None),
)


@_instead(_cudnnGetBatchNormalizationTrainingExReserveSpaceSize)
def cudnnGetBatchNormalizationTrainingExReserveSpaceSize(
    handle: Handle | int,
    mode: BatchNormMode,
    bnOps: BatchNormOps,
    activationDesc: ActivationDescriptor | int | None,
    xDesc: TensorDescriptor | int,
) -> int:
    """Return `sizeInBytes` for `activationDesc` and `xDesc`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        mode: cudnnBatchNormMode_t, a `BatchNormMode`: `PER_ACTIVATION`, `SPATIAL` or
            `SPATIAL_PERSISTENT`; statistics for each element of a sample (1, C, H, W), or for
            each channel (1, C, 1, 1).
        bnOps: cudnnBatchNormOps_t, a `BatchNormOps`: `BN`, `BN_ACTIVATION` or
            `BN_ADD_ACTIVATION`; the norm alone, with an activation, or with an addition of `z`
            before the activation.
        activationDesc: const cudnnActivationDescriptor_t, an `ActivationDescriptor` or its
            address, or None.
        xDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.

    Returns:
        int, in bytes; of the reserve space of `cudnnBatchNormalizationForwardTrainingEx` and
            `cudnnBatchNormalizationBackwardEx`.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.batch_norm`, `ops.batch_norm_activation`, `Graph.norm_forward`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnngetbatchnormalizationtrainingexreservespacesize

    C, cudnn_ops.h::

        cudnnStatus_t cudnnGetBatchNormalizationTrainingExReserveSpaceSize(cudnnHandle_t handle,
            cudnnBatchNormMode_t mode, cudnnBatchNormOps_t bnOps, const
            cudnnActivationDescriptor_t activationDesc, const cudnnTensorDescriptor_t xDesc,
            size_t *sizeInBytes)
    """
    return _cudnnGetBatchNormalizationTrainingExReserveSpaceSize(
        handle,
        mode,
        bnOps,
        activationDesc,
        xDesc,
    )


_cudnnGetDropoutDescriptor = _quick(
    "cudnnGetDropoutDescriptor",
    "dQQ",
    ("_cudnnDropoutDescriptor_t", "_cudnnHandle_t"),
    (GetDropoutDescriptorResult, None, None, None),
)


@_instead(_cudnnGetDropoutDescriptor)
def cudnnGetDropoutDescriptor(
    dropoutDesc: DropoutDescriptor | int,
    handle: Handle | int,
) -> GetDropoutDescriptorResult:
    """Return `dropout`, `states` and `seed` of `dropoutDesc`.

    Args:
        dropoutDesc: cudnnDropoutDescriptor_t, a `DropoutDescriptor` or its address.
        handle: cudnnHandle_t, a `Handle` or its address.

    Returns:
        dropout: float; the probability with which an element becomes 0.
        states: an address, in device memory; the states of random generators, which belong to
            the caller.
        seed: int; of the random generators: the same seed gives the same sequence of masks.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier.

    See also: `ops.dropout`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnngetdropoutdescriptor

    C, cudnn_ops.h::

        cudnnStatus_t cudnnGetDropoutDescriptor(cudnnDropoutDescriptor_t dropoutDesc,
            cudnnHandle_t handle, float *dropout, void **states, unsigned long long *seed)
    """
    return _cudnnGetDropoutDescriptor(dropoutDesc, handle)


_cudnnGetFilter4dDescriptor = _quick(
    "cudnnGetFilter4dDescriptor",
    "qqqqqq",
    ("_cudnnFilterDescriptor_t",),
    (GetFilter4dDescriptorResult, _DataType, _TensorFormat, None, None, None, None),
)


@_instead(_cudnnGetFilter4dDescriptor)
def cudnnGetFilter4dDescriptor(filterDesc: FilterDescriptor | int) -> GetFilter4dDescriptorResult:
    """Return `dataType`, `format`, `k`, `c`, `h` and `w` of `filterDesc`.

    Args:
        filterDesc: const cudnnFilterDescriptor_t, a `FilterDescriptor` or its address.

    Returns:
        dataType: DataType.
        format: TensorFormat; the order of axes in memory; `NCHW_VECT_C` has vectors of 4 or 32
            channels.
        k: int.
        c: int.
        h: int.
        w: int.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnngetfilter4ddescriptor

    C, cudnn_ops.h::

        cudnnStatus_t cudnnGetFilter4dDescriptor(const cudnnFilterDescriptor_t filterDesc,
            cudnnDataType_t *dataType, cudnnTensorFormat_t *format, int *k, int *c, int *h, int
            *w)
    """
    return _cudnnGetFilter4dDescriptor(filterDesc)


def cudnnGetFilterNdDescriptor(
    filterDesc: FilterDescriptor | int,
    nbDimsRequested: int = 8,
) -> GetFilterNdDescriptorResult:
    """Return `dataType`, `format`, `nbDims` and `filterDimA` of `filterDesc`.

    Args:
        filterDesc: const cudnnFilterDescriptor_t, a `FilterDescriptor` or its address.
        nbDimsRequested: int, how many elements `filterDimA` may have, 8 where left out.

    Returns:
        dataType: DataType.
        format: TensorFormat; the order of axes in memory; `NCHW_VECT_C` has vectors of 4 or 32
            channels.
        nbDims: int.
        filterDimA: tuple[int, ...], as many as there are, at most `nbDimsRequested`.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnngetfilternddescriptor

    C, cudnn_ops.h::

        cudnnStatus_t cudnnGetFilterNdDescriptor(const cudnnFilterDescriptor_t filterDesc, int
            nbDimsRequested, cudnnDataType_t *dataType, cudnnTensorFormat_t *format, int
            *nbDims, int filterDimA[])
    """
    if (_type(filterDesc), _type(nbDimsRequested)) not in _plain_cudnnGetFilterNdDescriptor:
        return _slow(
            cudnnGetFilterNdDescriptor,
            "cudnnGetFilterNdDescriptor",
            (filterDesc, nbDimsRequested),
        )
    try:
        _out_filterDimA = _memory("int", nbDimsRequested, "nbDimsRequested")
        _out = _lend()
        _status = _cudnnGetFilterNdDescriptor(
            filterDesc if _type(filterDesc) is int else filterDesc._cudnnFilterDescriptor_t,
            nbDimsRequested,
            _out_filterDimA,
            _out[0],
        )
    except _CONVERT as _error:
        return _slow(
            cudnnGetFilterNdDescriptor,
            "cudnnGetFilterNdDescriptor",
            (filterDesc, nbDimsRequested),
            _error,
        )
    if _status:
        return _failed(
            cudnnGetFilterNdDescriptor,
            "cudnnGetFilterNdDescriptor",
            _status,
            (filterDesc, nbDimsRequested),
        )
    _r = _unpack_3q(_out[1])
    _outs.append(_out)
    return _new(
        GetFilterNdDescriptorResult,
        (
            _DataType[_r[0]],
            _TensorFormat[_r[1]],
            _r[2],
            tuple(_unpack(_out_filterDimA, max(min(_r[2], nbDimsRequested), 0))),
        ),
    )


_cudnnGetFilterSizeInBytes = _quick(
    "cudnnGetFilterSizeInBytes",
    "Q",
    ("_cudnnFilterDescriptor_t",),
    (None, None),
)


@_instead(_cudnnGetFilterSizeInBytes)
def cudnnGetFilterSizeInBytes(filterDesc: FilterDescriptor | int) -> int:
    """Return `size` of `filterDesc`.

    Args:
        filterDesc: const cudnnFilterDescriptor_t, a `FilterDescriptor` or its address.

    Returns:
        int.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnngetfiltersizeinbytes

    C, cudnn_ops.h::

        cudnnStatus_t cudnnGetFilterSizeInBytes(const cudnnFilterDescriptor_t filterDesc, size_t
            *size)
    """
    return _cudnnGetFilterSizeInBytes(filterDesc)


_cudnnGetLRNDescriptor = _quick(
    "cudnnGetLRNDescriptor",
    "qddd",
    ("_cudnnLRNDescriptor_t",),
    (GetLRNDescriptorResult, None, None, None, None),
)


@_instead(_cudnnGetLRNDescriptor)
def cudnnGetLRNDescriptor(normDesc: LRNDescriptor | int) -> GetLRNDescriptorResult:
    """Return `lrnN`, `lrnAlpha`, `lrnBeta` and `lrnK` of `normDesc`.

    Args:
        normDesc: cudnnLRNDescriptor_t, an `LRNDescriptor` or its address.

    Returns:
        lrnN: int; the width of the window, in channels or elements.
        lrnAlpha: float; the factor of the sum of squares, which is divided by the elements of
            the window.
        lrnBeta: float; the power of the denominator.
        lrnK: float; the constant in the denominator.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier.

    See also: `ops.local_response_norm`, `ops.divisive_norm`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnngetlrndescriptor

    C, cudnn_ops.h::

        cudnnStatus_t cudnnGetLRNDescriptor(cudnnLRNDescriptor_t normDesc, unsigned int *lrnN,
            double *lrnAlpha, double *lrnBeta, double *lrnK)
    """
    return _cudnnGetLRNDescriptor(normDesc)


_cudnnGetNormalizationBackwardWorkspaceSize = _quick(
    "cudnnGetNormalizationBackwardWorkspaceSize",
    "Q",
    (
        "_cudnnHandle_t",
        None,
        None,
        None,
        "_cudnnTensorDescriptor_t",
        "_cudnnTensorDescriptor_t",
        "_cudnnTensorDescriptor_t",
        "_cudnnTensorDescriptor_t",
        "_cudnnTensorDescriptor_t",
        "_cudnnTensorDescriptor_t",
        "_cudnnActivationDescriptor_t",
        "_cudnnTensorDescriptor_t",
        None,
    ),
    (None, None),
)


@_instead(_cudnnGetNormalizationBackwardWorkspaceSize)
def cudnnGetNormalizationBackwardWorkspaceSize(
    handle: Handle | int,
    mode: NormMode,
    normOps: NormOps,
    algo: NormAlgo,
    xDesc: TensorDescriptor | int,
    yDesc: TensorDescriptor | int | None,
    dyDesc: TensorDescriptor | int,
    dzDesc: TensorDescriptor | int | None,
    dxDesc: TensorDescriptor | int,
    dNormScaleBiasDesc: TensorDescriptor | int,
    activationDesc: ActivationDescriptor | int | None,
    normMeanVarDesc: TensorDescriptor | int,
    groupCnt: int,
) -> int:
    """Return `sizeInBytes` for the descriptors.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        mode: cudnnNormMode_t, a `NormMode`: `ACTIVATION` or `CHANNEL`; statistics for each
            element of a sample (1, C, H, W), or for each channel (1, C, 1, 1).
        normOps: cudnnNormOps_t, a `NormOps`: `NORM`, `NORM_ACTIVATION` or
            `NORM_ADD_ACTIVATION`; the norm alone, with an activation, or with an addition of
            `z` before the activation.
        algo: cudnnNormAlgo_t, a `NormAlgo`: `STANDARD` or `PERSIST`; `PERSIST` is faster for
            some arrays, and may overflow where values are large.
        xDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        yDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, or None.
        dyDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        dzDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, or None.
        dxDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        dNormScaleBiasDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        activationDesc: const cudnnActivationDescriptor_t, an `ActivationDescriptor` or its
            address, or None.
        normMeanVarDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        groupCnt: int; always 1: groups are not supported.

    Returns:
        int, in bytes; of the workspace of `cudnnNormalizationBackward`.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.batch_norm`, `ops.batch_norm_backward`, `Graph.norm_backward`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnngetnormalizationbackwardworkspacesize

    C, cudnn_ops.h::

        cudnnStatus_t cudnnGetNormalizationBackwardWorkspaceSize(cudnnHandle_t handle,
            cudnnNormMode_t mode, cudnnNormOps_t normOps, cudnnNormAlgo_t algo, const
            cudnnTensorDescriptor_t xDesc, const cudnnTensorDescriptor_t yDesc, const
            cudnnTensorDescriptor_t dyDesc, const cudnnTensorDescriptor_t dzDesc, const
            cudnnTensorDescriptor_t dxDesc, const cudnnTensorDescriptor_t dNormScaleBiasDesc,
            const cudnnActivationDescriptor_t activationDesc, const cudnnTensorDescriptor_t
            normMeanVarDesc, size_t *sizeInBytes, int groupCnt)
    """
    return _cudnnGetNormalizationBackwardWorkspaceSize(
        handle,
        mode,
        normOps,
        algo,
        xDesc,
        yDesc,
        dyDesc,
        dzDesc,
        dxDesc,
        dNormScaleBiasDesc,
        activationDesc,
        normMeanVarDesc,
        groupCnt,
    )


_cudnnGetNormalizationForwardTrainingWorkspaceSize = _quick(
    "cudnnGetNormalizationForwardTrainingWorkspaceSize",
    "Q",
    (
        "_cudnnHandle_t",
        None,
        None,
        None,
        "_cudnnTensorDescriptor_t",
        "_cudnnTensorDescriptor_t",
        "_cudnnTensorDescriptor_t",
        "_cudnnTensorDescriptor_t",
        "_cudnnActivationDescriptor_t",
        "_cudnnTensorDescriptor_t",
        None,
    ),
    (None, None),
)


@_instead(_cudnnGetNormalizationForwardTrainingWorkspaceSize)
def cudnnGetNormalizationForwardTrainingWorkspaceSize(
    handle: Handle | int,
    mode: NormMode,
    normOps: NormOps,
    algo: NormAlgo,
    xDesc: TensorDescriptor | int,
    zDesc: TensorDescriptor | int | None,
    yDesc: TensorDescriptor | int,
    normScaleBiasDesc: TensorDescriptor | int,
    activationDesc: ActivationDescriptor | int | None,
    normMeanVarDesc: TensorDescriptor | int,
    groupCnt: int,
) -> int:
    """Return `sizeInBytes` for the descriptors.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        mode: cudnnNormMode_t, a `NormMode`: `ACTIVATION` or `CHANNEL`; statistics for each
            element of a sample (1, C, H, W), or for each channel (1, C, 1, 1).
        normOps: cudnnNormOps_t, a `NormOps`: `NORM`, `NORM_ACTIVATION` or
            `NORM_ADD_ACTIVATION`; the norm alone, with an activation, or with an addition of
            `z` before the activation.
        algo: cudnnNormAlgo_t, a `NormAlgo`: `STANDARD` or `PERSIST`; `PERSIST` is faster for
            some arrays, and may overflow where values are large.
        xDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        zDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, or None.
        yDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        normScaleBiasDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        activationDesc: const cudnnActivationDescriptor_t, an `ActivationDescriptor` or its
            address, or None.
        normMeanVarDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        groupCnt: int; always 1: groups are not supported.

    Returns:
        int, in bytes; of the workspace of `cudnnNormalizationForwardTraining`.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.batch_norm`, `ops.batch_norm_activation`, `Graph.norm_forward`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnngetnormalizationforwardtrainingworkspacesize

    C, cudnn_ops.h::

        cudnnStatus_t cudnnGetNormalizationForwardTrainingWorkspaceSize(cudnnHandle_t handle,
            cudnnNormMode_t mode, cudnnNormOps_t normOps, cudnnNormAlgo_t algo, const
            cudnnTensorDescriptor_t xDesc, const cudnnTensorDescriptor_t zDesc, const
            cudnnTensorDescriptor_t yDesc, const cudnnTensorDescriptor_t normScaleBiasDesc,
            const cudnnActivationDescriptor_t activationDesc, const cudnnTensorDescriptor_t
            normMeanVarDesc, size_t *sizeInBytes, int groupCnt)
    """
    return _cudnnGetNormalizationForwardTrainingWorkspaceSize(
        handle,
        mode,
        normOps,
        algo,
        xDesc,
        zDesc,
        yDesc,
        normScaleBiasDesc,
        activationDesc,
        normMeanVarDesc,
        groupCnt,
    )


_cudnnGetNormalizationTrainingReserveSpaceSize = _quick(
    "cudnnGetNormalizationTrainingReserveSpaceSize",
    "Q",
    (
        "_cudnnHandle_t",
        None,
        None,
        None,
        "_cudnnActivationDescriptor_t",
        "_cudnnTensorDescriptor_t",
        None,
    ),
    (None, None),
)


@_instead(_cudnnGetNormalizationTrainingReserveSpaceSize)
def cudnnGetNormalizationTrainingReserveSpaceSize(
    handle: Handle | int,
    mode: NormMode,
    normOps: NormOps,
    algo: NormAlgo,
    activationDesc: ActivationDescriptor | int | None,
    xDesc: TensorDescriptor | int,
    groupCnt: int,
) -> int:
    """Return `sizeInBytes` for `activationDesc` and `xDesc`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        mode: cudnnNormMode_t, a `NormMode`: `ACTIVATION` or `CHANNEL`; statistics for each
            element of a sample (1, C, H, W), or for each channel (1, C, 1, 1).
        normOps: cudnnNormOps_t, a `NormOps`: `NORM`, `NORM_ACTIVATION` or
            `NORM_ADD_ACTIVATION`; the norm alone, with an activation, or with an addition of
            `z` before the activation.
        algo: cudnnNormAlgo_t, a `NormAlgo`: `STANDARD` or `PERSIST`; `PERSIST` is faster for
            some arrays, and may overflow where values are large.
        activationDesc: const cudnnActivationDescriptor_t, an `ActivationDescriptor` or its
            address, or None.
        xDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        groupCnt: int; always 1: groups are not supported.

    Returns:
        int, in bytes; of the reserve space of `cudnnNormalizationForwardTraining` and
            `cudnnNormalizationBackward`.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.batch_norm`, `ops.batch_norm_activation`, `Graph.norm_forward`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnngetnormalizationtrainingreservespacesize

    C, cudnn_ops.h::

        cudnnStatus_t cudnnGetNormalizationTrainingReserveSpaceSize(cudnnHandle_t handle,
            cudnnNormMode_t mode, cudnnNormOps_t normOps, cudnnNormAlgo_t algo, const
            cudnnActivationDescriptor_t activationDesc, const cudnnTensorDescriptor_t xDesc,
            size_t *sizeInBytes, int groupCnt)
    """
    return _cudnnGetNormalizationTrainingReserveSpaceSize(
        handle,
        mode,
        normOps,
        algo,
        activationDesc,
        xDesc,
        groupCnt,
    )


_cudnnGetOpTensorDescriptor = _quick(
    "cudnnGetOpTensorDescriptor",
    "qqq",
    ("_cudnnOpTensorDescriptor_t",),
    (GetOpTensorDescriptorResult, _OpTensorOp, _DataType, _NanPropagation),
)


@_instead(_cudnnGetOpTensorDescriptor)
def cudnnGetOpTensorDescriptor(
    opTensorDesc: OpTensorDescriptor | int,
) -> GetOpTensorDescriptorResult:
    """Return `opTensorOp`, `opTensorCompType` and `opTensorNanOpt` of `opTensorDesc`.

    Args:
        opTensorDesc: const cudnnOpTensorDescriptor_t, an `OpTensorDescriptor` or its address.

    Returns:
        opTensorOp: OpTensorOp; how elements of two tensors are combined; `SQRT` and `NOT` read
            `A` alone.
        opTensorCompType: DataType; the type in which the computation is done.
        opTensorNanOpt: NanPropagation; whether NaN in the input gives NaN.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.add`, `ops.tensor_operation`, `ops.scale`, `Graph.pointwise`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnngetoptensordescriptor

    C, cudnn_ops.h::

        cudnnStatus_t cudnnGetOpTensorDescriptor(const cudnnOpTensorDescriptor_t opTensorDesc,
            cudnnOpTensorOp_t *opTensorOp, cudnnDataType_t *opTensorCompType,
            cudnnNanPropagation_t *opTensorNanOpt)
    """
    return _cudnnGetOpTensorDescriptor(opTensorDesc)


_cudnnGetPooling2dDescriptor = _quick(
    "cudnnGetPooling2dDescriptor",
    "qqqqqqqq",
    ("_cudnnPoolingDescriptor_t",),
    (
        GetPooling2dDescriptorResult,
        _PoolingMode,
        _NanPropagation,
        None,
        None,
        None,
        None,
        None,
        None,
    ),
)


@_instead(_cudnnGetPooling2dDescriptor)
def cudnnGetPooling2dDescriptor(
    poolingDesc: PoolingDescriptor | int,
) -> GetPooling2dDescriptorResult:
    """Return 8 values of `poolingDesc`.

    Args:
        poolingDesc: const cudnnPoolingDescriptor_t, a `PoolingDescriptor` or its address.

    Returns:
        mode: PoolingMode; the maximum of a window, or its mean with or without the padding in
            the count.
        maxpoolingNanOpt: NanPropagation; whether NaN in the input gives NaN.
        windowHeight: int; the extent of the window, in elements.
        windowWidth: int; the extent of the window, in elements.
        verticalPadding: int; elements at both ends that no maximum counts.
        horizontalPadding: int; elements at both ends that no maximum counts.
        verticalStride: int; the distance of windows, in elements.
        horizontalStride: int; the distance of windows, in elements.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.max_pool`, `ops.pooling_backward`, `Graph.resample`,
    `Graph.resample_backward`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnngetpooling2ddescriptor

    C, cudnn_ops.h::

        cudnnStatus_t cudnnGetPooling2dDescriptor(const cudnnPoolingDescriptor_t poolingDesc,
            cudnnPoolingMode_t *mode, cudnnNanPropagation_t *maxpoolingNanOpt, int
            *windowHeight, int *windowWidth, int *verticalPadding, int *horizontalPadding, int
            *verticalStride, int *horizontalStride)
    """
    return _cudnnGetPooling2dDescriptor(poolingDesc)


_cudnnGetPooling2dForwardOutputDim = _quick(
    "cudnnGetPooling2dForwardOutputDim",
    "qqqq",
    ("_cudnnPoolingDescriptor_t", "_cudnnTensorDescriptor_t"),
    (GetPooling2dForwardOutputDimResult, None, None, None, None),
)


@_instead(_cudnnGetPooling2dForwardOutputDim)
def cudnnGetPooling2dForwardOutputDim(
    poolingDesc: PoolingDescriptor | int,
    inputTensorDesc: TensorDescriptor | int,
) -> GetPooling2dForwardOutputDimResult:
    """Return `n`, `c`, `h` and `w` for `poolingDesc` and `inputTensorDesc`.

    Args:
        poolingDesc: const cudnnPoolingDescriptor_t, a `PoolingDescriptor` or its address.
        inputTensorDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.

    Returns:
        n: int.
        c: int.
        h: int.
        w: int.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnngetpooling2dforwardoutputdim

    C, cudnn_ops.h::

        cudnnStatus_t cudnnGetPooling2dForwardOutputDim(const cudnnPoolingDescriptor_t
            poolingDesc, const cudnnTensorDescriptor_t inputTensorDesc, int *n, int *c, int *h,
            int *w)
    """
    return _cudnnGetPooling2dForwardOutputDim(poolingDesc, inputTensorDesc)


def cudnnGetPoolingNdDescriptor(
    poolingDesc: PoolingDescriptor | int,
    nbDimsRequested: int = 6,
) -> GetPoolingNdDescriptorResult:
    """Return `mode`, `maxpoolingNanOpt`, `nbDims`, `windowDimA`, `paddingA` and `strideA`.

    Args:
        poolingDesc: const cudnnPoolingDescriptor_t, a `PoolingDescriptor` or its address.
        nbDimsRequested: int, how many elements `windowDimA`, `paddingA` and `strideA` may have,
            6 where left out.

    Returns:
        mode: PoolingMode; the maximum of a window, or its mean with or without the padding in
            the count.
        maxpoolingNanOpt: NanPropagation; whether NaN in the input gives NaN.
        nbDims: int.
        windowDimA: tuple[int, ...], as many as there are, at most `nbDimsRequested`; the extent
            of the window, in elements.
        paddingA: tuple[int, ...], as many as there are, at most `nbDimsRequested`; elements at
            both ends that no maximum counts.
        strideA: tuple[int, ...], as many as there are, at most `nbDimsRequested`; the stride of
            each spatial axis.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.max_pool`, `ops.pooling_backward`, `Graph.resample`,
    `Graph.resample_backward`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnngetpoolingnddescriptor

    C, cudnn_ops.h::

        cudnnStatus_t cudnnGetPoolingNdDescriptor(const cudnnPoolingDescriptor_t poolingDesc,
            int nbDimsRequested, cudnnPoolingMode_t *mode, cudnnNanPropagation_t
            *maxpoolingNanOpt, int *nbDims, int windowDimA[], int paddingA[], int strideA[])
    """
    if (_type(poolingDesc), _type(nbDimsRequested)) not in _plain_cudnnGetPoolingNdDescriptor:
        return _slow(
            cudnnGetPoolingNdDescriptor,
            "cudnnGetPoolingNdDescriptor",
            (poolingDesc, nbDimsRequested),
        )
    try:
        _out_windowDimA = _memory("int", nbDimsRequested, "nbDimsRequested")
        _out_paddingA = _memory("int", nbDimsRequested, "nbDimsRequested")
        _out_strideA = _memory("int", nbDimsRequested, "nbDimsRequested")
        _out = _lend()
        _status = _cudnnGetPoolingNdDescriptor(
            poolingDesc if _type(poolingDesc) is int else poolingDesc._cudnnPoolingDescriptor_t,
            nbDimsRequested,
            _out_windowDimA,
            _out_paddingA,
            _out_strideA,
            _out[0],
        )
    except _CONVERT as _error:
        return _slow(
            cudnnGetPoolingNdDescriptor,
            "cudnnGetPoolingNdDescriptor",
            (poolingDesc, nbDimsRequested),
            _error,
        )
    if _status:
        return _failed(
            cudnnGetPoolingNdDescriptor,
            "cudnnGetPoolingNdDescriptor",
            _status,
            (poolingDesc, nbDimsRequested),
        )
    _r = _unpack_3q(_out[1])
    _outs.append(_out)
    return _new(
        GetPoolingNdDescriptorResult,
        (
            _PoolingMode[_r[0]],
            _NanPropagation[_r[1]],
            _r[2],
            tuple(_unpack(_out_windowDimA, max(min(_r[2], nbDimsRequested), 0))),
            tuple(_unpack(_out_paddingA, max(min(_r[2], nbDimsRequested), 0))),
            tuple(_unpack(_out_strideA, max(min(_r[2], nbDimsRequested), 0))),
        ),
    )


def cudnnGetPoolingNdForwardOutputDim(
    poolingDesc: PoolingDescriptor | int,
    inputTensorDesc: TensorDescriptor | int,
    nbDims: int,
) -> tuple[int, ...]:
    """Return `outputTensorDimA` for `poolingDesc` and `inputTensorDesc`.

    Args:
        poolingDesc: const cudnnPoolingDescriptor_t, a `PoolingDescriptor` or its address.
        inputTensorDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        nbDims: int, how many elements `outputTensorDimA` may have.

    Returns:
        tuple[int, ...], `nbDims` elements.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnngetpoolingndforwardoutputdim

    C, cudnn_ops.h::

        cudnnStatus_t cudnnGetPoolingNdForwardOutputDim(const cudnnPoolingDescriptor_t
            poolingDesc, const cudnnTensorDescriptor_t inputTensorDesc, int nbDims, int
            outputTensorDimA[])
    """
    if (
        _type(poolingDesc),
        _type(inputTensorDesc),
        _type(nbDims),
    ) not in _plain_cudnnGetPoolingNdForwardOutputDim:
        return _slow(
            cudnnGetPoolingNdForwardOutputDim,
            "cudnnGetPoolingNdForwardOutputDim",
            (poolingDesc, inputTensorDesc, nbDims),
        )
    try:
        _out_outputTensorDimA = _memory("int", nbDims, "nbDims")
        _status = _cudnnGetPoolingNdForwardOutputDim(
            poolingDesc if _type(poolingDesc) is int else poolingDesc._cudnnPoolingDescriptor_t,
            inputTensorDesc
            if _type(inputTensorDesc) is int
            else inputTensorDesc._cudnnTensorDescriptor_t,
            nbDims,
            _out_outputTensorDimA,
        )
    except _CONVERT as _error:
        return _slow(
            cudnnGetPoolingNdForwardOutputDim,
            "cudnnGetPoolingNdForwardOutputDim",
            (poolingDesc, inputTensorDesc, nbDims),
            _error,
        )
    if _status:
        return _failed(
            cudnnGetPoolingNdForwardOutputDim,
            "cudnnGetPoolingNdForwardOutputDim",
            _status,
            (poolingDesc, inputTensorDesc, nbDims),
        )
    return tuple(_unpack(_out_outputTensorDimA, nbDims))


_cudnnGetReduceTensorDescriptor = _quick(
    "cudnnGetReduceTensorDescriptor",
    "qqqqq",
    ("_cudnnReduceTensorDescriptor_t",),
    (
        GetReduceTensorDescriptorResult,
        _ReduceTensorOp,
        _DataType,
        _NanPropagation,
        _ReduceTensorIndices,
        _IndicesType,
    ),
)


@_instead(_cudnnGetReduceTensorDescriptor)
def cudnnGetReduceTensorDescriptor(
    reduceTensorDesc: ReduceTensorDescriptor | int,
) -> GetReduceTensorDescriptorResult:
    """Return 5 values of `reduceTensorDesc`.

    Args:
        reduceTensorDesc: const cudnnReduceTensorDescriptor_t, a `ReduceTensorDescriptor` or its
            address.

    Returns:
        reduceTensorOp: ReduceTensorOp; how elements are combined; `AMAX` is the largest
            absolute value, `NORM2` the root of the sum of squares.
        reduceTensorCompType: DataType; the type in which the computation is done.
        reduceTensorNanOpt: NanPropagation; whether NaN in the input gives NaN.
        reduceTensorIndices: ReduceTensorIndices; whether positions of extremes are returned,
            too: of `MIN`, `MAX` and `AMAX` only.
        reduceTensorIndicesType: IndicesType; the type of the positions; only
            `CUDNN_32BIT_INDICES` is supported.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.reduce`, `Graph.reduction`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnngetreducetensordescriptor

    C, cudnn_ops.h::

        cudnnStatus_t cudnnGetReduceTensorDescriptor(const cudnnReduceTensorDescriptor_t
            reduceTensorDesc, cudnnReduceTensorOp_t *reduceTensorOp, cudnnDataType_t
            *reduceTensorCompType, cudnnNanPropagation_t *reduceTensorNanOpt,
            cudnnReduceTensorIndices_t *reduceTensorIndices, cudnnIndicesType_t
            *reduceTensorIndicesType)
    """
    return _cudnnGetReduceTensorDescriptor(reduceTensorDesc)


_cudnnGetReductionIndicesSize = _quick(
    "cudnnGetReductionIndicesSize",
    "Q",
    (
        "_cudnnHandle_t",
        "_cudnnReduceTensorDescriptor_t",
        "_cudnnTensorDescriptor_t",
        "_cudnnTensorDescriptor_t",
    ),
    (None, None),
)


@_instead(_cudnnGetReductionIndicesSize)
def cudnnGetReductionIndicesSize(
    handle: Handle | int,
    reduceTensorDesc: ReduceTensorDescriptor | int,
    aDesc: TensorDescriptor | int,
    cDesc: TensorDescriptor | int,
) -> int:
    """Return `sizeInBytes` for `reduceTensorDesc`, `aDesc` and `cDesc`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        reduceTensorDesc: const cudnnReduceTensorDescriptor_t, a `ReduceTensorDescriptor` or its
            address.
        aDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        cDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.

    Returns:
        int, in bytes; of the `indices` of `cudnnReduceTensor`.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.reduce`, `Graph.reduction`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnngetreductionindicessize

    C, cudnn_ops.h::

        cudnnStatus_t cudnnGetReductionIndicesSize(cudnnHandle_t handle, const
            cudnnReduceTensorDescriptor_t reduceTensorDesc, const cudnnTensorDescriptor_t aDesc,
            const cudnnTensorDescriptor_t cDesc, size_t *sizeInBytes)
    """
    return _cudnnGetReductionIndicesSize(handle, reduceTensorDesc, aDesc, cDesc)


_cudnnGetReductionWorkspaceSize = _quick(
    "cudnnGetReductionWorkspaceSize",
    "Q",
    (
        "_cudnnHandle_t",
        "_cudnnReduceTensorDescriptor_t",
        "_cudnnTensorDescriptor_t",
        "_cudnnTensorDescriptor_t",
    ),
    (None, None),
)


@_instead(_cudnnGetReductionWorkspaceSize)
def cudnnGetReductionWorkspaceSize(
    handle: Handle | int,
    reduceTensorDesc: ReduceTensorDescriptor | int,
    aDesc: TensorDescriptor | int,
    cDesc: TensorDescriptor | int,
) -> int:
    """Return `sizeInBytes` for `reduceTensorDesc`, `aDesc` and `cDesc`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        reduceTensorDesc: const cudnnReduceTensorDescriptor_t, a `ReduceTensorDescriptor` or its
            address.
        aDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        cDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.

    Returns:
        int, in bytes; of the workspace of `cudnnReduceTensor`.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.reduce`, `Graph.reduction`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnngetreductionworkspacesize

    C, cudnn_ops.h::

        cudnnStatus_t cudnnGetReductionWorkspaceSize(cudnnHandle_t handle, const
            cudnnReduceTensorDescriptor_t reduceTensorDesc, const cudnnTensorDescriptor_t aDesc,
            const cudnnTensorDescriptor_t cDesc, size_t *sizeInBytes)
    """
    return _cudnnGetReductionWorkspaceSize(handle, reduceTensorDesc, aDesc, cDesc)


_cudnnGetTensor4dDescriptor = _quick(
    "cudnnGetTensor4dDescriptor",
    "qqqqqqqqq",
    ("_cudnnTensorDescriptor_t",),
    (GetTensor4dDescriptorResult, _DataType, None, None, None, None, None, None, None, None),
)


@_instead(_cudnnGetTensor4dDescriptor)
def cudnnGetTensor4dDescriptor(tensorDesc: TensorDescriptor | int) -> GetTensor4dDescriptorResult:
    """Return `dataType`, `n`, `c`, `h`, `w`, `nStride`, `cStride`, `hStride` and `wStride`.

    Args:
        tensorDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.

    Returns:
        dataType: DataType.
        n: int.
        c: int.
        h: int.
        w: int.
        nStride: int; in elements, not in bytes.
        cStride: int; in elements, not in bytes.
        hStride: int; in elements, not in bytes.
        wStride: int; in elements, not in bytes.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnngettensor4ddescriptor

    C, cudnn_ops.h::

        cudnnStatus_t cudnnGetTensor4dDescriptor(const cudnnTensorDescriptor_t tensorDesc,
            cudnnDataType_t *dataType, int *n, int *c, int *h, int *w, int *nStride, int
            *cStride, int *hStride, int *wStride)
    """
    return _cudnnGetTensor4dDescriptor(tensorDesc)


def cudnnGetTensorNdDescriptor(
    tensorDesc: TensorDescriptor | int,
    nbDimsRequested: int = 8,
) -> GetTensorNdDescriptorResult:
    """Return `dataType`, `nbDims`, `dimA` and `strideA` of `tensorDesc`.

    Args:
        tensorDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        nbDimsRequested: int, how many elements `dimA` and `strideA` may have, 8 where left out.

    Returns:
        dataType: DataType.
        nbDims: int.
        dimA: tuple[int, ...], as many as there are, at most `nbDimsRequested`.
        strideA: tuple[int, ...], as many as there are, at most `nbDimsRequested`; in elements,
            not in bytes.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnngettensornddescriptor

    C, cudnn_ops.h::

        cudnnStatus_t cudnnGetTensorNdDescriptor(const cudnnTensorDescriptor_t tensorDesc, int
            nbDimsRequested, cudnnDataType_t *dataType, int *nbDims, int dimA[], int strideA[])
    """
    if (_type(tensorDesc), _type(nbDimsRequested)) not in _plain_cudnnGetTensorNdDescriptor:
        return _slow(
            cudnnGetTensorNdDescriptor,
            "cudnnGetTensorNdDescriptor",
            (tensorDesc, nbDimsRequested),
        )
    try:
        _out_dimA = _memory("int", nbDimsRequested, "nbDimsRequested")
        _out_strideA = _memory("int", nbDimsRequested, "nbDimsRequested")
        _out = _lend()
        _status = _cudnnGetTensorNdDescriptor(
            tensorDesc if _type(tensorDesc) is int else tensorDesc._cudnnTensorDescriptor_t,
            nbDimsRequested,
            _out_dimA,
            _out_strideA,
            _out[0],
        )
    except _CONVERT as _error:
        return _slow(
            cudnnGetTensorNdDescriptor,
            "cudnnGetTensorNdDescriptor",
            (tensorDesc, nbDimsRequested),
            _error,
        )
    if _status:
        return _failed(
            cudnnGetTensorNdDescriptor,
            "cudnnGetTensorNdDescriptor",
            _status,
            (tensorDesc, nbDimsRequested),
        )
    _r = _unpack_2q(_out[1])
    _outs.append(_out)
    return _new(
        GetTensorNdDescriptorResult,
        (
            _DataType[_r[0]],
            _r[1],
            tuple(_unpack(_out_dimA, max(min(_r[1], nbDimsRequested), 0))),
            tuple(_unpack(_out_strideA, max(min(_r[1], nbDimsRequested), 0))),
        ),
    )


_cudnnGetTensorSizeInBytes = _quick(
    "cudnnGetTensorSizeInBytes",
    "Q",
    ("_cudnnTensorDescriptor_t",),
    (None, None),
)


@_instead(_cudnnGetTensorSizeInBytes)
def cudnnGetTensorSizeInBytes(tensorDesc: TensorDescriptor | int) -> int:
    """Return `size` of `tensorDesc`.

    Args:
        tensorDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.

    Returns:
        int.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnngettensorsizeinbytes

    C, cudnn_ops.h::

        cudnnStatus_t cudnnGetTensorSizeInBytes(const cudnnTensorDescriptor_t tensorDesc, size_t
            *size)
    """
    return _cudnnGetTensorSizeInBytes(tensorDesc)


def cudnnGetTensorTransformDescriptor(
    transformDesc: TensorTransformDescriptor | int,
    nbDimsRequested: int,
) -> GetTensorTransformDescriptorResult:
    """Return `destFormat`, `padBeforeA`, `padAfterA`, `foldA` and `direction`.

    Args:
        transformDesc: cudnnTensorTransformDescriptor_t, a `TensorTransformDescriptor` or its
            address.
        nbDimsRequested: uint32_t, how many elements `padBeforeA`, `padAfterA` and `foldA` may
            have.

    Returns:
        destFormat: TensorFormat; the order of axes in memory; `NCHW_VECT_C` has vectors of 4 or
            32 channels.
        padBeforeA: tuple[int, ...], `nbDimsRequested` elements; elements added before each
            axis.
        padAfterA: tuple[int, ...], `nbDimsRequested` elements; elements added after each axis.
        foldA: tuple[int, ...], `nbDimsRequested` elements; the factor of each spatial axis by
            which blocks become channels.
        direction: FoldingDirection; `FOLD` moves blocks into channels, `UNFOLD` back.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.transform`, `Graph.pointwise`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnngettensortransformdescriptor

    C, cudnn_ops.h::

        cudnnStatus_t cudnnGetTensorTransformDescriptor(cudnnTensorTransformDescriptor_t
            transformDesc, uint32_t nbDimsRequested, cudnnTensorFormat_t *destFormat, int32_t
            padBeforeA[], int32_t padAfterA[], uint32_t foldA[], cudnnFoldingDirection_t
            *direction)
    """
    if (
        _type(transformDesc),
        _type(nbDimsRequested),
    ) not in _plain_cudnnGetTensorTransformDescriptor:
        return _slow(
            cudnnGetTensorTransformDescriptor,
            "cudnnGetTensorTransformDescriptor",
            (transformDesc, nbDimsRequested),
        )
    try:
        _out_padBeforeA = _memory("int", nbDimsRequested, "nbDimsRequested")
        _out_padAfterA = _memory("int", nbDimsRequested, "nbDimsRequested")
        _out_foldA = _memory("unsigned int", nbDimsRequested, "nbDimsRequested")
        _out = _lend()
        _status = _cudnnGetTensorTransformDescriptor(
            transformDesc
            if _type(transformDesc) is int
            else transformDesc._cudnnTensorTransformDescriptor_t,
            nbDimsRequested,
            _out_padBeforeA,
            _out_padAfterA,
            _out_foldA,
            _out[0],
        )
    except _CONVERT as _error:
        return _slow(
            cudnnGetTensorTransformDescriptor,
            "cudnnGetTensorTransformDescriptor",
            (transformDesc, nbDimsRequested),
            _error,
        )
    if _status:
        return _failed(
            cudnnGetTensorTransformDescriptor,
            "cudnnGetTensorTransformDescriptor",
            _status,
            (transformDesc, nbDimsRequested),
        )
    _r = _unpack_2q(_out[1])
    _outs.append(_out)
    return _new(
        GetTensorTransformDescriptorResult,
        (
            _TensorFormat[_r[0]],
            tuple(_unpack(_out_padBeforeA, nbDimsRequested)),
            tuple(_unpack(_out_padAfterA, nbDimsRequested)),
            tuple(_unpack(_out_foldA, nbDimsRequested)),
            _FoldingDirection[_r[1]],
        ),
    )


_cudnnInitTransformDest = _quick(
    "cudnnInitTransformDest",
    "Q",
    ("_cudnnTensorTransformDescriptor_t", "_cudnnTensorDescriptor_t", "_cudnnTensorDescriptor_t"),
    (None, None),
)


@_instead(_cudnnInitTransformDest)
def cudnnInitTransformDest(
    transformDesc: TensorTransformDescriptor | int,
    srcDesc: TensorDescriptor | int,
    destDesc: TensorDescriptor | int,
) -> int:
    """Initialize `destDesc` from `transformDesc` and `srcDesc`.

    Args:
        transformDesc: const cudnnTensorTransformDescriptor_t, a `TensorTransformDescriptor` or
            its address.
        srcDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        destDesc: cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, changed.

    Returns:
        int, in bytes; of the transformed tensor.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.transform`, `Graph.pointwise`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnninittransformdest

    C, cudnn_ops.h::

        cudnnStatus_t cudnnInitTransformDest(const cudnnTensorTransformDescriptor_t
            transformDesc, const cudnnTensorDescriptor_t srcDesc, cudnnTensorDescriptor_t
            destDesc, size_t *destSizeInBytes)
    """
    return _cudnnInitTransformDest(transformDesc, srcDesc, destDesc)


_cudnnLRNCrossChannelBackward = _quick(
    "cudnnLRNCrossChannelBackward",
    "",
    (
        "_cudnnHandle_t",
        "_cudnnLRNDescriptor_t",
        None,
        _scale,
        "_cudnnTensorDescriptor_t",
        _getters,
        "_cudnnTensorDescriptor_t",
        _getters,
        "_cudnnTensorDescriptor_t",
        _getters,
        _scale,
        "_cudnnTensorDescriptor_t",
        _getters,
    ),
    (None,),
)


@_instead(_cudnnLRNCrossChannelBackward)
def cudnnLRNCrossChannelBackward(
    handle: Handle | int,
    normDesc: LRNDescriptor | int,
    lrnMode: LRNMode,
    alpha: ScalingFactor,
    yDesc: TensorDescriptor | int,
    y: DevicePointer,
    dyDesc: TensorDescriptor | int,
    dy: DevicePointer,
    xDesc: TensorDescriptor | int,
    x: DevicePointer,
    beta: ScalingFactor,
    dxDesc: TensorDescriptor | int,
    dx: DevicePointer,
) -> None:
    """Compute `dx` from `y`, `dy` and `x`.

    Formula: dx = alpha * (the gradient of `cudnnLRNCrossChannelForward` for x, of dy) + beta *
        dx

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        normDesc: cudnnLRNDescriptor_t, an `LRNDescriptor` or its address.
        lrnMode: cudnnLRNMode_t, an `LRNMode`; `CROSS_CHANNEL_DIM1`: windows of neighboring
            channels.
        alpha: const void*, a number, which cuDNN reads as double where the tensor is double,
            else as float; multiplies the result.
        yDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        y: const void*, device memory, laid out as `yDesc` says, read.
        dyDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        dy: const void*, device memory, laid out as `dyDesc` says, read.
        xDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        x: const void*, device memory, laid out as `xDesc` says, read.
        beta: const void*, a number, which cuDNN reads as double where the tensor is double,
            else as float; multiplies what `dx` held before; 0 leaves that unread.
        dxDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        dx: void*, device memory, laid out as `dxDesc` says, read and written.

    Returns:
        None; the function writes `dx`, in place.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier.

    See also: `ops.local_response_norm_backward`, `Graph.resample`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnnlrncrosschannelbackward

    C, cudnn_ops.h::

        cudnnStatus_t cudnnLRNCrossChannelBackward(cudnnHandle_t handle, cudnnLRNDescriptor_t
            normDesc, cudnnLRNMode_t lrnMode, const void *alpha, const cudnnTensorDescriptor_t
            yDesc, const void *y, const cudnnTensorDescriptor_t dyDesc, const void *dy, const
            cudnnTensorDescriptor_t xDesc, const void *x, const void *beta, const
            cudnnTensorDescriptor_t dxDesc, void *dx)
    """
    return _cudnnLRNCrossChannelBackward(
        handle,
        normDesc,
        lrnMode,
        alpha,
        yDesc,
        y,
        dyDesc,
        dy,
        xDesc,
        x,
        beta,
        dxDesc,
        dx,
    )


_cudnnLRNCrossChannelForward = _quick(
    "cudnnLRNCrossChannelForward",
    "",
    (
        "_cudnnHandle_t",
        "_cudnnLRNDescriptor_t",
        None,
        _scale,
        "_cudnnTensorDescriptor_t",
        _getters,
        _scale,
        "_cudnnTensorDescriptor_t",
        _getters,
    ),
    (None,),
)


@_instead(_cudnnLRNCrossChannelForward)
def cudnnLRNCrossChannelForward(
    handle: Handle | int,
    normDesc: LRNDescriptor | int,
    lrnMode: LRNMode,
    alpha: ScalingFactor,
    xDesc: TensorDescriptor | int,
    x: DevicePointer,
    beta: ScalingFactor,
    yDesc: TensorDescriptor | int,
    y: DevicePointer,
) -> None:
    """Compute `y` from `x`.

    Formula: y = alpha * x / (lrnK + lrnAlpha / lrnN * (sum of x^2 over lrnN channels))^lrnBeta
        + beta * y, with the numbers of normDesc

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        normDesc: cudnnLRNDescriptor_t, an `LRNDescriptor` or its address.
        lrnMode: cudnnLRNMode_t, an `LRNMode`; `CROSS_CHANNEL_DIM1`: windows of neighboring
            channels.
        alpha: const void*, a number, which cuDNN reads as double where the tensor is double,
            else as float; multiplies the result.
        xDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        x: const void*, device memory, laid out as `xDesc` says, read.
        beta: const void*, a number, which cuDNN reads as double where the tensor is double,
            else as float; multiplies what `y` held before; 0 leaves that unread.
        yDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        y: void*, device memory, laid out as `yDesc` says, read and written.

    Returns:
        None; the function writes `y`, in place.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier.

    See also: `ops.local_response_norm`, `Graph.resample`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnnlrncrosschannelforward

    C, cudnn_ops.h::

        cudnnStatus_t cudnnLRNCrossChannelForward(cudnnHandle_t handle, cudnnLRNDescriptor_t
            normDesc, cudnnLRNMode_t lrnMode, const void *alpha, const cudnnTensorDescriptor_t
            xDesc, const void *x, const void *beta, const cudnnTensorDescriptor_t yDesc, void
            *y)
    """
    return _cudnnLRNCrossChannelForward(handle, normDesc, lrnMode, alpha, xDesc, x, beta, yDesc, y)


_cudnnNormalizationBackward = _quick(
    "cudnnNormalizationBackward",
    "",
    (
        "_cudnnHandle_t",
        None,
        None,
        None,
        _scale,
        _scale,
        _scale,
        _scale,
        "_cudnnTensorDescriptor_t",
        _getters,
        "_cudnnTensorDescriptor_t",
        _getters,
        "_cudnnTensorDescriptor_t",
        _getters,
        "_cudnnTensorDescriptor_t",
        _getters,
        "_cudnnTensorDescriptor_t",
        _getters,
        "_cudnnTensorDescriptor_t",
        _getters,
        _getters,
        _getters,
        _getters,
        None,
        "_cudnnTensorDescriptor_t",
        _getters,
        _getters,
        "_cudnnActivationDescriptor_t",
        _getters,
        None,
        _getters,
        None,
        None,
    ),
    (None,),
)


@_instead(_cudnnNormalizationBackward)
def cudnnNormalizationBackward(
    handle: Handle | int,
    mode: NormMode,
    normOps: NormOps,
    algo: NormAlgo,
    alphaDataDiff: ScalingFactor,
    betaDataDiff: ScalingFactor,
    alphaParamDiff: ScalingFactor,
    betaParamDiff: ScalingFactor,
    xDesc: TensorDescriptor | int,
    xData: DevicePointer,
    yDesc: TensorDescriptor | int | None,
    yData: DevicePointer,
    dyDesc: TensorDescriptor | int,
    dyData: DevicePointer,
    dzDesc: TensorDescriptor | int | None,
    dzData: DevicePointer,
    dxDesc: TensorDescriptor | int,
    dxData: DevicePointer,
    dNormScaleBiasDesc: TensorDescriptor | int,
    normScaleData: DevicePointer,
    normBiasData: DevicePointer,
    dNormScaleData: DevicePointer,
    dNormBiasData: DevicePointer,
    epsilon: float,
    normMeanVarDesc: TensorDescriptor | int,
    savedMean: DevicePointer,
    savedInvVariance: DevicePointer,
    activationDesc: ActivationDescriptor | int | None,
    workSpace: DevicePointer,
    workSpaceSizeInBytes: int,
    reserveSpace: DevicePointer,
    reserveSpaceSizeInBytes: int,
    groupCnt: int,
) -> None:
    """Compute `dzData`, `dxData`, `dNormScaleData` and `dNormBiasData`.

    Formula: dxData, dNormScaleData, dNormBiasData: as `cudnnBatchNormalizationBackward`, of
        dyData through the activation; dzData: dyData through the activation

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        mode: cudnnNormMode_t, a `NormMode`: `ACTIVATION` or `CHANNEL`; statistics for each
            element of a sample (1, C, H, W), or for each channel (1, C, 1, 1).
        normOps: cudnnNormOps_t, a `NormOps`: `NORM`, `NORM_ACTIVATION` or
            `NORM_ADD_ACTIVATION`; the norm alone, with an activation, or with an addition of
            `z` before the activation.
        algo: cudnnNormAlgo_t, a `NormAlgo`: `STANDARD` or `PERSIST`; `PERSIST` is faster for
            some arrays, and may overflow where values are large.
        alphaDataDiff: const void*, a number, which cuDNN reads as double where the tensor is
            double, else as float; multiplies the gradient for the input.
        betaDataDiff: const void*, a number, which cuDNN reads as double where the tensor is
            double, else as float; multiplies what the input's gradient held before; 0 leaves
            that unread.
        alphaParamDiff: const void*, a number, which cuDNN reads as double where the tensor is
            double, else as float; multiplies the gradients for scale and bias.
        betaParamDiff: const void*, a number, which cuDNN reads as double where the tensor is
            double, else as float; multiplies what those of scale and bias held before; 0 leaves
            that unread.
        xDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        xData: const void*, device memory, laid out as `xDesc` says, read.
        yDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, or None.
        yData: const void*, device memory, laid out as `yDesc` says, read.
        dyDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        dyData: const void*, device memory, laid out as `dyDesc` says, read.
        dzDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, or None.
        dzData: void*, device memory, laid out as `dzDesc` says, read and written.
        dxDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        dxData: void*, device memory, laid out as `dxDesc` says, read and written.
        dNormScaleBiasDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        normScaleData: const void*, device memory, read.
        normBiasData: const void*, device memory, read.
        dNormScaleData: void*, device memory, read and written.
        dNormBiasData: void*, device memory, read and written.
        epsilon: double; added to the variance before the root; the same forward and backward.
        normMeanVarDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        savedMean: const void*, device memory, read; of the forward function; None to compute it
            again.
        savedInvVariance: const void*, device memory, read; of the forward function; None to
            compute it again.
        activationDesc: cudnnActivationDescriptor_t, an `ActivationDescriptor` or its address,
            or None.
        workSpace: void*, device memory for scratch space, at least `workSpaceSizeInBytes`
            bytes, or None; the caller allocates it, of the size that
            `cudnnGetNormalizationBackwardWorkspaceSize` tells, and may use it for later work on
            the stream.
        workSpaceSizeInBytes: size_t, how many bytes `workSpace` has.
        reserveSpace: void*, device memory that the backward calls need again, at least
            `reserveSpaceSizeInBytes` bytes, read and written, or None; as
            `cudnnNormalizationForwardTraining` left it.
        reserveSpaceSizeInBytes: size_t, how many bytes `reserveSpace` has.
        groupCnt: int; always 1: groups are not supported.

    Returns:
        None; the function writes `dzData`, `dxData`, `dNormScaleData` and `dNormBiasData`, in
            place.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.batch_norm`, `ops.batch_norm_backward`, `Graph.norm_backward`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnnnormalizationbackward

    C, cudnn_ops.h::

        cudnnStatus_t cudnnNormalizationBackward(cudnnHandle_t handle, cudnnNormMode_t mode,
            cudnnNormOps_t normOps, cudnnNormAlgo_t algo, const void *alphaDataDiff, const void
            *betaDataDiff, const void *alphaParamDiff, const void *betaParamDiff, const
            cudnnTensorDescriptor_t xDesc, const void *xData, const cudnnTensorDescriptor_t
            yDesc, const void *yData, const cudnnTensorDescriptor_t dyDesc, const void *dyData,
            const cudnnTensorDescriptor_t dzDesc, void *dzData, const cudnnTensorDescriptor_t
            dxDesc, void *dxData, const cudnnTensorDescriptor_t dNormScaleBiasDesc, const void
            *normScaleData, const void *normBiasData, void *dNormScaleData, void *dNormBiasData,
            double epsilon, const cudnnTensorDescriptor_t normMeanVarDesc, const void
            *savedMean, const void *savedInvVariance, cudnnActivationDescriptor_t
            activationDesc, void *workSpace, size_t workSpaceSizeInBytes, void *reserveSpace,
            size_t reserveSpaceSizeInBytes, int groupCnt)
    """
    return _cudnnNormalizationBackward(
        handle,
        mode,
        normOps,
        algo,
        alphaDataDiff,
        betaDataDiff,
        alphaParamDiff,
        betaParamDiff,
        xDesc,
        xData,
        yDesc,
        yData,
        dyDesc,
        dyData,
        dzDesc,
        dzData,
        dxDesc,
        dxData,
        dNormScaleBiasDesc,
        normScaleData,
        normBiasData,
        dNormScaleData,
        dNormBiasData,
        epsilon,
        normMeanVarDesc,
        savedMean,
        savedInvVariance,
        activationDesc,
        workSpace,
        workSpaceSizeInBytes,
        reserveSpace,
        reserveSpaceSizeInBytes,
        groupCnt,
    )


_cudnnNormalizationForwardInference = _quick(
    "cudnnNormalizationForwardInference",
    "",
    (
        "_cudnnHandle_t",
        None,
        None,
        None,
        _scale,
        _scale,
        "_cudnnTensorDescriptor_t",
        _getters,
        "_cudnnTensorDescriptor_t",
        _getters,
        _getters,
        "_cudnnTensorDescriptor_t",
        _getters,
        _getters,
        "_cudnnTensorDescriptor_t",
        _getters,
        "_cudnnActivationDescriptor_t",
        "_cudnnTensorDescriptor_t",
        _getters,
        None,
        None,
    ),
    (None,),
)


@_instead(_cudnnNormalizationForwardInference)
def cudnnNormalizationForwardInference(
    handle: Handle | int,
    mode: NormMode,
    normOps: NormOps,
    algo: NormAlgo,
    alpha: ScalingFactor,
    beta: ScalingFactor,
    xDesc: TensorDescriptor | int,
    x: DevicePointer,
    normScaleBiasDesc: TensorDescriptor | int,
    normScale: DevicePointer,
    normBias: DevicePointer,
    normMeanVarDesc: TensorDescriptor | int,
    estimatedMean: DevicePointer,
    estimatedVariance: DevicePointer,
    zDesc: TensorDescriptor | int | None,
    z: DevicePointer,
    activationDesc: ActivationDescriptor | int | None,
    yDesc: TensorDescriptor | int,
    y: DevicePointer,
    epsilon: float,
    groupCnt: int,
) -> None:
    """Compute `y`.

    Formula: y = alpha * f((x - estimatedMean) / sqrt(estimatedVariance + epsilon) normScale +
        normBias + z) + beta * y, with z and the activation f as normOps says

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        mode: cudnnNormMode_t, a `NormMode`: `ACTIVATION` or `CHANNEL`; statistics for each
            element of a sample (1, C, H, W), or for each channel (1, C, 1, 1).
        normOps: cudnnNormOps_t, a `NormOps`: `NORM`, `NORM_ACTIVATION` or
            `NORM_ADD_ACTIVATION`; the norm alone, with an activation, or with an addition of
            `z` before the activation.
        algo: cudnnNormAlgo_t, a `NormAlgo`: `STANDARD` or `PERSIST`; `PERSIST` is faster for
            some arrays, and may overflow where values are large.
        alpha: const void*, a number, which cuDNN reads as double where the tensor is double,
            else as float; multiplies the result.
        beta: const void*, a number, which cuDNN reads as double where the tensor is double,
            else as float; multiplies what `y` held before; 0 leaves that unread.
        xDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        x: const void*, device memory, laid out as `xDesc` says, read.
        normScaleBiasDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        normScale: const void*, device memory, read.
        normBias: const void*, device memory, read.
        normMeanVarDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        estimatedMean: const void*, device memory, read; the running statistics of training.
        estimatedVariance: const void*, device memory, read; the running statistics of training.
        zDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, or None.
        z: const void*, device memory, laid out as `zDesc` says, read.
        activationDesc: cudnnActivationDescriptor_t, an `ActivationDescriptor` or its address,
            or None.
        yDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        y: void*, device memory, laid out as `yDesc` says, read and written.
        epsilon: double; added to the variance before the root; the same forward and backward.
        groupCnt: int; always 1: groups are not supported.

    Returns:
        None; the function writes `y`, in place.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.batch_norm_inference`, `Graph.pointwise`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnnnormalizationforwardinference

    C, cudnn_ops.h::

        cudnnStatus_t cudnnNormalizationForwardInference(cudnnHandle_t handle, cudnnNormMode_t
            mode, cudnnNormOps_t normOps, cudnnNormAlgo_t algo, const void *alpha, const void
            *beta, const cudnnTensorDescriptor_t xDesc, const void *x, const
            cudnnTensorDescriptor_t normScaleBiasDesc, const void *normScale, const void
            *normBias, const cudnnTensorDescriptor_t normMeanVarDesc, const void *estimatedMean,
            const void *estimatedVariance, const cudnnTensorDescriptor_t zDesc, const void *z,
            cudnnActivationDescriptor_t activationDesc, const cudnnTensorDescriptor_t yDesc,
            void *y, double epsilon, int groupCnt)
    """
    return _cudnnNormalizationForwardInference(
        handle,
        mode,
        normOps,
        algo,
        alpha,
        beta,
        xDesc,
        x,
        normScaleBiasDesc,
        normScale,
        normBias,
        normMeanVarDesc,
        estimatedMean,
        estimatedVariance,
        zDesc,
        z,
        activationDesc,
        yDesc,
        y,
        epsilon,
        groupCnt,
    )


_cudnnNormalizationForwardTraining = _quick(
    "cudnnNormalizationForwardTraining",
    "",
    (
        "_cudnnHandle_t",
        None,
        None,
        None,
        _scale,
        _scale,
        "_cudnnTensorDescriptor_t",
        _getters,
        "_cudnnTensorDescriptor_t",
        _getters,
        _getters,
        None,
        "_cudnnTensorDescriptor_t",
        _getters,
        _getters,
        None,
        _getters,
        _getters,
        "_cudnnActivationDescriptor_t",
        "_cudnnTensorDescriptor_t",
        _getters,
        "_cudnnTensorDescriptor_t",
        _getters,
        _getters,
        None,
        _getters,
        None,
        None,
    ),
    (None,),
)


@_instead(_cudnnNormalizationForwardTraining)
def cudnnNormalizationForwardTraining(
    handle: Handle | int,
    mode: NormMode,
    normOps: NormOps,
    algo: NormAlgo,
    alpha: ScalingFactor,
    beta: ScalingFactor,
    xDesc: TensorDescriptor | int,
    xData: DevicePointer,
    normScaleBiasDesc: TensorDescriptor | int,
    normScale: DevicePointer,
    normBias: DevicePointer,
    exponentialAverageFactor: float,
    normMeanVarDesc: TensorDescriptor | int,
    resultRunningMean: DevicePointer,
    resultRunningVariance: DevicePointer,
    epsilon: float,
    resultSaveMean: DevicePointer,
    resultSaveInvVariance: DevicePointer,
    activationDesc: ActivationDescriptor | int | None,
    zDesc: TensorDescriptor | int | None,
    zData: DevicePointer,
    yDesc: TensorDescriptor | int,
    yData: DevicePointer,
    workspace: DevicePointer,
    workSpaceSizeInBytes: int,
    reserveSpace: DevicePointer,
    reserveSpaceSizeInBytes: int,
    groupCnt: int,
) -> None:
    """Compute `resultRunningMean`, `resultRunningVariance` and `resultSaveMean`, and more.

    Formula: yData = alpha * f(norm(xData) normScale + normBias + zData) + beta * yData, with z
        and the activation f as normOps says; norm(x) = (x - mean) / sqrt(variance + epsilon)

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        mode: cudnnNormMode_t, a `NormMode`: `ACTIVATION` or `CHANNEL`; statistics for each
            element of a sample (1, C, H, W), or for each channel (1, C, 1, 1).
        normOps: cudnnNormOps_t, a `NormOps`: `NORM`, `NORM_ACTIVATION` or
            `NORM_ADD_ACTIVATION`; the norm alone, with an activation, or with an addition of
            `z` before the activation.
        algo: cudnnNormAlgo_t, a `NormAlgo`: `STANDARD` or `PERSIST`; `PERSIST` is faster for
            some arrays, and may overflow where values are large.
        alpha: const void*, a number, which cuDNN reads as double where the tensor is double,
            else as float; multiplies the result.
        beta: const void*, a number, which cuDNN reads as double where the tensor is double,
            else as float; multiplies what the output held before; 0 leaves that unread.
        xDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        xData: const void*, device memory, laid out as `xDesc` says, read.
        normScaleBiasDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        normScale: const void*, device memory, read.
        normBias: const void*, device memory, read.
        exponentialAverageFactor: double; the weight f of this batch in running statistics: (1 -
            f) * running + f * batch.
        normMeanVarDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        resultRunningMean: void*, device memory, read and written; running statistics, updated
            in place; None for both to keep none.
        resultRunningVariance: void*, device memory, read and written; running statistics,
            updated in place; None for both to keep none.
        epsilon: double; added to the variance before the root; the same forward and backward.
        resultSaveMean: void*, device memory, written; the mean of the batch, for the backward
            function; None not to get it.
        resultSaveInvVariance: void*, device memory, written; 1 / sqrt(variance + epsilon) of
            the batch, for the backward function; None not to get it.
        activationDesc: cudnnActivationDescriptor_t, an `ActivationDescriptor` or its address,
            or None.
        zDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, or None.
        zData: const void*, device memory, laid out as `zDesc` says, read.
        yDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        yData: void*, device memory, laid out as `yDesc` says, read and written.
        workspace: void*, device memory for scratch space, at least `workSpaceSizeInBytes`
            bytes, or None; the caller allocates it, of the size that
            `cudnnGetNormalizationForwardTrainingWorkspaceSize` tells, and may use it for later
            work on the stream.
        workSpaceSizeInBytes: size_t, how many bytes `workspace` has.
        reserveSpace: void*, device memory that the backward calls need again, at least
            `reserveSpaceSizeInBytes` bytes, written, or None; the caller allocates it, of the
            size that `cudnnGetNormalizationTrainingReserveSpaceSize` tells, and keeps it
            unchanged for `cudnnNormalizationBackward`.
        reserveSpaceSizeInBytes: size_t, how many bytes `reserveSpace` has.
        groupCnt: int; always 1: groups are not supported.

    Returns:
        None; the function writes `resultRunningMean`, `resultRunningVariance`,
            `resultSaveMean`, `resultSaveInvVariance` and `yData`, in place.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.batch_norm`, `ops.batch_norm_activation`, `Graph.norm_forward`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnnnormalizationforwardtraining

    C, cudnn_ops.h::

        cudnnStatus_t cudnnNormalizationForwardTraining(cudnnHandle_t handle, cudnnNormMode_t
            mode, cudnnNormOps_t normOps, cudnnNormAlgo_t algo, const void *alpha, const void
            *beta, const cudnnTensorDescriptor_t xDesc, const void *xData, const
            cudnnTensorDescriptor_t normScaleBiasDesc, const void *normScale, const void
            *normBias, double exponentialAverageFactor, const cudnnTensorDescriptor_t
            normMeanVarDesc, void *resultRunningMean, void *resultRunningVariance, double
            epsilon, void *resultSaveMean, void *resultSaveInvVariance,
            cudnnActivationDescriptor_t activationDesc, const cudnnTensorDescriptor_t zDesc,
            const void *zData, const cudnnTensorDescriptor_t yDesc, void *yData, void
            *workspace, size_t workSpaceSizeInBytes, void *reserveSpace, size_t
            reserveSpaceSizeInBytes, int groupCnt)
    """
    return _cudnnNormalizationForwardTraining(
        handle,
        mode,
        normOps,
        algo,
        alpha,
        beta,
        xDesc,
        xData,
        normScaleBiasDesc,
        normScale,
        normBias,
        exponentialAverageFactor,
        normMeanVarDesc,
        resultRunningMean,
        resultRunningVariance,
        epsilon,
        resultSaveMean,
        resultSaveInvVariance,
        activationDesc,
        zDesc,
        zData,
        yDesc,
        yData,
        workspace,
        workSpaceSizeInBytes,
        reserveSpace,
        reserveSpaceSizeInBytes,
        groupCnt,
    )


_cudnnOpTensor = _quick(
    "cudnnOpTensor",
    "",
    (
        "_cudnnHandle_t",
        "_cudnnOpTensorDescriptor_t",
        _scale,
        "_cudnnTensorDescriptor_t",
        _getters,
        _scale,
        "_cudnnTensorDescriptor_t",
        _getters,
        _scale,
        "_cudnnTensorDescriptor_t",
        _getters,
    ),
    (None,),
)


@_instead(_cudnnOpTensor)
def cudnnOpTensor(
    handle: Handle | int,
    opTensorDesc: OpTensorDescriptor | int,
    alpha1: ScalingFactor,
    aDesc: TensorDescriptor | int,
    A: DevicePointer,
    alpha2: ScalingFactor,
    bDesc: TensorDescriptor | int,
    B: DevicePointer,
    beta: ScalingFactor,
    cDesc: TensorDescriptor | int,
    C: DevicePointer,
) -> None:
    """Compute `C` from `A` and `B`.

    Formula: C = beta * C + op(A, B), of A times alpha1, B times alpha2 and repeated along its
        extents of 1, by the op of opTensorDesc

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        opTensorDesc: const cudnnOpTensorDescriptor_t, an `OpTensorDescriptor` or its address.
        alpha1: const void*, a number, which cuDNN reads as double where the tensor is double,
            else as float; multiplies `A`.
        aDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        A: const void*, device memory, laid out as `aDesc` says, read.
        alpha2: const void*, a number, which cuDNN reads as double where the tensor is double,
            else as float; multiplies `B`.
        bDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        B: const void*, device memory, laid out as `bDesc` says, read.
        beta: const void*, a number, which cuDNN reads as double where the tensor is double,
            else as float; multiplies what `C` held before; 0 leaves that unread.
        cDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        C: void*, device memory, laid out as `cDesc` says, read and written.

    Returns:
        None; the function writes `C`, in place.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.tensor_operation`, `ops.add`, `ops.cross_entropy_backward`,
    `ops.cross_entropy`, `Graph.pointwise`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnnoptensor

    C, cudnn_ops.h::

        cudnnStatus_t cudnnOpTensor(cudnnHandle_t handle, const cudnnOpTensorDescriptor_t
            opTensorDesc, const void *alpha1, const cudnnTensorDescriptor_t aDesc, const void
            *A, const void *alpha2, const cudnnTensorDescriptor_t bDesc, const void *B, const
            void *beta, const cudnnTensorDescriptor_t cDesc, void *C)
    """
    return _cudnnOpTensor(handle, opTensorDesc, alpha1, aDesc, A, alpha2, bDesc, B, beta, cDesc, C)


_cudnnOpsVersionCheck = _quick("cudnnOpsVersionCheck", "", (), (None,))


@_instead(_cudnnOpsVersionCheck)
def cudnnOpsVersionCheck() -> None:
    """Check that the sub-library has the version of the others.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 9.0.0.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnnopsversioncheck

    C, cudnn_ops.h::

        cudnnStatus_t cudnnOpsVersionCheck(void)
    """
    return _cudnnOpsVersionCheck()


_cudnnPoolingBackward = _quick(
    "cudnnPoolingBackward",
    "",
    (
        "_cudnnHandle_t",
        "_cudnnPoolingDescriptor_t",
        _scale,
        "_cudnnTensorDescriptor_t",
        _getters,
        "_cudnnTensorDescriptor_t",
        _getters,
        "_cudnnTensorDescriptor_t",
        _getters,
        _scale,
        "_cudnnTensorDescriptor_t",
        _getters,
    ),
    (None,),
)


@_instead(_cudnnPoolingBackward)
def cudnnPoolingBackward(
    handle: Handle | int,
    poolingDesc: PoolingDescriptor | int,
    alpha: ScalingFactor,
    yDesc: TensorDescriptor | int,
    y: DevicePointer,
    dyDesc: TensorDescriptor | int,
    dy: DevicePointer,
    xDesc: TensorDescriptor | int,
    x: DevicePointer,
    beta: ScalingFactor,
    dxDesc: TensorDescriptor | int,
    dx: DevicePointer,
) -> None:
    """Compute `dx` from `y`, `dy` and `x`.

    Formula: dx = alpha * (dy at the maximum of each window, or dy / elements of the window) +
        beta * dx

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        poolingDesc: const cudnnPoolingDescriptor_t, a `PoolingDescriptor` or its address.
        alpha: const void*, a number, which cuDNN reads as double where the tensor is double,
            else as float; multiplies the result.
        yDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        y: const void*, device memory, laid out as `yDesc` says, read.
        dyDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        dy: const void*, device memory, laid out as `dyDesc` says, read.
        xDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        x: const void*, device memory, laid out as `xDesc` says, read.
        beta: const void*, a number, which cuDNN reads as double where the tensor is double,
            else as float; multiplies what `dx` held before; 0 leaves that unread.
        dxDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        dx: void*, device memory, laid out as `dxDesc` says, read and written.

    Returns:
        None; the function writes `dx`, in place.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.pooling_backward`, `Graph.resample_backward`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnnpoolingbackward

    C, cudnn_ops.h::

        cudnnStatus_t cudnnPoolingBackward(cudnnHandle_t handle, const cudnnPoolingDescriptor_t
            poolingDesc, const void *alpha, const cudnnTensorDescriptor_t yDesc, const void *y,
            const cudnnTensorDescriptor_t dyDesc, const void *dy, const cudnnTensorDescriptor_t
            xDesc, const void *x, const void *beta, const cudnnTensorDescriptor_t dxDesc, void
            *dx)
    """
    return _cudnnPoolingBackward(
        handle,
        poolingDesc,
        alpha,
        yDesc,
        y,
        dyDesc,
        dy,
        xDesc,
        x,
        beta,
        dxDesc,
        dx,
    )


_cudnnPoolingForward = _quick(
    "cudnnPoolingForward",
    "",
    (
        "_cudnnHandle_t",
        "_cudnnPoolingDescriptor_t",
        _scale,
        "_cudnnTensorDescriptor_t",
        _getters,
        _scale,
        "_cudnnTensorDescriptor_t",
        _getters,
    ),
    (None,),
)


@_instead(_cudnnPoolingForward)
def cudnnPoolingForward(
    handle: Handle | int,
    poolingDesc: PoolingDescriptor | int,
    alpha: ScalingFactor,
    xDesc: TensorDescriptor | int,
    x: DevicePointer,
    beta: ScalingFactor,
    yDesc: TensorDescriptor | int,
    y: DevicePointer,
) -> None:
    """Compute `y` from `x`.

    Formula: y = alpha * (maximum or mean of x over each window) + beta * y

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        poolingDesc: const cudnnPoolingDescriptor_t, a `PoolingDescriptor` or its address.
        alpha: const void*, a number, which cuDNN reads as double where the tensor is double,
            else as float; multiplies the result.
        xDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        x: const void*, device memory, laid out as `xDesc` says, read.
        beta: const void*, a number, which cuDNN reads as double where the tensor is double,
            else as float; multiplies what `y` held before; 0 leaves that unread.
        yDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        y: void*, device memory, laid out as `yDesc` says, read and written.

    Returns:
        None; the function writes `y`, in place.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.max_pool`, `ops.average_pool`, `ops.sum_pool`, `Graph.resample`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnnpoolingforward

    C, cudnn_ops.h::

        cudnnStatus_t cudnnPoolingForward(cudnnHandle_t handle, const cudnnPoolingDescriptor_t
            poolingDesc, const void *alpha, const cudnnTensorDescriptor_t xDesc, const void *x,
            const void *beta, const cudnnTensorDescriptor_t yDesc, void *y)
    """
    return _cudnnPoolingForward(handle, poolingDesc, alpha, xDesc, x, beta, yDesc, y)


_cudnnReduceTensor = _quick(
    "cudnnReduceTensor",
    "",
    (
        "_cudnnHandle_t",
        "_cudnnReduceTensorDescriptor_t",
        _getters,
        None,
        _getters,
        None,
        _scale,
        "_cudnnTensorDescriptor_t",
        _getters,
        _scale,
        "_cudnnTensorDescriptor_t",
        _getters,
    ),
    (None,),
)


@_instead(_cudnnReduceTensor)
def cudnnReduceTensor(
    handle: Handle | int,
    reduceTensorDesc: ReduceTensorDescriptor | int,
    indices: DevicePointer,
    indicesSizeInBytes: int,
    workspace: DevicePointer,
    workspaceSizeInBytes: int,
    alpha: ScalingFactor,
    aDesc: TensorDescriptor | int,
    A: DevicePointer,
    beta: ScalingFactor,
    cDesc: TensorDescriptor | int,
    C: DevicePointer,
) -> None:
    """Compute `indices` and `C` from `A`.

    Formula: C = alpha * reduce(A) + beta * C, over the axes in which C has an extent of 1

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        reduceTensorDesc: const cudnnReduceTensorDescriptor_t, a `ReduceTensorDescriptor` or its
            address.
        indices: void*, device memory, at least `indicesSizeInBytes` bytes, written; positions
            of the extremes within what is reduced, of the size that
            `cudnnGetReductionIndicesSize` tells.
        indicesSizeInBytes: size_t, how many bytes `indices` has.
        workspace: void*, device memory for scratch space, at least `workspaceSizeInBytes`
            bytes, or None; the caller allocates it, of the size that
            `cudnnGetReductionWorkspaceSize` tells, and may use it for later work on the stream.
        workspaceSizeInBytes: size_t, how many bytes `workspace` has.
        alpha: const void*, a number, which cuDNN reads as double where the tensor is double,
            else as float; multiplies the result.
        aDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        A: const void*, device memory, laid out as `aDesc` says, read.
        beta: const void*, a number, which cuDNN reads as double where the tensor is double,
            else as float; multiplies what `C` held before; 0 leaves that unread.
        cDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        C: void*, device memory, laid out as `cDesc` says, read and written.

    Returns:
        None; the function writes `indices` and `C`, in place.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.reduce`, `ops.cross_entropy`, `Graph.reduction`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnnreducetensor

    C, cudnn_ops.h::

        cudnnStatus_t cudnnReduceTensor(cudnnHandle_t handle, const
            cudnnReduceTensorDescriptor_t reduceTensorDesc, void *indices, size_t
            indicesSizeInBytes, void *workspace, size_t workspaceSizeInBytes, const void *alpha,
            const cudnnTensorDescriptor_t aDesc, const void *A, const void *beta, const
            cudnnTensorDescriptor_t cDesc, void *C)
    """
    return _cudnnReduceTensor(
        handle,
        reduceTensorDesc,
        indices,
        indicesSizeInBytes,
        workspace,
        workspaceSizeInBytes,
        alpha,
        aDesc,
        A,
        beta,
        cDesc,
        C,
    )


_cudnnRestoreDropoutDescriptor = _quick(
    "cudnnRestoreDropoutDescriptor",
    "",
    ("_cudnnDropoutDescriptor_t", "_cudnnHandle_t", None, _getters, None, None),
    (None,),
)


@_instead(_cudnnRestoreDropoutDescriptor)
def cudnnRestoreDropoutDescriptor(
    dropoutDesc: DropoutDescriptor | int,
    handle: Handle | int,
    dropout: float,
    states: DevicePointer,
    stateSizeInBytes: int,
    seed: int,
) -> None:
    """Restore `dropoutDesc` from `dropout`, `states`, `stateSizeInBytes` and `seed`.

    Args:
        dropoutDesc: cudnnDropoutDescriptor_t, a `DropoutDescriptor` or its address, changed.
        handle: cudnnHandle_t, a `Handle` or its address.
        dropout: float; the probability with which an element becomes 0.
        states: void*, device memory, read; the states of random generators, as another
            descriptor left them; kept as long as the descriptor is used.
        stateSizeInBytes: size_t, in bytes; at least what `cudnnDropoutGetStatesSize` tells.
        seed: unsigned long long; of the random generators: the same seed gives the same
            sequence of masks.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier.

    See also: `ops.dropout`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnnrestoredropoutdescriptor

    C, cudnn_ops.h::

        cudnnStatus_t cudnnRestoreDropoutDescriptor(cudnnDropoutDescriptor_t dropoutDesc,
            cudnnHandle_t handle, float dropout, void *states, size_t stateSizeInBytes, unsigned
            long long seed)
    """
    return _cudnnRestoreDropoutDescriptor(
        dropoutDesc,
        handle,
        dropout,
        states,
        stateSizeInBytes,
        seed,
    )


_cudnnScaleTensor = _quick(
    "cudnnScaleTensor",
    "",
    ("_cudnnHandle_t", "_cudnnTensorDescriptor_t", _getters, _scale),
    (None,),
)


@_instead(_cudnnScaleTensor)
def cudnnScaleTensor(
    handle: Handle | int,
    yDesc: TensorDescriptor | int,
    y: DevicePointer,
    alpha: ScalingFactor,
) -> None:
    """Update `y` in place with `alpha`.

    Formula: y = alpha * y

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        yDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        y: void*, device memory, laid out as `yDesc` says, read and written.
        alpha: const void*, a number, which cuDNN reads as double where the tensor is double,
            else as float; multiplies each element.

    Returns:
        None; the function writes `y`, in place.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.scale`, `Graph.pointwise`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnnscaletensor

    C, cudnn_ops.h::

        cudnnStatus_t cudnnScaleTensor(cudnnHandle_t handle, const cudnnTensorDescriptor_t
            yDesc, void *y, const void *alpha)
    """
    return _cudnnScaleTensor(handle, yDesc, y, alpha)


_cudnnSetActivationDescriptor = _quick(
    "cudnnSetActivationDescriptor",
    "",
    ("_cudnnActivationDescriptor_t", None, None, None),
    (None,),
)


@_instead(_cudnnSetActivationDescriptor)
def cudnnSetActivationDescriptor(
    activationDesc: ActivationDescriptor | int,
    mode: ActivationMode,
    reluNanOpt: NanPropagation,
    coef: float,
) -> None:
    """Set `mode`, `reluNanOpt` and `coef` of `activationDesc`.

    Args:
        activationDesc: cudnnActivationDescriptor_t, an `ActivationDescriptor` or its address,
            changed.
        mode: cudnnActivationMode_t, an `ActivationMode`; the function f.
        reluNanOpt: cudnnNanPropagation_t, a `NanPropagation`: `NOT_PROPAGATE_NAN` or
            `PROPAGATE_NAN`; whether NaN in the input gives NaN.
        coef: double; the ceiling of `CLIPPED_RELU`, the alpha of `ELU`; other functions ignore
            it.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.relu`, `ops.activation_backward`, `Graph.pointwise`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnnsetactivationdescriptor

    C, cudnn_ops.h::

        cudnnStatus_t cudnnSetActivationDescriptor(cudnnActivationDescriptor_t activationDesc,
            cudnnActivationMode_t mode, cudnnNanPropagation_t reluNanOpt, double coef)
    """
    return _cudnnSetActivationDescriptor(activationDesc, mode, reluNanOpt, coef)


_cudnnSetActivationDescriptorSwishBeta = _quick(
    "cudnnSetActivationDescriptorSwishBeta",
    "",
    ("_cudnnActivationDescriptor_t", None),
    (None,),
)


@_instead(_cudnnSetActivationDescriptorSwishBeta)
def cudnnSetActivationDescriptorSwishBeta(
    activationDesc: ActivationDescriptor | int,
    swish_beta: float,
) -> None:
    """Set `swish_beta` of `activationDesc`.

    Args:
        activationDesc: cudnnActivationDescriptor_t, an `ActivationDescriptor` or its address,
            changed.
        swish_beta: double; the b of f(x) = x / (1 + exp(-b x)), 1 by default.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.relu`, `ops.activation_backward`, `Graph.pointwise`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnnsetactivationdescriptorswishbeta

    C, cudnn_ops.h::

        cudnnStatus_t cudnnSetActivationDescriptorSwishBeta(cudnnActivationDescriptor_t
            activationDesc, double swish_beta)
    """
    return _cudnnSetActivationDescriptorSwishBeta(activationDesc, swish_beta)


_cudnnSetDropoutDescriptor = _quick(
    "cudnnSetDropoutDescriptor",
    "",
    ("_cudnnDropoutDescriptor_t", "_cudnnHandle_t", None, _getters, None, None),
    (None,),
)


@_instead(_cudnnSetDropoutDescriptor)
def cudnnSetDropoutDescriptor(
    dropoutDesc: DropoutDescriptor | int,
    handle: Handle | int,
    dropout: float,
    states: DevicePointer,
    stateSizeInBytes: int,
    seed: int,
) -> None:
    """Set `dropout`, `states`, `stateSizeInBytes` and `seed` of `dropoutDesc`.

    Args:
        dropoutDesc: cudnnDropoutDescriptor_t, a `DropoutDescriptor` or its address, changed.
        handle: cudnnHandle_t, a `Handle` or its address.
        dropout: float; the probability with which an element becomes 0.
        states: void*, device memory, written; the states of random generators: the caller
            allocates them, of the size that `cudnnDropoutGetStatesSize` tells, and keeps them
            as long as the descriptor is used.
        stateSizeInBytes: size_t, in bytes; at least what `cudnnDropoutGetStatesSize` tells.
        seed: unsigned long long; of the random generators: the same seed gives the same
            sequence of masks.

    Returns:
        None; the function writes `states`, in place.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier.

    See also: `ops.dropout`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnnsetdropoutdescriptor

    C, cudnn_ops.h::

        cudnnStatus_t cudnnSetDropoutDescriptor(cudnnDropoutDescriptor_t dropoutDesc,
            cudnnHandle_t handle, float dropout, void *states, size_t stateSizeInBytes, unsigned
            long long seed)
    """
    return _cudnnSetDropoutDescriptor(dropoutDesc, handle, dropout, states, stateSizeInBytes, seed)


_cudnnSetFilter4dDescriptor = _quick(
    "cudnnSetFilter4dDescriptor",
    "",
    ("_cudnnFilterDescriptor_t", None, None, None, None, None, None),
    (None,),
)


@_instead(_cudnnSetFilter4dDescriptor)
def cudnnSetFilter4dDescriptor(
    filterDesc: FilterDescriptor | int,
    dataType: DataType,
    format: TensorFormat,
    k: int,
    c: int,
    h: int,
    w: int,
) -> None:
    """Set `dataType`, `format`, `k`, `c`, `h` and `w` of `filterDesc`.

    Args:
        filterDesc: cudnnFilterDescriptor_t, a `FilterDescriptor` or its address, changed.
        dataType: cudnnDataType_t, a `DataType`.
        format: cudnnTensorFormat_t, a `TensorFormat`: `NCHW`, `NHWC` or `NCHW_VECT_C`; the
            order of axes in memory; `NCHW_VECT_C` has vectors of 4 or 32 channels.
        k: int.
        c: int.
        h: int.
        w: int.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnnsetfilter4ddescriptor

    C, cudnn_ops.h::

        cudnnStatus_t cudnnSetFilter4dDescriptor(cudnnFilterDescriptor_t filterDesc,
            cudnnDataType_t dataType, cudnnTensorFormat_t format, int k, int c, int h, int w)
    """
    return _cudnnSetFilter4dDescriptor(filterDesc, dataType, format, k, c, h, w)


def cudnnSetFilterNdDescriptor(
    filterDesc: FilterDescriptor | int,
    dataType: DataType,
    format: TensorFormat,
    nbDims: int,
    filterDimA: Sequence[int] | HostPointer,
) -> None:
    """Set `dataType`, `format` and `filterDimA` of `filterDesc`.

    Args:
        filterDesc: cudnnFilterDescriptor_t, a `FilterDescriptor` or its address, changed.
        dataType: cudnnDataType_t, a `DataType`.
        format: cudnnTensorFormat_t, a `TensorFormat`: `NCHW`, `NHWC` or `NCHW_VECT_C`; the
            order of axes in memory; `NCHW_VECT_C` has vectors of 4 or 32 channels.
        nbDims: int, how many elements `filterDimA` has.
        filterDimA: const int[], a sequence of numbers, at least `nbDims` elements.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnnsetfilternddescriptor

    C, cudnn_ops.h::

        cudnnStatus_t cudnnSetFilterNdDescriptor(cudnnFilterDescriptor_t filterDesc,
            cudnnDataType_t dataType, cudnnTensorFormat_t format, int nbDims, const int
            filterDimA[])
    """
    if (
        _type(filterDesc),
        _type(dataType),
        _type(format),
        _type(nbDims),
    ) not in _plain_cudnnSetFilterNdDescriptor:
        return _slow(
            cudnnSetFilterNdDescriptor,
            "cudnnSetFilterNdDescriptor",
            (filterDesc, dataType, format, nbDims, filterDimA),
        )
    try:
        _in_filterDimA = _array(filterDimA, "i", nbDims, "filterDimA")
        _status = _cudnnSetFilterNdDescriptor(
            filterDesc if _type(filterDesc) is int else filterDesc._cudnnFilterDescriptor_t,
            dataType,
            format,
            nbDims,
            _in_filterDimA,
        )
    except _CONVERT as _error:
        return _slow(
            cudnnSetFilterNdDescriptor,
            "cudnnSetFilterNdDescriptor",
            (filterDesc, dataType, format, nbDims, filterDimA),
            _error,
        )
    if _status:
        return _failed(
            cudnnSetFilterNdDescriptor,
            "cudnnSetFilterNdDescriptor",
            _status,
            (filterDesc, dataType, format, nbDims, filterDimA),
        )
    return None


_cudnnSetLRNDescriptor = _quick(
    "cudnnSetLRNDescriptor",
    "",
    ("_cudnnLRNDescriptor_t", None, None, None, None),
    (None,),
)


@_instead(_cudnnSetLRNDescriptor)
def cudnnSetLRNDescriptor(
    normDesc: LRNDescriptor | int,
    lrnN: int,
    lrnAlpha: float,
    lrnBeta: float,
    lrnK: float,
) -> None:
    """Set `lrnN`, `lrnAlpha`, `lrnBeta` and `lrnK` of `normDesc`.

    Args:
        normDesc: cudnnLRNDescriptor_t, an `LRNDescriptor` or its address, changed.
        lrnN: unsigned int; the width of the window, in channels or elements.
        lrnAlpha: double; the factor of the sum of squares, which is divided by the elements of
            the window.
        lrnBeta: double; the power of the denominator.
        lrnK: double; the constant in the denominator.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier.

    See also: `ops.local_response_norm`, `ops.divisive_norm`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnnsetlrndescriptor

    C, cudnn_ops.h::

        cudnnStatus_t cudnnSetLRNDescriptor(cudnnLRNDescriptor_t normDesc, unsigned int lrnN,
            double lrnAlpha, double lrnBeta, double lrnK)
    """
    return _cudnnSetLRNDescriptor(normDesc, lrnN, lrnAlpha, lrnBeta, lrnK)


_cudnnSetOpTensorDescriptor = _quick(
    "cudnnSetOpTensorDescriptor",
    "",
    ("_cudnnOpTensorDescriptor_t", None, None, None),
    (None,),
)


@_instead(_cudnnSetOpTensorDescriptor)
def cudnnSetOpTensorDescriptor(
    opTensorDesc: OpTensorDescriptor | int,
    opTensorOp: OpTensorOp,
    opTensorCompType: DataType,
    opTensorNanOpt: NanPropagation,
) -> None:
    """Set `opTensorOp`, `opTensorCompType` and `opTensorNanOpt` of `opTensorDesc`.

    Args:
        opTensorDesc: cudnnOpTensorDescriptor_t, an `OpTensorDescriptor` or its address,
            changed.
        opTensorOp: cudnnOpTensorOp_t, an `OpTensorOp`: `ADD`, `MUL`, `MIN`, `MAX`, `SQRT` or
            `NOT`; how elements of two tensors are combined; `SQRT` and `NOT` read `A` alone.
        opTensorCompType: cudnnDataType_t, a `DataType`; the type in which the computation is
            done.
        opTensorNanOpt: cudnnNanPropagation_t, a `NanPropagation`: `NOT_PROPAGATE_NAN` or
            `PROPAGATE_NAN`; whether NaN in the input gives NaN.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.add`, `ops.tensor_operation`, `ops.scale`, `Graph.pointwise`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnnsetoptensordescriptor

    C, cudnn_ops.h::

        cudnnStatus_t cudnnSetOpTensorDescriptor(cudnnOpTensorDescriptor_t opTensorDesc,
            cudnnOpTensorOp_t opTensorOp, cudnnDataType_t opTensorCompType,
            cudnnNanPropagation_t opTensorNanOpt)
    """
    return _cudnnSetOpTensorDescriptor(opTensorDesc, opTensorOp, opTensorCompType, opTensorNanOpt)


_cudnnSetPooling2dDescriptor = _quick(
    "cudnnSetPooling2dDescriptor",
    "",
    ("_cudnnPoolingDescriptor_t", None, None, None, None, None, None, None, None),
    (None,),
)


@_instead(_cudnnSetPooling2dDescriptor)
def cudnnSetPooling2dDescriptor(
    poolingDesc: PoolingDescriptor | int,
    mode: PoolingMode,
    maxpoolingNanOpt: NanPropagation,
    windowHeight: int,
    windowWidth: int,
    verticalPadding: int,
    horizontalPadding: int,
    verticalStride: int,
    horizontalStride: int,
) -> None:
    """Set up `poolingDesc` from the other arguments.

    Args:
        poolingDesc: cudnnPoolingDescriptor_t, a `PoolingDescriptor` or its address, changed.
        mode: cudnnPoolingMode_t, a `PoolingMode`: `MAX`, `AVERAGE_COUNT_INCLUDE_PADDING`,
            `AVERAGE_COUNT_EXCLUDE_PADDING` or `MAX_DETERMINISTIC`; the maximum of a window, or
            its mean with or without the padding in the count.
        maxpoolingNanOpt: cudnnNanPropagation_t, a `NanPropagation`: `NOT_PROPAGATE_NAN` or
            `PROPAGATE_NAN`; whether NaN in the input gives NaN.
        windowHeight: int; the extent of the window, in elements.
        windowWidth: int; the extent of the window, in elements.
        verticalPadding: int; elements at both ends that no maximum counts.
        horizontalPadding: int; elements at both ends that no maximum counts.
        verticalStride: int; the distance of windows, in elements.
        horizontalStride: int; the distance of windows, in elements.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.max_pool`, `ops.pooling_backward`, `Graph.resample`,
    `Graph.resample_backward`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnnsetpooling2ddescriptor

    C, cudnn_ops.h::

        cudnnStatus_t cudnnSetPooling2dDescriptor(cudnnPoolingDescriptor_t poolingDesc,
            cudnnPoolingMode_t mode, cudnnNanPropagation_t maxpoolingNanOpt, int windowHeight,
            int windowWidth, int verticalPadding, int horizontalPadding, int verticalStride, int
            horizontalStride)
    """
    return _cudnnSetPooling2dDescriptor(
        poolingDesc,
        mode,
        maxpoolingNanOpt,
        windowHeight,
        windowWidth,
        verticalPadding,
        horizontalPadding,
        verticalStride,
        horizontalStride,
    )


def cudnnSetPoolingNdDescriptor(
    poolingDesc: PoolingDescriptor | int,
    mode: PoolingMode,
    maxpoolingNanOpt: NanPropagation,
    nbDims: int,
    windowDimA: Sequence[int] | HostPointer,
    paddingA: Sequence[int] | HostPointer,
    strideA: Sequence[int] | HostPointer,
) -> None:
    """Set `mode`, `maxpoolingNanOpt`, `windowDimA`, `paddingA` and `strideA` of `poolingDesc`.

    Args:
        poolingDesc: cudnnPoolingDescriptor_t, a `PoolingDescriptor` or its address, changed.
        mode: const cudnnPoolingMode_t, a `PoolingMode`: `MAX`, `AVERAGE_COUNT_INCLUDE_PADDING`,
            `AVERAGE_COUNT_EXCLUDE_PADDING` or `MAX_DETERMINISTIC`; the maximum of a window, or
            its mean with or without the padding in the count.
        maxpoolingNanOpt: const cudnnNanPropagation_t, a `NanPropagation`: `NOT_PROPAGATE_NAN`
            or `PROPAGATE_NAN`; whether NaN in the input gives NaN.
        nbDims: int, how many elements `windowDimA`, `paddingA` and `strideA` have.
        windowDimA: const int[], a sequence of numbers, at least `nbDims` elements; the extent
            of the window, in elements.
        paddingA: const int[], a sequence of numbers, at least `nbDims` elements; elements at
            both ends that no maximum counts.
        strideA: const int[], a sequence of numbers, at least `nbDims` elements; the stride of
            each spatial axis.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.max_pool`, `ops.pooling_backward`, `Graph.resample`,
    `Graph.resample_backward`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnnsetpoolingnddescriptor

    C, cudnn_ops.h::

        cudnnStatus_t cudnnSetPoolingNdDescriptor(cudnnPoolingDescriptor_t poolingDesc, const
            cudnnPoolingMode_t mode, const cudnnNanPropagation_t maxpoolingNanOpt, int nbDims,
            const int windowDimA[], const int paddingA[], const int strideA[])
    """
    if (
        _type(poolingDesc),
        _type(mode),
        _type(maxpoolingNanOpt),
        _type(nbDims),
    ) not in _plain_cudnnSetPoolingNdDescriptor:
        return _slow(
            cudnnSetPoolingNdDescriptor,
            "cudnnSetPoolingNdDescriptor",
            (poolingDesc, mode, maxpoolingNanOpt, nbDims, windowDimA, paddingA, strideA),
        )
    try:
        _in_windowDimA = _array(windowDimA, "i", nbDims, "windowDimA")
        _in_paddingA = _array(paddingA, "i", nbDims, "paddingA")
        _in_strideA = _array(strideA, "i", nbDims, "strideA")
        _status = _cudnnSetPoolingNdDescriptor(
            poolingDesc if _type(poolingDesc) is int else poolingDesc._cudnnPoolingDescriptor_t,
            mode,
            maxpoolingNanOpt,
            nbDims,
            _in_windowDimA,
            _in_paddingA,
            _in_strideA,
        )
    except _CONVERT as _error:
        return _slow(
            cudnnSetPoolingNdDescriptor,
            "cudnnSetPoolingNdDescriptor",
            (poolingDesc, mode, maxpoolingNanOpt, nbDims, windowDimA, paddingA, strideA),
            _error,
        )
    if _status:
        return _failed(
            cudnnSetPoolingNdDescriptor,
            "cudnnSetPoolingNdDescriptor",
            _status,
            (poolingDesc, mode, maxpoolingNanOpt, nbDims, windowDimA, paddingA, strideA),
        )
    return None


_cudnnSetReduceTensorDescriptor = _quick(
    "cudnnSetReduceTensorDescriptor",
    "",
    ("_cudnnReduceTensorDescriptor_t", None, None, None, None, None),
    (None,),
)


@_instead(_cudnnSetReduceTensorDescriptor)
def cudnnSetReduceTensorDescriptor(
    reduceTensorDesc: ReduceTensorDescriptor | int,
    reduceTensorOp: ReduceTensorOp,
    reduceTensorCompType: DataType,
    reduceTensorNanOpt: NanPropagation,
    reduceTensorIndices: ReduceTensorIndices,
    reduceTensorIndicesType: IndicesType,
) -> None:
    """Set up `reduceTensorDesc` from the other arguments.

    Args:
        reduceTensorDesc: cudnnReduceTensorDescriptor_t, a `ReduceTensorDescriptor` or its
            address, changed.
        reduceTensorOp: cudnnReduceTensorOp_t, a `ReduceTensorOp`; how elements are combined;
            `AMAX` is the largest absolute value, `NORM2` the root of the sum of squares.
        reduceTensorCompType: cudnnDataType_t, a `DataType`; the type in which the computation
            is done.
        reduceTensorNanOpt: cudnnNanPropagation_t, a `NanPropagation`: `NOT_PROPAGATE_NAN` or
            `PROPAGATE_NAN`; whether NaN in the input gives NaN.
        reduceTensorIndices: cudnnReduceTensorIndices_t, a `ReduceTensorIndices`: `NO_INDICES`
            or `FLATTENED_INDICES`; whether positions of extremes are returned, too: of `MIN`,
            `MAX` and `AMAX` only.
        reduceTensorIndicesType: cudnnIndicesType_t, an `IndicesType`: `CUDNN_32BIT_INDICES`,
            `CUDNN_64BIT_INDICES`, `CUDNN_16BIT_INDICES` or `CUDNN_8BIT_INDICES`; the type of
            the positions; only `CUDNN_32BIT_INDICES` is supported.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.reduce`, `Graph.reduction`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnnsetreducetensordescriptor

    C, cudnn_ops.h::

        cudnnStatus_t cudnnSetReduceTensorDescriptor(cudnnReduceTensorDescriptor_t
            reduceTensorDesc, cudnnReduceTensorOp_t reduceTensorOp, cudnnDataType_t
            reduceTensorCompType, cudnnNanPropagation_t reduceTensorNanOpt,
            cudnnReduceTensorIndices_t reduceTensorIndices, cudnnIndicesType_t
            reduceTensorIndicesType)
    """
    return _cudnnSetReduceTensorDescriptor(
        reduceTensorDesc,
        reduceTensorOp,
        reduceTensorCompType,
        reduceTensorNanOpt,
        reduceTensorIndices,
        reduceTensorIndicesType,
    )


def cudnnSetSpatialTransformerNdDescriptor(
    stDesc: SpatialTransformerDescriptor | int,
    samplerType: SamplerType,
    dataType: DataType,
    nbDims: int,
    dimA: Sequence[int] | HostPointer,
) -> None:
    """Set `samplerType`, `dataType` and `dimA` of `stDesc`.

    Args:
        stDesc: cudnnSpatialTransformerDescriptor_t, a `SpatialTransformerDescriptor` or its
            address, changed.
        samplerType: cudnnSamplerType_t, a `SamplerType`.
        dataType: cudnnDataType_t, a `DataType`.
        nbDims: const int, how many elements `dimA` has.
        dimA: const int[], a sequence of numbers, at least `nbDims` elements.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier.

    See also: `ops.affine_grid`, `ops.grid_sample`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnnsetspatialtransformernddescriptor

    C, cudnn_ops.h::

        cudnnStatus_t cudnnSetSpatialTransformerNdDescriptor(cudnnSpatialTransformerDescriptor_t
            stDesc, cudnnSamplerType_t samplerType, cudnnDataType_t dataType, const int nbDims,
            const int dimA[])
    """
    if (
        _type(stDesc),
        _type(samplerType),
        _type(dataType),
        _type(nbDims),
    ) not in _plain_cudnnSetSpatialTransformerNdDescriptor:
        return _slow(
            cudnnSetSpatialTransformerNdDescriptor,
            "cudnnSetSpatialTransformerNdDescriptor",
            (stDesc, samplerType, dataType, nbDims, dimA),
        )
    try:
        _in_dimA = _array(dimA, "i", nbDims, "dimA")
        _status = _cudnnSetSpatialTransformerNdDescriptor(
            stDesc if _type(stDesc) is int else stDesc._cudnnSpatialTransformerDescriptor_t,
            samplerType,
            dataType,
            nbDims,
            _in_dimA,
        )
    except _CONVERT as _error:
        return _slow(
            cudnnSetSpatialTransformerNdDescriptor,
            "cudnnSetSpatialTransformerNdDescriptor",
            (stDesc, samplerType, dataType, nbDims, dimA),
            _error,
        )
    if _status:
        return _failed(
            cudnnSetSpatialTransformerNdDescriptor,
            "cudnnSetSpatialTransformerNdDescriptor",
            _status,
            (stDesc, samplerType, dataType, nbDims, dimA),
        )
    return None


_cudnnSetTensor = _quick(
    "cudnnSetTensor",
    "",
    ("_cudnnHandle_t", "_cudnnTensorDescriptor_t", _getters, _scale),
    (None,),
)


@_instead(_cudnnSetTensor)
def cudnnSetTensor(
    handle: Handle | int,
    yDesc: TensorDescriptor | int,
    y: DevicePointer,
    valuePtr: ScalingFactor,
) -> None:
    """Write `y` with `valuePtr`.

    Formula: y = valuePtr, in each element

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        yDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        y: void*, device memory, laid out as `yDesc` says, written.
        valuePtr: const void*, a number, which cuDNN reads as double where the tensor is double,
            else as float; the value of each element.

    Returns:
        None; the function writes `y`, in place.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier.

    See also: `ops.fill`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnnsettensor

    C, cudnn_ops.h::

        cudnnStatus_t cudnnSetTensor(cudnnHandle_t handle, const cudnnTensorDescriptor_t yDesc,
            void *y, const void *valuePtr)
    """
    return _cudnnSetTensor(handle, yDesc, y, valuePtr)


_cudnnSetTensor4dDescriptor = _quick(
    "cudnnSetTensor4dDescriptor",
    "",
    ("_cudnnTensorDescriptor_t", None, None, None, None, None, None),
    (None,),
)


@_instead(_cudnnSetTensor4dDescriptor)
def cudnnSetTensor4dDescriptor(
    tensorDesc: TensorDescriptor | int,
    format: TensorFormat,
    dataType: DataType,
    n: int,
    c: int,
    h: int,
    w: int,
) -> None:
    """Set `format`, `dataType`, `n`, `c`, `h` and `w` of `tensorDesc`.

    Args:
        tensorDesc: cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, changed.
        format: cudnnTensorFormat_t, a `TensorFormat`: `NCHW`, `NHWC` or `NCHW_VECT_C`; the
            order of axes in memory; `NCHW_VECT_C` has vectors of 4 or 32 channels.
        dataType: cudnnDataType_t, a `DataType`.
        n: int.
        c: int.
        h: int.
        w: int.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnnsettensor4ddescriptor

    C, cudnn_ops.h::

        cudnnStatus_t cudnnSetTensor4dDescriptor(cudnnTensorDescriptor_t tensorDesc,
            cudnnTensorFormat_t format, cudnnDataType_t dataType, int n, int c, int h, int w)
    """
    return _cudnnSetTensor4dDescriptor(tensorDesc, format, dataType, n, c, h, w)


_cudnnSetTensor4dDescriptorEx = _quick(
    "cudnnSetTensor4dDescriptorEx",
    "",
    ("_cudnnTensorDescriptor_t", None, None, None, None, None, None, None, None, None),
    (None,),
)


@_instead(_cudnnSetTensor4dDescriptorEx)
def cudnnSetTensor4dDescriptorEx(
    tensorDesc: TensorDescriptor | int,
    dataType: DataType,
    n: int,
    c: int,
    h: int,
    w: int,
    nStride: int,
    cStride: int,
    hStride: int,
    wStride: int,
) -> None:
    """Set up `tensorDesc` from the other arguments.

    Args:
        tensorDesc: cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, changed.
        dataType: cudnnDataType_t, a `DataType`.
        n: int.
        c: int.
        h: int.
        w: int.
        nStride: int; in elements, not in bytes.
        cStride: int; in elements, not in bytes.
        hStride: int; in elements, not in bytes.
        wStride: int; in elements, not in bytes.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnnsettensor4ddescriptorex

    C, cudnn_ops.h::

        cudnnStatus_t cudnnSetTensor4dDescriptorEx(cudnnTensorDescriptor_t tensorDesc,
            cudnnDataType_t dataType, int n, int c, int h, int w, int nStride, int cStride, int
            hStride, int wStride)
    """
    return _cudnnSetTensor4dDescriptorEx(
        tensorDesc,
        dataType,
        n,
        c,
        h,
        w,
        nStride,
        cStride,
        hStride,
        wStride,
    )


def cudnnSetTensorNdDescriptor(
    tensorDesc: TensorDescriptor | int,
    dataType: DataType,
    nbDims: int,
    dimA: Sequence[int] | HostPointer,
    strideA: Sequence[int] | HostPointer,
) -> None:
    """Set `dataType`, `dimA` and `strideA` of `tensorDesc`.

    Args:
        tensorDesc: cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, changed.
        dataType: cudnnDataType_t, a `DataType`.
        nbDims: int, how many elements `dimA` and `strideA` have.
        dimA: const int[], a sequence of numbers, at least `nbDims` elements.
        strideA: const int[], a sequence of numbers, at least `nbDims` elements; in elements,
            not in bytes.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnnsettensornddescriptor

    C, cudnn_ops.h::

        cudnnStatus_t cudnnSetTensorNdDescriptor(cudnnTensorDescriptor_t tensorDesc,
            cudnnDataType_t dataType, int nbDims, const int dimA[], const int strideA[])
    """
    if (_type(tensorDesc), _type(dataType), _type(nbDims)) not in _plain_cudnnSetTensorNdDescriptor:
        return _slow(
            cudnnSetTensorNdDescriptor,
            "cudnnSetTensorNdDescriptor",
            (tensorDesc, dataType, nbDims, dimA, strideA),
        )
    try:
        _in_dimA = _array(dimA, "i", nbDims, "dimA")
        _in_strideA = _array(strideA, "i", nbDims, "strideA")
        _status = _cudnnSetTensorNdDescriptor(
            tensorDesc if _type(tensorDesc) is int else tensorDesc._cudnnTensorDescriptor_t,
            dataType,
            nbDims,
            _in_dimA,
            _in_strideA,
        )
    except _CONVERT as _error:
        return _slow(
            cudnnSetTensorNdDescriptor,
            "cudnnSetTensorNdDescriptor",
            (tensorDesc, dataType, nbDims, dimA, strideA),
            _error,
        )
    if _status:
        return _failed(
            cudnnSetTensorNdDescriptor,
            "cudnnSetTensorNdDescriptor",
            _status,
            (tensorDesc, dataType, nbDims, dimA, strideA),
        )
    return None


def cudnnSetTensorNdDescriptorEx(
    tensorDesc: TensorDescriptor | int,
    format: TensorFormat,
    dataType: DataType,
    nbDims: int,
    dimA: Sequence[int] | HostPointer,
) -> None:
    """Set `format`, `dataType` and `dimA` of `tensorDesc`.

    Args:
        tensorDesc: cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, changed.
        format: cudnnTensorFormat_t, a `TensorFormat`: `NCHW`, `NHWC` or `NCHW_VECT_C`; the
            order of axes in memory; `NCHW_VECT_C` has vectors of 4 or 32 channels.
        dataType: cudnnDataType_t, a `DataType`.
        nbDims: int, how many elements `dimA` has.
        dimA: const int[], a sequence of numbers, at least `nbDims` elements.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnnsettensornddescriptorex

    C, cudnn_ops.h::

        cudnnStatus_t cudnnSetTensorNdDescriptorEx(cudnnTensorDescriptor_t tensorDesc,
            cudnnTensorFormat_t format, cudnnDataType_t dataType, int nbDims, const int dimA[])
    """
    if (
        _type(tensorDesc),
        _type(format),
        _type(dataType),
        _type(nbDims),
    ) not in _plain_cudnnSetTensorNdDescriptorEx:
        return _slow(
            cudnnSetTensorNdDescriptorEx,
            "cudnnSetTensorNdDescriptorEx",
            (tensorDesc, format, dataType, nbDims, dimA),
        )
    try:
        _in_dimA = _array(dimA, "i", nbDims, "dimA")
        _status = _cudnnSetTensorNdDescriptorEx(
            tensorDesc if _type(tensorDesc) is int else tensorDesc._cudnnTensorDescriptor_t,
            format,
            dataType,
            nbDims,
            _in_dimA,
        )
    except _CONVERT as _error:
        return _slow(
            cudnnSetTensorNdDescriptorEx,
            "cudnnSetTensorNdDescriptorEx",
            (tensorDesc, format, dataType, nbDims, dimA),
            _error,
        )
    if _status:
        return _failed(
            cudnnSetTensorNdDescriptorEx,
            "cudnnSetTensorNdDescriptorEx",
            _status,
            (tensorDesc, format, dataType, nbDims, dimA),
        )
    return None


def cudnnSetTensorTransformDescriptor(
    transformDesc: TensorTransformDescriptor | int,
    nbDims: int,
    destFormat: TensorFormat,
    padBeforeA: Sequence[int] | HostPointer,
    padAfterA: Sequence[int] | HostPointer,
    foldA: Sequence[int] | HostPointer,
    direction: FoldingDirection,
) -> None:
    """Set `destFormat`, `padBeforeA`, `padAfterA`, `foldA` and `direction` of `transformDesc`.

    Args:
        transformDesc: cudnnTensorTransformDescriptor_t, a `TensorTransformDescriptor` or its
            address, changed.
        nbDims: const uint32_t, how many elements `padBeforeA`, `padAfterA` and `foldA` have.
        destFormat: const cudnnTensorFormat_t, a `TensorFormat`: `NCHW`, `NHWC` or
            `NCHW_VECT_C`; the order of axes in memory; `NCHW_VECT_C` has vectors of 4 or 32
            channels.
        padBeforeA: const int32_t[], a sequence of numbers, at least `nbDims` elements; elements
            added before each axis.
        padAfterA: const int32_t[], a sequence of numbers, at least `nbDims` elements; elements
            added after each axis.
        foldA: const uint32_t[], a sequence of numbers, at least `nbDims` elements; the factor
            of each spatial axis by which blocks become channels.
        direction: const cudnnFoldingDirection_t, a `FoldingDirection`: `FOLD` or `UNFOLD`;
            `FOLD` moves blocks into channels, `UNFOLD` back.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.transform`, `Graph.pointwise`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnnsettensortransformdescriptor

    C, cudnn_ops.h::

        cudnnStatus_t cudnnSetTensorTransformDescriptor(cudnnTensorTransformDescriptor_t
            transformDesc, const uint32_t nbDims, const cudnnTensorFormat_t destFormat, const
            int32_t padBeforeA[], const int32_t padAfterA[], const uint32_t foldA[], const
            cudnnFoldingDirection_t direction)
    """
    if (
        _type(transformDesc),
        _type(nbDims),
        _type(destFormat),
        _type(direction),
    ) not in _plain_cudnnSetTensorTransformDescriptor:
        return _slow(
            cudnnSetTensorTransformDescriptor,
            "cudnnSetTensorTransformDescriptor",
            (transformDesc, nbDims, destFormat, padBeforeA, padAfterA, foldA, direction),
        )
    try:
        _in_padBeforeA = _array(padBeforeA, "i", nbDims, "padBeforeA")
        _in_padAfterA = _array(padAfterA, "i", nbDims, "padAfterA")
        _in_foldA = _array(foldA, "I", nbDims, "foldA")
        _status = _cudnnSetTensorTransformDescriptor(
            transformDesc
            if _type(transformDesc) is int
            else transformDesc._cudnnTensorTransformDescriptor_t,
            nbDims,
            destFormat,
            _in_padBeforeA,
            _in_padAfterA,
            _in_foldA,
            direction,
        )
    except _CONVERT as _error:
        return _slow(
            cudnnSetTensorTransformDescriptor,
            "cudnnSetTensorTransformDescriptor",
            (transformDesc, nbDims, destFormat, padBeforeA, padAfterA, foldA, direction),
            _error,
        )
    if _status:
        return _failed(
            cudnnSetTensorTransformDescriptor,
            "cudnnSetTensorTransformDescriptor",
            _status,
            (transformDesc, nbDims, destFormat, padBeforeA, padAfterA, foldA, direction),
        )
    return None


_cudnnSoftmaxBackward = _quick(
    "cudnnSoftmaxBackward",
    "",
    (
        "_cudnnHandle_t",
        None,
        None,
        _scale,
        "_cudnnTensorDescriptor_t",
        _getters,
        "_cudnnTensorDescriptor_t",
        _getters,
        _scale,
        "_cudnnTensorDescriptor_t",
        _getters,
    ),
    (None,),
)


@_instead(_cudnnSoftmaxBackward)
def cudnnSoftmaxBackward(
    handle: Handle | int,
    algo: SoftmaxAlgorithm,
    mode: SoftmaxMode,
    alpha: ScalingFactor,
    yDesc: TensorDescriptor | int,
    y: DevicePointer,
    dyDesc: TensorDescriptor | int,
    dy: DevicePointer,
    beta: ScalingFactor,
    dxDesc: TensorDescriptor | int,
    dx: DevicePointer,
) -> None:
    """Compute `dx` from `y` and `dy`.

    Formula: dx = alpha * y (dy - sum of dy y) + beta * dx; of `LOG` alpha * (dy - exp(y) sum of
        dy) + beta * dx

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        algo: cudnnSoftmaxAlgorithm_t, a `SoftmaxAlgorithm`: `FAST`, `ACCURATE` or `LOG`;
            `ACCURATE` subtracts the maximum first, against overflow, `FAST` does not; `LOG` is
            the logarithm.
        mode: cudnnSoftmaxMode_t, a `SoftmaxMode`: `INSTANCE` or `CHANNEL`; sums over C, H and W
            of each sample, or over C alone at each position.
        alpha: const void*, a number, which cuDNN reads as double where the tensor is double,
            else as float; multiplies the result.
        yDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        y: const void*, device memory, laid out as `yDesc` says, read.
        dyDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        dy: const void*, device memory, laid out as `dyDesc` says, read.
        beta: const void*, a number, which cuDNN reads as double where the tensor is double,
            else as float; multiplies what `dx` held before; 0 leaves that unread.
        dxDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        dx: void*, device memory, laid out as `dxDesc` says, read and written.

    Returns:
        None; the function writes `dx`, in place.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier.

    See also: `ops.softmax_backward`, `ops.cross_entropy_backward`, `Graph.pointwise`,
    `Graph.reduction`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnnsoftmaxbackward

    C, cudnn_ops.h::

        cudnnStatus_t cudnnSoftmaxBackward(cudnnHandle_t handle, cudnnSoftmaxAlgorithm_t algo,
            cudnnSoftmaxMode_t mode, const void *alpha, const cudnnTensorDescriptor_t yDesc,
            const void *y, const cudnnTensorDescriptor_t dyDesc, const void *dy, const void
            *beta, const cudnnTensorDescriptor_t dxDesc, void *dx)
    """
    return _cudnnSoftmaxBackward(handle, algo, mode, alpha, yDesc, y, dyDesc, dy, beta, dxDesc, dx)


_cudnnSoftmaxForward = _quick(
    "cudnnSoftmaxForward",
    "",
    (
        "_cudnnHandle_t",
        None,
        None,
        _scale,
        "_cudnnTensorDescriptor_t",
        _getters,
        _scale,
        "_cudnnTensorDescriptor_t",
        _getters,
    ),
    (None,),
)


@_instead(_cudnnSoftmaxForward)
def cudnnSoftmaxForward(
    handle: Handle | int,
    algo: SoftmaxAlgorithm,
    mode: SoftmaxMode,
    alpha: ScalingFactor,
    xDesc: TensorDescriptor | int,
    x: DevicePointer,
    beta: ScalingFactor,
    yDesc: TensorDescriptor | int,
    y: DevicePointer,
) -> None:
    """Compute `y` from `x`.

    Formula: y = alpha * exp(x) / (sum of exp(x)) + beta * y; of `LOG` the logarithm of the
        quotient

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        algo: cudnnSoftmaxAlgorithm_t, a `SoftmaxAlgorithm`: `FAST`, `ACCURATE` or `LOG`;
            `ACCURATE` subtracts the maximum first, against overflow, `FAST` does not; `LOG` is
            the logarithm.
        mode: cudnnSoftmaxMode_t, a `SoftmaxMode`: `INSTANCE` or `CHANNEL`; sums over C, H and W
            of each sample, or over C alone at each position.
        alpha: const void*, a number, which cuDNN reads as double where the tensor is double,
            else as float; multiplies the result.
        xDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        x: const void*, device memory, laid out as `xDesc` says, read.
        beta: const void*, a number, which cuDNN reads as double where the tensor is double,
            else as float; multiplies what `y` held before; 0 leaves that unread.
        yDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        y: void*, device memory, laid out as `yDesc` says, read and written.

    Returns:
        None; the function writes `y`, in place.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier.

    See also: `ops.softmax`, `ops.log_softmax`, `ops.cross_entropy_backward`,
    `ops.cross_entropy`, `Graph.softmax`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnnsoftmaxforward

    C, cudnn_ops.h::

        cudnnStatus_t cudnnSoftmaxForward(cudnnHandle_t handle, cudnnSoftmaxAlgorithm_t algo,
            cudnnSoftmaxMode_t mode, const void *alpha, const cudnnTensorDescriptor_t xDesc,
            const void *x, const void *beta, const cudnnTensorDescriptor_t yDesc, void *y)
    """
    return _cudnnSoftmaxForward(handle, algo, mode, alpha, xDesc, x, beta, yDesc, y)


_cudnnSpatialTfGridGeneratorBackward = _quick(
    "cudnnSpatialTfGridGeneratorBackward",
    "",
    ("_cudnnHandle_t", "_cudnnSpatialTransformerDescriptor_t", _getters, _getters),
    (None,),
)


@_instead(_cudnnSpatialTfGridGeneratorBackward)
def cudnnSpatialTfGridGeneratorBackward(
    handle: Handle | int,
    stDesc: SpatialTransformerDescriptor | int,
    dgrid: DevicePointer,
    dtheta: DevicePointer,
) -> None:
    """Compute `dtheta` from `dgrid`.

    Formula: dtheta = sum over points of dgrid (a, b, 1)

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        stDesc: const cudnnSpatialTransformerDescriptor_t, a `SpatialTransformerDescriptor` or
            its address.
        dgrid: const void*, device memory, read.
        dtheta: void*, device memory, written.

    Returns:
        None; the function writes `dtheta`, in place.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier.

    See also: `ops.affine_grid_backward`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnnspatialtfgridgeneratorbackward

    C, cudnn_ops.h::

        cudnnStatus_t cudnnSpatialTfGridGeneratorBackward(cudnnHandle_t handle, const
            cudnnSpatialTransformerDescriptor_t stDesc, const void *dgrid, void *dtheta)
    """
    return _cudnnSpatialTfGridGeneratorBackward(handle, stDesc, dgrid, dtheta)


_cudnnSpatialTfGridGeneratorForward = _quick(
    "cudnnSpatialTfGridGeneratorForward",
    "",
    ("_cudnnHandle_t", "_cudnnSpatialTransformerDescriptor_t", _getters, _getters),
    (None,),
)


@_instead(_cudnnSpatialTfGridGeneratorForward)
def cudnnSpatialTfGridGeneratorForward(
    handle: Handle | int,
    stDesc: SpatialTransformerDescriptor | int,
    theta: DevicePointer,
    grid: DevicePointer,
) -> None:
    """Compute `grid` from `theta`.

    Formula: grid = the points (u, v) = theta (a, b, 1)', with a and b from -1 to 1 over the
        output

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        stDesc: const cudnnSpatialTransformerDescriptor_t, a `SpatialTransformerDescriptor` or
            its address.
        theta: const void*, device memory, read.
        grid: void*, device memory, written.

    Returns:
        None; the function writes `grid`, in place.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier.

    See also: `ops.affine_grid`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnnspatialtfgridgeneratorforward

    C, cudnn_ops.h::

        cudnnStatus_t cudnnSpatialTfGridGeneratorForward(cudnnHandle_t handle, const
            cudnnSpatialTransformerDescriptor_t stDesc, const void *theta, void *grid)
    """
    return _cudnnSpatialTfGridGeneratorForward(handle, stDesc, theta, grid)


_cudnnSpatialTfSamplerBackward = _quick(
    "cudnnSpatialTfSamplerBackward",
    "",
    (
        "_cudnnHandle_t",
        "_cudnnSpatialTransformerDescriptor_t",
        _scale,
        "_cudnnTensorDescriptor_t",
        _getters,
        _scale,
        "_cudnnTensorDescriptor_t",
        _getters,
        _scale,
        "_cudnnTensorDescriptor_t",
        _getters,
        _getters,
        _scale,
        _getters,
    ),
    (None,),
)


@_instead(_cudnnSpatialTfSamplerBackward)
def cudnnSpatialTfSamplerBackward(
    handle: Handle | int,
    stDesc: SpatialTransformerDescriptor | int,
    alpha: ScalingFactor,
    xDesc: TensorDescriptor | int,
    x: DevicePointer,
    beta: ScalingFactor,
    dxDesc: TensorDescriptor | int,
    dx: DevicePointer,
    alphaDgrid: ScalingFactor,
    dyDesc: TensorDescriptor | int,
    dy: DevicePointer,
    grid: DevicePointer,
    betaDgrid: ScalingFactor,
    dgrid: DevicePointer,
) -> None:
    """Compute `dx` and `dgrid` from `x`, `dy` and `grid`.

    Formula: dx = alpha * (dy, added to the four neighbors of each point) + beta * dx; dgrid =
        alphaDgrid * (dy times the slope of x) + betaDgrid * dgrid

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        stDesc: cudnnSpatialTransformerDescriptor_t, a `SpatialTransformerDescriptor` or its
            address.
        alpha: const void*, a number, which cuDNN reads as double where the tensor is double,
            else as float; multiplies the result.
        xDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        x: const void*, device memory, laid out as `xDesc` says, read.
        beta: const void*, a number, which cuDNN reads as double where the tensor is double,
            else as float; multiplies what `dx` held before; 0 leaves that unread.
        dxDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        dx: void*, device memory, laid out as `dxDesc` says, read and written.
        alphaDgrid: const void*, a number, which cuDNN reads as double where the tensor is
            double, else as float; multiplies the gradient for `grid`.
        dyDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        dy: const void*, device memory, laid out as `dyDesc` says, read.
        grid: const void*, device memory, read.
        betaDgrid: const void*, a number, which cuDNN reads as double where the tensor is
            double, else as float; multiplies what `dgrid` held before; 0 leaves that unread.
        dgrid: void*, device memory, read and written.

    Returns:
        None; the function writes `dx` and `dgrid`, in place.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier.

    See also: `ops.grid_sample_backward`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnnspatialtfsamplerbackward

    C, cudnn_ops.h::

        cudnnStatus_t cudnnSpatialTfSamplerBackward(cudnnHandle_t handle,
            cudnnSpatialTransformerDescriptor_t stDesc, const void *alpha, const
            cudnnTensorDescriptor_t xDesc, const void *x, const void *beta, const
            cudnnTensorDescriptor_t dxDesc, void *dx, const void *alphaDgrid, const
            cudnnTensorDescriptor_t dyDesc, const void *dy, const void *grid, const void
            *betaDgrid, void *dgrid)
    """
    return _cudnnSpatialTfSamplerBackward(
        handle,
        stDesc,
        alpha,
        xDesc,
        x,
        beta,
        dxDesc,
        dx,
        alphaDgrid,
        dyDesc,
        dy,
        grid,
        betaDgrid,
        dgrid,
    )


_cudnnSpatialTfSamplerForward = _quick(
    "cudnnSpatialTfSamplerForward",
    "",
    (
        "_cudnnHandle_t",
        "_cudnnSpatialTransformerDescriptor_t",
        _scale,
        "_cudnnTensorDescriptor_t",
        _getters,
        _getters,
        _scale,
        "_cudnnTensorDescriptor_t",
        _getters,
    ),
    (None,),
)


@_instead(_cudnnSpatialTfSamplerForward)
def cudnnSpatialTfSamplerForward(
    handle: Handle | int,
    stDesc: SpatialTransformerDescriptor | int,
    alpha: ScalingFactor,
    xDesc: TensorDescriptor | int,
    x: DevicePointer,
    grid: DevicePointer,
    beta: ScalingFactor,
    yDesc: TensorDescriptor | int,
    y: DevicePointer,
) -> None:
    """Compute `y` from `x` and `grid`.

    Formula: y = alpha * (x at the points of grid, bilinear, 0 outside) + beta * y

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        stDesc: cudnnSpatialTransformerDescriptor_t, a `SpatialTransformerDescriptor` or its
            address.
        alpha: const void*, a number, which cuDNN reads as double where the tensor is double,
            else as float; multiplies the result.
        xDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        x: const void*, device memory, laid out as `xDesc` says, read.
        grid: const void*, device memory, read.
        beta: const void*, a number, which cuDNN reads as double where the tensor is double,
            else as float; multiplies what `y` held before; 0 leaves that unread.
        yDesc: cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        y: void*, device memory, laid out as `yDesc` says, read and written.

    Returns:
        None; the function writes `y`, in place.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier.

    See also: `ops.grid_sample`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnnspatialtfsamplerforward

    C, cudnn_ops.h::

        cudnnStatus_t cudnnSpatialTfSamplerForward(cudnnHandle_t handle,
            cudnnSpatialTransformerDescriptor_t stDesc, const void *alpha, const
            cudnnTensorDescriptor_t xDesc, const void *x, const void *grid, const void *beta,
            cudnnTensorDescriptor_t yDesc, void *y)
    """
    return _cudnnSpatialTfSamplerForward(handle, stDesc, alpha, xDesc, x, grid, beta, yDesc, y)


_cudnnTransformFilter = _quick(
    "cudnnTransformFilter",
    "",
    (
        "_cudnnHandle_t",
        "_cudnnTensorTransformDescriptor_t",
        _scale,
        "_cudnnFilterDescriptor_t",
        _getters,
        _scale,
        "_cudnnFilterDescriptor_t",
        _getters,
    ),
    (None,),
)


@_instead(_cudnnTransformFilter)
def cudnnTransformFilter(
    handle: Handle | int,
    transDesc: TensorTransformDescriptor | int,
    alpha: ScalingFactor,
    srcDesc: FilterDescriptor | int,
    srcData: DevicePointer,
    beta: ScalingFactor,
    destDesc: FilterDescriptor | int,
    destData: DevicePointer,
) -> None:
    """Compute `destData` from `srcData`.

    Formula: destData = alpha * transformed(srcData) + beta * destData, padded and folded as
        transDesc says

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        transDesc: const cudnnTensorTransformDescriptor_t, a `TensorTransformDescriptor` or its
            address.
        alpha: const void*, a number, which cuDNN reads as double where the tensor is double,
            else as float; multiplies the result.
        srcDesc: const cudnnFilterDescriptor_t, a `FilterDescriptor` or its address.
        srcData: const void*, device memory, laid out as `srcDesc` says, read.
        beta: const void*, a number, which cuDNN reads as double where the tensor is double,
            else as float; multiplies what `destData` held before; 0 leaves that unread.
        destDesc: const cudnnFilterDescriptor_t, a `FilterDescriptor` or its address.
        destData: void*, device memory, laid out as `destDesc` says, read and written.

    Returns:
        None; the function writes `destData`, in place.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.transform`, `Graph.pointwise`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnntransformfilter

    C, cudnn_ops.h::

        cudnnStatus_t cudnnTransformFilter(cudnnHandle_t handle, const
            cudnnTensorTransformDescriptor_t transDesc, const void *alpha, const
            cudnnFilterDescriptor_t srcDesc, const void *srcData, const void *beta, const
            cudnnFilterDescriptor_t destDesc, void *destData)
    """
    return _cudnnTransformFilter(
        handle,
        transDesc,
        alpha,
        srcDesc,
        srcData,
        beta,
        destDesc,
        destData,
    )


_cudnnTransformTensor = _quick(
    "cudnnTransformTensor",
    "",
    (
        "_cudnnHandle_t",
        _scale,
        "_cudnnTensorDescriptor_t",
        _getters,
        _scale,
        "_cudnnTensorDescriptor_t",
        _getters,
    ),
    (None,),
)


@_instead(_cudnnTransformTensor)
def cudnnTransformTensor(
    handle: Handle | int,
    alpha: ScalingFactor,
    xDesc: TensorDescriptor | int,
    x: DevicePointer,
    beta: ScalingFactor,
    yDesc: TensorDescriptor | int,
    y: DevicePointer,
) -> None:
    """Compute `y` from `x`.

    Formula: y = alpha * x + beta * y, in the strides of yDesc

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        alpha: const void*, a number, which cuDNN reads as double where the tensor is double,
            else as float; multiplies the result.
        xDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        x: const void*, device memory, laid out as `xDesc` says, read.
        beta: const void*, a number, which cuDNN reads as double where the tensor is double,
            else as float; multiplies what `y` held before; 0 leaves that unread.
        yDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        y: void*, device memory, laid out as `yDesc` says, read and written.

    Returns:
        None; the function writes `y`, in place.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.identity`, `ops.transform`, `ops.batch_norm_inference`, `ops.group_norm`,
    `ops.cross_entropy`, `Graph.pointwise`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnntransformtensor

    C, cudnn_ops.h::

        cudnnStatus_t cudnnTransformTensor(cudnnHandle_t handle, const void *alpha, const
            cudnnTensorDescriptor_t xDesc, const void *x, const void *beta, const
            cudnnTensorDescriptor_t yDesc, void *y)
    """
    return _cudnnTransformTensor(handle, alpha, xDesc, x, beta, yDesc, y)


_cudnnTransformTensorEx = _quick(
    "cudnnTransformTensorEx",
    "",
    (
        "_cudnnHandle_t",
        "_cudnnTensorTransformDescriptor_t",
        _scale,
        "_cudnnTensorDescriptor_t",
        _getters,
        _scale,
        "_cudnnTensorDescriptor_t",
        _getters,
    ),
    (None,),
)


@_instead(_cudnnTransformTensorEx)
def cudnnTransformTensorEx(
    handle: Handle | int,
    transDesc: TensorTransformDescriptor | int,
    alpha: ScalingFactor,
    srcDesc: TensorDescriptor | int,
    srcData: DevicePointer,
    beta: ScalingFactor,
    destDesc: TensorDescriptor | int,
    destData: DevicePointer,
) -> None:
    """Compute `destData` from `srcData`.

    Formula: destData = alpha * transformed(srcData) + beta * destData, padded and folded as
        transDesc says

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        transDesc: const cudnnTensorTransformDescriptor_t, a `TensorTransformDescriptor` or its
            address.
        alpha: const void*, a number, which cuDNN reads as double where the tensor is double,
            else as float; multiplies the result.
        srcDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        srcData: const void*, device memory, laid out as `srcDesc` says, read.
        beta: const void*, a number, which cuDNN reads as double where the tensor is double,
            else as float; multiplies what `destData` held before; 0 leaves that unread.
        destDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        destData: void*, device memory, laid out as `destDesc` says, read and written.

    Returns:
        None; the function writes `destData`, in place.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.fold`, `ops.unfold`, `Graph.pointwise`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html#cudnntransformtensorex

    C, cudnn_ops.h::

        cudnnStatus_t cudnnTransformTensorEx(cudnnHandle_t handle, const
            cudnnTensorTransformDescriptor_t transDesc, const void *alpha, const
            cudnnTensorDescriptor_t srcDesc, const void *srcData, const void *beta, const
            cudnnTensorDescriptor_t destDesc, void *destData)
    """
    return _cudnnTransformTensorEx(
        handle,
        transDesc,
        alpha,
        srcDesc,
        srcData,
        beta,
        destDesc,
        destData,
    )
