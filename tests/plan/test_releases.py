"""Plans in processes of their own: of real libraries for a GPU that is not there, and forked."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

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


def test_a_forked_child(program: Program, cudnn_library: Path) -> None:
    if not hasattr(os, "fork"):
        pytest.skip("this system has no fork")
    assert program("forked", cudnn_library).stdout == "0 True\n"


@pytest.mark.parametrize("mode", ["api", "abi"])
def test_a_fork_while_other_threads_have_the_locks(
    mode: str, program: Program, cudnn_library: Path
) -> None:
    answer = program("forked_locks", cudnn_library, CUDNN_CFFI_MODE=mode).stdout
    assert answer == "0 True\n"
