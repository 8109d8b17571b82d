"""Checks of the kernels of fused models beside float64, with data and shapes that break kernels."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

torch = pytest.importorskip("torch", exc_type=ImportError)

from cudnn_cffi import errors, ops  # noqa: E402
from cudnn_cffi.torch.autograd.layouts import formatted  # noqa: E402
from cudnn_cffi.torch.fusion.kernels import few_channels, grouped, patterns, rows, runs, strips  # noqa: E402
from cudnn_cffi.torch.fusion.kernels.activations import NUMBERS, activated  # noqa: E402
from cudnn_cffi.torch.fusion.kernels.pixels import layouts, means, points  # noqa: E402
from cudnn_cffi.torch.fusion.trace import windows  # noqa: E402
from cudnn_cffi.torch.fusion.training import pooling  # noqa: E402
from torch.nn import functional  # noqa: E402

TYPES = (torch.float16, torch.bfloat16)


def poison(device: str) -> None:
    """Have new memory begin with NaN."""
    torch.full((1 << 18,), float("nan"), device=device, dtype=torch.float16)


def image(*shape: int, device: str, dtype: Any, kind: int = 0) -> Any:
    """Images with channels last: normal, far from zero, constant, very negative rows, or zeros."""
    x = torch.randn(*shape, device=device)
    x = [x, x + 40, x * 0 + 3, x.where(torch.rand_like(x) > 0.3, x - 3e4), x * 0][kind]
    return formatted(x.to(dtype), True)


def close(y: Any, reference: Any, *, scale: float = 1.0) -> None:
    """Each number is right but for rounding; NaN and infinities are where they should be."""
    assert y.shape == reference.shape
    step = {torch.float16: 2**-10, torch.bfloat16: 2**-7}[y.dtype]
    wanted = reference.to(y.dtype).double()
    finite = wanted.isfinite()
    assert torch.equal(y.isfinite(), finite)
    assert torch.equal(y.isnan(), wanted.isnan())
    apart = (y.double() - wanted)[finite].abs()
    limit = step * (wanted[finite].abs() + scale)
    assert bool((apart <= limit).all()), float((apart / limit).max())


def spec(x: Any) -> ops.Spec:
    """Describe an array."""
    name = str(x.dtype).removeprefix("torch.")
    return ops.Spec(name, tuple(x.shape), tuple(x.stride()), 0, 16)  # type: ignore[arg-type]


WINDOWS = [  # channels, height, width, window, stride, padding, activation, residual
    (64, 14, 14, (3, 3), (1, 1), (1, 1), ("relu", None), False),
    (96, 13, 9, (7, 7), (1, 1), (3, 3), None, False),
    (6, 11, 23, (5, 5), (2, 2), (2, 2), ("swish", None), False),
    (162, 1, 131, (1, 33), (1, 2), (0, 16), ("relu", None), False),
    (130, 1, 90, (1, 75), (1, 1), (0, 37), ("gelu", None), True),
    (2, 5, 4, (3, 2), (2, 1), (0, 1), ("hard_swish", None), True),
    (1152, 7, 7, (5, 5), (1, 1), (2, 2), ("clipped_relu", 6.0), False),
    (32, 112, 112, (3, 3), (1, 1), (1, 1), ("tanh", None), False),
    (8, 3, 3, (1, 1), (1, 1), (0, 0), ("elu", 0.7), True),
    (24, 12, 19, (3, 5), (2, 2), (1, 2), ("relu", None), True),
    (144, 5, 40, (9, 9), (1, 2), (4, 4), None, False),
    (40, 1, 300, (1, 87), (1, 1), (0, 43), ("swish", None), False),
]


def check_windows(device: str, case: Any, dtype: Any) -> None:
    """Compare filters for each channel."""
    channels, *others = case
    check_grouped(device, (channels, 1, 1, *others), dtype)


SLIDING: list[Any] = [  # as windows, after the number of images
    (2, 6, 11, 9, (3, 3), (1, 1), (1, 1), ("swish", None), False),
    (1, 130, 9, 11, (5, 5), (2, 2), (2, 2), ("hard_swish", None), True),
    (3, 10, 5, 8, (5, 3), (1, 2), (2, 0), None, True),
]

#: The same for a GPU, whose blocks go down several rows.
SLIDING_LARGE: list[Any] = [
    (24, 32, 112, 112, (3, 3), (1, 1), (1, 1), ("swish", None), False),
    (32, 96, 112, 112, (3, 3), (2, 2), (1, 1), ("swish", None), False),
    (37, 146, 57, 55, (3, 3), (1, 1), (1, 1), ("relu", None), True),
    (48, 240, 28, 28, (5, 5), (1, 1), (2, 2), ("swish", None), False),
    (230, 672, 14, 15, (5, 5), (2, 2), (2, 2), ("hard_swish", None), False),
    (150, 1152, 7, 7, (5, 5), (1, 1), (2, 2), ("swish", None), False),
    (100, 2, 301, 300, (2, 4), (2, 1), (0, 1), ("clipped_relu", 6.0), True),
    (101, 200, 28, 29, (1, 5), (1, 2), (0, 2), None, True),
    (120, 258, 31, 17, (5, 1), (2, 1), (2, 0), ("tanh", None), False),
]


def check_sliding(device: str, case: Any, dtype: Any) -> None:
    """Compare many results of filters for each channel, infinities and NaN, and slices."""
    images, channels, height, width, window, stride, padding, word, adds = case
    torch.manual_seed(0)
    for kind in (0, 1, 3, 5):
        poison(device)
        x = image(images, channels, height, width, device=device, dtype=dtype, kind=kind % 5)
        w = torch.randn(channels, 1, *window, device=device) / (16 if kind == 3 else 4)
        w, b = w.to(dtype), torch.randn(channels, device=device).to(dtype) if kind else None
        if kind == 5:
            x[0, 0, height // 2, width // 2], x[-1, -1, -1, -1] = torch.inf, -torch.inf
            x[-1, 1, 0, 1] = torch.nan
        given: Any = [each if each is None else each.double() for each in (x, w, b)]
        y = functional.conv2d(*given, stride, padding, 1, channels)
        finite = given[0].abs().nan_to_num(0.0, 0.0, 0.0)
        size = functional.conv2d(finite, given[1].abs(), None, stride, padding, 1, channels)
        wide = torch.full((images, channels + 8, *y.shape[2:]), torch.nan, device=device)
        wide = formatted(wide.to(dtype), True)
        out = wide[:, 8:] if kind == 3 else torch.empty_like(y, dtype=dtype).fill_(torch.nan)
        r = image(*y.shape, device=device, dtype=dtype) if adds else None
        y = activated(y if r is None else y + r.double(), word)
        out = out if kind == 3 else formatted(out, True)
        named = {"x": x, "w": w, "bias": b, "residual": r, "y": out}
        specs = {name: spec(each) for name, each in named.items() if each is not None}
        others = [each for each in (b, r) if each is not None]
        run = grouped.find(specs, padding, stride, (1, 1), word)
        assert run is not None, "the kernel takes it"
        assert run.kind is grouped.Sliding
        assert run(x, w, *others, out) is out
        close(out, y, scale=1.0 + 2e-5 * float(size.max()))
        if kind == 3:
            assert bool(wide[:, :8].isnan().all())
            with pytest.raises(errors.ArgumentError, match="apart"):
                run(x, w, *others)
        summing = run.summed()
        assert summing is not None
        before = out.nan_to_num(7.0)
        poison(device)
        again, sums = summing(x, w, *others, out.fill_(torch.nan))
        assert again is out
        assert torch.equal(out.nan_to_num(7.0), before)
        wanted, limits = [each.double().sum((2, 3)) for each in (out, out.abs())]
        found, is_there = sums.double().sum(1), wanted.isfinite()
        assert torch.equal(found.isnan(), wanted.isnan())
        assert torch.equal(found.isfinite(), is_there)
        assert bool(((found - wanted).abs() <= 1e-5 * limits + 1e-30)[is_there].all())
        if kind != 3:
            assert torch.equal(run(x, w, *others).nan_to_num(7.0), out.nan_to_num(7.0))


GROUPED = [  # groups, channels in and out, height, width, window, stride, padding, activation, adds
    (3, 56, 56, 9, 14, (3, 3), (1, 1), (1, 1), ("relu", None), True),
    (2, 16, 24, 13, 20, (3, 3), (2, 2), (1, 1), ("swish", None), False),
    (2, 8, 8, 7, 7, (1, 3), (1, 2), (0, 1), None, True),
    (4, 32, 64, 30, 30, (3, 3), (1, 1), (0, 2), ("clipped_relu", 6.0), False),
]


def check_grouped(device: str, case: Any, dtype: Any) -> None:
    """Compare convolutions with groups of several channels."""
    groups, inside, outside, height, width, window, stride, padding, word, adds = case
    torch.manual_seed(0)
    for kind in (0, 1, 3):
        x = image(3, groups * inside, height, width, device=device, dtype=dtype, kind=kind)
        w = torch.randn(groups * outside, inside, *window, device=device) / max(inside, 4)
        w = formatted(w.to(dtype), inside > 1)
        b = torch.randn(groups * outside, device=device).to(dtype) if kind else None
        given: Any = [each if each is None else each.double() for each in (x, w, b)]
        y = functional.conv2d(*given, stride, padding, 1, groups)
        size = functional.conv2d(given[0].abs(), given[1].abs(), None, stride, padding, 1, groups)
        r = image(*y.shape, device=device, dtype=dtype) if adds else None
        y = activated(y if r is None else y + r.double(), word)
        out = formatted(torch.full(y.shape, torch.nan, device=device, dtype=dtype), True)
        named = {"x": x, "w": w, "bias": b, "residual": r, "y": out}
        specs = {name: spec(each) for name, each in named.items() if each is not None}
        others = [each for each in (b, r) if each is not None]
        run = grouped.find(specs, padding, stride, (1, 1), word)
        assert run is not None, "the kernel takes it"
        assert run(x, w, *others, out) is out
        close(out, y, scale=1.0 + 2e-4 * float(size.abs().max()))
        assert torch.equal(run(x, w, *others), out)


#: Images, channels in and out, height, width, window, stride, padding, activation, and whether the
#: results are pooled.
FEW: list[Any] = [
    (2, 3, 64, 21, 31, (7, 7), (2, 2), (3, 3), ("relu", None), True),
    (1, 3, 64, 12, 220, (7, 7), (2, 2), (3, 3), ("relu", None), True),
    (3, 3, 40, 9, 34, (3, 3), (2, 2), (1, 1), ("hard_swish", None), False),
    (1, 4, 72, 9, 20, (5, 4), (2, 2), (2, 1), ("clipped_relu", 6.0), True),
    (2, 1, 8, 6, 37, (5, 6), (1, 1), (2, 0), None, False),
    (1, 3, 16, 10, 258, (3, 3), (2, 2), (1, 1), ("swish", None), False),
    (2, 2, 16, 7, 5, (1, 3), (1, 2), (0, 1), ("relu", None), True),
    (1, 3, 64, 5, 9, (3, 3), (1, 1), (1, 1), ("relu", None), True),
    (1, 3, 8, 2, 2, (3, 3), (2, 2), (1, 1), ("relu", None), True),
]

FEW_LARGE: list[Any] = [
    (32, 3, 64, 224, 224, (7, 7), (2, 2), (3, 3), ("relu", None), True),
    (33, 3, 64, 223, 225, (7, 7), (2, 2), (3, 3), ("relu", None), False),
    (256, 3, 64, 64, 224, (7, 7), (2, 2), (3, 3), ("relu", None), True),
    (140, 3, 32, 224, 224, (3, 3), (2, 2), (1, 1), ("relu", None), False),
    (1, 3, 64, 224, 224, (7, 7), (2, 2), (3, 3), ("relu", None), True),
    (3, 3, 200, 65, 99, (3, 3), (1, 1), (1, 1), ("swish", None), False),
]


def check_few(device: str, case: Any, dtype: Any) -> None:
    """Compare convolutions of few channels, and the largest numbers of their windows."""
    images, inside, outside, height, width, window, stride, padding, word, pools = case
    torch.manual_seed(0)
    for kind in (0, 1, 5):
        x = image(images, inside, height, width, device=device, dtype=dtype, kind=kind % 5)
        w = torch.randn(outside, inside, *window, device=device) / 8
        w = formatted(w.to(dtype), True)
        b = torch.randn(outside, device=device).to(dtype) if kind else None
        if kind == 5:  # zeros of units times these are NaN
            x[0, 0, height // 2, width // 2], x[-1, -1, -1, -1] = torch.inf, -torch.inf
            x[0, -1, 0, 1] = torch.nan
        given: Any = [each if each is None else each.double() for each in (x, w, b)]
        y = functional.conv2d(*given, stride, padding)
        size = functional.conv2d(given[0].abs(), given[1].abs(), None, stride, padding)
        y = activated(y, word)
        out = formatted(torch.full(y.shape, torch.nan, device=device, dtype=dtype), True)
        named = {"x": x, "w": w, "bias": b, "y": out}
        if pools:
            y = functional.max_pool2d(y, *patterns.HALVING[:3])
            out = formatted(torch.full(y.shape, torch.nan, device=device, dtype=dtype), True)
            named["pooled"] = out
        specs = {name: spec(each) for name, each in named.items() if each is not None}
        others = [each for each in (b,) if each is not None]
        run = few_channels.find(specs, padding, stride, (1, 1), word)
        assert isinstance(run, few_channels.FewChannels), "the kernel takes it"
        assert run.pools == pools
        assert run(x, w, *others, out) is out
        close(out, y, scale=1.0 + 2e-4 * float(size.nan_to_num(0.0, 0.0, 0.0).max()))
        poison(device)
        run.place = torch.tensor(x.data_ptr(), device=device)
        again = run(torch.full_like(x, torch.nan), w, *others)
        assert torch.equal(again.nan_to_num(7.0), out.nan_to_num(7.0))


#: Images, height, width, padding, activation of convolutions, whether they add, and channels of x; 0
#: for those of 64 channels to as many, others become 32.
NEIGHBORS: list[Any] = [
    (5, 13, 9, (1, 1), ("relu", None), True, 0),
    (1, 7, 60, (0, 2), ("clipped_relu", 6.0), True, 0),
    (2, 5, 9, (1, 1), ("relu", None), False, 128),
    (3, 4, 70, (2, 0), None, False, 64),
]

MANY_NEIGHBORS: list[Any] = [
    *NEIGHBORS,
    (1, 1, 1, (1, 1), None, True, 0),
    (37, 56, 56, (1, 1), ("relu", None), True, 0),
    (41, 56, 56, (1, 1), ("relu", None), False, 0),
    (12, 113, 131, (1, 1), ("swish", None), False, 0),
    (9, 55, 57, (2, 0), ("relu", None), True, 0),
    (61, 28, 28, (1, 1), ("relu", None), False, 0),
    (1, 1, 1, (1, 1), None, False, 128),
    (33, 56, 56, (1, 1), None, False, 128),
    (31, 28, 28, (1, 1), ("swish", None), False, 128),
    (32, 14, 14, (1, 1), None, False, 128),
    (257, 7, 7, (1, 1), ("clipped_relu", 6.0), False, 128),
    (3, 300, 11, (0, 1), ("relu", None), False, 64),
    (2, 9, 513, (1, 2), None, False, 128),
]


def check_neighbors(device: str, case: Any, dtype: Any) -> None:
    """Compare convolutions by filters of 3x3, also in places that are next to others."""
    images, height, width, padding, word, added, depth = case
    channels, results = depth or 64, 32 if depth else 64
    torch.manual_seed(0)
    for kind in (0, 1, 3):
        x = image(images, channels + 64, height, width, device=device, dtype=dtype, kind=kind)
        x = x[:, 64:]
        x[0, 5, height // 2, width // 2] = (0.0, torch.nan, torch.inf)[min(kind, 2)]
        w = torch.randn(results, channels, 3, 3, device=device) / (64 if depth else 16)
        w = formatted(w.to(dtype), True)  # so that results are not just below infinity
        b = torch.randn(results, device=device).to(dtype) if kind else None
        given: Any = [each if each is None else each.double() for each in (x, w, b)]
        y = functional.conv2d(*given, 1, padding)
        size = functional.conv2d(given[0].abs(), given[1].abs(), None, 1, padding)
        r = image(images, 128, *y.shape[2:], device=device, dtype=dtype)[:, 64:] if added else None
        y = activated(y if r is None else y + r.double(), word)
        whole = image(images, 16 + results, *y.shape[2:], device=device, dtype=dtype, kind=4)
        out = whole[:, 16:].fill_(torch.nan)
        named = {"x": x, "w": w, "bias": b, "residual": r, "y": out}
        specs = {name: spec(each) for name, each in named.items() if each is not None}
        form: Any = few_channels.planes_of(y.shape[2], y.shape[3])
        if depth:
            form = few_channels.lines_of(images, y.shape[2], y.shape[3], depth, 132)
        run = few_channels.Neighbors(specs, form, padding, word)
        others = [each for each in (b, r) if each is not None]
        assert run(x, w, *others, out) is out
        close(out, y, scale=1.0 + 2e-4 * float(size.nan_to_num(0.0, 0.0, 0.0).max()))
        assert not whole[:, :16].any()
        before = out.clone()
        poison(device)
        assert torch.equal(run(x, w, *others).nan_to_num(7.0), before.nan_to_num(7.0))


#: Shapes of pixels, channels in and out, activation, whether there is a bias, and an addition; and
#: of the product that follows its channels and activation, or None.
PIXELS: list[Any] = [
    ((3, 9, 11), 64, 256, ("relu", None), True, True, None),
    ((1, 5, 26), 128, 256, ("swish", None), False, False, None),
    ((1, 7, 19), 64, 128, ("relu", None), True, True, (64, ("clipped_relu", 2.0))),
]

MANY_PIXELS: list[Any] = [
    *PIXELS,
    ((1, 1, 1), 64, 512, ("relu", None), True, True, None),
    ((256, 14, 14), 256, 1024, ("relu", None), True, True, None),
    ((33, 28, 27), 128, 512, ("clipped_relu", 6.0), True, True, None),
    ((130, 31, 55), 64, 256, None, True, True, None),
    ((32, 57, 55), 64, 256, ("relu", None), False, True, (64, ("relu", None))),
    ((57, 56, 55), 64, 256, ("clipped_relu", 6.0), True, True, (128, ("swish", None))),
]


def forms() -> list[runs.Form]:
    """The constants of kernels for many pixels."""
    return [runs.Form(depth, *known, int(added)) for (depth, added), known in runs._FORMS.items()]


def check_product(
    given: Any, arrays: dict[str, Any], word: Any, make: Any, others: Any, scale: float = 2e-4
) -> tuple[Any, Any]:
    """Compare a product with channels of others beside its result; return what runs, and the result.

    x, w and bias are given in float64, too; results may be off by a part of the largest sum of sizes.
    """
    y, size = functional.conv2d(*given), functional.conv2d(given[0].abs(), given[1].abs())
    residual = arrays["residual"]
    y = activated(y if residual is None else y + residual.double(), word)
    images, columns, height, width = y.shape
    x, w = arrays["x"], arrays["w"]
    whole = image(images, columns + 8, height, width, device=x.device, dtype=x.dtype, kind=4)
    out = whole[:, 8:].fill_(torch.nan)
    named = {**arrays, "y": out}
    run = make({name: spec(each) for name, each in named.items() if each is not None})
    assert run(x, w, *others, out) is out
    close(out, y, scale=1.0 + scale * float(size.nan_to_num(0.0, 0.0, 0.0).max()))
    assert not whole[:, :8].any()
    before = out.clone()
    again = run(x, w, *others, out.fill_(torch.nan))
    assert torch.equal(again.nan_to_num(7.0), before.nan_to_num(7.0))
    return run, out


def check_pixels(device: str, case: Any, dtype: Any) -> None:
    """Compare products of pixels, also in places that are next to others."""
    (images, height, width), depth, columns, word, biased, added, after = case
    torch.manual_seed(0)
    form = next(each for each in forms() if depth == each.DEPTH)
    form = form._replace(COLUMNS=min(form.COLUMNS, columns), ADDED=int(added))
    if device == "cpu":
        form = form._replace(TEAMS=1, STAGES=512 // columns - 1)
    v, c = [torch.randn(after[0] if after else 1, n, 1, 1, device=device) for n in (columns, 1)]
    v, c = formatted((v / 16).to(dtype), True), c.flatten().to(dtype)
    for kind in (0, 1, 3):
        x = image(images, depth, height, width, device=device, dtype=dtype, kind=kind)
        x[0, 5, height // 2, width // 2] = (0.0, torch.nan, torch.inf)[min(kind, 2)]
        w = torch.randn(columns, depth, 1, 1, device=device) / (4 * depth**0.5)
        w = formatted(w.to(dtype), True)
        b = torch.randn(columns, device=device).to(dtype) if biased else None
        r = image(images, 2 * columns, height, width, device=device, dtype=dtype)[:, columns:]
        given: Any = [each if each is None else each.double() for each in (x, w, b)]
        arrays = {"x": x, "w": w, "bias": b, "residual": r if added else None}
        others = [arrays[name] for name in ("bias", "residual") if arrays[name] is not None]
        make = partial(runs.Pixels, form=form, activation=word, ordinal=0)
        run, out = check_product(given, arrays, word, make, others)
        before = out.clone()
        if after is None:
            continue
        following = run.followed_by({"x": spec(out), "w": spec(v), "y": spec(out)}, after[1])
        assert following is not None, "another product follows"
        own = c if biased else None
        poison(device)
        again, z = following.bound(v, own)(x, w, *others, out.fill_(torch.nan))
        assert torch.equal(again.nan_to_num(7.0), before.nan_to_num(7.0))
        given = again.double(), v.double(), own if own is None else own.double()
        sizes = functional.conv2d(given[0].abs(), given[1].abs()).nan_to_num(0.0, 0.0, 0.0)
        wanted = activated(functional.conv2d(*given), after[1])
        close(z, wanted, scale=1.0 + 2e-4 * float(sizes.max()))


#: Shapes of pixels, channels in and out, tiles of a warp, rounds of 32 channels on their way (0: all
#: are held), activation, whether there is a bias, an addition, and a gate; or in its place a norm:
#: its activation, columns of a block, and whether its numbers are float.
POINTS: list[Any] = [
    ((4, 7, 7), 200, 96, 1, 8, ("relu", None), True, False, (("relu", None), 32, True)),
    ((3, 5, 9), 72, 64, 2, 2, None, False, True, (("clipped_relu", 3.0), 64, False)),
    ((3, 5, 7), 40, 72, 2, 0, ("swish", None), True, True, False),
    ((4, 7, 7), 144, 24, 1, 5, None, True, True, True),
    ((2, 1, 9), 64, 16, 1, 1, ("clipped_relu", 3.0), False, False, True),
    ((5, 6, 4), 16, 96, 1, 0, ("relu", None), True, False, True),
]

MANY_POINTS: list[Any] = [
    *POINTS,
    ((32, 57, 55), 24, 144, 2, 0, ("swish", None), True, False, False),
    ((32, 29, 27), 240, 40, 1, 4, None, True, True, True),
    ((61, 14, 14), 672, 112, 1, 3, ("hard_swish", None), True, True, True),
    ((61, 14, 14), 80, 480, 1, 0, ("swish", None), True, False, False),
    ((1, 1, 1), 8, 8, 2, 0, None, False, True, True),
    ((700, 7, 7), 184, 80, 1, 3, None, True, False, True),
]


def check_points(device: str, case: Any, dtype: Any) -> None:
    """Compare products of pixels of few channels, also in places that are next to others."""
    (images, height, width), depth, columns, tiles, ahead, word, biased, added, gated = case
    torch.manual_seed(0)
    groups = -(-depth // 32)
    normed, gated = (gated, False) if isinstance(gated, tuple) else ((), gated)
    form = points.Form(
        depth, columns, tiles, ahead or groups, int(not ahead), 128, 1, int(added), int(gated)
    )
    if normed:
        form = form._replace(DEPTH=0, COLUMNS=normed[1], NORMED=NUMBERS[normed[0][0]])
    last = normed[0][1] or 0.0 if normed else 0.0
    for kind in (0, 1, 3):
        wide = image(images, depth + 8, height, width, device=device, dtype=dtype, kind=kind)
        x = wide[:, 8:]
        x[0, 5, height // 2, width // 2] = (0.0, torch.nan, torch.inf)[min(kind, 2)]
        w = torch.randn(columns, depth, 1, 1, device=device) / (4 * depth**0.5)
        w = formatted(w.to(dtype), True)
        b = torch.randn(columns, device=device).to(dtype) if biased else None
        gate = torch.rand(images, depth, 1, 1, device=device).to(dtype)
        r = image(images, 2 * columns, height, width, device=device, dtype=dtype)[:, columns:]
        given: Any = [x * gate if gated else x, w, b]  # which PyTorch rounds
        given = [each if each is None else each.double() for each in given]
        norm = []
        if normed:
            own = [torch.randn(depth, device=device) for _ in range(4)]
            own[1] = own[1].abs() + 0.1
            own = [each if normed[2] else each.to(dtype) for each in own]
            norm = [layouts.Norm(tuple(own), 1e-3)]
            own = [each.double() for each in own]
            z = functional.batch_norm(given[0], *own, False, 0.0, 1e-3)
            given[0] = activated(z, normed[0]).to(dtype).double()
        arrays = {"x": x, "w": w, "bias": b, "residual": r if added else None}
        others = [b] * biased + [gate] * gated + norm + [r] * added
        # Results of a norm are rounded: another last bit of each may be right.
        scale = 1.0 if normed else 2e-4
        make = partial(points.Points, form=form, activation=word, ordinal=0, number=last)
        check_product(given, arrays, word, make, others, scale)


def check_few_beside_others(device: str) -> None:
    """A result that is a part of the channels of another tensor; nothing else is written."""
    x = image(2, 3, 17, 30, device=device, dtype=torch.float16)
    w = formatted((torch.randn(24, 3, 3, 3, device=device) / 8).half(), True)
    y = functional.conv2d(x.double(), w.double(), None, 2, 1)
    whole = image(2, 64, *y.shape[2:], device=device, dtype=torch.float16, kind=4)
    target = whole[:, 16:40]
    specs = {"x": spec(x), "w": spec(w), "y": spec(target)}
    run = few_channels.find(specs, (1, 1), (2, 2), (1, 1), None)
    assert run is not None, "the kernel takes it"
    run(x, w, target)
    close(target, y, scale=4.0)
    assert not whole[:, :16].any()
    assert not whole[:, 40:].any()


def refused_few(device: str) -> None:
    """The kernel takes no other arrays, strides, dilations, activations."""
    x = image(2, 3, 17, 30, device=device, dtype=torch.float16)
    w = formatted(torch.randn(24, 3, 3, 3, device=device).half(), True)
    y = image(2, 24, 9, 15, device=device, dtype=torch.float16)
    given = {"x": spec(x), "w": spec(w), "y": spec(y)}
    step, one = (2, 2), (1, 1)
    assert few_channels.find(given, one, step, one, ("relu", None)) is not None
    many = image(2, 5, 17, 30, device=device, dtype=torch.float16)
    odd = spec(image(2, 25, 9, 15, device=device, dtype=torch.float16))
    for changed, stride, dilation, word in (
        ({"x": spec(x.contiguous())}, step, one, None),
        ({"x": spec(many), "w": spec(formatted(many[:1, :, :3, :3].expand(24, -1, 3, 3), True))},
         step, one, None),
        ({"w": spec(w.contiguous())}, step, one, None),
        ({"x": spec(x)._replace(dtype="float32"), "w": spec(w)._replace(dtype="float32")},
         step, one, None),
        ({"y": odd}, step, one, None),
        ({"y": spec(y)._replace(alignment=8)}, step, one, None),
        ({"residual": spec(y)}, step, one, None),
        ({}, step, (2, 2), None),
        ({}, (2, 3), one, None),
        ({}, (4, 2), one, None),
        ({}, step, one, ("mish", None)),
    ):  # fmt: skip
        found = few_channels.find(
            {**given, **changed}, one, stride, dilation, word  # type: ignore[arg-type]
        )  # fmt: skip
        assert found is None, (changed, stride, dilation, word)


def refused_neighbors(device: str) -> None:
    """The kernels take no other arrays, windows and strides, and that of 64 channels no few tiles."""
    x = image(1, 64, 56, 56, device=device, dtype=torch.float16)
    w = formatted(torch.randn(64, 64, 3, 3, device=device).half(), True)
    many = spec(x)._replace(shape=(256, 64, 56, 56))
    given = {"x": many, "w": spec(w), "y": many}
    one, word = (1, 1), ("relu", None)
    found = few_channels.find(given, one, one, one, word)
    assert isinstance(found, few_channels.Neighbors)
    found = few_channels.find({**given, "residual": many}, one, one, one, word)
    assert isinstance(found, few_channels.Neighbors)
    few = formatted(torch.randn(32, 64, 3, 3, device=device).half(), True)
    results = image(1, 32, 56, 56, device=device, dtype=torch.float16)
    less = {"x": spec(x), "w": spec(few), "y": spec(results)}
    assert isinstance(few_channels.find(less, one, one, one, word), few_channels.Neighbors)
    wide = formatted(torch.randn(64, 64, 5, 5, device=device).half(), True)
    half = many._replace(shape=(256, 64, 28, 28))
    for changed, padding, stride, dilation, activation in (
        ({"x": spec(x), "y": spec(x)}, one, one, one, word),
        ({"x": spec(x.contiguous())._replace(shape=many.shape)}, one, one, one, word),
        ({"x": many._replace(alignment=8)}, one, one, one, word),
        ({"residual": spec(x)}, one, one, one, word),
        ({"residual": many._replace(dtype="float32")}, one, one, one, word),
        ({"w": spec(w.contiguous())}, one, one, one, word),
        ({"w": spec(wide)}, (2, 2), one, one, word),
        ({"y": half}, one, (2, 2), one, word),
        ({**less, "residual": less["y"]}, one, one, one, word),
        ({**less, "y": spec(results.contiguous())}, one, one, one, word),
        ({}, (2, 2), one, (2, 2), word),
        ({}, one, one, one, ("mish", None)),
    ):
        found = few_channels.find({**given, **changed}, padding, stride, dilation, activation)
        assert found is None, (changed, padding, stride, dilation, activation)


def refused_points(device: str) -> None:
    """The kernel takes no other arrays and windows, few pixels, or layers that plans are as fast at."""
    w = formatted(torch.randn(96, 16, 1, 1, device=device).half(), True)
    x = spec(image(1, 16, 128, 128, device=device, dtype=torch.float16))
    y = spec(image(1, 96, 128, 128, device=device, dtype=torch.float16))
    given = {"x": x, "w": spec(w), "y": y}
    one, word = runs.Window((1, 1), (0, 0), (1, 1)), ("swish", None)
    turned = formatted(torch.randn(16, 96, 1, 1, device=device).half(), True)
    back = {"x": y, "w": spec(turned), "y": x}
    for taken, activation in (
        (given, word), ({**given, "residual": y}, word), ({**back, "residual": x}, None),
        ({**back, "gate": y}, None), ({**back, "residual": x, "gate": y}, ("relu", None)),
    ):  # fmt: skip
        assert points.find(taken, activation, one) is not None, (taken, activation)
    few = {"x": x._replace(shape=(1, 16, 127, 128)), "y": y._replace(shape=(1, 96, 127, 128))}
    more = {"w": spec(w)._replace(shape=(192, 16, 1, 1)), "y": y._replace(shape=(1, 192, 128, 128))}
    normed = {**given, **more}
    assert points.find(normed, None, one, ("relu", None)) is not None
    assert points.find(normed, None, one, ("mish", None)) is None
    assert points.find({**normed, "gate": x}, None, one, ("relu", None)) is None
    assert points.find(given, None, one, ("relu", None)) is None, "96 columns are no whole blocks"
    assert points.find({**normed, **few}, None, one, ("relu", None)) is None
    for changed, activation, window in (
        ({}, word, None),
        ({}, None, one),
        ({}, ("relu", None), one),
        ({}, ("mish", None), one),
        (few, word, one),
        ({}, word, one._replace(stride=(1, 2))),
        ({}, word, one._replace(padding=(0, 1))),
        ({"y": y._replace(dtype="float32")}, word, one),
        ({"x": x._replace(alignment=8)}, word, one),
        ({"x": x._replace(strides=(1 << 18, 1 << 14, 128, 1))}, word, one),
        ({"residual": y._replace(alignment=2)}, word, one),
        ({"w": spec(w)._replace(shape=(92, 16, 1, 1))}, word, one),
        ({"w": spec(w)._replace(shape=(4096, 1024, 1, 1))}, word, one),
    ):
        found = points.find({**given, **changed}, activation, window)
        assert found is None, (changed, activation, window)


def check_infinities(device: str, dtype: Any) -> None:
    """Infinities and NaN are in the results that see them, and in no others."""
    for window, padding in (((3, 3), 1), ((1, 33), (0, 16))):
        x = image(1, 16, 6, 70, device=device, dtype=dtype)
        x[0, 3, 2, 30], x[0, 3, 5, 69], x[0, 9, 0, 0] = torch.inf, -torch.inf, torch.nan
        w = torch.randn(16, 1, *window, device=device).to(dtype)
        y = functional.conv2d(x.double(), w.double(), None, 1, padding, 1, 16)
        out = formatted(torch.full(y.shape, torch.nan, device=device, dtype=dtype), True)
        specs = {"x": spec(x), "w": spec(w), "y": spec(out)}
        pair = (padding, padding) if isinstance(padding, int) else padding
        run = grouped.find(specs, pair, (1, 1), (1, 1), None)
        assert run is not None, "the kernel takes it"
        close(run(x, w, out), y, scale=8.0)


def check_gaps(device: str) -> None:
    """Compare images whose pixels are apart."""
    whole = image(2, 96, 9, 11, device=device, dtype=torch.float16)
    x, w = whole[:, 32:64], torch.randn(32, 1, 3, 3, device=device).half()
    target = formatted(torch.zeros(2, 64, 9, 11, device=device).half(), True)
    specs = {"x": spec(x), "w": spec(w), "y": spec(target[:, :32])}
    run = grouped.find(specs, (1, 1), (1, 1), (1, 1), None)
    assert run is not None, "the kernel takes it"
    run(x, w, target[:, :32])
    close(target[:, :32], functional.conv2d(x.double(), w.double(), None, 1, 1, 1, 32), scale=4.0)
    assert not target[:, 32:].any()
    norm = [torch.rand(32, device=device) + 0.5 for _ in range(4)]
    y = rows.tailed(x, ("relu", None), norm=tuple(norm), epsilon=1e-3)
    wide = [each.double() for each in norm]
    close(y, functional.relu(functional.batch_norm(x.double(), *wide, False, 0.0, 1e-3)))
    added = torch.randn(2, 32, 1, 1, device=device).half()[:, :1].expand(-1, 32, 1, 1)
    y = rows.group_norm(x, 8, None, None, 1e-5, None, added)
    # Sums are rounded where they are computed before the norm.
    close(y, functional.group_norm(x.double() + added.double(), 8), scale=4.0)


ROWS = [(2, 64, 7, 9), (1, 6, 33, 5), (3, 2049, 2, 2), (2, 20, 3, 4, 5)]


def check_repeats(device: str, dtype: Any) -> None:
    """Compare repeated pixels, bit by bit."""
    for shape, times in (((2, 24, 5, 3), 2), ((1, 7, 4, 5), (1, 4)), ((2, 16, 2, 3, 4), (2, 1, 2))):
        x = image(*shape, device=device, dtype=dtype)
        each = (times,) * (len(shape) - 2) if isinstance(times, int) else times
        wanted = functional.interpolate(x.double(), scale_factor=tuple(map(float, each)))
        assert torch.equal(rows.repeated(x, times).double(), wanted)


def check_pools(device: str, dtype: Any) -> None:
    """Compare the largest numbers of windows, bit by bit."""
    for shape, window, stride, padding, dilation, ceiled in (
        ((2, 24, 9, 14), (3, 3), (2, 2), (1, 1), (1, 1), False),
        ((1, 6, 8, 5), (2, 3), (1, 2), (1, 0), (2, 1), False),
        ((3, 16, 7, 7), (3, 2), (2, 2), (0, 1), (1, 1), True),
        ((1, 7, 1, 1), (1, 1), (1, 1), (0, 0), (1, 1), False),
    ):
        for kind in (0, 3):
            x = image(*shape, device=device, dtype=dtype, kind=kind)
            x[0, 1], x[0, 3, 0, 0], x[-1, 5, -1, -1] = -torch.inf, torch.nan, torch.inf
            given = window, stride, padding, dilation, ceiled
            y = rows.pooled(x, *given)
            wanted = functional.max_pool2d(x.double(), *given)
            assert y.is_contiguous(memory_format=torch.channels_last)
            assert torch.equal(y.isnan(), wanted.isnan())
            assert torch.equal(y.double().nan_to_num(), wanted.nan_to_num())
    with pytest.raises(RuntimeError, match="pad should be at most half"):
        rows.pooled(x, (1, 1), (1, 1), (1, 1), (1, 1), False)


def check_means(device: str, dtype: Any) -> None:
    """Compare means of windows, whose sums are of float."""
    for shape, window, stride in (
        ((2, 24, 9, 14), (2, 2), (2, 2)), ((1, 6, 8, 5), (2, 3), (1, 2)),
        ((3, 16, 7, 7), (7, 7), (7, 7)), ((1, 7, 1, 1), (1, 1), (1, 1)),
    ):  # fmt: skip
        for kind in range(4):
            x = image(*shape, device=device, dtype=dtype, kind=kind)
            x[0, 1, 0, 0], x[0, 3, 0, 0], x[-1, 5, -1, -1] = -torch.inf, torch.nan, torch.inf
            wanted = functional.avg_pool2d(x.double(), window, stride)
            poison(device)
            close(rows.averaged(x, window, stride), wanted, scale=0.0 if kind == 2 else 1.0)
    beside = x.repeat(1, 3, 1, 1)[:, 7:14]
    wanted = functional.avg_pool2d(beside.double(), (1, 1))
    close(rows.averaged(beside, (1, 1), (1, 1)), wanted)


def check_places(device: str, dtype: Any) -> None:
    """Compare largest numbers and gradients with PyTorch's of float64, bit by bit."""
    for shape, sides in (
        ((2, 24, 9, 14), (3, 2, 1)), ((3, 16, 8, 7), (2, 2, 0)), ((1, 6, 8, 11), ((2, 3), (3, 4))),
        ((2, 3, 5, 4), (4, 1, 2)), ((1, 7, 1, 2), (1, 1, 0)), ((2, 8, 6, 6), ((1, 3), (1, 2), (0, 1))),
    ):  # fmt: skip
        for kind in (0, 3):
            own = torch.nn.MaxPool2d(*sides)
            x = image(*shape, device=device, dtype=dtype, kind=kind).round()  # many are equal
            x[:, 0], x[-1, -1, -1, -1], x[0, -1, 0, 0] = -torch.inf, torch.inf, torch.nan
            # PyTorch's kernels for a GPU have other places in windows of -inf.
            given, wide = x.requires_grad_(), x.detach().double().cpu().requires_grad_()
            y, wanted = pooling.MaxPooling(own)(given), own(wide)
            assert isinstance(y.grad_fn, pooling._Pooling._backward_cls)
            dy = torch.randint(-3, 4, y.shape)
            y.backward(dy.to(device, dtype))
            wanted.backward(dy.double())
            assert torch.equal(y.double().cpu().nan_to_num(9.0), wanted.nan_to_num(9.0))
            assert torch.equal(given.grad.double().cpu(), wide.grad)


def check_pieces(device: str, dtype: Any) -> None:
    """Compare rows of what is made for a convolution, each piece alone."""
    root = torch.nn.Module()
    w, b = [torch.randn(24, device=device).to(dtype) for _ in range(2)]
    for kind in (0, 1, 3):
        x = image(1, 24, 6, 5, 7, device=device, dtype=dtype, kind=kind)
        wide = [w.double(), b.double(), 1e-5, ("swish", None), None]
        for function, args, others in (
            (rows.group_norm, (8, w, b, 1e-5, ("swish", None), None), (8, *wide)),
            (rows.repeated, ((2, 1, 2),), ((2, 1, 2),)),
        ):
            wanted = function(x.double(), *others)
            write = strips.writer(windows.Before(function, rows.WRITERS[function], args, root), x)
            for low, high in ((0, 1), (2, wanted.shape[2]), (3, 5)):
                memory = torch.full((1, 24, high - low, *wanted.shape[3:]), torch.nan)
                made = formatted(memory.to(device, dtype), True)
                write(made, low, high)
                close(made, wanted[:, :, low:high], scale=1.0 + float(wanted.abs().max()))


#: Activations, with their numbers.
WORDS = (None, ("swish", None), ("hard_swish", None), ("leaky_relu", 0.2))


def check_rows(device: str, shape: Any, dtype: Any, words: Any = WORDS) -> None:
    """Compare gates, factors, norms, additions and activations."""
    torch.manual_seed(1)
    channels, axes = shape[1], len(shape) - 2
    for kind in range(5):
        poison(device)
        x, r = (
            image(*shape, device=device, dtype=dtype, kind=kind),
            image(*shape, device=device, dtype=dtype),
        )
        gate = torch.rand(*shape[:2], *[1] * axes, device=device).to(dtype)
        factor = torch.randn(channels, *[1] * axes, device=device).to(dtype)
        size = 1.0 + float(x.double().abs().max())
        for word in words:
            y = rows.tailed(x, word, gate=gate, residual=r)
            close(y, activated(x.double() * gate.double() + r.double(), word), scale=size)
            y = rows.tailed(x, word, factor=factor, residual=r)
            close(y, activated(x.double() * factor.double() + r.double(), word), scale=size)
        for own in (dtype, torch.float32):
            norm = [torch.rand(channels, device=device).to(own) + 0.3 for _ in range(4)]
            y = rows.tailed(x, ("relu", None), norm=tuple(norm), epsilon=1e-3)
            wide = [each.double() for each in norm]
            wanted = functional.batch_norm(x.double(), *wide, False, 0.0, 1e-3)
            close(y, functional.relu(wanted), scale=size)


GATES = [
    ((5, 96, 14, 14), 4), ((1, 33, 56, 3), 9), ((2, 2016, 7, 7), 224), ((19, 288, 5, 7), 10),
    ((33, 1152, 7, 7), 48), ((8, 960, 3, 3), 240), ((9, 33, 9, 4), 3),
]  # fmt: skip


def check_gates(device: str, shape: Any, squeezed: int, dtype: Any) -> None:
    """Compare gates of the means of channels."""
    torch.manual_seed(2)
    channels = shape[1]
    for kind in range(3):
        poison(device)
        x = image(*shape, device=device, dtype=dtype, kind=kind)
        w = torch.randn(squeezed, channels, 1, 1, device=device).div(channels**0.5).to(dtype)
        v = torch.randn(channels, squeezed, 1, 1, device=device).div(squeezed**0.5).to(dtype)
        b, c = [torch.randn(n, device=device).to(dtype) for n in (squeezed, channels)]
        for words in (
            (("relu", None), ("hard_sigmoid", None)),
            (("swish", None), ("sigmoid", None)),
        ):
            given = (x, w, b, words[0], v, c, words[1])
            wide = [each.double() if isinstance(each, torch.Tensor) else each for each in given]
            wanted = rows.tailed(wide[0], gate=means.gate_of(*wide))
            hidden = functional.conv2d(functional.adaptive_avg_pool2d(x, 1), w, b)
            gate = functional.conv2d(activated(hidden, words[0]), v, c)
            eager = (x * activated(gate, words[1])).double() - wanted
            made = means.gate_of(*given)
            sums = x.double().sum((2, 3))[:, None] * torch.tensor([[1.5], [-0.5]], device=device)
            again = means.gate_of(*given, sums=sums.float())
            close(again, made.double(), scale=0.25)
            apart = rows.tailed(x, gate=made).double() - wanted
            sizes = float(apart.norm()), float(eager.norm())
            assert sizes[0] <= 1.5 * sizes[1] + 1e-6, sizes
            assert float(apart.abs().max()) <= 4 * float(eager.abs().max()) + 1e-6


GROUPS = [
    ((2, 192, 16, 16), 32),
    ((1, 64, 5, 7), 2),
    ((3, 30, 3, 3), 30),
    ((1, 128, 4, 33, 31), 32),
    ((2, 1152, 8, 8), 32),
    ((1, 512, 2, 2), 1),
    ((1, 2600, 4, 4), 200),
    ((3, 1152, 5, 5), 32),
    ((1, 192, 64, 64), 32),
    ((9, 960, 33, 31), 32),
]


def check_groups(device: str, shape: Any, groups: int, dtype: Any) -> None:
    """Compare group norms."""
    torch.manual_seed(3)
    channels = shape[1]
    w, b = [torch.randn(channels, device=device).to(dtype) for _ in range(2)]
    for kind in range(5):
        poison(device)
        x = image(*shape, device=device, dtype=dtype, kind=kind)
        own = torch.randn(shape[0], 2 * channels, *[1] * (len(shape) - 2), device=device).to(dtype)
        own = own[:, :channels]  # with gaps between images
        cases: Any = ((("swish", None), (w, b), own), (None, (None, None), None))
        for word, pair, added in cases:
            weight, bias = pair
            y = rows.group_norm(x, groups, weight, bias, 1e-5, word, added)
            wide = [each if each is None else each.double() for each in pair]
            shifted = x.double() if added is None else x.double() + added.double()
            wanted = functional.group_norm(shifted, groups, *wide, 1e-5)
            close(y, activated(wanted, word), scale=2.0)
            assert y.stride() == formatted(y, True).stride()
        for number in (torch.inf, torch.nan):  # all of a group is NaN then
            x[0, 1, 0, 0] = number
            wanted = functional.group_norm(x.double(), groups, None, None, 1e-5)
            close(rows.group_norm(x, groups, None, None, 1e-5), wanted, scale=2.0)
    x = image(*shape, device=device, dtype=dtype)
    x[:, :: channels // groups, 0, 0] = 6e4  # the first number of each group is not near the others
    wanted = functional.group_norm(x.double(), groups, None, None, 1e-5)
    close(rows.group_norm(x, groups, None, None, 1e-5), wanted, scale=2.0)
    if dtype is torch.bfloat16:
        x = torch.full_like(x, 3e19)  # whose square is no float32
        x[:, :, 0, 1] = 3.03e19
        wanted = functional.group_norm(x.double(), groups, None, None, 1e-5)
        close(rows.group_norm(x, groups, None, None, 1e-5), wanted, scale=2.0)
