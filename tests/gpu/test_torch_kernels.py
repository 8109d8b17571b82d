"""Kernels of fused models on a GPU."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch", exc_type=ImportError)

from tests.torch import rows_and_windows as checks  # noqa: E402


@pytest.mark.parametrize("dtype", checks.TYPES, ids=str)
class TestKernels:
    """Each kernel beside float64."""

    @pytest.mark.parametrize("case", checks.WINDOWS, ids=str)
    def test_filters_for_each_channel(self, case: Any, dtype: Any) -> None:
        checks.check_windows("cuda", case, dtype)

    @pytest.mark.parametrize("shape", checks.ROWS, ids=str)
    def test_rows(self, shape: Any, dtype: Any) -> None:
        checks.check_rows("cuda", shape, dtype)

    def test_repeated_pixels(self, dtype: Any) -> None:
        checks.check_repeats("cuda", dtype)

    @pytest.mark.parametrize("case", checks.GATES, ids=str)
    def test_gates(self, case: Any, dtype: Any) -> None:
        checks.check_gates("cuda", *case, dtype)

    @pytest.mark.parametrize("case", checks.GROUPS, ids=str)
    def test_groups(self, case: Any, dtype: Any) -> None:
        checks.check_groups("cuda", *case, dtype)


def test_gaps_between_pixels() -> None:
    checks.check_gaps("cuda")
