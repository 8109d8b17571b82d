"""Differences between two APIs, as findings; `rules` says what each means."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any

import msgspec

from .forms import fits
from .model import (
    Api,
    BackendAttribute,
    Callback,
    Enumerator,
    Function,
    Parameter,
    Record,
    version_key,
)
from .rules import RULES
from .successors import Advice, Successor, nothing, recommended, successor

Value = int | float | str | None


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

#: Kinds for which the header of a declaration does not matter.
_ANYWHERE = {"enumerator", "flag", "constant", "version macro"}

_VALUE_CHANGED = {
    "enumerator": "enumerator-value-changed",
    "flag": "flag-value-changed",
    "constant": "constant-value-changed",
}

#: Rules whose changes make the tables of one release wrong for the other.
_TABLES = frozenset(
    [
        "enumerator-value-changed",
        "field-moved",
        "field-type-changed",
        "flag-value-changed",
        "record-size-changed",
        "typedef-changed",
    ]
)


#: The kind of a function that a library exports and no header declares.
UNDECLARED = "undeclared function"


class Thing(msgspec.Struct, frozen=True):
    """Anything of an API that has a name."""

    kind: str
    entity: Any
    owner: str | None = None
    header: str | None = None
    sentinel: bool = False  # counts the other enumerators


def compare(old: Api, new: Api) -> tuple[Finding, ...]:
    """Every difference that a program can depend on, in the order of the rules, then by name."""
    before, after = things(old), things(new)
    advice = _advice()
    findings = [
        *_gone(old, before, after, advice),
        *_come(before, after),
        *_changed(new, before, after, advice),
        *_headers(old, new, before, after),
        *_libraries(old, new),
        *_attributes(old.attributes, new.attributes),
    ]
    if any(finding.rule in _TABLES for finding in findings):
        module = f"cudnn_cffi.v{old.release.replace('.', '_')}"
        findings.append(Finding("tables-outdated", module, "module"))
    order = {rule: position for position, rule in enumerate(RULES)}
    return tuple(sorted(findings, key=lambda f: (order[f.rule], f.name, f.owner or "")))


def _advice() -> Advice:
    from . import ModelError, store

    try:
        return store().advice()
    except ModelError:
        return {}  # two folders of headers can be compared without any model


def things(api: Api) -> dict[str, Thing]:
    """Everything of cuDNN's with a name, but for headers.

    Declarations of CUDA's headers are in a model only because cuDNN's headers use them.
    """
    found: dict[str, Thing] = {}
    ours = {header.name for header in api.headers}
    for section, kind in _KINDS.items():
        for entity in getattr(api, section):
            if "." in entity.name:
                continue  # a union without a name: what changes in it is its member's business
            if entity.header in ours:
                found[entity.name] = Thing(kind, entity, header=entity.header)
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


# Names that are gone, new, or something else


def _gone(
    old: Api, before: Mapping[str, Thing], after: Mapping[str, Thing], advice: Advice
) -> Iterator[Finding]:
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
    """Return what became of the number of an enumerator whose name is gone."""
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


def _come(before: Mapping[str, Thing], after: Mapping[str, Thing]) -> Iterator[Finding]:
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
    value: Value = getattr(entity, "value", None)
    return value


# Names that are in both


def _changed(
    new: Api, before: Mapping[str, Thing], after: Mapping[str, Thing], advice: Advice
) -> Iterator[Finding]:
    by_number = _by_number(after)
    for name, was in before.items():
        now = after.get(name)
        if now is None or (was.entity == now.entity and was.owner == now.owner):
            continue
        if was.kind != now.kind:
            yield from _other_kind(name, was, now, by_number)
        elif was.kind in _VALUE_CHANGED:
            yield from _member(name, was, now, by_number)
        elif was.kind in _CHANGES:
            yield from _CHANGES[was.kind](was.entity, now.entity)
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


# Headers and libraries


def _headers(
    old: Api, new: Api, before: Mapping[str, Thing], after: Mapping[str, Thing]
) -> Iterator[Finding]:
    old_reach, new_reach = header_reach(old), header_reach(new)
    for name in old_reach.keys() - new_reach.keys():
        yield Finding("header-removed", name, "header")
    for name in new_reach.keys() - old_reach.keys():
        yield Finding("header-added", name, "header")
    for name, was in before.items():
        now = after.get(name)
        if now and was.header and now.header != was.header and was.kind not in _ANYWHERE:
            yield Finding("declaration-moved", name, was.kind, None, was.header, now.header)
    for header in old_reach.keys() & new_reach.keys():
        lost = Counter(
            now.header
            for name, was in before.items()
            if (now := after.get(name)) is not None
            and was.header in old_reach[header]
            and now.header not in new_reach[header]
        )
        if lost:
            needed = ", ".join(sorted(str(name) for name in lost))
            note = f"{sum(lost.values())} names need {needed}"
            yield Finding("include-insufficient", header, "header", note=note)


def header_reach(api: Api) -> dict[str, set[str]]:
    """For each header, itself and every other header of cuDNN's that it brings."""
    includes = {header.name: header.includes for header in api.headers}
    reach: dict[str, set[str]] = {}
    for header in includes:
        found, open_ = {header}, [header]
        while open_:
            fresh = set(includes.get(open_.pop(), ())) - found
            found |= fresh
            open_ += fresh
        reach[header] = found
    return reach


_OWN_LIBRARY = re.compile(r"(cudnn_(?:graph|ops|cnn|adv)(?:_infer|_train)?)\.h")

#: Headers whose functions are in a library of another name; read from the symbol tables of 8.9.7
#: and 9.28.0, where every other function is in the library that is called like its header.
_GUEST_OF = {
    "cudnn_backend.h": "libcudnn_cnn_infer",
    "cudnn_gnn_ops.h": "libcudnn_ext",
    "cudnn_subquadratic_ops.h": "libcudnn_ext",
}


def library(header: str) -> str | None:
    """Return the sub-library with the functions of a header; None if that is not known."""
    match = _OWN_LIBRARY.fullmatch(header)
    return f"lib{match[1]}" if match else _GUEST_OF.get(header)


def _libraries(old: Api, new: Api) -> Iterator[Finding]:
    major, new_major = version_key(old.release)[0], version_key(new.release)[0]
    before, after = ({each.name for each in api.libraries} for api in (old, new))
    if not (before and after):
        before = after = {"libcudnn"}  # of headers alone, all that is known
    if major != new_major:
        for name in before & after:
            files = f"{name}.so.{major}", f"{name}.so.{new_major}"
            yield Finding("library-renamed", name, "library", None, *files)
    for name in before - after:
        yield Finding("library-removed", name, "library", old=f"{name}.so.{major}")
    for name in after - before:
        yield Finding("library-added", name, "library", new=f"{name}.so.{new_major}")
    yield from undeclared(old, new)
    now = {function.name: library(function.header) for function in new.functions}
    for function in old.functions:
        was, is_ = library(function.header), now.get(function.name)
        if was and is_ and was != is_:
            yield Finding("symbol-moved", function.name, "function", None, was, is_)


def undeclared(old: Api, new: Api) -> Iterator[Finding]:
    """Yield functions that no header declares, of files that were read in both releases.

    One that a header of the other release declares is another finding's.
    """
    declared = {function.name for api in (old, new) for function in api.functions}
    exports = [
        {
            each.name: set(each.undeclared) - declared
            for each in api.libraries
            if each.undeclared is not None
        }
        for api in (old, new)
    ]
    before, after = exports
    gone, come = defaultdict(list), defaultdict(list)
    for library in sorted(before.keys() & after.keys()):
        for name in before[library] - after[library]:
            gone[name].append(library)
        for name in after[library] - before[library]:
            come[name].append(library)
    for name, libraries in gone.items():
        yield Finding("undeclared-removed", name, UNDECLARED, old=", ".join(libraries))
    for name, libraries in come.items():
        yield Finding("undeclared-added", name, UNDECLARED, new=", ".join(libraries))


# Backend attributes


def _attributes(
    old: Sequence[BackendAttribute], new: Sequence[BackendAttribute]
) -> Iterator[Finding]:
    after = {attribute.name: attribute for attribute in new}
    yield from _required_anew(old, new)
    for was in old:
        now = after.get(was.name)
        if now is None:
            continue  # its enumerator is gone too, or nobody knows its type there
        yield from _schema(was, now)
        if was.owner != now.owner:
            yield Finding(
                "attribute-owner-changed", was.name, "attribute", None, was.owner, now.owner
            )
        if was.types and now.types and set(was.types) != set(now.types):
            wider = set(was.types) < set(now.types)
            rule = "attribute-type-added" if wider else "attribute-type-changed"
            before, after_ = " or ".join(sorted(was.types)), " or ".join(sorted(now.types))
            yield Finding(rule, was.name, "attribute", was.owner, before, after_)
        lost = [
            word
            for word in ("readable", "writable")
            if getattr(was, word) and getattr(now, word) is False
        ]
        if lost:
            words = " and ".join(lost)
            yield Finding(
                "attribute-access-changed", was.name, "attribute", was.owner, words, f"not {words}"
            )


def _required_anew(
    old: Sequence[BackendAttribute], new: Sequence[BackendAttribute]
) -> Iterator[Finding]:
    """Yield new attributes that a descriptor of an old type cannot do without."""
    before = {attribute.name for attribute in old}
    owners = {attribute.owner for attribute in old}
    for now in new:
        if now.name not in before and now.owner in owners and _told(now) and _required(now):
            yield Finding("attribute-added-required", now.name, "attribute", now.owner, None, "new")


def _schema(was: BackendAttribute, now: BackendAttribute) -> Iterator[Finding]:
    """Yield what differs where the libraries of both releases told it themselves."""

    def finding(rule: str, before: object, after: object) -> Finding:
        return Finding(rule, was.name, "attribute", was.owner, str(before), str(after))

    if not (_told(was) and _told(now)):
        return
    if _required(now) and _dispensable(was):
        yield finding("attribute-now-required", was.needed, "required")
    if _required(was) and _dispensable(now):
        yield finding("attribute-not-required", "required", now.needed)
    if None not in (was.default, now.default) and was.default != now.default:
        yield finding("attribute-default-changed", was.default, now.default)
    if was.target and now.target and was.target != now.target:
        yield finding("attribute-target-changed", was.target, now.target)
    if was.count and now.count and (was.count != now.count or (was.most and now.most)):
        before, after = _room(was), _room(now)
        if before != after:
            rule = "attribute-count-raised" if before < after else "attribute-count-lowered"
            yield finding(rule, _elements(was), _elements(now))


def _told(attribute: BackendAttribute) -> bool:
    """Return whether a library of a release with this API was asked."""
    return attribute.told_by is not None and attribute.told_by.startswith("probe")


def _required(attribute: BackendAttribute) -> bool:
    return "required" in (attribute.needed, attribute.needed_in_graph)


def _dispensable(attribute: BackendAttribute) -> bool:
    """Return whether a descriptor is valid without it, whatever else is set."""
    needs = {attribute.needed, attribute.needed_in_graph or attribute.needed}
    return needs <= {"optional", "unchecked"}


def _room(attribute: BackendAttribute) -> tuple[bool, int]:
    """Something that is larger for an attribute that takes more elements."""
    return attribute.count == "many", attribute.most or 0


def _elements(attribute: BackendAttribute) -> str:
    if attribute.count == "one":
        return "one element"
    return "many elements" if attribute.most is None else f"at most {attribute.most} elements"
