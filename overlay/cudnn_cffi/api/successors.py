"""Find replacements for names that are going away, by rules, each with its evidence."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from typing import Any

import msgspec

from .model import Function

#: By name: what a header recommends instead, and the first release whose header does.
Advice = Mapping[str, tuple[str, str]]

_VERSION = re.compile(r"_v(\d+)$")
_LAST_WORD = re.compile(r"[A-Z][a-z0-9]*$")
_NAME_OF_C = re.compile(r"(?:cudnn|CUDNN_)\w+")


class Successor(msgspec.Struct, frozen=True):
    """The replacement of a function, and its evidence."""

    name: str  # of C's, or words: "the graph API"
    evidence: str


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
