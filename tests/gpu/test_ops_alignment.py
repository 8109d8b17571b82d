"""Arrays that begin in the middle of others, at addresses that some engines cannot read."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

PROGRAM = Path(__file__).parent / "programs" / "alignment.py"

NAMES = (
    *("layer_norm", "layer_norm_backward", "rms_norm", "rms_norm_backward", "instance_norm"),
    *("instance_norm_last", "instance_norm_backward", "batch_norm", "batch_norm_backward"),
    *("convolution", "convolution_last", "convolution_data", "relu", "gelu", "gelu_backward"),
    *("add", "sum", "columns", "maxima", "maxima_of_columns"),
    *("softmax", "max_pool", "attention", "attention_backward"),
)


@pytest.mark.parametrize("dtype", ["float16", "float32"])
@pytest.mark.parametrize("name", NAMES)
def test_arrays_may_begin_anywhere(name: str, dtype: str) -> None:
    done = _run(name, dtype)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-3000:]
    refused = [line for line in done.stderr.splitlines() if line.startswith("refused:")]
    if refused:
        pytest.skip(refused[0])
    assert done.stdout == "checked\n"


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_arrays_may_begin_anywhere_where_nothing_is_chosen(dtype: str) -> None:
    wrong: list[str] = []
    skip = 0
    while len(wrong) < 100:
        done = _run("defaults", dtype, skip)
        said = done.stdout.splitlines()
        wrong += [line for line in said if line != "checked"]
        if done.returncode == 0 and "checked" in said:
            break
        calls = [line.split() for line in done.stderr.splitlines() if line.startswith("next: ")]
        assert calls, done.stderr[-3000:]
        skip = int(calls[-1][1])
        wrong.append(f"{' '.join(calls[-1][2:])}: {done.stderr[-200:]}")
    assert not wrong, "\n".join(wrong)


def _run(*arguments: Any) -> Any:
    command = [sys.executable, str(PROGRAM), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=400)
