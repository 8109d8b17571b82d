"""Answer which engines and functions are wrong for some arrays: they are not chosen for those.

A record holds for all releases and all architectures until others are measured to be right:
"releases" and "architectures" limit it then. Other engines or functions compute what it leaves out,
or the error names the workaround.
"""

from __future__ import annotations

from .. import driver, library
from .._call.layer import get_compiled
from ..plan import Operand
from . import needs, table
from .conditions.addresses import low_ones
from .facts import Operations, operations_of
from .record import CAPTURED, MEASURED, OTHER_BITS, Erratum
from .scope import fits_knobs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from ..plan import Computation
    from .record import Call as Call

__all__ = [
    "MEASURED",
    "Erratum",
    "errata_of",
    "errata_of_engine",
    "is_wrong",
    "may_capture",
    "misalignment",
    "other_bits",
    "wrong_engine",
    "wrong_function",
    "wrong_knobs",
]

#: The group of records for graphs whose arrays lie at low addresses.
ADDRESSES = "addresses"


_compiled: Any = get_compiled("cudnn_cffi_facts")
_judge, _are_low = _compiled or (None, None)

#: The places in an operand of what decides whether it may begin at a low address.
_PLACES = tuple(map(Operand._fields.index, ("alignment", "views", "by_value")))

#: The words of the release in use; None before the first graph is asked about.
_words: dict[Any, Any] | None = None


class Asked(Operations):
    """The operations of a computation, and what errata know of its engines.

    Attributes:
        state: the errata in force.
        held: whether conditions hold, by their places.
        rows: the rows of an engine that hold.
        wrong: why engines are not to be chosen, whatever their knobs are.
    """

    def __init__(self, computation: Computation, state: table.State) -> None:
        super().__init__(operations_of(computation.operation_graph), state.structures)
        self.state = state
        self.held: dict[int, bool] = {}
        self.rows: dict[int, Sequence[Erratum]] = {}
        self.wrong: dict[int, str] = {}

    def wrong_engine(self, computation: Computation, engine: int, knobs: Mapping[str, int]) -> str:
        """Return what `wrong_engine` does, for the computation that this was made for."""
        for each in self.find(computation, engine):
            if each.kind != OTHER_BITS and (not each.knobs or fits_knobs(each.knobs, knobs)):
                return each.reason
        return ""

    def find(self, computation: Computation, engine: int) -> Sequence[Erratum]:
        """Return the rows of an engine that hold, in the order of the table."""
        found = self.rows.get(engine)
        if found is None:
            known = self.structure.rows
            if engine not in known:
                rows = self.state.engines.get(engine, ())
                known[engine] = [each for each in rows if self._fits(each)]
            found = [each for each in known[engine] if self.holds(each, computation)]
            self.rows[engine] = found
        return found

    def _fits(self, row: Erratum) -> bool:
        structure = self.structure
        return row.subject in structure.places and (row.fits is None or row.fits(structure))

    def holds(self, row: Erratum, computation: Computation) -> bool:
        """Return whether a row of an engine holds."""
        if row.is_limited and not _concerns(row, computation):
            return False
        found = self.held.get(row.condition)
        if found is None:
            found = self.held[row.condition] = self._meets(row)
        return found

    def _meets(self, row: Erratum) -> bool:
        """Return whether the graph, or one of its operations, meets the condition of a row."""
        if not self._fits(row):
            return False
        if row.whole:
            return bool(row.applies(None, self))
        return any(row.applies(each, self) for each in self.of(row.subject))


def about(computation: Computation) -> Asked:
    """Return what is known of a computation, which keeps it."""
    found = computation.asked
    state = table.state()
    if not isinstance(found, Asked) or found.state is not state:
        found = computation.asked = Asked(computation, state)
    return found


def misalignment(computation: Computation) -> str:
    """Return why no engine is to compute a graph whose arrays may lie anywhere; "" where one may.

    Engines say that they take arrays of any alignment. Engines of a convolution alone, of pointwise
    operations, reductions and one product do, but for their own records. Some of those of other
    graphs end the context (a convolution with its bias, pooling, norms), refuse to run, or compute
    wrong numbers (attention). This was measured with cuDNN 9.19.0 on an H200.
    """
    operands = computation.operands
    if not (_are_low(operands, *_PLACES) if _are_low else low_ones(computation)):
        return ""
    operations = about(computation)
    for each in table.of(ADDRESSES):
        if each.is_limited and not _concerns(each, computation):
            continue
        if found := each.applies(computation, operations):
            return f"{found}; {each.workaround}"
    return ""


def wrong_engine(computation: Computation, engine: int, knobs: Mapping[str, int]) -> str:
    """Return why an engine is not to be chosen with these values of its knobs; "" if it may be."""
    global _words
    state = table.current or table.state()
    found = state.judged.get(engine)
    if found is None:
        return ""
    if _judge is None:
        return about(computation).wrong_engine(computation, engine, knobs)
    asked = computation.asked
    if not isinstance(asked, Asked) or asked.state is not state:
        asked = None
    elif engine in asked.wrong:
        return asked.wrong[engine]
    if _words is None:
        _words = needs.words()  # whole, for other threads
    (told, rows), place = found, 0
    graph = computation.operation_graph
    while True:
        answer: str | int = _judge(graph, _words, needs.ports, told, knobs, place)
        if isinstance(answer, str):
            return answer
        asked = asked or about(computation)
        if answer < 0:
            return asked.wrong_engine(computation, engine, knobs)
        row, place = rows[answer], answer + 1
        if (not row.knobs or fits_knobs(row.knobs, knobs)) and asked.holds(row, computation):
            if told[1][:place] == ((),) * place:
                asked.wrong[engine] = row.reason
            return row.reason


def wrong_knobs(computation: Computation, engine: int, knobs: Mapping[str, int]) -> str:
    """Return why these values of an engine's knobs are not to be chosen; "" if they may be."""
    for each in _matching(computation, engine):
        if each.knobs and each.kind != OTHER_BITS and fits_knobs(each.knobs, knobs):
            return each.reason
    return ""


def may_capture(computation: Computation, engine: int, knobs: Mapping[str, int]) -> bool:
    """Return whether a CUDA graph of an engine does what the engine does."""
    return not any(
        each.kind == CAPTURED and fits_knobs(each.knobs, knobs)
        for each in _matching(computation, engine)
    )


def other_bits(computation: Computation, engine: int, knobs: Mapping[str, int]) -> str:
    """Return why an engine may give other bits each time, though its notes do not say so; or ""."""
    for each in _matching(computation, engine):
        if each.kind == OTHER_BITS and fits_knobs(each.knobs, knobs):
            return each.reason
    return ""


def errata_of_engine(
    computation: Computation, engine: int, knobs: Mapping[str, int]
) -> tuple[str, ...]:
    """Return the ids of the records that hold for an engine with some values of its knobs."""
    return tuple(
        each.id for each in _matching(computation, engine) if fits_knobs(each.knobs, knobs)
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


def is_wrong(computation: Computation, engine: int, knobs: Mapping[str, int]) -> bool:
    """Return whether an engine is not to be chosen with these values of its knobs."""
    return bool(misalignment(computation) or wrong_engine(computation, engine, knobs))


def _matching(computation: Computation, engine: int) -> Sequence[Erratum]:
    """Return the rows of an engine that hold for a computation, in the order of the table."""
    return about(computation).find(computation, engine)


def _concerns(row: Erratum, computation: Computation) -> bool:
    return row.concerns(library.load().number, lambda: _capability_of(computation))


def _capability_of(computation: Computation) -> tuple[int, int] | None:
    if computation.device is not None:
        return computation.device.compute_capability
    assert computation.handle is not None
    return driver.compute_capability(computation.handle.device)
