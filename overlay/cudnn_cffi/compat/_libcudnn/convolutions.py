"""The convolutions of cudnn-python-wrappers."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable

from ... import errors
from .._algorithms import ALL, choose
from .._calls import calls
from .base import handles, raises, to_address, to_int
from .tables import cudnnConvolutionFwdPreference, cudnnDataType

__all__ = [
    "cudnnConvolutionBackwardData",
    "cudnnConvolutionBackwardFilter",
    "cudnnConvolutionForward",
    "cudnnSetConvolution2dDescriptor",
    "cudnnSetConvolutionNdDescriptor",
]


@raises
def cudnnSetConvolution2dDescriptor(
    convDesc: object, pad_h: object, pad_w: object, u: object, v: object, dilation_h: object,
    dilation_w: object, mode: object, computeType: object = None,
) -> None:  # fmt: skip
    """Set a convolution descriptor to a convolution in two dimensions.

    Without `computeType`, as in version 2, it computes in float32, and the numbers before `mode`
    are an upscaling, which has to be 1.

    New code: `cudnn.ConvolutionDescriptor.cross_correlation`.
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
def cudnnSetConvolutionNdDescriptor(
    convDesc: object,
    padA: Iterable[int],
    filterStrideA: Iterable[int],
    dilationA: Iterable[int],
    mode: object,
    dataType: object,
) -> None:
    """Set a convolution descriptor; paddings, strides and dilations are sequences.

    New code: `cudnn.ConvolutionDescriptor.cross_correlation`.
    """
    pads, steps, gaps = list(padA), list(filterStrideA), list(dilationA)
    if not len(pads) == len(steps) == len(gaps):
        raise ValueError(
            f"padA, filterStrideA and dilationA have {len(pads)}, {len(steps)} and {len(gaps)} "
            "numbers"
        )
    calls.cudnnSetConvolutionNdDescriptor(convDesc, len(pads), pads, steps, gaps, mode, dataType)


def preference_of(handle: object) -> int:
    """Return the preference for algorithms of a call that has no argument for a workspace.

    Any may come with the workspace of the handle; one that `cudnnCreate` did not make has none.
    """
    names = cudnnConvolutionFwdPreference
    own = to_address(handle, "cudnnHandle_t") in handles
    return names[f"CUDNN_CONVOLUTION_FWD_{'PREFER_FASTEST' if own else 'NO_WORKSPACE'}"]


def _workspace(
    handle: object, given: object, size: object, needed: Callable[[], int]
) -> tuple[object, int]:
    """Return the workspace of a call: what was given, or else the handle's own."""
    is_number = given is None or isinstance(given, (int, ctypes.c_void_p))  # and no array
    own = None
    if is_number and not to_int(given):
        own = handles.get(to_address(handle, "cudnnHandle_t"))
    if own is None:
        return given, to_int(size)
    bytes_ = needed()
    return own.workspace.get(bytes_, own.get_stream()), bytes_


def _gradient(
    of: str, handle: object, alpha: float, given: tuple[object, object, object, object],
    conv: object, how: tuple[object, object, object], result: tuple[object, object, object],
) -> None:  # fmt: skip
    """Compute the gradient of "Data" or "Filter".

    Args:
        of: which one.
        handle, alpha: of the call.
        given: the descriptor and the array of both inputs, one after the other.
        conv: the descriptor of the convolution.
        how: algorithm, workspace and its size; of version 2, the result.
        result: beta, descriptor and array of the result; of version 2, None.
    """
    descs = given[0], given[2], conv
    if result[2] is None:
        result = how
        find = getattr(calls, f"cudnnGetConvolutionBackward{of}Algorithm_v7")
        found = find(handle, *descs, result[1], ALL)
        how = ctypes.c_int(choose(found, preference_of(handle), 0)), None, 0
    needed = getattr(calls, f"cudnnGetConvolutionBackward{of}WorkspaceSize")
    workspace, size = _workspace(
        handle, how[1], how[2], lambda: needed(handle, *descs, result[1], how[0])
    )
    compute = getattr(calls, f"cudnnConvolutionBackward{of}")
    compute(handle, alpha, *given, conv, how[0], workspace, size, *result)


@raises
def cudnnConvolutionForward(
    handle: object, alpha: float, srcDesc: object, srcData: object, wDesc: object, w: object,
    convDesc: object, algo: object, workspace: object, workSpaceSizeInBytes: object, beta: float,
    destDesc: object, destData: object,
) -> None:  # fmt: skip
    """Convolve; without a workspace, that of the handle is used. New code: `ops.convolution`."""
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
def cudnnConvolutionBackwardData(
    handle: object, alpha: float, wDesc: object, w: object, dyDesc: object, dy: object, convDesc:
    object, algo: object, workspace: object, workSpaceSizeInBytes: object, beta: object = None,
    dxDesc: object = None, dx: object = None,
) -> None:  # fmt: skip
    """Compute the gradient for the input of a convolution.

    Version 2 has beta, dxDesc and dx in the place of algorithm and workspace. Without a workspace,
    that of the handle is used.

    New code: `ops.convolution_backward_data`.
    """
    _gradient(
        "Data", handle, alpha, (wDesc, w, dyDesc, dy), convDesc,
        (algo, workspace, workSpaceSizeInBytes), (beta, dxDesc, dx),
    )  # fmt: skip


@raises
def cudnnConvolutionBackwardFilter(
    handle: object, alpha: float, xDesc: object, x: object, dyDesc: object, dy: object,
    convDesc: object, algo: object, workspace: object, workSpaceSizeInBytes: object,
    beta: object = None, dwDesc: object = None, dw: object = None,
) -> None:  # fmt: skip
    """Compute the gradient for the filters of a convolution.

    Version 2 has beta, dwDesc and dw in the place of algorithm and workspace. Without a workspace,
    that of the handle is used.

    New code: `ops.convolution_backward_filter`.
    """
    _gradient(
        "Filter", handle, alpha, (xDesc, x, dyDesc, dy), convDesc,
        (algo, workspace, workSpaceSizeInBytes), (beta, dwDesc, dw),
    )  # fmt: skip
