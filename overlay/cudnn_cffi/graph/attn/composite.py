"""Attention of matmuls, pointwise operations and reductions.

cuDNN's engines recognise these patterns as a whole; the order of nodes, which tensors are virtual,
and where types change are part of the pattern. Tensors that two kernels exchange lie in the plan's
workspace.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ...errata.asks import wrong_function
from ...errata.conditions.attention import LEAST_SCALE
from ..lower.relu import is_misread, rewritten
from ..nested import Nested
from ..record.operations import OPERATIONS
from ..rules.results import packed
from .checks import dropout_scale, is_fp8

if TYPE_CHECKING:
    from ...errata.record import Call
    from ..lower.replaced import Replaced
    from ..methods.operations import Operations
    from ..record.types import DataTypeName, Extents, Options, PointwiseWord
    from ..tensors import Node, Tensor


def forward(at: Replaced) -> dict[str, Tensor]:
    """Add attention, and return its results."""
    q = at.inputs["q"]
    length = at.node.options["length_kv"]
    io = q.data_type
    lengths_q, lengths = at.inputs.get("seq_len_q"), at.inputs.get("seq_len_kv")
    keys = _keys(at, length)
    x = at.graph.matmul(
        *(q, keys), m=lengths_q, n=lengths, padding_value=None if lengths is None else 0.0
    )
    x = at.graph.mul(x, at.inputs["scale"])
    if is_fp8(q):
        x = at.graph.mul(at.graph.mul(x, at.inputs["descale_q"]), at.inputs["descale_k"])
    x = add_scores(at, x)
    if lengths is not None:
        x = mask_padding(at, x)
    x = mask_bands(at, x)
    results: dict[str, Tensor] = {}
    x, parts = _softmax(at, x)
    results |= parts
    if "seed" in at.inputs:
        results["mask"] = mask = _random_mask(at, length)
        x = at.graph.mul(at.graph.mul(x, mask), dropout_scale(at.inputs, at.node.options))
    elif "dropout_mask" in at.inputs:
        x = at.graph.mul(
            at.graph.mul(x, dropout_scale(at.inputs, at.node.options)), at.inputs["dropout_mask"]
        )
    if is_fp8(q):
        results["amax_s"] = at.graph.reduction(x, "AMAX")
        x = at.graph.mul(x, at.inputs["scale_s"])
    x.given_type = io  # the second matmul takes the type of the values
    values = _values(at, length)
    o = at.graph.matmul(x, values, m=lengths_q, k=lengths)
    if is_fp8(q):
        o = at.graph.mul(at.graph.mul(o, at.inputs["descale_s"]), at.inputs["descale_v"])
        results["amax_o"] = at.graph.reduction(o, "AMAX")
        o = at.graph.mul(o, at.inputs["scale_o"])
    return {**results, "o": o}


def low_scale(at: Replaced) -> float | None:
    """Return the scale where it is known to be one that engines compute NaN with."""
    scale = at.node.inputs["scale"]
    value = scale.value if scale.by_value else None
    if value is None or not wrong_function("attention scale", {"scale": value}, release=at.number):
        return None
    return value


def with_positive_scale(at: Replaced) -> Replaced:
    """Give it a scale above zero; `add_scores` multiplies by the rest of the scale.

    Engines find the maximum of a row before they scale it, so that they write NaN for others.
    """
    value = low_scale(at)
    if value is None:
        return at
    positive = -value if -value >= LEAST_SCALE else 1.0
    scale = at.graph.scalar(positive, "FLOAT", rank=4)
    return at._replace(inputs=at.inputs | {"scale": scale})


def _rest_of_scale(at: Replaced, x: Tensor) -> Tensor:
    """Multiply scores, or their gradient, by -1 or 0 where the scale is below zero or zero."""
    value = low_scale(at)
    if value is None:
        return x
    return at.graph.mul(x, -1.0 if -value >= LEAST_SCALE else 0.0)


def add_scores(at: Replaced, x: Tensor) -> Tensor:
    """Add the changes of scores without masks: the caller's function, bias and ALiBi."""
    x = _rest_of_scale(at, x)
    if "score" in at.node.options:
        x = _apply(at, "score", x)
    if "bias" in at.inputs:
        x = at.graph.add(x, at.inputs["bias"])
    if "alibi" in at.inputs:
        rows, columns = at.graph.gen_index(x, 2), at.graph.gen_index(x, 3)
        distance = at.graph.sub(columns, rows)
        x = at.graph.add(x, at.graph.mul(distance, at.inputs["alibi"], data_type="FLOAT"))
    return x


def _apply(at: Replaced, option: str, *arguments: Tensor) -> Tensor:
    """Apply a recorded function of scores."""
    known = {at.node.inputs[port].uid: each for port, each in at.inputs.items()}
    recorded = at.node.options["score" if option == "score" else "score_backward"]
    assert isinstance(recorded, Nested)

    def instead(node: Node, given: dict[str, Tensor]) -> dict[str, Tensor] | None:
        if not is_misread(node, at.number):
            return None
        return {"y": rewritten(at.graph, given, node)}

    return recorded.apply(at.graph, *arguments, inputs=known, instead=instead)


def _minus_infinity(at: Replaced) -> Tensor:
    """Return the value of masked scores."""
    return at.graph.scalar(-math.inf, "FLOAT", rank=4)


def mask_padding(at: Replaced, x: Tensor) -> Tensor:
    """Mask the elements of tiles that are no scores."""
    return _select(at.graph, x, _minus_infinity(at), _inside(at, x))


def _inside(at: Replaced, x: Tensor) -> Tensor:
    """Return which elements of tiles are scores: those before the lengths, or before the ends."""
    inside = []
    for axis, port in ((2, "seq_len_q"), (3, "seq_len_kv")):
        index, end = at.graph.gen_index(x, axis), at.inputs.get(port)
        end = at.graph.scalar(x.shape[axis], "INT32", rank=4) if end is None else end
        inside.append(_compare(at.graph, "CMP_LT", index, end))
    return at.graph.logical_and(*inside, compute_data_type="BOOLEAN")


def changes_scores(at: Replaced) -> bool:
    """Return whether a function, or the rest of a scale, changes the scores."""
    return "score" in at.node.options or low_scale(at) is not None


def _spills(at: Replaced, x: Tensor) -> bool:
    """Return whether engines for the gradient use scores beyond the lengths."""
    facts: Call = {"queries": x.shape[2], "keys": x.shape[3], "changes_scores": changes_scores(at)}
    facts["banded"] = not {"left", "right"}.isdisjoint(at.node.options)
    return bool(wrong_function("attention_backward tiles", facts, release=at.number))


def mask_bands(at: Replaced, x: Tensor) -> Tensor:
    """Mask the keys to the right and left of the bands that queries see."""
    options = at.node.options
    right, left = options.get("right"), options.get("left")
    if options.get("bottom_right") and {"cu_seq_len_q", "cu_seq_len_kv"} & at.inputs.keys():
        return _mask_cumulative(at, x)
    if right is not None:
        rows = _diagonal(at, x)
        if right:
            rows = at.graph.add(rows, at.graph.scalar(right, "INT32", rank=4))
        seen = _compare(at.graph, "CMP_GE", rows, at.graph.gen_index(x, 3))
        x = _select(at.graph, x, _minus_infinity(at), seen)
    if left is not None:
        step, bottom = left + 1, options.get("bottom_right")
        padded = "seq_len_q" in at.inputs
        if bottom and not padded:  # one number for both
            step += x.shape[2] - x.shape[3]
        rows = at.graph.gen_index(x, 2)
        columns = at.graph.add(at.graph.gen_index(x, 3), at.graph.scalar(step, "INT32", rank=4))
        if bottom and padded and not wrong_function("attention bands", {}, release=at.number):
            rows = _diagonal(at, x)
        elif bottom and padded:
            columns = at.graph.sub(columns, at.inputs["seq_len_kv"])
            columns = at.graph.add(columns, at.inputs["seq_len_q"])
        seen = _compare(at.graph, "CMP_GT", columns, rows)
        x = _select(at.graph, x, _minus_infinity(at), seen)
    return x


def _mask_cumulative(at: Replaced, x: Tensor) -> Tensor:
    """Mask bands whose diagonal ends where cumulative lengths say: one operation for each side."""
    right, left = at.node.options.get("right"), at.node.options.get("left")
    lengths = {port: each for port, each in at.inputs.items() if "seq_len" in port}
    sides: list[tuple[dict[str, int], str]] = []
    if right is not None:
        sides.append(({"shift_right_bound": right} if right else {}, "CMP_GE"))
    if left is not None:
        sides.append(({"left_bound": left + 1}, "CMP_GT"))
    for bounds, comparison in sides:
        bound = {"x": x, "b": _minus_infinity(at), **lengths}
        bound |= {port: at.graph.scalar(n, "INT32", rank=4) for port, n in bounds.items()}
        options: Options = {"comparison": comparison}
        x = at.graph.add_node(OPERATIONS["diagonal_band_mask"], bound, options).outputs["y"]
    return x


def _diagonal(at: Replaced, x: Tensor) -> Tensor:
    """Return for each row the key on the diagonal."""
    rows = at.graph.gen_index(x, 2)
    if at.node.options.get("bottom_right"):
        length_q, length = at.inputs.get("seq_len_q"), at.inputs.get("seq_len_kv")
        if length_q is None or length is None:
            length_q = at.graph.scalar(x.shape[2], "INT32", rank=4)
            length = at.graph.scalar(x.shape[3], "INT32", rank=4)
        rows = at.graph.sub(at.graph.add(rows, length), length_q)
    return rows


def _compare(graph: Operations, mode: PointwiseWord, a: Tensor, b: Tensor) -> Tensor:
    return graph.pointwise(mode, a, b, compute_data_type="BOOLEAN")


def _select(graph: Operations, x: Tensor, otherwise: Tensor, where: Tensor) -> Tensor:
    return graph.pointwise("BINARY_SELECT", x, otherwise, where)


#: Results of cuDNN's softmax -> their names in `attention`.
STATISTICS = {"stats": "stats", "max": "row_max", "sum_exp": "row_sum"}


def add_softmax(at: Replaced, x: Tensor) -> dict[str, Tensor]:
    """Add softmax as one operation; return it as "y", and the statistics that the node has."""
    ports = ["y", *(port for port, own in STATISTICS.items() if own in at.node.outputs)]
    bound = {"x": x}
    if "sink" in at.inputs:
        bound["sink"] = at.inputs["sink"]
    options: Options = {"stats_log2": True} if "stats_log2" in at.node.options else {}
    made = at.graph.add_node(OPERATIONS["softmax"], bound, options, None, ports)
    return {STATISTICS.get(port, port): each for port, each in made.outputs.items()}


def _softmax(at: Replaced, x: Tensor) -> tuple[Tensor, dict[str, Tensor]]:
    """Add softmax over keys; return it and its statistics."""
    sink = at.inputs.get("sink")
    rows = {"row_max", "row_sum"} & at.node.outputs.keys()
    if at.release >= (9, 21) and (rows or "stats_log2" in at.node.options):
        made = add_softmax(at, x)
        return made.pop("y"), made
    most = at.graph.reduction(x, "MAX", dims=3)
    if sink is not None:
        most = at.graph.max(most, sink)
    exponential = at.graph.exp(at.graph.sub(x, most))
    total = at.graph.reduction(exponential, "ADD", dims=3)
    if sink is not None:
        total = at.graph.add(total, at.graph.exp(at.graph.sub(sink, most)))
    results = {"row_max": most, "row_sum": total}
    if not rows:  # else engines want statistics in any case
        results["stats"] = at.graph.add(most, at.graph.log(total), data_type="FLOAT")
    return at.graph.div(exponential, total), results


def _keys(at: Replaced, length: int) -> Tensor:
    """Return the keys transposed: a view, or a load from pages."""
    k = at.inputs["k"]
    if "page_table_k" not in at.inputs:
        return transposed(at.graph, k)
    shape = (at.inputs["q"].shape[0], k.shape[1], k.shape[3], length)
    strides = (shape[1] * shape[2] * length, shape[2] * length, 1, shape[2])
    return _load(at, "k", shape, strides)


def transposed(graph: Operations, tensor: Tensor) -> Tensor:
    """Return a view of an input with rows and columns swapped."""
    (a, b, c, d), strides = tensor.shape, tensor.strides
    view = graph.view(tensor, (a, b, d, c), (*strides[:2], strides[3], strides[2]))
    name = f"{tensor.name}.transposed"
    if name not in graph.by_name:  # of another attention with these keys
        graph.rename(view, name)
    return view


def _values(at: Replaced, length: int) -> Tensor:
    v = at.inputs["v"]
    if "page_table_v" not in at.inputs:
        return v
    shape = (at.inputs["q"].shape[0], v.shape[1], length, v.shape[3])
    return _load(at, "v", shape, packed(shape))


def _load(at: Replaced, port: str, shape: Extents, strides: Extents) -> Tensor:
    container = at.inputs[port]
    bound = {
        "container": container,
        "sequence": at.inputs["seq_len_kv"],
        "page_table": at.inputs[f"page_table_{port}"],
    }
    operation = OPERATIONS["paged_cache_load"]
    made = at.graph.add_node(
        operation, bound, {"shape": shape}, None, ("y",), container.data_type, strides
    )
    return made.outputs["y"]


def _random_mask(at: Replaced, length: int) -> Tensor:
    """Add the generator of a mask with ones where elements are kept."""
    options: Options = {
        "shape": (*at.inputs["q"].shape[:3], length),
        "distribution": "BERNOULLI",
        "probability": 1.0 - at.node.options["dropout"],
    }
    bound = {"seed": at.inputs["seed"], "offset": at.inputs["offset"]}
    made = at.graph.add_node(OPERATIONS["rng"], bound, options, None, ("y",), "FLOAT")
    return made.outputs["y"]


def backward(at: Replaced) -> dict[str, Tensor]:
    """Add the gradient of attention, and return its results."""
    q, k, v, do = (at.inputs[port] for port in ("q", "k", "v", "do"))
    io = q.data_type
    lengths_q, lengths = at.inputs.get("seq_len_q"), at.inputs.get("seq_len_kv")
    results: dict[str, Tensor] = {}
    mask = at.inputs.get("dropout_mask")
    if "seed" in at.inputs:
        results["mask"] = mask = _random_mask(at, k.shape[2])
    scale = at.inputs.get("dropout_scale")
    keep: Any = 1 - at.node.options.get("dropout", 0.0) if scale is None else 1 / scale
    total = at.graph.reduction(at.graph.mul(do, at.inputs["o"]), "ADD", dims=3)
    if "dsink" in at.node.outputs:
        weight = at.graph.exp(at.graph.sub(at.inputs["sink"], at.inputs["stats"]))
        # The gradient is minus this sum. The pattern has no place for the sign: cuDNN's kernel for
        # it puts it in.
        each = at.graph.mul(weight, total)
        results["dsink"] = at.graph.reduction(each, "ADD", shape=at.inputs["sink"].shape)
    rows = packed((*q.shape[:3], 1))
    total = at.graph.mul(total, keep, strides=rows)
    at.graph.workspace(total, data_type="FLOAT")

    keys = transposed(at.graph, k)
    values = keys if v is k else transposed(at.graph, v)
    raw = at.graph.mul(at.graph.matmul(q, keys, m=lengths_q, n=lengths), at.inputs["scale"])
    x = at.graph.sub(add_scores(at, raw), at.inputs["stats"])
    if lengths is not None:
        x = mask_padding(at, x)
        if wrong_function("attention_backward masks", {}, release=at.number):
            x = mask_padding(at, x)
    elif _spills(at, x):
        x = mask_padding(at, x)
    weights = at.graph.exp(mask_bands(at, x))

    dropped = weights
    if mask is not None:
        dropped = at.graph.mul(at.graph.mul(weights, mask), 1 / keep)
    turned = turn(at.graph, dropped, io)
    results["dv"] = _per_group(at.graph, at.graph.matmul(turned, do, m=lengths, k=lengths_q), v, io)

    x = at.graph.matmul(do, values, m=lengths_q, n=lengths)
    if mask is not None:
        x = at.graph.mul(x, mask)
    x = at.graph.mul(at.graph.sub(x, total), weights)
    if mask is not None:
        x = at.graph.mul(x, 1 / keep)
    if "dbias" in at.node.outputs:
        results["dbias"] = at.graph.reduction(x, "ADD", shape=at.inputs["bias"].shape)
    if "score" in at.node.options:
        x = _apply(at, "score_backward", x, _rest_of_scale(at, raw))
        facts: Call = {"lengths": lengths is not None, "queries": x.shape[2], "keys": x.shape[3]}
        if wrong_function("attention_backward slopes", facts, release=at.number):
            x = _select(at.graph, x, at.graph.scalar(0.0, "FLOAT", rank=4), _inside(at, x))
    x = at.graph.mul(_rest_of_scale(at, x), at.inputs["scale"])
    turned = turn(at.graph, x, io)
    results["dk"] = _per_group(at.graph, at.graph.matmul(turned, q, m=lengths, k=lengths_q), k, io)

    back = reshape(at.graph, keys, k.shape, k.strides, io)
    back.ragged_offset, back.ragged_multiplier = k.ragged_offset, k.ragged_multiplier
    x.given_type = io if _is_direct(at.node) else x.given_type
    dq = at.graph.matmul(x, back, m=lengths_q, k=lengths)
    if not _is_direct(at.node):
        # Blocks of keys add to it in any order, with atomics.
        unset = wrong_function("attention_backward workspace", {}, release=at.number)
        at.graph.workspace(dq, data_type="FLOAT", fill=0 if unset else None)
        dq = at.graph.identity(dq)
    return {**results, "dq": dq}


def _is_direct(node: Node) -> bool:
    """Return whether one product computes the gradient of queries, as that of a bias requires."""
    return bool(node.options.get("deterministic")) or "dbias" in node.outputs


def _per_group(graph: Operations, gradient: Tensor, like: Tensor, io: DataTypeName) -> Tensor:
    """Return the sum over the query heads that share a head of keys or values."""
    if gradient.shape == like.shape:
        return gradient
    gradient.given_type = io
    options: Options = {"mode": "ADD", "shape": like.shape}
    return graph.add_node(OPERATIONS["reduction"], {"x": gradient}, options).outputs["y"]


def turn(graph: Operations, x: Tensor, io: DataTypeName) -> Tensor:
    """Return a virtual transposition, in the type of inputs."""
    batch, heads, rows, columns = x.shape
    shape = (batch, heads, columns, rows)
    return reshape(graph, x, shape, (heads * rows * columns, rows * columns, 1, columns), io)


def reshape(
    graph: Operations, x: Tensor, shape: Extents, strides: Extents, io: DataTypeName
) -> Tensor:
    """Return a virtual tensor with the elements of another one in another shape, by strides."""
    return graph.reshape(x, shape, data_type=io, strides=strides)


def fp8_backward(at: Replaced) -> dict[str, Tensor]:
    """Add the gradient of attention in FP8: each product is scaled back, and to its stored type."""
    q, k, v, do = (at.inputs[port] for port in ("q", "k", "v", "do"))
    io = q.data_type
    lengths_q, lengths = at.inputs.get("seq_len_q"), at.inputs.get("seq_len_kv")
    results: dict[str, Tensor] = {}

    def scaled(x: Tensor, *names: str) -> Tensor:
        for name in names:
            x = at.graph.mul(x, at.inputs[name])
        return x

    def product(
        name: str, a: Tensor, b: Tensor, m: Tensor | None, k: Tensor | None, *descales: str
    ) -> None:
        x = scaled(at.graph.matmul(a, b, m=m, k=k), *descales)
        results[f"amax_{name}"] = at.graph.reduction(x, "AMAX")
        results[name] = scaled(x, f"scale_{name}")

    total = at.graph.reduction(at.graph.mul(do, at.inputs["o"]), "ADD", dims=3)
    total = at.graph.mul(total, at.inputs["descale_do"])
    total = at.graph.mul(total, at.inputs["descale_o"], strides=packed((*q.shape[:3], 1)))

    keys = transposed(at.graph, k)
    values = keys if v is k else transposed(at.graph, v)
    x = at.graph.mul(at.graph.matmul(q, keys, m=lengths_q, n=lengths), at.inputs["scale"])
    x = scaled(x, "descale_q", "descale_k")
    if lengths is not None:
        x = mask_padding(at, x)
    x = mask_bands(at, x)
    weights = at.graph.exp(at.graph.sub(x, at.inputs["stats"]))
    x = scaled(weights, "scale_s")
    x.given_type = io
    turned = turn(at.graph, x, io)
    product("dv", turned, do, lengths, lengths_q, "descale_s", "descale_do")

    x = scaled(at.graph.matmul(do, values, m=lengths_q, n=lengths), "descale_do", "descale_v")
    x = at.graph.mul(at.graph.mul(at.graph.sub(x, total), weights), at.inputs["scale"])
    results["amax_dp"] = at.graph.reduction(x, "AMAX")
    x = scaled(x, "scale_dp")
    x.given_type = io
    back = reshape(at.graph, keys, k.shape, k.strides, io)
    product("dq", x, back, lengths_q, lengths, "descale_dp", "descale_k")
    product("dk", turn(at.graph, x, io), q, lengths, lengths_q, "descale_dp", "descale_q")
    return results
