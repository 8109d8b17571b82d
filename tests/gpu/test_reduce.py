"""Reductions by the kernel of the package, as operations choose it, against float64."""

from __future__ import annotations

import math
from typing import Any

import pytest
from cudnn_cffi import errors, ops
from cudnn_cffi.ops.element import reduction_kernels

from tests.gpu.conftest import capturing

pytestmark = pytest.mark.usefixtures("nvrtc")

BITS = {"float16": 11, "bfloat16": 8, "float32": 23, "float64": 46}
WORDS = ("sum", "mean", "prod", "mul_no_zeros", "norm1", "norm2", "max", "min", "amax")

#: Shapes, axes, and the order of the axes in memory.
CASES: list[tuple[tuple[int, ...], Any, tuple[int, ...]]] = [
    ((64, 64, 56, 56), (0, 2, 3), (0, 1, 2, 3)),
    ((64, 64, 56, 56), (0, 2, 3), (0, 2, 3, 1)),
    ((64, 512, 7, 7), (0, 2, 3), (0, 1, 2, 3)),
    ((33, 130, 7, 7), (2, 3), (0, 2, 3, 1)),
    ((257, 1000), 0, (0, 1)),
    ((257, 1001), 0, (0, 1)),
    ((257, 1001), 1, (1, 0)),
    ((40003, 3), 0, (0, 1)),
    ((40000, 3), 0, (0, 1)),
    ((3, 40003), 1, (0, 1)),
    ((5, 7, 11, 13), (1, 3), (0, 1, 2, 3)),
    ((5, 7, 11, 13), (0, 2), (0, 1, 2, 3)),
    ((5, 7, 11, 13), (0, 2), (3, 2, 1, 0)),
    ((1 << 18, 9), 1, (0, 1)),
    ((4, 1, 33, 1), (1, 2), (0, 1, 2, 3)),
    ((1, 9), 1, (0, 1)),
    ((2,), None, (0,)),
    ((3, 100000), None, (0, 1)),
    ((1 << 22,), None, (0,)),
]


def laid_out(torch: Any, x: Any, order: tuple[int, ...], how: str) -> Any:
    """Return equal values whose axes have an order in memory, in memory that is NaN elsewhere."""
    gap = 3 if how == "gaps" else 0
    shape = [x.shape[axis] + gap for axis in order]
    begin = 1 if how == "low" else 0
    room = torch.full((math.prod(shape) + 64,), float("nan"), dtype=x.dtype, device="cuda")
    found = room[begin : begin + math.prod(shape)].view(shape)
    for at, axis in enumerate(order):
        found = found.narrow(at, 0, x.shape[axis])
    return found.permute([order.index(axis) for axis in range(x.dim())]).copy_(x)


def values(torch: Any, shape: tuple[int, ...], kind: Any, word: str) -> Any:
    """Return numbers of which sums cancel, those side by side and those far from each other."""
    x = torch.randn(shape, device="cuda")
    if word in ("prod", "mul_no_zeros"):
        few = torch.rand(shape, device="cuda") < 0.005  # products neither overflow nor vanish
        x = torch.where(few, torch.exp2(torch.randint(-1, 2, shape, device="cuda")), 1) * x.sign()
        x[torch.rand(shape, device="cuda") < 0.01] = 0 if word == "mul_no_zeros" else 1
        return x.to(kind)
    flat = x.view(-1)
    half = flat.numel() // 2
    flat[: half // 2].mul_(64)
    flat[half : 2 * half] = -flat[torch.randperm(half, device="cuda")]
    return x.to(kind)


def reduced(x: Any, word: str, axes: tuple[int, ...]) -> tuple[Any, Any]:
    """Return a reduction in float64, and the size of what is added up for it."""
    x = x.double()
    if word in ("sum", "mean", "norm1"):
        size = x.abs().sum(axes)
        count = x.numel() / size.numel() if word == "mean" else 1
        return (size if word == "norm1" else x.sum(axes) / count), size / count
    if word == "norm2":
        found = x.square().sum(axes).sqrt()
    elif word in ("prod", "mul_no_zeros"):
        found = x.masked_fill(x == 0, 1.0) if word == "mul_no_zeros" else x
        for axis in sorted(axes, reverse=True):
            found = found.prod(axis)
    else:
        found = {"max": x.amax, "min": x.amin, "amax": x.abs().amax}[word](axes)
    return found, found.abs()


def is_by_kernel(operation: Any) -> bool:
    """Return whether the last way of an operation is the kernel."""
    return getattr(operation.plans[-1], "algorithm", "") == "kernels.Reduce"


def check(y: Any, exact: Any, size: Any, *what: Any) -> None:
    """Compare with what is rounded once, and added in float32."""
    bits = BITS[str(y.dtype)[6:]]
    added = 2.0 ** -(bits if bits > 23 else 20)
    limit = 2.0**-bits * exact.abs() * 1.01 + added * (size + 0.05)
    wide = exact.to(y.dtype)
    wrong = ((y.double() - exact).abs() > limit) & (wide.isfinite() | y.isnan())
    assert not wrong.any(), (*what, y[wrong][:4], exact[wrong][:4])
    assert not y.isnan().any(), what


@pytest.mark.parametrize("dtype", BITS)
@pytest.mark.parametrize("how", ["plain", "gaps", "low"])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_sums(torch: Any, dtype: str, how: str, case: Any) -> None:
    """Results lie in memory that is NaN, and nothing around them is written."""
    shape, axes, order = case
    kind = getattr(torch, dtype)
    over = (
        tuple(range(len(shape))) if axes is None else axes if isinstance(axes, tuple) else (axes,)
    )
    for word in ("sum", "mean", "norm2"):
        x = laid_out(torch, values(torch, shape, kind, word), order, how)
        exact, size = reduced(x, word, over)
        for result in {kind, torch.float64 if kind == torch.float64 else torch.float32}:
            room = torch.full((exact.numel() + 64,), float("nan"), dtype=result, device="cuda")
            out = room[7 : 7 + exact.numel()].view(exact.shape)
            operation = ops.Reduction(word, axes)
            for alpha, beta in ((1.0, 0.0), (-2.0, 0.5)):
                if beta:
                    out.fill_(3.0)
                operation(x, out=out, alpha=alpha, beta=beta)
                way = operation.plans[-1]
                assert is_by_kernel(operation), way
                check(out, alpha * exact + beta * 3, 2 * size, word, way)
                assert int(room.isnan().sum()) == 64
    if len(shape) == 4 and over == (0, 2, 3):
        x = laid_out(torch, values(torch, shape, kind, "sum"), order, how)
        exact, size = reduced(x, "sum", over)
        out = torch.full_like(exact, float("nan"), dtype=kind)
        check(ops.convolution_backward_bias(x, out=out), exact, size)


@pytest.mark.parametrize("dtype", BITS)
@pytest.mark.parametrize("word", WORDS)
def test_words(torch: Any, dtype: str, word: str) -> None:
    """NaN wins in extremes, infinities count, and those of one sign alone are the result."""
    for shape, axes in (((66, 4099), (1,)), ((4100, 66), (0,)), ((12, 30, 11), (0, 2))):
        x = values(torch, shape, getattr(torch, dtype), word)
        if word == "prod":
            x = x.narrow(axes[0], 0, min(60, shape[axes[0]]))
        exact, size = reduced(x, word, axes)
        operation = ops.Reduction(word, axes)
        y = operation(x, out=torch.full_like(exact, float("nan"), dtype=x.dtype))
        assert is_by_kernel(operation)
        check(y, exact, size, shape)
        if word in ("prod", "mul_no_zeros"):
            continue
        kept = next(axis for axis in range(len(shape)) if axis not in axes)
        for at, odd in enumerate(("nan", "inf", "-inf")):
            x.select(kept, at)[(0,) * (len(shape) - 1)] = float(odd)
        x.select(kept, 3).fill_(float("-inf"))
        x.select(kept, 4).fill_(float("inf"))
        exact, _ = reduced(x, word, axes)
        y = operation(x).double()
        assert torch.equal(y.isnan(), exact.isnan()), shape
        rounded = exact.to(x.dtype).double()
        infinite = rounded.isinf() | y.isinf()
        assert torch.equal(y[infinite], rounded[infinite]), shape


@pytest.mark.parametrize("axes", [None, (0,), (1,), (0, 2)])
def test_above_2_31_elements(torch: Any, axes: Any) -> None:
    """Each place counts, by another power of two where it can be told apart."""
    shape = (2, 3, (1 << 30) // 3 * 2 + 5) if axes == (0, 2) else (2, (1 << 30) + 24)
    x = torch.zeros(shape, dtype=torch.bfloat16, device="cuda")
    assert x.numel() > 1 << 31
    flat = x.view(-1)
    for at, value in ((0, 1.0), (1 << 30, 2.0), ((1 << 31) - 1, 4.0), (1 << 31, 8.0), (-1, 16.0)):
        flat[at] = value
    over = tuple(range(len(shape))) if axes is None else axes
    operation = ops.Reduction("sum", axes)
    y = operation(x)
    assert is_by_kernel(operation)
    wanted = x.sum(over)
    assert float(wanted.double().sum()) == 31.0
    assert torch.equal(y, wanted)


@pytest.mark.parametrize("dtype", BITS)
def test_the_same_bits(torch: Any, dtype: str) -> None:
    """In each of many calls, in two streams at once, in a capture that compiles, and replayed."""
    for shape, axes in (((64, 64, 28, 28), (0, 2, 3)), ((50000, 72), (0,)), ((1 << 20,), None)):
        x = torch.randn(shape, device="cuda").to(getattr(torch, dtype))
        operation = ops.Reduction("sum", axes)
        graph, out = torch.cuda.CUDAGraph(), None
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side), capturing(graph, side):
            out = operation(x)
        graph.replay()
        first = operation(x)
        assert is_by_kernel(operation)
        others = [operation(x) for _ in range(100)]
        with torch.cuda.stream(side):
            others += [operation(x) for _ in range(100)]
        torch.cuda.synchronize()
        assert all(torch.equal(each, first) for each in (*others, out))
        x.mul_(2)
        graph.replay()
        torch.cuda.synchronize()
        assert torch.equal(out, operation(x))


@pytest.mark.parametrize("dtype", BITS)
@pytest.mark.parametrize("why", ["no compiler", "no workspace", "classic"])
def test_other_ways(torch: Any, dtype: str, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the kernel sums are rounded once as well."""
    more: dict[str, Any] = {}
    if why == "no compiler":
        monkeypatch.setattr(reduction_kernels, "can_compile", lambda: False)
    else:
        more["choose"] = {"workspace_limit": 0} if why == "no workspace" else {"via": "classic"}
    for shape, axes in (((64, 64, 56, 56), (0, 2, 3)), ((4096, 1024), (0,)), ((1 << 20,), None)):
        over = tuple(range(len(shape))) if axes is None else axes
        for last in (False, True):
            x = values(torch, shape, getattr(torch, dtype), "sum")
            if last and x.dim() == 4:
                x = x.contiguous(memory_format=torch.channels_last)
            exact, size = reduced(x, "sum", over)
            for word, count in (("sum", 1), ("mean", x.numel() / exact.numel())):
                operation = ops.Reduction(word, axes, **more)
                try:
                    y = operation(x, out=torch.full_like(exact, float("nan"), dtype=x.dtype))
                except errors.NotSupportedError:
                    assert why == "no workspace"
                    continue
                assert not is_by_kernel(operation)
                check(y, exact / count, size / count, shape, word, operation.plans[-1])
            if x.dim() == 4 and why != "no workspace":
                y = ops.convolution_backward_bias(x, **more)
                check(y, exact, size, "bias")


@pytest.mark.parametrize("dtype", BITS)
@pytest.mark.parametrize("last", [False, True])
def test_biases_in_pytorch(torch: Any, dtype: str, last: bool) -> None:
    """Gradients of biases are rounded once, and have gradients themselves."""
    from cudnn_cffi.torch import functional

    kind = getattr(torch, dtype)
    form = torch.channels_last if last else torch.contiguous_format
    x = torch.randn(8, 8, 14, 14, device="cuda").to(kind).contiguous(memory_format=form)
    w = torch.randn(16, 8, 3, 3, device="cuda").to(kind).contiguous(memory_format=form)
    bias = torch.randn(16, device="cuda").to(kind).requires_grad_()
    y = functional.conv2d(x, w, bias, padding=1)
    dy = values(torch, tuple(y.shape), kind, "sum").contiguous(memory_format=form)
    exact, size = reduced(dy, "sum", (0, 2, 3))
    for single in (False, True):
        if single:
            y = functional.conv2d(x[0], w, bias, padding=1)
            dy = dy[0]
            exact, size = reduced(dy, "sum", (1, 2))
        (found,) = torch.autograd.grad(y, bias, dy, retain_graph=True)
        check(found, exact, size, single)
        dy = dy.detach().requires_grad_()
        (found,) = torch.autograd.grad(y, bias, dy, create_graph=True)
        check(found.detach(), exact, size, single)
        (more,) = torch.autograd.grad(found, dy, torch.ones_like(found))
        assert torch.equal(more, torch.ones_like(dy))
