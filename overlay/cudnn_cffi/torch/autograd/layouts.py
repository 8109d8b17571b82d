"""Layouts of tensors: without gaps, channels last or first, as another tensor has them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor
from torch.utils._pytree import tree_flatten, tree_leaves, tree_unflatten

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
    """Return PyTorch's format with channels last for a number of axes, or None."""
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


class Layout:
    """Strides of the tensors in a value, and which of them are memory of each other."""

    def __init__(self, like: object) -> None:
        """Look at a value, whose tensors need no memory; windows that overlap may lie anyhow."""
        self._lies: dict[int, tuple[tuple[int, ...], tuple[int, ...], int]] = {}
        together: dict[object, list[int]] = {}
        for place, each in enumerate(tree_leaves(like)):
            is_strided = isinstance(each, Tensor) and each.layout == torch.strided
            if is_strided and each.numel() and not _overlaps(each):
                own = tuple(each.shape), each.stride(), each.storage_offset()
                self._lies[place] = own
                bits = each.is_conj(), each.is_neg()  # memory has other elements with one of them
                key = each.untyped_storage()._cdata, each.dtype, *bits
                together.setdefault(key, []).append(place)
        self._together = {each: some for some in together.values() for each in some}
        self._single = self._lies.get(0) if isinstance(like, Tensor) else None

    def __call__(self, value: Any) -> Any:
        """Return a value with copies of tensors that lie otherwise."""
        if self._single is not None and isinstance(value, Tensor):
            return value if _lies(value, self._single) else self._copies([value], 0)[0]
        leaves, form = tree_flatten(value)
        for place in self._lies:
            if not _lies(leaves[place], self._lies[place]):
                for each, made in self._copies(leaves, place).items():
                    leaves[each] = made
        return tree_unflatten(leaves, form)

    def bound(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function of arguments that lie so; what it writes to copies is copied back."""

        def call(*args: Any, **kwargs: Any) -> Any:
            laid = self((args, kwargs))
            pairs = zip(tree_leaves((args, kwargs)), tree_leaves(laid), strict=True)
            copies = [(own, copy, copy._version) for own, copy in pairs if copy is not own]
            value = function(*laid[0], **laid[1])
            for own, copy, before in copies:
                if copy._version != before:
                    own.copy_(copy)
            return value

        return call

    def copied(self, value: Any, known: Mapping[int, Tensor]) -> Any:
        """Return copies of all tensors, which lie as these do; of some what is known, by place."""
        if self._single is not None and not known and is_dense(value):
            return value.clone()
        leaves, form = tree_flatten(value)
        made = dict(known)
        for place, each in enumerate(leaves):
            if place not in made and isinstance(each, Tensor):
                some = self._together.get(place, [])
                is_plain = not some or (len(some) == 1 and is_dense(each))
                made = ({place: each.clone()} if is_plain else self._copies(leaves, place)) | made
        return tree_unflatten([made.get(place, e) for place, e in enumerate(leaves)], form)

    def _copies(self, leaves: Sequence[Any], place: int) -> dict[int, Tensor]:
        """Return copies of a tensor and of those that have its memory, by their places."""
        some = self._together[place]
        begin = min(self._lies[each][2] for each in some)
        end = max(
            offset + sum((n - 1) * step for n, step in zip(shape, strides, strict=True))
            for shape, strides, offset in (self._lies[each] for each in some)
        )
        memory = leaves[place].new_empty(end + 1 - begin)
        found = {}
        for each in some:
            shape, strides, offset = self._lies[each]
            made = memory.as_strided(shape, strides, offset - begin)
            once = tuple([slice(n if step else 1) for n, step in zip(shape, strides, strict=True)])
            made[once] = leaves[each][once]  # what is repeated has one place
            found[each] = made
        return found


def _lies(value: Tensor, lie: tuple[tuple[int, ...], tuple[int, ...], int]) -> bool:
    """Return whether a tensor has strides, but for those of one element."""
    shape, strides, _ = lie
    found = value.stride()
    return found == strides or all(
        n == 1 or own == step for n, own, step in zip(shape, found, strides, strict=True)
    )


def _overlaps(value: Tensor) -> bool:
    """Return whether elements have the same memory, but for those that an axis repeats."""
    step = 1
    for stride, extent in sorted(zip(value.stride(), value.shape, strict=True)):
        if extent > 1 and stride:
            if stride < step:
                return True
            step = stride * (extent - 1) + step
    return False
