"""What every test here needs: PyTorch, with or without a GPU."""

from __future__ import annotations

import importlib
import os
from types import ModuleType

import pytest


@pytest.fixture(scope="session", autouse=True)
def torch() -> ModuleType:
    """PyTorch; where it is not installed the tests are skipped, unless it was promised."""
    try:
        return importlib.import_module("torch")
    except ImportError as error:
        if os.environ.get("CUDNN_CFFI_REQUIRE_TORCH") == "1":
            raise
        pytest.skip(f"PyTorch cannot be imported: {error}")
