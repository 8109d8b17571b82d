"""Modules of attention."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from ..._support.arguments import boolean
from ..autograd.switches import is_autocast_on
from ..functional.attn.attention import Attention, run_attention
from .base import Cudnn, is_traceable

_linear = nn.functional.linear
_HALF = (torch.float16, torch.bfloat16)


class MultiheadAttention(Cudnn, nn.MultiheadAttention):
    """`torch.nn.MultiheadAttention`, with scores and their gradients computed by cuDNN.

    That is where `need_weights` is False and the projections are float16 or bfloat16, also by
    autocast; elsewhere it is computed by PyTorch. Projections are PyTorch's.

    PyTorch computes: `need_weights`, and data types other than float16 and bfloat16; always the
        projections
    """

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, key_padding_mask: Tensor | None = None,
        need_weights: bool = True, attn_mask: Tensor | None = None,
        average_attn_weights: bool = True, is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:  # fmt: skip
        lower = is_autocast_on() or query.dtype in _HALF
        special = need_weights or self.add_zero_attn or self.bias_k is not None
        special = special or query.is_nested or (is_causal and attn_mask is None)
        if special or not lower or not is_traceable(query) or query.dim() not in (2, 3):
            self._leave("cuDNN has no attention with such options or of such types", query)
            return super().forward(
                query, key, value, key_padding_mask, need_weights, attn_mask,
                average_attn_weights, is_causal,
            )  # fmt: skip
        single = query.dim() == 2
        first = self.batch_first or single
        if single:
            query, key, value = query[None], key[None], value[None]
            if key_padding_mask is not None:
                key_padding_mask = key_padding_mask[None]
        parts = self._projected(query, key, value)
        q, k, v = (self._split(each, first) for each in parts)
        mask = self._mask(attn_mask, key_padding_mask, is_causal, q)
        causal = mask is None and is_causal and attn_mask is not None
        rate = float(self.dropout) if self.training else 0.0
        layer = self._kept(
            (causal, rate),
            lambda: Attention(None, causal, rate, **self._terms()),
        )
        found = run_attention(layer, q, k, v, mask)
        found = found.transpose(1, 2) if first else found.permute(2, 0, 1, 3)
        found = self.out_proj(found.reshape(*found.shape[:2], self.embed_dim))
        return (found[0] if single else found), None

    def _projected(self, query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, ...]:
        width, bias = self.embed_dim, self.in_proj_bias
        if self._qkv_same_embed_dim:
            if query is key and key is value:
                return tuple(_linear(query, self.in_proj_weight, bias).chunk(3, -1))
            weights = self.in_proj_weight.split(width)
        else:
            weights = (self.q_proj_weight, self.k_proj_weight, self.v_proj_weight)
        biases = (None,) * 3 if bias is None else bias.split(width)
        return tuple(
            _linear(each, w, b)
            for each, w, b in zip((query, key, value), weights, biases, strict=True)
        )

    def _split(self, x: Tensor, first: bool) -> Tensor:
        """Return (batch, heads, length, width)."""
        x = x.unflatten(-1, (self.num_heads, self.head_dim))
        return x.transpose(1, 2) if first else x.permute(1, 2, 0, 3)

    def _mask(
        self, mask: Tensor | None, padding: Tensor | None, is_causal: bool, q: Tensor
    ) -> Tensor | None:
        """Return the bias of the scores; a boolean mask is true where a key is left out."""
        if is_causal and padding is None:
            return None  # the mask is known to be the causal one
        found = None
        if mask is not None:
            found = _added(mask, q)
            if found.dim() == 3:
                found = found.unflatten(0, (q.shape[0], self.num_heads))
            else:
                found = found[None, None]
        if padding is not None:
            rows = _added(padding, q)[:, None, None, :]
            found = rows if found is None else found + rows
            found = found.expand(-1, -1, q.shape[2], -1)
        return found


def _added(mask: Tensor, q: Tensor) -> Tensor:
    if mask.dtype != torch.bool:
        return mask.to(q.dtype)
    zeros = torch.zeros(mask.shape, dtype=q.dtype, device=mask.device)
    return zeros.masked_fill(mask, float("-inf"))


class ScaledDotProductAttention(Cudnn, nn.Module):
    """`torch.nn.functional.scaled_dot_product_attention` as a module.

    Elements are dropped in training only.

    PyTorch computes: float64, and float32 with gradients
    """

    _decides = frozenset({"is_causal", "scale"})

    def __init__(
        self, dropout: float = 0.0, is_causal: bool = False, scale: float | None = None,
        enable_gqa: bool = False,
    ) -> None:  # fmt: skip
        """Make the module.

        Args:
            dropout: the probability with which an element of softmax becomes zero in training.
            is_causal: whether a query sees only keys up to its own place.
            scale: of the scores; 1 / sqrt(width) without it.
            enable_gqa: whether there may be fewer heads of keys than of queries.
        """
        super().__init__()
        self.dropout, self.is_causal = float(dropout), boolean(is_causal, "is_causal")
        self.scale = None if scale is None else float(scale)
        self.enable_gqa = boolean(enable_gqa, "enable_gqa")

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None = None
    ) -> Tensor:
        """Return softmax(scale * query key' + mask) value.

        Args:
            query, key, value: (batch, heads, length, width), or without the batch.
            attn_mask: is added to the scores; one of truths says which keys take part.
        """
        rate = self.dropout if self.training else 0.0
        layer = self._kept(
            rate,
            lambda: Attention(self.scale, self.is_causal, rate, **self._terms()),
        )
        return run_attention(layer, query, key, value, attn_mask, self.enable_gqa)

    def extra_repr(self) -> str:
        """Return the options."""
        return (
            f"dropout={self.dropout}, is_causal={self.is_causal}, scale={self.scale}, "
            f"enable_gqa={self.enable_gqa}"
        )
