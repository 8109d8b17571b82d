"""Answer which engines and functions are wrong for some arrays: they are not chosen for those.

A record holds for all releases and all architectures until others are measured to be right:
"releases" and "architectures" limit it then. Other engines or functions compute what it leaves out,
or the error names the workaround.
"""

from __future__ import annotations

from weakref import ref

from .. import driver, library
from . import table
from .facts import operations_of
from .record import ALIGNMENT, MEASURED, OTHER_BITS, Erratum
from .scope import fits_knobs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from ..plan import Computation
    from .facts import Operations
    from .record import Call as Call

__all__ = [
    "MEASURED",
    "Erratum",
    "errata_of",
    "errata_of_engine",
    "is_wrong",
    "misalignment",
    "other_bits",
    "wrong_engines",
    "wrong_function",
    "wrong_knobs",
]

#: The group of records for graphs whose arrays lie at low addresses.
ADDRESSES = "addresses"


class _Asked:
    """An operation graph that was asked about, and the answer: a choice asks several times.

    Attributes:
        graph: the descriptor.
        operations: its facts.
        state: the errata in force when `rows` were found.
        rows: those of engines that hold, in the order of the table.
    """

    __slots__ = ("graph", "operations", "rows", "state")

    def __init__(
        self,
        graph: ref[object],
        operations: Operations,
        state: table.State | None = None,
        rows: tuple[Erratum, ...] = (),
    ) -> None:
        self.graph, self.operations, self.state, self.rows = graph, operations, state, rows


#: The one that was asked about last.
_last: _Asked | None = None


def misalignment(computation: Computation) -> str:
    """Return why no engine is to compute a graph whose arrays may lie anywhere; "" where one may.

    Engines say that they take arrays of any alignment. Engines of a convolution alone, of pointwise
    operations, reductions and one product do, but for their own records. Some of those of other
    graphs end the context (a convolution with its bias, pooling, norms), refuse to run, or compute
    wrong numbers (attention). This was measured with cuDNN 9.19.0 on an H200.
    """
    for operand in computation.operands:
        if operand.alignment < ALIGNMENT or operand.views:
            break
    else:
        return ""
    operations = _asked(computation).operations
    for each in _valid(table.of(ADDRESSES), computation):
        if found := each.applies(computation, operations):
            return f"{found}; {each.workaround}"
    return ""


def wrong_engines(computation: Computation) -> dict[int, str]:
    """Return the engines not to choose for a computation, and why."""
    found: dict[int, str] = {}
    for each in _matching(computation):
        if each.engine is not None and not each.knobs and each.kind != OTHER_BITS:
            found.setdefault(each.engine, each.reason)
    return found


def wrong_knobs(computation: Computation, engine: int, knobs: Mapping[Any, int]) -> str:
    """Return why an engine is not to be chosen with some values of its knobs; "" if it may be."""
    for each in _matching(computation):
        is_asked = each.engine == engine and each.knobs and each.kind != OTHER_BITS
        if is_asked and _has_knobs(each, knobs):
            return each.reason
    return ""


def other_bits(computation: Computation, engine: int, knobs: Mapping[Any, int]) -> str:
    """Return why an engine may give other bits each time, though its notes do not say so; or ""."""
    for each in _matching(computation):
        is_asked = each.engine == engine and each.kind == OTHER_BITS
        if is_asked and _has_knobs(each, knobs):
            return each.reason
    return ""


def errata_of_engine(
    computation: Computation, engine: int, knobs: Mapping[Any, int]
) -> tuple[str, ...]:
    """Return the ids of the records that hold for an engine with some values of its knobs."""
    return tuple(
        each.id
        for each in _matching(computation)
        if each.engine == engine and _has_knobs(each, knobs)
    )


def _has_knobs(row: Erratum, knobs: Mapping[Any, int]) -> bool:
    """Return whether values of knobs are those of a row, which may have none."""
    if not row.knobs:
        return True
    return fits_knobs(
        row.knobs, {str(getattr(key, "name", key)): value for key, value in knobs.items()}
    )


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


def is_wrong(computation: Computation, engine: int) -> bool:
    """Return whether an engine is not to be chosen for a computation."""
    return bool(misalignment(computation)) or engine in wrong_engines(computation)


def _asked(computation: Computation) -> _Asked:
    """Return what is known of the operation graph of a computation."""
    global _last
    graph, last = computation.operation_graph, _last
    if last is None or last.graph() is not graph:
        last = _Asked(ref(graph, _forget), operations_of(computation))
        _last = last
    return last


def _forget(ended: ref[object]) -> None:
    """Drop what is known of a graph with the graph."""
    global _last
    if _last is not None and _last.graph is ended:
        _last = None


#: In place of operations, for conditions that look at the graph alone.
_WHOLE = (None,)


def _matching(computation: Computation) -> tuple[Erratum, ...]:
    """Return the rows of engines that hold for a computation, in the order of the table."""
    global _last
    state, asked = table.state(), _asked(computation)
    if asked.state is state:
        return asked.rows
    operations = asked.operations
    found: dict[int, Erratum] = {}
    allowed: dict[Any, bool] = {None: True}  # by what finds kinds, which several conditions share
    for kind in operations.distinct:
        own: Iterable[Any] = ()
        for rows in state.conditions.get(kind, ()):
            first = rows[0]
            fits = first.fits
            if fits is not None and fits not in allowed:
                allowed[fits] = fits(operations)
            if not allowed[fits]:
                continue
            valid = tuple(_valid(rows, computation)) if kind in state.limited else rows
            if not valid:
                continue
            applies = first.applies
            if not first.whole:
                own = own or operations.of(kind)
            for each in _WHOLE if first.whole else own:
                if applies(each, operations):
                    for row in valid:
                        found[row.place] = row
                    break
    held = tuple([found[place] for place in sorted(found)])
    if state.limited.isdisjoint(operations.distinct):  # others depend on the device, too
        _last = _Asked(asked.graph, operations, state, held)
    return held


def _valid(rows: Iterable[Erratum], computation: Computation) -> Iterator[Erratum]:
    for each in rows:
        if not each.is_limited or each.concerns(
            library.load().number, lambda: _capability_of(computation)
        ):
            yield each


def _capability_of(computation: Computation) -> tuple[int, int] | None:
    if computation.device is not None:
        return computation.device.compute_capability
    assert computation.handle is not None
    return driver.compute_capability(computation.handle.device)
