"""The module for programs that were written for cudnn-python-wrappers."""

from __future__ import annotations

import inspect
import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

from cudnn_cffi.compat import libcudnn

Program = Callable[..., "subprocess.CompletedProcess[str]"]

PAGE = Path(__file__).parents[2] / "docs" / "porting" / "libcudnn.md"


def functions() -> set[str]:
    return {name for name in libcudnn.__all__ if inspect.isfunction(getattr(libcudnn, name))}


def test_functions_on_the_oldest_and_the_newest_release(
    program: Program, cudnn_libraries: list[Path]
) -> None:
    for library in {cudnn_libraries[0], cudnn_libraries[-1]}:
        assert program("libcudnn_calls", library).stdout == "passed\n"


def test_answers_are_those_of_the_package(program: Program, cudnn_libraries: list[Path]) -> None:
    """Results and exceptions, with each argument replaced, as version 2.0b2 has them."""
    data = Path(__file__).parent / "data" / "cudnn_python_wrappers_2_0b2.json"
    expected = json.loads(data.read_text(encoding="utf-8"))
    assert len(expected) > 200
    for library in {cudnn_libraries[0], cudnn_libraries[-1]}:
        assert json.loads(program("wrapper_answers", library).stdout) == expected


def test_there_are_all_functions_of_the_package() -> None:
    assert len(functions()) == 48
    for name in functions():
        assert getattr(libcudnn, name).__doc__, name


def test_the_page_has_every_name() -> None:
    text = PAGE.read_text(encoding="utf-8")
    rows = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `")]
    names = {name for row in rows for name in re.findall(r"`(cudnn\w+)`", row)}
    assert names == set(libcudnn.__all__)
