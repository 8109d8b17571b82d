"""Streams and events by their addresses: made, ordered, waited for, and destroyed at the end."""

from __future__ import annotations

import ctypes
import sys
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING

from .._support import fork as _fork
from .._support.results import NamedTuple
from . import captures, libcuda
from .context import context_of_stream, in_context

if TYPE_CHECKING:
    from _cffi_backend import FFI

_NON_BLOCKING = 1
WITHOUT_TIMING = 2

_ffi: FFI | None = None
_watched: dict[int, weakref.ref[object]] = {}


def last_reference(address: int, end: Callable[[int], None]) -> object:
    """Return an object that calls `end` when the last reference to it goes.

    At the end of the interpreter, and in a child that has lost CUDA, it calls nothing. The garbage
    collector does not look at the object, so in a cycle of references `end` comes after the
    finalizers of all in the cycle.
    """
    global _ffi
    if _ffi is None:
        from _cffi_backend import FFI

        _ffi = FFI()
    token = _ffi.cast("void *", address)
    key = id(token)

    def ended(_: object, _finalizing: Callable[[], bool] = sys.is_finalizing) -> None:
        if not _finalizing():
            del _watched[key]
            if not _fork.is_lost():
                end(address)

    _watched[key] = weakref.ref(token, ended)
    return token


def _destroy_stream(stream: int) -> None:
    with captures.relaxed():
        libcuda.load().cuStreamDestroy_v2(ctypes.c_void_p(stream))


def _destroy_event(event: int) -> None:
    with captures.relaxed():
        libcuda.load().cuEventDestroy_v2(ctypes.c_void_p(event))


class Point(NamedTuple):
    """A CUDA event, which is destroyed with the last reference to `life`."""

    address: int
    life: object


def create_event(flags: int) -> Point:
    """Create an event of the current context, by `cuEventCreate`.

    Raises:
        CudnnError: there is no current context.
    """
    created = ctypes.c_void_p()
    libcuda.call("cuEventCreate", ctypes.byref(created), ctypes.c_uint(flags))
    address = created.value or 0
    return Point(address, last_reference(address, _destroy_event))


def create_stream() -> tuple[int, object]:
    """Create a stream in the current context that does not wait for the default stream.

    Returns:
        Its address, and an object: the stream is destroyed with the last reference to it, after
        all that is in the stream is done.
    """
    stream = ctypes.c_void_p()
    libcuda.call("cuStreamCreate", ctypes.byref(stream), ctypes.c_uint(_NON_BLOCKING))
    address = stream.value or 0
    return address, last_reference(address, _destroy_stream)


def record(stream: int) -> Point:
    """Return an event after all work in a stream so far."""
    with in_context(context_of_stream(stream)):
        event = create_event(WITHOUT_TIMING)
        libcuda.call("cuEventRecord", ctypes.c_void_p(event.address), ctypes.c_void_p(stream))
    return event


def is_reached(event: Point) -> bool:
    """Return whether the work before an event is done; any context is current."""
    return bool(libcuda.load().cuEventQuery(ctypes.c_void_p(event.address)) == 0)


def wait_for(event: Point, stream: int) -> None:
    """Make later work in `stream` wait, on the device, for `event`."""
    libcuda.call(
        "cuStreamWaitEvent",
        ctypes.c_void_p(stream), ctypes.c_void_p(event.address), ctypes.c_uint(0),
    )  # fmt: skip


def synchronize(stream: int) -> None:
    """Wait, without the GIL, until all that was put into the stream is done."""
    libcuda.call("cuStreamSynchronize", ctypes.c_void_p(stream))


def synchronize_context() -> None:
    """Wait, without the GIL, for all streams of the current context, also those that are gone."""
    libcuda.call("cuCtxSynchronize")


def capture_id(stream: int) -> int:
    """Return a number of the capture while `stream` is captured into a graph, else 0."""
    status, number, _ = capture_info(stream)
    return (number or -1) if status else 0


def capture_info(stream: int) -> tuple[int, int, int]:
    """Return the status of a capture (0: none), its number, and the address of its graph."""
    status, number, graph = ctypes.c_int(), ctypes.c_uint64(), ctypes.c_void_p()
    libcuda.call(
        "cuStreamGetCaptureInfo_v2",
        ctypes.c_void_p(stream), ctypes.byref(status), ctypes.byref(number), ctypes.byref(graph),
        None, None,
    )  # fmt: skip
    return status.value, number.value, graph.value or 0
