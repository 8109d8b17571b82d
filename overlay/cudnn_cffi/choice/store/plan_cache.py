"""Plans of this process, found again by what they compute."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from weakref import WeakValueDictionary

from ... import errors
from ..._support import fork
from ..._support.arguments import integers
from ..._support.recent import Recent
from ..._support.results import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...plan import Plan
    from ..engine.kernel_cache import SharedKernels


#: Maximum of kinds of graphs whose kernels are kept.
_MAXIMUM_KINDS = 256

#: Size that a plan counts besides its workspace: descriptors and kernels of an ordinary plan.
PLAN_BYTES = 64 << 10

_enabled: ContextVar[bool] = ContextVar("cudnn_cffi_plan_cache", default=True)


class CacheInfo(NamedTuple):
    """Statistics of a cache.

    Attributes:
        hits: look-ups that found a plan or a refusal.
        misses: look-ups that found nothing.
        entries: plans and refusals that it holds.
        refusals: how many of them are refusals.
        size: bytes of the plans, as `PlanCache` counts them.
        max_entries: the most entries.
        max_size: the most bytes.
    """

    hits: int
    misses: int
    entries: int
    refusals: int
    size: int
    max_entries: int
    max_size: int


class _Entry(NamedTuple):
    plan: Plan | None
    refusal: errors.NoPlanError | None
    size: int
    tuned: bool


class PlanCache:
    """The plans that were used last, and the computations that no engine supports.

    Threads share it. A plan is counted with its workspace, although plans share that if they run in
    the same stream, and with 64 KiB for its descriptors and kernels. A plan that is dropped lives
    on where it is still used. A refusal stays until `clear`, or until it is the oldest: it depends
    on the release and the device, and those are part of the key.
    """

    def __init__(self, max_entries: int = 1000, max_size: int = 4 << 30) -> None:
        """Make an empty cache.

        Args:
            max_entries: the most plans and refusals; 0 caches nothing.
            max_size: the most bytes, as counted above.
        """
        self._entries: OrderedDict[Hashable, _Entry] = OrderedDict()
        #: Plans that somebody has, by engine and knobs: policies that choose the same share one.
        self._alive: WeakValueDictionary[Hashable, Plan] = WeakValueDictionary()
        self._lock = fork.lock()
        self._size = self._hits = self._misses = 0
        #: Number of times that it was cleared; plans that were begun before are not kept.
        self.generation = 0
        #: The kernels of graphs with dynamic shapes: by kind, device and options of `build`.
        self.kernels: dict[Hashable, SharedKernels] = Recent(_MAXIMUM_KINDS)
        self._bounds = {"max_entries": 0, "max_size": 0}
        self.max_entries, self.max_size = max_entries, max_size

    @property
    def max_entries(self) -> int:
        """Maximum number of plans and refusals; 0 caches nothing. A lower one holds at once."""
        return self._bounds["max_entries"]

    @max_entries.setter
    def max_entries(self, value: int) -> None:
        self._bound(max_entries=value)

    @property
    def max_size(self) -> int:
        """Maximum number of bytes, likewise."""
        return self._bounds["max_size"]

    @max_size.setter
    def max_size(self, value: int) -> None:
        self._bound(max_size=value)

    def _bound(self, **bound: int) -> None:
        (name,), (number,) = bound, integers(**bound)
        if number < 0:
            raise errors.ArgumentError(f"{name}: expected a number from 0 on, got {number}")
        with self._lock:
            self._bounds[name] = number
            dropped = list(self._trim())
        dropped.clear()  # after the lock: objects that end here may run any code

    def __repr__(self) -> str:
        return f"<PlanCache with {self.info()}>"

    def get(self, key: Hashable, *, tuned: bool = False, again: bool = False) -> Plan | None:
        """Return the plan of a key; None where there is none.

        Args:
            key: the key of the plan.
            tuned: whether only a plan will do that was chosen by timing.
            again: whether the same look-up was counted before.

        Raises:
            NoPlanError: no engine supported the computation.
        """
        with self._lock:
            entry = self._entries.get(key)
            if entry is not None and entry.plan is not None and entry.plan.closed:
                self._drop(key)  # with the thread's own handle, that somebody closed
                entry = None
            if entry is None or (tuned and not entry.tuned and entry.refusal is None):
                self._misses += not again
                return None
            self._hits += 1
            self._entries.move_to_end(key)
        if entry.refusal is not None:
            raise entry.refusal.replace()
        return entry.plan

    def built(self, exact: Hashable | None) -> Plan | None:
        """Return the plan of a computation by an engine with its knobs, if somebody has it."""
        with self._lock:
            plan = self._alive.get(exact)
        return None if plan is None or plan.closed else plan

    def put(
        self, key: Hashable, plan: Plan, *, tuned: bool = False, generation: int | None = None,
        exact: Hashable = None,
    ) -> None:  # fmt: skip
        """Remember a plan, which no user of it can close from then on.

        One that was chosen by timing is not replaced by one that was not. One that is counted with
        more bytes than the cache has is not kept.

        Args:
            key: the key of the plan.
            plan: the plan.
            tuned: whether it was chosen by timing.
            generation: what it was when the plan was begun; None for now.
            exact: what `built` finds it by; None for nothing.
        """
        plan.share()
        entry = _Entry(plan, None, plan.workspace_size + PLAN_BYTES, tuned)
        self._put(key, entry, generation, exact)

    def refuse(
        self, key: Hashable, error: errors.NoPlanError, generation: int | None = None
    ) -> None:
        """Remember that no engine supports a computation; see `put`."""
        self._put(key, _Entry(None, error.replace(), 0, False), generation)

    def _put(
        self, key: Hashable, entry: _Entry, generation: int | None, exact: Hashable = None
    ) -> None:
        dropped = []
        with self._lock:
            if generation not in (None, self.generation):  # errata may have changed since
                return
            old = self._entries.get(key)
            if old is not None and old.tuned and not entry.tuned and entry.plan is not None:
                return
            if old is not None:
                dropped.append(self._drop(key))
            if entry.size > self.max_size:  # all others would have to go, and then this one, too
                return
            self._entries[key] = entry
            self._size += entry.size
            dropped += self._trim()
            if exact is not None and entry.plan is not None and key in self._entries:
                self._alive[exact] = entry.plan
        dropped.clear()  # after the lock: objects that end here may run any code

    def _trim(self) -> Iterator[_Entry]:
        """Drop the oldest entries beyond the bounds."""
        while self._entries and (
            len(self._entries) > self.max_entries or self._size > self.max_size
        ):
            yield self._drop(next(iter(self._entries)))

    def _drop(self, key: Hashable) -> _Entry:
        entry = self._entries.pop(key)
        self._size -= entry.size
        return entry

    def share(self, key: Hashable, kernels: SharedKernels, generation: int | None) -> None:
        """Remember the kernels of graphs with dynamic shapes; see `put`."""
        with self._lock:
            if generation in (None, self.generation):
                self.kernels[key] = kernels

    def info(self) -> CacheInfo:
        """Return how the cache is used."""
        with self._lock:
            refusals = sum(entry.plan is None for entry in self._entries.values())
            return CacheInfo(
                self._hits,
                self._misses,
                len(self._entries),
                refusals,
                self._size,
                self.max_entries,
                self.max_size,
            )

    def clear(self) -> None:
        """Forget all plans, refusals and kernels, and the numbers of hits and misses."""
        with self._lock:
            self.generation += 1
            dropped, self._entries = self._entries, OrderedDict()
            self._size = self._hits = self._misses = 0
            kernels, self.kernels = self.kernels, Recent(_MAXIMUM_KINDS)
            self._alive = WeakValueDictionary()
        dropped.clear()
        kernels.clear()

    def leave_to_parent(self) -> None:
        """Leave the plans of the parent process alone: their kernels do not work in a child."""
        _of_parent.extend((self._entries, self.kernels))
        self._entries, self.kernels = OrderedDict(), Recent(_MAXIMUM_KINDS)
        self._alive = WeakValueDictionary()
        self._size = self._hits = self._misses = 0


#: Plans that a forked child must not destroy.
_of_parent: list[object] = []

#: The plans of `build` and `autotune`.
plans = PlanCache()
fork.in_child("objects", plans.leave_to_parent)


def is_enabled() -> bool:
    """Return whether plans are looked up and remembered here."""
    return _enabled.get()


@contextmanager
def no_cache() -> Iterator[None]:
    """Choose and build everything anew while a `with` block runs, in memory and on disk.

    It holds for this thread, or this task of asyncio.
    """
    token = _enabled.set(False)
    try:
        yield
    finally:
        _enabled.reset(token)
