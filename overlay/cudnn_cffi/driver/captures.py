"""Actions that wait until streams are no longer captured into graphs.

CUDA forbids a thread much of what it could do otherwise while one of its streams is captured in the
global mode, as PyTorch and CuPy do it: a forbidden call fails, and the graph with it. Finalizers do
not choose when they run, since the garbage collector calls them at any time.
"""

from __future__ import annotations

import ctypes
import gc
import sys
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from .._support import blocks
from .._support import fork as _fork
from . import libcuda

_RELAXED = 2
_IMPLICIT = 906  # the default stream, while a stream that waits for it is captured

#: Actions to run after captures. Only whole operations of deques are used, which need no lock:
#: a finalizer may run in the middle of any other.
_later: deque[Callable[[], object]] = deque()

_fork.in_child("objects", _later.clear)


class relaxed:  # noqa: N801  it is used like a function
    """Allow this thread, in a `with` block, all calls that do not touch a captured stream.

    It does nothing where the driver was not used yet.
    """

    __slots__ = ("_mode",)

    def __enter__(self) -> None:
        self._mode = ctypes.c_int(_RELAXED)
        self._exchange()

    def __exit__(self, *_: object) -> None:
        self._exchange()

    def _exchange(self) -> None:
        cuda = libcuda.loaded()
        if cuda is not None:
            cuda.cuThreadExchangeStreamCaptureMode(ctypes.byref(self._mode))


def _pause() -> Callable[[], object]:
    was_on = gc.isenabled()
    gc.disable()
    return gc.enable if was_on else gc.isenabled


#: Puts off Python's search for cycles of objects while any thread is in such a block. It looks at
#: all objects of the process, and calls their finalizers.
without_collections = blocks.Shared(_pause)


@contextmanager
def without_finalizers() -> Iterator[None]:
    """Collect young garbage now, and none in the block.

    All of it takes 150 ms where PyTorch is loaded.

    A finalizer of another library may call, in the thread of a capture, what the capture forbids,
    such as to unload a kernel; the capture then fails at a later call that is right.
    """
    gc.collect(1)
    with without_collections:
        yield


def is_captured(stream: int) -> bool:
    """Return whether a stream is captured, or is the default stream and must not be used now.

    The context of the stream is current.
    """
    cuda = libcuda.loaded()
    if cuda is None:
        return False
    status = ctypes.c_int()
    answer = cuda.cuStreamIsCapturing(ctypes.c_void_p(stream), ctypes.byref(status))
    return bool(status.value) if answer == 0 else answer == _IMPLICIT


def is_any_captured() -> bool:
    """Return whether a stream is captured, as far as this package can know.

    CUDA tells it of one stream at a time, so this looks at the default stream and at the current
    streams of PyTorch and CuPy.
    """
    return is_captured(0) or any(map(is_captured, current_streams()))


def current_streams() -> Iterator[int]:
    """Yield the current streams of PyTorch and CuPy in this thread, on their current devices."""
    torch, cupy = sys.modules.get("torch"), sys.modules.get("cupy")
    with suppress(Exception):  # a library that is imported in part, or that has no device
        if torch is not None and torch.cuda.is_initialized():
            yield int(torch.cuda.current_stream().cuda_stream)
    with suppress(Exception):
        if cupy is not None:
            yield int(cupy.cuda.get_current_stream().ptr)


def later(function: Callable[[], object]) -> None:
    """Leave a function to a later `sweep`, which calls it.

    The function looks for itself whether a capture is still in its way.
    """
    _later.append(function)


def sweep() -> None:
    """Run the actions that waited for the end of a capture, if it has ended."""
    for _ in range(len(_later)):
        try:
            function = _later.popleft()
        except IndexError:  # another thread did it
            return
        with suppress(Exception):  # it belongs to nothing that the caller knows of
            function()
