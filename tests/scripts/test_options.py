"""The option that leaves out what does not depend on the call mode."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


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
