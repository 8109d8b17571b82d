"""The table of errata: the package's file, read on first use, and what users add and switch."""

from __future__ import annotations

import weakref
from pathlib import Path

from .. import errors, library
from .._support import fork
from .._support.recent import Recent
from .._support.results import NamedTuple
from . import files, scope
from .conditions import CONDITIONS
from .judging import compiled
from .needs import Condition
from .record import Erratum, Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from .facts import Structure
    from .judging import Compiled

#: The file with the records of the package.
PATH = Path(__file__).with_name("errata.json")

#: The environment variable with files of more records, separated like PATH.
VARIABLE = "CUDNN_CFFI_ERRATA"

#: The maximum number of structures of graphs that are remembered.
STRUCTURES = 512


class State(NamedTuple):
    """Errata as they are in force.

    Attributes:
        compiled: what the compiled layer knows of `engines`.
        records: all by their ids, the package's first.
        switched: what was switched on or off, by id.
        rows: what the package avoids, by subject.
        engines: the rows of each engine, those without knobs first.
        structures: what is known of structures of graphs, by what `facts` calls them.
    """

    compiled: Compiled
    records: Mapping[str, Record]
    switched: Mapping[str, bool]
    rows: Mapping[str, tuple[Erratum, ...]]
    engines: Mapping[int, list[Erratum]]
    structures: dict[object, Structure]


#: Called without arguments after each change: what remembers choices looks again.
listeners: list[Callable[[], None]] = []

_lock = fork.lock()

#: The errata in force; None before they are first asked.
current: State | None = None

#: Switches by id, the last ones count most, each with what ends it: nothing, where that is gone.
_switches: list[tuple[weakref.ref[object] | None, Mapping[str, bool]]] = []


def state() -> State:
    """Return the errata in force.

    Raises:
        ErrataError: a file of the environment is damaged, or cannot be read.
    """
    global current
    if current is None:
        with _lock:
            if current is None:
                found = {each.id: each for each in files.read_package(PATH)}
                for path in files.of_environment(VARIABLE):
                    try:
                        found |= files.added(path, found, CONDITIONS)
                    except OSError as error:
                        why = f"{VARIABLE}: {path} cannot be read: {error.strerror or error}"
                        raise errors.ErrataError(why) from None
                current = _made(found, {})
    return current


def add(records: Mapping[str, Record]) -> None:
    """Put more records in force.

    Raises:
        ErrataError: another thread has added one with such an id since the file was read.
    """
    with _lock:
        known = state().records
        if there := known.keys() & records:
            raise errors.ErrataError(f"there is another record {min(there)!r}")
        _renew({**known, **records})
    _tell()


def switch(switched: Mapping[str, bool], end: object) -> None:
    """Put switches in force, until `switch_back` gets what ends them."""
    with _lock:
        _switches.append((weakref.ref(end), switched))
        while len(_switches) > 1 and _is_lasting(0) and _is_lasting(1):
            _switches[:2] = [(None, {**_switches[0][1], **_switches[1][1]})]
        _renew(state().records)
    _tell()


def switch_back(end: object) -> None:
    """End switches; those that others made, before or since, stay."""
    with _lock:
        _switches[:] = [each for each in _switches if each[0] is None or each[0]() is not end]
        _renew(state().records)
    _tell()


def _is_lasting(place: int) -> bool:
    end = _switches[place][0]
    return end is None or end() is None


def _renew(records: Mapping[str, Record]) -> None:
    global current
    current = _made(records, {id: on for _, each in _switches for id, on in each.items()})


def _tell() -> None:
    for each in listeners:
        each()


def _made(records: Mapping[str, Record], switched: Mapping[str, bool]) -> State:
    held = (each for each in records.values() if switched.get(each.id, each.avoided))
    return _with_rows(records, switched, (row for each in held for row in rows_of(each)))


def _with_rows(
    records: Mapping[str, Record], switched: Mapping[str, bool], rows: Iterable[Erratum]
) -> State:
    by_subject: dict[str, list[Erratum]] = {}
    by_engine: dict[int, list[Erratum]] = {}
    for each in rows:
        row = each._replace(
            is_limited=(each.first, each.last, each.architectures) != (None, None, None),
            reason=_reason(each),
        )
        by_subject.setdefault(row.subject, []).append(row)
        if row.engine is not None:
            by_engine.setdefault(row.engine, []).append(row)
    for several in by_engine.values():
        several.sort(key=lambda each: bool(each.knobs))
    return State(
        compiled(by_engine),
        records,
        switched,
        {subject: tuple(several) for subject, several in by_subject.items()},
        by_engine,
        Recent(STRUCTURES),
    )


def _reason(row: Erratum) -> str:
    """Return the symptom, the evidence, and the ways out, as errors tell them."""
    ways = [row.workaround] if row.workaround else []
    if row.engine is not None:
        ways.append(f"engine={row.engine} uses it all the same")
    return "; ".join([f"{row.symptom} ({row.evidence})", *ways])


def rows_of(record: Record) -> Iterator[Erratum]:
    """Yield the rows of a record: one for each of its engines or functions."""
    condition = _condition(record)
    for subject in record.subjects:
        for engine in record.engines or (None,):
            yield Erratum(
                subject,
                engine,
                condition.applies,
                record.symptom,
                record.evidence,
                record.workaround,
                record.first,
                record.last,
                record.architectures or None,
                record.knobs,
                record.id,
                condition.either,
                kind=record.kind,
            )


def _condition(record: Record) -> Condition:
    if isinstance(record.where, str):
        found = CONDITIONS[record.scope][record.where]
        return found if isinstance(found, Condition) else Condition((), found)
    if record.scope == "engine":
        return scope.of_engine(record.where, record.subjects[0])
    return Condition((), scope.of_function(record.where))


def of(subject: str) -> tuple[Erratum, ...]:
    """Return the rows in force of an operation, a function or a group of graphs."""
    return state().rows.get(subject, ())


def concerns(row: Erratum) -> bool:
    """Return whether a row holds for the loaded release, on any device."""
    return row.concerns(library.load().number, lambda: None)
