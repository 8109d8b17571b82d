"""Norms and sums of 8 bits, which several plans compute, against float64."""

from __future__ import annotations

from typing import Any

import pytest

SHAPE = (4, 32, 16, 16)


def numbers(torch: Any, kind: str) -> Any:
    """Return images far from zero, one channel of equal numbers, and some at the end of the type."""
    x = 30 * torch.randn(SHAPE, device="cuda") + 60
    x[:, 3] = 5
    x = x.clamp(-128, 127)
    return x.round().to(torch.int8) if kind == "INT8" else x.to(torch.float8_e4m3fn)


def wide(x: Any) -> Any:
    return x.float().cpu().double()


def poison(torch: Any, kind: str, shape: tuple[int, ...]) -> Any:
    if kind == "INT8":
        return torch.full(shape, 77, dtype=torch.int8, device="cuda")
    memory = torch.float8_e4m3fn if kind == "FP8_E4M3" else torch.float32
    return torch.full(shape, torch.nan, device="cuda").to(memory)


@pytest.mark.parametrize(
    ("form", "kind"),
    [
        *(("layer", "INT8"), ("rms", "INT8"), ("rms", "FP8_E4M3")),
        *(("batch", "INT8"), ("batch", "FP8_E4M3"), ("instance", "FP8_E4M3")),
    ],
)
def test_norms_of_training(torch: Any, form: str, kind: str) -> None:
    """Engines refuse to run those of images; none takes those of rows."""
    from cudnn_cffi.graph import Graph

    dims = {"batch": (0, 2, 3), "instance": (2, 3)}.get(form, (1, 2, 3))
    one = (1, *SHAPE[1:]) if form in ("layer", "rms") else (1, SHAPE[1], 1, 1)
    graph, x = Graph(), numbers(torch, kind)
    arrays = {"x": x, "scale": 40 * torch.randn(one, device="cuda")}
    if form != "rms":
        arrays["bias"] = torch.randn(one, device="cuda")
    given = [
        graph.tensor(tuple(each.shape), kind if name == "x" else "FLOAT", name=name)
        for name, each in arrays.items()
    ]
    method = getattr(graph, f"{form}_norm")
    found = method(*given, **({} if form == "batch" else {"phase": "training"}))
    outputs = {"y": (found.y, kind), "mean": (found.mean, "FLOAT")}
    outputs["inverse"] = found.inv_variance, "FLOAT"
    for name, (tensor, of) in outputs.items():
        if tensor is not None:
            graph.output(tensor, name=name, data_type=of)
            arrays[name] = poison(torch, of, tensor.shape)
    graph.build()(**arrays)
    w = wide(x)
    mean = w.mean(dims, True) if form != "rms" else torch.zeros((), dtype=torch.float64)
    inverse = ((w - mean).square().mean(dims, True) + 1e-5).rsqrt()
    y = (w - mean) * inverse * wide(arrays["scale"])
    y = y + wide(arrays["bias"]) if form != "rms" else y
    if form != "rms":
        assert float((wide(arrays["mean"]) - mean).abs().max()) < 1e-4
    assert float((wide(arrays["inverse"]) / inverse - 1).abs().max()) < 1e-4
    if kind == "INT8":
        assert float((wide(arrays["y"]) - y.clamp(-128, 127)).abs().max()) < 0.51
    else:
        off = (wide(arrays["y"]) - y.clamp(-448, 448)).abs()
        assert bool((off <= y.abs() * 2**-4 * 1.001 + 2**-9).all())


@pytest.mark.parametrize("kind", ["INT8", "FP8_E4M3"])
def test_sums(torch: Any, kind: str) -> None:
    """Squares and absolute values of whole numbers are of FLOAT: INT32 is refused."""
    from cudnn_cffi.graph import Graph

    x = numbers(torch, kind)
    w = wide(x)
    all_found: dict[str, Any] = {}
    for name in ("NORM1", "NORM2", "statistics"):
        graph, arrays = Graph(), {"x": x}
        t = graph.tensor(SHAPE, kind, name="x")
        made = graph.gen_stats(t) if name == "statistics" else (graph.reduction(t, name, dims=1),)
        for place, tensor in enumerate(made):
            graph.output(tensor, name=f"y{place}", data_type="FLOAT")
            arrays[f"y{place}"] = poison(torch, "FLOAT", tensor.shape)
        graph.build()(**arrays)
        all_found |= {f"{name}{place}": wide(arrays[f"y{place}"]) for place in range(len(made))}
    expected = {
        **{"NORM10": w.abs().sum(1, True), "NORM20": w.square().sum(1, True).sqrt()},
        "statistics0": w.sum((0, 2, 3), True),
        "statistics1": w.square().sum((0, 2, 3), True),
    }
    for name, exact in expected.items():
        assert float((all_found[name] / exact - 1).abs().max()) < 1e-5, name
