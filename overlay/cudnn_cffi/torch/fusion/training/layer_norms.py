"""Layer norm of the last axis in training, by kernels, where autocast would widen and narrow it.

PyTorch computes such a norm of 16 bits in float32, and layers after it cast that back; kernels read
and write 16 bits, and compute in float32 in between.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from ...._support.recent import Recent
from ...autograd.batches import one_by_one
from ...autograd.states import is_eager
from ...autograd.switches import autocast_type, is_enabled, is_grad_on
from ..kernels.compiled import NARROW, can_compile
from ..norms import Scale
from .norms import (
    OF_ROWS,
    SUMS,
    VECTOR,
    Kernels,
    Kind,
    are_float32,
    is_on_device,
    is_readable,
    packed,
    tiles_of,
)  # fmt: skip


class _LayerNorm(torch.autograd.Function):
    """Computes a layer norm of rows."""

    @staticmethod
    def forward(
        ctx: Any, own: Kernels, epsilon: float, x: Tensor, weight: Tensor, bias: Tensor | None
    ) -> Tensor:
        y = torch.empty_like(x)
        mean, inverse = x.new_empty((2, own.rows), dtype=torch.float32)
        numbers = epsilon, 0.0, 0.0
        own.run(OF_ROWS[:1], packed(
            own, numbers, 0, x=x, weight=weight, bias=bias, mean=mean, inverse=inverse, y=y
        ))  # fmt: skip
        ctx.own, ctx.numbers = own, numbers
        ctx.save_for_backward(x, weight, bias, mean, inverse)
        return y

    @staticmethod
    @one_by_one
    def backward(ctx: Any, dy: Tensor) -> tuple[Tensor | None, ...]:
        x, weight, bias, mean, inverse = ctx.saved_tensors
        own, needs = ctx.own, ctx.needs_input_grad[2:]
        if is_grad_on():  # they have gradients themselves, by PyTorch
            with torch.enable_grad():
                given = [each if each is None else each.view_as(each) for each in (x, weight, bias)]
                wide = [each if each is None else each.float() for each in given]
                y = functional.layer_norm(wide[0], weight.shape, *wide[1:], ctx.numbers[0])
                wanted = [each for each, need in zip(given, needs, strict=True) if need]
                found = iter(torch.autograd.grad(y.to(x.dtype), wanted, dy, create_graph=True))
            return None, None, *[next(found) if need else None for need in needs]
        # Hooks may have kept x elsewhere.
        x, dy = (
            each if _is_dense(each) else each.clone(memory_format=torch.contiguous_format)
            for each in (x, dy)
        )
        dx = torch.empty_like(x)
        dweight, dbias = (x.new_empty(own.channels, dtype=torch.float32) for _ in range(2))
        parts = x.new_empty(2 * own.pieces * own.channels, dtype=torch.float32)
        tickets = x.new_zeros(tiles_of(own.channels), dtype=torch.int32)
        names = (SUMS if needs[1] or needs[2] else "", OF_ROWS[1] if needs[0] else "")
        own.run(tuple(filter(None, names)), packed(
            own, ctx.numbers, tickets.data_ptr(), x=x, dy=dy, weight=weight, mean=mean,
            inverse=inverse, dweight=dweight, dbias=dbias, parts=parts, dx=dx,
        ))  # fmt: skip
        pairs = zip((dx, dweight, dbias), needs, strict=True)
        return None, None, *[each if need else None for each, need in pairs]


class RowNormalizing(nn.Module):
    """A layer norm of the last axis, whose result only layers read that autocast narrows."""

    def __init__(self, scale: Scale, instead: Callable[[Tensor], Tensor]) -> None:
        """Take the place of a norm.

        Args:
            scale: of the norm.
            instead: computes what the kernels do not take.
        """
        super().__init__()
        self.__dict__["scale"], self.__dict__["instead"] = scale, instead
        self._known: Recent[Any, Kernels] = Recent(32)

    def forward(self, x: Tensor) -> Tensor:
        scale: Scale = self.__dict__["scale"]
        weight, bias = scale.weight, scale.bias
        own = self._kernels(x) if _is_taken(x, weight, bias) else None
        y: Tensor = (
            self.__dict__["instead"](x)
            if own is None
            else _LayerNorm.apply(own, scale.epsilon, x, weight, bias)
        )
        return y

    def _kernels(self, x: Tensor) -> Kernels | None:
        """Return the kernels for a tensor; None while they may not run."""
        channels = x.shape[-1]
        key = x.device.index, x.dtype, x.numel() // channels, channels
        own = self._known.get(key)
        if own is None:
            kind = Kind(*key[:2], None, False, layers=True)
            own = self._known[key] = Kernels(kind, *key[2:])
        return own if own.may_run() else None


def _is_dense(x: Tensor) -> bool:
    """Return whether rows lie one after the other, where 16 bytes are read at once."""
    return is_readable(x) and x.is_contiguous()


def _is_taken(x: Tensor, weight: Tensor, bias: Tensor | None) -> bool:
    """Return whether the kernels may compute a norm of a tensor."""
    return (
        is_on_device(x)
        and is_eager(x)
        and is_enabled()
        and x.dtype in NARROW
        and autocast_type(x.device.type) == x.dtype
        and x.shape[-1:] == weight.shape
        and x.shape[-1] % VECTOR == 0
        and x.numel() > 0
        and _is_dense(x)
        and are_float32(x, weight, bias)
        and can_compile()
    )
