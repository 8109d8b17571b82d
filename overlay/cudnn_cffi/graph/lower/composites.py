"""Replace operations by others that compute the same: for releases that lack them, or by choice.

A composite gets the node that it replaces, and has to compute each of its outputs.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias, cast

from ..arguments import view_of
from ..rules.norms import norm_statistics_shape
from ..rules.results import INTEGERS
from .relu import bend_of, rewritten
from .replaced import Replaced

if TYPE_CHECKING:
    from ..record.types import PointwiseWord
    from ..tensors import Node, Tensor

Composite: TypeAlias = Callable[[Replaced], None]


def softmax(at: Replaced) -> None:
    """Subtract the row's maximum, exponentiate, and divide by the row's sum."""
    x, sink = at.inputs["x"], at.inputs.get("sink")
    top = at.graph.reduction(x, "MAX", dims=-1, name=at.name("max"))
    if sink is not None:
        top = at.graph.pointwise("MAX", top, sink, name=at.name("max_sink"))
    raised = at.graph.pointwise(
        "EXP", at.graph.pointwise("SUB", x, top, name=at.name("sub")), name=at.name("exp")
    )
    total = at.graph.reduction(raised, "ADD", dims=-1, name=at.name("sum"))
    if sink is not None:
        own = at.graph.pointwise(
            "EXP", at.graph.pointwise("SUB", sink, top, name=at.name("sub_sink"))
        )
        total = at.graph.pointwise("ADD", total, own, name=at.name("sum_sink"))
    at.become(at.graph.pointwise("DIV", raised, total, name=at.name("div")))
    if "stats" in at.outputs:
        stats = at.graph.pointwise(
            "ADD", at.graph.pointwise("LOG", total, name=at.name("log")), top, name=at.name("stats")
        )
        if at.node.options.get("stats_log2"):
            stats = at.graph.pointwise("MUL", stats, 1 / math.log(2), name=at.name("log2"))
        at.become(stats, "stats")
    for port, value in (("max", top), ("sum_exp", total)):
        if port in at.outputs:
            at.become(at.graph.identity(value, name=at.name(port)), port)


def slicing(at: Replaced) -> None:
    """Read an input from another address on, with longer strides."""
    x, y, o = at.inputs["x"], at.outputs["y"], at.node.options
    offset = sum(a * b for a, b in zip(o["start"], x.strides, strict=True))
    strides = tuple(a * b for a, b in zip(x.strides, o["step"], strict=True))
    _view(at, x, y, strides, offset)


def transpose(at: Replaced) -> None:
    """Read an input with its strides in another order; reshape a computed tensor."""
    x, y = at.inputs["x"], at.outputs["y"]
    strides = tuple(x.strides[axis] for axis in at.node.options["permutation"])
    if x.producer is None:
        _view(at, x, y, strides, 0)
        return
    view = at.graph.reshape(x, y.shape, strides=strides, name=at.name("view"))
    view.memory_type = x.io_type
    is_read_as_it_lies = view_of(at.node.outputs["y"]) is not None
    if y.is_virtual and view.data_type == y.data_type and not is_read_as_it_lies:
        y.strides = strides
        at.become(view)
    else:
        view.given_type = x.data_type
        at.become(at.graph.identity(view, name=at.name("copy")))


def _view(at: Replaced, x: Tensor, y: Tensor, strides: tuple[int, ...], offset: int) -> None:
    """Replace a result by a tensor at an offset in an input's memory."""
    if x.producer is not None or x.by_value:
        raise at.refusal(
            "the release has no such operation, and only an input can be read from another address "
            f"on; {x.name} is computed",
            *("x", "y"),
        )
    reader = view_of(at.node.outputs["y"])
    if reader is not None:
        raise at.refusal(
            f"{reader.name} reads its result as it lies in memory, so it has to be copied"
        )
    view = at.graph.view(x, y.shape, strides, offset)
    if y.is_virtual:
        # Nodes that read the result read the view.
        y.is_virtual = False
        y.given_type, y.strides, y.alignment, y.base, y.offset = (
            *(view.given_type, view.strides, view.alignment, view.base, view.offset),
        )
        y.ragged_offset, y.ragged_multiplier = view.ragged_offset, view.ragged_multiplier
        del at.graph.tensors[view.uid]
    else:
        at.become(at.graph.identity(view, name=at.name("copy")))


def diagonal_band_mask(at: Replaced) -> None:
    """Compare the indices of rows and columns, and select."""
    x, fill = at.inputs["x"], at.inputs["b"]
    for port in ("seq_len_q", "seq_len_kv", "cu_seq_len_q", "cu_seq_len_kv"):
        if port in at.inputs:
            raise at.refusal(
                f"the release has no such operation, and the composite takes no {port}"
            )
    rank = len(x.shape)
    row = at.graph.gen_index(x, rank - 2, name=at.name("row"))
    column = at.graph.gen_index(x, rank - 1, name=at.name("column"))
    edge = row
    if "shift_right_bound" in at.inputs:
        edge = at.graph.pointwise("ADD", row, at.inputs["shift_right_bound"], name=at.name("shift"))
    comparison = cast("PointwiseWord", at.node.options["comparison"])
    keep = at.graph.pointwise(comparison, edge, column, name=at.name("compare"))
    result = at.graph.binary_select(x, fill, keep, name=at.name("select"))
    if "left_bound" in at.inputs:
        first = at.graph.pointwise("SUB", row, at.inputs["left_bound"], name=at.name("left"))
        inside = at.graph.pointwise("CMP_GT", column, first, name=at.name("compare_left"))
        result = at.graph.binary_select(result, fill, inside, name=at.name("select_left"))
    at.become(result)


def floor_mod(at: Replaced) -> None:
    """Add the divisor to a remainder of the other sign: it is exact, as a large quotient is not.

    The sum has the sign of the divisor. A quotient would lose that of a tiny remainder. The
    remainder of integers is taken once more.
    """
    a, b = at.inputs["x"], at.inputs["b"]
    factors = at.node.options.get("alpha1", 1.0), at.node.options.get("alpha2", 1.0)
    a, b = (
        each if factor == 1 else at.graph.pointwise("MUL", each, factor)
        for each, factor in zip((a, b), factors, strict=True)
    )
    rest = at.graph.pointwise("MOD", a, b, name=at.name("mod"))
    above = at.graph.pointwise("ADD", rest, b, name=at.name("add"))
    if at.node.options.get("compute_data_type") in ("INT32", "INT64"):
        at.become(at.graph.pointwise("MOD", above, b, name=at.name("again")))
        return
    is_negative = at.graph.pointwise("CMP_LT", above, 0.0, name=at.name("compare_sum"))
    opposite = at.graph.neg(rest, name=at.name("neg"))
    flipped = at.graph.binary_select(opposite, rest, is_negative, name=at.name("flip"))
    is_below = at.graph.pointwise("CMP_LT", flipped, 0.0, name=at.name("compare"))
    at.become(at.graph.binary_select(above, rest, is_below, name=at.name("select")))


def _average(at: Replaced, x: Tensor, shape: tuple[int, ...], part: str) -> Tensor:
    total = at.graph.reduction(x, "ADD", shape=shape, name=at.name(f"{part}_sum"))
    share = math.prod(shape) / math.prod(x.shape)
    return at.graph.pointwise("MUL", total, share, name=at.name(part))


def _in_type_of_graph(at: Replaced, mode: PointwiseWord, part: str, *x: Tensor) -> Tensor:
    """Add an operation; of whole numbers, too, in the type of the graph: no engine takes INT32."""
    kind = at.graph.compute_data_type if x[0].data_type in INTEGERS else None
    return at.graph.pointwise(mode, *x, compute_data_type=kind, name=at.name(part))


def _square(at: Replaced, x: Tensor) -> Tensor:
    return _in_type_of_graph(at, "MUL", "square", x, x)


def norm_forward(at: Replaced) -> None:
    """Average, subtract, square, average, and multiply; with given statistics only the latter."""
    mode, x = at.node.options["mode"], at.inputs["x"]
    scale, bias = at.inputs.get("scale"), at.inputs.get("bias")
    _check_norm(at)
    shape = norm_statistics_shape(mode, x.shape, None if scale is None else scale.shape)
    centred = x
    if mode != "RMS_NORM":
        mean = at.inputs.get("mean")
        if mean is None:
            mean = _average(at, x, shape, "mean")
        centred = at.graph.pointwise("SUB", x, mean, name=at.name("sub"))
        if "mean_out" in at.outputs:
            at.become(mean, "mean_out")
    inverse = at.inputs.get("inv_variance")
    if inverse is None:
        square = _square(at, centred)
        variance = _average(at, square, shape, "variance")
        shifted = at.graph.pointwise("ADD", variance, at.inputs["epsilon"], name=at.name("add"))
        inverse = at.graph.pointwise("RSQRT", shifted, name=at.name("inverse"))
    if "inv_variance_out" in at.outputs:
        at.become(inverse, "inv_variance_out")
        inverse = at.outputs["inv_variance_out"]
    result = at.graph.pointwise("MUL", centred, inverse, name=at.name("normalize"))
    if scale is not None:
        result = at.graph.pointwise("MUL", result, scale, name=at.name("scale"))
    if bias is not None:
        result = at.graph.pointwise("ADD", result, bias, name=at.name("bias"))
    at.become(result)


def _check_norm(at: Replaced) -> None:
    """Refuse norms whose composite would compute something else."""
    given, o = {"mean", "inv_variance"} & at.inputs.keys(), at.node.options
    if any(port.startswith(("running", "peer")) for port in at.inputs):
        problem = "keeps no running statistics"
    elif o["mode"] == "GROUP_NORM":
        problem = "does not know the groups"
    elif len(given) == 1 and o["mode"] != "RMS_NORM":
        problem = "takes mean and inv_variance together"
    elif not given and o["mode"] == "BATCH_NORM" and o["phase"] != "TRAINING":
        problem = "needs mean and inv_variance for inference"
    elif "inv_variance" not in given and "epsilon" not in at.inputs:
        problem = "needs an epsilon"
    else:
        return
    raise at.refusal(f"the composite {problem}")


def _add_up(at: Replaced, part: Tensor, shape: tuple[int, ...]) -> Tensor:
    """Return the sum of the elements of `part`."""
    if "group_offset" in at.inputs:
        raise at.refusal(f"the composite of {at.node.options['mode']} takes no group_offset")
    exact = at.node.options.get("deterministic")
    return at.graph.reduction(part, "ADD", shape=shape, deterministic=exact, name=at.name("sum"))


def average(at: Replaced) -> None:
    """Divide by the number of elements first: engines want the reduction last."""
    x, y = at.inputs["x"], at.outputs["y"]
    share = math.prod(y.shape) / math.prod(x.shape)
    part = at.graph.pointwise("MUL", x, share, name=at.name("share"))
    at.become(_add_up(at, part, y.shape))


def sum_of_absolutes(at: Replaced) -> None:
    """Add absolute values."""
    y = at.outputs["y"]
    part = _in_type_of_graph(at, "ABS", "abs", at.inputs["x"])
    at.become(_add_up(at, part, y.shape))


def euclidean(at: Replaced) -> None:
    """Add squares, and take the root."""
    x, y = at.inputs["x"], at.outputs["y"]
    part = _square(at, x)
    total = _add_up(at, part, y.shape)
    at.become(at.graph.pointwise("SQRT", total, name=at.name("root")))


def is_unreduced(node: Node) -> bool:
    """Return whether a node reduces axes of one element only; no engine takes that."""
    return (
        node.kind == "reduction"
        and node.inputs["x"].shape == node.outputs["y"].shape
        and node.options["mode"] != "MUL_NO_ZEROS"
        and "group_offset" not in node.inputs
    )


def unreduced(at: Replaced) -> None:
    """Copy, or take absolute values: each result is of one element."""
    is_absolute = at.node.options["mode"] in ("AMAX", "NORM1", "NORM2")
    copy = at.graph.abs if is_absolute else at.graph.identity
    at.become(copy(at.inputs["x"], name=at.name("one")))


def gen_stats(at: Replaced) -> None:
    """Add up numbers and their squares."""
    x = at.inputs["x"]
    shape = at.outputs["sum"].shape
    total = at.graph.reduction(x, "ADD", shape=shape, name=at.name("sum"))
    square = _square(at, x)
    squares = at.graph.reduction(square, "ADD", shape=shape, name=at.name("square_sum"))
    at.become(total, "sum")
    at.become(squares, "square_sum")


def expand(at: Replaced) -> None:
    """Refuse: no operation does it."""
    raise at.refusal(
        "no operation of cuDNN repeats a tensor, only copies do, between several plans", "x"
    )


def misread(at: Replaced) -> None:
    """Multiply by factors, and compute the lines of a ReLU, apart."""
    at.become(rewritten(at.graph, at.inputs, at.node, at.name))


#: Composites by the word for a node, or by the kind of operation, or by kind and mode.
COMPOSITES: dict[str, Composite] = {
    "softmax": softmax,
    "slice": slicing,
    "transpose": transpose,
    "diagonal_band_mask": diagonal_band_mask,
    "floor_mod": floor_mod,
    "norm_forward": norm_forward,
    "gen_stats": gen_stats,
    "expand": expand,
    "reduction AVG": average,
    "reduction NORM1": sum_of_absolutes,
    "reduction NORM2": euclidean,
}


def find_composite(node: Node) -> Composite | None:
    """Return the composite that replaces a node; None without one."""
    if is_unreduced(node):
        return unreduced
    if bend_of(node):
        return misread
    return (
        COMPOSITES.get(node.word)
        or COMPOSITES.get(node.kind)
        or COMPOSITES.get(f"{node.kind} {node.options.get('mode')}")
    )
