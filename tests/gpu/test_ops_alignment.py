"""Arrays that begin in the middle of others, at addresses that some engines cannot read."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

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
    _examine(name, dtype)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_arrays_may_begin_anywhere_where_nothing_is_chosen(dtype: str) -> None:
    _examine("defaults", dtype)


def _examine(name: str, dtype: str) -> None:
    done = subprocess.run(
        [sys.executable, str(PROGRAM), name, dtype], capture_output=True, text=True, timeout=400
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-3000:]
    refused = [line for line in done.stderr.splitlines() if line.startswith("refused:")]
    if name != "defaults" and refused:
        pytest.skip(refused[0])
    assert done.stdout == "checked\n", done.stdout + "\n".join(refused)
