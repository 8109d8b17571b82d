"""Runs of tests tell failures and times as they come."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

TESTS = """
import os

def test_wrong():
    assert 1 == 2

def test_right():
    pass

def test_that_ends_the_process():
    os._exit(7)
"""


@pytest.mark.parametrize("processes", ["0", "1"])
def test_a_run_that_is_cut_has_told_what_it_knew(tmp_path: Path, processes: str) -> None:
    (tmp_path / "test_it.py").write_text(TESTS)
    times = tmp_path / "times"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "tests.conftest", f"--times={times}",
         "-n", processes, f"--rootdir={tmp_path}", "-c", "/dev/null", str(tmp_path)],
        cwd=ROOT, capture_output=True, text=True, timeout=100,
    )  # fmt: skip
    assert done.returncode
    assert "FAILED test_it.py::test_wrong assert 1 == 2" in done.stdout.splitlines()
    calls = [line.split()[3:] for line in times.read_text().splitlines()]
    assert ["failed", "test_it.py::test_wrong"] in calls
    assert ["passed", "test_it.py::test_right"] in calls
