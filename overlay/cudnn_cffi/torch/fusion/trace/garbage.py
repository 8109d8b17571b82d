"""Put off Python's search for cycles of objects while many objects are made that stay."""

from __future__ import annotations

import gc
from contextlib import ContextDecorator

from ...._support import fork


class _Pause(ContextDecorator):
    """Puts the search off while any thread is in a block.

    It looks at all objects of the process, several times for each model, and finds nothing.
    """

    def __init__(self) -> None:
        self._lock, self._count, self._was_on = fork.lock(), 0, False
        fork.in_child("library", self._end)

    def __enter__(self) -> None:
        with self._lock:
            if not self._count:
                self._was_on = gc.isenabled()
                gc.disable()
            self._count += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            if self._count > 1:
                self._count -= 1
            else:
                self._end()

    def _end(self) -> None:
        """End all blocks: in a forked child those of other threads never end."""
        if self._count and self._was_on:
            gc.enable()
        self._count = 0


#: A block, or a decorator of functions.
without_collections = _Pause()
