"""The forms of attention: which one a release has, and the one that is a single operation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ... import errors
from ...errata.asks import errata_of, wrong_function
from ...versions import version_key, version_name
from ..nested import SingleNode, SubGraph, trace
from ..record.operations import OPERATIONS
from . import composite, score_functions
from . import gradient_parts as parts
from .checks import ROWS, has_multiplier, is_float, is_fp8, is_grouped, is_ragged, steps_of

if TYPE_CHECKING:
    from ...errata.record import Call
    from ..lower.replaced import Replaced
    from ..methods.operations import Operations
    from ..record.types import Options
    from ..tensors import Node, Tensor

    Release = tuple[int, ...]


Needs = list[tuple[bool, tuple[int, ...], str]]

#: A scale that no engine computes by itself.
_LOW = "a scale of zero or below"

#: Greater than every version: supported by none.
NEVER = (999,)


def lower_forward(at: Replaced) -> None:
    """Add attention in the form that the release has; one operation where both would do."""
    _refuse_wrong(at)
    q = at.inputs["q"]
    wrong, by_one_plan = _wrong(at, in_parts=not at.whole)
    needs = [*composite_needs(at), *wrong]
    single = node_needs(at)
    try:
        form = _choose(at, single, [*needs, *by_one_plan])
    except errors.NotSupportedError:
        alone = q.shape[2] == 1 == at.node.options["length_kv"]
        if parts.shares_heads_of_one_query(at):  # which are not copied within pages and such
            alone = is_ragged(at.inputs) or "page_table_k" in at.inputs
        if at.whole or alone or at.node.options.get("form") or _problem(needs, at.release):
            raise
        form = "expanded"
    if form != "expanded":
        at = composite.with_positive_scale(at)
    make = {"node": _forward_node, "composite": composite.forward, "expanded": parts.expanded}[form]
    _finish(at, make(at))


def lower_backward(at: Replaced) -> None:
    """Add the gradient of attention in the form that the release has.

    If one engine need not compute the whole, several plans may compute it.
    """
    _refuse_wrong(at)
    single = backward_node_needs(at)
    wrong, by_one_plan = _wrong(at)
    needs = [*backward_needs(at), *wrong]
    try:
        form = _choose(at, single, [*needs, *by_one_plan])
    except errors.NotSupportedError:
        if at.whole or at.node.options.get("form"):
            raise
        form = "twice" if "dropout_mask" in at.node.inputs else "expanded"
        if form == "expanded" and not parts.is_flat(at.node):
            form = "divided"
        if _problem(needs, at.release):
            if "score" in at.node.options:  # parts have no functions of scores
                raise
            form = "parts"
    make = {
        "node": _backward_node,
        "composite": composite.backward,
        "expanded": parts.expanded,
        "divided": parts.divided,
        "twice": parts.twice,
        "parts": parts.backward,
    }[form]
    if is_fp8(at.inputs["q"]):
        make = composite.fp8_backward
    if form in ("node", "composite"):
        at = composite.with_positive_scale(at)
    _finish(at, make(at))


def _finish(at: Replaced, made: dict[str, Tensor]) -> None:
    for port in at.outputs:
        at.become(made[port], port)


def _choose(at: Replaced, single: Needs, parts: Needs) -> str:
    """Return "node" or "composite"; refuse a node that neither computes in this release."""
    wanted = at.node.options.get("form")
    problems = {
        form: _problem(needs, at.release)
        for form, needs in (("node", single), ("composite", parts))
    }
    for form in (wanted,) if wanted else ("node", "composite"):
        if not problems[form]:
            return form
    version = ".".join(map(str, at.release))
    reasons = [f"as {form}: {problems[form]}" for form in ([wanted] if wanted else problems)]
    problem = f"cuDNN {version} does not compute it; " + "; ".join(reasons)
    raise at.refusal(problem, *at.inputs)


def _problem(needs: Needs, release: Release) -> str:
    """Return the features that a release lacks, as a text; "" for none."""
    lacks = []
    for is_asked, since, what in needs:
        if is_asked and release < since:
            when = f"needs {'.'.join(map(str, since))}" if since != NEVER else "is not possible"
            lacks.append(f"{what} {when}")
    return ", ".join(lacks)


def _rows(node: Node) -> bool:
    """Return whether maxima or sums of rows are results."""
    return bool({"row_max", "row_sum"} & node.outputs.keys())


def _scores(at: Replaced) -> list[tuple[bool, str]]:
    """Return the changes of scores, each with whether the node has it."""
    node, o = at.node, at.node.options
    return [
        (o.get("right") == 0 and o.get("left") is None, "causal"),
        (o.get("left") is not None or bool(o.get("right")), "window"),
        ("bias" in node.inputs, "bias"),
        ("alibi" in node.inputs, "alibi"),
        ("score" in o, "score"),
        (composite.low_scale(at) is not None, _LOW),
    ]


def node_needs(at: Replaced) -> Needs:
    """Return the first release of each feature of attention as one operation."""
    has, o, q = at.node.inputs.__contains__, at.node.options, at.inputs["q"]
    scores = _scores(at)
    return [
        (True, (9, 13, 1), "attention"),
        (has("seq_len_q"), (9, 15, 0), "seq_len"),
        (
            has("seq_len_q") and at.inputs["seq_len_q"].data_type == "INT64",
            NEVER,
            "seq_len of INT64",
        ),
        (has("page_table_k") or has("page_table_v"), (9, 15, 0), "a page table"),
        *[(asked, (9, 21, 0), what) for asked, what in scores],
        (has("sink"), (9, 21, 0), "sink"),
        (has("seed"), (9, 22, 0), "dropout"),
        (has("seed") and "stats" in at.node.outputs, NEVER, "dropout with statistics"),
        (has("dropout_mask"), NEVER, "dropout_mask"),
        (_rows(at.node), (9, 21, 0), "return_rows"),
        ("stats_log2" in o, (9, 27, 0), "stats_log2"),
        (has("block_mask"), (9, 14, 0), "block_mask"),
        (has("cu_seq_len_q") or has("cu_seq_len_kv"), (9, 24, 0), "cu_seq_len"),
        (
            has("cu_seq_len_q") != has("cu_seq_len_kv"),
            (9, 25, 0),
            "cu_seq_len beside seq_len of the other side",
        ),
        (has_multiplier(at.inputs), (9, 24, 0), "a multiplier of ragged offsets"),
        (is_float(q), NEVER, "FLOAT"),
        (is_fp8(q), (9, 25, 0), "FP8"),
        (is_fp8(q) and any(asked for asked, _ in scores), NEVER, "FP8 with masks"),
        (o.get("max_seq_len_kv") is not None and not has("page_table_k"), NEVER, "max_seq_len_kv"),
    ]


def composite_needs(at: Replaced) -> Needs:
    """Return the first release of each feature of the composite."""
    has, o = at.node.inputs.__contains__, at.node.options
    q = at.inputs["q"]
    paged = has("page_table_k") or has("page_table_v")
    ragged, bottom, left = is_ragged(at.inputs), o.get("bottom_right"), o.get("left")
    odd = q.shape[2] % 64 or o["length_kv"] % 64
    widest = max(q.shape[3], at.inputs["v"].shape[3])
    dropped = "dropout" in o or has("dropout_mask")
    mixed = left is not None and (o.get("right") != 0 or dropped or has("bias"))
    alone = _rows(at.node) and not {"row_max", "row_sum"} <= at.node.outputs.keys()
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
        (is_fp8(q) and composite.low_scale(at) is not None, NEVER, f"FP8 with {_LOW}"),
        (left is not None and left < 0, (9, 10, 0), "a window without the query's own key"),
        (alone, (9, 21, 0), "return_rows of maxima or sums alone"),
        (_rows(at.node) and "stats" in at.node.outputs, (9, 21, 0), "return_rows with statistics"),
        ("stats_log2" in o, (9, 27, 0), "stats_log2"),
        (has("block_mask"), NEVER, "block_mask"),
        (has("cu_seq_len_q") or has("cu_seq_len_kv"), NEVER, "cu_seq_len"),
        (has_multiplier(at.inputs), NEVER, "a multiplier of ragged offsets"),
        (
            at.inputs["k"].producer is not None and not has("page_table_k"),
            NEVER,
            f"keys that a node computes ({at.inputs['k'].name})",
        ),
    ]


def backward_node_needs(at: Replaced) -> Needs:
    """Return the first release of each feature of the gradient as one operation."""
    has, o = at.node.inputs.__contains__, at.node.options
    bias = at.node.inputs.get("bias")
    scores = (at.inputs["q"].shape[2], at.inputs["k"].shape[2])
    flat = bias is not None and bias.shape[2:] != scores
    return [
        # 9.27 proposes engines for it first; 9.28 adds sequence lengths, bias, dropout.
        (True, (9, 28, 0), "the gradient of attention"),
        (is_ragged(at.inputs), NEVER, "a ragged tensor"),
        ("score" in o, NEVER, "score_backward"),
        (composite.low_scale(at) is not None, NEVER, _LOW),
        ("deterministic" in o, NEVER, "deterministic"),
        (has("dropout_mask"), NEVER, "dropout_mask"),
        ("mask" in at.node.outputs, NEVER, "return_mask"),
        (is_float(at.inputs["q"]), NEVER, "FLOAT"),
        ("dbias" in at.node.outputs and flat, NEVER, "dbias of a bias that is repeated"),
        (is_fp8(at.inputs["q"]), NEVER, "FP8"),
    ]


def backward_needs(at: Replaced) -> Needs:
    """Return the first release of each feature of the gradient's composite."""
    has = at.node.inputs.__contains__
    ragged, dbias = is_ragged(at.inputs), "dbias" in at.node.outputs
    length_q, length = at.inputs["q"].shape[2], at.inputs["k"].shape[2]
    grouped = is_grouped(at.inputs)
    odd = [
        (grouped, "grouped heads"),
        (ragged, "ragged tensors"),
        ("dropout" in at.node.options, "dropout"),
        ("sink" in at.node.inputs, "a sink"),
        ("deterministic" in at.node.options, "deterministic"),
        ("bottom_right" in at.node.options, "bottom_right"),
        *[each for each in _scores(at) if each[1] in ("bias", "alibi", "score")],
    ]
    width, width_v = at.inputs["q"].shape[3], at.inputs["v"].shape[3]
    odd_width = 128 < width < 192 and 64 < width_v < 128
    return [
        *composite_needs(at),
        (odd_width and at.release >= (9, 11, 0), (9, 13, 0), f"widths of {width} and {width_v}"),
        (is_float(at.inputs["q"]), NEVER, "FLOAT"),
        (
            at.inputs["v"].producer is not None,
            NEVER,
            f"values that a node computes ({at.inputs['v'].name})",
        ),
        (
            bool(length % 128) and not has("seq_len_kv"),
            (9, 16, 0),
            f"{length} keys, no multiple of 128, without seq_len_q and seq_len_kv,",
        ),
        *[(is_fp8(at.inputs["q"]) and asked, NEVER, f"FP8 with {what}") for asked, what in odd],
        (ragged and has("sink"), (9, 26, 0), "a sink with ragged tensors"),
        (ragged and grouped, (9, 6, 0), "grouped heads with ragged tensors"),
        (dbias and has("seq_len_q"), (9, 5, 0), "dbias with sequence lengths"),
        (dbias and bool(length_q % 64 or length % 64), (9, 5, 0), "dbias with odd lengths"),
    ]


def _refuse_wrong(at: Replaced) -> None:
    """Refuse attention that engines compute wrongly in every form.

    Raises:
        NotSupportedError: it names the workaround.
    """
    q = at.inputs["q"]
    facts: dict[str, Call] = {"": {"fp8": is_fp8(q), "queries": q.shape[2]}}
    for port, each in (*at.inputs.items(), *at.outputs.items()):
        if port in ROWS:
            facts[f"{port} has the strides {each.strides}: "] = {"steps": steps_of(each)}
    for what, known in facts.items():
        if why := wrong_function(at.node.kind, known, release=at.number):
            raise at.refusal(f"{what}{why}")


def _wrong(at: Replaced, in_parts: bool = False) -> tuple[Needs, Needs]:
    """Return the errata of the composite: those of any plan, and those of one plan alone."""
    has, o = at.node.inputs.__contains__, at.node.options
    q, bias = at.inputs["q"], at.node.inputs.get("bias")
    call: Call = {
        "changes_scores": composite.changes_scores(at),
        "score_indices": score_functions.loses_indices(at),
        "score_lost": score_functions.loses_scores(at),
        "dbias": "dbias" in at.node.outputs,
        "dropout": has("seed"),
        "dropout_mask": has("dropout_mask"),
        "dsink": "dsink" in at.node.outputs and "divided" not in o,
        "flat_bias": parts.is_flat(at.node),
        "float": is_float(q),
        "grouped": is_grouped(at.inputs),
        "in_parts": in_parts,
        "infinite_slopes": score_functions.has_infinite_slopes(at, composite.low_scale(at)),
        "keys": o["length_kv"],
        "nan_scores": score_functions.has_nan_scores(at),
        "left_alone": o.get("left") is not None and "right" not in o,
        "lengths": has("seq_len_kv"),
        "queries": q.shape[2],
        "rows": _rows(at.node),
        "sink": has("sink"),
    }
    if bias is not None:
        call["bias"] = bias.shape
    found: tuple[Needs, Needs] = [], []
    for each in errata_of(f"{at.node.kind} composite", call, release=at.number):
        after = NEVER if each.last is None else version_key(version_name(each.last + 1))
        found[bool(each.workaround)].append((True, after, each.symptom))
    return found


def _forward_node(at: Replaced) -> dict[str, Tensor]:
    """Add attention as one operation."""
    direct: dict[str, Tensor] = {
        port: at.inputs[port]
        for port in (
            *("q", "k", "v", "scale", "seq_len_q", "seq_len_kv", "cu_seq_len_q", "cu_seq_len_kv"),
            *("page_table_k", "page_table_v", "block_mask"),
            *("descale_q", "descale_k", "descale_v", "descale_s", "scale_s", "scale_o"),
        )
        if port in at.inputs
    }
    options = _subgraph(at)
    results = {"o": "o", "amax_s": "amax_s", "amax_o": "amax_o"}
    if "dropout" in at.node.options:
        options["dropout_probability"] = float(at.node.options["dropout"])
        direct["dropout_seed"], direct["dropout_offset"] = at.inputs["seed"], at.inputs["offset"]
        results["rng_dump"] = "mask"
    stats: dict[str, Tensor] = {}
    if "sink" in at.inputs or _rows(at.node) or "stats_log2" in at.node.options:
        options["softmax"] = _softmax(at, stats)
    else:
        results["stats"] = "stats"
    wanted = [port for port, own in results.items() if own in at.node.outputs]
    made = at.graph.add_node(OPERATIONS["sdpa_forward"], direct, options, at.node._name, wanted)
    return stats | {results[port]: each for port, each in made.outputs.items()}


def _backward_node(at: Replaced) -> dict[str, Tensor]:
    """Add the gradient of attention as one operation."""
    ports = ("q", "k", "v", "o", "do", "stats", "scale", "seq_len_q", "seq_len_kv", "sink")
    direct = {port: at.inputs[port] for port in ports if port in at.inputs}
    options = _subgraph(at)
    if "dropout" in at.node.options:
        options["dropout_probability"] = float(at.node.options["dropout"])
        direct["dropout_seed"], direct["dropout_offset"] = at.inputs["seed"], at.inputs["offset"]
    if "dbias" in at.node.outputs:
        options["bias_shape"] = at.inputs["bias"].shape
    results = tuple(at.node.outputs)
    made = at.graph.add_node(OPERATIONS["sdpa_backward"], direct, options, at.node._name, results)
    return dict(made.outputs)


def _subgraph(at: Replaced) -> Options:
    """Return the options for changes of scores; none if there are no changes."""
    if not any(asked for asked, _ in _scores(at)):
        return {}
    q = at.inputs["q"]

    def scores(_: Operations, x: Tensor) -> Tensor:
        return composite.mask_bands(at, composite.add_scores(at, x))

    shape = (*q.shape[:3], at.node.options["length_kv"])
    made = trace(at.graph, "scores", scores, shape, 1, SubGraph)
    return {
        "subgraph": made,
        "subgraph_input": made.arguments[0].uid,
        "subgraph_output": made.result.uid,
    }


def _softmax(at: Replaced, stats: dict[str, Tensor]) -> SingleNode:
    """Return the softmax that attention takes as its part; put its statistics into `stats`."""
    q = at.node.inputs["q"]

    def softmax(_: Operations, x: Tensor) -> Tensor:
        stats.update(composite.add_softmax(at, x))
        return stats.pop("y")

    shape = (*q.shape[:3], at.node.options["length_kv"])
    return trace(at.graph, "softmax", softmax, shape, 1, SingleNode)
