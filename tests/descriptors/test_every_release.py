"""Tests of objects hold for every library that is here, in both call modes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import python_path

FOLDER = Path(__file__).parent
ROOT = FOLDER.parents[1]
TESTS = [
    "descriptors/test_descriptors.py",
    "descriptors/test_lifetimes.py",
    "descriptors/test_operands.py",
    "arrays/test_arrays.py",
    "handles/test_handles.py",
]


@pytest.mark.parametrize("mode", ["api", pytest.param("abi", marks=pytest.mark.slow)])
def test_the_oldest_release(cudnn_libraries: list[Path], mode: str) -> None:
    if len(cudnn_libraries) == 1:
        pytest.skip("there is one library, which all other tests use")
    run_tests(cudnn_libraries[:1], mode)


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["api", "abi"])
def test_each_release(cudnn_libraries: list[Path], mode: str) -> None:
    run_tests(cudnn_libraries, mode)


def run_tests(libraries: list[Path], mode: str) -> None:
    """Run each library's tests in a process of its own, since a process loads one."""
    if mode == "api" and not list((ROOT / "overlay/cudnn_cffi").glob("_cudnn.*")):
        pytest.skip("the compiled call layer is not built")
    for library in libraries:
        done = subprocess.run(
            [
                sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not slow",
                *(str(ROOT / "tests" / name) for name in TESTS),
            ],
            env=os.environ
            | {
                "CUDNN_CFFI_LIBRARY": str(library),
                "CUDNN_CFFI_MODE": mode,
                "PYTHONPATH": python_path(),
                # glibc fills new memory with 0xFE: cuDNN 8 does not clear new descriptors.
                "MALLOC_PERTURB_": "1",
            },
            capture_output=True,
            text=True,
            timeout=300,
        )  # fmt: skip
        assert done.returncode == 0, f"{library}, {mode}:\n{done.stdout[-4000:]}{done.stderr}"
        assert " passed" in done.stdout


def test_pickles_travel_between_releases(
    cudnn_libraries: list[Path], program: Callable[..., Any], tmp_path: Path
) -> None:
    """Enumerators have other numbers in other releases, and functions other names."""
    paths = [tmp_path / f"{number}.pickle" for number, _ in enumerate(cudnn_libraries)]
    for path, library in zip(paths, cudnn_libraries, strict=True):
        program("pickles", library, "dump", path)
    for library in cudnn_libraries:
        assert "restored" in program("pickles", library, "load", *paths).stdout
