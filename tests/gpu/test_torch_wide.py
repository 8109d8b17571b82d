"""Convolutions of few pixels and attention to few keys by kernels, beside float64."""

from __future__ import annotations

from typing import Any

import pytest

from tests.gpu.test_torch_rows import WIDE, close, data

KINDS = ["plain", "constant", "zeros", "very negative", "large", "small"]

#: Images, channels, height, width, filters, window, stride, padding, dilation.
CONVOLUTIONS = [
    (1, 64, 8, 8, 72, (3, 3), (1, 1), (1, 1), (1, 1)),
    (2, 128, 9, 7, 200, (3, 3), (2, 2), (1, 1), (1, 1)),
    (3, 64, 5, 11, 48, (1, 3), (1, 1), (0, 2), (1, 2)),
    (1, 192, 13, 13, 104, (5, 2), (2, 1), (3, 0), (1, 1)),
    (1, 64, 2, 2, 8, (3, 3), (1, 1), (1, 1), (1, 1)),
]  # fmt: skip


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("kind", KINDS)
def test_windows(torch: Any, dtype: str, kind: str) -> None:
    """Images may have gaps between pixels; the activation is that of the sum."""
    from cudnn_cffi.torch.fusion.kernels.runs import Product, Tile, Window

    from tests.torch.rows_and_windows import spec

    if torch.cuda.get_device_capability() != (9, 0):
        pytest.skip("the kernel is for devices of compute capability 9.0")
    torch.manual_seed(0)
    narrow, form = getattr(torch, dtype), torch.channels_last
    functional = torch.nn.functional
    for place, case in enumerate(CONVOLUTIONS):
        images, depth, height, width, channels, window, stride, padding, dilation = case
        gap = 8 * (place % 2)
        whole = data(torch, kind, images, height, width, depth + gap).to(narrow)
        if gap:
            whole[..., depth:] = torch.nan
        x = whole[..., :depth].permute(0, 3, 1, 2)
        w = (torch.randn(channels, depth, *window, device="cuda") / depth**0.5).to(narrow)
        w = w.contiguous(memory_format=form)
        b = torch.randn(channels, device="cuda").to(narrow)
        how = stride, padding, dilation
        sums = functional.conv2d(x.double(), w.double(), b.double(), *how)
        scale = functional.conv2d(x.double().abs(), w.double().abs(), None, *how).amax() * 2e-2
        scale = scale + 1e-3  # of bias and residual, in float
        rest = (channels, *sums.shape[2:])
        all_ = torch.empty((images, rest[0] + 16, *rest[1:]), device="cuda", dtype=narrow)
        all_ = all_.contiguous(memory_format=form)
        y = all_[:, 8 : 8 + channels]
        r = torch.randn(images, *rest, device="cuda").to(narrow).contiguous(memory_format=form)
        named = {"x": x, "w": w, "bias": b, "y": y, "residual": r}
        word = (None, "relu", "swish")[place % 3]
        wanted = sums
        if place % 2:
            del named["residual"]
        else:
            wanted = sums + r.double()
        wanted = {None: lambda e: e, "relu": torch.relu, "swish": functional.silu}[word](wanted)
        specs = {name: spec(each) for name, each in named.items()}
        made = Window(stride, padding, dilation)
        tile = Tile(*WIDE[(place + len(kind)) % len(WIDE)], True)
        run = Product(specs, tile, word and (word, None), 0, True, made)
        others = [r] if "residual" in named else []
        for each in (run, run.following()):
            all_.fill_(torch.nan)
            each(x, w, b, *others, y)
            close(torch, y, wanted, scale)
            assert bool(all_[:, :8].isnan().all() and all_[:, 8 + channels :].isnan().all())


#: Batch, heads, queries, keys.
ATTENTIONS = [
    (1, 12, 197, 197), (2, 3, 1, 5), (1, 1, 33, 256), (3, 2, 16, 64), (1, 4, 100, 31), (2, 2, 65, 1),
    (2, 12, 197, 197), (3, 9, 160, 255),  # whose warps have more keys
]  # fmt: skip


def packed(torch: Any, kind: str, batch: int, heads: int, rows: int, count: int, dtype: Any) -> Any:
    """Queries, keys or values as parts of one product."""
    x = data(torch, "plain", batch, rows, count, heads, 64)
    if kind == "constant":
        x[:] = 0.75
    if kind == "zeros":
        x[:, ::2] = 0
    if kind == "very negative":
        x[:, ::3] -= 30
    if kind == "large":
        x[:, 1::2] *= 20
    if kind == "small":
        x *= 1e-4
    return x.to(dtype).permute(2, 0, 3, 1, 4)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("kind", KINDS)
def test_attention(torch: Any, dtype: str, kind: str) -> None:
    from cudnn_cffi.torch.fusion.kernels.functions import Attending

    torch.manual_seed(0)
    narrow = getattr(torch, dtype)
    step = torch.finfo(narrow).eps
    for scale in (None, 0.03):
        for batch, heads, queries, keys in ATTENTIONS:
            if queries == keys:
                q, k, v = packed(torch, kind, batch, heads, queries, 3, narrow).unbind(0)
            else:
                q = packed(torch, kind, batch, heads, queries, 1, narrow)[0]
                k, v = packed(torch, kind, batch, heads, keys, 2, narrow).unbind(0)
            assert Attending.takes(q, k, v)
            run = Attending(scale)
            wide = [each.double() for each in (q, k, v)]
            factor = 64**-0.5 if scale is None else scale
            scores = wide[0] @ wide[1].mT * factor
            shares = scores.softmax(-1)
            wanted = shares @ wide[2]
            # Shares are rounded, and sums in float lose something of large scores.
            size = shares @ wide[2].abs()
            lost = (wide[0].abs() @ wide[1].abs().mT).amax() * factor * 1e-6
            for each in (run, run.following(), run):
                shape = batch, queries, heads, 64
                torch.full(shape, float("nan"), device="cuda", dtype=narrow)  # poison
                y = each(q, k, v)
                assert y.transpose(1, 2).is_contiguous()
                off = (y.double() - wanted).abs()
                allowed = step * (0.6 * wanted.abs() + size) + 4 * lost * size
                allowed = allowed + torch.finfo(narrow).tiny
                assert bool((off <= allowed).all()), float((off / allowed).max())


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_attention_with_masks(torch: Any, dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A kernel of PyTorch's binaries, with masks that are repeated or lie anywhere."""
    from cudnn_cffi.torch.fusion.kernels import functions

    torch.manual_seed(0)
    narrow = getattr(torch, dtype)
    step = torch.finfo(narrow).eps
    attention = torch.nn.functional.scaled_dot_product_attention
    calls: list[Any] = []

    def by_pytorch(*given: Any, **more: Any) -> Any:
        calls.append(given)
        return attention(*given, **more)

    monkeypatch.setattr(torch.nn.functional, "scaled_dot_product_attention", by_pytorch)
    for batch, heads, queries, keys, columns, scale in (
        (64, 3, 49, 49, 32, None), (1, 24, 49, 49, 32, 0.1), (2, 2, 64, 64, 64, None),
        (3, 2, 7, 33, 8, None), (2, 1, 1, 16, 128, None),
    ):  # fmt: skip
        rows = max(queries, keys)
        all_ = torch.randn(batch, rows, 3, heads, columns, device="cuda").to(narrow)
        q, k, v = all_.permute(2, 0, 3, 1, 4).unbind(0)
        q, k, v = q[:, :, :queries], k[:, :, :keys], v[:, :, :keys]
        wide = torch.randn(batch, heads, keys, queries, device="cuda").to(narrow)
        wide[..., 1:, :][wide[..., 1:, :] > 1] = -torch.inf
        wide[..., 1:, :][wide[..., 1:, :] < -1] = -100
        mask = wide.mT.contiguous()
        for each in (mask, wide.mT, mask[:1], mask[:, :1], mask[0, 0], mask[:, :, :1]):
            assert functions.Masking.takes(q, k, v, each)
            factor = columns**-0.5 if scale is None else scale
            scores = q.double() @ k.double().mT * factor
            shares = (scores + each.double()).softmax(-1)
            wanted = shares @ v.double()
            size = shares @ v.double().abs()
            lost = (scores.abs().amax() + 100) * 1e-6
            for extent in (columns, -(-keys // 16) * 16):  # poison
                torch.full((batch, queries, heads, extent), torch.nan, device="cuda", dtype=narrow)
            y = functions.Masking(scale)(q, k, v, each)
            assert y.transpose(1, 2).is_contiguous()
            off = (y.double() - wanted).abs()
            allowed = step * (0.6 * wanted.abs() + size) + 4 * lost * size
            assert bool((off <= allowed + torch.finfo(narrow).tiny).all()), (keys, each.stride())
    assert not calls, "PyTorch chose the kernel"
    functions.Masking(None)(q, k, v[..., :64], mask)  # another number of columns
    assert len(calls) == 1


def test_attention_of_what_is_no_number(torch: Any) -> None:
    """As in PyTorch, scores of minus infinity are shares of zero, and what is no number spreads."""
    from cudnn_cffi.torch.fusion.kernels.functions import Attending

    q, k, v = torch.randn(3, 1, 2, 70, 64, device="cuda").half()
    q[..., 0] = q[..., 0].abs() + 0.1
    k[:, :, 32:64, 0] = -torch.inf  # all keys of a warp
    q[0, 0, 3] = torch.nan
    q[0, 1, 5, 0] = -1  # the scores are plus infinity
    v[0, 0, 69, 7] = torch.inf
    y = Attending(None)(q, k, v)
    wanted = torch.nn.functional.scaled_dot_product_attention(*[e.double() for e in (q, k, v)])
    assert torch.equal(y.isnan(), wanted.isnan())
    assert torch.equal(y.isposinf(), wanted.isposinf())
    same = wanted.isfinite()
    assert bool(((y.double() - wanted)[same].abs() <= 2e-3 * (1 + wanted[same].abs())).all())


def test_attention_is_the_same_again(torch: Any) -> None:
    from cudnn_cffi.torch.fusion.kernels.functions import Attending

    q, k, v = torch.randn(3, 4, 12, 197, 64, device="cuda").half()
    y = Attending(None)(q, k, v)
    for _ in range(20):
        assert torch.equal(Attending(None).following()(q, k, v), y)
