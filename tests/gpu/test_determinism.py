"""Each operation gives the same bits again where only deterministic engines are allowed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from cudnn_cffi import errors

from reference.entries import operations
from tests.gpu import graph_arrays

#: Operations of one implementation that adds in any order: docs/reproducibility.md.
ANY_ORDER = ("affine_grid_backward", "grid_sample_backward", "causal_convolution_backward", "fft_causal_convolution_backward",
             "aggregate_backward")  # fmt: skip

#: Results with parts that cuDNN does not write: the reserve space.
UNWRITTEN = dict.fromkeys(("multi_head_attention_backward",), ("result[1]",))

RUNS = 8


def tensors(torch: Any, name: str, value: object) -> Iterator[tuple[str, Any]]:
    """Yield the tensors in a value, with names."""
    if isinstance(value, torch.Tensor):
        yield name, value
    elif isinstance(value, (tuple, list)):
        for place, each in enumerate(value):
            yield from tensors(torch, f"{name}[{place}]", each)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("name", [each for each in operations.names() if each not in ANY_ORDER])
def test_the_same_bits(cudnn: Any, torch: Any, name: str, dtype: str) -> None:
    program = compile(operations.example(name), name, "exec")
    torch.set_default_dtype(getattr(torch, dtype))
    first: dict[str, Any] = {}
    try:
        for _ in range(RUNS):
            torch.manual_seed(28)
            found: dict[str, Any] = {}
            with cudnn.choice(deterministic=True):
                exec(program, found)
            seen = {
                place: each.contiguous().view(torch.uint8).clone()
                for key, value in found.items()
                if not key.startswith("__")
                for place, each in tensors(torch, key, value)
                if each.numel() and each.ndim and place not in UNWRITTEN.get(name, ())
            }
            torch.cuda.synchronize()
            first = first or seen
            differ = [key for key, each in seen.items() if not torch.equal(each, first[key])]
            assert not differ, f"{', '.join(differ)} of {', '.join(seen)}"
    except RuntimeError as error:  # PyTorch's, for half of some functions, or one of ours
        if dtype == "float32" and not isinstance(error, errors.CudnnError):
            raise
        pytest.skip(f"not supported: {str(error)[:120]}")
    finally:
        torch.set_default_dtype(torch.float32)


def test_the_report_names_the_layer_whose_bits_differ(cudnn: Any, torch: Any) -> None:
    """Executed and as a CUDA graph; deterministic algorithms make its bits equal."""
    from cudnn_cffi.torch import convert, reproducible

    class Scatter(torch.nn.Module):  # type: ignore[misc, name-defined]
        """Adds numbers to few places, in any order."""

        def forward(self, x: Any) -> Any:
            flat = x.flatten()
            places = torch.arange(flat.numel(), device=x.device) % 7
            return torch.zeros(7, device=x.device).index_add(0, places, flat)

    layers = [torch.nn.Conv2d(8, 16, 3), torch.nn.BatchNorm2d(16), torch.nn.ReLU(), Scatter()]
    model = torch.nn.Sequential(*layers).cuda().train()
    convert(model, everything=True)
    x = torch.randn(8, 8, 64, 64, device="cuda")
    cudnn.deterministic = True  # for threads of autograd, too
    try:
        found = reproducible(model, x)
    finally:
        cudnn.deterministic = False
    print(found)
    rows = {(each.layer, each.section): each for each in found}
    for layer in "012":
        for section in ("forward", "gradient"):
            row = rows[layer, section]
            assert row.is_equal, row
            assert row.replayed == 0, row
            assert row.by != "PyTorch", row
    scatter = rows["3", "forward"]
    assert scatter.executed > 0
    assert scatter.replayed
    assert scatter.advice.endswith("its bits were equal in 20 runs"), scatter
    assert rows["3", "gradient"].replayed == rows["", "gradient"].replayed == 0
    assert rows["", "forward"].executed > 0
    assert [each.layer for each in found.differing if each.layer in "012" and each.layer] == []


def test_the_report_names_the_module_that_attention_is_in(torch: Any) -> None:
    """The gradient adds in any order, in a module that calls another for its last product."""
    from cudnn_cffi.torch import convert, reproducible

    class Model(torch.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.attention = torch.nn.MultiheadAttention(512, 8, batch_first=True)
            self.last = torch.nn.Linear(512, 8)

        def forward(self, x: Any) -> Any:
            return self.last(self.attention(x, x, x, need_weights=False)[0])

    model = Model().cuda().half()
    convert(model)
    x = torch.randn(4, 1024, 512, device="cuda", dtype=torch.half, requires_grad=True)
    found = reproducible(model, x)
    print(found)
    (row,) = [each for each in found.differing if each.layer]
    assert (row.layer, row.section) == ("attention", "gradient")
    assert row.by.startswith("engine ")
    assert row.advice.startswith("cudnn_cffi.deterministic = True: its bits were equal"), row


def test_a_layer_that_cannot_be_captured_is_told(torch: Any) -> None:
    """PyTorch's random numbers work afterwards, from where they were."""
    from cudnn_cffi.torch import reproducible

    class Reading(torch.nn.Module):  # type: ignore[misc, name-defined]
        def forward(self, x: Any) -> Any:
            return x * float(x.sum().item())

    x = torch.randn(4, 4, device="cuda")
    state = torch.cuda.get_rng_state()
    found = reproducible(torch.nn.Sequential(Reading(), torch.nn.ReLU()), x, runs=3)
    assert torch.equal(state, torch.cuda.get_rng_state())
    assert torch.randn(4, device="cuda").isfinite().all()
    rows = {each.layer: each for each in found if each.section == "forward"}
    assert rows["0"].why.startswith("not captured: "), rows
    assert rows["1"].replayed == 0, rows
    assert rows[""].replayed is None, rows


def rows(graph: Any, n: int) -> Any:
    return graph.reduction(graph.tensor((64, 512, n), "FLOAT", name="x"), "ADD", dims=2)


def all_elements(graph: Any) -> Any:
    x = graph.tensor((64, 8, 16), "FLOAT", name="x")
    return graph.reduction(x, "NORM1", dims=(0, 1, 2))


def product(graph: Any, dim: int) -> Any:
    a, b = (graph.tensor((4, 256, 256), name=name) for name in ("a", "b"))
    return graph.reduction(graph.matmul(a, b), "ADD", dims=dim)


def images(graph: Any, dims: tuple[int, ...]) -> Any:
    x = graph.tensor((16, 32, 16, 16), layout="NHWC", name="x")
    w = graph.tensor((32, 32, 3, 3), layout="NHWC", name="w")
    return graph.reduction(graph.convolution(x, w, padding=1), "ADD", dims=dims)


def channels(graph: Any) -> Any:
    x = graph.tensor((15, 15, 1, 3), layout="NHWC", name="x")
    return graph.reduction(x, "ADD", dims=(0, 2, 3))


SUMS: dict[str, Callable[[Any], Any]] = {
    "channels of 45": channels,
    "rows of 64": lambda g: rows(g, 64),
    "rows of 65": lambda g: rows(g, 65),
    "rows of 4096": lambda g: rows(g, 4096),
    "all": all_elements,
    "rows of a product": lambda g: product(g, 2),
    "columns of a product": lambda g: product(g, 1),
    "channels after a convolution": lambda g: images(g, (1,)),
    "pixels after a convolution": lambda g: images(g, (0, 2, 3)),
}


@pytest.mark.parametrize("name", SUMS)
def test_sums_of_engines_that_are_called_deterministic(cudnn: Any, torch: Any, name: str) -> None:
    """They give the same bits each time, or errata say that they do not."""
    graph = cudnn.Graph(name, io_data_type="HALF")
    graph.output(SUMS[name](graph), name="y", data_type="FLOAT")
    for candidate in graph.candidates(every_engine=True):
        if not candidate.deterministic:
            continue
        try:
            plan = candidate.build()
        except errors.CudnnError:
            continue  # heuristics only seem to know that it takes the graph
        given = [
            graph_arrays.laid_out(torch, graph_arrays.random_input(torch, each, ""), each)
            for each in plan.inputs
        ]
        first, *others = (plan(*given).clone() for _ in range(RUNS))
        assert all(torch.equal(first, each) for each in others), candidate
    why, notes = "", set[str]()
    try:
        plan = graph.build(deterministic=True)
        notes = {note for each in getattr(plan, "parts", (plan,)) for note in each.notes}
    except errors.NotSupportedError as error:
        why = str(error)
    assert "deterministic=True was asked for" in why or not why
    assert "NONDETERMINISTIC" not in notes
