"""The same programs with the original, where it is installed: same results, same exceptions."""

from __future__ import annotations

import importlib.util
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.choice.conftest import describing, no_driver, release_of  # noqa: F401

Program = Callable[..., subprocess.CompletedProcess[str]]


def test_same_as_the_original(
    program: Program,
    describing: list[Path],  # noqa: F811
    no_driver: dict[str, str],  # noqa: F811
) -> None:
    if importlib.util.find_spec("cudnn") is None:
        pytest.skip("the original is not installed: pip install nvidia-cudnn-frontend")
    for library in describing:
        path = os.pathsep.join([str(library.parent), no_driver["LD_LIBRARY_PATH"]])
        done = program("original", library, LD_LIBRARY_PATH=path)
        if done.stdout.startswith("skip"):
            pytest.skip(done.stdout)
        assert "different 0" in done.stdout, done.stdout
