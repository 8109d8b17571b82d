"""The gradient of attention in several plans, where the composite is wrong or lacking.

With a given mask of dropout, it is the sum of two gradients without one. A bias that is repeated
is copied. FLOAT, and what releases before 9.16 lack, is made of separate matrix products, with
scores in memory for all heads. Batches and heads are one dimension then, so that no engine takes it
for attention.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ... import errors
from ..tensors import Node, Tensor
from .checks import dropout_scale, is_fp8, is_ragged

if TYPE_CHECKING:
    from ..methods.operations import Operations
    from ..record.types import Options

    Release = tuple[int, ...]


#: The results that have the data type of queries.
_OF_THE_TYPE = ("o", "dq", "dk", "dv", "dbias")

#: What is added to scores that a mask drops: HALF has it, and its exponential is zero.
_DROPPED = -3e4


def is_flat(node: Node) -> bool:
    """Return whether the bias is repeated along queries or keys."""
    bias = node.inputs.get("bias")
    scores = (node.inputs["q"].shape[2], node.options["length_kv"])
    return bias is not None and bias.shape[2:] != scores


def problem(node: Node, inputs: dict[str, Tensor]) -> str:
    """Return what cannot be computed so; "" for nothing."""
    has = node.inputs.__contains__
    scale = inputs["scale"]
    heads = {inputs[port].shape[1] for port in "qkv"}
    lacking = [
        (is_fp8(inputs["q"]), "FP8"),
        (is_ragged(inputs), "a ragged tensor"),
        (has("seq_len_q"), "seq_len"),
        (has("sink"), "a sink"),
        (has("alibi"), "alibi"),
        (has("seed"), "dropout without a mask"),
        ("score" in node.options, "score"),
        # They compare indices after a product alone: see the errata of GEN_INDEX.
        ("left" in node.options or "right" in node.options, "causal masks and windows"),
        (len(heads) > 1, "grouped heads"),
        (not scale.by_value or scale.value is None, "a scale that is an argument"),
        (bool(node.options.get("form")), "a form that is forced"),
    ]
    return ", ".join(what for is_asked, what in lacking if is_asked)


def expanded(
    graph: Operations, node: Node, inputs: dict[str, Tensor], release: Release
) -> dict[str, Tensor]:
    """Add attention, or its gradient, with a bias that is copied to all queries and keys."""
    del release
    bias = inputs["bias"]
    bound = {**inputs, "bias": _expanded(graph, node, inputs)}
    results = _add(graph, node, bound, node.options, tuple(node.outputs))
    if "dbias" in results:
        results["dbias"] = _summed(graph, results["dbias"], bias)
    return results


def divided(
    graph: Operations, node: Node, inputs: dict[str, Tensor], release: Release
) -> dict[str, Tensor]:
    """Add the gradient, and divide that of the sink by what dropout keeps."""
    del release
    options: Options = {**node.options, "divided": True}
    results = _add(graph, node, inputs, options, tuple(node.outputs))
    kept = 1 - node.options["dropout"]
    results["dsink"] = graph.mul(results["dsink"], 1 / kept, data_type="FLOAT")
    return results


def twice(
    graph: Operations, node: Node, inputs: dict[str, Tensor], release: Release
) -> dict[str, Tensor]:
    """Add two gradients without dropout, for a given mask, and return the sums of both.

    With P the weights, M the mask, s the factor of what it keeps, and D the sums of `do * o` along
    rows, the gradient of the scores is `s * (P * M) * (do @ v.T) - P * D`. One gradient has the
    mask as a bias, and no `o`, so that it is `(P * M) * (do @ v.T)`. The other has no values, so
    that it is `-P * D`.

    Raises:
        NotSupportedError: a tensor is ragged.
    """
    del release
    if is_ragged(inputs):
        raise errors.NotSupportedError(
            f"node {node.name} ({node.kind}): no release computes the gradient of ragged tensors "
            "with dropout_mask"
        )
    io = inputs["q"].data_type
    options = node.options.copy()
    options.pop("dropout", None)
    scale = dropout_scale(node, inputs)
    used = ("bias", "dropout_mask", "dropout_scale")
    given = {port: each for port, each in inputs.items() if port not in used}
    mask = graph.max(graph.log(inputs["dropout_mask"]), _DROPPED)
    own = {}
    if "bias" in inputs:
        own["bias"] = _expanded(graph, node, inputs)
        mask = mask + own["bias"]
    no_o, no_v = (graph.mul(inputs[port], 0.0, data_type=io) for port in "ov")
    masked = given | {"bias": graph.identity(mask, data_type=io), "o": no_o}
    ports = tuple(node.outputs)
    first = _add(graph, node, masked, options, [port for port in ports if port != "dsink"])
    second = _add(graph, node, {**given, **own, "v": no_v}, options, ports)
    results = {"dsink": second["dsink"]} if "dsink" in second else {}
    if "dbias" in second:
        sums = [_summed(graph, each["dbias"], inputs["bias"]) for each in (first, second)]
        results["dbias"] = sums[0] * scale + sums[1]
    for port in ("dq", "dk"):
        results[port] = first[port] * scale + second[port]
    return {**results, "dv": first["dv"] * scale}


def _add(
    graph: Operations,
    node: Node,
    inputs: dict[str, Tensor],
    options: Options,
    ports: Sequence[str],
) -> dict[str, Tensor]:
    """Add attention, or a gradient, with other inputs, as an operation that is a part by itself."""
    made = graph.add_node(node.operation, inputs, options, None, ports)
    for port, each in made.outputs.items():  # engines write all, also what nobody reads
        graph.workspace(each, data_type=inputs["q"].data_type if port in _OF_THE_TYPE else "FLOAT")
    return dict(made.outputs)


def _expanded(graph: Operations, node: Node, inputs: dict[str, Tensor]) -> Tensor:
    """Return the bias for all keys; for gradients, or a single key, for all queries, too."""
    bias, length = inputs["bias"], node.options["length_kv"]
    only_keys = node.kind == "attention" and length > 1
    shape = (*bias.shape[:2], bias.shape[2] if only_keys else inputs["q"].shape[2], length)
    result: Tensor = bias if bias.shape == shape else graph.expand(bias, shape)
    return result


def _summed(graph: Operations, gradient: Tensor, bias: Tensor) -> Tensor:
    """Return the gradient of a bias that was repeated."""
    if gradient.shape == bias.shape:
        return gradient
    return graph.reduction(gradient, "ADD", shape=bias.shape)


def backward(
    graph: Operations, node: Node, inputs: dict[str, Tensor], release: Release
) -> dict[str, Tensor]:
    """Add the gradient of attention of separate matrix products, and return its results.

    Raises:
        NotSupportedError: an option has no place in it.
    """
    del release
    if lacking := problem(node, inputs):
        raise errors.NotSupportedError(
            f"node {node.name} ({node.kind}): separate matrix products do not compute {lacking}"
        )
    q, k, v, o, do, stats = (
        _flat(graph, inputs[port]) for port in ("q", "k", "v", "o", "do", "stats")
    )
    io = inputs["q"].data_type
    scale = graph.scalar(inputs["scale"].value, "FLOAT", rank=3)
    x = graph.matmul(q, _turned(graph, k)) * scale
    if "bias" in inputs:
        bias, shape = inputs["bias"], (*inputs["q"].shape[:3], k.shape[1])
        x = x + _flat(graph, bias if bias.shape == shape else graph.expand(bias, shape))
    weights = graph.exp(x - stats)
    mask = inputs.get("dropout_mask")
    factor = None if mask is None else dropout_scale(node, inputs)
    if isinstance(factor, Tensor):
        factor = graph.reshape(factor, (1, 1, 1), mode="LOGICAL")
    kept = None if mask is None else _flat(graph, mask)
    dropped = weights if kept is None or factor is None else weights * kept * factor
    dv = graph.matmul(_turned(graph, graph.identity(dropped, data_type=io)), do)
    total = graph.reduction(do * o, "ADD", dims=2)
    x = graph.matmul(do, _turned(graph, v))
    if kept is not None and factor is not None:
        x = x * kept * factor
    x = (x - total) * weights
    results = {}
    if "dbias" in node.outputs:
        whole = graph.reshape(x, (*inputs["q"].shape[:3], k.shape[1]), mode="LOGICAL")
        results["dbias"] = graph.reduction(whole, "ADD", shape=inputs["bias"].shape)
    x = graph.mul(x, scale, data_type=io)
    gradients = {"dq": graph.matmul(x, k), "dk": graph.matmul(_turned(graph, x), q), "dv": dv}
    for port, each in gradients.items():
        flat = graph.identity(each, data_type=io)
        results[port] = graph.reshape(flat, inputs[port[1:]].shape, mode="LOGICAL")
    return results


def _flat(graph: Operations, tensor: Tensor) -> Tensor:
    """Return a tensor with one dimension for batches and heads."""
    batch, heads, rows, columns = tensor.shape
    return graph.reshape(tensor, (batch * heads, rows, columns), mode="LOGICAL")


def _turned(graph: Operations, tensor: Tensor) -> Tensor:
    return graph.transpose(tensor, (0, 2, 1))
