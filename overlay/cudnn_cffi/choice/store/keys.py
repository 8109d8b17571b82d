"""Keys of plans, in this process and on disk."""

from __future__ import annotations

import json
import os
from collections.abc import Hashable, Iterable, Mapping
from operator import attrgetter

from ... import driver, errors
from ..._kept import store
from ...errata.asks import is_wrong, other_bits
from ...plan.saving import has_kernels
from ..device.properties import DeviceProperties
from ..engine.engines import Candidate, Engines
from ..engine.finalize import describe_device, make_plan, to_plan
from ..engine.knobs import named_values
from ..engine.refusals import Refusal, forget, is_final, no_plan
from ..filters import MODES, Filters, listed
from . import choices as book
from . import disk
from .plan_cache import is_enabled, plans

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...handles import Handle
    from ...plan import Computation, Plan
    from ..engine.kernel_cache import KernelCache
    from ..policy_words import Knobs, Modes


_NO_LINES: Mapping[str, str] = {}


class Key:
    """The key of plans of a computation: signature, device and options.

    The release is the same for the whole process, and part of the folder on disk.
    """

    __slots__ = ("forced", "generation", "memory", "name", "options", "place", "sm_count")

    def __init__(
        self,
        name: str,
        place: str,
        options: str,
        names: tuple[str, ...],
        sm_count: int | None,
        forced: int | None = None,
        ordinal: int | None = None,
        generation: int | None = None,
    ) -> None:
        self.forced = forced
        self.generation = generation
        self.place = place
        self.options = options
        self.sm_count = sm_count
        self.name = name
        # On disk, an entry serves all devices of a kind; a plan in memory belongs to one device.
        self.memory = (name, place, ordinal, options, names)

    def kind_of(self, computation: Computation) -> Hashable | None:
        """Return the key of computations that share kernels; None if this one shares none."""
        return (computation.kind, *self.memory[1:4]) if computation.kind else None

    def _exact(
        self, computation: Computation, engine: int, knobs: Mapping[str, int]
    ) -> Hashable | None:
        """Return the key of plans by an engine, whatever policy has chosen it; None for no such."""
        if computation.leads_to_others:
            return None
        name, place, ordinal, _, names = self.memory
        return (name, place, ordinal, names, self.sm_count, engine, *sorted(knobs.items()))

    def make(
        self, computation: Computation, candidate: Candidate, kernel_cache: KernelCache | None
    ) -> Plan:
        """Return the plan of a candidate: one that another policy has chosen, or a new one.

        Raises:
            CudnnError: cuDNN refuses the candidate.
        """
        known = None
        if kernel_cache is None:
            known = plans.built(self._exact(computation, candidate.engine, candidate.knobs))
        return to_plan(computation, candidate, kernel_cache) if known is None else known

    def find(self, computation: Computation, *, tuned: bool = False) -> Plan | None:
        """Return the plan by the book of choices, or from memory or disk; None without one.

        Raises:
            NoPlanError: no engine supports the computation.
        """
        plan = self._find_listed(computation, tuned) or plans.get(self.memory, tuned=tuned)
        if plan is not None:
            return plan
        saved = disk.load(self.place, self._on_disk(computation))
        if saved is None or (tuned and not saved.tuned and saved.engine is not None):
            return None
        if saved.engine is not None and not self._may_use(computation, saved.engine, saved.knobs):
            return None  # it was saved before that was known
        if saved.engine is None:
            refusals = [Refusal(**each) for each in saved.refusals]
            if _is_by_errata(refusals):
                return None
            error = no_plan(refusals, computation.text, describe_device(computation))
            plans.refuse(self.memory, error, self.generation)
            raise error
        try:
            plan = self._restore(computation, saved)
        except errors.CudnnError as error:  # the file is of no use: another one replaces it
            forget(error)
            return None
        self._put(computation, saved.engine, saved.knobs, plan, saved.tuned)
        self._note(computation, saved.engine, saved.knobs, plan, saved.tuned)
        return plan

    def _find_listed(self, computation: Computation, tuned: bool) -> Plan | None:
        """Return the plan of what others chose; None where they did not, or cuDNN refuses it.

        It is kept under its engine and knobs, and so of no concern to a search.
        """
        if self.forced is not None or not book.is_adopted() or not book.is_listed():
            return None
        known = book.search(self._blank(), "time" if tuned else "heuristic")
        if known is None or known.engine is None:
            return None
        knobs = dict(known.knobs)
        if known.how != "hand" and not self._may_use(computation, known.engine, knobs):
            return None  # it was chosen before that was known
        own = self._of_engine(known.engine, knobs)
        try:
            plan = own.find(computation)
            if plan is None:
                engine = Engines(computation, self.sm_count).get(known.engine)
                candidate = Candidate(engine, knobs, "book")
                plan = own.make(computation, candidate, None)
                own.keep(computation, candidate, plan)
        except errors.CudnnError as error:
            book.refused(known, error)
            forget(error)
            return None
        return plan

    def _of_engine(self, engine: int, knobs: Mapping[str, int]) -> Key:
        """Return the key of the same computation with an engine that is given."""
        _, _, ordinal, _, names = self.memory
        options = f"{self.options}|{engine}|{sorted(knobs.items())}"
        return Key(
            self.name, self.place, options, names, self.sm_count, engine, ordinal, self.generation
        )

    def _blank(self, lines: Mapping[str, str] = _NO_LINES) -> book.Choice:
        options = {"signature": self.name, "options": self.options or None}
        return book.blank(book.GRAPH, lines, options, {}, self.place)

    def _note(
        self,
        computation: Computation,
        engine: int,
        knobs: Mapping[str, int],
        plan: Plan,
        tuned: bool,
        time: float | None = None,
    ) -> None:
        """Enter the choice of an engine into the book, unless it was forced."""
        if self.forced is None and book.is_listed():
            lines = {f"{i:02}": line for i, line in enumerate(computation.text.splitlines(), 1)}
            book.note(
                self._blank(lines)._replace(
                    engine=engine,
                    knobs=dict(knobs),
                    how="time" if tuned else "heuristic",
                    time=time,
                    workspace=plan.workspace_size,
                )
            )

    def _may_use(self, computation: Computation, engine: int, knobs: Mapping[str, int]) -> bool:
        """Return whether an engine is not known to be wrong, or was asked for all the same."""
        if "deterministic=True" in self.options and other_bits(computation, engine, knobs):
            return False
        return self.forced == engine or not is_wrong(computation, engine, knobs)

    def _restore(self, computation: Computation, saved: disk.Saved) -> Plan:
        """Return a plan that was saved: from its JSON if that has its kernels, or else anew."""
        assert saved.engine is not None
        known = plans.built(self._exact(computation, saved.engine, saved.knobs))
        if known is not None:
            return known
        uids = tuple(each.uid for each in computation.operands)
        engine = Engines(computation, self.sm_count).get(saved.engine)
        candidate = Candidate(engine, dict(saved.knobs), "cache")
        if has_kernels(saved.plan) and saved.uids == uids:
            try:
                return make_plan(computation, candidate, json_representation=saved.plan)
            except errors.CudnnError as error:  # the choice may still be good
                forget(error)
        return to_plan(computation, candidate)

    def keep(
        self,
        computation: Computation,
        candidate: Candidate,
        plan: Plan,
        *,
        tuned: bool = False,
        time: float | None = None,
        lasting: bool = True,
    ) -> None:
        """Remember a plan, in memory and on disk, and what was chosen, in the book.

        Args:
            tuned: whether it was chosen by timing.
            time: microseconds on the device, where they are known.
            lasting: whether other processes would choose it, too: only then it is kept on disk.
        """
        self._put(computation, candidate.engine, candidate.knobs, plan, tuned)
        self._note(computation, candidate.engine, candidate.knobs, plan, tuned, time)
        if not lasting or store.folder() is None:
            return
        uids = tuple(each.uid for each in computation.operands)
        text = _plan_text(plan)
        saved = disk.Saved(candidate.engine, dict(candidate.knobs), tuned, uids, text)
        disk.save(self.place, self._on_disk(computation), saved)

    def _put(
        self, computation: Computation, engine: int, knobs: Mapping[str, int], plan: Plan,
        tuned: bool,
    ) -> None:  # fmt: skip
        exact = self._exact(computation, engine, knobs)
        plans.put(self.memory, plan, tuned=tuned, generation=self.generation, exact=exact)

    def refuse(self, computation: Computation, error: errors.NoPlanError) -> None:
        """Remember that no engine supports the computation, unless that may change."""
        if not is_final(error.refusals):
            return
        plans.refuse(self.memory, error, self.generation)
        if _is_by_errata(error.refusals):
            return
        refusals = tuple(each.to_dict() for each in error.refusals)
        saved = disk.Saved(None, {}, refusals=refusals)
        disk.save(self.place, self._on_disk(computation), saved)

    def _on_disk(self, computation: Computation) -> str:
        # The same in a whole process, but not in the next one.
        forced = os.environ.get(book.TF32_VARIABLE)
        more = "" if forced is None else f"\n{book.TF32_VARIABLE}={forced}"
        lowered = computation.lowered_signature
        return f"{self.name}\n{self.options}{more}" + (f"\nlowered {lowered}" if lowered else "")


def _is_by_errata(refusals: Iterable[errors.Refusal]) -> bool:
    """Return whether known errors leave something out: in another process, they may be off."""
    return any(each.stage == "errata" for each in refusals)


def to_key(
    computation: Computation,
    modes: Modes,
    engine: int | None,
    knobs: Knobs | None,
    sm_count: int | None,
    filters: Mapping[str, object],
) -> Key | None:
    """Return what plans are found by; None where nothing is to be remembered."""
    if not computation.signature or not is_enabled() or filters.get("where") is not None:
        return None
    generation = plans.generation
    if not computation.is_current:  # plans of it are not kept
        generation = -1
    options = "" if modes is MODES else ",".join(map(str, listed(modes)))
    if engine is not None or sm_count is not None or filters or knobs:
        chosen = sorted((str(getattr(k, "name", k)), v) for k, v in named_values(knobs).items())
        options += f"|{engine}|{chosen}|{sm_count}|{Filters.name_of(filters)}"
    device, handle, ordinal = computation.device, computation.handle, None
    if device is not None:
        place = device.kind
    else:
        assert handle is not None
        place, ordinal = kind_of(handle), handle.device
    names = tuple(map(_name_of, computation.operands))
    return Key(computation.signature, place, options, names, sm_count, engine, ordinal, generation)


_name_of = attrgetter("name")
_places: dict[int, str] = {}


def kind_of(handle: Handle) -> str:
    """Return a text for the kind of a handle's device."""
    ordinal = handle.device
    if ordinal not in _places:
        try:
            _places[ordinal] = DeviceProperties.from_handle(handle).kind
        except errors.MissingFunctionError:
            info = driver.info(ordinal)
            _places[ordinal] = f"{info.name}-{info.total}"
    return _places[ordinal]


def _plan_text(plan: Plan) -> str:
    """Return cuDNN's JSON of a plan; "" where it has none."""
    try:
        return json.loads(plan.to_json())["plan"]
    except errors.CudnnError:
        return ""
