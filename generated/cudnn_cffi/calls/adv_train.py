# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:e8aa76695c7e74405493a14348bba3e0
"""Functions of cudnn_adv_train.h, called under their C names without their out-parameters.

They raise what `cudnn_cffi.errors` defines. Pointers are ints or the objects that hold them;
see `cudnn_cffi.types` for what is taken where.
"""

# The signatures are for type checkers, what is inside is not.
# mypy: ignore-errors

from __future__ import annotations

from .._call import (
    CONVERT as _CONVERT,
    device as _device,
    failed as _failed,
    getters as _getters,
    instead as _instead,
    lend as _lend,
    lib as _lib,
    objects as _objects,
    outs as _outs,
    plain as _plain,
    quick as _quick,
    slow as _slow,
    unpack as _unpack,
    unpacker as _unpacker,
    watching as _watching,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, NamedTuple

    from ..families import (
        FilterDescriptor,
        Handle,
        RNNDataDescriptor,
        RNNDescriptor,
        TensorDescriptor,
    )
    from ..types import Callback, DevicePointer, HostPointer, ScalingFactor, Stream
else:
    from .._support.results import NamedTuple

_new = tuple.__new__
_type = type
_unpack_q = _unpacker("q")
_cudnnFindRNNBackwardDataAlgorithmEx = _lib.cudnnFindRNNBackwardDataAlgorithmEx
_cudnnFindRNNBackwardWeightsAlgorithmEx = _lib.cudnnFindRNNBackwardWeightsAlgorithmEx
_cudnnFindRNNForwardTrainingAlgorithmEx = _lib.cudnnFindRNNForwardTrainingAlgorithmEx
_cudnnRNNBackwardData = _lib.cudnnRNNBackwardData
_cudnnRNNBackwardWeights = _lib.cudnnRNNBackwardWeights
_cudnnRNNForwardTraining = _lib.cudnnRNNForwardTraining
_plain_cudnnFindRNNBackwardDataAlgorithmEx = _plain("cudnnFindRNNBackwardDataAlgorithmEx")
_plain_cudnnFindRNNBackwardWeightsAlgorithmEx = _plain("cudnnFindRNNBackwardWeightsAlgorithmEx")
_plain_cudnnFindRNNForwardTrainingAlgorithmEx = _plain("cudnnFindRNNForwardTrainingAlgorithmEx")
_plain_cudnnRNNBackwardData = _plain("cudnnRNNBackwardData")
_plain_cudnnRNNBackwardWeights = _plain("cudnnRNNBackwardWeights")
_plain_cudnnRNNForwardTraining = _plain("cudnnRNNForwardTraining")


_cudnnAdvTrainVersionCheck = _quick("cudnnAdvTrainVersionCheck", "", (), (None,))


@_instead(_cudnnAdvTrainVersionCheck)
def cudnnAdvTrainVersionCheck() -> None:
    """Check that the sub-library has the version of the others.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier, removed in 9.0.0; use `cudnnAdvVersionCheck`.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/archives/cudnn-897/api/index.html#cudnnAdvTrainVersionCheck

    C, cudnn_adv_train.h::

        cudnnStatus_t cudnnAdvTrainVersionCheck(void)
    """
    return _cudnnAdvTrainVersionCheck()


def cudnnFindRNNBackwardDataAlgorithmEx(
    handle: Handle | int,
    rnnDesc: RNNDescriptor | int,
    seqLength: int,
    yDesc: Sequence[int] | HostPointer,
    y: DevicePointer,
    dyDesc: Sequence[int] | HostPointer,
    dy: DevicePointer,
    dhyDesc: TensorDescriptor | int | None,
    dhy: DevicePointer,
    dcyDesc: TensorDescriptor | int | None,
    dcy: DevicePointer,
    wDesc: FilterDescriptor | int,
    w: DevicePointer,
    hxDesc: TensorDescriptor | int | None,
    hx: DevicePointer,
    cxDesc: TensorDescriptor | int | None,
    cx: DevicePointer,
    dxDesc: Sequence[int] | HostPointer,
    dx: DevicePointer,
    dhxDesc: TensorDescriptor | int | None,
    dhx: DevicePointer,
    dcxDesc: TensorDescriptor | int | None,
    dcx: DevicePointer,
    findIntensity: float,
    requestedAlgoCount: int,
    perfResults: Sequence[int] | HostPointer,
    workspace: DevicePointer,
    workSpaceSizeInBytes: int,
    reserveSpace: DevicePointer,
    reserveSpaceSizeInBytes: int,
) -> int:
    """Compute `dx`, `dhx` and `dcx` from `y`, `dy`, `dhy`, `dcy`, `w`, `hx` and `cx`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        rnnDesc: const cudnnRNNDescriptor_t, an `RNNDescriptor` or its address.
        seqLength: const int, how many elements `yDesc`, `dyDesc` and `dxDesc` have; the number
            of time steps.
        yDesc: const cudnnTensorDescriptor_t*, a sequence of numbers, at least `seqLength`
            elements.
        y: const void*, device memory, read.
        dyDesc: const cudnnTensorDescriptor_t*, a sequence of numbers, at least `seqLength`
            elements.
        dy: const void*, device memory, read.
        dhyDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, or None.
        dhy: const void*, device memory, laid out as `dhyDesc` says, read; the gradient of the
            last state; None for zeros.
        dcyDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, or None.
        dcy: const void*, device memory, laid out as `dcyDesc` says, read; the gradient of the
            last state; None for zeros.
        wDesc: const cudnnFilterDescriptor_t, a `FilterDescriptor` or its address.
        w: const void*, device memory, laid out as `wDesc` says, read; all weights and biases;
            `cudnnGetRNNLinLayerMatrixParams` tells where each is.
        hxDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, or None.
        hx: const void*, device memory, laid out as `hxDesc` says, read; the state before the
            first step; None for zeros.
        cxDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, or None.
        cx: const void*, device memory, laid out as `cxDesc` says, read; the state before the
            first step; None for zeros.
        dxDesc: const cudnnTensorDescriptor_t*, a sequence of numbers, at least `seqLength`
            elements.
        dx: void*, device memory, written.
        dhxDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, or None.
        dhx: void*, device memory, laid out as `dhxDesc` says, written; the gradient for the
            first state; None not to get it.
        dcxDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, or None.
        dcx: void*, device memory, laid out as `dcxDesc` says, written; the gradient for the
            first state; None not to get it.
        findIntensity: const float; the share of candidates to time, up to 1; 0 is the default.
        requestedAlgoCount: const int, how many elements `perfResults` has.
        perfResults: cudnnAlgorithmPerformance_t*, a sequence of numbers, at least
            `requestedAlgoCount` elements.
        workspace: void*, device memory for scratch space, at least `workSpaceSizeInBytes`
            bytes, or None; the caller allocates it, of the size that `cudnnGetRNNWorkspaceSize`
            tells, and may use it for later work on the stream.
        workSpaceSizeInBytes: size_t, how many bytes `workspace` has.
        reserveSpace: void*, device memory that the backward calls need again, at least
            `reserveSpaceSizeInBytes` bytes, read and written, or None; as
            `cudnnRNNForwardTraining` left it, changed for `cudnnRNNBackwardWeights`.
        reserveSpaceSizeInBytes: size_t, how many bytes `reserveSpace` has.

    Returns:
        int.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier, removed in 9.0.0; deprecated since 8.5.0.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/archives/cudnn-897/api/index.html#cudnnFindRNNBackwardDataAlgorithmEx

    C, cudnn_adv_train.h::

        cudnnStatus_t cudnnFindRNNBackwardDataAlgorithmEx(cudnnHandle_t handle, const
            cudnnRNNDescriptor_t rnnDesc, const int seqLength, const cudnnTensorDescriptor_t
            *yDesc, const void *y, const cudnnTensorDescriptor_t *dyDesc, const void *dy, const
            cudnnTensorDescriptor_t dhyDesc, const void *dhy, const cudnnTensorDescriptor_t
            dcyDesc, const void *dcy, const cudnnFilterDescriptor_t wDesc, const void *w, const
            cudnnTensorDescriptor_t hxDesc, const void *hx, const cudnnTensorDescriptor_t
            cxDesc, const void *cx, const cudnnTensorDescriptor_t *dxDesc, void *dx, const
            cudnnTensorDescriptor_t dhxDesc, void *dhx, const cudnnTensorDescriptor_t dcxDesc,
            void *dcx, const float findIntensity, const int requestedAlgoCount, int
            *returnedAlgoCount, cudnnAlgorithmPerformance_t *perfResults, void *workspace,
            size_t workSpaceSizeInBytes, void *reserveSpace, size_t reserveSpaceSizeInBytes)
    """
    if _watching.watcher is not None:
        _watching.watcher(
            "cudnnFindRNNBackwardDataAlgorithmEx",
            (
                handle,
                rnnDesc,
                seqLength,
                yDesc,
                y,
                dyDesc,
                dy,
                dhyDesc,
                dhy,
                dcyDesc,
                dcy,
                wDesc,
                w,
                hxDesc,
                hx,
                cxDesc,
                cx,
                dxDesc,
                dx,
                dhxDesc,
                dhx,
                dcxDesc,
                dcx,
                findIntensity,
                requestedAlgoCount,
                perfResults,
                workspace,
                workSpaceSizeInBytes,
                reserveSpace,
                reserveSpaceSizeInBytes,
            ),
        )
    if (
        _type(handle),
        _type(rnnDesc),
        _type(seqLength),
        _type(dhyDesc),
        _type(dcyDesc),
        _type(wDesc),
        _type(hxDesc),
        _type(cxDesc),
        _type(dhxDesc),
        _type(dcxDesc),
        _type(findIntensity),
        _type(requestedAlgoCount),
        _type(workSpaceSizeInBytes),
        _type(reserveSpaceSizeInBytes),
    ) not in _plain_cudnnFindRNNBackwardDataAlgorithmEx:
        return _slow(
            cudnnFindRNNBackwardDataAlgorithmEx,
            "cudnnFindRNNBackwardDataAlgorithmEx",
            (
                handle,
                rnnDesc,
                seqLength,
                yDesc,
                y,
                dyDesc,
                dy,
                dhyDesc,
                dhy,
                dcyDesc,
                dcy,
                wDesc,
                w,
                hxDesc,
                hx,
                cxDesc,
                cx,
                dxDesc,
                dx,
                dhxDesc,
                dhx,
                dcxDesc,
                dcx,
                findIntensity,
                requestedAlgoCount,
                perfResults,
                workspace,
                workSpaceSizeInBytes,
                reserveSpace,
                reserveSpaceSizeInBytes,
            ),
        )
    try:
        _in_y = y if _type(y) is int else _device(y)
        _in_dy = dy if _type(dy) is int else _device(dy)
        _in_dhy = dhy if _type(dhy) is int else _device(dhy)
        _in_dcy = dcy if _type(dcy) is int else _device(dcy)
        _in_w = w if _type(w) is int else _device(w)
        _in_hx = hx if _type(hx) is int else _device(hx)
        _in_cx = cx if _type(cx) is int else _device(cx)
        _in_dx = dx if _type(dx) is int else _device(dx)
        _in_dhx = dhx if _type(dhx) is int else _device(dhx)
        _in_dcx = dcx if _type(dcx) is int else _device(dcx)
        _in_workspace = workspace if _type(workspace) is int else _device(workspace)
        _in_reserveSpace = reserveSpace if _type(reserveSpace) is int else _device(reserveSpace)
        _in_yDesc = _objects(yDesc, "cudnnTensorDescriptor_t", seqLength, "yDesc")
        _in_dyDesc = _objects(dyDesc, "cudnnTensorDescriptor_t", seqLength, "dyDesc")
        _in_dxDesc = _objects(dxDesc, "cudnnTensorDescriptor_t", seqLength, "dxDesc")
        _in_perfResults = _objects(
            perfResults,
            "cudnnAlgorithmPerformance_t",
            requestedAlgoCount,
            "perfResults",
        )
        _out = _lend()
        _status = _cudnnFindRNNBackwardDataAlgorithmEx(
            handle if _type(handle) is int else handle._cudnnHandle_t,
            rnnDesc if _type(rnnDesc) is int else rnnDesc._cudnnRNNDescriptor_t,
            seqLength,
            _in_yDesc,
            _in_y,
            _in_dyDesc,
            _in_dy,
            0
            if dhyDesc is None
            else dhyDesc
            if _type(dhyDesc) is int
            else dhyDesc._cudnnTensorDescriptor_t,
            _in_dhy,
            0
            if dcyDesc is None
            else dcyDesc
            if _type(dcyDesc) is int
            else dcyDesc._cudnnTensorDescriptor_t,
            _in_dcy,
            wDesc if _type(wDesc) is int else wDesc._cudnnFilterDescriptor_t,
            _in_w,
            0
            if hxDesc is None
            else hxDesc
            if _type(hxDesc) is int
            else hxDesc._cudnnTensorDescriptor_t,
            _in_hx,
            0
            if cxDesc is None
            else cxDesc
            if _type(cxDesc) is int
            else cxDesc._cudnnTensorDescriptor_t,
            _in_cx,
            _in_dxDesc,
            _in_dx,
            0
            if dhxDesc is None
            else dhxDesc
            if _type(dhxDesc) is int
            else dhxDesc._cudnnTensorDescriptor_t,
            _in_dhx,
            0
            if dcxDesc is None
            else dcxDesc
            if _type(dcxDesc) is int
            else dcxDesc._cudnnTensorDescriptor_t,
            _in_dcx,
            findIntensity,
            requestedAlgoCount,
            _in_perfResults,
            _in_workspace,
            workSpaceSizeInBytes,
            _in_reserveSpace,
            reserveSpaceSizeInBytes,
            _out[0],
        )
    except _CONVERT as _error:
        return _slow(
            cudnnFindRNNBackwardDataAlgorithmEx,
            "cudnnFindRNNBackwardDataAlgorithmEx",
            (
                handle,
                rnnDesc,
                seqLength,
                yDesc,
                y,
                dyDesc,
                dy,
                dhyDesc,
                dhy,
                dcyDesc,
                dcy,
                wDesc,
                w,
                hxDesc,
                hx,
                cxDesc,
                cx,
                dxDesc,
                dx,
                dhxDesc,
                dhx,
                dcxDesc,
                dcx,
                findIntensity,
                requestedAlgoCount,
                perfResults,
                workspace,
                workSpaceSizeInBytes,
                reserveSpace,
                reserveSpaceSizeInBytes,
            ),
            _error,
        )
    if _status:
        return _failed(
            cudnnFindRNNBackwardDataAlgorithmEx,
            "cudnnFindRNNBackwardDataAlgorithmEx",
            _status,
            (
                handle,
                rnnDesc,
                seqLength,
                yDesc,
                y,
                dyDesc,
                dy,
                dhyDesc,
                dhy,
                dcyDesc,
                dcy,
                wDesc,
                w,
                hxDesc,
                hx,
                cxDesc,
                cx,
                dxDesc,
                dx,
                dhxDesc,
                dhx,
                dcxDesc,
                dcx,
                findIntensity,
                requestedAlgoCount,
                perfResults,
                workspace,
                workSpaceSizeInBytes,
                reserveSpace,
                reserveSpaceSizeInBytes,
            ),
        )
    _r = _unpack_q(_out[1])
    _outs.append(_out)
    return _r[0]


def cudnnFindRNNBackwardWeightsAlgorithmEx(
    handle: Handle | int,
    rnnDesc: RNNDescriptor | int,
    seqLength: int,
    xDesc: Sequence[int] | HostPointer,
    x: DevicePointer,
    hxDesc: TensorDescriptor | int | None,
    hx: DevicePointer,
    yDesc: Sequence[int] | HostPointer,
    y: DevicePointer,
    findIntensity: float,
    requestedAlgoCount: int,
    perfResults: Sequence[int] | HostPointer,
    workspace: DevicePointer,
    workSpaceSizeInBytes: int,
    dwDesc: FilterDescriptor | int,
    dw: DevicePointer,
    reserveSpace: DevicePointer,
    reserveSpaceSizeInBytes: int,
) -> int:
    """Compute `dw` from `x`, `hx` and `y`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        rnnDesc: const cudnnRNNDescriptor_t, an `RNNDescriptor` or its address.
        seqLength: const int, how many elements `xDesc` and `yDesc` have; the number of time
            steps.
        xDesc: const cudnnTensorDescriptor_t*, a sequence of numbers, at least `seqLength`
            elements.
        x: const void*, device memory, read.
        hxDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, or None.
        hx: const void*, device memory, laid out as `hxDesc` says, read; the state before the
            first step; None for zeros.
        yDesc: const cudnnTensorDescriptor_t*, a sequence of numbers, at least `seqLength`
            elements.
        y: const void*, device memory, read.
        findIntensity: const float; the share of candidates to time, up to 1; 0 is the default.
        requestedAlgoCount: const int, how many elements `perfResults` has.
        perfResults: cudnnAlgorithmPerformance_t*, a sequence of numbers, at least
            `requestedAlgoCount` elements.
        workspace: const void*, device memory for scratch space, at least `workSpaceSizeInBytes`
            bytes, or None; the caller allocates it, of the size that `cudnnGetRNNWorkspaceSize`
            tells, and may use it for later work on the stream.
        workSpaceSizeInBytes: size_t, how many bytes `workspace` has.
        dwDesc: const cudnnFilterDescriptor_t, a `FilterDescriptor` or its address.
        dw: void*, device memory, laid out as `dwDesc` says, written; all weights and biases;
            `cudnnGetRNNLinLayerMatrixParams` tells where each is.
        reserveSpace: const void*, device memory that the backward calls need again, at least
            `reserveSpaceSizeInBytes` bytes, read, or None; as `cudnnRNNBackwardData` left it.
        reserveSpaceSizeInBytes: size_t, how many bytes `reserveSpace` has.

    Returns:
        int.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier, removed in 9.0.0; deprecated since 8.5.0.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/archives/cudnn-897/api/index.html#cudnnFindRNNBackwardWeightsAlgorithmEx

    C, cudnn_adv_train.h::

        cudnnStatus_t cudnnFindRNNBackwardWeightsAlgorithmEx(cudnnHandle_t handle, const
            cudnnRNNDescriptor_t rnnDesc, const int seqLength, const cudnnTensorDescriptor_t
            *xDesc, const void *x, const cudnnTensorDescriptor_t hxDesc, const void *hx, const
            cudnnTensorDescriptor_t *yDesc, const void *y, const float findIntensity, const int
            requestedAlgoCount, int *returnedAlgoCount, cudnnAlgorithmPerformance_t
            *perfResults, const void *workspace, size_t workSpaceSizeInBytes, const
            cudnnFilterDescriptor_t dwDesc, void *dw, const void *reserveSpace, size_t
            reserveSpaceSizeInBytes)
    """
    if _watching.watcher is not None:
        _watching.watcher(
            "cudnnFindRNNBackwardWeightsAlgorithmEx",
            (
                handle,
                rnnDesc,
                seqLength,
                xDesc,
                x,
                hxDesc,
                hx,
                yDesc,
                y,
                findIntensity,
                requestedAlgoCount,
                perfResults,
                workspace,
                workSpaceSizeInBytes,
                dwDesc,
                dw,
                reserveSpace,
                reserveSpaceSizeInBytes,
            ),
        )
    if (
        _type(handle),
        _type(rnnDesc),
        _type(seqLength),
        _type(hxDesc),
        _type(findIntensity),
        _type(requestedAlgoCount),
        _type(workSpaceSizeInBytes),
        _type(dwDesc),
        _type(reserveSpaceSizeInBytes),
    ) not in _plain_cudnnFindRNNBackwardWeightsAlgorithmEx:
        return _slow(
            cudnnFindRNNBackwardWeightsAlgorithmEx,
            "cudnnFindRNNBackwardWeightsAlgorithmEx",
            (
                handle,
                rnnDesc,
                seqLength,
                xDesc,
                x,
                hxDesc,
                hx,
                yDesc,
                y,
                findIntensity,
                requestedAlgoCount,
                perfResults,
                workspace,
                workSpaceSizeInBytes,
                dwDesc,
                dw,
                reserveSpace,
                reserveSpaceSizeInBytes,
            ),
        )
    try:
        _in_x = x if _type(x) is int else _device(x)
        _in_hx = hx if _type(hx) is int else _device(hx)
        _in_y = y if _type(y) is int else _device(y)
        _in_workspace = workspace if _type(workspace) is int else _device(workspace)
        _in_dw = dw if _type(dw) is int else _device(dw)
        _in_reserveSpace = reserveSpace if _type(reserveSpace) is int else _device(reserveSpace)
        _in_xDesc = _objects(xDesc, "cudnnTensorDescriptor_t", seqLength, "xDesc")
        _in_yDesc = _objects(yDesc, "cudnnTensorDescriptor_t", seqLength, "yDesc")
        _in_perfResults = _objects(
            perfResults,
            "cudnnAlgorithmPerformance_t",
            requestedAlgoCount,
            "perfResults",
        )
        _out = _lend()
        _status = _cudnnFindRNNBackwardWeightsAlgorithmEx(
            handle if _type(handle) is int else handle._cudnnHandle_t,
            rnnDesc if _type(rnnDesc) is int else rnnDesc._cudnnRNNDescriptor_t,
            seqLength,
            _in_xDesc,
            _in_x,
            0
            if hxDesc is None
            else hxDesc
            if _type(hxDesc) is int
            else hxDesc._cudnnTensorDescriptor_t,
            _in_hx,
            _in_yDesc,
            _in_y,
            findIntensity,
            requestedAlgoCount,
            _in_perfResults,
            _in_workspace,
            workSpaceSizeInBytes,
            dwDesc if _type(dwDesc) is int else dwDesc._cudnnFilterDescriptor_t,
            _in_dw,
            _in_reserveSpace,
            reserveSpaceSizeInBytes,
            _out[0],
        )
    except _CONVERT as _error:
        return _slow(
            cudnnFindRNNBackwardWeightsAlgorithmEx,
            "cudnnFindRNNBackwardWeightsAlgorithmEx",
            (
                handle,
                rnnDesc,
                seqLength,
                xDesc,
                x,
                hxDesc,
                hx,
                yDesc,
                y,
                findIntensity,
                requestedAlgoCount,
                perfResults,
                workspace,
                workSpaceSizeInBytes,
                dwDesc,
                dw,
                reserveSpace,
                reserveSpaceSizeInBytes,
            ),
            _error,
        )
    if _status:
        return _failed(
            cudnnFindRNNBackwardWeightsAlgorithmEx,
            "cudnnFindRNNBackwardWeightsAlgorithmEx",
            _status,
            (
                handle,
                rnnDesc,
                seqLength,
                xDesc,
                x,
                hxDesc,
                hx,
                yDesc,
                y,
                findIntensity,
                requestedAlgoCount,
                perfResults,
                workspace,
                workSpaceSizeInBytes,
                dwDesc,
                dw,
                reserveSpace,
                reserveSpaceSizeInBytes,
            ),
        )
    _r = _unpack_q(_out[1])
    _outs.append(_out)
    return _r[0]


def cudnnFindRNNForwardTrainingAlgorithmEx(
    handle: Handle | int,
    rnnDesc: RNNDescriptor | int,
    seqLength: int,
    xDesc: Sequence[int] | HostPointer,
    x: DevicePointer,
    hxDesc: TensorDescriptor | int | None,
    hx: DevicePointer,
    cxDesc: TensorDescriptor | int | None,
    cx: DevicePointer,
    wDesc: FilterDescriptor | int,
    w: DevicePointer,
    yDesc: Sequence[int] | HostPointer,
    y: DevicePointer,
    hyDesc: TensorDescriptor | int | None,
    hy: DevicePointer,
    cyDesc: TensorDescriptor | int | None,
    cy: DevicePointer,
    findIntensity: float,
    requestedAlgoCount: int,
    perfResults: Sequence[int] | HostPointer,
    workspace: DevicePointer,
    workSpaceSizeInBytes: int,
    reserveSpace: DevicePointer,
    reserveSpaceSizeInBytes: int,
) -> int:
    """Compute `y`, `hy` and `cy` from `x`, `hx`, `cx` and `w`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        rnnDesc: const cudnnRNNDescriptor_t, an `RNNDescriptor` or its address.
        seqLength: const int, how many elements `xDesc` and `yDesc` have; the number of time
            steps.
        xDesc: const cudnnTensorDescriptor_t*, a sequence of numbers, at least `seqLength`
            elements.
        x: const void*, device memory, read.
        hxDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, or None.
        hx: const void*, device memory, laid out as `hxDesc` says, read; the state before the
            first step; None for zeros.
        cxDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, or None.
        cx: const void*, device memory, laid out as `cxDesc` says, read; the state before the
            first step; None for zeros.
        wDesc: const cudnnFilterDescriptor_t, a `FilterDescriptor` or its address.
        w: const void*, device memory, laid out as `wDesc` says, read; all weights and biases;
            `cudnnGetRNNLinLayerMatrixParams` tells where each is.
        yDesc: const cudnnTensorDescriptor_t*, a sequence of numbers, at least `seqLength`
            elements.
        y: void*, device memory, written.
        hyDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, or None.
        hy: void*, device memory, laid out as `hyDesc` says, written; the state after the last
            step; None not to get it.
        cyDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, or None.
        cy: void*, device memory, laid out as `cyDesc` says, written; the state after the last
            step; None not to get it.
        findIntensity: const float; the share of candidates to time, up to 1; 0 is the default.
        requestedAlgoCount: const int, how many elements `perfResults` has.
        perfResults: cudnnAlgorithmPerformance_t*, a sequence of numbers, at least
            `requestedAlgoCount` elements.
        workspace: void*, device memory for scratch space, at least `workSpaceSizeInBytes`
            bytes, or None; the caller allocates it, of the size that `cudnnGetRNNWorkspaceSize`
            tells, and may use it for later work on the stream.
        workSpaceSizeInBytes: size_t, how many bytes `workspace` has.
        reserveSpace: void*, device memory that the backward calls need again, at least
            `reserveSpaceSizeInBytes` bytes, written, or None; the caller allocates it, of the
            size that `cudnnGetRNNTrainingReserveSize` tells, and keeps it unchanged for
            `cudnnRNNBackwardData`.
        reserveSpaceSizeInBytes: size_t, how many bytes `reserveSpace` has.

    Returns:
        int.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier, removed in 9.0.0; deprecated since 8.5.0.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/archives/cudnn-897/api/index.html#cudnnFindRNNForwardTrainingAlgorithmEx

    C, cudnn_adv_train.h::

        cudnnStatus_t cudnnFindRNNForwardTrainingAlgorithmEx(cudnnHandle_t handle, const
            cudnnRNNDescriptor_t rnnDesc, const int seqLength, const cudnnTensorDescriptor_t
            *xDesc, const void *x, const cudnnTensorDescriptor_t hxDesc, const void *hx, const
            cudnnTensorDescriptor_t cxDesc, const void *cx, const cudnnFilterDescriptor_t wDesc,
            const void *w, const cudnnTensorDescriptor_t *yDesc, void *y, const
            cudnnTensorDescriptor_t hyDesc, void *hy, const cudnnTensorDescriptor_t cyDesc, void
            *cy, const float findIntensity, const int requestedAlgoCount, int
            *returnedAlgoCount, cudnnAlgorithmPerformance_t *perfResults, void *workspace,
            size_t workSpaceSizeInBytes, void *reserveSpace, size_t reserveSpaceSizeInBytes)
    """
    if _watching.watcher is not None:
        _watching.watcher(
            "cudnnFindRNNForwardTrainingAlgorithmEx",
            (
                handle,
                rnnDesc,
                seqLength,
                xDesc,
                x,
                hxDesc,
                hx,
                cxDesc,
                cx,
                wDesc,
                w,
                yDesc,
                y,
                hyDesc,
                hy,
                cyDesc,
                cy,
                findIntensity,
                requestedAlgoCount,
                perfResults,
                workspace,
                workSpaceSizeInBytes,
                reserveSpace,
                reserveSpaceSizeInBytes,
            ),
        )
    if (
        _type(handle),
        _type(rnnDesc),
        _type(seqLength),
        _type(hxDesc),
        _type(cxDesc),
        _type(wDesc),
        _type(hyDesc),
        _type(cyDesc),
        _type(findIntensity),
        _type(requestedAlgoCount),
        _type(workSpaceSizeInBytes),
        _type(reserveSpaceSizeInBytes),
    ) not in _plain_cudnnFindRNNForwardTrainingAlgorithmEx:
        return _slow(
            cudnnFindRNNForwardTrainingAlgorithmEx,
            "cudnnFindRNNForwardTrainingAlgorithmEx",
            (
                handle,
                rnnDesc,
                seqLength,
                xDesc,
                x,
                hxDesc,
                hx,
                cxDesc,
                cx,
                wDesc,
                w,
                yDesc,
                y,
                hyDesc,
                hy,
                cyDesc,
                cy,
                findIntensity,
                requestedAlgoCount,
                perfResults,
                workspace,
                workSpaceSizeInBytes,
                reserveSpace,
                reserveSpaceSizeInBytes,
            ),
        )
    try:
        _in_x = x if _type(x) is int else _device(x)
        _in_hx = hx if _type(hx) is int else _device(hx)
        _in_cx = cx if _type(cx) is int else _device(cx)
        _in_w = w if _type(w) is int else _device(w)
        _in_y = y if _type(y) is int else _device(y)
        _in_hy = hy if _type(hy) is int else _device(hy)
        _in_cy = cy if _type(cy) is int else _device(cy)
        _in_workspace = workspace if _type(workspace) is int else _device(workspace)
        _in_reserveSpace = reserveSpace if _type(reserveSpace) is int else _device(reserveSpace)
        _in_xDesc = _objects(xDesc, "cudnnTensorDescriptor_t", seqLength, "xDesc")
        _in_yDesc = _objects(yDesc, "cudnnTensorDescriptor_t", seqLength, "yDesc")
        _in_perfResults = _objects(
            perfResults,
            "cudnnAlgorithmPerformance_t",
            requestedAlgoCount,
            "perfResults",
        )
        _out = _lend()
        _status = _cudnnFindRNNForwardTrainingAlgorithmEx(
            handle if _type(handle) is int else handle._cudnnHandle_t,
            rnnDesc if _type(rnnDesc) is int else rnnDesc._cudnnRNNDescriptor_t,
            seqLength,
            _in_xDesc,
            _in_x,
            0
            if hxDesc is None
            else hxDesc
            if _type(hxDesc) is int
            else hxDesc._cudnnTensorDescriptor_t,
            _in_hx,
            0
            if cxDesc is None
            else cxDesc
            if _type(cxDesc) is int
            else cxDesc._cudnnTensorDescriptor_t,
            _in_cx,
            wDesc if _type(wDesc) is int else wDesc._cudnnFilterDescriptor_t,
            _in_w,
            _in_yDesc,
            _in_y,
            0
            if hyDesc is None
            else hyDesc
            if _type(hyDesc) is int
            else hyDesc._cudnnTensorDescriptor_t,
            _in_hy,
            0
            if cyDesc is None
            else cyDesc
            if _type(cyDesc) is int
            else cyDesc._cudnnTensorDescriptor_t,
            _in_cy,
            findIntensity,
            requestedAlgoCount,
            _in_perfResults,
            _in_workspace,
            workSpaceSizeInBytes,
            _in_reserveSpace,
            reserveSpaceSizeInBytes,
            _out[0],
        )
    except _CONVERT as _error:
        return _slow(
            cudnnFindRNNForwardTrainingAlgorithmEx,
            "cudnnFindRNNForwardTrainingAlgorithmEx",
            (
                handle,
                rnnDesc,
                seqLength,
                xDesc,
                x,
                hxDesc,
                hx,
                cxDesc,
                cx,
                wDesc,
                w,
                yDesc,
                y,
                hyDesc,
                hy,
                cyDesc,
                cy,
                findIntensity,
                requestedAlgoCount,
                perfResults,
                workspace,
                workSpaceSizeInBytes,
                reserveSpace,
                reserveSpaceSizeInBytes,
            ),
            _error,
        )
    if _status:
        return _failed(
            cudnnFindRNNForwardTrainingAlgorithmEx,
            "cudnnFindRNNForwardTrainingAlgorithmEx",
            _status,
            (
                handle,
                rnnDesc,
                seqLength,
                xDesc,
                x,
                hxDesc,
                hx,
                cxDesc,
                cx,
                wDesc,
                w,
                yDesc,
                y,
                hyDesc,
                hy,
                cyDesc,
                cy,
                findIntensity,
                requestedAlgoCount,
                perfResults,
                workspace,
                workSpaceSizeInBytes,
                reserveSpace,
                reserveSpaceSizeInBytes,
            ),
        )
    _r = _unpack_q(_out[1])
    _outs.append(_out)
    return _r[0]


_cudnnGetRNNBackwardDataAlgorithmMaxCount = _quick(
    "cudnnGetRNNBackwardDataAlgorithmMaxCount",
    "q",
    ("_cudnnHandle_t", "_cudnnRNNDescriptor_t"),
    (None, None),
)


@_instead(_cudnnGetRNNBackwardDataAlgorithmMaxCount)
def cudnnGetRNNBackwardDataAlgorithmMaxCount(
    handle: Handle | int,
    rnnDesc: RNNDescriptor | int,
) -> int:
    """Return `count` of `rnnDesc`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        rnnDesc: const cudnnRNNDescriptor_t, an `RNNDescriptor` or its address.

    Returns:
        int.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier, removed in 9.0.0; deprecated since 8.5.0.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/archives/cudnn-897/api/index.html#cudnnGetRNNBackwardDataAlgorithmMaxCount

    C, cudnn_adv_train.h::

        cudnnStatus_t cudnnGetRNNBackwardDataAlgorithmMaxCount(cudnnHandle_t handle, const
            cudnnRNNDescriptor_t rnnDesc, int *count)
    """
    return _cudnnGetRNNBackwardDataAlgorithmMaxCount(handle, rnnDesc)


_cudnnGetRNNBackwardWeightsAlgorithmMaxCount = _quick(
    "cudnnGetRNNBackwardWeightsAlgorithmMaxCount",
    "q",
    ("_cudnnHandle_t", "_cudnnRNNDescriptor_t"),
    (None, None),
)


@_instead(_cudnnGetRNNBackwardWeightsAlgorithmMaxCount)
def cudnnGetRNNBackwardWeightsAlgorithmMaxCount(
    handle: Handle | int,
    rnnDesc: RNNDescriptor | int,
) -> int:
    """Return `count` of `rnnDesc`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        rnnDesc: const cudnnRNNDescriptor_t, an `RNNDescriptor` or its address.

    Returns:
        int.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier, removed in 9.0.0; deprecated since 8.5.0.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/archives/cudnn-897/api/index.html#cudnnGetRNNBackwardWeightsAlgorithmMaxCount

    C, cudnn_adv_train.h::

        cudnnStatus_t cudnnGetRNNBackwardWeightsAlgorithmMaxCount(cudnnHandle_t handle, const
            cudnnRNNDescriptor_t rnnDesc, int *count)
    """
    return _cudnnGetRNNBackwardWeightsAlgorithmMaxCount(handle, rnnDesc)


_cudnnGetRNNForwardTrainingAlgorithmMaxCount = _quick(
    "cudnnGetRNNForwardTrainingAlgorithmMaxCount",
    "q",
    ("_cudnnHandle_t", "_cudnnRNNDescriptor_t"),
    (None, None),
)


@_instead(_cudnnGetRNNForwardTrainingAlgorithmMaxCount)
def cudnnGetRNNForwardTrainingAlgorithmMaxCount(
    handle: Handle | int,
    rnnDesc: RNNDescriptor | int,
) -> int:
    """Return `count` of `rnnDesc`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        rnnDesc: const cudnnRNNDescriptor_t, an `RNNDescriptor` or its address.

    Returns:
        int.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier, removed in 9.0.0; deprecated since 8.5.0.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/archives/cudnn-897/api/index.html#cudnnGetRNNForwardTrainingAlgorithmMaxCount

    C, cudnn_adv_train.h::

        cudnnStatus_t cudnnGetRNNForwardTrainingAlgorithmMaxCount(cudnnHandle_t handle, const
            cudnnRNNDescriptor_t rnnDesc, int *count)
    """
    return _cudnnGetRNNForwardTrainingAlgorithmMaxCount(handle, rnnDesc)


def cudnnRNNBackwardData(
    handle: Handle | int,
    rnnDesc: RNNDescriptor | int,
    seqLength: int,
    yDesc: Sequence[int] | HostPointer,
    y: DevicePointer,
    dyDesc: Sequence[int] | HostPointer,
    dy: DevicePointer,
    dhyDesc: TensorDescriptor | int | None,
    dhy: DevicePointer,
    dcyDesc: TensorDescriptor | int | None,
    dcy: DevicePointer,
    wDesc: FilterDescriptor | int,
    w: DevicePointer,
    hxDesc: TensorDescriptor | int | None,
    hx: DevicePointer,
    cxDesc: TensorDescriptor | int | None,
    cx: DevicePointer,
    dxDesc: Sequence[int] | HostPointer,
    dx: DevicePointer,
    dhxDesc: TensorDescriptor | int | None,
    dhx: DevicePointer,
    dcxDesc: TensorDescriptor | int | None,
    dcx: DevicePointer,
    workSpace: DevicePointer,
    workSpaceSizeInBytes: int,
    reserveSpace: DevicePointer,
    reserveSpaceSizeInBytes: int,
) -> None:
    """Compute `dx`, `dhx` and `dcx` from `y`, `dy`, `dhy`, `dcy`, `w`, `hx` and `cx`.

    Formula: dx, dhx, dcx: the gradients of `cudnnRNNForwardTraining` for x, hx and cx, of dy,
        dhy and dcy

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        rnnDesc: const cudnnRNNDescriptor_t, an `RNNDescriptor` or its address.
        seqLength: const int, how many elements `yDesc`, `dyDesc` and `dxDesc` have; the number
            of time steps.
        yDesc: const cudnnTensorDescriptor_t*, a sequence of numbers, at least `seqLength`
            elements.
        y: const void*, device memory, read.
        dyDesc: const cudnnTensorDescriptor_t*, a sequence of numbers, at least `seqLength`
            elements.
        dy: const void*, device memory, read.
        dhyDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, or None.
        dhy: const void*, device memory, laid out as `dhyDesc` says, read; the gradient of the
            last state; None for zeros.
        dcyDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, or None.
        dcy: const void*, device memory, laid out as `dcyDesc` says, read; the gradient of the
            last state; None for zeros.
        wDesc: const cudnnFilterDescriptor_t, a `FilterDescriptor` or its address.
        w: const void*, device memory, laid out as `wDesc` says, read; all weights and biases;
            `cudnnGetRNNLinLayerMatrixParams` tells where each is.
        hxDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, or None.
        hx: const void*, device memory, laid out as `hxDesc` says, read; the state before the
            first step; None for zeros.
        cxDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, or None.
        cx: const void*, device memory, laid out as `cxDesc` says, read; the state before the
            first step; None for zeros.
        dxDesc: const cudnnTensorDescriptor_t*, a sequence of numbers, at least `seqLength`
            elements.
        dx: void*, device memory, written.
        dhxDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, or None.
        dhx: void*, device memory, laid out as `dhxDesc` says, written; the gradient for the
            first state; None not to get it.
        dcxDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, or None.
        dcx: void*, device memory, laid out as `dcxDesc` says, written; the gradient for the
            first state; None not to get it.
        workSpace: void*, device memory for scratch space, at least `workSpaceSizeInBytes`
            bytes, or None; the caller allocates it, of the size that `cudnnGetRNNWorkspaceSize`
            tells, and may use it for later work on the stream.
        workSpaceSizeInBytes: size_t, how many bytes `workSpace` has.
        reserveSpace: void*, device memory that the backward calls need again, at least
            `reserveSpaceSizeInBytes` bytes, read and written, or None; as
            `cudnnRNNForwardTraining` left it, changed for `cudnnRNNBackwardWeights`.
        reserveSpaceSizeInBytes: size_t, how many bytes `reserveSpace` has.

    Returns:
        None; the function writes `dx`, `dhx` and `dcx`, in place.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier, removed in 9.0.0; deprecated since 8.5.0; use
    `cudnnRNNBackwardData_v8`.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/archives/cudnn-897/api/index.html#cudnnRNNBackwardData

    C, cudnn_adv_train.h::

        cudnnStatus_t cudnnRNNBackwardData(cudnnHandle_t handle, const cudnnRNNDescriptor_t
            rnnDesc, const int seqLength, const cudnnTensorDescriptor_t *yDesc, const void *y,
            const cudnnTensorDescriptor_t *dyDesc, const void *dy, const cudnnTensorDescriptor_t
            dhyDesc, const void *dhy, const cudnnTensorDescriptor_t dcyDesc, const void *dcy,
            const cudnnFilterDescriptor_t wDesc, const void *w, const cudnnTensorDescriptor_t
            hxDesc, const void *hx, const cudnnTensorDescriptor_t cxDesc, const void *cx, const
            cudnnTensorDescriptor_t *dxDesc, void *dx, const cudnnTensorDescriptor_t dhxDesc,
            void *dhx, const cudnnTensorDescriptor_t dcxDesc, void *dcx, void *workSpace, size_t
            workSpaceSizeInBytes, void *reserveSpace, size_t reserveSpaceSizeInBytes)
    """
    if _watching.watcher is not None:
        _watching.watcher(
            "cudnnRNNBackwardData",
            (
                handle,
                rnnDesc,
                seqLength,
                yDesc,
                y,
                dyDesc,
                dy,
                dhyDesc,
                dhy,
                dcyDesc,
                dcy,
                wDesc,
                w,
                hxDesc,
                hx,
                cxDesc,
                cx,
                dxDesc,
                dx,
                dhxDesc,
                dhx,
                dcxDesc,
                dcx,
                workSpace,
                workSpaceSizeInBytes,
                reserveSpace,
                reserveSpaceSizeInBytes,
            ),
        )
    if (
        _type(handle),
        _type(rnnDesc),
        _type(seqLength),
        _type(dhyDesc),
        _type(dcyDesc),
        _type(wDesc),
        _type(hxDesc),
        _type(cxDesc),
        _type(dhxDesc),
        _type(dcxDesc),
        _type(workSpaceSizeInBytes),
        _type(reserveSpaceSizeInBytes),
    ) not in _plain_cudnnRNNBackwardData:
        return _slow(
            cudnnRNNBackwardData,
            "cudnnRNNBackwardData",
            (
                handle,
                rnnDesc,
                seqLength,
                yDesc,
                y,
                dyDesc,
                dy,
                dhyDesc,
                dhy,
                dcyDesc,
                dcy,
                wDesc,
                w,
                hxDesc,
                hx,
                cxDesc,
                cx,
                dxDesc,
                dx,
                dhxDesc,
                dhx,
                dcxDesc,
                dcx,
                workSpace,
                workSpaceSizeInBytes,
                reserveSpace,
                reserveSpaceSizeInBytes,
            ),
        )
    try:
        _in_y = y if _type(y) is int else _device(y)
        _in_dy = dy if _type(dy) is int else _device(dy)
        _in_dhy = dhy if _type(dhy) is int else _device(dhy)
        _in_dcy = dcy if _type(dcy) is int else _device(dcy)
        _in_w = w if _type(w) is int else _device(w)
        _in_hx = hx if _type(hx) is int else _device(hx)
        _in_cx = cx if _type(cx) is int else _device(cx)
        _in_dx = dx if _type(dx) is int else _device(dx)
        _in_dhx = dhx if _type(dhx) is int else _device(dhx)
        _in_dcx = dcx if _type(dcx) is int else _device(dcx)
        _in_workSpace = workSpace if _type(workSpace) is int else _device(workSpace)
        _in_reserveSpace = reserveSpace if _type(reserveSpace) is int else _device(reserveSpace)
        _in_yDesc = _objects(yDesc, "cudnnTensorDescriptor_t", seqLength, "yDesc")
        _in_dyDesc = _objects(dyDesc, "cudnnTensorDescriptor_t", seqLength, "dyDesc")
        _in_dxDesc = _objects(dxDesc, "cudnnTensorDescriptor_t", seqLength, "dxDesc")
        _status = _cudnnRNNBackwardData(
            handle if _type(handle) is int else handle._cudnnHandle_t,
            rnnDesc if _type(rnnDesc) is int else rnnDesc._cudnnRNNDescriptor_t,
            seqLength,
            _in_yDesc,
            _in_y,
            _in_dyDesc,
            _in_dy,
            0
            if dhyDesc is None
            else dhyDesc
            if _type(dhyDesc) is int
            else dhyDesc._cudnnTensorDescriptor_t,
            _in_dhy,
            0
            if dcyDesc is None
            else dcyDesc
            if _type(dcyDesc) is int
            else dcyDesc._cudnnTensorDescriptor_t,
            _in_dcy,
            wDesc if _type(wDesc) is int else wDesc._cudnnFilterDescriptor_t,
            _in_w,
            0
            if hxDesc is None
            else hxDesc
            if _type(hxDesc) is int
            else hxDesc._cudnnTensorDescriptor_t,
            _in_hx,
            0
            if cxDesc is None
            else cxDesc
            if _type(cxDesc) is int
            else cxDesc._cudnnTensorDescriptor_t,
            _in_cx,
            _in_dxDesc,
            _in_dx,
            0
            if dhxDesc is None
            else dhxDesc
            if _type(dhxDesc) is int
            else dhxDesc._cudnnTensorDescriptor_t,
            _in_dhx,
            0
            if dcxDesc is None
            else dcxDesc
            if _type(dcxDesc) is int
            else dcxDesc._cudnnTensorDescriptor_t,
            _in_dcx,
            _in_workSpace,
            workSpaceSizeInBytes,
            _in_reserveSpace,
            reserveSpaceSizeInBytes,
        )
    except _CONVERT as _error:
        return _slow(
            cudnnRNNBackwardData,
            "cudnnRNNBackwardData",
            (
                handle,
                rnnDesc,
                seqLength,
                yDesc,
                y,
                dyDesc,
                dy,
                dhyDesc,
                dhy,
                dcyDesc,
                dcy,
                wDesc,
                w,
                hxDesc,
                hx,
                cxDesc,
                cx,
                dxDesc,
                dx,
                dhxDesc,
                dhx,
                dcxDesc,
                dcx,
                workSpace,
                workSpaceSizeInBytes,
                reserveSpace,
                reserveSpaceSizeInBytes,
            ),
            _error,
        )
    if _status:
        return _failed(
            cudnnRNNBackwardData,
            "cudnnRNNBackwardData",
            _status,
            (
                handle,
                rnnDesc,
                seqLength,
                yDesc,
                y,
                dyDesc,
                dy,
                dhyDesc,
                dhy,
                dcyDesc,
                dcy,
                wDesc,
                w,
                hxDesc,
                hx,
                cxDesc,
                cx,
                dxDesc,
                dx,
                dhxDesc,
                dhx,
                dcxDesc,
                dcx,
                workSpace,
                workSpaceSizeInBytes,
                reserveSpace,
                reserveSpaceSizeInBytes,
            ),
        )
    return None


_cudnnRNNBackwardDataEx = _quick(
    "cudnnRNNBackwardDataEx",
    "",
    (
        "_cudnnHandle_t",
        "_cudnnRNNDescriptor_t",
        "_cudnnRNNDataDescriptor_t",
        _getters,
        "_cudnnRNNDataDescriptor_t",
        _getters,
        "_cudnnRNNDataDescriptor_t",
        _getters,
        "_cudnnTensorDescriptor_t",
        _getters,
        "_cudnnTensorDescriptor_t",
        _getters,
        "_cudnnFilterDescriptor_t",
        _getters,
        "_cudnnTensorDescriptor_t",
        _getters,
        "_cudnnTensorDescriptor_t",
        _getters,
        "_cudnnRNNDataDescriptor_t",
        _getters,
        "_cudnnTensorDescriptor_t",
        _getters,
        "_cudnnTensorDescriptor_t",
        _getters,
        "_cudnnRNNDataDescriptor_t",
        _getters,
        _getters,
        None,
        _getters,
        None,
    ),
    (None,),
)


@_instead(_cudnnRNNBackwardDataEx)
def cudnnRNNBackwardDataEx(
    handle: Handle | int,
    rnnDesc: RNNDescriptor | int,
    yDesc: RNNDataDescriptor | int,
    y: DevicePointer,
    dyDesc: RNNDataDescriptor | int,
    dy: DevicePointer,
    dcDesc: RNNDataDescriptor | int | None,
    dcAttn: DevicePointer,
    dhyDesc: TensorDescriptor | int | None,
    dhy: DevicePointer,
    dcyDesc: TensorDescriptor | int | None,
    dcy: DevicePointer,
    wDesc: FilterDescriptor | int,
    w: DevicePointer,
    hxDesc: TensorDescriptor | int | None,
    hx: DevicePointer,
    cxDesc: TensorDescriptor | int | None,
    cx: DevicePointer,
    dxDesc: RNNDataDescriptor | int,
    dx: DevicePointer,
    dhxDesc: TensorDescriptor | int | None,
    dhx: DevicePointer,
    dcxDesc: TensorDescriptor | int | None,
    dcx: DevicePointer,
    dkDesc: RNNDataDescriptor | int | None,
    dkeys: DevicePointer,
    workSpace: DevicePointer,
    workSpaceSizeInBytes: int,
    reserveSpace: DevicePointer,
    reserveSpaceSizeInBytes: int,
) -> None:
    """Compute `dx`, `dhx`, `dcx` and `dkeys`.

    Formula: dx, dhx, dcx: the gradients of `cudnnRNNForwardTrainingEx` for x, hx and cx, of dy,
        dhy and dcy

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        rnnDesc: const cudnnRNNDescriptor_t, an `RNNDescriptor` or its address.
        yDesc: const cudnnRNNDataDescriptor_t, an `RNNDataDescriptor` or its address.
        y: const void*, device memory, read.
        dyDesc: const cudnnRNNDataDescriptor_t, an `RNNDataDescriptor` or its address.
        dy: const void*, device memory, read.
        dcDesc: const cudnnRNNDataDescriptor_t, an `RNNDataDescriptor` or its address, or None.
        dcAttn: const void*, device memory, read.
        dhyDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, or None.
        dhy: const void*, device memory, laid out as `dhyDesc` says, read; the gradient of the
            last state; None for zeros.
        dcyDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, or None.
        dcy: const void*, device memory, laid out as `dcyDesc` says, read; the gradient of the
            last state; None for zeros.
        wDesc: const cudnnFilterDescriptor_t, a `FilterDescriptor` or its address.
        w: const void*, device memory, laid out as `wDesc` says, read; all weights and biases;
            `cudnnGetRNNLinLayerMatrixParams` tells where each is.
        hxDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, or None.
        hx: const void*, device memory, laid out as `hxDesc` says, read; the state before the
            first step; None for zeros.
        cxDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, or None.
        cx: const void*, device memory, laid out as `cxDesc` says, read; the state before the
            first step; None for zeros.
        dxDesc: const cudnnRNNDataDescriptor_t, an `RNNDataDescriptor` or its address.
        dx: void*, device memory, written.
        dhxDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, or None.
        dhx: void*, device memory, laid out as `dhxDesc` says, written; the gradient for the
            first state; None not to get it.
        dcxDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, or None.
        dcx: void*, device memory, laid out as `dcxDesc` says, written; the gradient for the
            first state; None not to get it.
        dkDesc: const cudnnRNNDataDescriptor_t, an `RNNDataDescriptor` or its address, or None.
        dkeys: void*, device memory, written.
        workSpace: void*, device memory for scratch space, at least `workSpaceSizeInBytes`
            bytes, or None; the caller allocates it, of the size that `cudnnGetRNNWorkspaceSize`
            tells, and may use it for later work on the stream.
        workSpaceSizeInBytes: size_t, how many bytes `workSpace` has.
        reserveSpace: void*, device memory that the backward calls need again, at least
            `reserveSpaceSizeInBytes` bytes, read and written, or None; as
            `cudnnRNNForwardTrainingEx` left it, changed for `cudnnRNNBackwardWeightsEx`.
        reserveSpaceSizeInBytes: size_t, how many bytes `reserveSpace` has.

    Returns:
        None; the function writes `dx`, `dhx`, `dcx` and `dkeys`, in place.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier, removed in 9.0.0; deprecated since 8.5.0; use
    `cudnnRNNBackwardData_v8`.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/archives/cudnn-897/api/index.html#cudnnRNNBackwardDataEx

    C, cudnn_adv_train.h::

        cudnnStatus_t cudnnRNNBackwardDataEx(cudnnHandle_t handle, const cudnnRNNDescriptor_t
            rnnDesc, const cudnnRNNDataDescriptor_t yDesc, const void *y, const
            cudnnRNNDataDescriptor_t dyDesc, const void *dy, const cudnnRNNDataDescriptor_t
            dcDesc, const void *dcAttn, const cudnnTensorDescriptor_t dhyDesc, const void *dhy,
            const cudnnTensorDescriptor_t dcyDesc, const void *dcy, const
            cudnnFilterDescriptor_t wDesc, const void *w, const cudnnTensorDescriptor_t hxDesc,
            const void *hx, const cudnnTensorDescriptor_t cxDesc, const void *cx, const
            cudnnRNNDataDescriptor_t dxDesc, void *dx, const cudnnTensorDescriptor_t dhxDesc,
            void *dhx, const cudnnTensorDescriptor_t dcxDesc, void *dcx, const
            cudnnRNNDataDescriptor_t dkDesc, void *dkeys, void *workSpace, size_t
            workSpaceSizeInBytes, void *reserveSpace, size_t reserveSpaceSizeInBytes)
    """
    return _cudnnRNNBackwardDataEx(
        handle,
        rnnDesc,
        yDesc,
        y,
        dyDesc,
        dy,
        dcDesc,
        dcAttn,
        dhyDesc,
        dhy,
        dcyDesc,
        dcy,
        wDesc,
        w,
        hxDesc,
        hx,
        cxDesc,
        cx,
        dxDesc,
        dx,
        dhxDesc,
        dhx,
        dcxDesc,
        dcx,
        dkDesc,
        dkeys,
        workSpace,
        workSpaceSizeInBytes,
        reserveSpace,
        reserveSpaceSizeInBytes,
    )


def cudnnRNNBackwardWeights(
    handle: Handle | int,
    rnnDesc: RNNDescriptor | int,
    seqLength: int,
    xDesc: Sequence[int] | HostPointer,
    x: DevicePointer,
    hxDesc: TensorDescriptor | int | None,
    hx: DevicePointer,
    yDesc: Sequence[int] | HostPointer,
    y: DevicePointer,
    workSpace: DevicePointer,
    workSpaceSizeInBytes: int,
    dwDesc: FilterDescriptor | int,
    dw: DevicePointer,
    reserveSpace: DevicePointer,
    reserveSpaceSizeInBytes: int,
) -> None:
    """Compute `dw` from `x`, `hx` and `y`.

    Formula: dw = dw + the gradient of `cudnnRNNForwardTraining` for the weights

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        rnnDesc: const cudnnRNNDescriptor_t, an `RNNDescriptor` or its address.
        seqLength: const int, how many elements `xDesc` and `yDesc` have; the number of time
            steps.
        xDesc: const cudnnTensorDescriptor_t*, a sequence of numbers, at least `seqLength`
            elements.
        x: const void*, device memory, read.
        hxDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, or None.
        hx: const void*, device memory, laid out as `hxDesc` says, read; the state before the
            first step; None for zeros.
        yDesc: const cudnnTensorDescriptor_t*, a sequence of numbers, at least `seqLength`
            elements.
        y: const void*, device memory, read.
        workSpace: const void*, device memory for scratch space, at least `workSpaceSizeInBytes`
            bytes, or None; the caller allocates it, of the size that `cudnnGetRNNWorkspaceSize`
            tells, and may use it for later work on the stream.
        workSpaceSizeInBytes: size_t, how many bytes `workSpace` has.
        dwDesc: const cudnnFilterDescriptor_t, a `FilterDescriptor` or its address.
        dw: void*, device memory, laid out as `dwDesc` says, written; all weights and biases;
            `cudnnGetRNNLinLayerMatrixParams` tells where each is.
        reserveSpace: const void*, device memory that the backward calls need again, at least
            `reserveSpaceSizeInBytes` bytes, read, or None; as `cudnnRNNBackwardData` left it.
        reserveSpaceSizeInBytes: size_t, how many bytes `reserveSpace` has.

    Returns:
        None; the function writes `dw`, in place.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier, removed in 9.0.0; deprecated since 8.5.0; use
    `cudnnRNNBackwardWeights_v8`.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/archives/cudnn-897/api/index.html#cudnnRNNBackwardWeights

    C, cudnn_adv_train.h::

        cudnnStatus_t cudnnRNNBackwardWeights(cudnnHandle_t handle, const cudnnRNNDescriptor_t
            rnnDesc, const int seqLength, const cudnnTensorDescriptor_t *xDesc, const void *x,
            const cudnnTensorDescriptor_t hxDesc, const void *hx, const cudnnTensorDescriptor_t
            *yDesc, const void *y, const void *workSpace, size_t workSpaceSizeInBytes, const
            cudnnFilterDescriptor_t dwDesc, void *dw, const void *reserveSpace, size_t
            reserveSpaceSizeInBytes)
    """
    if _watching.watcher is not None:
        _watching.watcher(
            "cudnnRNNBackwardWeights",
            (
                handle,
                rnnDesc,
                seqLength,
                xDesc,
                x,
                hxDesc,
                hx,
                yDesc,
                y,
                workSpace,
                workSpaceSizeInBytes,
                dwDesc,
                dw,
                reserveSpace,
                reserveSpaceSizeInBytes,
            ),
        )
    if (
        _type(handle),
        _type(rnnDesc),
        _type(seqLength),
        _type(hxDesc),
        _type(workSpaceSizeInBytes),
        _type(dwDesc),
        _type(reserveSpaceSizeInBytes),
    ) not in _plain_cudnnRNNBackwardWeights:
        return _slow(
            cudnnRNNBackwardWeights,
            "cudnnRNNBackwardWeights",
            (
                handle,
                rnnDesc,
                seqLength,
                xDesc,
                x,
                hxDesc,
                hx,
                yDesc,
                y,
                workSpace,
                workSpaceSizeInBytes,
                dwDesc,
                dw,
                reserveSpace,
                reserveSpaceSizeInBytes,
            ),
        )
    try:
        _in_x = x if _type(x) is int else _device(x)
        _in_hx = hx if _type(hx) is int else _device(hx)
        _in_y = y if _type(y) is int else _device(y)
        _in_workSpace = workSpace if _type(workSpace) is int else _device(workSpace)
        _in_dw = dw if _type(dw) is int else _device(dw)
        _in_reserveSpace = reserveSpace if _type(reserveSpace) is int else _device(reserveSpace)
        _in_xDesc = _objects(xDesc, "cudnnTensorDescriptor_t", seqLength, "xDesc")
        _in_yDesc = _objects(yDesc, "cudnnTensorDescriptor_t", seqLength, "yDesc")
        _status = _cudnnRNNBackwardWeights(
            handle if _type(handle) is int else handle._cudnnHandle_t,
            rnnDesc if _type(rnnDesc) is int else rnnDesc._cudnnRNNDescriptor_t,
            seqLength,
            _in_xDesc,
            _in_x,
            0
            if hxDesc is None
            else hxDesc
            if _type(hxDesc) is int
            else hxDesc._cudnnTensorDescriptor_t,
            _in_hx,
            _in_yDesc,
            _in_y,
            _in_workSpace,
            workSpaceSizeInBytes,
            dwDesc if _type(dwDesc) is int else dwDesc._cudnnFilterDescriptor_t,
            _in_dw,
            _in_reserveSpace,
            reserveSpaceSizeInBytes,
        )
    except _CONVERT as _error:
        return _slow(
            cudnnRNNBackwardWeights,
            "cudnnRNNBackwardWeights",
            (
                handle,
                rnnDesc,
                seqLength,
                xDesc,
                x,
                hxDesc,
                hx,
                yDesc,
                y,
                workSpace,
                workSpaceSizeInBytes,
                dwDesc,
                dw,
                reserveSpace,
                reserveSpaceSizeInBytes,
            ),
            _error,
        )
    if _status:
        return _failed(
            cudnnRNNBackwardWeights,
            "cudnnRNNBackwardWeights",
            _status,
            (
                handle,
                rnnDesc,
                seqLength,
                xDesc,
                x,
                hxDesc,
                hx,
                yDesc,
                y,
                workSpace,
                workSpaceSizeInBytes,
                dwDesc,
                dw,
                reserveSpace,
                reserveSpaceSizeInBytes,
            ),
        )
    return None


_cudnnRNNBackwardWeightsEx = _quick(
    "cudnnRNNBackwardWeightsEx",
    "",
    (
        "_cudnnHandle_t",
        "_cudnnRNNDescriptor_t",
        "_cudnnRNNDataDescriptor_t",
        _getters,
        "_cudnnTensorDescriptor_t",
        _getters,
        "_cudnnRNNDataDescriptor_t",
        _getters,
        _getters,
        None,
        "_cudnnFilterDescriptor_t",
        _getters,
        _getters,
        None,
    ),
    (None,),
)


@_instead(_cudnnRNNBackwardWeightsEx)
def cudnnRNNBackwardWeightsEx(
    handle: Handle | int,
    rnnDesc: RNNDescriptor | int,
    xDesc: RNNDataDescriptor | int,
    x: DevicePointer,
    hxDesc: TensorDescriptor | int | None,
    hx: DevicePointer,
    yDesc: RNNDataDescriptor | int,
    y: DevicePointer,
    workSpace: DevicePointer,
    workSpaceSizeInBytes: int,
    dwDesc: FilterDescriptor | int,
    dw: DevicePointer,
    reserveSpace: DevicePointer,
    reserveSpaceSizeInBytes: int,
) -> None:
    """Compute `dw` from `x`, `hx` and `y`.

    Formula: dw = dw + the gradient of `cudnnRNNForwardTrainingEx` for the weights

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        rnnDesc: const cudnnRNNDescriptor_t, an `RNNDescriptor` or its address.
        xDesc: const cudnnRNNDataDescriptor_t, an `RNNDataDescriptor` or its address.
        x: const void*, device memory, read.
        hxDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, or None.
        hx: const void*, device memory, laid out as `hxDesc` says, read; the state before the
            first step; None for zeros.
        yDesc: const cudnnRNNDataDescriptor_t, an `RNNDataDescriptor` or its address.
        y: const void*, device memory, read.
        workSpace: void*, device memory for scratch space, at least `workSpaceSizeInBytes`
            bytes, or None; the caller allocates it, of the size that `cudnnGetRNNWorkspaceSize`
            tells, and may use it for later work on the stream.
        workSpaceSizeInBytes: size_t, how many bytes `workSpace` has.
        dwDesc: const cudnnFilterDescriptor_t, a `FilterDescriptor` or its address.
        dw: void*, device memory, laid out as `dwDesc` says, written; all weights and biases;
            `cudnnGetRNNLinLayerMatrixParams` tells where each is.
        reserveSpace: void*, device memory that the backward calls need again, at least
            `reserveSpaceSizeInBytes` bytes, read and written, or None; as
            `cudnnRNNBackwardDataEx` left it.
        reserveSpaceSizeInBytes: size_t, how many bytes `reserveSpace` has.

    Returns:
        None; the function writes `dw`, in place.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier, removed in 9.0.0; deprecated since 8.5.0; use
    `cudnnRNNBackwardWeights_v8`.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/archives/cudnn-897/api/index.html#cudnnRNNBackwardWeightsEx

    C, cudnn_adv_train.h::

        cudnnStatus_t cudnnRNNBackwardWeightsEx(cudnnHandle_t handle, const cudnnRNNDescriptor_t
            rnnDesc, const cudnnRNNDataDescriptor_t xDesc, const void *x, const
            cudnnTensorDescriptor_t hxDesc, const void *hx, const cudnnRNNDataDescriptor_t
            yDesc, const void *y, void *workSpace, size_t workSpaceSizeInBytes, const
            cudnnFilterDescriptor_t dwDesc, void *dw, void *reserveSpace, size_t
            reserveSpaceSizeInBytes)
    """
    return _cudnnRNNBackwardWeightsEx(
        handle,
        rnnDesc,
        xDesc,
        x,
        hxDesc,
        hx,
        yDesc,
        y,
        workSpace,
        workSpaceSizeInBytes,
        dwDesc,
        dw,
        reserveSpace,
        reserveSpaceSizeInBytes,
    )


def cudnnRNNForwardTraining(
    handle: Handle | int,
    rnnDesc: RNNDescriptor | int,
    seqLength: int,
    xDesc: Sequence[int] | HostPointer,
    x: DevicePointer,
    hxDesc: TensorDescriptor | int | None,
    hx: DevicePointer,
    cxDesc: TensorDescriptor | int | None,
    cx: DevicePointer,
    wDesc: FilterDescriptor | int,
    w: DevicePointer,
    yDesc: Sequence[int] | HostPointer,
    y: DevicePointer,
    hyDesc: TensorDescriptor | int | None,
    hy: DevicePointer,
    cyDesc: TensorDescriptor | int | None,
    cy: DevicePointer,
    workSpace: DevicePointer,
    workSpaceSizeInBytes: int,
    reserveSpace: DevicePointer,
    reserveSpaceSizeInBytes: int,
) -> None:
    """Compute `y`, `hy` and `cy` from `x`, `hx`, `cx` and `w`.

    Formula: y[t], state[t] = cell(x[t], state[t - 1]), layer by layer, with the cell of
        rnnDesc; hy and cy: the last states

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        rnnDesc: const cudnnRNNDescriptor_t, an `RNNDescriptor` or its address.
        seqLength: const int, how many elements `xDesc` and `yDesc` have; the number of time
            steps.
        xDesc: const cudnnTensorDescriptor_t*, a sequence of numbers, at least `seqLength`
            elements.
        x: const void*, device memory, read.
        hxDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, or None.
        hx: const void*, device memory, laid out as `hxDesc` says, read; the state before the
            first step; None for zeros.
        cxDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, or None.
        cx: const void*, device memory, laid out as `cxDesc` says, read; the state before the
            first step; None for zeros.
        wDesc: const cudnnFilterDescriptor_t, a `FilterDescriptor` or its address.
        w: const void*, device memory, laid out as `wDesc` says, read; all weights and biases;
            `cudnnGetRNNLinLayerMatrixParams` tells where each is.
        yDesc: const cudnnTensorDescriptor_t*, a sequence of numbers, at least `seqLength`
            elements.
        y: void*, device memory, written.
        hyDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, or None.
        hy: void*, device memory, laid out as `hyDesc` says, written; the state after the last
            step; None not to get it.
        cyDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, or None.
        cy: void*, device memory, laid out as `cyDesc` says, written; the state after the last
            step; None not to get it.
        workSpace: void*, device memory for scratch space, at least `workSpaceSizeInBytes`
            bytes, or None; the caller allocates it, of the size that `cudnnGetRNNWorkspaceSize`
            tells, and may use it for later work on the stream.
        workSpaceSizeInBytes: size_t, how many bytes `workSpace` has.
        reserveSpace: void*, device memory that the backward calls need again, at least
            `reserveSpaceSizeInBytes` bytes, written, or None; the caller allocates it, of the
            size that `cudnnGetRNNTrainingReserveSize` tells, and keeps it unchanged for
            `cudnnRNNBackwardData`.
        reserveSpaceSizeInBytes: size_t, how many bytes `reserveSpace` has.

    Returns:
        None; the function writes `y`, `hy` and `cy`, in place.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier, removed in 9.0.0; deprecated since 8.5.0; use `cudnnRNNForward`.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/archives/cudnn-897/api/index.html#cudnnRNNForwardTraining

    C, cudnn_adv_train.h::

        cudnnStatus_t cudnnRNNForwardTraining(cudnnHandle_t handle, const cudnnRNNDescriptor_t
            rnnDesc, const int seqLength, const cudnnTensorDescriptor_t *xDesc, const void *x,
            const cudnnTensorDescriptor_t hxDesc, const void *hx, const cudnnTensorDescriptor_t
            cxDesc, const void *cx, const cudnnFilterDescriptor_t wDesc, const void *w, const
            cudnnTensorDescriptor_t *yDesc, void *y, const cudnnTensorDescriptor_t hyDesc, void
            *hy, const cudnnTensorDescriptor_t cyDesc, void *cy, void *workSpace, size_t
            workSpaceSizeInBytes, void *reserveSpace, size_t reserveSpaceSizeInBytes)
    """
    if _watching.watcher is not None:
        _watching.watcher(
            "cudnnRNNForwardTraining",
            (
                handle,
                rnnDesc,
                seqLength,
                xDesc,
                x,
                hxDesc,
                hx,
                cxDesc,
                cx,
                wDesc,
                w,
                yDesc,
                y,
                hyDesc,
                hy,
                cyDesc,
                cy,
                workSpace,
                workSpaceSizeInBytes,
                reserveSpace,
                reserveSpaceSizeInBytes,
            ),
        )
    if (
        _type(handle),
        _type(rnnDesc),
        _type(seqLength),
        _type(hxDesc),
        _type(cxDesc),
        _type(wDesc),
        _type(hyDesc),
        _type(cyDesc),
        _type(workSpaceSizeInBytes),
        _type(reserveSpaceSizeInBytes),
    ) not in _plain_cudnnRNNForwardTraining:
        return _slow(
            cudnnRNNForwardTraining,
            "cudnnRNNForwardTraining",
            (
                handle,
                rnnDesc,
                seqLength,
                xDesc,
                x,
                hxDesc,
                hx,
                cxDesc,
                cx,
                wDesc,
                w,
                yDesc,
                y,
                hyDesc,
                hy,
                cyDesc,
                cy,
                workSpace,
                workSpaceSizeInBytes,
                reserveSpace,
                reserveSpaceSizeInBytes,
            ),
        )
    try:
        _in_x = x if _type(x) is int else _device(x)
        _in_hx = hx if _type(hx) is int else _device(hx)
        _in_cx = cx if _type(cx) is int else _device(cx)
        _in_w = w if _type(w) is int else _device(w)
        _in_y = y if _type(y) is int else _device(y)
        _in_hy = hy if _type(hy) is int else _device(hy)
        _in_cy = cy if _type(cy) is int else _device(cy)
        _in_workSpace = workSpace if _type(workSpace) is int else _device(workSpace)
        _in_reserveSpace = reserveSpace if _type(reserveSpace) is int else _device(reserveSpace)
        _in_xDesc = _objects(xDesc, "cudnnTensorDescriptor_t", seqLength, "xDesc")
        _in_yDesc = _objects(yDesc, "cudnnTensorDescriptor_t", seqLength, "yDesc")
        _status = _cudnnRNNForwardTraining(
            handle if _type(handle) is int else handle._cudnnHandle_t,
            rnnDesc if _type(rnnDesc) is int else rnnDesc._cudnnRNNDescriptor_t,
            seqLength,
            _in_xDesc,
            _in_x,
            0
            if hxDesc is None
            else hxDesc
            if _type(hxDesc) is int
            else hxDesc._cudnnTensorDescriptor_t,
            _in_hx,
            0
            if cxDesc is None
            else cxDesc
            if _type(cxDesc) is int
            else cxDesc._cudnnTensorDescriptor_t,
            _in_cx,
            wDesc if _type(wDesc) is int else wDesc._cudnnFilterDescriptor_t,
            _in_w,
            _in_yDesc,
            _in_y,
            0
            if hyDesc is None
            else hyDesc
            if _type(hyDesc) is int
            else hyDesc._cudnnTensorDescriptor_t,
            _in_hy,
            0
            if cyDesc is None
            else cyDesc
            if _type(cyDesc) is int
            else cyDesc._cudnnTensorDescriptor_t,
            _in_cy,
            _in_workSpace,
            workSpaceSizeInBytes,
            _in_reserveSpace,
            reserveSpaceSizeInBytes,
        )
    except _CONVERT as _error:
        return _slow(
            cudnnRNNForwardTraining,
            "cudnnRNNForwardTraining",
            (
                handle,
                rnnDesc,
                seqLength,
                xDesc,
                x,
                hxDesc,
                hx,
                cxDesc,
                cx,
                wDesc,
                w,
                yDesc,
                y,
                hyDesc,
                hy,
                cyDesc,
                cy,
                workSpace,
                workSpaceSizeInBytes,
                reserveSpace,
                reserveSpaceSizeInBytes,
            ),
            _error,
        )
    if _status:
        return _failed(
            cudnnRNNForwardTraining,
            "cudnnRNNForwardTraining",
            _status,
            (
                handle,
                rnnDesc,
                seqLength,
                xDesc,
                x,
                hxDesc,
                hx,
                cxDesc,
                cx,
                wDesc,
                w,
                yDesc,
                y,
                hyDesc,
                hy,
                cyDesc,
                cy,
                workSpace,
                workSpaceSizeInBytes,
                reserveSpace,
                reserveSpaceSizeInBytes,
            ),
        )
    return None


_cudnnRNNForwardTrainingEx = _quick(
    "cudnnRNNForwardTrainingEx",
    "",
    (
        "_cudnnHandle_t",
        "_cudnnRNNDescriptor_t",
        "_cudnnRNNDataDescriptor_t",
        _getters,
        "_cudnnTensorDescriptor_t",
        _getters,
        "_cudnnTensorDescriptor_t",
        _getters,
        "_cudnnFilterDescriptor_t",
        _getters,
        "_cudnnRNNDataDescriptor_t",
        _getters,
        "_cudnnTensorDescriptor_t",
        _getters,
        "_cudnnTensorDescriptor_t",
        _getters,
        "_cudnnRNNDataDescriptor_t",
        _getters,
        "_cudnnRNNDataDescriptor_t",
        _getters,
        "_cudnnRNNDataDescriptor_t",
        _getters,
        "_cudnnRNNDataDescriptor_t",
        _getters,
        _getters,
        None,
        _getters,
        None,
    ),
    (None,),
)


@_instead(_cudnnRNNForwardTrainingEx)
def cudnnRNNForwardTrainingEx(
    handle: Handle | int,
    rnnDesc: RNNDescriptor | int,
    xDesc: RNNDataDescriptor | int,
    x: DevicePointer,
    hxDesc: TensorDescriptor | int | None,
    hx: DevicePointer,
    cxDesc: TensorDescriptor | int | None,
    cx: DevicePointer,
    wDesc: FilterDescriptor | int,
    w: DevicePointer,
    yDesc: RNNDataDescriptor | int,
    y: DevicePointer,
    hyDesc: TensorDescriptor | int | None,
    hy: DevicePointer,
    cyDesc: TensorDescriptor | int | None,
    cy: DevicePointer,
    kDesc: RNNDataDescriptor | int | None,
    keys: DevicePointer,
    cDesc: RNNDataDescriptor | int | None,
    cAttn: DevicePointer,
    iDesc: RNNDataDescriptor | int | None,
    iAttn: DevicePointer,
    qDesc: RNNDataDescriptor | int | None,
    queries: DevicePointer,
    workSpace: DevicePointer,
    workSpaceSizeInBytes: int,
    reserveSpace: DevicePointer,
    reserveSpaceSizeInBytes: int,
) -> None:
    """Compute `y`, `hy`, `cy`, `cAttn`, `iAttn` and `queries`.

    Formula: y[t], state[t] = cell(x[t], state[t - 1]), layer by layer, with the cell of
        rnnDesc; hy and cy: the last states

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        rnnDesc: const cudnnRNNDescriptor_t, an `RNNDescriptor` or its address.
        xDesc: const cudnnRNNDataDescriptor_t, an `RNNDataDescriptor` or its address.
        x: const void*, device memory, read.
        hxDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, or None.
        hx: const void*, device memory, laid out as `hxDesc` says, read; the state before the
            first step; None for zeros.
        cxDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, or None.
        cx: const void*, device memory, laid out as `cxDesc` says, read; the state before the
            first step; None for zeros.
        wDesc: const cudnnFilterDescriptor_t, a `FilterDescriptor` or its address.
        w: const void*, device memory, laid out as `wDesc` says, read; all weights and biases;
            `cudnnGetRNNLinLayerMatrixParams` tells where each is.
        yDesc: const cudnnRNNDataDescriptor_t, an `RNNDataDescriptor` or its address.
        y: void*, device memory, written.
        hyDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, or None.
        hy: void*, device memory, laid out as `hyDesc` says, written; the state after the last
            step; None not to get it.
        cyDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, or None.
        cy: void*, device memory, laid out as `cyDesc` says, written; the state after the last
            step; None not to get it.
        kDesc: const cudnnRNNDataDescriptor_t, an `RNNDataDescriptor` or its address, or None.
        keys: const void*, device memory, read.
        cDesc: const cudnnRNNDataDescriptor_t, an `RNNDataDescriptor` or its address, or None.
        cAttn: void*, device memory, written.
        iDesc: const cudnnRNNDataDescriptor_t, an `RNNDataDescriptor` or its address, or None.
        iAttn: void*, device memory, written.
        qDesc: const cudnnRNNDataDescriptor_t, an `RNNDataDescriptor` or its address, or None.
        queries: void*, device memory, written.
        workSpace: void*, device memory for scratch space, at least `workSpaceSizeInBytes`
            bytes, or None; the caller allocates it, of the size that `cudnnGetRNNWorkspaceSize`
            tells, and may use it for later work on the stream.
        workSpaceSizeInBytes: size_t, how many bytes `workSpace` has.
        reserveSpace: void*, device memory that the backward calls need again, at least
            `reserveSpaceSizeInBytes` bytes, written, or None; the caller allocates it, of the
            size that `cudnnGetRNNTrainingReserveSize` tells, and keeps it unchanged for
            `cudnnRNNBackwardDataEx`.
        reserveSpaceSizeInBytes: size_t, how many bytes `reserveSpace` has.

    Returns:
        None; the function writes `y`, `hy`, `cy`, `cAttn`, `iAttn` and `queries`, in place.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier, removed in 9.0.0; deprecated since 8.5.0; use `cudnnRNNForward`.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/archives/cudnn-897/api/index.html#cudnnRNNForwardTrainingEx

    C, cudnn_adv_train.h::

        cudnnStatus_t cudnnRNNForwardTrainingEx(cudnnHandle_t handle, const cudnnRNNDescriptor_t
            rnnDesc, const cudnnRNNDataDescriptor_t xDesc, const void *x, const
            cudnnTensorDescriptor_t hxDesc, const void *hx, const cudnnTensorDescriptor_t
            cxDesc, const void *cx, const cudnnFilterDescriptor_t wDesc, const void *w, const
            cudnnRNNDataDescriptor_t yDesc, void *y, const cudnnTensorDescriptor_t hyDesc, void
            *hy, const cudnnTensorDescriptor_t cyDesc, void *cy, const cudnnRNNDataDescriptor_t
            kDesc, const void *keys, const cudnnRNNDataDescriptor_t cDesc, void *cAttn, const
            cudnnRNNDataDescriptor_t iDesc, void *iAttn, const cudnnRNNDataDescriptor_t qDesc,
            void *queries, void *workSpace, size_t workSpaceSizeInBytes, void *reserveSpace,
            size_t reserveSpaceSizeInBytes)
    """
    return _cudnnRNNForwardTrainingEx(
        handle,
        rnnDesc,
        xDesc,
        x,
        hxDesc,
        hx,
        cxDesc,
        cx,
        wDesc,
        w,
        yDesc,
        y,
        hyDesc,
        hy,
        cyDesc,
        cy,
        kDesc,
        keys,
        cDesc,
        cAttn,
        iDesc,
        iAttn,
        qDesc,
        queries,
        workSpace,
        workSpaceSizeInBytes,
        reserveSpace,
        reserveSpaceSizeInBytes,
    )
