"""The types in the signatures of all public names, read from stubs and sources."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import cudnn_cffi

HALVES = [Path(half) for half in cudnn_cffi.__path__]

#: The modules that users import from.
MODULES = [
    "cudnn_cffi",
    "cudnn_cffi.ops",
    "cudnn_cffi.graph",
    "cudnn_cffi.plan",
    "cudnn_cffi.choice",
    "cudnn_cffi.torch",
    "cudnn_cffi.torch.functional",
    "cudnn_cffi.torch.modules",
    "cudnn_cffi.jax",
    "cudnn_cffi.descriptors",
    "cudnn_cffi.compat.frontend",
    "cudnn_cffi.compat.cupy_cudnn",
    "cudnn_cffi.compat.cupy_backends_cudnn",
    "cudnn_cffi.compat.libcudnn",
    "cudnn_cffi.compat.libcudnn_1",
    "cudnn_cffi.api",
    "cudnn_cffi.diagnose",
    "cudnn_cffi.driver",
    "cudnn_cffi.errors",
    "cudnn_cffi.handles",
    "cudnn_cffi.kernels",
    "cudnn_cffi.library",
    "cudnn_cffi.logs",
    "cudnn_cffi.memory",
    "cudnn_cffi.types",
    "cudnn_cffi.versions",
]


class Definition(NamedTuple):
    """A definition of a name: the module's name, and the statement."""

    module: str
    node: ast.stmt


def file_of(module: str) -> Path | None:
    """Return the file that type checkers read for a module."""
    parts = module.split(".")[1:]
    for half in HALVES:
        base = half.joinpath(*parts)
        for path in (
            base / "__init__.pyi", base / "__init__.py",
            base.with_suffix(".pyi"), base.with_suffix(".py"),
        ):  # fmt: skip
            if path.exists():
                return path
    return None


def statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield statements, also those of conditions such as `if TYPE_CHECKING:`."""
    for node in body:
        if isinstance(node, ast.If | ast.Try):
            yield from statements([*node.body, *node.orelse])
        else:
            yield node


@cache
def names_of(module: str) -> dict[str, list[ast.stmt]]:
    """Return the statements of a module that define or import each name, stars resolved."""
    path = file_of(module)
    if path is None:
        return {}
    found: dict[str, list[ast.stmt]] = {}
    for node in statements(ast.parse(path.read_text(encoding="utf-8")).body):
        for name in _defined(node, module):
            found.setdefault(name, []).append(node)
    return found


def _defined(node: ast.stmt, module: str) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return [node.target.id]
    if isinstance(node, ast.Assign):
        return [each.id for each in node.targets if isinstance(each, ast.Name)]
    if isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
        return public_names(origin_of(node, module))
    if isinstance(node, ast.Import | ast.ImportFrom):
        return [each.asname or each.name for each in node.names]
    return []


def origin_of(node: ast.ImportFrom, module: str) -> str:
    """Return the absolute name of the module that a statement imports from."""
    if not node.level:
        return node.module or ""
    path = file_of(module)
    package = module.split(".")
    drop = node.level - (path is not None and path.stem == "__init__")
    package = package[: len(package) - drop]
    return ".".join([*package, *([node.module] if node.module else [])])


def definitions(name: str, module: str) -> list[Definition]:
    """Return where a name of a module is defined; nothing if outside the package."""
    found = []
    for node in names_of(module).get(name, []):
        if isinstance(node, ast.ImportFrom):
            origin = origin_of(node, module)
            if not origin.startswith("cudnn_cffi"):
                continue
            own = next(
                (each.name for each in node.names if (each.asname or each.name) == name), name
            )
            if (origin, own) != (module, name):
                found += definitions(own, origin)
        elif not isinstance(node, ast.Import):
            found.append(Definition(module, node))
    return found


def public_names(module: str) -> list[str]:
    """Return the names that a module exports."""
    names = names_of(module)
    for node in names.get("__all__", []):
        listed = node.value if isinstance(node, ast.Assign) else None
        if isinstance(listed, ast.List | ast.Tuple):
            words = [each.value for each in listed.elts if isinstance(each, ast.Constant)]
            if len(words) == len(listed.elts):
                return sorted(map(str, words))
    return sorted(
        name
        for name, nodes in names.items()
        if name[0] != "_" and any(_is_exported(name, node) for node in nodes)
    )


def _is_exported(name: str, node: ast.stmt) -> bool:
    if not isinstance(node, ast.Import | ast.ImportFrom):
        return True
    return any(each.name == "*" or each.asname == each.name == name for each in node.names)


def has_any(annotation: ast.expr | None, module: str, seen: frozenset[str] = frozenset()) -> bool:
    """Whether an annotation says Any, by itself or by an alias of the package."""
    if annotation is None:
        return False
    for node in ast.walk(annotation):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            try:
                inner = ast.parse(node.value, mode="eval").body
            except SyntaxError:
                continue
            if has_any(inner, module, seen):
                return True
        word = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", None)
        if word == "Any":
            return True
        if isinstance(node, ast.Name) and f"{module}.{node.id}" not in seen:
            for where, made in definitions(node.id, module):
                alias = isinstance(made, ast.Assign) or (
                    isinstance(made, ast.AnnAssign) and "TypeAlias" in ast.unparse(made.annotation)
                )
                inside = seen | {f"{module}.{node.id}", f"{where}.{node.id}"}
                if alias and has_any(made.value, where, inside):  # type: ignore[attr-defined]
                    return True
    return False


def function_anys(node: ast.FunctionDef | ast.AsyncFunctionDef, module: str) -> Iterator[str]:
    """Yield the parameters of a function that are Any, and "return"."""
    given = node.args
    for each in [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]:
        if each is None or each.arg.startswith("_"):
            continue
        if has_any(each.annotation, module):
            yield each.arg
    if has_any(node.returns, module):
        yield "return"


def class_anys(
    node: ast.ClassDef, module: str, done: set[str] | None = None
) -> Iterator[tuple[str, str]]:
    """Yield the members of a class and of its bases that are Any, and the class that has them.

    Args:
        node: the class.
        module: its module.
        done: the members of derived classes, which take the place of others.
    """
    done = set() if done is None else done
    own: set[str] = set()
    parts = list(statements(node.body))
    several = {each.name for each in parts if _is_variant(each)}  # type: ignore[attr-defined]
    for each in parts:
        name = ""
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef):
            name = each.name
        elif isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name):
            name = each.target.id
        own.add(name)
        is_special = name.startswith("__") and name.endswith("__")
        if name in done or (name.startswith("_") and not is_special):
            continue
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef):
            if _is_variant(each) or name not in several:
                for part in function_anys(each, module):
                    yield f"{name}({part})", f"{module}.{node.name}"
        elif isinstance(each, ast.AnnAssign) and has_any(each.annotation, module):
            yield name, f"{module}.{node.name}"
    done |= own
    for base in node.bases:
        inner = base.value if isinstance(base, ast.Subscript) else base
        if isinstance(inner, ast.Name):
            for where, made in definitions(inner.id, module):
                if isinstance(made, ast.ClassDef):
                    yield from class_anys(made, where, done)


def _is_variant(node: ast.stmt) -> bool:
    """Return whether a statement is one of several signatures of a function."""
    return isinstance(node, ast.FunctionDef) and any(
        ast.unparse(each).endswith("overload") for each in node.decorator_list
    )


def anys() -> dict[str, str]:
    """Return each place of a public signature that is Any, with a public name that leads there."""
    found: dict[str, str] = {}
    for module in MODULES:
        for name in public_names(module):
            public = f"{module}.{name}"
            made = definitions(name, module)
            several = any(_is_variant(node) for _, node in made)
            for where, node in made:
                if several and isinstance(node, ast.FunctionDef) and not _is_variant(node):
                    continue
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                    for part in function_anys(node, where):
                        found.setdefault(f"{where}.{name}({part})", public)
                elif isinstance(node, ast.ClassDef):
                    for part, owner in class_anys(node, where):
                        found.setdefault(f"{owner}.{part}", public)
                elif isinstance(node, ast.AnnAssign) and has_any(node.annotation, where):
                    found.setdefault(f"{where}.{name}", public)
    return found
