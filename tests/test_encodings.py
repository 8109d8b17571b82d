"""Text that the package reads and writes is UTF-8, whatever the locale."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ("overlay", "generator", "native", "scripts", "benchmarks", "reference", "examples")

#: Calls that take an encoding, and how many arguments come before it.
TEXT = {"read_text": 0, "write_text": 1, "open": 3, "fdopen": 3, "TemporaryFile": 3}


def without_encoding(tree: ast.AST) -> Iterator[ast.Call]:
    """Yield calls that open a file as text, in the encoding of the locale."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        called = node.func
        owner = called.value if isinstance(called, ast.Attribute) else None
        name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
        if name not in TEXT or (
            name == "open" and getattr(owner, "id", "") in ("os", "cls", "archive")
        ):
            continue
        words = [each.value for each in node.args if isinstance(each, ast.Constant)]
        words += [
            each.value.value
            for each in node.keywords
            if each.arg == "mode" and isinstance(each.value, ast.Constant)
        ]
        modes = [each for each in words if isinstance(each, str) and set(each) <= set("rwaxbt+")]
        is_binary = any("b" in each for each in modes)
        is_binary |= name == "TemporaryFile" and not modes
        has_encoding = any(each.arg == "encoding" for each in node.keywords)
        if not is_binary and not has_encoding and len(node.args) <= TEXT[name]:
            yield node


@pytest.mark.parametrize("folder", FOLDERS)
def test_files_are_opened_with_an_encoding(folder: str) -> None:
    found = [
        f"{path.relative_to(ROOT)}:{each.lineno}: {ast.unparse(each)}"
        for path in sorted((ROOT / folder).rglob("*.py"))
        for each in without_encoding(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert found == []


@pytest.mark.parametrize(
    ("code", "is_found"),
    [
        ("path.read_text()", True),
        ("path.write_text(x)", True),
        ("open(x)", True),
        ("path.open('w')", True),
        ("TemporaryFile('w+')", True),
        ("path.read_text(encoding='utf-8')", False),
        ("open(x, 'rb')", False),
        ("path.open(mode='wb')", False),
        ("TemporaryFile()", False),
        ("os.open(x, 0)", False),
    ],
)
def test_what_the_test_finds(code: str, is_found: bool) -> None:
    assert bool([*without_encoding(ast.parse(code))]) is is_found
