# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:badd42d78dd28879340dba9f02f2050f
"""Functions of cudnn_cnn.h, called under their C names without their out-parameters.

They raise what `cudnn_cffi.errors` defines. Pointers are ints or the objects that hold them;
see `cudnn_cffi.types` for what is taken where.
"""

# The signatures are for type checkers, what is inside is not.
# mypy: ignore-errors

from __future__ import annotations

from .._call import (
    CONVERT as _CONVERT,
    array as _array,
    device as _device,
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
    record_values as _record_values,
    records as _records,
    scale as _scale,
    slow as _slow,
    unpack as _unpack,
    unpacker as _unpacker,
    watching as _watching,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, NamedTuple

    from ..enums import (
        ConvolutionBwdDataAlgo,
        ConvolutionBwdFilterAlgo,
        ConvolutionFwdAlgo,
        ConvolutionMode,
        DataType,
        FusedOps,
        FusedOpsConstParamLabel,
        FusedOpsVariantParamLabel,
        MathType,
        ReorderType,
        TensorFormat,
    )
    from ..families import (
        ActivationDescriptor,
        ConvolutionDescriptor,
        FilterDescriptor,
        FusedOpsConstParamPack,
        FusedOpsPlan,
        FusedOpsVariantParamPack,
        Handle,
        TensorDescriptor,
        TensorTransformDescriptor,
    )
    from ..records import (
        ConvolutionBwdDataAlgoPerf,
        ConvolutionBwdFilterAlgoPerf,
        ConvolutionFwdAlgoPerf,
    )
    from ..types import Callback, DevicePointer, HostPointer, ScalingFactor, Stream
else:
    from .._support.results import NamedTuple

_new = tuple.__new__
_type = type
_unpack_3q = _unpacker("3q")
_unpack_q = _unpacker("q")
_ConvolutionMode = _enum_map("ConvolutionMode")
_DataType = _enum_map("DataType")
_MathType = _enum_map("MathType")
_ReorderType = _enum_map("ReorderType")
_cudnnFindConvolutionBackwardDataAlgorithm = _lib.cudnnFindConvolutionBackwardDataAlgorithm
_cudnnFindConvolutionBackwardDataAlgorithmEx = _lib.cudnnFindConvolutionBackwardDataAlgorithmEx
_cudnnFindConvolutionBackwardFilterAlgorithm = _lib.cudnnFindConvolutionBackwardFilterAlgorithm
_cudnnFindConvolutionBackwardFilterAlgorithmEx = _lib.cudnnFindConvolutionBackwardFilterAlgorithmEx
_cudnnFindConvolutionForwardAlgorithm = _lib.cudnnFindConvolutionForwardAlgorithm
_cudnnFindConvolutionForwardAlgorithmEx = _lib.cudnnFindConvolutionForwardAlgorithmEx
_cudnnGetConvolutionBackwardDataAlgorithm_v7 = _lib.cudnnGetConvolutionBackwardDataAlgorithm_v7
_cudnnGetConvolutionBackwardFilterAlgorithm_v7 = _lib.cudnnGetConvolutionBackwardFilterAlgorithm_v7
_cudnnGetConvolutionForwardAlgorithm_v7 = _lib.cudnnGetConvolutionForwardAlgorithm_v7
_cudnnGetConvolutionNdDescriptor = _lib.cudnnGetConvolutionNdDescriptor
_cudnnGetConvolutionNdForwardOutputDim = _lib.cudnnGetConvolutionNdForwardOutputDim
_cudnnSetConvolutionNdDescriptor = _lib.cudnnSetConvolutionNdDescriptor
_plain_cudnnFindConvolutionBackwardDataAlgorithm = _plain(
    "cudnnFindConvolutionBackwardDataAlgorithm"
)
_plain_cudnnFindConvolutionBackwardDataAlgorithmEx = _plain(
    "cudnnFindConvolutionBackwardDataAlgorithmEx"
)
_plain_cudnnFindConvolutionBackwardFilterAlgorithm = _plain(
    "cudnnFindConvolutionBackwardFilterAlgorithm"
)
_plain_cudnnFindConvolutionBackwardFilterAlgorithmEx = _plain(
    "cudnnFindConvolutionBackwardFilterAlgorithmEx"
)
_plain_cudnnFindConvolutionForwardAlgorithm = _plain("cudnnFindConvolutionForwardAlgorithm")
_plain_cudnnFindConvolutionForwardAlgorithmEx = _plain("cudnnFindConvolutionForwardAlgorithmEx")
_plain_cudnnGetConvolutionBackwardDataAlgorithm_v7 = _plain(
    "cudnnGetConvolutionBackwardDataAlgorithm_v7"
)
_plain_cudnnGetConvolutionBackwardFilterAlgorithm_v7 = _plain(
    "cudnnGetConvolutionBackwardFilterAlgorithm_v7"
)
_plain_cudnnGetConvolutionForwardAlgorithm_v7 = _plain("cudnnGetConvolutionForwardAlgorithm_v7")
_plain_cudnnGetConvolutionNdDescriptor = _plain("cudnnGetConvolutionNdDescriptor")
_plain_cudnnGetConvolutionNdForwardOutputDim = _plain("cudnnGetConvolutionNdForwardOutputDim")
_plain_cudnnSetConvolutionNdDescriptor = _plain("cudnnSetConvolutionNdDescriptor")


class GetConvolution2dDescriptorResult(NamedTuple):
    """Results of `cudnnGetConvolution2dDescriptor`."""

    pad_h: int
    pad_w: int
    u: int
    v: int
    dilation_h: int
    dilation_w: int
    mode: ConvolutionMode
    computeType: DataType


class GetConvolution2dForwardOutputDimResult(NamedTuple):
    """Results of `cudnnGetConvolution2dForwardOutputDim`."""

    n: int
    c: int
    h: int
    w: int


class GetConvolutionNdDescriptorResult(NamedTuple):
    """Results of `cudnnGetConvolutionNdDescriptor`."""

    arrayLength: int
    padA: tuple[int, ...]
    strideA: tuple[int, ...]
    dilationA: tuple[int, ...]
    mode: ConvolutionMode
    computeType: DataType


_cudnnCnnVersionCheck = _quick("cudnnCnnVersionCheck", "", (), (None,))


@_instead(_cudnnCnnVersionCheck)
def cudnnCnnVersionCheck() -> None:
    """Check that the sub-library has the version of the others.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 9.0.0.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-cnn-library.html#cudnncnnversioncheck

    C, cudnn_cnn.h::

        cudnnStatus_t cudnnCnnVersionCheck(void)
    """
    return _cudnnCnnVersionCheck()


_cudnnConvolutionBackwardBias = _quick(
    "cudnnConvolutionBackwardBias",
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


@_instead(_cudnnConvolutionBackwardBias)
def cudnnConvolutionBackwardBias(
    handle: Handle | int,
    alpha: ScalingFactor,
    dyDesc: TensorDescriptor | int,
    dy: DevicePointer,
    beta: ScalingFactor,
    dbDesc: TensorDescriptor | int,
    db: DevicePointer,
) -> None:
    """Compute `db` from `dy`.

    Formula: db[k] = alpha * (sum over n, p of dy[n, k, p]) + beta * db[k]

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        alpha: const void*, a number, which cuDNN reads as double where the tensor is double,
            else as float; multiplies the result.
        dyDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        dy: const void*, device memory, laid out as `dyDesc` says, read.
        beta: const void*, a number, which cuDNN reads as double where the tensor is double,
            else as float; multiplies what `db` held before; 0 leaves that unread.
        dbDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        db: void*, device memory, laid out as `dbDesc` says, read and written.

    Returns:
        None; the function writes `db`, in place.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.convolution_backward_bias`, `Graph.reduction`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-cnn-library.html#cudnnconvolutionbackwardbias

    C, cudnn_cnn.h::

        cudnnStatus_t cudnnConvolutionBackwardBias(cudnnHandle_t handle, const void *alpha,
            const cudnnTensorDescriptor_t dyDesc, const void *dy, const void *beta, const
            cudnnTensorDescriptor_t dbDesc, void *db)
    """
    return _cudnnConvolutionBackwardBias(handle, alpha, dyDesc, dy, beta, dbDesc, db)


_cudnnConvolutionBackwardData = _quick(
    "cudnnConvolutionBackwardData",
    "",
    (
        "_cudnnHandle_t",
        _scale,
        "_cudnnFilterDescriptor_t",
        _getters,
        "_cudnnTensorDescriptor_t",
        _getters,
        "_cudnnConvolutionDescriptor_t",
        None,
        _getters,
        None,
        _scale,
        "_cudnnTensorDescriptor_t",
        _getters,
    ),
    (None,),
)


@_instead(_cudnnConvolutionBackwardData)
def cudnnConvolutionBackwardData(
    handle: Handle | int,
    alpha: ScalingFactor,
    wDesc: FilterDescriptor | int,
    w: DevicePointer,
    dyDesc: TensorDescriptor | int,
    dy: DevicePointer,
    convDesc: ConvolutionDescriptor | int,
    algo: ConvolutionBwdDataAlgo,
    workSpace: DevicePointer,
    workSpaceSizeInBytes: int,
    beta: ScalingFactor,
    dxDesc: TensorDescriptor | int,
    dx: DevicePointer,
) -> None:
    """Compute `dx` from `w` and `dy`.

    Formula: dx = alpha * (the gradient of conv(x, w) for x, of dy) + beta * dx

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        alpha: const void*, a number, which cuDNN reads as double where the tensor is double,
            else as float; multiplies the result.
        wDesc: const cudnnFilterDescriptor_t, a `FilterDescriptor` or its address.
        w: const void*, device memory, laid out as `wDesc` says, read.
        dyDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        dy: const void*, device memory, laid out as `dyDesc` says, read.
        convDesc: const cudnnConvolutionDescriptor_t, a `ConvolutionDescriptor` or its address.
        algo: cudnnConvolutionBwdDataAlgo_t, a `ConvolutionBwdDataAlgo`; how to compute;
            `cudnnGetConvolutionBackwardDataAlgorithm_v7` ranks all,
            `cudnnFindConvolutionBackwardDataAlgorithm` times them.
        workSpace: void*, device memory for scratch space, at least `workSpaceSizeInBytes`
            bytes, or None; the caller allocates it, of the size that
            `cudnnGetConvolutionBackwardDataWorkspaceSize` tells, and may use it for later work
            on the stream.
        workSpaceSizeInBytes: size_t, how many bytes `workSpace` has.
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

    See also: `ops.convolution_backward_data`, `ops.col2im`, `ops.convolution_transpose`,
    `Graph.convolution_backward_data`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-cnn-library.html#cudnnconvolutionbackwarddata

    C, cudnn_cnn.h::

        cudnnStatus_t cudnnConvolutionBackwardData(cudnnHandle_t handle, const void *alpha,
            const cudnnFilterDescriptor_t wDesc, const void *w, const cudnnTensorDescriptor_t
            dyDesc, const void *dy, const cudnnConvolutionDescriptor_t convDesc,
            cudnnConvolutionBwdDataAlgo_t algo, void *workSpace, size_t workSpaceSizeInBytes,
            const void *beta, const cudnnTensorDescriptor_t dxDesc, void *dx)
    """
    return _cudnnConvolutionBackwardData(
        handle,
        alpha,
        wDesc,
        w,
        dyDesc,
        dy,
        convDesc,
        algo,
        workSpace,
        workSpaceSizeInBytes,
        beta,
        dxDesc,
        dx,
    )


_cudnnConvolutionBackwardFilter = _quick(
    "cudnnConvolutionBackwardFilter",
    "",
    (
        "_cudnnHandle_t",
        _scale,
        "_cudnnTensorDescriptor_t",
        _getters,
        "_cudnnTensorDescriptor_t",
        _getters,
        "_cudnnConvolutionDescriptor_t",
        None,
        _getters,
        None,
        _scale,
        "_cudnnFilterDescriptor_t",
        _getters,
    ),
    (None,),
)


@_instead(_cudnnConvolutionBackwardFilter)
def cudnnConvolutionBackwardFilter(
    handle: Handle | int,
    alpha: ScalingFactor,
    xDesc: TensorDescriptor | int,
    x: DevicePointer,
    dyDesc: TensorDescriptor | int,
    dy: DevicePointer,
    convDesc: ConvolutionDescriptor | int,
    algo: ConvolutionBwdFilterAlgo,
    workSpace: DevicePointer,
    workSpaceSizeInBytes: int,
    beta: ScalingFactor,
    dwDesc: FilterDescriptor | int,
    dw: DevicePointer,
) -> None:
    """Compute `dw` from `x` and `dy`.

    Formula: dw = alpha * (the gradient of conv(x, w) for w, of dy) + beta * dw

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        alpha: const void*, a number, which cuDNN reads as double where the tensor is double,
            else as float; multiplies the result.
        xDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        x: const void*, device memory, laid out as `xDesc` says, read.
        dyDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        dy: const void*, device memory, laid out as `dyDesc` says, read.
        convDesc: const cudnnConvolutionDescriptor_t, a `ConvolutionDescriptor` or its address.
        algo: cudnnConvolutionBwdFilterAlgo_t, a `ConvolutionBwdFilterAlgo`; how to compute;
            `cudnnGetConvolutionBackwardFilterAlgorithm_v7` ranks all,
            `cudnnFindConvolutionBackwardFilterAlgorithm` times them.
        workSpace: void*, device memory for scratch space, at least `workSpaceSizeInBytes`
            bytes, or None; the caller allocates it, of the size that
            `cudnnGetConvolutionBackwardFilterWorkspaceSize` tells, and may use it for later
            work on the stream.
        workSpaceSizeInBytes: size_t, how many bytes `workSpace` has.
        beta: const void*, a number, which cuDNN reads as double where the tensor is double,
            else as float; multiplies what `dw` held before; 0 leaves that unread.
        dwDesc: const cudnnFilterDescriptor_t, a `FilterDescriptor` or its address.
        dw: void*, device memory, laid out as `dwDesc` says, read and written.

    Returns:
        None; the function writes `dw`, in place.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.convolution_backward_filter`, `Graph.convolution_backward_filter`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-cnn-library.html#cudnnconvolutionbackwardfilter

    C, cudnn_cnn.h::

        cudnnStatus_t cudnnConvolutionBackwardFilter(cudnnHandle_t handle, const void *alpha,
            const cudnnTensorDescriptor_t xDesc, const void *x, const cudnnTensorDescriptor_t
            dyDesc, const void *dy, const cudnnConvolutionDescriptor_t convDesc,
            cudnnConvolutionBwdFilterAlgo_t algo, void *workSpace, size_t workSpaceSizeInBytes,
            const void *beta, const cudnnFilterDescriptor_t dwDesc, void *dw)
    """
    return _cudnnConvolutionBackwardFilter(
        handle,
        alpha,
        xDesc,
        x,
        dyDesc,
        dy,
        convDesc,
        algo,
        workSpace,
        workSpaceSizeInBytes,
        beta,
        dwDesc,
        dw,
    )


_cudnnConvolutionBiasActivationForward = _quick(
    "cudnnConvolutionBiasActivationForward",
    "",
    (
        "_cudnnHandle_t",
        _scale,
        "_cudnnTensorDescriptor_t",
        _getters,
        "_cudnnFilterDescriptor_t",
        _getters,
        "_cudnnConvolutionDescriptor_t",
        None,
        _getters,
        None,
        _scale,
        "_cudnnTensorDescriptor_t",
        _getters,
        "_cudnnTensorDescriptor_t",
        _getters,
        "_cudnnActivationDescriptor_t",
        "_cudnnTensorDescriptor_t",
        _getters,
    ),
    (None,),
)


@_instead(_cudnnConvolutionBiasActivationForward)
def cudnnConvolutionBiasActivationForward(
    handle: Handle | int,
    alpha1: ScalingFactor,
    xDesc: TensorDescriptor | int,
    x: DevicePointer,
    wDesc: FilterDescriptor | int,
    w: DevicePointer,
    convDesc: ConvolutionDescriptor | int,
    algo: ConvolutionFwdAlgo,
    workSpace: DevicePointer,
    workSpaceSizeInBytes: int,
    alpha2: ScalingFactor,
    zDesc: TensorDescriptor | int,
    z: DevicePointer,
    biasDesc: TensorDescriptor | int,
    bias: DevicePointer,
    activationDesc: ActivationDescriptor | int,
    yDesc: TensorDescriptor | int,
    y: DevicePointer,
) -> None:
    """Compute `y` from `x`, `w`, `z` and `bias`.

    Formula: y = f(alpha1 * conv(x, w) + alpha2 * z + bias), with the function f of
        activationDesc

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        alpha1: const void*, a number, which cuDNN reads as double where the tensor is double,
            else as float; multiplies the convolution.
        xDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        x: const void*, device memory, laid out as `xDesc` says, read.
        wDesc: const cudnnFilterDescriptor_t, a `FilterDescriptor` or its address.
        w: const void*, device memory, laid out as `wDesc` says, read.
        convDesc: const cudnnConvolutionDescriptor_t, a `ConvolutionDescriptor` or its address.
        algo: cudnnConvolutionFwdAlgo_t, a `ConvolutionFwdAlgo`; how to compute;
            `cudnnGetConvolutionForwardAlgorithm_v7` ranks all. With `IDENTITY` as activation
            only `IMPLICIT_PRECOMP_GEMM`.
        workSpace: void*, device memory for scratch space, at least `workSpaceSizeInBytes`
            bytes, or None; the caller allocates it, of the size that
            `cudnnGetConvolutionForwardWorkspaceSize` tells, and may use it for later work on
            the stream.
        workSpaceSizeInBytes: size_t, how many bytes `workSpace` has.
        alpha2: const void*, a number, which cuDNN reads as double where the tensor is double,
            else as float; multiplies `z`.
        zDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        z: const void*, device memory, laid out as `zDesc` says, read.
        biasDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        bias: const void*, device memory, laid out as `biasDesc` says, read.
        activationDesc: const cudnnActivationDescriptor_t, an `ActivationDescriptor` or its
            address.
        yDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        y: void*, device memory, laid out as `yDesc` says, written.

    Returns:
        None; the function writes `y`, in place.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.convolution`, `Graph.convolution`, `Graph.pointwise`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-cnn-library.html#cudnnconvolutionbiasactivationforward

    C, cudnn_cnn.h::

        cudnnStatus_t cudnnConvolutionBiasActivationForward(cudnnHandle_t handle, const void
            *alpha1, const cudnnTensorDescriptor_t xDesc, const void *x, const
            cudnnFilterDescriptor_t wDesc, const void *w, const cudnnConvolutionDescriptor_t
            convDesc, cudnnConvolutionFwdAlgo_t algo, void *workSpace, size_t
            workSpaceSizeInBytes, const void *alpha2, const cudnnTensorDescriptor_t zDesc, const
            void *z, const cudnnTensorDescriptor_t biasDesc, const void *bias, const
            cudnnActivationDescriptor_t activationDesc, const cudnnTensorDescriptor_t yDesc,
            void *y)
    """
    return _cudnnConvolutionBiasActivationForward(
        handle,
        alpha1,
        xDesc,
        x,
        wDesc,
        w,
        convDesc,
        algo,
        workSpace,
        workSpaceSizeInBytes,
        alpha2,
        zDesc,
        z,
        biasDesc,
        bias,
        activationDesc,
        yDesc,
        y,
    )


_cudnnConvolutionForward = _quick(
    "cudnnConvolutionForward",
    "",
    (
        "_cudnnHandle_t",
        _scale,
        "_cudnnTensorDescriptor_t",
        _getters,
        "_cudnnFilterDescriptor_t",
        _getters,
        "_cudnnConvolutionDescriptor_t",
        None,
        _getters,
        None,
        _scale,
        "_cudnnTensorDescriptor_t",
        _getters,
    ),
    (None,),
)


@_instead(_cudnnConvolutionForward)
def cudnnConvolutionForward(
    handle: Handle | int,
    alpha: ScalingFactor,
    xDesc: TensorDescriptor | int,
    x: DevicePointer,
    wDesc: FilterDescriptor | int,
    w: DevicePointer,
    convDesc: ConvolutionDescriptor | int,
    algo: ConvolutionFwdAlgo,
    workSpace: DevicePointer,
    workSpaceSizeInBytes: int,
    beta: ScalingFactor,
    yDesc: TensorDescriptor | int,
    y: DevicePointer,
) -> None:
    """Compute `y` from `x` and `w`.

    Formula: y[n, k, p] = alpha * (sum over c, r of x[n, c, stride p + dilation r - padding]
        w[k, c, r]) + beta * y[n, k, p]

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        alpha: const void*, a number, which cuDNN reads as double where the tensor is double,
            else as float; multiplies the result.
        xDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        x: const void*, device memory, laid out as `xDesc` says, read.
        wDesc: const cudnnFilterDescriptor_t, a `FilterDescriptor` or its address.
        w: const void*, device memory, laid out as `wDesc` says, read.
        convDesc: const cudnnConvolutionDescriptor_t, a `ConvolutionDescriptor` or its address.
        algo: cudnnConvolutionFwdAlgo_t, a `ConvolutionFwdAlgo`; how to compute;
            `cudnnGetConvolutionForwardAlgorithm_v7` ranks all,
            `cudnnFindConvolutionForwardAlgorithm` times them.
        workSpace: void*, device memory for scratch space, at least `workSpaceSizeInBytes`
            bytes, or None; the caller allocates it, of the size that
            `cudnnGetConvolutionForwardWorkspaceSize` tells, and may use it for later work on
            the stream.
        workSpaceSizeInBytes: size_t, how many bytes `workSpace` has.
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

    See also: `ops.convolution`, `Graph.convolution`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-cnn-library.html#cudnnconvolutionforward

    C, cudnn_cnn.h::

        cudnnStatus_t cudnnConvolutionForward(cudnnHandle_t handle, const void *alpha, const
            cudnnTensorDescriptor_t xDesc, const void *x, const cudnnFilterDescriptor_t wDesc,
            const void *w, const cudnnConvolutionDescriptor_t convDesc,
            cudnnConvolutionFwdAlgo_t algo, void *workSpace, size_t workSpaceSizeInBytes, const
            void *beta, const cudnnTensorDescriptor_t yDesc, void *y)
    """
    return _cudnnConvolutionForward(
        handle,
        alpha,
        xDesc,
        x,
        wDesc,
        w,
        convDesc,
        algo,
        workSpace,
        workSpaceSizeInBytes,
        beta,
        yDesc,
        y,
    )


_cudnnCreateConvolutionDescriptor = _quick(
    "cudnnCreateConvolutionDescriptor",
    "Q",
    (),
    (None, None),
)


@_instead(_cudnnCreateConvolutionDescriptor)
def cudnnCreateConvolutionDescriptor() -> int:
    """Create a `ConvolutionDescriptor`, which the caller destroys.

    Returns:
        int, the caller's to destroy.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.convolution`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-cnn-library.html#cudnncreateconvolutiondescriptor

    C, cudnn_cnn.h::

        cudnnStatus_t cudnnCreateConvolutionDescriptor(cudnnConvolutionDescriptor_t *convDesc)
    """
    return _cudnnCreateConvolutionDescriptor()


_cudnnCreateFusedOpsConstParamPack = _quick(
    "cudnnCreateFusedOpsConstParamPack",
    "Q",
    (None,),
    (None, None),
)


@_instead(_cudnnCreateFusedOpsConstParamPack)
def cudnnCreateFusedOpsConstParamPack(ops: FusedOps) -> int:
    """Create a `FusedOpsConstParamPack`, which the caller destroys.

    Args:
        ops: cudnnFusedOps_t, a `FusedOps`.

    Returns:
        int, the caller's to destroy.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-cnn-library.html#cudnncreatefusedopsconstparampack

    C, cudnn_cnn.h::

        cudnnStatus_t cudnnCreateFusedOpsConstParamPack(cudnnFusedOpsConstParamPack_t
            *constPack, cudnnFusedOps_t ops)
    """
    return _cudnnCreateFusedOpsConstParamPack(ops)


_cudnnCreateFusedOpsPlan = _quick("cudnnCreateFusedOpsPlan", "Q", (None,), (None, None))


@_instead(_cudnnCreateFusedOpsPlan)
def cudnnCreateFusedOpsPlan(ops: FusedOps) -> int:
    """Create a `FusedOpsPlan`, which the caller destroys.

    Args:
        ops: cudnnFusedOps_t, a `FusedOps`.

    Returns:
        int, the caller's to destroy.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-cnn-library.html#cudnncreatefusedopsplan

    C, cudnn_cnn.h::

        cudnnStatus_t cudnnCreateFusedOpsPlan(cudnnFusedOpsPlan_t *plan, cudnnFusedOps_t ops)
    """
    return _cudnnCreateFusedOpsPlan(ops)


_cudnnCreateFusedOpsVariantParamPack = _quick(
    "cudnnCreateFusedOpsVariantParamPack",
    "Q",
    (None,),
    (None, None),
)


@_instead(_cudnnCreateFusedOpsVariantParamPack)
def cudnnCreateFusedOpsVariantParamPack(ops: FusedOps) -> int:
    """Create a `FusedOpsVariantParamPack`, which the caller destroys.

    Args:
        ops: cudnnFusedOps_t, a `FusedOps`.

    Returns:
        int, the caller's to destroy.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-cnn-library.html#cudnncreatefusedopsvariantparampack

    C, cudnn_cnn.h::

        cudnnStatus_t cudnnCreateFusedOpsVariantParamPack(cudnnFusedOpsVariantParamPack_t
            *varPack, cudnnFusedOps_t ops)
    """
    return _cudnnCreateFusedOpsVariantParamPack(ops)


_cudnnDestroyConvolutionDescriptor = _quick(
    "cudnnDestroyConvolutionDescriptor",
    "",
    (lambda given: given._detach("cudnnConvolutionDescriptor_t"),),
    (None,),
)


@_instead(_cudnnDestroyConvolutionDescriptor)
def cudnnDestroyConvolutionDescriptor(convDesc: ConvolutionDescriptor | int) -> None:
    """Destroy a `ConvolutionDescriptor`.

    Args:
        convDesc: cudnnConvolutionDescriptor_t, a `ConvolutionDescriptor` or its address,
            invalid afterwards.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-cnn-library.html#cudnndestroyconvolutiondescriptor

    C, cudnn_cnn.h::

        cudnnStatus_t cudnnDestroyConvolutionDescriptor(cudnnConvolutionDescriptor_t convDesc)
    """
    return _cudnnDestroyConvolutionDescriptor(convDesc)


_cudnnDestroyFusedOpsConstParamPack = _quick(
    "cudnnDestroyFusedOpsConstParamPack",
    "",
    (lambda given: given._detach("cudnnFusedOpsConstParamPack_t"),),
    (None,),
)


@_instead(_cudnnDestroyFusedOpsConstParamPack)
def cudnnDestroyFusedOpsConstParamPack(constPack: FusedOpsConstParamPack | int) -> None:
    """Destroy a `FusedOpsConstParamPack`.

    Args:
        constPack: cudnnFusedOpsConstParamPack_t, a `FusedOpsConstParamPack` or its address,
            invalid afterwards.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-cnn-library.html#cudnndestroyfusedopsconstparampack

    C, cudnn_cnn.h::

        cudnnStatus_t cudnnDestroyFusedOpsConstParamPack(cudnnFusedOpsConstParamPack_t
            constPack)
    """
    return _cudnnDestroyFusedOpsConstParamPack(constPack)


_cudnnDestroyFusedOpsPlan = _quick(
    "cudnnDestroyFusedOpsPlan",
    "",
    (lambda given: given._detach("cudnnFusedOpsPlan_t"),),
    (None,),
)


@_instead(_cudnnDestroyFusedOpsPlan)
def cudnnDestroyFusedOpsPlan(plan: FusedOpsPlan | int) -> None:
    """Destroy a `FusedOpsPlan`.

    Args:
        plan: cudnnFusedOpsPlan_t, a `FusedOpsPlan` or its address, invalid afterwards.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-cnn-library.html#cudnndestroyfusedopsplan

    C, cudnn_cnn.h::

        cudnnStatus_t cudnnDestroyFusedOpsPlan(cudnnFusedOpsPlan_t plan)
    """
    return _cudnnDestroyFusedOpsPlan(plan)


_cudnnDestroyFusedOpsVariantParamPack = _quick(
    "cudnnDestroyFusedOpsVariantParamPack",
    "",
    (lambda given: given._detach("cudnnFusedOpsVariantParamPack_t"),),
    (None,),
)


@_instead(_cudnnDestroyFusedOpsVariantParamPack)
def cudnnDestroyFusedOpsVariantParamPack(varPack: FusedOpsVariantParamPack | int) -> None:
    """Destroy a `FusedOpsVariantParamPack`.

    Args:
        varPack: cudnnFusedOpsVariantParamPack_t, a `FusedOpsVariantParamPack` or its address,
            invalid afterwards.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-cnn-library.html#cudnndestroyfusedopsvariantparampack

    C, cudnn_cnn.h::

        cudnnStatus_t cudnnDestroyFusedOpsVariantParamPack(cudnnFusedOpsVariantParamPack_t
            varPack)
    """
    return _cudnnDestroyFusedOpsVariantParamPack(varPack)


def cudnnFindConvolutionBackwardDataAlgorithm(
    handle: Handle | int,
    wDesc: FilterDescriptor | int,
    dyDesc: TensorDescriptor | int,
    convDesc: ConvolutionDescriptor | int,
    dxDesc: TensorDescriptor | int,
    requestedAlgoCount: int = 16,
) -> list[ConvolutionBwdDataAlgoPerf]:
    """Return a list of `ConvolutionBwdDataAlgoPerf`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        wDesc: const cudnnFilterDescriptor_t, a `FilterDescriptor` or its address.
        dyDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        convDesc: const cudnnConvolutionDescriptor_t, a `ConvolutionDescriptor` or its address.
        dxDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        requestedAlgoCount: const int, how many elements `perfResults` may have, 16 where left
            out.

    Returns:
        list[ConvolutionBwdDataAlgoPerf], as many as there are, at most `requestedAlgoCount`;
            the fastest first: time in ms, workspace in bytes, determinism and math type.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.candidates`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-cnn-library.html#cudnnfindconvolutionbackwarddataalgorithm

    C, cudnn_cnn.h::

        cudnnStatus_t cudnnFindConvolutionBackwardDataAlgorithm(cudnnHandle_t handle, const
            cudnnFilterDescriptor_t wDesc, const cudnnTensorDescriptor_t dyDesc, const
            cudnnConvolutionDescriptor_t convDesc, const cudnnTensorDescriptor_t dxDesc, const
            int requestedAlgoCount, int *returnedAlgoCount, cudnnConvolutionBwdDataAlgoPerf_t
            *perfResults)
    """
    if (
        _type(handle),
        _type(wDesc),
        _type(dyDesc),
        _type(convDesc),
        _type(dxDesc),
        _type(requestedAlgoCount),
    ) not in _plain_cudnnFindConvolutionBackwardDataAlgorithm:
        return _slow(
            cudnnFindConvolutionBackwardDataAlgorithm,
            "cudnnFindConvolutionBackwardDataAlgorithm",
            (handle, wDesc, dyDesc, convDesc, dxDesc, requestedAlgoCount),
        )
    try:
        _out_perfResults = _records(
            "cudnnConvolutionBwdDataAlgoPerf_t",
            requestedAlgoCount,
            "requestedAlgoCount",
        )
        _out = _lend()
        _status = _cudnnFindConvolutionBackwardDataAlgorithm(
            handle if _type(handle) is int else handle._cudnnHandle_t,
            wDesc if _type(wDesc) is int else wDesc._cudnnFilterDescriptor_t,
            dyDesc if _type(dyDesc) is int else dyDesc._cudnnTensorDescriptor_t,
            convDesc if _type(convDesc) is int else convDesc._cudnnConvolutionDescriptor_t,
            dxDesc if _type(dxDesc) is int else dxDesc._cudnnTensorDescriptor_t,
            requestedAlgoCount,
            _out_perfResults,
            _out[0],
        )
    except _CONVERT as _error:
        return _slow(
            cudnnFindConvolutionBackwardDataAlgorithm,
            "cudnnFindConvolutionBackwardDataAlgorithm",
            (handle, wDesc, dyDesc, convDesc, dxDesc, requestedAlgoCount),
            _error,
        )
    if _status:
        return _failed(
            cudnnFindConvolutionBackwardDataAlgorithm,
            "cudnnFindConvolutionBackwardDataAlgorithm",
            _status,
            (handle, wDesc, dyDesc, convDesc, dxDesc, requestedAlgoCount),
        )
    _r = _unpack_q(_out[1])
    _outs.append(_out)
    return _record_values(
        _out_perfResults,
        "cudnnConvolutionBwdDataAlgoPerf_t",
        max(min(_r[0], requestedAlgoCount), 0),
    )


def cudnnFindConvolutionBackwardDataAlgorithmEx(
    handle: Handle | int,
    wDesc: FilterDescriptor | int,
    w: DevicePointer,
    dyDesc: TensorDescriptor | int,
    dy: DevicePointer,
    convDesc: ConvolutionDescriptor | int,
    dxDesc: TensorDescriptor | int,
    dx: DevicePointer,
    requestedAlgoCount: int,
    workSpace: DevicePointer,
    workSpaceSizeInBytes: int,
) -> list[ConvolutionBwdDataAlgoPerf]:
    """Return a list of `ConvolutionBwdDataAlgoPerf`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        wDesc: const cudnnFilterDescriptor_t, a `FilterDescriptor` or its address.
        w: const void*, device memory, laid out as `wDesc` says, read.
        dyDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        dy: const void*, device memory, laid out as `dyDesc` says, read.
        convDesc: const cudnnConvolutionDescriptor_t, a `ConvolutionDescriptor` or its address.
        dxDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        dx: void*, device memory, laid out as `dxDesc` says, written.
        requestedAlgoCount: const int, how many elements `perfResults` may have.
        workSpace: void*, device memory for scratch space, at least `workSpaceSizeInBytes`
            bytes, or None; the caller allocates it; algorithms that need more are not timed.
        workSpaceSizeInBytes: size_t, how many bytes `workSpace` has.

    Returns:
        list[ConvolutionBwdDataAlgoPerf], as many as there are, at most `requestedAlgoCount`;
            the fastest first: time in ms, workspace in bytes, determinism and math type.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.candidates`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-cnn-library.html#cudnnfindconvolutionbackwarddataalgorithmex

    C, cudnn_cnn.h::

        cudnnStatus_t cudnnFindConvolutionBackwardDataAlgorithmEx(cudnnHandle_t handle, const
            cudnnFilterDescriptor_t wDesc, const void *w, const cudnnTensorDescriptor_t dyDesc,
            const void *dy, const cudnnConvolutionDescriptor_t convDesc, const
            cudnnTensorDescriptor_t dxDesc, void *dx, const int requestedAlgoCount, int
            *returnedAlgoCount, cudnnConvolutionBwdDataAlgoPerf_t *perfResults, void *workSpace,
            size_t workSpaceSizeInBytes)
    """
    if _watching.watcher is not None:
        _watching.watcher(
            "cudnnFindConvolutionBackwardDataAlgorithmEx",
            (
                handle,
                wDesc,
                w,
                dyDesc,
                dy,
                convDesc,
                dxDesc,
                dx,
                requestedAlgoCount,
                workSpace,
                workSpaceSizeInBytes,
            ),
        )
    if (
        _type(handle),
        _type(wDesc),
        _type(dyDesc),
        _type(convDesc),
        _type(dxDesc),
        _type(requestedAlgoCount),
        _type(workSpaceSizeInBytes),
    ) not in _plain_cudnnFindConvolutionBackwardDataAlgorithmEx:
        return _slow(
            cudnnFindConvolutionBackwardDataAlgorithmEx,
            "cudnnFindConvolutionBackwardDataAlgorithmEx",
            (
                handle,
                wDesc,
                w,
                dyDesc,
                dy,
                convDesc,
                dxDesc,
                dx,
                requestedAlgoCount,
                workSpace,
                workSpaceSizeInBytes,
            ),
        )
    try:
        _out_perfResults = _records(
            "cudnnConvolutionBwdDataAlgoPerf_t",
            requestedAlgoCount,
            "requestedAlgoCount",
        )
        _in_w = w if _type(w) is int else _device(w)
        _in_dy = dy if _type(dy) is int else _device(dy)
        _in_dx = dx if _type(dx) is int else _device(dx)
        _in_workSpace = workSpace if _type(workSpace) is int else _device(workSpace)
        _out = _lend()
        _status = _cudnnFindConvolutionBackwardDataAlgorithmEx(
            handle if _type(handle) is int else handle._cudnnHandle_t,
            wDesc if _type(wDesc) is int else wDesc._cudnnFilterDescriptor_t,
            _in_w,
            dyDesc if _type(dyDesc) is int else dyDesc._cudnnTensorDescriptor_t,
            _in_dy,
            convDesc if _type(convDesc) is int else convDesc._cudnnConvolutionDescriptor_t,
            dxDesc if _type(dxDesc) is int else dxDesc._cudnnTensorDescriptor_t,
            _in_dx,
            requestedAlgoCount,
            _out_perfResults,
            _in_workSpace,
            workSpaceSizeInBytes,
            _out[0],
        )
    except _CONVERT as _error:
        return _slow(
            cudnnFindConvolutionBackwardDataAlgorithmEx,
            "cudnnFindConvolutionBackwardDataAlgorithmEx",
            (
                handle,
                wDesc,
                w,
                dyDesc,
                dy,
                convDesc,
                dxDesc,
                dx,
                requestedAlgoCount,
                workSpace,
                workSpaceSizeInBytes,
            ),
            _error,
        )
    if _status:
        return _failed(
            cudnnFindConvolutionBackwardDataAlgorithmEx,
            "cudnnFindConvolutionBackwardDataAlgorithmEx",
            _status,
            (
                handle,
                wDesc,
                w,
                dyDesc,
                dy,
                convDesc,
                dxDesc,
                dx,
                requestedAlgoCount,
                workSpace,
                workSpaceSizeInBytes,
            ),
        )
    _r = _unpack_q(_out[1])
    _outs.append(_out)
    return _record_values(
        _out_perfResults,
        "cudnnConvolutionBwdDataAlgoPerf_t",
        max(min(_r[0], requestedAlgoCount), 0),
    )


def cudnnFindConvolutionBackwardFilterAlgorithm(
    handle: Handle | int,
    xDesc: TensorDescriptor | int,
    dyDesc: TensorDescriptor | int,
    convDesc: ConvolutionDescriptor | int,
    dwDesc: FilterDescriptor | int,
    requestedAlgoCount: int = 16,
) -> list[ConvolutionBwdFilterAlgoPerf]:
    """Return a list of `ConvolutionBwdFilterAlgoPerf`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        xDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        dyDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        convDesc: const cudnnConvolutionDescriptor_t, a `ConvolutionDescriptor` or its address.
        dwDesc: const cudnnFilterDescriptor_t, a `FilterDescriptor` or its address.
        requestedAlgoCount: const int, how many elements `perfResults` may have, 16 where left
            out.

    Returns:
        list[ConvolutionBwdFilterAlgoPerf], as many as there are, at most `requestedAlgoCount`;
            the fastest first: time in ms, workspace in bytes, determinism and math type.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.candidates`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-cnn-library.html#cudnnfindconvolutionbackwardfilteralgorithm

    C, cudnn_cnn.h::

        cudnnStatus_t cudnnFindConvolutionBackwardFilterAlgorithm(cudnnHandle_t handle, const
            cudnnTensorDescriptor_t xDesc, const cudnnTensorDescriptor_t dyDesc, const
            cudnnConvolutionDescriptor_t convDesc, const cudnnFilterDescriptor_t dwDesc, const
            int requestedAlgoCount, int *returnedAlgoCount, cudnnConvolutionBwdFilterAlgoPerf_t
            *perfResults)
    """
    if (
        _type(handle),
        _type(xDesc),
        _type(dyDesc),
        _type(convDesc),
        _type(dwDesc),
        _type(requestedAlgoCount),
    ) not in _plain_cudnnFindConvolutionBackwardFilterAlgorithm:
        return _slow(
            cudnnFindConvolutionBackwardFilterAlgorithm,
            "cudnnFindConvolutionBackwardFilterAlgorithm",
            (handle, xDesc, dyDesc, convDesc, dwDesc, requestedAlgoCount),
        )
    try:
        _out_perfResults = _records(
            "cudnnConvolutionBwdFilterAlgoPerf_t",
            requestedAlgoCount,
            "requestedAlgoCount",
        )
        _out = _lend()
        _status = _cudnnFindConvolutionBackwardFilterAlgorithm(
            handle if _type(handle) is int else handle._cudnnHandle_t,
            xDesc if _type(xDesc) is int else xDesc._cudnnTensorDescriptor_t,
            dyDesc if _type(dyDesc) is int else dyDesc._cudnnTensorDescriptor_t,
            convDesc if _type(convDesc) is int else convDesc._cudnnConvolutionDescriptor_t,
            dwDesc if _type(dwDesc) is int else dwDesc._cudnnFilterDescriptor_t,
            requestedAlgoCount,
            _out_perfResults,
            _out[0],
        )
    except _CONVERT as _error:
        return _slow(
            cudnnFindConvolutionBackwardFilterAlgorithm,
            "cudnnFindConvolutionBackwardFilterAlgorithm",
            (handle, xDesc, dyDesc, convDesc, dwDesc, requestedAlgoCount),
            _error,
        )
    if _status:
        return _failed(
            cudnnFindConvolutionBackwardFilterAlgorithm,
            "cudnnFindConvolutionBackwardFilterAlgorithm",
            _status,
            (handle, xDesc, dyDesc, convDesc, dwDesc, requestedAlgoCount),
        )
    _r = _unpack_q(_out[1])
    _outs.append(_out)
    return _record_values(
        _out_perfResults,
        "cudnnConvolutionBwdFilterAlgoPerf_t",
        max(min(_r[0], requestedAlgoCount), 0),
    )


def cudnnFindConvolutionBackwardFilterAlgorithmEx(
    handle: Handle | int,
    xDesc: TensorDescriptor | int,
    x: DevicePointer,
    dyDesc: TensorDescriptor | int,
    y: DevicePointer,
    convDesc: ConvolutionDescriptor | int,
    dwDesc: FilterDescriptor | int,
    dw: DevicePointer,
    requestedAlgoCount: int,
    workSpace: DevicePointer,
    workSpaceSizeInBytes: int,
) -> list[ConvolutionBwdFilterAlgoPerf]:
    """Return a list of `ConvolutionBwdFilterAlgoPerf`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        xDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        x: const void*, device memory, laid out as `xDesc` says, read.
        dyDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        y: const void*, device memory, read.
        convDesc: const cudnnConvolutionDescriptor_t, a `ConvolutionDescriptor` or its address.
        dwDesc: const cudnnFilterDescriptor_t, a `FilterDescriptor` or its address.
        dw: void*, device memory, laid out as `dwDesc` says, written.
        requestedAlgoCount: const int, how many elements `perfResults` may have.
        workSpace: void*, device memory for scratch space, at least `workSpaceSizeInBytes`
            bytes, or None; the caller allocates it; algorithms that need more are not timed.
        workSpaceSizeInBytes: size_t, how many bytes `workSpace` has.

    Returns:
        list[ConvolutionBwdFilterAlgoPerf], as many as there are, at most `requestedAlgoCount`;
            the fastest first: time in ms, workspace in bytes, determinism and math type.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.candidates`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-cnn-library.html#cudnnfindconvolutionbackwardfilteralgorithmex

    C, cudnn_cnn.h::

        cudnnStatus_t cudnnFindConvolutionBackwardFilterAlgorithmEx(cudnnHandle_t handle, const
            cudnnTensorDescriptor_t xDesc, const void *x, const cudnnTensorDescriptor_t dyDesc,
            const void *y, const cudnnConvolutionDescriptor_t convDesc, const
            cudnnFilterDescriptor_t dwDesc, void *dw, const int requestedAlgoCount, int
            *returnedAlgoCount, cudnnConvolutionBwdFilterAlgoPerf_t *perfResults, void
            *workSpace, size_t workSpaceSizeInBytes)
    """
    if _watching.watcher is not None:
        _watching.watcher(
            "cudnnFindConvolutionBackwardFilterAlgorithmEx",
            (
                handle,
                xDesc,
                x,
                dyDesc,
                y,
                convDesc,
                dwDesc,
                dw,
                requestedAlgoCount,
                workSpace,
                workSpaceSizeInBytes,
            ),
        )
    if (
        _type(handle),
        _type(xDesc),
        _type(dyDesc),
        _type(convDesc),
        _type(dwDesc),
        _type(requestedAlgoCount),
        _type(workSpaceSizeInBytes),
    ) not in _plain_cudnnFindConvolutionBackwardFilterAlgorithmEx:
        return _slow(
            cudnnFindConvolutionBackwardFilterAlgorithmEx,
            "cudnnFindConvolutionBackwardFilterAlgorithmEx",
            (
                handle,
                xDesc,
                x,
                dyDesc,
                y,
                convDesc,
                dwDesc,
                dw,
                requestedAlgoCount,
                workSpace,
                workSpaceSizeInBytes,
            ),
        )
    try:
        _out_perfResults = _records(
            "cudnnConvolutionBwdFilterAlgoPerf_t",
            requestedAlgoCount,
            "requestedAlgoCount",
        )
        _in_x = x if _type(x) is int else _device(x)
        _in_y = y if _type(y) is int else _device(y)
        _in_dw = dw if _type(dw) is int else _device(dw)
        _in_workSpace = workSpace if _type(workSpace) is int else _device(workSpace)
        _out = _lend()
        _status = _cudnnFindConvolutionBackwardFilterAlgorithmEx(
            handle if _type(handle) is int else handle._cudnnHandle_t,
            xDesc if _type(xDesc) is int else xDesc._cudnnTensorDescriptor_t,
            _in_x,
            dyDesc if _type(dyDesc) is int else dyDesc._cudnnTensorDescriptor_t,
            _in_y,
            convDesc if _type(convDesc) is int else convDesc._cudnnConvolutionDescriptor_t,
            dwDesc if _type(dwDesc) is int else dwDesc._cudnnFilterDescriptor_t,
            _in_dw,
            requestedAlgoCount,
            _out_perfResults,
            _in_workSpace,
            workSpaceSizeInBytes,
            _out[0],
        )
    except _CONVERT as _error:
        return _slow(
            cudnnFindConvolutionBackwardFilterAlgorithmEx,
            "cudnnFindConvolutionBackwardFilterAlgorithmEx",
            (
                handle,
                xDesc,
                x,
                dyDesc,
                y,
                convDesc,
                dwDesc,
                dw,
                requestedAlgoCount,
                workSpace,
                workSpaceSizeInBytes,
            ),
            _error,
        )
    if _status:
        return _failed(
            cudnnFindConvolutionBackwardFilterAlgorithmEx,
            "cudnnFindConvolutionBackwardFilterAlgorithmEx",
            _status,
            (
                handle,
                xDesc,
                x,
                dyDesc,
                y,
                convDesc,
                dwDesc,
                dw,
                requestedAlgoCount,
                workSpace,
                workSpaceSizeInBytes,
            ),
        )
    _r = _unpack_q(_out[1])
    _outs.append(_out)
    return _record_values(
        _out_perfResults,
        "cudnnConvolutionBwdFilterAlgoPerf_t",
        max(min(_r[0], requestedAlgoCount), 0),
    )


def cudnnFindConvolutionForwardAlgorithm(
    handle: Handle | int,
    xDesc: TensorDescriptor | int,
    wDesc: FilterDescriptor | int,
    convDesc: ConvolutionDescriptor | int,
    yDesc: TensorDescriptor | int,
    requestedAlgoCount: int = 16,
) -> list[ConvolutionFwdAlgoPerf]:
    """Return a list of `ConvolutionFwdAlgoPerf` for `xDesc`, `wDesc`, `convDesc` and `yDesc`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        xDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        wDesc: const cudnnFilterDescriptor_t, a `FilterDescriptor` or its address.
        convDesc: const cudnnConvolutionDescriptor_t, a `ConvolutionDescriptor` or its address.
        yDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        requestedAlgoCount: const int, how many elements `perfResults` may have, 16 where left
            out.

    Returns:
        list[ConvolutionFwdAlgoPerf], as many as there are, at most `requestedAlgoCount`; the
            fastest first: time in ms, workspace in bytes, determinism and math type.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.candidates`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-cnn-library.html#cudnnfindconvolutionforwardalgorithm

    C, cudnn_cnn.h::

        cudnnStatus_t cudnnFindConvolutionForwardAlgorithm(cudnnHandle_t handle, const
            cudnnTensorDescriptor_t xDesc, const cudnnFilterDescriptor_t wDesc, const
            cudnnConvolutionDescriptor_t convDesc, const cudnnTensorDescriptor_t yDesc, const
            int requestedAlgoCount, int *returnedAlgoCount, cudnnConvolutionFwdAlgoPerf_t
            *perfResults)
    """
    if (
        _type(handle),
        _type(xDesc),
        _type(wDesc),
        _type(convDesc),
        _type(yDesc),
        _type(requestedAlgoCount),
    ) not in _plain_cudnnFindConvolutionForwardAlgorithm:
        return _slow(
            cudnnFindConvolutionForwardAlgorithm,
            "cudnnFindConvolutionForwardAlgorithm",
            (handle, xDesc, wDesc, convDesc, yDesc, requestedAlgoCount),
        )
    try:
        _out_perfResults = _records(
            "cudnnConvolutionFwdAlgoPerf_t",
            requestedAlgoCount,
            "requestedAlgoCount",
        )
        _out = _lend()
        _status = _cudnnFindConvolutionForwardAlgorithm(
            handle if _type(handle) is int else handle._cudnnHandle_t,
            xDesc if _type(xDesc) is int else xDesc._cudnnTensorDescriptor_t,
            wDesc if _type(wDesc) is int else wDesc._cudnnFilterDescriptor_t,
            convDesc if _type(convDesc) is int else convDesc._cudnnConvolutionDescriptor_t,
            yDesc if _type(yDesc) is int else yDesc._cudnnTensorDescriptor_t,
            requestedAlgoCount,
            _out_perfResults,
            _out[0],
        )
    except _CONVERT as _error:
        return _slow(
            cudnnFindConvolutionForwardAlgorithm,
            "cudnnFindConvolutionForwardAlgorithm",
            (handle, xDesc, wDesc, convDesc, yDesc, requestedAlgoCount),
            _error,
        )
    if _status:
        return _failed(
            cudnnFindConvolutionForwardAlgorithm,
            "cudnnFindConvolutionForwardAlgorithm",
            _status,
            (handle, xDesc, wDesc, convDesc, yDesc, requestedAlgoCount),
        )
    _r = _unpack_q(_out[1])
    _outs.append(_out)
    return _record_values(
        _out_perfResults,
        "cudnnConvolutionFwdAlgoPerf_t",
        max(min(_r[0], requestedAlgoCount), 0),
    )


def cudnnFindConvolutionForwardAlgorithmEx(
    handle: Handle | int,
    xDesc: TensorDescriptor | int,
    x: DevicePointer,
    wDesc: FilterDescriptor | int,
    w: DevicePointer,
    convDesc: ConvolutionDescriptor | int,
    yDesc: TensorDescriptor | int,
    y: DevicePointer,
    requestedAlgoCount: int,
    workSpace: DevicePointer,
    workSpaceSizeInBytes: int,
) -> list[ConvolutionFwdAlgoPerf]:
    """Return a list of `ConvolutionFwdAlgoPerf` for `xDesc`, `wDesc`, `convDesc` and `yDesc`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        xDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        x: const void*, device memory, laid out as `xDesc` says, read.
        wDesc: const cudnnFilterDescriptor_t, a `FilterDescriptor` or its address.
        w: const void*, device memory, laid out as `wDesc` says, read.
        convDesc: const cudnnConvolutionDescriptor_t, a `ConvolutionDescriptor` or its address.
        yDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        y: void*, device memory, laid out as `yDesc` says, written.
        requestedAlgoCount: const int, how many elements `perfResults` may have.
        workSpace: void*, device memory for scratch space, at least `workSpaceSizeInBytes`
            bytes, or None; the caller allocates it; algorithms that need more are not timed.
        workSpaceSizeInBytes: size_t, how many bytes `workSpace` has.

    Returns:
        list[ConvolutionFwdAlgoPerf], as many as there are, at most `requestedAlgoCount`; the
            fastest first: time in ms, workspace in bytes, determinism and math type.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.candidates`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-cnn-library.html#cudnnfindconvolutionforwardalgorithmex

    C, cudnn_cnn.h::

        cudnnStatus_t cudnnFindConvolutionForwardAlgorithmEx(cudnnHandle_t handle, const
            cudnnTensorDescriptor_t xDesc, const void *x, const cudnnFilterDescriptor_t wDesc,
            const void *w, const cudnnConvolutionDescriptor_t convDesc, const
            cudnnTensorDescriptor_t yDesc, void *y, const int requestedAlgoCount, int
            *returnedAlgoCount, cudnnConvolutionFwdAlgoPerf_t *perfResults, void *workSpace,
            size_t workSpaceSizeInBytes)
    """
    if _watching.watcher is not None:
        _watching.watcher(
            "cudnnFindConvolutionForwardAlgorithmEx",
            (
                handle,
                xDesc,
                x,
                wDesc,
                w,
                convDesc,
                yDesc,
                y,
                requestedAlgoCount,
                workSpace,
                workSpaceSizeInBytes,
            ),
        )
    if (
        _type(handle),
        _type(xDesc),
        _type(wDesc),
        _type(convDesc),
        _type(yDesc),
        _type(requestedAlgoCount),
        _type(workSpaceSizeInBytes),
    ) not in _plain_cudnnFindConvolutionForwardAlgorithmEx:
        return _slow(
            cudnnFindConvolutionForwardAlgorithmEx,
            "cudnnFindConvolutionForwardAlgorithmEx",
            (
                handle,
                xDesc,
                x,
                wDesc,
                w,
                convDesc,
                yDesc,
                y,
                requestedAlgoCount,
                workSpace,
                workSpaceSizeInBytes,
            ),
        )
    try:
        _out_perfResults = _records(
            "cudnnConvolutionFwdAlgoPerf_t",
            requestedAlgoCount,
            "requestedAlgoCount",
        )
        _in_x = x if _type(x) is int else _device(x)
        _in_w = w if _type(w) is int else _device(w)
        _in_y = y if _type(y) is int else _device(y)
        _in_workSpace = workSpace if _type(workSpace) is int else _device(workSpace)
        _out = _lend()
        _status = _cudnnFindConvolutionForwardAlgorithmEx(
            handle if _type(handle) is int else handle._cudnnHandle_t,
            xDesc if _type(xDesc) is int else xDesc._cudnnTensorDescriptor_t,
            _in_x,
            wDesc if _type(wDesc) is int else wDesc._cudnnFilterDescriptor_t,
            _in_w,
            convDesc if _type(convDesc) is int else convDesc._cudnnConvolutionDescriptor_t,
            yDesc if _type(yDesc) is int else yDesc._cudnnTensorDescriptor_t,
            _in_y,
            requestedAlgoCount,
            _out_perfResults,
            _in_workSpace,
            workSpaceSizeInBytes,
            _out[0],
        )
    except _CONVERT as _error:
        return _slow(
            cudnnFindConvolutionForwardAlgorithmEx,
            "cudnnFindConvolutionForwardAlgorithmEx",
            (
                handle,
                xDesc,
                x,
                wDesc,
                w,
                convDesc,
                yDesc,
                y,
                requestedAlgoCount,
                workSpace,
                workSpaceSizeInBytes,
            ),
            _error,
        )
    if _status:
        return _failed(
            cudnnFindConvolutionForwardAlgorithmEx,
            "cudnnFindConvolutionForwardAlgorithmEx",
            _status,
            (
                handle,
                xDesc,
                x,
                wDesc,
                w,
                convDesc,
                yDesc,
                y,
                requestedAlgoCount,
                workSpace,
                workSpaceSizeInBytes,
            ),
        )
    _r = _unpack_q(_out[1])
    _outs.append(_out)
    return _record_values(
        _out_perfResults,
        "cudnnConvolutionFwdAlgoPerf_t",
        max(min(_r[0], requestedAlgoCount), 0),
    )


_cudnnFusedOpsExecute = _quick(
    "cudnnFusedOpsExecute",
    "",
    ("_cudnnHandle_t", "_cudnnFusedOpsPlan_t", "_cudnnFusedOpsVariantParamPack_t"),
    (None,),
)


@_instead(_cudnnFusedOpsExecute)
def cudnnFusedOpsExecute(
    handle: Handle | int,
    plan: FusedOpsPlan | int,
    varPack: FusedOpsVariantParamPack | int,
) -> None:
    """Execute fused ops with `plan` and `varPack`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        plan: const cudnnFusedOpsPlan_t, a `FusedOpsPlan` or its address.
        varPack: cudnnFusedOpsVariantParamPack_t, a `FusedOpsVariantParamPack` or its address.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-cnn-library.html#cudnnfusedopsexecute

    C, cudnn_cnn.h::

        cudnnStatus_t cudnnFusedOpsExecute(cudnnHandle_t handle, const cudnnFusedOpsPlan_t plan,
            cudnnFusedOpsVariantParamPack_t varPack)
    """
    return _cudnnFusedOpsExecute(handle, plan, varPack)


_cudnnGetConvolution2dDescriptor = _quick(
    "cudnnGetConvolution2dDescriptor",
    "qqqqqqqq",
    ("_cudnnConvolutionDescriptor_t",),
    (
        GetConvolution2dDescriptorResult,
        None,
        None,
        None,
        None,
        None,
        None,
        _ConvolutionMode,
        _DataType,
    ),
)


@_instead(_cudnnGetConvolution2dDescriptor)
def cudnnGetConvolution2dDescriptor(
    convDesc: ConvolutionDescriptor | int,
) -> GetConvolution2dDescriptorResult:
    """Return `pad_h`, `pad_w`, `u`, `v`, `dilation_h`, `dilation_w`, `mode` and `computeType`.

    Args:
        convDesc: const cudnnConvolutionDescriptor_t, a `ConvolutionDescriptor` or its address.

    Returns:
        pad_h: int; rows of zeros above and below the input.
        pad_w: int; columns of zeros left and right of the input.
        u: int; the vertical stride.
        v: int; the horizontal stride.
        dilation_h: int; the vertical distance of the filter's elements; 1 without gaps.
        dilation_w: int; the horizontal distance of the filter's elements; 1 without gaps.
        mode: ConvolutionMode; `CROSS_CORRELATION`, usual in networks, or `CONVOLUTION`, which
            flips the filter.
        computeType: DataType; the type in which the computation is done.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-cnn-library.html#cudnngetconvolution2ddescriptor

    C, cudnn_cnn.h::

        cudnnStatus_t cudnnGetConvolution2dDescriptor(const cudnnConvolutionDescriptor_t
            convDesc, int *pad_h, int *pad_w, int *u, int *v, int *dilation_h, int *dilation_w,
            cudnnConvolutionMode_t *mode, cudnnDataType_t *computeType)
    """
    return _cudnnGetConvolution2dDescriptor(convDesc)


_cudnnGetConvolution2dForwardOutputDim = _quick(
    "cudnnGetConvolution2dForwardOutputDim",
    "qqqq",
    ("_cudnnConvolutionDescriptor_t", "_cudnnTensorDescriptor_t", "_cudnnFilterDescriptor_t"),
    (GetConvolution2dForwardOutputDimResult, None, None, None, None),
)


@_instead(_cudnnGetConvolution2dForwardOutputDim)
def cudnnGetConvolution2dForwardOutputDim(
    convDesc: ConvolutionDescriptor | int,
    inputTensorDesc: TensorDescriptor | int,
    filterDesc: FilterDescriptor | int,
) -> GetConvolution2dForwardOutputDimResult:
    """Return `n`, `c`, `h` and `w` for `convDesc`, `inputTensorDesc` and `filterDesc`.

    Args:
        convDesc: const cudnnConvolutionDescriptor_t, a `ConvolutionDescriptor` or its address.
        inputTensorDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        filterDesc: const cudnnFilterDescriptor_t, a `FilterDescriptor` or its address.

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
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-cnn-library.html#cudnngetconvolution2dforwardoutputdim

    C, cudnn_cnn.h::

        cudnnStatus_t cudnnGetConvolution2dForwardOutputDim(const cudnnConvolutionDescriptor_t
            convDesc, const cudnnTensorDescriptor_t inputTensorDesc, const
            cudnnFilterDescriptor_t filterDesc, int *n, int *c, int *h, int *w)
    """
    return _cudnnGetConvolution2dForwardOutputDim(convDesc, inputTensorDesc, filterDesc)


_cudnnGetConvolutionBackwardDataAlgorithmMaxCount = _quick(
    "cudnnGetConvolutionBackwardDataAlgorithmMaxCount",
    "q",
    ("_cudnnHandle_t",),
    (None, None),
)


@_instead(_cudnnGetConvolutionBackwardDataAlgorithmMaxCount)
def cudnnGetConvolutionBackwardDataAlgorithmMaxCount(handle: Handle | int) -> int:
    """Return `count`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.

    Returns:
        int.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.candidates`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-cnn-library.html#cudnngetconvolutionbackwarddataalgorithmmaxcount

    C, cudnn_cnn.h::

        cudnnStatus_t cudnnGetConvolutionBackwardDataAlgorithmMaxCount(cudnnHandle_t handle, int
            *count)
    """
    return _cudnnGetConvolutionBackwardDataAlgorithmMaxCount(handle)


def cudnnGetConvolutionBackwardDataAlgorithm_v7(
    handle: Handle | int,
    filterDesc: FilterDescriptor | int,
    diffDesc: TensorDescriptor | int,
    convDesc: ConvolutionDescriptor | int,
    gradDesc: TensorDescriptor | int,
    requestedAlgoCount: int = 16,
) -> list[ConvolutionBwdDataAlgoPerf]:
    """Return a list of `ConvolutionBwdDataAlgoPerf`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        filterDesc: const cudnnFilterDescriptor_t, a `FilterDescriptor` or its address.
        diffDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        convDesc: const cudnnConvolutionDescriptor_t, a `ConvolutionDescriptor` or its address.
        gradDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        requestedAlgoCount: const int, how many elements `perfResults` may have, 16 where left
            out.

    Returns:
        list[ConvolutionBwdDataAlgoPerf], as many as there are, at most `requestedAlgoCount`; by
            a heuristic, the best first: nothing is run, and times are -1.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.candidates`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-cnn-library.html#cudnngetconvolutionbackwarddataalgorithm-v7

    C, cudnn_cnn.h::

        cudnnStatus_t cudnnGetConvolutionBackwardDataAlgorithm_v7(cudnnHandle_t handle, const
            cudnnFilterDescriptor_t filterDesc, const cudnnTensorDescriptor_t diffDesc, const
            cudnnConvolutionDescriptor_t convDesc, const cudnnTensorDescriptor_t gradDesc, const
            int requestedAlgoCount, int *returnedAlgoCount, cudnnConvolutionBwdDataAlgoPerf_t
            *perfResults)
    """
    if (
        _type(handle),
        _type(filterDesc),
        _type(diffDesc),
        _type(convDesc),
        _type(gradDesc),
        _type(requestedAlgoCount),
    ) not in _plain_cudnnGetConvolutionBackwardDataAlgorithm_v7:
        return _slow(
            cudnnGetConvolutionBackwardDataAlgorithm_v7,
            "cudnnGetConvolutionBackwardDataAlgorithm_v7",
            (handle, filterDesc, diffDesc, convDesc, gradDesc, requestedAlgoCount),
        )
    try:
        _out_perfResults = _records(
            "cudnnConvolutionBwdDataAlgoPerf_t",
            requestedAlgoCount,
            "requestedAlgoCount",
        )
        _out = _lend()
        _status = _cudnnGetConvolutionBackwardDataAlgorithm_v7(
            handle if _type(handle) is int else handle._cudnnHandle_t,
            filterDesc if _type(filterDesc) is int else filterDesc._cudnnFilterDescriptor_t,
            diffDesc if _type(diffDesc) is int else diffDesc._cudnnTensorDescriptor_t,
            convDesc if _type(convDesc) is int else convDesc._cudnnConvolutionDescriptor_t,
            gradDesc if _type(gradDesc) is int else gradDesc._cudnnTensorDescriptor_t,
            requestedAlgoCount,
            _out_perfResults,
            _out[0],
        )
    except _CONVERT as _error:
        return _slow(
            cudnnGetConvolutionBackwardDataAlgorithm_v7,
            "cudnnGetConvolutionBackwardDataAlgorithm_v7",
            (handle, filterDesc, diffDesc, convDesc, gradDesc, requestedAlgoCount),
            _error,
        )
    if _status:
        return _failed(
            cudnnGetConvolutionBackwardDataAlgorithm_v7,
            "cudnnGetConvolutionBackwardDataAlgorithm_v7",
            _status,
            (handle, filterDesc, diffDesc, convDesc, gradDesc, requestedAlgoCount),
        )
    _r = _unpack_q(_out[1])
    _outs.append(_out)
    return _record_values(
        _out_perfResults,
        "cudnnConvolutionBwdDataAlgoPerf_t",
        max(min(_r[0], requestedAlgoCount), 0),
    )


_cudnnGetConvolutionBackwardDataWorkspaceSize = _quick(
    "cudnnGetConvolutionBackwardDataWorkspaceSize",
    "Q",
    (
        "_cudnnHandle_t",
        "_cudnnFilterDescriptor_t",
        "_cudnnTensorDescriptor_t",
        "_cudnnConvolutionDescriptor_t",
        "_cudnnTensorDescriptor_t",
        None,
    ),
    (None, None),
)


@_instead(_cudnnGetConvolutionBackwardDataWorkspaceSize)
def cudnnGetConvolutionBackwardDataWorkspaceSize(
    handle: Handle | int,
    wDesc: FilterDescriptor | int,
    dyDesc: TensorDescriptor | int,
    convDesc: ConvolutionDescriptor | int,
    dxDesc: TensorDescriptor | int,
    algo: ConvolutionBwdDataAlgo,
) -> int:
    """Return `sizeInBytes` for `wDesc`, `dyDesc`, `convDesc` and `dxDesc`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        wDesc: const cudnnFilterDescriptor_t, a `FilterDescriptor` or its address.
        dyDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        convDesc: const cudnnConvolutionDescriptor_t, a `ConvolutionDescriptor` or its address.
        dxDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        algo: cudnnConvolutionBwdDataAlgo_t, a `ConvolutionBwdDataAlgo`; the algorithm that the
            computation gets.

    Returns:
        int, in bytes; of the workspace of `cudnnConvolutionBackwardData`.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.convolution_backward_data`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-cnn-library.html#cudnngetconvolutionbackwarddataworkspacesize

    C, cudnn_cnn.h::

        cudnnStatus_t cudnnGetConvolutionBackwardDataWorkspaceSize(cudnnHandle_t handle, const
            cudnnFilterDescriptor_t wDesc, const cudnnTensorDescriptor_t dyDesc, const
            cudnnConvolutionDescriptor_t convDesc, const cudnnTensorDescriptor_t dxDesc,
            cudnnConvolutionBwdDataAlgo_t algo, size_t *sizeInBytes)
    """
    return _cudnnGetConvolutionBackwardDataWorkspaceSize(
        handle,
        wDesc,
        dyDesc,
        convDesc,
        dxDesc,
        algo,
    )


_cudnnGetConvolutionBackwardFilterAlgorithmMaxCount = _quick(
    "cudnnGetConvolutionBackwardFilterAlgorithmMaxCount",
    "q",
    ("_cudnnHandle_t",),
    (None, None),
)


@_instead(_cudnnGetConvolutionBackwardFilterAlgorithmMaxCount)
def cudnnGetConvolutionBackwardFilterAlgorithmMaxCount(handle: Handle | int) -> int:
    """Return `count`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.

    Returns:
        int.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.candidates`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-cnn-library.html#cudnngetconvolutionbackwardfilteralgorithmmaxcount

    C, cudnn_cnn.h::

        cudnnStatus_t cudnnGetConvolutionBackwardFilterAlgorithmMaxCount(cudnnHandle_t handle,
            int *count)
    """
    return _cudnnGetConvolutionBackwardFilterAlgorithmMaxCount(handle)


def cudnnGetConvolutionBackwardFilterAlgorithm_v7(
    handle: Handle | int,
    srcDesc: TensorDescriptor | int,
    diffDesc: TensorDescriptor | int,
    convDesc: ConvolutionDescriptor | int,
    gradDesc: FilterDescriptor | int,
    requestedAlgoCount: int = 16,
) -> list[ConvolutionBwdFilterAlgoPerf]:
    """Return a list of `ConvolutionBwdFilterAlgoPerf`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        srcDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        diffDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        convDesc: const cudnnConvolutionDescriptor_t, a `ConvolutionDescriptor` or its address.
        gradDesc: const cudnnFilterDescriptor_t, a `FilterDescriptor` or its address.
        requestedAlgoCount: const int, how many elements `perfResults` may have, 16 where left
            out.

    Returns:
        list[ConvolutionBwdFilterAlgoPerf], as many as there are, at most `requestedAlgoCount`;
            by a heuristic, the best first: nothing is run, and times are -1.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.candidates`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-cnn-library.html#cudnngetconvolutionbackwardfilteralgorithm-v7

    C, cudnn_cnn.h::

        cudnnStatus_t cudnnGetConvolutionBackwardFilterAlgorithm_v7(cudnnHandle_t handle, const
            cudnnTensorDescriptor_t srcDesc, const cudnnTensorDescriptor_t diffDesc, const
            cudnnConvolutionDescriptor_t convDesc, const cudnnFilterDescriptor_t gradDesc, const
            int requestedAlgoCount, int *returnedAlgoCount, cudnnConvolutionBwdFilterAlgoPerf_t
            *perfResults)
    """
    if (
        _type(handle),
        _type(srcDesc),
        _type(diffDesc),
        _type(convDesc),
        _type(gradDesc),
        _type(requestedAlgoCount),
    ) not in _plain_cudnnGetConvolutionBackwardFilterAlgorithm_v7:
        return _slow(
            cudnnGetConvolutionBackwardFilterAlgorithm_v7,
            "cudnnGetConvolutionBackwardFilterAlgorithm_v7",
            (handle, srcDesc, diffDesc, convDesc, gradDesc, requestedAlgoCount),
        )
    try:
        _out_perfResults = _records(
            "cudnnConvolutionBwdFilterAlgoPerf_t",
            requestedAlgoCount,
            "requestedAlgoCount",
        )
        _out = _lend()
        _status = _cudnnGetConvolutionBackwardFilterAlgorithm_v7(
            handle if _type(handle) is int else handle._cudnnHandle_t,
            srcDesc if _type(srcDesc) is int else srcDesc._cudnnTensorDescriptor_t,
            diffDesc if _type(diffDesc) is int else diffDesc._cudnnTensorDescriptor_t,
            convDesc if _type(convDesc) is int else convDesc._cudnnConvolutionDescriptor_t,
            gradDesc if _type(gradDesc) is int else gradDesc._cudnnFilterDescriptor_t,
            requestedAlgoCount,
            _out_perfResults,
            _out[0],
        )
    except _CONVERT as _error:
        return _slow(
            cudnnGetConvolutionBackwardFilterAlgorithm_v7,
            "cudnnGetConvolutionBackwardFilterAlgorithm_v7",
            (handle, srcDesc, diffDesc, convDesc, gradDesc, requestedAlgoCount),
            _error,
        )
    if _status:
        return _failed(
            cudnnGetConvolutionBackwardFilterAlgorithm_v7,
            "cudnnGetConvolutionBackwardFilterAlgorithm_v7",
            _status,
            (handle, srcDesc, diffDesc, convDesc, gradDesc, requestedAlgoCount),
        )
    _r = _unpack_q(_out[1])
    _outs.append(_out)
    return _record_values(
        _out_perfResults,
        "cudnnConvolutionBwdFilterAlgoPerf_t",
        max(min(_r[0], requestedAlgoCount), 0),
    )


_cudnnGetConvolutionBackwardFilterWorkspaceSize = _quick(
    "cudnnGetConvolutionBackwardFilterWorkspaceSize",
    "Q",
    (
        "_cudnnHandle_t",
        "_cudnnTensorDescriptor_t",
        "_cudnnTensorDescriptor_t",
        "_cudnnConvolutionDescriptor_t",
        "_cudnnFilterDescriptor_t",
        None,
    ),
    (None, None),
)


@_instead(_cudnnGetConvolutionBackwardFilterWorkspaceSize)
def cudnnGetConvolutionBackwardFilterWorkspaceSize(
    handle: Handle | int,
    xDesc: TensorDescriptor | int,
    dyDesc: TensorDescriptor | int,
    convDesc: ConvolutionDescriptor | int,
    gradDesc: FilterDescriptor | int,
    algo: ConvolutionBwdFilterAlgo,
) -> int:
    """Return `sizeInBytes` for `xDesc`, `dyDesc`, `convDesc` and `gradDesc`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        xDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        dyDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        convDesc: const cudnnConvolutionDescriptor_t, a `ConvolutionDescriptor` or its address.
        gradDesc: const cudnnFilterDescriptor_t, a `FilterDescriptor` or its address.
        algo: cudnnConvolutionBwdFilterAlgo_t, a `ConvolutionBwdFilterAlgo`; the algorithm that
            the computation gets.

    Returns:
        int, in bytes; of the workspace of `cudnnConvolutionBackwardFilter`.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.convolution_backward_filter`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-cnn-library.html#cudnngetconvolutionbackwardfilterworkspacesize

    C, cudnn_cnn.h::

        cudnnStatus_t cudnnGetConvolutionBackwardFilterWorkspaceSize(cudnnHandle_t handle, const
            cudnnTensorDescriptor_t xDesc, const cudnnTensorDescriptor_t dyDesc, const
            cudnnConvolutionDescriptor_t convDesc, const cudnnFilterDescriptor_t gradDesc,
            cudnnConvolutionBwdFilterAlgo_t algo, size_t *sizeInBytes)
    """
    return _cudnnGetConvolutionBackwardFilterWorkspaceSize(
        handle,
        xDesc,
        dyDesc,
        convDesc,
        gradDesc,
        algo,
    )


_cudnnGetConvolutionForwardAlgorithmMaxCount = _quick(
    "cudnnGetConvolutionForwardAlgorithmMaxCount",
    "q",
    ("_cudnnHandle_t",),
    (None, None),
)


@_instead(_cudnnGetConvolutionForwardAlgorithmMaxCount)
def cudnnGetConvolutionForwardAlgorithmMaxCount(handle: Handle | int) -> int:
    """Return `count`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.

    Returns:
        int.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.candidates`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-cnn-library.html#cudnngetconvolutionforwardalgorithmmaxcount

    C, cudnn_cnn.h::

        cudnnStatus_t cudnnGetConvolutionForwardAlgorithmMaxCount(cudnnHandle_t handle, int
            *count)
    """
    return _cudnnGetConvolutionForwardAlgorithmMaxCount(handle)


def cudnnGetConvolutionForwardAlgorithm_v7(
    handle: Handle | int,
    srcDesc: TensorDescriptor | int,
    filterDesc: FilterDescriptor | int,
    convDesc: ConvolutionDescriptor | int,
    destDesc: TensorDescriptor | int,
    requestedAlgoCount: int = 16,
) -> list[ConvolutionFwdAlgoPerf]:
    """Return a list of `ConvolutionFwdAlgoPerf`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        srcDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        filterDesc: const cudnnFilterDescriptor_t, a `FilterDescriptor` or its address.
        convDesc: const cudnnConvolutionDescriptor_t, a `ConvolutionDescriptor` or its address.
        destDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        requestedAlgoCount: const int, how many elements `perfResults` may have, 16 where left
            out.

    Returns:
        list[ConvolutionFwdAlgoPerf], as many as there are, at most `requestedAlgoCount`; by a
            heuristic, the best first: nothing is run, and times are -1.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.candidates`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-cnn-library.html#cudnngetconvolutionforwardalgorithm-v7

    C, cudnn_cnn.h::

        cudnnStatus_t cudnnGetConvolutionForwardAlgorithm_v7(cudnnHandle_t handle, const
            cudnnTensorDescriptor_t srcDesc, const cudnnFilterDescriptor_t filterDesc, const
            cudnnConvolutionDescriptor_t convDesc, const cudnnTensorDescriptor_t destDesc, const
            int requestedAlgoCount, int *returnedAlgoCount, cudnnConvolutionFwdAlgoPerf_t
            *perfResults)
    """
    if (
        _type(handle),
        _type(srcDesc),
        _type(filterDesc),
        _type(convDesc),
        _type(destDesc),
        _type(requestedAlgoCount),
    ) not in _plain_cudnnGetConvolutionForwardAlgorithm_v7:
        return _slow(
            cudnnGetConvolutionForwardAlgorithm_v7,
            "cudnnGetConvolutionForwardAlgorithm_v7",
            (handle, srcDesc, filterDesc, convDesc, destDesc, requestedAlgoCount),
        )
    try:
        _out_perfResults = _records(
            "cudnnConvolutionFwdAlgoPerf_t",
            requestedAlgoCount,
            "requestedAlgoCount",
        )
        _out = _lend()
        _status = _cudnnGetConvolutionForwardAlgorithm_v7(
            handle if _type(handle) is int else handle._cudnnHandle_t,
            srcDesc if _type(srcDesc) is int else srcDesc._cudnnTensorDescriptor_t,
            filterDesc if _type(filterDesc) is int else filterDesc._cudnnFilterDescriptor_t,
            convDesc if _type(convDesc) is int else convDesc._cudnnConvolutionDescriptor_t,
            destDesc if _type(destDesc) is int else destDesc._cudnnTensorDescriptor_t,
            requestedAlgoCount,
            _out_perfResults,
            _out[0],
        )
    except _CONVERT as _error:
        return _slow(
            cudnnGetConvolutionForwardAlgorithm_v7,
            "cudnnGetConvolutionForwardAlgorithm_v7",
            (handle, srcDesc, filterDesc, convDesc, destDesc, requestedAlgoCount),
            _error,
        )
    if _status:
        return _failed(
            cudnnGetConvolutionForwardAlgorithm_v7,
            "cudnnGetConvolutionForwardAlgorithm_v7",
            _status,
            (handle, srcDesc, filterDesc, convDesc, destDesc, requestedAlgoCount),
        )
    _r = _unpack_q(_out[1])
    _outs.append(_out)
    return _record_values(
        _out_perfResults,
        "cudnnConvolutionFwdAlgoPerf_t",
        max(min(_r[0], requestedAlgoCount), 0),
    )


_cudnnGetConvolutionForwardWorkspaceSize = _quick(
    "cudnnGetConvolutionForwardWorkspaceSize",
    "Q",
    (
        "_cudnnHandle_t",
        "_cudnnTensorDescriptor_t",
        "_cudnnFilterDescriptor_t",
        "_cudnnConvolutionDescriptor_t",
        "_cudnnTensorDescriptor_t",
        None,
    ),
    (None, None),
)


@_instead(_cudnnGetConvolutionForwardWorkspaceSize)
def cudnnGetConvolutionForwardWorkspaceSize(
    handle: Handle | int,
    xDesc: TensorDescriptor | int,
    wDesc: FilterDescriptor | int,
    convDesc: ConvolutionDescriptor | int,
    yDesc: TensorDescriptor | int,
    algo: ConvolutionFwdAlgo,
) -> int:
    """Return `sizeInBytes` for `xDesc`, `wDesc`, `convDesc` and `yDesc`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        xDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        wDesc: const cudnnFilterDescriptor_t, a `FilterDescriptor` or its address.
        convDesc: const cudnnConvolutionDescriptor_t, a `ConvolutionDescriptor` or its address.
        yDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        algo: cudnnConvolutionFwdAlgo_t, a `ConvolutionFwdAlgo`; the algorithm that the
            computation gets.

    Returns:
        int, in bytes; of the workspace of `cudnnConvolutionForward` and
            `cudnnConvolutionBiasActivationForward`.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.convolution`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-cnn-library.html#cudnngetconvolutionforwardworkspacesize

    C, cudnn_cnn.h::

        cudnnStatus_t cudnnGetConvolutionForwardWorkspaceSize(cudnnHandle_t handle, const
            cudnnTensorDescriptor_t xDesc, const cudnnFilterDescriptor_t wDesc, const
            cudnnConvolutionDescriptor_t convDesc, const cudnnTensorDescriptor_t yDesc,
            cudnnConvolutionFwdAlgo_t algo, size_t *sizeInBytes)
    """
    return _cudnnGetConvolutionForwardWorkspaceSize(handle, xDesc, wDesc, convDesc, yDesc, algo)


_cudnnGetConvolutionGroupCount = _quick(
    "cudnnGetConvolutionGroupCount",
    "q",
    ("_cudnnConvolutionDescriptor_t",),
    (None, None),
)


@_instead(_cudnnGetConvolutionGroupCount)
def cudnnGetConvolutionGroupCount(convDesc: ConvolutionDescriptor | int) -> int:
    """Return `groupCount` of `convDesc`.

    Args:
        convDesc: cudnnConvolutionDescriptor_t, a `ConvolutionDescriptor` or its address.

    Returns:
        int; the number of groups of channels, each with filters of its own.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-cnn-library.html#cudnngetconvolutiongroupcount

    C, cudnn_cnn.h::

        cudnnStatus_t cudnnGetConvolutionGroupCount(cudnnConvolutionDescriptor_t convDesc, int
            *groupCount)
    """
    return _cudnnGetConvolutionGroupCount(convDesc)


_cudnnGetConvolutionMathType = _quick(
    "cudnnGetConvolutionMathType",
    "q",
    ("_cudnnConvolutionDescriptor_t",),
    (None, _MathType),
)


@_instead(_cudnnGetConvolutionMathType)
def cudnnGetConvolutionMathType(convDesc: ConvolutionDescriptor | int) -> MathType:
    """Return `mathType` of `convDesc`.

    Args:
        convDesc: cudnnConvolutionDescriptor_t, a `ConvolutionDescriptor` or its address.

    Returns:
        MathType; whether Tensor Cores may be used, and inputs rounded to narrower types for
            them.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-cnn-library.html#cudnngetconvolutionmathtype

    C, cudnn_cnn.h::

        cudnnStatus_t cudnnGetConvolutionMathType(cudnnConvolutionDescriptor_t convDesc,
            cudnnMathType_t *mathType)
    """
    return _cudnnGetConvolutionMathType(convDesc)


def cudnnGetConvolutionNdDescriptor(
    convDesc: ConvolutionDescriptor | int,
    arrayLengthRequested: int = 6,
) -> GetConvolutionNdDescriptorResult:
    """Return `arrayLength`, `padA`, `strideA`, `dilationA`, `mode` and `computeType`.

    Args:
        convDesc: const cudnnConvolutionDescriptor_t, a `ConvolutionDescriptor` or its address.
        arrayLengthRequested: int, how many elements `padA`, `strideA` and `dilationA` may have,
            6 where left out.

    Returns:
        arrayLength: int.
        padA: tuple[int, ...], as many as there are, at most `arrayLengthRequested`; zeros at
            both ends of each spatial axis.
        strideA: tuple[int, ...], as many as there are, at most `arrayLengthRequested`; the
            stride of each spatial axis.
        dilationA: tuple[int, ...], as many as there are, at most `arrayLengthRequested`; the
            distance of the filter's elements along each spatial axis; 1 without gaps.
        mode: ConvolutionMode; `CROSS_CORRELATION`, usual in networks, or `CONVOLUTION`, which
            flips the filter.
        computeType: DataType; the type in which the computation is done.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-cnn-library.html#cudnngetconvolutionnddescriptor

    C, cudnn_cnn.h::

        cudnnStatus_t cudnnGetConvolutionNdDescriptor(const cudnnConvolutionDescriptor_t
            convDesc, int arrayLengthRequested, int *arrayLength, int padA[], int strideA[], int
            dilationA[], cudnnConvolutionMode_t *mode, cudnnDataType_t *computeType)
    """
    if (_type(convDesc), _type(arrayLengthRequested)) not in _plain_cudnnGetConvolutionNdDescriptor:
        return _slow(
            cudnnGetConvolutionNdDescriptor,
            "cudnnGetConvolutionNdDescriptor",
            (convDesc, arrayLengthRequested),
        )
    try:
        _out_padA = _memory("int", arrayLengthRequested, "arrayLengthRequested")
        _out_strideA = _memory("int", arrayLengthRequested, "arrayLengthRequested")
        _out_dilationA = _memory("int", arrayLengthRequested, "arrayLengthRequested")
        _out = _lend()
        _status = _cudnnGetConvolutionNdDescriptor(
            convDesc if _type(convDesc) is int else convDesc._cudnnConvolutionDescriptor_t,
            arrayLengthRequested,
            _out_padA,
            _out_strideA,
            _out_dilationA,
            _out[0],
        )
    except _CONVERT as _error:
        return _slow(
            cudnnGetConvolutionNdDescriptor,
            "cudnnGetConvolutionNdDescriptor",
            (convDesc, arrayLengthRequested),
            _error,
        )
    if _status:
        return _failed(
            cudnnGetConvolutionNdDescriptor,
            "cudnnGetConvolutionNdDescriptor",
            _status,
            (convDesc, arrayLengthRequested),
        )
    _r = _unpack_3q(_out[1])
    _outs.append(_out)
    return _new(
        GetConvolutionNdDescriptorResult,
        (
            _r[0],
            tuple(_unpack(_out_padA, max(min(_r[0], arrayLengthRequested), 0))),
            tuple(_unpack(_out_strideA, max(min(_r[0], arrayLengthRequested), 0))),
            tuple(_unpack(_out_dilationA, max(min(_r[0], arrayLengthRequested), 0))),
            _ConvolutionMode[_r[1]],
            _DataType[_r[2]],
        ),
    )


def cudnnGetConvolutionNdForwardOutputDim(
    convDesc: ConvolutionDescriptor | int,
    inputTensorDesc: TensorDescriptor | int,
    filterDesc: FilterDescriptor | int,
    nbDims: int,
) -> tuple[int, ...]:
    """Return `tensorOuputDimA` for `convDesc`, `inputTensorDesc` and `filterDesc`.

    Args:
        convDesc: const cudnnConvolutionDescriptor_t, a `ConvolutionDescriptor` or its address.
        inputTensorDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        filterDesc: const cudnnFilterDescriptor_t, a `FilterDescriptor` or its address.
        nbDims: int, how many elements `tensorOuputDimA` may have.

    Returns:
        tuple[int, ...], `nbDims` elements.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-cnn-library.html#cudnngetconvolutionndforwardoutputdim

    C, cudnn_cnn.h::

        cudnnStatus_t cudnnGetConvolutionNdForwardOutputDim(const cudnnConvolutionDescriptor_t
            convDesc, const cudnnTensorDescriptor_t inputTensorDesc, const
            cudnnFilterDescriptor_t filterDesc, int nbDims, int tensorOuputDimA[])
    """
    if (
        _type(convDesc),
        _type(inputTensorDesc),
        _type(filterDesc),
        _type(nbDims),
    ) not in _plain_cudnnGetConvolutionNdForwardOutputDim:
        return _slow(
            cudnnGetConvolutionNdForwardOutputDim,
            "cudnnGetConvolutionNdForwardOutputDim",
            (convDesc, inputTensorDesc, filterDesc, nbDims),
        )
    try:
        _out_tensorOuputDimA = _memory("int", nbDims, "nbDims", 2)
        _status = _cudnnGetConvolutionNdForwardOutputDim(
            convDesc if _type(convDesc) is int else convDesc._cudnnConvolutionDescriptor_t,
            inputTensorDesc
            if _type(inputTensorDesc) is int
            else inputTensorDesc._cudnnTensorDescriptor_t,
            filterDesc if _type(filterDesc) is int else filterDesc._cudnnFilterDescriptor_t,
            nbDims,
            _out_tensorOuputDimA,
        )
    except _CONVERT as _error:
        return _slow(
            cudnnGetConvolutionNdForwardOutputDim,
            "cudnnGetConvolutionNdForwardOutputDim",
            (convDesc, inputTensorDesc, filterDesc, nbDims),
            _error,
        )
    if _status:
        return _failed(
            cudnnGetConvolutionNdForwardOutputDim,
            "cudnnGetConvolutionNdForwardOutputDim",
            _status,
            (convDesc, inputTensorDesc, filterDesc, nbDims),
        )
    return tuple(_unpack(_out_tensorOuputDimA, nbDims))


_cudnnGetConvolutionReorderType = _quick(
    "cudnnGetConvolutionReorderType",
    "q",
    ("_cudnnConvolutionDescriptor_t",),
    (None, _ReorderType),
)


@_instead(_cudnnGetConvolutionReorderType)
def cudnnGetConvolutionReorderType(convDesc: ConvolutionDescriptor | int) -> ReorderType:
    """Return `reorderType` of `convDesc`.

    Args:
        convDesc: cudnnConvolutionDescriptor_t, a `ConvolutionDescriptor` or its address.

    Returns:
        ReorderType; whether INT8 filters and biases are in the order of Tensor Cores already
            (`NO_REORDER`).

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.convolution`, `Graph.convolution`, `Graph.pointwise`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-cnn-library.html#cudnngetconvolutionreordertype

    C, cudnn_cnn.h::

        cudnnStatus_t cudnnGetConvolutionReorderType(cudnnConvolutionDescriptor_t convDesc,
            cudnnReorderType_t *reorderType)
    """
    return _cudnnGetConvolutionReorderType(convDesc)


_cudnnGetFoldedConvBackwardDataDescriptors = _quick(
    "cudnnGetFoldedConvBackwardDataDescriptors",
    "",
    (
        "_cudnnHandle_t",
        "_cudnnFilterDescriptor_t",
        "_cudnnTensorDescriptor_t",
        "_cudnnConvolutionDescriptor_t",
        "_cudnnTensorDescriptor_t",
        None,
        "_cudnnFilterDescriptor_t",
        "_cudnnTensorDescriptor_t",
        "_cudnnConvolutionDescriptor_t",
        "_cudnnTensorDescriptor_t",
        "_cudnnTensorTransformDescriptor_t",
        "_cudnnTensorTransformDescriptor_t",
        "_cudnnTensorTransformDescriptor_t",
        "_cudnnTensorTransformDescriptor_t",
    ),
    (None,),
)


@_instead(_cudnnGetFoldedConvBackwardDataDescriptors)
def cudnnGetFoldedConvBackwardDataDescriptors(
    handle: Handle | int,
    filterDesc: FilterDescriptor | int,
    diffDesc: TensorDescriptor | int,
    convDesc: ConvolutionDescriptor | int,
    gradDesc: TensorDescriptor | int,
    transformFormat: TensorFormat,
    foldedFilterDesc: FilterDescriptor | int,
    paddedDiffDesc: TensorDescriptor | int,
    foldedConvDesc: ConvolutionDescriptor | int,
    foldedGradDesc: TensorDescriptor | int,
    filterFoldTransDesc: TensorTransformDescriptor | int,
    diffPadTransDesc: TensorTransformDescriptor | int,
    gradFoldTransDesc: TensorTransformDescriptor | int,
    gradUnfoldTransDesc: TensorTransformDescriptor | int,
) -> None:
    """Get folded conv backward data descriptors.

    Args:
        handle: const cudnnHandle_t, a `Handle` or its address.
        filterDesc: const cudnnFilterDescriptor_t, a `FilterDescriptor` or its address.
        diffDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        convDesc: const cudnnConvolutionDescriptor_t, a `ConvolutionDescriptor` or its address.
        gradDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        transformFormat: const cudnnTensorFormat_t, a `TensorFormat`: `NCHW`, `NHWC` or
            `NCHW_VECT_C`; the order of axes in memory; `NCHW_VECT_C` has vectors of 4 or 32
            channels.
        foldedFilterDesc: cudnnFilterDescriptor_t, a `FilterDescriptor` or its address, changed.
        paddedDiffDesc: cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, changed.
        foldedConvDesc: cudnnConvolutionDescriptor_t, a `ConvolutionDescriptor` or its address,
            changed.
        foldedGradDesc: cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, changed.
        filterFoldTransDesc: cudnnTensorTransformDescriptor_t, a `TensorTransformDescriptor` or
            its address, changed.
        diffPadTransDesc: cudnnTensorTransformDescriptor_t, a `TensorTransformDescriptor` or its
            address, changed.
        gradFoldTransDesc: cudnnTensorTransformDescriptor_t, a `TensorTransformDescriptor` or
            its address, changed.
        gradUnfoldTransDesc: cudnnTensorTransformDescriptor_t, a `TensorTransformDescriptor` or
            its address, changed.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.convolution`, `Graph.convolution`, `Graph.pointwise`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-cnn-library.html#cudnngetfoldedconvbackwarddatadescriptors

    C, cudnn_cnn.h::

        cudnnStatus_t cudnnGetFoldedConvBackwardDataDescriptors(const cudnnHandle_t handle,
            const cudnnFilterDescriptor_t filterDesc, const cudnnTensorDescriptor_t diffDesc,
            const cudnnConvolutionDescriptor_t convDesc, const cudnnTensorDescriptor_t gradDesc,
            const cudnnTensorFormat_t transformFormat, cudnnFilterDescriptor_t foldedFilterDesc,
            cudnnTensorDescriptor_t paddedDiffDesc, cudnnConvolutionDescriptor_t foldedConvDesc,
            cudnnTensorDescriptor_t foldedGradDesc, cudnnTensorTransformDescriptor_t
            filterFoldTransDesc, cudnnTensorTransformDescriptor_t diffPadTransDesc,
            cudnnTensorTransformDescriptor_t gradFoldTransDesc, cudnnTensorTransformDescriptor_t
            gradUnfoldTransDesc)
    """
    return _cudnnGetFoldedConvBackwardDataDescriptors(
        handle,
        filterDesc,
        diffDesc,
        convDesc,
        gradDesc,
        transformFormat,
        foldedFilterDesc,
        paddedDiffDesc,
        foldedConvDesc,
        foldedGradDesc,
        filterFoldTransDesc,
        diffPadTransDesc,
        gradFoldTransDesc,
        gradUnfoldTransDesc,
    )


_cudnnGetFusedOpsConstParamPackAttribute = _quick(
    "cudnnGetFusedOpsConstParamPackAttribute",
    "q",
    ("_cudnnFusedOpsConstParamPack_t", None, None),
    (None, None),
)


@_instead(_cudnnGetFusedOpsConstParamPackAttribute)
def cudnnGetFusedOpsConstParamPackAttribute(
    constPack: FusedOpsConstParamPack | int,
    paramLabel: FusedOpsConstParamLabel,
    param: HostPointer,
) -> int:
    """Return `isNULL` of `constPack`.

    Args:
        constPack: const cudnnFusedOpsConstParamPack_t, a `FusedOpsConstParamPack` or its
            address.
        paramLabel: cudnnFusedOpsConstParamLabel_t, a `FusedOpsConstParamLabel`.
        param: void*, host memory, written.

    Returns:
        int.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-cnn-library.html#cudnngetfusedopsconstparampackattribute

    C, cudnn_cnn.h::

        cudnnStatus_t cudnnGetFusedOpsConstParamPackAttribute(const
            cudnnFusedOpsConstParamPack_t constPack, cudnnFusedOpsConstParamLabel_t paramLabel,
            void *param, int *isNULL)
    """
    return _cudnnGetFusedOpsConstParamPackAttribute(constPack, paramLabel, param)


_cudnnGetFusedOpsVariantParamPackAttribute = _quick(
    "cudnnGetFusedOpsVariantParamPackAttribute",
    "",
    ("_cudnnFusedOpsVariantParamPack_t", None, None),
    (None,),
)


@_instead(_cudnnGetFusedOpsVariantParamPackAttribute)
def cudnnGetFusedOpsVariantParamPackAttribute(
    varPack: FusedOpsVariantParamPack | int,
    paramLabel: FusedOpsVariantParamLabel,
    ptr: HostPointer,
) -> None:
    """Get fused ops variant param pack attribute with `varPack`.

    Args:
        varPack: const cudnnFusedOpsVariantParamPack_t, a `FusedOpsVariantParamPack` or its
            address.
        paramLabel: cudnnFusedOpsVariantParamLabel_t, a `FusedOpsVariantParamLabel`.
        ptr: void*, host memory, written.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-cnn-library.html#cudnngetfusedopsvariantparampackattribute

    C, cudnn_cnn.h::

        cudnnStatus_t cudnnGetFusedOpsVariantParamPackAttribute(const
            cudnnFusedOpsVariantParamPack_t varPack, cudnnFusedOpsVariantParamLabel_t
            paramLabel, void *ptr)
    """
    return _cudnnGetFusedOpsVariantParamPackAttribute(varPack, paramLabel, ptr)


_cudnnIm2Col = _quick(
    "cudnnIm2Col",
    "",
    (
        "_cudnnHandle_t",
        "_cudnnTensorDescriptor_t",
        _getters,
        "_cudnnFilterDescriptor_t",
        "_cudnnConvolutionDescriptor_t",
        _getters,
    ),
    (None,),
)


@_instead(_cudnnIm2Col)
def cudnnIm2Col(
    handle: Handle | int,
    xDesc: TensorDescriptor | int,
    x: DevicePointer,
    wDesc: FilterDescriptor | int,
    convDesc: ConvolutionDescriptor | int,
    colBuffer: DevicePointer,
) -> None:
    """Compute `colBuffer` from `x`.

    Formula: colBuffer = the elements of x below the filter, for each position of the filter

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        xDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        x: const void*, device memory, laid out as `xDesc` says, read.
        wDesc: const cudnnFilterDescriptor_t, a `FilterDescriptor` or its address.
        convDesc: const cudnnConvolutionDescriptor_t, a `ConvolutionDescriptor` or its address.
        colBuffer: void*, device memory, written.

    Returns:
        None; the function writes `colBuffer`, in place.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.im2col`, `Graph.convolution`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-cnn-library.html#cudnnim2col

    C, cudnn_cnn.h::

        cudnnStatus_t cudnnIm2Col(cudnnHandle_t handle, const cudnnTensorDescriptor_t xDesc,
            const void *x, const cudnnFilterDescriptor_t wDesc, const
            cudnnConvolutionDescriptor_t convDesc, void *colBuffer)
    """
    return _cudnnIm2Col(handle, xDesc, x, wDesc, convDesc, colBuffer)


_cudnnMakeFusedOpsPlan = _quick(
    "cudnnMakeFusedOpsPlan",
    "Q",
    ("_cudnnHandle_t", "_cudnnFusedOpsPlan_t", "_cudnnFusedOpsConstParamPack_t"),
    (None, None),
)


@_instead(_cudnnMakeFusedOpsPlan)
def cudnnMakeFusedOpsPlan(
    handle: Handle | int,
    plan: FusedOpsPlan | int,
    constPack: FusedOpsConstParamPack | int,
) -> int:
    """Make `plan` from `constPack`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        plan: cudnnFusedOpsPlan_t, a `FusedOpsPlan` or its address, changed.
        constPack: const cudnnFusedOpsConstParamPack_t, a `FusedOpsConstParamPack` or its
            address.

    Returns:
        int, in bytes; of the workspace that `cudnnFusedOpsExecute` needs, a pointer in its
            variant pack.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-cnn-library.html#cudnnmakefusedopsplan

    C, cudnn_cnn.h::

        cudnnStatus_t cudnnMakeFusedOpsPlan(cudnnHandle_t handle, cudnnFusedOpsPlan_t plan,
            const cudnnFusedOpsConstParamPack_t constPack, size_t *workspaceSizeInBytes)
    """
    return _cudnnMakeFusedOpsPlan(handle, plan, constPack)


_cudnnReorderFilterAndBias = _quick(
    "cudnnReorderFilterAndBias",
    "",
    (
        "_cudnnHandle_t",
        "_cudnnFilterDescriptor_t",
        None,
        _getters,
        _getters,
        None,
        _getters,
        _getters,
    ),
    (None,),
)


@_instead(_cudnnReorderFilterAndBias)
def cudnnReorderFilterAndBias(
    handle: Handle | int,
    filterDesc: FilterDescriptor | int,
    reorderType: ReorderType,
    filterData: DevicePointer,
    reorderedFilterData: DevicePointer,
    reorderBias: int,
    biasData: DevicePointer,
    reorderedBiasData: DevicePointer,
) -> None:
    """Compute `reorderedFilterData` and `reorderedBiasData` from `filterData` and `biasData`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        filterDesc: const cudnnFilterDescriptor_t, a `FilterDescriptor` or its address.
        reorderType: cudnnReorderType_t, a `ReorderType`: `DEFAULT_REORDER` or `NO_REORDER`;
            whether INT8 filters and biases are in the order of Tensor Cores already
            (`NO_REORDER`).
        filterData: const void*, device memory, laid out as `filterDesc` says, read.
        reorderedFilterData: void*, device memory, written.
        reorderBias: int; 1 to reorder the bias, too.
        biasData: const void*, device memory, read.
        reorderedBiasData: void*, device memory, written.

    Returns:
        None; the function writes `reorderedFilterData` and `reorderedBiasData`, in place.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.convolution`, `Graph.convolution`, `Graph.pointwise`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-cnn-library.html#cudnnreorderfilterandbias

    C, cudnn_cnn.h::

        cudnnStatus_t cudnnReorderFilterAndBias(cudnnHandle_t handle, const
            cudnnFilterDescriptor_t filterDesc, cudnnReorderType_t reorderType, const void
            *filterData, void *reorderedFilterData, int reorderBias, const void *biasData, void
            *reorderedBiasData)
    """
    return _cudnnReorderFilterAndBias(
        handle,
        filterDesc,
        reorderType,
        filterData,
        reorderedFilterData,
        reorderBias,
        biasData,
        reorderedBiasData,
    )


_cudnnSetConvolution2dDescriptor = _quick(
    "cudnnSetConvolution2dDescriptor",
    "",
    ("_cudnnConvolutionDescriptor_t", None, None, None, None, None, None, None, None),
    (None,),
)


@_instead(_cudnnSetConvolution2dDescriptor)
def cudnnSetConvolution2dDescriptor(
    convDesc: ConvolutionDescriptor | int,
    pad_h: int,
    pad_w: int,
    u: int,
    v: int,
    dilation_h: int,
    dilation_w: int,
    mode: ConvolutionMode,
    computeType: DataType,
) -> None:
    """Set up `convDesc` from the other arguments.

    Args:
        convDesc: cudnnConvolutionDescriptor_t, a `ConvolutionDescriptor` or its address,
            changed.
        pad_h: int; rows of zeros above and below the input.
        pad_w: int; columns of zeros left and right of the input.
        u: int; the vertical stride.
        v: int; the horizontal stride.
        dilation_h: int; the vertical distance of the filter's elements; 1 without gaps.
        dilation_w: int; the horizontal distance of the filter's elements; 1 without gaps.
        mode: cudnnConvolutionMode_t, a `ConvolutionMode`: `CONVOLUTION` or `CROSS_CORRELATION`;
            `CROSS_CORRELATION`, usual in networks, or `CONVOLUTION`, which flips the filter.
        computeType: cudnnDataType_t, a `DataType`; the type in which the computation is done.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.convolution`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-cnn-library.html#cudnnsetconvolution2ddescriptor

    C, cudnn_cnn.h::

        cudnnStatus_t cudnnSetConvolution2dDescriptor(cudnnConvolutionDescriptor_t convDesc, int
            pad_h, int pad_w, int u, int v, int dilation_h, int dilation_w,
            cudnnConvolutionMode_t mode, cudnnDataType_t computeType)
    """
    return _cudnnSetConvolution2dDescriptor(
        convDesc,
        pad_h,
        pad_w,
        u,
        v,
        dilation_h,
        dilation_w,
        mode,
        computeType,
    )


_cudnnSetConvolutionGroupCount = _quick(
    "cudnnSetConvolutionGroupCount",
    "",
    ("_cudnnConvolutionDescriptor_t", None),
    (None,),
)


@_instead(_cudnnSetConvolutionGroupCount)
def cudnnSetConvolutionGroupCount(convDesc: ConvolutionDescriptor | int, groupCount: int) -> None:
    """Set `groupCount` of `convDesc`.

    Args:
        convDesc: cudnnConvolutionDescriptor_t, a `ConvolutionDescriptor` or its address,
            changed.
        groupCount: int; the number of groups of channels, each with filters of its own.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.convolution`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-cnn-library.html#cudnnsetconvolutiongroupcount

    C, cudnn_cnn.h::

        cudnnStatus_t cudnnSetConvolutionGroupCount(cudnnConvolutionDescriptor_t convDesc, int
            groupCount)
    """
    return _cudnnSetConvolutionGroupCount(convDesc, groupCount)


_cudnnSetConvolutionMathType = _quick(
    "cudnnSetConvolutionMathType",
    "",
    ("_cudnnConvolutionDescriptor_t", None),
    (None,),
)


@_instead(_cudnnSetConvolutionMathType)
def cudnnSetConvolutionMathType(convDesc: ConvolutionDescriptor | int, mathType: MathType) -> None:
    """Set `mathType` of `convDesc`.

    Args:
        convDesc: cudnnConvolutionDescriptor_t, a `ConvolutionDescriptor` or its address,
            changed.
        mathType: cudnnMathType_t, a `MathType`: `DEFAULT_MATH`, `TENSOR_OP_MATH`,
            `TENSOR_OP_MATH_ALLOW_CONVERSION` or `FMA_MATH`; whether Tensor Cores may be used,
            and inputs rounded to narrower types for them.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.convolution`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-cnn-library.html#cudnnsetconvolutionmathtype

    C, cudnn_cnn.h::

        cudnnStatus_t cudnnSetConvolutionMathType(cudnnConvolutionDescriptor_t convDesc,
            cudnnMathType_t mathType)
    """
    return _cudnnSetConvolutionMathType(convDesc, mathType)


def cudnnSetConvolutionNdDescriptor(
    convDesc: ConvolutionDescriptor | int,
    arrayLength: int,
    padA: Sequence[int] | HostPointer,
    filterStrideA: Sequence[int] | HostPointer,
    dilationA: Sequence[int] | HostPointer,
    mode: ConvolutionMode,
    computeType: DataType,
) -> None:
    """Set `padA`, `filterStrideA`, `dilationA`, `mode` and `computeType` of `convDesc`.

    Args:
        convDesc: cudnnConvolutionDescriptor_t, a `ConvolutionDescriptor` or its address,
            changed.
        arrayLength: int, how many elements `padA`, `filterStrideA` and `dilationA` have.
        padA: const int[], a sequence of numbers, at least `arrayLength` elements; zeros at both
            ends of each spatial axis.
        filterStrideA: const int[], a sequence of numbers, at least `arrayLength` elements; the
            stride of each spatial axis.
        dilationA: const int[], a sequence of numbers, at least `arrayLength` elements; the
            distance of the filter's elements along each spatial axis; 1 without gaps.
        mode: cudnnConvolutionMode_t, a `ConvolutionMode`: `CONVOLUTION` or `CROSS_CORRELATION`;
            `CROSS_CORRELATION`, usual in networks, or `CONVOLUTION`, which flips the filter.
        computeType: cudnnDataType_t, a `DataType`; the type in which the computation is done.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.convolution`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-cnn-library.html#cudnnsetconvolutionnddescriptor

    C, cudnn_cnn.h::

        cudnnStatus_t cudnnSetConvolutionNdDescriptor(cudnnConvolutionDescriptor_t convDesc, int
            arrayLength, const int padA[], const int filterStrideA[], const int dilationA[],
            cudnnConvolutionMode_t mode, cudnnDataType_t computeType)
    """
    if (
        _type(convDesc),
        _type(arrayLength),
        _type(mode),
        _type(computeType),
    ) not in _plain_cudnnSetConvolutionNdDescriptor:
        return _slow(
            cudnnSetConvolutionNdDescriptor,
            "cudnnSetConvolutionNdDescriptor",
            (convDesc, arrayLength, padA, filterStrideA, dilationA, mode, computeType),
        )
    try:
        _in_padA = _array(padA, "i", arrayLength, "padA")
        _in_filterStrideA = _array(filterStrideA, "i", arrayLength, "filterStrideA")
        _in_dilationA = _array(dilationA, "i", arrayLength, "dilationA")
        _status = _cudnnSetConvolutionNdDescriptor(
            convDesc if _type(convDesc) is int else convDesc._cudnnConvolutionDescriptor_t,
            arrayLength,
            _in_padA,
            _in_filterStrideA,
            _in_dilationA,
            mode,
            computeType,
        )
    except _CONVERT as _error:
        return _slow(
            cudnnSetConvolutionNdDescriptor,
            "cudnnSetConvolutionNdDescriptor",
            (convDesc, arrayLength, padA, filterStrideA, dilationA, mode, computeType),
            _error,
        )
    if _status:
        return _failed(
            cudnnSetConvolutionNdDescriptor,
            "cudnnSetConvolutionNdDescriptor",
            _status,
            (convDesc, arrayLength, padA, filterStrideA, dilationA, mode, computeType),
        )
    return None


_cudnnSetConvolutionReorderType = _quick(
    "cudnnSetConvolutionReorderType",
    "",
    ("_cudnnConvolutionDescriptor_t", None),
    (None,),
)


@_instead(_cudnnSetConvolutionReorderType)
def cudnnSetConvolutionReorderType(
    convDesc: ConvolutionDescriptor | int,
    reorderType: ReorderType,
) -> None:
    """Set `reorderType` of `convDesc`.

    Args:
        convDesc: cudnnConvolutionDescriptor_t, a `ConvolutionDescriptor` or its address,
            changed.
        reorderType: cudnnReorderType_t, a `ReorderType`: `DEFAULT_REORDER` or `NO_REORDER`;
            whether INT8 filters and biases are in the order of Tensor Cores already
            (`NO_REORDER`).

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also: `ops.convolution`, `Graph.convolution`, `Graph.pointwise`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-cnn-library.html#cudnnsetconvolutionreordertype

    C, cudnn_cnn.h::

        cudnnStatus_t cudnnSetConvolutionReorderType(cudnnConvolutionDescriptor_t convDesc,
            cudnnReorderType_t reorderType)
    """
    return _cudnnSetConvolutionReorderType(convDesc, reorderType)


_cudnnSetFusedOpsConstParamPackAttribute = _quick(
    "cudnnSetFusedOpsConstParamPackAttribute",
    "",
    ("_cudnnFusedOpsConstParamPack_t", None, None),
    (None,),
)


@_instead(_cudnnSetFusedOpsConstParamPackAttribute)
def cudnnSetFusedOpsConstParamPackAttribute(
    constPack: FusedOpsConstParamPack | int,
    paramLabel: FusedOpsConstParamLabel,
    param: HostPointer | None,
) -> None:
    """Set `paramLabel` and `param` of `constPack`.

    Args:
        constPack: cudnnFusedOpsConstParamPack_t, a `FusedOpsConstParamPack` or its address,
            changed.
        paramLabel: cudnnFusedOpsConstParamLabel_t, a `FusedOpsConstParamLabel`, or None.
        param: const void*, host memory, read, or None.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-cnn-library.html#cudnnsetfusedopsconstparampackattribute

    C, cudnn_cnn.h::

        cudnnStatus_t cudnnSetFusedOpsConstParamPackAttribute(cudnnFusedOpsConstParamPack_t
            constPack, cudnnFusedOpsConstParamLabel_t paramLabel, const void *param)
    """
    return _cudnnSetFusedOpsConstParamPackAttribute(constPack, paramLabel, param)


_cudnnSetFusedOpsVariantParamPackAttribute = _quick(
    "cudnnSetFusedOpsVariantParamPackAttribute",
    "",
    ("_cudnnFusedOpsVariantParamPack_t", None, None),
    (None,),
)


@_instead(_cudnnSetFusedOpsVariantParamPackAttribute)
def cudnnSetFusedOpsVariantParamPackAttribute(
    varPack: FusedOpsVariantParamPack | int,
    paramLabel: FusedOpsVariantParamLabel,
    ptr: HostPointer | None,
) -> None:
    """Set `paramLabel` and `ptr` of `varPack`.

    Args:
        varPack: cudnnFusedOpsVariantParamPack_t, a `FusedOpsVariantParamPack` or its address,
            changed.
        paramLabel: cudnnFusedOpsVariantParamLabel_t, a `FusedOpsVariantParamLabel`, or None.
        ptr: void*, host memory, read, or None.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-cnn-library.html#cudnnsetfusedopsvariantparampackattribute

    C, cudnn_cnn.h::

        cudnnStatus_t cudnnSetFusedOpsVariantParamPackAttribute(cudnnFusedOpsVariantParamPack_t
            varPack, cudnnFusedOpsVariantParamLabel_t paramLabel, void *ptr)
    """
    return _cudnnSetFusedOpsVariantParamPackAttribute(varPack, paramLabel, ptr)
