"""Attention of matmuls, pointwise operations and reductions.

cuDNN's engines recognise these patterns as a whole; the order of nodes, which tensors are virtual,
and where types change are part of the pattern. Tensors that two kernels exchange lie in the plan's
workspace.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ..nested import Nested
from ..record.operations import OPERATIONS
from ..rules.results import packed
from ..tensors import Node, Tensor
from .checks import dropout_scale, is_fp8

if TYPE_CHECKING:
    from ..methods.operations import Operations
    from ..record.types import DataTypeName, Extents, Options, PointwiseWord

    Release = tuple[int, ...]


#: The lowest number of FLOAT.
LOWEST = -3.4028234663852886e38
#: The lowest normal number of FLOAT above zero.
_LEAST_SCALE = 2.0**-126


def forward(
    graph: Operations, node: Node, inputs: dict[str, Tensor], release: Release
) -> dict[str, Tensor]:
    """Add attention, and return its results."""
    q, _v = inputs["q"], inputs["v"]
    _batch, _heads, _length_q, _ = q.shape
    length = node.options["length_kv"]
    io = q.data_type
    lengths_q, lengths = inputs.get("seq_len_q"), inputs.get("seq_len_kv")
    keys = _keys(graph, inputs, length)
    x = graph.matmul(
        *(q, keys), m=lengths_q, n=lengths, padding_value=None if lengths is None else 0.0
    )
    x = graph.mul(x, inputs["scale"])
    if is_fp8(q):
        x = graph.mul(graph.mul(x, inputs["descale_q"]), inputs["descale_k"])
    x = add_scores(graph, x, node, inputs)
    if lengths is not None:
        x = mask_padding(graph, x, inputs, release)
    x = mask_bands(graph, x, node, inputs, release)
    results: dict[str, Tensor] = {}
    x, parts = _softmax(graph, x, node, inputs.get("sink"), release)
    results |= parts
    if "seed" in inputs:
        results["mask"] = mask = _random_mask(graph, node, inputs, length)
        x = graph.mul(graph.mul(x, mask), dropout_scale(node, inputs))
    elif "dropout_mask" in inputs:
        x = graph.mul(graph.mul(x, dropout_scale(node, inputs)), inputs["dropout_mask"])
    if is_fp8(q):
        results["amax_s"] = graph.reduction(x, "AMAX")
        x = graph.mul(x, inputs["scale_s"])
    x.given_type = io  # the second matmul takes the type of the values
    values = _values(graph, inputs, length)
    o = graph.matmul(x, values, m=lengths_q, k=lengths)
    if is_fp8(q):
        o = graph.mul(graph.mul(o, inputs["descale_s"]), inputs["descale_v"])
        results["amax_o"] = graph.reduction(o, "AMAX")
        o = graph.mul(o, inputs["scale_o"])
    return {**results, "o": o}


def low_scale(node: Node) -> float | None:
    """Return the scale where it is known to be zero or below, or subnormal: zero to kernels."""
    scale = node.inputs["scale"]
    value = scale.value if scale.by_value else None
    return value if value is not None and value < _LEAST_SCALE else None


def with_positive_scale(
    graph: Operations, node: Node, inputs: dict[str, Tensor]
) -> dict[str, Tensor]:
    """Return inputs with a scale above zero; `add_scores` multiplies by what is left of it.

    Engines find the maximum of a row before they scale it, so that they write NaN for others.
    """
    value = low_scale(node)
    if value is None:
        return inputs
    positive = -value if -value >= _LEAST_SCALE else 1.0
    return {**inputs, "scale": graph.scalar(positive, "FLOAT", rank=4)}


def _rest_of_scale(graph: Operations, x: Tensor, node: Node) -> Tensor:
    """Multiply scores, or their gradient, by -1 or 0 where the scale is below zero or zero."""
    value = low_scale(node)
    if value is None:
        return x
    return graph.mul(x, -1.0 if -value >= _LEAST_SCALE else 0.0)


def add_scores(graph: Operations, x: Tensor, node: Node, inputs: dict[str, Tensor]) -> Tensor:
    """Add what changes scores, but for masks: the caller's function, bias and ALiBi."""
    x = _rest_of_scale(graph, x, node)
    if "score" in node.options:
        x = _apply(graph, node, inputs, "score", x)
    if "bias" in inputs:
        x = graph.add(x, inputs["bias"])
    if "alibi" in inputs:
        rows, columns = graph.gen_index(x, 2), graph.gen_index(x, 3)
        distance = graph.sub(columns, rows)
        x = graph.add(x, graph.mul(distance, inputs["alibi"], data_type="FLOAT"))
    return x


def _apply(
    graph: Operations, node: Node, inputs: dict[str, Tensor], option: str, *arguments: Tensor
) -> Tensor:
    """Apply a recorded function of scores."""
    known = {node.inputs[port].uid: each for port, each in inputs.items()}
    recorded = node.options["score" if option == "score" else "score_backward"]
    assert isinstance(recorded, Nested)
    return recorded.apply(graph, *arguments, inputs=known)


def _minus_infinity(graph: Operations, release: Release) -> Tensor:
    """Return what masked scores become; before 9.10 the lowest finite number, as engines expect."""
    return graph.scalar(-math.inf if release >= (9, 10) else LOWEST, "FLOAT", rank=4)


def mask_padding(
    graph: Operations, x: Tensor, inputs: dict[str, Tensor], release: Release
) -> Tensor:
    """Mask what is behind the lengths of batch entries."""
    rows, columns = graph.gen_index(x, 2), graph.gen_index(x, 3)
    inside = graph.logical_and(
        _compare(graph, "CMP_LT", rows, inputs["seq_len_q"]),
        _compare(graph, "CMP_LT", columns, inputs["seq_len_kv"]),
        compute_data_type="BOOLEAN",
    )
    return _select(graph, x, _minus_infinity(graph, release), inside)


def changes_scores(node: Node) -> bool:
    """Return whether scores are changed by a function, or by what is left of a scale."""
    return "score" in node.options or low_scale(node) is not None


def _spills(node: Node, x: Tensor) -> bool:
    """Return whether engines for the gradient let scores take part that are none.

    They compute tiles of 128 keys. Without a mask, those of the last tile that are none have the
    score 0 if there are 64, as have queries beside a single one, so that their exponential is
    infinite where a row's statistics are low. Others are -inf before a function changes them.
    """
    queries, keys = x.shape[2:]
    if changes_scores(node):
        return queries == 1 or keys % 128 > 0
    banded = {"left", "right"} & node.options.keys()
    return not banded and keys % 64 == 0 and (queries == 1 or keys % 128 > 0)


def _mask_outside(graph: Operations, x: Tensor, release: Release) -> Tensor:
    """Mask what is beside the scores: nothing that is in memory."""
    inside = graph.logical_and(
        *[
            _compare(graph, "CMP_LT", graph.gen_index(x, axis), graph.scalar(n, "INT32", rank=4))
            for axis, n in ((2, x.shape[2]), (3, x.shape[3]))
        ],
        compute_data_type="BOOLEAN",
    )
    return _select(graph, x, _minus_infinity(graph, release), inside)


def mask_bands(
    graph: Operations, x: Tensor, node: Node, inputs: dict[str, Tensor], release: Release
) -> Tensor:
    """Mask what is right and left of the bands that queries see."""
    options = node.options
    right, left = options.get("right"), options.get("left")
    if options.get("bottom_right") and {"cu_seq_len_q", "cu_seq_len_kv"} & inputs.keys():
        return _mask_cumulative(graph, x, node, inputs, release)
    if right is not None:
        rows = _diagonal(graph, x, node, inputs)
        if right:
            rows = graph.add(rows, graph.scalar(right, "INT32", rank=4))
        seen = _compare(graph, "CMP_GE", rows, graph.gen_index(x, 3))
        x = _select(graph, x, _minus_infinity(graph, release), seen)
    if left is not None:
        step, bottom = left + 1, options.get("bottom_right")
        padded = "seq_len_q" in inputs
        if bottom and not padded:  # one number for both
            step += x.shape[2] - x.shape[3]
        rows = graph.gen_index(x, 2)
        columns = graph.add(graph.gen_index(x, 3), graph.scalar(step, "INT32", rank=4))
        if bottom and padded:
            # Beside the rows, engines take the lengths of the first entry for all (9.19).
            columns = graph.sub(columns, inputs["seq_len_kv"])
            columns = graph.add(columns, inputs["seq_len_q"])
        seen = _compare(graph, "CMP_GT", columns, rows)
        x = _select(graph, x, _minus_infinity(graph, release), seen)
    return x


def _mask_cumulative(
    graph: Operations, x: Tensor, node: Node, inputs: dict[str, Tensor], release: Release
) -> Tensor:
    """Mask bands whose diagonal ends where cumulative lengths say: one operation for each side."""
    right, left = node.options.get("right"), node.options.get("left")
    lengths = {port: each for port, each in inputs.items() if "seq_len" in port}
    sides: list[tuple[dict[str, int], str]] = []
    if right is not None:
        sides.append(({"shift_right_bound": right} if right else {}, "CMP_GE"))
    if left is not None:
        sides.append(({"left_bound": left + 1}, "CMP_GT"))
    for bounds, comparison in sides:
        bound = {"x": x, "b": _minus_infinity(graph, release), **lengths}
        bound |= {port: graph.scalar(n, "INT32", rank=4) for port, n in bounds.items()}
        options: Options = {"comparison": comparison}
        x = graph.add_node(OPERATIONS["diagonal_band_mask"], bound, options).outputs["y"]
    return x


def _diagonal(graph: Operations, x: Tensor, node: Node, inputs: dict[str, Tensor]) -> Tensor:
    """Return for each row the key on the diagonal."""
    rows = graph.gen_index(x, 2)
    if node.options.get("bottom_right"):
        length_q, length = inputs.get("seq_len_q"), inputs.get("seq_len_kv")
        if length_q is None or length is None:
            length_q = graph.scalar(x.shape[2], "INT32", rank=4)
            length = graph.scalar(x.shape[3], "INT32", rank=4)
        rows = graph.sub(graph.add(rows, length), length_q)
    return rows


def _compare(graph: Operations, mode: PointwiseWord, a: Tensor, b: Tensor) -> Tensor:
    return graph.pointwise(mode, a, b, compute_data_type="BOOLEAN")


def _select(graph: Operations, x: Tensor, otherwise: Tensor, where: Tensor) -> Tensor:
    return graph.pointwise("BINARY_SELECT", x, otherwise, where)


#: What `attention` calls the results of cuDNN's softmax.
STATISTICS = {"stats": "stats", "max": "row_max", "sum_exp": "row_sum"}


def add_softmax(graph: Operations, x: Tensor, node: Node, sink: Tensor | None) -> dict[str, Tensor]:
    """Add softmax as one operation; return it as "y", and its statistics that are wanted."""
    ports = ["y", *(port for port, own in STATISTICS.items() if own in node.outputs)]
    bound = {"x": x} if sink is None else {"x": x, "sink": sink}
    options: Options = {"stats_log2": True} if "stats_log2" in node.options else {}
    made = graph.add_node(OPERATIONS["softmax"], bound, options, None, ports)
    return {STATISTICS.get(port, port): each for port, each in made.outputs.items()}


def _softmax(
    graph: Operations, x: Tensor, node: Node, sink: Tensor | None, release: Release
) -> tuple[Tensor, dict[str, Tensor]]:
    """Add softmax over keys; return it and its statistics."""
    rows = {"row_max", "row_sum"} & node.outputs.keys()
    if release >= (9, 21) and (rows or "stats_log2" in node.options):
        made = add_softmax(graph, x, node, sink)
        return made.pop("y"), made
    most = graph.reduction(x, "MAX", dims=3)
    if sink is not None:
        most = graph.max(most, sink)
    exponential = graph.exp(graph.sub(x, most))
    total = graph.reduction(exponential, "ADD", dims=3)
    if sink is not None:
        total = graph.add(total, graph.exp(graph.sub(sink, most)))
    results = {"row_max": most, "row_sum": total}
    if not rows:  # else engines want statistics in any case
        results["stats"] = graph.add(most, graph.log(total), data_type="FLOAT")
    return graph.div(exponential, total), results


def _keys(graph: Operations, inputs: dict[str, Tensor], length: int) -> Tensor:
    """Return the keys transposed: a view, or what is loaded from pages."""
    k = inputs["k"]
    if "page_table_k" not in inputs:
        view: Tensor = transposed(graph, k)
        return view
    shape = (inputs["q"].shape[0], k.shape[1], k.shape[3], length)
    strides = (shape[1] * shape[2] * length, shape[2] * length, 1, shape[2])
    return _load(graph, inputs, "k", shape, strides)


def transposed(graph: Operations, tensor: Tensor) -> Tensor:
    """Return a view of an input with rows and columns swapped."""
    (a, b, c, d), strides = tensor.shape, tensor.strides
    view = graph.view(tensor, (a, b, d, c), (*strides[:2], strides[3], strides[2]))
    graph.rename(view, f"{tensor.name}.transposed")
    return view


def _values(graph: Operations, inputs: dict[str, Tensor], length: int) -> Tensor:
    v = inputs["v"]
    if "page_table_v" not in inputs:
        return v
    shape = (inputs["q"].shape[0], v.shape[1], length, v.shape[3])
    return _load(graph, inputs, "v", shape, packed(shape))


def _load(
    graph: Operations, inputs: dict[str, Tensor], port: str, shape: Extents, strides: Extents
) -> Tensor:
    container = inputs[port]
    bound = {
        "container": container,
        "sequence": inputs["seq_len_kv"],
        "page_table": inputs[f"page_table_{port}"],
    }
    operation = OPERATIONS["paged_cache_load"]
    made = graph.add_node(
        operation, bound, {"shape": shape}, None, ("y",), container.data_type, strides
    )
    return made.outputs["y"]


def _random_mask(graph: Operations, node: Node, inputs: dict[str, Tensor], length: int) -> Tensor:
    """Add the generator of a mask with ones where elements are kept."""
    options: Options = {
        "shape": (*inputs["q"].shape[:3], length),
        "distribution": "BERNOULLI",
        "probability": 1.0 - node.options["dropout"],
    }
    bound = {"seed": inputs["seed"], "offset": inputs["offset"]}
    made = graph.add_node(OPERATIONS["rng"], bound, options, None, ("y",), "FLOAT")
    return made.outputs["y"]


def backward(
    graph: Operations, node: Node, inputs: dict[str, Tensor], release: Release
) -> dict[str, Tensor]:
    """Add the gradient of attention, and return its results."""
    q, k, v, do = (inputs[port] for port in ("q", "k", "v", "do"))
    io = q.data_type
    lengths_q, lengths = inputs.get("seq_len_q"), inputs.get("seq_len_kv")
    keep = 1.0
    results: dict[str, Tensor] = {}
    mask = None
    if "seed" in inputs:
        keep = 1 - node.options["dropout"]
        results["mask"] = mask = _random_mask(graph, node, inputs, k.shape[2])
    total = graph.reduction(graph.mul(do, inputs["o"]), "ADD", dims=3)
    if "dsink" in node.outputs:
        weight = graph.exp(graph.sub(inputs["sink"], inputs["stats"]))
        # The gradient is minus this sum. The pattern has no place for the sign: cuDNN's kernel for
        # it puts it in.
        each = graph.mul(weight, total)
        results["dsink"] = graph.reduction(each, "ADD", shape=inputs["sink"].shape)
    rows = packed((*q.shape[:3], 1))
    total = graph.mul(total, keep, strides=rows)
    graph.workspace(total, data_type="FLOAT")

    keys = transposed(graph, k)
    values = keys if v is k else transposed(graph, v)
    raw = graph.mul(graph.matmul(q, keys, m=lengths_q, n=lengths), inputs["scale"])
    x = graph.sub(add_scores(graph, raw, node, inputs), inputs["stats"])
    if lengths is not None:
        x = mask_padding(graph, x, inputs, release)
        if release < (9, 10):  # these lose the first mask
            x = mask_padding(graph, x, inputs, release)
    elif _spills(node, x):
        x = _mask_outside(graph, x, release)
    weights = graph.exp(mask_bands(graph, x, node, inputs, release))

    dropped = weights
    if mask is not None:
        dropped = graph.mul(graph.mul(weights, mask), 1 / keep)
    turned = turn(graph, dropped, io)
    results["dv"] = _per_group(graph, graph.matmul(turned, do, m=lengths, k=lengths_q), v, io)

    x = graph.matmul(do, values, m=lengths_q, n=lengths)
    if mask is not None:
        x = graph.mul(x, mask)
    x = graph.mul(graph.sub(x, total), weights)
    if mask is not None:
        x = graph.mul(x, 1 / keep)
    if "dbias" in node.outputs:
        results["dbias"] = graph.reduction(x, "ADD", shape=inputs["bias"].shape)
    if "score" in node.options:
        x = _apply(graph, node, inputs, "score_backward", x, _rest_of_scale(graph, raw, node))
    x = graph.mul(_rest_of_scale(graph, x, node), inputs["scale"])
    turned = turn(graph, x, io)
    results["dk"] = _per_group(graph, graph.matmul(turned, q, m=lengths, k=lengths_q), k, io)

    back = reshape(graph, keys, k.shape, k.strides, io)
    back.ragged_offset, back.ragged_multiplier = k.ragged_offset, k.ragged_multiplier
    x.given_type = io if _is_direct(node) else x.given_type
    dq = graph.matmul(x, back, m=lengths_q, k=lengths)
    if not _is_direct(node):
        # Blocks of keys add to it in any order, with atomics.
        graph.workspace(dq, data_type="FLOAT", fill=0 if release < (9, 6) else None)
        dq = graph.identity(dq)
    return {**results, "dq": dq}


def _is_direct(node: Node) -> bool:
    """Return whether the gradient of queries is computed in one go, as the bias's has to be."""
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


def fp8_backward(
    graph: Operations, node: Node, inputs: dict[str, Tensor], release: Release
) -> dict[str, Tensor]:
    """Add the gradient of attention in FP8: each product is scaled back, and to its stored type."""
    q, k, v, do = (inputs[port] for port in ("q", "k", "v", "do"))
    io = q.data_type
    lengths_q, lengths = inputs.get("seq_len_q"), inputs.get("seq_len_kv")
    results: dict[str, Tensor] = {}

    def scaled(x: Tensor, *names: str) -> Tensor:
        for name in names:
            x = graph.mul(x, inputs[name])
        return x

    def product(
        name: str, a: Tensor, b: Tensor, m: Tensor | None, k: Tensor | None, *descales: str
    ) -> None:
        x = scaled(graph.matmul(a, b, m=m, k=k), *descales)
        results[f"amax_{name}"] = graph.reduction(x, "AMAX")
        results[name] = scaled(x, f"scale_{name}")

    total = graph.reduction(graph.mul(do, inputs["o"]), "ADD", dims=3)
    total = graph.mul(total, inputs["descale_do"])
    total = graph.mul(total, inputs["descale_o"], strides=packed((*q.shape[:3], 1)))

    keys = transposed(graph, k)
    values = keys if v is k else transposed(graph, v)
    x = graph.mul(graph.matmul(q, keys, m=lengths_q, n=lengths), inputs["scale"])
    x = scaled(x, "descale_q", "descale_k")
    if lengths is not None:
        x = mask_padding(graph, x, inputs, release)
    x = mask_bands(graph, x, node, inputs, release)
    weights = graph.exp(graph.sub(x, inputs["stats"]))
    x = scaled(weights, "scale_s")
    x.given_type = io
    turned = turn(graph, x, io)
    product("dv", turned, do, lengths, lengths_q, "descale_s", "descale_do")

    x = scaled(graph.matmul(do, values, m=lengths_q, n=lengths), "descale_do", "descale_v")
    x = graph.mul(graph.mul(graph.sub(x, total), weights), inputs["scale"])
    results["amax_dp"] = graph.reduction(x, "AMAX")
    x = scaled(x, "scale_dp")
    x.given_type = io
    back = reshape(graph, keys, k.shape, k.strides, io)
    product("dq", x, back, lengths_q, lengths, "descale_dp", "descale_k")
    product("dk", turn(graph, x, io), q, lengths, lengths_q, "descale_dp", "descale_q")
    return results
