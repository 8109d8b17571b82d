"""Convolutions whose gradient is added to that of another user of their input."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from ....choice.policy import open_policy, reopen
from ...autograd.batches import is_one_of_many, one_by_one
from ...autograd.nodes import REFUSALS
from ...autograd.states import is_eager
from ...autograd.switches import is_grad_on
from .norms import NODE


class _Passing(torch.autograd.Function):
    """Convolves, and returns the input, too: it gets the gradient of the input's other user."""

    @staticmethod
    def forward(
        ctx: Any, layer: Any, x: Tensor, weight: Tensor, bias: Tensor | None
    ) -> tuple[Tensor, Tensor]:
        ctx.layer, ctx.scope = layer, open_policy()
        ctx.is_fresh = False
        ctx.save_for_backward(x, weight)
        ctx.set_materialize_grads(False)
        return layer(x, weight, bias), x.view_as(x)

    @staticmethod
    @one_by_one
    def backward(ctx: Any, dy: Tensor | None, other: Tensor | None) -> tuple[Tensor | None, ...]:
        needs = ctx.needs_input_grad[1:]
        if dy is None:
            return None, other, None, None
        saved = ctx.saved_tensors
        with reopen(ctx.scope):
            if other is None or not needs[0]:
                return None, *ctx.layer.backward(saved, needs, (dy,))
            _, *rest = ctx.layer.backward(saved, (False, *needs[1:]), (dy,))
            # One of many gradients may have the other one in common with them.
            may_overwrite = ctx.is_fresh and not is_one_of_many()
            dx = _added(ctx.layer, saved, dy, other) if may_overwrite else None
            if dx is None:
                dx = ctx.layer.backward(saved, (True, False, False), (dy,))[0] + other
        return None, dx, *rest


def _added(layer: Any, saved: tuple[Tensor, ...], dy: Tensor, other: Tensor) -> Tensor | None:
    """Return the gradient for the input, added in the memory of another one; None if refused."""
    x, weight = saved
    if is_grad_on() or other.dtype != dy.dtype or not is_eager(dy):
        return None
    try:
        backward, _ = layer.steps[0]  # the layer of the gradient for the input
        operation = layer.parts[backward].operation()
        found: Tensor = operation(dy, weight, x.shape, out=other, beta=1.0)
        return found
    except REFUSALS:
        return None


class Passing(nn.Module):
    """A convolution of parameters that were prepared, which returns its input, too."""

    def __init__(self, layer: Any) -> None:
        super().__init__()
        self.__dict__["layer"] = layer

    def forward(
        self, x: Tensor, weight: Tensor, bias: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        own = self.__dict__["layer"]
        layer = own._layer or own._new_layer()
        plain = x.is_cuda and x.dtype == weight.dtype and x.requires_grad and is_eager(x)
        if plain and is_grad_on():
            found: tuple[Tensor, Tensor] = _Passing.apply(layer, x, weight, bias)
            return found
        return layer(x, weight, bias), x


class Following(nn.Module):
    """The other user of what `Passing` returns: a convolution, or a norm with a residual.

    The gradient that it computes by cuDNN is new memory, which may get the sum. A gradient that
    PyTorch computes may be shared: an addition passes the same tensor to both of its inputs.
    """

    def __init__(self, inner: nn.Module, place: int) -> None:
        """Wrap a module.

        Args:
            inner: the module.
            place: of the argument that `Passing` returned.
        """
        super().__init__()
        self.__dict__["inner"], self.__dict__["place"] = inner, place

    def forward(self, *given: Tensor) -> Tensor:
        found: Tensor = self.__dict__["inner"](*given)
        before, after = given[self.__dict__["place"]].grad_fn, found.grad_fn
        if isinstance(before, _PASSING) and after is not None:
            is_norm = isinstance(after, NODE)
            before.is_fresh = after.is_fresh if is_norm else after.name() in _OURS
        return found


_PASSING: Any = _Passing._backward_cls

#: Nodes of autograd of this package's layers: a convolution, and a norm with a residual.
_OURS = frozenset({"CudnnConvolutionBackward", "CudnnBatchNormActivationBackward"})
