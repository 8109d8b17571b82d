"""Max pooling in training: the places of maxima are kept, and not searched for again."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.modules.utils import _pair

from ...autograd.batches import one_by_one
from ...autograd.layouts import is_last
from ...autograd.states import is_eager
from ...autograd.switches import is_enabled, is_grad_on
from ..kernels.compiled import can_compile
from ..kernels.rows import pooled_shape, run_pool
from .norms import is_on_device

_TYPES = frozenset({torch.float16, torch.bfloat16, torch.float32})


class _Windows(NamedTuple):
    """The options of a pooling, along both axes."""

    window: tuple[int, int]
    stride: tuple[int, int]
    padding: tuple[int, int]

    def run(self, name: str, x: Tensor, y: Tensor, places: Tensor) -> None:
        """Pool, or compute the gradient; see `run_pool`."""
        run_pool(name, x, y, places, self.window, (self.stride, self.padding, (1, 1)))

    def shape(self, *shape: int) -> tuple[int, ...] | None:
        """Return the shape of the result; None where the kernels do not take it."""
        return pooled_shape(shape, *self, (1, 1))


class _Pooling(torch.autograd.Function):
    """Pools, and keeps the places of maxima."""

    @staticmethod
    def forward(
        ctx: Any, windows: _Windows, shape: tuple[int, ...], module: nn.Module, x: Tensor
    ) -> Tensor:
        y, places = (
            torch.empty(shape, dtype=kind, device=x.device, memory_format=torch.channels_last)
            for kind in (x.dtype, torch.uint8)
        )
        windows.run("pool", x, y, places)
        ctx.windows, ctx.module = windows, module
        ctx.save_for_backward(x, places)
        return y

    @staticmethod
    @one_by_one
    def backward(ctx: Any, dy: Tensor) -> tuple[Tensor | None, ...]:
        x, places = ctx.saved_tensors
        if is_grad_on():  # it has a gradient itself, by PyTorch
            with torch.enable_grad():
                again = x.view_as(x)
                (found,) = torch.autograd.grad(ctx.module(again), again, dy, create_graph=True)
            return None, None, None, found
        last = torch.channels_last
        dx = torch.empty_like(x, memory_format=last)
        dy = dy.resolve_neg().contiguous(memory_format=last)
        places = places.contiguous(memory_format=last)  # hooks may have kept them elsewhere
        ctx.windows.run("pool_gradient", dx, dy, places)
        return None, None, None, dx


class MaxPooling(nn.Module):
    """`MaxPool2d` for training; PyTorch computes what the kernels do not take."""

    def __init__(self, module: Any) -> None:
        super().__init__()
        self.__dict__["module"] = module
        self.__dict__["windows"] = _windows_of(module)

    def forward(self, x: Tensor) -> Tensor:
        own, windows = self.__dict__["module"], self.__dict__["windows"]
        shape = windows.shape(*x.shape) if _is_taken(x) else None
        found: Tensor = own(x) if shape is None else _Pooling.apply(windows, shape, own, x)
        return found


def _windows_of(module: Any) -> _Windows:
    return _Windows(*map(_pair, (module.kernel_size, module.stride, module.padding)))


def _is_taken(x: Tensor) -> bool:
    """Return whether kernels may pool an image, and its gradient is wanted."""
    return (
        is_grad_on()
        and x.requires_grad
        and is_on_device(x)
        and is_eager(x)
        and is_enabled()
        and x.dtype in _TYPES
        and x.dim() == 4
        and x.numel() > 0
        and is_last(x)
        and not x.is_neg()
        and x.is_contiguous(memory_format=torch.channels_last)
        and can_compile()
    )


def is_pooling(module: Any) -> bool:
    """Return whether a module is a max pooling whose windows lie inside, without gaps."""
    if not isinstance(module, nn.MaxPool2d) or module.return_indices or module.ceil_mode:
        return False
    windows = _windows_of(module)
    return _pair(module.dilation) == (1, 1) and windows.shape(1, 1, *windows.window) is not None
