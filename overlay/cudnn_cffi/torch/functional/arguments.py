"""Read and check the arguments of functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias

import torch

from ... import errors

#: A number for all dimensions, or one for each.
Sizes: TypeAlias = int | Sequence[int]
Padding: TypeAlias = Sizes | Literal["valid", "same"]


def check_tensors(**tensors: object) -> None:
    """Refuse what is no tensor on a GPU.

    Raises:
        ArgumentError: one is something else, or elsewhere.
    """
    for name, each in tensors.items():
        if not isinstance(each, torch.Tensor):
            raise errors.ArgumentError(f"{name}: expected a tensor, got {type(each).__name__}")
        if not each.is_cuda:
            raise errors.ArgumentError(
                f"{name}: expected a tensor on a GPU, got one on {each.device}",
                hint="modules of cudnn_cffi.torch compute others by PyTorch",
            )


def only(wanted: object, **options: object) -> None:
    """Refuse options with another value than the one that cuDNN has.

    Raises:
        NotSupportedError: one has another.
    """
    for name, value in options.items():
        if value != wanted:
            raise errors.NotSupportedError(
                f"{name}: expected {wanted!r}, got {value!r}",
                hint="PyTorch's own function takes others",
            )


def numbers(value: Sizes, count: int, name: str) -> tuple[int, ...]:
    """Return a number for each dimension.

    Raises:
        ArgumentError: there are more or fewer.
    """
    if isinstance(value, int):
        return (value,) * count
    found = tuple(value)
    if len(found) == 1:
        return found * count
    if len(found) != count:
        raise errors.ArgumentError(f"{name}: expected {count} numbers, got {value!r}")
    return found


def name_for_axes(function: Callable[..., object], name: str, count: int) -> None:
    """Name one function for a number of spatial axes, also in its docstring."""
    function.__name__ = function.__qualname__ = name
    axes = "1 spatial axis" if count == 1 else f"{count} spatial axes"
    function.__doc__ = (function.__doc__ or "").format(axes=axes)


def same_padding(kernel: Sequence[int], dilation: Sequence[int]) -> tuple[int, ...]:
    """Return the padding with which the result has the extents of the input."""
    total = [step * (extent - 1) for extent, step in zip(kernel, dilation, strict=True)]
    if all(each % 2 == 0 for each in total):
        return tuple(each // 2 for each in total)
    return tuple(part for each in total for part in (each // 2, each - each // 2))
