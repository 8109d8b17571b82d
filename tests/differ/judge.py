"""Judging a result: by float64, with the error that another computation in its data type makes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch

__all__ = [
    "DiffersError",
    "RefusedError",
    "SkippedError",
    "compare",
    "largest",
    "poison",
    "raise_where",
]

#: Maximum error of a result, in errors of the other computation, and in ulps besides.
FACTOR, FLOOR = 4.0, 4.0

#: By how many ulps sums differ that are added in other orders.
SUMS = 16.0

#: Size of the part of the workspace that is filled with NaN, in bytes.
WORKSPACE = 1 << 24

#: From which error on, relative to the scale, another computation says nothing of a result.
MOST = {
    torch.float64: 1e-9,
    torch.float32: 1e-2,
    torch.float16: 0.1,
    torch.bfloat16: 0.25,
}


class DiffersError(Exception):
    """A result is wrong, or an error of another kind than a refusal is raised."""


class RefusedError(Exception):
    """The package refuses what the other computes; it says so in the first argument."""


class SkippedError(Exception):
    """There is nothing to compare: the other refuses it, too."""


class _Space(NamedTuple):
    """Device memory, as PyTorch reads it."""

    address: int
    size: int

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {
            "shape": (self.size,),
            "typestr": "|u1",
            "data": (self.address, False),
            "version": 3,
        }


def poison() -> None:
    """Fill memory of PyTorch's allocator, and the workspace of the default handle, with NaN."""
    if not torch.cuda.is_available():
        return
    import cudnn_cffi

    sizes = [1 << n for n in range(6, 21)]
    kept = [torch.full((n,), float("nan"), device="cuda") for n in sizes for _ in range(4)]
    torch.cuda.synchronize()
    del kept
    space = _Space(cudnn_cffi.handle().workspace.get(WORKSPACE, None), WORKSPACE)
    torch.as_tensor(space, device="cuda").fill_(255)


def compare(
    name: str, ours: Any, theirs: Any, exact: Any, nudged: Any = None, size: float = 1.0,
    computed: float | None = None, floor: float = 0.0, narrower: Any = None, flushed: Any = None,
    beside: Sequence[tuple[Any, Any]] = (), slope: float = 0.0,
) -> None:  # fmt: skip
    """Compare a result with one of another computation in the same data type, and with float64.

    An element is right where it is what the other computation has, or within a tolerance of the
    exact value, which is the sum of

    - `FLOOR` ulps of the data type at the larger of the element and the root of the mean square,
    - `FACTOR` times the largest error of the other computation,
    - `FACTOR` times how far the exact result moves where inputs move by an ulp of the type that is
      computed in: what sums that cancel cost,
    - `FACTOR` times how far it moves where numbers below float32's smallest normal one become
      zeros, for which cuDNN takes them,
    - `slope`.

    Where float64 gives NaN and the other computation a number, that is the exact value, within
    `SUMS` ulps. Where the
    other computation is far from float64 itself, because numbers in between overflow in
    its type, nothing is asked but that the result is as far.

    Args:
        name: of the result, for the message.
        ours: the result.
        theirs: the other's, or None, if only float64 is there.
        exact: in float64, of the same values of the inputs.
        nudged: in float64, of inputs that were moved by an ulp.
        size: the largest number of the inputs, which bounds what numbers in between can be.
        computed: the ulp of the type that is computed in; by default float32's, or float64's.
        floor: the ulp that counts, where that of the data type is smaller.
        narrower: the other's in float32, where the data type is float64.
        flushed: in float64, of inputs with zeros for numbers below float32's smallest normal one.
        beside: the other's and in float64, of inputs that were moved by an ulp: one error of the
            other may be small by chance.
        slope: an error of gradients of functions that saturate, which are computed by the
            functions' values: an ulp of 1, times the gradient of the result.

    Raises:
        DiffersError: with how many elements are wrong, and the worst.
    """
    if theirs is not None and (ours.shape, ours.dtype) != (theirs.shape, theirs.dtype):
        raise DiffersError(
            f"{name} is {ours.dtype} {tuple(ours.shape)}, "
            f"expected {theirs.dtype} {tuple(theirs.shape)}"
        )
    if ours.shape != exact.shape:
        raise DiffersError(f"{name} is {tuple(ours.shape)}, expected {tuple(exact.shape)}")
    if not ours.numel():
        return
    kind = ours.dtype
    y, exact = ours.detach().double(), exact.detach().to(ours.device).double()
    other = exact if theirs is None else theirs.detach().double()
    same = (y == other) | (y.isnan() & other.isnan())
    if not kind.is_floating_point:
        raise_where(name, ~same & (y != exact), y, exact, other)
        return
    rounded = exact.to(kind).double()  # it may overflow
    is_known = ~exact.isnan()
    exact = exact.where(is_known, other)
    unit, scale = max(torch.finfo(kind).eps, floor), _scale(exact, kind)
    most = MOST.get(kind, 0.5)
    off = (other - exact).abs()
    for each, wide in beside:
        error = each.detach().double() - wide.detach().to(each.device).double()
        off = off.maximum(error.abs().nan_to_num(0, 0, 0).to(off.device))
    if narrower is not None:
        step = torch.finfo(torch.float64).eps / torch.finfo(torch.float32).eps
        off = off.maximum((narrower.double() - exact).abs().nan_to_num(0, 0, 0) * step)
    judged = (off <= most * scale + unit * size) & other.isfinite()
    # Engines take numbers below float32's smallest normal one for zero, also those in between,
    # such as an exponential, which inputs multiply before and after a product.
    least = 0.0 if kind == torch.float64 else torch.finfo(torch.float32).tiny * size**2
    tolerance = FLOOR * (unit * scale + torch.finfo(kind).tiny * unit) + least + slope
    # Two computations in the same type: their sums add in other orders.
    tolerance = tolerance.where(is_known, tolerance + SUMS * unit * scale)
    tolerance = tolerance + FACTOR * scale * _largest((off / scale)[judged & (scale > 0)])
    tolerance = tolerance + FACTOR * _largest(off[judged & (off <= unit * size)])
    if nudged is not None:
        wide = torch.float64 if kind == torch.float64 else torch.float32
        moved = _largest((nudged.detach().to(ours.device) - exact).abs())
        bound = min(1000 * (computed or torch.finfo(wide).eps), 0.05)
        bound *= max(size, _largest(scale))
        tolerance = tolerance + FACTOR * min(moved, bound)
    if flushed is not None:
        moved = _largest((flushed.detach().to(ours.device) - exact).abs())
        tolerance = tolerance + FACTOR * moved
    near = (y - exact).abs() <= tolerance
    overflown = (y == rounded) | (y.isnan() & rounded.isnan())
    unknown = ~judged & (other.isfinite() | (exact.abs() <= torch.finfo(kind).max))
    unknown &= exact.isfinite()
    # A number that is as near to the largest one as the tolerance may be rounded to inf.
    is_largest = exact.abs() + tolerance > torch.finfo(kind).max
    overflown |= y.isinf() & (y.sign() == exact.sign()) & is_largest
    raise_where(name, ~(near | same | overflown | unknown), y, exact, other)


def largest(x: Any) -> float:
    """Return the largest absolute value of the finite elements, at least 1."""
    return max(_largest(x.detach().double().abs()), 1.0)


def _largest(x: Any) -> float:
    x = x[x.isfinite()]
    return float(x.max()) if x.numel() else 0.0


def _scale(exact: Any, kind: Any) -> Any:
    """Return for each element what its error is measured by."""
    finite = exact[exact.isfinite() & (exact.abs() <= torch.finfo(kind).max)]
    typical = finite.square().mean().sqrt() if finite.numel() else exact.new_zeros(())
    return exact.abs().nan_to_num(0, 0, 0).maximum(typical)


def raise_where(name: str, wrong: Any, y: Any, exact: Any, other: Any = None) -> None:
    """Say how many elements are wrong, and the worst.

    Raises:
        DiffersError: one is.
    """
    count = int(wrong.sum())
    if not count:
        return
    places = wrong.nonzero()
    distance = (y.double() - exact.double()).abs()[wrong].nan_to_num(float("inf"))
    place = tuple(places[int(distance.argmax())].tolist())
    text = f"{name}: {count} of {wrong.numel()} are wrong, such as {place}: "
    text += f"{y[place].item():.6g}, exact {exact[place].item():.6g}"
    if other is not None:
        text += f", other {other[place].item():.6g}"
    raise DiffersError(text)
