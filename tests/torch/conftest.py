"""All tests here need PyTorch, with or without a GPU."""

from __future__ import annotations

import importlib
import os
import random
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.conftest import Absent


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> Absent | None:
    """Skip all files here where PyTorch is not installed, unless it was promised."""
    try:
        importlib.import_module("torch")
        return None
    except ImportError as error:
        if os.environ.get("CUDNN_CFFI_REQUIRE_TORCH") == "1":
            raise
        return Absent.of(module_path, parent, f"PyTorch cannot be imported: {error}")


@pytest.fixture(scope="session", autouse=True)
def torch() -> ModuleType:
    """PyTorch, with one thread, since tests are many and small."""
    torch = importlib.import_module("torch")
    torch.set_num_threads(1)
    return torch


@pytest.fixture(autouse=True)
def _seed(torch: ModuleType) -> None:
    """Begin the random numbers of each test anew: they depend on no test before it."""
    torch.manual_seed(0)
    random.seed(0)


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch, torch: ModuleType) -> list[str]:
    """Layers compute tensors of the CPU, by PyTorch in the place of cuDNN; return what ran."""
    from .stand_in import take_over

    return take_over(monkeypatch)


@pytest.fixture
def operators(stand_in: list[str], torch: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The operators compute tensors of the CPU, too; return what ran."""
    from cudnn_cffi.torch import functional
    from cudnn_cffi.torch.autograd import operators as library

    assert functional is not None
    room = torch.library.Library(library.NAMESPACE, "IMPL")
    # A thread of its own, since no gradients are computed below the operator.
    with ThreadPoolExecutor(1) as pool:

        def on_cpu(run: Any) -> Any:
            return lambda *given: pool.submit(torch.no_grad()(run), *given).result()

        for name, run in library.implementations.items():
            room.impl(name, on_cpu(run), "CPU")
        for name, found in list(sys.modules.items()):
            if name.startswith("cudnn_cffi.torch.functional.") and hasattr(found, "check_tensors"):
                monkeypatch.setattr(found, "check_tensors", lambda **_: None)
        yield stand_in
        room._destroy()
