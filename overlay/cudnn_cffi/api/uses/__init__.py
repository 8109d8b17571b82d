"""Select the findings that concern given code: by the names that it uses, and where.

Sources are read as programs, not as text: a name in a comment or in a string is not a use of it,
unless the string is what a symbol is looked up by (dlsym, getattr). Needs the extra "uses".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from .. import store
from ..diff import UNDECLARED, Finding, compare, header_reach, judged, tags, things
from ..errors import CannotCompareError
from ..formats import words
from ..model import Api, ModelError
from ..names import pynames, reach
from ..names.known import QUIET, exported, known
from ..names.place import Place
from ..records import Item, Scan, Side
from ..rules import AXES, RULES, SEVERITIES, Axis
from .files import scan
from .names import VERSION_NUMBERS, Uses, Wanted
from .preprocessor import macros

#: Rules about an attribute that break programs which make its descriptor and do not set it.
_UNSET = ("attribute-added-required", "attribute-now-required", "attribute-default-changed")


def narrow(
    old: tuple[Side, Api], new: tuple[Side, Api], paths: Sequence[str], axes: tuple[Axis, ...]
) -> tuple[tuple[Item, ...], Scan]:
    """Return the findings about what the code in `paths` uses, each with its places, worst first.

    Raises:
        CannotCompareError: a path that cannot be read, or no use of cuDNN at all.
    """
    findings = compare(old[1], new[1])
    uses, summary = scan(paths, _wanted(old, new, findings))
    if not summary.using:
        raise CannotCompareError(words.no_use(summary))
    missing = _missing(old, new, uses)
    return concerning((*findings, *missing), old, new, uses, axes), summary


def concerning(
    findings: Sequence[Finding],
    old: tuple[Side, Api],
    new: tuple[Side, Api],
    uses: Uses,
    axes: tuple[Axis, ...],
) -> tuple[Item, ...]:
    """Return the findings that concern what is used, each with its places, worst first."""
    modules = _modules(old[0])
    through = reach.functions_by_type(old[1])
    # A program that was compiled for another major version does not load: its numbers and layouts,
    # and what sources once were compiled to, are no more than a consequence of that.
    rebuilt = axes == AXES and any(f.rule == "library-renamed" for f in findings)
    headers = Headers(old[1], new[1], uses)
    items = []
    for finding in findings:
        mended = _mended(finding, uses)
        places = {p: uses.axes(p) - mended for p in _places(finding, uses, modules, headers)}
        if not rebuilt or finding.kind == "callback":  # which sources must change, too
            places |= {place: uses.axes(place) for place in _reached_by(finding, uses, through)}
        items.append(_item(finding, places, axes, rebuilt))
    found = [item for item in items if item is not None]
    return tuple(sorted(found, key=lambda item: SEVERITIES.index(item.severity)))


def _item(
    finding: Finding,
    places: Mapping[Place, frozenset[Axis]],
    axes: tuple[Axis, ...],
    rebuilt: bool,
) -> Item | None:
    """Return the finding as far as it concerns these places, each on the axes that it has.

    Args:
        rebuilt: sources are compiled again, so that they have no old binary to break; a library
            that they open by its file name they still open.
    """
    rule = RULES[finding.rule]
    rebuilt = rebuilt and finding.kind != "library"

    def concerns(place: Place, axis: Axis) -> bool:
        compiled = place.language in ("C", "C++", "CUDA") or "source" in places[place]
        if axis == "abi" and rebuilt and compiled:
            return False
        return axis in places[place] and getattr(rule, axis) is not None

    concerned = {place: {axis for axis in axes if concerns(place, axis)} for place in places}
    there = {axis for found in concerned.values() for axis in found}
    kept = sorted({place for place, found in concerned.items() if found})
    return judged(finding, tuple(axis for axis in axes if axis in there), tuple(kept))


def _wanted(old: tuple[Side, Api], new: tuple[Side, Api], findings: Sequence[Finding]) -> Wanted:
    names = {**things(old[1]), **things(new[1])}
    ever = known()
    return Wanted(
        names=frozenset(names).union(
            (f.name for f in findings if f.kind == UNDECLARED), ever.names if ever else ()
        ),
        tags=tags(names),
        headers=frozenset(h.name for api in (old[1], new[1]) for h in api.headers),
        members=frozenset(f.name for f in findings if f.kind == "member"),
        python=[_python(side) for side, _ in (old, new)],
        old=macros(old[1], new[1]),
        new=macros(new[1], old[1]),
        numbers={e.name: e.value for enum in old[1].enums for e in enum.enumerators},
        quiet=QUIET if ever else None,
    )


def _missing(old: tuple[Side, Api], new: tuple[Side, Api], uses: Uses) -> Iterator[Finding]:
    """Yield the names that the code uses and neither release has."""
    for name in uses.of_kind("unknown"):
        yield Finding("name-unknown", name, "name")
    ever = known()
    before, after = ({*things(api), *(exported(api) or ())} for _, api in (old, new))
    there = before | after
    for name in uses.of_kind("string"):
        if name not in after:
            fate = ever.fate(name, new[0].version) if ever else None
            yield Finding("name-looked-up", name, "name", note=fate)
    for name in uses.names():
        fate = ever.fate(name, new[0].version) if ever and name not in there else None
        if fate is not None:
            yield Finding("name-missing", name, "name", note=fate)


def _python(side: Side) -> pynames.PythonNames:
    return pynames.newest() if side.headers else pynames.of_api(side.api)


def _modules(side: Side) -> list[str]:
    """Return the names by which programs pin the tables of this API."""
    if side.headers:
        return []
    try:
        releases = store().releases()
    except ModelError:
        return []
    return [f"v{r.version.replace('.', '_')}" for r in releases if r.api == side.api]


def _places(
    finding: Finding, uses: Uses, modules: Sequence[str], headers: Headers
) -> Iterable[Place]:
    match finding.rule:
        case "name-looked-up":
            return uses.at(f"string {finding.name}")
        case "name-unknown":
            return uses.at(f"unknown {finding.name}")
        case "tables-outdated":
            return [place for module in modules for place in uses.at(f"module {module}")]
        case "func-param-renamed" | "func-keyword-changed":
            return uses.at(f"keyword {finding.owner}({finding.name})")
        case "library-renamed":
            both = uses.files_with(f"library {finding.new}")  # it takes the one that is there
            return [p for p in uses.at(f"library {finding.old}") if p.path not in both]
        case "library-removed":
            return uses.at(f"library {finding.name}")
        case "library-added":
            return uses.at(f"library {finding.new}")
        case "version-formula-changed":
            divided = [p for n in VERSION_NUMBERS for p in uses.at(f"arithmetic {n}")]
            compiled = [p for p in uses.at("cudnnGetVersion") if p.language == "ELF"]
            return [*divided, *compiled]
        case "symbol-moved":
            loaded = uses.files_with(f"library {finding.old}")
            return [place for place in uses.at(finding.name) if place.path in loaded]
        case "header-removed" | "header-added":
            return uses.at(f"include {finding.name}")
        case "include-insufficient":
            return headers.insufficient(finding.name)
        case "declaration-moved":
            return [p for p in uses.at(finding.name) if finding.name in headers.lost(p.path)]
        case "enumerator-value-changed" | "enumerator-removed" | "enumerator-renamed":
            return [*uses.at(finding.name), *uses.at(f"number {finding.name}")]
    if finding.rule in _UNSET:
        return uses.at(str(finding.owner))
    if finding.kind == "member":
        return _member(finding, uses)
    if finding.kind == "parameter":
        return uses.at(str(finding.owner))
    return uses.at(finding.name)


def _mended(finding: Finding, uses: Uses) -> frozenset[Axis]:
    """Return the axes on which the program does already what the finding asks for."""
    there = uses.at(finding.name) if finding.rule in _UNSET else ()
    return frozenset(axis for place in there for axis in uses.axes(place))


def _reached_by(finding: Finding, uses: Uses, through: Mapping[str, frozenset[str]]) -> list[Place]:
    """Return files that name no changed type or number, but a function that takes one.

    Compiled files name nothing else. A source that names a function and not the struct that it is
    given was compiled with its layout all the same; what numbers it passes, it says.
    """
    rule, subject = RULES[finding.rule], reach.subject(finding)
    if rule.abi not in ("breaking", "risk") or subject is None:
        return []
    by_file: dict[str, list[Place]] = {}
    for function in sorted(through.get(subject, ())):
        for place in uses.at(function):
            if place.language == "ELF" or finding.kind in ("struct", "member", "callback"):
                by_file.setdefault(place.path, []).append(place)
    named = uses.files_with(subject)
    return [_together(places) for path, places in by_file.items() if path not in named]


def _together(places: Sequence[Place]) -> Place:
    """One place of a file for all of its functions."""
    first = min(places)
    others = len({place.text for place in places}) - 1
    return (
        msgspec.structs.replace(first, text=f"{first.text} and {others} more") if others else first
    )


class Headers:
    """Find the names that the files of a program still get from the headers that they include."""

    def __init__(self, old: Api, new: Api, uses: Uses) -> None:
        self._old_reach, self._new_reach = header_reach(old), header_reach(new)
        before, after = things(old), things(new)
        self._declared = {
            name: (thing.header, after[name].header)
            for name, thing in before.items()
            if name in after and thing.header
        }
        self._uses = uses
        self._brought: dict[str, tuple[set[str], set[str]]] = {}
        self._lost: dict[str, dict[str, Place]] | None = None

    def lost(self, path: str) -> Mapping[str, Place]:
        """Names used in a file that its includes brought and no longer bring, and where first."""
        if self._lost is None:
            self._lost = {}
            for name, (was, now) in self._declared.items():
                for place in self._uses.at(name):
                    before, after = self._reached(place.path)
                    if was in before and now not in after:
                        self._lost.setdefault(place.path, {}).setdefault(name, place)
        return self._lost.get(path, {})

    def _reached(self, path: str) -> tuple[set[str], set[str]]:
        """All headers of cuDNN's that a file gets, before and after."""
        if path not in self._brought:
            included = self._uses.headers.get(path, set())
            before, after = (
                {each for header in included for each in reach.get(header, ())}
                for reach in (self._old_reach, self._new_reach)
            )
            self._brought[path] = before, after
        return self._brought[path]

    def insufficient(self, header: str) -> list[Place]:
        """Where a header is included that is no longer enough for the file or its includers."""
        found: list[Place] = []
        direct: dict[str, list[Place]] = {}
        for place in self._uses.at(f"include {header}"):
            direct.setdefault(place.path, []).append(place)
        for path, included in self._uses.headers.items():
            if header in included:
                mine = [
                    place
                    for name, place in self.lost(path).items()
                    if self._declared[name][0] in self._old_reach.get(header, ())
                ]
                if mine:
                    found += direct.get(path) or [min(mine)]
        return found


def _member(finding: Finding, uses: Uses) -> Iterable[Place]:
    """Return the places that a changed member concerns: those of the struct, or of its own name."""
    record = uses.at(str(finding.owner))
    if finding.rule in ("field-added", "field-moved"):
        return record
    files = {place.path for place in record}
    return [place for place in uses.at(f"member {finding.name}") if place.path in files]
