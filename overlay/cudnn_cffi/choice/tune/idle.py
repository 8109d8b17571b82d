"""Timing in a thread of this package, which waits for idle moments of the device and can be ended.

The thread uses its own stream alone, in CUDA's relaxed mode of captures. So captures of other
threads go on, and it never waits for work of other streams.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from ... import driver
from ...driver import captures

#: Seconds until a sample is given up that something always disturbs, and the longest pause between
#: two attempts.
_PATIENCE, _PAUSE = 1.0, 0.05

#: Returns whether what this thread times is still wanted; None in threads whose callers wait.
_wanted: ContextVar[Callable[[], bool] | None] = ContextVar("cudnn_cffi_wanted", default=None)


class Unwanted(Exception):  # noqa: N818  no error: nobody waits for the result any more
    """Ends timing whose result nobody wants any more."""


class NeverIdleError(Exception):
    """The device or the host was always busy with other work."""


@contextmanager
def beside(is_wanted: Callable[[], bool]) -> Iterator[None]:
    """Time beside other work in a `with` block, as long as the result is wanted."""
    token = _wanted.set(is_wanted)
    try:
        with captures.relaxed():
            yield
    finally:
        _wanted.reset(token)


def is_beside() -> bool:
    """Return whether this thread times beside other work."""
    return _wanted.get() is not None


def check() -> None:
    """Raise `Unwanted` where nobody wants what this thread times."""
    is_wanted = _wanted.get()
    if is_wanted is not None and not is_wanted():
        raise Unwanted


def settle(stream: int) -> None:
    """Wait for the whole device; beside other work for the thread's own stream alone."""
    if is_beside():
        driver.synchronize(stream)
    else:
        driver.synchronize_context()


def attempts() -> Iterator[None]:
    """Yield again and again, but not during captures, as far as this package can know of them.

    Raises:
        NeverIdleError: there were attempts for too long a time.
        Unwanted: as `check` does.
    """
    end, pause = time.monotonic() + _PATIENCE, 0.001
    while time.monotonic() < end:
        check()
        if not (captures.without_collections.is_on or captures.is_any_captured()):
            yield
        time.sleep(pause)
        pause = min(2 * pause, _PAUSE)
    raise NeverIdleError
