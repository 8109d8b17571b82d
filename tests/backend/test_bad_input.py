"""What a descriptor refuses, before cuDNN is called; cuDNN itself crashes for some of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

Beside = Callable[[Path], list[Path]]


def test_a_table_of_bad_input(
    cudnn_libraries: list[Path], program: Callable[..., Any], beside: Beside
) -> None:
    for library in cudnn_libraries:
        done = program("bad_input", library, *beside)
        assert done.stdout.endswith("done\n")
