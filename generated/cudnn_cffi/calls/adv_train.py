# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:6e6ca49628f8a3c832dcda70d30fb977
"""Functions of cudnn_adv_train.h, called under their C names without their out-parameters.

They raise what `cudnn_cffi.errors` defines. Pointers are ints or the objects that hold them;
see `cudnn_cffi.types` for what is taken where.
"""

# The signatures are for type checkers, what is inside is not.
# mypy: ignore-errors

from __future__ import annotations

from .. import _call
from .._call import instead as _instead, quick as _quick
from .._call import (
    CONVERT as _CONVERT,
    failed as _failed,
    lend as _lend,
    lib as _lib,
    slow as _slow,
)
from .._call import (
    _getters,
    _objects,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, NamedTuple

    from ..types import Callback, DevicePointer, HostPointer, ScalingFactor, Stream
    from ..families import FilterDescriptor, Handle, RNNDataDescriptor, RNNDescriptor, TensorDescriptor

_new = tuple.__new__
_outs = _call.outs
_unpack = _call.ffi.unpack
_unpack_q = _call.unpacker("q")
_cudnnFindRNNBackwardDataAlgorithmEx = _lib.cudnnFindRNNBackwardDataAlgorithmEx
_cudnnFindRNNBackwardWeightsAlgorithmEx = _lib.cudnnFindRNNBackwardWeightsAlgorithmEx
_cudnnFindRNNForwardTrainingAlgorithmEx = _lib.cudnnFindRNNForwardTrainingAlgorithmEx
_cudnnRNNBackwardData = _lib.cudnnRNNBackwardData
_cudnnRNNBackwardWeights = _lib.cudnnRNNBackwardWeights
_cudnnRNNForwardTraining = _lib.cudnnRNNForwardTraining

if TYPE_CHECKING:
    pass

else:
    pass


_cudnnAdvTrainVersionCheck = _quick(
    "cudnnAdvTrainVersionCheck",
    "",
    (),
    (None, ),
)


@_instead(_cudnnAdvTrainVersionCheck)
def cudnnAdvTrainVersionCheck() -> None:
    """Check that the sub-library has the version of the others.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 8.5.0 or earlier, removed in 9.0.0; use `cudnnAdvVersionCheck`.

    C, cudnn_adv_train.h::

        cudnnStatus_t cudnnAdvTrainVersionCheck(void)
    """
    return _cudnnAdvTrainVersionCheck()


def cudnnFindRNNBackwardDataAlgorithmEx(handle: Handle | int, rnnDesc: RNNDescriptor | int, seqLength: int, yDesc: Sequence[int] | HostPointer, y: DevicePointer, dyDesc: Sequence[int] | HostPointer, dy: DevicePointer, dhyDesc: TensorDescriptor | int | None, dhy: DevicePointer, dcyDesc: TensorDescriptor | int | None, dcy: DevicePointer, wDesc: FilterDescriptor | int, w: DevicePointer, hxDesc: TensorDescriptor | int | None, hx: DevicePointer, cxDesc: TensorDescriptor | int | None, cx: DevicePointer, dxDesc: Sequence[int] | HostPointer, dx: DevicePointer, dhxDesc: TensorDescriptor | int | None, dhx: DevicePointer, dcxDesc: TensorDescriptor | int | None, dcx: DevicePointer, findIntensity: float, requestedAlgoCount: int, perfResults: Sequence[int] | HostPointer, workspace: DevicePointer, workSpaceSizeInBytes: int, reserveSpace: DevicePointer, reserveSpaceSizeInBytes: int) -> int:
    """Call `cudnnFindRNNBackwardDataAlgorithmEx` (find rnn backward data algorithm ex), which writes `dx`, `dhx`, `dcx`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        rnnDesc: const cudnnRNNDescriptor_t, a `RNNDescriptor` or its address.
        seqLength: const int.
        yDesc: const cudnnTensorDescriptor_t*, a sequence of numbers, at least `seqLength`
            elements.
        y: const void*, device memory.
        dyDesc: const cudnnTensorDescriptor_t*, a sequence of numbers, at least `seqLength`
            elements.
        dy: const void*, device memory.
        dhyDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, may be
            None.
        dhy: const void*, device memory.
        dcyDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, may be
            None.
        dcy: const void*, device memory.
        wDesc: const cudnnFilterDescriptor_t, a `FilterDescriptor` or its address.
        w: const void*, device memory.
        hxDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, may be None.
        hx: const void*, device memory.
        cxDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, may be None.
        cx: const void*, device memory.
        dxDesc: const cudnnTensorDescriptor_t*, a sequence of numbers, at least `seqLength`
            elements.
        dx: void*, device memory, written.
        dhxDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, may be
            None.
        dhx: void*, device memory, written.
        dcxDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, may be
            None.
        dcx: void*, device memory, written.
        findIntensity: const float.
        requestedAlgoCount: const int.
        perfResults: cudnnAlgorithmPerformance_t*, a sequence of numbers, at least
            `requestedAlgoCount` elements.
        workspace: void*, device memory, used as scratch space, at least `workSpaceSizeInBytes`
            bytes, may be None.
        workSpaceSizeInBytes: size_t.
        reserveSpace: void*, device memory kept for the backward calls, at least
            `reserveSpaceSizeInBytes` bytes, read and written, may be None.
        reserveSpaceSizeInBytes: size_t.

    Returns:
        int.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 8.5.0 or earlier, removed in 9.0.0; deprecated since 8.5.0.

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
    try:
        if _call.watcher is not None:
            _call.watcher("cudnnFindRNNBackwardDataAlgorithmEx", (handle, rnnDesc, seqLength, yDesc, y, dyDesc, dy, dhyDesc, dhy, dcyDesc, dcy, wDesc, w, hxDesc, hx, cxDesc, cx, dxDesc, dx, dhxDesc, dhx, dcxDesc, dcx, findIntensity, requestedAlgoCount, perfResults, workspace, workSpaceSizeInBytes, reserveSpace, reserveSpaceSizeInBytes,))
        _out = _lend()
        _status = _cudnnFindRNNBackwardDataAlgorithmEx(handle if handle.__class__ is int else handle._cudnnHandle_t, rnnDesc if rnnDesc.__class__ is int else rnnDesc._cudnnRNNDescriptor_t, seqLength, _objects(yDesc, 'cudnnTensorDescriptor_t', seqLength, 'yDesc'), y if y.__class__ is int else _getters[y.__class__](y), _objects(dyDesc, 'cudnnTensorDescriptor_t', seqLength, 'dyDesc'), dy if dy.__class__ is int else _getters[dy.__class__](dy), 0 if dhyDesc is None else dhyDesc if dhyDesc.__class__ is int else dhyDesc._cudnnTensorDescriptor_t, dhy if dhy.__class__ is int else _getters[dhy.__class__](dhy), 0 if dcyDesc is None else dcyDesc if dcyDesc.__class__ is int else dcyDesc._cudnnTensorDescriptor_t, dcy if dcy.__class__ is int else _getters[dcy.__class__](dcy), wDesc if wDesc.__class__ is int else wDesc._cudnnFilterDescriptor_t, w if w.__class__ is int else _getters[w.__class__](w), 0 if hxDesc is None else hxDesc if hxDesc.__class__ is int else hxDesc._cudnnTensorDescriptor_t, hx if hx.__class__ is int else _getters[hx.__class__](hx), 0 if cxDesc is None else cxDesc if cxDesc.__class__ is int else cxDesc._cudnnTensorDescriptor_t, cx if cx.__class__ is int else _getters[cx.__class__](cx), _objects(dxDesc, 'cudnnTensorDescriptor_t', seqLength, 'dxDesc'), dx if dx.__class__ is int else _getters[dx.__class__](dx), 0 if dhxDesc is None else dhxDesc if dhxDesc.__class__ is int else dhxDesc._cudnnTensorDescriptor_t, dhx if dhx.__class__ is int else _getters[dhx.__class__](dhx), 0 if dcxDesc is None else dcxDesc if dcxDesc.__class__ is int else dcxDesc._cudnnTensorDescriptor_t, dcx if dcx.__class__ is int else _getters[dcx.__class__](dcx), findIntensity, requestedAlgoCount, _objects(perfResults, 'cudnnAlgorithmPerformance_t', requestedAlgoCount, 'perfResults'), workspace if workspace.__class__ is int else _getters[workspace.__class__](workspace), workSpaceSizeInBytes, reserveSpace if reserveSpace.__class__ is int else _getters[reserveSpace.__class__](reserveSpace), reserveSpaceSizeInBytes, _out[0])
    except _CONVERT as _error:
        return _slow(cudnnFindRNNBackwardDataAlgorithmEx, "cudnnFindRNNBackwardDataAlgorithmEx", (handle, rnnDesc, seqLength, yDesc, y, dyDesc, dy, dhyDesc, dhy, dcyDesc, dcy, wDesc, w, hxDesc, hx, cxDesc, cx, dxDesc, dx, dhxDesc, dhx, dcxDesc, dcx, findIntensity, requestedAlgoCount, perfResults, workspace, workSpaceSizeInBytes, reserveSpace, reserveSpaceSizeInBytes,), _error)
    if _status:
        return _failed(cudnnFindRNNBackwardDataAlgorithmEx, "cudnnFindRNNBackwardDataAlgorithmEx", _status, (handle, rnnDesc, seqLength, yDesc, y, dyDesc, dy, dhyDesc, dhy, dcyDesc, dcy, wDesc, w, hxDesc, hx, cxDesc, cx, dxDesc, dx, dhxDesc, dhx, dcxDesc, dcx, findIntensity, requestedAlgoCount, perfResults, workspace, workSpaceSizeInBytes, reserveSpace, reserveSpaceSizeInBytes,))
    _r = _unpack_q(_out[1])
    _outs.append(_out)
    return _r[0]


def cudnnFindRNNBackwardWeightsAlgorithmEx(handle: Handle | int, rnnDesc: RNNDescriptor | int, seqLength: int, xDesc: Sequence[int] | HostPointer, x: DevicePointer, hxDesc: TensorDescriptor | int | None, hx: DevicePointer, yDesc: Sequence[int] | HostPointer, y: DevicePointer, findIntensity: float, requestedAlgoCount: int, perfResults: Sequence[int] | HostPointer, workspace: DevicePointer, workSpaceSizeInBytes: int, dwDesc: FilterDescriptor | int, dw: DevicePointer, reserveSpace: DevicePointer, reserveSpaceSizeInBytes: int) -> int:
    """Call `cudnnFindRNNBackwardWeightsAlgorithmEx` (find rnn backward weights algorithm ex), which writes `dw`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        rnnDesc: const cudnnRNNDescriptor_t, a `RNNDescriptor` or its address.
        seqLength: const int.
        xDesc: const cudnnTensorDescriptor_t*, a sequence of numbers, at least `seqLength`
            elements.
        x: const void*, device memory.
        hxDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, may be None.
        hx: const void*, device memory.
        yDesc: const cudnnTensorDescriptor_t*, a sequence of numbers, at least `seqLength`
            elements.
        y: const void*, device memory.
        findIntensity: const float.
        requestedAlgoCount: const int.
        perfResults: cudnnAlgorithmPerformance_t*, a sequence of numbers, at least
            `requestedAlgoCount` elements.
        workspace: const void*, device memory, used as scratch space, at least
            `workSpaceSizeInBytes` bytes, may be None.
        workSpaceSizeInBytes: size_t.
        dwDesc: const cudnnFilterDescriptor_t, a `FilterDescriptor` or its address.
        dw: void*, device memory, written.
        reserveSpace: const void*, device memory kept for the backward calls, at least
            `reserveSpaceSizeInBytes` bytes, may be None.
        reserveSpaceSizeInBytes: size_t.

    Returns:
        int.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 8.5.0 or earlier, removed in 9.0.0; deprecated since 8.5.0.

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
    try:
        if _call.watcher is not None:
            _call.watcher("cudnnFindRNNBackwardWeightsAlgorithmEx", (handle, rnnDesc, seqLength, xDesc, x, hxDesc, hx, yDesc, y, findIntensity, requestedAlgoCount, perfResults, workspace, workSpaceSizeInBytes, dwDesc, dw, reserveSpace, reserveSpaceSizeInBytes,))
        _out = _lend()
        _status = _cudnnFindRNNBackwardWeightsAlgorithmEx(handle if handle.__class__ is int else handle._cudnnHandle_t, rnnDesc if rnnDesc.__class__ is int else rnnDesc._cudnnRNNDescriptor_t, seqLength, _objects(xDesc, 'cudnnTensorDescriptor_t', seqLength, 'xDesc'), x if x.__class__ is int else _getters[x.__class__](x), 0 if hxDesc is None else hxDesc if hxDesc.__class__ is int else hxDesc._cudnnTensorDescriptor_t, hx if hx.__class__ is int else _getters[hx.__class__](hx), _objects(yDesc, 'cudnnTensorDescriptor_t', seqLength, 'yDesc'), y if y.__class__ is int else _getters[y.__class__](y), findIntensity, requestedAlgoCount, _objects(perfResults, 'cudnnAlgorithmPerformance_t', requestedAlgoCount, 'perfResults'), workspace if workspace.__class__ is int else _getters[workspace.__class__](workspace), workSpaceSizeInBytes, dwDesc if dwDesc.__class__ is int else dwDesc._cudnnFilterDescriptor_t, dw if dw.__class__ is int else _getters[dw.__class__](dw), reserveSpace if reserveSpace.__class__ is int else _getters[reserveSpace.__class__](reserveSpace), reserveSpaceSizeInBytes, _out[0])
    except _CONVERT as _error:
        return _slow(cudnnFindRNNBackwardWeightsAlgorithmEx, "cudnnFindRNNBackwardWeightsAlgorithmEx", (handle, rnnDesc, seqLength, xDesc, x, hxDesc, hx, yDesc, y, findIntensity, requestedAlgoCount, perfResults, workspace, workSpaceSizeInBytes, dwDesc, dw, reserveSpace, reserveSpaceSizeInBytes,), _error)
    if _status:
        return _failed(cudnnFindRNNBackwardWeightsAlgorithmEx, "cudnnFindRNNBackwardWeightsAlgorithmEx", _status, (handle, rnnDesc, seqLength, xDesc, x, hxDesc, hx, yDesc, y, findIntensity, requestedAlgoCount, perfResults, workspace, workSpaceSizeInBytes, dwDesc, dw, reserveSpace, reserveSpaceSizeInBytes,))
    _r = _unpack_q(_out[1])
    _outs.append(_out)
    return _r[0]


def cudnnFindRNNForwardTrainingAlgorithmEx(handle: Handle | int, rnnDesc: RNNDescriptor | int, seqLength: int, xDesc: Sequence[int] | HostPointer, x: DevicePointer, hxDesc: TensorDescriptor | int | None, hx: DevicePointer, cxDesc: TensorDescriptor | int | None, cx: DevicePointer, wDesc: FilterDescriptor | int, w: DevicePointer, yDesc: Sequence[int] | HostPointer, y: DevicePointer, hyDesc: TensorDescriptor | int | None, hy: DevicePointer, cyDesc: TensorDescriptor | int | None, cy: DevicePointer, findIntensity: float, requestedAlgoCount: int, perfResults: Sequence[int] | HostPointer, workspace: DevicePointer, workSpaceSizeInBytes: int, reserveSpace: DevicePointer, reserveSpaceSizeInBytes: int) -> int:
    """Call `cudnnFindRNNForwardTrainingAlgorithmEx` (find rnn forward training algorithm ex), which writes `y`, `hy`, `cy`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        rnnDesc: const cudnnRNNDescriptor_t, a `RNNDescriptor` or its address.
        seqLength: const int.
        xDesc: const cudnnTensorDescriptor_t*, a sequence of numbers, at least `seqLength`
            elements.
        x: const void*, device memory.
        hxDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, may be None.
        hx: const void*, device memory.
        cxDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, may be None.
        cx: const void*, device memory.
        wDesc: const cudnnFilterDescriptor_t, a `FilterDescriptor` or its address.
        w: const void*, device memory.
        yDesc: const cudnnTensorDescriptor_t*, a sequence of numbers, at least `seqLength`
            elements.
        y: void*, device memory, written.
        hyDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, may be None.
        hy: void*, device memory, written.
        cyDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, may be None.
        cy: void*, device memory, written.
        findIntensity: const float.
        requestedAlgoCount: const int.
        perfResults: cudnnAlgorithmPerformance_t*, a sequence of numbers, at least
            `requestedAlgoCount` elements.
        workspace: void*, device memory, used as scratch space, at least `workSpaceSizeInBytes`
            bytes, may be None.
        workSpaceSizeInBytes: size_t.
        reserveSpace: void*, device memory kept for the backward calls, at least
            `reserveSpaceSizeInBytes` bytes, written, may be None.
        reserveSpaceSizeInBytes: size_t.

    Returns:
        int.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 8.5.0 or earlier, removed in 9.0.0; deprecated since 8.5.0.

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
    try:
        if _call.watcher is not None:
            _call.watcher("cudnnFindRNNForwardTrainingAlgorithmEx", (handle, rnnDesc, seqLength, xDesc, x, hxDesc, hx, cxDesc, cx, wDesc, w, yDesc, y, hyDesc, hy, cyDesc, cy, findIntensity, requestedAlgoCount, perfResults, workspace, workSpaceSizeInBytes, reserveSpace, reserveSpaceSizeInBytes,))
        _out = _lend()
        _status = _cudnnFindRNNForwardTrainingAlgorithmEx(handle if handle.__class__ is int else handle._cudnnHandle_t, rnnDesc if rnnDesc.__class__ is int else rnnDesc._cudnnRNNDescriptor_t, seqLength, _objects(xDesc, 'cudnnTensorDescriptor_t', seqLength, 'xDesc'), x if x.__class__ is int else _getters[x.__class__](x), 0 if hxDesc is None else hxDesc if hxDesc.__class__ is int else hxDesc._cudnnTensorDescriptor_t, hx if hx.__class__ is int else _getters[hx.__class__](hx), 0 if cxDesc is None else cxDesc if cxDesc.__class__ is int else cxDesc._cudnnTensorDescriptor_t, cx if cx.__class__ is int else _getters[cx.__class__](cx), wDesc if wDesc.__class__ is int else wDesc._cudnnFilterDescriptor_t, w if w.__class__ is int else _getters[w.__class__](w), _objects(yDesc, 'cudnnTensorDescriptor_t', seqLength, 'yDesc'), y if y.__class__ is int else _getters[y.__class__](y), 0 if hyDesc is None else hyDesc if hyDesc.__class__ is int else hyDesc._cudnnTensorDescriptor_t, hy if hy.__class__ is int else _getters[hy.__class__](hy), 0 if cyDesc is None else cyDesc if cyDesc.__class__ is int else cyDesc._cudnnTensorDescriptor_t, cy if cy.__class__ is int else _getters[cy.__class__](cy), findIntensity, requestedAlgoCount, _objects(perfResults, 'cudnnAlgorithmPerformance_t', requestedAlgoCount, 'perfResults'), workspace if workspace.__class__ is int else _getters[workspace.__class__](workspace), workSpaceSizeInBytes, reserveSpace if reserveSpace.__class__ is int else _getters[reserveSpace.__class__](reserveSpace), reserveSpaceSizeInBytes, _out[0])
    except _CONVERT as _error:
        return _slow(cudnnFindRNNForwardTrainingAlgorithmEx, "cudnnFindRNNForwardTrainingAlgorithmEx", (handle, rnnDesc, seqLength, xDesc, x, hxDesc, hx, cxDesc, cx, wDesc, w, yDesc, y, hyDesc, hy, cyDesc, cy, findIntensity, requestedAlgoCount, perfResults, workspace, workSpaceSizeInBytes, reserveSpace, reserveSpaceSizeInBytes,), _error)
    if _status:
        return _failed(cudnnFindRNNForwardTrainingAlgorithmEx, "cudnnFindRNNForwardTrainingAlgorithmEx", _status, (handle, rnnDesc, seqLength, xDesc, x, hxDesc, hx, cxDesc, cx, wDesc, w, yDesc, y, hyDesc, hy, cyDesc, cy, findIntensity, requestedAlgoCount, perfResults, workspace, workSpaceSizeInBytes, reserveSpace, reserveSpaceSizeInBytes,))
    _r = _unpack_q(_out[1])
    _outs.append(_out)
    return _r[0]


_cudnnGetRNNBackwardDataAlgorithmMaxCount = _quick(
    "cudnnGetRNNBackwardDataAlgorithmMaxCount",
    "q",
    ("_cudnnHandle_t", "_cudnnRNNDescriptor_t", ),
    (None, None, ),
)


@_instead(_cudnnGetRNNBackwardDataAlgorithmMaxCount)
def cudnnGetRNNBackwardDataAlgorithmMaxCount(handle: Handle | int, rnnDesc: RNNDescriptor | int) -> int:
    """Read `count`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        rnnDesc: const cudnnRNNDescriptor_t, a `RNNDescriptor` or its address.

    Returns:
        int.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 8.5.0 or earlier, removed in 9.0.0; deprecated since 8.5.0.

    C, cudnn_adv_train.h::

        cudnnStatus_t cudnnGetRNNBackwardDataAlgorithmMaxCount(cudnnHandle_t handle, const
            cudnnRNNDescriptor_t rnnDesc, int *count)
    """
    return _cudnnGetRNNBackwardDataAlgorithmMaxCount(handle, rnnDesc)


_cudnnGetRNNBackwardWeightsAlgorithmMaxCount = _quick(
    "cudnnGetRNNBackwardWeightsAlgorithmMaxCount",
    "q",
    ("_cudnnHandle_t", "_cudnnRNNDescriptor_t", ),
    (None, None, ),
)


@_instead(_cudnnGetRNNBackwardWeightsAlgorithmMaxCount)
def cudnnGetRNNBackwardWeightsAlgorithmMaxCount(handle: Handle | int, rnnDesc: RNNDescriptor | int) -> int:
    """Read `count`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        rnnDesc: const cudnnRNNDescriptor_t, a `RNNDescriptor` or its address.

    Returns:
        int.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 8.5.0 or earlier, removed in 9.0.0; deprecated since 8.5.0.

    C, cudnn_adv_train.h::

        cudnnStatus_t cudnnGetRNNBackwardWeightsAlgorithmMaxCount(cudnnHandle_t handle, const
            cudnnRNNDescriptor_t rnnDesc, int *count)
    """
    return _cudnnGetRNNBackwardWeightsAlgorithmMaxCount(handle, rnnDesc)


_cudnnGetRNNForwardTrainingAlgorithmMaxCount = _quick(
    "cudnnGetRNNForwardTrainingAlgorithmMaxCount",
    "q",
    ("_cudnnHandle_t", "_cudnnRNNDescriptor_t", ),
    (None, None, ),
)


@_instead(_cudnnGetRNNForwardTrainingAlgorithmMaxCount)
def cudnnGetRNNForwardTrainingAlgorithmMaxCount(handle: Handle | int, rnnDesc: RNNDescriptor | int) -> int:
    """Read `count`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        rnnDesc: const cudnnRNNDescriptor_t, a `RNNDescriptor` or its address.

    Returns:
        int.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 8.5.0 or earlier, removed in 9.0.0; deprecated since 8.5.0.

    C, cudnn_adv_train.h::

        cudnnStatus_t cudnnGetRNNForwardTrainingAlgorithmMaxCount(cudnnHandle_t handle, const
            cudnnRNNDescriptor_t rnnDesc, int *count)
    """
    return _cudnnGetRNNForwardTrainingAlgorithmMaxCount(handle, rnnDesc)


def cudnnRNNBackwardData(handle: Handle | int, rnnDesc: RNNDescriptor | int, seqLength: int, yDesc: Sequence[int] | HostPointer, y: DevicePointer, dyDesc: Sequence[int] | HostPointer, dy: DevicePointer, dhyDesc: TensorDescriptor | int | None, dhy: DevicePointer, dcyDesc: TensorDescriptor | int | None, dcy: DevicePointer, wDesc: FilterDescriptor | int, w: DevicePointer, hxDesc: TensorDescriptor | int | None, hx: DevicePointer, cxDesc: TensorDescriptor | int | None, cx: DevicePointer, dxDesc: Sequence[int] | HostPointer, dx: DevicePointer, dhxDesc: TensorDescriptor | int | None, dhx: DevicePointer, dcxDesc: TensorDescriptor | int | None, dcx: DevicePointer, workSpace: DevicePointer, workSpaceSizeInBytes: int, reserveSpace: DevicePointer, reserveSpaceSizeInBytes: int) -> None:
    """Call `cudnnRNNBackwardData` (rnn backward data), which writes `dx`, `dhx`, `dcx`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        rnnDesc: const cudnnRNNDescriptor_t, a `RNNDescriptor` or its address.
        seqLength: const int.
        yDesc: const cudnnTensorDescriptor_t*, a sequence of numbers, at least `seqLength`
            elements.
        y: const void*, device memory.
        dyDesc: const cudnnTensorDescriptor_t*, a sequence of numbers, at least `seqLength`
            elements.
        dy: const void*, device memory.
        dhyDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, may be
            None.
        dhy: const void*, device memory.
        dcyDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, may be
            None.
        dcy: const void*, device memory.
        wDesc: const cudnnFilterDescriptor_t, a `FilterDescriptor` or its address.
        w: const void*, device memory.
        hxDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, may be None.
        hx: const void*, device memory.
        cxDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, may be None.
        cx: const void*, device memory.
        dxDesc: const cudnnTensorDescriptor_t*, a sequence of numbers, at least `seqLength`
            elements.
        dx: void*, device memory, written.
        dhxDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, may be
            None.
        dhx: void*, device memory, written.
        dcxDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, may be
            None.
        dcx: void*, device memory, written.
        workSpace: void*, device memory, used as scratch space, at least `workSpaceSizeInBytes`
            bytes, may be None.
        workSpaceSizeInBytes: size_t.
        reserveSpace: void*, device memory kept for the backward calls, at least
            `reserveSpaceSizeInBytes` bytes, read and written, may be None.
        reserveSpaceSizeInBytes: size_t.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 8.5.0 or earlier, removed in 9.0.0; deprecated since 8.5.0; use
    `cudnnRNNBackwardData_v8`.

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
    try:
        if _call.watcher is not None:
            _call.watcher("cudnnRNNBackwardData", (handle, rnnDesc, seqLength, yDesc, y, dyDesc, dy, dhyDesc, dhy, dcyDesc, dcy, wDesc, w, hxDesc, hx, cxDesc, cx, dxDesc, dx, dhxDesc, dhx, dcxDesc, dcx, workSpace, workSpaceSizeInBytes, reserveSpace, reserveSpaceSizeInBytes,))
        _status = _cudnnRNNBackwardData(handle if handle.__class__ is int else handle._cudnnHandle_t, rnnDesc if rnnDesc.__class__ is int else rnnDesc._cudnnRNNDescriptor_t, seqLength, _objects(yDesc, 'cudnnTensorDescriptor_t', seqLength, 'yDesc'), y if y.__class__ is int else _getters[y.__class__](y), _objects(dyDesc, 'cudnnTensorDescriptor_t', seqLength, 'dyDesc'), dy if dy.__class__ is int else _getters[dy.__class__](dy), 0 if dhyDesc is None else dhyDesc if dhyDesc.__class__ is int else dhyDesc._cudnnTensorDescriptor_t, dhy if dhy.__class__ is int else _getters[dhy.__class__](dhy), 0 if dcyDesc is None else dcyDesc if dcyDesc.__class__ is int else dcyDesc._cudnnTensorDescriptor_t, dcy if dcy.__class__ is int else _getters[dcy.__class__](dcy), wDesc if wDesc.__class__ is int else wDesc._cudnnFilterDescriptor_t, w if w.__class__ is int else _getters[w.__class__](w), 0 if hxDesc is None else hxDesc if hxDesc.__class__ is int else hxDesc._cudnnTensorDescriptor_t, hx if hx.__class__ is int else _getters[hx.__class__](hx), 0 if cxDesc is None else cxDesc if cxDesc.__class__ is int else cxDesc._cudnnTensorDescriptor_t, cx if cx.__class__ is int else _getters[cx.__class__](cx), _objects(dxDesc, 'cudnnTensorDescriptor_t', seqLength, 'dxDesc'), dx if dx.__class__ is int else _getters[dx.__class__](dx), 0 if dhxDesc is None else dhxDesc if dhxDesc.__class__ is int else dhxDesc._cudnnTensorDescriptor_t, dhx if dhx.__class__ is int else _getters[dhx.__class__](dhx), 0 if dcxDesc is None else dcxDesc if dcxDesc.__class__ is int else dcxDesc._cudnnTensorDescriptor_t, dcx if dcx.__class__ is int else _getters[dcx.__class__](dcx), workSpace if workSpace.__class__ is int else _getters[workSpace.__class__](workSpace), workSpaceSizeInBytes, reserveSpace if reserveSpace.__class__ is int else _getters[reserveSpace.__class__](reserveSpace), reserveSpaceSizeInBytes)
    except _CONVERT as _error:
        return _slow(cudnnRNNBackwardData, "cudnnRNNBackwardData", (handle, rnnDesc, seqLength, yDesc, y, dyDesc, dy, dhyDesc, dhy, dcyDesc, dcy, wDesc, w, hxDesc, hx, cxDesc, cx, dxDesc, dx, dhxDesc, dhx, dcxDesc, dcx, workSpace, workSpaceSizeInBytes, reserveSpace, reserveSpaceSizeInBytes,), _error)
    if _status:
        return _failed(cudnnRNNBackwardData, "cudnnRNNBackwardData", _status, (handle, rnnDesc, seqLength, yDesc, y, dyDesc, dy, dhyDesc, dhy, dcyDesc, dcy, wDesc, w, hxDesc, hx, cxDesc, cx, dxDesc, dx, dhxDesc, dhx, dcxDesc, dcx, workSpace, workSpaceSizeInBytes, reserveSpace, reserveSpaceSizeInBytes,))
    return None


_cudnnRNNBackwardDataEx = _quick(
    "cudnnRNNBackwardDataEx",
    "",
    ("_cudnnHandle_t", "_cudnnRNNDescriptor_t", "_cudnnRNNDataDescriptor_t", _getters, "_cudnnRNNDataDescriptor_t", _getters, "_cudnnRNNDataDescriptor_t", _getters, "_cudnnTensorDescriptor_t", _getters, "_cudnnTensorDescriptor_t", _getters, "_cudnnFilterDescriptor_t", _getters, "_cudnnTensorDescriptor_t", _getters, "_cudnnTensorDescriptor_t", _getters, "_cudnnRNNDataDescriptor_t", _getters, "_cudnnTensorDescriptor_t", _getters, "_cudnnTensorDescriptor_t", _getters, "_cudnnRNNDataDescriptor_t", _getters, _getters, None, _getters, None, ),
    (None, ),
)


@_instead(_cudnnRNNBackwardDataEx)
def cudnnRNNBackwardDataEx(handle: Handle | int, rnnDesc: RNNDescriptor | int, yDesc: RNNDataDescriptor | int, y: DevicePointer, dyDesc: RNNDataDescriptor | int, dy: DevicePointer, dcDesc: RNNDataDescriptor | int | None, dcAttn: DevicePointer, dhyDesc: TensorDescriptor | int | None, dhy: DevicePointer, dcyDesc: TensorDescriptor | int | None, dcy: DevicePointer, wDesc: FilterDescriptor | int, w: DevicePointer, hxDesc: TensorDescriptor | int | None, hx: DevicePointer, cxDesc: TensorDescriptor | int | None, cx: DevicePointer, dxDesc: RNNDataDescriptor | int, dx: DevicePointer, dhxDesc: TensorDescriptor | int | None, dhx: DevicePointer, dcxDesc: TensorDescriptor | int | None, dcx: DevicePointer, dkDesc: RNNDataDescriptor | int | None, dkeys: DevicePointer, workSpace: DevicePointer, workSpaceSizeInBytes: int, reserveSpace: DevicePointer, reserveSpaceSizeInBytes: int) -> None:
    """Call `cudnnRNNBackwardDataEx` (rnn backward data ex), which writes `dx`, `dhx`, `dcx`, `dkeys`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        rnnDesc: const cudnnRNNDescriptor_t, a `RNNDescriptor` or its address.
        yDesc: const cudnnRNNDataDescriptor_t, a `RNNDataDescriptor` or its address.
        y: const void*, device memory.
        dyDesc: const cudnnRNNDataDescriptor_t, a `RNNDataDescriptor` or its address.
        dy: const void*, device memory.
        dcDesc: const cudnnRNNDataDescriptor_t, a `RNNDataDescriptor` or its address, may be
            None.
        dcAttn: const void*, device memory.
        dhyDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, may be
            None.
        dhy: const void*, device memory.
        dcyDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, may be
            None.
        dcy: const void*, device memory.
        wDesc: const cudnnFilterDescriptor_t, a `FilterDescriptor` or its address.
        w: const void*, device memory.
        hxDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, may be None.
        hx: const void*, device memory.
        cxDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, may be None.
        cx: const void*, device memory.
        dxDesc: const cudnnRNNDataDescriptor_t, a `RNNDataDescriptor` or its address.
        dx: void*, device memory, written.
        dhxDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, may be
            None.
        dhx: void*, device memory, written.
        dcxDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, may be
            None.
        dcx: void*, device memory, written.
        dkDesc: const cudnnRNNDataDescriptor_t, a `RNNDataDescriptor` or its address, may be
            None.
        dkeys: void*, device memory, written.
        workSpace: void*, device memory, used as scratch space, at least `workSpaceSizeInBytes`
            bytes, may be None.
        workSpaceSizeInBytes: size_t.
        reserveSpace: void*, device memory kept for the backward calls, at least
            `reserveSpaceSizeInBytes` bytes, read and written, may be None.
        reserveSpaceSizeInBytes: size_t.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 8.5.0 or earlier, removed in 9.0.0; deprecated since 8.5.0; use
    `cudnnRNNBackwardData_v8`.

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
    return _cudnnRNNBackwardDataEx(handle, rnnDesc, yDesc, y, dyDesc, dy, dcDesc, dcAttn, dhyDesc, dhy, dcyDesc, dcy, wDesc, w, hxDesc, hx, cxDesc, cx, dxDesc, dx, dhxDesc, dhx, dcxDesc, dcx, dkDesc, dkeys, workSpace, workSpaceSizeInBytes, reserveSpace, reserveSpaceSizeInBytes)


def cudnnRNNBackwardWeights(handle: Handle | int, rnnDesc: RNNDescriptor | int, seqLength: int, xDesc: Sequence[int] | HostPointer, x: DevicePointer, hxDesc: TensorDescriptor | int | None, hx: DevicePointer, yDesc: Sequence[int] | HostPointer, y: DevicePointer, workSpace: DevicePointer, workSpaceSizeInBytes: int, dwDesc: FilterDescriptor | int, dw: DevicePointer, reserveSpace: DevicePointer, reserveSpaceSizeInBytes: int) -> None:
    """Call `cudnnRNNBackwardWeights` (rnn backward weights), which writes `dw`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        rnnDesc: const cudnnRNNDescriptor_t, a `RNNDescriptor` or its address.
        seqLength: const int.
        xDesc: const cudnnTensorDescriptor_t*, a sequence of numbers, at least `seqLength`
            elements.
        x: const void*, device memory.
        hxDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, may be None.
        hx: const void*, device memory.
        yDesc: const cudnnTensorDescriptor_t*, a sequence of numbers, at least `seqLength`
            elements.
        y: const void*, device memory.
        workSpace: const void*, device memory, used as scratch space, at least
            `workSpaceSizeInBytes` bytes, may be None.
        workSpaceSizeInBytes: size_t.
        dwDesc: const cudnnFilterDescriptor_t, a `FilterDescriptor` or its address.
        dw: void*, device memory, written.
        reserveSpace: const void*, device memory kept for the backward calls, at least
            `reserveSpaceSizeInBytes` bytes, may be None.
        reserveSpaceSizeInBytes: size_t.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 8.5.0 or earlier, removed in 9.0.0; deprecated since 8.5.0; use
    `cudnnRNNBackwardWeights_v8`.

    C, cudnn_adv_train.h::

        cudnnStatus_t cudnnRNNBackwardWeights(cudnnHandle_t handle, const cudnnRNNDescriptor_t
            rnnDesc, const int seqLength, const cudnnTensorDescriptor_t *xDesc, const void *x,
            const cudnnTensorDescriptor_t hxDesc, const void *hx, const cudnnTensorDescriptor_t
            *yDesc, const void *y, const void *workSpace, size_t workSpaceSizeInBytes, const
            cudnnFilterDescriptor_t dwDesc, void *dw, const void *reserveSpace, size_t
            reserveSpaceSizeInBytes)
    """
    try:
        if _call.watcher is not None:
            _call.watcher("cudnnRNNBackwardWeights", (handle, rnnDesc, seqLength, xDesc, x, hxDesc, hx, yDesc, y, workSpace, workSpaceSizeInBytes, dwDesc, dw, reserveSpace, reserveSpaceSizeInBytes,))
        _status = _cudnnRNNBackwardWeights(handle if handle.__class__ is int else handle._cudnnHandle_t, rnnDesc if rnnDesc.__class__ is int else rnnDesc._cudnnRNNDescriptor_t, seqLength, _objects(xDesc, 'cudnnTensorDescriptor_t', seqLength, 'xDesc'), x if x.__class__ is int else _getters[x.__class__](x), 0 if hxDesc is None else hxDesc if hxDesc.__class__ is int else hxDesc._cudnnTensorDescriptor_t, hx if hx.__class__ is int else _getters[hx.__class__](hx), _objects(yDesc, 'cudnnTensorDescriptor_t', seqLength, 'yDesc'), y if y.__class__ is int else _getters[y.__class__](y), workSpace if workSpace.__class__ is int else _getters[workSpace.__class__](workSpace), workSpaceSizeInBytes, dwDesc if dwDesc.__class__ is int else dwDesc._cudnnFilterDescriptor_t, dw if dw.__class__ is int else _getters[dw.__class__](dw), reserveSpace if reserveSpace.__class__ is int else _getters[reserveSpace.__class__](reserveSpace), reserveSpaceSizeInBytes)
    except _CONVERT as _error:
        return _slow(cudnnRNNBackwardWeights, "cudnnRNNBackwardWeights", (handle, rnnDesc, seqLength, xDesc, x, hxDesc, hx, yDesc, y, workSpace, workSpaceSizeInBytes, dwDesc, dw, reserveSpace, reserveSpaceSizeInBytes,), _error)
    if _status:
        return _failed(cudnnRNNBackwardWeights, "cudnnRNNBackwardWeights", _status, (handle, rnnDesc, seqLength, xDesc, x, hxDesc, hx, yDesc, y, workSpace, workSpaceSizeInBytes, dwDesc, dw, reserveSpace, reserveSpaceSizeInBytes,))
    return None


_cudnnRNNBackwardWeightsEx = _quick(
    "cudnnRNNBackwardWeightsEx",
    "",
    ("_cudnnHandle_t", "_cudnnRNNDescriptor_t", "_cudnnRNNDataDescriptor_t", _getters, "_cudnnTensorDescriptor_t", _getters, "_cudnnRNNDataDescriptor_t", _getters, _getters, None, "_cudnnFilterDescriptor_t", _getters, _getters, None, ),
    (None, ),
)


@_instead(_cudnnRNNBackwardWeightsEx)
def cudnnRNNBackwardWeightsEx(handle: Handle | int, rnnDesc: RNNDescriptor | int, xDesc: RNNDataDescriptor | int, x: DevicePointer, hxDesc: TensorDescriptor | int | None, hx: DevicePointer, yDesc: RNNDataDescriptor | int, y: DevicePointer, workSpace: DevicePointer, workSpaceSizeInBytes: int, dwDesc: FilterDescriptor | int, dw: DevicePointer, reserveSpace: DevicePointer, reserveSpaceSizeInBytes: int) -> None:
    """Call `cudnnRNNBackwardWeightsEx` (rnn backward weights ex), which writes `dw`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        rnnDesc: const cudnnRNNDescriptor_t, a `RNNDescriptor` or its address.
        xDesc: const cudnnRNNDataDescriptor_t, a `RNNDataDescriptor` or its address.
        x: const void*, device memory.
        hxDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, may be None.
        hx: const void*, device memory.
        yDesc: const cudnnRNNDataDescriptor_t, a `RNNDataDescriptor` or its address.
        y: const void*, device memory.
        workSpace: void*, device memory, used as scratch space, at least `workSpaceSizeInBytes`
            bytes, may be None.
        workSpaceSizeInBytes: size_t.
        dwDesc: const cudnnFilterDescriptor_t, a `FilterDescriptor` or its address.
        dw: void*, device memory, written.
        reserveSpace: void*, device memory kept for the backward calls, at least
            `reserveSpaceSizeInBytes` bytes, read and written, may be None.
        reserveSpaceSizeInBytes: size_t.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 8.5.0 or earlier, removed in 9.0.0; deprecated since 8.5.0; use
    `cudnnRNNBackwardWeights_v8`.

    C, cudnn_adv_train.h::

        cudnnStatus_t cudnnRNNBackwardWeightsEx(cudnnHandle_t handle, const cudnnRNNDescriptor_t
            rnnDesc, const cudnnRNNDataDescriptor_t xDesc, const void *x, const
            cudnnTensorDescriptor_t hxDesc, const void *hx, const cudnnRNNDataDescriptor_t
            yDesc, const void *y, void *workSpace, size_t workSpaceSizeInBytes, const
            cudnnFilterDescriptor_t dwDesc, void *dw, void *reserveSpace, size_t
            reserveSpaceSizeInBytes)
    """
    return _cudnnRNNBackwardWeightsEx(handle, rnnDesc, xDesc, x, hxDesc, hx, yDesc, y, workSpace, workSpaceSizeInBytes, dwDesc, dw, reserveSpace, reserveSpaceSizeInBytes)


def cudnnRNNForwardTraining(handle: Handle | int, rnnDesc: RNNDescriptor | int, seqLength: int, xDesc: Sequence[int] | HostPointer, x: DevicePointer, hxDesc: TensorDescriptor | int | None, hx: DevicePointer, cxDesc: TensorDescriptor | int | None, cx: DevicePointer, wDesc: FilterDescriptor | int, w: DevicePointer, yDesc: Sequence[int] | HostPointer, y: DevicePointer, hyDesc: TensorDescriptor | int | None, hy: DevicePointer, cyDesc: TensorDescriptor | int | None, cy: DevicePointer, workSpace: DevicePointer, workSpaceSizeInBytes: int, reserveSpace: DevicePointer, reserveSpaceSizeInBytes: int) -> None:
    """Call `cudnnRNNForwardTraining` (rnn forward training), which writes `y`, `hy`, `cy`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        rnnDesc: const cudnnRNNDescriptor_t, a `RNNDescriptor` or its address.
        seqLength: const int.
        xDesc: const cudnnTensorDescriptor_t*, a sequence of numbers, at least `seqLength`
            elements.
        x: const void*, device memory.
        hxDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, may be None.
        hx: const void*, device memory.
        cxDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, may be None.
        cx: const void*, device memory.
        wDesc: const cudnnFilterDescriptor_t, a `FilterDescriptor` or its address.
        w: const void*, device memory.
        yDesc: const cudnnTensorDescriptor_t*, a sequence of numbers, at least `seqLength`
            elements.
        y: void*, device memory, written.
        hyDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, may be None.
        hy: void*, device memory, written.
        cyDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, may be None.
        cy: void*, device memory, written.
        workSpace: void*, device memory, used as scratch space, at least `workSpaceSizeInBytes`
            bytes, may be None.
        workSpaceSizeInBytes: size_t.
        reserveSpace: void*, device memory kept for the backward calls, at least
            `reserveSpaceSizeInBytes` bytes, written, may be None.
        reserveSpaceSizeInBytes: size_t.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 8.5.0 or earlier, removed in 9.0.0; deprecated since 8.5.0; use `cudnnRNNForward`.

    C, cudnn_adv_train.h::

        cudnnStatus_t cudnnRNNForwardTraining(cudnnHandle_t handle, const cudnnRNNDescriptor_t
            rnnDesc, const int seqLength, const cudnnTensorDescriptor_t *xDesc, const void *x,
            const cudnnTensorDescriptor_t hxDesc, const void *hx, const cudnnTensorDescriptor_t
            cxDesc, const void *cx, const cudnnFilterDescriptor_t wDesc, const void *w, const
            cudnnTensorDescriptor_t *yDesc, void *y, const cudnnTensorDescriptor_t hyDesc, void
            *hy, const cudnnTensorDescriptor_t cyDesc, void *cy, void *workSpace, size_t
            workSpaceSizeInBytes, void *reserveSpace, size_t reserveSpaceSizeInBytes)
    """
    try:
        if _call.watcher is not None:
            _call.watcher("cudnnRNNForwardTraining", (handle, rnnDesc, seqLength, xDesc, x, hxDesc, hx, cxDesc, cx, wDesc, w, yDesc, y, hyDesc, hy, cyDesc, cy, workSpace, workSpaceSizeInBytes, reserveSpace, reserveSpaceSizeInBytes,))
        _status = _cudnnRNNForwardTraining(handle if handle.__class__ is int else handle._cudnnHandle_t, rnnDesc if rnnDesc.__class__ is int else rnnDesc._cudnnRNNDescriptor_t, seqLength, _objects(xDesc, 'cudnnTensorDescriptor_t', seqLength, 'xDesc'), x if x.__class__ is int else _getters[x.__class__](x), 0 if hxDesc is None else hxDesc if hxDesc.__class__ is int else hxDesc._cudnnTensorDescriptor_t, hx if hx.__class__ is int else _getters[hx.__class__](hx), 0 if cxDesc is None else cxDesc if cxDesc.__class__ is int else cxDesc._cudnnTensorDescriptor_t, cx if cx.__class__ is int else _getters[cx.__class__](cx), wDesc if wDesc.__class__ is int else wDesc._cudnnFilterDescriptor_t, w if w.__class__ is int else _getters[w.__class__](w), _objects(yDesc, 'cudnnTensorDescriptor_t', seqLength, 'yDesc'), y if y.__class__ is int else _getters[y.__class__](y), 0 if hyDesc is None else hyDesc if hyDesc.__class__ is int else hyDesc._cudnnTensorDescriptor_t, hy if hy.__class__ is int else _getters[hy.__class__](hy), 0 if cyDesc is None else cyDesc if cyDesc.__class__ is int else cyDesc._cudnnTensorDescriptor_t, cy if cy.__class__ is int else _getters[cy.__class__](cy), workSpace if workSpace.__class__ is int else _getters[workSpace.__class__](workSpace), workSpaceSizeInBytes, reserveSpace if reserveSpace.__class__ is int else _getters[reserveSpace.__class__](reserveSpace), reserveSpaceSizeInBytes)
    except _CONVERT as _error:
        return _slow(cudnnRNNForwardTraining, "cudnnRNNForwardTraining", (handle, rnnDesc, seqLength, xDesc, x, hxDesc, hx, cxDesc, cx, wDesc, w, yDesc, y, hyDesc, hy, cyDesc, cy, workSpace, workSpaceSizeInBytes, reserveSpace, reserveSpaceSizeInBytes,), _error)
    if _status:
        return _failed(cudnnRNNForwardTraining, "cudnnRNNForwardTraining", _status, (handle, rnnDesc, seqLength, xDesc, x, hxDesc, hx, cxDesc, cx, wDesc, w, yDesc, y, hyDesc, hy, cyDesc, cy, workSpace, workSpaceSizeInBytes, reserveSpace, reserveSpaceSizeInBytes,))
    return None


_cudnnRNNForwardTrainingEx = _quick(
    "cudnnRNNForwardTrainingEx",
    "",
    ("_cudnnHandle_t", "_cudnnRNNDescriptor_t", "_cudnnRNNDataDescriptor_t", _getters, "_cudnnTensorDescriptor_t", _getters, "_cudnnTensorDescriptor_t", _getters, "_cudnnFilterDescriptor_t", _getters, "_cudnnRNNDataDescriptor_t", _getters, "_cudnnTensorDescriptor_t", _getters, "_cudnnTensorDescriptor_t", _getters, "_cudnnRNNDataDescriptor_t", _getters, "_cudnnRNNDataDescriptor_t", _getters, "_cudnnRNNDataDescriptor_t", _getters, "_cudnnRNNDataDescriptor_t", _getters, _getters, None, _getters, None, ),
    (None, ),
)


@_instead(_cudnnRNNForwardTrainingEx)
def cudnnRNNForwardTrainingEx(handle: Handle | int, rnnDesc: RNNDescriptor | int, xDesc: RNNDataDescriptor | int, x: DevicePointer, hxDesc: TensorDescriptor | int | None, hx: DevicePointer, cxDesc: TensorDescriptor | int | None, cx: DevicePointer, wDesc: FilterDescriptor | int, w: DevicePointer, yDesc: RNNDataDescriptor | int, y: DevicePointer, hyDesc: TensorDescriptor | int | None, hy: DevicePointer, cyDesc: TensorDescriptor | int | None, cy: DevicePointer, kDesc: RNNDataDescriptor | int | None, keys: DevicePointer, cDesc: RNNDataDescriptor | int | None, cAttn: DevicePointer, iDesc: RNNDataDescriptor | int | None, iAttn: DevicePointer, qDesc: RNNDataDescriptor | int | None, queries: DevicePointer, workSpace: DevicePointer, workSpaceSizeInBytes: int, reserveSpace: DevicePointer, reserveSpaceSizeInBytes: int) -> None:
    """Call `cudnnRNNForwardTrainingEx` (rnn forward training ex), which writes `y`, `hy`, `cy`, `cAttn`, `iAttn`, `queries`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        rnnDesc: const cudnnRNNDescriptor_t, a `RNNDescriptor` or its address.
        xDesc: const cudnnRNNDataDescriptor_t, a `RNNDataDescriptor` or its address.
        x: const void*, device memory.
        hxDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, may be None.
        hx: const void*, device memory.
        cxDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, may be None.
        cx: const void*, device memory.
        wDesc: const cudnnFilterDescriptor_t, a `FilterDescriptor` or its address.
        w: const void*, device memory.
        yDesc: const cudnnRNNDataDescriptor_t, a `RNNDataDescriptor` or its address.
        y: void*, device memory, written.
        hyDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, may be None.
        hy: void*, device memory, written.
        cyDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, may be None.
        cy: void*, device memory, written.
        kDesc: const cudnnRNNDataDescriptor_t, a `RNNDataDescriptor` or its address, may be
            None.
        keys: const void*, device memory.
        cDesc: const cudnnRNNDataDescriptor_t, a `RNNDataDescriptor` or its address, may be
            None.
        cAttn: void*, device memory, written.
        iDesc: const cudnnRNNDataDescriptor_t, a `RNNDataDescriptor` or its address, may be
            None.
        iAttn: void*, device memory, written.
        qDesc: const cudnnRNNDataDescriptor_t, a `RNNDataDescriptor` or its address, may be
            None.
        queries: void*, device memory, written.
        workSpace: void*, device memory, used as scratch space, at least `workSpaceSizeInBytes`
            bytes, may be None.
        workSpaceSizeInBytes: size_t.
        reserveSpace: void*, device memory kept for the backward calls, at least
            `reserveSpaceSizeInBytes` bytes, written, may be None.
        reserveSpaceSizeInBytes: size_t.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 8.5.0 or earlier, removed in 9.0.0; deprecated since 8.5.0; use `cudnnRNNForward`.

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
    return _cudnnRNNForwardTrainingEx(handle, rnnDesc, xDesc, x, hxDesc, hx, cxDesc, cx, wDesc, w, yDesc, y, hyDesc, hy, cyDesc, cy, kDesc, keys, cDesc, cAttn, iDesc, iAttn, qDesc, queries, workSpace, workSpaceSizeInBytes, reserveSpace, reserveSpaceSizeInBytes)
