"""The life of one name over all releases: appeared, changed, deprecated, removed; its values."""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from functools import cache
from itertools import groupby, pairwise
from typing import Any

import msgspec

from . import store
from .diff import UNDECLARED, Finding, Thing, compare, judged, tags, things, undeclared
from .errors import CannotCompareError
from .formats import json, words
from .inputs import releases
from .inputs.sides import of_release
from .model import Api, Release, version_key, version_number
from .names import pynames
from .records import Item
from .rules import AXES, Axis, Severity

SCHEMA = 1

#: The state of a name in releases without it.
_ABSENT = "not there"

#: And in releases whose files nobody read, of a function that no header declares.
_UNKNOWN = "not known"


class Span(msgspec.Struct, frozen=True):
    """Releases in a row in which the name means the same."""

    first: str
    last: str
    state: str  # its value, signature or layout in short


class Event(msgspec.Struct, frozen=True):
    """A change of a name."""

    release: str
    what: str
    rule: str | None = None
    severity: Severity | None = None
    axes: tuple[Axis, ...] = ()  # where it is as severe as that


class History(msgspec.Struct, frozen=True):
    """All changes of a name."""

    name: str
    kind: str
    owner: str | None
    header: str | None
    python: tuple[str, ...]  # names in Python, where they are other than in C
    documented_since: str | None
    spans: tuple[Span, ...]
    events: tuple[Event, ...]


class ReleaseOf(msgspec.Struct, frozen=True):
    """A release, as the table of all names refers to it."""

    version: str
    number: int  # what cudnnGetVersion returns
    build: str
    date: str  # the day on which its first wheel was published, "2026-11-03"; "" where not known
    api: str  # the first release with the same API
    libraries: tuple[str, ...]  # files, as Linux's loader knows them
    functions: int
    enumerators: int
    # Functions that a file exports and no header declares, by the name of each file that was read.
    undeclared: dict[str, tuple[str, ...]]


class Everything(msgspec.Struct, frozen=True):
    """Every release and every name that one of them has."""

    schema: int
    releases: tuple[ReleaseOf, ...]
    names: tuple[History, ...]


def of(text: str) -> tuple[History, ...]:
    """Return the history of a C name or of a Python name; several where a name stands for several.

    The tag of a struct is the type that C code knows it by, a library's file name the library.

    Raises:
        CannotCompareError: no release has it; near names are listed.
    """
    known = _Known()
    found = known.found
    if text.startswith("lib"):
        text = text.partition(".so")[0]
    there = text in known.undeclared or any(text in each for each in found.values())
    names = [text] if there else _from_tag(text, found)
    names = names or _from_python(text, found)
    if not names:
        raise CannotCompareError(_unknown(text, known.releases, found))
    return tuple(known.history(name) for name in names)


def everything() -> Everything:
    """Return every release, and the history of every name in C, sorted by name."""
    known = _Known()
    names = sorted({name for each in known.found.values() for name in each} | {*known.undeclared})
    return Everything(
        schema=SCHEMA,
        releases=tuple(_release(release, known.apis[release.api]) for release in known.releases),
        names=tuple(known.history(name) for name in names),
    )


def _release(release: Release, api: Api) -> ReleaseOf:
    major = release.version.partition(".")[0]
    return ReleaseOf(
        version=release.version,
        number=version_number(release.version),
        build=release.build,
        date=release.date,
        api=release.api,
        libraries=tuple(f"{library.name}.so.{major}" for library in api.libraries),
        functions=len(api.functions),
        enumerators=sum(each.kind == "enumerator" for each in things(api).values()),
        undeclared={f"{name}.so.{major}": names for name, names in release.undeclared.items()},
    )


@cache
def _pairs(api: str) -> tuple[tuple[str, str], ...]:
    return tuple(pynames.of_api(api).python_names())


class _Known:
    """All releases, what each has by name, and what changed from one to the next."""

    def __init__(self) -> None:
        models = store()
        self.releases = releases.known(models)
        self.apis = {name: models.api(name) for name in dict.fromkeys(r.api for r in self.releases)}
        self.found = {name: _everything(api) for name, api in self.apis.items()}
        #: The files that export a name which no header declares, by release.
        self.undeclared: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        for release in self.releases:
            for library, functions in release.undeclared.items():
                for function in functions:
                    self.undeclared[function][release.version].append(library)
        #: By release the one known before it, where cuDNN had others between the two.
        self.gaps = {
            new.version: old.version
            for old, new in pairwise(self.releases)
            if _is_gap(version_key(old.version), version_key(new.version))
        }
        #: For each name, and for each owner, the steps with findings about it.
        self._steps: dict[str, list[tuple[str, Finding]]] = defaultdict(list)
        for old, new in pairwise(self.releases):
            if old.api == new.api:
                continue
            # A release may also have the API of an older one again.
            for finding in compare(self.apis[old.api], self.apis[new.api]):
                for name in dict.fromkeys((finding.name, finding.owner)):
                    if name is not None:
                        self._steps[name].append((new.version, finding))
        sides = [of_release(release, self.apis[release.api]) for release in self.releases]
        for before, after in pairwise(sides):
            for finding in undeclared(before[1], after[1]):
                self._steps[finding.name].append((after[0].version, finding))

    def history(self, name: str) -> History:
        """Return the history of a name that some release has."""
        apis = dict.fromkeys(release.api for release in reversed(self.releases))
        api, last = next(
            ((api, self.found[api][name]) for api in apis if name in self.found[api]),
            (self.releases[-1].api, Thing(UNDECLARED, None)),
        )
        spans = tuple(self._spans(name))
        events = []
        if spans[0].state not in (_ABSENT, _UNKNOWN):
            events.append(Event(spans[0].first, "is there in the oldest release known here"))
        for step, finding in self._about(name, last):
            item = judged(finding, AXES)
            if item is not None:
                event = _event(step, name, item)
                if step in self.gaps:
                    between = f"{event.what}; releases after {self.gaps[step]} are not known here"
                    event = msgspec.structs.replace(event, what=f"by then {between}")
                events.append(event)
        python = {python for python, c_name in _pairs(api) if name == c_name != python}
        return History(
            name=name,
            kind=last.kind,
            owner=last.owner,
            header=last.header,
            python=tuple(sorted(python)),
            documented_since=getattr(last.entity, "documented_since", None),
            spans=spans,
            events=tuple(events),
        )

    def _spans(self, name: str) -> Iterator[Span]:
        states = [(release.version, self._state(name, release)) for release in self.releases]
        for state, group in groupby(states, key=lambda pair: pair[1]):
            versions = [version for version, _ in group]
            yield Span(versions[0], versions[-1], state)

    def _state(self, name: str, release: Release) -> str:
        state = _state(name, self.found[release.api])
        files = [each.name for each in self.apis[release.api].libraries]
        if state == _ABSENT and not files and name.startswith("lib"):  # no name in C does
            return _UNKNOWN  # only the headers of this release were seen
        if state != _ABSENT or name not in self.undeclared:
            return state
        if exporting := self.undeclared[name].get(release.version):
            major = release.version.partition(".")[0]
            names = ", ".join(f"{file}.so.{major}" for file in sorted(exporting))
            return f"exported by {names}, declared by no header"
        homes = {file for exporting in self.undeclared[name].values() for file in exporting}
        unread = homes & set(files) - release.undeclared.keys()
        return _UNKNOWN if unread or not files else _ABSENT

    def _about(self, name: str, thing: Thing) -> Iterator[tuple[str, Finding]]:
        """Yield findings about the name, about a part of it, or that deprecate what it is part of.

        In the order of releases, and within a step in that of the comparison.
        """
        of_owner = [
            each
            for each in self._steps.get(thing.owner or "", ())
            if each[1].name == thing.owner and "deprecat" in each[1].rule
        ]
        order = {release.version: number for number, release in enumerate(self.releases)}
        yield from sorted([*self._steps.get(name, ()), *of_owner], key=lambda each: order[each[0]])


def _is_gap(old: tuple[int, ...], new: tuple[int, ...]) -> bool:
    """Return whether cuDNN had releases between two: each minor version begins with patch 0."""
    if old[0] != new[0]:
        return new[1:3] != (0, 0)
    return old[1] != new[1] and (new[1] - old[1] > 1 or new[2] > 0)


def _everything(api: Api) -> dict[str, Thing]:
    headers = {header.name: Thing("header", header) for header in api.headers}
    libraries = {library.name: Thing("library", library) for library in api.libraries}
    return {**things(api), **headers, **libraries}


def _from_tag(text: str, found: dict[str, dict[str, Thing]]) -> list[str]:
    """Return the types that `struct text` is known by in some release."""
    tag = text.removeprefix("struct ")
    types = (tags(each).get(tag) for each in found.values())
    return list(dict.fromkeys(name for name in types if name))


def _from_python(text: str, found: dict[str, dict[str, Thing]]) -> list[str]:
    """Return the C names for a Python name in the newest API that has it."""
    text = text.removeprefix("cudnn_cffi.").removeprefix("cudnn.").removesuffix("()")
    for api, there in reversed(found.items()):
        python = pynames.of_api(api)
        names = list(dict.fromkeys(python.c_names(text)))
        if names and names[0] not in there:  # a set of flags, which has no name in C
            names = list(python.members.get(text, {}).values())
        if names:
            return names
    return []


def _unknown(text: str, known: Sequence[Release], found: dict[str, dict[str, Thing]]) -> str:
    names = {name for each in found.values() for name in each}
    for api in found:
        names.update(name for name, _ in pynames.of_api(api).python_names())
    folded: dict[str, str] = {}
    for name in sorted(names, reverse=True):
        folded[name.lower()] = name
    close = get_close_matches(text.lower(), folded, n=5, cutoff=0.7)
    within = sorted((name for name in names if text.lower() in name.lower()), key=len)[:5]
    near = list(dict.fromkeys([folded[name] for name in close] + within))[:6]
    hint = f"; near it are {', '.join(near)}" if near else ""
    return f"no release from {known[0].version} to {known[-1].version} has {text!r}{hint}"


def _event(api: str, name: str, item: Item) -> Event:
    what = words.event(item)
    if item.name != name:
        what = f"{item.name}: {what}"
    return Event(api, what, item.rule, item.severity, words.worst_axes(item))


def _state(name: str, there: dict[str, Thing]) -> str:
    thing = there.get(name)
    if thing is None:
        return _ABSENT
    text = _shape(thing.kind, thing.entity)
    owner = there.get(thing.owner or "")
    deprecated = [t for t in (thing, owner) if t and getattr(t.entity, "deprecated", False)]
    return f"{text}, deprecated" if deprecated else text


def _shape(kind: str, entity: Any) -> str:
    match kind:
        case "enumerator" | "flag" | "constant":
            return str(entity.value)
        case "function" | "callback":
            return f"{entity.result} ({', '.join(p.type for p in entity.parameters)})"
        case "enumeration":
            return f"{len(entity.enumerators)} enumerators"
        case "struct":
            return f"{entity.size} bytes, {len(entity.fields)} members"
        case "object type":
            return str(entity.target)
        case "typedef":
            return str(entity.type)
        case "macro":
            return f"({', '.join(entity.parameters)})"
        case "version macro":
            return entity.formula or "a number"
        case "header" | "library":
            return "there"
    raise AssertionError(kind)


def as_json(found: Sequence[History]) -> str:
    """Return histories as JSON."""
    return json.render(found)


def all_as_json(found: Everything) -> str:
    """Return all releases and names as JSON, a name a line, as docs/history-schema.json says."""
    head = b'{"schema":%d,\n"releases":[\n' % found.schema
    parts = [b",\n".join(map(msgspec.json.encode, each)) for each in (found.releases, found.names)]
    return (head + parts[0] + b'\n],\n"names":[\n' + parts[1] + b"\n]}\n").decode()


def all_as_csv(found: Everything) -> str:
    """Return a table with a line for each name and span of releases in which it is there.

    The dates are those of the first and the last release of the span.
    """
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    columns = ["name", "kind", "owner", "header", "python", "first", "last", "state"]
    table.writerow([*columns, "first_date", "last_date"])
    dates = {release.version: release.date for release in found.releases}
    for name in found.names:
        about = [name.name, name.kind, name.owner, name.header, " ".join(name.python)]
        for span in name.spans:
            if span.state not in (_ABSENT, _UNKNOWN):
                days = dates[span.first], dates[span.last]
                table.writerow([*about, span.first, span.last, span.state, *days])
    return text.getvalue()


def schema() -> dict[str, Any]:
    """Return the JSON Schema of what `all_as_json` writes."""
    title = f"All names of cuDNN's C API over all releases, schema {SCHEMA}"
    return json.schema(Everything, title)


def as_text(found: Sequence[History]) -> str:
    """Return histories as text."""
    return "\n".join(_as_lines(history) for history in found)


def _as_lines(history: History) -> str:
    owner = f" of {history.owner}" if history.owner else ""
    header = f", declared in {history.header}" if history.header else ""
    lines = [f"{history.name}   {history.kind}{owner}{header}"]
    if history.python:
        lines.append(f"  in Python also {', '.join(history.python)}")
    if history.documented_since not in (None, "9.0.0"):  # where the comments begin
        lines.append(f"  since {history.documented_since} by the header's own comment")
    width = max(len(_range(span)) for span in history.spans)
    lines += [f"  {_range(span):<{width}}  {span.state}" for span in history.spans]
    for event in history.events:
        judgement = f"   {event.severity} [{' '.join(event.axes)}]" if event.severity else ""
        lines.append(f"  {event.release:<8} {event.what}{judgement}")
    return "\n".join(lines) + "\n"


def _range(span: Span) -> str:
    return span.first if span.first == span.last else f"{span.first} - {span.last}"
