"""The layout of results, which is that of PyTorch's: code after a graph was traced for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch import Tensor, fx


class Orders:
    """The order in which the axes of each result of a graph lie in memory."""

    def __init__(self, graph: fx.Graph) -> None:
        """Look at what Dynamo knows of the results."""
        (output,) = graph.find_nodes(op="output")
        found = output.args[0]
        self._is_single = not isinstance(found, (tuple, list))
        results = [found] if self._is_single else found
        self._orders = [
            order_of(each.meta.get("example_value")) if isinstance(each, fx.Node) else None
            for each in results
        ]

    def __call__(self, results: Any) -> Any:
        """Return results, copied where they lie otherwise."""
        if self._is_single:
            return _ordered(results, self._orders[0])
        return tuple(map(_ordered, results, self._orders))


def order_of(value: object) -> tuple[int, ...] | None:
    """Return the axes of a tensor, the outermost first; None if it has gaps, or is no tensor."""
    if not isinstance(value, Tensor):
        return None
    shape, strides = _numbers(value.shape), _numbers(value.stride())
    if shape is None or strides is None or 0 in shape:
        return None
    axes = sorted(range(len(shape)), key=lambda axis: (-strides[axis], -shape[axis], axis))
    step = 1
    for axis in reversed(axes):
        if shape[axis] != 1 and strides[axis] != step:
            return None
        step *= shape[axis]
    return tuple(axes)


def _numbers(values: Sequence[Any]) -> list[int] | None:
    """Return numbers, for symbols those that they were made of."""
    found = [each if isinstance(each, int) else each.node.hint for each in values]
    return None if None in found else [int(each) for each in found]


def _ordered(value: Any, order: tuple[int, ...] | None) -> Any:
    if order is None or not isinstance(value, Tensor):
        return value
    lying = value.permute(order)
    if lying.is_contiguous():
        return value
    back = sorted(range(len(order)), key=order.__getitem__)
    return lying.contiguous().permute(back)
