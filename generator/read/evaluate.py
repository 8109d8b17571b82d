"""The values of C's constant expressions, as the compiler has them."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from typing import Any

import clang.cindex as cx

_INT, _FLOAT = 1, 2  # CXEvalResultKind
_START = "static const __typeof__({0}) "


def definitions(names: Iterable[str]) -> str:
    """Return C that defines a variable for each macro, a line each, where it has a value."""
    return "".join(f"{_START.format(name)}value_{name} = {name};\n" for name in names)


def values(
    unit: cx.TranslationUnit, file: str, first: int, names: Iterable[str]
) -> dict[str, int | float]:
    """Return the values of macros that are numbers, by their `definitions` in a file.

    Args:
        unit: what was parsed.
        file: that with the definitions.
        first: the line of the first definition.
        names: the macros.
    """
    source = unit.get_file(file)
    wrong = {
        diagnostic.location.line
        for diagnostic in unit.diagnostics
        if diagnostic.severity >= cx.Diagnostic.Error
        and diagnostic.location.file is not None
        and diagnostic.location.file.name == file
    }
    found = {}
    for line, name in enumerate(names, first):
        column = len(_START.format(name)) + 1
        location = cx.SourceLocation.from_position(unit, source, line, column)
        cursor = cx.Cursor.from_location(unit, location)
        if line not in wrong and cursor.kind == cx.CursorKind.VAR_DECL:
            number = value(cursor)
            if number is not None:
                found[name] = number
    return found


def value(cursor: cx.Cursor) -> int | float | None:
    """Return the number that a variable is initialized with; None for anything else."""
    if cursor.type.get_canonical().kind == cx.TypeKind.POINTER:
        return None
    result = _call("Cursor_Evaluate", ctypes.c_void_p, cursor)
    if not result:
        return None
    try:
        kind = _call("EvalResult_getKind", ctypes.c_int, result)
        if kind == _FLOAT:
            return float(_call("EvalResult_getAsDouble", ctypes.c_double, result))
        if kind != _INT:
            return None
        if _call("EvalResult_isUnsignedInt", ctypes.c_uint, result):
            return int(_call("EvalResult_getAsUnsigned", ctypes.c_ulonglong, result))
        return int(_call("EvalResult_getAsLongLong", ctypes.c_longlong, result))
    finally:
        _call("EvalResult_dispose", None, result)


def _call(name: str, returns: Any, argument: Any) -> Any:
    """Call a function that clang's own bindings leave out."""
    taken = cx.Cursor if isinstance(argument, cx.Cursor) else ctypes.c_void_p
    return ctypes.CFUNCTYPE(returns, taken)((f"clang_{name}", cx.conf.lib))(argument)
