"""Summaries of databases: how often heuristics miss the fastest engine, by operation."""

from __future__ import annotations

import math

from ..._support.results import NamedTuple
from ..record_table import Rows
from .reader import MARGIN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import ClassVar

    from .reader import Case, Database


class Line(NamedTuple):
    """The cases of an operation, a form of images and a data type.

    Attributes:
        operation: its word, or "all".
        form: how images are, as `Case.form`.
        dtype: the data type of its arrays, or "all".
        cases: how many there are with the times of a suggested engine and of others.
        engines: how many engines a case has on average.
        missed: of how many cases heuristics miss the fastest engine by more than the margin.
        mean: the geometric mean of the suggested engine's time over that of the fastest.
        worst: the largest such ratio.
        case: the name of that case.
        repeats: in how many cases the fastest engine gives the same bits each time.
    """

    operation: str
    form: str
    dtype: str
    cases: int
    engines: float
    missed: int
    mean: float
    worst: float
    case: str
    repeats: int

    @property
    def share(self) -> float:
        """Return the missed cases as a part of all."""
        return self.missed / self.cases

    def to_dict(self) -> dict[str, object]:
        """Return the fields by name."""
        return self._asdict()


class Lines(Rows[Line]):
    """Lines of a summary; prints as a table."""

    _columns: ClassVar[tuple[str, ...]] = (
        *(
            "operation",
            "images",
            "data type",
            "cases",
            "engines",
            "missed",
            "part",
            "mean",
            "worst",
        ),
        "repeats bits",
    )

    @staticmethod
    def _cells(record: Line) -> tuple[str, ...]:
        return (
            record.operation, record.form or "-", record.dtype, str(record.cases),
            f"{record.engines:.1f}", str(record.missed), f"{record.share:.0%}",
            f"{record.mean:.2f}", f"{record.worst:.1f}", str(record.repeats),
        )  # fmt: skip


def summarize(database: Database, margin: float = MARGIN) -> Lines:
    """Return a line for each operation, form of images and data type, and one for all.

    Args:
        database: with the cases.
        margin: how much slower the suggested engine may be before it is a miss.
    """
    groups: dict[tuple[str, str, str], list[Case]] = {}
    for case in database.cases.values():
        if case.loss is not None:
            word, dtype = case.name.split(" ")[:2]
            groups.setdefault((word, case.form, dtype), []).append(case)
    lines = [_line(*names, cases, margin) for names, cases in sorted(groups.items())]
    if lines:
        every = [case for cases in groups.values() for case in cases]
        lines.append(_line("all", "", "all", every, margin))
    return Lines(lines)


def ratios(cases: Iterable[Case]) -> list[float]:
    """Return the time of the suggested engine over that of the fastest, for each case, sorted."""
    return sorted(1 + each.loss for each in cases if each.loss is not None)


def _line(operation: str, form: str, dtype: str, cases: list[Case], margin: float) -> Line:
    times = ratios(cases)
    worst = max(cases, key=lambda each: each.loss or 0)
    best = [each.best for each in cases]
    return Line(
        operation, form, dtype, len(cases),
        sum(len({row.engine for row in each.rows if row.is_right}) for each in cases) / len(cases),
        sum(each > 1 + margin for each in times),
        math.exp(sum(map(math.log, times)) / len(times)), times[-1], worst.name,
        sum(each is not None and each.is_deterministic for each in best),
    )  # fmt: skip
