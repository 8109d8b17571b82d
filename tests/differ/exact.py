"""Judging results of 8 bits: by sums that are exact, and by how results are rounded."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from typing import Any

import torch

from .judge import raise_where

__all__ = ["Exact"]

#: The relative errors of functions of sums in FLOAT, and of sums of products of FP8, of which tensor
#: cores add 32 at once with few bits; and that number.
OF_FLOAT, OF_FP8, ADDED = 2.0**-22, 2.0**-13, 32

#: The relative error of functions such as tanh, which engines compute by approximations, and from
#: which number on these have reached their bound.
ROUGH, SATURATED = 2.0**-10, 16.0

#: The ulps of a narrow type that rounding in FLOAT before costs.
NARROWED = 2.0**-10

#: From which numbers on results beyond a type may be NaN: the erratum "pointwise-fp8-overflow".
NAN = {torch.float8_e4m3fn: 0.0, torch.float8_e5m2: 65504.0}


class Exact:
    """The results of a drawn graph of 8 bits, and by how much they may be off.

    Sums of whole numbers have no error. They are rounded to the nearest number of the result's
    type; those beyond it become its largest one, an infinity, or NaN of FP8.

    Operations read a result as they compute it, or as memory has it: rounded, and within its type.

    Args:
        made: the graph.
    """

    def __init__(self, made: Any) -> None:
        self.made, self.size = made, made.size
        of_fp8 = "FP8" in made.kind and made.terms > 1
        self._relative = OF_FP8 * (made.terms / ADDED + 1) if of_fp8 else OF_FLOAT
        self.exact, self._slack = self._values({})

    def _values(self, stored: dict[int, Any]) -> tuple[list[Any], list[Any]]:
        """Return all values in float64, and by how much they may be off.

        Args:
            stored: what operations read of results, by the numbers of these.
        """
        made, arrays = self.made, self.made.arrays
        exact = made.evaluate(stored=stored)
        made.arrays = {name: each.abs() for name, each in arrays.items()}
        # Infinities have no error: a function of them is infinite, too, or has a bound.
        finite = {i: each.abs().where(each.isfinite(), 0) for i, each in stored.items()}
        sizes = made.evaluate(stored=finite)
        made.arrays = arrays
        slack = [self._relative * each.abs() for each in sizes]
        for index, value in enumerate(made.values):
            given = [stored.get(i, exact[i]) for i in value.reads]
            if value.is_rough:
                most = given[0].abs().clamp_max(SATURATED)
                slack[index] = slack[index] + ROUGH * (exact[index].abs() + most)
            if value.slack is not None:
                slack[index] = value.slack(*given)
        return exact, slack

    def compare(
        self, name: str, result: Any, call: str, results: Mapping[str, Any] | None = None
    ) -> None:
        """Judge a result.

        Args:
            name: of the result.
            result: what a plan wrote.
            call: words for the message.
            results: all that it wrote, by name: operations may have read some of them.

        Raises:
            DiffersError: it is wrong.
        """
        index = dict(self.made.outputs)[name]
        unknown = self.made.values[index].unknown
        near = _near(result, self.exact[index], self._slack[index])
        near = near if unknown is None else near | unknown
        for stored in () if near.all() else self._read(index, results or {}):
            exact, slack = self._values(stored)
            again = _near(result, exact[index], slack[index])
            near = again if again.all() else near
        raise_where(f"{name}{call}", ~near, _wide(result), self.exact[index])

    def _read(self, index: int, results: Mapping[str, Any]) -> Iterator[dict[int, Any]]:
        """Yield each choice of the results that a value may be computed from, by their numbers."""
        before, found = {index}, set[int]()
        while before:
            before = {i for each in before for i in self.made.values[each].reads}
            found |= before
        there = {
            i: _wide(results[name])
            for name, i in self.made.outputs
            if i in found and name in results
        }
        for count in range(1, len(there) + 1):
            for some in itertools.combinations(there, count):
                yield {i: there[i] for i in some}


def _wide(x: Any) -> Any:
    """Return numbers in float64, into which PyTorch converts 8 bits by way of float32."""
    return (x.float() if x.dtype.itemsize == 1 else x).double()


def _near(result: Any, exact: Any, slack: Any) -> Any:
    """Return where a result is what rounding may make of exact values."""
    kind, y = result.dtype, _wide(result)
    if kind.is_floating_point:
        info = torch.finfo(kind)
        ulps = 1.0 if kind == torch.float32 else 0.5 + NARROWED
        slack = slack + ulps * info.eps * (exact.abs() + info.smallest_normal)
        near = (y == exact) | ((y - exact).abs() <= slack.where(exact.isfinite(), 0))
        is_largest = y.isnan() & (exact.abs() > NAN.get(kind, math.inf))
        is_largest |= y.isinf() | (y.abs() == info.max)
        near |= (exact.abs() + slack > info.max) & is_largest & ~(y * exact < 0)
        return near | (y.isnan() & exact.isnan())
    whole = torch.iinfo(kind)
    rounded = exact.clamp(whole.min, whole.max)
    return (y - rounded).abs() <= 0.5 + slack.where(exact != exact.round(), 0)
