"""Timing that is left to a thread, while calls take what heuristics suggest.

There is one thread, which ends when there is nothing to time; then all memories of choices look
again, and find its results. Tasks of an owner that is gone are dropped, and so are all at the end
of the interpreter, which waits for the current step.
"""

from __future__ import annotations

import atexit
import logging
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, NamedTuple

from ... import errors, handles
from ..._kept import warn_once
from ..._support import fork
from ..._support.recent import Recent
from ...driver.streams import Stream
from ..store import choices as book
from ..store.plan_cache import plans
from . import idle

if TYPE_CHECKING:
    from ...handles import Handle

    #: Times candidates on a handle, remembers the fastest, and returns its name.
    Work = Callable[[Handle], str]

#: Maximum number of attempts for a task that other work disturbs, and seconds between two.
_ATTEMPTS, _REST = 10, 1.0

#: Seconds after which results hold although there is more to time.
_LONGEST = 10.0

_log = logging.getLogger("cudnn_cffi.choice")


class _Task(NamedTuple):
    key: Hashable
    name: str
    owners: list[weakref.ref[object]]
    work: Work
    device: int
    limit: int | None
    attempt: int = 1


_lock = fork.lock()
_tasks: deque[_Task] = deque()
#: The tasks by key, so that each is done once; None for those that are done.
_asked: dict[Hashable, _Task | None] = Recent(100_000)
_threads: list[threading.Thread] = []
_ends = threading.Event()


def ask(key: Hashable, name: str, owner: object, handle: Handle, work: Work) -> None:
    """Have a thread time candidates, unless that was asked for before.

    Args:
        key: what is timed, and where.
        name: the same, for messages.
        owner: an object without which nobody wants the result; `work` must not refer to it.
        handle: whose device and limit of the workspace hold.
        work: times them on a handle of the thread.
    """
    key = key, plans.generation  # errata may have changed since
    with _lock:
        known = _asked.get(key)
        if known is not None:
            known.owners.append(weakref.ref(owner))
        if key in _asked or _ends.is_set():
            return
        owners, limit = [weakref.ref(owner)], handle.workspace.limit
        task = _asked[key] = _Task(key, name, owners, work, handle.device, limit)
        _tasks.append(task)
        if not _threads:
            made = threading.Thread(target=_work, name="cudnn_cffi timing", daemon=True)
            _threads.append(made)
            made.start()


def wait() -> None:
    """Wait until all that was asked for is timed, and holds."""
    for each in tuple(_threads):
        each.join()


def _work() -> None:
    """Do all tasks, one after the other."""
    found, since = False, time.monotonic()
    while True:
        with _lock:
            task = _tasks.popleft() if _tasks and not _ends.is_set() else None
        if found and (task is None or time.monotonic() - since > _LONGEST):
            book.hold()
            found, since = False, time.monotonic()
        with _lock:
            if task is None and (not _tasks or _ends.is_set()):
                _threads.clear()
                return
        if task is not None:
            found = _do(task) or found


def _do(task: _Task) -> bool:
    """Do a task; return whether it found something."""

    def is_wanted() -> bool:
        return not _ends.is_set() and any(each() is not None for each in tuple(task.owners))

    began, is_done = time.monotonic(), True
    try:
        with idle.beside(is_wanted):
            idle.check()
            handle = handles.handle(task.device)
            if handle.stream is None:
                handle.stream = Stream(task.device)
            if handle.workspace.limit != task.limit:
                handle.workspace.limit = task.limit
            with handle._current():
                try:
                    way = task.work(handle)
                finally:
                    handle.workspace.clear()
        took = time.monotonic() - began
        _log.info("%s: %s from now on, timed in the background in %.2f s", task.name, way, took)
        return True
    except idle.Unwanted:
        is_done = False
        with _lock:
            if is_wanted():  # somebody has just asked for it, too
                _tasks.append(task)
            else:
                _asked.pop(task.key, None)
    except idle.NeverIdleError:
        is_done = task.attempt == _ATTEMPTS
        if not is_done:
            with _lock:
                _tasks.append(task._replace(attempt=task.attempt + 1))
            _ends.wait(_REST)
        else:
            _tell(task, "the device was never idle")
    except errors.CudnnError as error:
        _tell(task, errors.first_line(error))
    except Exception as error:  # a defect, which would else end the thread
        _tell(task, f"{type(error).__name__}: {error}")
        _log.exception("%s is not timed", task.name)
    finally:
        if is_done:
            _asked[task.key] = None
    return False


def _tell(task: _Task, why: str) -> None:
    try:
        warn_once(f"{task.name} is not timed in the background: {why}")
    except RuntimeWarning as warning:  # where warnings are errors, there is nobody to raise it to
        _log.error("%s", warning)


@atexit.register
def _end() -> None:
    _ends.set()
    wait()


def _forget() -> None:
    """Forget the thread that a forked child does not have, and what it had to do."""
    global _ends
    _ends = threading.Event()  # the thread may have had its lock
    _threads.clear()
    _tasks.clear()
    _asked.clear()


fork.in_child("objects", _forget)
