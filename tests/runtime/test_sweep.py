"""Bad arguments to every function: an exception that names the parameter, and never a crash."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import python_path

SWEEP = Path(__file__).with_name("programs") / "sweep.py"

#: Number of crashes after which something is wrong in general.
PATIENCE = 20


@pytest.fixture(params=["api", pytest.param("abi", marks=pytest.mark.slow)])
def environment(request: pytest.FixtureRequest, library: Path) -> dict[str, str]:
    dropped = ("LD_LIBRARY_PATH", "CONDA_PREFIX", "VIRTUAL_ENV")
    kept = {name: value for name, value in os.environ.items() if name not in dropped}
    return kept | {
        "CUDNN_CFFI_LIBRARY": str(library),
        "CUDNN_CFFI_MODE": request.param,
        "PYTHONPATH": python_path(),
        "CUDA_VISIBLE_DEVICES": "",
    }


def sweep(environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-P", str(SWEEP), *arguments],
        env=environment,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=300,
    )


def answers(done: subprocess.CompletedProcess[str]) -> Iterator[dict[str, Any]]:
    for line in done.stdout.splitlines():
        if line.startswith("{"):
            yield json.loads(line)


def test_one_bad_argument_at_a_time(environment: dict[str, str], tmp_path: Path) -> None:
    progress = tmp_path / "progress"
    crashed: dict[str, str] = {}
    found: list[dict[str, Any]] = []
    for _ in range(PATIENCE):
        done = sweep(environment, "each", str(progress), *crashed)
        found += answers(done)
        if done.returncode == 0:
            break
        assert done.returncode < 0, done.stderr[-4000:]
        number, function, case = progress.read_text().strip().split("\t")
        crashed[number] = f"{function}, {case}: signal {-done.returncode}"
    problems = [each for each in found if "problem" in each]
    assert not crashed, "\n".join(crashed.values())
    assert not problems, "\n".join(
        f"{each['function']}, {each['case']}: {each['problem']}" for each in problems[:20]
    )
    [total] = [each["calls"] for each in found if "calls" in each]
    assert total > 10_000


def test_several_bad_arguments_at_once(environment: dict[str, str], tmp_path: Path) -> None:
    progress = tmp_path / "progress"
    done = sweep(environment, "mixed", str(progress), "500")
    assert done.returncode == 0, f"{progress.read_text().strip()}\n{done.stderr[-4000:]}"
    [total] = answers(done)
    assert total["calls"] >= 500
