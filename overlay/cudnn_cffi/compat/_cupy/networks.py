"""Recurrent networks of CuPy's `cupy.cudnn`."""

from __future__ import annotations

import ctypes
import math
import operator
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, cast

from . import functions as cudnn
from . import recurrent
from .descriptors import (
    Descriptor,
    Ndarray,
    Pointer,
    Tensors,
    c_ints,
    contiguous,
    create_rnn_descriptor,
    create_tensor_nd_descriptor,
    cupy,
    get_data_type,
    get_handle,
    kept,
    tensors,
)
from .recurrent_calls import (
    RNNBackwardData,
    RNNBackwardDataEx,
    RNNBackwardWeights,
    RNNBackwardWeightsEx,
    RNNForwardInference,
    RNNForwardInferenceEx,
    RNNForwardTraining,
    RNNForwardTrainingEx,
)

if TYPE_CHECKING:
    from .layers import DropoutStates

    #: Lengths, or how many sequences each time step has: a sequence, or an array of NumPy or CuPy.
    Lengths = Ndarray | Iterable[int]


class _Call:
    """State that calls of a network on sequences of the same lengths share.

    Attributes:
        handle: the address of the handle.
        desc: the descriptor of the network.
        width: the elements of an output vector.
    """

    def __init__(
        self, dropout: Descriptor, direction_mode: int, rnn_mode: int, hx: Ndarray, xs: Ndarray,
        counts: tuple[int, ...], padded: bool,
    ) -> None:  # fmt: skip
        directions = 2 if direction_mode == cudnn.CUDNN_BIDIRECTIONAL else 1
        units = hx.shape[2]
        self.width = units * directions
        self.handle = get_handle()
        self.padded = padded
        self.desc = create_rnn_descriptor(
            units, hx.shape[0] // directions, dropout, cudnn.CUDNN_LINEAR_INPUT, direction_mode,
            rnn_mode, get_data_type(xs.dtype),
        )  # fmt: skip
        if padded:
            recurrent.setRNNPaddingMode(self.desc.value, cudnn.CUDNN_RNN_PADDED_IO_ENABLED)
        self._counts = counts
        # The number of sequences of each time step: of padded ones, all.
        batches = (xs.shape[1],) * xs.shape[0] if padded else counts
        self._batches = batches
        self._data: dict[int, Descriptor | Tensors] = {}
        # Descriptors of all time steps tell how much memory there has to be.
        sized = tensors(xs, batches)
        asked = self.handle, self.desc.value, len(batches), sized.data
        self._workspace: int = recurrent.getRNNWorkspaceSize(*asked)
        self._reserve: int = recurrent.getRNNTrainingReserveSize(*asked)

    def data(self, array: Ndarray) -> int:
        """Return the address that stands for sequences of such vectors in a call."""
        size = array.shape[-1]
        found = self._data.get(size)
        if found is None:
            found = self._data[size] = self._describe(array)
        return found.value if isinstance(found, Descriptor) else found.data

    def _describe(self, array: Ndarray) -> Descriptor | Tensors:
        if not self.padded:
            return tensors(array, self._batches)
        desc = Descriptor(cudnn.createRNNDataDescriptor(), recurrent.destroyRNNDataDescriptor)
        longest, batch, size = array.shape
        recurrent.setRNNDataDescriptor(
            desc.value, get_data_type(array.dtype),
            cudnn.CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED, longest, batch, size,
            c_ints(self._counts), 0,
        )  # fmt: skip
        recurrent.known_data[desc.value] = self._counts, size, get_data_type(array.dtype)
        return desc

    def first(self) -> tuple[int, ...]:
        """Return the arguments that each function begins with."""
        if self.padded:
            return self.handle, self.desc.value
        return self.handle, self.desc.value, len(self._batches)

    def workspace(self) -> Pointer:
        """Allocate the workspace."""
        return cupy().cuda.alloc(self._workspace)

    def reserve(self) -> Pointer:
        """Allocate the reserve space."""
        return cupy().cuda.alloc(self._reserve)


def _call(
    states: DropoutStates, direction_mode: int, rnn_mode: int, hx: Ndarray, xs: Ndarray,
    lengths: Lengths, padded: bool,
) -> _Call:  # fmt: skip
    """Return what calls of such a network share; the dropout states keep it."""
    counts = _numbers(lengths)
    if padded and len(counts) != xs.shape[1]:
        raise ValueError(f"lengths: expected {xs.shape[1]} numbers, got {len(counts)}")
    dropout = states._desc
    key = (
        direction_mode, rnn_mode, hx.shape[0], hx.shape[2], xs.shape, xs.dtype.char, padded, counts,
        get_handle(), dropout.ratio,
    )  # fmt: skip
    found = states._calls.get(key)
    if found is None:
        found = states._calls[key] = _Call(
            dropout, direction_mode, rnn_mode, hx, xs, counts, padded
        )
    return found


def _numbers(lengths: Lengths) -> tuple[int, ...]:
    """Return lengths as ints; they come as an array of NumPy or CuPy, or as a sequence."""
    numbers = getattr(lengths, "tolist", lambda: lengths)()
    return tuple([operator.index(each) for each in cast("Sequence[int]", numbers)])


def _filters(w: Ndarray) -> Descriptor:
    """Return a descriptor of weights, which stays as it is."""
    return kept(_describe_filters, get_data_type(w.dtype), w.shape)


def _describe_filters(data_type: int, shape: tuple[int, ...]) -> Descriptor:
    desc = Descriptor(cudnn.createFilterDescriptor(), cudnn.destroyFilterDescriptor)
    layout = cudnn.CUDNN_TENSOR_NCHW
    # Weights with one axis or two are filters too.
    extents = (*shape, *(1,) * (3 - len(shape)))
    cudnn.setFilterNdDescriptor_v4(desc.value, data_type, layout, len(extents), c_ints(extents))
    return desc


def _of(array: Ndarray | None) -> tuple[int, int]:
    """Return the descriptor and the address of a state; 0 where there is none."""
    if array is None or array.size == 0:
        return 0, 0
    return create_tensor_nd_descriptor(array).value, array.data.ptr


def _parts(pointer: Pointer) -> tuple[int, int]:
    return pointer.ptr, pointer.mem.size


def _empty(cx: Ndarray | None, xs: Ndarray) -> Ndarray:
    """Return a cell state: an array without elements where the network has none."""
    return cupy().empty((0,), xs.dtype) if cx is None else contiguous(cx)


_NO_ATTENTION = (0,) * 8


def _forward(
    training: bool, padded: bool, function: Callable[..., None], states: DropoutStates,
    direction_mode: int, rnn_mode: int, hx: Ndarray, cx: Ndarray | None, w: Ndarray, xs: Ndarray,
    lengths: Lengths,
) -> tuple[Pointer | None, Ndarray, Ndarray, Ndarray]:  # fmt: skip
    hx, w, xs = contiguous(hx), contiguous(w), contiguous(xs)
    cx = _empty(cx, xs)
    call = _call(states, direction_mode, rnn_mode, hx, xs, lengths, padded)
    ys = cupy().empty((*xs.shape[:-1], call.width), xs.dtype)
    hy, cy = cupy().empty(hx.shape, hx.dtype), cupy().empty(cx.shape, cx.dtype)
    x_data, y_data = call.data(xs), call.data(ys)
    filters = _filters(w)
    workspace = call.workspace()
    reserve = call.reserve() if training else None
    function(
        *call.first(), x_data, xs.data.ptr, *_of(hx), *_of(cx), filters.value,
        w.data.ptr, y_data, ys.data.ptr, *_of(hy), *_of(cy),
        *(_NO_ATTENTION if padded else ()), *_parts(workspace),
        *(() if reserve is None else _parts(reserve)),
    )  # fmt: skip
    return reserve, hy, cy, ys


def _backward_data(
    padded: bool, function: Callable[..., None], states: DropoutStates, direction_mode: int,
    rnn_mode: int, hx: Ndarray, cx: Ndarray | None, w: Ndarray, xs: Ndarray, ys: Ndarray,
    reserve_space: Pointer, dhy: Ndarray, dcy: Ndarray | None, dys: Ndarray, lengths: Lengths,
) -> tuple[Ndarray, Ndarray, Ndarray]:  # fmt: skip
    hx, w, xs, ys = contiguous(hx), contiguous(w), contiguous(xs), contiguous(ys)
    dhy, dys = contiguous(dhy), contiguous(dys)
    dcy = _empty(dcy if cx is not None else None, xs)
    cx = _empty(cx, xs)
    call = _call(states, direction_mode, rnn_mode, hx, xs, lengths, padded)
    dxs = cupy().empty(xs.shape, xs.dtype)
    dhx, dcx = cupy().empty(hx.shape, hx.dtype), cupy().empty(cx.shape, cx.dtype)
    y_data, dy_data, dx_data = call.data(ys), call.data(dys), call.data(dxs)
    filters = _filters(w)
    workspace = call.workspace()
    none = (0, 0) if padded else ()
    function(
        *call.first(), y_data, ys.data.ptr, dy_data, dys.data.ptr, *none,
        *_of(dhy), *_of(dcy), filters.value, w.data.ptr, *_of(hx), *_of(cx), dx_data,
        dxs.data.ptr, *_of(dhx), *_of(dcx), *none, *_parts(workspace), *_parts(reserve_space),
    )  # fmt: skip
    return dhx, dcx, dxs


def _backward_weights(
    padded: bool, function: Callable[..., None], states: DropoutStates, direction_mode: int,
    rnn_mode: int, xs: Ndarray, hx: Ndarray, ys: Ndarray, w: Ndarray, reserve_space: Pointer,
    lengths: Lengths,
) -> Ndarray:  # fmt: skip
    xs, hx, ys, w = contiguous(xs), contiguous(hx), contiguous(ys), contiguous(w)
    call = _call(states, direction_mode, rnn_mode, hx, xs, lengths, padded)
    x_data, y_data = call.data(xs), call.data(ys)
    dw = cupy().zeros(w.shape, w.dtype)
    filters = _filters(dw)
    workspace = call.workspace()
    function(
        *call.first(), x_data, xs.data.ptr, *_of(hx), y_data, ys.data.ptr,
        *_parts(workspace), filters.value, dw.data.ptr, *_parts(reserve_space),
    )  # fmt: skip
    return dw


def rnn_forward_inference(
    states: DropoutStates, direction_mode: int, rnn_mode: int, hx: Ndarray, cx: Ndarray | None,
    w: Ndarray, xs: Ndarray, lengths: Lengths,
) -> tuple[Any, Any, Any]:  # fmt: skip
    """Run a network over sequences without padding.

    Args:
        states: of the dropout between layers.
        direction_mode: CUDNN_UNIDIRECTIONAL or CUDNN_BIDIRECTIONAL.
        rnn_mode: CUDNN_RNN_RELU, CUDNN_RNN_TANH, CUDNN_LSTM or CUDNN_GRU.
        hx: (layers * directions, batch, units).
        cx: the same for the cells of an LSTM, else None.
        w: all weights, in the order of `get_rnn_lin_layer_matrix_params`.
        xs: (vectors, size): first the first vectors of all sequences, then the second ones.
        lengths: how many sequences have a vector at each time step; it must not grow.

    Returns: hy, cy and ys.

    New code: `ops.LSTM(..., packed=True)(x, weights, hx, cx, lengths=...)`.
    """
    _, hy, cy, ys = _forward(
        False, False, RNNForwardInference, states, direction_mode, rnn_mode, hx, cx, w, xs,
        lengths,
    )  # fmt: skip
    return hy, cy, ys


def rnn_forward_inference_ex(
    states: DropoutStates, direction_mode: int, rnn_mode: int, hx: Ndarray, cx: Ndarray | None,
    w: Ndarray, xs: Ndarray, lengths: Lengths,
) -> tuple[Any, Any, Any]:  # fmt: skip
    """Run a network over padded sequences.

    Args:
        xs: (time, batch, size).
        lengths: the length of each sequence, int32, of NumPy.
        states, direction_mode, rnn_mode, hx, cx, w: as for `rnn_forward_inference`.

    Returns: hy, cy and ys; after the end of a sequence, ys is zero.

    New code: `ops.LSTM(...)(x, weights, hx, cx, lengths=...)`.
    """
    _, hy, cy, ys = _forward(
        False, True, RNNForwardInferenceEx, states, direction_mode, rnn_mode, hx, cx, w, xs,
        lengths,
    )  # fmt: skip
    return hy, cy, ys


def rnn_forward_training(
    states: DropoutStates, direction_mode: int, rnn_mode: int, hx: Ndarray, cx: Ndarray | None,
    w: Ndarray, xs: Ndarray, lengths: Lengths,
) -> tuple[Pointer, Any, Any, Any]:  # fmt: skip
    """Run a network as `rnn_forward_inference`; return reserve space, hy, cy and ys.

    New code: `ops.LSTM(..., packed=True)(x, weights, hx, cx, lengths=..., training=True)`.
    """
    reserve, hy, cy, ys = _forward(
        True, False, RNNForwardTraining, states, direction_mode, rnn_mode, hx, cx, w, xs,
        lengths,
    )  # fmt: skip
    assert reserve is not None
    return reserve, hy, cy, ys


def rnn_forward_training_ex(
    states: DropoutStates, direction_mode: int, rnn_mode: int, hx: Ndarray, cx: Ndarray | None,
    w: Ndarray, xs: Ndarray, lengths: Lengths,
) -> tuple[Pointer, Any, Any, Any]:  # fmt: skip
    """Run a network as `rnn_forward_inference_ex`; return reserve space, hy, cy and ys.

    New code: `ops.LSTM(...)(x, weights, hx, cx, lengths=..., training=True)`.
    """
    reserve, hy, cy, ys = _forward(
        True, True, RNNForwardTrainingEx, states, direction_mode, rnn_mode, hx, cx, w, xs,
        lengths,
    )  # fmt: skip
    assert reserve is not None
    return reserve, hy, cy, ys


def rnn_backward_data(
    states: DropoutStates, direction_mode: int, rnn_mode: int, hx: Ndarray, cx: Ndarray | None,
    w: Ndarray, xs: Ndarray, ys: Ndarray, reserve_space: Pointer, dhy: Ndarray, dcy: Ndarray | None,
    dys: Ndarray, lengths: Lengths,
) -> tuple[Any, Any, Any]:  # fmt: skip
    """Return the gradients for hx, cx and xs; call it before `rnn_backward_weights`.

    New code: `ops.LSTM(..., packed=True).backward_data`.
    """
    return _backward_data(
        False, RNNBackwardData, states, direction_mode, rnn_mode, hx, cx, w, xs, ys,
        reserve_space, dhy, dcy, dys, lengths,
    )  # fmt: skip


def rnn_backward_data_ex(
    states: DropoutStates, direction_mode: int, rnn_mode: int, hx: Ndarray, cx: Ndarray | None,
    w: Ndarray, xs: Ndarray, ys: Ndarray, reserve_space: Pointer, dhy: Ndarray, dcy: Ndarray | None,
    dys: Ndarray, lengths: Lengths,
) -> tuple[Any, Any, Any]:  # fmt: skip
    """Return the gradients for hx, cx and xs; call it before `rnn_backward_weights_ex`.

    New code: `ops.LSTM(...).backward_data`.
    """
    return _backward_data(
        True, RNNBackwardDataEx, states, direction_mode, rnn_mode, hx, cx, w, xs, ys,
        reserve_space, dhy, dcy, dys, lengths,
    )  # fmt: skip


def rnn_backward_weights(
    states: DropoutStates, direction_mode: int, rnn_mode: int, xs: Ndarray, hx: Ndarray,
    ys: Ndarray, w: Ndarray, reserve_space: Pointer, lengths: Lengths,
) -> Any:  # fmt: skip
    """Return the gradient for the weights. New code: `ops.LSTM(...).backward_weights`."""
    return _backward_weights(
        False, RNNBackwardWeights, states, direction_mode, rnn_mode, xs, hx, ys, w,
        reserve_space, lengths,
    )  # fmt: skip


def rnn_backward_weights_ex(
    states: DropoutStates, direction_mode: int, rnn_mode: int, xs: Ndarray, hx: Ndarray,
    ys: Ndarray, w: Ndarray, reserve_space: Pointer, lengths: Lengths,
) -> Any:  # fmt: skip
    """Return the gradient for the weights. New code: `ops.LSTM(...).backward_weights`."""
    return _backward_weights(
        True, RNNBackwardWeightsEx, states, direction_mode, rnn_mode, xs, hx, ys, w,
        reserve_space, lengths,
    )  # fmt: skip


def _view(
    function: Callable[..., None], handle: int, rnn_desc: Descriptor, layer: int,
    x_desc: Descriptor, w_desc: Descriptor, w: Ndarray, lin_layer_id: int,
) -> Ndarray:  # fmt: skip
    """Return a view of the elements of a matrix or bias in all weights."""
    pointer = ctypes.c_void_p()
    found = Descriptor(cudnn.createFilterDescriptor(), cudnn.destroyFilterDescriptor)
    function(
        handle, rnn_desc.value, layer, x_desc.value, w_desc.value, w.data.ptr, lin_layer_id,
        found.value, ctypes.addressof(pointer),
    )  # fmt: skip
    size = math.prod(cudnn.getFilterNdDescriptor(found.value, 3)[3])
    offset = ((pointer.value or 0) - w.data.ptr) // w.itemsize
    return w[offset : offset + size]


def get_rnn_lin_layer_matrix_params(
    handle: int, rnn_desc: Descriptor, layer: int, x_desc: Descriptor, w_desc: Descriptor,
    w: Ndarray, lin_layer_id: int,
) -> Any:  # fmt: skip
    """Return a view of one matrix in all weights.

    Args:
        layer: layer * directions + direction.
        x_desc: of an array (batch, size, 1), which tells the size of input vectors.
        w: all weights, with the first axis for the elements.
        lin_layer_id: the gate; those of the state follow those of the input.

    New code: `ops.LSTM(...).parameters(weights)`, by names.
    """
    function = recurrent.getRNNLinLayerMatrixParams
    return _view(function, handle, rnn_desc, layer, x_desc, w_desc, w, lin_layer_id)


def get_rnn_lin_layer_bias_params(
    handle: int, rnn_desc: Descriptor, layer: int, x_desc: Descriptor, w_desc: Descriptor,
    w: Ndarray, lin_layer_id: int,
) -> Any:  # fmt: skip
    """Return a view of one bias in all weights, as `get_rnn_lin_layer_matrix_params` does.

    New code: `ops.LSTM(...).parameters(weights)`, by names.
    """
    function = recurrent.getRNNLinLayerBiasParams
    return _view(function, handle, rnn_desc, layer, x_desc, w_desc, w, lin_layer_id)
