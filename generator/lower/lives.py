"""The lives of rows over releases: a table of each release becomes one list."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from typing import Generic, TypeVar

Row = TypeVar("Row")


class Life(Generic[Row]):
    """A row that some releases have: from one release on, until another one no longer has it."""

    def __init__(self, name: str, row: Row, since: str) -> None:
        self.name, self.row, self.since = name, row, since
        self.until: str | None = None

    @property
    def span(self) -> tuple[str, ...]:
        """The release that has it first, and the first one after that without it, if there is."""
        return (self.since,) if self.until is None else (self.since, self.until)


def lives(tables: Iterable[tuple[str, Mapping[str, Row]]]) -> list[Life[Row]]:
    """Return the lives of the rows of tables; each release has one table.

    In the list, the rows that a release has stand in the order that they have in its table. A row
    that changes, moves before another one, or is gone for a while has several lives.

    Args:
        tables: the releases, oldest first, each with its table.
    """
    found: list[Life[Row]] = []
    for release, table in tables:
        places = {name: place for place, name in enumerate(table)}
        alive = [each for each in found if each.until is None]
        same = [each for each in alive if each.name in table and table[each.name] == each.row]
        kept = {same[i].name for i in _increasing([places[each.name] for each in same])}
        for each in alive:
            if each.name not in kept:
                each.until = release
        by_name = {each.name: each for each in alive if each.name in kept}
        after = 0
        for name, row in table.items():
            if name in by_name:
                after = found.index(by_name[name], after) + 1
            else:
                # A row that changed or comes back stands after what it was.
                while after < len(found) and found[after].until is not None:
                    after += 1
                found.insert(after, Life(name, row, release))
                after += 1
    return found


def _increasing(places: list[int]) -> list[int]:
    """Return the indices of a longest increasing subsequence."""
    ends: list[int] = []
    tails: list[int] = []
    before: list[int] = []
    for index, place in enumerate(places):
        length = bisect_left(tails, place)
        tails[length : length + 1] = [place]
        ends[length : length + 1] = [index]
        before.append(ends[length - 1] if length else -1)
    found = []
    index = ends[-1] if ends else -1
    while index >= 0:
        found.append(index)
        index = before[index]
    return found[::-1]
