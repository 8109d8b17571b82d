"""Measure how long a device needs for work that a stream gets."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable

from ...driver import timing
from ...driver.streams import Event
from ...memory import Memory
from . import idle

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...types import Stream as StreamLike


#: Microseconds that the host may add at least to a run that is timed alone.
_HOST = 50.0

#: The part of the cache to write over, as a multiple of its size.
_FLUSH = 2

#: Maximum number of repetitions of the work between two events if the cache stays warm, and the
#: time in microseconds after which they end.
_REPEATS, _ENOUGH = 8, 300.0

#: Maximum number of fills of the buffer that hide the time that the host needs.
_MOST_FILLS = 40

#: The factor to the time of a fill from which on something else was done at the same time.
_SLOWER = 1.3


class Clock:
    """Times work on a device by events in a stream.

    Before each sample the stream gets enough other work (writing a buffer larger than the cache)
    that all of the sample is in the stream before its first event is reached. So the time that the
    host needs to put it there is not measured. The same writing empties the cache.

    Attributes:
        cold: whether the cache is empty at the start of each run.
        fill_time: how long it takes to write the buffer, in microseconds.
    """

    def __init__(
        self, stream: int, l2_cache: int, device: int, owner: StreamLike, *, cold: bool
    ) -> None:
        """Allocate the buffer and find out how long it takes to write it.

        Args:
            stream: the stream's address.
            l2_cache: the bytes of the device's cache.
            device: the ordinal.
            owner: the stream as an object, for the allocation.
            cold: whether to empty the cache before each run; else one run, which is not timed,
                fills it before some runs that are timed together.
        """
        self._stream = stream
        self.cold = cold
        self._size = max(_FLUSH * l2_cache, 64 << 20)
        self._buffer = Memory(self._size, device, owner)
        self._events = Event(), Event(), Event(), Event(), Event()
        self.fill()
        self.fill_time = max(min(self.between(self.fill) for _ in range(3)), 1.0)

    def close(self) -> None:
        """Free the buffer."""
        self._buffer.close()

    def fill(self) -> None:
        """Put the writing of the buffer into the stream."""
        timing.fill_with(self._buffer.address or 0, 0, self._size, self._stream)

    def between(self, work: Callable[[], object]) -> float:
        """Return the time in microseconds of the work that `work` puts into the stream."""
        start, end = self._events[:2]
        start.record(self._stream)
        work()
        end.record(self._stream)
        end.synchronize()
        return (end - start) * 1000

    def alone(self, fills: int, before: Callable[[], object], work: Callable[[], object]) -> float:
        """Return the time of work after some fills; inf where anything else disturbed it.

        Fills before and after it take longer if the device has other work, and the stream has all
        of it before the work begins unless the host was busy.
        """
        start, end, *others = self._events
        marks = iter(others)

        def mark() -> None:
            next(marks).record(self._stream)

        mark()
        self.fill()
        mark()
        for _ in range(fills):
            self.fill()
        before()
        start.record(self._stream)
        work()
        end.record(self._stream)
        was_ahead = not start.done
        self.fill()
        mark()
        others[2].synchronize()
        times = [(others[1] - others[0]) * 1000, (others[2] - end) * 1000]
        self.fill_time = max(min(self.fill_time, *times), 1.0)
        is_alone = was_ahead and max(times) <= _SLOWER * self.fill_time
        return (end - start) * 1000 if is_alone else math.inf


class Sampler:
    """Takes samples of one kind of work.

    Attributes:
        rough: the microseconds of one run, with the time that the host needs for it.
        host: the microseconds that the host needs.
    """

    def __init__(self, clock: Clock, run: Callable[[], object]) -> None:
        """Run something three times, to estimate its time."""
        self._clock = clock
        self._run = run
        run()
        self.rough = min(clock.between(run) for _ in range(2))
        begin = time.perf_counter()
        run()
        self.host = (time.perf_counter() - begin) * 1e6
        self._repeats = 1 if clock.cold else min(_REPEATS, math.ceil(_ENOUGH / self.rough))
        runs = self._repeats + (not clock.cold)
        needed = 2 * (self.host * runs + 20)
        self.fills = min(_MOST_FILLS, math.ceil(needed / clock.fill_time))

    def sample(self) -> float:
        """Return the microseconds of one run."""
        clock, run = self._clock, self._run

        def warm() -> None:
            if not clock.cold:
                run()

        def work() -> None:
            for _ in range(self._repeats):
                run()

        if idle.is_beside():
            tries = (clock.alone(self.fills, warm, work) for _ in idle.attempts())
            return next(filter(math.isfinite, tries)) / self._repeats
        for _ in range(self.fills):
            clock.fill()
        warm()
        return clock.between(work) / self._repeats


def is_far(sampler: Sampler, best: float | None) -> bool:
    """Return whether a run cannot be the fastest, as far as one rough time can tell.

    Args:
        sampler: of the run.
        best: microseconds of the fastest so far, if there is one.
    """
    return best is not None and sampler.rough > 2 * best + max(_HOST, 2 * sampler.host)


def is_stable(samples: list[float], precision: float) -> bool:
    """Return whether the median of samples is known well enough.

    Args:
        samples: microseconds.
        precision: the standard error of the median over the median.
    """
    if len(samples) < 5:
        return False
    median = statistics.median(samples)
    spread = statistics.median(abs(each - median) for each in samples) * 1.4826
    return 1.2533 * spread / math.sqrt(len(samples)) <= precision * median
