"""Work that several threads want at the same time, done by one of them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import TypeVar

from ... import errors
from ..._support import fork

T = TypeVar("T")


class _Flight:
    """Work that a thread is at."""

    __slots__ = ("done", "refusal", "thread")

    def __init__(self) -> None:
        self.refusal: errors.NoPlanError | None = None
        self.thread = threading.get_ident()
        self.done = threading.Event()


_lock = fork.lock()
_flights: dict[Hashable, _Flight] = {}
#: The result that each thread waits for.
_waiting: dict[int, _Flight] = {}


def once(key: Hashable, find: Callable[[], T | None], make: Callable[[], T]) -> T:
    """Return `find()`; if it is None, one thread per key calls `make()` while others wait.

    Threads that wait get the same refusal. Any other error is the maker's own: another thread then
    tries anew. A thread that the maker waits for, or that is the maker, makes it by itself.

    Args:
        key: the key of the result.
        find: returns what was made before; None if there is nothing. It may raise an error, which
            ends the call.
        make: makes it, in a way that `find` finds it.
    """
    me = threading.get_ident()
    while True:
        with _lock:
            flight = _flights.get(key)
            if flight is None:
                own = _flights[key] = _Flight()
                break
            if _waits_for(flight, me):
                return make()
            _waiting[me] = flight
        try:
            flight.done.wait()
        finally:
            with _lock:
                _waiting.pop(me, None)
        if flight.refusal is not None:
            raise flight.refusal.replace()
        found = find()
        if found is not None:
            return found
    try:
        found = find()  # it may have been made since the caller looked
        return make() if found is None else found
    except errors.NoPlanError as error:
        own.refusal = error.replace()
        raise
    finally:
        with _lock:
            if _flights.get(key) is own:
                del _flights[key]
        own.done.set()


def _waits_for(flight: _Flight | None, thread: int) -> bool:
    """Return whether the thread of a flight is this one, or waits for it in the end."""
    while flight is not None:
        if flight.thread == thread:
            return True
        flight = _waiting.get(flight.thread)
    return False


def _forget() -> None:
    """Forget the calls of threads that a forked child does not have."""
    me = threading.get_ident()
    for key, flight in list(_flights.items()):
        if flight.thread != me:
            del _flights[key]
    _waiting.clear()


fork.in_child("objects", _forget)
