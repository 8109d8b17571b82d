"""Records of a collection: a file of JSON lines, which a next run continues.

The first line is about the machine, each other line about a case. `pack` makes the database of it,
in the form that `cudnn_cffi.choice.database` reads.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from cudnn_cffi.choice.database import Timed
from cudnn_cffi.choice.database.reader import SCHEMA as SCHEMA
from cudnn_cffi.choice.database.reader import VERSION as VERSION

#: The names of a row of a case, in this order; `Timed` says what each is. A record has the values
#: of knobs by name.
ROW = Timed._fields


class Record:
    """A file of lines that a run continues.

    Attributes:
        done: the names of the cases that it has.
        header: its first line; empty for a new file.
    """

    def __init__(self, path: Path) -> None:
        """Open the file, or make it; a last line that was cut is dropped."""
        self.done: set[str] = set()
        self.header: dict[str, Any] = {}
        lines = []
        if path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                try:
                    found = json.loads(line)
                except ValueError:
                    break
                lines.append(line)
                if "schema" in found:
                    self.header = found
                else:
                    self.done.add(found["case"])
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        self._file = path.open("a", encoding="utf-8", buffering=1)

    def begin(self, header: Mapping[str, Any]) -> None:
        """Write the first line of a new file, or check that of an old one.

        Raises:
            ValueError: the file is of another device, release or seed.
        """
        for name in ("schema", "version", "device", "release", "seed"):
            if self.header and self.header.get(name) != header[name]:
                raise ValueError(
                    f"the record has {name} {self.header.get(name)!r}, this run {header[name]!r}"
                )
        if not self.header:
            self.header = dict(header)
            self._file.write(_line(self.header))

    def add(self, found: Mapping[str, Any]) -> None:
        """Write what was found of a case."""
        self.done.add(found["case"])
        self._file.write(_line(found))

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _line(value: object) -> str:
    return json.dumps(value, separators=(",", ":")) + "\n"


def read(path: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the first line and the cases of a record or a database, as a record has them."""
    head, *rest = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    names = next((each["knobs"] for each in rest if "knobs" in each), None)
    cases = [each for each in rest if "case" in each]
    if names is not None:
        for each in cases:
            each["rows"] = [[row[0], names[row[1]], *row[2:]] for row in each["rows"]]
    return head, cases


def pack(paths: Iterable[Path], target: Path) -> tuple[Path, int]:
    """Write the database of records of one device and release; return its path and its cases.

    Databases can be among the records; the first file that has a case counts. Cases whose first
    suggestion of heuristics was not timed are left out: others may be slower than a choice without
    the database. A target that is a folder gets a file named after device and release. Cases are
    sorted by name. Values of knobs are there once, in the second line; rows have their place there.
    The last line is a hash of all others.

    Raises:
        ValueError: the records are of several devices or releases, or have no case.
    """
    header: dict[str, Any] = {}
    cases: dict[str, dict[str, Any]] = {}
    for path in paths:
        head, several = read(path)
        for name in ("device", "release"):
            if header and header[name] != head[name]:
                raise ValueError(f"{path}: {name} {head[name]!r}, others {header[name]!r}")
        header = header or head
        for each in several:
            cases.setdefault(each["case"], each)
    rank = ROW.index("rank")
    kept = [
        each
        for _, each in sorted(cases.items())
        if any(row[rank] == 0 for row in each.get("rows", ()))
    ]
    if not header or not kept:
        raise ValueError("expected records with a first line and cases, got none")
    knobs: dict[str, int] = {}
    lines = []
    for each in kept:
        rows = []
        for row in each["rows"]:
            text = json.dumps(row[1], sort_keys=True)
            rows.append([row[0], knobs.setdefault(text, len(knobs)), *row[2:]])
        lines.append(_line({**each, "rows": rows}))
    head = {**header, "cases": len(kept)}
    body = _line(head) + _line({"knobs": [json.loads(each) for each in knobs]}) + "".join(lines)
    digest = hashlib.sha256(body.encode()).hexdigest()
    if target.is_dir():
        from cudnn_cffi.choice.database.table import file_of

        target /= file_of(head["device"], head["release"]).name
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(body + _line({"sha256": digest}), encoding="utf-8")
    return target, len(kept)
