"""What to call instead of a function that is going away: found by rules, each with its evidence."""

from __future__ import annotations

import re
from collections.abc import Mapping

import msgspec

from .model import Function

_VERSION = re.compile(r"_v(\d+)$")
_LAST_WORD = re.compile(r"[A-Z][a-z0-9]*$")


class Successor(msgspec.Struct, frozen=True):
    name: str
    evidence: str


def successor(
    function: Function, old: Mapping[str, Function], new: Mapping[str, Function]
) -> Successor | None:
    """The function of `new` that takes over from `function`; None where nothing says so."""
    named = function.successor
    if named and named in new:
        return Successor(named, "named by the header's deprecation note")
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
    """The function that this one was a special case of: the same name without its last words.

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
    """The type of the object that a function works on: the first descriptor that it is given."""
    for parameter in function.parameters:
        if parameter.kind == "descriptor" and parameter.direction == "in":
            return parameter.type.removeprefix("const ")
    return None
