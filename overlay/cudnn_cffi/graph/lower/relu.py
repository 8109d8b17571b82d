"""ReLUs that engines compute wrongly: with a slope above 1, or with a slope and a ceiling."""

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
    """Return what errata ask about a ReLU with a slope above 1 or a ceiling; None for others."""
    options: Mapping[str, Any] = node.options
    slope = options.get("slope", 0.0) if options.get("mode") == "RELU_FWD" else 0.0
    has_ceiling = options.get("upper_clip", math.inf) < math.inf
    is_bent = slope > 1 or (has_ceiling and slope > 0)
    return {"slope": slope, "has_ceiling": has_ceiling} if is_bent else None


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
    slope, ceiling = options["slope"], options.pop("upper_clip", math.inf)
    if slope > 1:
        low = options.get("lower_clip", 0.0)
        if options.get("alpha1", 1.0) != 1.0:
            x = graph.pointwise("MUL", x, options["alpha1"], name=name("scaled"))
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
