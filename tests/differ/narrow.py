"""Attention in float64 that rounds what kernels keep in the data type of their arrays.

Kernels round softmax's result, the result that gradients read, and the gradient of the scores.
Gradients compute softmax again of scores and statistics in float32, which are 0.008 apart near 1e5.
Where scores are large these errors are what is left of a gradient.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import torch

__all__ = ["Uses", "rounded_attention"]


#: Kernels compute powers of two.
LOG2E = 1.4426950408889634


class Uses:
    """Whether attention was computed.

    Attributes:
        count: how often.
    """

    count = 0


class _Attention(torch.autograd.Function):  # type: ignore[misc]
    """Attention and its gradients, as kernels compute them."""

    @staticmethod
    def forward(ctx: Any, q: Any, k: Any, v: Any, bias: Any, scale: float, kind: Any) -> Any:
        scores = q @ k.transpose(-1, -2) * scale + bias
        weights = scores.softmax(-1).nan_to_num(0)  # a row that sees no key is zero
        o = (weights.to(kind).double() @ v).to(kind).double()
        stats = scores.logsumexp(-1, keepdim=True)
        narrow = (q.float() @ k.float().transpose(-1, -2) * scale + bias.float()) * LOG2E
        weights = (narrow - stats.float() * LOG2E).exp2().double().nan_to_num(0)
        ctx.save_for_backward(q, k, v, weights, o)
        ctx.scale, ctx.kind = scale, kind
        return o

    @staticmethod
    def backward(ctx: Any, do: Any) -> Any:
        q, k, v, weights, o = ctx.saved_tensors
        dv = weights.to(ctx.kind).double().transpose(-1, -2) @ do
        d_scores = weights * (do @ v.transpose(-1, -2) - (do * o).sum(-1, keepdim=True))
        rounded = (d_scores * ctx.scale).to(ctx.kind).double()
        return rounded @ k, rounded.transpose(-1, -2) @ q, dv, d_scores, None, None


@contextlib.contextmanager
def rounded_attention(kind: Any) -> Iterator[Uses]:
    """Have PyTorch compute attention in float64 as kernels for a narrower type would."""
    functional: Any = torch.nn.functional
    before, uses = functional.scaled_dot_product_attention, Uses()

    def attention(
        query: Any, key: Any, value: Any, attn_mask: Any = None, dropout_p: float = 0.0,
        is_causal: bool = False, scale: float | None = None, enable_gqa: bool = False,
    ) -> Any:  # fmt: skip
        if dropout_p:
            return before(
                query, key, value, attn_mask, dropout_p, is_causal,
                scale=scale, enable_gqa=enable_gqa,
            )  # fmt: skip
        uses.count += 1
        if enable_gqa:
            key, value = (
                each.repeat_interleave(query.shape[-3] // each.shape[-3], -3)
                for each in (key, value)
            )
        shape = (*query.shape[:-1], key.shape[-2])
        bias: Any = query.new_zeros(shape)
        if is_causal:
            attn_mask = torch.ones(shape[-2:], dtype=torch.bool, device=query.device).tril()
        if attn_mask is not None and attn_mask.dtype == torch.bool:
            bias = bias.masked_fill(~attn_mask, float("-inf"))
        elif attn_mask is not None:
            bias = bias + attn_mask
        return _Attention.apply(
            query, key, value, bias, query.shape[-1] ** -0.5 if scale is None else scale, kind
        )

    functional.scaled_dot_product_attention = attention
    try:
        yield uses
    finally:
        functional.scaled_dot_product_attention = before
