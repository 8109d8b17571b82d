"""What is tested in this folder holds for every library that is here, in both call modes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent
TESTS = [
    "test_descriptors.py",
    "test_lifetimes.py",
    "test_arrays.py",
    "test_handles.py",
    "test_operands.py",
]


@pytest.mark.parametrize("mode", ["api", "abi"])
def test_in_a_process_of_its_own(cudnn_libraries: list[Path], mode: str) -> None:
    if mode == "api" and not list((FOLDER.parents[1] / "overlay/cudnn_cffi").glob("_cudnn.*")):
        pytest.skip("the compiled call layer is not built")
    for library in cudnn_libraries:
        done = subprocess.run(
            [
                sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not slow",
                *(str(FOLDER / name) for name in TESTS),
            ],
            env=os.environ
            | {
                "CUDNN_CFFI_LIBRARY": str(library),
                "CUDNN_CFFI_MODE": mode,
                "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
            },
            capture_output=True,
            text=True,
            timeout=300,
        )  # fmt: skip
        assert done.returncode == 0, f"{library}, {mode}:\n{done.stdout[-4000:]}{done.stderr}"
        assert " passed" in done.stdout
