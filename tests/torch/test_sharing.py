"""Choices reach all processes of a group."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

PROGRAM = Path(__file__).parent / "programs" / "shared_choices.py"


def test_two_processes_choose_alike(tmp_path: Path, cudnn: Any) -> None:
    torch = pytest.importorskip("torch", exc_type=ImportError)
    if not torch.distributed.is_available() or not torch.distributed.is_gloo_available():
        pytest.skip("this PyTorch has no gloo")
    environment = {
        **os.environ,
        "OMP_NUM_THREADS": "1",
        "CUDNN_CFFI_PLAN_CACHE": "0",
        "CUDNN_CFFI_LIBRARY": str(cudnn.library.load().path),
    }
    started = [
        subprocess.Popen(
            [sys.executable, str(PROGRAM), str(rank), str(tmp_path / "meeting")],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment,
        )
        for rank in range(2)
    ]  # fmt: skip
    said = [each.communicate(timeout=120)[0] for each in started]
    for process, text in zip(started, said, strict=True):
        assert process.returncode == 0, text
        assert text.splitlines()[-1] == "shared"
