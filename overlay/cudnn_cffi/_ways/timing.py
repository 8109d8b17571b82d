"""Classic calls on memory of their own: whether cuDNN runs them, and how long they take."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any

from .. import driver, errors
from ..choice.tune import idle
from ..choice.tune.device_clock import Clock, Sampler, is_far
from ..driver.streams import Event
from ..driver.timing import fill_with
from ..memory import Memory
from ..plan.arrays.outputs import empty
from ..plan.operand import span
from .case import is_own_failure
from .classic_call import Classic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .signatures import Handle


def measure(ways: Sequence[Classic], handle: Handle, repeats: int) -> tuple[float | None, str]:
    """Run calls one after the other, on zeros, in the stream of a handle.

    Arrays of the same name are the same memory, so that a gradient gets what the forward call
    wrote.

    Args:
        ways: the calls, in their order.
        handle: the handle that runs them.
        repeats: how often to run them for the time; 0 to run them once, and not to take it.

    Returns: the microseconds on the device of all of them; or None, and why cuDNN refuses.
    """
    held: dict[Any, Memory] = {}
    with handle._current():
        stream = handle.get_stream()
        try:
            for way in ways:
                for each in way.operands:
                    key = each.name, each.shape
                    if key not in held:
                        held[key] = made = Memory(span(each), handle.device, handle.stream)
                        fill_with(int(made.address or 0), 0, made.size, stream)
            _run(ways, handle, held)
            if not repeats:
                driver.synchronize(stream)
                return 0.0, ""
            _run(ways, handle, held)
            start, end = Event(), Event()
            start.record(stream)
            for _ in range(repeats):
                _run(ways, handle, held)
            end.record(stream)
            end.synchronize()
            return (end - start) * 1000 / repeats, ""
        except errors.CudnnError as error:
            if is_own_failure(error):
                raise
            return None, error.message
        finally:
            for memory in held.values():
                memory.close(handle.stream)


def _run(ways: Sequence[Classic], handle: Handle, held: dict[Any, Memory]) -> None:
    for way in ways:
        size = way.workspace_size
        scratch = handle.workspace.get(size) if size else 0
        addresses = [held[each.name, each.shape].address or 0 for each in way.operands]
        way.call_with(handle, scratch, *addresses)


def time_way(way: Any, handle: Handle, best: float | None = None) -> tuple[float | None, str]:
    """Return the microseconds of a call or plan on zeros, or why it cannot be timed.

    Args:
        way: is called with arrays by the names of its operands.
        handle: the handle that runs it.
        best: the microseconds of another way; what takes far longer is not timed exactly.
    """
    held: dict[str, Any] = {}
    clock = None
    with handle._current():
        stream = handle.get_stream()
        try:
            for each in way.operands:
                if each.is_argument:
                    made = held[each.name] = empty("own", each, handle.device, handle.stream)
                    fill_with(made.address, 0, span(each), stream)
            clock = Clock(stream, CACHE, handle.device, handle.stream, cold=False)
            sampler = Sampler(clock, lambda: way(**held, handle=handle))
            if is_far(sampler, best):
                return sampler.rough, ""
            return statistics.median([sampler.sample() for _ in range(_SAMPLES)]), ""
        except errors.CudnnError as error:
            if is_own_failure(error):
                raise
            return None, error.message
        finally:
            idle.settle(stream)
            for each in (*held.values(), *([clock] if clock else [])):
                each.close()


#: The more bytes of a buffer are written over before a run, the more the host is ahead.
CACHE = 64 << 20

_SAMPLES = 7
