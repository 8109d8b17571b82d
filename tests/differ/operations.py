"""Operations of `ops` over their options, data that breaks kernels, and layouts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from cudnn_cffi import choice, ops
from cudnn_cffi.torch.autograd.layer import REFUSALS
from torch.nn import functional

from tests.activations import WORDS, activate

from .calls import Given, compare_calls, prepared
from .draw import Draw
from .judge import SkippedError, largest
from .values import KINDS, device

__all__ = ["Case", "compared", "gradient", "image", "normal", "run", "widened", "window"]

F = functional


class Case(NamedTuple):
    """A call of an operation.

    Attributes:
        arrays: by name, in float64.
        ours: of `ops`, a dict of arrays, and keywords, returns results.
        theirs: of a dict of arrays, returns the same by PyTorch.
        bound: arrays whose values are not free.
        wide: arrays that are float32 at least.
        scaled: whether `out`, `alpha` and `beta` can be given.
        inner: whether `theirs` takes alpha, and multiplies by it where the operation does.
        rough: whether engines compute it by approximations.
        is_slope: whether the result is the gradient of a function of elements.
    """

    arrays: dict[str, Any]
    ours: Callable[..., Any]
    theirs: Callable[..., Any]
    bound: tuple[str, ...] = ()
    wide: tuple[str, ...] = ()
    scaled: bool = True
    inner: bool = False
    rough: bool = False
    is_slope: bool = False


def normal(draw: Draw, name: str, *shape: int) -> Any:
    """Return normal numbers."""
    numbers = torch.Generator().manual_seed(draw.number(f"{name}_normal"))
    return torch.randn(shape, generator=numbers, dtype=torch.float64)


def image(draw: Draw, name: str = "x") -> Any:
    """Return an image of drawn extents."""
    spatial = draw.pick("spatial", (2, 1, 3), 0.4)
    shape = [draw.pick("batch", (2, 1, 3)), draw.pick("channels", (8, 1, 3, 5, 16, 64))]
    shape += [draw.pick(f"extent{i}", (8, 5, 1, 7, 12)) for i in range(spatial)]
    return normal(draw, name, *shape)


def window(draw: Draw, x: Any) -> dict[str, Any]:
    """Pick one window for all axes; smaller than the image."""
    least = min(x.shape[2:])
    size = min(draw.pick("size", (3, 1, 2)), least)
    return {
        "size": size,
        "padding": min(draw.pick("padding", (0, 1)), size // 2),
        "stride": draw.pick("stride", (1, 2, 3)),
    }


#: Functions of elements; SiLU is swish with 1.
ACTIVATIONS = tuple(word for word in WORDS if word != "silu")
NUMBERS: dict[str, tuple[float, ...]] = {
    "clipped_relu": (6.0, 1.0, 20.0),
    "leaky_relu": (0.01, 0.5, 0.0),
    "elu": (1.0, 2.0, 0.5),
    "swish": (1.0, 1.702, 0.5),
    "softplus": (1.0, 2.0, 0.5),
}


#: Words that engines compute by approximations of the device, in float32 too.
ROUGH = ("gelu", "gelu_tanh", "softplus", "swish", "sigmoid", "tanh", "elu")


def gradient(function: Any, dy: Any, *leaves: Any) -> Any:
    """Return gradients of a function by PyTorch."""
    with torch.enable_grad():
        leaves = tuple(each.detach().clone().requires_grad_() for each in leaves)
        return torch.autograd.grad(function(*leaves), leaves, dy)


def _activation(draw: Draw) -> Case:
    word = draw.pick("word", ACTIVATIONS, subject=True)
    number = draw.pick("number", NUMBERS.get(word, (0.0,)))
    given = number if word in NUMBERS else None
    x = image(draw)
    if draw.pick("direction", ("forward", "backward")) == "forward":
        return Case(
            {"x": x},
            lambda ops, a, **more: ops.activation(a["x"], word, given, **more),
            lambda a: activate(word, a["x"], number),
            rough=word in ROUGH,
        )
    options = {"activation": word} if given is None else {"activation": word, "coefficient": given}

    def ours(ops: Any, a: Any, **more: Any) -> Any:
        y = ops.activation(a["x"], word, given)
        return ops.activation_backward(a["dy"], a["x"], y, **options, **more)

    return Case(
        {"x": x, "dy": normal(draw, "dy", *x.shape)},
        ours,
        lambda a: gradient(lambda x: activate(word, x, number), a["dy"], a["x"])[0],
        rough=word in ROUGH,
        is_slope=True,
    )


def _convolution(draw: Draw) -> Case:
    x = image(draw)
    spatial = x.ndim - 2
    how = window(draw, x)
    size = how.pop("size")
    dilation = draw.pick("dilation", (1, 2), 0.6) if min(x.shape[2:]) > 2 * size else 1
    groups = draw.pick("groups", (1, 2, x.shape[1]), 0.6)
    groups = groups if x.shape[1] % groups == 0 else 1
    filters = groups * draw.pick("filters", (8, 1, 3, 4))
    w = normal(draw, "w", filters, x.shape[1] // groups, *[size] * spatial)
    function = getattr(F, f"conv{spatial}d")
    sides = [(how["padding"], how["padding"])] * spatial
    if draw.pick("uneven", (False, True), 0.6):
        sides = [(how["padding"] + axis, 1) for axis in range(spatial)]
    flip = draw.pick("flip", (False, True), 0.7)
    how |= {"dilation": dilation, "padding": sides, "flip": flip}

    def plain(x: Any, w: Any) -> Any:
        w = w.flip(*range(2, w.ndim)) if flip else w
        x = F.pad(x, [n for pair in reversed(sides) for n in pair])
        return function(x, w, None, how["stride"], 0, dilation, groups)

    y = plain(x, w)
    direction = draw.pick("direction", ("forward", "data", "filter", "bias"), 0.3)
    more = how if groups == 1 else how | {"groups": groups}
    if direction == "forward":
        word = draw.pick("activation", (None, "relu", "elu", "sigmoid", "leaky_relu"), 0.4)
        number = {"elu": 1.0, "leaky_relu": 0.01}.get(str(word), 0.0)
        arrays = {"x": x, "w": w}
        if draw.pick("bias", (False, True)):
            arrays["bias"] = normal(draw, "bias", filters)
        if draw.pick("residual", (False, True), 0.5):
            arrays["residual"] = normal(draw, "residual", *y.shape)

        def theirs(a: Any, alpha: float = 1.0) -> Any:
            y = alpha * plain(a["x"], a["w"])
            if "bias" in a:
                y = y + a["bias"].view(-1, *[1] * spatial)
            y = y + a["residual"] if "residual" in a else y
            return activate(word, y, number) if word else y

        def ours(ops: Any, a: Any, **scaling: Any) -> Any:
            given = [a.get(name) for name in ("x", "w", "bias", "residual")]
            return ops.convolution(*given, activation=word, **how, **scaling)

        return Case(arrays, ours, theirs, inner=True, rough=word in ROUGH)
    dy = normal(draw, "dy", *y.shape)
    if direction == "bias":
        return Case(
            {"dy": dy},
            lambda ops, a, **scaling: ops.convolution_backward_bias(a["dy"], **scaling),
            lambda a: a["dy"].sum((0, *range(2, dy.ndim))),
        )
    if direction == "data":
        return Case(
            {"dy": dy, "w": w},
            lambda ops, a, **scaling: ops.convolution_backward_data(
                a["dy"], a["w"], tuple(x.shape), **more, **scaling
            ),
            lambda a: gradient(
                lambda x: plain(x, a["w"]), a["dy"], torch.zeros(x.shape).to(a["w"])
            )[0],
        )
    return Case(
        {"x": x, "dy": dy},
        lambda ops, a, **scaling: ops.convolution_backward_filter(
            a["x"], a["dy"], tuple(w.shape), **more, **scaling
        ),
        lambda a: gradient(lambda w: plain(a["x"], w), a["dy"], torch.zeros(w.shape).to(a["x"]))[0],
    )


def _transposed(draw: Draw) -> Case:
    x = image(draw)
    spatial, how = x.ndim - 2, window(draw, x)
    size = how.pop("size")
    filters = draw.pick("filters", (8, 1, 3, 4))
    how["output_padding"] = min(draw.pick("longer", (0, 1)), how["stride"] - 1)
    if min((n - 1) * how["stride"] + size - 2 * how["padding"] for n in x.shape[2:]) < 1:
        raise SkippedError("the result is empty")
    function = getattr(F, f"conv_transpose{spatial}d")
    return Case(
        {"x": x, "w": normal(draw, "w", x.shape[1], filters, *[size] * spatial)},
        lambda ops, a, **scaling: ops.convolution_transpose(a["x"], a["w"], **how, **scaling),
        lambda a: function(a["x"], a["w"], **how),
    )


def _columns(draw: Draw) -> Case:
    x = image(draw)
    if x.ndim != 4:
        raise SkippedError("PyTorch has columns of images only")
    how = window(draw, x)
    size = how.pop("size")
    return Case(
        {"x": x},
        lambda ops, a, **more: ops.im2col(a["x"], size, **how, **more),
        lambda a: F.unfold(a["x"], size, **how),
        scaled=False,
    )


def _pooling(draw: Draw) -> Case:
    x = image(draw)
    spatial, how = x.ndim - 2, window(draw, x)
    size, kind = how.pop("size"), draw.pick("kind", ("max", "average", "inside", "sum"))

    def plain(x: Any) -> Any:
        if kind == "max":
            return getattr(F, f"max_pool{spatial}d")(x, size, **how)
        pool = getattr(F, f"avg_pool{spatial}d")
        y = pool(x, size, count_include_pad=kind != "inside", **how)
        return y * size**spatial if kind == "sum" else y

    name = {"inside": "average"}.get(kind, kind) + "_pool"
    options: dict[str, Any] = {"count_padding": False} if kind == "inside" else {}

    def forward(ops: Any, a: Any, **scaling: Any) -> Any:
        return getattr(ops, name)(a["x"], size, **how, **options, **scaling)

    if draw.pick("direction", ("forward", "backward")) == "forward":
        return Case({"x": x}, forward, lambda a: plain(a["x"]))
    word = {"inside": "average_without_padding"}.get(kind, kind)

    def backward(ops: Any, a: Any, **scaling: Any) -> Any:
        y = forward(ops, a)
        return ops.pooling_backward(a["dy"], a["x"], y, kind=word, window=size, **how, **scaling)

    return Case(
        {"x": x, "dy": normal(draw, "dy", *plain(x).shape)},
        backward,
        lambda a: gradient(plain, a["dy"], a["x"])[0],
    )


def _softmax(draw: Draw) -> Case:
    x = image(draw)
    axis = draw.pick("axis", (1, -1, 0, 2))
    log = draw.pick("log", (False, True))
    plain = F.log_softmax if log else F.softmax
    name = "log_softmax" if log else "softmax"
    if draw.pick("direction", ("forward", "backward")) == "forward":
        return Case(
            {"x": x},
            lambda ops, a, **scaling: getattr(ops, name)(a["x"], axis, **scaling),
            lambda a: plain(a["x"], axis),
        )
    return Case(
        {"x": x, "dy": normal(draw, "dy", *x.shape)},
        lambda ops, a, **scaling: ops.softmax_backward(
            a["dy"], getattr(ops, name)(a["x"], axis), axis, log=log, **scaling
        ),
        lambda a: gradient(lambda x: plain(x, axis), a["dy"], a["x"])[0],
    )


def _norm(draw: Draw) -> Case:
    x = image(draw)
    form = draw.pick("form", ("batch", "inference", "layer", "rms", "instance", "group"))
    channels = x.shape[1]
    shape = x.shape[1:] if form in ("layer", "rms") else (channels,)
    arrays = {"x": x, "scale": normal(draw, "scale", *shape)}
    if form != "rms":
        arrays["bias"] = normal(draw, "bias", *shape)
    groups = draw.pick("groups", (1, channels))
    if form == "inference":
        arrays["mean"] = normal(draw, "mean", *shape)
        arrays["variance"] = normal(draw, "variance", *shape).square() + 0.1

    def ours(ops: Any, a: Any, **scaling: Any) -> Any:
        first = [a["x"], *([groups] if form == "group" else []), a["scale"].contiguous()]
        rest = [a[name].contiguous() for name in ("bias", "mean", "variance") if name in a]
        name = {"inference": "batch_norm_inference"}.get(form, f"{form}_norm")
        found = getattr(ops, name)(*first, *rest, **scaling)
        return found[0] if isinstance(found, tuple) else found

    def theirs(a: Any) -> Any:
        x, s, b = a["x"], a["scale"].to(a["x"]), a.get("bias")
        b = None if b is None else b.to(x)
        if form == "batch":
            return F.batch_norm(x, None, None, s, b, True)
        if form == "inference":
            return F.batch_norm(x, a["mean"].to(x), a["variance"].to(x), s, b, False)
        if form == "group":
            return F.group_norm(x, groups, s, b)
        if form == "instance":
            return F.instance_norm(x, None, None, s, b)
        if form == "rms":
            return F.rms_norm(x, shape, s, 1e-5)
        return F.layer_norm(x, shape, s, b)

    wide = ("scale", "bias", "mean", "variance")
    return Case(arrays, ours, theirs, wide, wide, form in ("batch", "inference"))


def _reduce(draw: Draw) -> Case:
    x = image(draw)
    modes: dict[str, Callable[..., Any]] = {
        "add": lambda x, d: x.sum(d),
        "max": lambda x, d: x.amax(d),
        "min": lambda x, d: x.amin(d),
        "avg": lambda x, d: x.mean(d),
        "amax": lambda x, d: x.abs().amax(d),
        "norm1": lambda x, d: x.abs().sum(d),
        "norm2": lambda x, d: x.square().sum(d).sqrt(),
    }
    mode = draw.pick("mode", tuple(modes))
    axes = [axis for axis in range(x.ndim) if draw.pick(f"over{axis}", (True, False))]
    axes = axes or [1]
    return Case(
        {"x": x},
        lambda ops, a, **scaling: ops.reduce(a["x"], mode, tuple(axes), **scaling),
        lambda a: modes[mode](a["x"], axes),
    )


def _binary(draw: Draw) -> Case:
    x = image(draw)
    modes: dict[str, Callable[..., Any]] = {
        "add": torch.add, "mul": torch.mul, "min": torch.minimum, "max": torch.maximum,
    }  # fmt: skip
    mode = draw.pick("mode", tuple(modes))
    shape = [n if draw.pick(f"whole{i}", (True, False)) else 1 for i, n in enumerate(x.shape)]
    return Case(
        {"a": x, "b": normal(draw, "b", *shape)},
        lambda ops, a, **scaling: ops.tensor_operation(mode, a["a"], a["b"], **scaling),
        lambda a, alpha=1.0: modes[mode](alpha * a["a"], a["b"]),
        inner=True,
    )


def _response(draw: Draw) -> Case:
    x = image(draw)
    size = draw.pick("window", (5, 3, 1))
    return Case(
        {"x": x},
        lambda ops, a, **more: ops.local_response_norm(a["x"], size, 0.1, **more),
        lambda a: F.local_response_norm(a["x"], size, 0.1),
        scaled=False,
        rough=True,
    )


def _transform(draw: Draw) -> Case:
    x = image(draw)
    layout = draw.pick("layout", (None, "channels_last"))
    return Case(
        {"x": x},
        lambda ops, a, **_: ops.transform(a["x"], layout),
        lambda a: a["x"].clone(),
        scaled=False,
    )


OPERATIONS: dict[str, Callable[[Draw], Case]] = {
    "activation": _activation,
    "convolution": _convolution,
    "transposed": _transposed,
    "columns": _columns,
    "pooling": _pooling,
    "softmax": _softmax,
    "norm": _norm,
    "reduce": _reduce,
    "binary": _binary,
    "response": _response,
    "transform": _transform,
}


class _Call:
    """A function of arrays by name, as `compare_calls` wants it."""

    parameters = ()

    def __init__(self, function: Any) -> None:
        self.function = function

    def __call__(self, arrays: Any) -> Any:
        return self.function(arrays)

    def state(self) -> list[Any]:
        return []


def run(draw: Draw) -> str:
    """Call a drawn operation, and compare its results."""
    return compared(draw, OPERATIONS)


def compared(draw: Draw, operations: dict[str, Callable[[Draw], Case]]) -> str:
    """Call one of some operations, and compare its results; float32 is exact."""
    before = choice.set_default(tf32=False)
    try:
        return _compared(draw, operations)
    finally:
        choice.set_default(before)


def _compared(draw: Draw, operations: dict[str, Callable[[Draw], Case]]) -> str:
    case = operations[draw.pick("operation", tuple(operations), subject=True)](draw)
    kind = draw.pick("dtype", KINDS)
    options: dict[str, Any] = {}
    alpha, beta = 1.0, 0.0
    if case.scaled:
        alpha = draw.pick("alpha", (1.0, -0.5), 0.5)
        beta = draw.pick("beta", (0.0, 2.0), 0.5)
        options = {"alpha": alpha, "beta": beta}
    if choose := draw.pick(
        "choose", (None, {"via": "graph"}, {"via": "classic"}, "deterministic", "time"), 0.3
    ):
        options["choose"] = choose
    arrays = dict(case.arrays)
    if case.scaled and (beta or draw.pick("out", (False, True))):
        try:
            arrays["out"] = normal(draw, "out", *case.theirs(case.arrays).shape)
        except ValueError as error:  # of norms of one number
            raise SkippedError(str(error)) from None
    given = Given(arrays, lambda *_: False)
    names = list(arrays)
    prepared(draw, given, kind, lambda i: names[i] in (*case.bound, "out"), ("out",), names)

    def theirs(a: Any) -> Any:
        if not case.scaled:
            return case.theirs(a)
        y = case.theirs(a, alpha) if case.inner else alpha * case.theirs(a)
        return y + beta * a["out"] if beta else y

    def call(a: Any) -> Any:
        arrays = {name: widened(x) if name in case.wide else x for name, x in a.items()}
        into = {"out": arrays.pop("out")} if "out" in arrays else {}
        if into and not beta:
            into["out"].fill_(float("nan"))
        with choice.scope(tf32=False):
            return case.ours(ops, arrays, **options, **into)

    ours = call if device() == "cuda" else theirs
    more: dict[str, Any] = {}
    if case.is_slope:
        more["slopes"] = "y", abs(alpha) * largest(given.leaves[names.index("dy")])
    return compare_calls(
        draw,
        given,
        kind,
        lambda _: _Call(ours),
        lambda _: _Call(theirs),
        REFUSALS,
        rough=case.rough,
        **more,
    )


def widened(x: Any) -> Any:
    """Return what has float32 at least."""
    return x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
