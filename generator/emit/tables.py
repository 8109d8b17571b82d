"""The tables of releases: enums, flags, constants, structs, functions, attributes, macros."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from cudnn_cffi.api import model

from ..lower import names
from ..schema.enums import enum_types
from . import views
from .text import layout
from .text.render import render
from .text.source import Source


def shared(source: Source) -> dict[str, str]:
    """Return the text of the tables of each API. Some differ in deprecations or comments only."""
    return {name: _body(source, api) for name, api in source.merged.apis.items()}


def owners(texts: dict[str, str]) -> dict[str, str]:
    """Return the API whose module has the tables, by API: the first one with the same text."""
    first: dict[str, str] = {}
    return {name: first.setdefault(text, name) for name, text in texts.items()}


def files(source: Source, texts: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Yield path and text of each module of tables, and of the module of each release."""
    yield "tables/__init__.py", '"""Tables of each release whose values differ."""\n'
    owner = owners(texts)
    for name in dict.fromkeys(owner.values()):
        versions = [r.version for r in source.merged.releases if owner[r.api] == name]
        title = f'"""The tables of cuDNN {", ".join(versions)}."""\n\n'
        yield f"tables/{names.module_name(name)}.py", title + texts[name]
    for release in source.merged.releases:
        path = f"{names.module_name(release.version)}.py"
        yield path, render("release.py.j2", version=release.version)


def _body(source: Source, api: model.Api) -> str:
    variants = source.merged.all_variants(api.release)
    tables = {
        "ENUMS": _enum_table(views.enums(source, api.enums)),
        "FLAGS": _enum_table(views.enums(source, api.flags)),
        "CONSTANTS": {constant.name: constant.value for constant in api.constants},
        "RECORDS": {record.name: _record_row(_resolved(record, api)) for record in api.records},
        "FUNCTIONS": {each.function.name: each.wrapper for each in variants},
        "ATTRIBUTES": {
            a.name: _attribute_row(a.name, a.owner, a.types, a.readable, a.writable)
            for a in api.attributes
        },
        # Enums of the elements of attributes, by the names of the attributes' types.
        "ATTRIBUTE_ENUMS": {
            type_.removeprefix("CUDNN_TYPE_"): names.class_name(enum)
            for type_, enum in enum_types(api).items()
        },
    }
    return render("tables.py.j2", tables=tables, macros=views.macros(api))


def _enum_table(enums: Iterable[views.EnumView]) -> dict[str, Any]:
    return {view.cls: _enum_row(view) for view in enums}


# Most rows are the same in all releases, so each is made and laid out once.


@cache
def _enum_row(view: views.EnumView) -> Any:
    members = {member.name: (member.c_name, member.value) for member in view.members}
    row = (view.name, view.header, view.prefix, members)
    return layout.literal(row, layout.key_of(view.cls))


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


@cache
def _record_row(record: model.Record) -> Any:
    fields = tuple(
        (names.field_name(f.name), f.type, f.offset, f.size, f.length, f.record)
        for f in record.fields
    )
    row = (record.name, record.header, record.kind, record.size, record.align, fields)
    return layout.literal(row, layout.key_of(names.class_name(record.name)))


@cache
def _attribute_row(name: str, *row: Any) -> Any:
    return layout.literal(row, layout.key_of(name))
