"""Choices as files, and as plain values for other processes.

A file is JSON, sorted, with a line for each fact, so that versions of it can be compared:

    {
     "schema": "cudnn_cffi.choices",
     "version": 1,
     "choices": [
      {
       "operation": "convolution",
       "arrays": {"w": "float16[64, 64, 3, 3] NHWC", ...},
       "options": {"padding": 1, "flip": false},
       "device": "NVIDIA H200-...",
       "release": "9.19.0",
       "choice": {"via": "graph", "engine": 6, "knobs": {"TILE_SIZE": 3}},
       "how": "time",
       "time": 21.4,
       "workspace": 0
      },
      ...
"""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path

from ... import errors
from ..._support import files
from ..._support.arguments import path_of
from . import choices as book
from .choices import HOW, Choice, Choices

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


SCHEMA, VERSION = "cudnn_cffi.choices", 1

_FIELDS = {
    "operation": str, "arrays": dict, "options": dict, "settings": dict, "device": str,
    "release": str, "choice": dict, "how": str, "time": (int, float), "workspace": int,
}  # fmt: skip
#: Bound of times and of bytes.
_END = 1 << 63
_NEEDED = ("operation", "arrays", "device", "release", "choice")


def save(path: str | os.PathLike[str], *, replace: bool = False) -> Choices:
    """Write what was chosen to a file, and keep what others have written to it.

    Several processes may save to one file: each waits for the others, reads what is there, and
    writes the whole anew. For the same key a choice by hand counts more than one by timing, the
    faster of two timings more than the other, and a timing more than a heuristic.

    Args:
        path: the file; its folder is made.
        replace: whether what is in the file is dropped.

    Returns: the entries that the file has now.

    Raises:
        ArgumentError: there is a file that has no choices; it stays as it is.
        OSError: the file cannot be written.
    """
    target = path_of(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    with files.locked(target):
        old = _read(target) if target.exists() and not replace else ()
        found = _combined([*old, *book.choices()])
        files.replace(target, _encode(found), mode=0o666)
    return found


def load(path: str | os.PathLike[str]) -> Choices:
    """Compute operations and graphs as a file says, from now on.

    Entries answer searches: those of "heuristic" and "time", where operation, arrays, options,
    settings, device and release are the same. An entry that was chosen by a heuristic does not
    answer "time". A pick by name of a call, operation or scope still holds. An
    entry that cuDNN refuses is a warning, and a search takes its place.

    Args:
        path: a file of `save`, perhaps edited.

    Returns: the entries, also those of other devices and releases.

    Raises:
        ArgumentError: the file is none of choices. A single entry that is damaged is a warning that
            names it.
        OSError: it cannot be read, is no regular file, or has more than 64 MiB.
    """
    found = _read(path_of(path))
    book.adopt_all(found)
    return found


def merge(
    *sources: object, into: str | os.PathLike[str] | None = None
) -> Choices:  # fmt: skip
    """Combine choices of several files, or of several processes, as `save` does.

    Args:
        sources: paths, what `export` returned, or `Choices`.
        into: a file to write the result to.

    Raises:
        ArgumentError, OSError: as `load` and `save` do.
    """
    found = _combined([each for source in sources for each in _of(source)])
    if into is not None:
        target = Path(into)
        target.parent.mkdir(parents=True, exist_ok=True)
        with files.locked(target):
            files.replace(target, _encode(found), mode=0o666)
    return found


def export(*, timed: bool = False) -> dict[str, object]:
    """Return what was chosen as plain values, for another process of the same kind of device.

    For example, `torch.distributed.broadcast_object_list([choice.export()])` on rank 0, and
    `choice.adopt` of the result on the others.

    Args:
        timed: whether only what was timed, or said by hand, is wanted.
    """
    found = [each for each in book.choices() if not timed or each.how != "heuristic"]
    return _document(found)


def adopt(source: object) -> Choices:
    """Take over choices of another process; as `load` does with those of a file.

    Args:
        source: what `export` returned, the same as JSON in bytes or text, or `Choices`.

    Raises:
        ArgumentError: it is nothing of the kind.
    """
    found = _of(source)
    book.adopt_all(found)
    return found


def _of(source: Any) -> Choices:
    if isinstance(source, Choices):
        return source
    if isinstance(source, Mapping):
        return _decode(source, "the choices")
    if isinstance(source, (bytes, bytearray)) or (
        isinstance(source, str) and source.lstrip()[:1] == "{"
    ):
        return _parse(source if isinstance(source, str) else bytes(source), "it")
    return _read(path_of(source, "source"))


def _combined(found: Iterable[Choice]) -> Choices:
    """Return the choice that counts most for each key, sorted."""
    best: dict[str, Choice] = {}
    for each in found:
        known = best.get(each.key)
        if known is None or each.beats(known):
            best[each.key] = each
    return Choices(sorted(best.values(), key=lambda c: (c.operation, c.device, c.release, c.key)))


def _document(found: Iterable[Choice]) -> dict[str, object]:
    return {"schema": SCHEMA, "version": VERSION, "choices": [each.to_dict() for each in found]}


def _encode(found: Iterable[Choice]) -> bytes:
    return f"{json.dumps(_document(found), indent=1)}\n".encode()


def _read(path: Path) -> Choices:
    return _parse(files.read(path), str(path))


def _parse(data: str | bytes, source: str) -> Choices:
    try:
        document = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise errors.ArgumentError(f"{source}: expected JSON: {error}") from error
    return _decode(document, source)


def _decode(document: object, source: str) -> Choices:
    if not isinstance(document, Mapping) or document.get("schema") != SCHEMA:
        raise errors.ArgumentError(f'{source}: "schema": expected "{SCHEMA}"')
    if document.get("version") != VERSION:
        raise errors.ArgumentError(
            f"{source}: expected version {VERSION}, got {document.get('version')!r}",
            hint="another version of this package wrote it",
        )
    rows = document.get("choices")
    if not isinstance(rows, list):
        raise errors.ArgumentError(f'{source}: expected a list of "choices"')
    found = []
    for index, row in enumerate(rows):
        try:
            found.append(_choice(row))
        except (ValueError, TypeError) as error:
            operation = row.get("operation", "?") if isinstance(row, Mapping) else "?"
            warnings.warn(
                f"{source}: choice {index} ({operation}) is not used: {error}",
                RuntimeWarning,
                stacklevel=2,
            )
    return Choices(found)


def _choice(row: object) -> Choice:
    """Return an entry of a file.

    Raises:
        ValueError, TypeError: something of it is not as it should be.
    """
    if not isinstance(row, Mapping):
        raise ValueError(f"expected an object, got {row!r}")
    _check_names(row, _FIELDS, _NEEDED)
    for name, value in row.items():
        kind = _FIELDS[name]
        if not isinstance(value, kind) or isinstance(value, bool):  # type: ignore[arg-type]
            raise ValueError(f"{name}: got {value!r}")
        if isinstance(value, (int, float)) and not 0 <= value < _END:
            raise ValueError(f"{name}: expected a number from 0 on, got {value!r}")
    fields = {name: value for name, value in row.items() if name != "choice"}
    if row.get("how", HOW[0]) not in HOW:
        raise ValueError(f"how: expected one of {', '.join(HOW)}, got {row['how']!r}")
    chosen = row["choice"]
    via = chosen.get("via", "graph" if "engine" in chosen else "classic")
    if via not in ("graph", "classic"):
        raise ValueError(f'choice.via: expected "graph" or "classic", got {via!r}')
    allowed = ("via", "engine", "knobs") if via == "graph" else ("via", "algorithm")
    _check_names(chosen, allowed, ("engine",) if via == "graph" else ())
    engine, knobs = chosen.get("engine"), chosen.get("knobs", {})
    if via == "graph" and (not isinstance(engine, int) or isinstance(engine, bool) or engine < 0):
        raise ValueError(f"choice.engine: expected an index, got {engine!r}")
    if not isinstance(knobs, Mapping) or not all(type(each) is int for each in knobs.values()):
        raise ValueError(f"choice.knobs: expected whole numbers by name, got {knobs!r}")
    algorithm = chosen.get("algorithm", "")
    if not isinstance(algorithm, str):
        raise ValueError(f"choice.algorithm: expected a name, got {algorithm!r}")
    made = {"options": {}, "settings": {}, "how": HOW[0], **fields}
    return Choice(**made, via=via, engine=engine, knobs=dict(knobs), algorithm=algorithm)


def _check_names(row: Mapping[str, object], known: Iterable[str], needed: Iterable[str]) -> None:
    wrong = [name for name in row if name not in known]
    if wrong:
        raise ValueError(f"there is no field {wrong[0]!r}; those are {', '.join(known)}")
    missing = [name for name in needed if name not in row]
    if missing:
        raise ValueError(f"{missing[0]} is missing")
