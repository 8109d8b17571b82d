"""What computes the result of an operation by others: for releases that lack it, or by choice.

A composite gets the graph to add to, the node that it replaces, and the tensors of that node's
ports in the new graph; it has to compute each result.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from ... import errors
from ..arguments import view_of
from ..rules.norms import norm_statistics_shape
from ..tensors import Node, Tensor

if TYPE_CHECKING:
    from ..methods.operations import Operations
    from ..record.types import PointwiseWord


def _name(node: Node, part: str) -> str:
    """Return the name of a part of the node that is replaced."""
    return f"{node.name}.{part}"


def become(graph: Operations, made: Tensor, wanted: Tensor) -> None:
    """Have the node that computes `made` compute `wanted` in its place."""
    node = made.producer
    assert node is not None
    assert made.shape == wanted.shape
    del graph.tensors[made.uid]
    if made._name is not None:
        del graph.by_name[made._name]
    node.outputs[made.port] = wanted
    wanted.producer, wanted.port = node, made.port
    for other in graph.nodes:
        for port, each in other.inputs.items():
            if each is made:
                other.inputs[port] = wanted


def softmax(
    graph: Operations, node: Node, inputs: dict[str, Tensor], outputs: dict[str, Tensor]
) -> None:
    """Subtract the row's maximum, exponentiate, and divide by the row's sum."""
    x, sink = inputs["x"], inputs.get("sink")
    top = graph.reduction(x, "MAX", dims=-1, name=_name(node, "max"))
    if sink is not None:
        top = graph.pointwise("MAX", top, sink, name=_name(node, "max_sink"))
    raised = graph.pointwise(
        "EXP", graph.pointwise("SUB", x, top, name=_name(node, "sub")), name=_name(node, "exp")
    )
    total = graph.reduction(raised, "ADD", dims=-1, name=_name(node, "sum"))
    if sink is not None:
        own = graph.pointwise(
            "EXP", graph.pointwise("SUB", sink, top, name=_name(node, "sub_sink"))
        )
        total = graph.pointwise("ADD", total, own, name=_name(node, "sum_sink"))
    become(graph, graph.pointwise("DIV", raised, total, name=_name(node, "div")), outputs["y"])
    if "stats" in outputs:
        stats = graph.pointwise(
            "ADD",
            graph.pointwise("LOG", total, name=_name(node, "log")),
            top,
            name=_name(node, "stats"),
        )
        if node.options.get("stats_log2"):
            stats = graph.pointwise("MUL", stats, 1 / math.log(2), name=_name(node, "log2"))
        become(graph, stats, outputs["stats"])
    for port, value in (("max", top), ("sum_exp", total)):
        if port in outputs:
            become(graph, graph.identity(value, name=_name(node, port)), outputs[port])


def slicing(
    graph: Operations, node: Node, inputs: dict[str, Tensor], outputs: dict[str, Tensor]
) -> None:
    """Read an input from another address on, with longer strides."""
    x, y, o = inputs["x"], outputs["y"], node.options
    offset = sum(a * b for a, b in zip(o["start"], x.strides, strict=True))
    strides = tuple(a * b for a, b in zip(x.strides, o["step"], strict=True))
    _view(graph, node, x, y, strides, offset)


def transpose(
    graph: Operations, node: Node, inputs: dict[str, Tensor], outputs: dict[str, Tensor]
) -> None:
    """Read an input with its strides in another order; reshape what is computed."""
    x, y = inputs["x"], outputs["y"]
    strides = tuple(x.strides[axis] for axis in node.options["permutation"])
    if x.producer is None:
        _view(graph, node, x, y, strides, 0)
        return
    view = graph.reshape(x, y.shape, strides=strides, name=_name(node, "view"))
    view.memory_type = x.io_type
    is_read_as_it_lies = view_of(node.outputs["y"]) is not None
    if y.is_virtual and view.data_type == y.data_type and not is_read_as_it_lies:
        y.strides = strides
        become(graph, view, y)
    else:
        view.given_type = x.data_type
        become(graph, graph.identity(view, name=_name(node, "copy")), y)


def _view(
    graph: Operations, node: Node, x: Tensor, y: Tensor, strides: tuple[int, ...], offset: int
) -> None:
    """Replace a result by a tensor at an offset in an input's memory."""
    if x.producer is not None or x.by_value:
        raise errors.NotSupportedError(
            f"node {node.name} ({node.word}): the release has no such operation, and only an input "
            f"can be read from another address on; {x.name} is computed",
            arguments={"x": x.describe(), "y": y.describe()},
        )
    reader = view_of(node.outputs["y"])
    if reader is not None:
        raise errors.NotSupportedError(
            f"node {node.name} ({node.word}): {reader.name} reads its result as it lies in "
            "memory, so it has to be copied"
        )
    view = graph.view(x, y.shape, strides, offset)
    if y.is_virtual:
        # Those that read the result read the view.
        y.is_virtual = False
        y.given_type, y.strides, y.alignment, y.base, y.offset = (
            *(view.given_type, view.strides, view.alignment, view.base, view.offset),
        )
        y.ragged_offset, y.ragged_multiplier = view.ragged_offset, view.ragged_multiplier
        del graph.tensors[view.uid]
    else:
        become(graph, graph.identity(view, name=_name(node, "copy")), y)


def diagonal_band_mask(
    graph: Operations, node: Node, inputs: dict[str, Tensor], outputs: dict[str, Tensor]
) -> None:
    """Compare the indices of rows and columns, and select."""
    x, fill = inputs["x"], inputs["b"]
    for port in ("seq_len_q", "seq_len_kv", "cu_seq_len_q", "cu_seq_len_kv"):
        if port in inputs:
            raise errors.NotSupportedError(
                f"node {node.name} ({node.word}): the release has no such operation, and the "
                f"composite takes no {port}"
            )
    rank = len(x.shape)
    row = graph.gen_index(x, rank - 2, name=_name(node, "row"))
    column = graph.gen_index(x, rank - 1, name=_name(node, "column"))
    edge = row
    if "shift_right_bound" in inputs:
        edge = graph.pointwise("ADD", row, inputs["shift_right_bound"], name=_name(node, "shift"))
    comparison = cast("PointwiseWord", node.options["comparison"])
    keep = graph.pointwise(comparison, edge, column, name=_name(node, "compare"))
    result = graph.binary_select(x, fill, keep, name=_name(node, "select"))
    if "left_bound" in inputs:
        first = graph.pointwise("SUB", row, inputs["left_bound"], name=_name(node, "left"))
        inside = graph.pointwise("CMP_GT", column, first, name=_name(node, "compare_left"))
        result = graph.binary_select(result, fill, inside, name=_name(node, "select_left"))
    become(graph, result, outputs["y"])


def floor_mod(
    graph: Operations, node: Node, inputs: dict[str, Tensor], outputs: dict[str, Tensor]
) -> None:
    """Subtract the divisor as often as it goes into the dividend, rounded down.

    The quotient of integers is rounded towards zero, so these take the remainder twice.
    """
    a, b = inputs["x"], inputs["b"]
    factors = node.options.get("alpha1", 1.0), node.options.get("alpha2", 1.0)
    a, b = (
        each if factor == 1 else graph.pointwise("MUL", each, factor)
        for each, factor in zip((a, b), factors, strict=True)
    )
    if node.options.get("compute_data_type") in ("INT32", "INT64"):
        rest = graph.pointwise("MOD", a, b, name=_name(node, "mod"))
        above = graph.pointwise("ADD", rest, b, name=_name(node, "add"))
        become(graph, graph.pointwise("MOD", above, b, name=_name(node, "again")), outputs["y"])
        return
    times = graph.pointwise("FLOOR", graph.pointwise("DIV", a, b, name=_name(node, "div")))
    whole = graph.pointwise("MUL", times, b, name=_name(node, "mul"))
    become(graph, graph.pointwise("SUB", a, whole, name=_name(node, "sub")), outputs["y"])


def _average(graph: Operations, node: Node, x: Tensor, shape: tuple[int, ...], part: str) -> Tensor:
    total = graph.reduction(x, "ADD", shape=shape, name=_name(node, f"{part}_sum"))
    share = math.prod(shape) / math.prod(x.shape)
    return graph.pointwise("MUL", total, share, name=_name(node, part))


def norm_forward(
    graph: Operations, node: Node, inputs: dict[str, Tensor], outputs: dict[str, Tensor]
) -> None:
    """Average, subtract, square, average, and multiply; with given statistics only the latter."""
    mode, x = node.options["mode"], inputs["x"]
    scale, bias = inputs.get("scale"), inputs.get("bias")
    _check_norm(node, inputs)
    shape = norm_statistics_shape(mode, x.shape, None if scale is None else scale.shape)
    centred = x
    if mode != "RMS_NORM":
        mean = inputs.get("mean")
        if mean is None:
            mean = _average(graph, node, x, shape, "mean")
        centred = graph.pointwise("SUB", x, mean, name=_name(node, "sub"))
        if "mean_out" in outputs:
            become(graph, mean, outputs["mean_out"])
    inverse = inputs.get("inv_variance")
    if inverse is None:
        square = graph.pointwise("MUL", centred, centred, name=_name(node, "square"))
        variance = _average(graph, node, square, shape, "variance")
        shifted = graph.pointwise("ADD", variance, inputs["epsilon"], name=_name(node, "add"))
        inverse = graph.pointwise("RSQRT", shifted, name=_name(node, "inverse"))
    if "inv_variance_out" in outputs:
        become(graph, inverse, outputs["inv_variance_out"])
        inverse = outputs["inv_variance_out"]
    result = graph.pointwise("MUL", centred, inverse, name=_name(node, "normalize"))
    if scale is not None:
        result = graph.pointwise("MUL", result, scale, name=_name(node, "scale"))
    if bias is not None:
        result = graph.pointwise("ADD", result, bias, name=_name(node, "bias"))
    become(graph, result, outputs["y"])


def _check_norm(node: Node, inputs: dict[str, Tensor]) -> None:
    """Refuse norms whose composite would compute something else."""
    given = {"mean", "inv_variance"} & inputs.keys()
    if any(port.startswith(("running", "peer")) for port in inputs):
        problem = "keeps no running statistics"
    elif node.options["mode"] == "GROUP_NORM":
        problem = "does not know the groups"
    elif len(given) == 1 and node.options["mode"] != "RMS_NORM":
        problem = "takes mean and inv_variance together"
    elif not given and node.options["mode"] == "BATCH_NORM" and node.options["phase"] != "TRAINING":
        problem = "needs mean and inv_variance for inference"
    elif "inv_variance" not in given and "epsilon" not in inputs:
        problem = "needs an epsilon"
    else:
        return
    raise errors.NotSupportedError(f"node {node.name} ({node.word}): the composite {problem}")


def _add_up(
    graph: Operations, node: Node, part: Tensor, inputs: dict[str, Tensor], shape: tuple[int, ...]
) -> Tensor:
    """Return the sum of what a reduction is to be of."""
    if "group_offset" in inputs:
        raise errors.NotSupportedError(
            f"node {node.name} ({node.word}): the composite of {node.options['mode']} takes no "
            "group_offset"
        )
    exact = node.options.get("deterministic")
    return graph.reduction(part, "ADD", shape=shape, deterministic=exact, name=_name(node, "sum"))


def average(
    graph: Operations, node: Node, inputs: dict[str, Tensor], outputs: dict[str, Tensor]
) -> None:
    """Divide by the number of elements first: engines want the reduction last."""
    x, y = inputs["x"], outputs["y"]
    share = math.prod(y.shape) / math.prod(x.shape)
    part = graph.pointwise("MUL", x, share, name=_name(node, "share"))
    become(graph, _add_up(graph, node, part, inputs, y.shape), y)


def sum_of_absolutes(
    graph: Operations, node: Node, inputs: dict[str, Tensor], outputs: dict[str, Tensor]
) -> None:
    """Add absolute values."""
    y = outputs["y"]
    part = graph.pointwise("ABS", inputs["x"], name=_name(node, "abs"))
    become(graph, _add_up(graph, node, part, inputs, y.shape), y)


def euclidean(
    graph: Operations, node: Node, inputs: dict[str, Tensor], outputs: dict[str, Tensor]
) -> None:
    """Add squares, and take the root."""
    x, y = inputs["x"], outputs["y"]
    part = graph.pointwise("MUL", x, x, name=_name(node, "square"))
    total = _add_up(graph, node, part, inputs, y.shape)
    become(graph, graph.pointwise("SQRT", total, name=_name(node, "root")), y)


def is_unreduced(node: Node) -> bool:
    """Return whether a node reduces axes of one element only; no engine takes that."""
    return (
        node.kind == "reduction"
        and node.inputs["x"].shape == node.outputs["y"].shape
        and node.options["mode"] != "MUL_NO_ZEROS"
        and "group_offset" not in node.inputs
    )


def unreduced(
    graph: Operations, node: Node, inputs: dict[str, Tensor], outputs: dict[str, Tensor]
) -> None:
    """Copy, or take absolute values: each result is of one element."""
    is_absolute = node.options["mode"] in ("AMAX", "NORM1", "NORM2")
    copy = graph.abs if is_absolute else graph.identity
    become(graph, copy(inputs["x"], name=_name(node, "one")), outputs["y"])


def gen_stats(
    graph: Operations, node: Node, inputs: dict[str, Tensor], outputs: dict[str, Tensor]
) -> None:
    """Add up numbers and their squares."""
    x = inputs["x"]
    shape = outputs["sum"].shape
    total = graph.reduction(x, "ADD", shape=shape, name=_name(node, "sum"))
    square = graph.pointwise("MUL", x, x, name=_name(node, "square"))
    squares = graph.reduction(square, "ADD", shape=shape, name=_name(node, "square_sum"))
    become(graph, total, outputs["sum"])
    become(graph, squares, outputs["square_sum"])


def expand(
    graph: Operations,
    node: Node,
    inputs: dict[str, Tensor],
    outputs: dict[str, Tensor],
    **_: object,
) -> None:
    """Refuse: no operation does it."""
    del graph, outputs
    raise errors.NotSupportedError(
        f"node {node.name} (expand): no operation of cuDNN repeats a tensor, only copies do, "
        "between several plans",
        arguments={"x": inputs["x"].describe()},
    )


#: Composites by the word for a node, or by the kind of operation, or by kind and mode.
COMPOSITES: dict[str, Callable[..., None]] = {
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


def find_composite(node: Node) -> Callable[..., None] | None:
    """Return the function that computes what a node does by other operations; None without one."""
    if is_unreduced(node):
        return unreduced
    return (
        COMPOSITES.get(node.word)
        or COMPOSITES.get(node.kind)
        or COMPOSITES.get(f"{node.kind} {node.options.get('mode')}")
    )
