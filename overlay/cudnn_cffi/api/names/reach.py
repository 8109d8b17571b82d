"""Find the functions that bring a program in touch with a type.

Compiled code names functions only; the numbers and layouts that it was built with are in what it
passes to them and gets from them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from ..changes.finding import Finding, kept
from ..model import Api, Function

_ATTRIBUTE_NAMES = "cudnnBackendAttributeName_t"
_ATTRIBUTE_TYPES = "cudnnBackendAttributeType_t"


@kept("functions", "enums", "records", "callbacks")
def functions_by_type(api: Api) -> Mapping[str, frozenset[str]]:
    """For each enumeration, struct and set of flags, the functions that it goes through.

    A type goes through a function as an argument or result, by a pointer, inside a struct or
    as an argument of a callback. A type that the attribute types name goes through the functions
    that take an attribute type beside memory of any type; one that no function takes may go
    through any function that takes such memory.
    """
    inside = _inside(api)
    found: dict[str, set[str]] = {}
    for function in api.functions:
        for name in _closure(_words(function), inside):
            found.setdefault(name, set()).add(function.name)
    buffers = {f.name for f in api.functions if any(p.kind == "buffer" for p in f.parameters)}
    typed = buffers & found.get(_ATTRIBUTE_TYPES, set())
    named = {_plain(e.name) for enum in api.enums for e in enum.enumerators}
    for name in (*(enum.name for enum in api.enums), *(record.name for record in api.records)):
        if _plain(f"CUDNN_TYPE_{_stem(name)}") in named:
            found.setdefault(name, set()).update(typed)
        elif name not in found:
            found[name] = set(buffers)
    return {name: frozenset(functions) for name, functions in found.items()}


def subject(finding: Finding) -> str | None:
    """Return the type whose numbers or layout a finding is about; None if about none."""
    if finding.kind in ("enumerator", "flag", "member"):
        return finding.owner
    if finding.kind == "attribute":
        return _ATTRIBUTE_NAMES
    return finding.name if finding.kind in ("struct", "typedef", "callback") else None


def _inside(api: Api) -> dict[str, set[str]]:
    """Return the words of the types in each struct and callback, by its name."""
    made: dict[str, set[str]] = {}
    for record in api.records:
        made[record.name] = {w for f in record.fields for w in re.findall(r"[\w.]+", f.type)}
    for callback in api.callbacks:
        made[callback.name] = _words(callback)
    return made


def _words(function: Function | object) -> set[str]:
    parameters = getattr(function, "parameters", ())
    texts = [getattr(function, "result", ""), *(p.type for p in parameters)]
    words = {word for text in texts for word in re.findall(r"\w+", text)}
    return words | {p.flags for p in parameters if p.flags}


def _closure(words: Iterable[str], inside: Mapping[str, set[str]]) -> set[str]:
    found, open_ = set(words), list(words)
    while open_:
        fresh = inside.get(open_.pop(), set()) - found
        found |= fresh
        open_ += fresh
    return found


def _stem(type: str) -> str:
    return re.sub(r"^cudnn(?:Backend)?|_t$", "", type)


def _plain(name: str) -> str:
    return name.replace("_", "").lower()
