"""The answer to why a computation has no plan: the nearest one that has, and the difference."""

from __future__ import annotations

import difflib

from .._support.results import NamedTuple

#: Seconds of a search, if nothing else is said.
SECONDS = 5.0

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any


class Step(NamedTuple):
    """A small change of a computation.

    Attributes:
        name: of the change's record, such as "layout".
        cost: how far from the original it leads; 1 for the smallest.
        phrase: what is changed, after "with", such as "x, w in NHWC".
        state: the changed computation.
        build: builds the changed computation, if that takes another device or release.
    """

    name: str
    cost: int
    phrase: str
    state: Any
    build: Callable[[], Built] | None = None


class Built(NamedTuple):
    """A plan that was built to prove that a change helps.

    Attributes:
        way: the plan, in words.
        release: the release of cuDNN that built it.
        device: the name of the device that it is for.
    """

    way: str
    release: str
    device: str


class Explanation(NamedTuple):
    """The nearest computation that is supported, which was built to be sure.

    `str()` gives the sentence, the difference, and other changes that are as near.

    Attributes:
        sentence: what to change, or that nothing was found.
        change: lines of the difference; those of the original begin with "-", new ones with "+".
        graph: the supported `Graph`, or the description of the supported call; None for none.
        release: the release of cuDNN that builds it; "" if nothing was found.
        device: the name of the device that it was built for.
        reason: why the original is not supported; "" if it is.
        others: other changes that are as near, at most two.
        tried: how many changed computations were tried.
    """

    sentence: str
    change: tuple[str, ...] = ()
    graph: Any = None
    release: str = ""
    device: str = ""
    reason: str = ""
    others: tuple[Explanation, ...] = ()
    tried: int = 0

    @property
    def is_found(self) -> bool:
        """Return whether a computation was found that is supported."""
        return self.graph is not None

    def to_dict(self) -> dict[str, Any]:
        """Return all but the graph as plain values."""
        found = {**self._asdict(), "change": list(self.change), "is_found": self.is_found}
        found["others"] = [each.to_dict() for each in self.others]
        del found["graph"]
        return found

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield self.sentence
        yield from (f"  {line}" for line in self.change)
        for each in self.others:
            yield f"or: {each.sentence}"
            yield from (f"  {line}" for line in each.change)


def difference(before: Sequence[str], after: Sequence[str]) -> tuple[str, ...]:
    """Return the lines that differ, with "-" before old and "+" before new ones."""
    found = difflib.unified_diff(before, after, lineterm="", n=0)
    return tuple(
        f"{line[0]} {line[1:]}"
        for line in found
        if line[0] in "+-" and not line.startswith(("---", "+++"))
    )


def joined(words: Iterable[str]) -> str:
    """Return words as a list in English."""
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last
