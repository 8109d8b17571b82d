"""The arguments of a call, and the execution of a way on its arrays."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from .. import driver, errors, handles
from .._kept import warn_once
from .._ways.alignment import uneven
from .._ways.array_spec import Spec, check_dtype, check_shape, refuse_gaps
from .._ways.case import BEFORE, Case, Unfit, Way, is_own_failure
from .._ways.classic_call import Classic
from ..arrays import check_writable
from ..arrays.libraries import is_immutable
from ..choice import policy as policies
from ..choice import policy_words
from ..choice.build import build_uncompiled
from ..choice.engine.finalize import is_captured
from ..choice.engine.refusals import forget
from ..choice.policy import Rule
from ..choice.store import background
from ..choice.store import choices as book
from ..driver import captures
from ..handles import workspace
from . import recording
from .searched import LastCall
from .way_search import (
    REFUSED,
    find_aligned,
    find_packed,
    is_low,
    limited_filters,
    may_differ,
    on_device,
)

if TYPE_CHECKING:
    from .._ways.signatures import CallStream, Choose, Handle, Out
    from .searched import Searched


class _Failed(Unfit):
    """A way that cuDNN could not launch, though it had not refused it."""


#: Maximum number of engines that are tried after one that fails: each may have to be compiled.
_MOST_ENGINES = 8

#: Errors after which another way is tried, if there is one.
_RETRIED = (*REFUSED, errors.AllocationError)


workspace.listeners.append(policies.renew)


class Arguments(NamedTuple):
    """The arguments of a call.

    Attributes:
        named: the inputs, by name.
        outs: the outputs, in their order; None for those to be made.
        specs: the descriptions of the inputs.
        more: handle and stream, if they were given.
    """

    named: Mapping[str, Any]
    outs: tuple[Any, ...]
    specs: Mapping[str, Spec]
    more: Mapping[str, Any]


class Request(NamedTuple):
    """The arguments of a call, as `Operation.run` has them.

    Attributes:
        given: the inputs.
        arranged: the inputs in the layout that the operation takes; None if that is not known yet.
    """

    given: tuple[Any, ...]
    arranged: tuple[Any, ...] | None
    out: Out
    handle: Handle | None
    stream: CallStream
    choose: Choose
    alpha: float
    beta: float
    call: tuple[tuple[str, Any], ...]
    pattern: object


def make_case(
    operation: Searched,
    specs: dict[str, Spec],
    targets: dict[str, Spec],
    alpha: float,
    beta: float,
    call: Mapping[str, Any],
) -> Case:
    missing = [n for n in operation.takes if n not in specs and n not in operation.optional]
    if missing:
        raise errors.ArgumentError(f"{missing[0]}: expected an array, got None")
    if len({name in specs for name in operation.together}) > 1:
        pair = " and ".join(operation.together)
        raise errors.ArgumentError(f"expected {pair} together, got one")
    first = next(iter(specs.values()))
    for name, each in (*specs.items(), *targets.items()):
        if each.device != first.device:
            raise errors.ArgumentError(
                f"{name}: expected memory of device {first.device}, got of device {each.device}"
            )
    wanted = operation.results(Case(specs, targets, alpha, beta, call))
    for name, given in specs.items():
        _check_order(operation, given, name, name)
    for name, target in targets.items():
        expected = wanted.get(name)
        if expected is None:
            computed = ", ".join(wanted)
            raise errors.ArgumentError(
                f"out: expected none for {name}, as this call computes {computed} only"
            )
        what = name if len(operation.gives) > 1 else "out"
        check_shape(target, expected.shape, what)
        if not operation._may_convert(name, target):
            check_dtype(target, expected.dtype, what)
        _check_order(operation, target, name, what)
        _check_apart(target, what)
    for name in _written(operation):
        if name in specs:
            _check_apart(specs[name], name)
    return Case(specs, {**wanted, **targets}, alpha, beta, call)


def _check_order(operation: Searched, spec: Spec, name: str, what: str) -> None:
    """Refuse an array with gaps, or another order, where cuDNN is told no strides."""
    if name in operation.in_c_order:
        refuse_gaps(spec, what)


def _check_apart(spec: Spec, what: str) -> None:
    """Refuse an array to write to where several elements are one in memory."""
    if spec.is_repeated:
        raise errors.ArgumentError(
            f"{what}: expected an array without repeated elements, got strides of "
            f"{spec.strides} elements for {spec.shape}",
            hint="copy it",
        )


def _written(operation: Searched) -> tuple[str, ...]:
    """Return the names of the inputs that an operation changes."""
    return operation.updates or (() if operation.gives else operation.takes)


def look_up_and_run(operation: Searched, request: Request) -> Any:
    """Run the way that is known for a call, or the one that is found and then kept."""
    given, arrays, out, handle, stream, choose, alpha, beta, call, pattern = request
    outs = operation._outs(out, beta)
    if arrays is None:
        arrays = given if operation.arrange is None else operation.arrange(given)
    named = {
        name: array
        for name, array in zip(operation.takes, arrays, strict=False)
        if array is not None
    }
    specs = {name: Spec.of(array, name) for name, array in named.items()}
    targets = {
        name: Spec.of(array, name if len(operation.gives) > 1 else "out")
        for name, array in zip(operation.gives, outs, strict=False)
        if array is not None
    }
    for name in _written(operation):
        if name in named:
            check_writable(named[name], name)
    for name in operation.spends:
        # JAX's arrays cannot be written, but this one is a forward call's, which no one else reads.
        if name in named and not is_immutable(named[name]):
            check_writable(named[name], name)
    own = policies.to_policy(choose)
    scope, process = policies.state()
    first = next(iter(specs.values()), None)
    place = None if first is None else first.device
    limit = handles.limit_of(handle, place)
    key = (tuple(specs.items()), tuple(targets.items()), alpha, beta, call, own, scope,
           process, limit, book.generation, book.timed)  # fmt: skip
    more: dict[str, Any] = {} if handle is None else {"handle": handle}
    if stream is not ...:
        more["stream"] = stream
    arguments = Arguments(named, outs, specs, more)
    way, before = operation._ways.get(key), None
    if way is None and book.timed:
        way = before = _way_before(operation, key, handle, place)
    if way is not None:
        answer = launch(operation, way, arguments)
    else:
        case = operation._case(specs, targets, alpha, beta, dict(call))
        rule = policies.rule_for(operation.section, own, operation.policy, behind=operation.behind)
        way, answer = _find_and_launch(operation, case, rule, handle, arguments)
        if not (isinstance(way, Classic) and way.is_late):
            operation._ways[key] = way
    known = dict(zip(operation.takes, given, strict=False))
    known.update(zip(operation.gives, outs, strict=False))
    if outs:
        known[BEFORE] = outs[0]
    # Never let the shortcut learn a makeshift way: it would serve all later calls.
    is_makeshift = isinstance(way, Classic) and (way.is_makeshift or way.is_late)
    is_slow = is_makeshift or before is not None
    operation._note(None if is_slow else way, known, answer, given, arrays)
    # Remember only calls without `out=` and without a limited workspace: others may use a
    # special way.
    is_free = handle is None or limit is None
    is_short = own is None and not outs and alpha == 1.0 and is_free and not is_slow
    if is_short and [each.name for each in way.inputs] == list(named):
        whole = all(each is not None for each in arrays)
        operation._last[pattern] = LastCall(scope, process, way, whole)
    return answer


def _way_before(
    operation: Searched, key: tuple[Any, ...], handle: Handle | None, device: int | None
) -> Way | None:
    """Return the way that calls in a capture took before the last timing in the background.

    The memory that it needs is there, and that of another one may be missing.
    """
    earlier = (operation._ways.get((*key[:-1], each)) for each in reversed(range(key[-1])))
    way = next((each for each in earlier if each is not None), None)
    if way is None:
        return None
    own = handles.handle(device) if handle is None else handle
    return way if is_captured(own) else None


def _find_and_launch(
    operation: Searched, case: Case, rule: Rule, handle: Handle | None, call: Arguments
) -> tuple[Way, Any]:
    """Find a way and run it, or another one if cuDNN refuses to run that; return it with results.

    Classic functions report "not supported" only when they run.
    """
    waits = rule.exact is not False
    rule = rule._replace(exact=bool(rule.exact))
    way, begin = _find_meanwhile(operation, case, rule, handle, waits)
    way = way or operation.find_way(case, rule, handle, None)
    try:
        answer = launch_first(operation, way, case, call)
        begin()
        return way, answer
    except _RETRIED as error:
        reasons, failed = [error.message], isinstance(error, _Failed)
        for find in _instead(operation, way, error, case, rule, handle):
            try:
                way = find()
                answer = launch_first(operation, way, case, call)
            except _RETRIED as another:
                reasons.append(another.message)
                failed = failed or isinstance(another, _Failed)
                continue
            if failed:
                lines = [each.splitlines()[0] for each in reasons]
                warn_once(f"{'; '.join(lines)}: computed by {way!r} instead")
            return way, answer
        raise error.replace(message="\n".join(reasons)) from None


def _find_meanwhile(
    operation: Searched, case: Case, rule: Rule, handle: Handle | None, waits: bool
) -> tuple[Way | None, Callable[[], object]]:
    """Return a classic call, and a function that then begins to compile the engine.

    Returns: None in place of the call if it `waits`, if the plan is there or needs no compiler,
        and where the rule, the operation or a capture does not allow another way.
    """
    nothing = None, lambda: None
    if waits or not may_differ(rule) or case.is_empty:
        return nothing
    if book.is_adopted():  # adopted choices may name engines that heuristics do not
        return nothing
    order = operation._order(case, rule)
    if order[0] != "graph" or "classic" not in order:
        return nothing
    try:
        own = handles.handle(operation.device_of(case)) if handle is None else handle
        if is_captured(own):
            return nothing
        rule = on_device(rule, own)
        filters = operation.engine_filters(case, limited_filters(rule, own))
        computation = operation.computation(case, own, None)
        key = (computation.signature, own.device, tuple(filters.items()))
        if not background.may_begin(key):
            return nothing
        with book.unlisted():
            if not background.is_running(key) and build_uncompiled(computation, **filters):
                return nothing
            way = operation.by_classic(case, rule, own)
    except errors.CudnnError as error:  # which is told where a way is searched
        forget(error)
        return nothing

    def build() -> bool:
        operation._by_graph(case, rule, own, None)
        return build_uncompiled(computation, **filters)

    way.is_late = True
    return way, lambda: background.begin(key, build)


def _instead(
    operation: Searched,
    way: Way,
    error: errors.CudnnError,
    case: Case,
    rule: Rule,
    handle: Handle | None,
) -> Iterator[Callable[[], Way]]:  # fmt: skip
    """Yield functions that find other ways, for a way that cuDNN refuses to run."""
    if isinstance(error, errors.AllocationError):
        if way.workspace_size and (rule.pick is None or rule.pick in policy_words.WORDS):
            free = driver.info(operation.device_of(case) or 0).free
            limit = min(policies.rounded(free), way.workspace_size - 1)
            less = rule._replace(workspace_limit=limit)
            yield lambda: operation.find_way(case, less, handle, None)
        if isinstance(way, Classic) and way.instead is not None:
            yield way.instead
        return
    if isinstance(error, errors.MisalignedPointerError) and is_low(operation, case, rule):
        yield lambda: find_aligned(operation, case, rule, handle, None)
    if error.status is not None:  # cuDNN refused, not a check of the arrays
        yield from _other_engines(operation, way, case, rule, handle)
    other: Literal["graph", "classic"] | None = None
    if isinstance(error, _Failed):  # no plan says before that it will
        other = "classic"
    if isinstance(way, Classic):
        if way.instead is not None:
            yield way.instead
        is_refused = way.instead is not None or isinstance(error, errors.NotSupportedError)
        other = "graph" if is_refused else None
    if other in operation._order(case, rule):
        yield lambda: operation.find_way(case, rule._replace(via=other), handle, None)
    if uneven(case):
        yield lambda: find_packed(operation, case, rule, handle, None)


def _other_engines(
    operation: Searched, way: Way, case: Case, rule: Rule, handle: Handle | None
) -> Iterator[Callable[[], Way]]:
    """Yield functions that find plans by engines that have not failed, where a rule allows it."""
    failed = rule.exclude or ()
    found = [way]

    def find(others: Rule) -> Way:
        found.append(operation.find_way(case, others, handle, None))
        return found[-1]

    is_free = rule.pick is None or rule.pick in policy_words.WORDS
    for _ in range(_MOST_ENGINES):
        if not (found and is_free):
            return
        last = found.pop()
        engine = None if isinstance(last, Classic) else last.engine
        if engine is None or engine in failed:
            return
        failed = (*failed, engine)
        yield partial(find, rule._replace(via="graph", exclude=failed))


def launch(operation: Searched, way: Way, call: Arguments) -> Any:
    """Run a way on the arrays of a call."""
    given, filled = _named_for(operation, way, call)
    if recording.watchers:
        before = given.pop(BEFORE, None)
        more = dict(call.more) if before is None else {**call.more, BEFORE: before}
        return recording.run(operation, way, call.specs, given, filled, more)
    return way(**given, **filled, **call.more)


def _named_for(
    operation: Searched, way: Way, call: Arguments
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the inputs and the given outputs of a call of a way, by name."""
    names = [each.name for each in way.inputs]
    given = {name: call.named[name] for name in names if name in call.named}
    outs = zip(operation.gives, call.outs, strict=False)
    filled = {name: array for name, array in outs if array is not None}
    if BEFORE in names:
        given[BEFORE] = next(iter(filled.values()))
    return given, filled


def launch_first(operation: Searched, way: Way, case: Case, call: Arguments) -> Any:
    """Run a way that has not run yet.

    Raises:
        _Failed: cuDNN could not launch it, and has changed nothing.
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
    except errors.AllocationError:
        raise
    except (errors.ExecutionFailedError, errors.InternalError) as error:
        if not isinstance(way, Classic):  # its first kernels may have written what they read
            is_one = any(each.shares for each in way.outputs) and any(
                each is not None for each in call.outs
            )
            has_begun = case.beta != 0.0 or bool(operation.updates) or is_one
        if is_own_failure(error) or has_begun or not _is_usable(operation.device_of(case)):
            raise
        raise _Failed(
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
    operation: Searched,
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
