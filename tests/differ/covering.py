"""Factors of cases, and combinations of their values in which each pair of values is."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterable, Mapping, Sequence

from .draw import Draw

__all__ = ["Table", "covering"]

Row = dict[str, str]


class Table:
    """The factors of a part's cases.

    Args:
        factors: their values; the first value of each is the simplest.
        hard: values that many engines refuse.
        mild: whether a case by chance has one of these at most.
    """

    def __init__(
        self, factors: dict[str, tuple[str, ...]], hard: Mapping[str, set[str]], mild: bool = False
    ) -> None:
        self.factors, self.hard, self.mild = factors, hard, mild
        self._rows: dict[int, list[Row]] = {}

    def rows(self, seed: int) -> list[Row]:
        """Return the cases in which all pairs of factors are."""
        if seed not in self._rows:
            self._rows[seed] = covering(self.factors, self.hard, seed)
        return self._rows[seed]

    def row_of(self, draw: Draw) -> Row:
        """Return the value of each factor in a case; in those after `rows` each is by chance."""
        known = self.rows(draw.seed)
        if draw.case < len(known):
            return known[draw.case]
        row = {factor: draw.chance(factor).choice(each) for factor, each in self.factors.items()}
        hard = [factor for factor, values in self.hard.items() if row[factor] in values]
        if self.mild and hard:
            hard.remove(draw.chance("hard").choice(hard))
            row |= {factor: self.factors[factor][0] for factor in hard}
        return row

    def combined(
        self, seed: int, cases: Iterable[int], size: int
    ) -> set[tuple[tuple[str, str], ...]]:
        """Return the pairs of values of two factors that are in cases; of more by `size`."""
        drawn = (self.row_of(Draw("", seed, case)).items() for case in cases)
        return {group for row in drawn for group in itertools.combinations(sorted(row), size)}

    def all_combined(self, size: int) -> int:
        """Return the number of pairs of values of two factors, or of more."""
        counts = map(len, self.factors.values())
        return sum(map(math.prod, itertools.combinations(counts, size)))


def covering(
    factors: Mapping[str, Sequence[str]], hard: Mapping[str, set[str]], seed: int
) -> list[Row]:
    """Return rows with a value of each factor, in an order by chance.

    Each pair of values of two factors is in a row whose other values are not hard, so that what
    refuses a row hides no pair but its own.

    Args:
        factors: the values by name.
        hard: values that make many engines refuse a row.
        seed: of all rows.
    """
    chance = random.Random(f"covering {seed}")
    names = list(factors)
    pairs = [
        pair
        for a, b in itertools.combinations(names, 2)
        for pair in itertools.product(((a, v) for v in factors[a]), ((b, v) for v in factors[b]))
    ]
    chance.shuffle(pairs)
    left = set(pairs)
    rows = []
    for pair in pairs:
        if pair not in left:
            continue
        row = dict(pair)
        for name in names:
            if name not in row:
                row[name] = _best(row, name, factors[name], hard.get(name, set()), left, chance)
        left -= _covered(row, names, hard)
        rows.append(row)
    chance.shuffle(rows)
    return rows


def _best(
    row: Row,
    name: str,
    values: Sequence[str],
    hard: set[str],
    left: set[object],
    chance: random.Random,
) -> str:
    """Return the value that is in most pairs with those of a row that are left."""

    def worth(value: str) -> tuple[int, float]:
        pairs = (((k, v), (name, value)) for k, v in row.items())
        found = sum(pair in left or pair[::-1] in left for pair in pairs)
        return found, chance.random()

    return max((each for each in values if each not in hard), key=worth)


def _covered(row: Row, names: Sequence[str], hard: Mapping[str, set[str]]) -> set[object]:
    """Return the pairs of a row beside which nothing is hard."""
    found: set[object] = set()
    for a, b in itertools.combinations(names, 2):
        if not any(row[k] in hard.get(k, ()) for k in names if k not in (a, b)):
            found.add(((a, row[a]), (b, row[b])))
    return found
