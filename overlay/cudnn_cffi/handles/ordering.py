"""The order of a call and of the work that other libraries have on its arrays."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, cast

from .. import driver as _driver
from .._support.recent import Recent
from .._support.results import NamedTuple
from ..arrays import table_of
from ..arrays.libraries import current_stream, is_immutable, library_of
from ..driver import graphs, keeping
from . import pool
from .placing import choose_handle

if TYPE_CHECKING:
    from .handles import Handle


class Order(NamedTuple):
    """Arrays that outlive a call, and streams that wait for it.

    Attributes:
        lent: arrays that must live until the work is done, or as long as the graph.
        others: the current streams of further libraries, which wait for it.
        graph: what the work is captured into, or 0.
    """

    lent: tuple[object, ...] = ()
    others: tuple[int, ...] = ()
    graph: int = 0


#: Libraries of arrays, by their types.
_libraries: dict[type, str] = Recent(256)

#: Libraries whose work is in their current streams, or in the handle's.
_PLAIN = frozenset({"own", "torch", "cupy"})


def _learn(array: object) -> str:
    found = _libraries[type(array)] = library_of(array)
    return found


def place(given: Handle | None, arrays: Sequence[object]) -> tuple[Handle, Order | None]:
    """Return the handle of a call, whose stream waits for the work on the arrays, and its order.

    Args:
        given: the caller's handle; None for this thread's, in the current stream of the library of
            the first array.
        arrays: those of the call.

    Raises:
        ClosedError: the stream of the handle is closed.
    """
    kind = type(arrays[0])
    first = _libraries.get(kind) or _learn(arrays[0])
    is_plain = is_one = first in _PLAIN
    for each in arrays:  # no comprehension: each call comes here
        if type(each) is not kind:
            library = _libraries.get(type(each)) or _learn(each)
            is_plain, is_one = is_plain and library in _PLAIN, is_one and library == first
    handle = pool.handle() if given is None else given
    _ = handle.stream  # raises if it is closed
    if given is None:
        current = None if first == "own" else current_stream(first, handle.device)
        if current is not None and current != handle._stream_address:  # noqa: SLF001  its own room
            handle = choose_handle(None, ..., current, handle.device)
    is_simple = is_one if given is None else is_plain
    if is_simple and is_one and first == "torch":  # of which a graph keeps no arrays
        return handle, None
    stream = handle.get_stream()
    if is_simple and stream in (0, 1):  # which is not captured
        return handle, None
    with handle._current():
        graph = graphs.capturing_graph(stream)
        if is_simple and not graph:
            return handle, None
        return handle, begin(arrays, handle.device, stream, graph, given is None)


def begin(arrays: Collection[object], device: int, stream: int, graph: int, is_free: bool) -> Order:
    """Make a stream wait for the work on arrays; its context is current.

    Args:
        arrays: those of a call.
        device: the ordinal of their device.
        stream: the stream.
        graph: that it is being captured into, or 0.
        is_free: whether the caller named no stream, so that current streams of all libraries count.
    """
    lent = tuple([each for each in arrays if is_immutable(each)])
    if graph:
        wait(lent, stream)
        return Order(kept(arrays), (), graph)
    wait(arrays, stream)
    return Order(lent, wait_beside(arrays, device, stream) if is_free else ())


def kept(arrays: Iterable[object]) -> tuple[object, ...]:
    """Return the arrays that a CUDA graph keeps: PyTorch's may be its own memory."""
    return tuple([each for each in arrays if library_of(each) != "torch"])


def end(order: Order, handle: Handle, *more: object) -> None:
    """Make others wait for a call, and keep its arrays until it is done.

    A CUDA graph that the call was captured into keeps them, and `more`, as long as it is there.
    """
    lent, others, graph = order
    if graph:
        keeping.keep(graph, (*more, *lent))
    elif lent or others:
        stream = handle.get_stream()
        with handle._current():
            for each in others:
                _driver.wait_for(_driver.record(stream), each)
            if lent:
                hold(lent, stream)


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
