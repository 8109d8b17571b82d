"""ReLUs that engines compute wrongly: with a factor, a slope above 1, or a slope and a ceiling."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, cast

from ...errata.asks import wrong_function

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ...errata.record import Call
    from ..methods.operations import Operations
    from ..tensors import Node, Tensor


def bend_of(node: Node) -> Call | None:
    """Return what errata ask about a ReLU with a slope, ceiling or factor; None for others."""
    options: Mapping[str, Any] = node.options
    if options.get("mode") != "RELU_FWD":
        return None
    slope, has_ceiling = options.get("slope", 0.0), options.get("upper_clip", math.inf) < math.inf
    is_scaled = options.get("alpha1", 1.0) != 1.0
    is_bent = slope > 1 or (has_ceiling and slope > 0)
    call: Call = {"slope": slope, "has_ceiling": has_ceiling, "is_scaled": is_scaled}
    return call if is_bent or is_scaled else None


def is_misread(node: Node, release: int | None = None) -> bool:
    """Return whether engines of a release compute such a ReLU wrongly; None for the loaded one."""
    bend = bend_of(node)
    return bend is not None and bool(wrong_function("relu", bend, release=release))


def lines(
    graph: Operations, x: Tensor, node: Node, name: Callable[[str], str | None] = lambda _: None
) -> Tensor:
    """Return the least of the lines that a ReLU consists of; engines take the larger of two.

    A number wins over NaN in MIN. Where NaN is to win, a second ReLU finds the larger of both lines
    below zero.

    Args:
        graph: operations are added to it.
        x: the input.
        node: has the options.
        name: returns the name of an operation that is added.
    """
    options = cast("dict[str, Any]", dict(node.options))
    factor, slope = options.pop("alpha1", 1.0), options.get("slope", 0.0)
    if factor != 1.0:
        x = graph.pointwise("MUL", x, factor, name=name("scaled"))
    ceiling = options.pop("upper_clip", math.inf) if slope > 0 else math.inf
    if slope > 1:
        low = options.get("lower_clip", 0.0)
        line = graph.pointwise("MUL", x, slope, name=name("steep"))
        if low:
            line = graph.pointwise("ADD", line, low - slope * low, name=name("shifted"))
        y = graph.pointwise("MIN", x, line, name=name("less"))
    else:
        y = graph.pointwise(options.pop("mode"), x, **options, name=name("open"))
    if ceiling == math.inf:
        return y
    if options.get("nan_propagation") != "PROPAGATE_NAN":
        return graph.pointwise("MIN", y, ceiling, name=name("closed"))
    y = graph.pointwise("NEG", y, name=name("below"))
    rules: dict[str, Any] = {"lower_clip": -ceiling, "nan_propagation": "PROPAGATE_NAN"}
    y = graph.pointwise("RELU_FWD", y, **rules, name=name("closed"))
    return graph.pointwise("NEG", y, name=name("above"))
