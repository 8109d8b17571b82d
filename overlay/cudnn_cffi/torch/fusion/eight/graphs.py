"""The graph of a layer with 8 bits: sums of products, factors, an addition, an activation."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import torch

from ....graph import Graph

if TYPE_CHECKING:
    from torch import Tensor

    from ....plan import Plan
    from .kinds import Kind

#: The data types of what is not of 8 bits.
WIDE = {torch.float16: "HALF", torch.bfloat16: "BFLOAT16", torch.float32: "FLOAT"}

#: The methods of graphs, by the words of `building.ACTIVATIONS`.
_METHODS = {
    "relu": "relu", "gelu": "gelu", "gelu_tanh": "gelu_approx_tanh", "swish": "swish",
    "sigmoid": "sigmoid", "tanh": "tanh",
}  # fmt: skip
WORDS = frozenset(_METHODS)


class Shape(NamedTuple):
    """A layer that a plan computes with 8 bits.

    Attributes:
        kind: the data type.
        x, w, y: the extents of images and filters.
        padding, stride, dilation: of the convolution.
        residual: the data type of what is added, or None.
        result: the data type of the result.
        word: the activation, or None.
    """

    kind: Kind
    x: tuple[int, ...]
    w: tuple[int, ...]
    y: tuple[int, ...]
    padding: Any
    stride: tuple[int, ...]
    dilation: tuple[int, ...]
    residual: str | None
    result: str
    word: str | None

    @property
    def is_homogeneous(self) -> bool:
        """Return whether a factor of the result may be one of all that is added."""
        return self.word in (None, "relu")


def to_graph(shape: Shape) -> Graph:
    """Return the graph, whose operands are x, w, factors, offsets, residual, its factor, more, y.

    All are there but residual and its factor without a residual, and `more`, a factor of what the
    activation gives, where the result is of 8 bits and the activation is not homogeneous.
    """
    kind = shape.kind.data_type
    sums: Any = "INT32" if kind == "INT8" else "FLOAT"
    g = Graph(io_data_type=kind, compute_data_type=sums, intermediate_data_type=sums)  # type: ignore[arg-type]
    wide: Any = {"compute_data_type": "FLOAT", "data_type": "FLOAT"}
    x = g.tensor(shape.x, layout="NHWC", name="x")
    w = g.tensor(shape.w, layout="NHWC", name="w")
    y = g.convolution(x, w, padding=shape.padding, stride=shape.stride, dilation=shape.dilation)
    if sums == "INT32":
        y = g.identity(y, **wide)

    def number(name: str, channels: int = 1) -> Any:
        return g.tensor((1, channels, 1, 1), "FLOAT", layout="NHWC", name=name)

    channels = shape.y[1]
    y = g.mul(y, number("factors", channels), **wide)
    y = g.add(y, number("offsets", channels), **wide)
    if shape.residual is not None:
        residual: Any = g.tensor(shape.y, shape.residual, layout="NHWC", name="residual")  # type: ignore[arg-type]
        y = g.add(y, g.mul(residual, number("residual_factor"), **wide), **wide)
    if shape.word is not None:
        y = getattr(g, _METHODS[shape.word])(y, **wide)
    if shape.result == kind and not shape.is_homogeneous:
        y = g.mul(y, number("more"), **wide)
    g.output(y, data_type=shape.result, name="y")  # type: ignore[arg-type]
    return g


def runner(plan: Plan, known: dict[str, Tensor], has_residual: bool) -> Callable[..., Tensor]:
    """Return a plan as a function of x, w, residual if there is one, and the output or None.

    Args:
        plan: of such a graph.
        known: the operands that are the same in each call, by name.
        has_residual: whether it has a residual.
    """
    names = [each.name for each in plan.operands if each.is_argument]
    fixed = [known.get(name) for name in names]
    first, filters, last = names.index("x"), names.index("w"), names.index("y")
    middle = names.index("residual") if has_residual else None

    def run(x: Tensor, w: Tensor, *others: Tensor) -> Tensor:
        given = list(fixed)
        given[first], given[filters] = x, w
        rest = list(others)
        if middle is not None:
            given[middle] = rest.pop(0)
        given[last] = rest.pop(0) if rest else None
        y: Tensor = plan(*given)
        return y

    return run
