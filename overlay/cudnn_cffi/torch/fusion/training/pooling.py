"""Max pooling in training: the places of maxima are kept, and not searched for again."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.modules.utils import _pair

from ...._support.recent import Recent
from ....errata.record import ALIGNMENT
from ....graph import Graph
from ...autograd.layouts import is_last
from ...autograd.nodes import REFUSALS
from ...autograd.states import is_eager
from ...autograd.switches import is_enabled, is_grad_on

if TYPE_CHECKING:
    from ....plan import Plan

_TYPES = {torch.float16: "HALF", torch.bfloat16: "BFLOAT16", torch.float32: "FLOAT"}

#: Maximum positions of a window, whose numbers are kept as INT8.
_POSITIONS = 128


class _Plans(NamedTuple):
    """The plans of a pooling for images of a kind.

    Attributes:
        forward: of x, to y and index.
        backward: of dy and index, to dx.
        shape: of the result.
    """

    forward: Plan
    backward: Plan
    shape: tuple[int, ...]


def _make(x: Tensor, window: Any, stride: Any, padding: Any) -> _Plans:
    """Return the plans for images like one.

    Raises:
        NotSupportedError: cuDNN has no engines for them.
    """
    kind: Any = _TYPES[x.dtype]
    options: Any = {"window": window, "stride": stride, "padding": padding}
    made = Graph(io_data_type=kind)
    y, index = made.resample(
        made.tensor(tuple(x.shape), layout="NHWC", name="x"), "MAXPOOL", index=True, **options
    )
    made.output(y, name="y")
    made.output(index, name="index")
    other = Graph(io_data_type=kind)
    dx = other.resample_backward(
        other.tensor(y.shape, layout="NHWC", name="dy"), "MAXPOOL", shape=tuple(x.shape),
        index=other.tensor(y.shape, "INT8", layout="NHWC", name="index"), **options,
    )  # fmt: skip
    other.output(dx, name="dx")
    return _Plans(made.build(), other.build(), y.shape)


class _Pooling(torch.autograd.Function):
    """Pools, and keeps the places of maxima."""

    @staticmethod
    def forward(ctx: Any, plans: _Plans, module: nn.Module, x: Tensor) -> Tensor:
        # Numbers win over NaN here, so that these maxima are of no use: only their places are.
        maxima, index = (
            torch.empty(plans.shape, dtype=kind, device=x.device, memory_format=torch.channels_last)
            for kind in (x.dtype, torch.int8)
        )
        plans.forward(x=x, y=maxima, index=index)
        ctx.plans, ctx.module = plans, module
        ctx.save_for_backward(x, index)
        found: Tensor = module(x)
        return found

    @staticmethod
    def backward(ctx: Any, dy: Tensor) -> tuple[Tensor | None, ...]:
        x, index = ctx.saved_tensors
        if is_grad_on():  # it has a gradient itself, by PyTorch
            with torch.enable_grad():
                again = x.view_as(x)
                (found,) = torch.autograd.grad(ctx.module(again), again, dy, create_graph=True)
            return None, None, found
        dx = torch.empty_like(x, memory_format=torch.channels_last)
        dy = dy.contiguous(memory_format=torch.channels_last)
        dy = dy.clone() if dy.data_ptr() % ALIGNMENT else dy
        ctx.plans.backward(dy=dy, index=index, dx=dx)
        return None, None, dx


class MaxPooling(nn.Module):
    """`MaxPool2d` for training; what cuDNN does not take goes to a module of PyTorch.

    The largest number of a window has its gradient, also beside a NaN. A window of NaN, or of -inf
    and the lowest finite number, has one anywhere in it, or none: see the erratum
    `pooling-index-lowest`.
    """

    def __init__(self, module: Any) -> None:
        super().__init__()
        self.__dict__["module"] = module
        self._plans: Recent[Any, _Plans | None] = Recent(32)

    def forward(self, x: Tensor) -> Tensor:
        own = self.__dict__["module"]
        plans = self._plans_for(x) if _is_taken(x) else None
        found: Tensor = own(x) if plans is None else _Pooling.apply(plans, own, x)
        return found

    def _plans_for(self, x: Tensor) -> _Plans | None:
        own = self.__dict__["module"]
        options = tuple(map(_pair, (own.kernel_size, own.stride, own.padding)))
        key = x.shape, x.dtype, x.device, options
        found: Any = self._plans.get(key, False)
        if found is False:
            if torch.cuda.is_current_stream_capturing():
                return None
            try:
                found = _make(x, *options)
            except REFUSALS:
                found = None
            self._plans[key] = found
        known: _Plans | None = found
        return known


def _is_taken(x: Tensor) -> bool:
    """Return whether cuDNN may pool an image, and its gradient is wanted."""
    return (
        is_grad_on()
        and x.requires_grad
        and x.is_cuda
        and is_eager(x)
        and is_enabled()
        and x.dtype in _TYPES
        and x.dim() == 4
        and x.numel() > 0
        and is_last(x)
        and x.is_contiguous(memory_format=torch.channels_last)
        and x.data_ptr() % ALIGNMENT == 0
    )


def is_pooling(module: Any) -> bool:
    """Return whether a module is a max pooling whose windows lie inside, without gaps."""
    if not isinstance(module, nn.MaxPool2d) or module.return_indices or module.ceil_mode:
        return False
    window, dilation = _pair(module.kernel_size), _pair(module.dilation)
    return bool(math.prod(window) <= _POSITIONS and dilation == (1, 1))
