"""A handle for each thread and device."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from .. import driver as _driver
from .._support import fork
from ..driver.graphs import capturing_graph
from ..driver.streams import Stream
from . import origins
from .handles import Handle, checked_handle

if TYPE_CHECKING:
    from ..types import Stream as StreamLike


class OfThread(threading.local):
    """The handles of one thread, by device."""

    def __init__(self) -> None:
        self.handles: dict[int, Handle] = {}


_held = OfThread()
_beside: WeakKeyDictionary[Handle, Handle] = WeakKeyDictionary()
_UNCHANGED: Any = object()


def handle(device: int | None = None, stream: StreamLike = _UNCHANGED) -> Handle:
    """Return the handle of this thread for a device, which is created when it is first needed.

    When the thread has ended and nothing refers to the handle any more, another thread gets it.

    Args:
        device: an ordinal; by default the current device.
        stream: a stream to set, of any library, or None for the default stream; by default the
            handle keeps the stream that it has.

    Raises:
        ArgumentError, ClosedError, ForkedError, NotInitializedError: as `Handle` does.
    """
    if device is None:
        device = _driver.device_of() if _driver.count() > 1 else 0
    else:
        device = _driver.ordinal(device)
    handles = _held.handles
    own = handles.get(device)
    if own is None or own.closed:
        own = handles[device] = _take_over(device) or _create(device)
    if stream is not _UNCHANGED:
        own.stream = stream
    return own


def limit_of(given: Handle | None, device: int | None) -> int | None:
    """Return the most bytes of workspace that calls with a handle may take; None for any.

    Args:
        given: the handle; None for this thread's own, which is not created here.
        device: the ordinal of its device; None for the current one.

    Raises:
        ArgumentError: it is no handle.
    """
    if given is None:
        own = _held.handles
        given = own.get(device) if device is not None else next(iter(own.values()), None)
    if given is None or checked_handle(given).closed:
        return None
    return given.workspace.limit


def lasting(given: Handle) -> Handle:
    """Return this thread's own handle for the device of a handle.

    Objects made with it outlive the given one, which its owner may close. It lives as long as the
    thread, or as what was made with it. The given handle itself is returned where its context is
    not that of the device's own handles.
    """
    own = handle(given.device)
    return own if own._context == given._context else given


def beside(given: Handle) -> Handle:
    """Return a handle with a stream of its own, for a part of the work of a call with another one.

    It is the same for all handles of this thread on a device, whose captures are in other streams
    than the calls before; calls in several streams of a thread take turns in it. The given handle
    itself is returned where the other cannot take part: in a capture before whose begin it was not
    needed, while its stream is in another capture, and in a context that is not the device's own.
    """
    if given._context != _driver.primary_context(given.device):
        return given
    with given._current():
        graph = capturing_graph(given.get_stream())
        owner = _held.handles.get(given.device, given)
        found = _beside.get(owner)
        if found is None or found.closed:
            if graph:
                return given
            found = _beside[owner] = Handle(given.device, Stream(given.device))
        return found if capturing_graph(found.get_stream()) in (0, graph) else given


def _take_over(device: int) -> Handle | None:
    """Return a handle of an ended thread, if there is one."""
    fork.check()
    if not origins.idle:
        return None
    idle = origins.idle.get(_driver.usable_context(device) if _driver.count() else 0)
    try:
        address, origin = idle.pop() if idle else (0, None)
    except IndexError:  # another thread was first
        return None
    return Handle._taken_over(address, origin, device) if origin is not None else None


def _create(device: int) -> Handle:
    """Create a handle that another thread gets after this one."""
    created = Handle(device)
    origins.by_address[created.address].shared = True
    return created
