"""The layout of results, which is that of PyTorch's: code after a graph was traced for it."""

from __future__ import annotations

from typing import Any

from torch import fx

from ..autograd.layouts import order_of, ordered


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
            return ordered(results, self._orders[0])
        return tuple(map(ordered, results, self._orders))
