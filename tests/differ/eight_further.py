"""Operations of 8 bits around convolutions and products, and others alone, as steps of drawn graphs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

__all__ = ["STEPS"]

_F: Any = torch.nn.functional

#: Functions of sums that grow no faster than these; the last has a bound above.
GROWING: dict[str, Callable[..., Any]] = {
    "RELU_FWD": torch.relu,
    "GELU_FWD": _F.gelu,
    "SWISH_FWD": _F.silu,
    "ELU_FWD": _F.elu,
    "ABS": torch.abs,
    "IDENTITY": torch.clone,
    "clipped": lambda x: x.clamp(0, CLIP),
}
#: Functions of single numbers, too.
UNARY = GROWING | {
    "NEG": torch.neg,
    "CEIL": torch.ceil,
    "FLOOR": torch.floor,
    "TANH_FWD": torch.tanh,
    "SIGMOID_FWD": torch.sigmoid,
    "SOFTPLUS_FWD": _F.softplus,
    "SQRT": lambda x: x.abs().sqrt(),
}
BINARY: dict[str, Callable[..., Any]] = {
    "ADD": torch.add,
    "MUL": torch.mul,
    "MAX": torch.maximum,
    "MIN": torch.minimum,
    "CMP_GT": lambda a, b: (a > b).double(),
}
_EXACT = {"RELU_FWD", "ABS", "IDENTITY", "NEG", "CEIL", "FLOOR", "clipped"}

CLIP = 6.0

ZERO = torch.zeros((), dtype=torch.float64)

#: Norms add this to variances; the relative error of sums of many numbers in FLOAT.
EPSILON, OF_SUMS = 1e-5, 2.0**-20


def _function(m: Any, name: str, x: int, modes: dict[str, Callable[..., Any]]) -> None:
    mode = m.draw.pick(f"{name}_mode", tuple(modes))
    given = m.graph.abs(m.tensor(x)) if mode == "SQRT" else m.tensor(x)
    if mode == "clipped":
        y = m.graph.pointwise("RELU_FWD", given, upper_clip=CLIP)
    else:
        y = m.graph.pointwise(mode, given)
    m.add(y, modes[mode], x, rough=mode not in _EXACT)


def activation(m: Any, name: str, x: int) -> None:
    """Apply a function to sums."""
    _function(m, name, x, GROWING)


def unary(m: Any, name: str, x: int) -> None:
    """Apply a function to numbers of 8 bits."""
    _function(m, name, x, UNARY)


def binary(m: Any, name: str, x: int) -> None:
    """Combine numbers of two types of 8 bits."""
    mode = m.draw.pick(f"{name}_mode", tuple(BINARY))
    b = m.input(f"{name}_b", m.smaller(name, m.shape(x)), m.other)
    whole = {"data_type": "FLOAT"} if mode.startswith("CMP") else {}
    m.add(m.graph.pointwise(mode, m.tensor(x), m.tensor(b), **whole), BINARY[mode], x, b)


def residual(m: Any, name: str, x: int) -> None:
    """Add numbers of 8 bits times a factor."""
    factor = m.draw.pick(f"{name}_factor", (1.0, 0.5, 0.0, 4.0))
    z = m.input(f"{name}_z", m.smaller(name, m.shape(x)))
    y = m.graph.add(m.tensor(x), m.graph.mul(m.tensor(z), factor))
    m.add(y, lambda a, z: a + z * factor, x, z)


def greatest(m: Any, name: str, x: int) -> None:
    """Find the largest of all, and scale them: what a next scale of FP8 is made of."""
    most = m.graph.reduction(m.tensor(x), "AMAX", dims=tuple(range(len(m.shape(x)))))
    index = m.add(most, lambda a: a.abs().amax(tuple(range(a.ndim)), True), x)
    m.outputs.append((f"{name}_most_out", index))
    factor = m.draw.pick(f"{name}_factor", (1.0, 0.5, 2.0**-10))
    m.add(m.graph.mul(m.tensor(x), factor), lambda a: a * factor, x)


def normalized(m: Any, name: str, x: int) -> None:
    """Normalize by statistics that are known: powers of two, and small whole numbers."""
    shape, chance = m.shape(x), m.chance(f"{name}_numbers")
    one = [n if axis == 1 else 1 for axis, n in enumerate(shape)]

    def given(word: str, values: list[float]) -> Any:
        array = torch.tensor(values).double().view(one)
        return m.input(f"{name}_{word}", one, "FLOAT", array, True)

    means, biases = ([float(chance.randint(-4, 4)) for _ in range(one[1])] for _ in range(2))
    spreads, scales = ([2.0 ** chance.randint(-5, 1) for _ in range(one[1])] for _ in range(2))
    a, b, c, d = map(given, ("mean", "spread", "scale", "bias"), (means, spreads, scales, biases))
    y = m.graph.batch_norm_inference(*map(m.tensor, (x, a, b, c, d)))
    m.add(y, lambda x, n, v, s, b: (x - n) * v * s + b, x, a, b, c, d)


def computed(m: Any, name: str, x: int) -> None:
    """Normalize by statistics of the numbers; in training, give these, too."""
    shape = m.shape(x)
    form = m.draw.pick(f"{name}_form", ("batch", "instance", "layer", "rms"))
    spatial = tuple(range(2, len(shape)))
    dims = {"batch": (0, *spatial), "instance": spatial}.get(form, (1, *spatial))
    axes = (1,) if form in ("batch", "instance") else dims
    one = [n if axis in axes else 1 for axis, n in enumerate(shape)]
    kind = m.draw.pick(f"{name}_parameters", ("FLOAT", m.kind), 0.5)
    given = [x, *(m.input(f"{name}_{word}", one, kind) for word in ("scale", "bias"))]
    given = given[:2] if form == "rms" else given
    phase = {"phase": m.draw.pick(f"{name}_phase", ("inference", "training"))}
    method = getattr(m.graph, f"{form}_norm")
    found = method(*map(m.tensor, given), **({} if form == "batch" else phase))

    def mean(x: Any) -> Any:
        return x.mean(dims, True) if form != "rms" else x.new_zeros(())

    def inverse(x: Any, by: float = 0.0) -> Any:
        """Return it, where the variance is off by a part of the mean of squares."""
        squares = (x - mean(x)).square().mean(dims, True) + by * x.square().mean(dims, True)
        return (squares.clamp_min(0) + EPSILON).rsqrt()

    def inverse_off(x: Any) -> Any:
        return inverse(x, -OF_SUMS) - inverse(x, OF_SUMS) + OF_SUMS * inverse(x)

    def mean_off(x: Any) -> Any:
        return OF_SUMS * mean(x.abs())

    def off(x: Any, s: Any, b: Any = ZERO) -> Any:
        away = (x - mean(x)).abs()
        found = away * inverse_off(x) + (mean_off(x) + OF_SUMS * away) * inverse(x, -OF_SUMS)
        return found * s.abs() + OF_SUMS * b.abs()

    def result(x: Any, s: Any, b: Any = ZERO) -> Any:
        return (x - mean(x)) * inverse(x) * s + b

    m.add(found.y, result, *given, slack=off)
    for word, function, slack in (
        ("mean", mean, mean_off),
        ("inv_variance", inverse, inverse_off),
    ):
        if (tensor := getattr(found, word)) is not None:
            m.outputs.append((f"{name}_{word}_out", m.add(tensor, function, x, slack=slack)))


#: The steps by the names that families have for them.
STEPS: dict[str, Callable[[Any, str, int], None]] = {
    "activation of sums": activation,
    "unary of 8 bits": unary,
    "binary of 8 bits": binary,
    "residual of 8 bits": residual,
    "largest of sums": greatest,
    "known norm of 8 bits": normalized,
    "norm of 8 bits": computed,
}
