"""The package's rooms: who may import whom, how large they are, and the map of them."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

from scripts import rooms
from scripts.rooms import LAYERS

ROOT = Path(__file__).parents[1]
PACKAGE = "cudnn_cffi"

#: Modules that are found by name at run time, and import none of the rooms.
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


def imports(
    name: str, path: Path, known: dict[str, Path], for_types: bool = True
) -> Iterator[tuple[str, int]]:
    """Yield each module of the package that a module imports, and the line."""
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    if name == "__init__":
        package = []
    for node in ast.walk(_tree(path, for_types)):
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


def _tree(path: Path, for_types: bool) -> ast.Module:
    """Parse a module; leave out what emitted modules import for their annotations alone."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    if is_emitted(path) or not for_types:
        tree.body = [node for node in tree.body if not _is_for_type_checkers(node)]
    return tree


def _is_for_type_checkers(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def _known(name: str, known: dict[str, Path]) -> str:
    while name and name not in known:
        name = name.rpartition(".")[0]
    return name or "__init__"


@cache
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
    for number, names in enumerate(LAYERS):
        if room in names:
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


@pytest.mark.parametrize(
    ("half", "names"),
    [
        ("overlay/cudnn_cffi", [name for layer in LAYERS for name in layer]),
        ("generator", list(rooms.STEPS)),
    ],
)
def test_every_room_has_a_place_in_the_layers(half: str, names: list[str]) -> None:
    folder = ROOT / half
    listed = {path.stem for path in folder.glob("*.py")}
    listed |= {path.parent.name for path in folder.glob("*/__init__.py")}
    assert len(set(names)) == len(names)
    assert listed <= set(names)
    emitted = {path.stem for path in (ROOT / "generated" / PACKAGE).iterdir()}
    assert set(names) <= listed | emitted


def test_the_map_of_the_design_is_that_of_the_layers() -> None:
    text = rooms.PAGE.read_text(encoding="utf-8")
    assert rooms.with_maps(text) == text, "run python -m scripts.rooms"
    with pytest.raises(ValueError, match="no place for the map"):
        rooms.with_maps("# Design")


#: Maximum numbers of files in a folder, lines in a module, classes of ours in an MRO, and modules in a chain of
#: imports inside a room.
FILES, LINES, CLASSES, CHAIN = 12, 500, 4, 6


def above(found: dict[str, int], limit: int) -> dict[str, int]:
    """Return what is above a limit."""
    return {name: size for name, size in found.items() if size > limit}


def test_folders_have_few_files() -> None:
    found: dict[str, int] = {}
    for half in ("overlay", "generator"):
        for path in (ROOT / half).rglob("*.py"):
            name = path.parent.relative_to(ROOT).as_posix()
            found[name] = found.get(name, 0) + 1
    assert above(found, FILES) == {}


def test_modules_are_short() -> None:
    found = {
        path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8").count("\n")
        for half in ("overlay", "generator")
        for path in (ROOT / half).rglob("*.py")
    }
    assert above(found, LINES) == {}


def test_classes_have_few_bases_of_ours() -> None:
    found = {}
    for name, path in modules().items():
        if is_emitted(path) or "__main__" in name or name.startswith("_pyinstaller"):
            continue
        if name.partition(".")[0] == "torch":
            pytest.importorskip("torch")
        if name.partition(".")[0] == "jax" and find_spec("jax") is None:
            continue
        module = import_module(PACKAGE if name == "__init__" else f"{PACKAGE}.{name}")
        for each in vars(module).values():
            if isinstance(each, type) and each.__module__ == module.__name__:
                ours = [base for base in each.__mro__ if is_written_by_hand(base)]
                found[f"{name}.{each.__qualname__}"] = len(ours)
    assert above(found, CLASSES) == {}


def is_written_by_hand(cls: type) -> bool:
    """Return whether a class is of a module of ours; compiled ones name the package."""
    module = sys.modules.get(cls.__module__)
    file = getattr(module, "__file__", None)
    if cls.__module__ == PACKAGE and cls.__name__ not in vars(module):
        return False
    return file is not None and (ROOT / "overlay") in Path(file).parents


def test_chains_of_imports_inside_a_room_are_short() -> None:
    """Without the front of a room, its `__init__` or `__main__`, and what type checkers read."""
    known = modules()
    fronts = {name for name, path in known.items() if path.stem in ("__init__", "__main__")}
    inside = {
        name: [
            target
            for target, _ in imports(name, path, known, for_types=False)
            if target != name and target.partition(".")[0] == name.partition(".")[0]
        ]
        for name, path in known.items()
    }

    @cache
    def length(name: str) -> int:
        return (name not in fronts) + max(map(length, inside[name]), default=0)

    found: dict[str, int] = {}
    for name in inside:
        room = name.partition(".")[0]
        found[room] = max(found.get(room, 0), length(name))
    assert above(found, CHAIN) == {}


def test_what_else_the_map_names_is_there() -> None:
    """Paths with a slash in the other tables and in the text of docs/design.md and CONTRIBUTING.md."""
    roots = (ROOT, ROOT / "overlay" / PACKAGE, ROOT / "generated" / PACKAGE, ROOT / "generator")
    for name in ("docs/design.md", "CONTRIBUTING.md"):
        text = (ROOT / name).read_text(encoding="utf-8")
        paths = re.findall(r"`(?!build/)([\w.-]+/[\w./*-]*)`", text)  # not what is built
        assert paths, name
        missing = [p for p in paths if not any(any(root.glob(p.rstrip("/"))) for root in roots)]
        assert missing == [], name
