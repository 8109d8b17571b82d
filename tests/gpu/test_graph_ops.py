"""Every operation that the release and the device have, executed against float64 references."""

from __future__ import annotations

import zlib
from typing import Any

import pytest

from tests.gpu import graph_arrays
from tests.graph import expected
from tests.graph.operations import CASES


@pytest.fixture(scope="module")
def release(cudnn: Any) -> tuple[int, ...]:
    number = cudnn.cudnnGetVersion()
    return number // 10000, number // 100 % 100, number % 100


@pytest.fixture
def build(cudnn: Any, handle: Any) -> Any:
    def make(name: str, **options: Any) -> Any:
        case = CASES[name]
        graph = cudnn.Graph(name, **case.settings)
        case.build(graph)
        return graph.build(handle, **options)

    return make


@pytest.mark.parametrize("name", CASES)
def test_an_operation(name: str, release: Any, build: Any, torch: Any, cudnn: Any) -> None:
    case = CASES[name]
    if not expected.is_supported(name, release):
        with pytest.raises(cudnn.CudnnError) as caught:
            build(name, split=False)
        reason = str(caught.value)
        if expected.finalizes(name, release):
            assert expected.NO_ENGINE[name] in reason
        if not expected.is_computed(name, release):
            with pytest.raises(cudnn.CudnnError):
                build(name)
            pytest.skip(f"as expected, not supported: {reason.splitlines()[-1].strip()[:200]}")
    plan = build(name)
    torch.manual_seed(zlib.crc32(name.encode()))  # the same in each process
    inputs, results = graph_arrays.run(torch, plan, case.inputs)
    if case.reference is None:
        pytest.skip("it ran; nothing to compare it with")
    references = case.reference(torch, inputs)
    if not isinstance(references, (tuple, list)):
        references = [references]
    assert len(references) == len(results)
    for operand, result, reference in zip(
        [each for each in plan.operands if each.role == "output"], results, references, strict=True
    ):
        if reference is not None:
            error = graph_arrays.error_of(torch, result, reference)
            assert error <= case.tolerance, f"{operand.name}: error {error:.3g}"


def test_what_is_never_executed_is_told(release: Any, capsys: Any) -> None:
    """Cases that no engine takes, or that need another release, are not run here."""
    never = [name for name in CASES if not expected.is_computed(name, release)]
    known = ((9, 12, 0), (9, 19, 0), (9, 28, 0))
    elsewhere = [n for n in never if any(expected.is_computed(n, each) for each in known)]
    unbuilt = [name for name in never if name not in elsewhere]
    with capsys.disabled():
        print(f"\nbuilt with another release, executed with none: {', '.join(elsewhere)}")
        print(f"no engine takes them alone: {', '.join(unbuilt)}")
    assert set(unbuilt) <= {*expected.NO_ENGINE, *expected.NEVER}
    assert set(elsewhere) <= set(expected.SINCE)


def test_maxima_find_their_way_back(cudnn: Any, handle: Any, torch: Any) -> None:
    """The positions that `resample` returns are those that `resample_backward` takes."""
    how: dict[str, Any] = {"window": 3, "stride": 2, "padding": 1}
    g = cudnn.Graph()
    x = g.tensor((2, 32, 12, 8), "FLOAT", layout="NHWC", name="x")
    y, index = g.resample(x, "MAXPOOL", index=True, **how)
    g.output(y, name="y")
    g.output(index, name="index")
    forward = g.build(handle)
    g = cudnn.Graph()
    dy = g.tensor(y.shape, "FLOAT", layout="NHWC", name="dy")
    back = g.tensor(index.shape, index.data_type, layout="NHWC", name="index")
    dx = g.resample_backward(dy, "MAXPOOL", index=back, shape=x.shape, **how)
    g.output(dx, name="dx")
    backward = g.build(handle)
    a = torch.randn(x.shape, device="cuda").to(memory_format=torch.channels_last)
    b = torch.randn(y.shape, device="cuda").to(memory_format=torch.channels_last)
    result = backward(b, forward(a)[1])
    leaf = a.double().requires_grad_()
    pooled = torch.nn.functional.max_pool2d(leaf, 3, 2, 1)
    (reference,) = torch.autograd.grad(pooled, leaf, b.double())
    assert graph_arrays.error_of(torch, result, reference) < 1e-5


@pytest.mark.parametrize("after_product", [False, True])
def test_remainders_of_large_quotients(cudnn: Any, torch: Any, after_product: bool) -> None:
    """They are exact, up to the rounding of a sum with the divisor, and have its sign."""
    shape = (4, 64, 64)
    signs = [torch.randint(0, 2, shape, device="cuda") * 2 - 1 for _ in range(2)]
    a = (10 ** (torch.rand(shape, device="cuda") * 8) * signs[0]).clamp(-60000, 60000)
    a[0] = 2.0**-24 * signs[0][0]
    b = 10 ** (torch.rand(shape, device="cuda") * 4 - 3) * signs[1]
    b[0] = 3e38 * signs[1][0]  # the quotient rounds to 0
    graph = cudnn.Graph("remainders", io_data_type="FLOAT")
    x = graph.tensor(shape, "HALF" if after_product else "FLOAT", name="a")
    given = {"a": a, "b": b}
    if after_product:
        a = a.half().float()
        given |= {"a": a.half(), "one": torch.eye(64, device="cuda").half()[None]}
        x = x @ graph.tensor((1, 64, 64), "HALF", name="one")
    graph.output(graph.floor_mod(x, graph.tensor(shape, name="b")), name="y")
    plan = graph.build()
    y = graph_arrays.computed(torch, plan, **given)
    exact = torch.remainder(a.double(), b.double())
    assert bool(((y.double() - exact).abs() <= 2.0**-23 * b.double().abs()).all())
    assert bool((y * b >= 0).all())


@pytest.mark.parametrize("seed", range(2))
def test_random_numbers_are_spread(seed: int, cudnn: Any, handle: Any, torch: Any) -> None:
    """Dropout of a product: the share that is kept is the probability, and a seed repeats it."""
    g = cudnn.Graph()
    a = g.tensor((2, 128, 64), "HALF", name="a")
    b = g.tensor((2, 64, 128), "HALF", name="b")
    mask = g.rng((2, 128, 128), probability=0.75, seed=seed, offset=0)
    g.output(g.matmul(a, b) * mask, name="y", data_type="HALF")
    try:
        plan = g.build(handle)
    except cudnn.NotSupportedError as error:
        pytest.skip(f"no engine: {str(error).splitlines()[-1].strip()}")
    arrays = [torch.ones(each.shape, dtype=torch.half, device="cuda") for each in (a, b)]
    first, second = plan(*arrays), plan(*arrays)
    assert (first == second).all()
    assert abs(float((first != 0).double().mean()) - 0.75) < 0.02


@pytest.mark.parametrize("result", ["FLOAT", "INT32", "INT8"])
@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
def test_convolutions_of_int8(cudnn: Any, torch: Any, layout: str, result: str) -> None:
    """By what is chosen, and by what else heuristics suggest first."""
    graph = cudnn.Graph(f"INT8 {layout}", compute_data_type="INT32")
    x, w = (
        graph.tensor(shape, data_type="INT8", layout=layout, name=name)
        for name, shape in (("x", (2, 32, 9, 9)), ("w", (64, 32, 3, 3)))
    )
    graph.output(graph.convolution(x, w, padding=1), name="y", data_type=result)
    # Sums of such products fit into INT8.
    data = {n: torch.randint(-1, 2, t.shape).flatten().tolist() for n, t in (("x", x), ("w", w))}
    found = graph.candidates()[:4]
    assert found
    for each in found:
        inputs, (y,) = graph_arrays.run(torch, each.build(), data)
        wanted = torch.nn.functional.conv2d(inputs["x"], inputs["w"], padding=1)
        assert wanted.abs().max() < 128
        assert torch.equal(y.double(), wanted), (each.engine, each.knobs)


def test_truth_values_in_memory(cudnn: Any, torch: Any) -> None:
    """Engines have eight in a byte: arrays of bool are refused, and stay as they are."""
    x = torch.randn(4, 16, 8, 8, device="cuda")
    g = cudnn.Graph()
    g.output(g.greater(g.tensor(x, name="x"), 0.0), name="y")
    plan = g.build()
    wanted = x > 0
    y = torch.full((4096,), True, device="cuda").view(4, 16, 8, 8)
    with pytest.raises(cudnn.errors.ArgumentError, match="y: expected uint8 with packed bits"):
        plan(x=x, y=y)
    assert bool(y.all())
    bits = plan(x=x)
    torch.cuda.synchronize()
    assert (bits.dtype, bits.shape) == (torch.uint8, (512,))
    places = torch.arange(8, device="cuda")
    assert torch.equal((bits[:, None] >> places & 1).bool().view_as(wanted), wanted)

    g = cudnn.Graph()
    inputs = [g.tensor(x, name="x"), g.tensor(x, name="b"), g.tensor(wanted, name="m")]
    g.output(g.binary_select(*inputs), name="z")
    plan = g.build()
    b, z = torch.randn_like(x), torch.full_like(x, float("nan"))
    with pytest.raises(cudnn.errors.ArgumentError, match="m: expected uint8 with packed bits"):
        plan(x=x, b=b, m=wanted, z=z)
    assert bool(z.isnan().all())
    plan(x=x, b=b, m=bits, z=z)
    torch.cuda.synchronize()
    assert torch.equal(z, torch.where(wanted, x, b))
