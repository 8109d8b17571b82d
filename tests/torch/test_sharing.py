"""Choices reach all processes of a group."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.torch.processes import in_two_processes

PROGRAM = Path(__file__).parent / "programs" / "shared_choices.py"


def test_two_processes_choose_alike(tmp_path: Path, cudnn: Any) -> None:
    torch = pytest.importorskip("torch", exc_type=ImportError)
    if not torch.distributed.is_available() or not torch.distributed.is_gloo_available():
        pytest.skip("this PyTorch has no gloo")
    library = str(cudnn.library.load().path)
    environment = {"CUDNN_CFFI_PLAN_CACHE": "0", "CUDNN_CFFI_LIBRARY": library}
    assert in_two_processes(PROGRAM, tmp_path, **environment) == ["shared", "shared"]
