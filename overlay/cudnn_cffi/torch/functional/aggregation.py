"""Aggregation over the edges of a graph.

Second derivatives: by PyTorch
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

import torch
from torch import Tensor

from ... import errors, ops
from ..autograd.layer import Layer
from ..autograd.sharing import shared
from .arguments import check_tensors

if TYPE_CHECKING:
    from ..._ways.signatures import AggregationWord
    from ...choice.policy import Choose
    from ..autograd.record import Gradients, Results, Tensors

_EXTREMES = {"max": "amax", "min": "amin"}


class _Edges(Layer):
    """The base of an aggregation and its gradient; edges are those of `cudnn_cffi.ops`."""

    names = ("str operation",)
    contiguous = True

    def _start(self, operation: str) -> None:
        self.reduction = operation

    def make(self, **options: object) -> ops.Operation:
        return super().make(operation=self.reduction, **options)

    def _aggregated(self, x: Tensor, offsets: Tensor, indices: Tensor) -> Tensor:
        """Compute by PyTorch; a node that no edge leads to has zeros."""
        counts = offsets.diff()
        rows = torch.repeat_interleave(
            torch.arange(len(counts), device=x.device), counts, output_size=len(indices)
        )
        values = x.index_select(0, indices)
        zeros = x.new_zeros((len(counts), x.shape[1]))
        if self.reduction in _EXTREMES:
            places = rows[:, None].expand_as(values)
            how = _EXTREMES[self.reduction]
            return zeros.scatter_reduce(0, places, values, how, include_self=False)
        total = zeros.index_add(0, rows, values)
        if self.reduction == "sum":
            return total
        return total / counts.clamp(min=1)[:, None].to(total.dtype)


class Aggregation(_Edges):
    """The layer of an aggregation, with the positions of extremes for the gradient."""

    by = ops.Aggregation
    gives = ("y", "positions")

    def compute(self, x: Tensor, offsets: Tensor, indices: Tensor) -> Results:
        y, positions = self.operation()(x, offsets, indices)
        return y, offsets.new_empty(0) if positions is None else positions

    def reference(self, x: Tensor, offsets: Tensor, indices: Tensor) -> Results:
        return (self._aggregated(x, offsets, indices),)

    def fake(self, x: Tensor, offsets: Tensor, indices: Tensor) -> Results:
        y = x.new_empty((offsets.shape[0] - 1, x.shape[1]))
        return y, offsets.new_empty(y.shape if self.reduction in _EXTREMES else 0)

    def saves(self, given: Tensors, results: Tensors) -> Tensors:
        return (*given, results[1])

    def gradients(self, saved: Tensors, needs: Sequence[bool], grads: Tensors) -> Gradients:
        x, offsets, indices, positions = saved
        made = self.parts[AggregationBackward]
        return made(grads[0], offsets, indices, positions, x.shape[0]), None, None


class AggregationBackward(_Edges):
    """The layer of the gradient for the features of a number of nodes."""

    by = ops.AggregationBackward
    fixed: ClassVar[Mapping[str, object]] = {"nodes": 1}
    takes = ("dy", "offsets", "indices", "positions")
    optional = frozenset()
    extras = ("SymInt nodes",)

    def compute(
        self, dy: Tensor, offsets: Tensor, indices: Tensor, positions: Tensor, nodes: int
    ) -> Results:
        more = {"positions": positions} if self.reduction in _EXTREMES else {}
        return self.plain(nodes=nodes)(dy, offsets, indices, **more)

    def _only_sums(self) -> None:
        if self.reduction in _EXTREMES:
            raise errors.NotSupportedError(
                f"{self.word}: PyTorch cannot tell where cuDNN's extremes come from"
            )

    def reference(
        self, dy: Tensor, offsets: Tensor, indices: Tensor, positions: Tensor, nodes: int
    ) -> Results:
        self._only_sums()
        with torch.enable_grad():
            x = dy.new_zeros((nodes, dy.shape[1])).requires_grad_()
            return torch.autograd.grad(self._aggregated(x, offsets, indices), x, dy)[0]

    def own_gradients(self, saved: Tensors, needs: Sequence[bool], grads: Tensors) -> Gradients:
        self._only_sums()  # the gradient is linear, and its gradient is the aggregation
        _, offsets, indices, _ = saved
        return self._aggregated(grads[0], offsets, indices), None, None, None

    def fake(
        self, dy: Tensor, offsets: Tensor, indices: Tensor, positions: Tensor, nodes: int
    ) -> Results:
        return dy.new_empty((nodes, dy.shape[1]))


def aggregate(
    x: Tensor, offsets: Tensor, indices: Tensor, operation: AggregationWord = "sum", *,
    choose: Choose = None,
) -> Tensor:  # fmt: skip
    """Return the features of nodes aggregated over edges, by `cudnnGnnAggSimpleForward` (9.26).

    Args:
        x: the features of each node, (nodes, features).
        offsets: where the edges that lead to each node begin and end in `indices`, int32 or int64;
            one more than the nodes that edges lead to.
        indices: the node that each edge leads from, of the same type.
        operation: "sum", "mean", "max" or "min".
        choose: the policy that picks the engine or algorithm; see `cudnn_cffi.choice`.

    Raises:
        ArgumentError: there is no such operation, or types do not fit.
        NotSupportedError: the loaded release has no such function.
    """
    check_tensors(x=x, offsets=offsets, indices=indices)
    word = {"add": "sum", "average": "mean"}.get(str(operation).lower(), str(operation).lower())
    return shared(Aggregation, word, choose=choose)(x, offsets, indices)
