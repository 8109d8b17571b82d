"""Graphs that several plans compute together, on a GPU, against float64."""

# References have the same arguments, whether they need them or not.
# ruff: noqa: ARG001, ARG005

from __future__ import annotations

import copy
import json
import pickle
import zlib
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import pytest

from tests.gpu import graph_arrays
from tests.gpu.conftest import capturing, library
from tests.threads import in_threads

H, F, B = "HALF", "FLOAT", "BFLOAT16"


class Case(NamedTuple):
    """A graph that no engine takes as a whole."""

    build: Callable[[Any], Any]
    reference: Callable[[Any, Mapping[str, Any]], Any]
    tolerance: float = 3e-3
    settings: Mapping[str, Any] = {}


def softmax(shape: tuple[int, ...], data_type: str, layout: Any = None) -> Case:
    def build(g: Any) -> None:
        y, stats = g.softmax(g.tensor(shape, data_type, layout=layout, name="x"), statistics=True)
        g.output(y, name="y", data_type=data_type)
        g.output(stats, name="stats")

    tolerance = {F: 2e-6, H: 1e-3, B: 8e-3}[data_type]
    return Case(
        build, lambda t, a: (a["x"].softmax(-1), a["x"].logsumexp(-1, keepdim=True)), tolerance
    )


def two_convolutions(g: Any) -> None:
    x = g.tensor((2, 32, 12, 10), H, layout="NHWC", name="x")
    w, v = (g.tensor((32, 32, 3, 3), H, layout="NHWC", name=name) for name in "wv")
    y = g.relu(g.convolution(x, w, padding=1))
    g.output(g.relu(g.convolution(y, v, padding=1) + x), name="z", data_type=H)


def two_convolutions_reference(t: Any, a: Any) -> Any:
    conv = t.nn.functional.conv2d
    return (conv(conv(a["x"], a["w"], padding=1).relu(), a["v"], padding=1) + a["x"]).relu()


def perceptron(g: Any) -> None:
    x = g.tensor((4, 64, 48), B, name="x")
    w, v = g.tensor((1, 48, 96), B, name="w"), g.tensor((1, 96, 48), B, name="v")
    y = g.gelu(x @ w) @ v
    g.output(y, name="y", data_type=B)
    g.output(g.reduction(y * y, "ADD", dims=-1), name="norms", data_type=F)


def perceptron_reference(t: Any, a: Any) -> Any:
    y = t.nn.functional.gelu(a["x"] @ a["w"]) @ a["v"]
    return y, (y * y).sum(-1, keepdim=True)


def concatenated(data_type: str, axis: int) -> Case:
    def build(g: Any) -> None:
        shapes = [[2, 3, 4, 5], [2, 3, 4, 5]]
        shapes[0][axis], shapes[1][axis] = 7, 2
        a, b = (g.tensor(s, data_type, name=n) for s, n in zip(shapes, "ab", strict=True))
        g.output(g.concatenate([a, b], axis), name="y")

    return Case(build, lambda t, a: t.cat([a["a"], a["b"]], axis), 0.0)


def concatenated_results(g: Any) -> None:
    a, b = g.tensor((2, 8, 4, 4), H, name="a"), g.tensor((2, 24, 4, 4), H, name="b")
    joined = g.concatenate([g.relu(a), b], 1)
    g.output(g.exp(joined), name="y", data_type=F)


def sliced(g: Any) -> None:
    x = g.tensor((2, 4, 64, 64), name="x")
    part = g.slice(g.exp(x), (0, 1, 16, 3), (2, 4, 48, 64), (1, 2, 1, 5))
    g.output(part, name="part")
    g.output(g.relu(part - 1.0), name="y")


def transposed(shape: tuple[int, ...], order: tuple[int, ...], data_type: str) -> Case:
    def build(g: Any) -> None:
        x = g.tensor(shape, data_type, name="x")
        g.output(g.transpose(x, order), name="y")
        g.output(g.transpose(g.relu(x, data_type=data_type), order), name="z")

    def reference(t: Any, a: Any) -> Any:
        return a["x"].permute(order), a["x"].relu().permute(order)

    return Case(build, reference, 0.0)


def reshaped(g: Any) -> None:
    x = g.tensor((2, 4, 64, 32), H, name="x")
    b = g.tensor((2, 64, 48), H, name="b")
    y = g.matmul(g.reshape(g.relu(x), (2, 128, 64)), b)
    g.output(g.reshape(y, (2, 8, 16, 48)), name="y", data_type=H)


def moved_reference(t: Any, a: Any) -> Any:
    return (a["x"].relu().reshape(2, 128, 64) @ a["b"]).reshape(2, 8, 16, 48)


def reshaped_otherwise(g: Any) -> None:
    """Views of what lies in memory in another order: in row-major order all the same."""
    x = g.tensor((2, 64, 48), H, name="x")
    image = g.tensor((2, 32, 8, 12), H, layout="NHWC", name="image")
    turned = g.transpose(g.relu(x, data_type=H), (0, 2, 1))
    g.output(g.exp(g.reshape(g.transpose(x, (0, 2, 1)), (2, 96, 32))), name="y", data_type=H)
    g.output(g.reshape(turned, (2, 32, 96)), name="z", data_type=H)
    g.output(g.abs(g.reshape(image, (2, 4, 8, 96))), name="seen", data_type=H)


def reshaped_otherwise_reference(t: Any, a: Any) -> Any:
    turned = a["x"].transpose(1, 2)
    return (
        turned.reshape(2, 96, 32).exp(),
        turned.relu().reshape(2, 32, 96),
        a["image"].reshape(2, 4, 8, 96).abs(),
    )


def batch_norm_given(g: Any) -> None:
    """Inference by statistics of the past."""
    x = g.tensor((8, 32, 12, 8), H, layout="NHWC", name="x")
    names = ("scale", "bias", "mean", "inv_variance")
    p = {each: g.tensor((1, 32, 1, 1), F, layout="NHWC", name=each) for each in names}
    g.output(g.norm_forward("BATCH_NORM", "INFERENCE", x, **p).y, name="y", data_type=H)


def batch_norm_given_reference(t: Any, a: Any) -> Any:
    return (a["x"] - a["mean"]) * a["inv_variance"] * a["scale"] + a["bias"]


def heads(g: Any) -> None:
    """Rows that are split into heads, and put together again after a product."""
    x, w = g.tensor((2, 64, 96), H, name="x"), g.tensor((1, 96, 96), H, name="w")
    q = g.transpose(g.reshape(g.matmul(x, w, data_type=H), (2, 64, 4, 24)), (0, 2, 1, 3))
    scores = g.softmax(g.matmul(q, g.transpose(q, (0, 1, 3, 2))) * 0.2)
    o = g.matmul(scores, q)
    y = g.reshape(g.transpose(o, (0, 2, 1, 3)), (2, 64, 96), mode="LOGICAL")
    g.output(y, name="y", data_type=H)


def heads_reference(t: Any, a: Any) -> Any:
    q = (a["x"] @ a["w"]).reshape(2, 64, 4, 24).transpose(1, 2)
    o = (q @ q.transpose(2, 3) * 0.2).softmax(-1) @ q
    return o.transpose(1, 2).reshape(2, 64, 96)


def reduced(mode: str, shape: tuple[int, ...], dims: Any) -> Case:
    def build(g: Any) -> None:
        g.output(g.reduction(g.tensor(shape, name="x"), mode, dims=dims), name="y")

    functions: dict[str, Any] = {
        "MAX": lambda x: x.amax(dims, keepdim=True),
        "ADD": lambda x: x.sum(dims, keepdim=True),
        "NORM2": lambda x: x.square().sum(dims, keepdim=True).sqrt(),
    }
    return Case(build, lambda t, a: functions[mode](a["x"]), 3e-6)


def repeated(g: Any) -> None:
    """Tensors of several shapes, which engines take as channels-last images alone."""
    x, b = g.tensor((4, 48, 64), name="x"), g.tensor((1, 48, 1), name="b")
    g.output(g.relu(x + b), name="y")


def standardized(g: Any) -> None:
    x = g.tensor((6, 4, 80), name="x")
    mean = g.reduction(x, "AVG", dims=-1)
    centred = x - mean
    variance = g.reduction(centred * centred, "AVG", dims=-1)
    g.output(centred * g.rsqrt(variance + 1e-5), name="y")


def standardized_reference(t: Any, a: Any) -> Any:
    return t.nn.functional.layer_norm(a["x"], (80,))


def compared(g: Any) -> None:
    """Truth values that one part has for another."""
    x, y = g.tensor((4, 64, 48), name="x"), g.tensor((4, 64, 48), name="b")
    above = x > y
    g.output(g.reduction(x, "MAX", dims=-1), name="most")
    g.output(g.binary_select(g.exp(x), g.reduction(y, "MAX", dims=-1), above), name="y")


def compared_reference(t: Any, a: Any) -> Any:
    most = a["b"].amax(-1, keepdim=True)
    return a["x"].amax(-1, keepdim=True), t.where(a["x"] > a["b"], a["x"].exp(), most)


def statistics(g: Any) -> None:
    total, squares = g.gen_stats(g.tensor((4, 32, 12, 12), H, layout="NHWC", name="x"))
    g.output(total, name="sum")
    g.output(squares, name="squares")


def statistics_reference(t: Any, a: Any) -> Any:
    dims = (0, 2, 3)
    return a["x"].sum(dims, keepdim=True), a["x"].square().sum(dims, keepdim=True)


def kept_factor(g: Any) -> None:
    """A result of FLOAT that a product reads beside HALF."""
    x, w = g.tensor((4, 64, 48), H, name="x"), g.tensor((1, 48, 96), H, name="w")
    y = g.exp(x)
    g.output(y, name="y", data_type=F)
    g.output(y @ w, name="z", data_type=F)


def gated(g: Any) -> None:
    """A result of one row or column that is repeated."""
    x, b = g.tensor((24, 80), name="x"), g.tensor((24, 1), name="b")
    c = g.tensor((1, 80), name="c")
    g.output(x * g.exp(b), name="y")
    g.output(x * g.exp(c), name="z")


CASES = {
    "gated": Case(gated, lambda t, a: (a["x"] * a["b"].exp(), a["x"] * a["c"].exp()), 2e-6),
    "kept-factor": Case(kept_factor, lambda t, a: (a["x"].exp(), a["x"].exp() @ a["w"])),
    "softmax-float": softmax((8, 16, 128, 100), F),
    "softmax-half": softmax((3, 70, 64), H),
    "softmax-bfloat16": softmax((2, 3, 33, 40), B),
    "softmax-rows": softmax((200, 1000), F),
    "softmax-nhwc": softmax((2, 16, 12, 24), F, "NHWC"),
    "two-convolutions": Case(two_convolutions, two_convolutions_reference),
    "perceptron": Case(perceptron, perceptron_reference, 2e-2),
    **{
        f"concatenated-{kind.lower()}-{axis}": concatenated(kind, axis)
        for kind, axis in [
            *((F, axis) for axis in range(4)),
            *((kind, 1) for kind in (H, B, "INT8", "INT32", "INT64", "BOOLEAN", "UINT8")),
            *(("DOUBLE", 2), ("FP8_E4M3", 3), ("FP8_E5M2", 0)),
        ]
    },
    "concatenated-results": Case(
        concatenated_results, lambda t, a: t.cat([a["a"].relu(), a["b"]], 1).exp()
    ),
    "sliced": Case(
        sliced,
        lambda t, a: (
            a["x"].exp()[:, 1:4:2, 16:48, 3::5],
            (a["x"].exp()[:, 1:4:2, 16:48, 3::5] - 1).relu(),
        ),
        2e-6,
    ),
    "transposed-2": transposed((48, 70), (1, 0), F),
    "transposed-3": transposed((4, 48, 70), (0, 2, 1), H),
    "transposed-4": transposed((2, 6, 10, 14), (3, 1, 0, 2), F),
    "transposed-5": transposed((2, 3, 4, 5, 6), (0, 2, 1, 4, 3), B),
    "transposed-6": transposed((2, 3, 4, 5, 6, 7), (5, 1, 3, 0, 4, 2), F),
    "transposed-large": transposed((64, 128, 1024), (2, 1, 0), H),
    "reshaped": Case(reshaped, moved_reference),
    "reshaped-otherwise": Case(reshaped_otherwise, reshaped_otherwise_reference, 1e-3),
    "batch-norm-given": Case(batch_norm_given, batch_norm_given_reference),
    "heads": Case(heads, heads_reference, 5e-3),
    "reduced-middle": reduced("MAX", (4, 64, 48), 1),
    "reduced-channels": reduced("ADD", (2, 16, 12, 8), 1),
    "reduced-images": reduced("ADD", (2, 16, 12, 8), (0, 2, 3)),
    "reduced-norm": reduced("NORM2", (4, 64, 48), -1),
    "repeated": Case(repeated, lambda t, a: (a["x"] + a["b"]).relu(), 1e-6),
    "standardized": Case(standardized, standardized_reference, 1e-5),
    "compared": Case(compared, compared_reference, 2e-6),
    "statistics": Case(statistics, statistics_reference, 2e-3),
}


def graph_of(cudnn: Any, name: str) -> Any:
    case = CASES[name]
    graph = cudnn.Graph(name.replace("-", "_"), **case.settings)
    case.build(graph)
    return graph


def run(torch: Any, plan: Any, case: Case) -> list[float]:
    inputs, results = graph_arrays.run(torch, plan, {})
    references = case.reference(torch, inputs)
    references = references if isinstance(references, tuple) else (references,)
    return [
        graph_arrays.error_of(torch, result, reference)
        for result, reference in zip(results, references, strict=True)
    ]


@pytest.mark.parametrize("name", CASES)
def test_numbers(name: str, cudnn: Any, handle: Any, torch: Any) -> None:
    plan = graph_of(cudnn, name).build(handle)
    assert plan.parts
    torch.manual_seed(zlib.crc32(name.encode()))
    for _ in range(3):
        found = run(torch, plan, CASES[name])
        assert max(found) <= CASES[name].tolerance, (found, str(plan))


@pytest.mark.parametrize("name", ["softmax-half", "heads", "concatenated-results", "sliced"])
def test_saved_and_captured_and_threads(name: str, cudnn: Any, torch: Any) -> None:
    case = CASES[name]
    graph = graph_of(cudnn, name)
    plan = graph.build()
    assert len(plan.parts) > 1
    assert graph.build() is plan
    text = plan.to_json()
    for again in (cudnn.Plan.from_json(text), pickle.loads(pickle.dumps(plan)), copy.copy(plan)):
        assert type(again) is type(plan)
        assert max(run(torch, again, case)) <= case.tolerance
    with pytest.raises(cudnn.ArgumentError, match="damaged"):
        cudnn.Plan.from_json(json.dumps(json.loads(text) | {"buffers": 1}))

    # Captured in a graph, which is replayed with other numbers.
    inputs = [graph_arrays.laid_out(torch, torch.randn(each.shape), each) for each in plan.inputs]
    outputs = [graph_arrays.poisoned(torch, each) for each in plan.outputs]
    with capturing() as captured:
        plan(*inputs, *outputs)
    for _ in range(3):
        for array in inputs:
            array.copy_(torch.randn(array.shape))
        for array in outputs:
            array.fill_(float("nan"))
        captured.replay()
        torch.cuda.synchronize()
        known = {e.name: a.cpu().double() for e, a in zip(plan.inputs, inputs, strict=True)}
        references = case.reference(torch, known)
        references = references if isinstance(references, tuple) else (references,)
        for result, reference in zip(outputs, references, strict=True):
            assert graph_arrays.error_of(torch, result.cpu(), reference) <= case.tolerance

    # From several threads at the same time, each in a stream of its own.
    found: list[float] = []

    def work(turns: int) -> None:
        with torch.cuda.stream(torch.cuda.Stream()):
            for _ in range(turns):
                found.extend(run(torch, plan, case))

    in_threads(work, [5] * 4)
    assert len(found) == 4 * 5 * len(outputs)
    assert max(found) <= case.tolerance


@pytest.mark.parametrize("kind", ["cupy", "own"])
def test_arrays_of_other_libraries(cudnn: Any, torch: Any, kind: str) -> None:
    plan = graph_of(cudnn, "softmax-half").build()
    (operand,) = plan.inputs
    x = graph_arrays.laid_out(torch, torch.randn(operand.shape), operand)
    torch.cuda.synchronize()
    convert = library("cupy").from_dlpack if kind == "cupy" else cudnn.DeviceArray.from_dlpack
    given = convert(x)
    y, _ = plan(given)
    torch.cuda.synchronize()
    assert type(y) is type(given)
    result = torch.from_dlpack(y).cpu()
    assert graph_arrays.error_of(torch, result, x.cpu().double().softmax(-1)) < 1e-3


def test_in_place_is_refused(cudnn: Any, torch: Any) -> None:
    plan = graph_of(cudnn, "softmax-half").build()
    (operand,) = plan.inputs
    x = graph_arrays.laid_out(torch, torch.randn(operand.shape), operand)
    with pytest.raises(cudnn.ArgumentError, match="y: expected memory of its own"):
        plan(x, x)


def test_it_is_only_done_where_it_has_to_be(cudnn: Any) -> None:
    graph = graph_of(cudnn, "softmax-half")
    with pytest.raises(cudnn.NoPlanError, match="no engine supports this graph"):
        graph.build(split=False)
    with pytest.raises(cudnn.NotSupportedError, match="bytes of workspace; at most 100 are"):
        graph.build(workspace_limit=100)
    g = cudnn.Graph()
    g.output(g.relu(g.tensor((4, 8, 16), name="x")), name="y")
    assert type(g.build()) is cudnn.Plan


def test_matrices_by_rows_and_by_columns(cudnn: Any, torch: Any) -> None:
    """Engines take these, and leave elements unwritten: copies make them one layout."""
    g = cudnn.Graph()
    x = g.tensor((48, 70), strides=(1, 48), name="x")
    b = g.tensor((48, 70), name="b")
    g.output(g.exp(x) + b, name="y")
    with pytest.raises(cudnn.NotSupportedError, match="some by columns: x"):
        g.build(split=False)
    case = Case(lambda _: None, lambda t, a: a["x"].exp() + a["b"], 2e-6)
    assert max(run(torch, g.build(), case)) < case.tolerance


@pytest.mark.parametrize(
    "kind",
    [F, "DOUBLE", H, B, "INT8", "UINT8", "INT32", "INT64", "BOOLEAN", "FP8_E4M3", "FP8_E5M2"],
)
def test_copies_keep_every_bit(cudnn: Any, torch: Any, kind: str) -> None:
    """Also of numbers that are denormal or very large; NaN stays NaN."""
    g = cudnn.Graph()
    g.output(g.transpose(g.tensor((3, 5, 7, 9), kind, name="x"), (2, 0, 3, 1)), name="y")
    plan = g.build()
    dtype = getattr(torch, graph_arrays.TYPES[kind])
    size = dtype.itemsize
    torch.manual_seed(3)
    data = torch.randint(0, 256, (3, 5, 7, 9 * size), dtype=torch.uint8, device="cuda")
    if kind == "BOOLEAN":
        data &= 1
    x = data.view(dtype)
    y = torch.empty((7, 3, 9, 5), dtype=dtype, device="cuda")
    y.view(torch.uint8).fill_(0x55)
    plan(x, y)
    torch.cuda.synchronize()
    wanted = x.permute(2, 0, 3, 1).contiguous()
    same = (y.view(torch.uint8) == wanted.view(torch.uint8)).view(*y.shape, size).all(-1)
    if dtype.is_floating_point:
        same |= (
            y.isnan() & wanted.isnan() if size > 1 else y.float().isnan() & wanted.float().isnan()
        )
    assert bool(same.all()), (y[~same][:8], wanted[~same][:8])


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("reduces", [False, True])
def test_a_result_that_is_repeated_along_rows(
    cudnn: Any, torch: Any, reduces: bool, dtype: str
) -> None:
    x = torch.randn(1, 5, 3, 8, device="cuda").to(getattr(torch, dtype))
    s = torch.randn(1, 5, 1, 1, device="cuda")
    g = cudnn.Graph(intermediate_data_type="FLOAT", compute_data_type="FLOAT")
    small = g.mul(g.tensor(s, name="s"), 0.25)
    centred = g.sub(g.tensor(x, name="x"), small)
    g.output(small, name="small", data_type="FLOAT")
    wanted = {"small": s / 4, "y": x.float() - s / 4}
    y = g.mul(centred, centred) if reduces else centred
    if reduces:
        y = g.reduction(y, "ADD", shape=(1, 5, 1, 1))
        wanted["y"] = wanted["y"].square().sum((2, 3), True)
    g.output(y, name="y", data_type="FLOAT")
    found = {name: torch.full_like(each, float("nan")) for name, each in wanted.items()}
    g.build()(x=x, s=s, **found)
    torch.testing.assert_close(found, wanted, rtol=1e-5, atol=1e-5)
