"""Plans of real libraries, for a GPU that is not there."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

from tests.choice.conftest import describing, no_driver

__all__ = ["describing", "no_driver"]  # fixtures

Program = Callable[..., "subprocess.CompletedProcess[str]"]


def test_there_and_back(
    program: Program,
    describing: list[Path],
    no_driver: dict[str, str],
) -> None:
    for library in describing:
        assert "done" in program("saved", library, **no_driver).stdout
