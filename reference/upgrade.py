"""Replacements of functions that cuDNN 9 removed or deprecated."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import Any

from cudnn_cffi.api.model import BackendAttribute, Function
from cudnn_cffi.api.report import Item
from cudnn_cffi.versions import version_key

from .records import Models, example, required, variable_of

_HERE = Path(__file__).parent

#: The first release whose removals and deprecations the page answers.
SINCE = "9.0.0"

#: A plan from an operation graph, in C: what all programs do with the operations.
WHOLE = (_HERE / "templates" / "whole.c").read_text(encoding="utf-8").strip()


@dataclass(frozen=True)
class Group:
    """Functions with the same replacement."""

    title: str
    names: Sequence[str]
    python: str = ""
    c: str = ""
    takes: Sequence[str] = ()  # declarations in C of what `c` uses and does not make
    calls: str = ""  # the function that takes their place, if it is one
    text: str = ""
    evidence: str = ""
    reason: str = ""


@cache
def entries() -> list[dict[str, Any]]:
    """Return what takes the place of functions for which headers name the graph API."""
    with (_HERE / "instead.toml").open("rb") as file:
        found: list[dict[str, Any]] = tomllib.load(file)["entry"]
    return found


def items(models: Models) -> tuple[list[Item], list[Item]]:
    """Return the findings about functions that 9.0 or later removed, and that it deprecated.

    Deprecated functions only if the newest release still has them.
    """
    found: dict[str, dict[str, Item]] = {"func-removed": {}, "func-deprecated": {}}
    for report in models.reports:
        if version_key(report.new.version) >= version_key(SINCE):
            for item in report.findings:
                if item.rule in found:
                    found[item.rule][item.name] = item
    functions = {function.name: function for function in models.newest.functions}
    removed = [i for name, i in found["func-removed"].items() if name not in functions]
    deprecated = [
        item
        for name, item in found["func-deprecated"].items()
        if name in functions and functions[name].deprecated
    ]
    return removed, deprecated


def groups(models: Models, found: Sequence[Item]) -> list[Group]:
    """Return functions by what replaces them, those with none last."""
    return [*_by_name(models, found), *_by_entry(models, found), *_without(found)]


def _by_name(models: Models, found: Sequence[Item]) -> Iterator[Group]:
    functions = {f.name: f for f in models.newest.functions}
    by_name: dict[str, list[Item]] = {}
    for item in found:
        if item.successor and not _entry(item):
            by_name.setdefault(item.successor.name, []).append(item)
    for name, its in sorted(by_name.items()):
        function = functions.get(name)
        evidence = its[0].successor.evidence if its[0].successor else ""
        shown = example(function) if function else None
        yield Group(
            title=f"Use {name}",
            names=[item.name for item in its],
            python=shown.python if shown else "",
            c=shown.c if shown else "",
            takes=_parameters(function) if function else (),
            calls=name,
            evidence=evidence.rstrip("."),
        )


def _by_entry(models: Models, found: Sequence[Item]) -> Iterator[Group]:
    for entry in entries():
        names = [item.name for item in found if _entry(item) == entry]
        if names:
            descriptors = entry.get("operations", {})
            made = [operation(models, owner, more) for owner, more in descriptors.items()]
            yield Group(
                title=entry["title"],
                names=names,
                python=python_of(entry),
                c=entry["c"].strip() if "c" in entry else "\n\n".join(c for c, _ in made),
                takes=[each for _, takes in made for each in takes] or entry.get("takes", ()),
                text=entry["text"],
            )


def python_of(entry: dict[str, Any]) -> str:
    """Return the Python of an entry, with the imports that it needs."""
    code = entry["python"].strip()
    imports = ["import cudnn_cffi as cudnn"] if "cudnn." in code else []
    imports += ["from cudnn_cffi import ops"] if "ops." in code else []
    return "\n".join([*imports, "", code])


def _without(found: Sequence[Item]) -> Iterator[Group]:
    by_reason: dict[str, list[str]] = {}
    for item in found:
        if item.successor is None and not _entry(item):
            note = (item.note or "").removeprefix("no replacement: ")
            by_reason.setdefault(note or "Nothing says what replaces it", []).append(item.name)
    for reason, names in by_reason.items():
        reason = reason[0].upper() + reason[1:].rstrip(".") + "."
        yield Group(title=f"No replacement: {names[0]}", names=names, reason=reason)


def _entry(item: Item) -> dict[str, Any] | None:
    """Return the entry for a function that the graph API replaces, or that goes with it."""
    successor = item.successor.name if item.successor else None
    if successor is not None and "graph API" not in successor and not successor.endswith("_t"):
        return None  # another function; a type is no answer to what to call
    if successor is None and item.rule != "func-deprecated":
        return None
    return next((e for e in entries() if re.search(e["pattern"], item.name)), None)


def _parameters(function: Function) -> list[str]:
    """Declare in C the parameters of a call that the example does not declare."""
    made = set(re.findall(r"^\w+ (\w+);", example(function).c, re.M))
    return [_declared(p.type, p.name) for p in function.parameters if p.name not in made]


def _declared(type_: str, name: str) -> str:
    base, bracket, rest = type_.partition("[")
    return f"{base.strip()} {name}{bracket}{rest}"


def operation(models: Models, owner: str, more: Sequence[str] = ()) -> tuple[str, list[str]]:
    """Return C that makes a descriptor and sets attributes, and declarations of their values.

    Args:
        models: all models.
        owner: the type of the descriptor.
        more: attributes beside those that it must have.
    """
    attributes = models.descriptors()[owner]
    if unknown := set(more) - {a.name for a in attributes}:
        raise ValueError(f"{owner} has no attribute {', '.join(sorted(unknown))}")
    variable = variable_of(owner)
    prefix = _common_prefix([a.name for a in attributes])
    takes = []
    lines = [
        f"cudnnBackendDescriptor_t {variable};",
        f"cudnnBackendCreateDescriptor({owner}, &{variable});",
    ]
    for attribute in attributes:
        if not required(attribute) and attribute.name not in more:
            continue
        value = attribute.name.removeprefix(prefix).lower()
        many = attribute.count == "many"
        type_ = _type(attribute)
        takes += [f"{type_}{value}[]", f"int64_t {value}_count"] if many else [f"{type_}{value}"]
        given = f"{value}_count, {value}" if many else f"1, &{value}"
        lines.append(
            f"cudnnBackendSetAttribute({variable}, {attribute.name},\n"
            f"                         {attribute.types[0]}, {given});"
        )
    lines.append(f"cudnnBackendFinalize({variable});")
    return "\n".join(lines), takes


#: The types of C in which attributes are given, but for enumerations.
_TYPES = {
    "CUDNN_TYPE_BACKEND_DESCRIPTOR": "cudnnBackendDescriptor_t ",
    "CUDNN_TYPE_BOOLEAN": "bool ",
    "CUDNN_TYPE_CHAR": "char ",
    "CUDNN_TYPE_DOUBLE": "double ",
    "CUDNN_TYPE_FLOAT": "float ",
    "CUDNN_TYPE_FRACTION": "cudnnFraction_t ",
    "CUDNN_TYPE_HANDLE": "cudnnHandle_t ",
    "CUDNN_TYPE_INT32": "int32_t ",
    "CUDNN_TYPE_INT64": "int64_t ",
    "CUDNN_TYPE_VOID_PTR": "void *",
}


def _type(attribute: BackendAttribute) -> str:
    return f"{attribute.enum} " if attribute.enum else _TYPES[attribute.types[0]]


def _common_prefix(names: Sequence[str]) -> str:
    """Return what all names begin with, of one name as much as all attributes have."""
    if len(names) == 1:
        return "CUDNN_ATTR_"
    first, last = min(names), max(names)
    same = takewhile(lambda pair: pair[0] == pair[1], zip(first, last, strict=False))
    return "".join(letter for letter, _ in same)
