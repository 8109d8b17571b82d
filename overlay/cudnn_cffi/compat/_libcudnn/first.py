"""The functions of cudnn-python-wrappers 1.0 with arguments that those of the last version lack."""

from __future__ import annotations

import ctypes
from typing import NamedTuple

from ... import errors
from .._words import numbered
from . import convolutions, functions, layers, tables
from .base import raises, to_address, to_int
from .convolutions import preference_of
from .tables import cudnnDataType

__all__ = [
    "cudnnAccumulateResults",
    "cudnnAddTensor4d",
    "cudnnAllocFailed",
    "cudnnArchMismatch",
    "cudnnBadParam",
    "cudnnConvolutionBackwardBias",
    "cudnnConvolutionBackwardData",
    "cudnnConvolutionBackwardFilter",
    "cudnnConvolutionForward",
    "cudnnConvolutionPath",
    "cudnnCreateTensor4dDescriptor",
    "cudnnDestroyConvolutionDescriptor",
    "cudnnDestroyTensor4dDescriptor",
    "cudnnExecutionFailed",
    "cudnnGetFilterDescriptor",
    "cudnnGetOutputTensor4dDim",
    "cudnnInternalError",
    "cudnnInvalidValue",
    "cudnnMappingError",
    "cudnnNotInitialized",
    "cudnnPoolingMode",
    "cudnnSetConvolutionDescriptor",
    "cudnnSetConvolutionDescriptorEx",
]

cudnnConvolutionPath = numbered("CONVOLUTION_", ["FORWARD", "WEIGHT_GRAD", "DATA_PATH"])
cudnnAccumulateResults = numbered("RESULT_", ["ACCUMULATE", "NO_ACCUMULATE"])
cudnnPoolingMode = numbered("POOLING_", ["MAX", "AVERAGE"])

cudnnNotInitialized = tables.cudnnStatusNotInitialized
cudnnAllocFailed = tables.cudnnStatusAllocFailed
cudnnBadParam = tables.cudnnStatusBadParam
cudnnInternalError = tables.cudnnStatusInternalError
cudnnInvalidValue = tables.cudnnStatusInvalidValue
cudnnArchMismatch = tables.cudnnStatusArchMismatch
cudnnMappingError = tables.cudnnStatusMappingError
cudnnExecutionFailed = tables.cudnnStatusExecutionFailed

cudnnCreateTensor4dDescriptor = functions.cudnnCreateTensorDescriptor
cudnnDestroyTensor4dDescriptor = functions.cudnnDestroyTensorDescriptor

_DOUBLE = cudnnDataType["CUDNN_DATA_DOUBLE"]


class _Convolution(NamedTuple):
    """The contents of a convolution descriptor of version 1."""

    image: tuple[int, ...]
    filters: tuple[int, ...]
    settings: tuple[int, ...]  # padding, stride, upscaling, mode


#: By the address of the descriptor.
_convolutions: dict[int, _Convolution] = {}


@raises
def cudnnAddTensor4d(
    handle: object, mode: object, alpha: object, biasDesc: object, biasData: object, srcDestDesc:
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
        is_double = functions.cudnnGetTensor4dDescriptor(srcDestDesc)[0] == _DOUBLE
        kind = ctypes.c_double if is_double else ctypes.c_float
        if not alpha.value:
            raise errors.NullPointerError("cudnnAddTensor4d: alpha is a NULL pointer")
        alpha = kind.from_address(alpha.value).value
    layers.cudnnAddTensor(handle, alpha, biasDesc, biasData, 1.0, srcDestDesc, srcDestData)


@raises
def cudnnGetFilterDescriptor(filterDesc: object) -> tuple[int, ...]:
    """Return data type, k, c, h and w of a filter descriptor."""
    kind, _, *extents = functions.cudnnGetFilter4dDescriptor(filterDesc)
    return kind, *extents


def _describe(convDesc: object, made: _Convolution, data_type: int) -> None:
    compute = data_type if data_type == _DOUBLE else cudnnDataType["CUDNN_DATA_FLOAT"]
    pad_h, pad_w, u, v, upscalex, upscaley, mode = made.settings
    if (upscalex, upscaley) != (1, 1):
        raise errors.NotSupportedError("no release since 6 upscales the input of a convolution")
    convolutions.cudnnSetConvolution2dDescriptor(convDesc, pad_h, pad_w, u, v, 1, 1, mode, compute)
    _convolutions[to_address(convDesc, "cudnnConvolutionDescriptor_t")] = made


@raises
def cudnnSetConvolutionDescriptor(
    convDesc: object, inputTensorDesc: object, filterDesc: object, pad_h: object, pad_w: object, u:
    object, v: object, upscalex: object, upscaley: object, mode: object,
) -> None:  # fmt: skip
    """Set a convolution descriptor: padding, stride (u, v), upscaling, which is 1, and mode."""
    kind, *image = functions.cudnnGetTensor4dDescriptor(inputTensorDesc)[:5]
    filters = functions.cudnnGetFilter4dDescriptor(filterDesc)[2:]
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
    _describe(convDesc, _known(convDesc), functions.cudnnGetTensor4dDescriptor(srcDesc)[0])


@raises
def cudnnDestroyConvolutionDescriptor(convDesc: object) -> None:
    """Destroy a convolution descriptor."""
    _convolutions.pop(to_address(convDesc, "cudnnConvolutionDescriptor_t"), None)
    functions.cudnnDestroyConvolutionDescriptor(convDesc)


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
    algo = functions.cudnnGetConvolutionForwardAlgorithm(
        handle, srcDesc, filterDesc, convDesc, destDesc, preference_of(handle), 0
    )
    convolutions.cudnnConvolutionForward(
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
    functions.cudnnConvolutionBackwardBias(
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
    convolutions.cudnnConvolutionBackwardFilter(
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
    convolutions.cudnnConvolutionBackwardData(
        handle, 1.0, filterDesc, filterData, diffDesc, diffData, convDesc, beta, gradDesc, gradData
    )
