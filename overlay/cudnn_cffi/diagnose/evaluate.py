"""The numbers that a graph stands for, computed with NumPy in float64, node by node.

It has the nodes of graphs that show errata, and those of composites: convolutions, products,
pointwise operations, reductions, pooling, interpolation, norms, softmax, attention with a bias and
a band, pages of keys and values, and those that move data.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .. import errors
from ..arrays import last_offset
from ..graph.rules.norms import norm_statistics_shape
from .windows import NoReferenceError as NoReferenceError
from .windows import convolution, resample

if TYPE_CHECKING:
    from ..graph import Graph, Node, Tensor


def _functions(np: Any) -> dict[str, Callable[..., Any]]:
    """Return the pointwise modes."""
    return {
        "ADD": np.add,
        "SUB": np.subtract,
        "MUL": np.multiply,
        "DIV": np.divide,
        "MOD": np.fmod,
        "POW": np.power,
        "MAX": np.maximum,
        "MIN": np.minimum,
        "NEG": np.negative,
        **{mode: getattr(np, mode.lower()) for mode in ("ABS", "EXP", "LOG", "SIN", "COS", "SQRT")},
        "RSQRT": lambda x: 1 / np.sqrt(x),
        "RECIPROCAL": lambda x: 1 / x,
        "FLOOR": np.floor,
        "IDENTITY": np.array,
        "TANH_FWD": np.tanh,
        "TANH_BWD": lambda dy, x: dy * (1 - np.tanh(x) ** 2),
        "SIGMOID_FWD": lambda x: 1 / (1 + np.exp(-x)),
        **{f"CMP_{op.upper()}": getattr(operator, op) for op in ("ge", "gt", "le", "lt", "eq")},
        "CMP_NEQ": np.not_equal,
        "LOGICAL_AND": np.logical_and,
        "LOGICAL_OR": np.logical_or,
        "LOGICAL_NOT": np.logical_not,
        "BINARY_SELECT": lambda x, b, t: np.where(t != 0, x, b),
    }


def reference(graph: Graph, arrays: Mapping[str, Any]) -> dict[str, Any]:
    """Return the results of `evaluate` for a graph as it is; nothing may be left out.

    Attention with options that have no function here is computed as its composite, except with
    lengths, and with rows that see no key: engines write something else there, or nothing.

    Raises:
        NoReferenceError: a tensor, a node or an option has no function here; it is named.
    """
    try:
        _check(graph)
        return evaluate(graph, arrays)
    except NoReferenceError:
        found = _by_composites(graph, arrays)
        if found is None:
            raise
        return found


def _by_composites(graph: Graph, arrays: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the numbers of a graph with attention, where those of its composites tell."""
    import numpy as np

    composed = graph.copy()
    attention = [each for each in composed.nodes if each.kind.startswith("attention")]
    if not attention or any(_ends_earlier(each, arrays) for each in attention):
        return None
    for each in attention:
        each.options["form"] = "composite"
    try:
        lowered = composed.lowered()
        _check(lowered)
        found = evaluate(lowered, arrays, graph)
    except (NoReferenceError, errors.NotSupportedError):
        return None
    for each in attention:  # the composite has no place for the sign: engines put it in
        if "dsink" in each.outputs:
            name = each.outputs["dsink"].name
            found[name] = -found[name]
    return None if any(np.isnan(each).any() for each in found.values()) else found


def _ends_earlier(node: Node, arrays: Mapping[str, Any]) -> bool:
    """Return whether a length of attention is below the extent."""
    ends = {"seq_len_q": node.inputs["q"].shape[2], "seq_len_kv": node.options["length_kv"]}
    lengths = {port: each for port, each in node.inputs.items() if "seq_len" in port}
    return any(arrays[each.name].min() < ends.get(port, math.inf) for port, each in lengths.items())


def _check(graph: Graph) -> None:
    """Refuse tensors and options that have no function here.

    Lengths and masks of lowered graphs are nodes; those of others would not be seen.
    """
    for tensor in graph.tensors.values():
        if tensor.ragged_offset is not None or tensor.vectorization or tensor.reordering_mode:
            raise NoReferenceError(f"{tensor.name}, which is ragged or in vectors")
    for node in graph.nodes:
        known = _OPTIONS.get(node.kind, frozenset())
        if unknown := node.options.keys() - known - {"compute_data_type"}:
            raise NoReferenceError(f"{node.name} ({node.kind} with {', '.join(sorted(unknown))})")


def evaluate(
    graph: Graph, arrays: Mapping[str, Any], original: Graph | None = None
) -> dict[str, Any]:
    """Return the outputs of a graph by name, as float64 arrays of NumPy.

    Args:
        graph: the graph.
        arrays: the inputs by name, of the shapes of the graph's tensors; "random" is what a node of
            random numbers gives.
        original: the graph before it was lowered, if arrays and results have its shapes.

    Raises:
        NoReferenceError: a node has no function here; it is named.
    """
    import numpy as np

    values: dict[int, Any] = {}
    seen = (graph if original is None else original).tensors
    for tensor in graph.tensors.values():
        if tensor.value is not None:
            values[tensor.uid] = np.full(tensor.shape, float(tensor.value))
        elif tensor.name in arrays and tensor.base is None:
            value = np.asarray(arrays[tensor.name], np.float64)
            values[tensor.uid] = _seen(np, value, seen.get(tensor.uid, tensor), tensor)
    for tensor in graph.tensors.values():
        if tensor.base is not None:
            values[tensor.uid] = _seen(np, values[tensor.base.uid], tensor.base, tensor)
    for node in graph.nodes:
        compute = _NODES.get(node.kind)
        if compute is None:
            raise NoReferenceError(f"{node.name} ({node.kind})")
        if node.kind == "rng":  # seeds and offsets are not read
            given = {port: np.asarray(arrays[port]) for port in ("random",) if port in arrays}
        else:
            given = {port: values[each.uid] for port, each in node.inputs.items()}
        with np.errstate(all="ignore"):
            made = compute(np, node, given)
        for port, each in node.outputs.items():
            if port not in made:
                raise NoReferenceError(f"{port} of {node.name} ({node.kind})")
            values[each.uid] = np.broadcast_to(made[port], each.shape)
    return {
        each.name: _seen(np, values[each.uid], each, seen.get(each.uid, each))
        for each in graph.outputs
    }


def _pointwise(np: Any, node: Node, given: Mapping[str, Any]) -> dict[str, Any]:
    options: Mapping[str, Any] = node.options
    mode, x, ((port, y),) = options["mode"], given.get("x"), node.outputs.items()
    low, slope = options.get("lower_clip", 0.0), options.get("slope", 0.0)
    high = options.get("upper_clip", math.inf)
    if mode == "RELU_BWD" and "alpha1" not in options:
        return {port: given["dy"] * np.where(x <= low, slope, np.minimum(x, 1e300) < high)}
    if options.get("nan_propagation") == "NOT_PROPAGATE_NAN":  # NaN wins here
        raise NoReferenceError(f"{node.name} ({mode})")
    if mode == "GEN_INDEX":
        return {"y": np.indices(y.shape, np.float64, sparse=True)[options["axis"]]}
    function = _functions(np).get(mode)
    if mode == "RELU_FWD":
        x = x * options.get("alpha1", 1.0)
        line = low + slope * (x - low) if slope else low
        return {"y": np.where(x < low, line, np.minimum(x, high))}
    if function is None:
        raise NoReferenceError(f"{node.name} ({mode})")
    factors = {"x": options.get("alpha1", 1.0), "b": options.get("alpha2", 1.0)}
    names = [each for each in ("dy", "x", "b", "t") if each in given]
    result = function(*[given[each] * factors.get(each, 1.0) for each in names])
    is_whole = mode == "DIV" and options.get("compute_data_type") in ("INT32", "INT64")
    return {port: np.trunc(result) if is_whole else result}


def _matmul(np: Any, node: Node, given: Mapping[str, Any]) -> dict[str, Any]:
    a, b = given["a"], given["b"]
    if "k" in given:  # what is after the lengths does not count, be it infinite
        b = np.where(np.arange(b.shape[-2])[:, None] < given["k"], b, 0.0)
    if a.ndim == 4:  # heads may be grouped
        heads = max(a.shape[1], b.shape[1])
        a, b = (np.repeat(each, heads // each.shape[1], axis=1) for each in (a, b))
    c = np.matmul(a, b)
    if "padding_value" in node.options and {"m", "n"} <= given.keys():
        inside = np.arange(c.shape[-2])[:, None] < given["m"]
        c = np.where(
            inside & (np.arange(c.shape[-1]) < given["n"]), c, node.options["padding_value"]
        )
    return {"c": c}


def _reduction(np: Any, node: Node, given: Mapping[str, Any]) -> dict[str, Any]:
    x, shape = given["x"], node.outputs["y"].shape
    functions = {"ADD": np.sum, "MUL": np.prod, "MAX": np.max, "MIN": np.min, "AMAX": np.max}
    mode = node.options.get("mode", "ADD")
    function = functions.get(mode)
    if mode == "AMAX":
        x = abs(x)
    pairs = list(zip(x.shape, shape, strict=True))
    if function and x.ndim == 4 and 1 < shape[1] < x.shape[1]:  # heads that share one of keys
        return {"y": function(x.reshape(x.shape[0], shape[1], -1, *x.shape[2:]), axis=2)}
    if function is None or any(m not in (n, 1) for n, m in pairs):
        raise NoReferenceError(f"{node.name} ({node.kind})")
    axes = tuple(axis for axis, (n, m) in enumerate(pairs) if m == 1 < n)
    return {"y": function(x, axis=axes, keepdims=True) if axes else x}


def _norm(np: Any, node: Node, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return a norm, or its gradients, as sums over the axes of its statistics."""
    mode, x = node.options["mode"], given["x"]
    if mode == "GROUP_NORM" or {"running_mean", "peer_statistics0"} & given.keys():
        raise NoReferenceError(f"{node.name} ({mode})")
    scale = given.get("scale", np.ones(1))
    rows = norm_statistics_shape(mode, x.shape, scale.shape if "scale" in given else None)
    axes = tuple(axis for axis, extent in enumerate(rows) if extent == 1)
    if node.kind == "norm_backward":
        dy, inverse = given["dy"], given["inv_variance"]
        mean = given.get("mean", np.zeros(1))
        normal, g = (x - mean) * inverse, dy * scale
        rest = g - (normal * g).mean(axes, keepdims=True) * normal
        if mode != "RMS_NORM":
            rest = rest - g.mean(axes, keepdims=True)
        shape = node.outputs["dscale"].shape
        others = tuple(axis for axis in range(x.ndim) if shape[axis] == 1)
        sums = {
            "dscale": (dy * normal).sum(others, keepdims=True),
            "dbias": dy.sum(others, keepdims=True),
        }
        return {"dx": rest * inverse, **sums}
    mean = x.mean(axes, keepdims=True) * (mode != "RMS_NORM")
    inverse = given.get("inv_variance")
    mean = given.get("mean", mean)
    if inverse is None:
        inverse = 1 / np.sqrt(((x - mean) ** 2).mean(axes, keepdims=True) + given["epsilon"])
    y = (x - mean) * inverse * scale + given.get("bias", np.zeros(1))
    return {"y": y, "mean_out": mean, "inv_variance_out": inverse}


def _attention(np: Any, node: Node, given: Mapping[str, Any]) -> dict[str, Any]:
    if unknown := set(given) - {"q", "k", "v", "scale", "bias", "seq_len_q", "seq_len_kv"}:
        raise NoReferenceError(f"{node.name} ({node.kind} with {', '.join(sorted(unknown))})")
    q, k, v = (given[port] for port in "qkv")
    k, v = (np.repeat(each, q.shape[1] // each.shape[1], axis=1) for each in (k, v))
    scores = np.matmul(q, k.swapaxes(2, 3)) * given.get("scale", 1 / math.sqrt(q.shape[3]))
    scores = np.where(
        _band(np, node, scores.shape, given), scores + given.get("bias", 0.0), -math.inf
    )
    ends = [given.get(f"seq_len_{each}", math.inf) for each in ("q", "kv")]
    places = np.arange(scores.shape[2])[:, None], np.arange(scores.shape[3])
    counts = (places[0] < ends[0]) & (places[1] < ends[1])
    scores = np.where(counts, scores, -math.inf)
    is_empty = np.isinf(scores.max(-1, keepdims=True))
    if (is_empty & counts.any(-1, keepdims=True)).any():
        raise NoReferenceError(f"{node.name} ({node.kind} with rows that see no key)")
    weights = _softmax(np, node, {"x": np.where(is_empty, 0.0, scores)})
    o = np.matmul(np.where(is_empty, 0.0, weights["y"]), v)
    return {"o": o, "stats": np.where(is_empty, -math.inf, weights["stats"])}


def _band(np: Any, node: Node, shape: Sequence[int], given: Mapping[str, Any]) -> Any:
    """Return which keys each query sees: as many before and after its own as options say."""
    left, right = node.options.get("left"), node.options.get("right")
    queries, keys = shape[-2:]
    own = np.arange(queries)[:, None]
    if node.options.get("bottom_right"):  # where the lengths end
        own = own + given.get("seq_len_kv", keys) - given.get("seq_len_q", queries)
    distance = np.arange(keys) - own
    seen = np.ones(distance.shape, bool) if right is None else distance <= right
    return seen if left is None else seen & (distance >= -left)


def _softmax(np: Any, node: Node, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the softmax of rows, and their maxima, sums and logarithms of sums."""
    if "sink" in given or node.options.get("stats_log2"):
        raise NoReferenceError(f"{node.name} ({node.kind} with a sink, or base 2)")
    most = given["x"].max(-1, keepdims=True)
    exponential = np.exp(given["x"] - most)
    total = exponential.sum(-1, keepdims=True)
    return {
        "y": exponential / total, "max": most, "sum_exp": total, "stats": most + np.log(total)
    }  # fmt: skip


def _pages(np: Any, node: Node, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys or values of pages, those of keys transposed."""
    y, whole = node.outputs["y"], _gathered(np, given["container"], given["page_table"])
    is_transposed = y.strides[3] != 1
    return {"y": whole.swapaxes(2, 3)[..., : y.shape[3]] if is_transposed else whole}


def _gathered(np: Any, blocks: Any, tables: Any) -> Any:
    """Return the keys or values of pages one after the other."""
    return np.stack([np.concatenate(list(blocks[each.ravel()]), 1) for each in tables.astype(int)])


def _attention_of_pages(np: Any, node: Node, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return attention as one node; a number after the length takes no part."""
    found = {port: each for port, each in given.items() if "page_table" not in port}
    for port in "kv":
        if (table := given.get(f"page_table_{port}")) is not None:
            found[port] = _gathered(np, found[port], table)
    if "seq_len_kv" in found:
        inside = np.arange(found["v"].shape[2])[:, None] < found["seq_len_kv"]
        found["v"] = np.where(inside, found["v"], 0.0)
    return _attention(np, node, found)


def _random(_: Any, node: Node, given: Mapping[str, Any]) -> dict[str, Any]:
    if "random" not in given:
        raise NoReferenceError(f"{node.name} ({node.kind})")
    return {"y": given["random"]}


def _moved(np: Any, node: Node, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return elements in another order, some of them, or those of several tensors."""
    parts, options = list(given.values()), node.options
    if node.kind == "transpose":
        return {"y": parts[0].transpose(options["permutation"])}
    if node.kind == "slice":
        spans = zip(options["start"], options["limit"], options["step"], strict=True)
        return {"y": parts[0][tuple(slice(*each) for each in spans)]}
    return {"y": np.concatenate(parts, options["axis"]) if len(parts) > 1 else parts[0]}


def _reshape(np: Any, node: Node, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return another shape of the same elements, or what lies in the memory at other strides."""
    x, y = node.inputs["x"], node.outputs["y"]
    if node.options.get("mode") == "LOGICAL":
        return {"y": given["x"].reshape(y.shape)}
    return {"y": _seen(np, given["x"], x, y)}


def _seen(np: Any, value: Any, tensor: Tensor, view: Tensor) -> Any:
    """Return what a view has of the memory of a tensor."""
    same = (tensor.shape, tensor.strides) == (view.shape, view.strides)
    if same and view.base is None and 0 not in view.strides:
        return value
    memory = np.full(last_offset(tensor.shape, tensor.strides) + 1, np.nan)
    start = memory[view.offset if view.base is not None else 0 :]
    if last_offset(view.shape, view.strides) >= start.size:
        raise NoReferenceError(f"{view.name}, which ends outside of the memory of {tensor.name}")
    strided = np.lib.stride_tricks.as_strided
    strided(memory, tensor.shape, [8 * step for step in tensor.strides])[...] = value
    return strided(start, view.shape, [8 * step for step in view.strides]).copy()


_NODES: dict[str, Callable[[Any, Any, Mapping[str, Any]], dict[str, Any]]] = {
    "attention": _attention,
    "concatenate": _moved,
    "convolution_forward": convolution,
    "convolution_backward_data": convolution,
    "convolution_backward_filter": convolution,
    "expand": _moved,
    "matmul": _matmul,
    "norm_forward": _norm,
    "norm_backward": _norm,
    "paged_cache_load": _pages,
    "pointwise": _pointwise,
    "reduction": _reduction,
    "resample_forward": resample,
    "resample_backward": resample,
    "reshape": _reshape,
    "rng": _random,
    "sdpa_forward": _attention_of_pages,
    "slice": _moved,
    "softmax": _softmax,
    "transpose": _moved,
}

_CONVOLUTION = frozenset(
    ("mode", "pre_padding", "post_padding", "stride", "dilation", "groups", "output_padding",
     "shape")
)  # fmt: skip
_RESAMPLING = frozenset(
    ("mode", "padding_mode", "pre_padding", "post_padding", "stride", "window", "shape",
     "nan_propagation")
)  # fmt: skip

#: Options of nodes that the functions know of; each node may have a type to compute in, too.
_OPTIONS: dict[str, frozenset[str]] = {
    "attention": frozenset(("form", "length_kv", "left", "right", "bottom_right")),
    "convolution_forward": _CONVOLUTION,
    "convolution_backward_data": _CONVOLUTION,
    "convolution_backward_filter": _CONVOLUTION,
    "matmul": frozenset(("padding_value",)),
    "norm_forward": frozenset(("mode", "phase")),
    "norm_backward": frozenset(("mode",)),
    "pointwise": frozenset(
        ("mode", "axis", "alpha1", "alpha2", "lower_clip", "upper_clip", "slope", "nan_propagation")
    ),
    "reduction": frozenset(("mode", "shape", "deterministic")),
    "resample_forward": _RESAMPLING,
    "resample_backward": _RESAMPLING,
    "reshape": frozenset(("mode", "shape")),
    "concatenate": frozenset(("axis",)),
    "expand": frozenset(("shape",)),
    "paged_cache_load": frozenset(("shape",)),
    "rng": frozenset(("distribution", "shape", "probability", "seed")),
    "slice": frozenset(("start", "limit", "step")),
    "softmax": frozenset(("stats_log2",)),
    "transpose": frozenset(("permutation",)),
}
