"""Products of few rows: what is refused before anything runs, and that their source compiles."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from cudnn_cffi import errors, kernels
from cudnn_cffi.kernels import few_rows


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, 64, 16), "rows: expected 1 to 8, got 0"),
        ((9, 64, 16), "rows: expected 1 to 8, got 9"),
        ((1, 96, 16), "depth: expected a multiple of 64, got 96"),
        ((1, 0, 16), "depth: expected a multiple of 64, got 0"),
        ((1, 64, 24), "columns: expected a multiple of 16, got 24"),
        ((1, 64, 16, "float32"), "expected float16 or bfloat16, got float32"),
    ],
)
def test_extents(arguments: Any, message: str) -> None:
    with pytest.raises(errors.ArgumentError, match=message):
        kernels.FewRows(*arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, 8, 2, 64), "got 0 sequences"),
        ((2, 8, 2, 63), "of width 63"),
        ((2, 8, 2, 64, "float64"), "got float64"),
    ],
)
def test_extents_of_rotations(arguments: Any, message: str) -> None:
    with pytest.raises(errors.ArgumentError, match=message):
        kernels.Rotation(*arguments)


@pytest.mark.parametrize("capability", [(8, 0), (9, 0)])
def test_the_source_compiles(capability: tuple[int, int]) -> None:
    if not kernels.can_compile():
        pytest.skip("there is no NVRTC")
    for dtype, norm, add, tiles in itertools.product((0, 1), (0, 1), (0, 1), (1, 2)):
        options = [f"-DNORM={norm}", f"-DADD={add}", "-DGATE=0", "-DTHREADS=256"]
        code = kernels.compiled(
            few_rows._PATH, capability, f"-DTYPE={dtype}", f"-DTILES={tiles}", *options
        )
        assert code[:4] == b"\x7fELF"
    with pytest.raises(errors.NotSupportedError, match=r"few_rows\.cu was not compiled"):
        kernels.compiled(few_rows._PATH, capability, "-DTYPE=0", more="!")
