"""Docstrings of objects begin with a verb, and name the C functions and headers that there are."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from cudnn_cffi._index import CALLS

PACKAGE = Path(__file__).parents[1] / "overlay" / "cudnn_cffi"
ROOMS = ("arrays", "descriptors", "diagnose", "handles", "memory")
MODULES = [path for room in ROOMS for path in sorted((PACKAGE / room).glob("*.py"))]

#: Words with which a docstring begins that is no sentence about what a function does.
NO_VERB = {"A", "All", "An", "How", "Its", "The", "This", "What", "Whether", "Which"}

Documented = ast.Module | ast.ClassDef | ast.FunctionDef


def docstrings(path: Path) -> Iterator[tuple[Documented, str]]:
    """Yield what a module documents, and the docstrings."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, Documented):
            yield node, ast.get_docstring(node) or ""


def is_public(node: ast.FunctionDef) -> bool:
    """Return whether users read the docstring of a function."""
    if node.name.startswith("_"):
        return False
    marks = {ast.unparse(mark).rpartition(".")[2] for mark in node.decorator_list}
    return not marks & {"overload", "setter", "deleter"} and ast.unparse(node.body[-1]) != "..."


def inner_lines(path: Path) -> set[int]:
    """Return the lines of functions inside functions."""
    functions = [n for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.FunctionDef)]
    return {
        inner.lineno
        for outer in functions
        for inner in ast.walk(outer)
        if isinstance(inner, ast.FunctionDef) and inner is not outer
    }


@pytest.mark.parametrize("path", MODULES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_public_functions_say_what_they_do(path: Path) -> None:
    inner = inner_lines(path)
    for node, text in docstrings(path):
        if isinstance(node, ast.FunctionDef) and is_public(node) and node.lineno not in inner:
            assert text, f"{node.name} has no docstring"
            assert text.split()[0] not in NO_VERB, f"{node.name}: {text.splitlines()[0]}"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_named_functions_are_in_the_named_headers(path: Path) -> None:
    for _, text in docstrings(path):
        for paragraph in text.split("\n\n"):
            names = re.findall(r"`(cudnn[A-Z]\w+)`", paragraph)
            assert [name for name in names if name not in CALLS] == []
            headers = re.findall(r"\((cudnn_\w+)\.h", paragraph)
            if headers:
                assert {f"cudnn_{CALLS[name]}" for name in names} == set(headers), paragraph


@pytest.mark.parametrize(
    "room",
    sorted({path.parent for path in PACKAGE.rglob("*.py")}),
    ids=lambda each: str(each.relative_to(PACKAGE)),
)
def test_asterisks_are_code(room: Path) -> None:
    """The site takes one that begins a word, or stands before an operator, for emphasis."""
    for path in room.glob("*.py"):
        for _, text in docstrings(path):
            plain = re.sub(r"::\n\n(?:(?: .*)?\n)+|``.*?``|`.*?`", "", f"{text}\n", flags=re.S)
            for found in re.finditer(r"(?<!\S)\*+(?=[^\s*])[^\n]*", plain):
                is_argument = re.match(r"\*{1,2}\w+(?:, \*{0,2}\w+)*:", found[0])
                assert is_argument or re.match(r"(\*+)[^*]+\1", found[0]), (path, found[0])
