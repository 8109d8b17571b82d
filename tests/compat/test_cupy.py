"""The modules for programs that were written for CuPy's cuDNN functions."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

Program = Callable[..., "subprocess.CompletedProcess[str]"]


def test_each_array_gets_to_its_place(program: Program, cudnn_libraries: list[Path]) -> None:
    for library in cudnn_libraries:
        done = program("cupy_functions", library)
        assert done.stdout.startswith("passed"), done.stderr
