"""cuDNN's own multi-head attention, with the projections.

Second derivatives: none
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from .... import errors, ops
from ...._support.arguments import boolean
from ....choice.policy import open_policy, reopen
from ...autograd.batches import one_by_one
from ...autograd.layer import Layer
from ...autograd.once import once
from ...autograd.sharing import shared
from ...autograd.switches import is_grad_on
from ...fallback import refuse_repetition
from ..arguments import check_tensors

if TYPE_CHECKING:
    from ....choice.policy import Choose
    from ...autograd.record import Context, Gradients, Results, Tensors


class _Function(torch.autograd.Function):
    """Attention in training, which keeps what its gradients need."""

    @staticmethod
    def forward(
        ctx: Context, layer: MultiHeadAttention, q: Tensor, k: Tensor, v: Tensor, weights: Tensor,
        residual: Tensor,
    ) -> Tensor:  # fmt: skip
        if layer.dropout:
            refuse_repetition(layer.word)
        o, reserve = layer.operation()(q, k, v, weights, residual, training=True)
        ctx.layer, ctx.scope = layer, open_policy()
        ctx.save_for_backward(q, k, v, weights, reserve)
        return o

    @staticmethod
    @one_by_one
    @once("multi_head_attention")
    def backward(ctx: Context, do: Tensor) -> Tensor:
        *given, reserve = ctx.saved_tensors
        with reopen(ctx.scope):  # PyTorch's engine has threads of its own
            # The gradients change it, and the graph may be kept for another time.
            found = ctx.layer.differentiate(do, *given, reserve.clone())
        return (None, *found, do if ctx.needs_input_grad[5] else None)


class _MultiHead(Layer):
    """The options of attention and of its gradients."""

    heads: int
    q_size: int
    k_size: int
    v_size: int
    q_projection: int
    k_projection: int
    v_projection: int
    o_projection: int
    scale: float | None
    dropout: float
    batch_first: bool
    causal: bool


class MultiHeadAttention(_MultiHead):
    """The layer of multi-head attention; the operator's gradients compute it once more."""

    by = ops.MultiHeadAttention
    keeps = ("q", "k", "v", "weights")
    contiguous = True

    twice = True  # it says itself that there are none
    _function = _Function

    def _start(self, *options: Any) -> None:
        super()._start(*options)
        self._kept: ops.Operation | None = None

    def make(self, **options: object) -> ops.Operation:
        # With dropout one for all of PyTorch's switches, whose random numbers go on.
        if self._kept is None or not self.dropout:
            self._kept = super().make(**options)
        return self._kept

    def compute(self, *given: Tensor) -> Results:
        if self.dropout:
            refuse_repetition(self.word)
        # Elements are dropped also where no gradient is wanted.
        return self.operation()(*given, training=self.dropout > 0).o

    def differentiate(
        self, do: Tensor, q: Tensor, k: Tensor, v: Tensor, weights: Tensor, reserve: Tensor
    ) -> tuple[Tensor, ...]:
        """Return the gradients of queries, keys, values and weights."""
        given = self.arrange((do, q, k, v, weights))
        return self.operation().backward(*given, reserve)

    def reference(self, *given: Tensor) -> Results:
        raise errors.NotSupportedError(f"{self.word}: PyTorch has no such weights")

    def fake(
        self, q: Tensor, k: Tensor, v: Tensor, weights: Tensor | None, residual: Tensor | None
    ) -> Results:
        size = self.o_projection or self.heads * (self.v_projection or self.v_size)
        return q.new_empty((*q.shape[:2], size))

    def gradients(self, saved: Tensors, needs: Sequence[bool], grads: Tensors) -> Gradients:
        if is_grad_on():
            raise errors.NotSupportedError(f"{self.word}: there is no second derivative")
        if self.dropout:
            raise errors.NotSupportedError(f"{self.word}: dropout cannot be traced")
        found = self.parts[MultiHeadAttentionBackward](grads[0], *saved)
        wanted = [each if want else None for each, want in zip(found, needs[:4], strict=True)]
        return [*wanted, grads[0] if needs[4] else None]

    def own_gradients(self, saved: Tensors, needs: Sequence[bool], grads: Tensors) -> Gradients:
        raise errors.NotSupportedError(f"{self.word}: PyTorch has no such gradients")


class MultiHeadAttentionBackward(_MultiHead):
    """The layer of the gradients, which computes the attention once more."""

    by = ops.MultiHeadAttentionBackward
    takes = ("do", "q", "k", "v", "weights")
    gives = ("dq", "dk", "dv", "dweights")

    def compute(
        self, do: Tensor, q: Tensor, k: Tensor, v: Tensor, weights: Tensor | None
    ) -> Results:
        forward: Any = self.parts[MultiHeadAttention]
        _, reserve = forward.operation()(q, k, v, weights, None, training=True)
        dq, dk, dv, dweights = forward.differentiate(do, q, k, v, weights, reserve)
        return dq, dk, dv, q.new_empty(0) if dweights is None else dweights

    def reference(self, *given: Tensor) -> Results:
        raise errors.NotSupportedError(f"{self.word}: PyTorch has no such gradients")


def multi_head_attention(
    q: Tensor, k: Tensor, v: Tensor, weights: Tensor, heads: int, *, residual: Tensor | None = None,
    q_projection: int = 0, k_projection: int = 0, v_projection: int = 0, o_projection: int = 0,
    scale: float | None = None, dropout: float = 0.0, batch_first: bool = True,
    causal: bool = False, choose: Choose = None,
) -> Tensor:  # fmt: skip
    """Return attention with projections, by `cudnnMultiHeadAttnForward`.

    It is the sum over heads of Wo softmax(scale * (Wq q) (Wk k)') (Wv v), plus the residual.

    Args:
        q, k, v: (batch, time, size), or (time, batch, size) without `batch_first`; float16, float32
            or float64.
        weights: all matrices in one buffer, as `ops.MultiHeadAttention(...).parameters` has them,
            or None where nothing is projected.
        heads: the number of heads.
        residual: is added to the result, in its shape, which has to be that of `q`; or None.
        q_projection, k_projection, v_projection: the elements that a head projects them to; 0 for
            no projection.
        o_projection: the elements that the results of all heads are projected to, and summed; 0 to
            put them one after the other.
        scale: of the scores; 1 / sqrt(elements of a projected query) without it.
        dropout: the probability with which an element of softmax becomes zero. Calls with the same
            options share random numbers, which begin at a seed of PyTorch's generator on the CPU.
        batch_first: the order of axes.
        causal: whether a query sees no later keys.
        choose: the policy that picks the engine or algorithm; see `cudnn_cffi.choice`.

    Raises:
        ArgumentError: shapes, types or options do not fit.
        NotSupportedError: there is no second derivative, and no dropout in what is traced.
    """
    check_tensors(q=q, k=k, v=v)
    options = (
        int(heads), q.shape[-1], k.shape[-1], v.shape[-1], int(q_projection), int(k_projection),
        int(v_projection), int(o_projection), None if scale is None else float(scale),
        float(dropout), boolean(batch_first, "batch_first"), boolean(causal, "causal"),
    )  # fmt: skip
    layer = shared(MultiHeadAttention, *options, choose=choose)
    return layer(q, k, v, weights, residual)
