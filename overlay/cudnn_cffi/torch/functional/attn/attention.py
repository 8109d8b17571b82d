"""Scaled dot product attention.

Second derivatives: by PyTorch, without dropout
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

import torch
from torch import Tensor

from .... import errors, ops
from ...._support.arguments import boolean
from ....errata import asks as errata
from ...autograd.layer import Layer
from ...autograd.layouts import matched
from ...autograd.sharing import layers, shared
from ...autograd.states import is_eager
from ...autograd.switches import keeps_bits
from ..arguments import check_tensors

if TYPE_CHECKING:
    from ....choice.policy import Choose
    from ...autograd.record import Gradients, Results, Tensors

_MORE = ("bias", "seed", "offset")


def _like(shape: Sequence[int], like: Tensor) -> Tensor:
    """Return a new tensor whose axes lie in memory as those of another one."""
    order = sorted(range(len(shape)), key=lambda axis: -like.stride(axis))
    strides = [0] * len(shape)
    step = 1
    for axis in reversed(order):
        strides[axis] = step
        step = step * shape[axis]
    return like.new_empty_strided(tuple(shape), tuple(strides))


class _Attention(Layer):
    """The base of attention and its gradients."""

    scale: float | None
    causal: bool
    dropout: float

    def arrange(self, given: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        count = len(self.takes) - len(_MORE)  # a bias may be repeated
        return tuple(
            [
                each
                if each is None
                or not each.dim()
                or (each.stride(-1) == 1 and (place >= count or 0 not in each.stride()))
                else each.contiguous()
                for place, each in enumerate(given)
            ]
        )


class Attention(_Attention):
    """The layer of attention; a call may leave out what it has not, from the bias on."""

    by = ops.Attention
    fixed: ClassVar[Mapping[str, object]] = {"stats": True}
    takes = ("q", "k", "v", *_MORE)
    gives = ("o", "stats")

    casts = "lower"

    def compute(
        self, q: Tensor, k: Tensor, v: Tensor, bias: Tensor | None = None,
        seed: Tensor | None = None, offset: Tensor | None = None,
    ) -> Results:  # fmt: skip
        if bias is None and seed is None:
            return self.operation()(q, k, v)
        return self.operation()(q, k, v, bias=bias, seed=seed, offset=offset)

    def infer(
        self, q: Tensor, k: Tensor, v: Tensor, bias: Tensor | None = None,
        seed: Tensor | None = None, offset: Tensor | None = None,
    ) -> Results:  # fmt: skip
        if bias is None and seed is None:
            return self.plain(stats=False)(q, k, v).o
        return self.plain(stats=False)(q, k, v, bias=bias, seed=seed, offset=offset).o

    def reference(
        self, q: Tensor, k: Tensor, v: Tensor, bias: Tensor | None = None,
        seed: Tensor | None = None, offset: Tensor | None = None,
    ) -> Results:  # fmt: skip
        found = torch.nn.functional.scaled_dot_product_attention(
            q, k, v, bias, self.dropout, bool(self.causal),
            scale=self.scale, enable_gqa=q.shape[1] != k.shape[1],
        )  # fmt: skip
        return (found,)

    def fake(
        self, q: Tensor, k: Tensor, v: Tensor, bias: Tensor | None, seed: Tensor | None,
        offset: Tensor | None,
    ) -> Results:  # fmt: skip
        stats = q.new_empty((*q.shape[:3], 1), dtype=torch.float32)
        return _like((*q.shape[:3], v.shape[3]), q), stats

    def saves(self, given: Tensors, results: Tensors) -> Tensors:
        if given[0].dtype == torch.float32 and is_eager(given[0]):
            # Engines may have no gradients of it, which is told before they are asked for.
            layer = self.parts[AttentionBackward, False]
            layer.operation().plan(*layer.arrange((results[0], *given[:3], *results)))
        return (*given, *results)

    def gradients(self, saved: Tensors, needs: Sequence[bool], grads: Tensors) -> Gradients:
        q, k, v, *more, o, stats = saved
        dbias = len(needs) > 3 and needs[3]
        found: tuple[Tensor, ...] = self.parts[AttentionBackward, dbias](
            grads[0], q, k, v, o, stats, *more
        )
        if needs[0] and needs[1] and needs[2]:
            return found if dbias else found[:3]
        return [each if want else None for each, want in zip(found, needs, strict=False)]

    def own_gradients(self, saved: Tensors, needs: Sequence[bool], grads: Tensors) -> Gradients:
        if self.dropout:
            raise errors.NotSupportedError(
                "attention: PyTorch cannot repeat the dropout of cuDNN's attention"
            )
        kernels = torch.nn.attention
        with kernels.sdpa_kernel(kernels.SDPBackend.MATH):  # which has second derivatives
            return super().own_gradients(saved[:-2], needs, grads)


class AttentionBackward(_Attention):
    """The layer of the gradients of attention; that of the bias is empty where not wanted."""

    by = ops.AttentionBackward
    takes = ("do", "q", "k", "v", "o", "stats", *_MORE)
    gives = ("dq", "dk", "dv", "dbias")
    dbias: bool

    def arrange(self, given: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        do, q, k, v, o, *more = super().arrange(given)
        strides: errata.Call = {"do": do.stride(), "o": o.stride()}
        if do.stride() != o.stride() and errata.wrong_function(self.word, strides):
            do = matched(do, o)
        return do, q, k, v, o, *more

    def make(self, **options: object) -> ops.Operation:
        return super().make(deterministic=keeps_bits(), **options)

    def compute(
        self, do: Tensor, q: Tensor, k: Tensor, v: Tensor, o: Tensor, stats: Tensor,
        bias: Tensor | None = None, seed: Tensor | None = None, offset: Tensor | None = None,
    ) -> Results:  # fmt: skip
        found = self.infer(do, q, k, v, o, stats, bias, seed, offset)
        return (*found[:3], found[3] if self.dbias else q.new_empty(0))

    def infer(
        self, do: Tensor, q: Tensor, k: Tensor, v: Tensor, o: Tensor, stats: Tensor,
        bias: Tensor | None = None, seed: Tensor | None = None, offset: Tensor | None = None,
    ) -> Results:  # fmt: skip
        """Return the gradients, with None for that of a bias where it is not wanted."""
        if bias is None and seed is None:
            return self.operation()(do, q, k, v, o, stats)
        return self.operation()(do, q, k, v, o, stats, bias=bias, seed=seed, offset=offset)

    def reference(
        self, do: Tensor, q: Tensor, k: Tensor, v: Tensor, o: Tensor, stats: Tensor,
        bias: Tensor | None = None, seed: Tensor | None = None, offset: Tensor | None = None,
    ) -> Results:  # fmt: skip
        forward = Attention(*self.options[:3])
        needs = (True, True, True, self.dbias, False, False)
        found = forward.own_gradients((q, k, v, bias, seed, offset, o, stats), needs, (do,))
        return (*found[:3], found[3] if self.dbias else q.new_empty(0))

    def fake(
        self, do: Tensor, q: Tensor, k: Tensor, v: Tensor, o: Tensor, stats: Tensor,
        bias: Tensor, seed: Tensor | None, offset: Tensor | None,
    ) -> Results:  # fmt: skip
        made = [_like(each.shape, each) for each in (q, k, v)]
        return (*made, _like(bias.shape, bias) if self.dbias else q.new_empty(0))


def additive(mask: Tensor, q: Tensor) -> Tensor:
    """Return a mask as a bias of four axes: a mask of truths says what takes part."""
    if mask.dtype == torch.bool:
        zeros = torch.zeros(mask.shape, dtype=q.dtype, device=mask.device)
        mask = zeros.masked_fill(~mask, float("-inf"))
    while mask.dim() < 4:
        mask = mask[None]
    return mask


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None = None,
    dropout_p: float = 0.0, is_causal: bool = False, scale: float | None = None,
    enable_gqa: bool = False, *, choose: Choose = None,
) -> Tensor:  # fmt: skip
    """Return softmax(scale * query key' + mask) value.

    Args:
        query, key, value: (batch, heads, length, width), or without the batch; a batch of one is
            repeated. float16 or bfloat16, or float32 where no gradient is wanted.
        attn_mask: is added to the scores; one of truths says which keys take part. A query that
            sees no key has a result and a gradient of zeros.
        dropout_p: the probability with which an element of softmax becomes zero. Its random numbers
            begin at a seed of PyTorch's generator on the GPU.
        is_causal: whether a query sees only keys up to its own place.
        scale: of the scores; 1 / sqrt(width) without it.
        enable_gqa: whether there may be fewer heads of keys than of queries.
        choose: the policy that picks the engine or algorithm; see `cudnn_cffi.choice`.
    """
    options = scale, is_causal, dropout_p, choose
    try:
        layer = layers.get(options) if query.is_cuda and key.is_cuda and value.is_cuda else None
    except (AttributeError, TypeError):  # no tensor, or arguments that are no keys
        layer = None
    if layer is None:
        check_tensors(query=query, key=key, value=value)
        layer = shared(
            Attention, None if scale is None else float(scale), boolean(is_causal, "is_causal"),
            float(dropout_p), choose=choose,
        )  # fmt: skip
        if (choose is None or type(choose) is str) and is_eager(query):
            layers[options] = layer
    if attn_mask is None and dropout_p == 0.0 and query.dim() == 4:
        same = query.size(0) == key.size(0) == value.size(0)
        if same and (query.size(1) == key.size(1) or boolean(enable_gqa, "enable_gqa")):
            return layer(query, key, value)
    return run_attention(layer, query, key, value, attn_mask, enable_gqa)


def run_attention(
    layer: Attention, q: Tensor, k: Tensor, v: Tensor, mask: Tensor, grouped: bool = False
) -> Tensor:
    """Call a layer with tensors of three or four axes, and any mask."""
    if q.dim() == 3:
        return run_attention(layer, q[None], k[None], v[None], mask, grouped)[0]
    if q.dim() != 4:
        raise errors.ArgumentError(f"query: expected 3 or 4 axes, got {q.dim()}")
    if k.shape[1] != q.shape[1] and not boolean(grouped, "enable_gqa"):
        raise errors.ShapeMismatchError(
            f"key: expected {q.shape[1]} heads, got {k.shape[1]}",
            hint="enable_gqa=True allows fewer",
        )
    if mask is not None and layer.causal:
        raise errors.ArgumentError("attn_mask: expected None, as is_causal is True")
    if k.dim() == v.dim() == 4:
        batch = max(q.shape[0], k.shape[0], v.shape[0])
        q, k, v = (
            each.expand(batch, -1, -1, -1) if each.shape[0] == 1 < batch else each
            for each in (q, k, v)
        )
    bias = None if mask is None else additive(mask, q)
    seed = offset = None
    if layer.dropout:
        seed = torch.randint(0, 1 << 62, (1,), device=q.device)
        offset = torch.zeros_like(seed)
    o: Tensor = layer(q, k, v, bias, seed, offset)
    if bias is None or q.dtype != torch.float32:
        return o
    # Engines of float32 divide by the sum of a row, whatever it has.
    sees_none = (bias == float("-inf")).all(-1, keepdim=True)
    return o.masked_fill(sees_none, 0.0)
