"""JAX on the CPU, and plans for a GPU that is not there."""

from __future__ import annotations

import os
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from tests.plan.conftest import driver as driver
from tests.plan.conftest import standin as standin

os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=2")


@pytest.fixture
def calls(cudnn: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The module under test, for a JAX whose first GPU has the number 0."""
    del cudnn
    import cudnn_cffi.jax
    from cudnn_cffi.jax import calls

    monkeypatch.setattr(calls, "local_device", lambda: 0)
    return cudnn_cffi.jax


@pytest.fixture
def lowered() -> Callable[..., str]:
    """Return what a function becomes for a GPU, as text."""
    import jax

    def lower(function: Callable[..., object], *arrays: object) -> str:
        traced = jax.jit(function).trace(*arrays)
        return str(traced.lower(lowering_platforms=("cuda",)).as_text())

    return lower


@pytest.fixture
def like() -> Callable[..., Any]:
    """Return an array without elements."""
    import jax

    def make(*shape: int, dtype: str = "float16") -> Any:
        return jax.ShapeDtypeStruct(shape, dtype)

    return make
