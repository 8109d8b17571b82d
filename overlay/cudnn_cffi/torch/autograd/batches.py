"""Gradients of many results at once, as `torch.autograd.grad` computes with `is_grads_batched`.

Nodes get tensors there that stand for many: they have no memory, and know few operations. Gradients
are computed for one after the other.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

import torch
from torch import Tensor

__all__ = ["is_one_of_many", "one_by_one"]

_stands_for_many: Callable[[Tensor], bool] = torch._C._functorch.is_legacy_batchedtensor

#: The deepest nesting that PyTorch has.
_DEEPEST = 64

_here = threading.local()


def is_one_of_many() -> bool:
    """Return whether this thread computes one gradient of many, of which others may follow."""
    return getattr(_here, "many", False)


def one_by_one(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that computes gradients, also of tensors that stand for many.

    Args:
        function: takes gradients, and before them what may have tensors in it; returns a gradient,
            or several, of which some are None.
    """

    @wraps(function)
    def compute(*given: Any) -> Any:
        many = next((e for e in given if isinstance(e, Tensor) and _stands_for_many(e)), None)
        if many is None:
            return function(*given)
        level, count = _level_of(many)
        before, _here.many = is_one_of_many(), True
        try:
            rows = [function(*[_row(e, level, at) for e in given]) for at in range(count)]
        finally:
            _here.many = before
        if isinstance(rows[0], Tensor):
            return _together(rows, level)
        return tuple([_together(each, level) for each in zip(*rows, strict=True)])

    return compute


def _level_of(many: Tensor) -> tuple[int, int]:
    """Return a level of a tensor that stands for many, and how many these are."""
    for level in range(1, _DEEPEST + 1):
        count = len(torch._remove_batch_dim(many, level, 0, 0))  # 0 where it has no such level
        if count:
            return level, count
    raise ValueError("expected a gradient, or more, of each result, got none")


def _row(given: Any, level: int, at: int) -> Any:
    """Return one of many that a tensor stands for; anything else as it is."""
    if not isinstance(given, Tensor) or not _stands_for_many(given):
        return given
    all_of_them = torch._remove_batch_dim(given, level, 0, 0)
    return all_of_them[at] if len(all_of_them) else given


def _together(rows: Sequence[Tensor | None], level: int) -> Tensor | None:
    """Return a tensor that stands for these; None for none."""
    own = [each for each in rows if each is not None]
    return torch._add_batch_dim(torch.stack(own), 0, level) if own else None
