"""Names that are gone, new, of another kind or value, or deprecated, and their replacements."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from .finding import Finding, Successor, Thing, Value

if TYPE_CHECKING:
    from ..model import Api, Function

#: By name: what a header recommends instead, and the first release whose header does.
Advice = Mapping[str, tuple[str, str]]

_VERSION = re.compile(r"_v(\d+)$")
_LAST_WORD = re.compile(r"[A-Z][a-z0-9]*$")
_NAME_OF_C = re.compile(r"(?:cudnn|CUDNN_)\w+")

#: The rules for a thing of a kind that is gone or new.
_GONE = {
    "function": ("func-removed", "func-added"),
    "enumeration": ("enum-removed", "enum-added"),
    "enumerator": ("enumerator-removed", "enumerator-added"),
    "constant": ("constant-removed", "constant-added"),
    "flag": ("flag-removed", "flag-added"),
    "macro": ("macro-removed", "macro-added"),
    "version macro": ("version-macro-removed", "version-macro-added"),
    "struct": ("record-removed", "record-added"),
    "object type": ("opaque-removed", "opaque-added"),
    "callback": ("callback-removed", "callback-added"),
    "typedef": ("typedef-removed", "typedef-added"),
}

_VALUE_CHANGED = {
    "enumerator": "enumerator-value-changed",
    "flag": "flag-value-changed",
    "constant": "constant-value-changed",
}


def gone(
    old: Api, before: Mapping[str, Thing], after: Mapping[str, Thing], advice: Advice
) -> Iterator[Finding]:
    """Yield names that are gone, with what replaces them."""
    old_functions = {function.name: function for function in old.functions}
    new_functions = {
        name: thing.entity for name, thing in after.items() if thing.kind == "function"
    }
    by_number = _by_number(after)
    for name, thing in before.items():
        if name in after:
            continue
        finding = Finding(
            _GONE[thing.kind][0], name, thing.kind, thing.owner, old=_value(thing.entity)
        )
        if thing.kind == "function":
            heir = successor(thing.entity, old_functions, new_functions, after, advice)
            finding = msgspec.structs.replace(
                finding, successor=heir, note=None if heir else nothing(thing.entity)
            )
        elif hasattr(thing.entity, "successor"):
            heir = recommended(thing.entity, after, advice)
            finding = msgspec.structs.replace(finding, successor=heir)
            if thing.kind == "enumerator" and not thing.sentinel:
                finding = _without_name(finding, thing, before, by_number)
        yield finding


def _without_name(
    finding: Finding,
    thing: Thing,
    before: Mapping[str, Thing],
    by_number: _Numbers,
) -> Finding:
    """Return the finding about an enumerator whose name is gone, by the names of its number."""
    number = thing.entity.value
    names = by_number.get((thing.owner, number), ())
    for name in names:
        known = before.get(name)
        if known and known.owner == thing.owner and known.entity.value == number:
            return msgspec.structs.replace(
                finding,
                rule="enumerator-alias-removed",
                successor=Successor(name, f"another name of {number}"),
            )
    fresh = [name for name in names if name not in before]
    if fresh:
        return msgspec.structs.replace(
            finding, rule="enumerator-renamed", new=number, note=f"{number} is now {fresh[0]}"
        )
    if names:
        return msgspec.structs.replace(finding, note=f"{number} is now {names[0]}")
    return finding


def _by_number(things: Mapping[str, Thing]) -> dict[tuple[str | None, int], list[str]]:
    names: dict[tuple[str | None, int], list[str]] = {}
    for name, thing in things.items():
        if thing.kind == "enumerator" and not thing.sentinel:
            names.setdefault((thing.owner, thing.entity.value), []).append(name)
    return names


def added(before: Mapping[str, Thing], after: Mapping[str, Thing]) -> Iterator[Finding]:
    """Yield names that are new, and enumerators that are new names of a number."""
    by_number = _by_number(after)
    for name, thing in after.items():
        if name in before:
            continue
        finding = Finding(
            _GONE[thing.kind][1], name, thing.kind, thing.owner, new=_value(thing.entity)
        )
        if thing.kind == "enumerator":
            number = thing.entity.value
            for other in by_number.get((thing.owner, number), ()):
                known = before.get(other)
                if known and known.owner == thing.owner and known.entity.value == number:
                    finding = msgspec.structs.replace(
                        finding, rule="enumerator-alias-added", note=f"{number} is also {other}"
                    )
        yield finding


def _value(entity: Any) -> Value:
    return getattr(entity, "value", None)


def changed(
    new: Api, before: Mapping[str, Thing], after: Mapping[str, Thing], advice: Advice
) -> Iterator[Finding]:
    """Yield other kinds, values and deprecations of names that are in both."""
    by_number = _by_number(after)
    for name, was in before.items():
        now = after.get(name)
        if now is None or (was.entity == now.entity and was.owner == now.owner):
            continue
        if was.kind != now.kind:
            yield from _other_kind(name, was, now, by_number)
        elif was.kind in _VALUE_CHANGED:
            yield from _member(name, was, now, by_number)
        yield from _deprecation(name, was, now, new, after, advice)


_Numbers = Mapping[tuple[str | None, int], Sequence[str]]


def _other_kind(name: str, was: Thing, now: Thing, by_number: _Numbers) -> Iterator[Finding]:
    number_kinds = set(_VALUE_CHANGED)
    if {was.kind, now.kind} <= number_kinds:
        rule = {"enumerator": "enumerator-now-macro"}.get(was.kind, "flag-regrouped")
        if now.kind == "enumerator":
            rule = "macro-now-enumerator"
        yield Finding(
            rule, name, was.kind, was.owner or now.owner, was.entity.value, now.entity.value
        )
        yield from _new_value(name, was, now, by_number)
    else:
        yield Finding("kind-changed", name, was.kind, old=was.kind, new=now.kind)


def _member(name: str, was: Thing, now: Thing, by_number: _Numbers) -> Iterator[Finding]:
    if was.owner != now.owner:
        rule = "enumerator-moved" if was.kind == "enumerator" else "flag-regrouped"
        yield Finding(rule, name, was.kind, was.owner, was.owner, now.owner)
    yield from _new_value(name, was, now, by_number)


def _new_value(name: str, was: Thing, now: Thing, by_number: _Numbers) -> Iterator[Finding]:
    if was.entity.value == now.entity.value:
        return
    rule = _VALUE_CHANGED[was.kind]
    if was.kind == "enumerator" and was.sentinel and now.sentinel:
        rule = "enum-sentinel-moved"
    number = was.entity.value
    note = None
    if rule == "enumerator-value-changed":
        meaning = by_number.get((was.owner, number))
        note = f"{number} is now {meaning[0]}" if meaning else f"{number} has no name now"
    yield Finding(rule, name, was.kind, was.owner, number, now.entity.value, note)


def _deprecation(
    name: str, was: Thing, now: Thing, new: Api, known: Mapping[str, Thing], advice: Advice
) -> Iterator[Finding]:
    before, after = _deprecated(was.entity), _deprecated(now.entity)
    if after == "no" and before != "no":
        yield Finding("deprecation-withdrawn", name, now.kind, now.owner)
    if after == "no" or after == before or before == "yes":
        return
    rule = {"function": "func-deprecated", "enumerator": "enumerator-deprecated"}.get(
        now.kind, "type-deprecated"
    )
    if after == "in a comment":
        rule = "name-deprecated-in-comment"
    if now.kind == "function":
        functions = {function.name: function for function in new.functions}
        heir = successor(now.entity, functions, functions, known, advice)
    else:
        heir = recommended(now.entity, known, advice)
    note = None if heir else nothing(now.entity)
    yield Finding(rule, name, now.kind, now.owner, note=note, successor=heir)


def _deprecated(entity: Any) -> str:
    if not getattr(entity, "deprecated", False):
        return "no"
    return "in a comment" if entity.quiet else "yes"


# Functions and callbacks


def recommended(entity: Any, known: Container[str], advice: Advice) -> Successor | None:
    """Return what a fact or a header says to use instead, as far as `known` has it.

    Args:
        entity: a function, enumerator or type.
        known: the names of the new API.
        advice: what headers said at any time.
    """
    named, reason = entity.successor, getattr(entity, "reason", None)
    if reason:
        return Successor(named, reason) if named and _there(named, known) else None
    if named and _there(named, known):
        return Successor(named, "named by the header's deprecation note")
    named, release = advice.get(entity.name, (None, ""))
    if named and _there(named, known):
        return Successor(named, f"named by the deprecation note in {release}'s header")
    return None


def _there(named: str, known: Container[str]) -> bool:
    return named in known or not _NAME_OF_C.fullmatch(named)


def nothing(entity: Any) -> str | None:
    """Return the reason why nothing replaces `entity`, if a fact has one."""
    reason = getattr(entity, "reason", None)
    return f"no replacement: {reason}" if reason and not entity.successor else None


def successor(
    function: Function,
    old: Mapping[str, Function],
    new: Mapping[str, Function],
    known: Container[str] = (),
    advice: Advice | None = None,
) -> Successor | None:
    """Return what takes over from `function` in `new`; None if nothing says so.

    Args:
        old: the functions before.
        new: the functions after.
        known: all names after; those of `new` where it is empty.
        advice: what headers said at any time.
    """
    found = recommended(function, known or new, advice or {})
    if found or nothing(function):
        return found
    stem = _VERSION.sub("", function.name)
    versions = [name for name in new if _VERSION.sub("", name) == stem and name != function.name]
    if versions:
        return Successor(max(versions, key=_version), "same name, another version suffix")
    if function.deprecated:
        return _general(function, old, new)
    return None


def _version(name: str) -> int:
    match = _VERSION.search(name)
    return int(match[1]) if match else 0


def _general(
    function: Function, old: Mapping[str, Function], new: Mapping[str, Function]
) -> Successor | None:
    """Return the function that this one was a special case of: by the name's first words.

    Only where both were there together, one deprecated and the other not, and both work on the
    same kind of object; a shorter name alone says nothing (cudnnCreate creates no tensor).
    """
    subject = _subject(function)
    shorter = _LAST_WORD.sub("", _VERSION.sub("", function.name))
    while subject and shorter != "cudnn":
        stems = (name for name in new if _VERSION.sub("", name) == shorter)
        name = max(stems, key=_version, default="")
        general = old.get(name)
        if general and not general.deprecated and _subject(general) == subject:
            return Successor(name, f"same name without its last words, same {subject}")
        cut = _LAST_WORD.sub("", shorter)
        if cut == shorter:
            break
        shorter = cut
    return None


def _subject(function: Function) -> str | None:
    """Return the type of the object that a function works on: its first descriptor."""
    for parameter in function.parameters:
        if parameter.kind == "descriptor" and parameter.direction == "in":
            return parameter.type.removeprefix("const ")
    return None
