"""The settings of test runs."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def alone(folder: Path, text: str, **settings: str) -> subprocess.CompletedProcess[str]:
    """Run a module of tests in a folder without others, with this project's `conftest`."""
    test = folder / "test_one.py"
    test.write_text(text)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.conftest", "-c", os.devnull]
    command += ["--rootdir", str(folder), str(test)]
    return subprocess.run(
        command, cwd=ROOT, env=os.environ | settings, capture_output=True, text=True, timeout=120
    )


def test_mode_dependent_leaves_out_what_the_mode_cannot_change() -> None:
    """Rooms that call nothing, and tests that try both modes, run in one of the two runs."""
    chosen = [
        "tests/api/test_docs.py",
        "tests/runtime/test_fork.py",
        "tests/runtime/test_results.py",
    ]
    command = [sys.executable, "-m", "pytest", "--co", "-q", "--mode-dependent", *chosen]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    names = [line for line in done.stdout.splitlines() if "::" in line]
    assert any("test_fork.py" in name for name in names), done.stdout
    assert any("test_results.py" in name for name in names), done.stdout
    wrong = [n for n in names if "tests/api" in n or "[api" in n or "[abi" in n]
    assert wrong == []


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("from cudnn_cffi import DataType\ndef test_one(): DataType.HALF", "1 error"),
        ("import cudnn_cffi\ncudnn_cffi.Graph\ndef test_one(): cudnn_cffi.DataType", "1 passed"),
    ],
)
def test_a_module_that_takes_names_of_a_release_when_it_is_collected_fails(
    tmp_path: Path, text: str, outcome: str
) -> None:
    done = alone(tmp_path, text)
    assert outcome in done.stdout, done.stdout + done.stderr
    took = "collecting test_one.py took names of a release"
    assert (took in done.stdout) is (outcome == "1 error"), done.stdout


@pytest.mark.parametrize("room", ["runtime"])
def test_every_assertion_of_a_program_has_a_message(room: str) -> None:
    """Programs run outside of pytest, where a bare assertion says nothing but its name."""
    programs = sorted((ROOT / "tests" / room / "programs").glob("*.py"))
    assert programs
    bare = [
        f"{path.name}:{node.lineno}"
        for path in programs
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Assert) and node.msg is None
    ]
    assert bare == []
