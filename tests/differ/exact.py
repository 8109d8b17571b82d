"""Judging results of 8 bits: by sums that are exact, and by how results are rounded."""

from __future__ import annotations

import math
from typing import Any

import torch

from .judge import raise_where

__all__ = ["Exact"]

#: The relative errors of functions of sums in FLOAT, and of 32 products of FP8, which tensor cores
#: add with so many bits.
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
    type; those beyond it become its largest one, an infinity, or NaN of FP8. Operations that read
    them may read infinities.

    Args:
        made: the graph.
    """

    def __init__(self, made: Any) -> None:
        self.made, self.size = made, made.size
        self.exact = made.evaluate()
        arrays = made.arrays
        made.arrays = {name: each.abs() for name, each in arrays.items()}
        of_fp8 = "FP8" in made.kind and made.terms > 1
        relative = OF_FP8 * (made.terms / ADDED + 1) if of_fp8 else OF_FLOAT
        self._slack = [relative * each.abs() for each in made.evaluate()]
        made.arrays = arrays
        stored = made.evaluate(stored=True)
        self._stored = None if all(bool(each.isfinite().all()) for each in stored) else stored
        for index, each in enumerate(made.values):
            if each.is_rough:
                self._slack[index] = self._slack[index] + self._of_function(index, *each.reads)
            if each.slack is not None:
                self._slack[index] = each.slack(*(self.exact[i] for i in each.reads))

    def _of_function(self, index: int, x: int) -> Any:
        """Return the errors of a function: relative to results, and to what they are computed of."""
        return ROUGH * (self.exact[index].abs() + self.exact[x].abs().clamp_max(SATURATED))

    def compare(self, name: str, result: Any, call: str) -> None:
        """Judge a result.

        Raises:
            DiffersError: it is wrong.
        """
        index = dict(self.made.outputs)[name]
        exact, slack, kind = self.exact[index], self._slack[index], result.dtype
        if kind.is_floating_point:
            info = torch.finfo(kind)
            y = result.float().double()
            ulps = 1.0 if kind == torch.float32 else 0.5 + NARROWED
            slack = slack + ulps * info.eps * (exact.abs() + info.smallest_normal)
            near = (y - exact).abs() <= slack
            is_largest = y.isnan() & (exact.abs() > NAN.get(kind, math.inf))
            is_largest |= y.isinf() | (y.abs() == info.max)
            near |= (exact.abs() + slack > info.max) & is_largest & ~(y * exact < 0)
        else:
            whole = torch.iinfo(kind)
            y = result.double()
            near = (y - exact.clamp(whole.min, whole.max)).abs() <= 0.5 + slack.where(
                exact != exact.round(), 0
            )
        if self._stored is not None:
            stored = self._stored[index]
            near |= ~stored.isfinite() & ((y == stored) | (y.isnan() & stored.isnan()))
        raise_where(f"{name}{call}", ~near, y, exact)
