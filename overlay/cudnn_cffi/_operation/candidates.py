"""All ways to compute an operation, before anything runs."""

from __future__ import annotations

import sys
from inspect import signature

from .. import errors
from .._advice import advice
from .candidate_rows import Candidates
from .functions import FUNCTIONS
from .operation import CLASSES, Operation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .._ways.array_spec import Spec
    from .._ways.signatures import Array, Device, Handle, Out


def candidates(
    operation: Operation | Callable[..., object] | str,
    *arrays: Array | Spec | None,
    time: bool = False,
    gradients: bool = False,
    device: Device | None = None,
    handle: Handle | None = None,
    seconds: float = 30.0,
    out: Out = None,
    alpha: float = 1.0,
    beta: float = 0.0,
    **options: object,
) -> Candidates:
    """Return all ways to compute an operation on such arrays: every engine and classic algorithm.

    Nothing is run, unless `time` asks for it; nothing is compiled either.

    Args:
        operation: an operation; or its function, or the name of that, such as "convolution".
        arrays: the inputs in their order, or a `Spec` for each, with None for optional ones; they
            may come by their names instead.
        time: whether to time what is supported, and check its numbers.
        gradients: whether to list the gradients for data and filters too, of a convolution.
        device: properties of a device that need not be there; then classic algorithms, which need a
            GPU, are listed as not supported.
        handle: whose device and stream are used.
        seconds: how long to time each operation, at most.
        out, alpha, beta: as in a call.
        options: further keyword arguments of the call, and options of a named operation.

    Raises:
        ArgumentError: there is no such operation, or an array does not fit.
    """
    made, more = to_operation(operation, options, frozenset())
    return made.candidates(
        *arrays, time=time, gradients=gradients, device=device, handle=handle,
        seconds=seconds, out=out, alpha=alpha, beta=beta, **more,
    )  # fmt: skip


def to_operation(
    operation: Any, settings: dict[str, Any], own_settings: frozenset[str]
) -> tuple[Operation, dict[str, Any]]:
    """Return an operation that is given by itself, its function or name, and the other settings.

    Args:
        operation: as for `candidates`.
        settings: what was given by name; options of the operation are taken out of it.
        own_settings: names that are no options.

    Raises:
        ArgumentError: there is no such operation.
    """
    function = getattr(operation, "__name__", "")
    if getattr(sys.modules["cudnn_cffi.ops"], function, None) is operation and function:
        operation = function
    if isinstance(operation, str):
        made = FUNCTIONS.get(operation)
        cls = CLASSES.get(operation) if made is None else made.cls
        if cls is None:
            raise errors.ArgumentError(
                f"operation: there is no {operation!r}"
                f"{advice(operation, sys.modules['cudnn_cffi.ops'])}",
                hint=f"one of {', '.join(dict.fromkeys((*CLASSES, *FUNCTIONS)))}",
            )
        own = {name: settings.pop(name) for name in tuple(settings) if name not in own_settings}
        known = signature(cls).parameters
        taken = {*cls.takes, *signature(cls.__call__).parameters} - {*known, "self", "stream"}
        call = {name: own.pop(name) for name in tuple(own) if name in taken}
        operation = cls(**{**(made.fixed if made else {}), **own})
        settings |= call
    if not isinstance(operation, Operation):
        raise errors.ArgumentError(f"operation: expected an operation, got {operation!r}")
    return operation, settings
