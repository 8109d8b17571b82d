"""The search for a way to compute an operation: by a graph, or by classic functions."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from .. import driver, errors, handles
from .._kept import warn_once
from .._ways.alignment import in_channels_last, in_workspace, low, uneven
from .._ways.array_spec import Spec
from .._ways.case import Case, Unfit, Way, plan_of
from .._ways.classic_call import Classic
from .._ways.empty import of_nothing
from .._ways.timing import time_way
from ..choice import DeviceProperties, policy_words
from ..choice.build import Recorded, build, build_recorded
from ..choice.database import table as database
from ..choice.engine.finalize import is_captured
from ..choice.policy import Engine, Rule
from ..choice.store import choices as book
from ..choice.store.choices import Choice
from ..choice.store.keys import kind_of
from ..choice.tune import later
from ..choice.tune.samples import NotMadeUpError
from ..errata.asks import is_wrong
from .searched import Call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .._ways.signatures import Device, Handle
    from ..choice.keywords import FilterOptions
    from .searched import Searched

#: Errors that mean "cannot compute this": try another way.
REFUSED = errors.NotSupportedError, errors.BadParamError

#: Errors of a way that does not compute an operation.
_UNFIT = errors.NotSupportedError, errors.MissingFunctionError

#: Errors that mean a stored choice no longer applies.
_UNUSABLE = (*_UNFIT, errors.ArgumentError)


#: The note of engines that a word asks for.
_NOTES = {
    "fft": "FFT",
    "fft_tiling": "FFT",
    "winograd": "WINOGRAD",
    "winograd_non_fused": "WINOGRAD",
}


def find_way(
    operation: Searched, case: Case, rule: Rule, handle: Handle | None, device: Device | None
) -> Way:
    """Return a way to compute a case by a rule.

    Arrays at addresses, or with strides, that nothing takes are copied first; see `aligning`.

    Raises:
        NotSupportedError: there is none; it tells the reason of each.
    """
    if case.is_empty:
        return of_nothing(case, sums=operation.sums)
    try:
        return find_uncopied(operation, case, rule, handle, device)
    except REFUSED:
        for applies, find in (
            (is_low(operation, case, rule), find_aligned),
            (uneven(case), find_packed),
        ):
            try:
                if applies:
                    return find(operation, case, rule, handle, device)
            except REFUSED:
                pass
        raise


def find_uncopied(
    operation: Searched, case: Case, rule: Rule, handle: Handle | None, device: Device | None
) -> Way:
    """Return a way to compute a case by a rule.

    Raises:
        NotSupportedError: none does; it tells the reason of each.
    """
    if device is None:
        handle = handles.handle(operation.device_of(case)) if handle is None else handle
    rule = on_device(rule, handle)
    once = rule if isinstance(rule.pick, str) and rule.pick.endswith("_once") else None
    if once is not None:
        rule = rule._replace(pick="time" if once.pick == "time_once" else "heuristic")
        if once in operation._picked:
            try:
                return choose_way(
                    operation, case, rule._replace(**operation._picked[once]), handle, device
                )
            except errors.NotSupportedError:
                pass  # another shape may need another engine
    way = choose_way(operation, case, rule, handle, device)
    if once is not None:
        operation._picked.setdefault(once, _pin(way))
    return way


def on_device(rule: Rule, handle: Handle | None) -> Rule:
    """Return a rule whose limit is a number of bytes, on the device of a handle."""
    return rule.on(None if handle is None else lambda: driver.info(handle.device).free)


def choose_way(
    operation: Searched, case: Case, rule: Rule, handle: Handle | None, device: Device | None
) -> Way:
    """Return the way that a rule picks: the one that is known for the arrays, or by a search.

    Raises:
        NotSupportedError: as `find_way` does.
    """
    searched = rule.pick in ("heuristic", "time") and "algorithm" not in case.call
    if not searched or not book.is_listed():
        with book.unlisted():
            return search(operation, case, rule, handle, device)[0]
    key = key_of(operation, case, rule, handle, device)
    known = book.search(key, rule.pick)
    adopted = known is not None and book.is_adopted(known)
    if known is not None and adopted and _is_wrong(operation, known, case, handle, device):
        known = None
    if known is not None and (known.how != "heuristic" or adopted):
        # Choices of this process are cached under their search key.
        own = known.engine is not None and not adopted
        changes: Any = {"via": "graph"} if own else known.changes
        try:
            if own and rule.is_later:
                changes["pick"] = "heuristic"  # which takes what was timed, and times nothing
            with book.unlisted():
                way = find_first(operation, case, rule._replace(**changes), handle, device)
            if not (own and rule.is_later) or known.way == _entry(key, operation, way).way:
                return way
        except _UNUSABLE as error:
            book.refused(known, error)
    with book.unlisted():
        way, took = search(operation, case, rule, handle, device, key)
    timed = took is not None or "graph" not in operation._order(case, rule)
    _note(key, operation, way, took, timed=rule.pick == "time" and timed)
    return way


def _entry(key: Choice, operation: Searched, way: Way) -> Choice:
    """Return the entry of the book for a way; the key where there was nothing to choose."""
    return key._replace(**choice_of(operation, way))


def _note(key: Choice, operation: Searched, way: Way, took: float | None, *, timed: bool) -> str:
    """Enter a way into the book, unless there was nothing to choose, and return its name."""
    if not choice_of(operation, way):
        return "the only way"
    how = "time" if timed else "heuristic"
    found = _entry(key, operation, way)
    book.note(found._replace(how=how, time=took, workspace=way.workspace_size))
    return found.way


def _time_later(operation: Searched, case: Case, rule: Rule, handle: Handle, key: Any) -> None:
    """Have a thread find the fastest way for a case, as long as there is the operation."""
    own: Any = copy.copy(operation)
    own.arrange = own.copier = None  # they may refer to what refers to the operation
    now = rule._replace(when=None)

    def work(handle: Handle) -> str:
        with book.unlisted():
            way, took = _find_fastest(own, case, now, handle)
        return _note(key, own, way, took, timed=True)

    later.ask((key.key, rule.most, handle.device), key.name, operation, handle, work)


def _is_wrong(
    operation: Searched, known: Choice, case: Case, handle: Handle | None, device: Device | None
) -> bool:
    """Return whether a stored choice is an engine that is known by now to be wrong."""
    if known.engine is None or known.how == "hand":
        return False
    try:
        return is_wrong(operation.computation(case, handle, device), known.engine, known.knobs)
    except _UNUSABLE:  # which is told where the choice is tried
        return False


def key_of(
    operation: Searched, case: Case, rule: Rule, handle: Handle | None, device: Device | None
) -> Choice:
    """Return the key of the choice for a case."""
    if device is None:
        assert handle is not None
        kind = kind_of(handle)
    else:
        kind = DeviceProperties.of(device).kind
    specs, told = operation.facts(case)
    told_by = ("pick", "most", "exact", "when")  # how to search, not what for
    settings = {name: value for name, value in rule._asdict().items() if name not in told_by}
    limit = limited_filters(rule, handle).get("workspace_limit")
    if limit != rule.limit:  # the handle limits it as well
        settings["workspace_limit"] = limit
    options = {**operation.options, **told}
    if not case.is_plain:
        options |= {"alpha": case.alpha, "beta": case.beta}
    return book.blank(operation.word, specs, options, settings, kind)


def choice_of(operation: Searched, way: Way) -> dict[str, Any]:
    """Return what the book has of a way; nothing where there was nothing to choose."""
    plan = plan_of(way)
    if plan is not None and plan.engine is not None:
        return {"via": "graph", "engine": plan.engine, "knobs": dict(plan.knobs)}
    if (
        not isinstance(way, Classic)
        or way.is_mixed
        or way.is_late
        or not (way.algorithm or "graph" in operation.ways)
    ):
        return {}
    return {"via": "classic", "algorithm": way.algorithm}


def search(
    operation: Searched, case: Case, rule: Rule, handle: Handle | None, device: Device | None,
    key: Choice | None = None,
) -> tuple[Way, float | None]:  # fmt: skip
    """Return the way that a rule picks, and its microseconds where it was timed.

    Without a key to find it by, nothing is timed later.
    """
    if rule.pick == "time" and "graph" in operation._order(case, rule):
        waits = key is None or not rule.is_later
        if not is_captured(handle):
            known = _find_recorded(operation, case, rule, handle, device)
            if known is not None:
                return known.plan, known.time
            if device is None and handle is not None:
                if waits:
                    return _find_fastest(operation, case, rule, handle)
                way = find_first(operation, case, rule._replace(pick="heuristic"), handle, None)
                _time_later(operation, case, rule, handle, key)
                return way, None
        if not waits:
            rule = rule._replace(pick="heuristic")  # which takes what was timed before
    return find_first(operation, case, rule, handle, device), None


def _find_fastest(
    operation: Searched, case: Case, rule: Rule, handle: Handle
) -> tuple[Way, float | None]:
    """Time the fastest engine and all classic algorithms, and return the fastest of them.

    Engines are all that is tried if a rule limits how much is.
    """
    ways: list[Way] = []
    for via in operation._order(case, rule):
        if via == "classic" and rule.most and ways:
            continue
        try:
            if via == "graph":
                ways.append(operation._by_graph(case, rule, handle, None))
            else:
                ways += _all_classic(operation, case, rule, handle)
        except (errors.NotSupportedError, errors.MissingFunctionError):
            continue
    if not ways:  # tells all reasons
        return find_first(operation, case, rule._replace(pick="heuristic"), handle, None), None
    before = handle.workspace.size
    took: float | None = None
    place = 0
    for each, way in enumerate(ways):
        found = time_way(way, handle, took)[0]
        if found is not None and (took is None or found < took):
            took, place = found, each
    if handle.workspace.size > max(before, ways[place].workspace_size):
        handle.workspace.clear()  # those that were slower took more
    return ways[place], took


def _find_recorded(
    operation: Searched, case: Case, rule: Rule, handle: Handle | None, device: Device | None
) -> Recorded | None:  # fmt: skip
    """Return the plan of the fastest engine that a database has for a case."""
    if low(case) or not _has_database(handle, device):
        return None
    try:
        computation = operation.computation(case, handle, device)
    except _UNFIT:
        return None
    filters, quick = operation.engine_filters(case, limited_filters(rule, handle)), bool(rule.most)
    found = build_recorded(computation, quick=quick, **filters)
    if found is not None or (same := in_channels_last(case)) is None:
        return found
    like = operation.computation(same, handle, device)
    return build_recorded(computation, like, quick=quick, **filters)


def _has_database(handle: Handle | None, device: Device | None) -> bool:
    """Return whether there is a database of a device."""
    if not database.is_on():
        return False
    if device is not None:
        return database.covers(DeviceProperties.of(device).kind)
    return handle is not None and database.covers(kind_of(handle))


def _all_classic(operation: Searched, case: Case, rule: Rule, handle: Handle) -> list[Way]:
    """Return the classic functions' calls that a rule allows, by each of their algorithms.

    Raises:
        NotSupportedError: there is none.
    """
    limit = limited_filters(rule, handle).get("workspace_limit")
    found = [
        way
        for name, way, _ in operation.algorithms(case, handle, rule)
        if way is not None
        and name not in (rule.exclude or ())
        and not (limit is not None and way.workspace_size > limit)
        and not (rule.deterministic and way.deterministic is False)
    ]
    return found or [operation.by_classic(case, rule, handle)]


def find_first(
    operation: Searched, case: Case, rule: Rule, handle: Handle | None, device: Device | None
) -> Way:
    """Return the first way in the order of a rule that computes a case."""
    try:
        return _find_first(operation, case, rule, handle, device)
    except errors.NoPlanError as error:
        place = device if handle is None else handle.device
        options, inputs, call = dict(operation.options), dict(case.inputs), dict(case.call)
        error.question = Call(type(operation), options, inputs, call, place)
        raise


def _find_first(
    operation: Searched, case: Case, rule: Rule, handle: Handle | None, device: Device | None
) -> Way:
    # Texts and no errors are kept: an error holds frames, and they hold plans and arrays.
    reasons: list[tuple[str, str, tuple[Any, ...]]] = []
    ways = operation._order(case, rule)
    is_late = False
    for via in ways:
        try:
            if via == "graph":
                return operation._by_graph(case, rule, handle, device)
            if handle is None:
                raise Unfit("classic functions need a GPU")
            way = operation.by_classic(case, rule, handle)
            way.is_late = way.is_late or is_late
            return way
        except errors.CudnnError as error:
            # Nothing is compiled in a capture, so large arrays may not get their graph.
            is_late = via == "graph" and ways != operation.ways and is_captured(handle)
            if len(ways) == 1 or not (is_late or isinstance(error, _UNFIT)):
                raise
            reasons.append((via, error.message, getattr(error, "refusals", ())))
    arrays = ", ".join(f"{name} {spec}" for name, spec in case.inputs.items())
    lines = [f"{operation.word}: neither a graph nor a classic function computes this: {arrays}"]
    for via, message, _ in reasons:
        lines += [f"  by {via}: {line}" for line in message.splitlines()[:12]]
    refusals = tuple([each for _, _, found in reasons for each in found])
    raise errors.NoPlanError("\n".join(lines), refusals=refusals)


def order_of(operation: Searched, case: Case, rule: Rule) -> tuple[str, ...]:
    """Return the ways to try, in this order.

    Raises:
        NotSupportedError: the rule names an engine and the classic functions, or an algorithm
            of these and a graph.
    """
    if rule.via is not None:
        named = isinstance(rule.pick, str) and rule.pick not in policy_words.WORDS
        if rule.via == "classic" and isinstance(rule.pick, Engine):
            raise errors.NotSupportedError(
                f"{operation.word}: engine {rule.pick.number} is one of graphs, "
                "via='classic' was asked for"
            )
        if rule.via == "graph" and named and operation._has_algorithms:
            raise errors.NotSupportedError(
                f"{operation.word}: {rule.pick} is an algorithm of the classic functions, "
                "via='graph' was asked for"
            )
        return (rule.via,)
    if isinstance(rule.pick, Engine):
        return ("graph",)
    if isinstance(rule.pick, str) and rule.pick not in policy_words.WORDS:
        # An algorithm of convolution means nothing to the others.
        return ("classic",) if operation._has_algorithms else operation.ways
    if rule.pick in ("heuristic", None) and operation.is_large(case):
        return ("graph", "classic")
    return operation.ways


def by_graph(
    operation: Searched, case: Case, rule: Rule, handle: Handle | None, device: Device | None
) -> Way:
    """Return what runs the engine that a rule picks: mostly its plan."""
    pick, filters = rule.pick, operation.engine_filters(case, limited_filters(rule, handle))
    computation = operation.computation(case, handle, device)
    if isinstance(pick, Engine):
        return build(computation, engine=pick.number, knobs=dict(pick.knobs) or None, **filters)
    if pick == "time" and (known := _find_recorded(operation, case, rule, handle, device)):
        return known.plan
    if pick == "time" and handle is not None:
        try:
            return build(computation, "autotune", most=rule.most or None, **filters)
        except (errors.AllocationError, NotMadeUpError) as error:
            warn_once(f"{operation.word} is not timed: {error.message.splitlines()[0]}")
            return build(computation, **filters)
    if pick == "deterministic":
        filters["deterministic"] = True
    budget = operation._budget(case, rule, handle)
    if budget is not None:
        limit: Any = filters.get("workspace_limit")
        filters["workspace_limit"] = budget if limit is None else min(budget, limit)
    note = _NOTES.get(str(pick))
    if note is not None:
        filters["where"] = lambda each: any(n.name == note for n in each.numeric_notes)
    return build(computation, **filters)


def may_differ(rule: Rule) -> bool:
    """Return whether a rule allows another way than the engine that is compiled for the arrays.

    Calls say whether they are `exact`; plans, which stay, leave it open.
    """
    return rule.pick in (None, "heuristic") and not rule.keeps_bits and rule.exact is False


def limited_filters(rule: Rule, handle: Handle | None) -> FilterOptions:
    """Return the filters of a rule, with the limit of the handle's workspace."""
    filters = rule.filters
    own = None if handle is None else handle.workspace.limit
    if own is not None:
        filters["workspace_limit"] = own if rule.limit is None else min(own, rule.limit)
    return filters


def is_low(operation: Searched, case: Case, rule: Rule) -> bool:
    """Return whether engines got arrays at low addresses where they are, and may say no."""
    return operation.takes_low and bool(low(case)) and "graph" in operation._order(case, rule)


def find_aligned(
    operation: Searched, case: Case, rule: Rule, handle: Handle | None, device: Device | None
) -> Way:
    """Return a graph's way that computes on copies of the arrays at low addresses."""
    rule = rule._replace(via="graph")
    find = operation.find_way
    return copied(operation, case, low(case), lambda inner: find(inner, rule, handle, device))


def find_packed(
    operation: Searched, case: Case, rule: Rule, handle: Handle | None, device: Device | None
) -> Way:
    """Return a way that computes on copies of arrays with gaps, or in another order."""
    find = operation.find_way
    return copied(operation, case, uneven(case), lambda inner: find(inner, rule, handle, device))


def copied(
    operation: Searched, case: Case, copies: dict[str, Spec], find: Callable[[Case], Way]
) -> Classic:
    return in_workspace(case, copies, find, operation.updates)


def _pin(way: Way) -> dict[str, Any]:
    """Return the settings by which a rule picks the same engine or algorithm again."""
    plan = plan_of(way)
    if plan is not None and plan.engine is not None:
        return {"pick": Engine(plan.engine, tuple(sorted(plan.knobs.items()))), "via": "graph"}
    if not isinstance(way, Classic) or way.is_mixed or way.is_late:
        return {}
    return {"pick": way.algorithm or "heuristic", "via": "classic"}
