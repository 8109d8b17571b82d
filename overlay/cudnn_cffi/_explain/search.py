"""Search among small changes of a computation for the nearest that has a plan."""

from __future__ import annotations

import time
from itertools import groupby
from typing import TYPE_CHECKING, Any

from .. import errors
from ..choice.store.plan_cache import no_cache

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator

    from .result import Built, Step

    #: Changes one after the other; the state of the last one is the changed computation.
    Chain = tuple[Step, ...]

#: Errors that refuse a computation, and not this process or machine.
REFUSALS = (
    errors.NotSupportedError,
    errors.MissingFunctionError,
    errors.BadParamError,
    errors.GraphError,
    errors.ArgumentError,
)

#: Maximum sum of costs of the changes together.
FURTHEST = 7

#: Maximum number of answers.
MOST = 3

#: Changes of which the first that helps is the least.
_ONCE = ("device", "padding")

#: Changes of strides and addresses alone.
_OF_LAYOUT = ("alignment", "gaps", "layout")

#: Seconds after the first answer, for others of the same cost.
_LATER = 1.0


class Found:
    """The changes that help, and how far the search went.

    Attributes:
        chains: changes, and what was built with them.
        tried: how many changed computations were looked at.
        is_complete: whether the search ended before the time was up.
    """

    def __init__(self) -> None:
        self.chains: list[tuple[Chain, Built]] = []
        self.tried = 0
        self.is_complete = True


class Search:
    """A search for the changes of the lowest cost that make a computation one that builds."""

    def __init__(
        self,
        start: Any,
        changes: Callable[[Any], Iterable[Step]],
        is_likely: Callable[[Any], bool],
        build: Callable[[Any], Built],
        key: Callable[[Any], Hashable],
    ) -> None:
        """Prepare a search.

        Args:
            start: the computation.
            changes: returns the changes of a computation.
            is_likely: looks at a computation without building it; True is no promise.
            build: builds a computation, or raises a `CudnnError`.
            key: returns a value that is equal for equal computations.
        """
        self._changes, self._is_likely, self._build, self._key = changes, is_likely, build, key
        self._start = start
        self._seen = {key(start)}

    def run(self, seconds: float) -> Found:
        """Return the changes that help; a build that has begun is not stopped.

        Single changes are tried before pairs, and those of a lower cost first. The search ends
        after the first cost with an answer, or when the time is up. If no single change is likely
        to help, each is built, for three quarters of the time that is left.
        """
        self._end = time.monotonic() + seconds
        self._found = Found()
        singles = sorted(self._changes(self._start), key=lambda each: each.cost)
        unlikely: list[Chain] = []
        levels = [[(step,) for step in steps] for _, steps in groupby(singles, _cost)]
        if not all(self._try_all(level, unlikely) for level in levels) or self._found.chains:
            return self._found
        # Layouts come last: several plans copy arrays into other layouts by themselves.
        unlikely.sort(key=lambda chain: chain[0].name in _OF_LAYOUT)
        self._build_all(unlikely, (time.monotonic() + 3 * self._end) / 4)
        for cost in range(2, FURTHEST + 1):
            if self._found.chains or not self._try_all(self._pairs(singles, cost), []):
                break
        return self._found

    def _try_all(self, chains: Iterable[Chain], unlikely: list[Chain]) -> bool:
        """Try all chains of a cost; return whether to go on with the next cost."""
        return all(self._try(chain, unlikely) for chain in chains) and not self._found.chains

    def _try(self, chain: Chain, unlikely: list[Chain]) -> bool:
        """Try a chain; return whether to go on."""
        if not self._has_time():
            return False
        step = chain[-1]
        if step.name in _ONCE and any(each[-1].name == step.name for each, _ in self._found.chains):
            return True
        if step.build is None:
            own = self._key(step.state)
            if own in self._seen:
                return True
            self._seen.add(own)
        self._found.tried += 1
        try:
            with no_cache():
                likely = step.build is not None or self._is_likely(step.state)
        except errors.CudnnError:
            return True
        if not likely:
            unlikely.append(chain)
            return True
        return self._build_one(chain)

    def _build_one(self, chain: Chain) -> bool:
        step = chain[-1]
        try:
            with no_cache():
                built = self._build(step.state) if step.build is None else step.build()
        except errors.CudnnError:
            return True
        self._found.chains.append((chain, built))
        self._end = min(self._end, time.monotonic() + _LATER)
        return len(self._found.chains) < MOST

    def _build_all(self, chains: list[Chain], end: float) -> None:
        """Build what did not seem likely, until one helps or the time is up."""
        for chain in chains:
            if self._found.chains or time.monotonic() >= end:
                return
            self._build_one(chain)

    def _has_time(self) -> bool:
        if time.monotonic() < self._end:
            return True
        self._found.is_complete = bool(self._found.chains)
        return False

    def _pairs(self, singles: list[Step], cost: int) -> Iterator[Chain]:
        """Yield pairs of changes whose costs have a sum."""
        for first in singles:
            rest = cost - first.cost
            if first.build is not None or rest < first.cost:  # the same two in the other order
                continue
            for second in self._changes(first.state):
                if second.cost == rest and second.name != first.name:
                    yield first, second


def _cost(step: Step) -> int:
    return step.cost
