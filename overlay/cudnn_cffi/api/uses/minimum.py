"""The releases that a code base works with, and what keeps it from the others.

A release serves a program when it has every name, header and library that the program uses there:
C sources are read as a compiler for that release reads them, with its `CUDNN_VERSION`. A name whose
meaning changes between two releases keeps the program from neither, since nobody can tell which of
the two it was written for: such steps are listed instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from typing import Any

import msgspec

from ..._support.wording import numbered
from .. import store
from ..diff import compare, tags, things
from ..errors import CannotCompareError
from ..formats import json, words
from ..inputs.sides import all_sides
from ..model import Api, version_key
from ..names import pynames
from ..names.earlier import EARLIER
from ..names.known import QUIET, Known, exported
from ..records import Item, Place, Side
from ..rules import AXES
from . import concerning
from .files import Program
from .names import Uses, Wanted
from .preprocessor import Macros, macros

SCHEMA = 2


class Lack(msgspec.Struct, frozen=True):
    """Something that a program uses and a release does not have."""

    name: str  # of C, of a header or of a library's file
    places: tuple[Place, ...]
    note: str | None = None  # when it was removed or added


class Fit(msgspec.Struct, frozen=True):
    """A release, and what the program lacks there: nothing where it works."""

    release: str
    lacks: tuple[Lack, ...] = ()


class Step(msgspec.Struct, frozen=True):
    """Two releases that both have all names, between which some of them change."""

    old: str
    new: str
    items: tuple[Item, ...]


class Minimum(msgspec.Struct, frozen=True):
    """The releases that a code base works with.

    Attributes:
        schema: the version of this record's form.
        paths: what was read.
        files: how many files that is, and how many of them use cuDNN.
        names: how many names of cuDNN's they use, in any release.
        oldest, newest: the ends of the newest releases in a row that it works with, or None.
        fits: every release known, oldest first.
        steps: breaking changes of what it uses, between releases that it works with.
        skipped: files that could not be read, and why.
        unread: files that mention cuDNN, in languages that are not read, and the language.
        sought: functions among the strings of compiled files that look symbols up, which some
            release lacks. Whether the program can do without them cannot be seen.
        unknown: names like cuDNN's that no release has and that no file read declares.
    """

    schema: int
    paths: tuple[str, ...]
    files: int
    using: int
    names: int
    oldest: str | None
    newest: str | None
    fits: tuple[Fit, ...]
    steps: tuple[Step, ...]
    skipped: tuple[str, ...]
    unread: tuple[str, ...]
    sought: tuple[Lack, ...]
    unknown: tuple[Lack, ...]

    @property
    def clear(self) -> bool:
        """Whether some release has all, and all was looked at and is known."""
        return self.oldest is not None and not self.unread and not self.unknown


def of(paths: Sequence[str]) -> Minimum:
    """Return the releases that the code in `paths` works with.

    Raises:
        CannotCompareError: a path that cannot be read, or no use of cuDNN at all.
    """
    sides = all_sides(store())
    wanted = _Wanted(sides)
    program = Program(paths, wanted.of(sides[-1][1]))
    found: dict[str, Uses] = {}
    names: set[str] = set()
    unknown: dict[str, set[Place]] = {}
    for side, api in sides:
        uses, summary = program.scan(wanted.of(api))
        found[side.version] = uses
        names |= set(uses.names())
        for name in uses.of_kind("unknown"):
            unknown.setdefault(name, set()).update(uses.at(f"unknown {name}"))
    if not summary.using:
        raise CannotCompareError(words.no_use(summary))
    fits = tuple(
        Fit(side.version, tuple(wanted.lacks(side, api, found[side.version])))
        for side, api in sides
    )
    row = _newest_row(fits)
    return Minimum(
        schema=SCHEMA,
        paths=tuple(map(words.printable, paths)),
        files=summary.files,
        using=summary.using,
        names=len(names),
        oldest=row[0] if row else None,
        newest=row[-1] if row else None,
        fits=fits,
        steps=tuple(_steps([side for side in sides if side[0].version in row], found)),
        skipped=tuple(map(words.printable, summary.skipped)),
        unread=tuple(map(words.printable, summary.unread)),
        sought=tuple(wanted.sought(sides, uses)),
        unknown=tuple(Lack(name, _shown(unknown[name])) for name in sorted(unknown)),
    )


def _shown(places: Iterable[Place]) -> tuple[Place, ...]:
    return tuple(map(words.shown_place, sorted(set(places))))


class _Wanted:
    """Names to look for, with the preprocessor's knowledge of one release or another."""

    def __init__(self, sides: Sequence[tuple[Side, Api]]) -> None:
        apis = [api for _, api in sides]
        distinct = {frozenset(things(api)): api for api in apis}.values()
        self._known = Known(sides)
        declared = {name for api in distinct for name in things(api)}
        self._undeclared = self._known.names - declared - EARLIER.keys()
        self._tags = {tag: name for api in distinct for tag, name in tags(things(api)).items()}
        self._headers = frozenset(header.name for api in distinct for header in api.headers)
        self._libraries = frozenset(each.name for api in distinct for each in api.libraries)
        self._majors = {version_key(api.release)[0] for api in apis}
        self._macros = frozenset(name for api in distinct for name in macros(api, api).values)

    def of(self, api: Api) -> Wanted:
        """Return what to look for as a compiler with this release's headers sees it."""
        own = macros(api, api)
        known = Macros(
            values=own.values,
            absent=self._macros - own.values.keys(),
            headers={name: name in own.headers for name in self._headers},
        )
        return Wanted(
            names=self._known.names,
            tags=self._tags,
            headers=self._headers,
            members=frozenset(),
            python=[pynames.of_all()],
            old=known,
            new=known,
            numbers={},
            quiet=QUIET,
        )

    def lacks(self, side: Side, api: Api, uses: Uses) -> Iterator[Lack]:
        """Yield what a program uses and a release does not have."""
        for key, name in sorted(self.lacking(side, api)):
            if places := uses.at(key):
                yield Lack(name, _shown(places), self._known.fate(key, side.version))

    def sought(self, sides: Sequence[tuple[Side, Api]], uses: Uses) -> Iterator[Lack]:
        """Yield the functions that a program looks up and some release lacks."""
        lacking = {name for side, api in sides for _, name in self.lacking(side, api)}
        for name in sorted(lacking & {*uses.of_kind("string")}):
            first, last = sides[0][0].version, sides[-1][0].version
            fate = self._known.fate(name, last) or self._known.fate(name, first)
            yield Lack(name, _shown(uses.at(f"string {name}")), fate)

    def lacking(self, side: Side, api: Api) -> Iterator[tuple[str, str]]:
        """Yield what other releases have and this one has not: the key of its uses, its name."""
        there = exported(api)
        for name in self._known.names - things(api).keys():
            read = name not in self._undeclared or there is not None
            if read and name not in (there or ()):
                yield name, name
        for header in self._headers - {header.name for header in api.headers}:
            yield f"include {header}", header
        libraries = {library.name for library in api.libraries}
        for library in self._libraries - libraries:
            yield f"library {library}", library
        major = version_key(side.version)[0]
        for library in libraries:
            for other in self._majors - {major}:
                yield f"library {library}.so.{other}", f"{library}.so.{other}"


def _newest_row(fits: Sequence[Fit]) -> list[str]:
    """Return the last releases in a row that lack nothing."""
    rows = [
        [f.release for f in row] for works, row in groupby(fits, lambda f: not f.lacks) if works
    ]
    return rows[-1] if rows else []


def _steps(sides: Sequence[tuple[Side, Api]], found: Mapping[str, Uses]) -> Iterator[Step]:
    """Yield the steps between releases that break what the program uses in both."""
    for old, new in pairwise(sides):
        if old[0].api == new[0].api:
            continue
        findings = compare(old[1], new[1])
        items = concerning(findings, old, new, found[new[0].version], AXES)
        breaking = tuple(words.shown_item(i) for i in items if i.severity == "breaking")
        if breaking:
            yield Step(old[0].version, new[0].version, breaking)


def schema() -> dict[str, Any]:
    """Return the JSON Schema of the answer as JSON: docs/minimum-schema.json."""
    return json.schema(Minimum, f"The releases that code works with, schema {SCHEMA}")


def as_text(found: Minimum, *, most: int = 4) -> str:
    """Return the answer as text; `most` names and places of each release are spelled out."""
    files = numbered(found.files, "file")
    lines = [f"{numbered(found.names, 'name')} of cuDNN's in {found.using} of {files}"]
    fitting = [fit.release for fit in found.fits if not fit.lacks]
    named = found.skipped or found.unread or found.unknown or found.sought
    all_ = "all that is known of it is there" if named else "all is there"
    if found.oldest is None:
        lines.append("works with no release known here")
    else:
        count = f"{len(fitting)} of {len(found.fits)} releases"
        ends = dict.fromkeys((found.oldest, str(found.newest)))
        lines.append(f"works with cuDNN {' to '.join(ends)}   {count}")
    rows = groupby(found.fits, key=lambda fit: fit.lacks)
    for lacks, row in rows:
        spelled = [fit.release for fit in row]
        versions = spelled[0] if len(spelled) == 1 else f"{spelled[0]} - {spelled[-1]}"
        if not lacks:
            lines.append(f"  {versions:<17} {all_}")
            continue
        shown = [_lack(lack) for lack in lacks[:most]]
        more = f", {len(lacks) - most} more" if len(lacks) > most else ""
        lines.append(f"  {versions:<17} lacks {', '.join(shown)}{more}")
    for step in found.steps:
        names = ", ".join(dict.fromkeys(f"{i.name} ({i.rule})" for i in step.items[:most]))
        more = f", {len(step.items) - most} more" if len(step.items) > most else ""
        lines.append(f"  {step.old} -> {step.new} changes {names}{more}")
    if found.sought:
        names = ", ".join(map(_lack, found.sought[:most]))
        more = f", {len(found.sought) - most} more" if len(found.sought) > most else ""
        lines.append(f"  looks up by name what some releases lack: {names}{more}")
    lines += [f"  unknown to every release: {_lack(lack)}" for lack in found.unknown]
    lines += [f"  not read: {reason}" for reason in found.skipped]
    if found.unread:
        lines.append(f"  {words.unread(found.unread)}")
    return "\n".join(lines) + "\n"


def _lack(lack: Lack) -> str:
    return f"{lack.name} ({_place(lack.places)}{f'; {lack.note}' if lack.note else ''})"


def _place(places: Sequence[Place]) -> str:
    return places[0].spelled + (f" and {len(places) - 1} more" if len(places) > 1 else "")
