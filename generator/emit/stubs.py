"""Stubs for type checkers and editors: enums, structs, all names, and those of each release."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from cudnn_cffi.api import model

from ..classify import CType
from ..lower import names
from . import views
from .families import FamilyView
from .text import layout
from .text.render import render
from .text.source import Source


def files(source: Source, families: Sequence[FamilyView]) -> Iterator[tuple[str, str]]:
    """Yield path and text of each stub."""
    yield "enums.pyi", _enums(source)
    yield "enum_words.pyi", _enum_words(source)
    yield "records.pyi", _records(source)
    yield (
        "names.pyi",
        render("names.pyi.j2", removal=source.removal, modules=source.modules, families=families),
    )
    before: tuple[str, dict[str, tuple[str, str]]] = ("", {})
    for release in source.merged.releases:
        module = names.module_name(release.version)
        if release.api != release.version:
            shared = names.module_name(release.api)
            text = render("same_api.pyi.j2", version=release.api, module=shared)
        else:
            public = _public(source, release, families)
            text = _release(release.version, public, *before)
            before = (module, public)
        yield f"{module}.pyi", text


def _enums(source: Source) -> str:
    """Return the stub of the enums, with all that any release had and the newest values."""
    flags: dict[str, model.FlagSet] = {}
    constants: dict[str, int | float] = {}
    versions: set[str] = set()
    macros: dict[str, Any] = {}
    for api in source.merged.apis.values():
        flags.update((f.name, f) for f in api.flags)
        constants.update((c.name, c.value) for c in api.constants)
        versions.update(v.name for v in api.versions)
        macros.update((m["name"], m) for m in views.macros(api))
    return render(
        "enums.pyi.j2",
        life=source.merged.life,
        enums=views.all_enums(source),
        flags=views.enums(source, flags.values()),
        constants=sorted(constants.items()),
        versions=sorted(versions),
        macros=[macros[name] for name in sorted(macros)],
    )


def _enum_words(source: Source) -> str:
    """Return the stub with the names of members as text, without the enums of the backend."""
    taken = [each for each in views.all_enums(source) if not each.cls.startswith("Backend")]
    return render(
        "enum_words.pyi.j2",
        enums=[{"cls": each.cls, "words": _words(each.members)} for each in taken],
    )


def _words(members: Sequence[views.Member]) -> str:
    both = dict.fromkeys(word for each in members for word in (each.name, each.name.lower()))
    return ", ".join(f'"{word}"' for word in both)


def _records(source: Source) -> str:
    records: dict[str, model.Record] = {}
    for api in source.merged.apis.values():
        records.update((r.name, r) for r in api.records if "." not in r.name)
    return render(
        "records.pyi.j2", records=[_record(source, records[name]) for name in sorted(records)]
    )


def _record(source: Source, record: model.Record) -> dict[str, Any]:
    members = [(names.field_name(f.name), _member_type(source, f)) for f in record.fields]
    items = ("self", *(f"{name}: {annotation} = ..." for name, annotation in members))
    return {
        "cls": names.class_name(record.name),
        "name": record.name,
        "members": members,
        "signature": layout.Bracketed("def __init__(", items),
    }


def _member_type(source: Source, item: model.Field) -> str:
    kind = CType.of(item.type)
    if item.length is not None or item.record is not None:
        return "Any"
    if kind.base in source.context.enums:
        return source.context.enums[kind.base]
    if kind.base in source.context.records and kind.value:
        return names.class_name(kind.base)
    return "float" if kind.base in ("float", "double") and kind.value else "int"


def _public(
    source: Source, release: model.Release, families: Sequence[FamilyView]
) -> dict[str, tuple[str, str]]:
    """Return the names of a release: by name the module that has it, and its name there."""
    api = source.merged.apis[release.api]
    exported = {*(v.name for v in api.versions), *(c.name for c in api.constants)}
    exported.update(macro["name"] for macro in views.macros(api))
    for view in [*views.enums(source, api.enums), *views.enums(source, api.flags)]:
        exported.update([view.cls, view.name, *(m.c_name for m in view.members)])
    records = [r.name for r in api.records if "." not in r.name]
    functions = {f.name for f in api.functions}
    made = [family for family in families if family.create.function.name in functions]
    return {
        **{name: (".enums", name) for name in sorted(exported)},
        **{
            name: (".records", name) for name in sorted([*records, *map(names.class_name, records)])
        },
        **{
            variant.function.name: (f".calls.{variant.module}", variant.wrapper)
            for variant in sorted(
                source.merged.all_variants(release.version), key=lambda each: each.module
            )
        },
        **{family.cls: (".", family.cls) for family in made},
        **{family.name: ("", family.cls) for family in made},
    }


def _release(
    version: str,
    public: Mapping[str, tuple[str, str]],
    base: str,
    before: Mapping[str, tuple[str, str]],
) -> str:
    """Return the stub of a release: what it adds to the one before, or all if that had more."""
    adds = bool(before) and all(public.get(name) == place for name, place in before.items())
    new = {name: place for name, place in public.items() if not adds or name not in before}
    modules: dict[str, list[tuple[str, str]]] = {}
    for name, (module, own) in new.items():
        modules.setdefault(module, []).append((name, own))
    return render(
        "release.pyi.j2",
        version=version,
        base=base if adds else "",
        families=modules.pop("", []),
        modules=list(modules.items()),
    )
