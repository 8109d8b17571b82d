"""Search among small changes of a computation for the nearest that has a plan."""

from __future__ import annotations

import time
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
        *,
        thorough: bool = False,
    ) -> None:
        """Prepare a search.

        Args:
            start: the computation.
            changes: returns the changes of a computation.
            is_likely: looks at a computation without building it; True is no promise.
            build: builds a computation, or raises a `CudnnError`.
            key: returns a value that is equal for equal computations.
            thorough: whether to build also what is not likely before changes of higher cost are
                tried, and not after all of them.
        """
        self._changes, self._is_likely, self._build, self._key = changes, is_likely, build, key
        self._thorough = thorough
        self._start = start
        self._seen = {key(start)}

    def run(self, seconds: float) -> Found:
        """Return the changes that help; a build that has begun is not stopped.

        Single changes of a cost are tried before pairs of the same sum. The search ends after the
        first sum of costs with an answer, or when the time is up.
        """
        self._end = time.monotonic() + seconds
        self._found = Found()
        unlikely: list[Chain] = []
        singles = sorted(self._changes(self._start), key=lambda each: each.cost)
        for cost in range(1, FURTHEST + 1):
            here: list[Chain] = []
            for chain in self._chains(singles, cost):
                if not self._try(chain, here):
                    return self._found
            if self._thorough and not self._found.chains:
                if not self._build_all(here):
                    return self._found
                here = []
            unlikely += here
            if self._found.chains:
                return self._found
        self._build_all(unlikely)
        return self._found

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
            if len(chain) == 1:
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

    def _build_all(self, chains: list[Chain]) -> bool:
        """Build what did not seem likely, until one helps; return whether to go on."""
        for chain in chains:
            if not self._has_time() or not self._build_one(chain):
                return False
            if self._found.chains:
                return True
        return True

    def _has_time(self) -> bool:
        if time.monotonic() < self._end:
            return True
        self._found.is_complete = bool(self._found.chains)
        return False

    def _chains(self, singles: list[Step], cost: int) -> Iterator[Chain]:
        """Yield single changes of a cost, then pairs whose costs have this sum."""
        for each in singles:
            if each.cost == cost:
                yield (each,)
        for first in singles:
            rest = cost - first.cost
            if first.build is not None or rest < first.cost:  # the same two in the other order
                continue
            for second in self._changes(first.state):
                if second.cost == rest and second.name != first.name:
                    yield first, second
