"""The gradient of attention in several plans, where the composite is wrong or lacking.

With a given mask of dropout, it is the sum of two gradients without one. A bias that is repeated
is copied, as are keys and values for one query of FLOAT whose heads share them. FLOAT, and
gradients that releases before 9.16 lack, are separate matrix products, with scores in memory for
all heads. Batches and heads are one dimension then, so that no engine takes it for attention.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..tensors import Node, Tensor
from .checks import dropout_scale, is_float, is_fp8, is_grouped, is_ragged

if TYPE_CHECKING:
    from ..lower.replaced import Replaced
    from ..methods.operations import Operations
    from ..record.types import Options


#: The results that have the data type of queries.
_OF_THE_TYPE = ("o", "dq", "dk", "dv", "dbias")

#: Added to scores that a mask drops: a number of HALF whose exponential is zero.
_DROPPED = -3e4


def is_flat(node: Node) -> bool:
    """Return whether the bias is repeated along queries or keys."""
    bias = node.inputs.get("bias")
    scores = (node.inputs["q"].shape[2], node.options["length_kv"])
    return bias is not None and bias.shape[2:] != scores


def problem(at: Replaced) -> str:
    """Return the features that separate products lack, as a text; "" for none."""
    has = at.node.inputs.__contains__
    scale = at.inputs["scale"]
    heads = {at.inputs[port].shape[1] for port in "qkv"}
    lacking = [
        (is_fp8(at.inputs["q"]), "FP8"),
        (is_ragged(at.inputs), "a ragged tensor"),
        (has("seq_len_q"), "seq_len"),
        (has("sink"), "a sink"),
        (has("alibi"), "alibi"),
        (has("seed"), "dropout without a mask"),
        ("score" in at.node.options, "score"),
        # Engines compute wrong indices after a product: see the errata of GEN_INDEX.
        ("left" in at.node.options or "right" in at.node.options, "causal masks and windows"),
        (len(heads) > 1, "grouped heads"),
        (not scale.by_value or scale.value is None, "a scale that is an argument"),
        (bool(at.node.options.get("form")), "a form that is forced"),
    ]
    return ", ".join(what for is_asked, what in lacking if is_asked)


def expanded(at: Replaced) -> dict[str, Tensor]:
    """Add attention, or its gradient, with copies of what engines read wrongly where it is shared.

    These are a bias, for all queries and keys, and keys and values of heads for one query.
    """
    copies: dict[str, Tensor] = {}
    if "bias" in at.inputs:
        copies["bias"] = _expanded(at)
    if at.node.kind == "attention" and shares_heads_of_one_query(at):
        copies |= {port: _of_each_head(at, at.inputs[port]) for port in "kv"}
    wide = at._replace(inputs=at.inputs | copies)
    results = _add(wide, at.node.options, tuple(at.node.outputs))
    if "dbias" in results:
        results["dbias"] = _summed(at.graph, results["dbias"], at.inputs["bias"])
    return results


def shares_heads_of_one_query(at: Replaced) -> bool:
    """Return whether heads of a single query of FLOAT share those of keys or values."""
    q = at.inputs["q"]
    return is_float(q) and q.shape[2] == 1 and is_grouped(at.inputs)


def _of_each_head(at: Replaced, x: Tensor) -> Tensor:
    """Return keys or values for each head of queries."""
    batch, shared, length, width = x.shape
    heads = at.inputs["q"].shape[1]
    if shared == heads:
        return x
    flat = at.graph.reshape(x, (batch * shared, 1, length * width), mode="LOGICAL")
    every = at.graph.expand(flat, (batch * shared, heads // shared, length * width))
    return at.graph.reshape(every, (batch, heads, length, width), mode="LOGICAL")


def divided(at: Replaced) -> dict[str, Tensor]:
    """Add the gradient, and divide that of the sink by the share that dropout keeps."""
    options: Options = {**at.node.options, "divided": True}
    results = _add(at, options, tuple(at.node.outputs))
    kept = 1 - at.node.options["dropout"]
    results["dsink"] = at.graph.mul(results["dsink"], 1 / kept, data_type="FLOAT")
    return results


def twice(at: Replaced) -> dict[str, Tensor]:
    """Add two gradients without dropout, for a given mask, and return the sums of both.

    With P the weights, M the mask, s the factor of kept elements, and D the sums of `do * o` along
    rows, the gradient of the scores is `s * (P * M) * (do @ v.T) - P * D`. One gradient has the
    mask as a bias, and no `o`, so that it is `(P * M) * (do @ v.T)`. The other has no values, so
    that it is `-P * D`.

    Raises:
        NotSupportedError: a tensor is ragged.
    """
    if is_ragged(at.inputs):
        raise at.refusal("no release computes the gradient of ragged tensors with dropout_mask")
    io = at.inputs["q"].data_type
    options = at.node.options.copy()
    options.pop("dropout", None)
    scale = dropout_scale(at.inputs, at.node.options)
    used = ("bias", "dropout_mask", "dropout_scale")
    given = {port: each for port, each in at.inputs.items() if port not in used}
    mask = at.graph.max(at.graph.log(at.inputs["dropout_mask"]), _DROPPED)
    own = {}
    if "bias" in at.inputs:
        own["bias"] = _expanded(at)
        mask = mask + own["bias"]
    no_o, no_v = (at.graph.mul(at.inputs[port], 0.0, data_type=io) for port in "ov")
    masked = given | {"bias": at.graph.identity(mask, data_type=io), "o": no_o}
    ports = tuple(at.node.outputs)
    no_sink = [port for port in ports if port != "dsink"]
    first = _add(at._replace(inputs=masked), options, no_sink)
    second = _add(at._replace(inputs=given | own | {"v": no_v}), options, ports)
    results = {"dsink": second["dsink"]} if "dsink" in second else {}
    if "dbias" in second:
        sums = [_summed(at.graph, each["dbias"], at.inputs["bias"]) for each in (first, second)]
        results["dbias"] = sums[0] * scale + sums[1]
    for port in ("dq", "dk"):
        results[port] = first[port] * scale + second[port]
    return {**results, "dv": first["dv"] * scale}


def _add(at: Replaced, options: Options, ports: Sequence[str]) -> dict[str, Tensor]:
    """Add attention, or a gradient, with other inputs, as an operation that is a part by itself."""
    made = at.graph.add_node(at.node.operation, at.inputs, options, None, ports)
    io = at.inputs["q"].data_type
    for port, each in made.outputs.items():  # engines write all, also those that nobody reads
        at.graph.workspace(each, data_type=io if port in _OF_THE_TYPE else "FLOAT")
    return dict(made.outputs)


def _expanded(at: Replaced) -> Tensor:
    """Return the bias for all keys; for gradients, or a single key, for all queries, too."""
    bias, length = at.inputs["bias"], at.node.options["length_kv"]
    only_keys = at.node.kind == "attention" and length > 1
    shape = (*bias.shape[:2], bias.shape[2] if only_keys else at.inputs["q"].shape[2], length)
    return bias if bias.shape == shape else at.graph.expand(bias, shape)


def _summed(graph: Operations, gradient: Tensor, bias: Tensor) -> Tensor:
    """Return the gradient of a bias that was repeated."""
    if gradient.shape == bias.shape:
        return gradient
    return graph.reduction(gradient, "ADD", shape=bias.shape)


def backward(at: Replaced) -> dict[str, Tensor]:
    """Add the gradient of attention of separate matrix products, and return its results.

    Raises:
        NotSupportedError: an option has no place in it.
    """
    if lacking := problem(at):
        raise at.refusal(f"separate matrix products do not compute {lacking}")
    q, k, v, o, do, stats = (
        _flat(at.graph, at.inputs[port]) for port in ("q", "k", "v", "o", "do", "stats")
    )
    io = at.inputs["q"].data_type
    scale = at.graph.scalar(at.inputs["scale"].value, "FLOAT", rank=3)
    x = at.graph.matmul(q, _turned(at.graph, k)) * scale
    if "bias" in at.inputs:
        bias, shape = at.inputs["bias"], (*at.inputs["q"].shape[:3], k.shape[1])
        x = x + _flat(at.graph, bias if bias.shape == shape else at.graph.expand(bias, shape))
    weights = at.graph.exp(x - stats)
    mask = at.inputs.get("dropout_mask")
    factor = None if mask is None else dropout_scale(at.inputs, at.node.options)
    if isinstance(factor, Tensor):
        factor = at.graph.reshape(factor, (1, 1, 1), mode="LOGICAL")
    kept = None if mask is None else _flat(at.graph, mask)
    dropped = weights if kept is None or factor is None else weights * kept * factor
    dv = at.graph.matmul(_turned(at.graph, at.graph.identity(dropped, data_type=io)), do)
    total = at.graph.reduction(do * o, "ADD", dims=2)
    x = at.graph.matmul(do, _turned(at.graph, v))
    if kept is not None and factor is not None:
        x = x * kept * factor
    x = (x - total) * weights
    results = {}
    if "dbias" in at.node.outputs:
        whole = at.graph.reshape(x, (*at.inputs["q"].shape[:3], k.shape[1]), mode="LOGICAL")
        results["dbias"] = at.graph.reduction(whole, "ADD", shape=at.inputs["bias"].shape)
    x = at.graph.mul(x, scale, data_type=io)
    gradients = {
        "dq": at.graph.matmul(x, k),
        "dk": at.graph.matmul(_turned(at.graph, x), q),
        "dv": dv,
    }
    for port, each in gradients.items():
        flat = at.graph.identity(each, data_type=io)
        results[port] = at.graph.reshape(flat, at.inputs[port[1:]].shape, mode="LOGICAL")
    return results


def _flat(graph: Operations, tensor: Tensor) -> Tensor:
    """Return a tensor with one dimension for batches and heads."""
    batch, heads, rows, columns = tensor.shape
    return graph.reshape(tensor, (batch * heads, rows, columns), mode="LOGICAL")


def _turned(graph: Operations, tensor: Tensor) -> Tensor:
    return graph.transpose(tensor, (0, 2, 1))
