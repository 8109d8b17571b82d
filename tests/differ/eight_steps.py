"""Convolutions and products of 8 bits as steps of drawn graphs."""

from __future__ import annotations

import math
from typing import Any

import torch

from .values import cancel

__all__ = ["PAIRS", "convolution", "drawn", "kinds_of", "product", "results_of", "scaled"]

_FP8 = "FP8_E4M3", "FP8_E5M2"
#: The data types of both factors.
PAIRS = (
    *("INT8 INT8", "UINT8 INT8", "INT8 UINT8", "UINT8 UINT8"),
    *(f"{a} {b}" for a in _FP8 for b in _FP8),
)

_TYPES: dict[str, Any] = {
    "INT8": torch.int8,
    "UINT8": torch.uint8,
    "FP8_E4M3": torch.float8_e4m3fn,
    "FP8_E5M2": torch.float8_e5m2,
}

#: The powers of two that are factors of sums, by a word, and the bounds of what is added.
FACTORS = {"plain": (-6, -12), "zero": (-2000, -2000), "huge": (40, 60), "tiny": (-60, -40)}
OFFSETS = 32


def kinds_of(draw: Any) -> list[str]:
    """Pick the data types of both factors."""
    return str(draw.pick("bits", PAIRS, 0.3)).split()


def results_of(kind: str, wide: bool) -> tuple[str, ...]:
    """Return the data types of results, by that of a factor; of sums alone, or of their functions."""
    if kind in _FP8:
        return ("FLOAT", "HALF", "BFLOAT16", *_FP8)
    return ("FLOAT", "INT8", "HALF", "BFLOAT16", "UINT8", *(() if wide else ("INT32",)))


def drawn(x: Any, data: str, kind: str, chance: Any) -> Any:
    """Return values for a data type of 8 bits; small whole numbers for another.

    Args:
        x: normal numbers, of the shape.
        data: a word for values.
        kind: the data type.
        chance: random numbers.
    """
    if kind not in _TYPES:
        return (2 * x).round()
    of = _TYPES[kind]
    info: Any = torch.finfo(of) if of.is_floating_point else torch.iinfo(of)
    low, high = float(info.min), float(info.max)
    # FP8 has sums that fit HALF and some that do not; other types have all their numbers.
    wide, middle = (4.0, 0.0) if of.is_floating_point else ((high - low) / 5, (high + low) / 2)
    flat = x.view(-1)
    if data == "small_integers":
        x = (2 * x).clamp(-4, 4)
    elif data == "zeros":
        x = x * 0
    elif data in ("constant", "infinity"):
        x = x * 0 + high
    elif data == "minus_infinity":
        x = x * 0 + low
    elif data == "one_huge":
        flat[chance.randrange(x.numel())] = high
    elif data == "cancelling":
        x = x * wide
        cancel(x.view(-1), chance)
    elif data == "negative":
        x = low + x.abs()
    elif data == "negative_rows":
        x = x * wide + middle
        x[..., :: chance.randint(1, 3), :] = low
    elif data == "denormal":
        x = x * (info.tiny if of.is_floating_point else 0.5)
    else:
        x = x * wide + middle
    x = x.clamp(low, high)
    return x.to(torch.float32).to(of).double() if of.is_floating_point else x.round()


def _whole(m: Any) -> dict[str, Any]:
    """Return the settings of a sum of products."""
    if m.kind in _FP8:
        return {}
    return {"compute_data_type": "INT32", "data_type": "INT32"}


def convolution(m: Any, name: str, x: int) -> None:
    """Add a convolution, or one of its gradients."""
    shape = m.shape(x)
    size = min(m.draw.pick(f"{name}_size", (1, 2, 3)), *shape[2:])
    how = {
        "padding": m.draw.pick(f"{name}_padding", (0, 1)) if size > 1 else 0,
        "stride": m.draw.pick(f"{name}_stride", (1, 2)),
    }
    groups = m.draw.pick(f"{name}_groups", (1, 2, shape[1]), 0.7)
    if shape[1] % groups:
        groups = 1
    filters = m.draw.pick(f"{name}_filters", (8, 1, 3, 5, 16, 17, 32)) * groups
    spatial = len(shape) - 2
    function = getattr(torch.nn.functional, f"conv{spatial}d")
    direction = m.draw.pick(f"{name}_direction", ("forward", "data", "filter"))
    if direction == "forward":
        w = m.input(f"{name}_w", (filters, shape[1] // groups, *[size] * spatial), m.other)
        m.terms = math.prod(m.shape(w)[1:])
        y = m.graph.convolution(m.tensor(x), m.tensor(w), **how, **_whole(m))
        m.add(y, lambda a, w: function(a, w, groups=groups, **how), x, w)
    elif direction == "data":  # the value is dy: the input is as large as a stride allows
        if min(shape[2:]) == 1:
            how["padding"] = 0
        extents = [(n - 1) * how["stride"] + size - 2 * how["padding"] for n in shape[2:]]
        w = m.input(f"{name}_w", (shape[1], filters, *[size] * spatial), m.other)
        m.terms = shape[1] * size**spatial
        y = m.graph.convolution_backward_data(
            m.tensor(x), m.tensor(w), shape=(shape[0], filters, *extents), **how, **_whole(m)
        )
        transpose = getattr(torch.nn.functional, f"conv_transpose{spatial}d")
        m.add(y, lambda a, w: transpose(a, w, **how), x, w)
    else:
        extents = [(n + 2 * how["padding"] - size) // how["stride"] + 1 for n in shape[2:]]
        dy = m.input(f"{name}_dy", (shape[0], filters, *extents), m.other)
        whole = (filters, shape[1], *[size] * spatial)
        m.terms = shape[0] * math.prod(extents)
        y = m.graph.convolution_backward_filter(
            m.tensor(x), m.tensor(dy), whole, **how, **_whole(m)
        )

        def gradient(a: Any, dy: Any) -> Any:
            w = torch.zeros(whole, dtype=torch.float64, requires_grad=True)
            return torch.autograd.grad(function(a, w, **how), w, dy)[0]

        m.add(y, gradient, x, dy)


def product(m: Any, name: str, x: int) -> None:
    """Add a matrix product."""
    shape = m.shape(x)
    batch = m.draw.pick(f"{name}_batch", ("full", "one"))
    outer = shape[:-2] if batch == "full" else (1,) * (len(shape) - 2)
    b = m.input(
        f"{name}_b", (*outer, shape[-1], m.draw.pick(f"{name}_columns", m.extents)), m.other
    )
    m.terms = shape[-1]
    y = m.graph.matmul(m.tensor(x), m.tensor(b), **_whole(m))
    m.add(y, torch.matmul, x, b)


def scaled(m: Any, name: str, x: int) -> None:
    """Multiply sums by factors of channels or columns, add numbers, and apply a function."""
    shape = m.shape(x)
    axis = 1 if len(shape) > 3 else -1
    one = [1] * len(shape)
    one[axis] = shape[axis]
    chance = m.chance(f"{name}_numbers")
    powers = FACTORS[m.draw.pick(f"{name}_scales", tuple(FACTORS), 0.6)]
    factors = [2.0 ** chance.choice(powers) for _ in range(one[axis])]
    added = [float(chance.randint(-OFFSETS, OFFSETS)) for _ in range(one[axis])]
    a, b = (
        m.input(f"{name}_{word}", one, "FLOAT", torch.tensor(each).double().view(one), True)
        for word, each in (("factors", factors), ("offsets", added))
    )
    y = m.tensor(x)
    if m.kind not in _FP8:
        y = m.graph.identity(y, data_type="FLOAT")
    y = m.graph.add(m.graph.mul(y, m.tensor(a)), m.tensor(b))
    if m.draw.pick(f"{name}_relu", (False, True)):
        y = m.graph.relu(y)
        m.add(y, lambda x, a, b: (x * a + b).relu(), x, a, b)
    else:
        m.add(y, lambda x, a, b: x * a + b, x, a, b)
