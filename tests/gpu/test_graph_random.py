"""Random graphs of pointwise operations around convolutions, matrix products, reductions and moves.

A failure prints the line that repeats it, with the seed of its graph in CUDNN_CFFI_GRAPH_SEED.
"""

# ruff: noqa: ARG001, ARG005

from __future__ import annotations

import os
import random
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from tests.gpu import graph_arrays

Reference = Callable[[Any], Any]

#: Modes that are tame for any input: (mode, function, number of operands).
TAME: tuple[tuple[str, Callable[..., Any], int], ...] = (
    ("ADD", lambda t, a, b: a + b, 2),
    ("SUB", lambda t, a, b: a - b, 2),
    ("MUL", lambda t, a, b: a * b, 2),
    ("MAX", lambda t, a, b: t.maximum(a, b), 2),
    ("MIN", lambda t, a, b: t.minimum(a, b), 2),
    ("ABS", lambda t, a: a.abs(), 1),
    ("NEG", lambda t, a: -a, 1),
    ("RELU_FWD", lambda t, a: a.relu(), 1),
    ("TANH_FWD", lambda t, a: a.tanh(), 1),
    ("SIGMOID_FWD", lambda t, a: a.sigmoid(), 1),
    ("GELU_FWD", lambda t, a: t.nn.functional.gelu(a), 1),
    ("SWISH_FWD", lambda t, a: a * a.sigmoid(), 1),
)  # fmt: skip


#: What a random graph is about.
KINDS = ("pointwise", "matmul", "convolution", "reduction", "resample", "norm", "data", "filter")


def random_graph(cudnn: Any, numbers: random.Random) -> tuple[Any, Reference]:
    """Return a graph and the function of PyTorch that computes the same."""
    kind = numbers.choice(KINDS)
    data_type = numbers.choice(["HALF", "BFLOAT16", "FLOAT"])
    g = cudnn.Graph(f"random-{kind}")
    wide = [8 * numbers.randint(1, 12) for _ in range(3)]
    spatial = [numbers.randint(3, 12) for _ in range(2)]
    reference: Reference
    if kind == "matmul":
        batch, (m, n, k) = numbers.randint(1, 3), wide
        layouts = [numbers.choice([None, "column_major"]) for _ in range(2)]
        a = g.tensor((batch, m, k), data_type, name="a", layout=layouts[0])
        b = g.tensor((batch, k, n), data_type, name="b", layout=layouts[1])
        value, reference = g.matmul(a, b), lambda inputs: inputs["a"] @ inputs["b"]
    elif kind == "convolution":
        c, f, _ = wide
        size = numbers.choice([1, 3])
        how: dict[str, Any] = {"padding": size // 2, "stride": numbers.choice([1, 2])}
        x = g.tensor((2, c, *spatial), data_type, layout="NHWC", name="x")
        w = g.tensor((f, c, size, size), data_type, layout="NHWC", name="w")
        value = g.convolution(x, w, **how)

        def reference(inputs: Any) -> Any:
            import torch

            return torch.nn.functional.conv2d(inputs["x"], inputs["w"], **how)

    elif kind == "data":
        c, f, _ = wide
        how = {"padding": 1, "stride": numbers.choice([1, 2])}
        y = [-(-extent // how["stride"]) for extent in spatial]
        dy = g.tensor((2, f, *y), data_type, layout="NHWC", name="dy")
        w = g.tensor((f, c, 3, 3), data_type, layout="NHWC", name="w")
        shape = (2, c, *spatial)
        value = g.convolution_backward_data(dy, w, shape=shape, **how)

        def reference(inputs: Any) -> Any:
            import torch

            return torch.nn.grad.conv2d_input(shape, inputs["w"], inputs["dy"], **how)

    elif kind == "filter":
        c, f, _ = wide
        x = g.tensor((2, c, *spatial), data_type, layout="NHWC", name="x")
        dy = g.tensor((2, f, *spatial), data_type, layout="NHWC", name="dy")
        shape = (f, c, 3, 3)
        g.output(g.convolution_backward_filter(x, dy, shape, padding=1), name="y")

        def reference(inputs: Any) -> Any:
            import torch

            return torch.nn.grad.conv2d_weight(inputs["x"], shape, inputs["dy"], padding=1)

        return g, reference
    elif kind == "resample":
        mode, size = numbers.choice(["MAXPOOL", "AVGPOOL_INCLUDE_PADDING"]), numbers.choice([2, 3])
        how = {"padding": size // 2, "stride": numbers.choice([1, 2])}
        x = g.tensor((2, wide[0], *spatial), data_type, layout="NHWC", name="x")
        g.output(g.resample(x, mode, window=size, **how), name="y")

        def reference(inputs: Any) -> Any:
            import torch

            pool = "max_pool2d" if mode == "MAXPOOL" else "avg_pool2d"
            return getattr(torch.nn.functional, pool)(inputs["x"], size, **how)

        return g, reference
    elif kind == "norm":
        rows, width = 8 * numbers.randint(1, 32), 128 * numbers.randint(1, 16)
        form = numbers.choice(["layer_norm", "rms_norm"])
        x = g.tensor((rows, width, 1, 1), data_type, name="x")
        scale = g.tensor((1, width, 1, 1), "FLOAT", name="scale")
        if form == "layer_norm":
            bias = g.tensor((1, width, 1, 1), "FLOAT", name="bias")
            y = g.layer_norm(x, scale, bias, epsilon=1e-5, phase="inference")
        else:
            y = g.rms_norm(x, scale, epsilon=1e-5, phase="inference")
        g.output(y if hasattr(y, "uid") else y.y, name="y")

        def reference(inputs: Any) -> Any:
            x = inputs["x"]
            if form == "rms_norm":
                mean = (x * x).mean(1, keepdim=True)
                return x / (mean + 1e-5).sqrt() * inputs["scale"]
            spread = x.var(1, keepdim=True, unbiased=False)
            middle = x - x.mean(1, keepdim=True)
            return middle / (spread + 1e-5).sqrt() * inputs["scale"] + inputs["bias"]

        return g, reference
    else:
        image = kind == "reduction" or numbers.random() < 0.5
        shape = (2, wide[0], *spatial) if image else tuple(wide)
        layout = numbers.choice(["NHWC", "NCHW"]) if kind == "pointwise" and image else None
        layout = "NHWC" if kind == "reduction" else layout
        value = g.tensor(shape, data_type, layout=layout, name="x")
        reference = lambda inputs: inputs["x"]  # noqa: E731
    value, reference = _decorate(g, numbers, value, reference, data_type)
    if kind == "reduction":
        mode = numbers.choice(["ADD", "MAX", "MIN", "AVG"])
        before = reference
        value = g.reduction(value, mode, dims=(0, 2, 3))

        def reference(inputs: Any) -> Any:
            x, dims = before(inputs), (0, 2, 3)
            if mode in ("MAX", "MIN"):
                return x.amax(dims, True) if mode == "MAX" else x.amin(dims, True)
            return x.sum(dims, True) if mode == "ADD" else x.mean(dims, True)

    g.output(value, name="y", data_type="FLOAT" if kind == "reduction" else data_type)
    return g, reference


def _applied(function: Any, before: Reference, other: Any, inputs: Any) -> Any:
    """Return a function of a value, and of an input by its name or a number."""
    import torch

    if other is None:
        return function(torch, before(inputs))
    number = isinstance(other, float)
    return function(
        torch, before(inputs), torch.tensor(other).double() if number else inputs[other]
    )


def _decorate(
    g: Any, numbers: random.Random, value: Any, reference: Reference, data_type: str
) -> tuple[Any, Reference]:
    """Put some pointwise operations around a value."""
    for number in range(numbers.randint(1, 4)):
        mode, function, operands = numbers.choice(TAME)
        before = reference
        if operands == 1:
            value = g.pointwise(mode, value)
            reference = partial(_applied, function, before, None)
            continue
        if numbers.random() < 0.5:
            factor = numbers.choice([0.5, -1.25, 2.0])
            value = g.pointwise(mode, value, factor)
            reference = partial(_applied, function, before, factor)
            continue
        shape = list(value.shape)
        if len(shape) == 4 and numbers.random() < 0.7:
            shape = [1, shape[1], 1, 1]
        elif len(shape) == 3 and numbers.random() < 0.7:
            shape[0] = shape[1] = 1
        name = f"other{number}"
        like = {"strides": value.strides} if shape == list(value.shape) else {}
        other = g.tensor(tuple(shape), data_type, name=name, **like)
        value = g.pointwise(mode, value, other)
        reference = partial(_applied, function, before, name)
    return value, reference


class Chain:
    """Operations one after the other on integers, which all types and engines compute exactly.

    Attributes:
        g: the graph.
        x, value: the latest tensor, and what it is in float64.
        given: the inputs by name.
    """

    def __init__(self, cudnn: Any, torch: Any, numbers: random.Random) -> None:
        self.torch, self.numbers = torch, numbers
        self.values = torch.Generator().manual_seed(numbers.randrange(2**31))
        self.data_type = numbers.choice(["HALF", "FLOAT"])
        self.g = cudnn.Graph("chain", io_data_type=self.data_type)
        self.given: dict[str, Any] = {}

    def input(self, shape: tuple[int, ...], order: list[int], gap: int = 0) -> tuple[Any, Any]:
        """Add an input whose dimensions lie in an order, with so many elements between rows."""
        step, strides = 1, [0] * len(shape)
        for axis in reversed(order):
            strides[axis] = step
            step = step * shape[axis] + gap
        name, torch = f"x{len(self.given)}", self.torch
        memory = torch.full((step + 64,), float("nan"), device="cuda")
        array = memory.to(getattr(torch, graph_arrays.TYPES[self.data_type])).as_strided(
            shape, strides
        )
        array.copy_(torch.randint(-2, 3, shape, generator=self.values))
        self.given[name] = array
        x = self.g.tensor(shape, self.data_type, strides=strides, name=name)
        return x, array.cpu().double()

    def begin(self) -> None:
        """Begin with pooling, a convolution, a matrix product, or an input."""
        functional, numbers = self.torch.nn.functional, self.numbers
        kind = numbers.choice(["pool", "convolution", "matmul", "input", "input"])
        if kind == "matmul":
            (a, u), (b, v) = self.input((2, 6, 8), [0, 1, 2]), self.input((2, 8, 4), [0, 1, 2])
            self.x, self.value = self.g.matmul(a, b), u @ v
        elif kind == "input":
            shape = [numbers.choice([1, 2, 3, 4, 8]) for _ in range(numbers.randint(1, 5))]
            order = numbers.sample(range(len(shape)), len(shape))
            self.x, self.value = self.input(tuple(shape), order, numbers.choice([0, 0, 2]))
        else:
            x, value = self.input((2, 8, 4, 6), [0, 2, 3, 1])
            if kind == "pool":
                self.x = self.g.resample(x, "MAXPOOL", window=2, stride=2)
                self.value = functional.max_pool2d(value, 2)
                return
            w, filters = self.input((16, 8, 1, 1), [0, 2, 3, 1])
            self.x, self.value = self.g.convolution(x, w), functional.conv2d(value, filters)

    def go_on(self) -> None:
        """Add an operation."""
        g, numbers, shape = self.g, self.numbers, tuple(self.value.shape)
        kind = numbers.choice(["reshape", "transpose", "slice", "pair", "pair", "single", "sum"])
        axes = list(range(len(shape)))
        if kind == "reshape":
            size = self.value.numel()
            rows = numbers.choice([n for n in range(1, size + 1) if size % n == 0])
            shape = numbers.choice([(rows, size // rows), (1, rows, size // rows), (size,)])
            shape = numbers.choice([shape, (1, 1, *shape), (*shape, 1, 1)][: 6 - len(shape)])
            self.x, self.value = g.reshape(self.x, shape, mode="LOGICAL"), self.value.reshape(shape)
        elif kind == "transpose":
            numbers.shuffle(axes)
            self.x, self.value = g.transpose(self.x, axes), self.value.permute(axes)
        elif kind == "slice":
            start = [numbers.randrange(n) for n in shape]
            self.x = g.slice(self.x, start, shape)
            self.value = self.value[tuple(slice(n, None) for n in start)]
        elif kind == "pair":
            mode, function, _ = numbers.choice(TAME[:2] + TAME[3:5])
            other = tuple(n if numbers.random() < 0.7 else 1 for n in shape)
            numbers.shuffle(axes)
            order = numbers.choice(
                [sorted(axes), [0, *range(2, len(shape)), 1][: len(shape)], axes]
            )
            b, value = self.input(other, order, numbers.choice([0, 0, 0, 2]))
            self.x = g.pointwise(mode, self.x, b)
            self.value = function(self.torch, self.value, value)
        elif kind == "single":
            mode, function, _ = numbers.choice(TAME[5:8])
            self.x, self.value = g.pointwise(mode, self.x), function(self.torch, self.value)
        else:
            dims = numbers.sample(axes, numbers.randint(1, len(axes)))
            self.x = g.reduction(self.x, "MAX", dims=dims)
            self.value = self.value.amax(dims, True)


def check_chain(cudnn: Any, torch: Any, seed: int) -> None:
    """Compare a chain of operations with float64."""
    chain = Chain(cudnn, torch, random.Random(seed))
    chain.begin()
    for _ in range(chain.numbers.randint(2, 4)):
        chain.go_on()
    if chain.x.producer is None:
        return
    chain.g.output(chain.x, name="y", data_type="FLOAT")
    print(chain.g)
    try:
        plan = chain.g.build()
    except cudnn.NotSupportedError as error:
        pytest.skip(f"seed {seed}: no engine: {str(error).splitlines()[-1].strip()[:200]}")
    (output,) = [each for each in plan.operands if each.role == "output"]
    for _ in range(2):
        y = graph_arrays.poisoned(torch, output)
        plan(**{e.name: chain.given[e.name] for e in plan.operands if e.name in chain.given}, y=y)
        torch.cuda.synchronize()
        assert torch.equal(y.cpu().double(), chain.value), seed


GIVEN = os.environ.get("CUDNN_CFFI_GRAPH_SEED")


@pytest.mark.parametrize("number", range(1 if GIVEN else 12))
def test_a_chain_with_moves(number: int, cudnn: Any, torch: Any) -> None:
    """Shapes of one to five dimensions, operands that are repeated, in any order, with gaps."""
    seed = int(GIVEN) if GIVEN else random.SystemRandom().randrange(2**31)
    print(f"CUDNN_CFFI_GRAPH_SEED={seed} python -m pytest tests/gpu/test_graph_random.py -k chain")
    check_chain(cudnn, torch, seed)


@pytest.mark.parametrize("number", range(1 if GIVEN else 40))
def test_a_random_graph(number: int, cudnn: Any, handle: Any, torch: Any) -> None:
    seed = int(GIVEN) if GIVEN else random.SystemRandom().randrange(2**31)
    print(f"CUDNN_CFFI_GRAPH_SEED={seed} python -m pytest tests/gpu/test_graph_random.py")
    g, reference = random_graph(cudnn, random.Random(seed))
    print(g)
    try:
        plan = g.build(handle)
    except cudnn.NotSupportedError as error:
        pytest.skip(f"seed {seed}: no engine: {str(error).splitlines()[-1].strip()[:200]}")
    torch.manual_seed(seed)
    inputs, (result,) = graph_arrays.run(torch, plan, {})
    tolerance = {"FLOAT": 5e-3, "HALF": 8e-3, "BFLOAT16": 4e-2}
    worst = max(tolerance[each.data_type] for each in plan.operands if not each.by_value)
    assert graph_arrays.error_of(torch, result, reference(inputs)) < worst
