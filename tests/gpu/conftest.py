"""What every test here needs: a GPU, and an array library to check results with."""

from __future__ import annotations

import os
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest


def _why_not() -> str:
    try:
        import torch
    except ImportError:
        return "the tests on a GPU check results with PyTorch, which is not installed"
    if not torch.cuda.is_available():
        return "no GPU that PyTorch can use"
    return ""


@pytest.fixture(scope="session", autouse=True)
def gpu() -> None:
    """Skips everything here where there is no GPU; fails where one was promised."""
    if reason := _why_not():
        if os.environ.get("CUDNN_CFFI_REQUIRE_GPU") == "1":
            pytest.fail(f"CUDNN_CFFI_REQUIRE_GPU=1, but: {reason}")
        pytest.skip(reason)


@pytest.fixture(scope="session")
def torch() -> ModuleType:
    import torch

    return torch


@pytest.fixture
def cudnn() -> ModuleType:
    import cudnn_cffi

    return cudnn_cffi


@pytest.fixture
def handle(torch: Any) -> Iterator[int]:
    """A handle through the C names, on the stream that PyTorch uses."""
    import cudnn_cffi as cudnn

    torch.zeros(1, device="cuda")
    handle = cudnn.cudnnCreate()
    cudnn.cudnnSetStream(handle, torch.cuda.current_stream())
    yield handle
    cudnn.cudnnDestroy(handle)
