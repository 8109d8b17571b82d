"""Where shapes, strides, addresses and numbers of operations are at an edge, against PyTorch."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from cudnn_cffi import errors, ops

TOLERANCE = {"float64": 1e-12, "float32": 2e-5, "float16": 4e-3, "bfloat16": 3e-2}


def laid_out(torch: Any, array: Any, last: bool) -> Any:
    """Return a copy with channels last, or first."""
    if not last or array.dim() < 4:
        return array.contiguous()
    formats = {4: torch.channels_last, 5: torch.channels_last_3d}
    return array.contiguous(memory_format=formats[array.dim()])


def poisoned_like(torch: Any, array: Any) -> Any:
    return torch.full_like(array, float("nan"))


def is_close(result: Any, expected: Any, dtype: str) -> bool:
    result, expected = result.double().cpu(), expected.double().cpu()
    scale = max(float(expected.norm()), 1e-30)
    return float((result - expected).norm()) / scale < TOLERANCE[dtype]


def pooled(torch: Any, x: Any, kind: str, window: int, stride: int, padding: Any) -> Any:
    """Pool in float64 by PyTorch, with padding before and after each axis."""
    functional, count = torch.nn.functional, x.dim() - 2
    pairs = [each for pair in reversed(padding) for each in pair]
    if kind == "max":
        wide = functional.pad(x, pairs, value=float("-inf"))
        return getattr(functional, f"max_pool{count}d")(wide, window, stride)
    mean = getattr(functional, f"avg_pool{count}d")
    found = mean(functional.pad(x, pairs), window, stride)
    if kind == "average_without_padding":
        found = found / mean(functional.pad(torch.ones_like(x), pairs), window, stride)
    return found


@pytest.mark.parametrize("seed", range(3))
def test_pooling(torch: Any, seed: int) -> None:
    """Layouts of each array, types, windows, strides and paddings are drawn."""
    draw, wrong = random.Random(seed), []
    for _ in range(40):
        kind = draw.choice(["max", "average", "average_without_padding"])
        dtype = draw.choice(["float32", "float32", "float16", "bfloat16", "float64"])
        count = draw.choice([1, 2, 2, 2, 3])
        window, stride = draw.choice([2, 3, 5]), draw.choice([1, 2, 3])
        padding = [(draw.randrange(window // 2 + 1),) * 2 for _ in range(count)]
        shape = (
            draw.choice([1, 3]),
            draw.choice([1, 3, 8, 16]),
            *draw.choices(range(5, 12), k=count),
        )
        last = [draw.random() < 0.6] * 4
        if draw.random() < 0.3:
            last = [draw.random() < 0.5 for _ in range(4)]
        kinds = getattr(torch, dtype)
        size = torch.Size(shape).numel()
        x = (torch.randperm(size).reshape(shape).double() % 256 - 128).to(kinds).double()
        x.requires_grad_()
        if size > 256 and kind == "max":
            x = (torch.randperm(size).reshape(shape).double() - size // 2).requires_grad_()
            if dtype == "bfloat16" or size > 2048:
                continue  # equal numbers have the gradient where cuDNN likes
        y = pooled(torch, x, kind, window, stride, padding)
        dy = torch.randint(-8, 9, y.shape).double()
        (dx,) = torch.autograd.grad(y, x, dy)
        given = [
            laid_out(torch, each.detach().to("cuda", kinds), is_last)
            for each, is_last in zip((x, y, dy), last, strict=False)
        ]
        out = laid_out(torch, poisoned_like(torch, given[0]), last[3])
        options: dict[str, Any] = {
            "kind": kind,
            "window": window,
            "stride": stride,
            "padding": padding,
        }
        told = f"{options} {dtype} {shape} {last}"
        try:
            if not is_close(ops.Pooling(**options)(given[0]), y.detach(), dtype):
                wrong.append(f"forward {told}")
            ops.PoolingBackward(**options)(given[2], given[0], given[1], out=out)
        except errors.CudnnError as error:
            wrong.append(f"{told}: {error.message}")
            continue
        if not is_close(out, dx, dtype):
            wrong.append(f"backward {told}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("kind", ["max", "average", "sum", "average_without_padding"])
def test_pooling_pads_sides_differently(torch: Any, kind: str, last: bool) -> None:
    for dtype, padding in (
        ("float32", ((0, 1), (1, 0))), ("float16", ((1, 2), (2, 0))), ("bfloat16", ((0, 1), (0, 1))),
        ("float64", ((0, 2), (1, 1))),
    ):  # fmt: skip
        x = torch.randperm(2 * 8 * 9 * 8).reshape(2, 8, 9, 8).double() % 256 - 128
        x.requires_grad_()
        y = pooled(torch, x, "average" if kind == "sum" else kind, 3, 2, padding)
        y = y * 9 if kind == "sum" else y
        dy = torch.randint(-8, 9, y.shape).double()
        (dx,) = torch.autograd.grad(y, x, dy)
        given = [
            laid_out(torch, each.detach().to("cuda", getattr(torch, dtype)), last)
            for each in (x, y, dy)
        ]
        options: dict[str, Any] = {"kind": kind, "window": 3, "stride": 2, "padding": padding}
        try:
            found = ops.Pooling(**options)(given[0])
        except errors.NotSupportedError:
            assert kind == "average_without_padding", (dtype, padding)
            continue
        assert is_close(found, y.detach(), dtype), (dtype, padding)
        try:
            found = ops.PoolingBackward(**options)(given[2], given[0], given[1])
        except errors.NotSupportedError:
            assert kind == "average_without_padding", (dtype, padding)
            continue
        if kind == "max":  # of equal numbers any has the gradient
            assert abs(float(found.double().sum()) - float(dx.sum())) < 1e-3
        else:
            assert is_close(found, dx, dtype), (dtype, padding)


@pytest.mark.parametrize("channels", [65536, 70000, 65537])
def test_gradients_of_maxima_of_many_channels(torch: Any, channels: int) -> None:
    for rank, images in ((2, 1), (2, 2), (1, 1)):
        x = torch.randn(images, channels, *(4,) * rank, device="cuda").requires_grad_()
        y = getattr(torch.nn.functional, f"max_pool{rank}d")(x, 2)
        dy = torch.randn_like(y)
        (dx,) = torch.autograd.grad(y, x, dy)
        found = ops.PoolingBackward("max", 2)(dy, x.detach(), y.detach())
        assert torch.equal(found, dx), (rank, images)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("rank", [1, 2])
@pytest.mark.parametrize("last", [False, True])
def test_filters_of_another_layout_than_images(
    torch: Any, dtype: str, rank: int, last: bool
) -> None:
    """An engine that fuses reads row-major filters as if their channels were last."""
    kind = getattr(torch, dtype)
    x = torch.randint(-3, 4, (2, 8, *(5,) * rank), device="cuda").to(kind)
    w = torch.randint(-3, 4, (8, 8, *(3,) * rank), device="cuda").to(kind)
    bias = torch.randint(-3, 4, (8,), device="cuda").to(kind)
    x, w = channels_last(x) if last else x, w if last else channels_last(w)
    y = getattr(torch.nn.functional, f"conv{rank}d")(x.double(), w.double())
    expected = -0.5 * y + bias.double().reshape(-1, *(1,) * rank)
    for choose in (None, {"via": "graph"}):
        try:
            found = ops.convolution(x, w, bias, alpha=-0.5, choose=choose)
        except errors.NotSupportedError:
            assert choose, "something computes it"
            continue
        assert is_close(found, expected, dtype), choose


def channels_last(array: Any) -> Any:
    """Return a copy of an image of any rank with the channels innermost."""
    return array.movedim(1, -1).contiguous().movedim(-1, 1)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("filters", [3, 16])
@pytest.mark.parametrize("size", [1, 3])
def test_results_of_one_pixel(torch: Any, dtype: str, filters: int, size: int) -> None:
    """Engines that fuse write them over each other, if they are strided as rows."""
    kind = getattr(torch, dtype)
    for rank, channels in ((1, 8), (2, 1)):
        x = torch.randint(-3, 4, (3, channels, *(size,) * rank), device="cuda").to(kind)
        w = torch.randint(-3, 4, (filters, channels, *(size,) * rank), device="cuda").to(kind)
        y = getattr(torch.nn.functional, f"conv{rank}d")(x.double(), w.double())
        given = (x, w), (channels_last(x), channels_last(w))
        for one, other in given:
            out = poisoned_like(torch, y.to(kind))
            ops.convolution(one, other, activation="relu", out=out)
            assert is_close(out, y.relu(), dtype), (rank, channels)


@pytest.mark.parametrize("shape", [(1, 1, 1, 1), (2, 1, 4, 5), (2, 1, 4), (2, 8, 1, 1)])
@pytest.mark.parametrize("last", [False, True])
def test_pooling_of_one_channel_or_pixel(torch: Any, shape: Any, last: bool) -> None:
    """An engine reads bfloat16 of channels-last images as float16."""
    x = (torch.randint(-9, 9, shape, device="cuda") * 0.625 - 4).bfloat16()
    x = channels_last(x) if last else x
    size = tuple(min(n, 3) for n in shape[2:])
    for name in ("max", "average"):
        torchs = getattr(torch.nn.functional, f"{name[:3].replace('ave', 'avg')}_pool{len(size)}d")
        expected = torchs(x.double(), size, 1)
        for choose in (None, {"via": "graph"}):
            try:
                found = getattr(ops, f"{name}_pool")(x, size, 1, choose=choose)
            except errors.NotSupportedError:
                assert choose
                continue
            assert is_close(found, expected, "bfloat16"), (name, choose)


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("last", [False, True])
def test_maxima_of_nan(torch: Any, dtype: str, last: bool) -> None:
    x = torch.randn(2, 8, 8, 8, device="cuda").to(getattr(torch, dtype))
    x[0, 1, 2, 3] = x[1, 2] = float("nan")
    x = laid_out(torch, x, last)
    for window, padding in ((2, 0), (3, 1)):
        expected = torch.nn.functional.max_pool2d(x, window, 1, padding)
        found = ops.max_pool(x, window, 1, padding)
        assert torch.equal(found.isnan(), expected.isnan())
        assert torch.equal(found.nan_to_num(), expected.nan_to_num())


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
def test_gradients_of_activations_at_their_edges(torch: Any, dtype: str) -> None:
    from cudnn_cffi.torch import functional as ours

    theirs = torch.nn.functional
    special = [
        0.0,
        -0.0,
        1.0,
        6.0,
        -6.0,
        0.1,
        1.5,
        5.96875,
        6.03125,
        1e-30,
        -1e-30,
        -3,
        -7,
        -9,
        -15,
    ]
    x = torch.tensor(
        [*special, *torch.linspace(-20, 20, 1009).tolist()], dtype=getattr(torch, dtype)
    ).cuda()
    pairs: list[tuple[str, Callable[[Any], Any], Callable[[Any], Any]]] = [
        ("relu", ours.relu, theirs.relu),
        ("relu6", ours.relu6, theirs.relu6),
        (
            "clipped",
            lambda x: ours.clipped_relu(x, 0.125),
            lambda x: theirs.hardtanh(x, 0.0, 0.125),
        ),
        ("clipped", lambda x: ours.clipped_relu(x, 1.5), lambda x: theirs.hardtanh(x, 0.0, 1.5)),
        ("elu", ours.elu, theirs.elu),
        ("elu 2", lambda x: ours.elu(x, 2.0), lambda x: theirs.elu(x, 2.0)),
        ("elu 1/2", lambda x: ours.elu(x, 0.5), lambda x: theirs.elu(x, 0.5)),
        ("leaky", ours.leaky_relu, theirs.leaky_relu),
    ]
    for name, function, reference in pairs:
        if name == "leaky" and dtype == "float64":
            continue  # no engine has this type
        one, other = x.clone().requires_grad_(), x.clone().requires_grad_()
        y, expected = function(one), reference(other)
        y.backward(torch.ones_like(y))
        expected.backward(torch.ones_like(y))
        limit = {"rtol": 10 * TOLERANCE[dtype], "atol": 1e-7 if dtype != "float16" else 1e-6}
        far = ~torch.isclose(one.grad.double(), other.grad.double(), **limit)
        told = [(float(x[i]), float(one.grad[i]), float(other.grad[i])) for i in far.nonzero()[:4]]
        assert not told, f"{name}: {told}"


def low(torch: Any, array: Any, elements: int = 1) -> Any:
    """Return a copy whose address is an offset in elements above a multiple of 512."""
    room = torch.full((array.numel() + 64,), 7.0, dtype=array.dtype, device="cuda")
    return room.as_strided(array.shape, array.stride(), elements).copy_(array)


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
@pytest.mark.parametrize("last", [False, True])
def test_sums_at_low_addresses(torch: Any, dtype: str, last: bool) -> None:
    for shape in ((2, 8, 6, 6), (3, 5, 7, 9), (32, 256, 8, 8)):
        # Sums neither cancel nor exceed what float16 has.
        x = laid_out(torch, (torch.rand(shape) / 16).to("cuda", getattr(torch, dtype)), last)
        exact, aligned, x = x.double(), x, low(torch, x)
        for axes in ((0, 2, 3), (2, 3), None, 0, 1):
            for name in ("add", "mean", "max"):
                ops.reduce(aligned, name, axes)  # which calls at other addresses are not to repeat
                found = ops.reduce(x, name, axes)
                function = {"add": torch.sum, "mean": torch.mean, "max": torch.amax}[name]
                all_axes = tuple(range(4)) if axes is None else axes
                assert is_close(found, function(exact, all_axes), dtype), (axes, name)
        total = exact.sum((0, 2, 3))
        ops.convolution_backward_bias(aligned)
        found = ops.convolution_backward_bias(x)
        assert is_close(found, total, dtype)
        found = low(torch, torch.ones_like(found))
        ops.convolution_backward_bias(x, out=found, beta=2.0)
        assert is_close(found, total + 2, dtype)


@pytest.mark.parametrize("last", [False, True])
def test_arrays_without_elements(torch: Any, last: bool) -> None:
    def new(*shape: int) -> Any:
        return torch.randn(shape, device="cuda")

    x, vector, w = new(0, 4, 6, 6), new(4), new(8, 4, 3, 3)
    y, half = new(0, 8, 4, 4), new(0, 4, 3, 3)
    x, y, half = (laid_out(torch, each, last) for each in (x, y, half))
    calls: list[tuple[Any, Callable[[], Any]]] = [
        (y, lambda: ops.convolution(x, w)),
        (y, lambda: ops.convolution(x, w, new(8), activation="relu")),
        (x, lambda: ops.convolution_transpose(y, w, new(4))),
        (x, lambda: ops.convolution_backward_data(y, w)),
        (
            torch.zeros_like(w),
            lambda: ops.convolution_backward_filter(x, y, w.shape),
        ),
        (new(8) * 0, lambda: ops.convolution_backward_bias(y)),
        (half, lambda: ops.max_pool(x)),
        (x, lambda: ops.PoolingBackward()(half, x, half)),
        (x, lambda: ops.softmax(x)),
        (x, lambda: ops.softmax_backward(x, x)),
        (x, lambda: ops.relu(x)),
        (x, lambda: ops.gelu(x)),
        (x, lambda: ops.activation_backward(x, x, x)),
        (x, lambda: ops.add(x, new(1, 4, 1, 1))),
        (new() * 0, lambda: ops.reduce(x)),
        (vector * 0, lambda: ops.reduce(x, "add", (0, 2, 3))),
        (vector * 0, lambda: ops.reduce(x, "norm2", (0, 2, 3))),
        (new(0, 6, 6), lambda: ops.reduce(x, "max", 1)),
        (x, lambda: ops.transform(x, "NHWC")),
        (x, lambda: ops.scale(x, 2.0)),
        (x, lambda: ops.group_norm(x, 2, vector, vector)),
        (x, lambda: ops.local_response_norm(x)),
        (x, lambda: ops.dropout(x).y),
    ]
    for expected, call in calls:
        found = call()
        assert found.shape == expected.shape, expected.shape
        assert torch.equal(found, expected), expected.shape
    running = new(4), new(4).abs()
    before = [each.clone() for each in running]
    for _ in range(5):
        made = ops.batch_norm(x, vector, vector, *running)
    assert made.y.shape == x.shape
    assert all(map(torch.equal, running, before))
    found = ops.batch_norm_backward(x, x, vector)
    assert found.x.shape == x.shape
    assert not found.scale.any()  # type: ignore[union-attr]
    assert not found.bias.any()  # type: ignore[union-attr]
    kept = torch.ones(8, device="cuda")
    ops.convolution_backward_bias(y, out=kept, beta=2.0)
    assert torch.equal(kept, torch.full_like(kept, 2.0))
    for name in ("max", "mean", "mul"):
        with pytest.raises(errors.ArgumentError, match="no elements"):
            ops.reduce(x, name)
    assert torch.equal(ops.layer_norm(new(0, 6), new(6), new(6)), new(0, 6))


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
def test_reductions_over_axes_of_one(torch: Any, dtype: str) -> None:
    x = torch.randn(4, 1, 5, 1, device="cuda").to(getattr(torch, dtype))
    x[0, 0, 0, 0] = 0.0
    for name in ("add", "mul", "min", "max", "amax", "avg", "norm1", "norm2", "mul_no_zeros"):
        expected = x.abs() if name in ("amax", "norm1", "norm2") else x
        if name == "mul_no_zeros":
            if dtype == "float64":
                continue  # no engine has this type
            expected = torch.where(x == 0, 1, x)
        assert torch.equal(ops.reduce(x, name, (1, 3)), expected[:, 0, :, 0]), name
        assert torch.equal(ops.reduce(x, name, 1, keep_axes=True), expected), name
    for name in ("max", "amax"):
        found, at = ops.reduce(x, name, 1, indices=True)  # type: ignore[call-overload]
        assert torch.equal(found, (x.abs() if name == "amax" else x)[:, 0])
        assert at.dtype == torch.int32
        assert not at.any()
    out = torch.ones(4, 5, 1, device="cuda", dtype=x.dtype)
    ops.reduce(x, "norm1", 1, out=out, alpha=-2.0, beta=3.0)
    assert is_close(out, 3 - 2 * x[:, 0].double().abs(), dtype)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("channels", [8, 7])
def test_convolutions_with_a_beta(torch: Any, dtype: str, last: bool, channels: int) -> None:
    def new(*shape: int) -> Any:
        return laid_out(torch, torch.randint(-2, 3, shape).to("cuda", getattr(torch, dtype)), last)

    x, w, z, old = new(2, channels, 6, 6), new(5, channels, 3, 3), new(2, 5, 6, 6), new(2, 5, 6, 6)
    bias = new(5)
    plain = 2 * torch.nn.functional.conv2d(x.double(), w.double(), padding=1)
    for activation, adds, beta, b in (
        ("relu", False, 0.5, None), ("relu", True, 0.5, bias), (None, False, 0.5, bias),
        (None, True, 0.5, None), (None, True, 0.0, None),
    ):  # fmt: skip
        expected = plain + (z.double() if adds else 0)
        expected = expected + (0 if b is None else b.double()[:, None, None])
        expected = expected.relu() if activation else expected
        out = old.clone() if beta else poisoned_like(torch, old)
        ops.convolution(
            x, w, b, z if adds else None, padding=1, activation=activation, out=out, alpha=2.0,
            beta=beta,
        )  # fmt: skip
        expected = expected + (beta * old.double() if beta else 0)
        assert is_close(out, expected, dtype), (activation, adds, beta, b is None)


@pytest.mark.parametrize("shape", [(7,), (4, 3, 2, 3, 2, 2), (4, 3, 2, 3, 2, 2, 2)])
@pytest.mark.parametrize("mode", ["spatial", "per_activation"])
def test_batch_norm_of_one_axis_and_of_many(torch: Any, shape: Any, mode: str) -> None:
    x, dy = torch.randn(shape, device="cuda"), torch.randn(shape, device="cuda")
    parameters = shape[1:] if mode == "per_activation" else shape[1:2] or (1,)
    scale, bias = torch.rand(parameters, device="cuda"), torch.rand(parameters, device="cuda")
    flat = shape[0], max(bias.numel(), 1), -1
    wide = x.double().reshape(flat).requires_grad_()
    y = torch.nn.functional.batch_norm(
        wide, None, None, scale.double().flatten(), bias.double().flatten(), True
    )
    (dx,) = torch.autograd.grad(y, wide, dy.double().reshape(flat))
    made = ops.batch_norm(x, scale, bias, mode=mode)
    assert is_close(made.y.reshape(flat), y.detach(), "float32")
    found = ops.batch_norm_backward(dy, x, scale, made.mean, made.inv_variance, mode=mode)
    assert is_close(found.x.reshape(flat), dx, "float32")


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_inputs_with_gaps_or_repeated(torch: Any, dtype: str) -> None:
    kind = getattr(torch, dtype)
    row = torch.randn(2, 8, 1, 6, device="cuda").to(kind).expand(2, 8, 6, 6)
    gaps = torch.randn(2, 8, 12, 9, device="cuda").to(kind)[:, :, ::2, :6]
    functional = torch.nn.functional
    w = torch.randn(4, 8, 3, 3, device="cuda").to(kind)
    for name, x in (("repeated", row), ("gaps", gaps)):
        exact = x.double()
        for what, found, expected in (
            ("softmax", ops.softmax(x), exact.softmax(1)),
            ("relu", ops.relu(x), exact.relu()),
            ("gelu", ops.gelu(x), functional.gelu(exact)),
            ("pool", ops.average_pool(x, 2), functional.avg_pool2d(exact, 2)),
            ("sum", ops.reduce(x, "add", (2, 3)), exact.sum((2, 3))),
            ("bias", ops.convolution_backward_bias(x), exact.sum((0, 2, 3))),
            ("add", ops.add(x, x), 2 * exact),
            (
                "convolution", ops.convolution(x, w, choose={"tf32": False}),
                functional.conv2d(exact, w.double()),
            ),
        ):  # fmt: skip
            assert is_close(found, expected, dtype), (name, what)
    out = torch.full((2, 8, 6, 12), 5.0, device="cuda", dtype=kind)
    x = row.contiguous()
    ops.softmax(x, out=out[..., ::2], alpha=1.0, beta=0.5)
    assert is_close(out[..., ::2], x.double().softmax(1) + 2.5, dtype)
    assert bool((out[..., 1::2] == 5.0).all())


def test_what_could_not_be_launched_is_refused(torch: Any, monkeypatch: Any) -> None:
    """A call that fails for its shape leaves the context as it is, so another way may compute."""
    from cudnn_cffi.errata import asks as errata

    monkeypatch.setattr(errata, "wrong_function", lambda *_: "")
    x = torch.randn(1, 65536, 4, 4, device="cuda")
    y = torch.nn.functional.max_pool2d(x, 2)
    with pytest.raises(errors.NotSupportedError, match="EXECUTION_FAILED"):
        ops.PoolingBackward("max", 2)(y, x, y)
    assert float(torch.ones(3, device="cuda").sum()) == 3.0


@pytest.mark.parametrize("mean", [0.0, 1000.0, -1e4])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_logarithms_of_numbers_far_from_zero(torch: Any, dtype: str, mean: float) -> None:
    """They are rounded as results are, not as inputs are."""
    kind = getattr(torch, dtype)
    for shape, axis in (((2, 8, 5, 7), 1), ((64, 10), 1), ((3, 64), 0), ((2, 4096), 1)):
        x = (4 * torch.randn(shape, device="cuda", dtype=torch.float64) + mean).to(kind)
        exact, before = x.double().log_softmax(axis), torch.randn_like(x)
        bound = 8 * torch.finfo(kind).eps * exact.abs().clamp(min=1)
        error = (ops.log_softmax(x, axis).double() - exact).abs()
        assert (error <= bound).all(), (shape, float(error.max()))
        out = before.clone()
        ops.log_softmax(x, axis, out=out, alpha=-0.5, beta=2.0)
        error = (out.double() + 0.5 * exact - 2 * before.double()).abs()
        assert (error <= bound).all(), (shape, float(error.max()))
        if axis == 1 and dtype == "float32":
            labels = torch.randint(shape[1], (shape[0], *shape[2:]), device="cuda")
            loss = float(torch.as_tensor(ops.cross_entropy(x, labels)))
            wanted = float(torch.nn.functional.nll_loss(exact, labels))
            assert abs(loss - wanted) < 4e-6 * wanted, shape


class TestOutputsOverInputs:
    """They are right where an element depends on the same element alone, and refused elsewhere."""

    @staticmethod
    def refuses(call: Callable[..., Any], names: str, *watched: Any) -> None:
        """Check that calls are refused, and change nothing, also once the compiled layer knows."""
        before = [each.clone() for each in watched]
        for _ in range(3):
            with pytest.raises(errors.ArgumentError, match=names):
                call()
        for each, was in zip(watched, before, strict=True):
            assert each.equal(was)

    @pytest.mark.parametrize("via", [None, "graph", "classic"])
    @pytest.mark.parametrize("dtype", ["float16", "float32"])
    @pytest.mark.parametrize("last", [False, True])
    def test_neighbours(self, torch: Any, dtype: str, via: str | None, last: bool) -> None:
        """Ways that copy the input first are right, others are refused."""
        kind, choose = getattr(torch, dtype), None if via is None else {"via": via}
        x = laid_out(torch, torch.randn(2, 16, 24, 24, device="cuda", dtype=kind), last)
        w = laid_out(torch, torch.randn(16, 16, 3, 3, device="cuda", dtype=kind), last) / 12
        functional, wide, refused = torch.nn.functional, x.double(), 0
        for call, right in (
            (ops.Convolution(1, choose=choose), functional.conv2d(wide, w.double(), padding=1)),
            (ops.Pooling("max", 3, 1, 1, choose=choose), functional.max_pool2d(wide, 3, 1, 1)),
            (ops.Pooling("average", 3, 1, 1, choose=choose), functional.avg_pool2d(wide, 3, 1, 1)),
        ):
            more = [w] if isinstance(call, ops.Convolution) else []
            like = "float16" if more else dtype  # convolutions of float32 may round as TF32 does
            for turn in range(6):  # from the fourth one on the compiled layer knows the call
                apart, same = poisoned_like(torch, x), x.clone(memory_format=torch.preserve_format)
                told = ""
                try:
                    if turn > 2:
                        assert is_close(call(x, *more, out=apart), right, like)
                    call(same, *more, out=same)
                except errors.ArgumentError as error:
                    told = error.message
                except errors.NotSupportedError:
                    break
                assert told in ("", "y: expected memory of its own, it overlaps x")
                assert same.equal(x) if told else is_close(same, right, like)
                refused += bool(told)
        assert refused or via

    @pytest.mark.parametrize("restored", [False, True])
    def test_a_plan_of_a_convolution_and_relu(self, torch: Any, cudnn: Any, restored: bool) -> None:
        x = laid_out(torch, torch.randn(4, 32, 20, 20, device="cuda").half(), True)
        w = laid_out(torch, torch.randn(32, 32, 3, 3, device="cuda").half(), True) / 17
        graph = cudnn.Graph()
        made = graph.convolution(graph.tensor(x, name="x"), graph.tensor(w, name="w"), padding=1)
        graph.output(graph.relu(made), name="y")
        plan: Any = graph.build()
        plan = cudnn.Plan.from_json(plan.to_json()) if restored else plan
        right = torch.nn.functional.conv2d(x.double(), w.double(), padding=1).relu()
        for _ in range(3):
            assert is_close(plan(x, w, poisoned_like(torch, x)), right, "float16")
            self.refuses(lambda: plan(x, w, x), "y: .* overlaps x", x, w)

    @pytest.mark.parametrize("via", [None, "graph", "classic"])
    @pytest.mark.parametrize("dtype", ["float16", "float32"])
    def test_elements(self, torch: Any, dtype: str, via: str | None) -> None:
        """An output may be the input, or lie next to it."""
        kind, choose = getattr(torch, dtype), None if via is None else {"via": via}
        count = 4 * 32 * 28 * 28
        room = torch.randn(2 * count + 128, device="cuda", dtype=kind)
        shape = 4, 32, 28, 28
        x = room[:count].view(shape)
        later, shifted = room[count : 2 * count].view(shape), room[128 : 128 + count].view(shape)
        right = x.double().tanh()
        for _ in range(4):
            later.fill_(float("nan"))
            assert is_close(ops.tanh(x, out=later, choose=choose), right, dtype)
            self.refuses(lambda: ops.tanh(x, out=shifted, choose=choose), "y: .* overlaps x", room)
        for _ in range(5):  # also as a CUDA graph
            right = x.double().tanh()
            assert ops.tanh(x, out=x, choose=choose) is x
            assert is_close(x, right, dtype)
        dy = torch.randn(shape, device="cuda", dtype=kind)
        right = dy.double() * (1 - x.double() ** 2)
        backward = ops.ActivationBackward("tanh")
        assert is_close(backward(dy, None, x, out=dy), right, dtype)

    def test_channels_of_one_array(self, torch: Any) -> None:
        """Rows between those of an input have no element in common with it."""
        both = laid_out(torch, torch.randn(4, 64, 14, 14, device="cuda").half(), True)
        x, y = both[:, :32], both[:, 32:]
        w = laid_out(torch, torch.randn(32, 32, 3, 3, device="cuda").half(), True) / 17
        right = torch.nn.functional.conv2d(x.double(), w.double(), padding=1)
        before = x.clone()
        for _ in range(5):
            y.fill_(float("nan"))
            assert ops.convolution(x, w, padding=1, out=y) is y
            assert is_close(y, right, "float16")
            assert x.equal(before)
        for _ in range(3):
            found = both.clone(memory_format=torch.preserve_format)
            told = ""
            try:
                ops.convolution(found[:, :32], w, padding=1, out=found[:, 8:40])
            except errors.ArgumentError as error:
                told = error.message
            assert told in ("", "y: expected memory of its own, it overlaps x")
            assert found.equal(both) if told else is_close(found[:, 8:40], right, "float16")


class TestIntegers:
    """Engines compute in float32: what that rounds is copied as bytes, or refused."""

    KINDS = ("int8", "uint8", "int32", "int64", "bool")

    @staticmethod
    def numbers(torch: Any, kind: str) -> Any:
        torch.manual_seed(5)
        size = getattr(torch, kind).itemsize
        data = torch.randint(0, 256, (2, 6, 4, 8 * size), dtype=torch.uint8, device="cuda")
        return (data & 1 if kind == "bool" else data).view(getattr(torch, kind))

    @pytest.mark.parametrize("kind", KINDS)
    def test_copies(self, torch: Any, kind: str) -> None:
        x = self.numbers(torch, kind)
        for given in (x, x.mT, x.permute(2, 0, 3, 1), x[:, ::2, 1:], x[..., 0]):
            calls: list[Callable[..., Any]] = [ops.identity, ops.transform]
            if given.dim() == 4:
                calls.append(partial(ops.transform, layout="NHWC"))
            for call in calls:
                assert torch.equal(call(given), given)
                out = torch.empty_like(given, memory_format=torch.contiguous_format)
                out.view(torch.uint8).fill_(0x55)
                assert torch.equal(call(given, out=out), given)

    @pytest.mark.parametrize("kind", KINDS)
    def test_right_or_refused(self, torch: Any, kind: str) -> None:
        x = self.numbers(torch, kind)
        last = x.contiguous(memory_format=torch.channels_last)
        dtype, wide = x.dtype, x.to(torch.int64)
        blocks = wide.unflatten(3, (4, 2)).unflatten(2, (2, 2))
        calls: dict[str, tuple[Callable[[Any], Any], Any]] = {
            "relu": (ops.relu, wide.clamp(min=0)),
            "clipped": (ops.clipped_relu, wide.clamp(0, 6)),
            "to int64": (lambda x: ops.transform(x, None, "int64"), wide),
            "to float64": (lambda x: ops.transform(x, None, "float64"), wide.double()),
            "to float32": (lambda x: ops.transform(x, None, "float32"), wide.float()),
            "maxima": (lambda x: ops.max_pool(x, 2), blocks.amax((3, 5))),
            "larger": (lambda x: ops.tensor_operation("max", x, x), wide),
            "largest": (lambda x: ops.reduce(x, "max", 1), wide.amax(1)),
        }
        wrong, right = [], 0
        for name, (call, wanted) in calls.items():
            for given in (x, last):
                try:
                    found = call(given)
                except errors.NotSupportedError:
                    continue
                right += 1
                if not torch.equal(found, wanted.to(found.dtype)):
                    wrong.append((name, given.stride()))
        assert not wrong
        assert right or dtype in (torch.int64, torch.bool)


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_the_first_nan_of_a_window_has_its_gradient(torch: Any, dtype: str) -> None:
    """NumPy's argmax finds the first one, too."""
    torch.manual_seed(2)
    for size, stride in ((3, 1), (2, 2), (3, 2)):
        x = torch.randn(2, 3, 5, 11, device="cuda").to(getattr(torch, dtype))
        x[torch.rand_like(x) < 0.3] = float("nan")
        y = ops.max_pool(x, (1, size), (1, stride))
        dy = torch.randint(-8, 9, y.shape, device="cuda").to(y.dtype)
        dx = poisoned_like(torch, x)
        options = {"window": (1, size), "stride": (1, stride)}
        ops.pooling_backward(dy, x, y, out=dx, **options)
        windows = x.float().unfold(3, size, stride).cpu().numpy()
        places = torch.from_numpy(windows.argmax(-1)) + stride * torch.arange(y.shape[3])
        wanted = torch.zeros(x.shape).scatter_add(3, places, dy.float().cpu())
        assert torch.equal(dx.float().cpu(), wanted)
        assert torch.equal(y.isnan().cpu(), torch.from_numpy(windows).isnan().any(-1))
