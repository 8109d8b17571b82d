"""Repair the state of the child after a fork: in one place, and in one order.

Only the thread that forked lives on in the child. A lock that another thread held stays held there
for ever, and what belonged to the parent process does not work; both are dealt with before the
child's first line runs.
"""

from __future__ import annotations

import os
from _thread import RLock
from _weakref import ref

from .. import errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


_locks: set[ref[RLock]] = set()

#: Hooks run in the order of these stages: each one may rely on the ones before it.
_hooks: dict[str, list[Callable[[], object]]] = {"library": [], "calls": [], "objects": []}


#: Whether the parent process had used CUDA, which does not survive a fork: nothing that the parent
#: made with it works here, or may be destroyed. Finalizers ask `is_lost`, which knows it earlier.
lost = False

_used: list[Callable[[], object]] = []
#: The parent's process id while it forks, if it has used CUDA; else 0.
_forking = 0

_before: list[Callable[[], object]] = []
_after: list[Callable[[], object]] = []


def lock() -> RLock:
    """Return a lock that a forked child can take, whoever held it in the parent.

    It is re-entrant: a signal handler runs on a thread that may hold it.
    """
    made = RLock()
    renew(made)
    return made


def renew(lock: RLock) -> None:
    """Have a forked child be able to take a lock, such as one of another library."""
    _locks.add(ref(lock, _locks.discard))


def in_child(stage: str, hook: Callable[[], object]) -> None:
    """Call `hook` in every forked child from now on.

    Args:
        stage: "library" for what is known about the process, "calls" for the call layer, "objects"
            for handles and what depends on them.
    """
    _hooks[stage].append(hook)


def around(before: Callable[[], object], after: Callable[[], object]) -> None:
    """Call `before` before each fork, and `after` after it, in the parent and the child."""
    _before.append(before)
    _after.append(after)
    _hooks["calls"].append(after)


def watch(used: Callable[[], object]) -> None:
    """Ask `used`, whenever this process forks, whether it has used CUDA."""
    _used.append(used)


def is_lost() -> bool:
    """Return `lost`, also in a child that has not run its hooks yet.

    Python ends the other threads of the parent first, and with them what only they had.
    """
    return lost or (_forking != 0 and _forking != os.getpid())


def check() -> None:
    """Raise `ForkedError` where the parent process had used CUDA."""
    if lost:
        raise errors.ForkedError(
            "this process was forked from one that had used the GPU, and CUDA does not survive "
            "a fork",
            hint="fork before the GPU is used, or start processes with the 'spawn' or "
            "'forkserver' method",
        )


def _begin() -> None:
    global _forking
    _forking = os.getpid() if any(used() for used in _used) else 0


def _end() -> None:
    global _forking
    _forking = 0


def _run(hooks: list[Callable[[], object]]) -> None:
    for hook in hooks:
        hook()


def _renew() -> None:
    global lost
    lost = is_lost()
    _end()
    for reference in list(_locks):
        each = reference()
        # One that this thread holds is released by this thread.
        if each is not None and not each._is_owned():  # type: ignore[attr-defined]
            each._at_fork_reinit()  # type: ignore[attr-defined]
    failed: BaseException | None = None
    for hooks in _hooks.values():
        for hook in hooks:
            try:
                hook()
            except Exception as error:  # the next hooks are needed all the more
                failed = failed or error
    if failed is not None:
        raise failed


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=lambda: _run([*_before, _begin]),
        after_in_parent=lambda: _run([_end, *_after]),
        after_in_child=_renew,
    )
