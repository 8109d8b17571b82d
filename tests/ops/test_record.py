"""Gradients, tables and an added operation follow from records of operations."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from cudnn_cffi._operation.operation import CLASSES
from cudnn_cffi.ops import Operation

from scripts import graphs, operations, pages

from .added import FILES, LINES, extend

Program = Callable[..., "subprocess.CompletedProcess[str]"]

#: Words of gradients, each with the operations that name it.
GRADIENTS: dict[str, list[type[Operation]]] = {}
for _cls in CLASSES.values():
    for _word in _cls.gradient:
        GRADIENTS.setdefault(_word, []).append(_cls)


#: Operations whose results have other names than the operands that they are the gradients of.
LINEAR = {"convolution", "im2col", "col2im", "fold", "unfold", "transform"}


@pytest.mark.parametrize("cls", CLASSES.values(), ids=CLASSES)
def test_gradients_are_declared(cls: type[Operation]) -> None:
    """An operation names those of its gradients or says that there are none, or is one itself."""
    assert "gradient" in vars(cls) or cls.word in GRADIENTS
    assert set(cls.gradient) <= set(CLASSES)


@pytest.mark.parametrize("word", sorted(set(GRADIENTS) - LINEAR))
def test_gradients_are_named_after_operands(word: str) -> None:
    gives = CLASSES[word].gives
    for cls in GRADIENTS[word]:
        if isinstance(gives, tuple) and cls.word != word:  # others depend on options
            assert {name[1:] for name in gives} <= {*cls.takes, "b"}, cls


def test_backward_makes_the_gradient_that_is_declared() -> None:
    for cls in CLASSES.values():
        assert ("backward" in dir(cls)) <= bool(cls.gradient), cls


@pytest.mark.parametrize(
    ("page", "made"),
    [
        ("operations", operations.with_operations),
        ("torch", operations.with_torch),
        ("diff", operations.with_rules),
        ("porting/frontend", operations.with_frontend),
        ("porting/cupy", operations.with_cupy),
        ("porting/libcudnn", operations.with_libcudnn),
        ("graph", graphs.with_nodes),
        ("errata", graphs.with_errata),
    ],
)
def test_tables_are_those_of_the_records(page: str, made: Callable[[str], str]) -> None:
    text = (pages.ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    assert made(text) == text, "run python -m scripts.operations and scripts.graphs"


def test_the_picture_is_that_of_the_graph() -> None:
    drawn = (pages.ROOT / "docs" / "block.svg").read_text(encoding="utf-8")
    assert graphs.drawing("") == drawn, "run python -m scripts.graphs"
    assert "half[8,64,56,56]" in drawn


def test_the_places_of_an_operation_are_told() -> None:
    """The files that the copy of the package gets, and a test."""
    text = (pages.ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    told = text.partition("**Add an operation.**")[2].partition("\n\nSignature,")[0]
    count = len(re.findall(r"^\d\. ", told, re.M))
    assert count == len(FILES) + len(LINES) + 1 <= 8
    for name in LINES:
        assert f"`overlay/cudnn_cffi/{name}`" in told
    for name in FILES:
        assert f"`overlay/cudnn_cffi/{name.partition('/')[0]}/" in told


def test_an_operation_is_added(
    program: Program, describing: list[Path], no_driver: dict[str, str], tmp_path: Path
) -> None:
    environment = no_driver | extend(tmp_path)
    assert program("added_operation", describing[-1], **environment).stdout.strip() == "added"
