"""Graphs of the front end's API with real libraries, for a GPU that is not there."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

from tests.choice.conftest import describing, no_driver  # noqa: F401

Program = Callable[..., subprocess.CompletedProcess[str]]


def test_steps(program: Program, describing: list[Path], no_driver: dict[str, str]) -> None:  # noqa: F811
    for library in describing:
        assert "done" in program("steps", library, **no_driver).stdout
