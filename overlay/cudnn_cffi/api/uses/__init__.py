"""Which findings concern the code at hand: what it uses, and where.

Sources are read as programs, not as text: a name in a comment or in a string is not a use of it,
unless the string is what a symbol is looked up by (dlsym, getattr). Needs the extra "uses".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from .. import pynames, reach, store
from ..diff import Finding, compare, tags, things
from ..errors import CannotCompareError
from ..model import Api, ModelError
from ..report import Item, Place, Scan, Side, judged
from ..rules import AXES, RULES, SEVERITIES, Axis
from .files import scan
from .names import VERSION_NUMBERS, Uses, Wanted

#: What a change can break of a program in this language.
_AXES: dict[str, tuple[Axis, ...]] = {
    "C": ("abi", "source"),
    "C++": ("abi", "source"),
    "CUDA": ("abi", "source"),
    "Python": ("python",),
    "ELF": ("abi",),
}


def narrow(
    old: tuple[Side, Api], new: tuple[Side, Api], paths: Sequence[str], axes: tuple[Axis, ...]
) -> tuple[tuple[Item, ...], Scan]:
    """The findings about what the code in `paths` uses, each with its places, worst first.

    Raises:
        CannotCompareError: a path that cannot be read, or no use of cuDNN at all.
    """
    findings = compare(old[1], new[1])
    uses, summary = scan(paths, _wanted(old, new, findings))
    if not summary.using:
        raise CannotCompareError(
            f"no use of cuDNN found in {summary.files} files under {', '.join(paths)}: "
            "nothing to compare"
        )
    modules = _modules(old[0])
    through = reach.functions_by_type(old[1])
    # What was compiled for another major version does not load: its numbers and layouts, and
    # what sources once were compiled to, are no more than a consequence of that.
    rebuilt = axes == AXES and any(f.rule == "library-renamed" for f in findings)
    items = []
    for finding in findings:
        places = [*_places(finding, uses, modules)]
        if not rebuilt:
            places += _reached_by(finding, uses, through)
        items.append(_item(finding, places, axes, rebuilt))
    found = [item for item in items if item is not None]
    return tuple(sorted(found, key=lambda item: SEVERITIES.index(item.severity))), summary


def _item(
    finding: Finding, places: Iterable[Place], axes: tuple[Axis, ...], rebuilt: bool
) -> Item | None:
    """The finding as far as it concerns these places, each by its language.

    Args:
        rebuilt: sources are compiled again, so that they have no old binary to break; a library
            that they open by its file name they still open.
    """
    rule = RULES[finding.rule]
    rebuilt = rebuilt and finding.kind != "library"

    def concerns(place: Place, axis: Axis) -> bool:
        if axis == "abi" and rebuilt and place.language != "ELF":
            return False
        return axis in _AXES[place.language] and getattr(rule, axis) is not None

    concerned = {place: {axis for axis in axes if concerns(place, axis)} for place in places}
    there = {axis for found in concerned.values() for axis in found}
    kept = sorted({place for place, found in concerned.items() if found})
    return judged(finding, tuple(axis for axis in axes if axis in there), tuple(kept))


def _wanted(old: tuple[Side, Api], new: tuple[Side, Api], findings: Sequence[Finding]) -> Wanted:
    names = {**things(old[1]), **things(new[1])}
    return Wanted(
        names=frozenset(names),
        tags=tags(names),
        headers=frozenset(h.name for api in (old[1], new[1]) for h in api.headers),
        members=frozenset(f.name for f in findings if f.kind == "member"),
        python=[_python(side) for side, _ in (old, new)],
    )


def _python(side: Side) -> pynames.PythonNames:
    return pynames.newest() if side.headers else pynames.of_api(side.api)


def _modules(side: Side) -> list[str]:
    """The names by which programs pin the tables of this API."""
    if side.headers:
        return []
    try:
        releases = store().releases()
    except ModelError:
        return []
    return [f"v{r.version.replace('.', '_')}" for r in releases if r.api == side.api]


def _places(finding: Finding, uses: Uses, modules: Sequence[str]) -> Iterable[Place]:
    match finding.rule:
        case "tables-outdated":
            return [place for module in modules for place in uses.at(f"module {module}")]
        case "func-param-renamed" | "func-keyword-changed":
            return uses.at(f"keyword {finding.owner}({finding.name})")
        case "library-renamed" | "library-removed":
            return uses.at(f"library {finding.old}")
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
            enough = uses.files_with("include cudnn.h")
            return [p for p in uses.at(f"include {finding.name}") if p.path not in enough]
        case "declaration-moved":
            return [] if _reached(finding, uses) else uses.at(finding.name)
    if finding.kind == "member":
        return _member(finding, uses)
    if finding.kind == "parameter":
        return uses.at(str(finding.owner))
    return uses.at(finding.name)


def _reached_by(finding: Finding, uses: Uses, through: Mapping[str, frozenset[str]]) -> list[Place]:
    """Files that name no type or number which changed, but a function that it goes through.

    Compiled files name nothing else. A source that names a function and not the struct that it is
    given was compiled with its layout all the same; what numbers it passes, it says.
    """
    rule, subject = RULES[finding.rule], reach.subject(finding)
    if rule.abi not in ("breaking", "risk") or subject is None:
        return []
    by_file: dict[str, list[Place]] = {}
    for function in sorted(through.get(subject, ())):
        for place in uses.at(function):
            if place.language == "ELF" or finding.kind in ("struct", "member"):
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


def _reached(finding: Finding, uses: Uses) -> bool:
    """Whether every file that uses the name includes cudnn.h, which still brings it."""
    return {place.path for place in uses.at(finding.name)} <= uses.files_with("include cudnn.h")


def _member(finding: Finding, uses: Uses) -> Iterable[Place]:
    """A member concerns where the struct is used, and there where its own name is, if anywhere."""
    record = uses.at(str(finding.owner))
    if finding.rule in ("field-added", "field-moved"):
        return record
    files = {place.path for place in record}
    return [place for place in uses.at(f"member {finding.name}") if place.path in files]
