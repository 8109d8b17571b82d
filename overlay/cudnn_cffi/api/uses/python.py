"""Python sources: C names wherever they are names, and this package's own names by its imports."""

from __future__ import annotations

import ast
import re
import warnings
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from importlib.util import decode_source

from ..names.place import Place
from ..rules import Axis
from . import text
from .lookups import PINNED, Lookups, called, dotted, keys, notebook, start, unpinned
from .names import LIBRARY, Uses, Wanted, library_names

_PACKAGE = "cudnn_cffi"
_OF_AN_OBJECT = {"getattr", "hasattr", "setattr", "delattr"}  # with the name after the object
_LOOKUPS = {*_OF_AN_OBJECT, "has", "attrgetter", "methodcaller"}
_LOADERS = {"CDLL", "PyDLL", "WinDLL", "LoadLibrary", "dlopen"}
_IMPORTS = {"import_module", "__import__", "importorskip"}
_HANDED_ON = {"closing", "enter_context"}  # which give what they are given, or what it enters
_CYTHON = (".pyx", ".pxd", ".pxi")

#: Packages through which a program reaches the library itself.
_FOREIGN = {"ctypes", "cffi"}
_LOADED: tuple[Axis, ...] = ("abi",)
_COMPILED: tuple[Axis, ...] = ("abi", "source")
_LISTS = (ast.Tuple, ast.List)
_OPTIONAL = {"Optional", "Union", "Annotated", "Final", "ClassVar"}
_BOTH_FORMULAS = re.compile(r"[/%]\s*10_?000\b|\b10_?000\s*\)")


def scan(path: str, source: bytes, wanted: Wanted) -> tuple[Uses, str | None]:
    """Return what a source file uses, and a warning where it could not be parsed."""
    if path.lower().endswith(_CYTHON):
        return _by_text(path, source, wanted, _COMPILED), None
    if path.lower().endswith(".ipynb"):
        return notebook(path, source, wanted, scan)
    try:
        decoded = decode_source(source)  # as its first lines say
        with warnings.catch_warnings():  # about somebody else's strings
            warnings.simplefilter("ignore")
            tree = ast.parse(decoded, path)
        finder = _Finder(path, decoded, wanted)
        finder.visit(tree)  # first what names are bound to, wherever it stands in the file
        finder.collecting = True
        finder.visit(tree)
        finder.look_up()
    except (SyntaxError, ValueError) as error:
        problem = f"does not parse ({error})"
    except (RecursionError, MemoryError):
        problem = "is nested too deeply"
    else:
        return finder.uses, finder.lookups.warning()
    return _by_text(path, source, wanted), f"{problem}: only C names were looked for"


_NAME = re.compile(r"\b(?:cudnn|CUDNN)\w*")
_NUMBER = re.compile(r"[ \t]+CUDNN_\w+[ \t]*=[ \t]*(-?(?:0x[\da-fA-F]+|[1-9]\d*|0)\b)")


def _by_text(path: str, source: bytes, wanted: Wanted, axes: Iterable[Axis] = ()) -> Uses:
    """C names, and the headers that Cython includes."""
    uses = Uses()
    read = text.of_python(path, source)

    def add(key: str, start: int, what: str) -> None:
        line = bisect_right(read.lines, start)
        column = start - read.lines[line - 1] + 1
        uses.add(key, Place(path, line, column, what, "Python"), axes)

    declared = text.extern_blocks(read, wanted.headers) if axes else ()
    for match in _NAME.finditer(read.code):
        name = match[0]
        if name not in wanted.names:
            if any(match.start() in each for each in declared) and wanted.unknown(name):
                add(f"unknown {name}", match.start(), name)
            continue
        if number := _NUMBER.match(read.code, read.code.rfind("\n", 0, match.start()) + 1):
            uses.own.add(name)  # the file gives it the number; elsewhere it is that of the file
            if int(number[1], 0) == wanted.numbers.get(name):
                add(f"number {name}", match.start(), number[0].strip())
        else:
            add(name, match.start(), name)
    for string in read.strings:
        name = string.value.rpartition("/")[2]
        before = read.code[max(0, string.quote - 100) : string.quote]
        if name in wanted.headers and text.EXTERN.search(before):
            start = string.start + len(string.value) - len(name)
            add(f"include {name}", start, name)
            uses.headers.setdefault(path, set()).add(name)
    return uses


class _Finder(ast.NodeVisitor):
    """Visits a module twice: to learn what its names are bound to, then to collect.

    A name in the package is written as a path: "" is the package, "DataType" a class in it,
    "TensorDescriptor.set_4d" a method of one, "graph.MatmulDescriptor" a class of a module in it.
    Pinned modules have the same names.
    """

    def __init__(self, path: str, source: str, wanted: Wanted) -> None:
        self.path = path
        self.lines = source.split("\n")
        self.wanted = wanted
        self.uses = Uses()
        self.bound: dict[str, str] = {}  # dotted name in the file -> path in the package
        self.stars: set[str] = set()  # what stands before the names of modules imported by *
        self.objects: dict[str, str] = {}  # dotted name in the file -> class of its value
        self.results: dict[str, str] = {}  # function in the file -> class of what it returns
        self.foreign = False  # the file loads libraries itself
        self.own: set[str] = set()  # names like cuDNN's to which the file gives a value
        self.functions: set[str] = set()  # that the file defines
        self.libraries: set[str] = set()  # dotted names of libraries that it loads
        self.lookups = Lookups()
        self.loaders = set(_LOOKUPS)  # functions that look up a name given as a string
        self.versions: set[str] = set()  # dotted names and functions that have the version
        self.divides = _BOTH_FORMULAS.search(source) is None
        self.collecting = False
        self.paths: dict[int, str | None] = {}  # of nodes, while collecting

    # Bindings

    def visit_Import(self, node: ast.Import) -> None:
        for name in node.names:
            parts = name.name.split(".")
            self.foreign |= parts[0] in _FOREIGN
            if parts[0] != _PACKAGE:
                continue
            self._import(node, parts[1:])
            if name.asname is None:
                self.bound[_PACKAGE] = ""
            else:
                self.bound[name.asname] = ".".join(unpinned(parts[1:]))

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        parts = (node.module or "").split(".")
        self.foreign |= not node.level and parts[0] in _FOREIGN
        if node.level or parts[0] != _PACKAGE:
            self.generic_visit(node)
            return
        for name in node.names:
            full = [*parts[1:], name.name]
            self._import(node, full)
            if name.name == "*":
                self.stars.add(".".join([*unpinned(parts[1:]), ""]))
            else:
                inner = ".".join(unpinned(full))
                self.bound[name.asname or name.name] = inner
                self._use_path(node, inner)

    def _import(self, node: ast.AST, parts: Sequence[str]) -> None:
        for part in parts:
            if PINNED.fullmatch(part):
                self._add(f"module {part}", node, f"{_PACKAGE}.{part}")

    def visit_Assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            self._bind(target, node.value)
        self.lookups.add_table([node.value])
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
        if isinstance(target, _LISTS) and isinstance(value, _LISTS):
            if not any(isinstance(each, ast.Starred) for each in (*target.elts, *value.elts)):
                for each, its in zip(target.elts, value.elts, strict=False):
                    self._bind(each, its)
            return
        name = dotted(target)
        if name is None:
            return
        self._number(target, name.rpartition(".")[2], value)
        if self._is_version(value):
            self.versions.add(name)
        if isinstance(value, ast.Call) and called(value) in _LOADERS:
            self.libraries.add(name)
        path, made = self._path(value), self._class(value)
        if path is not None:
            self.bound[name] = path
        elif made is not None:
            self.objects[name] = made

    def _number(self, node: ast.AST, name: str, value: ast.expr) -> None:
        """Note a number that is given the name of an enumerator."""
        if not isinstance(value, ast.Constant) or name not in self.wanted.names:
            return
        self.own.add(name)
        if type(value.value) is int and value.value == self.wanted.numbers.get(name):
            self._add(f"number {name}", node, f"{name} = {value.value}", _LOADED)

    def visit_List(self, node: ast.List | ast.Tuple | ast.Set) -> None:
        """Note the strings, which may be names that the file looks up."""
        self.lookups.add_table(node.elts)
        self.generic_visit(node)

    visit_Tuple = visit_Set = visit_List

    def look_up(self) -> None:
        """Add the names in tables, where the file looks names up that are no literals."""
        axes = () if self.lookups.ours else self._axes(None)
        for name, prefix, node in self.lookups.names():
            if name in self.wanted.names and name not in self.own:
                self.lookups.fits(prefix)
                if not any(place.line == node.lineno for place in self.uses.at(name)):
                    self._add(name, node, name, axes)
            elif self.lookups.ours and not prefix:
                self._use_path(node, name)

    def visit_Dict(self, node: ast.Dict) -> None:
        self.lookups.add_table((*node.keys, *node.values))
        for key, value in zip(node.keys, node.values, strict=True):
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                self._number(key, key.value, value)
        self.generic_visit(node)

    def _annotate(self, name: str, annotation: ast.expr | None) -> None:
        made = self._annotated(annotation) if annotation is not None else None
        if made is not None:
            self.objects[name] = made

    def _annotated(self, node: ast.expr) -> str | None:
        """Return the class of the package in an annotation: alone, in a string, or beside None."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            try:
                inner = ast.parse(node.value.strip(), mode="eval").body
            except (SyntaxError, ValueError):
                return None
            made = self._annotated(inner)
            if made is not None:
                self._use_path(node, made)
            return made
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            return self._annotated(node.left) or self._annotated(node.right)
        if isinstance(node, ast.Subscript):
            if (dotted(node.value) or "").rpartition(".")[2] not in _OPTIONAL:
                return None
            parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            return next((made for part in parts if (made := self._annotated(part))), None)
        path = self._path(node)
        return path if path is not None and self.wanted.is_class(path) else None

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        for each in node.body:
            if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name):
                self._annotate(f"self.{each.target.id}", each.annotation)
        self.generic_visit(node)
        for each in node.body:
            for target in each.targets if isinstance(each, ast.Assign) else ():
                for known in (self.objects, self.bound):
                    if isinstance(target, ast.Name) and target.id in known:
                        known.setdefault(f"self.{target.id}", known[target.id])

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        """Note functions that look up a symbol by their argument, or return what is followed."""
        self.functions.add(node.name)
        if node.returns is not None and (made := self._annotated(node.returns)) is not None:
            self.results[node.name] = made
        given = {each.arg for each in (*node.args.posonlyargs, *node.args.args)}
        for inner in () if self.collecting else ast.walk(node):
            if isinstance(inner, ast.Return) and inner.value and self._is_version(inner.value):
                self.versions.add(node.name)
        if given & {key.id for key in keys(node) if isinstance(key, ast.Name)}:
            self.loaders.add(node.name)
        self.generic_visit(node)

    visit_AsyncFunctionDef = visit_FunctionDef

    # Uses

    def visit_Name(self, node: ast.Name) -> None:
        if self.collecting and isinstance(node.ctx, ast.Load):
            self._reference(node, node.id)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if node.attr in self.wanted.members:
            self._add(f"member {node.attr}", node, node.attr)
        self._pinned(node)
        # the longest path is the one that says most: DataType.FLOAT is not also DataType
        said = self.collecting and self._reference(node, node.attr)
        if not said or dotted(node.value) is None:  # CDLL("libcudnn.so.9").cudnnCreate
            self.generic_visit(node)

    def _pinned(self, node: ast.expr) -> None:
        """Note a release that is an attribute of the package, where it is first."""
        while isinstance(node, ast.Attribute):
            known = not PINNED.fullmatch(node.attr) or self.uses.at(f"module {node.attr}")
            if not known and self._path(node.value) == "":
                self._import(node, [node.attr])
            node = node.value

    def _reference(self, node: ast.expr, name: str) -> bool:
        """Note what a name or an attribute stands for; whether that was anything."""
        path = self._path(node)
        own = name in self.own or (isinstance(node, ast.Name) and name in self.functions)
        if name in self.wanted.names:
            if path is not None or not own:
                self._add(name, node, name, self._axes(path))
            return True
        if path == name and self.wanted.unknown(name):
            self._add(f"unknown {name}", node, name)
        return path is not None and self._use_path(node, path)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        path = self._path(node.value)
        key = node.slice.value if isinstance(node.slice, ast.Constant) else None
        if isinstance(key, str):
            if path is not None and self._use_path(node, f"{path}.{key}"):
                return  # DataType["FLOAT"]
            if key in self.wanted.names:  # library["cudnnCreate"]
                self._add(key, node.slice, key, self._axes(path))
        elif self.foreign and isinstance(node.slice, (ast.Name, ast.BinOp, ast.JoinedStr)):
            self.lookups.add(node.slice)
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        function = called(node)
        texts = [a for a in node.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
        place = function in _OF_AN_OBJECT  # of the name among the arguments
        if function in self.loaders and len(node.args) > place:
            self.lookups.add(node.args[place])
            self.lookups.ours |= function in _LOOKUPS and self._path(node.args[0]) == ""
        if isinstance(node.func, ast.Attribute) and self.foreign:
            self._called_unknown(node.func)
        for text_ in texts:
            value = str(text_.value)
            if function in self.loaders:
                holder = self._holder(node.args[0]) if place else None
                if not (holder and self._use_path(text_, f"{holder}.{value}")):
                    ours = holder is not None or function == "has"
                    axes = () if ours else self._axes(None)
                    used = self._use_path(text_, value, axes)
                    if not used and self.wanted.unknown(value):
                        self._add(f"unknown {value}", text_, value, axes)
            elif function in _IMPORTS and value.split(".")[0] == _PACKAGE:
                self._import(text_, value.split("."))
            elif function == "find_library" and value.startswith("cudnn"):
                self._add(f"library lib{value}", text_, value, _LOADED)
        if function == "divmod" and len(node.args) == 2:
            self._divided(node, node.args[0], node.args[1])
        self._keywords(node)
        self._use_life(node)
        self.generic_visit(node)

    def _called_unknown(self, function: ast.Attribute) -> None:
        """Note a function of a loaded library that no release has."""
        name, holder = function.attr, dotted(function.value)
        if holder in self.libraries and self._path(function) is None and self.wanted.unknown(name):
            self._add(f"unknown {name}", function, name, self._axes(None))

    def visit_Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):  # a docstring
            self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        """Note a string that is the name of a library."""
        library = LIBRARY.fullmatch(node.value) if isinstance(node.value, str) else None
        for name in library_names(library) if library else ():
            self._add(f"library {name}", node, str(node.value), _LOADED)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if isinstance(node.op, (ast.Div, ast.FloorDiv, ast.Mod)):
            self._divided(node, node.left, node.right)
        self.generic_visit(node)

    def _divided(self, node: ast.expr, number: ast.expr, by: ast.expr) -> None:
        """Note a version that is taken apart by the formula of releases before 9.0."""
        thousand = isinstance(by, ast.Constant) and by.value == 1000
        if thousand and self.divides and self._is_version(number):
            axes: tuple[Axis, ...] = ("abi", "python")
            self._add("arithmetic cudnnGetVersion", node, "cudnnGetVersion() by 1000", axes)

    def _is_version(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Call):
            function = dotted(node.func) or ""
            if function.rpartition(".")[2] == "int" and len(node.args) == 1:
                return self._is_version(node.args[0])
            return called(node) == "cudnnGetVersion" or function in self.versions
        return (dotted(node) or "") in self.versions

    def _axes(self, path: str | None) -> tuple[Axis, ...]:
        """Return what a change can break of a name that the package gave, or that was loaded."""
        return _LOADED if path is None and self.foreign else ()

    def _keywords(self, node: ast.Call) -> None:
        path = self._path(node.func)
        names = self.wanted.c_names(path) if path is not None else ()
        if not names and isinstance(node.func, (ast.Attribute, ast.Name)):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id
            names = (name,) if name in self.wanted.names else ()
        holder = (path or "").removesuffix(".set").removesuffix(".open")
        for keyword in node.keywords:
            for name in names:
                self._add(f"keyword {name}({keyword.arg})", keyword, f"{name}({keyword.arg}=)")
            if self.wanted.is_class(holder):  # of a backend descriptor: its attributes
                self._use_path(keyword, f"{holder}.{keyword.arg}")

    def _use_life(self, node: ast.Call) -> None:
        """Note the functions that create and destroy an object that is made."""
        path = self._path(node.func)
        if path is not None and self.wanted.is_class(path):
            self._use_path(node, f"{path}.__init__")

    def _holder(self, node: ast.expr) -> str | None:
        path = self._path(node)
        return self._class(node) if path is None else path

    def _use_path(self, node: ast.AST, path: str, axes: Iterable[Axis] = ()) -> bool:
        names = self.wanted.c_names(path)
        for name in names:
            self._add(name, node, path, axes)
        return bool(names)

    def _path(self, node: ast.expr) -> str | None:
        """Return the path in the package that an expression stands for; None if it is not of it."""
        if not self.collecting:
            return self._find_path(node)
        if id(node) not in self.paths:
            self.paths[id(node)] = self._find_path(node)
        return self.paths[id(node)]

    def _find_path(self, node: ast.expr) -> str | None:
        name = dotted(node)
        if name is not None:
            if name in self.bound:
                return self.bound[name]
            for star in sorted(self.stars) if "." not in name else ():
                if self.wanted.c_names(f"{star}{name}"):
                    return f"{star}{name}"
        if isinstance(node, ast.Call):
            text_ = node.args[0] if node.args and called(node) in _IMPORTS else None
            if isinstance(text_, ast.Constant) and isinstance(text_.value, str):
                package, *parts = text_.value.split(".")
                return ".".join(unpinned(parts)) if package == _PACKAGE else None
        if isinstance(node, ast.Attribute):
            inner = self._path(node.value)
            if inner is not None:
                parts = [*inner.split("."), node.attr] if inner else [node.attr]
                return ".".join(unpinned(parts))
            made = self._class(node.value)
            return f"{made}.{node.attr}" if made else None
        return None

    def _class(self, node: ast.expr) -> str | None:
        """Return the class of the package that an expression's value has, as far as can be seen."""
        match node:
            case ast.Call():
                return self._made(node)
            case ast.IfExp():
                return self._class(node.body) or self._class(node.orelse)
            case ast.BoolOp():
                return next((made for each in node.values if (made := self._class(each))), None)
            case ast.Await() | ast.NamedExpr():
                return self._class(node.value)
        name = dotted(node)
        return self.objects.get(name) if name is not None else None

    def _made(self, node: ast.Call) -> str | None:
        """Return the class of what a call returns: of the class, or of a method that makes one."""
        path = self._path(node.func)
        if path is None:
            if called(node) in _HANDED_ON and len(node.args) == 1:
                return self._class(node.args[0])
            return self.results.get((dotted(node.func) or "").removeprefix("self."))
        if self.wanted.is_class(path):
            return path
        holder, _, method = path.rpartition(".")
        if not (isinstance(node.func, ast.Attribute) and self.wanted.is_class(holder)):
            return None
        return holder if method == "set" or self._path(node.func.value) == holder else None

    def _add(self, key: str, node: ast.AST, text: str, axes: Iterable[Axis] = ()) -> None:
        if self.collecting:
            line, column = start(node)
            whole = self.lines[line - 1] if line <= len(self.lines) else ""
            if not whole.isascii() and len(whole) < 10_000:  # ast counts bytes
                column = len(whole.encode()[:column].decode(errors="replace"))
            column += 1
            self.uses.add(key, Place(self.path, line, column, text, "Python"), axes)
