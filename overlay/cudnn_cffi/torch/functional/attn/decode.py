"""Attention of the last queries of sequences whose keys and values lie in pages.

Second derivatives: by PyTorch, as the first ones
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor

from .... import ops
from ...._support.arguments import boolean
from ...autograd.layer import Layer
from ...autograd.sharing import shared
from ..arguments import check_tensors

if TYPE_CHECKING:
    from ....choice.policy import Choose
    from ...autograd.record import Results


class DecodeAttention(Layer):
    """The layer of attention over pages; its gradients are PyTorch's."""

    by = ops.DecodeAttention
    takes = ("q", "k", "v", "page_table", "lengths", "sink")
    gives = ("o",)
    names = (
        "float? scale", "int? window", "float? soft_cap", "int? max_length", "bool finite",
        "bool checked",
    )  # fmt: skip

    scale: float | None
    window: int | None
    soft_cap: float | None
    max_length: int | None

    def compute(
        self, q: Tensor, k: Tensor, v: Tensor, page_table: Tensor, lengths: Tensor,
        sink: Tensor | None,
    ) -> Results:  # fmt: skip
        return self.operation()(q, k, v, page_table, lengths, sink=sink).o

    def reference(
        self, q: Tensor, k: Tensor, v: Tensor, page_table: Tensor, lengths: Tensor,
        sink: Tensor | None,
    ) -> Results:  # fmt: skip
        batch, heads, count, width = q.shape
        room = page_table.shape[1] * k.shape[2]
        keys, values = (
            each[page_table.long()].transpose(1, 2).reshape(batch, k.shape[1], room, -1)
            .repeat_interleave(heads // k.shape[1], 1).float()
            for each in (k, v)
        )  # fmt: skip
        scale = width**-0.5 if self.scale is None else self.scale
        scores = q.float() @ keys.transpose(2, 3) * scale
        if self.soft_cap is not None:
            scores = self.soft_cap * torch.tanh(scores / self.soft_cap)
        place = torch.arange(room, device=q.device)
        ends = lengths[:, None] - count + torch.arange(count, device=q.device)
        seen = (place <= ends[..., None]) & (place < lengths[:, None, None])
        if self.window is not None:
            seen &= place > ends[..., None] - self.window
        scores = scores.masked_fill(~seen[:, None], -torch.inf)
        if sink is not None:
            scores = torch.cat([scores, sink[:, None, None].expand(batch, -1, count, 1)], -1)
        weights = torch.softmax(scores, -1)[..., :room].masked_fill(~seen[:, None], 0.0)
        inside = place < lengths[:, None]
        values = values.masked_fill(~inside[:, None, :, None], 0.0)
        return (weights @ values).to(q.dtype)

    def fake(
        self, q: Tensor, k: Tensor, v: Tensor, page_table: Tensor, lengths: Tensor,
        sink: Tensor | None,
    ) -> Results:  # fmt: skip
        return q.new_empty((*q.shape[:3], v.shape[3]))


def decode_attention(
    query: Tensor, key: Tensor, value: Tensor, page_table: Tensor, lengths: Tensor,
    sink: Tensor | None = None, scale: float | None = None, window: int | None = None,
    soft_cap: float | None = None, max_length: int | None = None, finite: bool = False,
    checked: bool = False, *, choose: Choose = None,
) -> Tensor:  # fmt: skip
    """Return attention of the last queries of sequences whose keys and values lie in pages.

    Args:
        query: (batch, heads, queries, width); float16 or bfloat16, in C order.
        key, value: the pages, (pages, heads, page size, width).
        page_table: the pages of each sequence, (batch, pages of the longest), int32.
        lengths: how many keys each sequence has, (batch,) int32; see `ops.decode_attention`.
        sink: a logit for each head that takes part in the sum, (heads,) float32.
        scale: of the scores; 1 / sqrt(width) without it.
        window: how many keys a query sees, its own among them; all before it without one.
        soft_cap: a number c: scores become c * tanh(score / c).
        max_length: the length of the longest sequence; the room of the page table without it.
        finite: whether all numbers in pages are finite, also where no key is.
        checked: whether to compare lengths and page indices with their limits before anything
            runs, which waits for the device.
        choose: the policy that picks the engine or algorithm; see `cudnn_cffi.choice`.

    Raises:
        ArgumentError: with `checked`: a length or a page index is beyond its limits.
    """
    check_tensors(query=query, key=key, value=value, page_table=page_table, lengths=lengths)
    layer = shared(
        DecodeAttention, None if scale is None else float(scale), window,
        None if soft_cap is None else float(soft_cap), max_length, boolean(finite, "finite"),
        boolean(checked, "checked"), choose=choose,
    )  # fmt: skip
    return layer(query, key, value, page_table, lengths, sink)
