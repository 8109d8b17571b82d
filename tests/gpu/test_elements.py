"""Activations and means of small windows by the kernels of the package, against float64."""

from __future__ import annotations

import math
from typing import Any

import pytest
from cudnn_cffi import errors, ops
from cudnn_cffi.kernels.elements import WORDS

from tests.activations import activate
from tests.gpu.conftest import capturing

pytestmark = pytest.mark.usefixtures("nvrtc")

BITS = {"float16": 11, "bfloat16": 8, "float32": 21}

#: Shapes, and the order of their axes in memory.
SHAPES = (((1,), (0,)), ((4099,), (0,)), ((3, 5, 7, 11), (0, 2, 3, 1)), ((40, 8, 2), (1, 2, 0)))


def numbers(torch: Any, shape: tuple[int, ...], kind: Any) -> Any:
    """Return numbers of all sizes, both signs, of which some are zero."""
    x = torch.randn(shape, device="cuda", dtype=torch.float64) * 4
    x[torch.rand(shape, device="cuda") < 0.1] *= 1e-3
    x[torch.rand(shape, device="cuda") < 0.1] *= 20
    x[torch.rand(shape, device="cuda") < 0.02] = 0.0
    return x.to(kind)


def placed(x: Any, order: tuple[int, ...]) -> Any:
    """Return a copy whose axes have an order in memory."""
    return x.permute(order).contiguous().permute([order.index(axis) for axis in range(x.dim())])


def room_for(torch: Any, like: Any) -> tuple[Any, Any]:
    """Return memory that is NaN, and the part of it that has the strides of a tensor."""
    room = torch.full((like.numel() + 64,), math.nan, dtype=like.dtype, device="cuda")
    return room, room[32:].as_strided(like.shape, like.stride())


def kernel_of(operation: Any) -> str:
    """Return what computed the last call of an operation."""
    return getattr(operation.plans[-1], "algorithm", "")


def check(y: Any, exact: Any, size: Any, *what: Any) -> None:
    """Compare with what is rounded once, and computed in float32 of numbers of a size."""
    bits = BITS[str(y.dtype)[6:]]
    limit = 2.0**-bits * exact.abs() * 1.02 + 2.0**-20 * size
    limit += {11: 2.0**-25, 8: 1e-38, 21: 1e-38}[bits]  # denormal numbers
    wide = exact.to(y.dtype)
    wrong = ((y.double() - exact).abs() > limit) & wide.isfinite()
    assert not wrong.any(), (*what, y[wrong][:4], exact[wrong][:4])
    assert y[wide.isfinite()].isfinite().all(), what


@pytest.mark.parametrize("dtype", BITS)
@pytest.mark.parametrize("word", WORDS)
def test_activations(torch: Any, dtype: str, word: str) -> None:
    kind = getattr(torch, dtype)
    for shape, order in SHAPES:
        x, dy = (placed(numbers(torch, shape, kind), order) for _ in range(2))
        wide = x.double().requires_grad_()
        exact = activate(word, wide)
        (slope,) = torch.autograd.grad(exact, wide, dy.double())
        operation = ops.Activation(word)
        room, out = room_for(torch, x)
        y = operation(x, out=out)
        assert y is out
        assert kernel_of(operation) == "kernels.elements"
        check(y, exact.detach(), x.double().abs() + 1, word, shape)
        assert int(room.isnan().sum()) == 64
        assert torch.equal(operation(x), y)
        assert torch.equal(operation(x, out=x.clone(memory_format=torch.preserve_format)), y)
        backward = ops.ActivationBackward(word)
        for given in ((x, y), (x, None), (None, y)):
            if given[0] is None and word not in ("relu", "sigmoid", "tanh"):
                continue
            room, out = room_for(torch, x)
            backward(dy, *given, out=out)
            assert kernel_of(backward) == "kernels.elements"
            by_result = given[1] is not None and word in ("sigmoid", "tanh")
            v = y.double()
            exact_by = {"sigmoid": lambda v=v: v * (1 - v), "tanh": lambda v=v: 1 - v * v}
            wanted = dy.double() * exact_by[word]() if by_result else slope
            check(out, wanted, dy.double().abs() * (x.double().abs() + 1), word, shape, given)
            assert int(room.isnan().sum()) == 64


@pytest.mark.parametrize("word", WORDS)
def test_odd_numbers(torch: Any, word: str) -> None:
    """NaN stays, infinities have limits, and the gradient of ReLU lets no NaN pass where it is 0."""
    x = torch.tensor([math.nan, math.inf, -math.inf, -0.0, 1e30, -1e30, 88.8, -88.8], device="cuda")
    operation, backward = ops.Activation(word), ops.ActivationBackward(word)
    y, wanted = operation(x), activate(word, x)
    assert kernel_of(operation) == "kernels.elements"
    finite = torch.arange(8, device="cuda") != 2  # -inf * 0
    torch.testing.assert_close(y[finite], wanted[finite], equal_nan=True)
    assert word == "relu" or y[0].isnan()
    dx = backward(torch.full_like(x, 2.0), x, y)
    assert kernel_of(backward) == "kernels.elements"
    assert dx[4] == (0.0 if word in ("sigmoid", "tanh") else 2.0)
    assert dx[5] == 0.0
    if word == "relu":
        assert dx.tolist() == [0.0, 2.0, 0.0, 0.0, 2.0, 0.0, 2.0, 0.0]
        infinite = torch.full_like(x, math.inf)
        assert not backward(infinite, x, y)[[0, 2, 3, 5, 7]].any()


def test_what_kernels_leave(torch: Any) -> None:
    """Low addresses, gaps, blends and other numbers are cuDNN's, with the same results."""
    room = torch.randn(4200, device="cuda")
    for word, x in (
        ("gelu", room[1:4001]), ("gelu", room[:4000:2]), ("tanh", room[:4000].double()),
    ):  # fmt: skip
        operation = ops.Activation(word)
        y = operation(x)
        assert not kernel_of(operation).startswith("kernels")
        torch.testing.assert_close(y.double(), activate(word, x.double()), rtol=1e-4, atol=1e-6)
    x, operation = room[:4000], ops.Activation("gelu")
    blended = operation(x, out=torch.ones_like(x), alpha=2.0, beta=3.0)
    torch.testing.assert_close(blended, 2 * activate("gelu", x) + 3)
    swish = ops.Activation("swish", 0.5)
    torch.testing.assert_close(swish(x), x * torch.sigmoid(x / 2))
    assert not kernel_of(swish).startswith("kernels")
    low, high = room[1:4001], torch.empty(4000, device="cuda")  # after an array that it takes
    for _ in range(3):
        operation(x, out=high)
        torch.testing.assert_close(high, activate("gelu", x))
        high.fill_(math.nan)
        operation(low, out=high)
        torch.testing.assert_close(high, activate("gelu", low))


@pytest.mark.parametrize("dtype", BITS)
@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("kind", ["average", "average_without_padding", "sum"])
def test_means(torch: Any, dtype: str, last: bool, kind: str) -> None:
    """Windows that overlap, that leave rows out, and padding of one side, in one to two axes."""
    form = torch.channels_last if last else torch.contiguous_format
    for shape, window, stride, padding in (
        ((1, 8, 16, 16), 2, 2, 0), ((3, 5, 13, 10), (3, 2), (2, 1), (1, 0)),
        ((2, 7, 9, 9), 4, 1, ((2, 1), (0, 3))), ((2, 1, 5, 5), 1, 3, 0), ((1, 6, 3, 2), (3, 2), 1, 0),
    ):  # fmt: skip
        x = numbers(torch, shape, getattr(torch, dtype)).contiguous(memory_format=form)
        operation = ops.Pooling(kind, window, stride, padding)
        like = operation(x)
        room, out = room_for(torch, like)
        operation(x, out=out)
        assert kernel_of(operation) == "kernels.Means"
        assert int(room.isnan().sum()) == 64
        assert torch.equal(out, like)
        sides = [e if isinstance(e, tuple) else (e, e) for e in _pair(padding)]
        flat = [each for pair in reversed(sides) for each in pair]
        wide = torch.nn.functional.pad(x.double(), flat)
        ones = torch.nn.functional.pad(torch.ones_like(x, dtype=torch.float64), flat)
        pool = torch.nn.functional.avg_pool2d
        exact, size, part = (pool(e, window, stride) for e in (wide, wide.abs(), ones))
        if kind == "average_without_padding":
            exact, size = exact / part, size / part
        elif kind == "sum":
            exact, size = (e * math.prod(_pair(window)) for e in (exact, size))
        check(like, exact, size, shape, kind)
    row = numbers(torch, (4, 3, 40), getattr(torch, dtype))
    found = ops.Pooling(kind, 3, batch=False)(row[0])
    assert torch.equal(found, ops.Pooling(kind, 3)(row)[0])


def _pair(number: Any) -> tuple[Any, Any]:
    return number if isinstance(number, tuple) else (number, number)


def test_means_of_odd_numbers(torch: Any) -> None:
    x = torch.zeros(1, 1, 4, 8, device="cuda")
    x[0, 0, 0, 0], x[0, 0, 1, 2], x[0, 0, 0, 4], x[0, 0, 0, 5] = math.nan, math.inf, 3e38, 3e38
    y = ops.average_pool(x)
    assert y[0, 0, 0, 0].isnan()
    assert y[0, 0, 0, 1] == math.inf
    assert not y[0, 0, 1].any()


def test_captures_and_streams(torch: Any) -> None:
    """Kernels are captured, also those that are compiled then, and run in the streams of calls."""
    x = torch.randn(2, 3, 6, 6, device="cuda")
    for operation, wanted in (
        (ops.Activation("gelu_tanh"), activate("gelu_tanh", x)),
        (ops.Pooling("average", 2), torch.nn.functional.avg_pool2d(x, 2)),
    ):
        out = torch.full_like(wanted, math.nan)
        graph, side = torch.cuda.CUDAGraph(), torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side), capturing(graph, side):
            operation(x, out=out)
        graph.replay()
        torch.cuda.synchronize()
        torch.testing.assert_close(out, wanted)
        with torch.cuda.stream(side):
            made = operation(x)
        side.synchronize()
        torch.testing.assert_close(made, wanted)


def test_candidates(torch: Any) -> None:
    """Each can be chosen, and the default is the kernel."""
    x = torch.randn(1, 2, 6, 6, device="cuda")
    for make, wanted, kernel in (
        (lambda **more: ops.Activation("tanh", **more), torch.tanh(x), "kernels.elements"),
        (lambda **more: ops.Activation("gelu", **more), activate("gelu", x), "kernels.elements"),
        (lambda **more: ops.Pooling("average", 2, **more), None, "kernels.Means"),
    ):
        found = [each for each in make().candidates(x, time=True) if each.supported]
        assert kernel in [each.name for each in found]
        assert any(each.via == "graph" for each in found)
        wanted = torch.nn.functional.avg_pool2d(x, 2) if wanted is None else wanted
        for each in found:
            operation = make(choose=each.choose)
            torch.testing.assert_close(operation(x), wanted, rtol=1e-4, atol=1e-6)
            assert (kernel_of(operation) == kernel) == (each.name == kernel), each


def test_a_choice_leaves_no_kernel(torch: Any) -> None:
    x = torch.randn(64, device="cuda")
    for via in ("classic", "graph"):
        operation = ops.Activation("tanh", choose={"via": via})
        torch.testing.assert_close(operation(x), torch.tanh(x), rtol=1e-4, atol=1e-6)
        assert not kernel_of(operation).startswith("kernels")
    with pytest.raises(errors.CudnnError):
        ops.Activation("gelu", choose={"via": "classic"})(x)
