"""Files of databases: they are checked as a whole, and nothing of a file with an error is used.

A file has a line of JSON for each part. The first is about the device, the second lists values of
knobs, each further one is about a graph, and the last is a hash of all lines before it:

    {"schema":"cudnn_cffi.engines","version":1,"device":"NVIDIA H200-9372cc72ead3d779",...}
    {"knobs":[{},{"TILE_SIZE":3},...]}
    {"case":"convolution float16 {...}","signature":"6164516d...","rows":[[62,1,0,61.4,...],...]}
    {"sha256":"..."}

A row is an engine, the place of its knobs, its rank, time, workspace, error, flags, and how long
it was built, as `Timed` describes them.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from ... import errors
from ..._support import files
from ..._support.arguments import path_of
from ..._support.results import NamedTuple
from ..._tables import newest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

SCHEMA, VERSION = "cudnn_cffi.engines", 1

#: Longest file, in bytes.
_LONGEST = 64 << 20

#: The fields of the first line, with their types.
_FIELDS: dict[str, type] = {
    "device": str, "name": str, "compute_capability": list, "multiprocessors": int,
    "release": str, "commit": str, "date": str, "cases": int,
}  # fmt: skip

#: The fields of a case that must be there, with their types.
_OF_CASE: dict[str, type] = {"case": str, "kind": str, "signature": str, "rows": list}

_SIGNATURE = re.compile(r"[0-9a-f]{24}")
_FIND = re.compile(rb'"signature": ?"([0-9a-f]{24})"')

#: Names of cases have the figures of a shape as JSON.
_VOLUMES, _FIRST = re.compile(r'"x":\[\d+(,\d+){4}\]'), '"layout":"NCHW"'

#: Letters of `Timed.flags`.
FLAGS = {
    "d": "cuDNN says that the same input gives the same bits each time",
    "b": "two runs gave the same bits",
    "c": "compiled at run time",
    "o": "timed by one run, which took more than three times as long as the fastest",
    "w": "wrong: the error is beyond what the data type allows",
    "x": "failed, hung, or lost the device",
}

#: The part by which the choice of heuristics may be slower than the fastest before it is a miss.
MARGIN = 0.1

#: The factor to a faster engine beyond which a choice without timing leaves the suggested one.
SLOW = 3.0

#: The factor to the suggested engine's error that such an engine may have, and the bytes of
#: workspace that it may need in any case.
AS_EXACT, ROOM = 1.5, 32 << 20


class Timed(NamedTuple):
    """An engine with values of its knobs, and its results on the device.

    Attributes:
        engine: its index.
        knobs: values of its knobs by name; cuDNN's defaults for others.
        rank: its place among what heuristics suggest, from 0; None if they do not.
        time: the median in microseconds; None if it was not timed.
        workspace: in bytes; None if there was no plan.
        error: the norm of the difference from float64 over the norm of float64, the largest of all
            outputs; None if nothing was compared, or for NaN.
        flags: letters of `FLAGS`.
        build: milliseconds of a processor that its plan took to build.
    """

    engine: int
    knobs: Mapping[str, int]
    rank: int | None
    time: float | None
    workspace: int | None
    error: float | None
    flags: str
    build: float

    @property
    def is_right(self) -> bool:
        """Return whether it was timed and computed what it should."""
        return self.time is not None and not set("wx") & set(self.flags)

    @property
    def is_deterministic(self) -> bool:
        """Return whether cuDNN says that it repeats bits, and two runs did so."""
        return "d" in self.flags and "b" in self.flags


class Case(NamedTuple):
    """A graph, and the results of all engines that were built for it.

    Attributes:
        name: operation, data type and shape, as text.
        kind: the kind of layer: "convolution", "attention", ...
        signature: what it is found by.
        networks: the networks that have it.
        rows: engines that computed right numbers, the fastest first, then others.
        refused: indices of engines that do not support it.
    """

    name: str
    kind: str
    signature: str
    networks: tuple[str, ...]
    rows: tuple[Timed, ...]
    refused: tuple[int, ...]

    @property
    def form(self) -> str:
        """Return how its images are: "3-D", "channels first", both, or "" for neither."""
        words = ("3-D", _VOLUMES.search(self.name)), ("channels first", _FIRST in self.name)
        return ", ".join(word for word, is_so in words if is_so)

    @property
    def best(self) -> Timed | None:
        """Return the fastest engine of those that are right; None if there is none."""
        return self.rows[0] if self.rows and self.rows[0].is_right else None

    @property
    def suggested(self) -> Timed | None:
        """Return the engine that is used without timing: the first suggestion that is right."""
        ranked = [each for each in self.rows if each.rank is not None and each.is_right]
        return min(ranked, key=lambda each: each.rank or 0, default=None)

    @property
    def faster(self) -> tuple[Timed, ...]:
        """Return the engines that a choice without timing takes first, the fastest before others.

        The suggested one takes more than `SLOW` times as long as each, which is as exact, is
        deterministic if the suggested one is, and needs as little workspace or less than `ROOM`.
        """
        own = self.suggested
        if own is None or own.time is None or own.error is None:
            return ()
        room = max(own.workspace or 0, ROOM)
        return tuple([
            each
            for each in self.rows
            if each.is_right
            and (each.time or 0) * SLOW < own.time
            and each.error is not None
            and each.error <= own.error * AS_EXACT
            and (each.workspace or 0) <= room
            and (each.is_deterministic or not own.is_deterministic)
        ])  # fmt: skip

    @property
    def loss(self) -> float | None:
        """Return how much longer the suggested engine takes than the fastest, as a part of it.

        It is None if fewer than two rows are right: then there is nothing to choose.
        """
        best, suggested = self.best, self.suggested
        if sum(each.is_right for each in self.rows) < 2 or best is None or suggested is None:
            return None
        if not best.time or suggested.time is None:
            return None
        return suggested.time / best.time - 1


class Database(NamedTuple):
    """The contents of a file.

    Attributes:
        path: of the file.
        device: the name and fingerprint of the device, as `DeviceProperties.kind`.
        name: of the device.
        compute_capability: major and minor number.
        multiprocessors: how many it has.
        release: of cuDNN.
        commit: of this package, that recorded it.
        date: of the recording, YYYY-MM-DD.
        cases: by their signatures.
    """

    path: str
    device: str
    name: str
    compute_capability: tuple[int, ...]
    multiprocessors: int
    release: str
    commit: str
    date: str
    cases: Mapping[str, Case]

    def missed(self, margin: float = MARGIN) -> tuple[int, int]:
        """Return in how many cases heuristics miss the fastest engine, and in how many they may.

        Args:
            margin: how much slower the suggested engine may be before it is a miss.
        """
        losses = [each.loss for each in self.cases.values()]
        known = [each for each in losses if each is not None]
        return sum(each > margin for each in known), len(known)


class _DamagedError(Exception):
    """A line that cannot be used, and why."""


class _Cases(Mapping[str, Case]):
    """The cases of a file whose hash is right, each read when it is asked for."""

    def __init__(self, source: str, lines: list[bytes], knobs: list[dict[str, int]]) -> None:
        self._source, self._lines, self._knobs = source, lines, knobs
        found = enumerate(map(_FIND.search, lines[2:-2]), 2)
        self._places = {each[1].decode(): place for place, each in found if each is not None}

    def __getitem__(self, signature: str) -> Case:
        place = self._places[signature]
        with _named(self._source):
            return _case(_object(self._lines[place], place + 1), self._knobs, place + 1)

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


@contextmanager
def _named(source: str) -> Iterator[None]:
    """Turn what is wrong in a `with` block into an error that names the file."""
    try:
        yield
    except _DamagedError as error:
        raise errors.DatabaseError(
            f"{source}: {error}",
            hint="python -m benchmarks.engines --pack writes such files; none of this one is used",
        ) from None


def read(path: str | os.PathLike[str], *, lazily: bool = False) -> Database:
    """Return the contents of a file, of any device and release.

    Args:
        path: the file.
        lazily: whether each case is checked when it is asked for, and not all at once.

    Raises:
        DatabaseError: it is damaged, or has an entry that matches nothing.
        OSError: it cannot be read, is no regular file, or is too long.
    """
    source = str(path_of(path))
    lines = files.read(path, _LONGEST).split(b"\n")
    with _named(source):
        return _database(source, lines, lazily)


def _database(source: str, lines: list[bytes], lazily: bool) -> Database:
    """Return what lines have; the first, the second and the last two are not about cases."""
    head = _object(lines[0], 1)
    for name, wanted in (("schema", SCHEMA), ("version", VERSION)):
        if head.get(name) != wanted:
            raise _DamagedError(f'line 1: "{name}": expected {wanted!r}, got {head.get(name)!r}')
    _check(head, _FIELDS, 1)
    if len(lines) < 5 or lines[-1]:
        raise _DamagedError(f"expected {head['cases']} cases and a hash, got {len(lines)} lines")
    body = b"\n".join(lines[:-2]) + b"\n"
    last = _object(lines[-2], len(lines) - 1)
    if last.get("sha256") != hashlib.sha256(body).hexdigest():
        raise _DamagedError("the hash in the last line is not that of the other lines")
    knobs = _knobs(_object(lines[1], 2))
    cases: Mapping[str, Case] = _Cases(source, lines, knobs)
    if not lazily:
        cases = _checked(lines, knobs)
    if len(cases) != head["cases"]:
        raise _DamagedError(f"expected {head['cases']} cases, got {len(cases)}")
    own = {name: head[name] for name in _FIELDS if name != "cases"}
    own["compute_capability"] = tuple(own["compute_capability"])
    return Database(path=source, cases=cases, **own)


def _checked(lines: list[bytes], knobs: list[dict[str, int]]) -> dict[str, Case]:
    """Return all cases, read at once."""
    cases: dict[str, Case] = {}
    for number, line in enumerate(lines[2:-2], 3):
        case = _case(_object(line, number), knobs, number)
        if case.signature in cases:
            raise _DamagedError(f"line {number}: {case.name} is there twice")
        cases[case.signature] = case
    return cases


def _object(line: bytes, number: int) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise _DamagedError(f"line {number}: expected JSON: {error}") from None
    if not isinstance(found, dict):
        raise _DamagedError(f"line {number}: expected an object, got {type(found).__name__}")
    return found


def _check(found: Mapping[str, Any], fields: Mapping[str, type], line: int) -> None:
    for name, kind in fields.items():
        value = found.get(name)
        if not isinstance(value, kind) or isinstance(value, bool):
            raise _DamagedError(f'line {line}: "{name}": expected {kind.__name__}, got {value!r}')


def _knobs(found: Mapping[str, Any]) -> list[dict[str, int]]:
    """Return the values of knobs that rows refer to."""
    given = found.get("knobs")
    if not isinstance(given, list):
        raise _DamagedError(f'line 2: "knobs": expected list, got {given!r}')
    known = newest().enum("BackendKnobType").__members__
    for each in given:
        if not isinstance(each, dict) or not all(type(value) is int for value in each.values()):
            raise _DamagedError(f"line 2: expected whole numbers by names, got {each!r}")
        unknown = [name for name in each if name not in known]
        if unknown:
            raise _DamagedError(f"line 2: there is no knob {unknown[0]!r}")
    return given


def _case(found: Mapping[str, Any], knobs: Sequence[Mapping[str, int]], number: int) -> Case:
    """Return the case of a line."""
    _check(found, _OF_CASE, number)
    signature = found["signature"]
    name = f"line {number}: {found['case']}"
    if not _SIGNATURE.fullmatch(signature):
        raise _DamagedError(f"{name}: expected a signature of 24 hex digits, got {signature!r}")
    rows = [_row(row, knobs, name) for row in found["rows"]]
    if not rows:
        raise _DamagedError(f"{name}: expected engines, got none, so that it matches nothing")
    rows.sort(key=lambda each: (not each.is_right, each.time or math.inf))
    several = {field: found.get(field, []) for field in ("networks", "refused")}
    _check(several, dict.fromkeys(several, list), number)
    return Case(
        found["case"],
        found["kind"],
        signature,
        tuple(several["networks"]),
        tuple(rows),
        tuple(several["refused"]),
    )


def _row(row: object, knobs: Sequence[Mapping[str, int]], name: str) -> Timed:
    """Return the results of an engine."""
    if not isinstance(row, list) or len(row) != len(Timed._fields):
        raise _DamagedError(f"{name}: expected a row of {len(Timed._fields)} values, got {row!r}")
    engine, place, rank, time, workspace, error, flags, build = row
    if type(engine) is not int or engine < 0:
        raise _DamagedError(f"{name}: expected the index of an engine, got {engine!r}")
    if type(place) is not int or not 0 <= place < len(knobs):
        raise _DamagedError(f"{name}: expected a place of knobs, got {place!r}")
    if not isinstance(flags, str) or not set(flags) <= FLAGS.keys():
        raise _DamagedError(f"{name}: expected flags of {''.join(FLAGS)}, got {flags!r}")
    for value in (rank, time, workspace, error, build):
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if value is not None and not (is_number and 0 <= value < 1 << 63):
            raise _DamagedError(f"{name}: expected a number or null, got {value!r}")
    return Timed(engine, knobs[place], rank, time, workspace, error, flags, build)
