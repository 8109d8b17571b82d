"""Headers in, unclassified declarations out, by libclang.

The parse is hermetic. Every file that the compiler may see is handed to it in memory: cuDNN's
headers, CUDA's, and the few lines below in the place of a C library. So the result does not
depend on the host's compiler, its include folders or its byte order.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

import clang.cindex as cx
from cudnn_cffi.api import model

from . import evaluate
from .comments import TRAILING, read_comment
from .compiling import (
    CUDA,
    CUDNN,
    MAIN,
    NEWER,
    STAND_INS,
    Lacking,
    compile_all,
    compile_headers,
    decoded,
    included,
    refuse_errors,
)
from .cursors import (
    UNSIGNED,
    deprecation,
    function_like,
    nameless,
    spell,
    tokens,
    unused,
    version_macros,
)

#: Bytes of an int, of which enums are as a rule.
_INT = 4

#: The type of the variable arguments of a function.
MORE = "..."


@dataclass
class Declarations:
    """Declarations of the headers, before anything is known of the meaning of parameters."""

    api: model.Api
    bodies: dict[str, str] = field(default_factory=dict)  # of object-like macros, in source order
    places: dict[str, str] = field(default_factory=dict)  # "function.parameter": "cudnn.h:12"
    left_out: tuple[str, ...] = ()  # what is left out or changed, a line each


def parse(
    headers: Mapping[str, bytes],
    cuda: Mapping[str, bytes],
    release: str,
    library: str | os.PathLike[str] | None = None,
) -> Declarations:
    """Return the declarations of the headers named `cudnn*.h` in `headers`.

    Args:
        headers: file names and contents of one release.
        cuda: CUDA's headers, by the names that `#include` uses.
        release: the version, as text, for the model.
        library: another libclang than the wheel's.

    Raises:
        compiling.ParseError: on the first diagnostic of severity error, with file, line and text.
    """
    if library is not None and not cx.Config.loaded:
        cx.Config.set_library_file(os.fspath(library))
    unit, lacking = compile_all(headers, cuda)
    refuse_errors(unit, included(headers))
    reader = _Reader(headers, release)
    reader.read(unit)
    reader.leave_out(lacking)
    bodies, macros = reader.macros()
    # A macro has a value where it is used: in a second file, after all headers.
    names = [name for name, body in bodies.items() if not set(body.split()) & {*"{};"}]
    unit = compile_headers(headers, cuda, evaluate.definitions(names), lacking)
    first = len(included(headers)) + 1
    return reader.declarations(bodies, macros, evaluate.values(unit, MAIN, first, names))


class _Reader:
    """Walks one translation unit and sorts what it meets into the sections of a model."""

    def __init__(self, headers: Mapping[str, bytes], release: str) -> None:
        self.headers = headers
        self.release = release
        self.functions: dict[str, model.Function] = {}
        self.enums: dict[str, model.Enum] = {}
        self.records: dict[str, model.Record] = {}
        self.opaques: dict[str, model.Opaque] = {}
        self.callbacks: dict[str, model.Callback] = {}
        self.typedefs: dict[str, model.Typedef] = {}
        self.versions: dict[str, model.VersionMacro] = {}
        self.places: dict[str, str] = {}
        self.left_out: list[str] = []
        self.numbers: list[model.Constant] = []
        self.macro_cursors: dict[str, tuple[str, cx.Cursor]] = {}
        self.external: dict[str, cx.Cursor] = {}
        self.named: dict[str, str] = {}  # enums and structs by libclang's key: their typedefs
        self.aliases: dict[str, str] = {}  # other names of types of the API
        self.wide: set[str] = set()  # enums of another size than int's, by libclang's key
        self.nameless: dict[str, tuple[str, cx.Cursor]] = {}  # enums by libclang's key, with header

    def read(self, unit: cx.TranslationUnit) -> None:
        kinds = cx.CursorKind
        handlers = {
            kinds.FUNCTION_DECL: self._function,
            kinds.ENUM_DECL: self._enum,
            kinds.STRUCT_DECL: self._record,
            kinds.UNION_DECL: self._record,
            kinds.TYPEDEF_DECL: self._typedef,
            kinds.VAR_DECL: self._variable,
            kinds.MACRO_DEFINITION: self._macro,
        }
        for cursor in unit.cursor.get_children():
            handler, file = handlers.get(cursor.kind), cursor.location.file
            if handler is None or file is None:
                continue
            path = file.name
            if path.startswith(CUDNN):
                handler(cursor, path[len(CUDNN) :])
            elif cursor.kind in (kinds.TYPEDEF_DECL, kinds.ENUM_DECL) and path.startswith(CUDA):
                self.external[cursor.spelling] = cursor
        self._resolve_aliases()
        self._resolve_external()
        self._resolve_aliases()  # two names that CUDA has for one type

    def leave_out(self, lacking: Lacking) -> None:
        """Leave out structs and names of types of CUDA's whose headers are not there.

        Functions stay, since the address of such a thing is an address.
        """
        for name in lacking.headers:
            self.left_out.append(f"{name}: CUDA's headers lack it{NEWER}")
        unknown = dict.fromkeys(lacking.types)
        for name in unknown:
            self.left_out.append(f"{name}: CUDA's headers lack this type{NEWER}")

        def uses(types: Iterable[str]) -> str:
            words = re.findall(r"\w+", " ".join(types))
            return next((word for word in words if word in unknown), "")

        def drop(those: dict[str, Any], name: str, what: str, found: str) -> None:
            del those[name]
            unknown[name] = None
            self.left_out.append(f"{name}: a {what} with {found} is left out")

        before = -1
        while before != len(unknown):  # a struct in a struct
            before = len(unknown)
            for name, typedef in list(self.typedefs.items()):
                if "*" not in typedef.type and (found := uses([typedef.type])):
                    drop(self.typedefs, name, "type", found)
            for name, record in list(self.records.items()):
                if found := uses(each.type for each in record.fields if "*" not in each.type):
                    drop(self.records, name, "struct", found)

    def declarations(
        self,
        bodies: dict[str, str],
        macros: Sequence[model.Macro],
        values: Mapping[str, int | float],
    ) -> Declarations:
        """Return what was read, with the values of macros."""
        # Members of an enum without any name are numbers with names, as macros are.
        constants = [
            model.Constant(child.spelling, header, child.enum_value)
            for key, (header, cursor) in self.nameless.items()
            if key not in self.named or key in self.wide
            for child in cursor.get_children()
            if child.kind == cx.CursorKind.ENUM_CONSTANT_DECL
        ]
        constants += [
            model.Constant(name, self.macro_cursors[name][0], value)
            for name, value in values.items()
            if math.isfinite(value)
        ]
        constants += self.numbers
        self._leave_out_macros(bodies, values)
        api = model.Api(
            release=self.release,
            headers=tuple(
                model.Header(each, self._includes(each)) for each in sorted(self.headers)
            ),
            functions=tuple(self.functions.values()),
            enums=tuple(self.enums.values()),
            constants=tuple(constants),
            macros=tuple(macros),
            versions=tuple(self.versions.values()),
            records=tuple(self.records.values()),
            opaques=tuple(self.opaques.values()),
            callbacks=tuple(self.callbacks.values()),
            typedefs=tuple(self.typedefs.values()),
        )
        return Declarations(api, bodies, self.places, tuple(dict.fromkeys(self.left_out)))

    def _leave_out_macros(self, bodies: Mapping[str, str], values: Mapping[str, float]) -> None:
        """Name macros that are text, no finite number, or another name of a function or type."""
        known = {*self.functions, *self.typedefs, *self.opaques, *self.records, *self.enums}
        for name, body in bodies.items():
            known_text = name not in values and (body[0] == '"' or body in known)
            if known_text or not math.isfinite(values.get(name, 0)):
                self.left_out.append(f"{name}: a macro that stands for {body} is left out")

    def _includes(self, name: str) -> tuple[str, ...]:
        found = re.findall(rb'^\s*#\s*include\s*[<"](cudnn\w*\.h)[">]', self.headers[name], re.M)
        return tuple(sorted({other.decode() for other in found}))

    def _function(self, cursor: cx.Cursor, header: str) -> None:
        if cursor.storage_class == cx.StorageClass.STATIC:
            self.left_out.append(f"{cursor.spelling}: a function that no library has is left out")
            return
        comment = read_comment(cursor)
        parameters = []
        for index, argument in enumerate(cursor.get_arguments()):
            name = argument.spelling or unused(f"arg{index}", cursor)
            self.places[f"{cursor.spelling}.{name}"] = f"{header}:{argument.location.line}"
            parameters.append(
                model.Parameter(
                    name=name,
                    type=spell(argument.type),
                    documented=comment.directions.get(name),
                )
            )
        if cursor.type.kind == cx.TypeKind.FUNCTIONPROTO and cursor.type.is_function_variadic():
            parameters.append(model.Parameter(name="more", type=MORE))
        self.functions[cursor.spelling] = model.Function(
            name=cursor.spelling,
            header=header,
            result=spell(cursor.result_type),
            parameters=tuple(parameters),
            documented_since=comment.since,
            **deprecation(comment, cursor),
        )

    def _is_new(self, cursor: cx.Cursor, name: str) -> bool:
        """Return whether it is a definition, and not one that a typedef above gave its name."""
        known = self.named.get(cursor.get_usr(), cursor.spelling)
        return cursor.is_definition() and (bool(name) or known == cursor.spelling)

    def _enum(
        self, cursor: cx.Cursor, header: str, name: str = "", typedef: cx.Cursor | None = None
    ) -> None:
        if not self._is_new(cursor, name):
            return
        name = name or cursor.spelling
        if nameless(cursor) and not name.startswith("cudnn"):
            # Without a name of its own: it gets the typedef's, if there is one.
            self.nameless[cursor.get_usr()] = header, cursor
            return
        if (size := cursor.enum_type.get_size()) != _INT:
            self._wide_enum(cursor, header, name, size)
            return
        comment = read_comment(cursor)
        enumerators = []
        for child in cursor.get_children():
            if child.kind != cx.CursorKind.ENUM_CONSTANT_DECL:
                continue
            said = read_comment(child, self._trailing(child, header))
            enumerators.append(
                model.Enumerator(
                    name=child.spelling,
                    value=child.enum_value,
                    documented_since=said.since,
                    **deprecation(said, child),
                )
            )
        if enumerators:
            self.enums[name] = model.Enum(
                name=name,
                header=header,
                enumerators=tuple(enumerators),
                documented_since=comment.since,
                **deprecation(comment, cursor, typedef),
            )

    def _wide_enum(self, cursor: cx.Cursor, header: str, name: str, size: int) -> None:
        """Take an enum of another size than int's for a number, and its members for constants."""
        sign = "u" if cursor.enum_type.kind in UNSIGNED else ""
        self.typedefs[name] = model.Typedef(name, header, f"{sign}int{size * 8}_t")
        self.nameless[cursor.get_usr()] = header, cursor
        self.wide.add(cursor.get_usr())
        self.left_out.append(
            f"{name}: an enum of {size} bytes is a number, its members are constants"
        )

    def _variable(self, cursor: cx.Cursor, header: str) -> None:
        """Take a variable that cannot change for a number; nothing else of a library is data."""
        value = None
        if cursor.type.is_const_qualified() and cursor.storage_class == cx.StorageClass.STATIC:
            value = evaluate.value(cursor)
        if value is None or not math.isfinite(value):
            self.left_out.append(f"{cursor.spelling}: a variable is left out")
        else:
            self.numbers.append(model.Constant(cursor.spelling, header, value))

    def _trailing(self, cursor: cx.Cursor, header: str) -> str | None:
        """Return the comment after a declaration of several lines; libclang does not give it."""
        if cursor.raw_comment or header not in self.headers:
            return None
        source = decoded(self.headers[header]).encode()
        found = TRAILING.match(source, cursor.extent.end.offset)
        return found[1].decode() if found else None

    def _record(
        self, cursor: cx.Cursor, header: str, name: str = "", typedef: cx.Cursor | None = None
    ) -> None:
        if not self._is_new(cursor, name):
            return
        if nameless(cursor) and not name and not cursor.spelling.startswith("cudnn"):
            return
        name = name or cursor.spelling
        fields = []
        for index, each in enumerate(cursor.type.get_fields()):
            if each.is_bitfield():
                self.left_out.append(f"{name}.{each.spelling}: a bit field is left out")
            else:
                fields.append(self._field(name, header, each, index))
        self.records[name] = model.Record(
            name=name,
            tag="" if "A@" in cursor.get_usr() else cursor.spelling,
            kind="union" if cursor.kind == cx.CursorKind.UNION_DECL else "struct",
            header=header,
            size=cursor.type.get_size(),
            align=cursor.type.get_align(),
            fields=tuple(fields),
            **deprecation(read_comment(cursor), cursor, typedef),
        )

    def _field(self, record: str, header: str, cursor: cx.Cursor, index: int) -> model.Field:
        # The members of a struct or union without a name are those of the struct around it.
        name = cursor.spelling if cursor.spelling.isidentifier() else f"{model.ANONYMOUS}{index}"
        kind, length = cursor.type, None
        if kind.kind == cx.TypeKind.CONSTANTARRAY:
            length, kind = kind.element_count, kind.element_type
        elif kind.kind == cx.TypeKind.INCOMPLETEARRAY:  # as many as the caller makes room for
            length, kind = 0, kind.element_type
        inner = kind.get_canonical().get_declaration()
        nested = None
        by_name = kind.get_declaration().kind == cx.CursorKind.TYPEDEF_DECL
        if inner.kind == cx.CursorKind.ENUM_DECL and nameless(inner) and not by_name:
            self.nameless[inner.get_usr()] = header, inner
            kind = inner.enum_type
        if inner.kind in (cx.CursorKind.STRUCT_DECL, cx.CursorKind.UNION_DECL):
            typedef = kind.get_declaration()
            if typedef.kind != cx.CursorKind.TYPEDEF_DECL and inner.is_definition():
                # Declared inside: C gives it no name that can be used from elsewhere.
                nested = f"{record}.{name}"
                self._record(inner, header, nested)
        return model.Field(
            name=name,
            type=spell(kind) if nested is None or not nameless(inner) else nested,
            offset=cursor.get_field_offsetof() // 8,
            size=cursor.type.get_size() if length != 0 else 0,
            length=length,
            record=nested,
        )

    def _typedef(self, cursor: cx.Cursor, header: str) -> None:
        name, under = cursor.spelling, cursor.underlying_typedef_type
        canonical = under.get_canonical()
        declaration = canonical.get_declaration()
        kinds = cx.TypeKind
        if other := self._other_name(name, under, declaration):
            self.typedefs[name] = model.Typedef(name=name, header=header, type=other)
            self.aliases[name] = other
        elif canonical.kind == kinds.ENUM:
            if declaration.spelling != name:
                self.enums.pop(declaration.spelling, None)
            self._enum(declaration, header, name, cursor)
        elif canonical.kind == kinds.RECORD and declaration.is_definition():
            self._forget(declaration.spelling)
            self._record(declaration, header, name, cursor)
        elif canonical.kind == kinds.POINTER:
            pointee = canonical.get_pointee()
            if pointee.kind in (kinds.FUNCTIONPROTO, kinds.FUNCTIONNOPROTO):
                self._callback(cursor, under.get_pointee(), header)
            else:
                self._opaque(name, header, under, cursor)
        elif canonical.kind == kinds.RECORD:
            self._opaque(name, header, under, cursor)
        else:
            self.typedefs[name] = model.Typedef(name=name, header=header, type=spell(under))

    def _other_name(self, name: str, under: cx.Type, declaration: cx.Cursor) -> str:
        """Return the name by which a type of the API goes, where `name` is only another for it."""
        if declaration.location.file and declaration.location.file.name == STAND_INS:
            return str(declaration.spelling)
        if declaration.is_definition():
            known = self.named.setdefault(declaration.get_usr(), name)
            return known if known != name else ""
        stated = under.get_declaration()
        known = stated.spelling if stated.kind == cx.CursorKind.TYPEDEF_DECL else ""
        known = self.aliases.get(known, known)
        objects = (self.opaques, self.callbacks, self.external)
        return known if any(known in each for each in objects) else ""

    def _resolve_aliases(self) -> None:
        """Spell types by the one name that they go by, as C takes both for the same."""
        if not self.aliases:
            return
        words = re.compile(rf"\b(?:{'|'.join(self.aliases)})\b")

        def spelled(text: str) -> str:
            return words.sub(lambda found: self.aliases[found[0]], text)

        def parameters(each: model.Function | model.Callback) -> dict[str, Any]:
            found = tuple(model.replace(p, type=spelled(p.type)) for p in each.parameters)
            return {"result": spelled(each.result), "parameters": found}

        for name, function in self.functions.items():
            self.functions[name] = model.replace(function, **parameters(function))
        for name, callback in self.callbacks.items():
            self.callbacks[name] = model.replace(callback, **parameters(callback))
        for name, record in self.records.items():
            fields = tuple(model.replace(f, type=spelled(f.type)) for f in record.fields)
            self.records[name] = model.replace(record, fields=fields)

    def _forget(self, record: str) -> None:
        """Drop a record by its tag, with those inside it: a typedef names it better."""
        for name in [n for n in self.records if n == record or n.startswith(f"{record}.")]:
            del self.records[name]

    def _opaque(self, name: str, header: str, under: cx.Type, cursor: cx.Cursor) -> None:
        # C11 spells a struct as what it is; only its tag can be told apart by the reader.
        marked = deprecation(read_comment(cursor), cursor)
        self.opaques[name] = model.Opaque(name, header, spell(under), **marked)

    def _callback(self, cursor: cx.Cursor, function: cx.Type, header: str) -> None:
        named = [c for c in cursor.get_children() if c.kind == cx.CursorKind.PARM_DECL]
        types = list(function.get_canonical().argument_types())
        if len(named) == len(types):  # as they are written, not as what they stand for
            types = [each.type for each in named]
        names = [each.spelling for each in named]
        parameters = [
            model.Parameter(name=name or f"arg{i}", type=spell(kind))
            for i, (name, kind) in enumerate(zip_longest(names, types))
        ]
        self.callbacks[cursor.spelling] = model.Callback(
            name=cursor.spelling,
            header=header,
            result=spell(function.get_result()),
            parameters=tuple(parameters),
        )

    def _macro(self, cursor: cx.Cursor, header: str) -> None:
        self.macro_cursors[cursor.spelling] = (header, cursor)

    def macros(self) -> tuple[dict[str, str], list[model.Macro]]:
        """Return the bodies of object-like macros, and the function-like ones."""
        self.versions = version_macros(self.macro_cursors)
        bodies, macros = {}, []
        for name, (header, cursor) in self.macro_cursors.items():
            found = tokens(cursor)
            words = [token.spelling for token in found[1:]]
            if function_like(found):
                end = words.index(")")
                parameters = tuple(word for word in words[1:end] if word != ",")
                macros.append(model.Macro(name, header, parameters, " ".join(words[end + 1 :])))
            elif words and words != [name]:  # which says that an enumerator is there
                bodies[name] = " ".join(words)
        return bodies, macros

    def _resolve_external(self) -> None:
        """CUDA's types that the API uses: enums by value, everything else by name."""
        types = [function.signature for function in self.functions.values()]
        types += [item.type for record in self.records.values() for item in record.fields]
        used = set(re.findall(r"\w+", " ".join(types)))
        for name in sorted(used & self.external.keys()):
            cursor = self.external[name]
            header = cursor.location.file.name[len(CUDA) :]
            tagged = cursor.kind == cx.CursorKind.ENUM_DECL
            under = cursor.type if tagged else cursor.underlying_typedef_type
            canonical = under.get_canonical()
            if canonical.kind == cx.TypeKind.ENUM:
                declaration = canonical.get_declaration()
                known = self.named.setdefault(declaration.get_usr(), name)
                if known == name:
                    self._enum(declaration, header, name)
                else:
                    self.aliases[name] = known
            elif canonical.kind in (cx.TypeKind.POINTER, cx.TypeKind.RECORD):
                self._opaque(name, header, under, cursor)
            else:
                self.typedefs[name] = model.Typedef(name, header, spell(under))
