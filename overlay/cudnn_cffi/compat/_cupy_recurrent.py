"""The recurrent functions of cuDNN 6 and 7, which CuPy calls, by those of version 8.

Version 8 wants to know the size of input vectors when a network is described; version 6 learnt it
from the descriptors of each call. So what version 6 sets is kept by the address of the descriptor,
and the descriptor is set when a call tells the rest. Descriptors of time steps become one of
sequences. Where the loaded cuDNN still has the old functions, they are called themselves.
"""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple

from .. import errors
from .._lookup import has
from .._support.recent import Recent
from ..descriptors import RNNDataDescriptor, TensorDescriptor
from ..memory import DeviceArray
from ._calls import calls
from ._cupy_constants import (
    CUDNN_DATA_FLOAT,
    CUDNN_DATA_HALF,
    CUDNN_RNN_ALGO_STANDARD,
    CUDNN_RNN_PADDED_IO_DISABLED,
    CUDNN_RNN_PADDED_IO_ENABLED,
    CUDNN_TENSOR_NCHW,
)
from ._cupy_raw import CuDNNError, follow, numbers_at, raised

# Numbers of version 8's enums, which no release changes.
_DOUBLE_BIAS = 2
_DEFAULT_MATH = 0
_INFERENCE, _TRAINING = 0, 1
_ADD = 0

#: Lengths of sequences in device memory, by device and lengths.
_lengths: dict[Any, Any] = Recent(256)


class _Settings(NamedTuple):
    """What version 6 sets of a network."""

    hidden: int
    layers: int
    dropout: int
    input_mode: int
    direction: int
    cell: int
    algorithm: int
    compute: int


class _Network:
    """What is known of the network that a descriptor stands for."""

    def __init__(self) -> None:
        self.settings: _Settings | None = None
        self.padding = CUDNN_RNN_PADDED_IO_DISABLED
        self.prepared: Any = None


#: Networks by the address of their descriptor.
_networks: dict[int, _Network] = {}


def _is_old() -> bool:
    """Return whether the loaded release has the functions of version 6."""
    return has("cudnnSetRNNDescriptor_v6")


def createRNNDescriptor() -> int:
    """Call `cudnnCreateRNNDescriptor`."""
    with raised():
        address = int(calls.cudnnCreateRNNDescriptor())
        _networks[address] = _Network()
        return address


def destroyRNNDescriptor(rnnDesc: int) -> None:
    """Call `cudnnDestroyRNNDescriptor`."""
    with raised():
        _networks.pop(rnnDesc, None)
        calls.cudnnDestroyRNNDescriptor(rnnDesc)


def setRNNDescriptor_v6(
    handle: int, rnnDesc: int, hiddenSize: int, numLayers: int, dropoutDesc: int, inputMode: int,
    direction: int, mode: int, algo: int, dataType: int,
) -> None:  # fmt: skip
    """Describe a network, by `cudnnSetRNNDescriptor_v8` when its input is known."""
    with raised():
        if _is_old():
            calls.cudnnSetRNNDescriptor_v6(
                handle, rnnDesc, hiddenSize, numLayers, dropoutDesc, inputMode, direction, mode,
                algo, dataType,
            )  # fmt: skip
            return
        network = _networks.setdefault(rnnDesc, _Network())
        network.settings = _Settings(
            hiddenSize, numLayers, dropoutDesc, inputMode, direction, mode, algo, dataType
        )
        network.prepared = None
        _prepare(rnnDesc, hiddenSize, dataType)


def setRNNDescriptor_v5(
    rnnDesc: int, hiddenSize: int, numLayers: int, dropoutDesc: int, inputMode: int,
    direction: int, mode: int, dataType: int,
) -> None:  # fmt: skip
    """Describe a network with the standard algorithm."""
    if _is_old():
        error = CuDNNError(9)
        error.add_info("use setRNNDescriptor_v6, which takes a handle and an algorithm")
        raise error
    setRNNDescriptor_v6(
        0, rnnDesc, hiddenSize, numLayers, dropoutDesc, inputMode, direction, mode,
        CUDNN_RNN_ALGO_STANDARD, dataType,
    )  # fmt: skip


def setRNNPaddingMode(rnnDesc: int, paddingMode: int) -> None:
    """Set whether sequences may be padded in memory."""
    with raised():
        if paddingMode not in (CUDNN_RNN_PADDED_IO_DISABLED, CUDNN_RNN_PADDED_IO_ENABLED):
            raise errors.BadParamError(f"paddingMode: 0 or 1 was expected, {paddingMode!r} came")
        if _is_old():
            calls.cudnnSetRNNPaddingMode(rnnDesc, paddingMode)
            return
        _networks.setdefault(rnnDesc, _Network()).padding = paddingMode


def getRNNPaddingMode(rnnDesc: int) -> int:
    """Return whether sequences may be padded in memory."""
    with raised():
        if _is_old():
            return int(calls.cudnnGetRNNPaddingMode(rnnDesc))
        return _networks.setdefault(rnnDesc, _Network()).padding


def _prepare(address: int, input_size: int, data_type: int) -> None:
    """Set a descriptor to a network with inputs of a size and data type."""
    network = _networks.get(address)
    if network is None or network.settings is None:
        raise errors.NotInitializedError(
            "the descriptor of the network is not set", hint="call setRNNDescriptor_v6 before"
        )
    wanted = (int(input_size), int(data_type), network.padding)
    if network.prepared == wanted:
        return
    own = network.settings
    half = int(data_type) == CUDNN_DATA_HALF
    calls.cudnnSetRNNDescriptor_v8(
        address, own.algorithm, own.cell, _DOUBLE_BIAS, own.direction, own.input_mode,
        int(data_type), CUDNN_DATA_FLOAT if half else int(data_type), _DEFAULT_MATH,
        int(input_size), own.hidden, own.hidden, own.layers, own.dropout or None, network.padding,
    )  # fmt: skip
    network.prepared = wanted


def _input_of(tensor: int) -> tuple[int, int]:
    """Return the size of vectors and the data type of a tensor (batch, size, 1)."""
    got = calls.cudnnGetTensorNdDescriptor(tensor, 3)
    return got.dimA[1], int(got.dataType)


def _steps(count: int, array: Any) -> tuple[tuple[int, ...], int, int]:
    """Return the lengths of sequences, the size of vectors, and the data type.

    Args:
        count: the number of time steps.
        array: the address of descriptors in host memory, one for each step.
    """
    tensors = numbers_at(int(array), count, ctypes.c_size_t)
    batches = [calls.cudnnGetTensorNdDescriptor(each, 3).dimA[0] for each in tensors]
    if sorted(batches, reverse=True) != batches:
        raise errors.BadParamError(
            f"the batches of time steps must not grow, {batches} came",
            hint="sort sequences, the longest first",
        )
    lengths = tuple(
        sum(batch > place for batch in batches) for place in range(batches[0] if batches else 0)
    )
    size, data_type = _input_of(tensors[0])
    return lengths, size, data_type


def _data(lengths: tuple[int, ...], size: int, data_type: int) -> RNNDataDescriptor:
    """Describe sequences without padding."""
    desc = RNNDataDescriptor()
    layout = 1  # SEQ_MAJOR_PACKED
    longest = max(lengths)
    calls.cudnnSetRNNDataDescriptor(
        desc, data_type, layout, longest, len(lengths), size, lengths, 0.0
    )
    return desc


def _on_device(lengths: tuple[int, ...]) -> Any:
    """Return lengths in device memory, as 32-bit integers."""
    import numpy as np

    from ..driver import device_of

    key = device_of(), lengths
    if key not in _lengths:
        _lengths[key] = DeviceArray.from_numpy(np.array(lengths, "int32"))
    return _lengths[key]


def _described(data: int) -> tuple[tuple[int, ...], int, int]:
    """Return the lengths of sequences, the size of vectors, and the data type."""
    batch = calls.cudnnGetRNNDataDescriptor(data, 0).batchSize
    got = calls.cudnnGetRNNDataDescriptor(data, batch)
    return tuple(got.seqLengthArray), got.vectorSize, int(got.dataType)


def getRNNDataDescriptor(
    RNNDataDesc: int, dataType: Any, layout: Any, maxSeqLength: Any, batchSize: Any,
    vectorSize: Any, arrayLengthRequested: int, seqLengthArray: Any, paddingFill: Any,
) -> None:  # fmt: skip
    """Call `cudnnGetRNNDataDescriptor`; results go to addresses of host memory."""
    with raised():
        got = calls.cudnnGetRNNDataDescriptor(RNNDataDesc, arrayLengthRequested)
        values = (
            (dataType, got.dataType), (layout, got.layout), (maxSeqLength, got.maxSeqLength),
            (batchSize, got.batchSize), (vectorSize, got.vectorSize),
        )  # fmt: skip
        for address, value in values:
            ctypes.c_int.from_address(address).value = int(value)
        for place, length in enumerate(got.seqLengthArray):
            ctypes.c_int.from_address(seqLengthArray + 4 * place).value = length
        if paddingFill:
            double = got.dataType.name == "DOUBLE"
            kind = ctypes.c_double if double else ctypes.c_float
            kind.from_address(paddingFill).value = got.paddingFill


# Sizes and weights


def _sizes(handle: int, rnnDesc: int, seqLength: int, xDesc: Any) -> tuple[int, int]:
    """Return the bytes of workspace and reserve space that training takes, or inference."""
    lengths, size, data_type = _steps(seqLength, xDesc)
    _prepare(rnnDesc, size, data_type)
    data = _data(lengths, size, data_type)
    get = calls.cudnnGetRNNTempSpaceSizes
    training = get(handle, rnnDesc, _TRAINING, data)
    inference = get(handle, rnnDesc, _INFERENCE, data)
    return max(training.workSpaceSize, inference.workSpaceSize), training.reserveSpaceSize


def getRNNWorkspaceSize(handle: int, rnnDesc: int, seqLength: int, xDesc: Any) -> int:
    """Return the bytes of workspace, by `cudnnGetRNNTempSpaceSizes`."""
    with raised():
        if _is_old():
            return int(calls.cudnnGetRNNWorkspaceSize(handle, rnnDesc, seqLength, xDesc))
        return _sizes(handle, rnnDesc, seqLength, xDesc)[0]


def getRNNTrainingReserveSize(handle: int, rnnDesc: int, seqLength: int, xDesc: Any) -> int:
    """Return the bytes of reserve space, by `cudnnGetRNNTempSpaceSizes`."""
    with raised():
        if _is_old():
            return int(calls.cudnnGetRNNTrainingReserveSize(handle, rnnDesc, seqLength, xDesc))
        return _sizes(handle, rnnDesc, seqLength, xDesc)[1]


def getRNNParamsSize(handle: int, rnnDesc: int, xDesc: int, dataType: int) -> int:
    """Return the bytes of weights, by `cudnnGetRNNWeightSpaceSize`."""
    with raised():
        if _is_old():
            return int(calls.cudnnGetRNNParamsSize(handle, rnnDesc, xDesc, dataType))
        _prepare(rnnDesc, _input_of(xDesc)[0], dataType)
        return int(calls.cudnnGetRNNWeightSpaceSize(handle, rnnDesc))


def _parameter(
    bias: bool, handle: int, rnnDesc: int, layer: int, xDesc: int, w: Any, linLayerID: int,
    filterDesc: int, pointer: int,
) -> None:  # fmt: skip
    """Write the address and the extents of a matrix or bias, by `cudnnGetRNNWeightParams`."""
    size, data_type = _input_of(xDesc)
    _prepare(rnnDesc, size, data_type)
    total = calls.cudnnGetRNNWeightSpaceSize(handle, rnnDesc)
    matrix, vector = TensorDescriptor(), TensorDescriptor()
    got = calls.cudnnGetRNNWeightParams(
        handle, rnnDesc, layer, total, w, linLayerID, matrix, vector
    )
    address, tensor = (got.bAddr, vector) if bias else (got.mAddr, matrix)
    if not address:
        # As with skipped inputs, which have no matrix.
        calls.cudnnSetFilterNdDescriptor(filterDesc, data_type, CUDNN_TENSOR_NCHW, 3, (1, 1, 1))
    else:
        dims = calls.cudnnGetTensorNdDescriptor(tensor, 3).dimA
        calls.cudnnSetFilterNdDescriptor(filterDesc, data_type, CUDNN_TENSOR_NCHW, 3, dims)
    ctypes.c_void_p.from_address(pointer).value = address or None


def getRNNLinLayerMatrixParams(
    handle: int, rnnDesc: int, layer: int, xDesc: int, wDesc: int, w: Any, linLayerID: int,
    linLayerMatDesc: int, linLayerMat: int,
) -> None:  # fmt: skip
    """Find a matrix in the weights; its address is written to `linLayerMat`."""
    with raised():
        if _is_old():
            found = calls.cudnnGetRNNLinLayerMatrixParams(
                handle, rnnDesc, layer, xDesc, wDesc, w, linLayerID, linLayerMatDesc
            )
            ctypes.c_void_p.from_address(linLayerMat).value = found
            return
        _parameter(
            False, handle, rnnDesc, layer, xDesc, w, linLayerID, linLayerMatDesc, linLayerMat
        )


def getRNNLinLayerBiasParams(
    handle: int, rnnDesc: int, layer: int, xDesc: int, wDesc: int, w: Any, linLayerID: int,
    linLayerBiasDesc: int, linLayerBias: int,
) -> None:  # fmt: skip
    """Find a bias in the weights; its address is written to `linLayerBias`."""
    with raised():
        if _is_old():
            found = calls.cudnnGetRNNLinLayerBiasParams(
                handle, rnnDesc, layer, xDesc, wDesc, w, linLayerID, linLayerBiasDesc
            )
            ctypes.c_void_p.from_address(linLayerBias).value = found
            return
        _parameter(
            True, handle, rnnDesc, layer, xDesc, w, linLayerID, linLayerBiasDesc, linLayerBias
        )


# Forward and backward


def _forward(
    mode: int, handle: int, rnnDesc: int, data: tuple[Any, Any], lengths: tuple[int, ...],
    x: Any, hxDesc: int, hx: Any, cxDesc: int, cx: Any, w: Any, y: Any, hyDesc: int, hy: Any,
    cyDesc: int, cy: Any, workspace: Any, workspaceSize: int, reserve: Any, reserveSize: int,
) -> None:  # fmt: skip
    weights = calls.cudnnGetRNNWeightSpaceSize(handle, rnnDesc)
    calls.cudnnRNNForward(
        handle, rnnDesc, mode, _on_device(lengths), data[0], x, data[1], y, hxDesc or hyDesc, hx,
        hy, cxDesc or cyDesc, cx, cy, weights, w, workspaceSize, workspace, reserveSize, reserve,
    )  # fmt: skip


def _check_no_attention(*given: Any) -> None:
    if any(given):
        raise errors.BadParamError("descriptors and arrays of attention must be 0, as in C")


def RNNForwardInference(
    handle: int, rnnDesc: int, seqLength: int, xDesc: Any, x: Any, hxDesc: int, hx: Any,
    cxDesc: int, cx: Any, wDesc: int, w: Any, yDesc: Any, y: Any, hyDesc: int, hy: Any,
    cyDesc: int, cy: Any, workspace: Any, workSpaceSizeInBytes: int,
) -> None:  # fmt: skip
    """Run a network over sequences without padding, by `cudnnRNNForward`."""
    with raised():
        follow(handle)
        if _is_old():
            calls.cudnnRNNForwardInference(
                handle, rnnDesc, seqLength, xDesc, x, hxDesc, hx, cxDesc, cx, wDesc, w, yDesc, y,
                hyDesc, hy, cyDesc, cy, workspace, workSpaceSizeInBytes,
            )  # fmt: skip
            return
        data, lengths = _both(rnnDesc, seqLength, xDesc, yDesc)
        _forward(
            _INFERENCE, handle, rnnDesc, data, lengths, x, hxDesc, hx, cxDesc, cx, w, y, hyDesc,
            hy, cyDesc, cy, workspace, workSpaceSizeInBytes, None, 0,
        )  # fmt: skip


def RNNForwardTraining(
    handle: int, rnnDesc: int, seqLength: int, xDesc: Any, x: Any, hxDesc: int, hx: Any,
    cxDesc: int, cx: Any, wDesc: int, w: Any, yDesc: Any, y: Any, hyDesc: int, hy: Any,
    cyDesc: int, cy: Any, workspace: Any, workSpaceSizeInBytes: int, reserveSpace: Any,
    reserveSpaceSizeInBytes: int,
) -> None:  # fmt: skip
    """Run a network over sequences without padding, by `cudnnRNNForward`."""
    with raised():
        follow(handle)
        if _is_old():
            calls.cudnnRNNForwardTraining(
                handle, rnnDesc, seqLength, xDesc, x, hxDesc, hx, cxDesc, cx, wDesc, w, yDesc, y,
                hyDesc, hy, cyDesc, cy, workspace, workSpaceSizeInBytes, reserveSpace,
                reserveSpaceSizeInBytes,
            )  # fmt: skip
            return
        data, lengths = _both(rnnDesc, seqLength, xDesc, yDesc)
        _forward(
            _TRAINING, handle, rnnDesc, data, lengths, x, hxDesc, hx, cxDesc, cx, w, y, hyDesc, hy,
            cyDesc, cy, workspace, workSpaceSizeInBytes, reserveSpace, reserveSpaceSizeInBytes,
        )  # fmt: skip


def _both(
    rnnDesc: int, count: int, xDesc: Any, yDesc: Any
) -> tuple[tuple[RNNDataDescriptor, RNNDataDescriptor], tuple[int, ...]]:
    """Return descriptors of input and output, and the lengths of sequences."""
    lengths, size, data_type = _steps(count, xDesc)
    others, width, _ = _steps(count, yDesc)
    if lengths != others:
        raise errors.BadParamError(f"x has sequences of {lengths} steps, y of {others}")
    _prepare(rnnDesc, size, data_type)
    return (_data(lengths, size, data_type), _data(lengths, width, data_type)), lengths


def RNNForwardInferenceEx(
    handle: int, rnnDesc: int, xDesc: int, x: Any, hxDesc: int, hx: Any, cxDesc: int, cx: Any,
    wDesc: int, w: Any, yDesc: int, y: Any, hyDesc: int, hy: Any, cyDesc: int, cy: Any,
    kDesc: int, keys: Any, cDesc: int, cAttn: Any, iDesc: int, iAttn: Any, qDesc: int,
    queries: Any, workSpace: Any, workSpaceSizeInBytes: int,
) -> None:  # fmt: skip
    """Run a network over sequences, by `cudnnRNNForward`."""
    with raised():
        follow(handle)
        if _is_old():
            calls.cudnnRNNForwardInferenceEx(
                handle, rnnDesc, xDesc, x, hxDesc, hx, cxDesc, cx, wDesc, w, yDesc, y, hyDesc, hy,
                cyDesc, cy, kDesc, keys, cDesc, cAttn, iDesc, iAttn, qDesc, queries, workSpace,
                workSpaceSizeInBytes,
            )  # fmt: skip
            return
        _check_no_attention(kDesc, keys, cDesc, cAttn, iDesc, iAttn, qDesc, queries)
        lengths, size, data_type = _described(xDesc)
        _prepare(rnnDesc, size, data_type)
        _forward(
            _INFERENCE, handle, rnnDesc, (xDesc, yDesc), lengths, x, hxDesc, hx, cxDesc, cx, w, y,
            hyDesc, hy, cyDesc, cy, workSpace, workSpaceSizeInBytes, None, 0,
        )  # fmt: skip


def RNNForwardTrainingEx(
    handle: int, rnnDesc: int, xDesc: int, x: Any, hxDesc: int, hx: Any, cxDesc: int, cx: Any,
    wDesc: int, w: Any, yDesc: int, y: Any, hyDesc: int, hy: Any, cyDesc: int, cy: Any,
    kDesc: int, keys: Any, cDesc: int, cAttn: Any, iDesc: int, iAttn: Any, qDesc: int,
    queries: Any, workSpace: Any, workSpaceSizeInBytes: int, reserveSpace: Any,
    reserveSpaceSizeInBytes: int,
) -> None:  # fmt: skip
    """Run a network over sequences, by `cudnnRNNForward`."""
    with raised():
        follow(handle)
        if _is_old():
            calls.cudnnRNNForwardTrainingEx(
                handle, rnnDesc, xDesc, x, hxDesc, hx, cxDesc, cx, wDesc, w, yDesc, y, hyDesc, hy,
                cyDesc, cy, kDesc, keys, cDesc, cAttn, iDesc, iAttn, qDesc, queries, workSpace,
                workSpaceSizeInBytes, reserveSpace, reserveSpaceSizeInBytes,
            )  # fmt: skip
            return
        _check_no_attention(kDesc, keys, cDesc, cAttn, iDesc, iAttn, qDesc, queries)
        lengths, size, data_type = _described(xDesc)
        _prepare(rnnDesc, size, data_type)
        _forward(
            _TRAINING, handle, rnnDesc, (xDesc, yDesc), lengths, x, hxDesc, hx, cxDesc, cx, w, y,
            hyDesc, hy, cyDesc, cy, workSpace, workSpaceSizeInBytes, reserveSpace,
            reserveSpaceSizeInBytes,
        )  # fmt: skip


def _backward_data(
    handle: int, rnnDesc: int, lengths: tuple[int, ...], yDesc: Any, y: Any, dy: Any, xDesc: Any,
    dx: Any, hDesc: int, hx: Any, dhy: Any, dhx: Any, cDesc: int, cx: Any, dcy: Any, dcx: Any,
    w: Any, workspace: Any, workspaceSize: int, reserve: Any, reserveSize: int,
) -> None:  # fmt: skip
    weights = calls.cudnnGetRNNWeightSpaceSize(handle, rnnDesc)
    calls.cudnnRNNBackwardData_v8(
        handle, rnnDesc, _on_device(lengths), yDesc, y, dy, xDesc, dx, hDesc, hx, dhy, dhx, cDesc,
        cx, dcy, dcx, weights, w, workspaceSize, workspace, reserveSize, reserve,
    )  # fmt: skip


def RNNBackwardData(
    handle: int, rnnDesc: int, seqLength: int, yDesc: Any, y: Any, dyDesc: Any, dy: Any,
    dhyDesc: int, dhy: Any, dcyDesc: int, dcy: Any, wDesc: int, w: Any, hxDesc: int, hx: Any,
    cxDesc: int, cx: Any, dxDesc: Any, dx: Any, dhxDesc: int, dhx: Any, dcxDesc: int, dcx: Any,
    workspace: Any, workSpaceSizeInBytes: int, reserveSpace: Any, reserveSpaceSizeInBytes: int,
) -> None:  # fmt: skip
    """Compute gradients for input and states, by `cudnnRNNBackwardData_v8`."""
    with raised():
        follow(handle)
        if _is_old():
            calls.cudnnRNNBackwardData(
                handle, rnnDesc, seqLength, yDesc, y, dyDesc, dy, dhyDesc, dhy, dcyDesc, dcy,
                wDesc, w, hxDesc, hx, cxDesc, cx, dxDesc, dx, dhxDesc, dhx, dcxDesc, dcx,
                workspace, workSpaceSizeInBytes, reserveSpace, reserveSpaceSizeInBytes,
            )  # fmt: skip
            return
        data, lengths = _both(rnnDesc, seqLength, dxDesc, yDesc)
        _backward_data(
            handle, rnnDesc, lengths, data[1], y, dy, data[0], dx, hxDesc or dhyDesc or dhxDesc,
            hx, dhy, dhx, cxDesc or dcyDesc or dcxDesc, cx, dcy, dcx, w, workspace,
            workSpaceSizeInBytes, reserveSpace, reserveSpaceSizeInBytes,
        )  # fmt: skip


def RNNBackwardDataEx(
    handle: int, rnnDesc: int, yDesc: int, y: Any, dyDesc: int, dy: Any, dcDesc: int, dcAttn: Any,
    dhyDesc: int, dhy: Any, dcyDesc: int, dcy: Any, wDesc: int, w: Any, hxDesc: int, hx: Any,
    cxDesc: int, cx: Any, dxDesc: int, dx: Any, dhxDesc: int, dhx: Any, dcxDesc: int, dcx: Any,
    dkDesc: int, dkeys: Any, workSpace: Any, workSpaceSizeInBytes: int, reserveSpace: Any,
    reserveSpaceSizeInBytes: int,
) -> None:  # fmt: skip
    """Compute gradients for input and states, by `cudnnRNNBackwardData_v8`."""
    with raised():
        follow(handle)
        if _is_old():
            calls.cudnnRNNBackwardDataEx(
                handle, rnnDesc, yDesc, y, dyDesc, dy, dcDesc, dcAttn, dhyDesc, dhy, dcyDesc, dcy,
                wDesc, w, hxDesc, hx, cxDesc, cx, dxDesc, dx, dhxDesc, dhx, dcxDesc, dcx, dkDesc,
                dkeys, workSpace, workSpaceSizeInBytes, reserveSpace, reserveSpaceSizeInBytes,
            )  # fmt: skip
            return
        _check_no_attention(dcDesc, dcAttn, dkDesc, dkeys)
        lengths, size, data_type = _described(dxDesc)
        _prepare(rnnDesc, size, data_type)
        _backward_data(
            handle, rnnDesc, lengths, yDesc, y, dy, dxDesc, dx, hxDesc or dhyDesc or dhxDesc, hx,
            dhy, dhx, cxDesc or dcyDesc or dcxDesc, cx, dcy, dcx, w, workSpace,
            workSpaceSizeInBytes, reserveSpace, reserveSpaceSizeInBytes,
        )  # fmt: skip


def _backward_weights(
    handle: int, rnnDesc: int, lengths: tuple[int, ...], xDesc: Any, x: Any, hDesc: int, hx: Any,
    yDesc: Any, y: Any, dw: Any, workspace: Any, workspaceSize: int, reserve: Any,
    reserveSize: int,
) -> None:  # fmt: skip
    weights = calls.cudnnGetRNNWeightSpaceSize(handle, rnnDesc)
    calls.cudnnRNNBackwardWeights_v8(
        handle, rnnDesc, _ADD, _on_device(lengths), xDesc, x, hDesc, hx, yDesc, y, weights, dw,
        workspaceSize, workspace, reserveSize, reserve,
    )  # fmt: skip


def RNNBackwardWeights(
    handle: int, rnnDesc: int, seqLength: int, xDesc: Any, x: Any, hxDesc: int, hx: Any,
    yDesc: Any, y: Any, workspace: Any, workSpaceSizeInBytes: int, dwDesc: int, dw: Any,
    reserveSpace: Any, reserveSpaceSizeInBytes: int,
) -> None:  # fmt: skip
    """Add the gradient for the weights to `dw`, by `cudnnRNNBackwardWeights_v8`."""
    with raised():
        follow(handle)
        if _is_old():
            calls.cudnnRNNBackwardWeights(
                handle, rnnDesc, seqLength, xDesc, x, hxDesc, hx, yDesc, y, workspace,
                workSpaceSizeInBytes, dwDesc, dw, reserveSpace, reserveSpaceSizeInBytes,
            )  # fmt: skip
            return
        data, lengths = _both(rnnDesc, seqLength, xDesc, yDesc)
        _backward_weights(
            handle, rnnDesc, lengths, data[0], x, hxDesc, hx, data[1], y, dw, workspace,
            workSpaceSizeInBytes, reserveSpace, reserveSpaceSizeInBytes,
        )  # fmt: skip


def RNNBackwardWeightsEx(
    handle: int, rnnDesc: int, xDesc: int, x: Any, hxDesc: int, hx: Any, yDesc: int, y: Any,
    workSpace: Any, workSpaceSizeInBytes: int, dwDesc: int, dw: Any, reserveSpace: Any,
    reserveSpaceSizeInBytes: int,
) -> None:  # fmt: skip
    """Add the gradient for the weights to `dw`, by `cudnnRNNBackwardWeights_v8`."""
    with raised():
        follow(handle)
        if _is_old():
            calls.cudnnRNNBackwardWeightsEx(
                handle, rnnDesc, xDesc, x, hxDesc, hx, yDesc, y, workSpace, workSpaceSizeInBytes,
                dwDesc, dw, reserveSpace, reserveSpaceSizeInBytes,
            )  # fmt: skip
            return
        lengths, size, data_type = _described(xDesc)
        _prepare(rnnDesc, size, data_type)
        _backward_weights(
            handle, rnnDesc, lengths, xDesc, x, hxDesc, hx, yDesc, y, dw, workSpace,
            workSpaceSizeInBytes, reserveSpace, reserveSpaceSizeInBytes,
        )  # fmt: skip
