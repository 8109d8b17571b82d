"""Answer which engines and functions are wrong for some arrays: they are not chosen for those.

A record holds for all releases and all architectures until others are measured to be right:
"releases" and "architectures" limit it then. Other engines or functions compute what it leaves out,
or the error names the workaround.
"""

from __future__ import annotations

from operator import attrgetter

from .. import driver, library
from . import table
from .conditions.addresses import low_ones
from .facts import Operations, operations_of, structure_of
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


class Asked(Operations):
    """The operations of a computation, and what errata know of its engines.

    A choice asks several times. Conditions are asked when the first engine that has them is.

    Attributes:
        state: the errata in force.
        rows: the rows of an engine whose conditions hold, in the order of the table.
        held: whether conditions hold, by their places.
    """

    __slots__ = ("held", "rows", "state")

    def __init__(self, computation: Computation, state: table.State) -> None:
        given = operations_of(computation.operation_graph)
        super().__init__(given, structure_of(given, state.structures))
        self.state = state
        self.rows: dict[int, Sequence[Erratum]] = {}
        self.held: dict[int, bool] = {}

    def wrong_engine(self, computation: Computation, engine: int, knobs: Mapping[Any, int]) -> str:
        """Return what `wrong_engine` does, for the computation that this was made for."""
        found = self.rows.get(engine)
        for each in self.find(computation, engine) if found is None else found:
            if each.kind != OTHER_BITS and _has_knobs(each, knobs):
                return each.reason
        return ""

    def find(self, computation: Computation, engine: int) -> Sequence[Erratum]:
        """Find the rows of an engine that hold, in the order of the table."""
        known, held = self.structure.rows, self.held
        allowed = known[engine] if engine in known else self._allowed(engine)
        found = []
        for each in allowed:
            if each.is_limited and not _concerns(each, computation):
                continue
            holds = held.get(each.condition)
            if holds is None:
                if each.whole:
                    holds = bool(each.applies(None, self))
                else:
                    holds = any(each.applies(one, self) for one in self.of(each.subject))
                held[each.condition] = holds
            if holds:
                found.append(each)
        self.rows[engine] = found
        return found

    def _allowed(self, engine: int) -> list[Erratum]:
        """Return the rows of an engine that the structure of a graph allows."""
        of, structure = self.state.engines, self.structure
        rows = [each for kind in structure.distinct for each in of.get((kind, engine), ())]
        found = [each for each in rows if each.fits is None or each.fits(structure)]
        found.sort(key=_place)
        structure.rows[engine] = found
        return found


_place = attrgetter("place")


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
    if not low_ones(computation):
        return ""
    operations = about(computation)
    for each in table.of(ADDRESSES):
        if each.is_limited and not _concerns(each, computation):
            continue
        if found := each.applies(computation, operations):
            return f"{found}; {each.workaround}"
    return ""


def wrong_engine(computation: Computation, engine: int, knobs: Mapping[Any, int]) -> str:
    """Return why an engine is not to be chosen with these values of its knobs; "" if it may be."""
    return about(computation).wrong_engine(computation, engine, knobs)


def wrong_knobs(computation: Computation, engine: int, knobs: Mapping[Any, int]) -> str:
    """Return why these values of an engine's knobs are not to be chosen; "" if they may be."""
    for each in _matching(computation, engine):
        if each.knobs and each.kind != OTHER_BITS and _has_knobs(each, knobs):
            return each.reason
    return ""


def may_capture(computation: Computation, engine: int, knobs: Mapping[Any, int]) -> bool:
    """Return whether a CUDA graph of an engine does what the engine does."""
    return not any(
        each.kind == CAPTURED and _has_knobs(each, knobs) for each in _matching(computation, engine)
    )


def other_bits(computation: Computation, engine: int, knobs: Mapping[Any, int]) -> str:
    """Return why an engine may give other bits each time, though its notes do not say so; or ""."""
    for each in _matching(computation, engine):
        if each.kind == OTHER_BITS and _has_knobs(each, knobs):
            return each.reason
    return ""


def errata_of_engine(
    computation: Computation, engine: int, knobs: Mapping[Any, int]
) -> tuple[str, ...]:
    """Return the ids of the records that hold for an engine with some values of its knobs."""
    return tuple(each.id for each in _matching(computation, engine) if _has_knobs(each, knobs))


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


def is_wrong(computation: Computation, engine: int, knobs: Mapping[Any, int]) -> bool:
    """Return whether an engine is not to be chosen with these values of its knobs."""
    return bool(misalignment(computation) or wrong_engine(computation, engine, knobs))


def _matching(computation: Computation, engine: int) -> Sequence[Erratum]:
    """Return the rows of an engine that hold for a computation, in the order of the table."""
    asked = about(computation)
    found = asked.rows.get(engine)
    return asked.find(computation, engine) if found is None else found


def _concerns(row: Erratum, computation: Computation) -> bool:
    return row.concerns(library.load().number, lambda: _capability_of(computation))


def _capability_of(computation: Computation) -> tuple[int, int] | None:
    if computation.device is not None:
        return computation.device.compute_capability
    assert computation.handle is not None
    return driver.compute_capability(computation.handle.device)
