"""Records of a comparison: named things of an API, and findings about them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from ..._support.recent import Recent

if TYPE_CHECKING:
    from ..model import Api, Enumerator

Value = int | float | str | None
Result = TypeVar("Result")


class Successor(msgspec.Struct, frozen=True):
    """The replacement of a function, and its evidence."""

    name: str  # of C's, or words: "the graph API"
    evidence: str


class Finding(msgspec.Struct, frozen=True, omit_defaults=True):
    """One change of one named thing."""

    rule: str
    name: str
    kind: str  # what the name is: "function", "enumerator", "header", ...
    owner: str | None = None  # what it belongs to: its enumeration, struct or function
    old: Value = None
    new: Value = None
    note: str | None = None
    successor: Successor | None = None


#: A section of an `Api` and what one entity of it is called.
_KINDS = {
    "functions": "function",
    "enums": "enumeration",
    "constants": "constant",
    "macros": "macro",
    "versions": "version macro",
    "records": "struct",
    "opaques": "object type",
    "callbacks": "callback",
    "typedefs": "typedef",
}


#: The kind of a function that a library exports and no header declares.
UNDECLARED = "undeclared function"


class Thing(msgspec.Struct, frozen=True):
    """Anything of an API that has a name."""

    kind: str
    entity: Any
    owner: str | None = None
    header: str | None = None
    sentinel: bool = False  # counts the other enumerators


def kept(*sections: str) -> Callable[[Callable[[Api], Result]], Callable[[Api], Result]]:
    """Keep what a function returns for the last APIs; it depends on these sections alone.

    A search compares each API with others, and releases with the same API share its sections.
    """

    def decorate(function: Callable[[Api], Result]) -> Callable[[Api], Result]:
        results: Recent[tuple[int, ...], tuple[list[Any], Result]] = Recent(64)

        @wraps(function)
        def call(api: Api) -> Result:
            parts = [getattr(api, section) for section in sections]
            key = tuple(map(id, parts))
            found = results.get(key)  # holds the parts, so that no others get their addresses
            if found is None:
                found = results[key] = parts, function(api)
            return found[1]

        return call

    return decorate


#: Follows the name of a macro that a function has, too.
_COVERING = " (macro)"


def both(old: Api, new: Api) -> tuple[Mapping[str, Thing], Mapping[str, Thing]]:
    """Return the things of two APIs, a macro under both its names if one of them has two."""
    before, after = things(old), things(new)
    return _matched(before, after), _matched(after, before)


def _matched(these: Mapping[str, Thing], others: Mapping[str, Thing]) -> Mapping[str, Thing]:
    names = {each: each.removesuffix(_COVERING) for each in others if each.endswith(_COVERING)}
    more = {
        name: these[plain]
        for name, plain in names.items()
        if plain in these and these[plain].kind == "macro"
    }
    return {**these, **more} if more else these


@kept("headers", "flags", *_KINDS)
def things(api: Api) -> Mapping[str, Thing]:
    """Everything of cuDNN's with a name, but for headers.

    Declarations of CUDA's headers are in a model only because cuDNN's headers use them.
    """
    found: dict[str, Thing] = {}
    ours = {header.name for header in api.headers}
    for section, kind in _KINDS.items():
        for entity in getattr(api, section):
            if "." in entity.name:
                continue  # a struct without a name: see `declarations.inner`
            if entity.header in ours:
                # A macro with the name of a function is another thing, which sources call instead.
                covers = kind == "macro" and entity.name in found
                name = f"{entity.name}{_COVERING}" if covers else entity.name
                found[name] = Thing(kind, entity, header=entity.header)
    for kind, groups in (("enumerator", _members(api)), ("flag", _flags(api))):
        for owner, header, members in groups:
            last = max((member.value for member in members), default=0)
            for member in members if header in ours else ():
                # a name that ends in _COUNT may also be an attribute that is a number of things
                sentinel = member.sentinel and member.value == last
                found[member.name] = Thing(kind, member, owner, header, sentinel)
    return found


def tags(things: Mapping[str, Thing]) -> dict[str, str]:
    """Return the types' names by the tags of their structs, public or not."""
    found = {}
    for name, thing in things.items():
        if thing.kind == "struct" and thing.entity.tag:
            found[thing.entity.tag] = name
        elif thing.kind == "object type" and (match := _TAG.match(thing.entity.target)):
            found.setdefault(match[1], name)
    return found


_TAG = re.compile(r"(?:const )?struct (\w+)")


def _members(api: Api) -> Iterator[tuple[str, str, Sequence[Enumerator]]]:
    return ((enum.name, enum.header, enum.enumerators) for enum in api.enums)


def _flags(api: Api) -> Iterator[tuple[str, str, Sequence[Enumerator]]]:
    return ((flags.name, flags.header, flags.members) for flags in api.flags)
