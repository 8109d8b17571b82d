"""Norms of large arrays, by the configuration that was measured to be faster, against float64."""

from __future__ import annotations

from typing import Any

import pytest
from cudnn_cffi import library
from cudnn_cffi.choice import measured


@pytest.mark.parametrize("statistics", [False, True])
@pytest.mark.parametrize("mode", ["layer_norm", "rms_norm", "rms_norm with a bias"])
def test_norms_of_large_arrays(ops: Any, torch: Any, mode: str, statistics: bool) -> None:
    """All rows are written, whatever their size is; a row with a NaN is NaN, and no other one."""
    rows, width, kind, is_layer = 16384, 4096, torch.bfloat16, mode == "layer_norm"
    torch.manual_seed(rows)
    sizes = 10.0 ** torch.linspace(-3, 3, rows, device="cuda")[:, None]
    x = (torch.randn(rows, width, device="cuda") * sizes).to(kind)
    x[5], x[7], x[rows - 3, width - 1] = 0, 3, float("nan")
    sizes[7] = 3
    scale, bias = (torch.randn(width, device="cuda").to(kind) for _ in range(2))
    given = (x, scale, bias) if mode != "rms_norm" else (x, scale)
    norm = (ops.LayerNorm if is_layer else ops.RMSNorm)(statistics=statistics)
    plan = norm.plan(*given)
    if measured.holds(0) and library.load().version == measured.MACHINE.release:
        chosen = plan.engine, plan.knobs.get("KERNEL_CFG"), plan.knobs.get("TILE_ROWS")
        assert chosen == (5 if statistics else 6, 2, 1)
    exact = x.double()
    mean = exact.mean(1, keepdim=True) if is_layer else torch.zeros(rows, 1, device="cuda").double()
    inverse = ((exact - mean).square().mean(1, keepdim=True) + 1e-5).rsqrt()
    wanted = (exact - mean) * inverse * scale.double() + (bias.double() if len(given) > 2 else 0)
    del exact
    first: Any = None
    for turn in range(5):  # from the fourth call on it is launched as a CUDA graph
        y = torch.full_like(x, float("nan"))
        found = norm(*given, out=(y, *[None] * (len(norm.gives) - 1)) if statistics else y)
        assert y[rows - 3].isnan().all()
        assert y.isnan().sum() == width
        near = torch.isclose(
            y.double(), wanted, rtol=max(torch.finfo(kind).eps, 1e-5), atol=2e-5, equal_nan=True
        )
        assert near.all(), (turn, (~near).nonzero()[:3])
        first = y if first is None else first
        assert torch.equal(y.nan_to_num(), first.nan_to_num())
        if statistics:
            assert torch.allclose(
                found.inv_variance.double().view(-1, 1), inverse, rtol=1e-4, atol=0, equal_nan=True
            )
        if statistics and is_layer:
            away = (found.mean.double().view(-1, 1) - mean).abs() / sizes
            assert away.nan_to_num().max() < 1e-5
