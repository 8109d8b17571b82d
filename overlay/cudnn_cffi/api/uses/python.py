"""Python sources: C names wherever they are names, and this package's own names by its imports."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Sequence

from ..report import Place
from .names import Uses, Wanted

_PACKAGE = "cudnn_cffi"
_PINNED = re.compile(r"v\d+_\d+_\d+")
_LOOKUPS = {"getattr", "hasattr", "has"}
_IMPORTS = {"import_module", "__import__"}
_CYTHON = (".pyx", ".pxd", ".pxi")


def scan(path: str, source: bytes, wanted: Wanted) -> tuple[Uses, str | None]:
    """What a source file uses, and a warning where it could not be parsed."""
    if path.endswith(_CYTHON):
        return _by_tokens(path, source, wanted), None
    try:
        tree = ast.parse(source, path)
    except (SyntaxError, ValueError, RecursionError) as error:
        found = _by_tokens(path, source, wanted)
        return found, f"does not parse ({error}): only C names were looked for"
    finder = _Finder(path, source.decode(errors="replace").splitlines(), wanted)
    finder.visit(tree)  # first what names are bound to, wherever it stands in the file
    finder.collecting = True
    finder.visit(tree)
    return finder.uses, None


def _by_tokens(path: str, source: bytes, wanted: Wanted) -> Uses:
    uses = Uses()
    try:
        for token in tokenize.tokenize(io.BytesIO(source).readline):
            if token.type == tokenize.NAME and token.string in wanted.names:
                line, column = token.start
                place = Place(path, line, column + 1, token.string, "Python")
                uses.add(token.string, place)
    except (tokenize.TokenError, SyntaxError):
        pass  # what came before the place where it is no longer Python has been found
    return uses


class _Finder(ast.NodeVisitor):
    """Visits a module twice: to learn what its names are bound to, then to collect.

    A name in the package is written as a path: "" is the package, "DataType" a class in it,
    "TensorDescriptor.set_4d" a method of one. Pinned modules have the same names.
    """

    def __init__(self, path: str, lines: Sequence[str], wanted: Wanted) -> None:
        self.path = path
        self.lines = lines
        self.wanted = wanted
        self.uses = Uses()
        self.bound: dict[str, str] = {}  # dotted name in the file -> path in the package
        self.objects: dict[str, str] = {}  # dotted name in the file -> class of its value
        self.collecting = False

    # Bindings

    def visit_Import(self, node: ast.Import) -> None:
        for name in node.names:
            parts = name.name.split(".")
            if parts[0] != _PACKAGE:
                continue
            self._import(node, parts[1:])
            if name.asname is None:
                self.bound[_PACKAGE] = ""
            else:
                self.bound[name.asname] = ".".join(_unpinned(parts[1:]))

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        parts = (node.module or "").split(".")
        if node.level or parts[0] != _PACKAGE:
            self.generic_visit(node)
            return
        for name in node.names:
            full = [*parts[1:], name.name]
            self._import(node, full)
            if name.name == "*":
                self.bound["*"] = ""
            else:
                inner = ".".join(_unpinned(full))
                self.bound[name.asname or name.name] = inner
                self._use_path(node, inner)

    def _import(self, node: ast.AST, parts: Sequence[str]) -> None:
        for part in parts:
            if _PINNED.fullmatch(part):
                self._add(f"module {part}", node, f"{_PACKAGE}.{part}")

    def visit_Assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            self._bind(target, node.value)
        self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self._bind(node.target, node.value)
        self._annotate(ast.unparse(node.target), node.annotation)
        self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> None:
        self._annotate(node.arg, node.annotation)
        self.generic_visit(node)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self._bind(node.target, node.value)
        self.generic_visit(node)

    def visit_withitem(self, node: ast.withitem) -> None:
        if node.optional_vars is not None:
            self._bind(node.optional_vars, node.context_expr)
        self.generic_visit(node)

    def _bind(self, target: ast.expr, value: ast.expr) -> None:
        name = _dotted(target)
        if name is None:
            return
        if isinstance(value, ast.Call):
            made = self._path(value.func)
            if made is not None and self.wanted.is_class(made):
                self.objects[name] = made
        else:
            path = self._path(value)
            if path is not None:
                self.bound[name] = path

    def _annotate(self, name: str, annotation: ast.expr | None) -> None:
        path = self._path(annotation) if annotation is not None else None
        if path is not None and self.wanted.is_class(path):
            self.objects[name] = path

    # Uses

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self._reference(node, node.id)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if node.attr in self.wanted.members:
            self._add(f"member {node.attr}", node, node.attr)
        # the longest path is the one that says most: DataType.FLOAT is not also DataType
        if not self._reference(node, node.attr):
            self.generic_visit(node)

    def _reference(self, node: ast.expr, name: str) -> bool:
        """Notes what a name or an attribute stands for; whether that was anything."""
        if name in self.wanted.names:
            self._add(name, node, name)
            return True
        path = self._path(node)
        return path is not None and self._use_path(node, path)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        path = self._path(node.value)
        key = node.slice.value if isinstance(node.slice, ast.Constant) else None
        if isinstance(key, str):
            if path is not None and self._use_path(node, f"{path}.{key}"):
                return  # DataType["FLOAT"]
            if key in self.wanted.names:
                self._add(key, node.slice, key)  # library["cudnnCreate"]
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        function = _dotted(node.func) or ""
        called = function.rpartition(".")[2]
        texts = [a for a in node.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
        for text in texts:
            if called in _LOOKUPS:
                holder = self._holder(node.args[0]) if called != "has" else ""
                if not (holder and self._use_path(text, f"{holder}.{text.value!s}")):
                    self._use_path(text, str(text.value))
            elif called in _IMPORTS:
                self._import(text, str(text.value).split("."))
        self._keywords(node)
        self._made(node)
        self.generic_visit(node)

    def _keywords(self, node: ast.Call) -> None:
        path = self._path(node.func)
        names = self.wanted.c_names(path) if path is not None else ()
        if not names and isinstance(node.func, (ast.Attribute, ast.Name)):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id
            names = (name,) if name in self.wanted.names else ()
        for keyword in node.keywords:
            for name in names:
                self._add(f"keyword {name}({keyword.arg})", keyword, f"{name}({keyword.arg}=)")

    def _made(self, node: ast.Call) -> None:
        """Making an object calls the functions that create and destroy it."""
        path = self._path(node.func)
        if path is not None and self.wanted.is_class(path):
            self._use_path(node, f"{path}.__init__")

    def _holder(self, node: ast.expr) -> str | None:
        path = self._path(node)
        return self._class(node) if path is None else path

    def _use_path(self, node: ast.AST, path: str) -> bool:
        names = self.wanted.c_names(path)
        for name in names:
            self._add(name, node, path)
        return bool(names)

    def _path(self, node: ast.expr) -> str | None:
        """The path in the package that an expression stands for; None where it is not of it."""
        name = _dotted(node)
        if name is not None:
            if name in self.bound:
                return self.bound[name]
            if "*" in self.bound and "." not in name and self.wanted.c_names(name):
                return name
        if isinstance(node, ast.Attribute):
            inner = self._path(node.value)
            if inner is not None:
                parts = [*inner.split("."), node.attr] if inner else [node.attr]
                return ".".join(_unpinned(parts))
            made = self._class(node.value)
            return f"{made}.{node.attr}" if made else None
        return None

    def _class(self, node: ast.expr) -> str | None:
        """The class of the package that the value of an expression has, as far as can be seen."""
        if isinstance(node, ast.Call):
            path = self._path(node.func)
            return path if path is not None and self.wanted.is_class(path) else None
        name = _dotted(node)
        return self.objects.get(name) if name is not None else None

    def _add(self, key: str, node: ast.AST, text: str) -> None:
        if self.collecting:
            line, column = _start(node)
            before = self.lines[line - 1].encode()[:column] if line <= len(self.lines) else b""
            column = len(before.decode(errors="replace")) + 1
            self.uses.add(key, Place(self.path, line, column, text, "Python"))


def _start(node: ast.AST) -> tuple[int, int]:
    """Where the name itself stands: an attribute's after the dot, which may be a line further."""
    if isinstance(node, ast.Attribute):
        return node.end_lineno or node.lineno, (node.end_col_offset or 0) - len(node.attr.encode())
    return node.lineno, node.col_offset  # type: ignore[attr-defined]


def _dotted(node: ast.expr) -> str | None:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    return ".".join([node.id, *reversed(parts)])


def _unpinned(parts: Sequence[str]) -> list[str]:
    """Without the module of a release, whose names are those of the package."""
    return list(parts[1:] if parts and _PINNED.fullmatch(parts[0]) else parts)
