"""Models in, text out. Everything here is a pure function of the models; nothing reads a header."""

from __future__ import annotations

import ast
import hashlib
import keyword
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import jinja2
from cudnn_cffi.api import model

from ..classify import CType
from ..lower import names
from ..lower.merge import Merged
from ..lower.plan import (
    SCALED,
    Context,
    Plan,
    plan,
)
from ..read import cexpr
from . import backend, c, docstrings, layout, python

TEMPLATES = Path(__file__).resolve().parents[2] / "templates"
PACKAGE = "cudnn_cffi"

NATIVE = TEMPLATES.with_name("native")

#: How many results a function may have; `_call` and native/ have room for as many.
MOST_RESULTS = 64

_LAYOUT = "@layout@"

_STAMP = "Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:"

Files = dict[str, bytes]


class EmitError(Exception):
    """A model that the templates have no text for."""


def emit(merged: Merged, prefixes: Mapping[str, str]) -> Files:
    """Every file of the generated tree but the models, by path below it."""
    return _Emitter(merged, prefixes).run()


def _refuse_clashes(api: model.Api) -> None:
    """No two enums, flag sets and structs of a release may be one class in Python, and what is
    found under its C name must be a name in Python."""
    entities: list[Any] = [*api.functions, *api.constants, *api.macros, *api.typedefs]
    entities += [*api.opaques, *api.callbacks]
    public: list[tuple[str, str]] = [(each.name, each.header) for each in entities]
    public += [(enum.name, enum.header) for enum in api.enums]
    members = [(e.name, enum.header) for enum in api.enums for e in enum.enumerators]
    public += members
    public += [(r.name, r.header) for r in api.records if "." not in r.name]
    for name, header in public:
        if not is_name(name) or (name[0] == "_" and (name, header) in members):
            raise EmitError(f"{api.release}: {name} of {header} is no name that Python can have")
    owners: dict[str, str] = {f.name: f"the flag set {f.name}" for f in api.flags}
    named: list[model.Enum | model.Record] = [*api.enums]
    named += [record for record in api.records if "." not in record.name]
    for entity in named:
        cls = names.class_name(entity.name)
        if cls in owners:
            raise EmitError(f"{api.release}: {entity.name} and {owners[cls]} would both be {cls}")
        owners[cls] = entity.name


#: What calls.py.j2 names by itself, in modules and in functions.
_TEMPLATE = ("_new", "_type", "_out", "_status", "_error", python.RESULTS)


def _refuse_hidden_names(plans: Sequence[Plan]) -> None:
    """In a module of calls no two things may have one name, nor two parameters of a function."""
    owners = dict.fromkeys(_TEMPLATE, "the call layer")
    owners.update((name, "the call layer") for each in plans for name in python.needs(each))
    owners.update((f"_{enum}", f"the enum {enum}") for each in plans for enum in each.enums)
    for each in plans:
        for name in (each.name, f"_{each.name}", each.tuple_name):
            if name is not None and (name in owners or not is_name(name)):
                other = owners.get(name, "Python")
                raise EmitError(f"{each.name}: the name {name} is taken by {other}")
            owners[name or ""] = each.name
        for used in ([p.name for p in each.parameters], [r.name for r in each.results]):
            for name in used:
                if used.count(name) > 1 or not is_name(name) or name[0] == "_":
                    raise EmitError(f"{each.name}: {name} would be the name of two parameters")


def is_name(name: str) -> bool:
    """Whether a name of C's can be one of Python's, and no other name is taken as equal to it."""
    return name.isidentifier() and name.isascii() and not keyword.iskeyword(name)


def stamped(text: str, comment: str) -> bytes:
    """`text` under a line that holds its hash, so that a hand edit is seen."""
    opening, closing = comment.split("|")
    digest = hashlib.sha256(text.encode()).hexdigest()[:32]
    return f"{opening}{_STAMP}{digest}{closing}\n{text}".encode()


def stamp_is_true(data: bytes) -> bool:
    """Whether a stamped file still has the content that its stamp names."""
    head, _, text = data.partition(b"\n")
    found = re.search(rb"sha256:([0-9a-f]{32})", head)
    return bool(found) and hashlib.sha256(text).hexdigest()[:32].encode() == found[1]  # type: ignore[index]


_COMMENT = {".py": "# |", ".pyi": "# |", ".c": "/* | */", ".h": "/* | */"}


@dataclass(frozen=True)
class _Member:
    name: str
    c_name: str
    value: int


@dataclass(frozen=True)
class _EnumView:
    cls: str
    name: str
    header: str
    prefix: str
    members: tuple[_Member, ...]


@dataclass(frozen=True)
class _Method:
    name: str
    plan: Plan
    module: str

    @property
    def annotation(self) -> str:
        return python.annotation_in(self.plan, self.module)


@dataclass(frozen=True)
class _Family:
    cls: str
    name: str
    create: Plan
    destroy: Plan
    create_module: str
    destroy_module: str
    methods: tuple[_Method, ...]
    note: str

    @property
    def functions(self) -> dict[str, str]:
        """The functions of cuDNN by the names of the methods."""
        return {method.name: method.plan.function.name for method in self.methods}


class _Emitter:
    def __init__(self, merged: Merged, prefixes: Mapping[str, str]) -> None:
        self.merged = merged
        self.prefixes = prefixes
        self.context = Context.of(merged)
        self.plans = sorted(
            (plan(variant, self.context) for variant in merged.all_variants()),
            key=lambda p: p.name,
        )
        self.places = {p.name: i for i, p in enumerate(self.plans)}
        self.environment = _environment()
        self.environment.filters.update(
            doc=self._doc,
            shim=self._shim,
            removal=self._removal,
            life=self._life,
            method_doc=self._method_doc,
        )
        self.files: Files = {}
        self.tables: dict[str, str] = {}  # by API, the one whose tables it has

    def run(self) -> Files:
        for api in self.merged.apis.values():
            _refuse_clashes(api)
        self._calls()
        self._native()
        self._tables()
        self._stubs()
        self._families()
        self._backend()
        self._index()
        return self.files

    def _write(self, path: str, template: str, **values: Any) -> None:
        text = self.environment.get_template(template).render(**values)
        self._put(path, text)

    def _put(self, path: str, text: str) -> None:
        text = text if text.endswith("\n") else text + "\n"
        self.files[f"{PACKAGE}/{path}"] = stamped(text, _COMMENT[Path(path).suffix])

    # The call layer

    @property
    def modules(self) -> dict[str, list[Plan]]:
        found: dict[str, list[Plan]] = {}
        for each in self.plans:
            found.setdefault(names.header_module(each.function.header), []).append(each)
        return dict(sorted(found.items()))

    def _calls(self) -> None:
        self._put("calls/__init__.py", '"""Functions of cuDNN, one module for each header."""\n')
        for module, plans in self.modules.items():
            _refuse_hidden_names(plans)
            enums = {e for p in plans for e in p.enums}
            self._write(
                f"calls/{module}.py",
                "calls.py.j2",
                header=plans[0].function.header,
                plans=plans,
                runtime=sorted({f"{n[1:]} as {n}" for p in plans for n in python.needs(p)}),
                enums=sorted(enums),
                mapped=sorted({e for p in plans for e in python.enum_maps(p)}),
                families=sorted({names.class_name(f) for p in plans for f in p.families}),
                records=sorted({names.class_name(r) for p in plans for r in p.records}),
            )

    def _native(self) -> None:
        for each in self.plans:
            if len(each.slots) > MOST_RESULTS:
                raise EmitError(f"{each.name} has more than {MOST_RESULTS} results")
        shims = self.environment.get_template("shims.c.j2").render(plans=self.plans, layout=_LAYOUT)
        declarations = [
            "const char *cudnn_cffi_layout(void);",
            "void cudnn_cffi_bind(int index, uintptr_t address);",
            "uintptr_t cudnn_cffi_maker(void);",
            "uintptr_t cudnn_cffi_watcher(void);",
            "uintptr_t cudnn_cffi_plan_type(void);",
            "int cudnn_cffi_bound(void);",
            *(f"{c.prototype(p)};" for p in self.plans if not p.is_quick),
        ]
        cdef = "\n".join(declarations)
        # A compiled layer of another text is never used: whatever changed, it shows here.
        by_hand = "".join(path.read_text() for path in sorted(NATIVE.iterdir()))
        digest = hashlib.sha256((by_hand + shims + cdef).encode()).hexdigest()[:16]
        self._put("_native/shims.c", shims.replace(_LAYOUT, digest))
        self._put("_native/cdef.h", cdef)
        specs = {each.name: _spec(each) for each in self.plans}
        self._write("_specs.py", "specs.py.j2", specs=specs, layout=digest, double=self.double)
        types = sorted({c.function_type(p) for p in self.plans})
        self.files[f"{PACKAGE}/_abi_types.py"] = stamped(c.function_types(types, PACKAGE), "# |")

    @cached_property
    def double(self) -> int:
        """The value of CUDNN_DATA_DOUBLE, in all releases."""
        return self._value("CUDNN_DATA_DOUBLE")

    def _value(self, enumerator: str) -> int:
        values = {
            e.value
            for api in self.merged.apis.values()
            for enum in api.enums
            for e in enum.enumerators
            if e.name == enumerator
        }
        if len(values) > 1:
            raise EmitError(f"{enumerator} has several values: {sorted(values)}")
        return values.pop() if values else -1

    def _shim(self, each: Plan) -> str:
        getters = {code: self.places.get(getter, 0) for code, (_, getter) in SCALED.items()}
        return c.shim(each, self.places[each.name], getters, self.double)

    # Tables and types

    def _enum_views(self, groups: Iterable[model.Enum | model.FlagSet]) -> list[_EnumView]:
        views = []
        for group in groups:
            prefix = self.prefixes[group.name]
            members = group.enumerators if isinstance(group, model.Enum) else group.members
            flags = isinstance(group, model.FlagSet)
            views.append(
                _EnumView(
                    group.name if flags else names.class_name(group.name),
                    group.name,
                    group.header,
                    prefix,
                    tuple(
                        _Member(names.member_name(m.name, prefix), m.name, m.value) for m in members
                    ),
                )
            )
        for view in views:
            by_name: dict[str, str] = {}
            for member in view.members:
                if (other := by_name.setdefault(member.name, member.c_name)) != member.c_name:
                    raise EmitError(
                        f"{view.name}: {other} and {member.c_name} would both be {member.name}"
                    )
        return sorted(views, key=lambda v: v.cls)

    def _tables(self) -> None:
        self._put("tables/__init__.py", '"""Tables of each release whose values differ."""\n')
        template = self.environment.get_template("tables.py.j2")
        bodies: dict[str, str] = {}
        for name, api in self.merged.apis.items():
            wrappers = {
                variant.function.name: variant.wrapper
                for variants in self.merged.variants.values()
                for variant in variants
                if name in variant.releases
            }
            tables = {
                "ENUMS": _enum_table(self._enum_views(api.enums)),
                "FLAGS": _enum_table(self._enum_views(api.flags)),
                "CONSTANTS": {constant.name: constant.value for constant in api.constants},
                "RECORDS": {names.class_name(r.name): _record_row(r) for r in api.records},
                "FUNCTIONS": dict(sorted(wrappers.items())),
                "ATTRIBUTES": {
                    a.name: (a.owner, tuple(a.types), a.readable, a.writable)
                    for a in api.attributes
                },
                # Enums of the elements of attributes, by the names of the attributes' types.
                "ATTRIBUTE_ENUMS": _attribute_enums(api),
            }
            body = template.render(tables=tables, macros=_macro_views(api))
            # APIs that differ in deprecations or comments only have the same tables.
            self.tables[name] = bodies.setdefault(body, name)
        for body, name in bodies.items():
            versions = [r.version for r in self.merged.releases if self.tables[r.api] == name]
            title = f'"""The tables of cuDNN {", ".join(versions)}."""\n\n'
            self._put(f"tables/{names.module_name(name)}.py", title + body)
        for release in self.merged.releases:
            self._write(
                f"{names.module_name(release.version)}.py",
                "release.py.j2",
                version=release.version,
            )

    def _union(self) -> tuple[list[_EnumView], list[_EnumView], list[tuple[str, Any]], list[Any]]:
        """Every member that any release had, with the newest value it had."""
        enums: dict[str, model.Enum] = {}
        flags: dict[str, model.FlagSet] = {}
        constants: dict[str, int | float] = {}
        macros: dict[str, Any] = {}
        for api in self.merged.apis.values():
            for enum in api.enums:
                old = enums[enum.name].enumerators if enum.name in enums else ()
                gone = {e.name: e for e in old}
                for enumerator in enum.enumerators:
                    gone.pop(enumerator.name, None)
                enums[enum.name] = model.Enum(
                    name=enum.name,
                    header=enum.header,
                    enumerators=(*enum.enumerators, *gone.values()),
                )
            flags.update((f.name, f) for f in api.flags)
            constants.update((c.name, c.value) for c in api.constants)
            macros.update((m["name"], m) for m in _macro_views(api))
        return (
            self._enum_views(enums.values()),
            self._enum_views(flags.values()),
            sorted(constants.items()),
            [macros[name] for name in sorted(macros)],
        )

    def _life(self, enumerator: str) -> str:
        """Since when there is an enumerator, and since when no longer; "" where it always was."""
        since, removed = self._lives[enumerator]
        first = self.merged.releases[0].version
        parts = [f"Since {since}."] if since != first else []
        return " ".join([*parts, *([f"Removed in {removed}."] if removed else [])])

    @cached_property
    def _lives(self) -> dict[str, tuple[str, str | None]]:
        having: dict[str, set[str]] = {}
        for api in self.merged.apis.values():
            members = [e for enum in api.enums for e in enum.enumerators]
            for member in [*members, *(m for flags in api.flags for m in flags.members)]:
                having.setdefault(member.name, set()).add(api.release)
        found = {}
        versions = [r.version for r in self.merged.releases]
        for name, apis in having.items():
            places = [i for i, r in enumerate(self.merged.releases) if r.api in apis]
            found[name] = (versions[places[0]], next(iter(versions[places[-1] + 1 :]), None))
        return found

    def _stubs(self) -> None:
        enums, flags, constants, macros = self._union()
        self._write(
            "enums.pyi",
            "enums.pyi.j2",
            enums=enums,
            flags=flags,
            constants=constants,
            macros=macros,
        )
        records: dict[str, model.Record] = {}
        for api in self.merged.apis.values():
            records.update((r.name, r) for r in api.records if "." not in r.name)
        self._write(
            "records.pyi",
            "records.pyi.j2",
            records=[self._record_view(r) for r in sorted(records.values(), key=lambda r: r.name)],
        )
        self._write(
            "names.pyi",
            "names.pyi.j2",
            modules=[
                (
                    module,
                    [p.name for p in plans if not self._removal(p)],
                    [p for p in plans if self._removal(p)],
                )
                for module, plans in self.modules.items()
            ],
            families=[names.class_name(f) for f in sorted(self.context.families)],
            aliases=[(f, names.class_name(f)) for f in sorted(self.context.families)],
        )
        for release in self.merged.releases:
            self._release_stub(release)

    def _release_stub(self, release: model.Release) -> None:
        name = names.module_name(release.version)
        if release.api != release.version:
            same = names.module_name(release.api)
            text = f'"""The API of {release.api}, for type checkers."""\n\nfrom .{same} import *\n'
            self._put(f"{name}.pyi", text)
            return
        api = self.merged.apis[release.api]
        wrappers: dict[str, list[tuple[str, str]]] = {}
        present = {f.name for f in api.functions}
        for variants in self.merged.variants.values():
            for variant in variants:
                if release.version in variant.releases:
                    module = names.header_module(variant.function.header)
                    wrappers.setdefault(module, []).append((variant.function.name, variant.wrapper))
        views = [*self._enum_views(api.enums), *self._enum_views(api.flags)]
        exported = [*_VERSION_MACROS, *(c.name for c in api.constants)] + [
            m["name"] for m in _macro_views(api)
        ]
        for view in views:
            exported += [view.cls, *(m.c_name for m in view.members)]
            exported += [view.name] if view.name != view.cls else []
        records = [r.name for r in api.records if "." not in r.name]
        families = [f.name for f in self._family_views() if f.create.function.name in present]
        self._write(
            f"{name}.pyi",
            "release.pyi.j2",
            version=release.version,
            enums=sorted(set(exported)),
            records=sorted([*records, *map(names.class_name, records)]),
            modules=[(m, sorted(pairs)) for m, pairs in sorted(wrappers.items())],
            families=[names.class_name(f) for f in families],
            aliases=[(f, names.class_name(f)) for f in families],
        )

    def _record_view(self, record: model.Record) -> dict[str, Any]:
        members = [(names.field_name(f.name), self._member_type(f)) for f in record.fields]
        items = ("self", *(f"{name}: {annotation} = ..." for name, annotation in members))
        return {
            "cls": names.class_name(record.name),
            "name": record.name,
            "members": members,
            "signature": layout.Bracketed("def __init__(", items),
        }

    def _member_type(self, item: model.Field) -> str:
        kind = CType.of(item.type)
        if item.length is not None or item.record is not None:
            return "Any"
        if kind.base in self.context.enums:
            return self.context.enums[kind.base]
        return "float" if kind.base in ("float", "double") and kind.value else "int"

    # Families

    def _family_views(self) -> list[_Family]:
        if not hasattr(self, "_families_cache"):
            self._families_cache = list(self._make_families())
        return self._families_cache

    def _make_families(self) -> Iterable[_Family]:
        for name in sorted(self.context.families):
            creators = [p for p in self.plans if _single(p, name, "owned")]
            destroyers = [p for p in self.plans if _single(p, name, "released")]
            create = max(creators, key=lambda p: (p.name in self.newest, p.name))
            destroy = max(destroyers, key=lambda p: (p.name in self.newest, p.name))
            methods: dict[str, _Method] = {}
            for each in self.plans:
                method = _method_name(each, name)
                if method is None or each in creators or each in destroyers:
                    continue
                methods[method] = _Method(method, each, names.header_module(each.function.header))
            since, removed = self.merged.since(create.name), self.merged.removed(create.name)
            note = f" Removed in {removed}." if removed else ""
            if since != self.merged.releases[0].version:
                note = f" Since {since}.{note}"
            yield _Family(
                names.class_name(name),
                name,
                create,
                destroy,
                names.header_module(create.function.header),
                names.header_module(destroy.function.header),
                tuple(methods[m] for m in sorted(methods)),
                note,
            )

    def _families(self) -> None:
        families = self._family_views()
        plans = [m.plan for f in families for m in f.methods] + [f.create for f in families]
        modules = {m.module for f in families for m in f.methods}
        modules |= {f.create_module for f in families} | {f.destroy_module for f in families}
        self._write(
            "families.py",
            "families.py.j2",
            families=families,
            modules=sorted(modules),
            enums=sorted({e for p in plans for e in p.enums}),
            records=sorted({names.class_name(r) for p in plans for r in p.records}),
        )

    def _backend(self) -> None:
        found = backend.Descriptors(self.merged, _attribute_enums)
        self._write("_attributes.py", "attributes.py.j2", rows=found.rows, forms=found.forms)
        self._write(
            "backend.py",
            "backend.py.j2",
            bases=found.bases,
            descriptors=found.all,
            enums=found.enums,
        )

    def _index(self) -> None:
        history = {
            name: (self.merged.since(name), self.merged.removed(name), self._successor(name))
            for name in sorted(self.merged.variants)
        }
        self._write(
            "_index.py",
            "index.py.j2",
            releases={r.version: self.tables[r.api] for r in self.merged.releases},
            calls={p.name: names.header_module(p.function.header) for p in self.plans},
            history=history,
            families={f.cls: f.name for f in self._family_views()},
        )

    def _successor(self, name: str) -> str | None:
        """What the headers recommend, else the newest numbered form of the same function."""
        function = self.merged.variants[name][0].function
        if function.successor in self.newest:
            return function.successor
        if name in self.newest and not function.deprecated:
            return None
        stem = re.sub(r"(?:_v\d+|Ex)$", "", name)
        return self.newest_forms.get(stem) if self.newest_forms.get(stem) != name else None

    @cached_property
    def newest(self) -> frozenset[str]:
        """The functions of the newest release."""
        return frozenset(function.name for function in self.merged.newest.functions)

    @cached_property
    def newest_forms(self) -> dict[str, str]:
        """Of names that end in a number, the one with the highest, by the name without it."""
        numbered = [re.fullmatch(r"(\w+)_v(\d+)", name) for name in self.newest]
        forms = sorted((int(form[2]), form[1], form[0]) for form in numbered if form)
        return {stem: name for _, stem, name in forms}

    # Docstrings

    def _doc(self, each: Plan) -> str:
        return docstrings.of_function(each, self._availability(each), self._members)

    def _method_doc(self, each: Plan, c_type: str) -> str:
        return docstrings.of_method(each, c_type, self._removal(each))

    @cached_property
    def _members(self) -> dict[str, list[str]]:
        """The names of the members of each enum, in any release."""
        return {view.cls: [m.name for m in view.members] for view in self._union()[0]}

    def _removal(self, each: Plan) -> str:
        """Where the newest release lacks the function, since when and what is used instead."""
        removed = self.merged.removed(each.function.name)
        if not removed:
            return ""
        successor = self._successor(each.function.name)
        return f"removed in {removed}{f'; use {successor}' if successor else ''}"

    def _availability(self, each: Plan) -> docstrings.Availability:
        name = each.function.name
        since = self.merged.since(name)
        successor, advice = self._successor(name), each.function.successor or ""
        code = f"`{successor}`" if successor else ""
        return docstrings.Availability(
            since,
            since == self.merged.releases[0].version,
            self.merged.removed(name),
            self.merged.deprecated(name) if each.function.deprecated else None,
            advice if " " in advice else code,  # words: the graph API
        )


# Views ---------------------------------------------------------------------------------------


def _attribute_enums(api: model.Api) -> dict[str, str]:
    """Return the class of an attribute type's elements, by the type's name after CUDNN_TYPE_.

    The headers do not say which enum that is. Its name is that of the type, in most cases with
    "backend" or "backendTensor" in front; one type is spelt ATTRIB_NAME.
    """
    prefix = "CUDNN_TYPE_"
    types = next((e for e in api.enums if e.name == "cudnnBackendAttributeType_t"), None)
    if types is None:
        return {}
    classes: dict[str, str] = {}
    for cls in sorted(names.class_name(enum.name) for enum in api.enums):
        plain = cls.lower()
        backend = [plain.removeprefix("backend"), plain.removeprefix("backendtensor")]
        for word in (plain, *(backend if plain.startswith("backend") else ())):
            classes.setdefault(word, cls)
    found = {}
    for name in (e.name.removeprefix(prefix) for e in types.enumerators):
        word = name.replace("_", "").lower().replace("attribname", "attributename")
        if word in classes:
            found[name] = classes[word]
    return found


def _enum_table(views: Iterable[_EnumView]) -> dict[str, tuple[Any, ...]]:
    return {
        view.cls: (
            view.name,
            view.header,
            view.prefix,
            {member.name: (member.c_name, member.value) for member in view.members},
        )
        for view in views
    }


def _record_row(record: model.Record) -> tuple[Any, ...]:
    fields = tuple(
        (names.field_name(f.name), f.type, f.offset, f.size, f.length, f.record)
        for f in record.fields
    )
    return (record.name, record.header, record.kind, record.size, record.align, fields)


def _macro_views(api: model.Api) -> list[dict[str, Any]]:
    """Function-like macros whose body is arithmetic on their parameters."""
    views = []
    for macro in sorted(api.macros, key=lambda m: m.name):
        known = dict.fromkeys(macro.parameters, 1)
        try:
            cexpr.evaluate(macro.body, lambda name: known[name])  # noqa: B023
        except (cexpr.NotConstant, KeyError):
            continue
        expression = ast.unparse(
            ast.parse(cexpr.to_python(macro.body).replace("/", "//").strip(), mode="eval")
        )
        views.append({"name": macro.name, "parameters": macro.parameters, "expression": expression})
    return views


def _single(each: Plan, base: str, owner: str) -> bool:
    return any(
        p.owner == owner and CType.of(p.type).base == base and p.kind in ("handle", "descriptor")
        for p in each.function.parameters
    )


def _method_name(each: Plan, base: str) -> str | None:
    """The name as a method of `base`, where the function is about an object of that type.

    It is when the object comes first, or right after the handle and the function's name has the
    object's name in it.
    """
    parameters = each.function.parameters
    own = next((i for i, p in enumerate(parameters[:2]) if python.is_object(p, base)), None)
    if own is None or (own == 1 and parameters[0].type != "cudnnHandle_t"):
        return None
    stem = names.class_name(base)
    stem = re.sub(r"(Descriptor|ParamPack|Plan)$", "", stem) or stem
    text = each.name.removeprefix("cudnn")
    if own == 1 and stem not in text:
        return None
    if base == "cudnnHandle_t":
        short = text
        if not re.match(r"(Set|Get)(Stream|CudnnHandle)", text):
            return None
    else:
        short = re.sub(rf"{stem}(?=[A-Z0-9_]|$)", "", text, count=1)
        short = re.sub(r"Descriptor(?=[A-Z0-9_]|$)", "", short, count=1)
        short = re.sub(r"ParamPack(?=[A-Z0-9_]|$)", "", short, count=1)
    name = names.snake(short) or names.snake(text)
    return names.method_name(name)


# Jinja -----------------------------------------------------------------------------------------


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=jinja2.StrictUndefined,
        autoescape=False,
    )
    environment.filters.update(
        definition=python.definition,
        passed_to=python.passed_to,
        handed_to=python.handed_to,
        watched=python.watched,
        imported=python.imported,
        quick=python.quick,
        call=python.call_of,
        conversions=python.conversions,
        judged=python.judged,
        returned=python.returned,
        annotation_in=python.annotation_in,
        format_of=python.unpacking,
        thunk=c.thunk,
        lay_out=layout.lay_out,
        assigned=layout.assigned,
        literal=lambda value, indent=0, before="": layout.lay_out(
            layout.literal(value), indent, before
        ),
    )
    return environment


#: Reachable in every release, though no model has them: they say nothing but the release.
_VERSION_MACROS = ("CUDNN_MAJOR", "CUDNN_MINOR", "CUDNN_PATCHLEVEL", "CUDNN_VERSION")


def _role(parameter: model.Parameter) -> str:
    """The kind of a parameter; of a buffer, whether it is written."""
    written = parameter.kind == "buffer" and parameter.direction != "in"
    return "output" if written else parameter.kind


def _spec(each: Plan) -> tuple[Any, ...]:
    places = {p.name: i for i, p in enumerate(each.function.parameters)}
    parameters = tuple(
        (p.name, p.source.type, _role(p.source), p.source.optional, places[p.source.name])
        for p in each.parameters
    )
    return (
        each.function.name,
        each.function.header,
        each.result_code,
        each.codes,
        parameters,
        c.function_type(each),
        each.described,
    )
