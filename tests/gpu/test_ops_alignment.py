"""Arrays that begin in the middle of others, at addresses that some engines cannot read."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

DTYPES = ("float16", "bfloat16", "float32")

PROGRAM = Path(__file__).parent / "programs" / "alignment.py"


@pytest.mark.parametrize(
    ("parts", "dtype"),
    [
        *((parts, each) for parts in ("engines,norms", "odd first,odd last") for each in DTYPES),
        *(("large first,large last", each) for each in DTYPES[::2]),
    ],
)
def test_arrays_may_begin_anywhere(parts: str, dtype: str) -> None:
    """A call that ends the context is named, and a new process goes on after it."""
    wrong: list[str] = []
    skip = 0
    while len(wrong) < 100:
        done = _run(parts, dtype, skip)
        said = done.stdout.splitlines()
        wrong += [line for line in said if not line.startswith("checked")]
        if done.returncode == 0 and said and said[-1].startswith("checked"):
            assert int(said[-1].split()[1]) + skip > 60, "hardly a call was made"
            break
        calls = [line.split() for line in done.stderr.splitlines() if line.startswith("next: ")]
        assert calls, done.stderr[-3000:]
        skip = int(calls[-1][1])
        wrong.append(f"{' '.join(calls[-1][2:])}: {done.stderr[-200:]}")
    assert not wrong, "\n".join(wrong)


def _run(*arguments: Any) -> Any:
    command = [sys.executable, str(PROGRAM), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=400)
