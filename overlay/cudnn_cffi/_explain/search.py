"""Search among small changes of a computation for the nearest that has a plan."""

from __future__ import annotations

import time
from collections.abc import Hashable
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any, Protocol

from .. import errors
from ..choice.store.plan_cache import no_cache

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

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

#: Kinds of changes that end with the first one that helps, since later ones are larger.
_ONCE = ("device", "padding")

#: Changes that are built though they do not seem to help: several plans compute most graphs whose
#: data types engines take, since they copy arrays into other layouts by themselves.
_FIRST = ("arrays", "compute", "intermediate", "results")

#: Changes that are tried after all others of their cost, and after the builds of those above: there
#: are many, and they seldom help.
_LATE = ("array", "padding")

#: Changes of strides and addresses alone, which are built last if they do not seem to help.
_LAST = ("alignment", "gaps", "layout")

#: Seconds after the first answer, for others of the same cost.
_LATER = 1.0


class Found:
    """The changes that help, and how far the search went.

    Attributes:
        chains: changes, and the plan that was built with them.
        tried: how many changed computations were looked at.
        is_complete: whether the search ended before the time was up.
    """

    def __init__(self) -> None:
        self.chains: list[tuple[Chain, Built]] = []
        self.tried = 0
        self.is_complete = True


class Attempts(Protocol):
    """The ways to look at changed computations, and to build them.

    Attributes:
        splits: whether several plans may compute a computation.
    """

    splits: bool

    def is_likely(self, state: Any) -> bool:
        """Look at a computation without building it; True is no promise."""

    def build(self, state: Any) -> Built:
        """Build a computation that is likely, or raise a `CudnnError`."""

    def build_anyway(self, state: Any) -> Built:
        """Build a computation that is not likely, or raise a `CudnnError`."""

    def key(self, state: Any) -> Hashable:
        """Return a value that is equal for equal computations."""

    def kernel(self, state: Any) -> Hashable:
        """Return a value that is equal if kernels are compiled for both computations or neither."""


class Search:
    """A search for the changes of the lowest cost that make a computation one that builds."""

    def __init__(
        self,
        start: Any,
        changes: Callable[[Any], Iterable[Step]],
        attempts: Attempts,
        refused: errors.CudnnError,
    ) -> None:
        """Prepare a search.

        Args:
            start: the computation.
            changes: returns the changes of a computation.
            attempts: builds computations.
            refused: the error of the computation.
        """
        self._changes, self._attempts, self._start = changes, attempts, start
        self._seen = {attempts.key(start)}
        #: Kernels that were not compiled, and pairs of kernels and names of changes of no use.
        self._failed: set[Hashable] = set()
        if is_uncompiled(refused):
            self._failed.add(attempts.kernel(start))

    def run(self, seconds: float) -> Found:
        """Return the changes that help; a build that has begun is not stopped.

        Single changes are tried before pairs, and those of a lower cost first. The search ends
        after the first cost with an answer, or when the time is up. Some changes wait until all
        others, single ones or pairs, were tried: changes like one that did not help, and, if the
        kernels of such a computation were not compiled, changes that leave alone what decides about
        that. Among pairs, changes of strides and addresses are last. Changes that do not seem to
        help are built in the end; changes of data types as soon as all of these were looked at, if
        several plans may compute the result.
        """
        self._end = time.monotonic() + seconds
        self._found = Found()
        singles = sorted(self._changes(self._start), key=_order)
        unlikely: list[Chain] = []
        waiting: list[Chain] = []
        for (_, is_late), steps in groupby(singles, _order):
            if is_late and self._attempts.splits:
                first = sorted((each for each in unlikely if _rank(each) < 0), key=_rank)
                unlikely = [each for each in unlikely if _rank(each) >= 0]
                self._build_all(first, (time.monotonic() + self._end) / 2)
            chains = [(step,) for step in steps]
            if self._found.chains or not self._try_all(chains, unlikely, waiting):
                return self._found
        if not self._try_all(waiting, unlikely):
            return self._found
        waiting = []
        for cost in range(2, FURTHEST + 1):
            if not self._try_all(self._pairs(singles, cost), waiting=waiting):
                return self._found
        waiting.sort(key=lambda chain: any(each.name in _LAST for each in chain))
        if not self._try_all(waiting):
            return self._found
        self._build_all(sorted(unlikely, key=_rank), self._end)
        return self._found

    def _try_all(
        self,
        chains: Iterable[Chain],
        unlikely: list[Chain] | None = None,
        waiting: list[Chain] | None = None,
    ) -> bool:
        """Try chains, or append them to a list; return whether to go on with others."""
        return (
            all(self._try(chain, unlikely, waiting) for chain in chains) and not self._found.chains
        )

    def _try(self, chain: Chain, unlikely: list[Chain] | None, waiting: list[Chain] | None) -> bool:
        """Try a chain; return whether to go on."""
        if not self._has_time():
            return False
        step = chain[-1]
        if step.name in _ONCE and any(each[-1].name == step.name for each, _ in self._found.chains):
            return True
        if step.build is not None:
            self._found.tried += 1
            return self._build(chain, step.build)
        own, kernel = self._attempts.key(step.state), self._attempts.kernel(step.state)
        if own in self._seen:
            return True
        if waiting is not None and not self._failed.isdisjoint((kernel, (kernel, step.name))):
            waiting.append(chain)
            return True
        self._seen.add(own)
        self._found.tried += 1
        try:
            with no_cache():
                likely = self._attempts.is_likely(step.state)
        except errors.NotSupportedError:  # as a whole; several plans may compute it
            likely = False
        except errors.CudnnError:
            return True
        if likely:
            return self._build(chain, partial(self._attempts.build, step.state))
        self._failed.add((kernel, step.name))
        if unlikely is not None:
            unlikely.append(chain)
        return True

    def _build(self, chain: Chain, build: Callable[[], Built]) -> bool:
        """Build the last state of a chain; return whether to go on."""
        try:
            with no_cache():
                built = build()
        except errors.CudnnError as error:
            kernel = self._attempts.kernel(chain[-1].state)
            if chain[-1].build is None:
                self._failed.add(kernel if is_uncompiled(error) else (kernel, chain[-1].name))
            return True
        self._found.chains.append((chain, built))
        self._end = min(self._end, time.monotonic() + _LATER)
        return len(self._found.chains) < MOST

    def _build_all(self, chains: list[Chain], end: float) -> None:
        """Build what did not seem likely, until one helps or the time is up."""
        for chain in chains:
            if self._found.chains or time.monotonic() >= end:
                return
            self._build(chain, partial(self._attempts.build_anyway, chain[-1].state))

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


def is_uncompiled(error: errors.CudnnError) -> bool:
    """Return whether the kernels of the chosen engine cannot be compiled.

    Some engines seem to take a data type, but have no kernels for it.
    """
    told = [error.status_name or "", *(each.status for each in getattr(error, "refusals", ()))]
    return any("COMPILATION_FAILED" in each for each in told)


def _rank(chain: Chain) -> int:
    """Return the place of a change among those that are built without seeming to help."""
    name = chain[-1].name
    return _FIRST.index(name) - len(_FIRST) if name in _FIRST else int(name in _LAST)


def _order(step: Step) -> tuple[int, bool]:
    return step.cost, step.name in _LATE
