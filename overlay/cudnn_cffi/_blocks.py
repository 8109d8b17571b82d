"""`with` blocks that have an effect on the whole process, and leave none behind.

An exception out of a signal handler, such as KeyboardInterrupt, may come between any two steps of
`__enter__` and `__exit__`, also before their first. So one dictionary says which blocks are open,
an entry comes and goes in one step, and whatever else there is to set is worked out from it, again
at any time. The entry of a block whose end did not run goes with the block.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import ContextDecorator
from typing import Any, Self

__all__ = ["Block"]


class Block(ContextDecorator):
    """Something that is on while a `with` block or a decorated function runs, in all threads."""

    #: What each block that is open wants, for all objects of one class.
    _open: dict[object, Any]

    #: Sets what follows from `_open`.
    _settle: Callable[[], None]

    def __init__(self) -> None:
        self._keys: list[object] = []

    def _want(self) -> tuple[Any, Any]:
        """What goes into `_open`, and what `with` gives; nothing is changed before it is known."""
        return None, None

    def _recreate_cm(self) -> Self:
        """A block of its own for each call of a decorated function."""
        return type(self)()

    def __enter__(self) -> Any:
        wanted, given = self._want()
        key = object()
        try:
            self._keys.append(key)
            self._open[key] = wanted
            type(self)._settle()
        except BaseException:
            self._open.pop(key, None)
            type(self)._settle()
            raise
        return given

    def __exit__(self, *_: object) -> None:
        self._open.pop(self._keys[-1], None)
        del self._keys[-1]
        type(self)._settle()

    def __del__(self, _finalizing: Callable[[], bool] = sys.is_finalizing) -> None:
        if self._keys and not _finalizing():
            for key in self._keys:
                self._open.pop(key, None)
            type(self)._settle()
