"""CUDA streams and events of any library, as addresses, and those of our own."""

from __future__ import annotations

import ctypes
import operator
from contextlib import ExitStack
from typing import NoReturn, Self, TypeVar
from weakref import WeakValueDictionary

from .. import driver as _driver
from .. import errors
from .._support import fork as _fork
from .._support.constructors import list_makers
from .._support.wording import a_kind
from . import captures as _captures
from . import events as _events
from . import graphs as _graphs
from . import libcuda as _libcuda

_Given = TypeVar("_Given")

#: Values that the driver takes in place of a stream: the default one, by its three names.
SPECIAL = (0, 1, 2)


#: The open streams that this package owns, by address.
_own: WeakValueDictionary[int, Stream] = WeakValueDictionary()


def owner(stream: _Given) -> _Given | Stream:
    """Return the open `Stream` that owns the stream at an address; other streams as they are.

    The address says nothing of the end of the stream, which the object knows, or puts off.
    """
    return (_own.get(stream) or stream) if isinstance(stream, int) else stream


def stream_pointer(stream: object) -> int:
    """Return the cudaStream_t of `stream`.

    Args:
        stream: an address; None for the default stream; an object with `__cuda_stream__`
            (cuda.core and others); a stream of PyTorch, CuPy, Numba or PyCUDA.

    Raises:
        ArgumentError: it is none of these.
        ClosedError: it is a closed `Stream`, or one of another library that has no address to say.
    """
    if stream is None:
        return 0
    if stream.__class__ is Stream:
        return stream.address
    try:
        protocol = getattr(stream, "__cuda_stream__", None)
        answer = protocol() if callable(protocol) else protocol
    except errors.CudnnError:
        raise
    except Exception as error:  # how cuda.core says that it is closed
        raise errors.ClosedError(
            f"the {type(stream).__name__} cannot be used: {error}",
            hint="pass another one; None is the default stream",
        ) from error
    if answer is not None:
        return int(answer[1])
    for name in ("cuda_stream", "ptr", "handle"):  # PyTorch; CuPy; Numba and PyCUDA
        address = getattr(stream, name, None)
        if address is not None and not callable(address):
            return _address(getattr(address, "value", address))
    return _address(stream)


def event_pointer(event: object) -> int:
    """Return the cudaEvent_t of `event`, of this package, cuda.core, PyTorch, CuPy or Numba.

    Returns: 0 if it is no event.

    Raises:
        ClosedError: it is a closed `Event`.
        ArgumentError: it is an event of PyTorch that was not recorded.
    """
    if isinstance(event, Event):
        return event.address
    kind = type(event)
    if "Event" not in kind.__name__:
        return 0
    for name in ("cuda_event", "ptr", "handle"):  # PyTorch; CuPy; cuda.core and Numba
        address = getattr(event, name, None)
        if address is not None and not callable(address):
            found = int(getattr(address, "value", address) or 0)
            if not found:
                raise errors.ArgumentError(f"expected a recorded event, got {event!r}")
            return found
    return 0


def _address(value: object) -> int:
    if not isinstance(value, (bool, float, str, bytes)) and not hasattr(value, "_c_name"):
        try:
            address = operator.index(value) if value is not None else 0  # type: ignore[arg-type]
        except TypeError:
            pass
        else:
            if 0 <= address < 1 << 64:
                return address
    raise errors.ArgumentError(
        f"expected a CUDA stream, got {a_kind(value)}",
        hint="pass an address, None, or an object with __cuda_stream__",
    )


def is_closed(stream: object, address: int) -> bool:
    """Return whether a stream at `address` was closed since; of an int, nothing is known."""
    if stream.__class__ is int:
        return bool(stream != address)
    try:
        return stream_pointer(stream) != address
    except errors.CudnnError:
        return True


def hand_over(stream: object) -> None:
    """Make the current context's default stream wait for a closed stream.

    For a `Stream` it is the device that waits. One of another library leaves nothing that the
    device could wait for, so this waits for all that the context has to do.
    """
    if isinstance(stream, Stream):
        stream._hand_over()
    elif _driver.count():
        _driver.synchronize_context()


def check_device(stream: int, context: int) -> None:
    """Refuse a stream that belongs to another device than `context` does.

    Raises:
        ArgumentError: it does.
    """
    if stream in SPECIAL or not context or _driver.count() < 2:
        return
    own = _driver.context_of_stream(stream)
    if own == context:
        return
    device, expected = _driver.device_of(own), _driver.device_of(context)
    if device != expected:
        raise errors.ArgumentError(
            f"expected a stream of device {expected}, got one of device {device}",
            hint="make the stream while the handle's device is current",
        )


@list_makers
class Stream:
    """A CUDA stream: made here and owned, or somebody else's and borrowed.

    It follows the `__cuda_stream__` protocol, so other libraries take it too. Work in it does not
    wait for work in the default stream. One that is borrowed from a `Stream` is closed with it.

    Attributes:
        device: the ordinal of its device.
    """

    __slots__ = ("__weakref__", "_address", "_borrowers", "_end", "_keep", "_owned", "device")

    _address: int | None
    _owned: object  # destroys the stream that this package created
    _keep: object
    _end: _driver.Point | None
    _borrowers: WeakValueDictionary[int, Stream]

    def __init__(self, device: int | None = None) -> None:
        """Create a stream on `device`, by its ordinal; on the current one by default.

        Raises:
            NotInitializedError: there is no driver or no device.
            ArgumentError: there is no device of that number, or it is no number.
        """
        self._address = self._owned = self._keep = self._end = None
        before = _driver.current_context()
        self.device = _driver.device_of(before) if device is None else _driver.ordinal(device)
        context = before if before and device is None else _driver.primary_context(self.device)
        with _driver.in_context(context):
            self._address, self._owned = _driver.create_stream()
        self._borrowers = WeakValueDictionary()
        _own[self._address] = self

    @classmethod
    def from_address(cls, address: int, keep: object = None) -> Self:
        """Wrap the stream at `address`, which somebody else owns; the result keeps `keep` alive."""
        address = _address(address)
        device = (
            _driver.device_of()
            if address in SPECIAL
            else _driver.device_of(_driver.context_of_stream(address))
        )
        return cls._borrowed(address, device, keep)

    @classmethod
    def _borrowed(cls, address: int, device: int, keep: object = None) -> Self:
        self = cls.__new__(cls)
        own = _own.get(address)
        if own is not None:
            keep = own, keep
            own._borrowers[id(self)] = self  # noqa: SLF001  its own class
        self._address, self._keep, self.device = address, keep, device
        self._owned = self._end = None
        return self

    @property
    def address(self) -> int:
        """The cudaStream_t, as an int.

        Raises:
            ClosedError: the stream is closed.
        """
        if self._address is None:
            raise errors.ClosedError(
                "the Stream is closed", hint="make another one; None is the default stream"
            )
        return self._address

    def __cuda_stream__(self) -> tuple[int, int]:
        return (0, self.address)

    def __index__(self) -> int:
        return self.address

    @property
    def closed(self) -> bool:
        """Return whether the stream is closed."""
        return self._address is None

    def synchronize(self) -> None:
        """Wait until all that was put into the stream is done."""
        _driver.synchronize(self.address)

    def record(self, *, timing: bool = True) -> Event:
        """Return a new event after all that was put into the stream so far.

        Args:
            timing: as for `Event`.
        """
        return Event(self.device, timing=timing).record(self)

    def wait(self, other: object) -> None:
        """Make later work in this stream wait, on the device; the host goes on.

        Args:
            other: an event or a stream, of this package or of another library; of a stream, all
                that was put into it so far.

        Raises:
            ArgumentError: it is neither.
        """
        event = event_pointer(other)
        if event:
            _driver.wait_for(_driver.Point(event, other), self.address)
        else:
            _driver.wait_for(_driver.record(stream_pointer(other)), self.address)

    def capture(self) -> Capture:
        """Return a context in which work for this stream is captured, and not done.

        Make each call once before, in this stream, so that all it needs is there. It shall not wait
        for the device.
        """
        return Capture(self)

    def close(self) -> None:
        """Release the stream; closing again does nothing.

        This does not wait: what the stream still has to do is done, and whatever is used in its
        order, such as a `DeviceArray`, goes on in the default stream, after that.
        """
        address, self._address = self._address, None
        has_work = address not in (None, *SPECIAL) and _driver.count() and not _fork.is_lost()
        if address is not None and has_work:
            self._end = _driver.record(address)
        if self._owned is not None and address is not None:
            _own.pop(address, None)
            for each in list(self._borrowers.values()):
                each._close(self._end)  # noqa: SLF001  its own class
        self._owned = self._keep = None

    def _close(self, end: _driver.Point | None) -> None:
        self._address, self._end, self._keep = None, end, None

    def _hand_over(self) -> None:
        """Make the current context's default stream wait, on the device, for a closed stream."""
        if self._end is not None:
            _driver.wait_for(self._end, 0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stream) and self._address == other._address

    def __hash__(self) -> int:
        return hash(self._address)

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Stream cannot be copied or pickled: from_address wraps one of CUDA's")

    def __repr__(self) -> str:
        return (
            "Stream(closed)" if self.closed else f"Stream({self.address:#x}, device {self.device})"
        )


class Capture:
    """Work that was captured in a stream, to be launched again and again as one CUDA graph.

    It keeps the plans that it launches alive, and their arrays but PyTorch's, and works on the
    addresses of the capture. Python collects no garbage in the block, since a finalizer could call
    what the capture forbids.
    """

    __slots__ = ("__weakref__", "_block", "_context", "_graph", "_stream")

    def __init__(self, stream: Stream) -> None:
        self._stream, self._context = stream, _driver.context_of_stream(stream.address)
        self._graph: _graphs.Launchable | None = None
        self._block = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as block:
            block.enter_context(_captures.without_finalizers())
            with _driver.in_context(self._context):
                _graphs.begin_capture(self._stream.address)
            self._block = block.pop_all()
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        with self._block, _driver.in_context(self._context):
            try:
                self._graph = _graphs.end_capture(self._stream.address)
            except errors.CudnnError:
                if kind is None:  # else the error in the block says more
                    raise

    def launch(self, stream: object = None) -> None:
        """Put the work into a stream; by default, into that of the capture.

        Raises:
            ClosedError: nothing was captured.
        """
        if self._graph is None:
            raise errors.ClosedError("the Capture has no graph", hint="capture in a `with` block")
        own = self._stream.address if stream is None else stream_pointer(stream)
        with _driver.in_context(self._context):
            _graphs.launch(self._graph, own)

    def close(self) -> None:
        """Release the graph; launched work is still done."""
        self._graph = None


@list_makers
class Event:
    """A CUDA event: a point in a stream, for which other streams and the host can wait.

    The difference of two events is the time between them, in milliseconds. It can be passed to
    other libraries as `address`, the cudaEvent_t.

    Attributes:
        device: the ordinal of its device.
        timing: whether it notes the time at which the stream gets to it.
    """

    __slots__ = ("__weakref__", "_point", "device", "timing")

    _point: _driver.Point | None

    def __init__(self, device: int | None = None, *, timing: bool = True) -> None:
        """Create an event on `device`, by its ordinal; on the current one by default.

        Args:
            device: the ordinal.
            timing: whether it notes its time, of which differences are made.

        Raises:
            NotInitializedError: there is no driver or no device.
            ArgumentError: there is no device of that number, or it is no number.
        """
        self._point = None
        self.timing = bool(timing)
        before = _driver.current_context()
        self.device = _driver.device_of(before) if device is None else _driver.ordinal(device)
        context = before if before and device is None else _driver.primary_context(self.device)
        with _driver.in_context(context):
            flags = 0 if self.timing else _events.WITHOUT_TIMING
            self._point = _events.create_event(flags)

    @property
    def address(self) -> int:
        """The cudaEvent_t, as an int.

        Raises:
            ClosedError: the event is closed.
        """
        return self._open().address

    def _open(self) -> _driver.Point:
        if self._point is None:
            raise errors.ClosedError("the Event is closed", hint="make another one")
        return self._point

    @property
    def closed(self) -> bool:
        """Return whether the event is closed."""
        return self._point is None

    @property
    def done(self) -> bool:
        """Return whether the work before the event is done; also if it was never recorded."""
        return _driver.is_reached(self._open())

    def record(self, stream: object = None) -> Self:
        """Put the event into a stream, after all that is there, and return it.

        Args:
            stream: a stream of this package or of any library, or its address; None for the
                default stream.

        Raises:
            ArgumentError: it is no stream.
        """
        place = ctypes.c_void_p(stream_pointer(stream))
        _libcuda.call("cuEventRecord", ctypes.c_void_p(self.address), place)
        return self

    def synchronize(self) -> None:
        """Wait, without the GIL, until the work before the event is done."""
        _libcuda.call("cuEventSynchronize", ctypes.c_void_p(self.address))

    def elapsed_time(self, end: Event) -> float:
        """Return the milliseconds from this event to `end`; both are done.

        Raises:
            ArgumentError: `end` is no `Event`, or one of both was made with `timing=False`.
            CudnnError: one of both was not recorded, or is not done.
        """
        if not isinstance(end, Event):
            raise errors.ArgumentError(f"end: expected an Event, got {a_kind(end)}")
        if not (self.timing and end.timing):
            raise errors.ArgumentError("expected two events with timing=True")
        value = ctypes.c_float()
        first, last = ctypes.c_void_p(self.address), ctypes.c_void_p(end.address)
        _libcuda.call("cuEventElapsedTime", ctypes.byref(value), first, last)
        return value.value

    def __sub__(self, start: object) -> float:
        return start.elapsed_time(self) if isinstance(start, Event) else NotImplemented

    def close(self) -> None:
        """Release the event; closing again does nothing. Streams that wait keep waiting."""
        self._point = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> NoReturn:
        raise TypeError("an Event cannot be copied or pickled: it is one event of CUDA's")

    def __repr__(self) -> str:
        return "Event(closed)" if self.closed else f"Event({self.address:#x}, device {self.device})"
