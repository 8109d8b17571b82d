"""Answer which engines and functions are wrong for some arrays: they are not chosen for those.

A record holds for all releases and all architectures until others are measured to be right:
"releases" and "architectures" limit it then. Other engines or functions compute what it leaves out,
or the error names the workaround.
"""

from __future__ import annotations

from .. import driver, library
from .._call.layer import get_compiled
from . import judging, table
from .conditions.addresses import low_ones
from .definitions import Graph
from .facts import operations_of
from .record import CAPTURED, CHOSEN, MEASURED, OTHER_BITS, RESTORED, Erratum
from .scope import fits_knobs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from ..plan import Computation
    from .record import Call as Call

__all__ = [
    "MEASURED",
    "Erratum",
    "engines_wrong_restored",
    "errata_of",
    "errata_of_engine",
    "is_wrong",
    "may_capture",
    "misalignment",
    "other_bits",
    "wrong_engine",
    "wrong_function",
    "wrong_knobs",
    "wrong_restored",
]

#: The group of records for graphs whose arrays lie at low addresses.
ADDRESSES = "addresses"


_compiled: Any = get_compiled("cudnn_cffi_facts")

#: `judge` tells of (operation graph, errata, engine) which rows may hold, as bits, `left_out` of
#: (bits, errata, engine, knobs) what `wrong_engine` does: None if Python has to decide.
#: `_is_anywhere` tells of (operation graph, errata) whether arrays may lie anywhere, False also
#: if Python has to decide, and `are_low` of operands whether `misalignment` matters.
left_out: Callable[..., Any]
judge, left_out, _is_anywhere, are_low = _compiled or (
    *(lambda *_: None, lambda *_: None, lambda *_: False),
    low_ones,
)


def _held(computation: Computation, engine: int) -> Iterator[Erratum]:
    """Yield the rows of an engine that hold, those without knobs first."""
    state, given = table.state(), computation.operation_graph
    rows = state.engines.get(engine)
    if rows is None:
        return
    if not judging.words:
        judging.learn()
    bits = judge(given, state, engine)
    graph = Graph(operations_of(given), state.structures)
    for place, each in enumerate(rows):
        if bits is None:
            if not any(judging.holds(one, each.subject, graph) for one in each.needs):
                continue
        elif not bits >> place & 1:
            continue
        if each.is_limited and not _concerns(each, computation):
            continue
        if each.applies is None or any(each.applies(one, graph) for one in graph.of(each.subject)):
            yield each


def misalignment(computation: Computation) -> str:
    """Return why no engine is to compute a graph whose arrays may lie anywhere; "" where one may.

    Engines say that they take arrays of any alignment. Engines of a convolution alone, of pointwise
    operations, reductions and one product do, but for their own records. Some of those of other
    graphs end the context (a convolution with its bias, pooling, norms), refuse to run, or compute
    wrong numbers (attention). This was measured with cuDNN 9.19.0 on an H200.

    Choices ask for it where arrays `are_low`.
    """
    if _is_anywhere(computation.operation_graph, table.current):
        return ""
    graph = Graph(operations_of(computation.operation_graph), table.state().structures)
    for each in table.of(ADDRESSES):
        if each.is_limited and not _concerns(each, computation):
            continue
        if found := each.applies(computation, graph):
            return f"{found}; {each.workaround}"
    return ""


def wrong_engine(computation: Computation, engine: int, knobs: Mapping[str, int]) -> str:
    """Return why an engine is not to be chosen with these values of its knobs; "" if it may be."""
    state = table.current
    bits = judge(computation.operation_graph, state, engine)
    if bits is not None:
        found: str | None = left_out(bits, state, engine, knobs) if bits else ""
        if found is not None:  # no other Python: to load it takes longer
            return found
    for each in _held(computation, engine):
        if each.kind not in CHOSEN and fits_knobs(each.knobs, knobs):
            return each.reason
    return ""


def wrong_knobs(computation: Computation, engine: int, knobs: Mapping[str, int]) -> str:
    """Return why these values of an engine's knobs are not to be chosen; "" if they may be."""
    for each in _held(computation, engine):
        if each.knobs and each.kind not in CHOSEN and fits_knobs(each.knobs, knobs):
            return each.reason
    return ""


def may_capture(computation: Computation, engine: int, knobs: Mapping[str, int]) -> bool:
    """Return whether a CUDA graph of an engine does what the engine does."""
    return not any(
        each.kind == CAPTURED and fits_knobs(each.knobs, knobs)
        for each in _held(computation, engine)
    )


def other_bits(computation: Computation, engine: int, knobs: Mapping[str, int]) -> str:
    """Return why an engine may give other bits each time, though its notes do not say so; or ""."""
    for each in _held(computation, engine):
        if each.kind == OTHER_BITS and fits_knobs(each.knobs, knobs):
            return each.reason
    return ""


def wrong_restored(computation: Computation, engine: int, knobs: Mapping[str, int]) -> str:
    """Return why a plan of an engine is not to be made of cuDNN's JSON alone; "" if it may be."""
    for each in _held(computation, engine):
        if each.kind == RESTORED and fits_knobs(each.knobs, knobs):
            return each.reason
    return ""


def engines_wrong_restored(operation: str) -> tuple[int, ...]:
    """Return the engines of an operation of which some plans are `wrong_restored`."""
    rows = table.of(operation)
    return tuple(each.engine for each in rows if each.kind == RESTORED and each.engine is not None)


def errata_of_engine(
    computation: Computation, engine: int, knobs: Mapping[str, int]
) -> tuple[str, ...]:
    """Return the ids of the records that hold for an engine with some values of its knobs."""
    return tuple(each.id for each in _held(computation, engine) if fits_knobs(each.knobs, knobs))


def wrong_function(
    name: str, call: Call, device: int | None = None, release: int | None = None
) -> str:
    """Return why a function is not to be called; "" where nothing speaks against it.

    Args:
        name: the C name, or that of a function of `ops` or node of graphs.
        call: what entries for that function ask about, by name.
        device: the ordinal of the device; None for an unknown one.
        release: as cudnnGetVersion numbers it; None for the one that is loaded.
    """
    return next((each.reason for each in errata_of(name, call, device, release)), "")


def errata_of(
    name: str, call: Call, device: int | None = None, release: int | None = None
) -> Iterator[Erratum]:
    """Yield the entries that hold for a call of a function; see `wrong_function`."""
    for each in table.of(name):
        if each.is_limited:
            number = library.load().number if release is None else release
            if not each.concerns(
                number, lambda: None if device is None else driver.compute_capability(device)
            ):
                continue
        if each.applies(call):
            yield each


def is_wrong(computation: Computation, engine: int, knobs: Mapping[str, int]) -> bool:
    """Return whether an engine is not to be chosen with these values of its knobs."""
    low = are_low(computation.operands) and misalignment(computation)
    return bool(low or wrong_engine(computation, engine, knobs))


def _concerns(row: Erratum, computation: Computation) -> bool:
    return row.concerns(library.load().number, lambda: _capability_of(computation))


def _capability_of(computation: Computation) -> tuple[int, int] | None:
    if computation.device is not None:
        return computation.device.compute_capability
    assert computation.handle is not None
    return driver.compute_capability(computation.handle.device)
