"""The life of one name over all releases: appeared, changed, deprecated, removed; its values."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from itertools import groupby, pairwise
from typing import Any

import msgspec

from . import pynames, releases, store
from .diff import Finding, Thing, compare, tags, things
from .errors import CannotCompareError
from .formats import words
from .model import Api, Release
from .report import Item, judged
from .rules import AXES, Axis, Severity


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


def of(text: str) -> tuple[History, ...]:
    """Return the history of a C name or of a Python name; several where a name stands for several.

    The tag of a struct is the type that C code knows it by, a library's file name the library.

    Raises:
        CannotCompareError: no release has it; near names are listed.
    """
    models = store()
    known = releases.known(models)
    apis = {name: models.api(name) for name in dict.fromkeys(r.api for r in known)}
    found = {name: _everything(api) for name, api in apis.items()}
    if text.startswith("lib"):
        text = text.partition(".so")[0]
    names = [text] if any(text in each for each in found.values()) else _from_tag(text, found)
    names = names or _from_python(text, found)
    if not names:
        raise CannotCompareError(_unknown(text, known, found))
    steps = [(new, compare(apis[old], apis[new])) for old, new in pairwise(apis)]
    return tuple(_history(name, known, found, steps) for name in names)


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


def _history(
    name: str,
    known: Sequence[Release],
    found: dict[str, dict[str, Thing]],
    steps: list[tuple[str, tuple[Finding, ...]]],
) -> History:
    api, last = next((a, each[name]) for a, each in reversed(found.items()) if name in each)
    first = next(api for api, each in found.items() if name in each)
    events = []
    if first == known[0].api:
        events.append(Event(first, "is there in the oldest release known here"))
    for step, findings in steps:
        items = (judged(f, AXES) for f in findings if _concerns(f, name, last))
        events += [_event(step, name, item) for item in items if item is not None]
    pairs = pynames.of_api(api).python_names()
    return History(
        name=name,
        kind=last.kind,
        owner=last.owner,
        header=last.header,
        python=tuple(sorted({python for python, c_name in pairs if name == c_name != python})),
        documented_since=getattr(last.entity, "documented_since", None),
        spans=_spans(name, known, found),
        events=tuple(events),
    )


def _concerns(finding: Finding, name: str, thing: Thing) -> bool:
    """Whether it is about the name, about a part of it, or deprecates what it is a part of."""
    if name in (finding.name, finding.owner):
        return True
    return finding.name == thing.owner and "deprecat" in finding.rule


def _event(api: str, name: str, item: Item) -> Event:
    what = words.event(item)
    if item.name != name:
        what = f"{item.name}: {what}"
    return Event(api, what, item.rule, item.severity, words.worst_axes(item))


def _spans(
    name: str, known: Sequence[Release], found: dict[str, dict[str, Thing]]
) -> tuple[Span, ...]:
    states = [(release.version, _state(name, found[release.api])) for release in known]
    spans = []
    for state, group in groupby(states, key=lambda pair: pair[1]):
        versions = [version for version, _ in group]
        spans.append(Span(versions[0], versions[-1], state))
    return tuple(spans)


def _state(name: str, there: dict[str, Thing]) -> str:
    thing = there.get(name)
    if thing is None:
        return "not there"
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
    return msgspec.json.format(msgspec.json.encode(found), indent=2).decode() + "\n"


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
