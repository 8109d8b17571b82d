"""Kernels of fused models on a GPU."""

from __future__ import annotations

import copy
from typing import Any

import pytest

torch = pytest.importorskip("torch", exc_type=ImportError)

from cudnn_cffi.torch import fuse  # noqa: E402

from tests.torch import emulated  # noqa: E402
from tests.torch import rows_and_windows as checks  # noqa: E402
from tests.torch import test_patterns as blocks  # noqa: E402


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
        shape, squeezed = case
        checks.check_gates("cuda", shape, squeezed, dtype)

    @pytest.mark.parametrize("case", checks.GROUPS, ids=str)
    def test_groups(self, case: Any, dtype: Any) -> None:
        shape, groups = case
        checks.check_groups("cuda", shape, groups, dtype)


def test_gaps_between_pixels() -> None:
    checks.check_gaps("cuda")


def relative(y: Any, wanted: Any) -> float:
    """The size of the difference over that of the numbers."""
    return float((y.double() - wanted).norm() / wanted.norm())


@pytest.mark.parametrize("dtype", checks.TYPES, ids=str)
@pytest.mark.parametrize("name", blocks.BLOCKS)
def test_blocks(name: str, dtype: Any) -> None:
    """Captured and not: no more error than 1.5 times eager's, also after all weights changed."""
    make, *shapes = blocks.BLOCKS[name]
    torch.manual_seed(4)
    model = emulated.settle(make()).cuda().to(dtype)
    form = {4: torch.channels_last, 5: torch.channels_last_3d}.get(len(shapes[0]))
    given = [torch.randn(*shape, device="cuda", dtype=dtype) for shape in shapes]
    if form is not None:
        model = model.to(memory_format=form)
        given[0] = given[0].contiguous(memory_format=form)
    with torch.no_grad():
        made = [fuse(model, capture=capture) for capture in (True, False)]
        for _ in range(3):
            wide = [each.double() for each in given]
            wanted = copy.deepcopy(model).double()(*wide)
            eager = relative(model(*given), wanted)
            for fused in made:
                checks.poison("cuda")
                error = relative(fused(*given), wanted)
                assert error <= 1.5 * eager + 1e-4, (error, eager, fused.report)
            for each in model.state_dict().values():
                if each.is_floating_point():
                    each.add_(0.05 * torch.rand_like(each))
        assert "kernel" in str(made[0].report)
        with torch.autocast("cuda", dtype):
            wanted = model(*given)
            y = made[1](*given)
        assert y.dtype == wanted.dtype
        assert relative(y, wanted.double()) < 40 * 2**-10
