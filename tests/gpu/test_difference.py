"""The kernel that compares arrays on the device, against float64."""

from __future__ import annotations

from typing import Any

import pytest
from cudnn_cffi import kernels
from cudnn_cffi.choice.tune import samples
from cudnn_cffi.graph import Graph

TYPES = {"HALF": "float16", "BFLOAT16": "bfloat16", "FLOAT": "float32"}


@pytest.mark.parametrize("data_type", TYPES)
@pytest.mark.parametrize("count", [1, 255, 256, 262144, 262145, 40_000_003])
def test_sums(torch: Any, handle: Any, data_type: str, count: int) -> None:
    kind = getattr(torch, TYPES[data_type])
    other = (torch.randn(count, device="cuda") * 100).to(kind)
    own = other.clone()
    own[::3] *= -1
    own[-1:] = 60000
    odd = {0: float("nan"), count // 2: float("inf"), count // 3: float("-inf")}
    for is_odd in (False, True):
        if is_odd:
            for at, value in odd.items():
                own[at] = value
            other[count // 2] = float("inf")
            other[-2:] = float("nan")
        with handle._current():
            found = kernels.difference(
                data_type, own.data_ptr(), other.data_ptr(), count, handle
            )  # fmt: skip
        x, y = own.double(), other.double()
        gap = torch.where((x == y) | x.isnan() | y.isnan(), 0.0, x - y)
        assert found.apart == pytest.approx(float(gap.square().sum()), rel=1e-9)
        assert found.norm == pytest.approx(float(y[~y.isnan()].square().sum()), rel=1e-9)
        assert (found.nan, found.other_nan) == (int(x.isnan().sum()), int(y.isnan().sum()))
        assert found.odd == int((x.isnan() != y.isnan()).sum())


def test_the_fastest_is_compared_there(handle: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A large output is not copied to the host as a whole."""
    graph = Graph(io_data_type="HALF", compute_data_type="FLOAT")
    x = graph.tensor((64, 64, 56, 56), layout="channels_last", name="x")
    w = graph.tensor((64, 64, 3, 3), layout="channels_last", name="w")
    graph.output(graph.convolution(x, w, padding=1), name="y", layout="channels_last")
    complete: list[bool] = []
    read = samples.read_array

    def note(*given: Any, **named: Any) -> Any:
        complete.append(named["complete"])
        return read(*given, **named)

    monkeypatch.setattr(samples, "read_array", note)
    found = graph.autotune(handle)
    assert found[0].state == "ok"
    assert complete
    assert not any(complete)
