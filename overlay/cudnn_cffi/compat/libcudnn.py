"""The functions of cudnn-python-wrappers, on the cuDNN that is loaded.

The names, arguments and results are those of its last version, for cuDNN 6: handles and descriptors
are ints, memory is a `ctypes.c_void_p`, scaling factors are floats, algorithms come back as
`ctypes.c_int` and sizes as `ctypes.c_size_t`. Calls with the shorter argument lists of version 2
work too. In the place of pointers, arrays of any library are accepted.

What cuDNN has no more is computed from what it has; docs/porting/libcudnn.md lists it.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from .. import errors
from ..descriptors import ActivationDescriptor
from ..handles import Handle
from ._algorithms import ALL, choose
from ._calls import calls
from ._libcudnn_tables import (
    cudnnActivationMode,
    cudnnAddMode,
    cudnnConvolutionBwdDataAlgo,
    cudnnConvolutionBwdDataAlgoPerf,
    cudnnConvolutionBwdDataPreference,
    cudnnConvolutionBwdFilterAlgo,
    cudnnConvolutionBwdFilterAlgoPerf,
    cudnnConvolutionBwdFilterPreference,
    cudnnConvolutionFwdAlgo,
    cudnnConvolutionFwdAlgoPerf,
    cudnnConvolutionFwdPreference,
    cudnnConvolutionMode,
    cudnnDataType,
    cudnnError,
    cudnnExceptions,
    cudnnNanPropagation,
    cudnnPoolingMode,
    cudnnSoftmaxAlgorithm,
    cudnnSoftmaxMode,
    cudnnStatusAllocFailed,
    cudnnStatusArchMismatch,
    cudnnStatusBadParam,
    cudnnStatusExecutionFailed,
    cudnnStatusInternalError,
    cudnnStatusInvalidValue,
    cudnnStatusLicenseError,
    cudnnStatusMappingError,
    cudnnStatusNotInitialized,
    cudnnStatusNotSupported,
    cudnnTensorFormat,
)
from ._statuses import number_of, old_number

__all__ = [
    "cudnnActivationBackward",
    "cudnnActivationForward",
    "cudnnActivationMode",
    "cudnnAddMode",
    "cudnnAddTensor",
    "cudnnCheckStatus",
    "cudnnConvolutionBackwardBias",
    "cudnnConvolutionBackwardData",
    "cudnnConvolutionBackwardFilter",
    "cudnnConvolutionBwdDataAlgo",
    "cudnnConvolutionBwdDataAlgoPerf",
    "cudnnConvolutionBwdDataPreference",
    "cudnnConvolutionBwdFilterAlgo",
    "cudnnConvolutionBwdFilterAlgoPerf",
    "cudnnConvolutionBwdFilterPreference",
    "cudnnConvolutionForward",
    "cudnnConvolutionFwdAlgo",
    "cudnnConvolutionFwdAlgoPerf",
    "cudnnConvolutionFwdPreference",
    "cudnnConvolutionMode",
    "cudnnCreate",
    "cudnnCreateConvolutionDescriptor",
    "cudnnCreateFilterDescriptor",
    "cudnnCreatePoolingDescriptor",
    "cudnnCreateTensorDescriptor",
    "cudnnDataType",
    "cudnnDestroy",
    "cudnnDestroyConvolutionDescriptor",
    "cudnnDestroyFilterDescriptor",
    "cudnnDestroyPoolingDescriptor",
    "cudnnDestroyTensorDescriptor",
    "cudnnError",
    "cudnnExceptions",
    "cudnnFindConvolutionBackwardDataAlgorithm",
    "cudnnFindConvolutionBackwardFilterAlgorithm",
    "cudnnFindConvolutionForwardAlgorithm",
    "cudnnGetConvolution2dDescriptor",
    "cudnnGetConvolution2dForwardOutputDim",
    "cudnnGetConvolutionBackwardDataAlgorithm",
    "cudnnGetConvolutionBackwardDataWorkspaceSize",
    "cudnnGetConvolutionBackwardFilterAlgorithm",
    "cudnnGetConvolutionBackwardFilterWorkspaceSize",
    "cudnnGetConvolutionForwardAlgorithm",
    "cudnnGetConvolutionForwardWorkspaceSize",
    "cudnnGetFilter4dDescriptor",
    "cudnnGetPooling2dDescriptor",
    "cudnnGetStream",
    "cudnnGetTensor4dDescriptor",
    "cudnnGetVersion",
    "cudnnNanPropagation",
    "cudnnPoolingBackward",
    "cudnnPoolingForward",
    "cudnnPoolingMode",
    "cudnnScaleTensor",
    "cudnnSetConvolution2dDescriptor",
    "cudnnSetConvolutionNdDescriptor",
    "cudnnSetFilter4dDescriptor",
    "cudnnSetPooling2dDescriptor",
    "cudnnSetStream",
    "cudnnSetTensor",
    "cudnnSetTensor4dDescriptor",
    "cudnnSetTensor4dDescriptorEx",
    "cudnnSoftmaxAlgorithm",
    "cudnnSoftmaxBackward",
    "cudnnSoftmaxForward",
    "cudnnSoftmaxMode",
    "cudnnStatusAllocFailed",
    "cudnnStatusArchMismatch",
    "cudnnStatusBadParam",
    "cudnnStatusExecutionFailed",
    "cudnnStatusInternalError",
    "cudnnStatusInvalidValue",
    "cudnnStatusLicenseError",
    "cudnnStatusMappingError",
    "cudnnStatusNotInitialized",
    "cudnnStatusNotSupported",
    "cudnnTensorFormat",
    "cudnnTransformTensor",
]

_P = ParamSpec("_P")
_R = TypeVar("_R")

#: Handles that `cudnnCreate` made and `cudnnDestroy` did not end, by address.
_handles: dict[int, Handle] = {}


def cudnnCheckStatus(status: int) -> None:
    """Raise `cudnnError` unless a status is 0."""
    if status != 0:
        raise _error(status)


def _error(status: int, cause: errors.CudnnError | None = None) -> cudnnError:
    number = old_number(status)
    return cudnnExceptions.get(number, cudnnError)(number, cause)


def _raises(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Let a function raise `cudnnError`, and TypeError for arguments of wrong types."""

    @wraps(function)
    def call(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        try:
            return function(*args, **kwargs)
        except errors.LibraryError:
            raise
        except errors.ArgumentError as error:
            raise TypeError(str(error)) from error
        except errors.CudnnError as error:
            raise _error(number_of(error), error) from error

    return call


def _int(value: Any) -> int:
    """Return the number of an int or a ctypes number; 0 for None."""
    number = getattr(value, "value", value)
    return 0 if number is None else int(number)


# Handles and streams


def cudnnGetVersion() -> int:
    """Return the release of the loaded cuDNN, such as 91900 for 9.19.0."""
    return int(calls.cudnnGetVersion())


@_raises
def cudnnCreate() -> int:
    """Create a handle on the current device, and return its address."""
    handle = Handle()
    _handles[handle.address] = handle
    return handle.address


@_raises
def cudnnDestroy(handle: Any) -> None:
    """Destroy a handle."""
    own = _handles.pop(_int(handle), None)
    if own is not None:
        own.close()
    else:
        calls.cudnnDestroy(_int(handle))


@_raises
def cudnnSetStream(handle: Any, id: Any) -> None:
    """Set the stream of a handle, of any library or as an address."""
    calls.cudnnSetStream(handle, id)


@_raises
def cudnnGetStream(handle: Any) -> int | None:
    """Return the address of a handle's stream; None for the default stream."""
    return int(calls.cudnnGetStream(handle)) or None


# Tensors


@_raises
def cudnnCreateTensorDescriptor() -> int:
    """Create a tensor descriptor, and return its address."""
    return int(calls.cudnnCreateTensorDescriptor())


@_raises
def cudnnSetTensor4dDescriptor(
    tensorDesc: Any, format: Any, dataType: Any, n: Any, c: Any, h: Any, w: Any
) -> None:
    """Set a tensor descriptor to a contiguous tensor."""
    calls.cudnnSetTensor4dDescriptor(tensorDesc, format, dataType, n, c, h, w)


@_raises
def cudnnSetTensor4dDescriptorEx(
    tensorDesc: Any, dataType: Any, n: Any, c: Any, h: Any, w: Any,
    nStride: Any, cStride: Any, hStride: Any, wStride: Any,
) -> None:  # fmt: skip
    """Set a tensor descriptor to a tensor with strides."""
    calls.cudnnSetTensor4dDescriptorEx(
        tensorDesc, dataType, n, c, h, w, nStride, cStride, hStride, wStride
    )


@_raises
def cudnnGetTensor4dDescriptor(tensorDesc: Any) -> tuple[int, ...]:
    """Return data type, n, c, h, w and the four strides of a tensor descriptor."""
    return tuple(map(int, calls.cudnnGetTensor4dDescriptor(tensorDesc)))


@_raises
def cudnnDestroyTensorDescriptor(tensorDesc: Any) -> None:
    """Destroy a tensor descriptor."""
    calls.cudnnDestroyTensorDescriptor(tensorDesc)


@_raises
def cudnnTransformTensor(
    handle: Any, alpha: float, srcDesc: Any, srcData: Any,
    beta: float, destDesc: Any, destData: Any,
) -> None:  # fmt: skip
    """Copy a tensor into another layout: dest = alpha * src + beta * dest."""
    calls.cudnnTransformTensor(handle, alpha, srcDesc, srcData, beta, destDesc, destData)


@_raises
def cudnnAddTensor(*args: Any) -> None:
    """Add a bias: srcDest = alpha * bias + beta * srcDest.

    Args:
        args: handle, alpha, biasDesc, biasData, beta, srcDestDesc, srcDestData; in version 2 also
            a mode after the handle, which follows from the descriptors.
    """
    if len(args) == 8:
        args = (args[0], *args[2:])
    if len(args) != 7:
        raise TypeError(f"cudnnAddTensor takes 7 arguments, or 8 with a mode; {len(args)} came")
    calls.cudnnAddTensor(*args)


@_raises
def cudnnSetTensor(handle: Any, srcDesc: Any, srcData: Any, value: float) -> None:
    """Set all elements of a tensor to a value."""
    calls.cudnnSetTensor(handle, srcDesc, srcData, value)


@_raises
def cudnnScaleTensor(handle: Any, srcDesc: Any, srcData: Any, alpha: float) -> None:
    """Multiply all elements of a tensor by a number."""
    calls.cudnnScaleTensor(handle, srcDesc, srcData, alpha)


# Filters


@_raises
def cudnnCreateFilterDescriptor() -> int:
    """Create a filter descriptor, and return its address."""
    return int(calls.cudnnCreateFilterDescriptor())


@_raises
def cudnnSetFilter4dDescriptor(
    wDesc: Any, dataType: Any, format: Any, k: Any, c: Any, h: Any, w: Any = None
) -> None:
    """Set a filter descriptor; without a format, as in version 2, the format is NCHW."""
    if w is None:
        format, k, c, h, w = cudnnTensorFormat["CUDNN_TENSOR_NCHW"], format, k, c, h
    calls.cudnnSetFilter4dDescriptor(wDesc, dataType, format, k, c, h, w)


@_raises
def cudnnGetFilter4dDescriptor(wDesc: Any) -> tuple[int, ...]:
    """Return data type, format, k, c, h and w of a filter descriptor."""
    return tuple(map(int, calls.cudnnGetFilter4dDescriptor(wDesc)))


@_raises
def cudnnDestroyFilterDescriptor(wDesc: Any) -> None:
    """Destroy a filter descriptor."""
    calls.cudnnDestroyFilterDescriptor(wDesc)


# Convolutions


@_raises
def cudnnCreateConvolutionDescriptor() -> int:
    """Create a convolution descriptor, and return its address."""
    return int(calls.cudnnCreateConvolutionDescriptor())


@_raises
def cudnnSetConvolution2dDescriptor(
    convDesc: Any, pad_h: Any, pad_w: Any, u: Any, v: Any, dilation_h: Any, dilation_w: Any,
    mode: Any, computeType: Any = None,
) -> None:  # fmt: skip
    """Set a convolution descriptor to a convolution in two dimensions.

    Without `computeType`, as in version 2, it computes in float32, and the numbers before `mode`
    are an upscaling, which has to be 1.
    """
    if computeType is None:
        computeType = cudnnDataType["CUDNN_DATA_FLOAT"]
        if (_int(dilation_h), _int(dilation_w)) != (1, 1):
            raise errors.NotSupportedError(
                "no release since 6 upscales the input of a convolution",
                hint="pass computeType as the last argument for a dilation of the filter",
            )
    calls.cudnnSetConvolution2dDescriptor(
        convDesc, pad_h, pad_w, u, v, dilation_h, dilation_w, mode, computeType
    )


@_raises
def cudnnGetConvolution2dDescriptor(convDesc: Any) -> tuple[int, ...]:
    """Return padding, stride and dilation (two numbers each), mode and compute type."""
    return tuple(map(int, calls.cudnnGetConvolution2dDescriptor(convDesc)))


@_raises
def cudnnGetConvolution2dForwardOutputDim(
    convDesc: Any, inputTensorDesc: Any, wDesc: Any
) -> tuple[int, ...]:
    """Return n, c, h and w of a convolution's result."""
    got = calls.cudnnGetConvolution2dForwardOutputDim(convDesc, inputTensorDesc, wDesc)
    return tuple(map(int, got))


@_raises
def cudnnSetConvolutionNdDescriptor(
    convDesc: Any, padA: Any, filterStrideA: Any, dilationA: Any, mode: Any, dataType: Any
) -> None:
    """Set a convolution descriptor; paddings, strides and dilations are sequences."""
    pads, steps, gaps = list(padA), list(filterStrideA), list(dilationA)
    if not len(pads) == len(steps) == len(gaps):
        raise ValueError(
            f"padA, filterStrideA and dilationA have {len(pads)}, {len(steps)} and {len(gaps)} "
            "numbers"
        )
    calls.cudnnSetConvolutionNdDescriptor(convDesc, len(pads), pads, steps, gaps, mode, dataType)


@_raises
def cudnnDestroyConvolutionDescriptor(convDesc: Any) -> None:
    """Destroy a convolution descriptor."""
    calls.cudnnDestroyConvolutionDescriptor(convDesc)


@_raises
def cudnnFindConvolutionForwardAlgorithm(
    handle: Any, xDesc: Any, wDesc: Any, convDesc: Any, yDesc: Any, requestedAlgoCount: int
) -> list[cudnnConvolutionFwdAlgoPerf]:
    """Return how long each algorithm takes, the fastest first."""
    found = calls.cudnnFindConvolutionForwardAlgorithm(
        handle, xDesc, wDesc, convDesc, yDesc, requestedAlgoCount
    )
    return [cudnnConvolutionFwdAlgoPerf(*_measured(each)) for each in found]


@_raises
def cudnnFindConvolutionBackwardDataAlgorithm(
    handle: Any, wDesc: Any, dyDesc: Any, convDesc: Any, dxDesc: Any, requestedAlgoCount: int
) -> list[cudnnConvolutionBwdDataAlgoPerf]:
    """Return how long each algorithm takes, the fastest first."""
    found = calls.cudnnFindConvolutionBackwardDataAlgorithm(
        handle, wDesc, dyDesc, convDesc, dxDesc, requestedAlgoCount
    )
    return [cudnnConvolutionBwdDataAlgoPerf(*_measured(each)) for each in found]


@_raises
def cudnnFindConvolutionBackwardFilterAlgorithm(
    handle: Any, xDesc: Any, dyDesc: Any, convDesc: Any, dwDesc: Any, requestedAlgoCount: int
) -> list[cudnnConvolutionBwdFilterAlgoPerf]:
    """Return how long each algorithm takes, the fastest first."""
    found = calls.cudnnFindConvolutionBackwardFilterAlgorithm(
        handle, xDesc, dyDesc, convDesc, dwDesc, requestedAlgoCount
    )
    return [cudnnConvolutionBwdFilterAlgoPerf(*_measured(each)) for each in found]


def _measured(perf: Any) -> tuple[int, int, float, int]:
    return int(perf.algo), old_number(perf.status), perf.time, perf.memory


def _choose(found: list[Any], preference: Any, limit: Any) -> ctypes.c_int:
    return ctypes.c_int(choose(found, _int(preference), _int(limit)))


@_raises
def cudnnGetConvolutionForwardAlgorithm(
    handle: Any, srcDesc: Any, wDesc: Any, convDesc: Any, destDesc: Any, preference: Any,
    memoryLimitInbytes: Any,
) -> ctypes.c_int:  # fmt: skip
    """Return the best algorithm by `cudnnGetConvolutionForwardAlgorithm_v7`."""
    get = calls.cudnnGetConvolutionForwardAlgorithm_v7
    found = get(handle, srcDesc, wDesc, convDesc, destDesc, ALL)
    return _choose(found, preference, memoryLimitInbytes)


@_raises
def cudnnGetConvolutionBackwardDataAlgorithm(
    handle: Any, wDesc: Any, dyDesc: Any, convDesc: Any, dxDesc: Any, preference: Any,
    memoryLimitInbytes: Any,
) -> ctypes.c_int:  # fmt: skip
    """Return the best algorithm by `cudnnGetConvolutionBackwardDataAlgorithm_v7`."""
    get = calls.cudnnGetConvolutionBackwardDataAlgorithm_v7
    found = get(handle, wDesc, dyDesc, convDesc, dxDesc, ALL)
    return _choose(found, preference, memoryLimitInbytes)


@_raises
def cudnnGetConvolutionBackwardFilterAlgorithm(
    handle: Any, xDesc: Any, dyDesc: Any, convDesc: Any, dwDesc: Any, preference: Any,
    memoryLimitInbytes: Any,
) -> ctypes.c_int:  # fmt: skip
    """Return the best algorithm by `cudnnGetConvolutionBackwardFilterAlgorithm_v7`."""
    get = calls.cudnnGetConvolutionBackwardFilterAlgorithm_v7
    found = get(handle, xDesc, dyDesc, convDesc, dwDesc, ALL)
    return _choose(found, preference, memoryLimitInbytes)


@_raises
def cudnnGetConvolutionForwardWorkspaceSize(
    handle: Any, srcDesc: Any, wDesc: Any, convDesc: Any, destDesc: Any, algo: Any
) -> ctypes.c_size_t:
    """Return the bytes of workspace that an algorithm needs."""
    size = calls.cudnnGetConvolutionForwardWorkspaceSize
    return ctypes.c_size_t(size(handle, srcDesc, wDesc, convDesc, destDesc, algo))


@_raises
def cudnnGetConvolutionBackwardDataWorkspaceSize(
    handle: Any, wDesc: Any, dyDesc: Any, convDesc: Any, dxDesc: Any, algo: Any
) -> ctypes.c_size_t:
    """Return the bytes of workspace that an algorithm needs."""
    size = calls.cudnnGetConvolutionBackwardDataWorkspaceSize
    return ctypes.c_size_t(size(handle, wDesc, dyDesc, convDesc, dxDesc, algo))


@_raises
def cudnnGetConvolutionBackwardFilterWorkspaceSize(
    handle: Any, xDesc: Any, dyDesc: Any, convDesc: Any, gradDesc: Any, algo: Any
) -> ctypes.c_size_t:
    """Return the bytes of workspace that an algorithm needs."""
    size = calls.cudnnGetConvolutionBackwardFilterWorkspaceSize
    return ctypes.c_size_t(size(handle, xDesc, dyDesc, convDesc, gradDesc, algo))


def _workspace(handle: Any, given: Any, size: Any, needed: Callable[[], int]) -> tuple[Any, int]:
    """Return the workspace of a call: what was given, or else the handle's own."""
    own = _handles.get(_int(handle)) if given is None or given == 0 else None
    if own is None:
        return given, _int(size)
    bytes_ = needed()
    return own.workspace.get(bytes_, own.get_stream()), bytes_


@_raises
def cudnnConvolutionForward(
    handle: Any, alpha: float, srcDesc: Any, srcData: Any, wDesc: Any, w: Any, convDesc: Any,
    algo: Any, workspace: Any, workSpaceSizeInBytes: Any, beta: float, destDesc: Any, destData: Any,
) -> None:  # fmt: skip
    """Convolve; without a workspace, that of the handle is used."""
    workspace, size = _workspace(
        handle, workspace, workSpaceSizeInBytes,
        lambda: calls.cudnnGetConvolutionForwardWorkspaceSize(
            handle, srcDesc, wDesc, convDesc, destDesc, algo
        ),
    )  # fmt: skip
    calls.cudnnConvolutionForward(
        handle, alpha, srcDesc, srcData, wDesc, w, convDesc, algo, workspace, size,
        beta, destDesc, destData,
    )  # fmt: skip


@_raises
def cudnnConvolutionBackwardBias(
    handle: Any, alpha: float, srcDesc: Any, srcData: Any, beta: float, destDesc: Any, destData: Any
) -> None:
    """Compute the gradient for the bias of a convolution."""
    calls.cudnnConvolutionBackwardBias(handle, alpha, srcDesc, srcData, beta, destDesc, destData)


@_raises
def cudnnConvolutionBackwardData(
    handle: Any, alpha: float, wDesc: Any, w: Any, dyDesc: Any, dy: Any, convDesc: Any, algo: Any,
    workspace: Any, workSpaceSizeInBytes: Any, beta: Any = None, dxDesc: Any = None, dx: Any = None,
) -> None:  # fmt: skip
    """Compute the gradient for the input of a convolution.

    Version 2 has beta, dxDesc and dx in the place of algorithm and workspace. Without a workspace,
    that of the handle is used.
    """
    if dx is None:
        beta, dxDesc, dx = algo, workspace, workSpaceSizeInBytes
        found = calls.cudnnGetConvolutionBackwardDataAlgorithm_v7(
            handle, wDesc, dyDesc, convDesc, dxDesc, ALL
        )
        algo, workspace, workSpaceSizeInBytes = _choose(found, 1, 0), None, 0
    workspace, size = _workspace(
        handle, workspace, workSpaceSizeInBytes,
        lambda: calls.cudnnGetConvolutionBackwardDataWorkspaceSize(
            handle, wDesc, dyDesc, convDesc, dxDesc, algo
        ),
    )  # fmt: skip
    calls.cudnnConvolutionBackwardData(
        handle, alpha, wDesc, w, dyDesc, dy, convDesc, algo, workspace, size, beta, dxDesc, dx
    )


@_raises
def cudnnConvolutionBackwardFilter(
    handle: Any, alpha: float, xDesc: Any, x: Any, dyDesc: Any, dy: Any, convDesc: Any, algo: Any,
    workspace: Any, workSpaceSizeInBytes: Any, beta: Any = None, dwDesc: Any = None, dw: Any = None,
) -> None:  # fmt: skip
    """Compute the gradient for the filters of a convolution.

    Version 2 has beta, dwDesc and dw in the place of algorithm and workspace. Without a workspace,
    that of the handle is used.
    """
    if dw is None:
        beta, dwDesc, dw = algo, workspace, workSpaceSizeInBytes
        found = calls.cudnnGetConvolutionBackwardFilterAlgorithm_v7(
            handle, xDesc, dyDesc, convDesc, dwDesc, ALL
        )
        algo, workspace, workSpaceSizeInBytes = _choose(found, 1, 0), None, 0
    workspace, size = _workspace(
        handle, workspace, workSpaceSizeInBytes,
        lambda: calls.cudnnGetConvolutionBackwardFilterWorkspaceSize(
            handle, xDesc, dyDesc, convDesc, dwDesc, algo
        ),
    )  # fmt: skip
    calls.cudnnConvolutionBackwardFilter(
        handle, alpha, xDesc, x, dyDesc, dy, convDesc, algo, workspace, size, beta, dwDesc, dw
    )


# Softmax, pooling, activation


@_raises
def cudnnSoftmaxForward(
    handle: Any, algorithm: Any, mode: Any, alpha: float, srcDesc: Any, srcData: Any,
    beta: float, destDesc: Any, destData: Any,
) -> None:  # fmt: skip
    """Compute the softmax."""
    calls.cudnnSoftmaxForward(
        handle, algorithm, mode, alpha, srcDesc, srcData, beta, destDesc, destData
    )


@_raises
def cudnnSoftmaxBackward(
    handle: Any, algorithm: Any, mode: Any, alpha: float, srcDesc: Any, srcData: Any,
    srcDiffDesc: Any, srcDiffData: Any, beta: float, destDiffDesc: Any, destDiffData: Any,
) -> None:  # fmt: skip
    """Compute the gradient of the softmax; `src` is its result."""
    calls.cudnnSoftmaxBackward(
        handle, algorithm, mode, alpha, srcDesc, srcData, srcDiffDesc, srcDiffData,
        beta, destDiffDesc, destDiffData,
    )  # fmt: skip


@_raises
def cudnnCreatePoolingDescriptor() -> int:
    """Create a pooling descriptor, and return its address."""
    return int(calls.cudnnCreatePoolingDescriptor())


@_raises
def cudnnSetPooling2dDescriptor(
    poolingDesc: Any, mode: Any, windowHeight: Any, windowWidth: Any, verticalPadding: Any,
    horizontalPadding: Any, verticalStride: Any, horizontalStride: Any,
) -> None:  # fmt: skip
    """Set a pooling descriptor; NaN is not propagated."""
    calls.cudnnSetPooling2dDescriptor(
        poolingDesc, mode, cudnnNanPropagation["CUDNN_NOT_PROPAGATE_NAN"], windowHeight,
        windowWidth, verticalPadding, horizontalPadding, verticalStride, horizontalStride,
    )  # fmt: skip


@_raises
def cudnnGetPooling2dDescriptor(poolingDesc: Any) -> tuple[int, ...]:
    """Return mode, window and stride (two numbers each) of a pooling descriptor."""
    mode, _, high, wide, _, _, down, right = calls.cudnnGetPooling2dDescriptor(poolingDesc)
    return int(mode), high, wide, down, right


@_raises
def cudnnDestroyPoolingDescriptor(poolingDesc: Any) -> None:
    """Destroy a pooling descriptor."""
    calls.cudnnDestroyPoolingDescriptor(poolingDesc)


@_raises
def cudnnPoolingForward(
    handle: Any, poolingDesc: Any, alpha: float, srcDesc: Any, srcData: Any,
    beta: float, destDesc: Any, destData: Any,
) -> None:  # fmt: skip
    """Pool."""
    calls.cudnnPoolingForward(
        handle, poolingDesc, alpha, srcDesc, srcData, beta, destDesc, destData
    )


@_raises
def cudnnPoolingBackward(
    handle: Any, poolingDesc: Any, alpha: float, srcDesc: Any, srcData: Any, srcDiffDesc: Any,
    srcDiffData: Any, destDesc: Any, destData: Any, beta: float, destDiffDesc: Any,
    destDiffData: Any,
) -> None:  # fmt: skip
    """Compute the gradient of a pooling; `src` is its result and `dest` its input."""
    calls.cudnnPoolingBackward(
        handle, poolingDesc, alpha, srcDesc, srcData, srcDiffDesc, srcDiffData, destDesc, destData,
        beta, destDiffDesc, destDiffData,
    )  # fmt: skip


def _activation(mode: Any) -> ActivationDescriptor:
    number = _int(mode)
    if number == cudnnActivationMode["CUDNN_ACTIVATION_CLIPPED_RELU"]:
        raise errors.BadParamError(
            "a clipped ReLU needs its ceiling, which this function has no argument for",
            hint="cudnn_cffi.ActivationDescriptor.clipped_relu(ceiling)",
        )
    descriptor = ActivationDescriptor()
    elu = number == cudnnActivationMode["CUDNN_ACTIVATION_ELU"]
    calls.cudnnSetActivationDescriptor(
        descriptor, number, cudnnNanPropagation["CUDNN_NOT_PROPAGATE_NAN"], 1.0 if elu else 0.0
    )
    return descriptor


@_raises
def cudnnActivationForward(
    handle: Any, mode: Any, alpha: float, srcDesc: Any, srcData: Any,
    beta: float, destDesc: Any, destData: Any,
) -> None:  # fmt: skip
    """Apply an activation function; the alpha of ELU is 1."""
    calls.cudnnActivationForward(
        handle, _activation(mode), alpha, srcDesc, srcData, beta, destDesc, destData
    )


@_raises
def cudnnActivationBackward(
    handle: Any, mode: Any, alpha: float, srcDesc: Any, srcData: Any, srcDiffDesc: Any,
    srcDiffData: Any, destDesc: Any, destData: Any, beta: float, destDiffDesc: Any,
    destDiffData: Any,
) -> None:  # fmt: skip
    """Compute the gradient of an activation; `src` is its result and `dest` its input."""
    calls.cudnnActivationBackward(
        handle, _activation(mode), alpha, srcDesc, srcData, srcDiffDesc, srcDiffData,
        destDesc, destData, beta, destDiffDesc, destDiffData,
    )  # fmt: skip
