"""Layouts of tensors: without gaps, channels last or first, as another tensor has them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor

__all__ = [
    "are_last",
    "copier",
    "dense",
    "empty",
    "formatted",
    "has_last_strides",
    "is_dense",
    "is_last",
    "last_format",
    "layouts_differ",
    "like_image",
    "matched",
    "settled",
]

_PLAIN = (torch.Tensor, torch.nn.Parameter)


def is_dense(x: Tensor) -> bool:
    """Return whether each element between the first and the last belongs to the tensor."""
    step = 1
    for stride, extent in sorted(zip(x.stride(), x.shape, strict=True)):
        if extent > 1:
            if stride != step:
                return False
            step *= extent
    return True


def dense(x: Tensor) -> Tensor:
    """Return the tensor without gaps."""
    return x if x.is_contiguous() or is_dense(x) else x.contiguous()


def settled(x: Any) -> Any:
    """Return a tensor whose memory has its elements, without gaps; what is no tensor as it is."""
    if not isinstance(x, Tensor):
        return x
    x = x.resolve_conj().resolve_neg()
    return x if is_dense(x) else x.contiguous()


def copier(x: Tensor, copy: Tensor) -> Callable[[Tensor], Tensor] | None:
    """Return what makes such copies of such tensors, or None where they are no mere copies."""
    if type(x) not in _PLAIN or x.shape != copy.shape or x.dtype != copy.dtype:
        return None
    for form in (torch.contiguous_format, last_format(x.dim())):
        if form is not None and copy.is_contiguous(memory_format=form):
            return _COPIERS[form]
    return partial(_copied, copy.stride())


def _copied(strides: tuple[int, ...], x: Tensor) -> Tensor:
    return x.new_empty_strided(x.shape, strides).copy_(x)


#: The function that brings a tensor into a format, without a Python frame.
_COPIERS = {
    each: partial(torch.Tensor.contiguous, memory_format=each)
    for each in (torch.contiguous_format, torch.channels_last, torch.channels_last_3d)
}


def matched(x: Tensor, like: Tensor) -> Tensor:
    """Return the tensor with the strides of another one of its shape."""
    if x.stride() == like.stride():
        return x
    return torch.empty_like(like, dtype=x.dtype).copy_(x)


def is_last(x: Tensor) -> bool:
    """Return whether a tensor has its channels last, and could not be said to have them first.

    It may have gaps: some of the channels of a tensor with channels last have them last, too, as
    PyTorch sees it. Networks that split channels would change their layout there otherwise.
    """
    form = last_format(x.dim())
    if form is None or x.is_contiguous():
        return False
    if x.is_contiguous(memory_format=form):
        return True
    return layouts_differ(x) and has_last_strides(x)


def are_last(x: Tensor, other: Tensor) -> bool:
    """Return whether a convolution of two has channels last; either decides, as in PyTorch."""
    if last_format(x.dim()) is None:
        return False
    return is_last(x) or is_last(other) or (layouts_differ(x) and has_last_strides(other))


def layouts_differ(x: Tensor) -> bool:
    """Return whether channels first and channels last are two layouts for a shape."""
    return bool(x.shape[1] > 1 and math.prod(x.shape[2:]) > 1)


def has_last_strides(x: Tensor) -> bool:
    """Return whether the strides are those of channels last, perhaps with gaps.

    Filters of 1x1, or of one channel, have both layouts; PyTorch goes by their strides.
    """
    strides, shape = x.stride(), x.shape
    least = strides[1] * shape[1]
    if not least:
        return False
    for axis in range(len(shape) - 1, 1, -1):
        if strides[axis] < least:
            return False
        least = strides[axis] * shape[axis]
    return bool(strides[1] != least <= strides[0])


def last_format(axes: int) -> torch.memory_format | None:
    """Return PyTorch's format with channels last for tensors with so many axes, or None."""
    return {4: torch.channels_last, 5: torch.channels_last_3d}.get(axes)


def formatted(x: Tensor, last: bool) -> Tensor:
    """Return a tensor without gaps, channels last or first; the same one where it is so."""
    form = last_format(x.dim()) if last else None
    return x.contiguous() if form is None else x.contiguous(memory_format=form)


def empty(like: Tensor, shape: Sequence[int], last: bool) -> Tensor:
    """Return a new tensor of the type and on the device of another one."""
    form = last_format(len(shape)) if last else None
    return torch.empty(
        shape, dtype=like.dtype, device=like.device,
        memory_format=torch.contiguous_format if form is None else form,
    )  # fmt: skip


def like_image(x: Tensor) -> Tensor:
    """Return a new tensor like an image: with channels last where that has them so."""
    return empty(x, x.shape, is_last(x))


def order_of(value: object) -> tuple[int, ...] | None:
    """Return the axes of a tensor, the outermost first; None if it has gaps, or is no tensor."""
    if not isinstance(value, Tensor):
        return None
    shape, strides = _numbers(value.shape), _numbers(value.stride())
    if shape is None or strides is None or 0 in shape:
        return None
    axes = sorted(range(len(shape)), key=lambda axis: (-strides[axis], -shape[axis], axis))
    step = 1
    for axis in reversed(axes):
        if shape[axis] != 1 and strides[axis] != step:
            return None
        step *= shape[axis]
    return tuple(axes)


def _numbers(values: Sequence[Any]) -> list[int] | None:
    """Return numbers, for symbols those that they were made of."""
    found = [each if isinstance(each, int) else each.node.hint for each in values]
    return None if None in found else [int(each) for each in found]


def ordered(value: Any, order: tuple[int, ...] | None) -> Any:
    """Return a tensor, copied if its axes lie in another order; anything else as it is."""
    if order is None or not isinstance(value, Tensor):
        return value
    lying = value.permute(order)
    if lying.is_contiguous():
        return value
    back = sorted(range(len(order)), key=order.__getitem__)
    return lying.contiguous().permute(back)
