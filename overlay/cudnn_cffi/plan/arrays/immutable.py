"""Work of other libraries on arrays, and new outputs for JAX, whose arrays cannot be written.

An output is memory of this package until cuDNN's work is in its stream; then it becomes an array of
JAX, without a copy. JAX's streams wait for that work.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Collection, Iterable
from typing import cast

from ... import driver as _driver
from ...arrays import table_of
from ...handles import Handle
from .libraries import current_stream, is_immutable, library_of
from .outputs import Pending


def wait(arrays: Iterable[object], stream: int) -> None:
    """Make a stream wait, on the device, for the work on arrays, where their library tells of it.

    PyTorch and CuPy have a current stream, which is used itself. A type with DLPack's exchange
    table has what it is asked for.
    """
    for each in arrays:
        library, kind = library_of(each), cast("type", type(each))
        if library not in ("", "jax") or (not library and table_of(kind) is not None):
            continue
        interface = None if library else getattr(each, "__cuda_array_interface__", None)
        if interface is not None:
            other = interface.get("stream")
            if other is not None and int(other) != (stream or 1):
                _driver.wait_for(_driver.record(int(other)), stream)
            continue
        try:
            # The capsule is dropped at once: its only purpose is that the library orders the
            # stream after its own.
            each.__dlpack__(stream=stream or 1)  # type: ignore[attr-defined]
        except (AttributeError, TypeError, ValueError, RuntimeError, BufferError):
            if is_immutable(each):
                each.block_until_ready()  # a data type that DLPack does not have there


def wait_beside(arrays: Collection[object], device: int, stream: int) -> tuple[int, ...]:
    """Make a stream wait for the other current streams of the libraries of arrays; return those."""
    if len({*map(type, arrays)}) == 1:
        return ()
    libraries = dict.fromkeys(map(library_of, arrays))
    current = dict.fromkeys(current_stream(each, device) for each in libraries)
    found = tuple([each for each in current if each is not None and each != stream])
    for each in found:
        _driver.wait_for(_driver.record(each), stream)
    return found


def join(others: Iterable[int], handle: Handle) -> None:
    """Make other streams wait for the work that is in a handle's stream now."""
    for each in others:
        _driver.wait_for(_driver.record(handle.get_stream()), each)


#: Arrays that streams may still read: a point in the stream, and the arrays. JAX uses memory again
#: as soon as nothing refers to it.
_held: deque[tuple[_driver.Point, tuple[object, ...]]] = deque()


def hold(arrays: Iterable[object], stream: int) -> None:
    """Keep arrays alive until a stream gets to this point; its context is current."""
    while _held:
        try:
            first = _held.popleft()
        except IndexError:  # another thread was first
            break
        if not _driver.is_reached(first[0]):  # in which other threads come and go
            _held.appendleft(first)
            break
    _held.append((_driver.record(stream), tuple(arrays)))


def settle(output: object) -> object:
    """Return a pending output as an array of JAX, whose stream waits for it; others as they are."""
    if type(output) is not Pending:
        return output
    order = sorted(range(output.ndim), key=lambda axis: -output.strides[axis])
    straight = order == list(range(output.ndim))
    # JAX needs C order, and copies anything else after this point.
    plain = output if straight else output.transpose(*order)
    made = sys.modules["jax"].dlpack.from_dlpack(plain)
    return made if straight else made.transpose([order.index(axis) for axis in range(len(order))])
