"""The handle that a plan runs with: its stream is the one that the work belongs to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import driver as _driver
from .. import errors
from ..driver import events, streams
from . import pool
from .handles import Handle, checked_handle

if TYPE_CHECKING:
    from ..types import CallStream


#: Handles whose stream changes from call to call.
_following = pool.OfThread()


def following(device: int) -> Handle:
    """Return this thread's handle for streams that are not the default handle's.

    Its stream is set for each execution, so that the one of `cudnn_cffi.handle()` stays.
    """
    own = _following.handles.get(device)
    if own is None or own.closed:
        own = _following.handles[device] = Handle(device)
    return own


def second(device: int) -> tuple[object, ...] | None:
    """Return this thread's second handle, two events, and what keeps these; None without one."""
    own = pool.handle(device)
    other = pool.beside(own)
    if other is own:
        return None
    with own._current():
        both = [events.create_event(events.WITHOUT_TIMING) for _ in range(2)]
    return other, *[each.address for each in both], both


def choose_handle(
    given: object, stream: CallStream, current: int | None, device: int | None
) -> Handle:
    """Return a handle that has the right stream.

    Args:
        given: the caller's handle, or None.
        stream: the caller's stream; `...` for none.
        current: the address of the current stream of the operands' library, if it has one.
        device: the ordinal of the operands' device; None if they do not tell.

    Raises:
        ArgumentError: `given` is not a handle, or is of another device.
        ClosedError: the handle or its stream is closed.
    """
    if given is not None:
        given = checked_handle(given)
        _ = given.address, given.stream  # raise if they are closed
        if device is not None and given.device != device:
            raise errors.ArgumentError(
                f"handle: expected one of device {device}, as the plan and its operands, got "
                f"one of device {given.device}"
            )
        if stream is not ... and streams.stream_pointer(stream) != given.get_stream():
            raise errors.ArgumentError(
                "stream: it is not the stream of the handle",
                hint="set handle.stream, or leave one of the two out",
            )
        return given
    place = _driver.device_of() if device is None else device
    if stream is ... and current is None:
        return pool.handle(place)
    wanted = streams.stream_pointer(stream) if stream is not ... else current
    default = pool.handle(place)
    if default.get_stream() == wanted:
        return default
    other = following(place)
    other.stream = stream if stream is not ... else wanted
    return other
