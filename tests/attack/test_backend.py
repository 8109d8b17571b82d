"""Random values for random attributes of backend descriptors: refused or taken, never a crash."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.backend.conftest import beside as beside
from tests.conftest import Program

pytestmark = pytest.mark.attack


@pytest.mark.parametrize("mode", ["api", "abi"])
def test_random_values(
    mode: str,
    seed: int,
    program: Program,
    cudnn_libraries: list[Path],
    beside: list[Path],
) -> None:
    for library in cudnn_libraries:
        done = program("backend/hostile", library, seed, 5000, *beside, CUDNN_CFFI_MODE=mode)
        assert done.stdout == "True 0\n"
