"""Values that break kernels, and layouts that break those who read strides."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Any

import torch

from .draw import Draw

__all__ = [
    "DATA",
    "KINDS",
    "LAYOUTS",
    "cancel",
    "device",
    "filled",
    "is_lost",
    "laid_out",
    "picked",
    "switches",
    "synchronize",
    "weighed",
    "where",
]

KINDS = (torch.float32, torch.float16, torch.bfloat16, torch.float64)

#: Layouts of values in memory; one that makes no sense for a shape is the first.
LAYOUTS = ("contiguous", "channels_last", "transposed", "sliced", "expanded", "offset", "shuffled")

#: Names of functions and modules with many options.
MANY = re.compile("conv|pool|norm|softmax|entropy|attention", re.IGNORECASE)

#: Ways to change values, the harmless first.
DATA = (
    *("plain", "zeros", "constant", "small_integers", "one_huge", "cancelling", "very_negative"),
    *("very_positive", "denormal", "extremes", "minus_infinity", "infinity", "nan", "mean_of_1000"),
)


def weighed(names: Iterable[str]) -> list[str]:
    """Return names, those of what has more options several times, for `Draw.pick`."""
    return [name for name in names for _ in range(4 if MANY.search(name) else 1)]


def device() -> str:
    return "cuda" if torch.cuda.is_available() else "cpu"


def where() -> str:
    """Return the release and the device that compute."""
    import cudnn_cffi

    device = torch.cuda.get_device_name() if torch.cuda.is_available() else "no device"
    return f"cuDNN {cudnn_cffi.version()} on {device}"


def synchronize() -> None:
    """Wait for the device, so that what a call did wrong is told by it."""
    if torch.cuda.is_available():
        torch.cuda.synchronize()


def is_lost() -> bool:
    """Return whether this process can use the device no more."""
    if not torch.cuda.is_available():
        return False
    try:
        torch.zeros(1, device="cuda").add_(1).item()
    except RuntimeError:
        return True
    return False


def switches(by_cudnn: bool = False) -> Any:
    """Have PyTorch compute by its own kernels, or by cuDNN, and exactly in float32."""
    return torch.backends.cudnn.flags(enabled=by_cudnn, allow_tf32=False)


def filled(x: Any, how: str, chance: Any, kind: Any) -> Any:
    """Return values of a way of `DATA`, of the shape of x, on the CPU in float64.

    Args:
        x: values to begin with.
        how: of `DATA`.
        chance: random numbers.
        kind: the data type that the values are for.
    """
    x = x.double().clone()
    if not x.numel():
        return x
    info = torch.finfo(kind)
    flat = x.reshape(-1)
    place = chance.randrange(flat.numel())
    largest = min(info.max, 1e38)
    if how == "zeros":
        flat.zero_()
    elif how == "constant":
        flat.fill_(chance.choice([1.0, -1.0, 0.5, 6.0, -3.0]))
    elif how == "small_integers":
        flat.copy_((flat * 2).round().clamp(-6, 6))
    elif how == "one_huge":
        flat[place] = chance.choice([-1, 1]) * min(math.sqrt(largest), 1e4)
    elif how == "cancelling":
        cancel(flat, chance)
        flat.mul_(16)
    elif how == "very_negative":
        flat.sub_(1e4)
    elif how == "very_positive":
        flat.add_(1e4)
    elif how == "denormal":
        flat.mul_(info.tiny)
    elif how == "extremes":
        flat[place] = largest
        flat[chance.randrange(flat.numel())] = -largest
    elif how == "minus_infinity":
        rows = x.reshape(-1, x.shape[-1]) if x.ndim else x.reshape(1, 1)
        rows[chance.randrange(len(rows))] = -math.inf
        x = rows.reshape(x.shape)
    elif how == "infinity":
        flat[place] = math.inf
    elif how == "nan":
        flat[place] = math.nan
    elif how == "mean_of_1000":
        flat.add_(1000)
    return x.to(kind).double()


def cancel(flat: Any, chance: Any) -> None:
    """Let half of the values be the others with another sign: neighbours, or those far away.

    Where a sum is made of partial sums, neighbours cancel within one, and others between them.
    """
    half = flat.numel() // 2
    if chance.choice([True, False]):
        flat[1 : 2 * half : 2] = -flat[: 2 * half : 2]
    else:
        flat[half : 2 * half] = -flat[:half]


def laid_out(x: Any, layout: str, chance: Any) -> Any:
    """Return equal values in another layout; `expanded` has those of one element of an axis.

    Memory between the elements is NaN, or the largest number.
    """
    rank = x.ndim
    wide = [axis for axis in range(rank) if x.shape[axis] > 1]
    if not x.numel() or not rank:
        return x.clone()
    if layout == "channels_last" and rank in (4, 5):
        order = torch.channels_last if rank == 4 else torch.channels_last_3d
        return x.clone().contiguous(memory_format=order)
    if layout == "channels_last" and rank == 3:
        return x.transpose(1, 2).contiguous().transpose(1, 2)
    if layout == "transposed" and len(wide) > 1:
        a, b = chance.sample(wide, 2)
        return x.transpose(a, b).contiguous().transpose(a, b)
    if layout == "shuffled" and len(wide) > 1:
        order = list(range(rank))
        chance.shuffle(order)
        back = [order.index(axis) for axis in range(rank)]
        return x.permute(order).contiguous().permute(back)
    if layout == "sliced":
        axis, step = chance.randrange(rank), chance.choice([1, 2])
        shape = list(x.shape)
        shape[axis] = shape[axis] * step + 3
        memory = _between(x, shape)
        return memory.narrow(axis, 1, x.shape[axis] * step)[
            (slice(None),) * axis + (slice(None, None, step),)
        ].copy_(x)
    if layout == "expanded" and wide:
        axis = chance.choice(wide)
        return x.narrow(axis, 0, 1).clone().expand(x.shape)
    if layout == "offset":
        return _between(x, [x.numel() + 1])[1:].view(x.shape).copy_(x)
    return x.clone(memory_format=torch.contiguous_format)


def _between(x: Any, shape: Any) -> Any:
    fill: Any = math.nan if x.dtype.is_floating_point else 1
    return torch.full(shape, fill, dtype=x.dtype, device=x.device)


def picked(draw: Draw, name: str, x: Any, simple: float = 0.5) -> tuple[str, str]:
    """Pick data and layout of an array by its name."""
    how = draw.pick(f"{name}_data", DATA, simple) if x.dtype.is_floating_point else "plain"
    return how, draw.pick(f"{name}_layout", LAYOUTS, 0.25)
