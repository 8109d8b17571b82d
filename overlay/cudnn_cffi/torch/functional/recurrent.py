"""Recurrent networks, on PyTorch's buffers of weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from ... import errors, ops
from ..._support.recent import Recent
from ...ops.recurrent_gradients import RNNReserve
from ..layer import Layer

__all__ = ["Recurrent", "regions"]

_KINDS = {"LSTM": ops.LSTM, "GRU": ops.GRU, "RNN_TANH": ops.RNN, "RNN_RELU": ops.RNN}

#: Whether the graph of the gradients is kept, so that they may be computed once more.
_keeps_graph = getattr(torch._C._autograd, "_get_current_graph_task_keep_graph", lambda: True)


class _Function(torch.autograd.Function):
    """A network in training."""

    @staticmethod
    def forward(
        ctx: Any, layer: Recurrent, x: Any, hx: Any, cx: Any, lengths: Any, *parameters: Any
    ) -> Any:
        weights, places = layer.buffer(parameters)
        found = layer.operation()(x, weights, hx, cx, training=True, lengths=lengths)
        ctx.layer, ctx.reserve, ctx.places = layer, found.reserve, places
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(x, found.y, weights, hx, cx)
        return tuple([each for each in found[:3] if each is not None])

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, dy: Any, dhy: Any, dcy: Any = None) -> Any:
        x, y, weights, hx, cx = ctx.saved_tensors
        reserve = ctx.reserve
        if _keeps_graph():  # the gradients change it
            reserve = RNNReserve(
                reserve.array.clone(), reserve.algorithm, reserve.math, reserve.lengths,
                reserve.network,
            )  # fmt: skip
        dy = torch.zeros_like(y) if dy is None else dy.contiguous()
        dhy, dcy = (None if each is None else each.contiguous() for each in (dhy, dcy))
        operation, needs = reserve.network, ctx.needs_input_grad
        data = operation.backward_data(dy, y, weights, reserve, hx, cx, dhy, dcy)
        parameters: list[Any] = [None] * len(ctx.places)
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
    tensors = ("Tensor x", "Tensor? hx", "Tensor? cx")
    names = (
        *("str cell", "int input_size", "int hidden_size", "int layers", "bool bias"),
        *("bool batch_first", "float dropout", "bool bidirectional", "int projection_size"),
        "bool packed",
    )
    returns = "(Tensor, Tensor, Tensor)"
    visible = 3
    casts = "lower"
    traced = False
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
        #: Where parameters are, by data type and device; and the buffers that were seen.
        self._places: dict[Any, Any] = {}
        self._seen: dict[Any, bool] = Recent(8)

    def make(self) -> Any:
        return _KINDS[self.cell](**self.settings, choose=self.choose)

    def infer(self, x: Any, hx: Any, cx: Any, lengths: Any, *parameters: Any) -> Any:
        weights, _ = self.buffer(parameters)
        # Elements between layers are dropped in training only, also where no gradient is wanted.
        found = self.operation()(x, weights, hx, cx, training=self.dropout > 0, lengths=lengths)
        return tuple([each for each in found[:3] if each is not None])

    def arrange(self, given: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple([each if each is None else each.contiguous() for each in given])

    def reference(self, *given: Any) -> Any:
        raise errors.NotSupportedError("the network has to be computed by PyTorch's module")

    def buffer(self, parameters: Sequence[Any]) -> tuple[Any, Any]:
        """Return all weights as cuDNN wants them, and where each parameter is in the buffer.

        PyTorch's modules keep their parameters in such a buffer already: then nothing is copied.
        """
        first = parameters[0]
        key = first.dtype, first.device
        places = self._places.get(key)
        if places is None:
            places = self._places[key] = self._find_places(parameters)
        size, regions = places
        storage = first.untyped_storage()
        addresses = tuple([each.data_ptr() for each in parameters])
        fits = self._seen.get(addresses)
        if fits is None:
            base = storage.data_ptr()
            fits = storage.nbytes() == size * first.element_size() and all(
                address == base + start * first.element_size() and each.is_contiguous()
                for address, each, (start, _, _) in zip(addresses, parameters, regions, strict=True)
            )
            self._seen[addresses] = fits
        if fits:
            whole = torch.empty(0, dtype=first.dtype, device=first.device)
            return whole.set_(storage, 0, (size,), (1,)), regions
        whole = torch.zeros(size, dtype=first.dtype, device=first.device)
        for each, (start, count, shape) in zip(parameters, regions, strict=True):
            whole[start : start + count].view(shape).copy_(each)
        return whole, regions

    def _find_places(self, parameters: Sequence[Any]) -> tuple[int, Any]:
        first = parameters[0]
        operation = self.operation()
        dtype = str(first.dtype).removeprefix("torch.")
        size = operation.weights_count(dtype, first.device.index)
        whole = torch.empty(size, dtype=first.dtype, device=first.device)
        found = regions(operation.layout(whole))
        wrong = len(found) != len(parameters) or any(
            each.shape != shape for each, (_, _, shape) in zip(parameters, found, strict=False)
        )
        if wrong:
            raise errors.NotSupportedError(
                f"weights: {[shape for _, _, shape in found]} were expected, "
                f"{[tuple(each.shape) for each in parameters]} came"
            )
        return size, found


def regions(layout: Sequence[Any]) -> list[tuple[int, int, tuple[int, ...]]]:
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
