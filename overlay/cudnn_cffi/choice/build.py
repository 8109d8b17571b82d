"""Build the plan of a computation: one that is cached, or the first that cuDNN takes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import chain

from .. import errors
from .._support.blocks import awaited
from .._support.results import NamedTuple
from ..errata.asks import wrong_engine
from ..plan import Computation
from .candidates import Candidates, search
from .database import table as database
from .engine.engines import Candidate, Engines
from .engine.finalize import describe_device, is_captured, to_plan
from .engine.kernel_cache import KernelCache, SharedKernels
from .engine.refusals import Refusal, forget, is_makeshift, listening, no_plan, refusal
from .filters import MODES, to_filters, why_not
from .store.keys import kind_of, to_key
from .store.plan_cache import plans
from .store.single_flight import once
from .tune import idle
from .tune.autotune import autotune

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, TypeAlias, Unpack

    from ..plan import Plan
    from .database.reader import Timed
    from .keywords import FilterOptions
    from .policy_words import Knobs, Modes
    from .store.keys import Key

    #: The word that says which candidate is built; the last two are those of `ops`.
    BuildWord: TypeAlias = Literal["heuristics", "autotune", "heuristic", "time"]

    #: Returns the plan of a candidate.
    Make: TypeAlias = Callable[[Computation, Candidate, KernelCache | None], Plan]

    #: A word, a candidate, or a function of all candidates.
    Choose: TypeAlias = (
        BuildWord | Candidate | Callable[[Candidates], Candidate | Iterable[Candidate]]
    )

#: The note of engines that are compiled for each graph.
COMPILED = "RUNTIME_COMPILATION"

#: The factor to a compiled engine's time from which a choice that limits how much is tried waits
#: for the compiler: it takes 0.2 to 0.5 s for each graph.
COMPILED_GAIN = 1.25

_WORDS = ("heuristics", "autotune")

#: Words of `ops` for the same.
_OF_OPS: dict[BuildWord, BuildWord] = {"heuristic": "heuristics", "time": "autotune"}


def _known(choose: Choose) -> Choose:
    """Return `choose`, with the words of `ops` replaced by those of graphs; refuse others."""
    if isinstance(choose, str):
        choose = _OF_OPS.get(choose, choose)
        if choose in _WORDS:
            return choose
    elif callable(choose) or isinstance(choose, Candidate):
        return choose
    raise errors.ArgumentError(
        f'choose: expected "heuristics", "autotune", a Candidate or a function, got {choose!r}'
    )


def build(
    computation: Computation,
    choose: Choose = "heuristics",
    *,
    modes: Modes = MODES,
    engine: int | None = None,
    knobs: Knobs | None = None,
    sm_count: int | None = None,
    kernel_cache: KernelCache | None = None,
    most: int | None = None,
    searched: Iterable[Candidate | Refusal] | None = None,
    **filters: Unpack[FilterOptions],
) -> Plan:
    """Return a plan of a computation, from the caches if there is one.

    Args:
        computation: what the plan is to run.
        choose: "heuristics" for the first candidate that cuDNN builds (or what `autotune` found
            before; or, where that takes more than three times as long, the fastest of a
            [database](`choice.database`)); "autotune" to time all candidates, unless that was done
            before, or a database has them; a `Candidate`; or a function of all `Candidates` that
            returns one, or several in the order to try.
            "heuristic" and "time", as `ops` have them, are the same as the first two.
        modes: heuristics to ask, in this order. If cuDNN builds none of their results, each other
            engine is tried in its default configuration.
        engine: the index of an engine to force; heuristics are not asked.
        knobs: values of that engine's knobs by name.
        sm_count: how many multiprocessors to use; by default all.
        kernel_cache: a `KernelCache`, for graphs with dynamic shapes, which takes the kernels; the
            plan is built also where there is one in the caches. Without it such graphs share
            kernels with all others that differ in extents alone and have the same options: the
            first one chooses the engine, and the others compile nothing if that supports them.
        most: the most candidates that "autotune" times, in the order of the heuristics; by default
            all. Candidates that were timed before are not timed again, however many there were. A
            recorded engine that is compiled is taken only if it is faster by `COMPILED_GAIN`.
        searched: what `search` yields for these arguments, where it was asked before.
        **filters: what the engine must be like; see `Filters`.

    Raises:
        NoPlanError: no engine supports the computation; it tells the reason of each in cuDNN's
            words.
        ArgumentError: there is no such filter, mode, engine, knob or value; or a candidate is of
            another graph.
        CudnnError: the plan is not there yet, and the stream of the handle, or the current one of
            PyTorch or CuPy, is being captured.
    """
    Computation.check(computation)
    if kernel_cache is not None:
        if not isinstance(kernel_cache, KernelCache):
            raise errors.ArgumentError(
                f"kernel_cache: expected a KernelCache, got {kernel_cache!r}"
            )
        kernel_cache.check(computation)
    choose = _known(choose)
    if isinstance(choose, Candidate):
        if engine is not None or knobs:
            raise errors.ArgumentError(
                f"engine, knobs: expected none with {choose!r}, which has its own"
            )
        candidate = choose.for_computation(computation)
        if why := why_not(computation, candidate, filters):
            raise errors.NotSupportedError(f"{candidate!r} was chosen, but {why}")
        return to_plan(computation, candidate, kernel_cache)
    key = to_key(computation, modes, engine, knobs, sm_count, filters)
    if callable(choose):
        key = None
    tuned = choose == "autotune"

    def build_again(plan: Plan) -> Plan:
        """Return the same plan with its kernels in the kernel cache."""
        same = search(computation, modes, False, plan.engine, plan.knobs, sm_count, filters)
        return build_first(computation, same, kernel_cache)[1]

    make_plan = to_plan if key is None else key.make

    @awaited()
    def make() -> Plan:
        if engine is None and sm_count is None and modes is MODES and not callable(choose):
            rows = _rows(computation, slow=not tuned)
            known = _by_record(computation, rows, filters, make_plan, quick=bool(most))
            if known is not None:
                candidate, plan, took = known
                if key is not None:
                    key.keep(computation, candidate, plan, tuned=tuned, time=took)
                return plan if kernel_cache is None else build_again(plan)
        if tuned:
            found = autotune(
                computation, modes=modes, engine=engine, knobs=knobs, sm_count=sm_count,
                most=most, **filters,
            )  # fmt: skip
            return found.best if kernel_cache is None else build_again(found.best)
        tried = searched
        if tried is None:
            tried = search(computation, modes, engine is None, engine, knobs, sm_count, filters)
        if callable(choose):
            tried = _chosen(choose, tried, computation)
        if key is None:
            return build_first(computation, tried, kernel_cache)[1]
        return _build_and_keep(key, computation, tried, kernel_cache, filters)

    plan = None if key is None else key.find(computation, tuned=tuned)
    if plan is not None and kernel_cache is None:
        return plan
    _check_capture(computation)
    if key is None or kernel_cache is not None:
        return make() if plan is None else build_again(plan)
    memory = key.memory
    flight = memory, idle.is_beside()  # nobody waits for timing in the background
    return once(flight, lambda: plans.get(memory, tuned=tuned, again=True), make)


def _build_and_keep(
    key: Key,
    computation: Computation,
    found: Iterable[Candidate | Refusal],
    kernel_cache: KernelCache | None,
    filters: FilterOptions,
) -> Plan:
    """Return the first plan that cuDNN builds, or one that has kernels already, and keep it."""
    kind = key.kind_of(computation) if kernel_cache is None else None
    shared = None if kind is None else plans.kernels.get(kind)
    if shared is not None:
        kernel_cache = shared.cache
        same = _build_known(computation, *shared[1:], "shared", filters, kernel_cache)
        if same is not None:
            key.keep(computation, *same, lasting=False)  # another process compiles it
            return same[1]
    elif kind is not None:
        kernel_cache = _new_cache(computation)
    refusals: list[Refusal] = []
    try:
        candidate, plan = build_first(computation, found, kernel_cache, refusals, key.make)
    except errors.NoPlanError as error:
        key.refuse(computation, error)
        raise
    # If engines lacked a library or memory, it is not kept on disk: others may do better.
    key.keep(computation, candidate, plan, lasting=not is_makeshift(refusals))
    if kernel_cache is not None and kind is not None:
        kernels = SharedKernels(kernel_cache, candidate.engine, candidate.knobs)
        plans.share(kind, kernels, key.generation)
    return plan


def build_uncompiled(computation: Computation, **filters: Unpack[FilterOptions]) -> bool:
    """Build the plan as `build` does, unless an engine has to be compiled for it now.

    Returns: whether the plan is there: in the caches, or of no use later because there are none.

    Raises:
        CudnnError: as `build` does.
    """
    key = to_key(computation, MODES, None, None, None, filters)
    if key is None or key.find(computation) is not None:
        return True
    if key.kind_of(computation) in plans.kernels:
        return True
    found = search(computation, MODES, True, filters=filters)
    seen: list[Candidate | Refusal] = []
    for each in found:
        seen.append(each)
        if isinstance(each, Candidate):
            if COMPILED in [note.name for note in each.behavior_notes]:
                return False
            break
    build(computation, searched=chain(seen, found), **filters)
    return True


class Recorded(NamedTuple):
    """The plan of the fastest engine that a database has for a computation.

    Attributes:
        plan: the plan, which is shared.
        time: microseconds on the device when it was recorded.
    """

    plan: Plan
    time: float | None


def build_recorded(
    computation: Computation, like: Computation | None = None, *, quick: bool = False,
    **filters: Unpack[FilterOptions],
) -> Recorded | None:  # fmt: skip
    """Return the plan of the fastest recorded engine, or of one that was timed here before.

    Args:
        computation: what the plan is to run.
        like: what is looked up instead; it has the same elements in the same places.
        quick: whether one that is compiled has to be faster by `COMPILED_GAIN`.
        **filters: what the engine must be like; see `Filters`.

    Returns: None for a computation that no database has, or if none of its engines fits.

    Raises:
        DatabaseError, OSError: as `database.find` does.
    """
    rows = _rows(like or computation)
    if not rows:
        return None
    key = to_key(computation, MODES, None, None, None, filters)
    plan = None if key is None else key.find(computation, tuned=True)
    if plan is not None:
        chosen = plan.engine, plan.knobs
        times = [each.time for each in rows if (each.engine, {**each.knobs}) == chosen]
        return Recorded(plan, (times or [rows[0].time])[0])
    _check_capture(computation)
    make = to_plan if key is None else key.make
    found = _by_record(computation, rows, filters, make, quick=quick)
    if found is None:
        return None
    candidate, plan, took = found
    if key is not None:
        key.keep(computation, candidate, plan, tuned=True, time=took)
    return Recorded(plan, took)


def _rows(computation: Computation, *, slow: bool = False) -> tuple[Timed, ...] | None:
    """Return what databases have of a computation, the fastest engine first; None for nothing.

    Args:
        computation: one that the databases have a case of.
        slow: whether only engines are wanted beside which the suggested one is slow.
    """
    if not computation.signature:
        return None
    device, handle = computation.device, computation.handle
    if device is not None:
        place = device.kind
    else:
        assert handle is not None
        place = kind_of(handle)
    case = database.find(computation.signature, place)
    if case is None:
        return None
    return case.faster if slow else database.right_rows(case)


def _by_record(
    computation: Computation, rows: tuple[Timed, ...] | None, filters: FilterOptions, make: Make,
    *, quick: bool = False,
) -> tuple[Candidate, Plan, float | None] | None:  # fmt: skip
    """Return the fastest recorded candidate that fits and that cuDNN builds."""
    if not rows or filters.get("where") is not None:
        return None
    wants_bits = to_filters(filters).deterministic
    if quick:
        rows = tuple(sorted(rows, key=_with_compiler))
    for row in rows:
        if wants_bits and not row.is_deterministic:
            continue
        known = _build_known(computation, row.engine, row.knobs, "recorded", filters, make=make)
        if known is not None:
            return *known, row.time
    return None  # filters allow none, so that the others are timed


def _with_compiler(row: Timed) -> float:
    """Return a recorded time, that of a compiled engine times `COMPILED_GAIN`."""
    return (row.time or 0.0) * (COMPILED_GAIN if "c" in row.flags else 1.0)


def _build_known(
    computation: Computation,
    engine: int,
    knobs: Mapping[str, int],
    source: str,
    filters: Mapping[str, object],
    kernel_cache: KernelCache | None = None,
    make: Make = to_plan,
) -> tuple[Candidate, Plan] | None:
    """Return an engine that was chosen before, and its plan; None if it does not fit by now."""
    if wrong_engine(computation, engine, knobs):
        return None
    try:
        candidate = Candidate(Engines(computation).get(engine), dict(knobs), source)
        if not why_not(computation, candidate, filters):
            return candidate, make(computation, candidate, kernel_cache)
    except errors.CudnnError as error:
        forget(error)
    return None


def _new_cache(computation: Computation) -> KernelCache | None:
    """Return a cache for kernels of a kind of graphs; None if the release has none."""
    try:
        return KernelCache(computation)
    except errors.NotSupportedError as error:
        forget(error)
        return None


def _chosen(
    choose: Callable[[Candidates], Candidate | Iterable[Candidate]],
    found: Iterable[Candidate | Refusal],
    computation: Computation,
) -> Iterable[Candidate | Refusal]:
    """Return the candidate that a function chooses, and all refusals."""
    found = list(found)
    refusals = tuple(each for each in found if isinstance(each, Refusal))
    rows = Candidates(each for each in found if isinstance(each, Candidate))
    rows.refusals = refusals
    chosen = choose(rows)
    if isinstance(chosen, Candidate) or not isinstance(chosen, Iterable):
        chosen = [chosen]
    chosen = list(chosen)
    wrong = [each for each in chosen if not isinstance(each, Candidate)]
    if wrong:
        raise errors.ArgumentError(
            f"choose: expected candidates from the function, got {wrong[0]!r}"
        )
    return [*[each.for_computation(computation) for each in chosen], *refusals]


def _check_capture(computation: Computation) -> None:
    """Refuse to search and compile while a stream is captured."""
    if is_captured(computation.handle):
        raise errors.CudnnError(
            "a stream is being captured, and the computation has no plan yet",
            hint="build the plan before the capture",
        )


def build_first(
    computation: Computation,
    found: Iterable[Candidate | Refusal],
    kernel_cache: KernelCache | None = None,
    refusals: list[Refusal] | None = None,
    make: Make = to_plan,
) -> tuple[Candidate, Plan]:
    """Return the first candidate whose plan cuDNN builds, and that plan.

    Args:
        computation: what the plan is to run.
        found: the candidates in the order to try, and what was refused before.
        kernel_cache: a `KernelCache`, or None.
        refusals: gets what was refused on the way.
        make: returns the plan of a candidate.

    Raises:
        NoPlanError: cuDNN builds none; it tells the reason of each.
    """
    refusals = [] if refusals is None else refusals
    for each in found:
        if isinstance(each, Refusal):
            refusals.append(each)
            continue
        with listening() as listener:
            try:
                return each, make(computation, each, kernel_cache)
            except errors.CudnnError as error:
                refusals.append(refusal("plan", error, listener, each.engine, each.knobs))
                forget(error)
    raise no_plan(refusals, computation.text, describe_device(computation))
