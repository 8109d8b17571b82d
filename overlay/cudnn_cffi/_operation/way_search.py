"""The search for a way to compute an operation: by a graph, or by classic functions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from .. import arrays, driver, errors, handles
from .._ways.array_spec import Spec
from .._ways.case import FREE, NARROW, SMALL, Case, Unfit, Way, plan_of
from .._ways.classic_call import Classic
from .._ways.graph_draft import Draft
from .._ways.timing import time_way
from ..choice import DeviceProperties, measured
from ..choice import policy as policies
from ..choice.build import build
from ..choice.engine.errata import is_wrong
from ..choice.engine.finalize import is_captured
from ..choice.policy import Engine, Rule
from ..choice.store import choices as book
from ..choice.store.choices import Choice
from ..choice.store.keys import kind_of
from ..choice.tune.samples import NotMadeUpError
from ..choice.warn_once import warn_once

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .._ways.signatures import Device, Handle

#: The part of the free memory that "large" allows.
_PART_OF_FREE = 0.5

#: Errors of a way that does not compute an operation.
_UNFIT = errors.NotSupportedError, errors.MissingFunctionError

#: Errors that mean a stored choice no longer applies.
_UNUSABLE = (*_UNFIT, errors.ArgumentError)


class Finding:
    """The declarations of an operation, and the search for a way to compute it."""

    #: "forward", "data" or "filter": which rule of a policy holds.
    section: ClassVar[str] = "forward"
    #: The name of the function that does the same.
    word: ClassVar[str] = ""
    #: Functions of cuDNN, and nodes of graphs, that compute it, for the help.
    by: ClassVar[str] = ""
    #: The words of the operations that compute its gradients; none where cuDNN has none.
    gradient: ClassVar[tuple[str, ...]] = ()
    #: The options that functions take from arrays, and these arrays.
    derived: ClassVar[tuple[str, ...]] = ()
    derived_from: ClassVar[tuple[str, ...]] = ()
    #: The names of inputs and of outputs, in the order of a call.
    takes: tuple[str, ...] = ("x",)
    gives: tuple[str, ...] = ("y",)
    #: The inputs that may be left out.
    optional: ClassVar[frozenset[str]] = frozenset()
    #: Two optional inputs that must be given together.
    together: ClassVar[tuple[str, ...]] = ()
    #: The arrays, read or written, of which cuDNN is told no strides.
    in_c_order: ClassVar[frozenset[str]] = frozenset({"reserve"})
    #: The inputs that a call changes in place.
    updates: ClassVar[tuple[str, ...]] = ()
    #: The ways to compute it, best first.
    ways: ClassVar[tuple[str, ...]] = ("graph", "classic")

    #: Whether its outputs are sums, which are zero where an input has no elements.
    sums: bool = False
    #: Whether TF32 can round its inputs, where they are float32: it sums products of them.
    rounds: ClassVar[bool] = False
    #: Whether engines take arrays at other addresses than multiples of 16, or refuse them; for
    #: others (see `errata.misalignment`) the arrays are copied.
    takes_low: ClassVar[bool] = False

    #: Bytes of the first array from which a graph is tried first: its engine is compiled for each
    #: shape, and is faster if the device has much to do. None for the order of `ways` at any size.
    graph_from: ClassVar[int | None] = None
    #: Whether graphs may add up in any order, which classic functions do not.
    adds_in_any_order: ClassVar[bool] = False

    #: The first results of "heuristic_once" and "time_once", by their rule.
    _once: dict[Rule, dict[str, Any]]
    #: The choice of this operation.
    policy: Any = None
    #: The arguments of the constructor, by name.
    options: dict[str, Any]

    def results(self, case: Case) -> dict[str, Spec]:
        """Return what the outputs are, where the caller passes none; refuse what does not fit.

        Raises:
            ArgumentError: an input has a wrong shape, layout or data type; it is named.
        """
        raise NotImplementedError

    def graph(self, case: Case, draft: Draft) -> None:
        """Add what computes the outputs to a graph.

        Raises:
            Unfit: a graph does not do this.
        """
        raise Unfit("no graph does this")

    def classic(self, case: Case, rule: Rule, handle: Handle) -> Classic:
        """Return the call of a classic function.

        Raises:
            Unfit: no classic function does this.
        """
        raise Unfit("no classic function does this")

    def algorithms(self, case: Case, handle: Handle, rule: Rule = FREE) -> Iterator[Any]:
        """Yield each algorithm of the classic function: its name, its call, and why it has none.

        Args:
            rule: what the numbers may go through.
        """
        return iter(())

    def _case(
        self,
        specs: dict[str, Spec],
        targets: dict[str, Spec],
        alpha: float,
        beta: float,
        call: Mapping[str, Any],
    ) -> Case:
        missing = [n for n in self.takes if n not in specs and n not in self.optional]
        if missing:
            raise errors.ArgumentError(f"{missing[0]}: expected an array, got None")
        if len({name in specs for name in self.together}) > 1:
            pair = " and ".join(self.together)
            raise errors.ArgumentError(f"expected {pair} together, got one")
        first = next(iter(specs.values()))
        for name, each in (*specs.items(), *targets.items()):
            if each.device != first.device:
                raise errors.ArgumentError(
                    f"{name}: expected memory of device {first.device}, got of device {each.device}"
                )
        wanted = self.results(Case(specs, targets, alpha, beta, call))
        for name, given in specs.items():
            self._check_order(given, name, name)
        for name, target in targets.items():
            expected = wanted.get(name)
            if expected is None:
                raise errors.ArgumentError(f"{name}: it is not computed here")
            what = name if len(self.gives) > 1 else "out"
            if target.shape != expected.shape:
                raise errors.ShapeMismatchError(
                    f"{what}: expected the shape {expected.shape}, got {target.shape}"
                )
            if target.dtype != expected.dtype and not self._may_convert(name, target):
                raise errors.ArgumentError(f"{what}: expected {expected.dtype}, got {target.dtype}")
            self._check_order(target, name, what)
        return Case(specs, {**wanted, **targets}, alpha, beta, call)

    def _check_order(self, spec: Spec, name: str, what: str) -> None:
        """Refuse an array with gaps, or another order, where cuDNN is told no strides."""
        if name in self.in_c_order and not spec.is_in_c_order:
            raise errors.ArgumentError(
                f"{what}: expected an array in C order without gaps, got strides of "
                f"{spec.strides} elements for {spec.shape}",
                hint="copy it",
            )

    def _may_convert(self, name: str, target: Spec) -> bool:
        """Return whether an output may have another data type than it would get."""
        return False

    def find_way(self, case: Case, rule: Rule, handle: Handle | None, device: Device | None) -> Way:
        """Return a way to compute a case by a rule.

        Raises:
            NotSupportedError: none does; it tells the reason of each.
        """
        if device is None:
            handle = handles.handle(self.device_of(case)) if handle is None else handle
        once = rule if isinstance(rule.pick, str) and rule.pick.endswith("_once") else None
        if once is not None:
            rule = rule._replace(pick="time" if once.pick == "time_once" else "heuristic")
            if once in self._once:
                try:
                    return self.choose_way(case, rule._replace(**self._once[once]), handle, device)
                except errors.NotSupportedError:
                    pass  # another shape may need another engine
        way = self.choose_way(case, rule, handle, device)
        if once is not None:
            self._once.setdefault(once, _pin(way))
        return way

    def choose_way(
        self, case: Case, rule: Rule, handle: Handle | None, device: Device | None
    ) -> Way:
        """Return the way that a rule picks: the one that is known for the arrays, or by a search.

        Raises:
            NotSupportedError: as `find_way` does.
        """
        searched = rule.pick in ("heuristic", "time") and "algorithm" not in case.call
        if not searched or not book.is_listed():
            with book.unlisted():
                return self._search(case, rule, handle, device)[0]
        key = self._key(case, rule, handle, device)
        known = book.search(key, rule.pick)
        adopted = known is not None and book.is_adopted(known)
        if known is not None and adopted and self._is_wrong(known, case, handle, device):
            known = None
        if known is not None and (known.how != "heuristic" or adopted):
            # Choices of this process are cached under their search key.
            own = known.engine is not None and not adopted
            changes = {"via": "graph"} if own else known.changes
            try:
                with book.unlisted():
                    return self._find_first(case, rule._replace(**changes), handle, device)
            except _UNUSABLE as error:
                book.refused(known, error)
        with book.unlisted():
            way, took = self._search(case, rule, handle, device)
        chosen = self._chosen(way)
        if chosen:
            timed = took is not None or "graph" not in self._order(case, rule)
            how = "time" if rule.pick == "time" and timed else "heuristic"
            key = key._replace(how=how, time=took, workspace=way.workspace_size)
            book.note(key._replace(**chosen))
        return way

    def _is_wrong(
        self, known: Choice, case: Case, handle: Handle | None, device: Device | None
    ) -> bool:
        """Return whether others chose an engine that is known by now to compute wrong numbers."""
        if known.engine is None or known.how == "hand":
            return False
        try:
            return is_wrong(self.computation(case, handle, device), known.engine)
        except _UNUSABLE:  # which is told where the choice is tried
            return False

    def _key(self, case: Case, rule: Rule, handle: Handle | None, device: Device | None) -> Choice:
        """Return what the choice for a case is found by."""
        if device is None:
            assert handle is not None
            kind = kind_of(handle)
        else:
            kind = DeviceProperties.of(device).kind
        specs, told = self.facts(case)
        told_by = ("pick", "most")  # how to search, not what for
        settings = {name: value for name, value in rule._asdict().items() if name not in told_by}
        limit = self._filters(rule, handle).get("workspace_limit")
        if limit != rule.limit:  # the handle's
            settings["workspace_limit"] = limit
        options = {**self.options, **told}
        if not case.is_plain:
            options |= {"alpha": case.alpha, "beta": case.beta}
        return book.blank(self.word, specs, options, settings, kind)

    def facts(self, case: Case) -> tuple[dict[str, str], Mapping[str, Any]]:
        """Return what choices depend on: arrays by name, as text, and what the call says."""
        named = {**case.inputs, **case.outputs}
        return {name: each.text for name, each in named.items()}, case.call

    def _chosen(self, way: Way) -> dict[str, Any]:
        """Return what the book has of a way; nothing where there was nothing to choose."""
        plan = plan_of(way)
        if plan is not None and plan.engine is not None:
            return {"via": "graph", "engine": plan.engine, "knobs": dict(plan.knobs)}
        if (
            not isinstance(way, Classic)
            or way.is_mixed
            or way.is_late
            or not (way.algorithm or "graph" in self.ways)
        ):
            return {}
        return {"via": "classic", "algorithm": way.algorithm}

    def _search(
        self, case: Case, rule: Rule, handle: Handle | None, device: Device | None
    ) -> tuple[Way, float | None]:  # fmt: skip
        """Return the way that a rule picks, and its microseconds where it was timed."""
        if (
            rule.pick == "time"
            and device is None
            and handle is not None
            and "graph" in self._order(case, rule)
            and not is_captured(handle)
        ):
            return self._find_fastest(case, rule, handle)
        return self._find_first(case, rule, handle, device), None

    def _find_fastest(self, case: Case, rule: Rule, handle: Handle) -> tuple[Way, float | None]:
        """Time the fastest engine and all classic algorithms, and return the fastest of them."""
        ways: list[Way] = []
        for via in self._order(case, rule):
            try:
                if via == "graph":
                    ways.append(self._by_graph(case, rule, handle, None))
                else:
                    ways += self._all_classic(case, rule, handle)
            except (errors.NotSupportedError, errors.MissingFunctionError):
                continue
        if not ways:  # tells all reasons
            return self._find_first(case, rule._replace(pick="heuristic"), handle, None), None
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

    def _all_classic(self, case: Case, rule: Rule, handle: Handle) -> list[Way]:
        """Return the classic functions' calls that a rule allows, by each of their algorithms.

        Raises:
            NotSupportedError: there is none.
        """
        limit = self._filters(rule, handle).get("workspace_limit")
        found = [
            way
            for name, way, _ in self.algorithms(case, handle, rule)
            if way is not None
            and name not in (rule.exclude or ())
            and not (limit is not None and way.workspace_size > limit)
            and not (rule.deterministic and way.deterministic is False)
        ]
        return found or [self.by_classic(case, rule, handle)]

    def _find_first(
        self, case: Case, rule: Rule, handle: Handle | None, device: Device | None
    ) -> Way:
        """Return the first way in the order of a rule that computes a case."""
        # Texts and no errors are kept: an error holds frames, and they hold plans and arrays.
        reasons: list[tuple[str, str, tuple[Any, ...]]] = []
        ways = self._order(case, rule)
        is_late = False
        for via in ways:
            try:
                if via == "graph":
                    return self._by_graph(case, rule, handle, device)
                if handle is None:
                    raise Unfit("classic functions need a GPU")
                way = self.by_classic(case, rule, handle)
                way.is_late = way.is_late or is_late
                return way
            except errors.CudnnError as error:
                # Nothing is compiled in a capture, so large arrays may not get their graph.
                is_late = via == "graph" and ways != self.ways and is_captured(handle)
                if len(ways) == 1 or not (is_late or isinstance(error, _UNFIT)):
                    raise
                reasons.append((via, error.message, getattr(error, "refusals", ())))
        arrays = ", ".join(f"{name} {spec}" for name, spec in case.inputs.items())
        lines = [f"{self.word}: neither a graph nor a classic function computes this: {arrays}"]
        for via, message, _ in reasons:
            lines += [f"  by {via}: {line}" for line in message.splitlines()[:12]]
        refusals = tuple([each for _, _, found in reasons for each in found])
        raise errors.NoPlanError("\n".join(lines), refusals=refusals)

    def _order(self, case: Case, rule: Rule) -> tuple[str, ...]:
        """Return the ways to try, in this order.

        Raises:
            NotSupportedError: the rule names an engine and the classic functions, or an algorithm
                of these and a graph.
        """
        if rule.via is not None:
            named = isinstance(rule.pick, str) and rule.pick not in policies.WORDS
            if rule.via == "classic" and isinstance(rule.pick, Engine):
                raise errors.NotSupportedError(
                    f"{self.word}: engine {rule.pick.number} is one of graphs, "
                    "via='classic' was asked for"
                )
            if rule.via == "graph" and named and self._has_algorithms:
                raise errors.NotSupportedError(
                    f"{self.word}: {rule.pick} is an algorithm of the classic functions, "
                    "via='graph' was asked for"
                )
            return (rule.via,)
        if isinstance(rule.pick, Engine):
            return ("graph",)
        if isinstance(rule.pick, str) and rule.pick not in policies.WORDS:
            # An algorithm of convolution means nothing to the others.
            return ("classic",) if self._has_algorithms else self.ways
        keeps = rule.keeps_bits and self.adds_in_any_order
        if rule.pick in ("heuristic", None) and self.is_large(case) and not keeps:
            return ("graph", "classic")
        return self.ways

    def is_large(self, case: Case) -> bool:
        """Return whether a graph is tried first for arrays of this size; see `graph_from`."""
        first = next(iter(case.inputs.values()))
        size = math.prod(first.shape) * arrays.itemsize(first.dtype)
        if self.graph_from is None or not measured.holds(first.device):
            return False
        return size >= self.graph_from and first.dtype in NARROW

    #: Whether the classic function has algorithms to choose from.
    _has_algorithms: ClassVar[bool] = False

    def device_of(self, case: Case) -> int | None:
        return next(iter(case.inputs.values())).device

    def computation(self, case: Case, handle: Handle | None, device: Device | None) -> Any:
        """Return what a plan of a case is built of."""
        draft = Draft(case.inputs, case.outputs)
        self.graph(case, draft)
        return draft.computation(handle, device)

    def engine_filters(self, case: Case, filters: dict[str, Any]) -> dict[str, Any]:
        """Return the filters of a rule without those that say nothing of a case."""
        if not self.rounds or next(iter(case.inputs.values())).dtype != "float32":
            filters.pop("tf32", None)  # engines bear the note whatever they compute
        return filters

    def by_classic(self, case: Case, rule: Rule, handle: Handle) -> Classic:
        """Return the call of the classic function for arrays wherever they are."""
        return self.classic(case, rule, handle)

    def _by_graph(
        self, case: Case, rule: Rule, handle: Handle | None, device: Device | None
    ) -> Way:
        """Return what runs the engine that a rule picks: mostly its plan."""
        computation = self.computation(case, handle, device)
        pick, filters = rule.pick, self.engine_filters(case, self._filters(rule, handle))
        if isinstance(pick, Engine):
            return build(computation, engine=pick.number, knobs=dict(pick.knobs) or None, **filters)
        if pick == "time" and handle is not None:
            try:
                return build(computation, "autotune", most=rule.most or None, **filters)
            except (errors.AllocationError, NotMadeUpError) as error:
                warn_once(f"{self.word} is not timed: {error.message.splitlines()[0]}")
                return build(computation, **filters)
        if pick == "deterministic":
            filters["deterministic"] = True
        budget = self._budget(case, rule, handle)
        if budget is not None:
            limit = filters.get("workspace_limit")
            filters["workspace_limit"] = budget if limit is None else min(budget, limit)
        note = _NOTES.get(str(pick))
        if note is not None:
            filters["where"] = lambda each: any(n.name == note for n in each.numeric_notes)
        return build(computation, **filters)

    @staticmethod
    def _filters(rule: Rule, handle: Handle | None) -> dict[str, Any]:
        """Return the filters of a rule, with the limit of the handle's workspace."""
        filters = rule.filters
        own = None if handle is None else handle.workspace.limit
        if own is not None:
            filters["workspace_limit"] = min(own, filters.get("workspace_limit", own))
        return filters

    def _budget(self, case: Case, rule: Rule, handle: Handle | None) -> int | None:
        """Return the workspace that a word allows, in bytes; None for any."""
        if rule.pick == "none":
            return 0
        if rule.pick == "small":
            return SMALL
        if rule.pick == "large" and handle is not None:
            free = int(driver.info(handle.device).free * _PART_OF_FREE)
            shift = max(free.bit_length() - 3, 0)
            return free >> shift << shift  # few numbers, since plans are found by them again
        return None


#: The note of engines that a word asks for.
_NOTES = {
    "fft": "FFT",
    "fft_tiling": "FFT",
    "winograd": "WINOGRAD",
    "winograd_non_fused": "WINOGRAD",
}


def _pin(way: Way) -> dict[str, Any]:
    """Return what makes a rule pick the same engine or algorithm again."""
    plan = plan_of(way)
    if plan is not None and plan.engine is not None:
        return {"pick": Engine(plan.engine, tuple(sorted(plan.knobs.items()))), "via": "graph"}
    if not isinstance(way, Classic) or way.is_mixed or way.is_late:
        return {}
    return {"pick": way.algorithm or "heuristic", "via": "classic"}
