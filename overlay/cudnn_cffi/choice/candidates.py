"""Engines and configurations that may run a computation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from .. import errors
from .._support.arguments import boolean
from .._tables import active
from ..errata import table
from ..errata.asks import are_low, judge, left_out, misalignment, wrong_engine
from ..plan import Computation
from .engine.engines import Candidate, Engines
from .engine.knobs import check_knobs, named_values
from .engine.refusals import Listener, Refusal, forget, listening, refusal
from .faster import faster
from .filters import MODES, Filters, listed, to_filters
from .record_table import Rows, format_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import ClassVar, Unpack

    from ..backend import EngineCfgDescriptor
    from .keywords import FilterOptions
    from .policy_words import Knobs, Modes


#: The numbers of configurations that heuristics are asked for before all: 4 of 37 take a tenth of
#: the time.
_FEW = 4, 16


class Candidates(Rows[Candidate]):
    """Candidates, best first as far as cuDNN's heuristics know; prints as a table.

    Attributes:
        refusals: what did not support the computation, or was left out by a filter, and why.
    """

    _columns: ClassVar[tuple[str, ...]] = (
        *("engine", "from", "workspace", "shared", "numeric notes", "behavior notes", "knobs"),
        "known errors",
    )
    refusals: tuple[Refusal, ...] = ()

    @staticmethod
    def _cells(record: Candidate) -> tuple[str, ...]:
        return (
            str(record.engine),
            record.source,
            format_bytes(record.workspace),
            format_bytes(record.shared_memory),
            ",".join(note.name for note in record.numeric_notes) or "-",
            ",".join(note.name for note in record.behavior_notes) or "-",
            " ".join(f"{name}={value}" for name, value in record.knobs.items()) or "default",
            ", ".join(record.errata) or "-",
        )


def candidates(
    computation: Computation,
    modes: Modes = MODES,
    *,
    every_engine: bool = False,
    engine: int | None = None,
    knobs: Knobs | None = None,
    sm_count: int | None = None,
    **filters: Unpack[FilterOptions],
) -> Candidates:
    """Return the engines and knobs that may run a computation, without duplicates.

    A configuration that was measured to be faster than the suggestions of heuristics is first.

    A candidate may still be refused when its plan is built: heuristics look at the graph, and
    only a build compiles. Engines that are known to compute wrong numbers for such a graph are left
    out. If nothing supports the graph, the result is empty, and its `refusals` say why.

    Args:
        computation: what is to be run.
        modes: heuristics to ask, in this order: "A", "B", "FALLBACK" and "INSTANT".
        every_engine: whether to add each engine that supports the graph in its default
            configuration, if it is not among the results of the heuristics.
        engine: the index of an engine, also one that is left out otherwise; heuristics are not
            asked.
        knobs: values of that engine's knobs by name; others keep their defaults.
        sm_count: how many multiprocessors to use; by default all.
        **filters: see `Filters`.

    Raises:
        ArgumentError: there is no such mode or filter, or the engine has no such knob or value; the
            error lists what there is.
        NotSupportedError: the forced engine does not support the graph.
        SublibraryError: cuBLAS is missing, without which engines end the process.
    """
    Computation.check(computation)
    found = list(search(computation, modes, every_engine, engine, knobs, sm_count, filters))
    result = Candidates(each for each in found if isinstance(each, Candidate))
    result.refusals = tuple(each for each in found if isinstance(each, Refusal))
    return result


def search(
    computation: Computation,
    modes: Modes = MODES,
    every_engine: bool = False,
    engine: int | None = None,
    knobs: Knobs | None = None,
    sm_count: int | None = None,
    filters: Mapping[str, object] | None = None,
) -> Iterator[Candidate | Refusal]:
    """Yield candidates as they are found, and what was refused on the way.

    Each heuristic is asked when all candidates before its own were taken, first for a few.
    """
    wanted, every_engine = to_filters(filters or {}), boolean(every_engine, "every_engine")
    names = [_check_mode(mode) for mode in listed(modes)]
    knobs = named_values(knobs)
    if engine is None and knobs:
        raise errors.ArgumentError("engine: expected an index, since knobs are given; got None")
    if engine is None and are_low(computation.operands) and (why := misalignment(computation)):
        yield Refusal(None, {}, "errata", "", why)
        return
    engines = Engines(computation, sm_count)
    if engine is not None:
        yield _force(engines, engine, knobs, wanted)
        return
    seen: set[object] = set()
    narrowing, graph = wanted.narrowing(computation), computation.operation_graph
    errata, held = table.current, dict[int, int | None]()
    known = _faster(engines) if modes is MODES and sm_count is None else ()
    for each in chain(known, _found(engines, names, every_engine)):
        if isinstance(each, Refusal):
            yield each
            continue
        if each.key in seen:
            continue
        seen.add(each.key)
        if errata is not table.current:  # they were switched meanwhile
            errata, held = table.current, {}
        if each.engine not in held:  # without functions of Python
            held[each.engine] = judge(graph, errata, each.engine, held)
        bits = held[each.engine]
        why = left_out(bits, errata, each.engine, each.knobs) if bits else ""
        if bits is None or why is None:
            why = wrong_engine(computation, each.engine, each.knobs)
        if why:
            yield Refusal(each.engine, each.knobs, "errata", "", why)
        elif wanted.deterministic and (why := each.other_bits):
            told = f"deterministic=True was asked for; {why}"
            yield Refusal(each.engine, each.knobs, "errata", "", told)
        elif why := wanted.why_not(each, narrowing):
            yield Refusal(each.engine, each.knobs, "filter", "", why)
        else:
            yield each


def _faster(engines: Engines) -> Iterator[Candidate]:
    """Yield the candidate that was measured to be faster than those of heuristics, if any."""
    known = faster(engines.computation)
    if known is None:
        return
    try:
        candidate = Candidate(engines.get(known[0]), known[1], "measured")
        candidate.config  # noqa: B018  cuDNN refuses what the engine does not support
    except errors.CudnnError as error:
        forget(error)
    else:
        yield candidate


def _found(
    engines: Engines, modes: Sequence[str], every_engine: bool
) -> Iterator[Candidate | Refusal]:
    taken = set()
    for mode in modes:
        for each in _suggested(engines, mode):
            if isinstance(each, Refusal):
                yield each
                continue
            candidate = engines.to_candidate(each, mode)
            taken.add(candidate.engine)
            yield candidate
    if every_engine:
        for index in range(engines.count):
            if index not in taken:
                with listening() as listener:
                    one = _try_engine(engines, index, listener)
                yield one


def _suggested(engines: Engines, mode: str) -> Iterator[EngineCfgDescriptor | Refusal]:
    """Yield the configurations that heuristics suggest, or why there are none.

    The first few are asked for alone, since one of them is mostly taken.
    """
    done = 0
    for most in (*_FEW, None):
        found = _ask(engines, mode, most)
        yield from found[done:] if len(found) >= done else found
        done = len(found)
        if done != most:
            return


def _ask(
    engines: Engines, mode: str, most: int | None = None
) -> Sequence[EngineCfgDescriptor | Refusal]:
    """Return the configurations that heuristics suggest, or why there are none."""
    with listening() as listener:
        try:
            found = engines.ask(mode, most)
        except errors.CudnnError as error:
            told = refusal(f"heuristics {mode}", error, listener)
            forget(error)
            return [told]
    return found or [Refusal(None, {}, f"heuristics {mode}", "", "they suggest nothing")]


def _try_engine(engines: Engines, index: int, listener: Listener) -> Candidate | Refusal:
    """Return an engine in its default configuration, or why it is none."""
    try:
        return Candidate(engines.get(index), {}, "engine")
    except errors.CudnnError as error:
        told = refusal("engine", error, listener, index)
        forget(error)
        return told


def _force(engines: Engines, index: int, knobs: Knobs, wanted: Filters) -> Candidate:
    if not isinstance(index, int) or isinstance(index, bool) or not 0 <= index < engines.count:
        raise errors.ArgumentError(
            f"engine: expected an index, got {index!r}",
            hint=f"this graph has the engines 0 to {engines.count - 1}",
        )
    with listening() as listener:
        try:
            engine = engines.get(index)
        except errors.CudnnError as error:
            why = refusal("engine", error, listener, index)
            raise error.replace(
                message=f"engine {index} does not support this graph: {error.status_name}",
                text=why.reason,
                hint="candidates(..., every_engine=True) lists those that do",
            ) from error
    candidate = Candidate(engine, check_knobs(index, engine.knobs, knobs), "forced")
    if why_not := wanted.why_not(candidate, wanted.narrowing(engines.computation)):
        raise errors.NotSupportedError(f"engine {index} was forced, but {why_not}")
    return candidate


def _check_mode(mode: object) -> str:
    name = str(getattr(mode, "name", mode)).upper().removeprefix("MODE_")
    members = active().enum("BackendHeurMode").__members__
    known = [each.removeprefix("MODE_") for each in members if each.startswith("MODE_")]
    if name not in known:
        raise errors.ArgumentError(
            f"there is no mode of heuristics {mode!r}", hint=f"this cuDNN has {', '.join(known)}"
        )
    return name
