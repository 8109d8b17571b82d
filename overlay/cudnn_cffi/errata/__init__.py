"""Known errors of cuDNN as records: list them, add others from files, switch them off and on.

The package leaves out engines, refuses graphs and takes other ways because of them; `asks` and
`graphs` answer what it asks. Each record has an id that never changes:

    import cudnn_cffi as cudnn

    for each in cudnn.errata.records(subject="Matmul"):
        print(each)
    cudnn.errata.load("mine.json")
    with cudnn.errata.off("matmul-odd-rows"):
        plan = graph.build(engine=2)

The records of the package are in errata.json, which is read on first use. Files of the environment
variable CUDNN_CFFI_ERRATA, separated like PATH, are added then. A file is ours, as `files`
describes it, or one of NVIDIA's front end, which PyTorch and TensorFlow read too.

Switching and loading hold for the process; what was chosen before is chosen anew.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

from .. import errors
from .._advice.words import plain
from .._support.arguments import boolean
from ..versions import version_name
from . import files, table
from .conditions import CONDITIONS
from .record import KINDS as KINDS
from .record import Record as Record

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Literal, Self

    from .record import Kind


class Switched:
    """Switches that were changed; the end of a `with` block undoes that."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        table.switch_back(self)


def records(
    *,
    subject: str | None = None,
    kind: Kind | None = None,
    verified: bool | None = None,
    on: bool | None = None,
) -> tuple[Record, ...]:
    """Return the records: those of the package, then those that were added.

    Args:
        subject: an operation or function, such as "Matmul" or "convolution": records are returned
            one of whose subjects has a word that begins so, in any case; None for all.
        kind: one of `KINDS`; None for all.
        verified: whether they were seen by the tests of this package; None for both.
        on: whether the package avoids them now; None for both.

    Raises:
        ArgumentError: there is no such kind, or no record of such a subject, which is no C
            function; or `verified` or `on` is no boolean.
        ErrataError: a file of CUDNN_CFFI_ERRATA is damaged.
    """
    if kind is not None and not (isinstance(kind, str) and kind in KINDS):
        raise errors.ArgumentError(f"kind: expected one of {', '.join(KINDS)}, got {kind!r}")
    if verified is not None:
        verified = boolean(verified, "verified")
    if on is not None:
        on = boolean(on, "on")
    known = table.state().records.values()
    about = None if subject is None else _subjects(subject, known)
    return tuple(
        each
        for each in known
        if (about is None or not about.isdisjoint(each.subjects))
        and kind in (None, each.kind)
        and verified in (None, each.verified)
        and on in (None, is_on(each.id))
    )


def _subjects(word: str, known: Iterable[Record]) -> set[str]:
    """Return the subjects that a word names.

    Raises:
        ArgumentError: there is none, and it is no C function.
    """
    if not isinstance(word, str):
        raise errors.ArgumentError(f"subject: expected a text, got {word!r}")
    subjects = {each for record in known for each in record.subjects}
    found = {
        each
        for each in subjects
        if any(plain(part).startswith(plain(word)) for part in (each, *each.split()))
    }
    if not found and not word.startswith("cudnn"):
        raise errors.ArgumentError(
            f"subject: no erratum is about {word!r}",
            hint=f"there are some about: {', '.join(sorted(subjects, key=str.lower))}",
        )
    return found


def get(id: str) -> Record:
    """Return a record by its id.

    Raises:
        ArgumentError: there is none; the hint has similar ids.
    """
    found = table.state().records
    if not isinstance(id, str) or id not in found:
        from difflib import get_close_matches

        near = get_close_matches(str(id), found, 3, 0.4)
        raise errors.ArgumentError(
            f"there is no erratum {id!r}",
            hint=f"similar ids: {', '.join(near)}" if near else "errata.records() lists them",
        )
    return found[id]


def is_on(id: str) -> bool:
    """Return whether the package avoids what a record describes.

    Raises:
        ArgumentError: there is no such record.
    """
    return table.state().switched.get(id, get(id).avoided)


def load(path: str | os.PathLike[str]) -> tuple[Record, ...]:
    """Add the records of a file, ours or the front end's, and return them.

    Raises:
        ErrataError: the file is damaged, or has an entry that matches nothing or an id that is
            there already; the error names the entry, and nothing of the file is used.
        OSError: it cannot be read, is no regular file, or has more than 8 MiB.
    """
    known = table.state().records
    found = files.added(path, known, CONDITIONS)
    table.add(found)
    return tuple(found.values())


def save(
    path: str | os.PathLike[str],
    records: Iterable[Record] | None = None,
    *,
    format: Literal["cudnn_cffi", "frontend"] = "cudnn_cffi",
) -> None:
    """Write records to a file.

    Args:
        path: the file, which is replaced.
        records: by default those that were added.
        format: "cudnn_cffi", or "frontend" for the file of CUDNN_ERRATA_JSON_FILE that NVIDIA's
            front end, PyTorch and TensorFlow read.

    Raises:
        ArgumentError: there is no such format.
        ErrataError: the front end's format cannot express a record: it has the operations of a
            whole graph, engines, knobs, releases and extents of convolutions.
        OSError: the file cannot be written.
    """
    if not isinstance(format, str) or format not in ("cudnn_cffi", "frontend"):
        raise errors.ArgumentError(f'format: expected "cudnn_cffi" or "frontend", got {format!r}')
    if records is None:
        records = [each for each in table.state().records.values() if each.own]
    records = tuple(records) if isinstance(records, Iterable) else (records,)
    for each in records:
        _check(each)
    files.save(path, records, frontend=format == "frontend")


def off(*ids: str) -> Switched:
    """Use what records describe as if they were not there.

    Args:
        ids: of the records.

    Returns: what ends this with a `with` block.

    Raises:
        ArgumentError: there is no such record; nothing is switched.
    """
    return _switch(ids, False)


def on(*ids: str) -> Switched:
    """Avoid what records describe, also those that are advice only; see `off`.

    Raises:
        ArgumentError: there is no such record, or it names no engine; nothing is switched.
    """
    return _switch(ids, True)


def _switch(ids: Iterable[str], value: bool) -> Switched:
    for record in map(get, ids):
        if value and record.scope == "engine" and not record.engines:
            raise errors.ArgumentError(
                f"{record.id}: it names no engine to leave out", hint=record.workaround or ""
            )
    made = Switched()
    table.switch(dict.fromkeys(ids, value), made)
    return made


def releases_of(record: Record) -> str:
    """Return the releases that a record holds for, in words."""
    _check(record)
    first = [f"from {version_name(record.first)}"] if record.first else []
    last = [f"before {version_name(record.last + 1)}"] if record.last else []
    return ", ".join([*first, *last]) or "all"


def _check(record: object) -> None:
    if not isinstance(record, Record):
        raise errors.ArgumentError(f"expected a Record of errata, got {record!r}")
