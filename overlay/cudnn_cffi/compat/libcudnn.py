"""The functions of cudnn-python-wrappers, on the cuDNN that is loaded.

The names, arguments and results are those of its last version, for cuDNN 6: handles and descriptors
are ints, memory is a `ctypes.c_void_p`, scaling factors are floats, algorithms come back as
`ctypes.c_int` and sizes as `ctypes.c_size_t`. Calls with the shorter argument lists of version 2
work too. In the place of pointers, arrays of any library are accepted.

Functions that cuDNN removed are computed by others; docs/porting/libcudnn.md lists them.
"""

from __future__ import annotations

import ctypes
from typing import Any

from .. import errors
from ..descriptors import ActivationDescriptor
from ..handles import Handle
from ._calls import calls
from ._libcudnn.base import cudnnCheckStatus, handles, raises, to_address, to_int
from ._libcudnn.convolutions import (
    cudnnConvolutionBackwardBias,
    cudnnConvolutionBackwardData,
    cudnnConvolutionBackwardFilter,
    cudnnConvolutionForward,
    cudnnCreateConvolutionDescriptor,
    cudnnDestroyConvolutionDescriptor,
    cudnnFindConvolutionBackwardDataAlgorithm,
    cudnnFindConvolutionBackwardFilterAlgorithm,
    cudnnFindConvolutionForwardAlgorithm,
    cudnnGetConvolution2dDescriptor,
    cudnnGetConvolution2dForwardOutputDim,
    cudnnGetConvolutionBackwardDataAlgorithm,
    cudnnGetConvolutionBackwardDataWorkspaceSize,
    cudnnGetConvolutionBackwardFilterAlgorithm,
    cudnnGetConvolutionBackwardFilterWorkspaceSize,
    cudnnGetConvolutionForwardAlgorithm,
    cudnnGetConvolutionForwardWorkspaceSize,
    cudnnSetConvolution2dDescriptor,
    cudnnSetConvolutionNdDescriptor,
)
from ._libcudnn.tables import (
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

# Handles and streams


def cudnnGetVersion() -> int:
    """Return the release of the loaded cuDNN, such as 91900 for 9.19.0."""
    return int(calls.cudnnGetVersion())


@raises
def cudnnCreate() -> int:
    """Create a handle on the current device, and return its address."""
    handle = Handle()
    handles[handle.address] = handle
    return handle.address


@raises
def cudnnDestroy(handle: object) -> None:
    """Destroy a handle."""
    address = to_address(handle, "cudnnHandle_t")
    own = handles.pop(address, None)
    if own is not None:
        own.close()
    elif address:
        calls.cudnnDestroy(handle)


@raises
def cudnnSetStream(handle: object, id: Any) -> None:
    """Set the stream of a handle, of any library or as an address."""
    pointer = isinstance(id, ctypes.c_void_p)
    calls.cudnnSetStream(handle, to_int(id) if pointer else id)


@raises
def cudnnGetStream(handle: object) -> int | None:
    """Return the address of a handle's stream; None for the default stream."""
    return int(calls.cudnnGetStream(handle)) or None


# Tensors


@raises
def cudnnCreateTensorDescriptor() -> int:
    """Create a tensor descriptor, and return its address."""
    return int(calls.cudnnCreateTensorDescriptor())


@raises
def cudnnSetTensor4dDescriptor(
    tensorDesc: object, format: Any, dataType: object, n: object, c: object, h: object, w: object
) -> None:
    """Set a tensor descriptor to a contiguous tensor."""
    calls.cudnnSetTensor4dDescriptor(tensorDesc, format, dataType, n, c, h, w)


@raises
def cudnnSetTensor4dDescriptorEx(
    tensorDesc: object, dataType: object, n: object, c: object, h: object, w: object, nStride: Any,
    cStride: Any, hStride: Any, wStride: Any,
) -> None:  # fmt: skip
    """Set a tensor descriptor to a tensor with strides."""
    calls.cudnnSetTensor4dDescriptorEx(
        tensorDesc, dataType, n, c, h, w, nStride, cStride, hStride, wStride
    )


@raises
def cudnnGetTensor4dDescriptor(tensorDesc: object) -> tuple[int, ...]:
    """Return data type, n, c, h, w and the four strides of a tensor descriptor."""
    return tuple(map(int, calls.cudnnGetTensor4dDescriptor(tensorDesc)))


@raises
def cudnnDestroyTensorDescriptor(tensorDesc: object) -> None:
    """Destroy a tensor descriptor."""
    if to_address(tensorDesc, "cudnnTensorDescriptor_t"):
        calls.cudnnDestroyTensorDescriptor(tensorDesc)


@raises
def cudnnTransformTensor(
    handle: object, alpha: float, srcDesc: object, srcData: object, beta: float, destDesc: object,
    destData: object,
) -> None:  # fmt: skip
    """Copy a tensor into another layout: dest = alpha * src + beta * dest."""
    calls.cudnnTransformTensor(handle, alpha, srcDesc, srcData, beta, destDesc, destData)


@raises
def cudnnAddTensor(
    handle: object, alpha: Any, biasDesc: object, biasData: object, beta: Any, srcDestDesc: object,
    srcDestData: object, last: Any = None,
) -> None:  # fmt: skip
    """Add a bias: srcDest = alpha * bias + beta * srcDest.

    Version 2 has a mode after the handle, and so an argument more; it follows from the descriptors.
    """
    args = (alpha, biasDesc, biasData, beta, srcDestDesc, srcDestData, last)
    calls.cudnnAddTensor(handle, *(args[:6] if last is None else args[1:]))


@raises
def cudnnSetTensor(handle: object, srcDesc: object, srcData: object, value: float) -> None:
    """Set all elements of a tensor to a value."""
    calls.cudnnSetTensor(handle, srcDesc, srcData, value)


@raises
def cudnnScaleTensor(handle: object, srcDesc: object, srcData: object, alpha: float) -> None:
    """Multiply all elements of a tensor by a number."""
    calls.cudnnScaleTensor(handle, srcDesc, srcData, alpha)


# Filters


@raises
def cudnnCreateFilterDescriptor() -> int:
    """Create a filter descriptor, and return its address."""
    return int(calls.cudnnCreateFilterDescriptor())


@raises
def cudnnSetFilter4dDescriptor(
    wDesc: object, dataType: object, format: Any, k: object, c: object, h: object, w: object = None
) -> None:
    """Set a filter descriptor; without a format, as in version 2, the format is NCHW."""
    if w is None:
        format, k, c, h, w = cudnnTensorFormat["CUDNN_TENSOR_NCHW"], format, k, c, h
    calls.cudnnSetFilter4dDescriptor(wDesc, dataType, format, k, c, h, w)


@raises
def cudnnGetFilter4dDescriptor(wDesc: object) -> tuple[int, ...]:
    """Return data type, format, k, c, h and w of a filter descriptor."""
    return tuple(map(int, calls.cudnnGetFilter4dDescriptor(wDesc)))


@raises
def cudnnDestroyFilterDescriptor(wDesc: object) -> None:
    """Destroy a filter descriptor."""
    if to_address(wDesc, "cudnnFilterDescriptor_t"):
        calls.cudnnDestroyFilterDescriptor(wDesc)


# Softmax, pooling, activation


@raises
def cudnnSoftmaxForward(
    handle: object, algorithm: Any, mode: object, alpha: float, srcDesc: object, srcData: object,
    beta: float, destDesc: object, destData: object,
) -> None:  # fmt: skip
    """Compute the softmax."""
    calls.cudnnSoftmaxForward(
        handle, algorithm, mode, alpha, srcDesc, srcData, beta, destDesc, destData
    )


@raises
def cudnnSoftmaxBackward(
    handle: object, algorithm: Any, mode: object, alpha: float, srcDesc: object, srcData: object,
    srcDiffDesc: object, srcDiffData: object, beta: float, destDiffDesc: object, destDiffData:
    object,
) -> None:  # fmt: skip
    """Compute the gradient of the softmax; `src` is its result."""
    calls.cudnnSoftmaxBackward(
        handle, algorithm, mode, alpha, srcDesc, srcData, srcDiffDesc, srcDiffData,
        beta, destDiffDesc, destDiffData,
    )  # fmt: skip


@raises
def cudnnCreatePoolingDescriptor() -> int:
    """Create a pooling descriptor, and return its address."""
    return int(calls.cudnnCreatePoolingDescriptor())


@raises
def cudnnSetPooling2dDescriptor(
    poolingDesc: object, mode: object, windowHeight: Any, windowWidth: Any, verticalPadding: Any,
    horizontalPadding: Any, verticalStride: Any, horizontalStride: Any,
) -> None:  # fmt: skip
    """Set a pooling descriptor; NaN is not propagated."""
    calls.cudnnSetPooling2dDescriptor(
        poolingDesc, mode, cudnnNanPropagation["CUDNN_NOT_PROPAGATE_NAN"], windowHeight,
        windowWidth, verticalPadding, horizontalPadding, verticalStride, horizontalStride,
    )  # fmt: skip


@raises
def cudnnGetPooling2dDescriptor(poolingDesc: object) -> tuple[int, ...]:
    """Return mode, window and stride (two numbers each) of a pooling descriptor."""
    mode, _, high, wide, _, _, down, right = calls.cudnnGetPooling2dDescriptor(poolingDesc)
    return int(mode), high, wide, down, right


@raises
def cudnnDestroyPoolingDescriptor(poolingDesc: object) -> None:
    """Destroy a pooling descriptor."""
    if to_address(poolingDesc, "cudnnPoolingDescriptor_t"):
        calls.cudnnDestroyPoolingDescriptor(poolingDesc)


@raises
def cudnnPoolingForward(
    handle: object, poolingDesc: object, alpha: float, srcDesc: object, srcData: object, beta:
    float, destDesc: object, destData: object,
) -> None:  # fmt: skip
    """Pool."""
    calls.cudnnPoolingForward(
        handle, poolingDesc, alpha, srcDesc, srcData, beta, destDesc, destData
    )


@raises
def cudnnPoolingBackward(
    handle: object, poolingDesc: object, alpha: float, srcDesc: object, srcData: object,
    srcDiffDesc: object, srcDiffData: object, destDesc: object, destData: object, beta: float,
    destDiffDesc: object, destDiffData: object,
) -> None:  # fmt: skip
    """Compute the gradient of a pooling; `src` is its result and `dest` its input."""
    calls.cudnnPoolingBackward(
        handle, poolingDesc, alpha, srcDesc, srcData, srcDiffDesc, srcDiffData, destDesc, destData,
        beta, destDiffDesc, destDiffData,
    )  # fmt: skip


def _activation(mode: object) -> ActivationDescriptor:
    number = to_int(mode)
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


@raises
def cudnnActivationForward(
    handle: object, mode: object, alpha: float, srcDesc: object, srcData: object, beta: float,
    destDesc: object, destData: object,
) -> None:  # fmt: skip
    """Apply an activation function; the alpha of ELU is 1."""
    calls.cudnnActivationForward(
        handle, _activation(mode), alpha, srcDesc, srcData, beta, destDesc, destData
    )


@raises
def cudnnActivationBackward(
    handle: object, mode: object, alpha: float, srcDesc: object, srcData: object, srcDiffDesc:
    object, srcDiffData: object, destDesc: object, destData: object, beta: float, destDiffDesc:
    object, destDiffData: object,
) -> None:  # fmt: skip
    """Compute the gradient of an activation; `src` is its result and `dest` its input."""
    calls.cudnnActivationBackward(
        handle, _activation(mode), alpha, srcDesc, srcData, srcDiffDesc, srcDiffData,
        destDesc, destData, beta, destDiffDesc, destDiffData,
    )  # fmt: skip
