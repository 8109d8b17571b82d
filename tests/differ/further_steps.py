"""Operations that few graphs have, and further options of others, as steps of drawn graphs."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch

from .attention_steps import attention_with_options
from .draw import NotHereError

__all__ = ["STEPS", "gradient_of", "saturating"]

#: Numbers that no type of two bytes has, so that none is where a function has a step.
LOWER, UPPER = -0.3, 1.1

#: The error of what saturates: of a slope, or of a value that cancels 1.
SLOPE = 2.0**-23

#: From which numbers on float32 has nothing left of what a function like erf lacks to 1.
SATURATED = 16

#: The factors of extents that are resized.
FACTORS = (2, 3, 4)


def _axes(m: Any, name: str, options: Sequence[int], count: int) -> list[int]:
    """Pick a number for all axes, or for each its own."""
    if m.draw.pick(f"{name}_alike", (True, False), 0.3):
        return [m.draw.pick(name, options)] * count
    return [m.draw.pick(f"{name}{axis}", options) for axis in range(count)]


def convolution(m: Any, name: str, x: int) -> None:
    """Add a convolution with options of each axis, or one of its gradients."""
    shape = m.shape(x)
    spatial = len(shape) - 2
    direction = m.draw.pick(f"{name}_direction", ("forward", "data", "filter"))
    sizes = _axes(m, f"{name}_size", (3, 1, 2), spatial)
    strides = _axes(m, f"{name}_stride", (1, 2, 3), spatial)
    dilations = _axes(m, f"{name}_dilation", (2, 1, 3), spatial)
    before = _axes(m, f"{name}_padding", (0, 1, 2), spatial)
    after = before
    if m.draw.pick(f"{name}_uneven", (False, True), 0.3):
        after = _axes(m, f"{name}_after", (0, 1, 2), spatial)
    for axis, n in enumerate(shape[2:]):
        if direction != "data" and dilations[axis] * (sizes[axis] - 1) >= n:
            sizes[axis] = 1
    spans = [step * (size - 1) + 1 for step, size in zip(dilations, sizes, strict=True)]
    if any(max(pair) >= span > 1 for *pair, span in zip(before, after, spans, strict=True)):
        before = after = [0] * spatial
    flip = m.draw.pick(f"{name}_flip", (False, True), 0.5)
    groups = m.draw.pick(f"{name}_groups", (1, 2, shape[1]), 0.4)
    groups = 1 if shape[1] % groups else groups
    filters = m.draw.pick(f"{name}_filters", (8, 1, 3, 5, 16, 17, 32))
    filters = 1 if filters * groups > 128 else filters
    function = getattr(torch.nn.functional, f"conv{spatial}d")
    sides = [pair for *pair, _ in zip(before, after, sizes, strict=True)]
    how = {"padding": sides, "stride": strides, "dilation": dilations, "flip": flip}
    flat = [n for pair in reversed(sides) for n in pair]

    def plain(a: Any, w: Any) -> Any:
        w = w.flip(*range(2, w.ndim)) if flip else w
        return function(torch.nn.functional.pad(a, flat), w, None, strides, 0, dilations, groups)

    def gradient(whole: Sequence[int], is_data: bool, other: Any, dy: Any) -> Any:
        leaf = torch.zeros(whole, dtype=torch.float64, requires_grad=True)
        y = plain(leaf, other) if is_data else plain(other, leaf)
        return torch.autograd.grad(y, leaf, dy)[0]

    if direction == "data":  # the value is dy
        rests = [m.chance(f"{name}_rest{axis}").randrange(n) for axis, n in enumerate(strides)]
        ends = zip(shape[2:], strides, spans, before, after, rests, strict=True)
        extents = [(n - 1) * step + span - a - b + rest for n, step, span, a, b, rest in ends]
        if min(extents) < 1 or math.prod(extents) * shape[0] * filters * groups > 4 * m.most:
            raise NotHereError
        w = m.input(f"{name}_w", (shape[1], filters, *sizes))
        whole = (shape[0], filters * groups, *extents)
        y = m.graph.convolution_backward_data(m.tensor(x), m.tensor(w), shape=whole, **how)
        m.add(y, lambda dy, w: gradient(whole, True, w, dy), x, w, product=True)
        return
    ends = zip(shape[2:], strides, spans, before, after, strict=True)
    extents = [(n + a + b - span) // step + 1 for n, step, span, a, b in ends]
    whole = (filters * groups, shape[1] // groups, *sizes)
    if direction == "forward":
        w = m.input(f"{name}_w", whole)
        m.add(m.graph.convolution(m.tensor(x), m.tensor(w), **how), plain, x, w, product=True)
        return
    dy = m.input(f"{name}_dy", (shape[0], filters * groups, *extents))
    y = m.graph.convolution_backward_filter(m.tensor(x), m.tensor(dy), whole, **how)
    m.add(y, lambda a, dy: gradient(whole, False, a, dy), x, dy, product=True)


def mixed(m: Any, name: str, x: int) -> None:
    """Combine a value with an array of another data type."""
    modes = {"ADD": torch.add, "MUL": torch.mul, "SUB": torch.sub, "MAX": torch.maximum}
    mode = m.draw.pick(f"{name}_mode", tuple(modes))
    kinds = [each for each in ("FLOAT", "HALF", "BFLOAT16", "INT32", "INT8") if each != m.kind]
    kind = m.draw.pick(f"{name}_kind", kinds, 0.3)
    b = m.input(f"{name}_b", m.smaller(name, m.shape(x)), kind)
    y = m.graph.pointwise(mode, m.tensor(x), m.tensor(b))
    m.add(y, modes[mode], x, b, exact=mode in ("ADD", "SUB", "MAX"))


def _converted(m: Any, name: str, shape: Sequence[int]) -> int:
    """Add an array of 8 bits that is converted."""
    kind = m.draw.pick(f"{name}_kind", ("INT8", "UINT8", "FP8_E4M3", "FP8_E5M2"))
    wide = m.draw.pick(f"{name}_converted", ("FLOAT", m.kind))
    numbers = torch.Generator().manual_seed(m.draw.number(f"{name}_weights"))
    low = 0 if kind == "UINT8" else -100
    values = torch.randint(low, 100, tuple(shape), generator=numbers).double()
    b = m.input(f"{name}_b", shape, kind, values / (8 if "FP" in kind else 1))
    y: int = m.add(m.graph.identity(m.tensor(b), data_type=wide), torch.clone, b, exact=True)
    return y


def converted_product(m: Any, name: str, x: int) -> None:
    """Multiply by weights of 8 bits, which are converted, and may be scaled, before."""
    shape = m.shape(x)
    columns = m.draw.pick(f"{name}_columns", m.extents)
    outer = shape[:-2] if m.draw.pick(f"{name}_batch", ("full", "one")) == "full" else None
    outer = (1,) * (len(shape) - 2) if outer is None else outer
    is_first = m.draw.pick(f"{name}_side", (False, True), 0.5)
    y = _converted(m, name, (*outer, *((columns, shape[-2]) if is_first else (shape[-1], columns))))
    if m.draw.pick(f"{name}_scaled", (True, False)):
        scale = m.input(f"{name}_scale", (*[1] * (len(shape) - 1), m.shape(y)[-1]), "FLOAT")
        y = m.add(m.graph.mul(m.tensor(y), m.tensor(scale)), torch.mul, y, scale)
    a, b = (y, x) if is_first else (x, y)
    m.add(m.graph.matmul(m.tensor(a), m.tensor(b)), torch.matmul, a, b, product=True)


def converted_convolution(m: Any, name: str, x: int) -> None:
    """Convolve with filters of 8 bits, which are converted before."""
    shape = m.shape(x)
    size = min(m.draw.pick(f"{name}_size", (1, 3)), *shape[2:])
    filters = m.draw.pick(f"{name}_filters", (8, 1, 3, 5, 16, 17, 32))
    w = _converted(m, name, (filters, shape[1], *[size] * (len(shape) - 2)))
    function = getattr(torch.nn.functional, f"conv{len(shape) - 2}d")
    m.add(m.graph.convolution(m.tensor(x), m.tensor(w)), function, x, w, product=True)


def parameters(m: Any, name: str, x: int) -> None:
    """Add a function of elements with its parameters."""
    functional = torch.nn.functional
    mode = m.draw.pick(f"{name}_mode", ("RELU_FWD", "ELU_FWD", "SOFTPLUS_FWD", "SWISH_FWD", "ADD"))
    number = m.draw.pick(f"{name}_number", (0.5, 1.0, 1.702))
    if mode == "ADD":
        b = m.input(f"{name}_b", m.smaller(name, m.shape(x)))
        y = m.graph.pointwise(mode, m.tensor(x), m.tensor(b), alpha1=number, alpha2=-0.25)
        m.add(y, lambda a, b: number * a - 0.25 * b, x, b)
        return
    if mode == "RELU_FWD":
        options, function = _clips(m, name)
        y = m.graph.pointwise(mode, m.tensor(x), **options)
        m.add(y, function, x)
        return
    functions: dict[str, tuple[str, Callable[..., Any]]] = {
        "ELU_FWD": ("elu_alpha", saturating(lambda a: functional.elu(a, number))),
        "SOFTPLUS_FWD": (
            "softplus_beta",
            saturating(lambda a: torch.logaddexp(a * number, a * 0) / number),
        ),
        "SWISH_FWD": ("swish_beta", lambda a: a * (number * a).sigmoid()),
    }
    option, function = functions[mode]
    if m.draw.pick(f"{name}_way", ("forward", "backward")) == "forward":
        y = m.graph.pointwise(mode, m.tensor(x), **{option: number})
        m.add(y, function, x, rough=True, narrows=mode != "SWISH_FWD")
        return
    if mode == "ELU_FWD" and number != 1 and not m.is_sharp(x):
        raise NotHereError  # the slope has a step at 0, which rounding crosses
    dy = m.input(f"{name}_dy", m.shape(x))
    y = m.graph.pointwise(
        mode.replace("_FWD", "_BWD"), m.tensor(dy), m.tensor(x), **{option: number}
    )
    m.add(y, gradient_of(function), dy, x, rough=True, narrows=True)


def saturating(function: Callable[[Any], Any], scales: bool = False) -> Callable[..., Any]:
    """Return a function that engines compute by what is added to 1, which loses digits.

    Args:
        function: of elements.
        scales: whether that is multiplied by the element.
    """

    def found(x: Any, by: float = 0.0) -> Any:
        y = function(x)
        if not by:
            return y
        error = SLOPE * torch.randn(x.shape, dtype=torch.float64) * (x if scales else 1)
        return torch.where(x.abs() < SATURATED, y + error, y * (y.abs() > SLOPE))

    return found


def gradient_of(function: Callable[[Any], Any]) -> Callable[..., Any]:
    """Return what computes the gradient of a function of elements.

    Engines compute slopes of functions that saturate by their values, such as 1 - y * y, to an ulp
    of 1.
    """

    def gradient(dy: Any, x: Any, by: float = 0.0) -> Any:
        leaf = x.clone().requires_grad_()
        (dx,) = torch.autograd.grad(function(leaf), leaf, dy)
        return dx + dy * SLOPE * torch.randn(dy.shape, dtype=torch.float64) if by else dx

    return gradient


def _clips(m: Any, name: str) -> tuple[dict[str, float], Callable[..., Any]]:
    """Return options of ReLU, and the function that it is with them."""
    lower = m.draw.pick(f"{name}_lower", (0.0, LOWER))
    upper = m.draw.pick(f"{name}_upper", (UPPER, math.inf))
    slope = m.draw.pick(f"{name}_slope", (0.0, 0.1, 0.75))
    options = {"lower_clip": lower, "slope": slope}
    options |= {} if upper == math.inf else {"upper_clip": upper}

    def function(a: Any) -> Any:
        return torch.where(a < lower, lower + slope * (a - lower), a.clamp(max=upper))

    return options, function


def quotient(m: Any, name: str, x: int) -> None:
    """Divide by an array, take a power of it, or an angle."""
    modes: dict[str, Callable[..., Any]] = {
        "DIV": torch.div,
        "ATAN2": torch.atan2,
        "MOD": lambda a: torch.fmod(a, torch.tensor(3.0, dtype=torch.float64)),
        "FLOOR_MOD": lambda a: torch.remainder(a, 3.0),
    }
    # A remainder has steps, which rounding crosses.
    steps = ("MOD", "FLOOR_MOD") if m.values[x].is_exact else ()
    mode = m.draw.pick(f"{name}_mode", ("DIV", "POW", "ATAN2", *steps))
    if mode in steps:
        m.add(m.graph.pointwise(mode, m.tensor(x), 3.0), modes[mode], x, exact=True)
        return
    b = m.input(f"{name}_b", m.smaller(name, m.shape(x)))
    if mode == "POW":
        power = m.add(m.graph.tanh(m.tensor(b)), torch.tanh, b, rough=True)
        base = m.add(m.graph.abs(m.tensor(x)), torch.abs, x)
        base = m.add(m.graph.add(m.tensor(base), 0.5), lambda a: a + 0.5, base)
        y = m.graph.pointwise(mode, m.tensor(base), m.tensor(power))
        m.add(y, torch.pow, base, power, rough=True)
        return
    size = m.add(m.graph.abs(m.tensor(b)), torch.abs, b)
    size = m.add(m.graph.add(m.tensor(size), 0.5), lambda a: a + 0.5, size)
    y = m.graph.pointwise(mode, m.tensor(x), m.tensor(size))
    m.add(y, modes[mode], x, size, rough=True)


def logic(m: Any, name: str, x: int) -> None:
    """Select by conditions that are combined."""
    masks = []
    for word in "tu":
        t = m.input(f"{name}_{word}", m.smaller(f"{name}_{word}", m.shape(x)), "FLOAT")
        mask = m.graph.pointwise("CMP_GT", m.tensor(t), 0.0)
        masks.append(m.add(mask, lambda a: a > 0, t))
    mode = m.draw.pick(f"{name}_mode", ("LOGICAL_AND", "LOGICAL_OR"))
    both = torch.logical_and if mode == "LOGICAL_AND" else torch.logical_or
    c = m.add(m.graph.pointwise(mode, *map(m.tensor, masks)), both, *masks)
    if m.draw.pick(f"{name}_not", (False, True)):
        c = m.add(m.graph.logical_not(m.tensor(c)), torch.logical_not, c)
    b = m.input(f"{name}_b", m.shape(x))
    y = m.graph.binary_select(m.tensor(x), m.tensor(b), m.tensor(c))
    m.add(y, lambda a, b, c: torch.where(c, a, b), x, b, c, exact=True)


def index(m: Any, name: str, x: int) -> None:
    """Read positions: add them, or select by them."""
    shape = m.shape(x)
    chance = m.chance(f"{name}_places")
    axis, other = chance.sample(range(len(shape)), 2)

    def places(axis: int) -> Any:
        line = torch.arange(shape[axis], dtype=torch.float64)
        return line.view([-1 if i == axis else 1 for i in range(len(shape))]).expand(shape)

    rows = m.graph.gen_index(m.tensor(x), axis)
    how = m.draw.pick(f"{name}_how", ("sum", "below", "diagonal"))
    if how == "sum":
        numbers = m.graph.identity(rows, data_type="FLOAT")
        y = m.graph.add(m.tensor(x), numbers)
        m.add(y, lambda a: a + places(axis), x, exact=True)
        return
    if how == "below":
        bound = chance.randrange(shape[axis] + 1)
        mask, right = m.graph.pointwise("CMP_LT", rows, bound), places(axis) < bound
    else:
        columns = m.graph.gen_index(m.tensor(x), other)
        mask, right = m.graph.pointwise("CMP_GE", rows, columns), places(axis) >= places(other)
    b = m.input(f"{name}_b", shape)
    y = m.graph.binary_select(m.tensor(x), m.tensor(b), mask)
    m.add(y, lambda a, b: torch.where(right, a, b), x, b, exact=True)


def resized(m: Any, name: str, x: int) -> None:
    """Interpolate: pixel i of a result is at i / factor, and the edge goes on."""
    shape = m.shape(x)
    factors = _axes(m, f"{name}_factor", FACTORS, len(shape) - 2)
    extents = [n * factor for n, factor in zip(shape[2:], factors, strict=True)]
    if math.prod(shape[:2]) * math.prod(extents) > 4 * m.most:
        raise NotHereError

    def function(a: Any) -> Any:
        for axis, factor in enumerate(factors, 2):
            line = a.movedim(axis, -1)
            after = torch.cat([line[..., 1:], line[..., -1:]], -1)
            parts = [line + (after - line) * i / factor for i in range(factor)]
            a = torch.stack(parts, -1).flatten(-2).movedim(-1, axis)
        return a

    y = m.graph.resample(m.tensor(x), "BILINEAR", shape=(*shape[:2], *extents))
    m.add(y, function, x, sums=True)


def positions(m: Any, name: str, x: int) -> None:
    """Find maxima with their positions in windows; or the gradient by these."""
    shape = m.shape(x)
    spatial = len(shape) - 2
    sizes = [min(n, size) for n, size in zip(shape[2:], _axes(m, f"{name}_size", (2, 3), spatial))]  # noqa: B905
    strides = _axes(m, f"{name}_stride", (2, 1, 3), spatial)
    padding = m.draw.pick(f"{name}_padding", (0, 1)) if min(sizes) > 1 else 0
    how = {"window": sizes, "stride": strides, "padding": padding}
    pool = getattr(torch.nn.functional, f"max_pool{spatial}d")

    def found(a: Any) -> Any:
        return pool(a, sizes, strides, padding, return_indices=True)

    def within(a: Any) -> Any:
        """Return positions in windows for those in images."""
        y, flat = found(a)
        place = torch.zeros_like(flat)
        rest = flat
        for axis in reversed(range(spatial)):
            n, line = shape[2 + axis], torch.arange(y.shape[2 + axis])
            first = line.view([-1 if i == axis + 2 else 1 for i in range(y.ndim)]) * strides[axis]
            place += (rest % n - first + padding) * math.prod(sizes[axis + 1 :])
            rest = rest // n
        return place.double()

    if m.draw.pick(f"{name}_way", ("forward", "backward")) == "forward":
        y, index = m.graph.resample(m.tensor(x), "MAXPOOL", index=True, **how)
        m.add(y, lambda a: found(a)[0], x)
        m.outputs.append((f"{name}_index", m.add(index, within, x, exact=True)))
        return
    if m.values[x].evaluate is not None:
        raise NotHereError
    a = m.arrays[m.tensor(x).name]
    flat = found(a)[1]
    dy = m.input(f"{name}_dy", flat.shape)
    place = m.input(f"{name}_places", flat.shape, "INT8", within(a))
    y = m.graph.resample_backward(
        m.tensor(dy), "MAXPOOL", index=m.tensor(place), shape=shape, **how
    )

    def gradient(dy: Any) -> Any:
        dx = torch.zeros(*shape[:2], math.prod(shape[2:]), dtype=torch.float64)
        return dx.scatter_add(2, flat.flatten(2), dy.flatten(2)).view(shape)

    m.add(y, gradient, dy, sums=True)


def softmax(m: Any, name: str, x: int) -> None:
    """Add a softmax with the logarithms of sums, and a logit that takes part in these alone."""
    shape = m.shape(x)
    sink = None
    if m.draw.pick(f"{name}_sink", (False, True)):
        sink = m.input(f"{name}_sink", (1, shape[1], 1, 1), "FLOAT")
    more = [] if sink is None else [sink]
    words = {} if sink is None else {"sink": m.tensor(sink)}
    y, stats = m.graph.softmax(m.tensor(x), statistics=True, **words)[:2]

    def sums(a: Any, sink: Any = None) -> Any:
        whole = a if sink is None else torch.cat([a, sink.expand(*a.shape[:-1], 1)], -1)
        return whole.logsumexp(-1, keepdim=True)

    m.add(y, lambda a, *rest: (a - sums(a, *rest)).exp(), x, *more, rough=True)
    m.outputs.append((f"{name}_stats_out", m.add(stats, sums, x, *more, rough=True)))


def _normal(a: Any, dims: tuple[int, ...]) -> tuple[Any, Any, Any]:
    """Return normalized numbers, and what they were normalized by."""
    mean = a.mean(dims, True)
    inverse = ((a - mean).square().mean(dims, True) + 1e-5).rsqrt()
    return (a - mean) * inverse, mean, inverse


def norm(m: Any, name: str, x: int) -> None:
    """Add a norm with parameters of each example, or with running statistics."""
    shape = m.shape(x)
    if m.draw.pick(f"{name}_form", ("ada", "running")) == "ada":
        one = (shape[0], *shape[1:]) if len(shape) == 4 else (shape[0], 1, shape[2])
        dims = (1, 2, 3) if len(shape) == 4 else (2,)
        scale, bias = (m.input(f"{name}_{word}", one, "FLOAT") for word in ("scale", "bias"))
        phase = m.draw.pick(f"{name}_phase", ("inference", "training"))
        found = m.graph.ada_layer_norm(*map(m.tensor, (x, scale, bias)), phase=phase)
        given = (x, scale, bias)
        y = found if hasattr(found, "uid") else found.y
        m.add(y, lambda a, s, b: _normal(a, dims)[0] * s + b, *given, sums=True)
        if phase == "training":
            for place, tensor in ((1, found.mean), (2, found.inv_variance)):
                each = m.add(tensor, lambda a, place=place: _normal(a, dims)[place], x, sums=True)
                m.outputs.append((f"{name}_statistic{place}_out", each))
        return
    dims, count = (0, 2, 3), shape[0] * math.prod(shape[2:])
    if count == 1 or len(shape) != 4:
        raise NotHereError
    scale, bias, mean, spread = (
        m.input(f"{name}_{word}", (1, shape[1], 1, 1), "FLOAT")
        for word in ("scale", "bias", "mean", "variance")
    )
    found = m.graph.batch_norm(
        *map(m.tensor, (x, scale, bias)),
        running_mean=m.tensor(mean),
        running_variance=m.tensor(spread),
        momentum=0.1,
    )
    m.add(found.y, lambda a, s, b: _normal(a, dims)[0] * s + b, x, scale, bias, sums=True)

    def variance(a: Any, v: Any) -> Any:  # of a sample
        return 0.9 * v + 0.1 * a.var(dims, unbiased=False, keepdim=True) * count / (count - 1)

    results: dict[str, tuple[Any, Callable[..., Any], tuple[int, ...]]] = {
        "mean": (found.mean, lambda a: _normal(a, dims)[1], (x,)),
        "inverse": (found.inv_variance, lambda a: _normal(a, dims)[2], (x,)),
        "running_mean": (
            found.running_mean,
            lambda a, n: 0.9 * n + 0.1 * a.mean(dims, True),
            (x, mean),
        ),
        "running_variance": (found.running_variance, variance, (x, spread)),
    }
    for word, (tensor, function, reads) in results.items():
        m.outputs.append((f"{name}_{word}_out", m.add(tensor, function, *reads, sums=True)))


def experts(m: Any, name: str, x: int) -> None:
    """Multiply rows by the matrix of the expert that they belong to; some experts have none."""
    batch, rows, width = m.shape(x)
    count = m.draw.pick(f"{name}_experts", (4, 1, 2, 7))
    columns = m.draw.pick(f"{name}_columns", m.extents)
    token = m.input(f"{name}_token", (1, batch * rows, width), None, None, True)
    weights = m.input(f"{name}_w", (count, columns, width), None, None, True)
    chance = m.chance(f"{name}_firsts")
    firsts = [0, *sorted(chance.randint(0, batch * rows) for _ in range(count - 1))]
    places = torch.tensor(firsts).double().view(-1, 1, 1)
    first = m.input(f"{name}_firsts", (count, 1, 1), "INT32", places, True)
    turned = m.graph.transpose(m.tensor(weights), (0, 2, 1))
    y = m.graph.moe_grouped_matmul(m.tensor(token), turned, m.tensor(first))

    def product(token: Any, weights: Any) -> Any:
        parts = zip(firsts, [*firsts[1:], batch * rows], weights.transpose(1, 2), strict=True)
        return torch.cat([token[:, a:b] @ each for a, b, each in parts], 1)

    m.add(y, product, token, weights, product=True)


STEPS: dict[str, Callable[[Any, str, int], None]] = {
    "convolution with options": convolution,
    "mixed types": mixed,
    "converted product": converted_product,
    "converted convolution": converted_convolution,
    "parameters": parameters,
    "quotient": quotient,
    "logic": logic,
    "index": index,
    "resized": resized,
    "positions": positions,
    "softmax with statistics": softmax,
    "norm with statistics": norm,
    "attention with options": attention_with_options,
    "experts": experts,
}
