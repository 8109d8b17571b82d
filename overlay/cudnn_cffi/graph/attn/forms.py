"""The forms of attention: which one a release has, and the one that is a single operation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ... import errors
from ...choice.engine.errata import errata_of, wrong_function
from ...versions import version_key, version_name, version_number
from ..lower.composites import become
from ..nested import SingleNode, SubGraph, trace
from ..record.operations import OPERATIONS
from ..tensors import Node, Tensor
from . import composite
from . import gradient_parts as parts
from .checks import ROWS, has_multiplier, is_float, is_fp8, is_ragged, steps_of

if TYPE_CHECKING:
    from ...choice.engine.errata.record import Call
    from ..methods.operations import Operations
    from ..record.types import Options

    Release = tuple[int, ...]


Needs = list[tuple[bool, tuple[int, ...], str]]

#: A scale that no engine computes by itself.
_LOW = "a scale of zero or below"

#: More than any release, for what none can do.
_NEVER = (999,)


def lower_forward(
    graph: Operations,
    node: Node,
    inputs: dict[str, Tensor],
    outputs: dict[str, Tensor],
    *,
    release: Release,
    whole: bool = True,
) -> None:
    """Add attention in the form that the release has; one operation where both would do."""
    _refuse_wrong(node, inputs, outputs, release)
    wrong, by_one_plan = _wrong(node, inputs, release, in_parts=not whole)
    needs = [*_composite_needs(node, inputs), *wrong]
    single = _node_needs(node, inputs)
    try:
        form = _choose(node, single, [*needs, *by_one_plan], release)
    except errors.NotSupportedError:
        alone = inputs["q"].shape[2] == 1 == node.options["length_kv"]
        if whole or alone or node.options.get("form") or _problem(needs, release):
            raise
        form = "expanded"
    if form != "expanded":
        inputs = composite.with_positive_scale(graph, node, inputs)
    make = {"node": _forward_node, "composite": composite.forward, "expanded": parts.expanded}[form]
    _finish(graph, make(graph, node, inputs, release), outputs)


def lower_backward(
    graph: Operations,
    node: Node,
    inputs: dict[str, Tensor],
    outputs: dict[str, Tensor],
    *,
    release: Release,
    whole: bool = True,
) -> None:
    """Add the gradient of attention in the form that the release has.

    Args:
        whole: whether one engine is to compute it; else also what several plans compute.
    """
    _refuse_wrong(node, inputs, outputs, release)
    single = _backward_node_needs(node, inputs)
    wrong, by_one_plan = _wrong(node, inputs, release)
    needs = [*_backward_needs(node, inputs, release), *wrong]
    try:
        form = _choose(node, single, [*needs, *by_one_plan], release)
    except errors.NotSupportedError:
        if whole or node.options.get("form"):
            raise
        form = "twice" if "dropout_mask" in node.inputs else "expanded"
        if form == "expanded" and not parts.is_flat(node):
            form = "divided"
        if _problem(needs, release):
            form = "parts"
    make = {
        "node": _backward_node,
        "composite": composite.backward,
        "expanded": parts.expanded,
        "divided": parts.divided,
        "twice": parts.twice,
        "parts": parts.backward,
    }[form]
    if is_fp8(inputs["q"]):
        make = composite.fp8_backward
    if form in ("node", "composite"):
        inputs = composite.with_positive_scale(graph, node, inputs)
    _finish(graph, make(graph, node, inputs, release), outputs)


def _finish(graph: Operations, made: dict[str, Tensor], outputs: dict[str, Tensor]) -> None:
    for port, wanted in outputs.items():
        become(graph, made[port], wanted)


def _choose(node: Node, single: Needs, parts: Needs, release: Release) -> str:
    """Return "node" or "composite"; refuse what neither does in this release."""
    wanted = node.options.get("form")
    problems = {
        form: _problem(needs, release) for form, needs in (("node", single), ("composite", parts))
    }
    for form in (wanted,) if wanted else ("node", "composite"):
        if not problems[form]:
            return form
    version = ".".join(map(str, release))
    reasons = [f"as {form}: {problems[form]}" for form in ([wanted] if wanted else problems)]
    raise errors.NotSupportedError(
        f"node {node.name} ({node.kind}): cuDNN {version} does not compute it; "
        + "; ".join(reasons),
        arguments={port: each.describe() for port, each in node.inputs.items()},
    )


def _problem(needs: Needs, release: Release) -> str:
    """Return what a release lacks; "" for nothing."""
    lacks = []
    for is_asked, since, what in needs:
        if is_asked and release < since:
            when = f"needs {'.'.join(map(str, since))}" if since != _NEVER else "is not possible"
            lacks.append(f"{what} {when}")
    return ", ".join(lacks)


def _rows(node: Node) -> bool:
    """Return whether maxima or sums of rows are wanted."""
    return bool({"row_max", "row_sum"} & node.outputs.keys())


def _scores(node: Node) -> list[tuple[bool, str]]:
    """Return what is done to scores, and whether it is asked for."""
    o = node.options
    return [
        (o.get("right") == 0 and o.get("left") is None, "causal"),
        (o.get("left") is not None or bool(o.get("right")), "window"),
        ("bias" in node.inputs, "bias"),
        ("alibi" in node.inputs, "alibi"),
        ("score" in o, "score"),
        (composite.low_scale(node) is not None, _LOW),
    ]


def _node_needs(node: Node, inputs: dict[str, Tensor]) -> Needs:
    has, o = node.inputs.__contains__, node.options
    return [
        (True, (9, 13, 1), "attention"),
        (has("seq_len_q"), (9, 15, 0), "seq_len"),
        (
            has("seq_len_q") and inputs["seq_len_q"].data_type == "INT64",
            *(_NEVER, "seq_len of INT64"),
        ),
        (has("page_table_k") or has("page_table_v"), (9, 15, 0), "a page table"),
        *[(asked, (9, 21, 0), what) for asked, what in _scores(node)],
        (has("sink"), (9, 21, 0), "sink"),
        (has("seed"), (9, 22, 0), "dropout"),
        (has("seed") and "stats" in node.outputs, _NEVER, "dropout with statistics"),
        (has("dropout_mask"), _NEVER, "dropout_mask"),
        (_rows(node), (9, 21, 0), "return_rows"),
        ("stats_log2" in o, (9, 27, 0), "stats_log2"),
        (has("block_mask"), (9, 14, 0), "block_mask"),
        (has("cu_seq_len_q") or has("cu_seq_len_kv"), (9, 24, 0), "cu_seq_len"),
        (
            has("cu_seq_len_q") != has("cu_seq_len_kv"),
            (9, 25, 0),
            "cu_seq_len beside seq_len of the other side",
        ),
        (has_multiplier(inputs), (9, 24, 0), "a multiplier of ragged offsets"),
        (is_float(inputs["q"]), _NEVER, "FLOAT"),
        (is_fp8(inputs["q"]), (9, 25, 0), "FP8"),
        (
            is_fp8(inputs["q"]) and any(asked for asked, _ in _scores(node)),
            _NEVER,
            "FP8 with masks",
        ),
        (o.get("max_seq_len_kv") is not None and not has("page_table_k"), _NEVER, "max_seq_len_kv"),
    ]


def _composite_needs(node: Node, inputs: dict[str, Tensor]) -> Needs:
    has, o = node.inputs.__contains__, node.options
    q = inputs["q"]
    paged = has("page_table_k") or has("page_table_v")
    ragged, bottom, left = is_ragged(inputs), o.get("bottom_right"), o.get("left")
    odd = q.shape[2] % 64 or o["length_kv"] % 64
    widest = max(q.shape[3], inputs["v"].shape[3])
    dropped = "dropout" in o or has("dropout_mask")
    mixed = left is not None and (o.get("right") != 0 or dropped or has("bias"))
    alone = _rows(node) and not {"row_max", "row_sum"} <= node.outputs.keys()
    return [
        (True, (9, 0, 0), "attention"),
        (has("sink"), (9, 13, 0), "sink"),
        (paged, (9, 5, 0), "a page table"),
        (paged and ragged, (9, 7, 0), "a page table with ragged tensors"),
        (paged and widest > 128, (9, 10, 0), "a page table with a width above 128"),
        (widest > 256, (9, 10, 0), "a width above 256"),
        (bool(bottom and odd), (9, 6, 0), "bottom_right with lengths that are no multiples of 64"),
        (
            bool(bottom) and left is not None and q.shape[2] != o["length_kv"],
            (9, 6, 0),
            "a window from the bottom right with more keys than queries",
        ),
        (mixed, (9, 10, 2), "a window to the left that is not causal, or with dropout or bias"),
        (q.shape[2] == 1 and "right" in o, (9, 10, 0), "causal with one query"),
        (is_fp8(q), (9, 1, 0), "FP8"),
        (is_fp8(q) and composite.low_scale(node) is not None, _NEVER, f"FP8 with {_LOW}"),
        (left is not None and left < 0, (9, 10, 0), "a window without the query's own key"),
        (alone, (9, 21, 0), "return_rows of maxima or sums alone"),
        (_rows(node) and "stats" in node.outputs, (9, 21, 0), "return_rows with statistics"),
        ("stats_log2" in o, (9, 27, 0), "stats_log2"),
        (has("block_mask"), _NEVER, "block_mask"),
        (has("cu_seq_len_q") or has("cu_seq_len_kv"), _NEVER, "cu_seq_len"),
        (has_multiplier(inputs), _NEVER, "a multiplier of ragged offsets"),
        (
            inputs["k"].producer is not None and not has("page_table_k"),
            _NEVER,
            f"keys that a node computes ({inputs['k'].name})",
        ),
    ]


def _backward_node_needs(node: Node, inputs: dict[str, Tensor]) -> Needs:
    has, o = node.inputs.__contains__, node.options
    bias = node.inputs.get("bias")
    scores = (inputs["q"].shape[2], inputs["k"].shape[2])
    flat = bias is not None and bias.shape[2:] != scores
    return [
        # 9.27 proposes engines for it first; sequence lengths, bias, dropout came after.
        (True, (9, 28, 0), "the gradient of attention"),
        (is_ragged(inputs), _NEVER, "a ragged tensor"),
        ("score" in o, _NEVER, "score_backward"),
        (composite.low_scale(node) is not None, _NEVER, _LOW),
        ("deterministic" in o, _NEVER, "deterministic"),
        (has("dropout_mask"), _NEVER, "dropout_mask"),
        ("mask" in node.outputs, _NEVER, "return_mask"),
        (is_float(inputs["q"]), _NEVER, "FLOAT"),
        ("dbias" in node.outputs and flat, _NEVER, "dbias of a bias that is repeated"),
        (is_fp8(inputs["q"]), _NEVER, "FP8"),
    ]


def _backward_needs(node: Node, inputs: dict[str, Tensor], release: Release) -> Needs:
    has = node.inputs.__contains__
    ragged, dbias = is_ragged(inputs), "dbias" in node.outputs
    length_q, length = inputs["q"].shape[2], inputs["k"].shape[2]
    grouped = inputs["q"].shape[1] != min(inputs["k"].shape[1], inputs["v"].shape[1])
    odd = [
        (grouped, "grouped heads"),
        (ragged, "ragged tensors"),
        ("dropout" in node.options, "dropout"),
        ("sink" in node.inputs, "a sink"),
        ("deterministic" in node.options, "deterministic"),
        ("bottom_right" in node.options, "bottom_right"),
        *[each for each in _scores(node) if each[1] in ("bias", "alibi", "score")],
    ]
    width, width_v = inputs["q"].shape[3], inputs["v"].shape[3]
    odd_width = 128 < width < 192 and 64 < width_v < 128
    return [
        *_composite_needs(node, inputs),
        (odd_width and release >= (9, 11, 0), (9, 13, 0), f"widths of {width} and {width_v}"),
        (is_float(inputs["q"]), _NEVER, "FLOAT"),
        (
            inputs["v"].producer is not None,
            _NEVER,
            f"values that a node computes ({inputs['v'].name})",
        ),
        (
            bool(length % 128) and not has("seq_len_kv"),
            (9, 16, 0),
            f"{length} keys, no multiple of 128, without seq_len_q and seq_len_kv,",
        ),
        *[(is_fp8(inputs["q"]) and asked, _NEVER, f"FP8 with {what}") for asked, what in odd],
        (ragged and has("sink"), (9, 26, 0), "a sink with ragged tensors"),
        (ragged and grouped, (9, 6, 0), "grouped heads with ragged tensors"),
        (dbias and has("seq_len_q"), (9, 5, 0), "dbias with sequence lengths"),
        (dbias and bool(length_q % 64 or length % 64), (9, 5, 0), "dbias with odd lengths"),
    ]


def _number(release: Release) -> int:
    """Return a release as cudnnGetVersion numbers it."""
    return version_number(".".join(map(str, release)))


def _refuse_wrong(
    node: Node, inputs: dict[str, Tensor], outputs: dict[str, Tensor], release: Release
) -> None:
    """Refuse what engines compute wrongly in every form.

    Raises:
        NotSupportedError: it says what the caller can do.
    """
    q = inputs["q"]
    facts: dict[str, Call] = {"": {"fp8": is_fp8(q), "queries": q.shape[2]}}
    for port, each in (*inputs.items(), *outputs.items()):
        if port in ROWS:
            facts[f"{port} has the strides {each.strides}: "] = {"steps": steps_of(each)}
    for what, known in facts.items():
        if why := wrong_function(node.kind, known, release=_number(release)):
            raise errors.NotSupportedError(f"node {node.name} ({node.kind}): {what}{why}")


def _wrong(
    node: Node, inputs: dict[str, Tensor], release: Release, in_parts: bool = False
) -> tuple[Needs, Needs]:
    """Return what engines compute wrongly as a composite: in any plan, and in one plan alone."""
    has, o = node.inputs.__contains__, node.options
    q, bias = inputs["q"], node.inputs.get("bias")
    call: Call = {
        "changes_scores": composite.changes_scores(node),
        "dbias": "dbias" in node.outputs,
        "dropout": has("seed"),
        "dropout_mask": has("dropout_mask"),
        "dsink": "dsink" in node.outputs and "divided" not in o,
        "flat_bias": parts.is_flat(node),
        "float": is_float(q),
        "in_parts": in_parts,
        "keys": o["length_kv"],
        "left_alone": o.get("left") is not None and "right" not in o,
        "queries": q.shape[2],
        "rows": _rows(node),
        "sink": has("sink"),
    }
    if bias is not None:
        call["bias"] = bias.shape
    found: tuple[Needs, Needs] = [], []
    for each in errata_of(f"{node.kind} composite", call, release=_number(release)):
        after = _NEVER if each.last is None else version_key(version_name(each.last + 1))
        found[bool(each.workaround)].append((True, after, each.symptom))
    return found


def _forward_node(
    graph: Operations, node: Node, inputs: dict[str, Tensor], release: Release
) -> dict[str, Tensor]:
    """Add attention as one operation."""
    direct: dict[str, Tensor] = {
        port: inputs[port]
        for port in (
            *("q", "k", "v", "scale", "seq_len_q", "seq_len_kv", "cu_seq_len_q", "cu_seq_len_kv"),
            *("page_table_k", "page_table_v", "block_mask"),
            *("descale_q", "descale_k", "descale_v", "descale_s", "scale_s", "scale_o"),
        )
        if port in inputs
    }
    options = _subgraph(graph, node, inputs, release)
    results = {"o": "o", "amax_s": "amax_s", "amax_o": "amax_o"}
    if "dropout" in node.options:
        options["dropout_probability"] = float(node.options["dropout"])
        direct["dropout_seed"], direct["dropout_offset"] = inputs["seed"], inputs["offset"]
        results["rng_dump"] = "mask"
    stats: dict[str, Tensor] = {}
    if "sink" in inputs or _rows(node) or "stats_log2" in node.options:
        options["softmax"] = _softmax(graph, node, inputs.get("sink"), stats)
    else:
        results["stats"] = "stats"
    wanted = [port for port, own in results.items() if own in node.outputs]
    made = graph.add_node(OPERATIONS["sdpa_forward"], direct, options, node._name, wanted)
    return stats | {results[port]: each for port, each in made.outputs.items()}


def _backward_node(
    graph: Operations, node: Node, inputs: dict[str, Tensor], release: Release
) -> dict[str, Tensor]:
    """Add the gradient of attention as one operation."""
    ports = ("q", "k", "v", "o", "do", "stats", "scale", "seq_len_q", "seq_len_kv", "sink")
    direct: dict[str, Tensor] = {port: inputs[port] for port in ports if port in inputs}
    options = _subgraph(graph, node, inputs, release)
    if "dropout" in node.options:
        options["dropout_probability"] = float(node.options["dropout"])
        direct["dropout_seed"], direct["dropout_offset"] = inputs["seed"], inputs["offset"]
    if "dbias" in node.outputs:
        options["bias_shape"] = inputs["bias"].shape
    results = tuple(node.outputs)
    made = graph.add_node(OPERATIONS["sdpa_backward"], direct, options, node._name, results)
    return dict(made.outputs)


def _subgraph(
    graph: Operations, node: Node, inputs: dict[str, Tensor], release: Release
) -> Options:
    """Return the options for what is done to scores; none where nothing is."""
    if not any(asked for asked, _ in _scores(node)):
        return {}
    q = inputs["q"]

    def scores(graph: Operations, x: Tensor) -> Tensor:
        x = composite.add_scores(graph, x, node, inputs)
        return composite.mask_bands(graph, x, node, inputs, release)

    shape = (*q.shape[:3], node.options["length_kv"])
    made = trace(graph, "scores", scores, shape, 1, SubGraph)
    return {
        "subgraph": made,
        "subgraph_input": made.arguments[0].uid,
        "subgraph_output": made.result.uid,
    }


def _softmax(
    graph: Operations, node: Node, sink: Tensor | None, stats: dict[str, Tensor]
) -> SingleNode:
    """Return the softmax that attention takes as its part; put its statistics into `stats`."""
    q = node.inputs["q"]

    def softmax(graph: Operations, x: Tensor) -> Tensor:
        stats.update(composite.add_softmax(graph, x, node, sink))
        return stats.pop("y")

    shape = (*q.shape[:3], node.options["length_kv"])
    return trace(graph, "softmax", softmax, shape, 1, SingleNode)
