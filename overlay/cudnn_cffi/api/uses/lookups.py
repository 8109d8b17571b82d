"""Python sources: notebooks, expressions, and look-ups by names in tables."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from ..names.place import Place
from . import text
from .names import Uses, Wanted

#: Reads a Python source.
Scan = Callable[[str, bytes, Wanted], tuple[Uses, str | None]]

#: The module of a release.
PINNED = re.compile(r"v\d+_\d+_\d+")


class Lookups:
    """The strings of a file's tables, and what its look-ups put before them."""

    def __init__(self) -> None:
        self.ours = False  # whether one is in this package itself
        self._strings: dict[str, ast.Constant] = {}  # each where it stands first
        self._prefixes: dict[str, int] = {}  # and the line of the first look-up
        self._fitting: set[str] = set()

    def add_table(self, elements: Iterable[ast.expr | None]) -> None:
        """Add the strings among the elements of a table."""
        for each in elements:
            if isinstance(each, ast.Constant) and isinstance(each.value, str):
                self._strings.setdefault(each.value, each)

    def add(self, key: ast.expr) -> None:
        """Add a look-up: by a name that is no literal, or by a beginning and such a name."""
        prefix = ""
        match key:
            case ast.BinOp(left=ast.Constant(value=str(given)), op=ast.Add() | ast.Mod()):
                prefix = given.partition("%")[0]
            case ast.JoinedStr(values=[ast.Constant(value=str(given)), *_]):
                prefix = given
            case ast.Constant():
                return
        if not prefix or prefix.startswith(("cudnn", "CUDNN")):
            self._prefixes.setdefault(prefix, key.lineno)

    def names(self) -> Iterator[tuple[str, str, ast.Constant]]:
        """Yield each name that may be looked up, what its table has of it, and where."""
        for prefix in self._prefixes:
            for value, node in self._strings.items():
                yield f"{prefix}{value}", prefix, node

    def fits(self, prefix: str) -> None:
        """Note that what begins like this was found."""
        self._fitting.add(prefix)

    def warning(self) -> str | None:
        """Return which names are put together and cannot be seen."""
        for prefix, line in self._prefixes.items():
            if prefix and prefix not in self._fitting:
                return f"line {line}: which names begin with {prefix} there cannot be seen"
        return None


def start(node: ast.AST) -> tuple[int, int]:
    """Where the name itself stands: an attribute's after the dot, which may be a line further."""
    if isinstance(node, ast.Attribute):
        return node.end_lineno or node.lineno, (node.end_col_offset or 0) - len(node.attr.encode())
    return node.lineno, node.col_offset  # type: ignore[attr-defined]


def called(node: ast.Call) -> str:
    """Return the last name of what is called."""
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else ""


def dotted(node: ast.expr) -> str | None:
    """Return a name with those before it and dots between; None for any other expression."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute) and len(parts) < 20:
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    return ".".join([node.id, *reversed(parts)])


def keys(function: ast.AST) -> Iterator[ast.expr]:
    """Yield by what a function looks something up: the keys of getattr and in brackets."""
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and called(node) == "getattr" and len(node.args) > 1:
            yield node.args[1]
        elif isinstance(node, ast.Subscript):
            yield node.slice


def unpinned(parts: Sequence[str]) -> list[str]:
    """Without the module of a release, whose names are those of the package."""
    return list(parts[1:] if parts and PINNED.fullmatch(parts[0]) else parts)


def notebook(path: str, source: bytes, wanted: Wanted, scan: Scan) -> tuple[Uses, str | None]:
    """Return what the code cells of a notebook use, with places in the file itself."""
    try:
        code, lines = text.of_notebook(source)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        return Uses(), f"is no notebook of version 4 ({type(error).__name__})"
    uses, warning = scan(f"{path}.py", code.encode(), wanted)

    def moved(place: Place) -> Place:
        return Place(path, lines[(place.line or 1) - 1], 1, place.text, place.language)

    return uses.moved(moved), warning
