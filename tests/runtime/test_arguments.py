"""Numbers, memory and objects of other packages as arguments, alike in both call modes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import cudnn_cffi.library.sublibraries as parts
import pytest

from tests.conftest import python_path

PROGRAM = Path(__file__).with_name("programs") / "arguments.py"


@pytest.fixture(params=["8", "9.12", "newest"])
def library(request: pytest.FixtureRequest, cudnn_libraries: list[Path]) -> Path:
    if request.param == "newest":
        return cudnn_libraries[-1]
    for path in cudnn_libraries:
        if parts.version_in(path).startswith(f"{request.param}."):
            return path
    pytest.skip(f"no libcudnn {request.param}")


@pytest.mark.parametrize("mode", ["api", "abi"])
def test_arguments(mode: str, library: Path) -> None:
    environment = os.environ | {
        "CUDNN_CFFI_LIBRARY": str(library),
        "CUDNN_CFFI_MODE": mode,
        "PYTHONPATH": python_path(),
    }
    done = subprocess.run(
        [sys.executable, "-P", str(PROGRAM)], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-3000:]


def test_room_for_what_is_always_written() -> None:
    from cudnn_cffi.api import store

    for api in store().apis():
        for function in api.functions:
            if function.name == "cudnnGetConvolutionNdForwardOutputDim":
                assert [p.least for p in function.parameters if p.least] == [2]
