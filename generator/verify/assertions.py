"""Claims of an emitted tree about a release, as declarations that only compile if true.

Everything is read from the files that a program would import: the tables, the specs of the
wrappers, the C of the shims, and the models for the exact C types. Nothing is parsed anew.
"""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from cudnn_cffi._tables.rows import Rows
from cudnn_cffi.api import model
from cudnn_cffi.api.inputs.store import Store

from ..emit import PACKAGE
from ..lower import names
from ..lower.codes import code_of, returned


@dataclass(frozen=True)
class Assertion:
    """One thing to check."""

    kind: str  # the column of the report that it counts for
    subject: str  # what is counted there, once
    aspect: str  # what of it
    test: str  # a declaration in C, on one line
    expected: str
    actual: str | None = None  # an expression in C for what it is instead

    @property
    def name(self) -> str:
        """The name of the check."""
        return f"{self.subject}{self.aspect}"


class Table:
    """The tables of a release."""

    def __init__(self, rows: Rows) -> None:
        """Read the tables of a release."""
        self.enums, self.flags, self.records = rows.enums, rows.flags, rows.records
        self.functions, self.attributes = rows.functions, rows.attributes
        self.macros, self.versions = rows.macros, rows.versions
        #: The values of all enumerators, by C name.
        self.enumerators = dict(_members(self.enums))
        #: Macros: constants, and the bits of masks.
        self.values: dict[str, int | float] = {**dict(_members(self.flags)), **rows.constants}


def _members(groups: Mapping[str, tuple[Any, ...]]) -> Iterator[tuple[str, int]]:
    """Yield C name and value of each member of enums or flag sets."""
    for _, _, _, members in groups.values():
        yield from members.values()


@dataclass
class EmittedTree:
    """The parts of a generated tree that make claims about C."""

    folder: Path
    _tables: dict[str, Table] = field(default_factory=dict)

    @property
    def package(self) -> Path:
        """The folder of the package."""
        return self.folder / PACKAGE

    @cached_property
    def store(self) -> Store:
        """The models."""
        return Store(self.package / "api")

    @cached_property
    def _history(self) -> SimpleNamespace:
        return SimpleNamespace(**_executed(self.package / "_history.py"))

    @cached_property
    def _shared(self) -> Mapping[str, str]:
        """By version, the release whose tables it has."""
        return _executed(self.package / "_index.py")["RELEASES"]

    def table(self, version: str) -> Table:
        """Return the tables that a program gets which loads a library of `version`."""
        name = self._shared[version]
        if name not in self._tables:
            self._tables[name] = Table(Rows(name, self._history))
        return self._tables[name]

    @cached_property
    def _specs(self) -> dict[str, Any]:
        return _executed(self.package / "_specs.py")

    @cached_property
    def specs(self) -> Mapping[str, tuple[Any, ...]]:
        """The emitted specs, by wrapper."""
        return self._specs["SPECS"]

    def abi_type(self, code: str) -> str:
        """Return the C type that ABI mode passes; an address is passed as a pointer is."""
        types = self._specs["TYPES"]
        kind: str = types.get(code) or types[code[0]]
        return kind.replace("uintptr_t", "void *")

    @cached_property
    def shims(self) -> dict[str, tuple[str, list[str]]]:
        """By wrapper, the C types of result and arguments that its compiled shim calls with."""
        text = (self.package / "_native" / "shims.c").read_text(encoding="utf-8")
        return {
            name: (result, [] if types == "void" else types.split(", "))
            for name, result, types in _SHIM.findall(text)
        }

    @cached_property
    def elements(self) -> dict[str, dict[str, str]]:
        """By wrapper and parameter, the C type of the elements that the wrapper passes."""
        found: dict[str, dict[str, str]] = {}
        for path in sorted((self.package / "calls").glob("*.py")):
            for node in ast.parse(path.read_text(encoding="utf-8")).body:
                if isinstance(node, ast.FunctionDef):
                    found[node.name] = dict(_elements(node))
        return found


def _executed(path: Path) -> dict[str, Any]:
    """Return what a module without imports defines."""
    found: dict[str, Any] = {}
    exec(compile(path.read_bytes(), str(path), "exec"), found)
    return found


def _elements(function: ast.FunctionDef) -> Iterator[tuple[str, str]]:
    """_array(dimA, "i", ...) and _out_dimA = _memory("int", ...): int."""
    for node in ast.walk(function):
        match node:
            case ast.Call(
                func=ast.Name("_array"),
                args=[ast.Name(parameter), ast.Constant(str(code)), *_],
            ):
                yield parameter, code_of(code).passed
            case ast.Assign(
                targets=[ast.Name(local)],
                value=ast.Call(func=ast.Name("_memory"), args=[ast.Constant(str(element)), *_]),
            ):
                yield local.removeprefix("_out_"), element


_SHIM = re.compile(
    r"^static [^\n(]*?(\w+)\([^)]*\)\n\{\n    typedef ([^\n(]+) \(\*F\)\(([^)\n]*)\);", re.M
)


# From tables to C ------------------------------------------------------------------------------


def assertions(tree: EmittedTree, release: model.Release) -> Iterator[Assertion]:
    """Every claim about one release that a C compiler can judge."""
    table, api = tree.table(release.version), tree.store.api(release.api)
    yield _version(release.version)
    yield from _enums(table)
    yield from _macro_values(table)
    yield from _records(table, {r.name: r for r in api.records})
    yield from _macros(table)
    yield from _attributes(table)
    for name in sorted(table.functions.keys() - {function.name for function in api.functions}):
        there = _assert(f"sizeof(&{name}) && 0", "a function with a model")
        yield Assertion("functions", name, "", there, "a function with a model")
    for function in api.functions:
        yield from _function(tree, table, function, frozenset(e.name for e in api.enums))


def _assert(test: str, expected: object) -> str:
    return f'_Static_assert({test}, "expected {expected}");'


def literal(value: int | float) -> str:
    """Return a number as C spells it, of a type that is wide enough."""
    if isinstance(value, float):
        return repr(value)
    if value == -(1 << 63):
        return "(-9223372036854775807LL - 1)"
    return f"{value}ULL" if value >= 1 << 63 else f"{value}LL"


def _equal(
    kind: str, subject: str, value: int | float, expression: str = "", aspect: str = ""
) -> Assertion:
    expression = expression or subject
    test = _assert(f"({expression}) == {literal(value)}", value)
    return Assertion(kind, subject, aspect, test, str(value), expression)


def _version(version: str) -> Assertion:
    """Check the release, which the first headers do not say: for them it holds by itself."""
    number = model.version_number(version)
    return _equal("version", "CUDNN_VERSION", number, f"VERSION_OR({number})")


def _enums(table: Table) -> Iterator[Assertion]:
    for c_type, _, _, members in table.enums.values():
        yield _equal("enums", c_type, 4, f"sizeof({c_type})", ", size")
        for c_name, value in members.values():
            yield _equal("enumerators", c_name, value)


def _macro_values(table: Table) -> Iterator[Assertion]:
    # Compilers fold comparisons of doubles in these, though C would let them refuse.
    for name, value in table.values.items():
        yield _equal("constants", name, value)


def _records(table: Table, known: Mapping[str, model.Record]) -> Iterator[Assertion]:
    for name, _, _, size, align, fields in table.records.values():
        if model.ANONYMOUS in name:
            continue  # C has no way to say it
        outer, _, inner = name.partition(".")
        typed = outer if outer.endswith("_t") else _tagged(outer, known.get(outer))
        place = f"(({typed} *)0)" + (f"->{inner}" if inner else "[0]")
        if any(f.record == name and f.length for r in known.values() for f in r.fields):
            place += "[0]"
        yield _equal("records", name, size, f"sizeof({place})", ", size")
        whole = f"__typeof__({place})"
        yield _equal("records", name, align, f"_Alignof({whole})", ", alignment")
        of_c = (
            {names.field_name(f.name): f.name for f in known[name].fields} if name in known else {}
        )
        for python_name, c_type, offset, field_size, length, nested in fields:
            if python_name.startswith(model.ANONYMOUS):
                continue
            field_name = of_c.get(python_name, python_name)
            path = f"{name}.{field_name}"
            member = f"(({whole} *)0)->{field_name}"
            yield _equal("fields", path, offset, f"offsetof({whole}, {field_name})", ", offset")
            if length == 0:
                continue  # C asks nothing of an array without a bound
            yield _equal("fields", path, field_size, f"sizeof({member})", ", size")
            if nested is None:
                bounds = f"[{length}]" if length is not None else ""
                written = f"{c_type}{bounds}"
                test = f"_Generic(&{member}, {_pointer_to(c_type, bounds)}: 1, default: 0)"
                yield Assertion("fields", path, ", type", _assert(test, written), written)


def _tagged(name: str, record: model.Record | None) -> str:
    """C's spelling of a struct that has a tag, and perhaps no other name."""
    if record is not None and record.tag == name:
        return f"{record.kind} {name}"
    return name


def _pointer_to(c_type: str, bounds: str) -> str:
    if "[" in c_type:  # of several dimensions; the first one is in the bounds
        element, _, inner = c_type.partition("[")
        return f"{element} (*){bounds}[{inner}"
    if "(*)" in c_type:
        return c_type.replace("(*)", f"(*(*){bounds})")
    return f"{c_type} (*){bounds}" if bounds else f"{c_type} *"


#: Arguments for macros: numbers at the edges of groups of statuses, and others.
_INPUTS = (0, 1, 2, 7, 42, 999, 1000, 1001, 1999, 2000, 3007, 5003, 9999, 65535, 1_000_000)


def _macros(table: Table) -> Iterator[Assertion]:
    statuses = [v for n, v in table.enumerators.items() if n.startswith("CUDNN_STATUS_")]
    for name, function in table.macros.items():
        count = function.__code__.co_argcount
        choice = sorted({*_INPUTS, *statuses}) if count == 1 else _INPUTS
        for inputs in itertools.product(choice, repeat=count):
            call = f"{name}({', '.join(map(str, inputs))})"
            yield _equal("macros", name, function(*inputs), call, call.removeprefix(name))


def _attributes(table: Table) -> Iterator[Assertion]:
    """Only that the names are C's; what type an attribute has, no header says."""
    for name, (owner, types, _, _) in table.attributes.items():
        there = " && ".join(f"({each}) >= 0" for each in (name, owner, *types))
        yield Assertion("attributes", name, "", _assert(there, "enumerators"), "enumerators")


# Functions -------------------------------------------------------------------------------------


def _function(
    tree: EmittedTree, table: Table, function: model.Function, enums: frozenset[str]
) -> Iterator[Assertion]:
    name = function.name
    types = [parameter.type for parameter in function.parameters]
    test = f"static {function.result} (*const f_{name})({', '.join(types) or 'void'}) = {name};"
    yield Assertion("functions", name, "", test, function.signature)
    wrapper = table.functions.get(name)
    spec = tree.specs.get(wrapper or "")
    shim = tree.shims.get(wrapper or "")
    if wrapper is None or spec is None or shim is None:
        where = "tables" if wrapper is None else "_specs.py" if spec is None else "shims.c"
        yield _never(name, f"a wrapper in {where}")
        return
    c_name, _, result, codes, _, _ = spec
    result_type, by_abi = returned(result).passed, tree.abi_type(result)
    if (c_name, shim[0], len(codes), len(shim[1])) != (name, result_type, *[len(types)] * 2):
        yield _never(name, f"{len(types)} arguments in spec and shim")
        return
    if result_type != "void":
        for lowered in (result_type, by_abi):
            yield _passes(name, ", result", function.result, lowered, enums)
    elif function.result != "void" or by_abi != "void":
        yield _never(name, "a result that the spec leaves out")
    elements = tree.elements.get(wrapper, {})
    for parameter, code, shim_type in zip(function.parameters, codes, shim[1], strict=True):
        where = f"{name}, {parameter.name}"
        kinds = dict.fromkeys((code_of(code).passed, shim_type, tree.abi_type(code)))
        for kind in kinds:
            if code[0] == "r":
                yield _equal("arguments", where, int(code[1]), f"sizeof({parameter.type})", " size")
                yield _equal("arguments", where, int(code[1]), f"sizeof({kind})", " in a register")
            else:
                yield _passes(where, f" as {code}", parameter.type, kind, enums)
        element = elements.get(names.parameter_name(parameter.name))
        if code[0] == "o":
            element = code_of(code[1]).passed
        if element == "uintptr_t":
            element = "void *"
        if element is not None and element != "char":
            yield _passes(where, ", element", _pointee(parameter.type), element, enums)


def _never(subject: str, expected: str) -> Assertion:
    return Assertion("functions", subject, "", _assert("0", expected), expected)


def _passes(
    subject: str, aspect: str, c_type: str, lowered: str, enums: Iterable[str]
) -> Assertion:
    """Assert that a `c_type` has the size of `lowered` and goes in the same registers."""
    c_type = re.sub(r"\[\w*\]$", "*", c_type)
    expected = f"{c_type} is passed as {lowered}"
    base = c_type.removeprefix("const ")
    if lowered.endswith("*"):
        test = f"sizeof(&*({c_type})0) == sizeof({lowered})"
    else:
        number = f"(({c_type})1.5 == 1) == (({lowered})1.5 == 1)"
        test = f"sizeof({c_type}) == sizeof({lowered}) && ({number})"
        if base not in enums:
            test += f" && (({c_type})-1 < 0) == (({lowered})-1 < 0)"
    return Assertion("arguments", subject, aspect, _assert(test, expected), expected)


def _pointee(c_type: str) -> str:
    """Return what is at the other end of a pointer or in an array."""
    return re.sub(r"(\* ?(const|restrict)?|\[\w*\])$", "", c_type).strip()
