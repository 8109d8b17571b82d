"""The functions of cudnn-python-wrappers 1.0, on the cuDNN that is loaded.

That version is the one on the package index, for the first release of cuDNN. It has no scaling
factors, algorithms or workspaces, and its convolution descriptors know the extents of tensors.
Everything is computed by the functions of `compat.libcudnn`, with the best algorithm and the
workspace of the handle. These functions take all that `libcudnn` takes: arrays of any library in
the place of pointers.
"""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple

from .. import errors
from . import libcudnn as last
from ._libcudnn.base import raises, to_address, to_int
from ._libcudnn.convolutions import preference_of
from ._libcudnn.tables import numbered
from .libcudnn import (
    cudnnActivationMode,
    cudnnAddMode,
    cudnnCheckStatus,
    cudnnConvolutionMode,
    cudnnCreate,
    cudnnCreateConvolutionDescriptor,
    cudnnCreateFilterDescriptor,
    cudnnCreatePoolingDescriptor,
    cudnnDataType,
    cudnnDestroy,
    cudnnDestroyFilterDescriptor,
    cudnnDestroyPoolingDescriptor,
    cudnnError,
    cudnnExceptions,
    cudnnGetStream,
    cudnnGetTensor4dDescriptor,
    cudnnSetStream,
    cudnnSetTensor4dDescriptor,
    cudnnSetTensor4dDescriptorEx,
    cudnnSoftmaxAlgorithm,
    cudnnSoftmaxMode,
    cudnnStatusLicenseError,
    cudnnStatusNotSupported,
    cudnnTensorFormat,
)

__all__ = [
    "cudnnAccumulateResults",
    "cudnnActivationBackward",
    "cudnnActivationForward",
    "cudnnActivationMode",
    "cudnnAddMode",
    "cudnnAddTensor4d",
    "cudnnAllocFailed",
    "cudnnArchMismatch",
    "cudnnBadParam",
    "cudnnCheckStatus",
    "cudnnConvolutionBackwardBias",
    "cudnnConvolutionBackwardData",
    "cudnnConvolutionBackwardFilter",
    "cudnnConvolutionForward",
    "cudnnConvolutionMode",
    "cudnnConvolutionPath",
    "cudnnCreate",
    "cudnnCreateConvolutionDescriptor",
    "cudnnCreateFilterDescriptor",
    "cudnnCreatePoolingDescriptor",
    "cudnnCreateTensor4dDescriptor",
    "cudnnDataType",
    "cudnnDestroy",
    "cudnnDestroyConvolutionDescriptor",
    "cudnnDestroyFilterDescriptor",
    "cudnnDestroyPoolingDescriptor",
    "cudnnDestroyTensor4dDescriptor",
    "cudnnError",
    "cudnnExceptions",
    "cudnnExecutionFailed",
    "cudnnGetFilterDescriptor",
    "cudnnGetOutputTensor4dDim",
    "cudnnGetPoolingDescriptor",
    "cudnnGetStream",
    "cudnnGetTensor4dDescriptor",
    "cudnnInternalError",
    "cudnnInvalidValue",
    "cudnnMappingError",
    "cudnnNotInitialized",
    "cudnnPoolingBackward",
    "cudnnPoolingForward",
    "cudnnPoolingMode",
    "cudnnSetConvolutionDescriptor",
    "cudnnSetConvolutionDescriptorEx",
    "cudnnSetFilterDescriptor",
    "cudnnSetPoolingDescriptor",
    "cudnnSetStream",
    "cudnnSetTensor4dDescriptor",
    "cudnnSetTensor4dDescriptorEx",
    "cudnnSoftmaxAlgorithm",
    "cudnnSoftmaxBackward",
    "cudnnSoftmaxForward",
    "cudnnSoftmaxMode",
    "cudnnStatusLicenseError",
    "cudnnStatusNotSupported",
    "cudnnTensorFormat",
    "cudnnTransformTensor4d",
]

cudnnConvolutionPath = numbered("CONVOLUTION_", "FORWARD WEIGHT_GRAD DATA_PATH")
cudnnAccumulateResults = numbered("RESULT_", "ACCUMULATE NO_ACCUMULATE")
cudnnPoolingMode = numbered("POOLING_", "MAX AVERAGE")

cudnnNotInitialized = last.cudnnStatusNotInitialized
cudnnAllocFailed = last.cudnnStatusAllocFailed
cudnnBadParam = last.cudnnStatusBadParam
cudnnInternalError = last.cudnnStatusInternalError
cudnnInvalidValue = last.cudnnStatusInvalidValue
cudnnArchMismatch = last.cudnnStatusArchMismatch
cudnnMappingError = last.cudnnStatusMappingError
cudnnExecutionFailed = last.cudnnStatusExecutionFailed

cudnnCreateTensor4dDescriptor = last.cudnnCreateTensorDescriptor
cudnnDestroyTensor4dDescriptor = last.cudnnDestroyTensorDescriptor

_DOUBLE = cudnnDataType["CUDNN_DATA_DOUBLE"]


class _Convolution(NamedTuple):
    """The contents of a convolution descriptor of version 1."""

    image: tuple[int, ...]
    filters: tuple[int, ...]
    settings: tuple[int, ...]  # padding, stride, upscaling, mode


#: By the address of the descriptor.
_convolutions: dict[int, _Convolution] = {}


# Tensors and filters


@raises
def cudnnTransformTensor4d(
    handle: object, srcDesc: object, srcData: object, destDesc: object, destData: object
) -> None:
    """Copy a tensor into another layout."""
    last.cudnnTransformTensor(handle, 1.0, srcDesc, srcData, 0.0, destDesc, destData)


@raises
def cudnnAddTensor4d(
    handle: object, mode: object, alpha: Any, biasDesc: object, biasData: object, srcDestDesc:
    object, srcDestData: object,
) -> None:  # fmt: skip
    """Add a bias that is multiplied by alpha: srcDest = alpha * bias + srcDest.

    Args:
        handle: of `cudnnCreate`.
        mode: of no effect; it follows from the extents.
        alpha: a number, or a pointer to one in host memory, double for DOUBLE and float else.
        biasDesc, biasData: the bias; extents of 1 are repeated.
        srcDestDesc, srcDestData: what it is added to.
    """
    del mode
    if isinstance(alpha, ctypes.c_void_p):
        is_double = last.cudnnGetTensor4dDescriptor(srcDestDesc)[0] == _DOUBLE
        kind: Any = ctypes.c_double if is_double else ctypes.c_float
        if not alpha.value:
            raise errors.NullPointerError("cudnnAddTensor4d: alpha is a NULL pointer")
        alpha = kind.from_address(alpha.value).value
    last.cudnnAddTensor(handle, alpha, biasDesc, biasData, 1.0, srcDestDesc, srcDestData)


@raises
def cudnnSetFilterDescriptor(
    filterDesc: object, dataType: object, k: object, c: object, h: object, w: object
) -> None:
    """Set a filter descriptor to k filters of c channels, h rows and w columns."""
    nchw = cudnnTensorFormat["CUDNN_TENSOR_NCHW"]
    last.cudnnSetFilter4dDescriptor(filterDesc, dataType, nchw, k, c, h, w)


@raises
def cudnnGetFilterDescriptor(filterDesc: object) -> tuple[int, ...]:
    """Return data type, k, c, h and w of a filter descriptor."""
    kind, _, *extents = last.cudnnGetFilter4dDescriptor(filterDesc)
    return kind, *extents


# Convolutions


def _describe(convDesc: object, made: _Convolution, data_type: int) -> None:
    compute = data_type if data_type == _DOUBLE else cudnnDataType["CUDNN_DATA_FLOAT"]
    pad_h, pad_w, u, v, upscalex, upscaley, mode = made.settings
    if (upscalex, upscaley) != (1, 1):
        raise errors.NotSupportedError("no release since 6 upscales the input of a convolution")
    last.cudnnSetConvolution2dDescriptor(convDesc, pad_h, pad_w, u, v, 1, 1, mode, compute)
    _convolutions[to_address(convDesc, "cudnnConvolutionDescriptor_t")] = made


@raises
def cudnnSetConvolutionDescriptor(
    convDesc: object, inputTensorDesc: object, filterDesc: object, pad_h: object, pad_w: object, u:
    object, v: object, upscalex: object, upscaley: object, mode: object,
) -> None:  # fmt: skip
    """Set a convolution descriptor: padding, stride (u, v), upscaling, which is 1, and mode."""
    kind, *image = last.cudnnGetTensor4dDescriptor(inputTensorDesc)[:5]
    filters = last.cudnnGetFilter4dDescriptor(filterDesc)[2:]
    numbers = [to_int(each) for each in (pad_h, pad_w, u, v, upscalex, upscaley, mode)]
    _describe(convDesc, _Convolution(tuple(image), tuple(filters), tuple(numbers)), kind)


@raises
def cudnnSetConvolutionDescriptorEx(
    convDesc: object, n: object, c: object, h: object, w: object, k: object, r: object, s: object,
    pad_h: object, pad_w: object, u: object, v: object, upscalex: object, upscaley: object, mode:
    object,
) -> None:  # fmt: skip
    """Set a convolution descriptor by the extents of the image, (n, c, h, w), and k, r and s."""
    image = tuple([to_int(each) for each in (n, c, h, w)])
    filters = (to_int(k), image[1], to_int(r), to_int(s))
    numbers = [to_int(each) for each in (pad_h, pad_w, u, v, upscalex, upscaley, mode)]
    _describe(convDesc, _Convolution(image, filters, tuple(numbers)), 0)


@raises
def cudnnGetOutputTensor4dDim(convDesc: object, path: object) -> tuple[int, ...]:
    """Return the four extents of what a convolution computes in a direction.

    Args:
        convDesc: of the convolution.
        path: the number in `cudnnConvolutionPath`: the result, the gradient of the filters, or that
            of the image.
    """
    known = _known(convDesc)
    if to_int(path) == cudnnConvolutionPath["CUDNN_CONVOLUTION_WEIGHT_GRAD"]:
        return known.filters
    if to_int(path) == cudnnConvolutionPath["CUDNN_CONVOLUTION_DATA_PATH"]:
        return known.image
    if to_int(path) != cudnnConvolutionPath["CUDNN_CONVOLUTION_FORWARD"]:
        raise errors.BadParamError(f"path: a number in cudnnConvolutionPath, got {path!r}")
    pads, steps = known.settings[:2], known.settings[2:4]
    sides = zip(known.image[2:], known.filters[2:], pads, steps, strict=True)
    found = [(size + 2 * pad - window) // step + 1 for size, window, pad, step in sides]
    return known.image[0], known.filters[0], *found


def _known(convDesc: object) -> _Convolution:
    known = _convolutions.get(to_address(convDesc, "cudnnConvolutionDescriptor_t"))
    if known is None:
        raise errors.BadParamError(
            "convDesc: expected a descriptor that cudnnSetConvolutionDescriptor has set"
        )
    return known


def _typed(convDesc: object, srcDesc: object) -> None:
    """Set the compute type by the data: extents alone do not tell it."""
    _describe(convDesc, _known(convDesc), last.cudnnGetTensor4dDescriptor(srcDesc)[0])


@raises
def cudnnDestroyConvolutionDescriptor(convDesc: object) -> None:
    """Destroy a convolution descriptor."""
    _convolutions.pop(to_address(convDesc, "cudnnConvolutionDescriptor_t"), None)
    last.cudnnDestroyConvolutionDescriptor(convDesc)


def _beta(accumulate: object) -> float:
    number = to_int(accumulate)
    if number not in cudnnAccumulateResults.values():
        raise errors.BadParamError(
            f"accumulate: a number in cudnnAccumulateResults, got {accumulate!r}"
        )
    return 1.0 if number == cudnnAccumulateResults["CUDNN_RESULT_ACCUMULATE"] else 0.0


@raises
def cudnnConvolutionForward(
    handle: object, srcDesc: object, srcData: object, filterDesc: object, filterData: object,
    convDesc: object, destDesc: object, destData: object, accumulate: object,
) -> None:  # fmt: skip
    """Convolve; `accumulate` is a number in `cudnnAccumulateResults`."""
    beta = _beta(accumulate)
    _typed(convDesc, srcDesc)
    algo = last.cudnnGetConvolutionForwardAlgorithm(
        handle, srcDesc, filterDesc, convDesc, destDesc, preference_of(handle), 0
    )
    last.cudnnConvolutionForward(
        handle, 1.0, srcDesc, srcData, filterDesc, filterData, convDesc, algo, None, 0,
        beta, destDesc, destData,
    )  # fmt: skip


@raises
def cudnnConvolutionBackwardBias(
    handle: object,
    srcDesc: object,
    srcData: object,
    destDesc: object,
    destData: object,
    accumulate: object,
) -> None:
    """Compute the gradient for the bias of a convolution; `src` is that of the result."""
    last.cudnnConvolutionBackwardBias(
        handle, 1.0, srcDesc, srcData, _beta(accumulate), destDesc, destData
    )


@raises
def cudnnConvolutionBackwardFilter(
    handle: object, srcDesc: object, srcData: object, diffDesc: object, diffData: object, convDesc:
    object, gradDesc: object, gradData: object, accumulate: object,
) -> None:  # fmt: skip
    """Compute the gradient for the filters of a convolution; `diff` is that of the result."""
    beta = _beta(accumulate)
    _typed(convDesc, srcDesc)
    last.cudnnConvolutionBackwardFilter(
        handle, 1.0, srcDesc, srcData, diffDesc, diffData, convDesc, beta, gradDesc, gradData
    )


@raises
def cudnnConvolutionBackwardData(
    handle: object, filterDesc: object, filterData: object, diffDesc: object, diffData: object,
    convDesc: object, gradDesc: object, gradData: object, accumulate: object,
) -> None:  # fmt: skip
    """Compute the gradient for the image of a convolution; `diff` is that of the result."""
    beta = _beta(accumulate)
    _typed(convDesc, diffDesc)
    last.cudnnConvolutionBackwardData(
        handle, 1.0, filterDesc, filterData, diffDesc, diffData, convDesc, beta, gradDesc, gradData
    )


# Softmax, pooling, activation


@raises
def cudnnSoftmaxForward(
    handle: object,
    algorithm: Any,
    mode: object,
    srcDesc: object,
    srcData: object,
    destDesc: object,
    destData: object,
) -> None:
    """Compute the softmax."""
    last.cudnnSoftmaxForward(
        handle, algorithm, mode, 1.0, srcDesc, srcData, 0.0, destDesc, destData
    )


@raises
def cudnnSoftmaxBackward(
    handle: object, algorithm: Any, mode: object, srcDesc: object, srcData: object, srcDiffDesc:
    object, srcDiffData: object, destDiffDesc: object, destDiffData: object,
) -> None:  # fmt: skip
    """Compute the gradient of the softmax; `src` is its result."""
    last.cudnnSoftmaxBackward(
        handle, algorithm, mode, 1.0, srcDesc, srcData, srcDiffDesc, srcDiffData,
        0.0, destDiffDesc, destDiffData,
    )  # fmt: skip


@raises
def cudnnSetPoolingDescriptor(
    poolingDesc: object, mode: object, windowHeight: Any, windowWidth: Any, verticalStride: Any,
    horizontalStride: Any,
) -> None:  # fmt: skip
    """Set a pooling descriptor, without padding."""
    last.cudnnSetPooling2dDescriptor(
        poolingDesc, mode, windowHeight, windowWidth, 0, 0, verticalStride, horizontalStride
    )


@raises
def cudnnGetPoolingDescriptor(poolingDesc: object) -> tuple[int, ...]:
    """Return mode, window and stride (two numbers each) of a pooling descriptor."""
    return last.cudnnGetPooling2dDescriptor(poolingDesc)


@raises
def cudnnPoolingForward(
    handle: object,
    poolingDesc: object,
    srcDesc: object,
    srcData: object,
    destDesc: object,
    destData: object,
) -> None:
    """Pool."""
    last.cudnnPoolingForward(handle, poolingDesc, 1.0, srcDesc, srcData, 0.0, destDesc, destData)


@raises
def cudnnPoolingBackward(
    handle: object, poolingDesc: object, srcDesc: object, srcData: object, srcDiffDesc: object,
    srcDiffData: object, destDesc: object, destData: object, destDiffDesc: object, destDiffData:
    object,
) -> None:  # fmt: skip
    """Compute the gradient of a pooling; `src` is its result and `dest` its input."""
    last.cudnnPoolingBackward(
        handle, poolingDesc, 1.0, srcDesc, srcData, srcDiffDesc, srcDiffData, destDesc, destData,
        0.0, destDiffDesc, destDiffData,
    )  # fmt: skip


@raises
def cudnnActivationForward(
    handle: object,
    mode: object,
    srcDesc: object,
    srcData: object,
    destDesc: object,
    destData: object,
) -> None:
    """Apply an activation function."""
    last.cudnnActivationForward(handle, mode, 1.0, srcDesc, srcData, 0.0, destDesc, destData)


@raises
def cudnnActivationBackward(
    handle: object, mode: object, srcDesc: object, srcData: object, srcDiffDesc: object,
    srcDiffData: object, destDesc: object, destData: object, destDiffDesc: object, destDiffData:
    object,
) -> None:  # fmt: skip
    """Compute the gradient of an activation; `src` is its result and `dest` its input."""
    last.cudnnActivationBackward(
        handle, mode, 1.0, srcDesc, srcData, srcDiffDesc, srcDiffData,
        destDesc, destData, 0.0, destDiffDesc, destDiffData,
    )  # fmt: skip
