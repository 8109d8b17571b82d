"""A descriptor refuses bad values before cuDNN is called, which crashes for some of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any


def test_a_table_of_bad_input(
    cudnn_libraries: list[Path], program: Callable[..., Any], beside: list[Path]
) -> None:
    for library in cudnn_libraries:
        done = program("bad_input", library, *beside)
        assert done.stdout.endswith("done\n")
