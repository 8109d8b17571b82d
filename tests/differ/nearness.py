"""Judging results of networks, whose roundings norms of few elements may make large."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Any, NamedTuple

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from .judge import FLOOR, DiffersError, compare

__all__ = [
    "EIGHT",
    "NUDGES",
    "Asked",
    "FarError",
    "Overflowing",
    "compare_again",
    "compare_near",
    "excused",
    "roughened",
]

#: Maximum error of a result, in errors of PyTorch in the same type or of moved inputs, by the root
#: of the mean square, and how often inputs and parameters are moved by an ulp for that.
FACTOR, NUDGES = 3.0, 3

#: The ulp of computing with 8 bits, whose results are judged as a whole.
EIGHT = 2.0**-4

Found = dict[str, Any]


class FarError(DiffersError):
    """A result whose error is large beside PyTorch's, which may be small by chance."""


class Asked(NamedTuple):
    """The results of a call by name: of the way, of PyTorch's ways, and in float64."""

    ours: Found
    theirs: list[Found]
    right: Found


def roughened(model: Any, unit: float, numbers: Any) -> None:
    """Have a model in float64 move what each layer gives, and its gradient, as roundings do.

    So equal elements differ, of which a maximum takes one, and terms that cancel leave their errors.
    Inputs of norms are moved, too: an ulp of a mean is much where the variance is zero.

    Args:
        model: whose layers get hooks.
        unit: the ulp; 0 has numbers below float32's smallest normal one be zero instead.
        numbers: random ones.
    """
    least = torch.finfo(torch.float32).tiny

    def moved(each: Any) -> Any:
        if not unit:
            return each.where(each.abs() >= least, each * 0)
        return each * (1 + unit * torch.randn(each.shape, generator=numbers, dtype=each.dtype))

    def hook(_module: Any, _given: Any, y: Any) -> Any:
        if not isinstance(y, torch.Tensor) or not y.is_floating_point():
            return None
        y = moved(y)
        if y.requires_grad:
            y.register_hook(moved)
        return y

    for each in model.modules():
        if not any(True for _ in each.children()):
            each.register_forward_hook(hook)
        if "Norm" in type(each).__name__:
            each.register_forward_pre_hook(lambda _, given: (moved(given[0]), *given[1:]))


class Overflowing(TorchDispatchMode):  # type: ignore[misc]
    """Makes numbers infinite that a narrower type has not, or that rounding may take beyond it.

    Results of such numbers may be finite: a ReLU of the lowest ones, a quotient by the largest.
    """

    def __init__(self, kind: Any) -> None:
        super().__init__()
        self.most = _most(kind)

    def __torch_dispatch__(self, func: Any, _types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        for each in tree_leaves(result):
            if isinstance(each, torch.Tensor) and each.is_floating_point():
                beyond = each.abs() > self.most
                if beyond.any():
                    each.copy_(each.where(~beyond, each * torch.inf))
        return result


def excused(asked: Asked, overflown: Found) -> Asked:
    """Return results in which exact numbers are in the place of what is infinite, or NaN, with reason.

    Args:
        asked: all results.
        overflown: those in float64 where numbers in between are infinite.
    """
    ours = dict(asked.ours)
    for name, y in ours.items():
        if "gradient" not in name and y.is_floating_point() and name in overflown:
            counts = y.isfinite() | overflown[name].isfinite().to(y.device)
            ours[name] = y.where(counts, asked.right[name].to(y))
    return asked._replace(ours=ours)


def _most(kind: Any) -> float:
    """Return the largest number that no rounding takes beyond a type."""
    info = torch.finfo(kind)
    return float(info.max * (1 - FLOOR * info.eps))


def _root(x: Any) -> float:
    """Return the root of the mean square."""
    return float(x.square().mean().sqrt().nan_to_num(0, 0, 0)) if x.numel() else 0.0


def compare_near(name: str, asked: Asked, near: Sequence[Found], size: float, unit: float) -> None:
    """Compare a result as `compare` does, and by the root of the mean square of all errors.

    Args:
        name: of the result.
        asked: all results.
        near: in float64, of inputs and parameters that were moved by an ulp.
        size: the largest number of the inputs.
        unit: the ulp.

    Raises:
        FarError: its error as a whole is large.
        DiffersError: it is wrong otherwise.
    """
    given = asked.ours, asked.theirs[0], asked.right, *[asked.right | each for each in near]
    y, theirs, exact, *moved = (each[name].detach().cpu() for each in given)
    top = _top(name, asked.right)
    is_gradient = "gradient" in name
    if is_gradient and _has_nan(asked.theirs[0]) and _has_nan(asked.right):
        return  # PyTorch's ReLU passes gradients on where it has NaN, cuDNN's does not
    if (y.shape, y.dtype) != (theirs.shape, theirs.dtype):
        raise DiffersError(
            f"{name} is {y.dtype} {tuple(y.shape)}, expected {theirs.dtype} {tuple(theirs.shape)}"
        )
    if not is_gradient and unit < EIGHT:
        far = max(moved, key=lambda each: _root((each - exact).double().nan_to_num()))
        compare(name, y, theirs, exact, far, size, unit)
    if not y.is_floating_point() or not y.numel():
        return
    most = _most(y.dtype)
    y, theirs = y.double(), theirs.double()
    judged = torch.stack([each.isfinite() for each in (theirs, exact, *moved)]).all(0)
    judged &= exact.abs() <= most
    if not judged.any() or (is_gradient and not judged.all()):
        return  # a gradient that overflows does so in other places, too
    if lost := int((judged & ~y.isfinite()).sum()):
        raise DiffersError(f"{name}: {lost} of {y.numel()} are not finite")
    ours, other = (_root((each - exact)[judged]) for each in (y, theirs))
    by = max(_root((each - exact)[judged]) for each in moved)
    scale = _root(exact[judged]) + top
    if is_gradient and not y.any() and theirs.any() and by < 0.5 * _root(exact):
        raise DiffersError(f"{name} is zero, expected about {_root(exact):.3g}")
    least = _least(exact[judged], unit, top)
    if other > scale + least:
        return  # PyTorch's products of bfloat16 on the CPU may be any number
    if ours > FACTOR * max(other, by) + least:
        raise FarError(
            f"{name}: error {ours:.3g}, PyTorch's {other:.3g}, moved {by:.3g}, scale {scale:.3g}"
        )


def compare_again(
    name: str, first: Asked, same: Asked, others: Sequence[Asked], rough: Sequence[Found],
    unit: float,
) -> None:  # fmt: skip
    """Compare the errors of calls that differ by ulps: chance makes one large, but not most.

    Args:
        name: of the result.
        first: the call that looks wrong.
        same, others: the same once more, and others.
        rough: the results of models that are `roughened`.
        unit: the ulp.

    Raises:
        DiffersError: the error was there once only; most are larger than PyTorch's and than what
            inputs move that differ by ulps; or that of the same numbers is larger than all these.
    """

    def error(y: Any, exact: Any) -> float:
        off = y.detach().cpu().double() - exact.detach().double()
        return _root(off[off.isfinite()])

    exact, asked = first.right[name].detach().double(), [same, *others]
    ours = [error(each.ours[name], each.right[name]) for each in asked]
    other = [max(error(y[name], each.right[name]) for y in each.theirs) for each in asked]
    moved = [error(each.right[name], exact) for each in others]
    rounded = [error(each[name], exact) for each in rough if name in each]
    least = _least(exact, unit, _top(name, first.right))
    once = error(first.ours[name], exact)
    if once > FACTOR * max(ours) + least:
        raise DiffersError(f"{name}: error {once:.3g} once, then at most {max(ours):.3g}")
    usual, allowed = median(ours), max(map(median, (other, moved, rounded or [0.0])))
    if usual > FACTOR * allowed + least:
        raise DiffersError(f"{name}: mostly error {usual:.3g}, PyTorch's or moved {allowed:.3g}")
    most = max(*other, *moved, *rounded)
    if min(once, ours[0]) > FACTOR * most + least:  # with these numbers alone, but each time
        raise DiffersError(f"{name}: error {once:.3g}, PyTorch's or moved at most {most:.3g}")


def _top(name: str, right: Found) -> float:
    """Return the largest root of the mean square of a gradient, for a gradient; else 0."""
    grads = [_root(each) for other, each in right.items() if "gradient" in other]
    return max(grads, default=0.0) if "gradient" in name else 0.0


def _has_nan(found: Found) -> bool:
    return any(bool(each.isnan().any()) for each in found.values())


def _least(exact: Any, unit: float, top: float) -> float:
    """Return the error that every result may have, by the root of the mean square.

    Engines sum in other orders than PyTorch, which norms of few elements make larger; and numbers in
    between may be some of the smallest ones of float16.
    """
    scale = _root(exact[exact.isfinite()]) + top
    half = torch.finfo(torch.float16)
    smallest = 16 * half.tiny * half.eps if unit == half.eps else torch.finfo(torch.float32).tiny
    return (256 if unit < 1e-5 else 4) * unit * scale + float(smallest)
