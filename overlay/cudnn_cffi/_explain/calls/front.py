"""`ops.explain`: the nearest call of an operation that is supported."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ... import errors, handles
from ..._operation.candidates import to_operation
from ..._operation.searched import Call
from ..._ways.array_spec import Spec
from ...choice import DeviceProperties
from ..result import SECONDS

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..._operation.operation import Operation
    from ..._ways.signatures import Array, Device, Handle
    from ..result import Explanation


def explain(
    operation: Operation | Callable[..., object] | str,
    *arrays: Array | Spec | None,
    device: Device | None = None,
    handle: Handle | None = None,
    seconds: float = SECONDS,
    **settings: object,
) -> Explanation:
    """Return the nearest call of an operation that is supported, found by small changes.

    Nothing is run. Each answer was built, for the same device unless it names another.

    Args:
        operation: an operation; or its function, or the name of that, such as "convolution", whose
            options are then among `settings`.
        arrays: the inputs in their order, or a `Spec` for each, with None for optional ones; they
            may come by their names instead.
        device: properties of a device that need not be there; then classic functions, which need a
            GPU, are left out.
        handle: whose device is asked.
        seconds: how long to search; a build that has begun is not stopped.
        settings: further keyword arguments, as in a call.

    Returns: an `Explanation`, whose `graph` is the supported `Call`, with a `Spec` for each array.

    Raises:
        ArgumentError: there is no such operation, argument or device, or `seconds` is negative.
        NotInitializedError: there is neither a GPU nor `device`.
        SublibraryError: a library is missing, without which nothing can be built.
    """
    if not isinstance(seconds, (int, float)) or not seconds >= 0:
        raise errors.ArgumentError(f"seconds: expected a number from 0 on, got {seconds!r}")
    from .nearest import explain_call

    made, call = to_operation(operation, settings, _SETTINGS)
    start = _to_call(made, arrays, call)
    properties = None if device is None else DeviceProperties.of(device)
    if properties is None and handle is None:
        handle = handles.handle(next(iter(start.arrays.values())).device)
    with errors.quiet():
        return explain_call(start, handle, properties, seconds)


_SETTINGS = frozenset({"alpha", "beta", "out", "choose"})


def _to_call(made: Operation, given: tuple[Any, ...], call: dict[str, Any]) -> Call:
    if len(given) > len(made.takes):
        raise errors.ArgumentError(
            f"{made.word}: expected at most {len(made.takes)} arrays, got {len(given)}",
            hint=f"in order: {', '.join(made.takes)}",
        )
    named = dict(zip(made.takes, given, strict=False))
    named |= {name: call.pop(name) for name in made.takes if name in call}
    specs = {name: Spec.of(each, name) for name, each in named.items() if each is not None}
    if not specs:
        raise errors.ArgumentError(f"{made.word}: expected an array or a Spec, got none")
    return Call(type(made), dict(made.options), specs, call)
