"""Gradients that have no gradients themselves."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from ... import errors
from .switches import is_grad_on


def once(what: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator of a function for gradients, which refuses to compute differentiable ones.

    PyTorch's `once_differentiable` returns constants where it is given constants: a penalty of
    gradients would lose its part without a word.

    Args:
        what: has such gradients, for the error.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def compute(*given: Any) -> Any:
            if is_grad_on():
                raise errors.NotSupportedError(
                    f"{what}: cuDNN has no second derivative, which create_graph=True asks for",
                    hint="have PyTorch compute the call, without cuDNN",
                )
            return function(*given)

        return compute

    return decorate
