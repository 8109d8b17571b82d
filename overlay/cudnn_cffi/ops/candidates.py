"""All ways to compute an operation, before anything runs."""

from __future__ import annotations

from typing import Any

from .. import errors
from .listing import Candidates, find
from .operation import OPERATIONS, Operation


def candidates(operation: Any, *arrays: Any, **settings: Any) -> Candidates:
    """Return all ways to compute an operation on such arrays: every engine and classic algorithm.

    Nothing is run, unless `time` asks for it; nothing is compiled either.

    Args:
        operation: an operation, or the name of its function, such as "convolution", whose options
            are then among `settings`.
        arrays: the inputs in their order, or a `Spec` for each, with None for optional ones.
        settings:
            `time`: whether to time what is supported, and check its numbers.
            `gradients`: whether to list the gradients for data and filters too, of a convolution.
            `device`: properties of a device that need not be there; then classic algorithms, which
            need a GPU, are listed as not supported.
            `handle`: whose device and stream are used.
            `seconds`: how long to time each operation, at most.
            `out`, `alpha`, `beta`, and what the call takes otherwise, as in a call.

    Raises:
        ArgumentError: there is no such operation, or an array does not fit.
    """
    if isinstance(operation, str):
        cls = OPERATIONS.get(operation)
        if cls is None:
            raise errors.ArgumentError(
                f"operation: {operation!r} is unknown", hint=f"one of {', '.join(OPERATIONS)}"
            )
        own = {name: settings.pop(name) for name in tuple(settings) if name not in _SETTINGS}
        call = {name: own.pop(name) for name in ("shape",) if name in own}
        operation = cls(**own)
        settings |= call
    if not isinstance(operation, Operation):
        raise errors.ArgumentError(f"operation: an operation was expected, {operation!r} came")
    return find(operation, arrays, **settings)


_SETTINGS = frozenset({"time", "gradients", "device", "handle", "seconds", "out", "alpha", "beta"})
