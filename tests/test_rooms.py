"""The package's rooms: who may import whom, and that the map of them is the folder listing."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = "cudnn_cffi"

#: Rooms and modules at the top of the package, lowest layer first. A module imports from its own
#: room and from layers before its own, also inside functions and for type checkers.
LAYERS = (
    ("_version", "errors", "versions", "types"),
    ("_stamp",),
    ("_user_tables",),
    ("_support",),
    ("_index", "_specs", "_attributes"),
    ("driver",),
    ("library",),
    ("_tables",),
    ("_advice",),
    ("arrays",),
    ("_object",),
    ("_call",),
    ("calls",),
    ("families",),
    ("_lookup",),
    ("memory",),
    ("handles",),
    ("descriptors",),
    ("_backend",),
    ("backend",),
    ("logs",),
    ("plan",),
    ("choice",),
    ("graph",),
    ("ops",),
    ("compat",),
    ("diagnose", "api"),
    ("_settings",),
    ("torch",),
    ("_front",),
    ("__init__", "__main__"),
)

#: What reads a release's tables by name at run time and is imported by none of them.
TABLES = re.compile(
    r"(tables|enums|enum_words|records|names|v\d+_\d+_\d+|_cudnn|_native|_pyinstaller)(\.|$)"
)


def modules() -> dict[str, Path]:
    """Return the modules of both halves of the package, by their names inside it."""
    found = {}
    for half in ("overlay", "generated"):
        base = ROOT / half / PACKAGE
        for path in sorted(base.rglob("*.py")):
            name = ".".join(path.relative_to(base).with_suffix("").parts)
            name = name.removesuffix(".__init__")
            if not TABLES.match(name):
                found[name] = path
    return found


def is_emitted(path: Path) -> bool:
    return (ROOT / "generated") in path.parents


def imports(name: str, path: Path, known: dict[str, Path]) -> Iterator[tuple[str, int]]:
    """Yield each module of the package that a module imports, and the line."""
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    if name == "__init__":
        package = []
    for node in ast.walk(_without_annotations(ast.parse(path.read_text()), path)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.startswith(f"{PACKAGE}."):
                    yield _known(alias.name.removeprefix(f"{PACKAGE}."), known), node.lineno
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                parts = package[: len(package) - node.level + 1]
                parts += node.module.split(".") if node.module else []
            elif node.module and node.module.split(".")[0] == PACKAGE:
                parts = node.module.split(".")[1:]
            else:
                continue
            for alias in node.names:
                target = ".".join([*parts, alias.name])
                if TABLES.match(target):
                    continue
                if target not in known:
                    target = ".".join(parts)
                if target and target != name:
                    yield _known(target, known), node.lineno


def _without_annotations(tree: ast.Module, path: Path) -> ast.Module:
    """Leave out what emitted modules import for their annotations alone."""
    if is_emitted(path):
        tree.body = [node for node in tree.body if not _is_for_type_checkers(node)]
    return tree


def _is_for_type_checkers(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def _known(name: str, known: dict[str, Path]) -> str:
    while name and name not in known:
        name = name.rpartition(".")[0]
    return name or "__init__"


def graph() -> dict[str, dict[str, int]]:
    known = modules()
    return {
        name: {
            target: line
            for target, line in imports(name, path, known)
            if not TABLES.match(target) and target != name
        }
        for name, path in known.items()
    }


def layer(name: str) -> int:
    room = name.partition(".")[0]
    for number, rooms in enumerate(LAYERS):
        if room in rooms:
            return number
    pytest.fail(f"{name} belongs to no layer: name its room in LAYERS")


def test_modules_import_from_lower_layers_only() -> None:
    wrong = [
        f"{name}:{line} imports {target}"
        for name, targets in graph().items()
        for target, line in targets.items()
        if name.partition(".")[0] != target.partition(".")[0] and layer(target) >= layer(name)
    ]
    assert wrong == []


def test_no_modules_import_each_other_in_a_circle() -> None:
    """Find each circle by taking away, again and again, what imports nothing that is left."""
    left = {name: set(targets) - {name} for name, targets in graph().items()}
    while removed := [name for name, targets in left.items() if not targets & left.keys()]:
        for name in removed:
            del left[name]
    assert left == {}, f"these import each other, or what does: {sorted(left)}"


@pytest.mark.parametrize("half", ["overlay/cudnn_cffi", "generator"])
def test_the_map_is_the_folder_listing(half: str) -> None:
    """Every room and every module beside the rooms is in docs/design.md, and the other way round."""
    text = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `")]
    in_map = [path for row in rows for path in re.findall(rf"`({half}/[^`]+)`", row)]
    folder = ROOT / half
    listed = {f"{half}/{path.name}" for path in folder.glob("*.py")}
    listed |= {f"{half}/{path.parent.name}/" for path in folder.glob("*/__init__.py")}
    assert sorted(in_map) == sorted(listed)


def test_what_else_the_map_names_is_there() -> None:
    """Paths with a slash in the other tables and in the text of docs/design.md and CONTRIBUTING.md."""
    roots = (ROOT, ROOT / "overlay" / PACKAGE, ROOT / "generated" / PACKAGE, ROOT / "generator")
    for name in ("docs/design.md", "CONTRIBUTING.md"):
        text = (ROOT / name).read_text(encoding="utf-8")
        paths = re.findall(r"`([\w.-]+/[\w./*-]*)`", text)
        assert paths, name
        missing = [p for p in paths if not any(any(root.glob(p.rstrip("/"))) for root in roots)]
        assert missing == [], name
