"""Changes of functions, callbacks, structs and other types."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any

import msgspec

from ..model import Api, Callback, Function, Parameter, Record
from ..names.forms import fits
from .finding import Finding, Thing, Value


def _function(old: Function, new: Function) -> Iterator[Finding]:
    if old.result != new.result:
        yield Finding("func-result-changed", old.name, "function", old=old.result, new=new.result)
    yield from _parameters(old, new)


def _parameters(old: Function, new: Function) -> Iterator[Finding]:
    before, after = [p.name for p in old.parameters], [p.name for p in new.parameters]
    pairs: Iterable[tuple[Parameter, Parameter]]
    if before == after:
        pairs = zip(old.parameters, new.parameters, strict=True)
    elif Counter(before) == Counter(after):
        yield Finding(
            "func-params-reordered",
            old.name,
            "function",
            old=", ".join(before),
            new=", ".join(after),
        )
        named = {parameter.name: parameter for parameter in new.parameters}
        pairs = ((parameter, named[parameter.name]) for parameter in old.parameters)
    else:
        removed, added, pairs = _align(old.parameters, new.parameters)
        for parameter in removed:
            yield Finding(
                "func-param-removed", parameter.name, "parameter", old.name, old=parameter.type
            )
        for parameter in added:
            yield Finding(
                "func-param-added", parameter.name, "parameter", old.name, new=parameter.type
            )
    renamed = "func-param-renamed" if fits(old, new) else "func-keyword-changed"
    for was, now in pairs:
        if was.name != now.name:
            yield Finding(renamed, was.name, "parameter", old.name, was.name, now.name)
        if was != now:
            yield from _parameter(old.name, was, now)


_Pairs = list[tuple[Parameter, Parameter]]


def _align(
    old: Sequence[Parameter], new: Sequence[Parameter]
) -> tuple[list[Parameter], list[Parameter], _Pairs]:
    """Return what was removed, was added, and is the same, perhaps under another name."""
    removed: list[Parameter] = []
    added: list[Parameter] = []
    pairs: _Pairs = []
    matcher = SequenceMatcher(None, [p.name for p in old], [p.name for p in new], autojunk=False)
    for operation, a, b, c, d in matcher.get_opcodes():
        if operation == "equal" or (operation == "replace" and b - a == d - c):
            pairs += zip(old[a:b], new[c:d], strict=True)
        else:
            removed += old[a:b]
            added += new[c:d]
    return removed, added, pairs


def _parameter(function: str, was: Parameter, now: Parameter) -> Iterator[Finding]:
    def finding(rule: str, old: Value, new: Value) -> Finding:
        return Finding(rule, was.name, "parameter", function, old, new)

    if _bare(was.type) != _bare(now.type):
        yield finding("func-param-type-changed", was.type, now.type)
    elif _pointer(was.type) != _pointer(now.type):
        yield finding("func-param-const-changed", was.type, now.type)
    if was.memory != now.memory:
        yield finding(
            "func-param-memory-changed", was.memory or "by value", now.memory or "by value"
        )
    if was.direction != now.direction:
        yield finding("func-param-direction-changed", was.direction, now.direction)
    before, after = _role(was), _role(now)
    if before != after:
        yield finding("func-param-role-changed", _spelled(before, after), _spelled(after, before))


def _pointer(type: str) -> str:
    """`T[]` is `T *` where a parameter is declared."""
    return re.sub(r"\s*\[\]$", " *", type)


def _bare(type: str) -> str:
    return " ".join(re.sub(r"\bconst\b", " ", _pointer(type)).split())


def _role(parameter: Parameter) -> dict[str, str]:
    fields = ("kind", "length", "count", "owner", "optional", "flags")
    return {field: str(getattr(parameter, field)) for field in fields}


def _spelled(role: Mapping[str, str], other: Mapping[str, str]) -> str:
    return ", ".join(f"{key} {value}" for key, value in role.items() if other[key] != value)


def _callback(old: Callback, new: Callback) -> Iterator[Finding]:
    before, after = _signature(old), _signature(new)
    if before != after:
        yield Finding("callback-changed", old.name, "callback", old=before, new=after)


def _signature(callback: Callback) -> str:
    return f"{callback.result} ({', '.join(_pointer(p.type) for p in callback.parameters)})"


# Types and macros


def _record(old: Record, new: Record) -> Iterator[Finding]:
    if old.kind != new.kind:
        yield Finding("kind-changed", old.name, "struct", old=old.kind, new=new.kind)
    if (old.size, old.align) != (new.size, new.align):
        note = None if old.align == new.align else f"alignment {old.align} -> {new.align}"
        yield Finding("record-size-changed", old.name, "struct", None, old.size, new.size, note)
    if old.tag != new.tag:
        yield Finding("record-tag-changed", old.name, "struct", old=old.tag, new=new.tag)
    before = {field.name: field for field in old.fields}
    after = {field.name: field for field in new.fields}
    places = {(f.offset, f.type, f.length): f for f in new.fields if f.name not in before}
    renamed = set()
    for name, was in before.items():
        now = after.get(name)
        if now is None:
            now = places.get((was.offset, was.type, was.length))
            if now is None:
                yield Finding("field-removed", name, "member", old.name, old=_declared(was))
                continue
            renamed.add(now.name)
            yield Finding("field-renamed", name, "member", old.name, name, now.name)
        if was.offset != now.offset:
            yield Finding("field-moved", name, "member", old.name, was.offset, now.offset)
        if _declared(was) != _declared(now) or was.size != now.size:
            yield Finding(
                "field-type-changed", name, "member", old.name, _declared(was), _declared(now)
            )
    for name, now in after.items():
        if name not in before and name not in renamed:
            yield Finding("field-added", name, "member", old.name, new=_declared(now))


def _declared(field: Any) -> str:
    return field.type if field.length is None else f"{field.type}[{field.length}]"


def _text_of(rule: str, kind: str, text: Callable[[Any], str]) -> Callable[[Any, Any], Any]:
    """Yield a comparison of things that one text says everything about."""

    def changed(old: Any, new: Any) -> Iterator[Finding]:
        if text(old) != text(new):
            yield Finding(rule, old.name, kind, old=text(old), new=text(new))

    return changed


_CHANGES: dict[str, Callable[[Any, Any], Iterator[Finding]]] = {
    "function": _function,
    "callback": _callback,
    "struct": _record,
    "object type": _text_of("opaque-changed", "object type", lambda o: o.target),
    "typedef": _text_of("typedef-changed", "typedef", lambda t: t.type),
    "version macro": _text_of("version-formula-changed", "version macro", lambda v: v.formula),
    "macro": _text_of("macro-changed", "macro", lambda m: f"({', '.join(m.parameters)}) {m.body}"),
}


def changed(before: Mapping[str, Thing], after: Mapping[str, Thing]) -> Iterator[Finding]:
    """Yield changes of the declarations of names that are in both."""
    for name, was in before.items():
        now = after.get(name)
        if now and was.kind == now.kind in _CHANGES and was != now:
            yield from _CHANGES[was.kind](was.entity, now.entity)


def inner(old: Api, new: Api) -> Iterator[Finding]:
    """Yield changes of members of structs without a name, as of the named struct around them."""
    after = {record.name: record for record in new.records}
    for was in old.records:
        around, dot, _ = was.name.partition(".")
        now = after.get(was.name)
        for each in _record(was, now) if dot and now and was != now else ():
            if each.kind == "member":
                yield msgspec.structs.replace(each, owner=around)
