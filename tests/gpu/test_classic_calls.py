"""Classic functions that the compiled layer calls, and chains of them, against float64.

Each is called with one kind of arrays again and again: the first calls go through Python, and the
last ones must not. Outputs lie in memory that held NaN.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from cudnn_cffi import errata

from tests.gpu.conftest import capturing
from tests.threads import in_threads

TYPES = {"float64": 1e-12, "float32": 2e-5, "float16": 3e-3, "bfloat16": 2e-2}

#: Name: the call of `ops`, the same by PyTorch, and the shapes of the arrays.
CASES: dict[str, tuple[Callable[..., Any], Callable[..., Any], tuple[tuple[int, ...], ...]]] = {
    "relu": (lambda o: o.Activation("relu"), lambda _, x: x.relu(), ((3, 5, 7, 11),)),
    "tanh": (lambda o: o.Activation("tanh"), lambda _, x: x.tanh(), ((3, 5, 7, 11),)),
    "softmax": (lambda o: o.Softmax("last"), lambda _, x: x.softmax(-1), ((6, 30),)),
    "log_softmax": (
        *(lambda o: o.Softmax(log=True), lambda _, x: x.log_softmax(1)),
        ((2, 5, 3, 4),),
    ),
    "softmax_backward": (
        lambda o: o.SoftmaxBackward("last"),
        lambda _, dy, y: (dy - (dy * y).sum(-1, keepdim=True)) * y,
        ((6, 30), (6, 30)),
    ),
    "max_pool": (
        lambda o: o.Pooling("max", 2, choose={"via": "classic"}),
        lambda f, x: f.max_pool2d(x, 2),
        ((3, 4, 8, 6),),
    ),
    "average_pool": (
        lambda o: o.Pooling("average", 3, 2, 1, choose={"via": "classic"}),
        lambda f, x: f.avg_pool2d(x, 3, 2, 1),
        ((3, 4, 8, 6),),
    ),
    "add": (lambda o: o.TensorOperation("add"), lambda _, a, b: a + b, ((3, 4, 5, 6),) * 2),
    "mul": (
        lambda o: o.TensorOperation("mul", alpha2=0.5),
        lambda _, a, b: a * b * 0.5,
        ((3, 4, 5, 6), (1, 4, 1, 1)),
    ),
    "reduce": (lambda o: o.Reduction("sum", 1), lambda _, x: x.sum(1), ((4, 6, 5, 3),)),
    "bias": (
        lambda o: o.ConvolutionBackwardBias(choose={"via": "classic"}),
        lambda _, dy: dy.sum((0, 2, 3)),
        ((3, 8, 5, 6),),
    ),
    "convolution": (
        lambda o: o.Convolution(1, choose={"via": "classic"}),
        lambda f, x, w: f.conv2d(x, w, None, 1, 1),
        ((2, 8, 9, 10), (16, 8, 3, 3)),
    ),
    "convolution, bias, residual, relu": (
        lambda o: o.Convolution(1, activation="relu", choose={"via": "classic"}),
        lambda f, x, w, b, r: (f.conv2d(x, w, b, 1, 1) + r).relu(),
        ((2, 8, 9, 10), (16, 8, 3, 3), (16,), (2, 16, 9, 10)),
    ),
    "transposed convolution, bias": (
        lambda o: o.ConvolutionTranspose(1, 2),
        lambda f, x, w, b: f.conv_transpose2d(x, w, b, 2, 1),
        ((2, 16, 9, 10), (16, 8, 3, 3), (8,)),
    ),
    "local_response_norm": (
        lambda o: o.LocalResponseNorm(5, 1e-2, 0.75, 1.0),
        lambda f, x: f.local_response_norm(x, 5, 1e-2, 0.75, 1.0),
        ((2, 12, 5, 6),),
    ),
}


def in_python(monkeypatch: pytest.MonkeyPatch, cudnn: Any, *, allowed: bool) -> None:
    """Have calls fail that do not go straight to C, where something was compiled."""
    from cudnn_cffi._call import mode
    from cudnn_cffi.plan.run.launcher import Launcher

    if mode() == "api" and not allowed:
        monkeypatch.setattr(Launcher, "_run", lambda *_: pytest.fail("it was made in Python"))
        monkeypatch.setattr(
            cudnn.ops.Operation, "run", lambda *_, **__: pytest.fail("it was looked up in Python")
        )


def poison(torch: Any) -> None:
    """Have the next small outputs lie in memory with NaN."""
    kept = [torch.full((4096,), float("nan"), device="cuda") for _ in range(4)]
    torch.cuda.synchronize()
    del kept


def check(got: Any, expected: Any, tolerance: float, what: str) -> None:
    difference = (got.detach().cpu().double() - expected).norm()
    assert difference <= tolerance * expected.norm() + tolerance, what


@pytest.fixture
def by_functions() -> Iterator[None]:
    """Have response norm computed by cuDNN's function, in place of several plans."""
    with errata.off("response-norm-running-squares"):
        yield


@pytest.mark.usefixtures("by_functions")
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", CASES)
def test_again_and_again(
    cudnn: Any, torch: Any, fresh: Any, monkeypatch: pytest.MonkeyPatch, name: str, dtype: str
) -> None:
    make, reference, shapes = CASES[name]
    operation = make(cudnn.ops)
    torch.backends.cuda.matmul.allow_tf32 = False
    tolerance = TYPES[dtype] * (100 if dtype == "float32" and "convolution" in name else 1)
    for turn in range(5):
        if turn == 3:
            in_python(monkeypatch, cudnn, allowed=False)
        given = [fresh(*shape, dtype=dtype) for shape in shapes]
        expected = reference(torch.nn.functional, *[each.cpu().double() for each in given])
        poison(torch)
        try:
            got = operation(*given)
        except cudnn.NotSupportedError as error:
            assert turn == 0
            pytest.skip(error.message.splitlines()[0][:100])
        check(got, expected, tolerance, f"{name}, call {turn}")


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_batch_norm(
    cudnn: Any, torch: Any, fresh: Any, monkeypatch: pytest.MonkeyPatch, dtype: str
) -> None:
    train, back = cudnn.ops.BatchNorm(momentum=0.25), cudnn.ops.BatchNormBackward()
    infer, f = cudnn.ops.BatchNormInference(), torch.nn.functional
    tolerance = TYPES[dtype]
    mean, variance = fresh(6, dtype="float32"), fresh(6, dtype="float32").abs() + 1
    rm, rv = mean.cpu().double(), variance.cpu().double()
    for turn in range(5):
        if turn == 3:
            in_python(monkeypatch, cudnn, allowed=False)
        x, dy = fresh(4, 6, 5, 3, dtype=dtype), fresh(4, 6, 5, 3, dtype=dtype)
        scale, bias = fresh(6, dtype="float32"), fresh(6, dtype="float32")
        rx = x.cpu().double().requires_grad_()
        rs, rb = (each.cpu().double().requires_grad_() for each in (scale, bias))
        expected = f.batch_norm(rx, rm, rv, rs, rb, True, 0.25)
        wanted = torch.autograd.grad(expected, (rx, rs, rb), dy.cpu().double())
        poison(torch)
        y, saved, inverse = train(x, scale, bias, mean, variance)
        found = back(dy, x, scale, saved, inverse)
        check(y, expected.detach(), tolerance, f"y, call {turn}")
        check(mean, rm, 1e-3 if dtype == "float16" else 1e-5, "running mean")
        check(variance, rv, 1e-3 if dtype == "float16" else 1e-5, "running variance")
        for got, want, what in zip(found, wanted, ("dx", "dscale", "dbias"), strict=True):
            check(got, want, 5 * tolerance, f"{what}, call {turn}")
        known = f.batch_norm(rx.detach(), rm, rv, rs.detach(), rb.detach(), False)
        check(infer(x, scale, bias, mean, variance), known, tolerance, "inference")


@pytest.mark.parametrize("reduction", ["none", "sum", "mean"])
def test_cross_entropy(
    cudnn: Any, torch: Any, fresh: Any, monkeypatch: pytest.MonkeyPatch, reduction: str
) -> None:
    forward = cudnn.ops.CrossEntropy(reduction)
    backward = cudnn.ops.CrossEntropyBackward(reduction)
    for turn in range(5):
        if turn == 3:
            in_python(monkeypatch, cudnn, allowed=False)
        x, target = fresh(4, 7, 3, dtype="float32"), fresh(4, 7, 3, dtype="float32").softmax(1)
        rx = x.cpu().double().requires_grad_()
        loss = torch.nn.functional.cross_entropy(rx, target.cpu().double(), reduction=reduction)
        dloss = fresh(*(loss.shape or (1,)), dtype="float32")
        (want,) = torch.autograd.grad(loss, rx, dloss.cpu().double().reshape(loss.shape))
        if reduction == "mean":  # PyTorch divides by the positions, too
            assert loss.ndim == 0
        poison(torch)
        got = forward(x, target)
        check(got, loss.detach().reshape(got.shape), 1e-4, f"loss, call {turn}")
        check(backward(dloss, x, target), want, 1e-4, f"gradient, call {turn}")


def test_numbers_and_outputs_of_each_call(
    cudnn: Any, fresh: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    operation = cudnn.ops.Activation("sigmoid")
    for turn in range(5):
        if turn == 3:
            in_python(monkeypatch, cudnn, allowed=False)
        x, out = fresh(3, 4, 5, 6, dtype="float32"), fresh(3, 4, 5, 6, dtype="float32")
        expected = 0.5 * x.cpu().double().sigmoid() + 2 * out.cpu().double()
        assert operation(x, out=out, alpha=0.5, beta=2.0) is out
        check(out, expected, 1e-6, f"call {turn}")
        expected = x.cpu().double().relu()
        assert cudnn.ops.relu(x, out=x) is x
        check(x, expected, 0, f"in place, call {turn}")


def test_functions(cudnn: Any, torch: Any, fresh: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    f = torch.nn.functional
    for turn in range(6):
        if turn == 4:
            in_python(monkeypatch, cudnn, allowed=False)
        for channels in (8, 16):
            x = fresh(2, channels, 6, 7, dtype="float16")
            w = fresh(8, channels, 3, 3, dtype="float16")
            for stride in (1, 2):
                got = cudnn.ops.convolution(x, w, padding=1, stride=stride)
                want = f.conv2d(x.cpu().double(), w.cpu().double(), None, stride, 1)
                check(got, want, 3e-3, f"convolution, call {turn}")
            check(cudnn.ops.relu(x), x.cpu().double().relu(), 0, "relu")
            want = x.cpu().double().softmax(1)
            check(cudnn.ops.softmax(x), want, 3e-3, f"softmax, call {turn}")


def test_streams(cudnn: Any, torch: Any) -> None:
    operation = cudnn.ops.Activation("relu")
    side, other = torch.cuda.Stream(), torch.cuda.Stream()
    x = torch.zeros(1 << 20, device="cuda")
    out = torch.empty_like(x)
    for turn in range(4):
        number = 2.0 * turn + 1
        with torch.cuda.stream(side):
            torch.cuda._sleep(3_000_000)
            x.fill_(number)
            y = operation(x)  # waits in the same stream for the number
        side.synchronize()
        assert float(y[-1]) == number
        other.wait_stream(side)
        with torch.cuda.stream(other):
            torch.cuda._sleep(3_000_000)
            x.fill_(number + 1)
        operation(x, out=out, stream=other)
        other.synchronize()
        assert float(out[-1]) == number + 1
        torch.cuda.synchronize()


def test_captured(cudnn: Any, torch: Any, fresh: Any) -> None:
    soft, reduce = cudnn.ops.Softmax("last"), cudnn.ops.Reduction("sum", 0)
    x = fresh(32, 64, dtype="float32")
    for _ in range(3):
        reduce(soft(x))
    with capturing(stream=torch.cuda.Stream()) as graph:
        y = reduce(soft(x))
    for _ in range(3):
        x.copy_(fresh(32, 64, dtype="float32"))
        graph.replay()
        torch.cuda.synchronize()
        check(y, x.cpu().double().softmax(-1).sum(0), 1e-5, "replayed")
    check(reduce(soft(x)), x.cpu().double().softmax(-1).sum(0), 1e-5, "after the capture")


def test_threads(cudnn: Any, torch: Any) -> None:
    operation = cudnn.ops.CrossEntropy("none")

    def work(number: int) -> None:
        generator = torch.Generator("cuda").manual_seed(number)
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            for turn in range(30):
                rows = 8 * (1 + (turn + number) % 3)
                x = torch.randn(rows, 33, device="cuda", generator=generator)
                target = torch.rand(rows, 33, device="cuda", generator=generator)
                got = operation(x, target)
                want = -(target.double() * x.double().log_softmax(1)).sum(1)
                assert (got.double() - want).abs().max() <= 1e-3, f"thread {number}, call {turn}"
        stream.synchronize()

    in_threads(work, range(8))


def test_what_does_not_fit_is_refused(cudnn: Any, torch: Any, fresh: Any) -> None:
    operation = cudnn.ops.ActivationBackward("tanh")
    x = fresh(3, 4, 5, 6, dtype="float32")
    for _ in range(3):
        operation(x, x.clone(), x.clone())
    with pytest.raises(cudnn.ShapeMismatchError, match="x: expected the shape"):
        operation(x, fresh(3, 4, 5, 7, dtype="float32"), x.clone())
    with pytest.raises(cudnn.ArgumentError, match="x: expected float32"):
        operation(x, x.half(), x.clone())
    with pytest.raises(cudnn.CudnnError):
        operation(x, x.cpu(), x.clone())
    torch.cuda.synchronize()
