"""The convolutions of cudnn-python-wrappers."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from ... import errors
from .._algorithms import ALL, choose
from .._calls import calls
from .._statuses import old_number
from .base import handles, raises, to_address, to_int
from .tables import (
    cudnnConvolutionBwdDataAlgoPerf,
    cudnnConvolutionBwdFilterAlgoPerf,
    cudnnConvolutionFwdAlgoPerf,
    cudnnConvolutionFwdPreference,
    cudnnDataType,
)


@raises
def cudnnCreateConvolutionDescriptor() -> int:
    """Create a convolution descriptor, and return its address."""
    return int(calls.cudnnCreateConvolutionDescriptor())


@raises
def cudnnSetConvolution2dDescriptor(
    convDesc: object, pad_h: object, pad_w: object, u: object, v: object, dilation_h: Any,
    dilation_w: Any, mode: object, computeType: Any = None,
) -> None:  # fmt: skip
    """Set a convolution descriptor to a convolution in two dimensions.

    Without `computeType`, as in version 2, it computes in float32, and the numbers before `mode`
    are an upscaling, which has to be 1.
    """
    if computeType is None:
        computeType = cudnnDataType["CUDNN_DATA_FLOAT"]
        if (to_int(dilation_h), to_int(dilation_w)) != (1, 1):
            raise errors.NotSupportedError(
                "no release since 6 upscales the input of a convolution",
                hint="pass computeType as the last argument for a dilation of the filter",
            )
    calls.cudnnSetConvolution2dDescriptor(
        convDesc, pad_h, pad_w, u, v, dilation_h, dilation_w, mode, computeType
    )


@raises
def cudnnGetConvolution2dDescriptor(convDesc: object) -> tuple[int, ...]:
    """Return padding, stride and dilation (two numbers each), mode and compute type."""
    return tuple(map(int, calls.cudnnGetConvolution2dDescriptor(convDesc)))


@raises
def cudnnGetConvolution2dForwardOutputDim(
    convDesc: object, inputTensorDesc: object, wDesc: object
) -> tuple[int, ...]:
    """Return n, c, h and w of a convolution's result."""
    got = calls.cudnnGetConvolution2dForwardOutputDim(convDesc, inputTensorDesc, wDesc)
    return tuple(map(int, got))


@raises
def cudnnSetConvolutionNdDescriptor(
    convDesc: object, padA: Any, filterStrideA: Any, dilationA: Any, mode: object, dataType: object
) -> None:
    """Set a convolution descriptor; paddings, strides and dilations are sequences."""
    pads, steps, gaps = list(padA), list(filterStrideA), list(dilationA)
    if not len(pads) == len(steps) == len(gaps):
        raise ValueError(
            f"padA, filterStrideA and dilationA have {len(pads)}, {len(steps)} and {len(gaps)} "
            "numbers"
        )
    calls.cudnnSetConvolutionNdDescriptor(convDesc, len(pads), pads, steps, gaps, mode, dataType)


@raises
def cudnnDestroyConvolutionDescriptor(convDesc: object) -> None:
    """Destroy a convolution descriptor."""
    if to_address(convDesc, "cudnnConvolutionDescriptor_t"):
        calls.cudnnDestroyConvolutionDescriptor(convDesc)


@raises
def cudnnFindConvolutionForwardAlgorithm(
    handle: object,
    xDesc: object,
    wDesc: object,
    convDesc: object,
    yDesc: object,
    requestedAlgoCount: int,
) -> list[cudnnConvolutionFwdAlgoPerf]:
    """Return how long each algorithm takes, the fastest first."""
    found = calls.cudnnFindConvolutionForwardAlgorithm(
        handle, xDesc, wDesc, convDesc, yDesc, requestedAlgoCount
    )
    return [cudnnConvolutionFwdAlgoPerf(*_measured(each)) for each in found]


@raises
def cudnnFindConvolutionBackwardDataAlgorithm(
    handle: object,
    wDesc: object,
    dyDesc: object,
    convDesc: object,
    dxDesc: object,
    requestedAlgoCount: int,
) -> list[cudnnConvolutionBwdDataAlgoPerf]:
    """Return how long each algorithm takes, the fastest first."""
    found = calls.cudnnFindConvolutionBackwardDataAlgorithm(
        handle, wDesc, dyDesc, convDesc, dxDesc, requestedAlgoCount
    )
    return [cudnnConvolutionBwdDataAlgoPerf(*_measured(each)) for each in found]


@raises
def cudnnFindConvolutionBackwardFilterAlgorithm(
    handle: object,
    xDesc: object,
    dyDesc: object,
    convDesc: object,
    dwDesc: object,
    requestedAlgoCount: int,
) -> list[cudnnConvolutionBwdFilterAlgoPerf]:
    """Return how long each algorithm takes, the fastest first."""
    found = calls.cudnnFindConvolutionBackwardFilterAlgorithm(
        handle, xDesc, dyDesc, convDesc, dwDesc, requestedAlgoCount
    )
    return [cudnnConvolutionBwdFilterAlgoPerf(*_measured(each)) for each in found]


def _measured(perf: Any) -> tuple[int, int, float, int]:
    return int(perf.algo), old_number(perf.status), perf.time, perf.memory


def _choose(found: list[Any], preference: object, limit: Any) -> ctypes.c_int:
    return ctypes.c_int(choose(found, to_int(preference), to_int(limit)))


@raises
def cudnnGetConvolutionForwardAlgorithm(
    handle: object, srcDesc: object, wDesc: object, convDesc: object, destDesc: object, preference:
    object, memoryLimitInbytes: Any,
) -> ctypes.c_int:  # fmt: skip
    """Return the best algorithm by `cudnnGetConvolutionForwardAlgorithm_v7`."""
    get = calls.cudnnGetConvolutionForwardAlgorithm_v7
    found = get(handle, srcDesc, wDesc, convDesc, destDesc, ALL)
    return _choose(found, preference, memoryLimitInbytes)


@raises
def cudnnGetConvolutionBackwardDataAlgorithm(
    handle: object, wDesc: object, dyDesc: object, convDesc: object, dxDesc: object, preference:
    object, memoryLimitInbytes: Any,
) -> ctypes.c_int:  # fmt: skip
    """Return the best algorithm by `cudnnGetConvolutionBackwardDataAlgorithm_v7`."""
    get = calls.cudnnGetConvolutionBackwardDataAlgorithm_v7
    found = get(handle, wDesc, dyDesc, convDesc, dxDesc, ALL)
    return _choose(found, preference, memoryLimitInbytes)


@raises
def cudnnGetConvolutionBackwardFilterAlgorithm(
    handle: object, xDesc: object, dyDesc: object, convDesc: object, dwDesc: object, preference:
    object, memoryLimitInbytes: Any,
) -> ctypes.c_int:  # fmt: skip
    """Return the best algorithm by `cudnnGetConvolutionBackwardFilterAlgorithm_v7`."""
    get = calls.cudnnGetConvolutionBackwardFilterAlgorithm_v7
    found = get(handle, xDesc, dyDesc, convDesc, dwDesc, ALL)
    return _choose(found, preference, memoryLimitInbytes)


@raises
def cudnnGetConvolutionForwardWorkspaceSize(
    handle: object, srcDesc: object, wDesc: object, convDesc: object, destDesc: object, algo: object
) -> ctypes.c_size_t:
    """Return the bytes of workspace that an algorithm needs."""
    size = calls.cudnnGetConvolutionForwardWorkspaceSize
    return ctypes.c_size_t(size(handle, srcDesc, wDesc, convDesc, destDesc, algo))


@raises
def cudnnGetConvolutionBackwardDataWorkspaceSize(
    handle: object, wDesc: object, dyDesc: object, convDesc: object, dxDesc: object, algo: object
) -> ctypes.c_size_t:
    """Return the bytes of workspace that an algorithm needs."""
    size = calls.cudnnGetConvolutionBackwardDataWorkspaceSize
    return ctypes.c_size_t(size(handle, wDesc, dyDesc, convDesc, dxDesc, algo))


@raises
def cudnnGetConvolutionBackwardFilterWorkspaceSize(
    handle: object, xDesc: object, dyDesc: object, convDesc: object, gradDesc: object, algo: object
) -> ctypes.c_size_t:
    """Return the bytes of workspace that an algorithm needs."""
    size = calls.cudnnGetConvolutionBackwardFilterWorkspaceSize
    return ctypes.c_size_t(size(handle, xDesc, dyDesc, convDesc, gradDesc, algo))


def preference_of(handle: object) -> int:
    """Return the preference for algorithms of a call that has no argument for a workspace.

    Any may come with the workspace of the handle; one that `cudnnCreate` did not make has none.
    """
    names = cudnnConvolutionFwdPreference
    own = to_address(handle, "cudnnHandle_t") in handles
    return names[f"CUDNN_CONVOLUTION_FWD_{'PREFER_FASTEST' if own else 'NO_WORKSPACE'}"]


def _workspace(handle: object, given: Any, size: Any, needed: Callable[[], int]) -> tuple[Any, int]:
    """Return the workspace of a call: what was given, or else the handle's own."""
    is_number = given is None or isinstance(given, (int, ctypes.c_void_p))  # and no array
    own = None
    if is_number and not to_int(given):
        own = handles.get(to_address(handle, "cudnnHandle_t"))
    if own is None:
        return given, to_int(size)
    bytes_ = needed()
    return own.workspace.get(bytes_, own.get_stream()), bytes_


@raises
def cudnnConvolutionForward(
    handle: object, alpha: float, srcDesc: object, srcData: object, wDesc: object, w: object,
    convDesc: object, algo: object, workspace: object, workSpaceSizeInBytes: object, beta: float,
    destDesc: object, destData: object,
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


@raises
def cudnnConvolutionBackwardBias(
    handle: object,
    alpha: float,
    srcDesc: object,
    srcData: object,
    beta: float,
    destDesc: object,
    destData: object,
) -> None:
    """Compute the gradient for the bias of a convolution."""
    calls.cudnnConvolutionBackwardBias(handle, alpha, srcDesc, srcData, beta, destDesc, destData)


@raises
def cudnnConvolutionBackwardData(
    handle: object, alpha: float, wDesc: object, w: object, dyDesc: object, dy: Any, convDesc:
    object, algo: object, workspace: object, workSpaceSizeInBytes: object, beta: Any = None,
    dxDesc: object = None, dx: Any = None,
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
        algo, workspace, workSpaceSizeInBytes = _choose(found, preference_of(handle), 0), None, 0
    workspace, size = _workspace(
        handle, workspace, workSpaceSizeInBytes,
        lambda: calls.cudnnGetConvolutionBackwardDataWorkspaceSize(
            handle, wDesc, dyDesc, convDesc, dxDesc, algo
        ),
    )  # fmt: skip
    calls.cudnnConvolutionBackwardData(
        handle, alpha, wDesc, w, dyDesc, dy, convDesc, algo, workspace, size, beta, dxDesc, dx
    )


@raises
def cudnnConvolutionBackwardFilter(
    handle: object, alpha: float, xDesc: object, x: Any, dyDesc: object, dy: Any, convDesc: object,
    algo: object, workspace: object, workSpaceSizeInBytes: object, beta: Any = None, dwDesc: object
    = None, dw: Any = None,
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
        algo, workspace, workSpaceSizeInBytes = _choose(found, preference_of(handle), 0), None, 0
    workspace, size = _workspace(
        handle, workspace, workSpaceSizeInBytes,
        lambda: calls.cudnnGetConvolutionBackwardFilterWorkspaceSize(
            handle, xDesc, dyDesc, convDesc, dwDesc, algo
        ),
    )  # fmt: skip
    calls.cudnnConvolutionBackwardFilter(
        handle, alpha, xDesc, x, dyDesc, dy, convDesc, algo, workspace, size, beta, dwDesc, dw
    )
