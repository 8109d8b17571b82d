"""Recurrent networks, on PyTorch's buffers of weights.

Second derivatives: none
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import torch
from torch import Tensor

from ... import errors, ops
from ..._support.arguments import boolean
from ...ops.rnn.backward import RNNReserve
from ..autograd import operators as library
from ..autograd.batches import is_one_of_many, one_by_one
from ..autograd.layer import Layer
from ..autograd.once import once
from ..autograd.sharing import shared
from ..autograd.states import is_empty
from ..autograd.switches import is_autocast_on, is_grad_on
from ..fallback import refuse_repetition
from .arguments import check_tensors

if TYPE_CHECKING:
    from ...choice.policy import Choose
    from ..autograd.record import Context, Gradients, Results

_KINDS = {"LSTM": ops.LSTM, "GRU": ops.GRU, "RNN_TANH": ops.RNN, "RNN_RELU": ops.RNN}

_THEIRS: dict[str, Callable[..., tuple[Tensor, ...]]] = {
    "LSTM": torch.lstm, "GRU": torch.gru, "RNN_TANH": torch.rnn_tanh, "RNN_RELU": torch.rnn_relu,
}  # fmt: skip

#: The place of a parameter in the buffer: start, elements and shape.
_Region: TypeAlias = tuple[int, int, tuple[int, ...]]

#: Whether the graph of the gradients is kept, so that they may be computed once more.
_keeps_graph = getattr(torch._C._autograd, "_get_current_graph_task_keep_graph", lambda: True)


class _Function(torch.autograd.Function):
    """A network in training."""

    @staticmethod
    def forward(
        ctx: Context, layer: Recurrent, x: Tensor, hx: Tensor, cx: Tensor, lengths: Tensor | None,
        *parameters: Tensor,
    ) -> tuple[Tensor, ...]:  # fmt: skip
        if layer.dropout:
            refuse_repetition(layer.word)
        weights, places = layer.buffer(parameters)
        # The gradients read these once more, by operations that copy nothing.
        x, hx, cx = layer.arrange((x, hx, cx))
        found = layer.operation()(x, weights, hx, cx, training=True, lengths=lengths)
        ctx.layer, ctx.reserve, ctx.places = layer, found.reserve, places
        ctx.set_materialize_grads(False)
        # The buffer has no count of changes, but the parameters have, whose memory it may be.
        ctx.save_for_backward(x, found.y, weights, hx, cx, *parameters)
        return tuple([each for each in found[:3] if each is not None])

    @staticmethod
    @one_by_one
    @once("a recurrent network")
    def backward(ctx: Context, dy: Tensor, dhy: Tensor, dcy: Tensor | None = None) -> Gradients:
        x, y, weights, hx, cx = ctx.saved_tensors[:5]
        reserve = ctx.reserve
        if _keeps_graph() or is_one_of_many():  # the gradients change it
            reserve = RNNReserve(
                reserve.array.clone(), reserve.algorithm, reserve.math, reserve.lengths,
                reserve.network,
            )  # fmt: skip
        dy, dhy, dcy = ctx.layer.arrange((dy, dhy, dcy))
        dy = torch.zeros_like(y) if dy is None else dy
        operation, needs = reserve.network, ctx.needs_input_grad
        data = operation.backward_data(dy, y, weights, reserve, hx, cx, dhy, dcy)
        parameters: list[Tensor | None] = [None] * len(ctx.places)
        if any(needs[5:]):
            found = operation.backward_weights(x, y, reserve, hx)
            parameters = [
                found[start : start + count].view(shape) for start, count, shape in ctx.places
            ]
        return (
            None, data.x, data.hx if needs[2] else None, data.cx if needs[3] else None, None,
            *parameters,
        )  # fmt: skip


class Recurrent(Layer):
    """The layer of a network.

    A call takes input, states, lengths, and the parameters in PyTorch's order: for each layer and
    direction the matrices of input and state, their biases, and the projection.
    """

    word = "recurrent"
    takes = ("x", "hx", "cx")
    optional = frozenset({"hx", "cx"})
    gives = ("y", "hy", "cy")
    names = (
        *("str cell", "int input_size", "int hidden_size", "int layers", "bool bias"),
        *("bool batch_first", "float dropout", "bool bidirectional", "int projection_size"),
        "bool packed",
    )
    visible = 3
    contiguous = True

    casts = "lower"
    traced = False  # it has operators of its own, after this class
    _function = _Function

    def _start(
        self, cell: str, input_size: int, hidden_size: int, layers: int, bias: bool,
        batch_first: bool, dropout: float, bidirectional: bool, projection_size: int, packed: bool,
    ) -> None:  # fmt: skip
        self.cell, self.dropout = cell, dropout
        self.settings: dict[str, Any] = {
            "input_size": input_size, "hidden_size": hidden_size, "layers": layers, "bias": bias,
            "batch_first": batch_first, "dropout": dropout, "bidirectional": bidirectional,
            "packed": packed,
        }  # fmt: skip
        if projection_size:
            self.settings["projection_size"] = projection_size
        if cell.startswith("RNN"):
            self.settings["nonlinearity"] = cell.removeprefix("RNN_").lower()
        #: Where parameters are, by data type and device: elements of all, first bytes, regions.
        self._places: dict[object, tuple[int, list[int], list[_Region]]] = {}

    def make(self, **options: object) -> ops.Operation:
        kind: type[ops.Operation] = _KINDS[self.cell]
        return kind(**self.settings, **options, choose=self.choose)

    def infer(
        self, x: Tensor, hx: Tensor | None, cx: Tensor | None, lengths: Tensor, *parameters: Tensor
    ) -> Results:
        if self.dropout:
            refuse_repetition(self.word)
        weights, _ = self.buffer(parameters)
        # Elements between layers are dropped in training only, also where no gradient is wanted.
        found = self.operation()(x, weights, hx, cx, training=self.dropout > 0, lengths=lengths)
        return tuple([each for each in found[:3] if each is not None])

    def reference(
        self, x: Tensor, hx: Tensor | None, cx: Tensor | None, lengths: Tensor, *parameters: Tensor
    ) -> Results:
        if lengths is not None:
            raise errors.NotSupportedError(
                "packed sequences have to be computed by PyTorch's module"
            )
        o = self.settings
        width = o.get("projection_size", o["hidden_size"])
        shape = (o["layers"] * (1 + o["bidirectional"]), x.shape[0 if o["batch_first"] else 1])
        states = x.new_zeros((*shape, width)) if hx is None else hx
        if self.cell == "LSTM":
            states = states, x.new_zeros((*shape, o["hidden_size"])) if cx is None else cx
        return _THEIRS[self.cell](
            x, states, parameters, o["bias"], o["layers"], self.dropout, self.dropout > 0,
            o["bidirectional"], o["batch_first"],
        )  # fmt: skip

    def _wrapped(self, given: tuple[Tensor, ...]) -> Results:
        x, hx, cx, lengths, *parameters = given
        if is_empty((x,)):
            return self.by_pytorch(given)
        if lengths is not None or self.dropout:
            raise errors.NotSupportedError(
                "packed sequences and dropout have to be computed by PyTorch where they are traced"
            )
        if is_autocast_on():
            x, hx, cx, *parameters = self.cast((x, hx, cx, *parameters))
        found = _operator(x, hx, cx, parameters, *self.options[:-1], self._choice)
        return found if self.cell == "LSTM" else found[:2]

    def buffer(self, parameters: Sequence[Tensor]) -> tuple[Tensor, list[_Region]]:
        """Return all weights as cuDNN wants them, and where each parameter is in the buffer.

        PyTorch's modules keep their parameters in such a buffer already: then nothing is copied.
        """
        first = parameters[0]
        key = first.dtype, first.device
        places = self._places.get(key)
        if places is None:
            places = self._places[key] = self._find_places(first)
        size, starts, regions = places
        storage = first.untyped_storage()
        base = storage.data_ptr()
        # While this buffer lives, any address inside it is a view of it.
        if (
            storage.nbytes() == size * first.element_size()
            and [each.data_ptr() - base for each in parameters] == starts
            and all(each.is_contiguous() for each in parameters)
        ):
            whole = torch.empty(0, dtype=first.dtype, device=first.device)
            return whole.set_(storage, 0, (size,), (1,)), regions
        wanted = [(*key, shape) for _, _, shape in regions]
        got = [(each.dtype, each.device, tuple(each.shape)) for each in parameters]
        if got != wanted:  # or copies would convert and repeat them
            raise errors.NotSupportedError(f"weights: expected {wanted}, got {got}")
        whole = torch.zeros(size, dtype=first.dtype, device=first.device)
        for each, (start, count, shape) in zip(parameters, regions, strict=True):
            whole[start : start + count].view(shape).copy_(each)
        return whole, regions

    def _find_places(self, first: Tensor) -> tuple[int, list[int], list[_Region]]:
        operation = self.operation()
        dtype = str(first.dtype).removeprefix("torch.")
        size = operation.weights_count(dtype, first.device.index)
        whole = torch.empty(size, dtype=first.dtype, device=first.device)
        found = regions(operation.layout(whole))
        return size, [start * first.element_size() for start, _, _ in found], found


def regions(layout: Sequence[Any]) -> list[_Region]:
    """Return where PyTorch's parameters are in cuDNN's buffer: start, elements and shape.

    PyTorch has the matrices of all gates as one; so has cuDNN in its memory.

    Raises:
        NotSupportedError: they do not lie one after the other.
    """
    groups: dict[tuple[str, str, str], list[Any]] = {}
    for each in layout:
        level, direction, *rest = each.name.split(".")
        part = rest[-1] if rest[0] != "projection" else "projection"
        groups.setdefault((level, direction, part), []).append(each)
    order = ("input_weight", "recurrent_weight", "input_bias", "recurrent_bias", "projection")
    found = []
    pairs = dict.fromkeys((level, direction) for level, direction, _ in groups)
    for level, direction in pairs:
        for part in order:
            gates = groups.get((level, direction, part))
            if gates is None:
                continue
            shape = tuple(gates[0].shape)
            count = 1
            for extent in shape:
                count *= extent
            starts = [gate.offset for gate in gates]
            if starts != [starts[0] + place * count for place in range(len(gates))]:
                raise errors.NotSupportedError(f"weights: the gates of {part} do not lie together")
            if part != "projection":
                shape = (shape[0] * len(gates), *shape[1:])
            found.append((starts[0], count * len(gates), shape))
    return found


_GATES = {"LSTM": 4, "GRU": 3}


def _network(
    cell: str, x: Tensor, states: tuple[Tensor | None, Tensor | None], params: Sequence[Tensor],
    has_biases: bool, num_layers: int, dropout: float, train: bool, bidirectional: bool,
    batch_first: bool, choose: Choose,
) -> Results:  # fmt: skip
    check_tensors(x=x)
    first, second = (tuple(each.shape) for each in params[:2])
    hidden = first[0] // _GATES.get(cell, 1)
    rate = float(dropout) if boolean(train, "train") and num_layers > 1 else 0.0
    layer = shared(
        Recurrent, cell, x.shape[-1], hidden, int(num_layers), boolean(has_biases, "has_biases"),
        boolean(batch_first, "batch_first"), rate, boolean(bidirectional, "bidirectional"),
        second[1] if second[1] != hidden else 0, False, choose=choose,
    )  # fmt: skip
    return layer(x, *states, None, *params)


def lstm(
    x: Tensor, hx: tuple[Tensor, Tensor] | None, params: Sequence[Tensor], has_biases: bool = True,
    num_layers: int = 1, dropout: float = 0.0, train: bool = True, bidirectional: bool = False,
    batch_first: bool = False, *, choose: Choose = None,
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """Run an LSTM over sequences of one length, by `cudnnRNNForward`.

    Arguments are those of `torch.lstm`, and a choice. A projection shows in the shapes.

    Args:
        x: (time, batch, size), or (batch, time, size) with `batch_first`.
        hx: the states and the cells before, (layers * directions, batch, size) each, or None.
        params: for each layer and direction the matrices of input and state, their biases, and
            the projection; what is in one buffer, as modules have it, is not copied.
        has_biases, num_layers, bidirectional, batch_first: what the network is like.
        dropout, train: the probability with which elements between layers are dropped in training.
        choose: the policy that picks the engine or algorithm; see `cudnn_cffi.choice`.

    Returns: the results of the last layer, and the states and cells after the last element.

    Raises:
        NotSupportedError: cuDNN does not compute such a network.
    """
    states = (None, None) if hx is None else (hx[0], hx[1])
    return _network(
        "LSTM", x, states, params, has_biases, num_layers, dropout, train, bidirectional,
        batch_first, choose,
    )  # fmt: skip


class _Network(Protocol):
    """The signature of networks with one state."""

    def __call__(
        self, x: Tensor, hx: Tensor | None, params: Sequence[Tensor], has_biases: bool = True,
        num_layers: int = 1, dropout: float = 0.0, train: bool = True, bidirectional: bool = False,
        batch_first: bool = False, *, choose: Choose = None,
    ) -> tuple[Tensor, Tensor]:  # fmt: skip
        """Run the network; see `lstm`."""


def _make(cell: str, name: str) -> _Network:
    def function(
        x: Tensor, hx: Tensor | None, params: Sequence[Tensor], has_biases: bool = True,
        num_layers: int = 1, dropout: float = 0.0, train: bool = True, bidirectional: bool = False,
        batch_first: bool = False, *, choose: Choose = None,
    ) -> tuple[Tensor, Tensor]:  # fmt: skip
        """Run a network over sequences, by `cudnnRNNForward`.

        Arguments are those of `torch.{name}`, and a choice; see `lstm`. `hx` are states, or None.

        Returns: the results of the last layer, and the states after the last element.

        Raises:
            NotSupportedError: cuDNN does not compute such a network.
        """
        return _network(
            cell, x, (hx, None), params, has_biases, num_layers, dropout, train, bidirectional,
            batch_first, choose,
        )  # fmt: skip

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (function.__doc__ or "").format(name=name)
    return function


gru = _make("GRU", "gru")
rnn_tanh = _make("RNN_TANH", "rnn_tanh")
rnn_relu = _make("RNN_RELU", "rnn_relu")


# The operators. They keep nothing between forward and backward: how much that is depends on the
# algorithm, which tensors without memory cannot tell. So the gradients run the network once more.

_OPTIONS = ", ".join((*Recurrent.names[:-1], "str choose"))
_GIVEN = f"Tensor x, Tensor? hx, Tensor? cx, Tensor[] parameters, {_OPTIONS}"


def _layer(options: tuple[Any, ...]) -> Recurrent:
    *rest, choose = options
    return library.layer_of(Recurrent, (*rest, False), choose)


def _run(
    x: Tensor, hx: Tensor | None, cx: Tensor | None, parameters: Sequence[Tensor], *options: object
) -> Results:
    found = _layer(options).infer(x, hx, cx, None, *parameters)
    return found if len(found) == 3 else (*found, x.new_empty(0))


def _fake(*given: Any) -> tuple[Tensor, Tensor, Tensor]:
    x, _, _, _, *options = given
    cell, _, hidden, layers, _, batch_first, _, bidirectional, projection, _ = options
    width, directions = projection or hidden, 2 if bidirectional else 1
    batch = x.shape[0 if batch_first else 1]
    y = x.new_empty((*x.shape[:2], width * directions))
    hy = x.new_empty((layers * directions, batch, width))
    return y, hy, x.new_empty((layers * directions, batch, hidden) if cell == "LSTM" else (0,))


def _run_backward(
    dy: Tensor, dhy: Tensor | None, dcy: Tensor | None, x: Tensor, hx: Tensor | None,
    cx: Tensor | None, parameters: Sequence[Tensor],
    *options: object,
) -> tuple[Tensor, ...]:  # fmt: skip
    """Return the gradients for input and states, and for all parameters in one row."""
    layer = _layer(options)
    weights, places = layer.buffer(parameters)
    x, hx, cx = layer.arrange((x, hx, cx))
    operation = layer.operation()
    y, _, _, reserve = operation(x, weights, hx, cx, training=True, lengths=None)
    dy, dhy, dcy = layer.arrange((dy, dhy, dcy))
    data = operation.backward_data(dy, y, weights, reserve, hx, cx, dhy, dcy)
    found = operation.backward_weights(x, y, reserve, hx)
    rows = torch.cat([found[start : start + count] for start, count, _ in places])
    return data.x, data.hx, x.new_empty(0) if data.cx is None else data.cx, rows


def _fake_backward(*given: Any) -> tuple[Tensor, ...]:
    _, dhx, dcx = _fake(*given[3:])
    x, parameters = given[3], given[6]
    return x.new_empty(x.shape), dhx, dcx, x.new_empty((sum(p.numel() for p in parameters),))


def _keep(ctx: Context, inputs: Sequence[Any], output: object) -> None:
    del output  # PyTorch passes it by name
    x, hx, cx, parameters, *options = inputs
    ctx.options = options
    ctx.save_for_backward(x, hx, cx, *parameters)


def _differentiate(ctx: Context, dy: Tensor, dhy: Tensor, dcy: Tensor) -> tuple[object, ...]:
    if is_grad_on():
        raise errors.NotSupportedError("recurrent networks of cuDNN have no second derivative")
    x, hx, cx, *parameters = ctx.saved_tensors
    dcy = dcy if ctx.options[0] == "LSTM" else None
    dx, dhx, dcx, rows = _backward_operator(dy, dhy, dcy, x, hx, cx, parameters, *ctx.options)
    parts = rows.split([each.numel() for each in parameters])
    found = [part.view(each.shape) for part, each in zip(parts, parameters, strict=True)]
    states = (None if hx is None else dhx, None if cx is None else dcx)
    return (dx, *states, found, *(None,) * len(ctx.options))


_operator = library.define(
    "recurrent", _GIVEN, "(Tensor, Tensor, Tensor)", _run, _fake, _keep, _differentiate
)
_backward_operator = library.define(
    "recurrent_backward",
    f"Tensor dy, Tensor? dhy, Tensor? dcy, {_GIVEN}", "(Tensor, Tensor, Tensor, Tensor)",
    _run_backward, _fake_backward,
)  # fmt: skip
