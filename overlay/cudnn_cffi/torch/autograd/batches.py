"""Gradients of many results at once: `is_grads_batched`, and `torch.func.vmap` of gradients.

Nodes get tensors there that stand for many: they have no memory, and know few operations. Gradients
are computed for one after the other.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cached_property, wraps
from typing import Any

import torch
from torch import Tensor
from torch._functorch.pyfunctorch import coerce_cinterpreter
from torch.autograd.function import FunctionCtx

_functorch = torch._C._functorch
_transforms: Callable[[], bool] = torch._C._are_functorch_transforms_active
_is_legacy: Callable[[Tensor], bool] = _functorch.is_legacy_batchedtensor
_is_batched: Callable[[Tensor], bool] = _functorch.is_batchedtensor

#: The deepest nesting that PyTorch has.
_DEEPEST = 64

_here = threading.local()


def is_one_of_many() -> bool:
    """Return whether this thread computes one gradient of many, of which others may follow."""
    return getattr(_here, "many", False)


def one_by_one(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that computes gradients, also of tensors that stand for many.

    Args:
        function: takes gradients, and before them what may have tensors in it, or the context of
            an autograd function; returns a gradient, or several, of which some are None.
    """

    @wraps(function)
    def compute(*given: Any) -> Any:
        many = [each for each in given if isinstance(each, Tensor) and _stands_for_many(each)]
        if not many:
            return function(*given)
        own = torch if _is_legacy(many[0]) else _functorch
        level, count = _level_of(own, many)
        first = _Context(given[0]) if isinstance(given[0], FunctionCtx) else given[0]
        given = first, *given[1:]
        before, _here.many = is_one_of_many(), True
        try:
            with _below(own, level):
                # A tensor may stand for many of many.
                rows = [compute(*[_row(own, e, level, at) for e in given]) for at in range(count)]
        finally:
            _here.many = before
        if isinstance(rows[0], Tensor):
            return _together(own, rows, level)
        return tuple([_together(own, each, level) for each in zip(*rows, strict=True)])

    return compute


class _Context:
    """The context of an autograd function. Its tensors are unpacked once: hooks may refuse more."""

    def __init__(self, ctx: Any) -> None:
        self._ctx = ctx

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ctx, name)

    @cached_property
    def saved_tensors(self) -> tuple[Tensor | None, ...]:
        return self._ctx.saved_tensors


def _stands_for_many(given: Tensor) -> bool:
    return _is_legacy(given) or (_transforms() and _is_batched(given))


def _level_of(own: Any, many: Sequence[Tensor]) -> tuple[int, int]:
    """Return the innermost level of tensors that stand for many, and how many these are.

    Args:
        own: the module with the functions for such tensors.
        many: the tensors, which may be of several levels.
    """
    levels: Sequence[int] = range(1, _DEEPEST + 1)
    first = many[0]
    if own is _functorch:
        first = max(many, key=_functorch.maybe_get_level)
        levels = [_functorch.maybe_get_level(first)]
    for level in levels:
        count = len(own._remove_batch_dim(first, level, 0, 0))  # 0 where it has no such level
        if count:
            return level, count
    raise ValueError("expected a gradient, or more, of each result, got none")


@contextmanager
def _below(own: Any, level: int) -> Iterator[None]:
    """Leave a transform of `torch.func`, and those inside it, in a `with` block."""
    with ExitStack() as stack:
        while own is _functorch and (top := _functorch.peek_interpreter_stack()) is not None:
            if top.level() < level:
                break
            stack.enter_context(coerce_cinterpreter(top).lower())
        yield


def _row(own: Any, given: Any, level: int, at: int) -> Any:
    """Return one of many that a tensor stands for; anything else as it is."""
    is_many = _is_batched if own is _functorch else _is_legacy
    if not isinstance(given, Tensor) or not is_many(given):
        return given
    if own is _functorch and _functorch.maybe_get_level(given) != level:
        return given
    all_of_them = own._remove_batch_dim(given, level, 0, 0)
    return all_of_them[at] if len(all_of_them) else given


def _together(own: Any, rows: Sequence[Tensor | None], level: int) -> Tensor | None:
    """Return a tensor that stands for these; None for none."""
    some = [each for each in rows if each is not None]
    return own._add_batch_dim(torch.stack(some), 0, level) if some else None
