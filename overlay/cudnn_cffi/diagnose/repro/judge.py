"""Expected results in a file of limited size, and the comparison with them; program.c has the same.

A large output is told by some elements and the sums over blocks of all. A distance is relative to
the largest element that is expected; numbers beyond the data type's largest count as the largest.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ..._support.results import NamedTuple
from ...plan.operand import Operand
from ..configurations import LIMIT, LIMITS
from .data import Format, format_of

#: The elements of an output that a file has all of; of more elements it has `_CHOSEN`.
_FEW, _CHOSEN = 2048, 1024

#: Maximum number of blocks of an output.
_BLOCKS = 64


class Expected(NamedTuple):
    """The expected elements of an output.

    Attributes:
        name: of the output.
        largest: the largest size of an element.
        tolerance: the largest error that is right, relative to `largest`.
        nans: the number of elements that are NaN.
        places: of the elements in `values`, by their index in row-major order; empty for all.
        values: these elements, in float64.
        sums: over blocks of all elements; empty if `values` has all.
    """

    name: str
    largest: float
    tolerance: float
    nans: int
    places: Sequence[int]
    values: Sequence[float]
    sums: Sequence[float] = ()


class Comparison(NamedTuple):
    """A comparison of an output.

    Attributes:
        same: whether it is as expected.
        text: how it compares, in one line or several.
        worst: the indices of the elements that are the furthest off, of all.
    """

    same: bool
    text: str
    worst: tuple[int, ...] = ()


def _clamped(values: Any, kept: Format) -> Any:
    return np.clip(np.asarray(values, np.float64), kept.smallest, kept.largest)


def _distances(found: Any, wanted: Any) -> Any:
    """Return distances; infinite where one of two numbers alone is NaN."""
    with np.errstate(invalid="ignore"):
        apart = np.isnan(found) != np.isnan(wanted)
        both = np.isnan(found) & np.isnan(wanted)
        return np.where(apart, math.inf, np.where(both, 0.0, abs(found - wanted)))


def _bounds(count: int, blocks: int) -> list[int]:
    return [count * block // blocks for block in range(blocks + 1)]


def _sums(values: Any, blocks: int) -> list[float]:
    bounds = _bounds(values.size, blocks)
    return [float(values[low:high].sum()) for low, high in pairwise(bounds)]


def _index(place: int, operand: Operand) -> list[int]:
    return [int(each) for each in np.unravel_index(place, operand.shape)]


def expect(
    exact: Any, operand: Operand, tolerance: float | None = None, worst: Iterable[int] = ()
) -> Expected:
    """Return the expectation of a file for an output.

    Args:
        exact: all elements in float64.
        operand: the output.
        tolerance: the largest relative error that is right; that of its data type by default.
        worst: indices of elements that are to be among those of the file.
    """
    values = _clamped(exact, format_of(operand)).ravel()
    places: list[int] = []
    sums: list[float] = []
    sizes = abs(values[~np.isnan(values)])
    if values.size > _FEW:
        places = sorted({values.size * i // _CHOSEN for i in range(_CHOSEN)} | {*worst})
        sums = _sums(values, _BLOCKS)
    return Expected(
        operand.name,
        float(sizes.max()) if sizes.size else 0.0,
        LIMITS.get(operand.data_type, LIMIT) if tolerance is None else float(tolerance),
        int(np.isnan(values).sum()),
        places,
        [float(each) for each in (values[places] if places else values)],
        sums,
    )


def compare(expected: Expected, found: Any, operand: Operand, exact: Any = None) -> Comparison:
    """Compare an output with what a file says of it, and with all exact elements if they are here.

    Args:
        expected: the expectation of the file.
        found: all elements of the output.
        operand: the output.
        exact: all elements in float64, or None.
    """
    kept = format_of(operand)
    values = _clamped(found, kept).ravel()
    scale = expected.largest or 1.0
    told = _clamped(expected.values, kept)
    places = list(expected.places) or range(values.size)
    apart = _distances(values[places], told) / scale
    wrong = int((~(apart <= expected.tolerance)).sum())
    at = int(apart.argmax()) if apart.size else 0
    nans = int(np.isnan(values).sum())
    far = 0
    if expected.sums:
        lengths = np.diff(_bounds(values.size, len(expected.sums)))
        sums = _distances(np.array(_sums(values, len(expected.sums))), np.array(expected.sums))
        far = int((~(sums <= expected.tolerance * scale * lengths)).sum())
    same = not wrong and not far and nans == expected.nans
    lines = [
        f"{operand.name}: maximum error {apart[at]:.3g} of the largest element, {scale:.6g}, at "
        f"{_index(places[at], operand)}: expected {told[at]:.9g}, got "
        f"{values[places[at]]:.9g}; tolerance {expected.tolerance:g}; "
        f"{wrong} of {len(places)} compared elements differ"
    ]
    if far:
        lines.append(f"    the sums of {far} of {len(expected.sums)} blocks of all elements differ")
    if nans != expected.nans:
        first = f", the first at {_index(int(np.isnan(values).argmax()), operand)}" if nans else ""
        lines.append(f"    expected {expected.nans} NaN, got {nans}{first}")
    worst: tuple[int, ...] = ()
    if exact is not None:
        off = _distances(values, _clamped(exact, kept).ravel()) / scale
        count = int((~(off <= expected.tolerance)).sum())
        same = same and not count
        worst = tuple(int(each) for each in np.argsort(-off, kind="stable")[: _CHOSEN // 4])
        lines.append(f"    {count} of all {values.size} elements differ from NumPy in float64")
    lines[0] = f"{'SAME' if same else 'DIFFERS'}: {lines[0]}"
    return Comparison(same, "\n".join(lines), worst)
