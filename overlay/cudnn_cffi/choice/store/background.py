"""Plans that threads of this package build while calls are computed in another way."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable

from ... import errors
from ..._support import fork
from ..._support.recent import Recent
from ...driver import captures
from ..engine.refusals import forget
from . import choices as book

TYPE_CHECKING = False
if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

#: Maximum of plans that are compiled at a time; others wait for another call.
_MOST = 4

_lock = fork.lock()
#: The plans that are being built.
_running: set[Hashable] = set()
#: The plans that could not be built here: the next call does, and says why not.
_failed: dict[Hashable, bool] = Recent(256)
_pool: list[ThreadPoolExecutor] = []


def is_running(key: Hashable) -> bool:
    """Return whether a plan is being built."""
    return key in _running


def may_begin(key: Hashable) -> bool:
    """Return whether it is not known that building a plan fails."""
    return key not in _failed


def begin(key: Hashable, build: Callable[[], bool]) -> bool:
    """Build a plan in another thread, unless one is building it, or too many wait.

    Args:
        key: of the plan.
        build: builds it, and returns whether it will be found.

    Returns: whether it may be expected.
    """

    def work() -> None:
        try:
            with captures.relaxed(), book.unlisted():
                if not build():
                    _failed[key] = True
        except Exception as error:
            _failed[key] = True
            if isinstance(error, errors.CudnnError):
                forget(error)
        finally:
            with _lock:
                _running.discard(key)

    with _lock:
        if key in _running or len(_running) >= _MOST:
            return True
        if not _pool:
            from concurrent.futures import ThreadPoolExecutor  # it takes time to import

            _pool.append(ThreadPoolExecutor(_MOST, "cudnn_cffi"))
        _running.add(key)
        try:
            _pool[0].submit(work)
        except RuntimeError:  # the interpreter ends
            _running.discard(key)
            return False
    return True


def wait() -> None:
    """Wait for the plans that are being built."""
    while _running:
        time.sleep(0.001)


def _forget() -> None:
    """Forget threads that a forked child does not have."""
    _pool.clear()
    _running.clear()


fork.in_child("objects", _forget)
