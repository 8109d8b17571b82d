"""Kernels for few rows, against float64."""

from __future__ import annotations

from typing import Any

import pytest
from cudnn_cffi import errors, kernels

from tests.gpu.conftest import capturing

LIKE = ("random", "zeros", "constant", "extreme")


def numbers(torch: Any, like: str, *shape: int) -> Any:
    x = torch.randn(shape, device="cuda")
    if like == "zeros":
        x[::2] = 0
    elif like == "constant":
        x = torch.full(shape, -3.0, device="cuda")
    elif like == "extreme":  # squares that half precision does not have
        x *= 200
        x[..., 1::7] = 1e-6
    return x


def swish(x: Any) -> Any:
    return x * x.sigmoid()


@pytest.mark.parametrize(
    ("dtype", "form"),
    [
        ("float16", "norm"), ("float16", "add"), ("float16", "norm gate"), ("bfloat16", ""),
        ("bfloat16", "gate add"), ("bfloat16", "norm gate add"),
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    ("rows", "depth", "columns"),
    [(1, 64, 16), (3, 576, 96), (8, 4096, 48), (2, 128, 5 * 1024), (8, 64, 32 * 1024)],
)
def test_products(
    torch: Any, dtype: str, form: str, rows: int, depth: int, columns: int
) -> None:  # fmt: skip
    """Blocks have one tile of weights or several, and warps some columns of them or none."""
    kind = getattr(torch, dtype)
    norm, gated, added = (word in form for word in ("norm", "gate", "add"))
    product = kernels.FewRows(
        rows, depth, columns, dtype, epsilon=1e-5 if norm else None, gate=gated, add=added
    )
    stream = torch.cuda.current_stream()
    for like in LIKE:
        x = numbers(torch, like, rows, depth).to(kind)
        w, gate = (torch.randn(columns, depth, device="cuda").div(depth**0.5) for _ in range(2))
        w, gate = w.to(kind), gate.to(kind)
        other = torch.randn(rows, columns, device="cuda").to(kind)
        wide = x.double()
        if norm:
            wide = wide / (wide.square().mean(1, keepdim=True) + 1e-5).sqrt()
        wanted = wide @ w.double().T
        if gated:
            wanted = wanted * swish(wide @ gate.double().T)
        if added:
            wanted = wanted + other.double()
        more = {"gate": gate} if gated else {}
        step = torch.finfo(kind).eps
        for early in (False, True):
            y = torch.full((rows + 1, columns), float("nan"), device="cuda", dtype=kind)
            if added:  # it may be the result
                y[:rows] = other
                more["other"] = y[:rows]
            product(x, w, y[:rows], **more, early=early, stream=stream)
            assert y[rows].isnan().all(), "wrote beside the result"
            error = (y[:rows].double() - wanted).abs()
            limit, most = 2 * step * (wanted.abs() + wanted.abs().max()), torch.finfo(kind).max
            finite = wanted.abs() < 0.99 * most
            assert (error <= limit)[finite].all(), like
            assert y[:rows][wanted.abs() > 1.01 * most].isinf().all()


def test_nan_stays_in_its_row(torch: Any) -> None:
    product = kernels.FewRows(4, 128, 32, epsilon=1e-5)
    x = torch.randn(4, 128, device="cuda").half()
    w = torch.randn(32, 128, device="cuda").half()
    x[2, 77] = float("nan")
    y = torch.zeros(4, 32, device="cuda").half()
    product(x, w, y, stream=torch.cuda.current_stream())
    assert y[2].isnan().all()
    assert not y[[0, 1, 3]].isnan().any()


def test_a_chain(torch: Any) -> None:
    """Kernels that begin while others end read what those wrote, also in a graph."""
    product = kernels.FewRows(2, 512, 512, epsilon=1e-5)
    weights = [torch.randn(512, 512, device="cuda").half() for _ in range(40)]
    first = torch.randn(2, 512, device="cuda").half()
    rows = [first, *(torch.zeros_like(first) for _ in weights)]

    def chain(early: bool) -> None:
        stream = torch.cuda.current_stream()
        for w, x, y in zip(weights, rows, rows[1:], strict=False):
            product(x, w, y, early=early, stream=stream)

    chain(False)
    wanted = rows[-1].clone()
    assert not wanted.isnan().any()
    torch.cuda.synchronize()
    chain(True)
    assert torch.equal(rows[-1], wanted)
    with capturing() as graph:
        chain(True)
    for _ in range(20):
        for each in rows[1:]:
            each.fill_(float("nan"))
        graph.replay()
        assert torch.equal(rows[-1], wanted)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("width", [64, 128, 6])
def test_rotations(torch: Any, dtype: str, width: int) -> None:
    kind = getattr(torch, dtype)
    batch, heads, kv_heads, page = 3, 4, 2, 16
    rotation = kernels.Rotation(batch, heads, kv_heads, width, dtype)
    x = torch.randn(batch, heads + 2 * kv_heads, width, device="cuda").to(kind)
    angles = torch.rand(batch, width // 2, device="cuda") * 6
    turns = torch.cat([angles.cos(), angles.sin()], 1)
    pages, slots = [5, 0, 3], [15, 0, 7]
    places = torch.tensor(
        [p * kv_heads * page * width + s * width for p, s in zip(pages, slots, strict=True)],
        device="cuda", dtype=torch.int32,
    )  # fmt: skip
    pools = [torch.full((6, kv_heads, page, width), 7.0, device="cuda").to(kind) for _ in "kv"]
    q = torch.full((batch, heads, width), float("nan"), device="cuda").to(kind)
    rotation(x, turns, places, q, *pools, stream=torch.cuda.current_stream())
    low, high = x.double().chunk(2, -1)
    cosine, sine = angles.double().cos()[:, None], angles.double().sin()[:, None]
    turned = torch.cat([low * cosine - high * sine, high * cosine + low * sine], -1)
    step = 4 * torch.finfo(kind).eps
    assert torch.allclose(q.double(), turned[:, :heads], rtol=step, atol=step)
    for pool, rows in zip(
        pools, (turned[:, heads:-kv_heads], x[:, -kv_heads:].double()), strict=True
    ):  # fmt: skip
        new = pool[pages, :, slots].double()
        assert torch.allclose(new, rows, rtol=step, atol=step)
        pool[pages, :, slots] = 7
        assert bool((pool == 7).all()), "wrote beside the rows"


def test_arrays_that_do_not_fit(torch: Any) -> None:
    product = kernels.FewRows(2, 64, 16, add=True)
    kind = {"device": "cuda", "dtype": torch.half}
    x, w, y = torch.zeros(2, 64, **kind), torch.zeros(16, 64, **kind), torch.ones(2, 16, **kind)
    changes: list[tuple[dict[str, Any], str]] = [
        ({"x": x[:1]}, r"x: expected \(2, 64\)"),
        ({"x": x.float()}, "of float16 in C order"),
        ({"w": torch.zeros(64, 16, **kind).T}, "w: expected .* in C order"),
        ({"other": None}, "other: expected an array"),
        ({"gate": w}, "gate: expected None"),
        ({"x": torch.zeros(129, **kind)[1:].view(2, 64)}, "multiple of 16 bytes"),
        ({"x": torch.zeros(2, 64).half()}, "host|device"),
    ]
    for change, message in changes:
        arrays = {"x": x, "w": w, "y": y, "other": y, **change}
        with pytest.raises(errors.ArgumentError, match=message):
            product(**arrays)
    assert bool((y == 1).all())
    rotation = kernels.Rotation(2, 2, 1, 64)
    heads, q, pages = (torch.zeros(2, n, 64, **kind) for n in (4, 2, 1))
    places, turns = torch.zeros(2, device="cuda").int(), torch.zeros(2, 64, device="cuda")
    given = [heads, turns, places, q, pages[:, None], pages[:, None]]
    for at, wrong, message in (
        (2, places[:1], "places: expected 2 elements"), (2, places.long(), "places: .* int32"),
        (1, turns.half(), "turns"), (4, pages, "k: expected"), (5, pages, "v: expected"),
    ):  # fmt: skip
        changed = [wrong if place == at else each for place, each in enumerate(given)]
        with pytest.raises(errors.ArgumentError, match=message):
            rotation(*changed)
