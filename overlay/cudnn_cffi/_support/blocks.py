"""`with` blocks that have an effect on the whole process, and end it.

An exception out of a signal handler, such as KeyboardInterrupt, may come between any two steps of
`__enter__` and `__exit__`, also before their first. So one dictionary says which blocks are open,
an entry comes and goes in one step, and whatever else there is to set is worked out from it, again
at any time. The entry of a block whose end did not run goes with the block.
"""

from __future__ import annotations

import atexit
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import ContextDecorator, contextmanager
from functools import partial
from typing import Generic, Self, TypeVar

from .. import errors
from . import fork

_Wish = TypeVar("_Wish")
_Given = TypeVar("_Given")


class Block(ContextDecorator, Generic[_Wish, _Given]):
    """Something that is on while a `with` block or a decorated function runs, in all threads."""

    #: The wish of each block that is open, for all objects of one class.
    _open: dict[object, _Wish]

    @staticmethod
    def _settle() -> None:
        """Apply the settings of the blocks that are open."""
        raise NotImplementedError

    def __init__(self) -> None:
        self._keys: list[object] = []

    def _want(self) -> tuple[_Wish, _Given]:
        """Return what goes into `_open`, and what `with` gives; it changes nothing itself."""
        raise NotImplementedError

    def _recreate_cm(self) -> Self:
        """Return a block of its own for each call of a decorated function."""
        return type(self)()

    def __enter__(self) -> _Given:
        wanted, given = self._want()
        key = object()
        try:
            self._keys.append(key)
            _watched[key] = weakref.ref(self, partial(_lost, self._open, self._settle, key))
            self._open[key] = wanted
            self._settle()
        except BaseException:
            self._close(key)
            raise
        return given

    def __exit__(self, *_: object) -> None:
        self._close(self._keys[-1])
        del self._keys[-1]

    def _close(self, key: object) -> None:
        self._open.pop(key, None)
        self._settle()
        _watched.pop(key, None)  # the last step: what is cut off before it, `_lost` makes up for


class Shared(ContextDecorator):
    """Something of the process that is so while any thread is in the block, or such a function."""

    def __init__(self, begin: Callable[[], Callable[[], object]]) -> None:
        """Make a block.

        Args:
            begin: makes it so, and returns what undoes that.
        """
        self._begin, self._count = begin, 0
        self._undo: Callable[[], object] = begin
        self._lock = fork.lock()
        fork.in_child("library", self._end)

    @property
    def is_on(self) -> bool:
        """Return whether any thread is in the block."""
        return self._count > 0

    def __enter__(self) -> None:
        with self._lock:
            if not self._count:
                self._undo = self._begin()
            self._count += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            if self._count > 1:
                self._count -= 1
            else:
                self._end()

    def _end(self) -> None:
        """End all blocks: in a forked child those of other threads never end."""
        count, self._count = self._count, 0
        if count:
            self._undo()


#: Detects the death of a block whose end did not run to its own end.
_watched: dict[object, weakref.ref[ContextDecorator]] = {}


def _lost(entries: dict[object, _Wish], settle: Callable[[], None], key: object, _: object) -> None:
    entries.pop(key, None)
    if not sys.is_finalizing():
        settle()
    _watched.pop(key, None)


class _Mark:
    """Lives as long as the frame of its block."""

    __slots__ = ("__weakref__",)


#: Marks of the blocks that threads are in; and whether the interpreter ends.
running: weakref.WeakSet[_Mark] = weakref.WeakSet()
_is_ending: list[bool] = []

#: Maximum number of seconds that the end of the interpreter waits.
_LONGEST = 120

fork.in_child("objects", running.clear)


@atexit.register
def _wait() -> None:
    """Wait for threads in libraries: the end of the process under them is a crash in C++."""
    _is_ending.append(True)
    until = time.monotonic() + _LONGEST
    while running and time.monotonic() < until:
        time.sleep(0.001)


@contextmanager
def awaited() -> Iterator[None]:
    """Have the end of the interpreter wait for a `with` block, in which a library compiles.

    Raises:
        CudnnError: the interpreter ends, and this is another thread than the one that ends it.
    """
    own = _Mark()
    running.add(own)
    try:
        if _is_ending and threading.current_thread() is not threading.main_thread():
            raise errors.CudnnError("nothing is compiled while the interpreter ends")
        yield
    finally:
        running.discard(own)
