"""Hostile values to every function: refused, and alike in both call modes; never a crash."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import cudnn_cffi.library.sublibraries as parts
import pytest

from tests.conftest import Program, python_path

pytestmark = pytest.mark.attack

PROGRAM = Path(__file__).with_name("calls.py")
CALLS = 1500


@pytest.fixture(params=["8.9.7", "9.12.0", "9.28.0"])
def library(request: pytest.FixtureRequest) -> Path:
    found: list[Path] = request.getfixturevalue("cudnn_libraries")
    for path in found:
        if parts.version_in(path) == request.param:
            return path
    pytest.skip(f"libcudnn {request.param} is not here")


def calls(seed: int, mode: str, library: Path) -> tuple[list[Any], int, str]:
    """The calls that a child reported, how it ended, and its last complaints."""
    dropped = ("LD_LIBRARY_PATH", "CONDA_PREFIX", "VIRTUAL_ENV")
    kept = {name: value for name, value in os.environ.items() if name not in dropped}
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", str(PROGRAM), str(seed), str(CALLS)],
        env=kept
        | {
            "CUDNN_CFFI_LIBRARY": str(library),
            "CUDNN_CFFI_MODE": mode,
            "PYTHONPATH": python_path(),
            "CUDA_VISIBLE_DEVICES": "",
        },
        capture_output=True,
        text=True,
        errors="replace",
        timeout=300,
    )
    told = [json.loads(line) for line in done.stdout.splitlines() if line[:1] in ('"', "[")]
    return told, done.returncode, done.stderr[-2000:]


def test_hostile_values_are_refused_alike(library: Path, seed: int) -> None:
    told = {}
    for mode in ("api", "abi"):
        lines, status, complaint = calls(seed, mode, library)
        assert status == 0, f"{mode}: ended with {status} at {lines[-1]}\n{complaint}"
        told[mode] = list(zip(lines[::2], lines[1::2], strict=True))
        wrong = [f"{call}: {why}, {answer}" for call, (answer, why) in told[mode] if why]
        assert not wrong, f"{mode}: {len(wrong)} calls\n" + "\n".join(wrong[:20])
        assert len(told[mode]) == CALLS
    differ = [(one, two) for one, two in zip(told["api"], told["abi"], strict=True) if one != two]
    assert not differ, f"{len(differ)} differ\n" + "\n".join(map(str, differ[:10]))
    answers = [answer for _, (answer, _) in told["api"]]
    assert sum(answer.startswith("returned") for answer in answers) > CALLS // 10
    assert sum(answer.startswith("ArgumentError") for answer in answers) > CALLS // 10


def test_of_several_wrong_arguments_the_same_is_told(
    library: Path, seed: int, program: Program
) -> None:
    """In both modes, also where one of them raises an exception of the caller's."""
    api, abi = (
        program("order", library, seed, 20000, CUDNN_CFFI_MODE=mode).stdout.splitlines()
        for mode in ("api", "abi")
    )
    assert len(api) == len(abi) == 20000
    differ = [pair for pair in zip(api, abi, strict=True) if pair[0] != pair[1]]
    assert not differ, f"{len(differ)} differ\n" + "\n".join(map(str, differ[:10]))
    assert sum(" OwnError: " in line for line in api) > 1000
