"""Every operation as a small graph, with what it should compute: built without a GPU, run with one.

A case has no data. `build` adds the operation to a graph whose inputs have names; `reference` gets
PyTorch and the inputs by name as float64 tensors on the host, and returns what the outputs should
be. Cases without a descriptor or an engine in a release are in `expected.py`: they must fail so,
and all others must be built.
"""

# References have the same arguments, whether they need them or not.
# ruff: noqa: ARG001, ARG005

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

H, F, B = "HALF", "FLOAT", "BFLOAT16"


class Case(NamedTuple):
    """A graph of one operation, or of a few.

    Attributes:
        name: for pytest.
        build: adds to a graph, and marks outputs.
        reference: PyTorch's result, in float64; None for what is not compared.
        tolerance: the norm of the error over that of the reference.
        inputs: how values of an input are made, by its name: "positive", "unit" (-1 to 1),
            "mask" (0 or 1), "index", "small", or a list of values; all others are normal.
        settings: of the graph.
    """

    name: str
    build: Callable[[Any], Any]
    reference: Callable[[Any, Mapping[str, Any]], Any] | None = None
    tolerance: float = 5e-3
    inputs: Mapping[str, Any] = {}
    settings: Mapping[str, Any] = {}


def tolerance(data_type: str) -> float:
    return {F: 2e-3, H: 3e-3, B: 1.2e-2, "DOUBLE": 1e-12}.get(data_type, 5e-2)


# Pointwise

UNARY: dict[str, tuple[Callable[[Any, Any], Any], Any]] = {
    "ABS": (lambda t, x: x.abs(), None),
    "CEIL": (lambda t, x: x.ceil(), None),
    "COS": (lambda t, x: x.cos(), None),
    "EXP": (lambda t, x: x.exp(), "unit"),
    "FLOOR": (lambda t, x: x.floor(), None),
    "LOG": (lambda t, x: x.log(), "positive"),
    "NEG": (lambda t, x: -x, None),
    "RSQRT": (lambda t, x: x.rsqrt(), "positive"),
    "SIN": (lambda t, x: x.sin(), None),
    "SQRT": (lambda t, x: x.sqrt(), "positive"),
    "TAN": (lambda t, x: x.tan(), "unit"),
    "ERF": (lambda t, x: x.erf(), None),
    "IDENTITY": (lambda t, x: x, None),
    "RECIPROCAL": (lambda t, x: 1 / x, "positive"),
    "RELU_FWD": (lambda t, x: x.relu(), None),
    "TANH_FWD": (lambda t, x: x.tanh(), None),
    "SIGMOID_FWD": (lambda t, x: x.sigmoid(), None),
    "ELU_FWD": (lambda t, x: t.nn.functional.elu(x), None),
    "GELU_FWD": (lambda t, x: t.nn.functional.gelu(x), None),
    "SOFTPLUS_FWD": (lambda t, x: t.nn.functional.softplus(x), None),
    "SWISH_FWD": (lambda t, x: x * x.sigmoid(), None),
    "GELU_APPROX_TANH_FWD": (lambda t, x: t.nn.functional.gelu(x, approximate="tanh"), None),
}
BINARY: dict[str, tuple[Callable[[Any, Any, Any], Any], Any]] = {
    "ADD": (lambda t, a, b: a + b, None),
    "ADD_SQUARE": (lambda t, a, b: a + b * b, None),
    "DIV": (lambda t, a, b: a / b, "positive"),
    "MAX": (lambda t, a, b: t.maximum(a, b), None),
    "MIN": (lambda t, a, b: t.minimum(a, b), None),
    "MOD": (lambda t, a, b: t.fmod(a, b), "positive"),
    "MUL": (lambda t, a, b: a * b, None),
    "POW": (lambda t, a, b: a**b, "positive"),
    "SUB": (lambda t, a, b: a - b, None),
    "ATAN2": (lambda t, a, b: t.atan2(a, b), None),
    "FLOOR_MOD": (lambda t, a, b: t.remainder(a, b), "positive"),
    "CMP_EQ": (lambda t, a, b: (a == b).double(), "few"),
    "CMP_NEQ": (lambda t, a, b: (a != b).double(), "few"),
    "CMP_GT": (lambda t, a, b: (a > b).double(), "few"),
    "CMP_GE": (lambda t, a, b: (a >= b).double(), "few"),
    "CMP_LT": (lambda t, a, b: (a < b).double(), "few"),
    "CMP_LE": (lambda t, a, b: (a <= b).double(), "few"),
}
BACKWARD = {
    "RELU_BWD": "RELU_FWD",
    "TANH_BWD": "TANH_FWD",
    "SIGMOID_BWD": "SIGMOID_FWD",
    "ELU_BWD": "ELU_FWD",
    "GELU_BWD": "GELU_FWD",
    "SOFTPLUS_BWD": "SOFTPLUS_FWD",
    "SWISH_BWD": "SWISH_FWD",
    "GELU_APPROX_TANH_BWD": "GELU_APPROX_TANH_FWD",
}


def gradient(torch: Any, function: Any, dy: Any, x: Any) -> Any:
    """Return the gradient of a function of x, by PyTorch."""
    x = x.clone().requires_grad_()
    (found,) = torch.autograd.grad(function(torch, x), x, dy)
    return found


def _of_x(function: Any, dims: Any, torch: Any, arrays: Mapping[str, Any]) -> Any:
    return function(torch, arrays["x"], *(() if dims is None else (dims,)))


def _gradient_of_x(function: Any, torch: Any, arrays: Mapping[str, Any]) -> Any:
    return gradient(torch, function, arrays["dy"], arrays["x"])


def _x(g: Any, name: str = "x", data_type: str = F, layout: str = "NHWC") -> Any:
    if layout == "3d":
        return g.tensor((4, 48, 64), data_type, name=name)
    return g.tensor((2, 32, 12, 8), data_type, layout=layout, name=name)


def _unary(mode: str, data_type: str, layout: str) -> Case:
    function, values = UNARY[mode]

    def build(g: Any) -> None:
        options = {"swish_beta": 1.0} if mode == "SWISH_FWD" else {}
        y = g.pointwise(mode, _x(g, "x", data_type, layout), **options)
        g.output(y, name="y", data_type=data_type)

    return Case(
        f"{mode.lower()}-{data_type.lower()}-{layout}",
        build,
        lambda torch, arrays: function(torch, arrays["x"]),
        tolerance(data_type),
        {"x": values} if values else {},
    )


def _binary(mode: str, data_type: str, layout: str) -> Case:
    function, values = BINARY[mode]
    compares = mode.startswith("CMP")

    def build(g: Any) -> None:
        a, b = _x(g, "a", data_type, layout), _x(g, "b", data_type, layout)
        # A comparison's result is copied into the type of the data: no engine writes bits.
        g.output(g.pointwise(mode, a, b, data_type=data_type), name="y", data_type=data_type)

    return Case(
        f"{mode.lower()}-{data_type.lower()}-{layout}",
        build,
        lambda torch, arrays: function(torch, arrays["a"], arrays["b"]),
        0.0 if compares else tolerance(data_type),
        dict.fromkeys(("a", "b"), values) if values else {},
    )


def _backward(mode: str, data_type: str) -> Case:
    function = UNARY[BACKWARD[mode]][0]

    def build(g: Any) -> None:
        dy, x = _x(g, "dy", data_type), _x(g, "x", data_type)
        options = {"swish_beta": 1.0} if mode == "SWISH_BWD" else {}
        g.output(g.pointwise(mode, dy, x, **options), name="dx", data_type=data_type)

    return Case(
        f"{mode.lower()}-{data_type.lower()}",
        build,
        lambda torch, arrays: gradient(torch, function, arrays["dy"], arrays["x"]),
        tolerance(data_type),
    )


def pointwise() -> Iterator[Case]:
    for mode in UNARY:
        yield _unary(mode, F, "NHWC")
    for mode in BINARY:
        yield _binary(mode, F, "NHWC")
    for mode in BACKWARD:
        yield _backward(mode, F)
    for data_type in (H, B):
        yield _unary("GELU_FWD", data_type, "NHWC")
        yield _unary("EXP", data_type, "3d")
        yield _binary("ADD", data_type, "3d")
        yield _binary("MUL", data_type, "NHWC")
        yield _backward("RELU_BWD", data_type)
    yield _unary("RELU_FWD", F, "3d")
    yield _unary("RELU_FWD", H, "NCHW")
    yield _binary("ADD", F, "NCHW")

    def select(g: Any) -> None:
        x, b, t = _x(g, "x"), _x(g, "b"), _x(g, "t")
        g.output(g.binary_select(x, b, t > 0.0), name="y")

    yield Case("binary_select", select, lambda t, a: t.where(a["t"] > 0, a["x"], a["b"]), 1e-6)

    def index(g: Any) -> None:
        g.output(g.cast(g.gen_index(_x(g), 1), F), name="y", data_type=F)

    yield Case(
        "gen_index",
        index,
        lambda t, a: t.arange(32.0, dtype=t.float64)[:, None, None].expand(2, 32, 12, 8),
        0.0,
    )

    def logic(g: Any) -> None:
        a, b = _x(g, "a"), _x(g, "b")
        both = ((a > 0.0) & (b > 0.0)) | ~(a > -1.0)
        g.output(g.binary_select(a, b, both), name="y")

    yield Case(
        "logical",
        logic,
        lambda t, a: t.where(((a["a"] > 0) & (a["b"] > 0)) | ~(a["a"] > -1), a["a"], a["b"]),
        1e-6,
    )

    def scalars(g: Any) -> None:
        g.output(abs(-(2.0 * _x(g) + 1.0) / 4.0) ** 2.0, name="y")

    yield Case("scalars", scalars, lambda t, a: ((2 * a["x"] + 1) / 4) ** 2)

    def argument(g: Any) -> None:
        g.output(_x(g) * g.scalar(name="s"), name="y")

    yield Case("scalar_argument", argument, lambda t, a: a["x"] * a["s"])

    def bias(g: Any) -> None:
        g.output(g.relu(_x(g) + g.tensor((1, 32, 1, 1), F, name="b")), name="y")

    yield Case("bias_channel", bias, lambda t, a: (a["x"] + a["b"]).relu())

    def columns(g: Any) -> None:
        x = _x(g, layout="3d")
        g.output(x * g.tensor((1, 1, 64), F, name="b"), name="y")

    yield Case("broadcast_columns", columns, lambda t, a: a["x"] * a["b"])

    def rows(g: Any) -> None:
        x = _x(g, layout="3d")
        g.output(x * g.tensor((4, 48, 1), F, name="b"), name="y")

    yield Case("broadcast_rows", rows, lambda t, a: a["x"] * a["b"])

    def both(g: Any) -> None:
        x = g.tensor((192, 64), F, name="x")
        b, c = g.tensor((1, 64), F, name="b"), g.tensor((192, 1), F, name="c")
        g.output(x * b + c, name="y")

    yield Case("broadcast_matrix", both, lambda t, a: a["x"] * a["b"] + a["c"])

    def clipped(g: Any) -> None:
        g.output(g.relu(_x(g), lower_clip=-0.5, upper_clip=1.0, slope=0.1), name="y")

    # Below the lower clip the slope continues from it.
    yield Case(
        "relu_clips",
        clipped,
        lambda t, a: t.where(a["x"] < -0.5, -0.5 + 0.1 * (a["x"] + 0.5), a["x"].clamp(max=1.0)),
    )

    def beta(g: Any) -> None:
        x = _x(g)
        g.output(g.elu(x, alpha=0.5) + g.softplus(x, beta=2.0) + g.swish(x, beta=1.5))

    yield Case(
        "activation_parameters",
        beta,
        lambda t, a: (
            t.nn.functional.elu(a["x"], alpha=0.5)
            + t.nn.functional.softplus(a["x"], beta=2.0)
            + a["x"] * (1.5 * a["x"]).sigmoid()
        ),
    )


# Convolutions

CONVOLUTIONS: dict[str, dict[str, Any]] = {
    "2d": {"x": (4, 32, 14, 14), "w": (64, 32, 3, 3), "padding": 1},
    "2d-1x1": {"x": (4, 64, 8, 8), "w": (32, 64, 1, 1)},
    "2d-stride": {"x": (2, 32, 16, 16), "w": (32, 32, 3, 3), "padding": 1, "stride": 2},
    "2d-dilation": {"x": (2, 32, 16, 16), "w": (32, 32, 3, 3), "padding": 2, "dilation": 2},
    "2d-asymmetric": {
        "x": (2, 32, 16, 16),
        "w": (32, 32, 2, 2),
        "padding": ((1, 0), (0, 1)),
    },
    "2d-groups": {"x": (2, 64, 12, 12), "w": (64, 16, 3, 3), "padding": 1},
    "2d-depthwise": {"x": (2, 64, 12, 12), "w": (64, 1, 3, 3), "padding": 1},
    "1d": {"x": (4, 32, 64), "w": (64, 32, 3), "padding": 1},
    "3d": {"x": (2, 16, 6, 8, 8), "w": (32, 16, 3, 3, 3), "padding": 1},
}


def _reference_convolution(torch: Any, x: Any, w: Any, how: Mapping[str, Any]) -> Any:
    spatial = x.dim() - 2
    padding = how.get("padding", 0)
    pairs = [(padding, padding)] * spatial if isinstance(padding, int) else list(padding)
    flat = [side for pair in reversed(pairs) for side in pair]
    function = getattr(torch.nn.functional, f"conv{spatial}d")
    return function(
        torch.nn.functional.pad(x, flat),
        w,
        stride=how.get("stride", 1),
        dilation=how.get("dilation", 1),
        groups=x.shape[1] // w.shape[1],
    )


def _convolution(direction: str, name: str, data_type: str, layout: str) -> Case:
    how = CONVOLUTIONS[name]
    options = {key: how[key] for key in ("padding", "stride", "dilation") if key in how}

    def build(g: Any) -> None:
        if data_type == "DOUBLE":
            g.compute_data_type = g.intermediate_data_type = data_type
        x = g.tensor(how["x"], data_type, layout=layout, name="x")
        w = g.tensor(how["w"], data_type, layout=layout, name="w")
        if direction == "forward":
            y = g.convolution(x, w, **options)
        else:
            other = type(g)()
            shape = other.convolution(
                other.tensor(how["x"]), other.tensor(how["w"]), **options
            ).shape
            dy = g.tensor(shape, data_type, layout=layout, name="dy")
            if direction == "data":
                y = g.convolution_backward_data(dy, w, shape=how["x"], **options)
                del g.tensors[x.uid]
            else:
                y = g.convolution_backward_filter(x, dy, how["w"], **options)
                del g.tensors[w.uid]
        g.output(y, name="y", data_type=data_type)

    def reference(torch: Any, arrays: Mapping[str, Any]) -> Any:
        if direction == "forward":
            return _reference_convolution(torch, arrays["x"], arrays["w"], how)
        given = {"x": torch.zeros(how["x"]).double(), "w": torch.zeros(how["w"]).double()}
        given.update({key: arrays[key] for key in ("x", "w") if key in arrays})
        leaf = given["x" if direction == "data" else "w"].clone().requires_grad_()
        given["x" if direction == "data" else "w"] = leaf
        y = _reference_convolution(torch, given["x"], given["w"], how)
        return torch.autograd.grad(y, leaf, arrays["dy"])[0]

    return Case(
        f"convolution-{direction}-{name}-{data_type.lower()}-{layout.lower()}",
        build,
        reference,
        tolerance(data_type),
    )


def convolutions() -> Iterator[Case]:
    last, first = "channels_last", "channels_first"
    for direction in ("forward", "data", "filter"):
        for name in CONVOLUTIONS:
            yield _convolution(direction, name, H, last)
        for data_type in (F, B):
            yield _convolution(direction, "2d", data_type, last)
        yield _convolution(direction, "2d", "DOUBLE", first)
        yield _convolution(direction, "2d", F, first)
        yield _convolution(direction, "3d", F, first)
        yield _convolution(direction, "1d", F, first)
        yield _convolution(direction, "2d-groups", F, first)

    def fused(g: Any) -> None:
        x = g.tensor((4, 32, 14, 14), H, layout="NHWC", name="x")
        w = g.tensor((64, 32, 3, 3), H, layout="NHWC", name="w")
        b = g.tensor((1, 64, 1, 1), H, name="b")
        z = g.tensor((4, 64, 14, 14), H, layout="NHWC", name="z")
        g.output(g.relu(g.convolution(x, w, padding=1) + b + z), name="y", data_type=H)

    yield Case(
        "convolution-bias-residual-relu",
        fused,
        lambda t, a: (t.nn.functional.conv2d(a["x"], a["w"], padding=1) + a["b"] + a["z"]).relu(),
    )

    def alpha(g: Any) -> None:
        x = g.tensor((4, 32, 14, 14), F, name="x")
        w = g.tensor((64, 32, 3, 3), F, name="w")
        g.output(g.convolution(x, w, padding=1, alpha=0.5), name="y")

    yield Case(
        "convolution-alpha",
        alpha,
        lambda t, a: 0.5 * t.nn.functional.conv2d(a["x"], a["w"], padding=1),
    )

    def transposed(g: Any) -> None:
        x = g.tensor((2, 32, 8, 8), H, layout="NHWC", name="x")
        w = g.tensor((32, 16, 3, 3), H, layout="NHWC", name="w")
        g.output(g.convolution_transpose(x, w, stride=2, padding=1, output_padding=1), name="y")

    yield Case(
        "convolution-transpose",
        transposed,
        lambda t, a: t.nn.functional.conv_transpose2d(
            a["x"], a["w"], stride=2, padding=1, output_padding=1
        ),
    )

    def flipped(g: Any) -> None:
        x = g.tensor((4, 32, 14, 14), F, name="x")
        w = g.tensor((64, 32, 3, 3), F, name="w")
        g.output(g.convolution(x, w, padding=1, flip=True), name="y")

    yield Case(
        "convolution-flip",
        flipped,
        lambda t, a: t.nn.functional.conv2d(a["x"], a["w"].flip(2, 3), padding=1),
    )

    def integers(g: Any) -> None:
        x = g.tensor((4, 32, 14, 14), "INT8", layout="NHWC", name="x")
        w = g.tensor((64, 32, 3, 3), "INT8", layout="NHWC", name="w")
        y = g.convolution(x, w, padding=1, data_type="INT32", compute_data_type="INT32")
        g.output(g.cast(y, F), name="y", data_type=F)

    yield Case(
        "convolution-int8",
        integers,
        lambda t, a: t.nn.functional.conv2d(a["x"], a["w"], padding=1),
        1e-6,
    )

    def statistics(g: Any) -> None:
        x = g.tensor((4, 32, 14, 14), H, layout="NHWC", name="x")
        w = g.tensor((64, 32, 3, 3), H, layout="NHWC", name="w")
        y = g.convolution(x, w, padding=1, data_type=H)
        g.output(y, name="y", data_type=H)
        total, squares = g.gen_stats(y)
        g.output(total, name="total")
        g.output(squares, name="squares")

    def statistics_reference(t: Any, a: Any) -> Any:
        y = t.nn.functional.conv2d(a["x"], a["w"], padding=1)
        dims = (0, 2, 3)
        return y, y.sum(dims, keepdim=True), (y * y).sum(dims, keepdim=True)

    yield Case("convolution-gen_stats", statistics, statistics_reference, 2e-2)


# Matrix products, reductions, resampling


def _matmul(data_type: str, how: str) -> Case:
    shapes = {"broadcast": ((4, 64, 48), (1, 48, 32)), "2d": ((64, 48), (48, 32))}
    a_shape, b_shape = shapes.get(how, ((4, 64, 48), (4, 48, 32)))

    def build(g: Any) -> None:
        a = g.tensor(a_shape, data_type, name="a", layout="column_major" if "ta" in how else None)
        b = g.tensor(b_shape, data_type, name="b", layout="column_major" if "tb" in how else None)
        g.output(a @ b, name="y", data_type=data_type)

    return Case(
        f"matmul-{data_type.lower()}-{how}",
        build,
        lambda t, arrays: arrays["a"] @ arrays["b"],
        tolerance(data_type),
    )


def linear() -> Iterator[Case]:
    for data_type in (H, B, F):
        yield _matmul(data_type, "plain")
    for how in ("ta", "tb", "tatb", "broadcast", "2d"):
        yield _matmul(H, how)

    def epilogue(g: Any) -> None:
        a = g.tensor((4, 64, 48), H, name="a")
        b = g.tensor((4, 48, 32), H, name="b")
        c = g.tensor((1, 1, 32), H, name="c")
        g.output(g.gelu(0.5 * (a @ b) + c), name="y", data_type=H)

    yield Case(
        "matmul-epilogue",
        epilogue,
        lambda t, a: t.nn.functional.gelu(0.5 * (a["a"] @ a["b"]) + a["c"]),
    )

    def prologue(g: Any) -> None:
        a = g.tensor((4, 64, 48), H, name="a")
        b = g.tensor((4, 48, 32), H, name="b")
        g.output(g.relu(a, data_type=H) @ b, name="y", data_type=H)

    yield Case("matmul-prologue", prologue, lambda t, a: a["a"].relu() @ a["b"])

    def eighths(g: Any) -> None:
        a = g.tensor((2, 64, 64), "FP8_E4M3", name="a")
        b = g.tensor((2, 64, 32), "FP8_E4M3", name="b", layout="column_major")
        product = g.matmul(a, b, compute_data_type=F)
        g.output(product * g.tensor((1, 1, 1), F, name="s"), name="y", data_type=H)

    yield Case("matmul-fp8", eighths, lambda t, a: a["a"] @ a["b"] * a["s"], 2e-2)

    def integers(g: Any) -> None:
        a = g.tensor((2, 64, 64), "INT8", name="a")
        b = g.tensor((2, 64, 32), "INT8", name="b", layout="column_major")
        y = g.matmul(a, b, data_type="INT32", compute_data_type="INT32")
        g.output(g.cast(y, F), name="y", data_type=F)

    yield Case("matmul-int8", integers, lambda t, a: a["a"] @ a["b"], 1e-6)

    def norm(x: Any, power: int, dims: Any) -> Any:
        return x.abs().pow(power).sum(dims, keepdim=True) ** (1 / power)

    reductions: dict[str, Callable[[Any, Any, Any], Any]] = {
        "ADD": lambda t, x, dims: x.sum(dims, keepdim=True),
        "MIN": lambda t, x, dims: x.amin(dims, keepdim=True),
        "MAX": lambda t, x, dims: x.amax(dims, keepdim=True),
        "AMAX": lambda t, x, dims: x.abs().amax(dims, keepdim=True),
        "AVG": lambda t, x, dims: x.mean(dims, keepdim=True),
        "NORM1": lambda t, x, dims: norm(x, 1, dims),
        "NORM2": lambda t, x, dims: norm(x, 2, dims),
        "MUL": lambda t, x, dims: x.prod(dims[0], keepdim=True),
        "MUL_NO_ZEROS": lambda t, x, dims: x.prod(dims[0], keepdim=True),
    }
    for mode, function in reductions.items():
        for dims in ((1,), (0, 2, 3)):
            if mode.startswith("MUL") and len(dims) > 1:
                continue

            def reduce(g: Any, mode: str = mode, dims: Any = dims) -> None:
                g.output(g.reduction(_x(g), mode, dims=dims), name="y")

            yield Case(
                f"reduction-{mode.lower()}-{''.join(map(str, dims))}",
                reduce,
                partial(_of_x, function, dims),
            )

    def rows(g: Any) -> None:
        g.output(g.reduction(g.tensor((96, 64), H, name="x"), "ADD", dims=-1), data_type=F)

    yield Case("reduction-rows-half", rows, lambda t, a: a["x"].sum(1, keepdim=True))

    def everything(g: Any) -> None:
        g.output(g.reduction(g.exp(_x(g)), "ADD"), name="y")

    yield Case(
        "reduction-exp-all", everything, lambda t, a: a["x"].exp().sum((0, 1, 2, 3), keepdim=True)
    )

    def matmul_amax(g: Any) -> None:
        a = g.tensor((2, 64, 64), H, name="a")
        b = g.tensor((2, 64, 32), H, name="b")
        y = a @ b
        g.output(y, name="y", data_type=H)
        g.output(g.reduction(y, "AMAX"), name="amax", data_type=F)

    yield Case(
        "matmul-amax",
        matmul_amax,
        lambda t, a: (a["a"] @ a["b"], (a["a"] @ a["b"]).abs().amax((0, 1, 2), keepdim=True)),
    )


def resampling() -> Iterator[Case]:
    pools: dict[str, Callable[[Any, Any], Any]] = {
        "MAXPOOL": lambda t, x: t.nn.functional.max_pool2d(x, 3, 2, 1),
        "AVGPOOL_INCLUDE_PADDING": lambda t, x: t.nn.functional.avg_pool2d(x, 3, 2, 1),
        "AVGPOOL_EXCLUDE_PADDING": lambda t, x: t.nn.functional.avg_pool2d(
            x, 3, 2, 1, count_include_pad=False
        ),
    }
    for mode, function in pools.items():
        for data_type in (H, F, B):

            def pool(g: Any, mode: str = mode, data_type: str = data_type) -> None:
                x = g.tensor((2, 32, 12, 8), data_type, layout="NHWC", name="x")
                g.output(g.resample(x, mode, window=3, stride=2, padding=1), name="y")

            yield Case(
                f"{mode.lower()}-{data_type.lower()}",
                pool,
                partial(_of_x, function, None),
                tolerance(data_type),
            )

        if mode == "MAXPOOL":
            continue

        def backward(g: Any, mode: str = mode) -> None:
            x = g.tensor((2, 32, 12, 8), F, layout="NHWC", name="x")
            dy = g.tensor((2, 32, 6, 4), F, layout="NHWC", name="dy")
            y = g.tensor((2, 32, 6, 4), F, layout="NHWC", name="y")
            g.output(
                g.resample_backward(dy, mode, x=x, y=y, window=3, stride=2, padding=1), name="dx"
            )

        yield Case(
            f"{mode.lower()}-backward",
            backward,
            partial(_gradient_of_x, function),
            tolerance(F),
            {"y": ("of", partial(_of_x, function, None))},
        )

    def indexed(g: Any) -> None:
        x = g.tensor((2, 32, 12, 8), H, layout="NHWC", name="x")
        y, index = g.resample(x, "MAXPOOL", window=3, stride=2, padding=1, index=True)
        g.output(y, name="y")
        g.output(index, name="index")

    yield Case(
        "maxpool-index",
        indexed,
        lambda t, a: (t.nn.functional.max_pool2d(a["x"], 3, 2, 1), None),
        tolerance(H),
    )

    def by_index(g: Any) -> None:
        dy = g.tensor((2, 32, 6, 4), F, layout="NHWC", name="dy")
        index = g.tensor((2, 32, 6, 4), "INT8", layout="NHWC", name="index")
        dx = g.resample_backward(
            dy, "MAXPOOL", index=index, shape=(2, 32, 12, 8), window=3, stride=2, padding=1
        )
        g.output(dx, name="dx")

    yield Case("maxpool-backward-index", by_index, None, inputs={"index": "index"})

    def bilinear(g: Any) -> None:
        x = g.tensor((2, 32, 8, 8), F, layout="NHWC", name="x")
        g.output(g.resample(x, "BILINEAR", shape=(2, 32, 16, 16)), name="y")

    def bilinear_reference(t: Any, a: Any) -> Any:
        x = a["x"]
        for axis in (2, 3):  # pixel i of the result is at i / 2, and the edge goes on
            moved = x.movedim(axis, -1)
            after = t.cat([moved[..., 1:], moved[..., -1:]], -1)
            between = t.stack([moved, (moved + after) / 2], -1).flatten(-2)
            x = between.movedim(-1, axis)
        return x

    yield Case("bilinear-up", bilinear, bilinear_reference)

    def nearest(g: Any) -> None:
        x = g.tensor((2, 32, 8, 8), F, layout="NHWC", name="x")
        g.output(g.resample(x, "NEAREST", shape=(2, 32, 16, 16)), name="y")

    yield Case(
        "nearest-up", nearest, lambda t, a: t.nn.functional.interpolate(a["x"], scale_factor=2)
    )


# Normalizations


def _layer_inputs(g: Any, data_type: str, bias: bool = True) -> tuple[Any, ...]:
    x = g.tensor((64, 256, 1, 1), data_type, layout="NHWC", name="x")
    scale = g.tensor((1, 256, 1, 1), F, name="scale")
    return (x, scale, g.tensor((1, 256, 1, 1), F, name="bias")) if bias else (x, scale)


def _outputs(g: Any, results: Any, data_type: str) -> None:
    for name, each in zip(results._fields, results, strict=True):
        if each is not None:
            g.output(each, name=f"{name}_out", data_type=data_type if name in ("y", "dx") else F)


def _reference_norm(t: Any, a: Any, dims: Any, rms: bool = False) -> Any:
    x, eps = a["x"], 1e-5
    mean = x.mean(dims, keepdim=True)
    centred = x if rms else x - mean
    inverse = (centred.square().mean(dims, keepdim=True) + eps).rsqrt()
    y = centred * inverse * a["scale"] + a.get("bias", 0)
    return (y, inverse) if rms else (y, mean, inverse)


def _norm(mode: str, phase: str, data_type: str) -> Case:
    def build(g: Any) -> None:
        if mode in ("batch", "instance"):
            x = g.tensor((4, 32, 12, 12), data_type, layout="NHWC", name="x")
            scale = g.tensor((1, 32, 1, 1), F, name="scale")
            bias = g.tensor((1, 32, 1, 1), F, name="bias")
            results = (
                g.batch_norm(x, scale, bias)
                if mode == "batch"
                else g.instance_norm(x, scale, bias, phase=phase)
            )
        elif mode == "rms":
            results = g.rms_norm(*_layer_inputs(g, data_type, False), phase=phase)
        elif mode == "ada":
            x = g.tensor((4, 64, 256), data_type, name="x")
            scale = g.tensor((4, 1, 256), F, name="scale")
            bias = g.tensor((4, 1, 256), F, name="bias")
            results = g.ada_layer_norm(x, scale, bias, phase=phase)
        else:
            results = g.layer_norm(*_layer_inputs(g, data_type), phase=phase)
        _outputs(g, results, data_type)

    dims = {"batch": (0, 2, 3), "instance": (2, 3), "ada": (2,)}.get(mode, (1, 2, 3))

    def reference(t: Any, a: Any) -> Any:
        found = _reference_norm(t, a, dims, mode == "rms")
        return found if phase == "training" else found[:1]

    return Case(f"{mode}_norm-{phase}-{data_type.lower()}", build, reference, tolerance(data_type))


def _norm_backward(mode: str, data_type: str) -> Case:
    dims = {"batch": (0, 2, 3), "instance": (2, 3)}.get(mode, (1, 2, 3))

    def build(g: Any) -> None:
        if mode in ("batch", "instance"):
            shape, parameter = (4, 32, 12, 12), (1, 32, 1, 1)
            statistic = (1, 32, 1, 1) if mode == "batch" else (4, 32, 1, 1)
        else:
            shape, parameter, statistic = (64, 256, 1, 1), (1, 256, 1, 1), (64, 1, 1, 1)
        x = g.tensor(shape, data_type, layout="NHWC", name="x")
        dy = g.tensor(shape, data_type, layout="NHWC", name="dy")
        scale = g.tensor(parameter, F, name="scale")
        mean = None if mode == "rms" else g.tensor(statistic, F, name="mean")
        inverse = g.tensor(statistic, F, name="inverse")
        _outputs(g, g.norm_backward(mode, dy, x, scale, mean, inverse), data_type)

    def forward(t: Any, a: Any) -> Any:
        return _reference_norm(t, {"scale": 1.0, **a}, dims, mode == "rms")

    def reference(t: Any, a: Any) -> Any:
        leaves = [a["x"].clone().requires_grad_(), a["scale"].clone().requires_grad_()]
        bias = t.zeros_like(leaves[1]).requires_grad_()
        y = forward(t, {"x": leaves[0], "scale": leaves[1], "bias": bias})[0]
        wanted = leaves if mode == "rms" else [*leaves, bias]
        return t.autograd.grad(y, wanted, a["dy"])

    return Case(
        f"{mode}_norm-backward-{data_type.lower()}",
        build,
        reference,
        3 * tolerance(data_type),
        {
            "mean": ("of", lambda t, a: forward(t, a)[1]),
            "inverse": ("of", lambda t, a: forward(t, a)[-1]),
        },
    )


def norms() -> Iterator[Case]:
    for data_type in (H, B, F):
        yield _norm("layer", "training", data_type)
        yield _norm("rms", "training", data_type)
        yield _norm_backward("layer", data_type)
    for mode in ("layer", "rms", "instance", "ada"):
        yield _norm(mode, "inference", H)
    for mode in ("instance", "ada", "batch"):
        yield _norm(mode, "training", H)
    for mode in ("rms", "instance", "batch"):
        yield _norm_backward(mode, H)

    def running(g: Any) -> None:
        x = g.tensor((4, 32, 12, 12), H, layout="NHWC", name="x")
        p = {n: g.tensor((1, 32, 1, 1), F, name=n) for n in ("scale", "bias", "m", "v")}
        results = g.batch_norm(
            x, p["scale"], p["bias"], running_mean=p["m"], running_variance=p["v"], momentum=0.1
        )
        _outputs(g, results, H)

    def running_reference(t: Any, a: Any) -> Any:
        y, mean, inverse = _reference_norm(t, a, (0, 2, 3))
        variance = a["x"].var((0, 2, 3), keepdim=True)  # of a sample
        return y, mean, inverse, 0.9 * a["m"] + 0.1 * mean, 0.9 * a["v"] + 0.1 * variance

    yield Case("batch_norm-running", running, running_reference, inputs={"v": "positive"})

    def inference(g: Any) -> None:
        x = g.tensor((4, 32, 12, 12), H, layout="NHWC", name="x")
        p = {n: g.tensor((1, 32, 1, 1), F, name=n) for n in ("mean", "inv", "scale", "bias")}
        g.output(g.batch_norm_inference(x, *p.values()), name="y", data_type=H)

    yield Case(
        "batch_norm-inference",
        inference,
        lambda t, a: (a["x"] - a["mean"]) * a["inv"] * a["scale"] + a["bias"],
    )

    def finalize(g: Any) -> None:
        names = ("sum", "square_sum", "scale", "bias", "running_mean", "running_variance")
        p = {n: g.tensor((1, 32, 1, 1), F, name=n) for n in names}
        results = g.bn_finalize(
            p.pop("scale"), p.pop("bias"), **p, count=100, momentum=0.1, epsilon=1e-5
        )
        for name, each in zip(results._fields, results, strict=True):
            g.output(each, name=f"{name}_out", data_type=H if name.startswith("eq") else F)

    def finalize_reference(t: Any, a: Any) -> Any:
        mean = a["sum"] / 100
        variance = a["square_sum"] / 100 - mean * mean
        inverse = (variance + 1e-5).rsqrt()
        return (
            *(a["scale"] * inverse, a["bias"] - a["scale"] * inverse * mean, mean, inverse),
            0.9 * a["running_mean"] + 0.1 * mean,
            0.9 * a["running_variance"] + 0.1 * variance * 100 / 99,
        )

    yield Case(
        "bn_finalize",
        finalize,
        finalize_reference,
        inputs={"square_sum": "hundreds", "running_variance": "positive"},
    )

    def weights(g: Any) -> None:
        x = g.tensor((4, 32, 12, 12), H, layout="NHWC", name="x")
        dy = g.tensor((4, 32, 12, 12), H, layout="NHWC", name="dy")
        p = {n: g.tensor((1, 32, 1, 1), F, name=n) for n in ("mean", "inv_std", "scale")}
        results = g.bn_bwd_weights(dy, x, **p)
        for name, each in zip(results._fields, results, strict=True):
            g.output(each, name=f"{name}_out")

    def weights_reference(t: Any, a: Any) -> Any:
        dims, n = (0, 2, 3), 4 * 12 * 12
        hat = (a["x"] - a["mean"]) * a["inv_std"]
        dscale = (a["dy"] * hat).sum(dims, keepdim=True)
        dbias = a["dy"].sum(dims, keepdim=True)
        k = a["scale"] * a["inv_std"]
        to_x = -k * dscale * a["inv_std"] / n
        return dscale, dbias, k, to_x, -k * dbias / n - to_x * a["mean"]

    yield Case("bn_bwd_weights", weights, weights_reference, 2e-2, {"inv_std": "positive"})

    def stats(g: Any) -> None:
        total, squares = g.gen_stats(g.tensor((4, 32, 12, 12), H, layout="NHWC", name="x"))
        g.output(total, name="total")
        g.output(squares, name="squares")

    yield Case(
        "gen_stats",
        stats,
        lambda t, a: (
            a["x"].sum((0, 2, 3), keepdim=True),
            a["x"].square().sum((0, 2, 3), keepdim=True),
        ),
    )


# Data that moves, and special operations


def special() -> Iterator[Case]:
    def concatenate(g: Any) -> None:
        a = g.tensor((2, 32, 8, 8), H, layout="NHWC", name="a")
        b = g.tensor((2, 64, 8, 8), H, layout="NHWC", name="b")
        g.output(g.concatenate([a, b], 1), name="y")

    yield Case("concatenate", concatenate, lambda t, a: t.cat([a["a"], a["b"]], 1), 0.0)

    def slicing(g: Any) -> None:
        x = g.tensor((4, 48, 64), F, name="x")
        g.output(g.relu(g.slice(x, (0, 16, 0), (4, 48, 64))), name="y")

    yield Case("slice-input", slicing, lambda t, a: a["x"][:, 16:].relu(), 1e-6)

    def computed_slice(g: Any) -> None:
        x = g.tensor((2, 4, 48, 64), F, name="x")
        g.output(g.slice(g.relu(x), (0, 0, 16, 0), (2, 4, 48, 64)), name="y")

    yield Case("slice-computed", computed_slice, lambda t, a: a["x"].relu()[:, :, 16:], 1e-6)

    def transposed(g: Any) -> None:
        x = g.tensor((2, 64, 48), H, name="x")
        b = g.tensor((2, 64, 32), H, name="b")
        g.output(g.matmul(g.transpose(x, (0, 2, 1)), b), name="y", data_type=H)

    yield Case("transpose-input", transposed, lambda t, a: a["x"].transpose(1, 2) @ a["b"])

    def computed_transpose(g: Any) -> None:
        x = g.tensor((2, 4, 64, 48), H, name="x")
        g.output(g.transpose(g.relu(x, data_type=H), (0, 1, 3, 2)), name="y")

    yield Case(
        "transpose-computed", computed_transpose, lambda t, a: a["x"].relu().transpose(2, 3), 1e-6
    )

    def reshaped(g: Any) -> None:
        x = g.tensor((2, 64, 48), H, name="x")
        b = g.tensor((2, 24, 32), H, name="b")
        g.output(g.matmul(g.reshape(x, (2, 128, 24)), b), name="y", data_type=H)

    yield Case("reshape", reshaped, lambda t, a: a["x"].reshape(2, 128, 24) @ a["b"])

    def softmax(g: Any) -> None:
        y, stats = g.softmax(g.tensor((2, 4, 64, 64), F, name="x"), statistics=True)
        g.output(y, name="y")
        g.output(stats, name="stats")

    yield Case(
        "softmax", softmax, lambda t, a: (a["x"].softmax(-1), a["x"].logsumexp(-1, keepdim=True))
    )

    def mask(g: Any) -> None:
        g.output(g.diagonal_band_mask(g.tensor((2, 4, 64, 64), F, name="x"), -1e9), name="y")

    yield Case(
        "diagonal_band_mask",
        mask,
        lambda t, a: t.where(t.ones(64, 64).tril().bool(), a["x"], t.tensor(-1e9).double()),
    )

    def random(g: Any) -> None:
        g.output(g.rng((2, 4, 64, 64), probability=0.25, seed=7, offset=0), name="y", data_type=F)

    yield Case("rng", random, None)

    def signal(g: Any) -> None:
        x = g.tensor((2, 32, 8, 8), H, layout="NHWC", name="x")
        flag = g.tensor((1, 1, 1, 1), "INT32", name="flag")
        g.output(g.signal(x, flag, 1), name="y")

    yield Case("signal", signal, None, inputs={"flag": "index"})

    def expand(g: Any) -> None:
        x = g.tensor((2, 4, 64, 17), H, name="x")
        y = g.expand_band_matrix(x, (2, 4, 64, 64), lower=8, upper=8, axis=3)
        g.output(y, name="y")

    yield Case("expand_band_matrix", expand, None)

    def contract(g: Any) -> None:
        x = g.tensor((2, 4, 64, 64), H, name="x")
        y = g.contract_band_matrix(x, (2, 4, 64, 17), lower=8, upper=8, axis=3)
        g.output(y, name="y")

    yield Case("contract_band_matrix", contract, None)

    def quantize(g: Any) -> None:
        x = g.tensor((1, 128, 128), H, name="x")
        y, scale = g.block_scale_quantize(x, 32)
        g.output(y, name="y")
        g.output(scale, name="scale")

    yield Case("block_scale_quantize", quantize, None)

    def dequantize(g: Any) -> None:
        a = g.tensor((1, 128, 128), "FP8_E4M3", name="a")
        sa = g.tensor((1, 128, 4), "FP8_E8M0", name="sa", reordering_mode="F8_128x4")
        b = g.tensor((1, 128, 128), "FP8_E4M3", name="b", layout="column_major")
        sb = g.tensor(
            (1, 4, 128), "FP8_E8M0", name="sb", layout="column_major", reordering_mode="F8_128x4"
        )
        product = g.matmul(g.block_scale_dequantize(a, sa, 32), g.block_scale_dequantize(b, sb, 32))
        g.output(product, name="y", data_type=H)

    yield Case("block_scale_matmul", dequantize, None)

    def paged(g: Any) -> None:
        container = g.tensor((16, 2, 32, 64), H, name="container")
        table = g.tensor((2, 1, 4, 1), "INT32", name="table")
        lengths = g.tensor((2, 1, 1, 1), "INT32", name="lengths")
        shape, strides = (2, 2, 64, 128), (16384, 8192, 1, 64)  # transposed
        k = g.paged_cache_load(container, table, lengths, shape=shape, strides=strides, data_type=H)
        q = g.tensor((2, 2, 64, 64), H, name="q")
        g.output(g.matmul(q, k), name="y", data_type=H)

    yield Case("paged_cache_load", paged, None, inputs={"table": "index", "lengths": "index"})

    def experts(g: Any) -> None:
        token = g.tensor((1, 128, 64), H, name="token")
        weight = g.tensor((4, 64, 32), H, name="weight", layout="column_major")
        offset = g.tensor((4, 1, 1), "INT32", name="offset")
        g.output(g.moe_grouped_matmul(token, weight, offset), name="y")

    def experts_reference(t: Any, a: Any) -> Any:
        first = [int(each) for each in a["offset"].flatten()] + [128]
        parts = [
            a["token"][:, b:e] @ a["weight"][i]
            for i, (b, e) in enumerate(itertools.pairwise(first))
        ]
        return t.cat(parts, 1)

    yield Case(
        "moe_grouped_matmul",
        experts,
        experts_reference,
        inputs={"offset": [0, 32, 64, 96]},
    )

    def experts_backward(g: Any) -> None:
        token = g.tensor((1, 128, 64), H, name="token")
        dy = g.tensor((1, 128, 32), H, name="dy")
        offset = g.tensor((4, 1, 1), "INT32", name="offset")
        g.output(g.moe_grouped_matmul_backward(token, dy, offset), name="dw")

    yield Case(
        "moe_grouped_matmul_backward", experts_backward, None, inputs={"offset": [0, 32, 64, 96]}
    )

    def rope(g: Any) -> None:
        x = g.tensor((2, 4, 64, 64), H, name="x")
        frequencies = g.tensor((1, 1, 64, 64), F, name="f")
        g.output(g.rope(x, frequencies), name="y")

    yield Case("rope", rope, None)

    def rope_backward(g: Any) -> None:
        dy = g.tensor((2, 4, 64, 64), H, name="dy")
        frequencies = g.tensor((1, 1, 64, 64), F, name="f")
        g.output(g.rope_backward(dy, frequencies), name="dx")

    yield Case("rope_backward", rope_backward, None)

    def sdpa(g: Any) -> None:
        from cudnn_cffi.graph import OPERATIONS

        q, k, v = (g.tensor((2, 4, 128, 64), H, name=n) for n in "qkv")
        scale = g.scalar(0.125, "FLOAT", rank=4)
        node = g.add_node(
            OPERATIONS["sdpa_forward"], {"q": q, "k": k, "v": v, "scale": scale}, {}, None, ("o",)
        )
        g.output(node.outputs["o"], name="o", data_type=H)

    yield Case(
        "sdpa_forward",
        sdpa,
        lambda t, a: t.nn.functional.scaled_dot_product_attention(a["q"], a["k"], a["v"]),
    )

    def sdpa_backward(g: Any) -> None:
        from cudnn_cffi.graph import OPERATIONS

        names = ("q", "k", "v", "o", "do")
        inputs = {n: g.tensor((2, 4, 128, 64), H, name=n) for n in names}
        inputs["stats"] = g.tensor((2, 4, 128, 1), F, name="stats")
        inputs["scale"] = g.scalar(0.125, "FLOAT", rank=4)
        node = g.add_node(OPERATIONS["sdpa_backward"], inputs, {}, None, ("dq", "dk", "dv"))
        for name, each in node.outputs.items():
            g.output(each, name=name, data_type=H)

    yield Case("sdpa_backward", sdpa_backward, None)


CASES: dict[str, Case] = {
    each.name: each
    for group in (pointwise, convolutions, linear, resampling, norms, special)
    for each in group()
}
