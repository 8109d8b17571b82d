"""Operations of JAX become calls of plans of a real library, for a GPU that is not there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.choice.conftest import describing as describing
from tests.choice.conftest import no_driver as no_driver

pytest.importorskip("jax")

FOUND = """
convolution cudnn_cffi_plan ['4x16x12x12xf16', '8x16x3x3xf16'] -> ['4x8x12x12xf16']
gradient cudnn_cffi_plan ['4x8x12x12xf16', '8x16x3x3xf16'] -> ['4x16x12x12xf16']
gradient cudnn_cffi_plan ['4x16x12x12xf16', '4x8x12x12xf16'] -> ['8x16x3x3xf16']
batch cudnn_cffi_plan ['12x16x12x12xf16', '8x16x3x3xf16'] -> ['12x8x12x12xf16']
"""


def test_operations_become_calls(program: Any, describing: list[Path], no_driver: Any) -> None:
    done = program("planned", describing[-1], JAX_PLATFORMS="cpu", **no_driver)
    # The gradients do not need the convolution's result, so it is not computed there.
    lines = done.stdout.splitlines()
    assert "\n".join(lines[:4]) == FOUND.strip()
    forward, backward = lines[4:]
    assert forward.endswith("-> ['2x4x64x32xf16', '2x4x64x1xf32']")
    assert backward.endswith("-> ['2x4x64x32xf16', '2x4x64x32xf16', '2x4x64x32xf16']")
    assert "'2x4x64x1xf32'" in backward.partition("->")[0]
