"""What engines compute wrongly, and what else could be: each engine against float64.

Engines that `choice.errata` leaves out are forced here. Where one of them is right, the erratum has
to end with the release before.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import pytest
from cudnn_cffi.choice.errata import wrong_engines

from tests.gpu import graph_arrays

Make = Callable[[Any, Any], Any]

#: What is done with indices behind a matrix product.
INDICES: dict[str, tuple[Make, Callable[[Any, Any, Any], Any]]] = {
    "rows": (lambda g, x: x + g.gen_index(x, 1), lambda x, r, _: x + r),
    "columns": (lambda g, x: x + g.gen_index(x, 2), lambda x, _, c: x + c),
    "difference": (
        lambda g, x: x + g.sub(g.gen_index(x, 1), g.gen_index(x, 2), data_type="FLOAT"),
        lambda x, r, c: x + r - c,
    ),
    "below the diagonal": (
        lambda g, x: (
            x * g.pointwise("CMP_GE", g.gen_index(x, 1), g.gen_index(x, 2), data_type="FLOAT")
        ),
        lambda x, r, c: x * (r >= c),
    ),
}


def engines(graph: Any) -> list[Any]:
    """Return a candidate of each engine that takes a graph, also of those that are left out."""
    found = {each.engine: each for each in reversed(graph.candidates(every_engine=True))}
    for engine in wrong_engines(graph.computation()):
        try:
            (found[engine],) = graph.candidates(engine=engine)
        except Exception as error:
            print(f"engine {engine}: {error}")
    return list(found.values())


def errors_by_engine(
    cudnn: Any, torch: Any, graph: Any, given: Any, expected: Any
) -> dict[int, float]:
    """Return the error of each engine that computes a graph with an output."""
    errors: dict[int, float] = {}
    for candidate in engines(graph):
        try:
            plan = candidate.build()
        except cudnn.CudnnError as error:
            print(f"engine {candidate.engine}: {error}")
            continue
        result = graph_arrays.poisoned(torch, plan.outputs[0])
        plan(*given, result)
        torch.cuda.synchronize()
        errors[candidate.engine] = graph_arrays.error_of(torch, result.cpu(), expected)
    print(errors)
    return errors


def check(cudnn: Any, torch: Any, graph: Any, given: Any, expected: Any) -> set[int]:
    """Have all engines be right, but for those that are left out; return which of these are."""
    errors = errors_by_engine(cudnn, torch, graph, given, expected)
    wrong = {engine for engine, each in errors.items() if not each < 2e-3}
    known = set(wrong_engines(graph.computation()))
    assert not wrong - known, errors
    return (errors.keys() & known) - wrong


@pytest.mark.parametrize("data_type", ["HALF", "FLOAT"])
def test_indices_behind_a_matrix_product(cudnn: Any, torch: Any, data_type: str) -> None:
    """At least one use of them is wrong with each engine that is left out for it."""
    batch, rows, inner, columns = 6, 72, 32, 96
    kind = getattr(torch, graph_arrays.TYPES[data_type])
    a = torch.randint(-2, 3, (batch, rows, inner), device="cuda").to(kind)
    b = torch.randint(-2, 3, (batch, inner, columns), device="cuda").to(kind)
    product = (a.double() @ b.double()).cpu()
    row = torch.arange(rows, dtype=torch.float64).reshape(1, -1, 1)
    column = torch.arange(columns, dtype=torch.float64).reshape(1, 1, -1)
    right = None
    for name, (make, formula) in INDICES.items():
        graph = cudnn.Graph(name, compute_data_type="FLOAT", io_data_type=data_type)
        x = graph.matmul(graph.tensor(a, name="a"), graph.tensor(b, name="b"))
        graph.output(make(graph, x), name="y", data_type="FLOAT")
        found = check(cudnn, torch, graph, (a, b), formula(product, row, column))
        right = found if right is None else right & found
    assert not right, f"engines that are left out, and right in all cases: {right}"


def with_gaps(torch: Any, shape: Any, strides: Any) -> Any:
    """Return small integers with others between them."""
    size = 1 + sum((n - 1) * step for n, step in zip(shape, strides, strict=True))
    memory = torch.full((size,), 55.0, device="cuda")
    array = memory.as_strided(shape, strides)
    return array.copy_(torch.randint(-3, 4, shape, device="cuda").float())


COLUMNS: dict[str, tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]] = {
    "column": ((64, 32, 1, 1), (64, 1, 1, 1), (2, 2, 2, 2)),
    "row": ((64, 32, 1, 1), (1, 32, 1, 1), (64, 2, 64, 64)),
    "images": ((4, 16, 8, 8), (4, 1, 1, 1), (3, 3, 3, 3)),
    "positions": ((4, 16, 8, 8), (4, 1, 8, 8), (128, 1, 16, 2)),
    "channels": ((4, 16, 8, 8), (1, 16, 1, 1), (48, 3, 48, 48)),
    "matrix": ((8, 12), (8, 1), (2, 2)),
    "batches": ((4, 8, 12), (4, 8, 1), (24, 3, 1)),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_repeated_tensors_with_gaps(cudnn: Any, torch: Any, error_of: Any, name: str) -> None:
    """Engines read them as if they had none, so that they are copied."""
    shape, small, strides = COLUMNS[name]
    x = torch.randint(-3, 4, shape, device="cuda").float()
    if len(shape) == 4:
        x = x.as_strided(shape, (x[0].numel(), 1, shape[1] * shape[3], shape[1])).contiguous(
            memory_format=torch.channels_last
        )
    b = with_gaps(torch, small, strides)
    graph = cudnn.Graph(compute_data_type="FLOAT", io_data_type="FLOAT")
    y = graph.tensor(x, name="x") + graph.tensor(small, "FLOAT", strides=strides, name="b")
    graph.output(y, name="y")
    plan = graph.build()
    assert error_of(plan(x, b), (x.double() + b.double()).cpu()) == 0


@pytest.mark.parametrize("strides", [(2, 2, 2, 2), (5, 1, 1, 1)])
def test_sums_with_gaps(cudnn: Any, torch: Any, strides: Any) -> None:
    x = torch.randint(-3, 4, (64, 32, 1, 1), device="cuda").float()
    graph = cudnn.Graph(compute_data_type="FLOAT", io_data_type="FLOAT")
    total = graph.reduction(graph.tensor(x, name="x"), "ADD", dims=1)
    graph.output(total, name="y", strides=strides)
    plan = graph.build()
    y = with_gaps(torch, (64, 1, 1, 1), strides)
    plan(x, y)
    torch.cuda.synchronize()
    assert torch.equal(y, x.sum(1, keepdim=True))


@pytest.mark.parametrize("step", [1, 2])
def test_a_bias_with_gaps_behind_a_convolution(cudnn: Any, torch: Any, step: int) -> None:
    x = torch.randint(-2, 3, (2, 16, 6, 8), device="cuda").half()
    w = torch.randint(-2, 3, (24, 16, 3, 3), device="cuda").half()
    x, w = (each.contiguous(memory_format=torch.channels_last) for each in (x, w))
    shape, strides = (1, 24, 1, 1), (24 * step, step, 24 * step, 24 * step)
    b = with_gaps(torch, shape, strides)
    graph = cudnn.Graph(compute_data_type="FLOAT", io_data_type="HALF")
    y = graph.convolution(graph.tensor(x, name="x"), graph.tensor(w, name="w"), padding=1)
    y = y + graph.tensor(shape, "FLOAT", strides=strides, name="b")
    graph.output(y, name="y", data_type="FLOAT")
    expected = torch.nn.functional.conv2d(x.cpu().double(), w.cpu().double(), padding=1)
    expected += b.cpu().double()
    if step == 1:
        check(cudnn, torch, graph, (x, w, b), expected)
    with pytest.raises(cudnn.NotSupportedError) if step > 1 else nullcontext():
        graph.build(split=False)
    assert graph_arrays.error_of(torch, graph.build()(x, w, b).cpu(), expected) < 2e-3


@pytest.mark.parametrize("step", [1, 2])
@pytest.mark.parametrize("small", [(1, 1, 96), (1, 64, 1), (6, 1, 96)])
def test_a_bias_with_gaps_behind_a_matrix_product(
    cudnn: Any, torch: Any, small: Any, step: int
) -> None:
    a = torch.randint(-2, 3, (6, 64, 32), device="cuda").half()
    b = torch.randint(-2, 3, (6, 32, 96), device="cuda").half()
    strides = (small[1] * small[2] * step, small[2] * step, step)
    c = with_gaps(torch, small, strides)
    graph = cudnn.Graph(compute_data_type="FLOAT", io_data_type="HALF")
    y = graph.matmul(graph.tensor(a, name="a"), graph.tensor(b, name="b"))
    y = y + graph.tensor(small, "FLOAT", strides=strides, name="c")
    graph.output(y, name="y", data_type="FLOAT")
    expected = (a.double() @ b.double() + c.double()).cpu()
    if step == 1:
        check(cudnn, torch, graph, (a, b, c), expected)
    with pytest.raises(cudnn.NotSupportedError) if step > 1 else nullcontext():
        graph.build(split=False)
    assert graph_arrays.error_of(torch, graph.build()(a, b, c).cpu(), expected) < 2e-3


@pytest.mark.parametrize("apart", ["operand", "result"])
def test_images_with_gaps_behind_a_convolution(cudnn: Any, torch: Any, apart: str) -> None:
    """Of a larger image, some channels are added, or written."""
    x = torch.randint(-2, 3, (2, 16, 6, 8), device="cuda").half()
    w = torch.randint(-2, 3, (24, 16, 3, 3), device="cuda").half()
    x, w = (each.contiguous(memory_format=torch.channels_last) for each in (x, w))
    shape, gaps, packed = (2, 24, 6, 8), (1920, 1, 320, 40), (1152, 1, 192, 24)
    z = with_gaps(torch, shape, gaps if apart == "operand" else packed)
    graph = cudnn.Graph(compute_data_type="FLOAT", io_data_type="HALF")
    y = graph.convolution(graph.tensor(x, name="x"), graph.tensor(w, name="w"), padding=1)
    y = y + graph.tensor(z, name="z")
    graph.output(y, name="y", data_type="FLOAT", strides=packed if apart == "operand" else gaps)
    expected = torch.nn.functional.conv2d(x.cpu().double(), w.cpu().double(), padding=1)
    expected += z.cpu().double()
    check(cudnn, torch, graph, (x, w, z), expected)
    result = graph.build()(x, w, z)
    assert graph_arrays.error_of(torch, result.cpu(), expected) < 2e-3


@pytest.mark.parametrize("apart", ["operand", "result"])
def test_matrices_with_gaps_behind_a_matrix_product(cudnn: Any, torch: Any, apart: str) -> None:
    a = torch.randint(-2, 3, (6, 64, 32), device="cuda").half()
    b = torch.randint(-2, 3, (6, 32, 96), device="cuda").half()
    gaps, packed = (64 * 128, 128, 1), (64 * 96, 96, 1)
    z = with_gaps(torch, (6, 64, 96), gaps if apart == "operand" else packed)
    graph = cudnn.Graph(compute_data_type="FLOAT", io_data_type="HALF")
    y = graph.matmul(graph.tensor(a, name="a"), graph.tensor(b, name="b"))
    y = y + graph.tensor(z, name="z")
    graph.output(y, name="y", data_type="FLOAT", strides=packed if apart == "operand" else gaps)
    expected = (a.double() @ b.double() + z.double()).cpu()
    check(cudnn, torch, graph, (a, b, z), expected)
    result = graph.build()(a, b, z)
    assert graph_arrays.error_of(torch, result.cpu(), expected) < 2e-3


@pytest.mark.parametrize("backward", [False, True])
def test_a_bias_of_attention_with_gaps(cudnn: Any, torch: Any, backward: bool) -> None:
    """Its engines take strides: one of these is of an array with twice the keys."""
    from tests.gpu import attention_reference as reference

    def host(array: Any) -> Any:
        return array.cpu().double().numpy()

    shape = (2, 4, 128, 64)
    q, k, v, do = (torch.randn(shape, device="cuda").half() for _ in range(4))
    whole = torch.randn(1, 4, 128, 256, device="cuda").half()
    bias = whole[..., :128]
    graph = cudnn.Graph(io_data_type="HALF")
    names = {"q": q, "k": k, "v": v, "bias": bias}
    found = reference.forward(*map(host, (q, k, v)), bias=host(bias))
    if backward:
        stats = torch.tensor(found.stats, device="cuda").float()
        names |= {"o": torch.tensor(found.o, device="cuda").half(), "do": do, "stats": stats}
    tensors = {name: graph.tensor(array, name=name) for name, array in names.items()}
    if backward:
        made = graph.attention_backward(**tensors)
        wanted = reference.backward(*map(host, (q, k, v, do)), bias=host(bias))
        references = [wanted.q, wanted.k, wanted.v]
    else:
        made, references = (graph.attention(**tensors),), [found.o]
    for number, each in enumerate(made):
        graph.output(each, name=f"y{number}")
    results = graph.build()(**names)
    for result, expected in zip(results if backward else [results], references, strict=True):
        assert graph_arrays.error_of(torch, result.cpu(), torch.tensor(expected)) < 5e-3


@pytest.mark.parametrize("layout", ["NHWC", "NCHW"])
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_gradients_of_instance_norm_in_a_capture(
    torch: Any, fresh: Any, dtype: str, layout: str
) -> None:
    from cudnn_cffi import errors, ops

    x, dy = (fresh(4, 8, 12, 10, dtype=dtype, layout=layout) for _ in range(2))
    scale, bias = fresh(8), fresh(8)
    kept = ops.InstanceNorm(statistics=True)(x, scale, bias)
    given = dy, x, scale, kept.mean, kept.inv_variance
    expected = [each.clone() for each in ops.InstanceNormBackward()(*given)]

    def wrong(operation: Any) -> int:
        """Return how many gradients a replay gets wrong."""
        operation(*given)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            found = operation(*given)
        for _ in range(2):
            for each in found:
                each.fill_(float("nan"))
            graph.replay()
        torch.cuda.synchronize()
        limit = 1e-4 if dtype == "float32" else 1e-2
        return sum(
            not float((one.double() - other.double()).norm() / other.double().norm()) < limit
            for one, other in zip(found, expected, strict=True)
        )

    assert not wrong(ops.InstanceNormBackward())
    try:
        left_out = ops.InstanceNormBackward(choose={"engine": 0})
        assert wrong(left_out), "engine 0 is right here: the erratum has to end"
    except errors.NotSupportedError as error:
        pytest.skip(str(error).splitlines()[0])
