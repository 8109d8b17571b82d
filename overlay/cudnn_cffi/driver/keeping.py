"""The lifetime of plans and arrays in CUDA graphs: they live as long as one can be launched.

A user object of the driver ends with the last graph that has it. The driver then calls a function
with one argument, on a thread of its own, where neither CUDA nor Python may be called. `sem_post`
is such a function: it marks the semaphore in the argument, and the next `sweep` lets go of what was
kept alive.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache

from .._support import fork as _fork
from . import captures, graphs

_lock = _fork.lock()

#: Marks that graphs set when they end, and what they keep alive until then.
_kept: list[tuple[object, object]] = []

#: The graphs of `pooled`.
pools: set[int] = set()


@cache
def _marks() -> tuple[object, Callable[[object], bool]]:
    """Return the C functions that set a mark, and that return whether it was set."""
    if sys.platform == "win32":
        kernel = ctypes.WinDLL("kernel32")
        kernel.WaitForSingleObject.argtypes = [ctypes.c_void_p, ctypes.c_uint32]
        return kernel.SetEvent, lambda mark: kernel.WaitForSingleObject(mark, 0) == 0
    libc = ctypes.CDLL(None)
    return libc.sem_post, lambda mark: libc.sem_trywait(mark) == 0


def _new_mark() -> ctypes.c_void_p | ctypes.Array[ctypes.c_uint64]:
    if sys.platform == "win32":
        create = ctypes.WinDLL("kernel32").CreateEventW
        create.restype = ctypes.c_void_p
        return ctypes.c_void_p(create(None, 1, 0, None))
    mark = (ctypes.c_uint64 * 8)()  # more than any sem_t
    ctypes.CDLL(None).sem_init(mark, 0, 0)
    return mark


def keep(graph: int, what: object) -> None:
    """Keep objects alive as long as a graph, or one made of it, can be launched.

    Args:
        graph: a cudaGraph_t, also one that is being captured.
        what: any object.
    """
    sweep()
    mark = _new_mark()
    entry = (mark, what)
    with _lock:
        _kept.append(entry)
    try:
        graphs.retain(graph, ctypes.cast(mark, ctypes.c_void_p), _marks()[0])
    except BaseException:
        with _lock:
            _kept[:] = [each for each in _kept if each is not entry]
        raise


@contextmanager
def pooled(stream: int) -> Iterator[None]:
    """Say that memory of PyTorch's is of a pool that only the graph has which a stream captures.

    It is used again in the order of the graph's own work, so the graph keeps no workspaces.
    """
    graph = graphs.capturing_graph(stream)
    pools.add(graph)
    try:
        yield
    finally:
        pools.discard(graph)


def keep_captured(stream: int, *what: object) -> None:
    """Keep objects as long as the graph that a stream is captured into, if it is."""
    if graph := graphs.capturing_graph(stream):
        keep(graph, what)


def sweep() -> None:
    """Release objects of graphs that have ended, and memory whose release waited for a capture."""
    captures.sweep()
    if not _kept:
        return
    ended = _marks()[1]
    gone = []
    with _lock:
        for entry in _kept[:]:
            if ended(entry[0]):
                _kept.remove(entry)
                gone.append(entry)
    with captures.relaxed():
        gone.clear()  # after the lock: objects that end here may run any code
