"""The gradient of attention in FP8: each product is scaled back, and to the type it is kept in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..rules.results import packed
from ..tensors import Node, Tensor
from .composite import mask_bands, mask_padding, reshape, transposed, turn

if TYPE_CHECKING:
    from ..methods.operations import Operations

    Release = tuple[int, ...]


def backward(
    graph: Operations, node: Node, inputs: dict[str, Tensor], release: Release
) -> dict[str, Tensor]:
    """Add the gradient of attention in FP8, and return its results."""
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
