"""The gradient of attention of separate matrix products, where the composite is wrong or lacking.

Scores are in memory here, for all heads, so it takes more of that. Batches and heads are one
dimension, so that no engine takes it for the pattern of attention.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import errors
from . import attention_composite as composite
from .attention_checks import is_fp8, is_ragged
from .tensors import Node, Tensor

if TYPE_CHECKING:
    Release = tuple[int, ...]

__all__ = ["backward", "expanded", "is_flat", "problem"]


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
        # Indices behind a matrix product that is not attention's came out wrong (9.19).
        ("left" in node.options or "right" in node.options, "causal masks and windows"),
        (len(heads) > 1, "grouped heads"),
        (not scale.by_value or scale.value is None, "a scale that is an argument"),
        (bool(node.options.get("form")), "a form that is forced"),
    ]
    return ", ".join(what for is_asked, what in lacking if is_asked)


def expanded(
    graph: Any, node: Node, inputs: dict[str, Tensor], release: Release
) -> dict[str, Tensor]:
    """Add the composite for a bias that is copied to all queries and keys."""
    bias = inputs["bias"]
    q, k = inputs["q"], inputs["k"]
    full = graph.expand(bias, (*bias.shape[:2], q.shape[2], k.shape[2]))
    results = composite.backward(graph, node, {**inputs, "bias": full}, release)
    if "dbias" in results:
        results["dbias"].given_type = q.data_type  # as engines want it
        results["dbias"] = graph.reduction(results["dbias"], "ADD", shape=bias.shape)
    return results


def backward(
    graph: Any, node: Node, inputs: dict[str, Tensor], release: Release
) -> dict[str, Tensor]:
    """Add the gradient of attention, and return its results.

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
    kept = factor = None
    dropped = weights
    if mask is not None:
        kept, factor = _flat(graph, mask), composite.dropout_scale(node, inputs)
        if isinstance(factor, Tensor):
            factor = graph.reshape(factor, (1, 1, 1), mode="LOGICAL")
        dropped = weights * kept * factor
    dv = graph.matmul(_turned(graph, graph.identity(dropped, data_type=io)), do)
    total = graph.reduction(do * o, "ADD", dims=2)
    x = graph.matmul(do, _turned(graph, v))
    if kept is not None:
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


def _flat(graph: Any, tensor: Tensor) -> Tensor:
    """Return a tensor with one dimension for batches and heads."""
    batch, heads, rows, columns = tensor.shape
    result: Tensor = graph.reshape(tensor, (batch * heads, rows, columns), mode="LOGICAL")
    return result


def _turned(graph: Any, tensor: Tensor) -> Tensor:
    result: Tensor = graph.transpose(tensor, (0, 2, 1))
    return result
