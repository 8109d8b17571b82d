"""Headers in, unclassified declarations out, by libclang.

The parse is hermetic. Every file that the compiler may see is handed to it in memory: cuDNN's
headers, CUDA's, and the few lines below in the place of a C library. So the result does not
depend on the host's compiler, its include folders or its byte order.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

import clang.cindex as cx
import msgspec
from cudnn_cffi.api import model

from .. import GeneratorError
from . import evaluate

TARGET = "x86_64-unknown-linux-gnu"

#: Bytes of an int, of which every enum is.
_INT = 4

_CUDNN, _CUDA, _C = "/cudnn/", "/cuda/", "/c/"
_MAIN = "/main.c"

#: All of C's library that cuDNN's and CUDA's headers use, in terms of the compiler's own macros;
#: and what a next release may include without using more of it.
_C_LIBRARY = {
    "stddef.h": "typedef __SIZE_TYPE__ size_t;\ntypedef __PTRDIFF_TYPE__ ptrdiff_t;\n"
    "typedef __WCHAR_TYPE__ wchar_t;\n#define NULL ((void *)0)\n",
    "stdint.h": "".join(
        f"typedef __{sign}INT{bits}_TYPE__ {sign.lower()}int{bits}_t;\n"
        for sign in ("", "U")
        for bits in (8, 16, 32, 64)
    )
    + "typedef __INTPTR_TYPE__ intptr_t;\ntypedef __UINTPTR_TYPE__ uintptr_t;\n",
    "stdbool.h": "#define bool _Bool\n#define true 1\n#define false 0\n",
    "limits.h": "#define INT_MAX __INT_MAX__\n#define INT_MIN (-__INT_MAX__ - 1)\n",
    "features.h": "",
    "inttypes.h": '#include "stdint.h"\n',
    "assert.h": "#define assert(condition) ((void)0)\n",
    "float.h": "",
    "math.h": "",
    "string.h": '#include "stddef.h"\n',
    "time.h": "typedef long clock_t;\n",
    "stdlib.h": '#include "stddef.h"\n',
}


class ParseError(GeneratorError):
    """Headers that do not compile, or that say something the model has no place for."""


@dataclass
class Declarations:
    """Declarations of the headers, before anything is known of the meaning of parameters."""

    api: model.Api
    bodies: dict[str, str] = field(default_factory=dict)  # of object-like macros, in source order


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
        ParseError: on the first diagnostic of severity error, with file, line and text.
    """
    if library is not None and not cx.Config.loaded:
        cx.Config.set_library_file(os.fspath(library))
    unit = _compile(headers, cuda)
    _refuse_errors(unit, _included(headers))
    reader = _Reader(headers, release)
    reader.read(unit)
    bodies, macros = reader.macros()
    # A macro has a value where it is used: in a second file, after all headers.
    names = [name for name, body in bodies.items() if not set(body.split()) & {*"{};"}]
    unit = _compile(headers, cuda, evaluate.definitions(names))
    first = len(_included(headers)) + 1
    return reader.declarations(bodies, macros, evaluate.values(unit, _MAIN, first, names))


def _compile(
    headers: Mapping[str, bytes], cuda: Mapping[str, bytes], more: str = ""
) -> cx.TranslationUnit:
    # driver_types.h first: some releases use cudaStream_t without including it themselves.
    includes = "".join(f'#include "{name}"\n' for name in _included(headers))
    files = [(_MAIN, includes + more)]
    for prefix, contents in ((_CUDNN, headers), (_CUDA, cuda)):
        files += [(prefix + name, _decoded(data)) for name, data in contents.items()]
    files += [(_C + name, text) for name, text in _C_LIBRARY.items()]
    # CUDNN_WARN_DEPRECATED makes the headers' own deprecation macro an attribute that shows.
    arguments = ["-xc", "-std=c11", "-nostdinc", "-target", TARGET, "-DCUDNN_WARN_DEPRECATED"]
    arguments += ["-ferror-limit=0"]
    arguments += [f"-I{prefix}" for prefix in (_C, _CUDNN, _CUDA)]
    try:
        return cx.Index.create().parse(
            _MAIN,
            args=arguments,
            unsaved_files=files,
            options=0 if more else cx.TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD,
        )
    except cx.LibclangError as error:
        reason = str(error).partition(" To provide")[0]
        raise ParseError(
            f"libclang cannot be loaded: {reason} Install the package that has it, and no other "
            "one called clang: pip install libclang"
        ) from error
    except cx.TranslationUnitLoadError as error:
        raise ParseError(f"libclang could not parse these headers at all: {error}") from error


def _included(headers: Mapping[str, bytes]) -> list[str]:
    """Return what the main file includes, a line each."""
    return ["stddef.h", *sorted(headers, key=lambda name: (name != "cudnn.h", name))]


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _refuse_errors(unit: cx.TranslationUnit, included: Sequence[str]) -> None:
    errors = [d for d in unit.diagnostics if d.severity >= cx.Diagnostic.Error]
    if not errors:
        return
    shown: dict[str, None] = {}  # a header that is included twice is wrong twice
    for error in errors:
        location = error.location
        if location.file is not None and location.file.name == _MAIN:
            # A declaration that a header does not finish is found after it.
            shown[f"end of {included[location.line - 1]}: {error.spelling}"] = None
            continue
        name = location.file.name.rpartition("/")[2] if location.file else "command line"
        shown[f"{name}:{location.line}:{location.column}: {error.spelling}"] = None
    more = f"\n(and {len(shown) - 5} more)" if len(shown) > 5 else ""
    if any(_OF_CUDA.search(line) for line in shown):
        more += "\nIf it is CUDA's, name the include folder of a newer CUDA: --cuda-headers DIR"
    raise ParseError("the headers do not compile:\n" + "\n".join([*shown][:5]) + more)


#: The header that is missing from CUDA's headers, most likely.
_OF_CUDA = re.compile(r"'(cu\w*|nv\w*)\.h' file not found|unknown type name '(cuda|CU|nv|__nv)\w*'")


_PARAM = re.compile(r"@param\[(in|out|in\s*,\s*out)\]\s+(\w+)")
_SINCE = re.compile(r"@since\s+cuDNN\s+(\d+(?:\.\d+)+)")
_DEPRECATED = re.compile(r"@deprecated\b(.*?)(?=@|\*/|\Z)", re.S)
_SUCCESSOR = re.compile(r"\bUse\s+((?:cudnn|CUDNN_)\w+)", re.I)
_TRAILING = re.compile(rb"\s*,?[^\S\n]*(/\*[*!]<.*?\*/)", re.S)

#: Other advice of the headers, in our words: the first entry of which all words are there.
_ADVICE = (
    (("use", "graph api", "sdpa"), "the graph API's SDPA operations"),
    (("use", "graph api"), "the graph API"),
    (("use", "pointwise operations"), "the graph API's pointwise operations"),
    (("use", "rnn data descriptors"), "cudnnRNNDataDescriptor_t"),
    (("include", "cudnn_graph.h"), "cudnn_graph.h"),
)
_VERSION_MACRO = re.compile(r"CUDNN_(?:\w+_)?(?:MAJOR|MINOR|PATCH|PATCHLEVEL)|CUDNN_VERSION")

_Direction: dict[str, model.Direction] = {"in": "in", "out": "out", "in,out": "inout"}


class _Comment(msgspec.Struct, frozen=True):
    """The facts in a documentation comment; its sentences are not ours to keep."""

    directions: Mapping[str, model.Direction]
    since: str | None
    deprecated: bool
    successor: str | None  # a name of C's, or words from `_ADVICE`


_NO_COMMENT = _Comment({}, None, False, None)


def _comment(cursor: cx.Cursor, text: str | None = None) -> _Comment:
    text = text or cursor.raw_comment
    if not text or "@" not in text:
        return _NO_COMMENT
    since = _SINCE.search(text)
    deprecated = _DEPRECATED.search(text)
    return _Comment(
        {name: _Direction[how.replace(" ", "")] for how, name in _PARAM.findall(text)},
        since[1] if since else None,
        deprecated is not None,
        _recommended(deprecated[1]) if deprecated else None,
    )


def _recommended(note: str) -> str | None:
    """Return what a deprecation note says to use instead; its sentence is not ours to keep."""
    named = _SUCCESSOR.search(note)
    if named:
        return named[1]
    note = " ".join(note.replace("*", " ").lower().split())
    return next((ours for words, ours in _ADVICE if all(word in note for word in words)), None)


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
        self.macro_cursors: dict[str, tuple[str, cx.Cursor]] = {}
        self.external: dict[str, cx.Cursor] = {}
        self.named: dict[str, str] = {}  # enums and structs by libclang's key: their typedefs
        self.aliases: dict[str, str] = {}  # other names of types of the API
        self.nameless: dict[str, tuple[str, cx.Cursor]] = {}  # enums by libclang's key, with header

    def read(self, unit: cx.TranslationUnit) -> None:
        kinds = cx.CursorKind
        handlers = {
            kinds.FUNCTION_DECL: self._function,
            kinds.ENUM_DECL: self._enum,
            kinds.STRUCT_DECL: self._record,
            kinds.UNION_DECL: self._record,
            kinds.TYPEDEF_DECL: self._typedef,
            kinds.MACRO_DEFINITION: self._macro,
        }
        for cursor in unit.cursor.get_children():
            handler, file = handlers.get(cursor.kind), cursor.location.file
            if handler is None or file is None:
                continue
            path = file.name
            if path.startswith(_CUDNN):
                handler(cursor, path[len(_CUDNN) :])
            elif cursor.kind in (kinds.TYPEDEF_DECL, kinds.ENUM_DECL) and path.startswith(_CUDA):
                self.external[cursor.spelling] = cursor
        self._resolve_aliases()
        self._resolve_external()
        self._resolve_aliases()  # two names that CUDA has for one type

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
            if key not in self.named
            for child in cursor.get_children()
            if child.kind == cx.CursorKind.ENUM_CONSTANT_DECL
        ]
        constants += [
            model.Constant(name, self.macro_cursors[name][0], value)
            for name, value in values.items()
        ]
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
        return Declarations(api, bodies)

    def _includes(self, name: str) -> tuple[str, ...]:
        found = re.findall(rb'^\s*#\s*include\s*[<"](cudnn\w*\.h)[">]', self.headers[name], re.M)
        return tuple(sorted({other.decode() for other in found}))

    def _function(self, cursor: cx.Cursor, header: str) -> None:
        if cursor.storage_class == cx.StorageClass.STATIC:
            return  # the header has all of it, and no library exports it
        comment = _comment(cursor)
        parameters = []
        for index, argument in enumerate(cursor.get_arguments()):
            name = argument.spelling or _unused(f"arg{index}", cursor)
            parameters.append(
                model.Parameter(
                    name=name,
                    type=_spell(argument.type),
                    documented=comment.directions.get(name),
                )
            )
        if cursor.type.kind == cx.TypeKind.FUNCTIONPROTO and cursor.type.is_function_variadic():
            raise ParseError(f"{header}: {cursor.spelling} is variadic, which no release had")
        self.functions[cursor.spelling] = model.Function(
            name=cursor.spelling,
            header=header,
            result=_spell(cursor.result_type),
            parameters=tuple(parameters),
            documented_since=comment.since,
            **_deprecation(comment, cursor),
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
        if _nameless(cursor) and not name.startswith("cudnn"):
            # Without a name of its own: it gets the typedef's, if there is one.
            self.nameless[cursor.get_usr()] = header, cursor
            return
        if cursor.enum_type.get_size() != _INT:
            raise ParseError(
                f"{header}: the enum {name} is of {cursor.enum_type.get_size()} bytes, and every "
                "release's were of the size of int"
            )
        comment = _comment(cursor)
        enumerators = []
        for child in cursor.get_children():
            if child.kind != cx.CursorKind.ENUM_CONSTANT_DECL:
                continue
            said = _comment(child, self._trailing(child, header))
            enumerators.append(
                model.Enumerator(
                    name=child.spelling,
                    value=child.enum_value,
                    documented_since=said.since,
                    **_deprecation(said, child),
                )
            )
        if enumerators:
            self.enums[name] = model.Enum(
                name=name,
                header=header,
                enumerators=tuple(enumerators),
                documented_since=comment.since,
                **_deprecation(comment, cursor, typedef),
            )

    def _trailing(self, cursor: cx.Cursor, header: str) -> str | None:
        """Return the comment after a declaration of several lines; libclang does not give it."""
        if cursor.raw_comment or header not in self.headers:
            return None
        source = _decoded(self.headers[header]).encode()
        found = _TRAILING.match(source, cursor.extent.end.offset)
        return found[1].decode() if found else None

    def _record(
        self, cursor: cx.Cursor, header: str, name: str = "", typedef: cx.Cursor | None = None
    ) -> None:
        if not self._is_new(cursor, name):
            return
        if _nameless(cursor) and not name and not cursor.spelling.startswith("cudnn"):
            return
        name = name or cursor.spelling
        self.records[name] = model.Record(
            name=name,
            tag="" if "A@" in cursor.get_usr() else cursor.spelling,
            kind="union" if cursor.kind == cx.CursorKind.UNION_DECL else "struct",
            header=header,
            size=cursor.type.get_size(),
            align=cursor.type.get_align(),
            fields=tuple(
                self._field(name, header, f, index)
                for index, f in enumerate(cursor.type.get_fields())
            ),
            **_deprecation(_comment(cursor), cursor, typedef),
        )

    def _field(self, record: str, header: str, cursor: cx.Cursor, index: int) -> model.Field:
        if cursor.is_bitfield():
            raise ParseError(f"{header}: {record}.{cursor.spelling} is a bit field")
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
        if inner.kind == cx.CursorKind.ENUM_DECL and _nameless(inner) and not by_name:
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
            type=_spell(kind) if nested is None or not _nameless(inner) else nested,
            offset=cursor.get_field_offsetof() // 8,
            size=cursor.type.get_size() if length != 0 else 0,
            length=length,
            record=nested,
        )

    def _typedef(self, cursor: cx.Cursor, header: str) -> None:
        name = cursor.spelling
        under = cursor.underlying_typedef_type
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
            self.typedefs[name] = model.Typedef(name=name, header=header, type=_spell(under))

    def _other_name(self, name: str, under: cx.Type, declaration: cx.Cursor) -> str:
        """Return the name by which a type of the API goes, where `name` is only another for it."""
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
        deprecation = _deprecation(_comment(cursor), cursor)
        self.opaques[name] = model.Opaque(name, header, _spell(under), **deprecation)

    def _callback(self, cursor: cx.Cursor, function: cx.Type, header: str) -> None:
        named = [c for c in cursor.get_children() if c.kind == cx.CursorKind.PARM_DECL]
        types = list(function.get_canonical().argument_types())
        if len(named) == len(types):  # as they are written, not as what they stand for
            types = [each.type for each in named]
        names = [each.spelling for each in named]
        parameters = [
            model.Parameter(name=name or f"arg{i}", type=_spell(kind))
            for i, (name, kind) in enumerate(zip_longest(names, types))
        ]
        self.callbacks[cursor.spelling] = model.Callback(
            name=cursor.spelling,
            header=header,
            result=_spell(function.get_result()),
            parameters=tuple(parameters),
        )

    def _macro(self, cursor: cx.Cursor, header: str) -> None:
        name = cursor.spelling
        if not _VERSION_MACRO.fullmatch(name):
            self.macro_cursors[name] = (header, cursor)
            return
        words = [token.spelling for token in _tokens(cursor)[1:]]
        formula = re.sub(r"^\( (.*) \)$", r"\1", " ".join(words)) if len(words) > 1 else ""
        self.versions[name] = model.VersionMacro(name, header, formula)

    def macros(self) -> tuple[dict[str, str], list[model.Macro]]:
        """Return the bodies of object-like macros, and the function-like ones."""
        bodies, macros = {}, []
        for name, (header, cursor) in self.macro_cursors.items():
            tokens = _tokens(cursor)
            words = [token.spelling for token in tokens[1:]]
            if _function_like(tokens):
                end = words.index(")")
                parameters = tuple(word for word in words[1:end] if word != ",")
                macros.append(model.Macro(name, header, parameters, " ".join(words[end + 1 :])))
            elif words:
                bodies[name] = " ".join(words)
        return bodies, macros

    def _resolve_external(self) -> None:
        """CUDA's types that the API uses: enums by value, everything else by name."""
        types = [function.signature for function in self.functions.values()]
        types += [item.type for record in self.records.values() for item in record.fields]
        used = set(re.findall(r"\w+", " ".join(types)))
        for name in sorted(used & self.external.keys()):
            cursor = self.external[name]
            header = cursor.location.file.name[len(_CUDA) :]
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
                self.typedefs[name] = model.Typedef(name, header, _spell(under))


def _tokens(cursor: cx.Cursor) -> list[cx.Token]:
    return [token for token in cursor.get_tokens() if token.kind != cx.TokenKind.COMMENT]


def _function_like(tokens: list[cx.Token]) -> bool:
    """Return whether `(` follows the name with nothing between, which is all that tells in C."""
    if len(tokens) < 2 or tokens[1].spelling != "(":
        return False
    return bool(tokens[0].extent.end.offset == tokens[1].extent.start.offset)


def _deprecation(comment: _Comment, *cursors: cx.Cursor | None) -> dict[str, Any]:
    """Return the fields of an entity about its deprecation: whether, how, in favour of what."""
    marked = cx.AvailabilityKind.DEPRECATED
    warns = any(cursor is not None and cursor.availability == marked for cursor in cursors)
    deprecated = comment.deprecated or warns
    return {
        "deprecated": deprecated,
        "quiet": deprecated and not warns,
        "successor": comment.successor,
    }


def _unused(name: str, function: cx.Cursor) -> str:
    """Return a name for a parameter without one."""
    while name in [argument.spelling for argument in function.get_arguments()]:
        name += "_"
    return name


def _nameless(cursor: cx.Cursor) -> bool:
    return bool(cursor.is_anonymous()) or not cursor.spelling or "(unnamed" in cursor.spelling


def _spell(kind: cx.Type) -> str:
    return str(kind.spelling).replace("( *", "(*")
