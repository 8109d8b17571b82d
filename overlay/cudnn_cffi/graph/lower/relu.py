"""Factors, slopes above 1, and slopes below a ceiling, which engines lose or compute wrongly."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, cast

from ...errata.asks import wrong_function
from ..rules.results import INTEGERS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ...errata.record import Call
    from ..methods.operations import Operations
    from ..record.types import DataTypeName
    from ..tensors import Node, Tensor


#: Options that multiply an operand, and the port of the operand.
_FACTORS = {"alpha1": "x", "alpha2": "b"}


def bend_of(node: Node) -> Call | None:
    """Return what errata ask about factors, and a ReLU with a slope or ceiling; None for others."""
    options: Mapping[str, Any] = node.options
    is_scaled = any(options.get(each, 1.0) != 1.0 for each in _FACTORS)
    if options.get("mode") != "RELU_FWD":
        # A composite of its own multiplies for FLOOR_MOD; of gradients it is not said what by.
        is_other = options.get("mode") == "FLOOR_MOD" or "y" not in node.outputs
        return {"is_scaled": True} if is_scaled and not is_other else None
    slope, has_ceiling = options.get("slope", 0.0), options.get("upper_clip", math.inf) < math.inf
    is_bent = slope > 1 or (has_ceiling and slope > 0)
    call: Call = {"slope": slope, "has_ceiling": has_ceiling, "is_scaled": is_scaled}
    return call if is_bent or is_scaled else None


def is_misread(node: Node, release: int | None = None) -> bool:
    """Return whether engines of a release compute such a node wrongly; None for the loaded one."""
    bend = bend_of(node)
    if bend is None:
        return False
    name = "relu" if "slope" in bend else "pointwise"
    return bool(wrong_function(name, bend, release=release))


def rewritten(
    graph: Operations,
    inputs: Mapping[str, Tensor],
    node: Node,
    name: Callable[[str], str | None] = lambda _: None,
) -> Tensor:
    """Multiply operands by their factors; return the least of the lines that a ReLU consists of.

    Engines take the larger of two lines. A number wins over NaN in MIN. Where NaN is to win, a
    second ReLU finds the larger of both lines below zero.

    Args:
        graph: operations are added to it.
        inputs: by the ports of the node.
        node: has the options.
        name: returns the name of an operation that is added.
    """
    options, given = cast("dict[str, Any]", dict(node.options)), dict(inputs)
    for option, port in _FACTORS.items():
        factor = options.pop(option, 1.0)
        if factor != 1.0 and port in given:
            kind = options.get("compute_data_type", graph.compute_data_type)
            given[port] = _scaled(graph, given[port], factor, kind, name(f"scaled_{port}"))
    if options["mode"] != "RELU_FWD":
        mode = options.pop("mode")
        return graph.pointwise(
            mode, *[given[port] for port in node.inputs], **options, name=name("of_scaled")
        )
    x, slope = given["x"], options.get("slope", 0.0)
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


def _scaled(
    graph: Operations, x: Tensor, factor: float, kind: DataTypeName, name: str | None
) -> Tensor:
    """Multiply an operand by its factor, in the type that the operation computes in."""
    wide: DataTypeName | None = kind if kind in ("FLOAT", "DOUBLE") else None
    by = int(factor) if kind in INTEGERS and float(factor).is_integer() else factor
    if x.by_value and x.value is not None:
        value = x.value * by
        return graph.scalar(value, kind if isinstance(value, int) else wide or "FLOAT")
    return graph.pointwise("MUL", x, by, data_type=wide, name=name)
