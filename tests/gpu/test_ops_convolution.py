"""Convolutions of `ops` and their gradients, against PyTorch on the CPU in float64."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from cudnn_cffi.choice.store import background

from tests.gpu.conftest import captured, laid_out, reference

TYPES = {"float64": 1e-12, "float32": 2e-3, "float16": 3e-3, "bfloat16": 2e-2}


@pytest.fixture(autouse=True)
def reset(cudnn: Any) -> Any:
    cudnn.choice.set_default()
    yield
    cudnn.choice.set_default()


def convolve(torch: Any, spatial: int) -> Any:
    return getattr(torch.nn.functional, f"conv{spatial}d")


def transpose(torch: Any, spatial: int) -> Any:
    return getattr(torch.nn.functional, f"conv_transpose{spatial}d")


def draw(seed: int) -> dict[str, Any]:
    """Return a random convolution."""
    chance = random.Random(seed)
    spatial = chance.choice([1, 2, 2, 2, 3])
    groups = chance.choice([1, 1, 1, 2, 4])
    kernel = tuple(chance.choice([1, 2, 3]) for _ in range(spatial))
    dilation = tuple(chance.choice([1, 1, 2]) for _ in range(spatial))
    stride = tuple(chance.choice([1, 1, 2]) for _ in range(spatial))
    padding = tuple(chance.randrange(0, k) for k in kernel)
    extents = tuple(chance.randrange(7, 13) for _ in range(spatial))
    channels, filters = 8 * groups, groups * chance.choice([4, 8])
    return {
        "x": (chance.choice([1, 2, 3]), channels, *extents),
        "w": (filters, channels // groups, *kernel),
        "groups": groups,
        "window": {"padding": padding, "stride": stride, "dilation": dilation},
    }


@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("seed", range(6))
def test_random(
    ops: Any, torch: Any, cudnn: Any, fresh: Any, error_of: Any,
    dtype: str, layout: str, seed: int,
) -> None:  # fmt: skip
    case = draw(seed)
    window, spatial = case["window"], len(case["x"]) - 2
    x = laid_out(torch, fresh(*case["x"], dtype=dtype), layout)
    w = laid_out(torch, fresh(*case["w"], dtype=dtype), layout)
    b = fresh(case["w"][0], dtype=dtype)
    rx, rw, rb = (reference(each).requires_grad_() for each in (x, w, b))
    plain = convolve(torch, spatial)(rx, rw, None, groups=case["groups"], **window)
    expected = plain + rb.reshape(1, -1, *[1] * spatial)
    conv = ops.Convolution(**window)
    out = laid_out(torch, torch.full_like(plain, float("nan")).to(x), layout)
    try:
        if out.stride() != conv.plan(x, w).outputs[0].strides:
            out = None
        y = conv(x, w, out=out)
    except cudnn.NotSupportedError as error:
        pytest.skip(f"no engine and no algorithm: {error.message[:80]}")
    assert out is None or y is out
    assert error_of(y, plain.detach()) < TYPES[dtype]
    assert error_of(conv(x, w, b), expected.detach()) < TYPES[dtype]
    dy = fresh(*plain.shape, dtype=dtype)
    dy = laid_out(torch, dy, layout)
    expected.backward(reference(dy))
    try:
        found = conv.backward(dy, x, w)
    except cudnn.NotSupportedError as error:
        pytest.skip(f"no gradient: {error.message[:80]}")
    for name, got, wanted in zip(found._fields, found, (rx.grad, rw.grad, rb.grad), strict=True):
        if dtype == "bfloat16" and name == "bias":
            continue
        assert error_of(got, wanted) < 2 * TYPES[dtype], name


@pytest.mark.parametrize("time", range(3))
@pytest.mark.parametrize("activation", ["relu", "tanh", "sigmoid", "elu", "swish", "gelu"])
@pytest.mark.parametrize(("dtype", "layout"), [("float32", "NCHW"), ("float16", "NHWC")])
def test_fused(
    ops: Any, torch: Any, fresh: Any, error_of: Any, activation: str, dtype: str, layout: str,
    time: int,
) -> None:  # fmt: skip
    del time  # each time other numbers
    x, w = (
        fresh(2, 16, 9, 11, dtype=dtype, layout=layout),
        fresh(24, 16, 3, 3, dtype=dtype, layout=layout),
    )
    b, r = fresh(24, dtype=dtype), fresh(2, 24, 9, 11, dtype=dtype, layout=layout)
    plain = convolve(torch, 2)(reference(x), reference(w), reference(b), padding=1) + reference(r)
    functional = torch.nn.functional
    f = {"swish": functional.silu}.get(activation) or getattr(functional, activation)
    y = ops.convolution(x, w, b, r, padding="same", activation=activation)
    expected = f(plain)
    worst = (y.cpu().double() - expected).abs().flatten().topk(5).indices
    told = [
        (float(plain.flatten()[at]), float(y.cpu().flatten()[at]), float(expected.flatten()[at]))
        for at in worst
    ]
    op = ops.Convolution("same", activation=activation)
    assert error_of(y, expected) < 3 * TYPES[dtype], (
        op.plan(x, w, b, r), "input, result, expected:", told
    )  # fmt: skip


@pytest.mark.parametrize("choose", [None, {"via": "classic"}])
def test_a_residual_in_the_place_of_the_result(
    ops: Any, torch: Any, cudnn: Any, fresh: Any, error_of: Any, choose: Any
) -> None:
    """One engine adds what was there; several calls would add what the first has written."""
    x, w, r = fresh(2, 16, 9, 11), fresh(24, 16, 3, 3), fresh(2, 24, 9, 11)
    expected = convolve(torch, 2)(reference(x), reference(w), padding=1) + reference(r)
    for _ in range(3):
        out, told = r.clone(), ""
        try:
            y = ops.convolution(x, w, None, out, padding=1, out=out, choose=choose)
        except cudnn.ArgumentError as error:
            told = error.message
        if told:
            assert "it overlaps residual" in told
            assert torch.equal(out, r)
        else:
            assert choose is None
            assert error_of(y, expected) < TYPES["float32"]


@pytest.mark.parametrize("activation", ["relu", "sigmoid", "tanh"])
def test_backward_through_a_large_activation(
    ops: Any, torch: Any, fresh: Any, error_of: Any, activation: str
) -> None:
    """From some MiB on, graphs compute elements: here by the result, which is all that was kept."""
    x, w, dy = fresh(16, 2, 256, 256), fresh(4, 2, 1, 1), fresh(16, 4, 256, 256)
    rx, rw = reference(x).requires_grad_(), reference(w)
    conv = ops.Convolution(activation=activation, choose={"tf32": False})
    y = conv(x, w)
    expected = getattr(torch, activation)(convolve(torch, 2)(rx, rw))
    expected.backward(reference(dy))
    assert error_of(y, expected.detach()) < TYPES["float32"]
    found = conv.backward(dy, x, w, y=y, wants=("x",))
    assert error_of(found.x, rx.grad) < TYPES["float32"]


def test_backward_through_relu(ops: Any, torch: Any, fresh: Any, error_of: Any) -> None:
    x, w, b = fresh(2, 8, 10, 10), fresh(16, 8, 3, 3), fresh(16)
    rx, rw, rb = (reference(each).requires_grad_() for each in (x, w, b))
    conv = ops.Convolution(padding=1, activation="relu", choose={"tf32": False})
    y = conv(x, w, b)
    dy = fresh(2, 16, 10, 10)
    torch.relu(convolve(torch, 2)(rx, rw, rb, padding=1)).backward(reference(dy))
    found = conv.backward(dy, x, w, y=y)
    for got, wanted in zip(found, (rx.grad, rw.grad, rb.grad), strict=True):
        assert error_of(got, wanted) < 1e-4


@pytest.mark.parametrize("word", ["valid", "same", "half", "full"])
@pytest.mark.parametrize("kernel", [1, 2, 3, 5])
def test_words_for_padding(
    ops: Any, torch: Any, fresh: Any, error_of: Any, word: str, kernel: int
) -> None:
    x, w = fresh(2, 8, 12, 10), fresh(8, 8, kernel, kernel)
    rx, rw = reference(x), reference(w)
    if word == "same":
        expected = convolve(torch, 2)(rx, rw, padding="same")
    else:
        size = {"valid": 0, "half": kernel // 2, "full": kernel - 1}[word]
        expected = convolve(torch, 2)(rx, rw, padding=size)
    y = ops.convolution(x, w, padding=word)
    assert y.shape == expected.shape
    assert error_of(y, expected) < TYPES["float32"]


def test_different_padding_before_and_after(
    ops: Any, torch: Any, fresh: Any, error_of: Any
) -> None:
    x, w = fresh(2, 8, 12, 10), fresh(8, 8, 3, 3)
    padded = torch.nn.functional.pad(reference(x), (2, 0, 1, 2))
    y = ops.convolution(x, w, padding=((1, 2), (2, 0)))
    assert error_of(y, convolve(torch, 2)(padded, reference(w))) < TYPES["float32"]


@pytest.mark.parametrize("spatial", [1, 2, 3])
def test_without_a_batch(ops: Any, torch: Any, fresh: Any, error_of: Any, spatial: int) -> None:
    x, w = fresh(8, *(9, 10, 11)[:spatial]), fresh(16, 8, *(3,) * spatial)
    y = ops.convolution(x, w, padding=1)
    expected = convolve(torch, spatial)(reference(x), reference(w), padding=1)
    assert y.shape == expected.shape
    assert error_of(y, expected) < TYPES["float32"]


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
@pytest.mark.parametrize("kind", ["channels", "rows", "columns", "batch", "offset", "turned"])
def test_views(
    ops: Any, torch: Any, cudnn: Any, fresh: Any, error_of: Any, dtype: str, layout: str, kind: str
) -> None:
    """Arrays with gaps, at odd addresses or with other strides are computed right, or refused."""
    whole = fresh(4, 16, 12, 12, dtype=dtype, layout=layout)
    x = {
        "channels": lambda: whole[:, ::2],
        "rows": lambda: whole[:, :8, ::2],
        "columns": lambda: whole[:, :8, :, ::2],
        "batch": lambda: whole[::2, :8],
        "offset": lambda: whole.flatten()[1 : 1 + 2 * 8 * 81].view(2, 8, 9, 9),
        "turned": lambda: whole[:, :8].transpose(2, 3),
    }[kind]()
    w = fresh(16, 8, 3, 3, dtype=dtype, layout=layout)
    expected = convolve(torch, 2)(reference(x), reference(w), padding=1)
    pooled = torch.nn.functional.max_pool2d(reference(x), 2)
    softened = reference(x).softmax(1)
    pairs: list[tuple[Callable[[], Any], Any]] = [
        (lambda: ops.convolution(x, w, padding=1), expected),
        (lambda: ops.max_pool(x), pooled),
        (lambda: ops.relu(x), reference(x).relu()),
        (lambda: ops.softmax(x), softened),
        (lambda: ops.add(x, x), 2 * reference(x)),
    ]
    for call, wanted in pairs:
        try:
            y = call()
        except (cudnn.NotSupportedError, cudnn.BadParamError):
            continue
        assert y.shape == wanted.shape
        assert error_of(y, wanted) < TYPES[dtype]


@pytest.mark.parametrize("bias", [False, True])
def test_transposed(ops: Any, torch: Any, fresh: Any, error_of: Any, bias: bool) -> None:
    x, w = fresh(2, 16, 7, 6), fresh(16, 8, 3, 3)
    b = fresh(8) if bias else None
    rx, rw = (reference(each).requires_grad_() for each in (x, w))
    conv = ops.ConvolutionTranspose(padding=1, stride=2, output_padding=1)
    y = conv(x, w, b)
    expected = transpose(torch, 2)(
        rx, rw, None if b is None else reference(b), stride=2, padding=1, output_padding=1
    )
    assert error_of(y, expected.detach()) < TYPES["float32"]
    dy = fresh(*expected.shape)
    expected.backward(reference(dy))
    found = conv.backward(dy, x, w)
    assert error_of(found.x, rx.grad) < TYPES["float32"]
    assert error_of(found.w, rw.grad) < TYPES["float32"]
    assert error_of(found.bias, reference(dy).sum((0, 2, 3))) < 1e-5


@pytest.mark.parametrize("via", ["graph", "classic"])
def test_alpha_and_beta(ops: Any, torch: Any, fresh: Any, error_of: Any, via: str) -> None:
    x, w, y = fresh(2, 8, 9, 9), fresh(16, 8, 3, 3), fresh(2, 16, 9, 9)
    before = reference(y)
    made = convolve(torch, 2)(reference(x), reference(w), padding=1)
    found = ops.convolution(x, w, padding=1, out=y, alpha=0.5, beta=2.0, choose={"via": via})
    assert found is y
    assert error_of(y, 0.5 * made + 2 * before) < TYPES["float32"]


@pytest.mark.parametrize("via", ["graph", "classic"])
def test_float64(ops: Any, torch: Any, fresh: Any, error_of: Any, via: str) -> None:
    """Factors of float64 are read as float64."""
    x, w = fresh(2, 8, 9, 9, dtype="float64"), fresh(16, 8, 3, 3, dtype="float64")
    dy = fresh(2, 16, 9, 9, dtype="float64")
    rx, rw = (reference(each).requires_grad_() for each in (x, w))
    y = convolve(torch, 2)(rx, rw, padding=1)
    y.backward(reference(dy))
    conv = ops.Convolution(1, choose={"via": via})
    assert error_of(conv(x, w), y.detach()) < 1e-12
    found = conv.backward(dy, x, w, wants=("x", "w"))
    assert error_of(found.x, rx.grad) < 1e-12
    assert error_of(found.w, rw.grad) < 1e-12


@pytest.mark.parametrize("section", ["forward", "data", "filter"])
def test_every_candidate(
    ops: Any, torch: Any, cudnn: Any, fresh: Any, poisoned: Any, error_of: Any, section: str
) -> None:
    """Each algorithm and engine that is listed as supported computes the right numbers."""
    x, w, dy = fresh(2, 16, 12, 12), fresh(16, 16, 3, 3), fresh(2, 16, 12, 12)
    rx, rw = (reference(each).requires_grad_() for each in (x, w))
    y = convolve(torch, 2)(rx, rw, padding=1)
    y.backward(reference(dy))
    op, given, more, wanted = {
        "forward": (ops.Convolution(1), (x, w), {}, y.detach()),
        "data": (ops.ConvolutionBackwardData(1), (dy, w), {"shape": tuple(x.shape)}, rx.grad),
        "filter": (ops.ConvolutionBackwardFilter(1), (x, dy), {"shape": tuple(w.shape)}, rw.grad),
    }[section]
    found = op.candidates(*given, **more)
    supported = [each for each in found if each.supported]
    assert {each.via for each in supported} == {"graph", "classic"}
    tried = 0
    for each in supported:
        out = poisoned(*wanted.shape)
        try:
            op(*given, *more.values(), out=out, choose=each.choose)
        except cudnn.NotSupportedError:
            assert each.via == "graph", each  # only a build compiles
            continue
        assert error_of(out, wanted) < 5e-3, each
        tried += 1
    assert tried > 5


@pytest.mark.parametrize("section", ["data", "filter"])
def test_parts_of_sums_are_not_added_as_float16(
    ops: Any, torch: Any, poisoned: Any, section: str
) -> None:
    """Parts of these sums are beyond the maximum of float16, and cancel."""
    axes = 2 if section == "data" else 3
    sizes = (6, 7, 5)[:axes]
    x = torch.full((2, 8, *sizes), 200.0)
    x[1] = -200.0
    dy = torch.full((2, 8, *[each - 2 for each in sizes]), 200.0)
    w = torch.full((8, 8, *[3] * axes), 200.0)
    w[:, :, 1], w[4:] = -400.0, 0.0
    if section == "data":
        operation, given, more = ops.ConvolutionBackwardData(), (dy, w), tuple(x.shape)
        wanted = transpose(torch, axes)(dy.double(), w.double())
    else:
        operation, given, more = ops.ConvolutionBackwardFilter(), (x, dy), tuple(w.shape)
        wanted = torch.zeros(more, dtype=torch.float64)
    given = tuple(each.half().cuda() for each in given)
    inside = wanted.abs() < 60000
    assert inside.any()
    for choose in (None, "none", {"via": "classic"}, {"via": "classic", "pick": "time"}):
        out = poisoned(*wanted.shape, dtype="float16")
        operation(*given, more, out=out, choose=choose)
        torch.testing.assert_close(
            out.cpu().double()[inside], wanted[inside], rtol=1e-3, atol=1.0, msg=str(choose)
        )
    reasons = {each.name: each.reason for each in operation.candidates(*given, shape=more)}
    assert "adds parts of sums in memory as float16" in reasons["ALGO_0"]
    operation(*given, more, choose="ALGO_0")  # who names it gets it


@pytest.mark.usefixtures("no_choices")  # what another test has timed would be picked
def test_policies_pick_what_they_say(ops: Any, cudnn: Any, fresh: Any) -> None:
    x, w = fresh(2, 16, 12, 12), fresh(16, 16, 3, 3)

    def what(choose: Any = None) -> Any:
        with ops.record() as log:
            ops.Convolution(1)(x, w, choose=choose)
        return log[0]

    assert what("IMPLICIT_GEMM").way == "IMPLICIT_GEMM"
    assert what("none").way == "IMPLICIT_GEMM"
    assert what("small").way == "IMPLICIT_PRECOMP_GEMM"
    assert what({"pick": "none", "via": "graph"}).workspace == 0
    background.wait()  # no more than four plans of other tests are built at a time
    what()
    background.wait()  # for the engine, if it has to be compiled
    assert what().via == "graph"
    assert what({"via": "classic"}).via == "classic"
    assert what({"workspace_limit": 0}).workspace == 0
    first = what()
    index = int(first.way.split()[1])
    assert what({"exclude": [index]}).way != first.way
    assert what({"engine": index, "knobs": first.knobs}).way == first.way
    with cudnn.choice("IMPLICIT_GEMM"):
        assert what().way == "IMPLICIT_GEMM"
        assert what("small").way == "IMPLICIT_PRECOMP_GEMM"
        with cudnn.choice(forward="heuristic"):
            assert what().via == "graph"
    cudnn.conv_fwd_algo = "IMPLICIT_GEMM"
    assert what().way == "IMPLICIT_GEMM"
    cudnn.conv_fwd_algo = None
    cudnn.benchmark = True
    timed = what()
    engine = int(timed.way.split()[1]) if timed.via == "graph" else None
    chosen = [each for each in cudnn.choice.choices() if each.how == "time"]
    assert (engine, timed.knobs) in [(each.engine, dict(each.knobs)) for each in chosen]
    with pytest.raises(cudnn.NotSupportedError):
        what(
            {
                "pick": "IMPLICIT_PRECOMP_GEMM",
                "workspace_limit": 0,
                "exclude": "IMPLICIT_PRECOMP_GEMM",
            }
        )


def test_once(ops: Any, fresh: Any) -> None:
    conv = ops.Convolution(1, choose="time_once")
    w = fresh(16, 16, 3, 3)
    with ops.record() as log:
        conv(fresh(2, 16, 12, 12), w)
        conv(fresh(4, 16, 20, 20), w)
    first, second = log
    assert (first.way, first.knobs) == (second.way, second.knobs)


def test_deterministic(ops: Any, torch: Any, fresh: Any) -> None:
    x, dy = fresh(8, 16, 20, 20), fresh(8, 16, 20, 20)
    op = ops.ConvolutionBackwardFilter(1, choose="deterministic")
    first = op(x, dy, (16, 16, 3, 3))
    for _ in range(100):
        assert torch.equal(op(x, dy, (16, 16, 3, 3)), first)


def test_libraries(ops: Any, cudnn: Any, fresh: Any, error_of: Any, torch: Any) -> None:
    """Results come back in the library of the input."""
    from tests.gpu.conftest import library

    x, w = fresh(2, 8, 9, 9), fresh(16, 8, 3, 3)
    expected = convolve(torch, 2)(reference(x), reference(w))
    cupy = library("cupy")
    y = ops.convolution(cupy.asarray(x), cupy.asarray(w))
    assert type(y).__module__.startswith("cupy")
    assert error_of(torch.as_tensor(y, device="cuda"), expected) < TYPES["float32"]
    y = ops.convolution(
        cudnn.DeviceArray.from_dlpack(x),
        cudnn.DeviceArray.from_dlpack(w),
        choose={"via": "classic"},
    )
    assert isinstance(y, cudnn.DeviceArray)


def test_the_callers_stream(ops: Any, torch: Any, fresh: Any, error_of: Any) -> None:
    x, w = fresh(2, 8, 9, 9), fresh(16, 8, 3, 3)
    expected = convolve(torch, 2)(reference(x), reference(w))
    stream = torch.cuda.Stream()
    torch.cuda.synchronize()
    for via in ("graph", "classic"):
        with torch.cuda.stream(stream):
            y = ops.convolution(x, w, choose={"via": via})
        stream.synchronize()
        assert error_of(y, expected) < TYPES["float32"]


def test_threads(ops: Any, torch: Any, fresh: Any, error_of: Any) -> None:
    """Eight threads share operations, each with shapes of its own and some in common."""
    from concurrent.futures import ThreadPoolExecutor

    conv = ops.Convolution(1)
    w = fresh(16, 8, 3, 3)
    inputs = [fresh(1 + i % 3, 8, 8 + i % 5, 9) for i in range(8)]
    wanted = [convolve(torch, 2)(reference(x), reference(w), padding=1) for x in inputs]

    def work(start: int) -> float:
        worst = 0.0
        for i in range(40):
            at = (start + i) % 8
            y = conv(inputs[at], w, choose={"via": "classic"} if i % 7 == 0 else None)
            torch.cuda.current_stream().synchronize()
            worst = max(worst, error_of(y, wanted[at]))
        return worst

    torch.cuda.synchronize()
    with ThreadPoolExecutor(8) as pool:
        assert max(pool.map(work, range(8))) < TYPES["float32"]


def test_captured(ops: Any, torch: Any, fresh: Any, error_of: Any) -> None:
    x, w = fresh(2, 8, 9, 9), fresh(16, 8, 3, 3)
    conv = ops.Convolution(1, activation="relu", choose={"workspace_limit": 0})
    graph, y = captured(lambda: conv(x, w), 1)
    x.copy_(fresh(2, 8, 9, 9))
    graph.replay()
    expected = convolve(torch, 2)(reference(x), reference(w), padding=1).relu()
    assert error_of(y, expected) < TYPES["float32"]


def test_candidates_are_timed(ops: Any, fresh: Any) -> None:
    x, w = fresh(4, 16, 14, 14), fresh(16, 16, 3, 3)
    found = ops.candidates("convolution", x, w, padding=1, time=True, seconds=10.0)
    timed = [each for each in found if each.time is not None]
    assert {each.via for each in timed} == {"graph", "classic"}
    assert "<table>" in found._repr_html_()
    print(found)


def test_candidates_of_a_transposed_convolution_with_a_bias(
    ops: Any, torch: Any, fresh: Any, error_of: Any
) -> None:
    """A listed candidate wrote its result to the bias."""
    x, w, b = fresh(3, 8, 9, 11), fresh(8, 6, 3, 3), fresh(6)
    operation = ops.ConvolutionTranspose(1, 2)
    expected = transpose(torch, 2)(reference(x), reference(w), reference(b), 2, 1)
    before = b.clone()
    found = operation.candidates(x, w, b, time=True, seconds=5.0)
    timed = [each for each in found if each.time is not None]
    assert timed, found
    for each in timed:
        y = operation(x, w, b, choose=each.choose)
        assert error_of(y, expected) < TYPES["float32"], each
    assert torch.equal(b, before)


@pytest.mark.parametrize("tensor_cores", [True, False])
def test_algorithms_that_are_named_have_the_math_that_they_tell(
    ops: Any, torch: Any, fresh: Any, error_of: Any, tensor_cores: bool
) -> None:
    x, w = fresh(4, 64, 14, 14, dtype="float16"), fresh(64, 64, 3, 3, dtype="float16")
    rule = {} if tensor_cores else {"tensor_cores": False}
    operation = ops.Convolution(1, choose={"via": "classic", **rule})
    expected = convolve(torch, 2)(reference(x), reference(w), padding=1)
    seen = set()
    for name in ("IMPLICIT_GEMM", "IMPLICIT_PRECOMP_GEMM", "GEMM", "FFT_TILING", "WINOGRAD"):
        try:
            way = operation.plan(x, w, choose={"pick": name, **rule})
        except ops.Unfit:
            continue
        conv = next(each for each in way.steps[0].arguments if hasattr(each, "dilation"))
        assert way.math in ("", conv.math.name), way
        seen.add(way.math)
        y = operation(x, w, choose={"pick": name, **rule})
        assert error_of(y, expected) < TYPES["float16"], name
    assert ("TENSOR_OP_MATH" in seen) <= tensor_cores, seen


def test_a_rule_on_tf32_leaves_float16_alone(ops: Any, fresh: Any) -> None:
    x, w = fresh(4, 64, 14, 14, dtype="float16"), fresh(64, 64, 3, 3, dtype="float16")
    ways = [
        ops.Convolution(1).plan(x, w, choose={"via": "classic", **rule})
        for rule in ({}, {"tf32": False})
    ]
    assert ways[0].math == ways[1].math, ways


def test_what_ran_is_recorded(ops: Any, fresh: Any) -> None:
    x, w = fresh(4, 16, 14, 14), fresh(16, 16, 3, 3)
    with ops.record(time=True) as log:
        y = ops.convolution(x, w, padding=1)
        ops.relu(y)
    assert [each.operation for each in log] == ["convolution", "activation"]
    assert all(each.device is not None and each.device > 0 for each in log)
    print(log)


def test_bad_input(ops: Any, cudnn: Any, fresh: Any) -> None:
    x, w = fresh(2, 8, 9, 9), fresh(16, 8, 3, 3)
    for given, more, text in (
        ((x, fresh(16, 4, 3, 3)), {"groups": 1}, "channels"),
        ((x.cpu(), w), {}, "x: "),
        ((x, w.half()), {}, "w: expected float32, got float16"),
        ((x, w, fresh(8)), {}, "bias: expected 16 numbers"),
        ((x, w), {"out": fresh(2, 16, 9, 9)}, "out: expected the shape"),
        ((x, w), {"beta": 1.0}, "out: expected an array"),
        ((x, w), {"choose": "fastest ever"}, "neither a word"),
        ((x, w), {"paddings": 1}, "no argument 'paddings'"),
        ((fresh(9, 9), w), {}, "x: expected 4 axes"),
    ):
        with pytest.raises(cudnn.CudnnError, match=text):
            ops.convolution(*given, **more)
