"""Records of calls: operations with their shapes, engine or algorithm, workspace and time."""

from __future__ import annotations

import json
import logging
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from .._support import fork
from .._support.results import NamedTuple
from .._ways.array_spec import Spec
from .._ways.case import plan_of
from ..arrays.libraries import current_stream, library_of
from ..choice.record_table import format_bytes, format_html, format_table
from ..driver import device_of
from ..driver.streams import Event
from ..handles.placing import choose_handle
from ..plan import Sequence
from ..plan.run.compiled import count_replays

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


_log = logging.getLogger("cudnn_cffi.ops")

#: The loggers that `verbose` writes to: the others tell of calls that PyTorch computes, and of
#: graphs whose engines were timed.
_loggers = _log, *(logging.getLogger(f"cudnn_cffi.{name}") for name in ("torch", "choice"))


class Entry(NamedTuple):
    """One call of an operation.

    Attributes:
        operation: the name of its function.
        section: "forward", "data" or "filter".
        arrays: the inputs by name, as text: data type, shape and layout.
        via: "graph" or "classic".
        way: the engine, "several plans", or the algorithm or function.
        knobs: values of the engine's knobs by name.
        workspace: in bytes.
        host: microseconds on the host; the first call of a shape takes many.
        device: microseconds between two events around the call; None where not asked for.
        replayed: whether the call was launched as a CUDA graph, and not executed by cuDNN.
    """

    operation: str
    section: str
    arrays: dict[str, str]
    via: str
    way: str
    knobs: dict[str, int]
    workspace: int
    host: float
    device: float | None
    replayed: bool = False

    def to_dict(self) -> dict[str, object]:
        """Return the fields by name."""
        return self._asdict()


class Recording(list[Entry]):
    """The calls of a `record` block, in their order; prints as a table, in notebooks as HTML."""

    def __init__(self, timed: bool) -> None:
        super().__init__()
        self.timed = timed

    def to_dicts(self) -> list[dict[str, object]]:
        """Return each entry as a dictionary of plain values."""
        return [each.to_dict() for each in self]

    def to_json(self) -> str:
        """Return all entries as JSON."""
        return json.dumps(self.to_dicts(), indent=1)

    def _rows(self) -> Iterator[tuple[str, ...]]:
        for each in self:
            yield (
                each.operation,
                "; ".join(f"{name} {text}" for name, text in each.arrays.items()),
                each.via,
                each.way,
                format_bytes(each.workspace),
                f"{each.host:.0f}",
                "-" if each.device is None else f"{each.device:.1f}",
                "replayed" if each.replayed else "executed",
            )

    def __repr__(self) -> str:
        if not self:
            return "Recording: empty"
        rows = ((str(place), *row) for place, row in enumerate(self._rows()))
        return format_table(("", *_COLUMNS), rows)

    def _repr_html_(self) -> str:
        return format_html(_COLUMNS, self._rows())


_COLUMNS = ("operation", "arrays", "via", "way", "workspace", "host us", "device us", "call")


#: The recordings that are open; operations take their short path where there is none.
watchers: list[Any] = []
_lock = fork.lock()


class _Log:
    """Takes entries as a recording does, and writes each to the log."""

    timed = False

    def append(self, entry: Entry) -> None:
        arrays = ", ".join(f"{name} {text}" for name, text in entry.arrays.items())
        _log.info(
            "%s(%s): %s %s, workspace %s, %.0f us on the host, %s",
            entry.operation, arrays, entry.via, entry.way, format_bytes(entry.workspace),
            entry.host, "replayed" if entry.replayed else "executed",
        )  # fmt: skip


class _Printer(logging.Handler):
    """Prints records to stderr that no other handler takes, also if one is set up later."""

    def emit(self, record: logging.LogRecord) -> None:
        logger: logging.Logger | None = logging.getLogger(record.name)
        while logger is not None:
            if any(each is not self and record.levelno >= each.level for each in logger.handlers):
                return
            logger = logger.parent if logger.propagate else None
        print(self.format(record), file=sys.stderr, flush=True)


_verbose = _Log()
_printer = _Printer()
#: The levels that loggers had before `verbose` was switched on.
_levels: list[int] = []


def verbose() -> bool:
    """Return whether each call is written to the logger "cudnn_cffi.ops"."""
    return _verbose in watchers


def set_verbose(on: bool) -> None:
    """Write each call of an operation to the logger "cudnn_cffi.ops", or stop doing so.

    Calls that PyTorch computes are written to "cudnn_cffi.torch", and graphs whose engines were
    timed to "cudnn_cffi.choice". All is printed to stderr if logging is not set up.
    """
    with _lock:
        if on and not verbose():
            watchers.append(_verbose)
            _levels[:] = [each.level for each in _loggers]
            for each in _loggers:
                each.addHandler(_printer)
                if not each.isEnabledFor(logging.INFO):
                    each.setLevel(logging.INFO)
        elif not on and verbose():
            watchers.remove(_verbose)
            for each, level in zip(_loggers, _levels, strict=True):
                each.removeHandler(_printer)
                each.setLevel(level)


def write(text: str) -> None:
    """Write a line to the logger "cudnn_cffi.ops", as `verbose` writes calls."""
    _log.info("%s", text)


@contextmanager
def record(*, time: bool = False) -> Iterator[Recording]:
    """Keep what runs while a `with` block runs, on all threads.

    Args:
        time: whether to measure times on the device too, for which each call is waited for.
    """
    made = Recording(time)
    with _lock:
        watchers.append(made)
    try:
        yield made
    finally:
        with _lock:  # another thread may begin one meanwhile
            watchers[:] = [each for each in watchers if each is not made]


def run(
    operation: Any,
    way: Any,
    specs: Mapping[str, Any],
    given: Mapping[str, Any],
    filled: Mapping[str, Any],
    more: Mapping[str, Any],
) -> Any:
    """Run a way, and tell all recordings of it."""
    timed = any(each.timed for each in watchers)
    marks = _begin(given, more) if timed else None
    replays = count_replays()
    start = time.perf_counter()
    answer = way(**given, **filled, **more)
    host = (time.perf_counter() - start) * 1e6
    device = _end(marks) if marks else None
    plan = plan_of(way)
    entry = Entry(
        operation.word,
        operation.section,
        {name: str(spec) for name, spec in specs.items()},
        "classic" if plan is None else "graph",
        way.algorithm or way.function if plan is None else _name_of(plan) + _detail_of(way),
        {} if plan is None else dict(plan.knobs),
        way.workspace_size,
        host,
        device,
        count_replays() > replays,
    )
    for each in tuple(watchers):
        each.append(entry)
    return answer


def _name_of(plan: Any) -> str:
    return "several plans" if isinstance(plan, Sequence) else f"engine {plan.engine}"


def _detail_of(way: Any) -> str:
    """Return the lengths that the plan of a way is for, as text."""
    return str(getattr(way, "detail", ""))


def _begin(given: Mapping[str, Any], more: Mapping[str, Any]) -> tuple[Event, Event, int]:
    """Put an event into the stream that a call will use, and return it with a second one."""
    first = next(iter(given.values()))
    place = Spec.of(first, "").device
    handle, stream = more.get("handle"), more.get("stream", ...)
    if handle is None and stream is ...:
        current = current_stream(library_of(first), device_of() if place is None else place)
    else:
        current = None
    chosen = choose_handle(handle, stream, current, place)
    address = chosen.get_stream()
    with chosen._current():
        marks = Event(), Event(), address
        marks[0].record(address)
    return marks


def _end(marks: tuple[Event, Event, int]) -> float:
    """Return the microseconds since `_begin`, when the stream has got here."""
    start, end, stream = marks
    end.record(stream)
    end.synchronize()
    return (end - start) * 1000
