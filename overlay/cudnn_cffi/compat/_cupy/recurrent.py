"""The recurrent functions of cuDNN 6 and 7, which CuPy calls, by those of version 8.

Version 8 wants to know the size of input vectors when a network is described; version 6 learnt it
from the descriptors of each call. So what version 6 sets is kept by the address of the descriptor,
and the descriptor is set when a call tells the rest. Descriptors of time steps become one of
sequences. Where the loaded cuDNN still has the old functions, they are called themselves.
"""

from __future__ import annotations

import ctypes
import functools
import inspect
import itertools
import operator
import sys
from collections.abc import Callable
from typing import Any, NamedTuple, ParamSpec, SupportsIndex, TypeVar, cast

from ... import errors
from ..._lookup import has
from ..._support.recent import Recent
from ...descriptors import RNNDataDescriptor, TensorDescriptor
from ...driver import device_of
from ...driver.graphs import capturing_graph
from ...memory import DeviceArray
from .._calls import calls
from .constants import (
    CUDNN_DATA_FLOAT,
    CUDNN_DATA_HALF,
    CUDNN_RNN_ALGO_PERSIST_DYNAMIC,
    CUDNN_RNN_ALGO_STANDARD,
    CUDNN_RNN_PADDED_IO_DISABLED,
    CUDNN_RNN_PADDED_IO_ENABLED,
    CUDNN_TENSOR_NCHW,
)
from .raw import CuDNNError, follow, numbers_at, raised

_P = ParamSpec("_P")
_R = TypeVar("_R")

__all__ = [
    "createPersistentRNNPlan",
    "createRNNDescriptor",
    "destroyPersistentRNNPlan",
    "destroyRNNDataDescriptor",
    "destroyRNNDescriptor",
    "getRNNDataDescriptor",
    "getRNNLinLayerBiasParams",
    "getRNNLinLayerMatrixParams",
    "getRNNPaddingMode",
    "getRNNParamsSize",
    "getRNNTrainingReserveSize",
    "getRNNWorkspaceSize",
    "setPersistentRNNPlan",
    "setRNNDataDescriptor",
    "setRNNDescriptor_v5",
    "setRNNDescriptor_v6",
    "setRNNPaddingMode",
]

# Numbers of version 8's enums, which no release changes.
_DOUBLE_BIAS = 2
_DEFAULT_MATH = 0
INFERENCE, TRAINING = 0, 1

#: Lengths of sequences in device memory, by device, stream and lengths; and those that CUDA graphs
#: read.
_lengths: dict[Any, Any] = Recent(256)
_captured: dict[int, Any] = {}

#: Facts about descriptors of time steps, by the address of their array: the number of sequences of
#: each step, the size of vectors, and the data type.
known_steps: dict[int, tuple[tuple[int, ...], int, int]] = {}

#: The same for descriptors of sequences that this room made: lengths, size of vectors, data type.
known_data: dict[int, tuple[tuple[int, ...], int, int]] = {}


class _Settings(NamedTuple):
    """Settings of a network in version 6."""

    hidden: int
    layers: int
    dropout: int
    input_mode: int
    direction: int
    cell: int
    algorithm: int
    compute: int


class _Network:
    """Facts about the network of a descriptor."""

    def __init__(self) -> None:
        self.settings: _Settings | None = None
        self.padding = CUDNN_RNN_PADDED_IO_DISABLED
        self.prepared: Any = None
        #: A handle of the device, for what is compiled.
        self.handle = 0
        #: The sequences of a batch that kernels are compiled for; 0 for none.
        self.minibatch = 0
        #: The bytes of the weights; None before they were asked for.
        self.weights: int | None = None


#: Networks by the address of their descriptor.
_networks: dict[int, _Network] = {}


def is_old() -> bool:
    """Return whether the loaded release has the functions of version 6."""
    return has("cudnnSetRNNDescriptor_v6")


def old_first(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Call cuDNN's own function if the release has it, else this one.

    A function whose first argument is a handle computes in CuPy's current stream.
    """
    c_name = f"cudnn{function.__name__[0].upper()}{function.__name__[1:]}"
    signature = inspect.signature(function)
    follows = function.__name__.startswith("RNN")

    @functools.wraps(function)
    def call(*args: _P.args, **named: _P.kwargs) -> _R:
        given = signature.bind(*args, **named).args if named else args
        with raised():
            if follows and given:
                follow(cast("int", given[0]))
            if not is_old():
                return function(*args, **named)
            got = getattr(calls, c_name)(*given)
            return cast("_R", None if got is None else int(got))

    return call


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
        if rnnDesc:
            calls.cudnnDestroyRNNDescriptor(rnnDesc)


@old_first
def setRNNDescriptor_v6(
    handle: int, rnnDesc: int, hiddenSize: int, numLayers: int, dropoutDesc: int, inputMode: int,
    direction: int, mode: int, algo: int, dataType: int,
) -> None:  # fmt: skip
    """Describe a network, by `cudnnSetRNNDescriptor_v8` when its input is known."""
    network = _networks.setdefault(rnnDesc, _Network())
    network.settings = _Settings(
        hiddenSize, numLayers, dropoutDesc, inputMode, direction, mode, algo, dataType
    )
    network.prepared, network.handle = None, handle
    prepare(rnnDesc, hiddenSize, dataType)


#: The sequences of a batch, by what stands for a plan of persistent kernels.
_plans: dict[int, int] = {}
_numbers = itertools.count(1)


@old_first
def createPersistentRNNPlan(rnnDesc: int, minibatch: int, dataType: int) -> int:
    """Return what stands for kernels of a size of batches; `setPersistentRNNPlan` takes it.

    cuDNN 9 compiles them by `cudnnBuildRNNDynamic`, when a call tells the size of the input.
    """
    network = _networks.get(rnnDesc)
    settings = None if network is None else network.settings
    if settings is None or settings.algorithm != CUDNN_RNN_ALGO_PERSIST_DYNAMIC:
        raise errors.BadParamError("rnnDesc: expected a network with the algorithm PERSIST_DYNAMIC")
    if operator.index(minibatch) < 1:
        raise errors.BadParamError(f"minibatch: expected 1 or more, got {minibatch}")
    number = next(_numbers)
    _plans[number] = int(minibatch)
    return number


@old_first
def setPersistentRNNPlan(rnnDesc: int, plan: int) -> None:
    """Let a network use the kernels of a plan."""
    network = _networks.get(rnnDesc)
    if network is None or plan not in _plans:
        raise errors.BadParamError(
            "plan: expected what createPersistentRNNPlan returned",
            arguments={"rnnDesc": str(rnnDesc), "plan": str(plan)},
        )
    network.minibatch = _plans[plan]


def destroyPersistentRNNPlan(plan: int) -> None:
    """Destroy a plan; networks that use its kernels keep them."""
    with raised():
        if is_old():
            if plan:
                calls.cudnnDestroyPersistentRNNPlan(plan)
        else:
            _plans.pop(plan, None)


def setRNNDescriptor_v5(
    rnnDesc: int, hiddenSize: int, numLayers: int, dropoutDesc: int, inputMode: int, direction: int,
    mode: int, dataType: int,
) -> None:  # fmt: skip
    """Describe a network with the standard algorithm."""
    if is_old():
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
        if not -(1 << 31) <= operator.index(paddingMode) < 1 << 31:
            raise OverflowError(f"paddingMode: {paddingMode} is no C int")
        if paddingMode not in (CUDNN_RNN_PADDED_IO_DISABLED, CUDNN_RNN_PADDED_IO_ENABLED):
            raise errors.BadParamError(f"paddingMode: expected 0 or 1, got {paddingMode!r}")
        if is_old():
            calls.cudnnSetRNNPaddingMode(rnnDesc, paddingMode)
            return
        _networks.setdefault(rnnDesc, _Network()).padding = paddingMode


@old_first
def getRNNPaddingMode(rnnDesc: int) -> int:
    """Return whether sequences may be padded in memory."""
    return _networks.setdefault(rnnDesc, _Network()).padding


def prepare(address: int, input_size: int, data_type: int) -> None:
    """Set a descriptor to a network with inputs of a size and data type."""
    network = _networks.get(address)
    if network is None or network.settings is None:
        raise errors.NotInitializedError(
            "the descriptor of the network is not set", hint="call setRNNDescriptor_v6 before"
        )
    wanted = (int(input_size), int(data_type), network.padding, network.minibatch)
    if network.prepared == wanted:
        return
    own = network.settings
    half = int(data_type) == CUDNN_DATA_HALF
    calls.cudnnSetRNNDescriptor_v8(
        address, own.algorithm, own.cell, _DOUBLE_BIAS, own.direction, own.input_mode,
        int(data_type), CUDNN_DATA_FLOAT if half else int(data_type), _DEFAULT_MATH,
        int(input_size), own.hidden, own.hidden, own.layers, own.dropout or None, network.padding,
    )  # fmt: skip
    if network.minibatch and own.algorithm == CUDNN_RNN_ALGO_PERSIST_DYNAMIC:
        calls.cudnnBuildRNNDynamic(network.handle, address, network.minibatch)
    network.prepared = wanted
    network.weights = None


def weights_size(handle: int, address: int) -> int:
    """Return the bytes of the weights of a network that is prepared."""
    network = _networks[address]
    if network.weights is None:
        network.weights = int(calls.cudnnGetRNNWeightSpaceSize(handle, address))
    return network.weights


def _input_of(tensor: int) -> tuple[int, int]:
    """Return the size of vectors and the data type of a tensor (batch, size, 1)."""
    got = calls.cudnnGetTensorNdDescriptor(tensor, 3)
    return got.dimA[1], int(got.dataType)


def steps(count: int, array: SupportsIndex) -> tuple[tuple[int, ...], int, int]:
    """Return the lengths of sequences, the size of vectors, and the data type.

    Args:
        count: the number of time steps.
        array: the address of descriptors in host memory, one for each step.
    """
    known = known_steps.get(operator.index(array))
    if known is not None and len(known[0]) == count:
        batches, size, data_type = known
    else:
        tensors = numbers_at(operator.index(array), count, ctypes.c_size_t)
        batches = tuple([calls.cudnnGetTensorNdDescriptor(each, 3).dimA[0] for each in tensors])
        size, data_type = _input_of(tensors[0])
    return _lengths_of(batches), size, data_type


@functools.lru_cache(256)
def _lengths_of(batches: tuple[int, ...]) -> tuple[int, ...]:
    """Return the lengths of sequences by how many of them each time step has."""
    if not batches or tuple(sorted(batches, reverse=True)) != batches:
        raise errors.BadParamError(
            f"the batches of time steps must not grow, got {list(batches)}",
            hint="sort sequences, the longest first",
        )
    return tuple(sum(batch > place for batch in batches) for place in range(batches[0]))


def packed(lengths: tuple[int, ...], size: int, data_type: int) -> RNNDataDescriptor:
    """Describe sequences without padding."""
    desc = RNNDataDescriptor()
    layout = 1  # SEQ_MAJOR_PACKED
    longest = max(lengths)
    calls.cudnnSetRNNDataDescriptor(
        desc, data_type, layout, longest, len(lengths), size, lengths, 0.0
    )
    return desc


def on_device(handle: int, lengths: tuple[int, ...]) -> Any:
    """Return lengths in device memory, as 32-bit integers, for a call with a handle.

    They are copied, and freed when others take their place, in the order of CuPy's current stream,
    which the handle has. Memory that a captured stream reads is kept for good.

    Raises:
        NotSupportedError: the stream is captured, and they are not there.
    """
    address = int(calls.cudnnGetStream(handle))
    key = device_of(), address, lengths
    found = _lengths.get(key)
    is_captured = bool(capturing_graph(address))
    if found is None:
        if is_captured:
            raise errors.NotSupportedError(
                "lengths of sequences cannot be copied to the device while a stream is captured",
                hint="call the function once before the capture",
            )
        import numpy as np

        stream = sys.modules["cupy"].cuda.get_current_stream() if "cupy" in sys.modules else None
        found = DeviceArray.from_numpy(np.array(lengths, "int32"), stream=stream)
        _lengths[key] = found
    if is_captured:
        _captured[id(found)] = found
    return found


def described(data: int) -> tuple[tuple[int, ...], int, int]:
    """Return the lengths of sequences, the size of vectors, and the data type."""
    known = known_data.get(data)
    if known is not None:
        return known
    batch = calls.cudnnGetRNNDataDescriptor(data, 0).batchSize
    got = calls.cudnnGetRNNDataDescriptor(data, batch)
    return tuple(got.seqLengthArray), got.vectorSize, int(got.dataType)


def getRNNDataDescriptor(
    RNNDataDesc: int, dataType: int, layout: int, maxSeqLength: int, batchSize: int,
    vectorSize: int, arrayLengthRequested: int, seqLengthArray: int, paddingFill: int,
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


def _sizes(handle: int, rnnDesc: int, seqLength: int, xDesc: SupportsIndex) -> tuple[int, int]:
    """Return the bytes of workspace and reserve space that training takes, or inference."""
    lengths, size, data_type = steps(seqLength, xDesc)
    prepare(rnnDesc, size, data_type)
    data = packed(lengths, size, data_type)
    get = calls.cudnnGetRNNTempSpaceSizes
    training = get(handle, rnnDesc, TRAINING, data)
    inference = get(handle, rnnDesc, INFERENCE, data)
    return max(training.workSpaceSize, inference.workSpaceSize), training.reserveSpaceSize


@old_first
def getRNNWorkspaceSize(handle: int, rnnDesc: int, seqLength: int, xDesc: SupportsIndex) -> int:
    """Return the bytes of workspace, by `cudnnGetRNNTempSpaceSizes`."""
    return _sizes(handle, rnnDesc, seqLength, xDesc)[0]


@old_first
def getRNNTrainingReserveSize(
    handle: int, rnnDesc: int, seqLength: int, xDesc: SupportsIndex
) -> int:
    """Return the bytes of reserve space, by `cudnnGetRNNTempSpaceSizes`."""
    return _sizes(handle, rnnDesc, seqLength, xDesc)[1]


@old_first
def getRNNParamsSize(handle: int, rnnDesc: int, xDesc: int, dataType: int) -> int:
    """Return the bytes of weights, by `cudnnGetRNNWeightSpaceSize`."""
    prepare(rnnDesc, _input_of(xDesc)[0], dataType)
    return int(calls.cudnnGetRNNWeightSpaceSize(handle, rnnDesc))


def _parameter(
    bias: bool, handle: int, rnnDesc: int, layer: int, xDesc: int, w: object, linLayerID: int,
    filterDesc: int, pointer: int,
) -> None:  # fmt: skip
    """Write the address and the extents of a matrix or bias, by `cudnnGetRNNWeightParams`."""
    size, data_type = _input_of(xDesc)
    prepare(rnnDesc, size, data_type)
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
    handle: int, rnnDesc: int, layer: int, xDesc: int, wDesc: int, w: object, linLayerID: int,
    linLayerMatDesc: int, linLayerMat: int,
) -> None:  # fmt: skip
    """Find a matrix in the weights; its address is written to `linLayerMat`."""
    with raised():
        if is_old():
            found = calls.cudnnGetRNNLinLayerMatrixParams(
                handle, rnnDesc, layer, xDesc, wDesc, w, linLayerID, linLayerMatDesc
            )
            ctypes.c_void_p.from_address(linLayerMat).value = found
            return
        _parameter(
            False, handle, rnnDesc, layer, xDesc, w, linLayerID, linLayerMatDesc, linLayerMat
        )


def getRNNLinLayerBiasParams(
    handle: int, rnnDesc: int, layer: int, xDesc: int, wDesc: int, w: object, linLayerID: int,
    linLayerBiasDesc: int, linLayerBias: int,
) -> None:  # fmt: skip
    """Find a bias in the weights; its address is written to `linLayerBias`."""
    with raised():
        if is_old():
            found = calls.cudnnGetRNNLinLayerBiasParams(
                handle, rnnDesc, layer, xDesc, wDesc, w, linLayerID, linLayerBiasDesc
            )
            ctypes.c_void_p.from_address(linLayerBias).value = found
            return
        _parameter(
            True, handle, rnnDesc, layer, xDesc, w, linLayerID, linLayerBiasDesc, linLayerBias
        )


#: The fill after the ends of sequences, whatever their type.
_ZEROS = (ctypes.c_char * 8)()


def setRNNDataDescriptor(
    RNNDataDesc: int, dataType: int, layout: int, maxSeqLength: int, batchSize: int,
    vectorSize: int, seqLengthArray: object, paddingFill: object,
) -> None:  # fmt: skip
    """Call `cudnnSetRNNDataDescriptor`; lengths and fill are at addresses of host memory."""
    known_data.pop(RNNDataDesc, None)
    fill = paddingFill or _ZEROS
    if type(fill) is int:
        fill = (ctypes.c_char * 8).from_address(fill)
    with raised():
        calls.cudnnSetRNNDataDescriptor(
            RNNDataDesc, dataType, layout, maxSeqLength, batchSize, vectorSize, seqLengthArray, fill
        )


def destroyRNNDataDescriptor(RNNDataDesc: int) -> None:
    """Call `cudnnDestroyRNNDataDescriptor`."""
    known_data.pop(RNNDataDesc, None)
    with raised():
        if RNNDataDesc:
            calls.cudnnDestroyRNNDataDescriptor(RNNDataDesc)
