"""The arguments of a call, and the execution of a way on its arrays."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import driver, errors, handles
from .._ways.case import BEFORE, Case, Unfit, Way
from .._ways.classic_call import Classic
from ..driver import captures
from . import recording

if TYPE_CHECKING:
    from .._ways.array_spec import Spec
    from .way_search import Finding


class Arguments(NamedTuple):
    """The arguments of a call.

    Attributes:
        named: the inputs, by name.
        outs: the outputs, in their order; None for those to be made.
        specs: what the inputs are.
        more: handle and stream, if they were given.
    """

    named: Mapping[str, Any]
    outs: tuple[Any, ...]
    specs: Mapping[str, Spec]
    more: Mapping[str, Any]


def launch(operation: Finding, way: Way, call: Arguments) -> Any:
    """Run a way on the arrays of a call."""
    given, filled = _named_for(operation, way, call)
    if recording.watchers:
        before = given.pop(BEFORE, None)
        more = dict(call.more) if before is None else {**call.more, BEFORE: before}
        return recording.run(operation, way, call.specs, given, filled, more)
    return way(**given, **filled, **call.more)


def _named_for(
    operation: Finding, way: Way, call: Arguments
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the inputs and the given outputs of a call of a way, by name."""
    names = [each.name for each in way.inputs]
    given = {name: call.named[name] for name in names if name in call.named}
    outs = zip(operation.gives, call.outs, strict=False)
    filled = {name: array for name, array in outs if array is not None}
    if BEFORE in names:
        given[BEFORE] = next(iter(filled.values()))
    return given, filled


def launch_first(operation: Finding, way: Way, case: Case, call: Arguments) -> Any:
    """Run a way that has not run yet.

    Raises:
        Unfit: it could not be launched, and has changed nothing.
    """
    has_begun = False
    try:
        if isinstance(way, Classic):
            given, filled = _named_for(operation, way, call)
            updated = [name for name in operation.updates if name in given]
            if filled or updated:
                always = case.beta != 0.0 or bool(updated)
                way.rehearse({**given, **filled, **call.more}, [*filled, *updated], always)
            has_begun = len(way.steps) != 1 and case.beta != 0.0
        return launch(operation, way, call)
    except errors.ExecutionFailedError as error:
        if has_begun or not _is_usable(operation.device_of(case)):
            raise
        raise Unfit(
            f"{operation.word}: {error.message}", function=error.function, status=error.status,
            status_name=error.status_name, text=error.text, library=error.library,
            version=error.version, tables=error.tables,
        ) from None  # fmt: skip


def _is_usable(device: int | None) -> bool:
    """Return whether the context of a device still works after a call that failed.

    A kernel that reads an address that it must not ends the context, which all later calls tell.
    """
    if captures.is_any_captured():
        return False  # nothing may wait for the device
    try:
        with handles.handle(device)._current():
            driver.synchronize_context()
    except errors.CudnnError:
        return False
    return True


class _AskedError(Exception):
    """Carries the arguments out of a call that is only asked about."""


def arguments_of(
    operation: Finding,
    run: Callable[..., object],
    arrays: Sequence[object],
    call: Mapping[str, Any],
) -> dict[str, Any]:  # fmt: skip
    """Return the arguments that a call would have for the operation's `run`, by name."""

    def ask(*given: object, **named: object) -> None:
        raise _AskedError(given, named)

    asking = copy.copy(operation)
    asking.__dict__["run"] = ask
    begin: Any = type(operation).__call__
    try:  # without the shortcut, which has nothing to learn here
        getattr(begin, "__wrapped__", begin)(asking, *arrays, **call)
    except _AskedError as asked:
        given, named = asked.args
    bound = inspect.signature(run).bind(*given, **named)
    bound.apply_defaults()
    return bound.arguments
