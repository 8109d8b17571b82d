"""The tables of docs/design.md name every cache of the package, and nothing else."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
OVERLAY = ROOT / "overlay" / "cudnn_cffi"

#: Makes a container that a program fills.
CONTAINERS = frozenset(
    {"OrderedDict", "Recent", "WeakKeyDictionary", "WeakValueDictionary"}
    | {"defaultdict", "deque", "dict", "set"}
)


def caches(text: str) -> set[str]:
    """Return the names of a module's containers that begin empty, and of functions that keep results.

    Dictionaries that forget, by `Recent`, are found everywhere, other containers in the module.
    """
    tree = ast.parse(text)
    ours = {
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        and any(ast.unparse(base).partition("[")[0] in CONTAINERS for base in node.bases)
    }
    found = set(_assigned(tree.body, CONTAINERS | ours))
    found |= set(_assigned(ast.walk(tree), {"Recent"}))
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and any(map(_keeps, node.decorator_list)):
            found.add(node.name)
    return {name for name in found if not name.isupper()}


def _assigned(
    nodes: Iterator[ast.AST] | list[ast.stmt], makers: set[str] | frozenset[str]
) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Assign | ast.AnnAssign) and _is_empty(node.value, makers):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (ast.unparse(target).rpartition(".")[2] for target in targets)


def _is_empty(value: ast.expr | None, makers: set[str] | frozenset[str]) -> bool:
    if isinstance(value, ast.Dict):
        return not value.keys and "dict" in makers
    return isinstance(value, ast.Call) and ast.unparse(value.func).rpartition(".")[2] in makers


def _keeps(decorator: ast.expr) -> bool:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return ast.unparse(called).rpartition(".")[2] in ("cache", "lru_cache")


def named() -> list[str]:
    """Return what the tables name, as "path: name"."""
    text = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
    section = text.partition("\n## Caches\n")[2].partition("\n## ")[0]
    path = ""
    found = []
    for words in re.findall(r"`([^`]+)`", section):
        before, colon, names = words.rpartition(": ")
        if colon:
            path = before
            found += [f"{path}: {name}" for name in names.split(", ")]
        elif re.fullmatch(r"_\w+", words) and path.endswith(".py"):
            found.append(f"{path}: {words}")
    return found


def test_the_tables_name_every_cache() -> None:
    there = {
        f"{path.relative_to(OVERLAY).as_posix()}: {name}"
        for path in OVERLAY.rglob("*.py")
        if path.relative_to(OVERLAY).parts[0] != "api"
        for name in caches(path.read_text(encoding="utf-8"))
    }
    assert there - set(named()) == set(), "give them a row in docs/design.md"
    lost = [
        each
        for each in named()
        if each not in there
        and not re.search(
            rf"\b{each.partition(': ')[2]}\b", (OVERLAY / each.partition(":")[0]).read_text("utf-8")
        )
    ]
    assert lost == [], "these are gone"


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("_known = {}", {"_known"}),
        ("_known: dict[str, int] = {}", {"_known"}),
        ("_KNOWN = {}\n_known = {1: 2}", set()),
        ("class A(dict[str, int]): ...\n_known = A()", {"_known"}),
        ("@functools.lru_cache(3)\ndef known(): ...", {"known"}),
        ("class A:\n    @cache\n    def known(self): ...", {"known"}),
        ("def f(self):\n    self._known = Recent(3)\n    other = {}", {"_known"}),
    ],
)
def test_caches_are_found(text: str, names: set[str]) -> None:
    assert caches(text) == names
