# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:96c8ed854c6c79651d7d92da552f7858
"""Functions of cudnn_adv_infer.h, called under their C names without their out-parameters.

They raise what `cudnn_cffi.errors` defines. Pointers are ints or the objects that hold them;
see `cudnn_cffi.types` for what is taken where.
"""

# The signatures are for type checkers, what is inside is not.
# mypy: ignore-errors

from __future__ import annotations

from .._call import (
    CONVERT as _CONVERT,
    device as _device,
    enum_map as _enum_map,
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

    from ..enums import (
        DataType,
        DirectionMode,
        MathType,
        NanPropagation,
        RNNAlgo,
        RNNBiasMode,
        RNNClipMode,
        RNNInputMode,
        RNNMode,
        RNNPaddedIO,
    )
    from ..families import (
        AlgorithmDescriptor,
        DropoutDescriptor,
        FilterDescriptor,
        Handle,
        PersistentRNNPlan,
        RNNDataDescriptor,
        RNNDescriptor,
        TensorDescriptor,
    )
    from ..types import Callback, DevicePointer, HostPointer, ScalingFactor, Stream
else:
    from .._support.results import NamedTuple

_new = tuple.__new__
_type = type
_unpack_Q = _unpacker("Q")
_unpack_q = _unpacker("q")
_DataType = _enum_map("DataType")
_DirectionMode = _enum_map("DirectionMode")
_MathType = _enum_map("MathType")
_NanPropagation = _enum_map("NanPropagation")
_RNNAlgo = _enum_map("RNNAlgo")
_RNNBiasMode = _enum_map("RNNBiasMode")
_RNNClipMode = _enum_map("RNNClipMode")
_RNNInputMode = _enum_map("RNNInputMode")
_RNNMode = _enum_map("RNNMode")
_RNNPaddedIO = _enum_map("RNNPaddedIO")
_cudnnFindRNNForwardInferenceAlgorithmEx = _lib.cudnnFindRNNForwardInferenceAlgorithmEx
_cudnnGetRNNTrainingReserveSize = _lib.cudnnGetRNNTrainingReserveSize
_cudnnGetRNNWorkspaceSize = _lib.cudnnGetRNNWorkspaceSize
_cudnnRNNForwardInference = _lib.cudnnRNNForwardInference
_plain_cudnnFindRNNForwardInferenceAlgorithmEx = _plain("cudnnFindRNNForwardInferenceAlgorithmEx")
_plain_cudnnGetRNNTrainingReserveSize = _plain("cudnnGetRNNTrainingReserveSize")
_plain_cudnnGetRNNWorkspaceSize = _plain("cudnnGetRNNWorkspaceSize")
_plain_cudnnRNNForwardInference = _plain("cudnnRNNForwardInference")


class GetRNNDescriptor_v6Result(NamedTuple):
    """Results of `cudnnGetRNNDescriptor_v6`."""

    hiddenSize: int
    numLayers: int
    dropoutDesc: int
    inputMode: RNNInputMode
    direction: DirectionMode
    cellMode: RNNMode
    algo: RNNAlgo
    mathPrec: DataType


class GetRNNProjectionLayersResult(NamedTuple):
    """Results of `cudnnGetRNNProjectionLayers`."""

    recProjSize: int
    outProjSize: int


class RNNGetClipResult(NamedTuple):
    """Results of `cudnnRNNGetClip`."""

    clipMode: RNNClipMode
    clipNanOpt: NanPropagation
    lclip: float
    rclip: float


_cudnnAdvInferVersionCheck = _quick("cudnnAdvInferVersionCheck", "", (), (None,))


@_instead(_cudnnAdvInferVersionCheck)
def cudnnAdvInferVersionCheck() -> None:
    """Check that the sub-library has the version of the others.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier, removed in 9.0.0; use `cudnnAdvVersionCheck`.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/archives/cudnn-897/api/index.html#cudnnAdvInferVersionCheck

    C, cudnn_adv_infer.h::

        cudnnStatus_t cudnnAdvInferVersionCheck(void)
    """
    return _cudnnAdvInferVersionCheck()


_cudnnCreatePersistentRNNPlan = _quick(
    "cudnnCreatePersistentRNNPlan",
    "Q",
    ("_cudnnRNNDescriptor_t", None, None),
    (None, None),
)


@_instead(_cudnnCreatePersistentRNNPlan)
def cudnnCreatePersistentRNNPlan(
    rnnDesc: RNNDescriptor | int,
    minibatch: int,
    dataType: DataType,
) -> int:
    """Create a `PersistentRNNPlan`, which the caller destroys.

    Args:
        rnnDesc: cudnnRNNDescriptor_t, an `RNNDescriptor` or its address.
        minibatch: const int.
        dataType: const cudnnDataType_t, a `DataType`.

    Returns:
        int, the caller's to destroy.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier, removed in 9.0.0; deprecated since 8.5.0; use
    `cudnnBuildRNNDynamic`.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/archives/cudnn-897/api/index.html#cudnnCreatePersistentRNNPlan

    C, cudnn_adv_infer.h::

        cudnnStatus_t cudnnCreatePersistentRNNPlan(cudnnRNNDescriptor_t rnnDesc, const int
            minibatch, const cudnnDataType_t dataType, cudnnPersistentRNNPlan_t *plan)
    """
    return _cudnnCreatePersistentRNNPlan(rnnDesc, minibatch, dataType)


_cudnnDestroyPersistentRNNPlan = _quick(
    "cudnnDestroyPersistentRNNPlan",
    "",
    (lambda given: given._detach("cudnnPersistentRNNPlan_t"),),
    (None,),
)


@_instead(_cudnnDestroyPersistentRNNPlan)
def cudnnDestroyPersistentRNNPlan(plan: PersistentRNNPlan | int) -> None:
    """Destroy a `PersistentRNNPlan`.

    Args:
        plan: cudnnPersistentRNNPlan_t, a `PersistentRNNPlan` or its address, invalid
            afterwards.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier, removed in 9.0.0; deprecated since 8.5.0.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/archives/cudnn-897/api/index.html#cudnnDestroyPersistentRNNPlan

    C, cudnn_adv_infer.h::

        cudnnStatus_t cudnnDestroyPersistentRNNPlan(cudnnPersistentRNNPlan_t plan)
    """
    return _cudnnDestroyPersistentRNNPlan(plan)


def cudnnFindRNNForwardInferenceAlgorithmEx(
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

    Returns:
        int.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier, removed in 9.0.0; deprecated since 8.5.0.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/archives/cudnn-897/api/index.html#cudnnFindRNNForwardInferenceAlgorithmEx

    C, cudnn_adv_infer.h::

        cudnnStatus_t cudnnFindRNNForwardInferenceAlgorithmEx(cudnnHandle_t handle, const
            cudnnRNNDescriptor_t rnnDesc, const int seqLength, const cudnnTensorDescriptor_t
            *xDesc, const void *x, const cudnnTensorDescriptor_t hxDesc, const void *hx, const
            cudnnTensorDescriptor_t cxDesc, const void *cx, const cudnnFilterDescriptor_t wDesc,
            const void *w, const cudnnTensorDescriptor_t *yDesc, void *y, const
            cudnnTensorDescriptor_t hyDesc, void *hy, const cudnnTensorDescriptor_t cyDesc, void
            *cy, const float findIntensity, const int requestedAlgoCount, int
            *returnedAlgoCount, cudnnAlgorithmPerformance_t *perfResults, void *workspace,
            size_t workSpaceSizeInBytes)
    """
    if _watching.watcher is not None:
        _watching.watcher(
            "cudnnFindRNNForwardInferenceAlgorithmEx",
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
    ) not in _plain_cudnnFindRNNForwardInferenceAlgorithmEx:
        return _slow(
            cudnnFindRNNForwardInferenceAlgorithmEx,
            "cudnnFindRNNForwardInferenceAlgorithmEx",
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
        _in_xDesc = _objects(xDesc, "cudnnTensorDescriptor_t", seqLength, "xDesc")
        _in_yDesc = _objects(yDesc, "cudnnTensorDescriptor_t", seqLength, "yDesc")
        _in_perfResults = _objects(
            perfResults,
            "cudnnAlgorithmPerformance_t",
            requestedAlgoCount,
            "perfResults",
        )
        _out = _lend()
        _status = _cudnnFindRNNForwardInferenceAlgorithmEx(
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
            _out[0],
        )
    except _CONVERT as _error:
        return _slow(
            cudnnFindRNNForwardInferenceAlgorithmEx,
            "cudnnFindRNNForwardInferenceAlgorithmEx",
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
            ),
            _error,
        )
    if _status:
        return _failed(
            cudnnFindRNNForwardInferenceAlgorithmEx,
            "cudnnFindRNNForwardInferenceAlgorithmEx",
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
            ),
        )
    _r = _unpack_q(_out[1])
    _outs.append(_out)
    return _r[0]


_cudnnGetRNNBiasMode = _quick(
    "cudnnGetRNNBiasMode",
    "q",
    ("_cudnnRNNDescriptor_t",),
    (None, _RNNBiasMode),
)


@_instead(_cudnnGetRNNBiasMode)
def cudnnGetRNNBiasMode(rnnDesc: RNNDescriptor | int) -> RNNBiasMode:
    """Return `biasMode` of `rnnDesc`.

    Args:
        rnnDesc: cudnnRNNDescriptor_t, an `RNNDescriptor` or its address.

    Returns:
        RNNBiasMode; how many biases each gate has: none, one at the input or the recurrence, or
            both.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier, removed in 9.0.0; deprecated since 8.5.0; use
    `cudnnGetRNNDescriptor_v8`.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/archives/cudnn-897/api/index.html#cudnnGetRNNBiasMode

    C, cudnn_adv_infer.h::

        cudnnStatus_t cudnnGetRNNBiasMode(cudnnRNNDescriptor_t rnnDesc, cudnnRNNBiasMode_t
            *biasMode)
    """
    return _cudnnGetRNNBiasMode(rnnDesc)


_cudnnGetRNNDescriptor_v6 = _quick(
    "cudnnGetRNNDescriptor_v6",
    "qqQqqqqq",
    ("_cudnnHandle_t", "_cudnnRNNDescriptor_t"),
    (
        GetRNNDescriptor_v6Result,
        None,
        None,
        None,
        _RNNInputMode,
        _DirectionMode,
        _RNNMode,
        _RNNAlgo,
        _DataType,
    ),
)


@_instead(_cudnnGetRNNDescriptor_v6)
def cudnnGetRNNDescriptor_v6(
    handle: Handle | int,
    rnnDesc: RNNDescriptor | int,
) -> GetRNNDescriptor_v6Result:
    """Return 8 values of `rnnDesc`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        rnnDesc: cudnnRNNDescriptor_t, an `RNNDescriptor` or its address.

    Returns:
        hiddenSize: int.
        numLayers: int.
        dropoutDesc: int, lent, not to be destroyed; dropout between layers, at training.
        inputMode: RNNInputMode; whether the first layer multiplies its input by weights, or
            adds it as it is (`SKIP_INPUT`).
        direction: DirectionMode; `BIDIRECTIONAL` runs over time both ways, and outputs both
            results next to each other.
        cellMode: RNNMode; the cell: h = relu(W x + R h + b), tanh of the same, LSTM or GRU.
        algo: RNNAlgo; `STANDARD`, or one that keeps recurrent weights on the chip: faster for
            small batches and some sizes only.
        mathPrec: DataType; the type in which the computation is done.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier, removed in 9.0.0; deprecated since 8.5.0; use
    `cudnnGetRNNDescriptor_v8`.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/archives/cudnn-897/api/index.html#cudnnGetRNNDescriptor_v6

    C, cudnn_adv_infer.h::

        cudnnStatus_t cudnnGetRNNDescriptor_v6(cudnnHandle_t handle, cudnnRNNDescriptor_t
            rnnDesc, int *hiddenSize, int *numLayers, cudnnDropoutDescriptor_t *dropoutDesc,
            cudnnRNNInputMode_t *inputMode, cudnnDirectionMode_t *direction, cudnnRNNMode_t
            *cellMode, cudnnRNNAlgo_t *algo, cudnnDataType_t *mathPrec)
    """
    return _cudnnGetRNNDescriptor_v6(handle, rnnDesc)


_cudnnGetRNNForwardInferenceAlgorithmMaxCount = _quick(
    "cudnnGetRNNForwardInferenceAlgorithmMaxCount",
    "q",
    ("_cudnnHandle_t", "_cudnnRNNDescriptor_t"),
    (None, None),
)


@_instead(_cudnnGetRNNForwardInferenceAlgorithmMaxCount)
def cudnnGetRNNForwardInferenceAlgorithmMaxCount(
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
    https://docs.nvidia.com/deeplearning/cudnn/archives/cudnn-897/api/index.html#cudnnGetRNNForwardInferenceAlgorithmMaxCount

    C, cudnn_adv_infer.h::

        cudnnStatus_t cudnnGetRNNForwardInferenceAlgorithmMaxCount(cudnnHandle_t handle, const
            cudnnRNNDescriptor_t rnnDesc, int *count)
    """
    return _cudnnGetRNNForwardInferenceAlgorithmMaxCount(handle, rnnDesc)


_cudnnGetRNNLinLayerBiasParams = _quick(
    "cudnnGetRNNLinLayerBiasParams",
    "Q",
    (
        "_cudnnHandle_t",
        "_cudnnRNNDescriptor_t",
        None,
        "_cudnnTensorDescriptor_t",
        "_cudnnFilterDescriptor_t",
        _getters,
        None,
        "_cudnnFilterDescriptor_t",
    ),
    (None, None),
)


@_instead(_cudnnGetRNNLinLayerBiasParams)
def cudnnGetRNNLinLayerBiasParams(
    handle: Handle | int,
    rnnDesc: RNNDescriptor | int,
    pseudoLayer: int,
    xDesc: TensorDescriptor | int,
    wDesc: FilterDescriptor | int,
    w: DevicePointer,
    linLayerID: int,
    linLayerBiasDesc: FilterDescriptor | int,
) -> int:
    """Return `linLayerBias` for `rnnDesc`, `xDesc` and `wDesc`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        rnnDesc: const cudnnRNNDescriptor_t, an `RNNDescriptor` or its address.
        pseudoLayer: const int; the layer; 2 * layer + direction, if bidirectional.
        xDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        wDesc: const cudnnFilterDescriptor_t, a `FilterDescriptor` or its address.
        w: const void*, device memory, laid out as `wDesc` says, read; all weights and biases;
            `cudnnGetRNNLinLayerMatrixParams` tells where each is.
        linLayerID: const int; which matrix and bias of the cell: those for the input first,
            then those for the recurrence.
        linLayerBiasDesc: cudnnFilterDescriptor_t, a `FilterDescriptor` or its address, changed.

    Returns:
        an address, in device memory.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier, removed in 9.0.0; deprecated since 8.5.0; use
    `cudnnGetRNNWeightParams`.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/archives/cudnn-897/api/index.html#cudnnGetRNNLinLayerBiasParams

    C, cudnn_adv_infer.h::

        cudnnStatus_t cudnnGetRNNLinLayerBiasParams(cudnnHandle_t handle, const
            cudnnRNNDescriptor_t rnnDesc, const int pseudoLayer, const cudnnTensorDescriptor_t
            xDesc, const cudnnFilterDescriptor_t wDesc, const void *w, const int linLayerID,
            cudnnFilterDescriptor_t linLayerBiasDesc, void **linLayerBias)
    """
    return _cudnnGetRNNLinLayerBiasParams(
        handle,
        rnnDesc,
        pseudoLayer,
        xDesc,
        wDesc,
        w,
        linLayerID,
        linLayerBiasDesc,
    )


_cudnnGetRNNLinLayerMatrixParams = _quick(
    "cudnnGetRNNLinLayerMatrixParams",
    "Q",
    (
        "_cudnnHandle_t",
        "_cudnnRNNDescriptor_t",
        None,
        "_cudnnTensorDescriptor_t",
        "_cudnnFilterDescriptor_t",
        _getters,
        None,
        "_cudnnFilterDescriptor_t",
    ),
    (None, None),
)


@_instead(_cudnnGetRNNLinLayerMatrixParams)
def cudnnGetRNNLinLayerMatrixParams(
    handle: Handle | int,
    rnnDesc: RNNDescriptor | int,
    pseudoLayer: int,
    xDesc: TensorDescriptor | int,
    wDesc: FilterDescriptor | int,
    w: DevicePointer,
    linLayerID: int,
    linLayerMatDesc: FilterDescriptor | int,
) -> int:
    """Return `linLayerMat` for `rnnDesc`, `xDesc` and `wDesc`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        rnnDesc: const cudnnRNNDescriptor_t, an `RNNDescriptor` or its address.
        pseudoLayer: const int; the layer; 2 * layer + direction, if bidirectional.
        xDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        wDesc: const cudnnFilterDescriptor_t, a `FilterDescriptor` or its address.
        w: const void*, device memory, laid out as `wDesc` says, read; all weights and biases;
            `cudnnGetRNNLinLayerMatrixParams` tells where each is.
        linLayerID: const int; which matrix and bias of the cell: those for the input first,
            then those for the recurrence.
        linLayerMatDesc: cudnnFilterDescriptor_t, a `FilterDescriptor` or its address, changed.

    Returns:
        an address, in device memory.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier, removed in 9.0.0; deprecated since 8.5.0; use
    `cudnnGetRNNWeightParams`.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/archives/cudnn-897/api/index.html#cudnnGetRNNLinLayerMatrixParams

    C, cudnn_adv_infer.h::

        cudnnStatus_t cudnnGetRNNLinLayerMatrixParams(cudnnHandle_t handle, const
            cudnnRNNDescriptor_t rnnDesc, const int pseudoLayer, const cudnnTensorDescriptor_t
            xDesc, const cudnnFilterDescriptor_t wDesc, const void *w, const int linLayerID,
            cudnnFilterDescriptor_t linLayerMatDesc, void **linLayerMat)
    """
    return _cudnnGetRNNLinLayerMatrixParams(
        handle,
        rnnDesc,
        pseudoLayer,
        xDesc,
        wDesc,
        w,
        linLayerID,
        linLayerMatDesc,
    )


_cudnnGetRNNMatrixMathType = _quick(
    "cudnnGetRNNMatrixMathType",
    "q",
    ("_cudnnRNNDescriptor_t",),
    (None, _MathType),
)


@_instead(_cudnnGetRNNMatrixMathType)
def cudnnGetRNNMatrixMathType(rnnDesc: RNNDescriptor | int) -> MathType:
    """Return `mType` of `rnnDesc`.

    Args:
        rnnDesc: cudnnRNNDescriptor_t, an `RNNDescriptor` or its address.

    Returns:
        MathType; whether Tensor Cores may be used, and inputs rounded to narrower types for
            them.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier, removed in 9.0.0; deprecated since 8.5.0; use
    `cudnnGetRNNDescriptor_v8`.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/archives/cudnn-897/api/index.html#cudnnGetRNNMatrixMathType

    C, cudnn_adv_infer.h::

        cudnnStatus_t cudnnGetRNNMatrixMathType(cudnnRNNDescriptor_t rnnDesc, cudnnMathType_t
            *mType)
    """
    return _cudnnGetRNNMatrixMathType(rnnDesc)


_cudnnGetRNNPaddingMode = _quick(
    "cudnnGetRNNPaddingMode",
    "q",
    ("_cudnnRNNDescriptor_t",),
    (None, _RNNPaddedIO),
)


@_instead(_cudnnGetRNNPaddingMode)
def cudnnGetRNNPaddingMode(rnnDesc: RNNDescriptor | int) -> RNNPaddedIO:
    """Return `paddingMode` of `rnnDesc`.

    Args:
        rnnDesc: cudnnRNNDescriptor_t, an `RNNDescriptor` or its address.

    Returns:
        RNNPaddedIO; whether sequences of different lengths may be padded, instead of packed by
            steps.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier, removed in 9.0.0; deprecated since 8.5.0; use
    `cudnnGetRNNDescriptor_v8`.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/archives/cudnn-897/api/index.html#cudnnGetRNNPaddingMode

    C, cudnn_adv_infer.h::

        cudnnStatus_t cudnnGetRNNPaddingMode(cudnnRNNDescriptor_t rnnDesc, unsigned int
            *paddingMode)
    """
    return _cudnnGetRNNPaddingMode(rnnDesc)


_cudnnGetRNNParamsSize = _quick(
    "cudnnGetRNNParamsSize",
    "Q",
    ("_cudnnHandle_t", "_cudnnRNNDescriptor_t", "_cudnnTensorDescriptor_t", None),
    (None, None),
)


@_instead(_cudnnGetRNNParamsSize)
def cudnnGetRNNParamsSize(
    handle: Handle | int,
    rnnDesc: RNNDescriptor | int,
    xDesc: TensorDescriptor | int,
    dataType: DataType,
) -> int:
    """Return `sizeInBytes` for `rnnDesc` and `xDesc`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        rnnDesc: const cudnnRNNDescriptor_t, an `RNNDescriptor` or its address.
        xDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        dataType: cudnnDataType_t, a `DataType`.

    Returns:
        int, in bytes; of all weights and biases.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier, removed in 9.0.0; deprecated since 8.5.0; use
    `cudnnGetRNNWeightSpaceSize`.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/archives/cudnn-897/api/index.html#cudnnGetRNNParamsSize

    C, cudnn_adv_infer.h::

        cudnnStatus_t cudnnGetRNNParamsSize(cudnnHandle_t handle, const cudnnRNNDescriptor_t
            rnnDesc, const cudnnTensorDescriptor_t xDesc, size_t *sizeInBytes, cudnnDataType_t
            dataType)
    """
    return _cudnnGetRNNParamsSize(handle, rnnDesc, xDesc, dataType)


_cudnnGetRNNProjectionLayers = _quick(
    "cudnnGetRNNProjectionLayers",
    "qq",
    ("_cudnnHandle_t", "_cudnnRNNDescriptor_t"),
    (GetRNNProjectionLayersResult, None, None),
)


@_instead(_cudnnGetRNNProjectionLayers)
def cudnnGetRNNProjectionLayers(
    handle: Handle | int,
    rnnDesc: RNNDescriptor | int,
) -> GetRNNProjectionLayersResult:
    """Return `recProjSize` and `outProjSize` of `rnnDesc`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        rnnDesc: const cudnnRNNDescriptor_t, an `RNNDescriptor` or its address.

    Returns:
        recProjSize: int.
        outProjSize: int.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier, removed in 9.0.0; deprecated since 8.5.0; use
    `cudnnGetRNNDescriptor_v8`.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/archives/cudnn-897/api/index.html#cudnnGetRNNProjectionLayers

    C, cudnn_adv_infer.h::

        cudnnStatus_t cudnnGetRNNProjectionLayers(cudnnHandle_t handle, const
            cudnnRNNDescriptor_t rnnDesc, int *recProjSize, int *outProjSize)
    """
    return _cudnnGetRNNProjectionLayers(handle, rnnDesc)


def cudnnGetRNNTrainingReserveSize(
    handle: Handle | int,
    rnnDesc: RNNDescriptor | int,
    seqLength: int,
    xDesc: Sequence[int] | HostPointer,
) -> int:
    """Return `sizeInBytes` of `rnnDesc`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        rnnDesc: const cudnnRNNDescriptor_t, an `RNNDescriptor` or its address.
        seqLength: const int, how many elements `xDesc` has; the number of time steps.
        xDesc: const cudnnTensorDescriptor_t*, a sequence of numbers, at least `seqLength`
            elements.

    Returns:
        int, in bytes; of the reserve space of `cudnnRNNForwardTraining`,
            `cudnnRNNForwardTrainingEx`, `cudnnRNNBackwardData`, `cudnnRNNBackwardDataEx`,
            `cudnnRNNBackwardWeights`, `cudnnRNNBackwardWeightsEx`,
            `cudnnFindRNNForwardTrainingAlgorithmEx`, `cudnnFindRNNBackwardDataAlgorithmEx` and
            `cudnnFindRNNBackwardWeightsAlgorithmEx`.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier, removed in 9.0.0; deprecated since 8.5.0; use
    `cudnnGetRNNTempSpaceSizes`.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/archives/cudnn-897/api/index.html#cudnnGetRNNTrainingReserveSize

    C, cudnn_adv_infer.h::

        cudnnStatus_t cudnnGetRNNTrainingReserveSize(cudnnHandle_t handle, const
            cudnnRNNDescriptor_t rnnDesc, const int seqLength, const cudnnTensorDescriptor_t
            *xDesc, size_t *sizeInBytes)
    """
    if (
        _type(handle),
        _type(rnnDesc),
        _type(seqLength),
    ) not in _plain_cudnnGetRNNTrainingReserveSize:
        return _slow(
            cudnnGetRNNTrainingReserveSize,
            "cudnnGetRNNTrainingReserveSize",
            (handle, rnnDesc, seqLength, xDesc),
        )
    try:
        _in_xDesc = _objects(xDesc, "cudnnTensorDescriptor_t", seqLength, "xDesc")
        _out = _lend()
        _status = _cudnnGetRNNTrainingReserveSize(
            handle if _type(handle) is int else handle._cudnnHandle_t,
            rnnDesc if _type(rnnDesc) is int else rnnDesc._cudnnRNNDescriptor_t,
            seqLength,
            _in_xDesc,
            _out[0],
        )
    except _CONVERT as _error:
        return _slow(
            cudnnGetRNNTrainingReserveSize,
            "cudnnGetRNNTrainingReserveSize",
            (handle, rnnDesc, seqLength, xDesc),
            _error,
        )
    if _status:
        return _failed(
            cudnnGetRNNTrainingReserveSize,
            "cudnnGetRNNTrainingReserveSize",
            _status,
            (handle, rnnDesc, seqLength, xDesc),
        )
    _r = _unpack_Q(_out[1])
    _outs.append(_out)
    return _r[0]


def cudnnGetRNNWorkspaceSize(
    handle: Handle | int,
    rnnDesc: RNNDescriptor | int,
    seqLength: int,
    xDesc: Sequence[int] | HostPointer,
) -> int:
    """Return `sizeInBytes` of `rnnDesc`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        rnnDesc: const cudnnRNNDescriptor_t, an `RNNDescriptor` or its address.
        seqLength: const int, how many elements `xDesc` has; the number of time steps.
        xDesc: const cudnnTensorDescriptor_t*, a sequence of numbers, at least `seqLength`
            elements.

    Returns:
        int, in bytes; of the workspace of `cudnnRNNForwardInference`,
            `cudnnRNNForwardInferenceEx`, `cudnnRNNForwardTraining`,
            `cudnnRNNForwardTrainingEx`, `cudnnRNNBackwardData`, `cudnnRNNBackwardDataEx`,
            `cudnnRNNBackwardWeights`, `cudnnRNNBackwardWeightsEx`,
            `cudnnFindRNNForwardInferenceAlgorithmEx`, `cudnnFindRNNForwardTrainingAlgorithmEx`,
            `cudnnFindRNNBackwardDataAlgorithmEx` and `cudnnFindRNNBackwardWeightsAlgorithmEx`.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier, removed in 9.0.0; deprecated since 8.5.0; use
    `cudnnGetRNNTempSpaceSizes`.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/archives/cudnn-897/api/index.html#cudnnGetRNNWorkspaceSize

    C, cudnn_adv_infer.h::

        cudnnStatus_t cudnnGetRNNWorkspaceSize(cudnnHandle_t handle, const cudnnRNNDescriptor_t
            rnnDesc, const int seqLength, const cudnnTensorDescriptor_t *xDesc, size_t
            *sizeInBytes)
    """
    if (_type(handle), _type(rnnDesc), _type(seqLength)) not in _plain_cudnnGetRNNWorkspaceSize:
        return _slow(
            cudnnGetRNNWorkspaceSize,
            "cudnnGetRNNWorkspaceSize",
            (handle, rnnDesc, seqLength, xDesc),
        )
    try:
        _in_xDesc = _objects(xDesc, "cudnnTensorDescriptor_t", seqLength, "xDesc")
        _out = _lend()
        _status = _cudnnGetRNNWorkspaceSize(
            handle if _type(handle) is int else handle._cudnnHandle_t,
            rnnDesc if _type(rnnDesc) is int else rnnDesc._cudnnRNNDescriptor_t,
            seqLength,
            _in_xDesc,
            _out[0],
        )
    except _CONVERT as _error:
        return _slow(
            cudnnGetRNNWorkspaceSize,
            "cudnnGetRNNWorkspaceSize",
            (handle, rnnDesc, seqLength, xDesc),
            _error,
        )
    if _status:
        return _failed(
            cudnnGetRNNWorkspaceSize,
            "cudnnGetRNNWorkspaceSize",
            _status,
            (handle, rnnDesc, seqLength, xDesc),
        )
    _r = _unpack_Q(_out[1])
    _outs.append(_out)
    return _r[0]


def cudnnRNNForwardInference(
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

    Returns:
        None; the function writes `y`, `hy` and `cy`, in place.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier, removed in 9.0.0; deprecated since 8.5.0; use `cudnnRNNForward`.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/archives/cudnn-897/api/index.html#cudnnRNNForwardInference

    C, cudnn_adv_infer.h::

        cudnnStatus_t cudnnRNNForwardInference(cudnnHandle_t handle, const cudnnRNNDescriptor_t
            rnnDesc, const int seqLength, const cudnnTensorDescriptor_t *xDesc, const void *x,
            const cudnnTensorDescriptor_t hxDesc, const void *hx, const cudnnTensorDescriptor_t
            cxDesc, const void *cx, const cudnnFilterDescriptor_t wDesc, const void *w, const
            cudnnTensorDescriptor_t *yDesc, void *y, const cudnnTensorDescriptor_t hyDesc, void
            *hy, const cudnnTensorDescriptor_t cyDesc, void *cy, void *workSpace, size_t
            workSpaceSizeInBytes)
    """
    if _watching.watcher is not None:
        _watching.watcher(
            "cudnnRNNForwardInference",
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
    ) not in _plain_cudnnRNNForwardInference:
        return _slow(
            cudnnRNNForwardInference,
            "cudnnRNNForwardInference",
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
        _in_xDesc = _objects(xDesc, "cudnnTensorDescriptor_t", seqLength, "xDesc")
        _in_yDesc = _objects(yDesc, "cudnnTensorDescriptor_t", seqLength, "yDesc")
        _status = _cudnnRNNForwardInference(
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
        )
    except _CONVERT as _error:
        return _slow(
            cudnnRNNForwardInference,
            "cudnnRNNForwardInference",
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
            ),
            _error,
        )
    if _status:
        return _failed(
            cudnnRNNForwardInference,
            "cudnnRNNForwardInference",
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
            ),
        )
    return None


_cudnnRNNForwardInferenceEx = _quick(
    "cudnnRNNForwardInferenceEx",
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
    ),
    (None,),
)


@_instead(_cudnnRNNForwardInferenceEx)
def cudnnRNNForwardInferenceEx(
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

    Returns:
        None; the function writes `y`, `hy`, `cy`, `cAttn`, `iAttn` and `queries`, in place.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier, removed in 9.0.0; deprecated since 8.5.0; use `cudnnRNNForward`.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/archives/cudnn-897/api/index.html#cudnnRNNForwardInferenceEx

    C, cudnn_adv_infer.h::

        cudnnStatus_t cudnnRNNForwardInferenceEx(cudnnHandle_t handle, const
            cudnnRNNDescriptor_t rnnDesc, const cudnnRNNDataDescriptor_t xDesc, const void *x,
            const cudnnTensorDescriptor_t hxDesc, const void *hx, const cudnnTensorDescriptor_t
            cxDesc, const void *cx, const cudnnFilterDescriptor_t wDesc, const void *w, const
            cudnnRNNDataDescriptor_t yDesc, void *y, const cudnnTensorDescriptor_t hyDesc, void
            *hy, const cudnnTensorDescriptor_t cyDesc, void *cy, const cudnnRNNDataDescriptor_t
            kDesc, const void *keys, const cudnnRNNDataDescriptor_t cDesc, void *cAttn, const
            cudnnRNNDataDescriptor_t iDesc, void *iAttn, const cudnnRNNDataDescriptor_t qDesc,
            void *queries, void *workSpace, size_t workSpaceSizeInBytes)
    """
    return _cudnnRNNForwardInferenceEx(
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
    )


_cudnnRNNGetClip = _quick(
    "cudnnRNNGetClip",
    "qqdd",
    ("_cudnnHandle_t", "_cudnnRNNDescriptor_t"),
    (RNNGetClipResult, _RNNClipMode, _NanPropagation, None, None),
)


@_instead(_cudnnRNNGetClip)
def cudnnRNNGetClip(handle: Handle | int, rnnDesc: RNNDescriptor | int) -> RNNGetClipResult:
    """Return `clipMode`, `clipNanOpt`, `lclip` and `rclip` of `rnnDesc`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        rnnDesc: cudnnRNNDescriptor_t, an `RNNDescriptor` or its address.

    Returns:
        clipMode: RNNClipMode; whether an LSTM's cell state is clipped.
        clipNanOpt: NanPropagation; whether NaN in the input gives NaN.
        lclip: float; the lower bound of the cell state.
        rclip: float; the upper bound of the cell state.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier, removed in 9.0.0; deprecated since 8.5.0; use `cudnnRNNGetClip_v9`.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/archives/cudnn-897/api/index.html#cudnnRNNGetClip

    C, cudnn_adv_infer.h::

        cudnnStatus_t cudnnRNNGetClip(cudnnHandle_t handle, cudnnRNNDescriptor_t rnnDesc,
            cudnnRNNClipMode_t *clipMode, cudnnNanPropagation_t *clipNanOpt, double *lclip,
            double *rclip)
    """
    return _cudnnRNNGetClip(handle, rnnDesc)


_cudnnRNNSetClip = _quick(
    "cudnnRNNSetClip",
    "",
    ("_cudnnHandle_t", "_cudnnRNNDescriptor_t", None, None, None, None),
    (None,),
)


@_instead(_cudnnRNNSetClip)
def cudnnRNNSetClip(
    handle: Handle | int,
    rnnDesc: RNNDescriptor | int,
    clipMode: RNNClipMode,
    clipNanOpt: NanPropagation,
    lclip: float,
    rclip: float,
) -> None:
    """Set `clipMode`, `clipNanOpt`, `lclip` and `rclip` of `rnnDesc`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        rnnDesc: cudnnRNNDescriptor_t, an `RNNDescriptor` or its address, changed.
        clipMode: cudnnRNNClipMode_t, an `RNNClipMode`: `NONE` or `MINMAX`; whether an LSTM's
            cell state is clipped.
        clipNanOpt: cudnnNanPropagation_t, a `NanPropagation`: `NOT_PROPAGATE_NAN` or
            `PROPAGATE_NAN`; whether NaN in the input gives NaN.
        lclip: double; the lower bound of the cell state.
        rclip: double; the upper bound of the cell state.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier, removed in 9.0.0; deprecated since 8.5.0; use `cudnnRNNSetClip_v9`.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/archives/cudnn-897/api/index.html#cudnnRNNSetClip

    C, cudnn_adv_infer.h::

        cudnnStatus_t cudnnRNNSetClip(cudnnHandle_t handle, cudnnRNNDescriptor_t rnnDesc,
            cudnnRNNClipMode_t clipMode, cudnnNanPropagation_t clipNanOpt, double lclip, double
            rclip)
    """
    return _cudnnRNNSetClip(handle, rnnDesc, clipMode, clipNanOpt, lclip, rclip)


_cudnnSetPersistentRNNPlan = _quick(
    "cudnnSetPersistentRNNPlan",
    "",
    ("_cudnnRNNDescriptor_t", "_cudnnPersistentRNNPlan_t"),
    (None,),
)


@_instead(_cudnnSetPersistentRNNPlan)
def cudnnSetPersistentRNNPlan(rnnDesc: RNNDescriptor | int, plan: PersistentRNNPlan | int) -> None:
    """Set `plan` of `rnnDesc`.

    Args:
        rnnDesc: cudnnRNNDescriptor_t, an `RNNDescriptor` or its address, changed.
        plan: cudnnPersistentRNNPlan_t, a `PersistentRNNPlan` or its address.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier, removed in 9.0.0; deprecated since 8.5.0; use
    `cudnnBuildRNNDynamic`.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/archives/cudnn-897/api/index.html#cudnnSetPersistentRNNPlan

    C, cudnn_adv_infer.h::

        cudnnStatus_t cudnnSetPersistentRNNPlan(cudnnRNNDescriptor_t rnnDesc,
            cudnnPersistentRNNPlan_t plan)
    """
    return _cudnnSetPersistentRNNPlan(rnnDesc, plan)


_cudnnSetRNNAlgorithmDescriptor = _quick(
    "cudnnSetRNNAlgorithmDescriptor",
    "",
    ("_cudnnHandle_t", "_cudnnRNNDescriptor_t", "_cudnnAlgorithmDescriptor_t"),
    (None,),
)


@_instead(_cudnnSetRNNAlgorithmDescriptor)
def cudnnSetRNNAlgorithmDescriptor(
    handle: Handle | int,
    rnnDesc: RNNDescriptor | int,
    algoDesc: AlgorithmDescriptor | int,
) -> None:
    """Set `algoDesc` of `rnnDesc`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        rnnDesc: cudnnRNNDescriptor_t, an `RNNDescriptor` or its address, changed.
        algoDesc: cudnnAlgorithmDescriptor_t, an `AlgorithmDescriptor` or its address.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier, removed in 9.0.0; deprecated since 8.5.0; use
    `cudnnSetRNNDescriptor_v8`.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/archives/cudnn-897/api/index.html#cudnnSetRNNAlgorithmDescriptor

    C, cudnn_adv_infer.h::

        cudnnStatus_t cudnnSetRNNAlgorithmDescriptor(cudnnHandle_t handle, cudnnRNNDescriptor_t
            rnnDesc, cudnnAlgorithmDescriptor_t algoDesc)
    """
    return _cudnnSetRNNAlgorithmDescriptor(handle, rnnDesc, algoDesc)


_cudnnSetRNNBiasMode = _quick("cudnnSetRNNBiasMode", "", ("_cudnnRNNDescriptor_t", None), (None,))


@_instead(_cudnnSetRNNBiasMode)
def cudnnSetRNNBiasMode(rnnDesc: RNNDescriptor | int, biasMode: RNNBiasMode) -> None:
    """Set `biasMode` of `rnnDesc`.

    Args:
        rnnDesc: cudnnRNNDescriptor_t, an `RNNDescriptor` or its address, changed.
        biasMode: cudnnRNNBiasMode_t, an `RNNBiasMode`: `NO_BIAS`, `SINGLE_INP_BIAS`,
            `DOUBLE_BIAS` or `SINGLE_REC_BIAS`; how many biases each gate has: none, one at the
            input or the recurrence, or both.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier, removed in 9.0.0; deprecated since 8.5.0; use
    `cudnnSetRNNDescriptor_v8`.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/archives/cudnn-897/api/index.html#cudnnSetRNNBiasMode

    C, cudnn_adv_infer.h::

        cudnnStatus_t cudnnSetRNNBiasMode(cudnnRNNDescriptor_t rnnDesc, cudnnRNNBiasMode_t
            biasMode)
    """
    return _cudnnSetRNNBiasMode(rnnDesc, biasMode)


_cudnnSetRNNDescriptor_v6 = _quick(
    "cudnnSetRNNDescriptor_v6",
    "",
    (
        "_cudnnHandle_t",
        "_cudnnRNNDescriptor_t",
        None,
        None,
        "_cudnnDropoutDescriptor_t",
        None,
        None,
        None,
        None,
        None,
    ),
    (None,),
)


@_instead(_cudnnSetRNNDescriptor_v6)
def cudnnSetRNNDescriptor_v6(
    handle: Handle | int,
    rnnDesc: RNNDescriptor | int,
    hiddenSize: int,
    numLayers: int,
    dropoutDesc: DropoutDescriptor | int | None,
    inputMode: RNNInputMode,
    direction: DirectionMode,
    cellMode: RNNMode,
    algo: RNNAlgo,
    mathPrec: DataType,
) -> None:
    """Set up `rnnDesc` from the other arguments.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        rnnDesc: cudnnRNNDescriptor_t, an `RNNDescriptor` or its address, changed.
        hiddenSize: const int.
        numLayers: const int.
        dropoutDesc: cudnnDropoutDescriptor_t, a `DropoutDescriptor` or its address, or None;
            dropout between layers, at training.
        inputMode: cudnnRNNInputMode_t, an `RNNInputMode`: `LINEAR_INPUT` or `SKIP_INPUT`;
            whether the first layer multiplies its input by weights, or adds it as it is
            (`SKIP_INPUT`).
        direction: cudnnDirectionMode_t, a `DirectionMode`: `UNIDIRECTIONAL` or `BIDIRECTIONAL`;
            `BIDIRECTIONAL` runs over time both ways, and outputs both results next to each
            other.
        cellMode: cudnnRNNMode_t, an `RNNMode`: `RNN_RELU`, `RNN_TANH`, `LSTM` or `GRU`; the
            cell: h = relu(W x + R h + b), tanh of the same, LSTM or GRU.
        algo: cudnnRNNAlgo_t, an `RNNAlgo`: `STANDARD`, `PERSIST_STATIC`, `PERSIST_DYNAMIC`,
            `PERSIST_STATIC_SMALL_H` or `COUNT`; `STANDARD`, or one that keeps recurrent weights
            on the chip: faster for small batches and some sizes only.
        mathPrec: cudnnDataType_t, a `DataType`; the type in which the computation is done.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier, removed in 9.0.0; deprecated since 8.5.0; use
    `cudnnSetRNNDescriptor_v8`.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/archives/cudnn-897/api/index.html#cudnnSetRNNDescriptor_v6

    C, cudnn_adv_infer.h::

        cudnnStatus_t cudnnSetRNNDescriptor_v6(cudnnHandle_t handle, cudnnRNNDescriptor_t
            rnnDesc, const int hiddenSize, const int numLayers, cudnnDropoutDescriptor_t
            dropoutDesc, cudnnRNNInputMode_t inputMode, cudnnDirectionMode_t direction,
            cudnnRNNMode_t cellMode, cudnnRNNAlgo_t algo, cudnnDataType_t mathPrec)
    """
    return _cudnnSetRNNDescriptor_v6(
        handle,
        rnnDesc,
        hiddenSize,
        numLayers,
        dropoutDesc,
        inputMode,
        direction,
        cellMode,
        algo,
        mathPrec,
    )


_cudnnSetRNNMatrixMathType = _quick(
    "cudnnSetRNNMatrixMathType",
    "",
    ("_cudnnRNNDescriptor_t", None),
    (None,),
)


@_instead(_cudnnSetRNNMatrixMathType)
def cudnnSetRNNMatrixMathType(rnnDesc: RNNDescriptor | int, mType: MathType) -> None:
    """Set `mType` of `rnnDesc`.

    Args:
        rnnDesc: cudnnRNNDescriptor_t, an `RNNDescriptor` or its address, changed.
        mType: cudnnMathType_t, a `MathType`: `DEFAULT_MATH`, `TENSOR_OP_MATH`,
            `TENSOR_OP_MATH_ALLOW_CONVERSION` or `FMA_MATH`; whether Tensor Cores may be used,
            and inputs rounded to narrower types for them.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier, removed in 9.0.0; deprecated since 8.5.0; use
    `cudnnSetRNNDescriptor_v8`.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/archives/cudnn-897/api/index.html#cudnnSetRNNMatrixMathType

    C, cudnn_adv_infer.h::

        cudnnStatus_t cudnnSetRNNMatrixMathType(cudnnRNNDescriptor_t rnnDesc, cudnnMathType_t
            mType)
    """
    return _cudnnSetRNNMatrixMathType(rnnDesc, mType)


_cudnnSetRNNPaddingMode = _quick(
    "cudnnSetRNNPaddingMode",
    "",
    ("_cudnnRNNDescriptor_t", None),
    (None,),
)


@_instead(_cudnnSetRNNPaddingMode)
def cudnnSetRNNPaddingMode(rnnDesc: RNNDescriptor | int, paddingMode: RNNPaddedIO | int) -> None:
    """Set `paddingMode` of `rnnDesc`.

    Args:
        rnnDesc: cudnnRNNDescriptor_t, an `RNNDescriptor` or its address, changed.
        paddingMode: unsigned int, bits of `RNNPaddedIO`; whether sequences of different lengths
            may be padded, instead of packed by steps.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier, removed in 9.0.0; deprecated since 8.5.0; use
    `cudnnSetRNNDescriptor_v8`.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/archives/cudnn-897/api/index.html#cudnnSetRNNPaddingMode

    C, cudnn_adv_infer.h::

        cudnnStatus_t cudnnSetRNNPaddingMode(cudnnRNNDescriptor_t rnnDesc, unsigned int
            paddingMode)
    """
    return _cudnnSetRNNPaddingMode(rnnDesc, paddingMode)


_cudnnSetRNNProjectionLayers = _quick(
    "cudnnSetRNNProjectionLayers",
    "",
    ("_cudnnHandle_t", "_cudnnRNNDescriptor_t", None, None),
    (None,),
)


@_instead(_cudnnSetRNNProjectionLayers)
def cudnnSetRNNProjectionLayers(
    handle: Handle | int,
    rnnDesc: RNNDescriptor | int,
    recProjSize: int,
    outProjSize: int,
) -> None:
    """Set `recProjSize` and `outProjSize` of `rnnDesc`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        rnnDesc: cudnnRNNDescriptor_t, an `RNNDescriptor` or its address, changed.
        recProjSize: const int.
        outProjSize: const int.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier, removed in 9.0.0; deprecated since 8.5.0; use
    `cudnnSetRNNDescriptor_v8`.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/archives/cudnn-897/api/index.html#cudnnSetRNNProjectionLayers

    C, cudnn_adv_infer.h::

        cudnnStatus_t cudnnSetRNNProjectionLayers(cudnnHandle_t handle, cudnnRNNDescriptor_t
            rnnDesc, const int recProjSize, const int outProjSize)
    """
    return _cudnnSetRNNProjectionLayers(handle, rnnDesc, recProjSize, outProjSize)
