"""The history of values: enums, flags, constants, structs, functions, attributes, macros."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from cudnn_cffi.api import model

from ..lower import names
from ..lower.lives import Life, lives
from ..schema.enums import enum_types
from . import views
from .text.render import render
from .text.source import Source

Tables = dict[str, dict[str, Any]]


def of_apis(source: Source) -> dict[str, Tables]:
    """Return the tables of each API. Some differ in deprecations or comments only."""
    return {name: _tables(source, api) for name, api in source.merged.apis.items()}


def owners(tables: Mapping[str, Tables]) -> dict[str, str]:
    """Return the API whose tables another API has, by API: the first one with equal tables."""
    found: dict[str, str] = {}
    for name, own in tables.items():
        found[name] = next((each for each in found if _same(tables[each], own)), name)
    return found


def _same(one: Tables, other: Tables) -> bool:
    return one == other and all(list(one[name]) == list(other[name]) for name in one)


def files(source: Source, tables: Mapping[str, Tables]) -> Iterator[tuple[str, str]]:
    """Yield path and text of the history, and of the module of each release."""
    first = next(iter(tables.values()))
    rows = {
        "ENUMS": _enums(tables, "ENUMS"),
        "FLAGS": _enums(tables, "FLAGS"),
        **{name: _rows(_lives(tables, name)) for name in first if name not in _NESTED},
    }
    macros = _lives(tables, "MACROS")
    yield "_history.py", render("history.py.j2", tables=rows, macros=macros)
    for release in source.merged.releases:
        path = f"{names.module_name(release.version)}.py"
        yield path, render("release.py.j2", version=release.version)


#: Tables that are not laid out as rows.
_NESTED = ("ENUMS", "FLAGS", "MACROS")


def _tables(source: Source, api: model.Api) -> Tables:
    variants = source.merged.all_variants(api.release)
    return {
        "ENUMS": _enum_rows(views.enums(source, api.enums)),
        "FLAGS": _enum_rows(views.enums(source, api.flags)),
        "VERSIONS": {each.name: _part(each.name) for each in api.versions},
        "CONSTANTS": {constant.name: constant.value for constant in api.constants},
        "RECORDS": {
            names.class_name(record.name): _record_row(_resolved(record, api))
            for record in api.records
        },
        "FUNCTIONS": {each.function.name: each.wrapper for each in variants},
        "ATTRIBUTES": {a.name: (a.owner, a.types, a.readable, a.writable) for a in api.attributes},
        # Enums of the elements of attributes, by the names of the attributes' types.
        "ATTRIBUTE_ENUMS": {
            type_.removeprefix("CUDNN_TYPE_"): names.class_name(enum)
            for type_, enum in enum_types(api).items()
        },
        "MACROS": {each["name"]: each for each in views.macros(api)},
    }


def _part(macro: str) -> int:
    """Return the part of a release's version that a macro is; 3 for all of it."""
    parts = ("MAJOR", "MINOR", "PATCH")
    return next((place for place, part in enumerate(parts) if f"_{part}" in macro), 3)


def _lives(
    tables: Mapping[str, Tables], name: str, part: Callable[[Any], Any] = lambda row: row
) -> list[Life[Any]]:
    return lives(
        (api, {key: part(row) for key, row in own[name].items()}) for api, own in tables.items()
    )


def _rows(found: Iterable[Life[Any]]) -> Any:
    return tuple((each.name, each.row, *each.span) for each in found)


def _enums(tables: Mapping[str, Tables], name: str) -> Any:
    """Return by class the lives of the enum, and those of its members."""
    heads: dict[str, list[Any]] = {}
    for each in _lives(tables, name, lambda row: row[:3]):
        heads.setdefault(each.name, []).append((*each.row, *each.span))
    return {cls: (tuple(heads[cls]), tuple(_members(tables, name, cls))) for cls in sorted(heads)}


def _members(tables: Mapping[str, Tables], name: str, cls: str) -> Iterator[Any]:
    nothing: tuple[Any, ...] = ("", "", "", {})
    members = lives((api, own[name].get(cls, nothing)[3]) for api, own in tables.items())
    for each in members:
        yield (each.name, *each.row, *each.span)


def _enum_rows(enums: Iterable[views.EnumView]) -> dict[str, Any]:
    return {view.cls: _enum_row(view) for view in enums}


@cache  # most are the same in all releases
def _enum_row(view: views.EnumView) -> Any:
    members = {member.name: (member.c_name, member.value) for member in view.members}
    return view.name, view.header, view.prefix, members


def _resolved(record: model.Record, api: model.Api) -> model.Record:
    """Return a struct with the types of its members, where it names them by other names."""
    types = {typedef.name: typedef.type for typedef in api.typedefs}
    if types.keys().isdisjoint(field.type for field in record.fields):
        return record
    fields = []
    for field in record.fields:
        while field.type in types:
            field = model.replace(field, type=types[field.type])
        fields.append(field)
    return model.replace(record, fields=tuple(fields))


def _record_row(record: model.Record) -> Any:
    fields = tuple(
        (names.field_name(f.name), f.type, f.offset, f.size, f.length, f.record)
        for f in record.fields
    )
    return record.name, record.header, record.kind, record.size, record.align, fields
