"""cuDNN's handle: of one device, with one stream at a time, for one thread at a time."""

from __future__ import annotations

import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Protocol, Self

from .. import _call, errors, library
from .. import driver as _driver
from .._lookup import calls, families
from .._support import fork as _fork
from ..driver import streams
from .workspace import Workspace

__all__ = ["Handle", "handle"]


class _Child(Protocol):
    def close(self) -> None: ...


#: Handles that this process made or wrapped and that are open.
_live: dict[int, weakref.ref[Handle]] = {}

_stored = families.Handle.__dict__["_cudnnHandle_t"]
_is_closed = streams.is_closed


class _Origin:
    """What is left to know of a handle of ours when its object is gone."""

    __slots__ = ("context", "shared", "workspace")

    def __init__(self, context: int) -> None:
        self.context = context
        self.shared = False  # whether it is a thread's, and waits for the next thread
        self.workspace: Workspace | None = None


#: The handles that this process made and that were not destroyed yet, by address.
_origins: dict[int, _Origin] = {}

#: By context, what threads left behind when they ended: making one is slow, and destroying one
#: waits for the device.
_idle: dict[int, list[tuple[int, _Origin]]] = {}


def _end(address: int) -> None:
    """End a handle to which nothing refers any more."""
    origin = _origins.pop(address, None)
    if origin is None:  # closed before
        return
    if origin.shared:
        try:
            if origin.workspace is not None:
                origin.workspace.clear()
        finally:
            _idle.setdefault(origin.context, []).append((address, origin))
        return
    with _having(origin.context):
        Handle._destroy(address)


@contextmanager
def _having(context: int) -> Iterator[None]:
    """Has a context current, unless it is 0, and afterwards the one that was before."""
    before = _driver.current_context() if context else 0
    if context and before != context:
        _driver.set_context(context)
    try:
        yield
    finally:
        if context and before != context:
            _driver.set_context(before)


class Handle(families.Handle):
    """A cudnnHandle_t: made here and owned, or another framework's and borrowed.

    cuDNN allows the use of a handle by one thread at a time; `cudnn.handle()` gives each thread
    its own. Where the process sees several devices, a call with a handle has its device current
    for the time of the call, and memory of another device is refused.

    What was made with the handle (a dropout state) keeps it alive and is closed before it.
    Without `close` or a `with` block it is destroyed with the last reference to it.

    Attributes:
        device: the ordinal of its device.
        workspace: scratch memory for calls, see `Workspace`.
    """

    __slots__ = (
        "_children",
        "_context",
        "_forked",
        "_given",
        "_life",
        "_stream",
        "_workspace",
        "device",
    )

    _stream: Any
    _given: int  # where that stream was when it was set
    _life: Any  # what a handle of ours ends with
    _workspace: Workspace | None
    device: int

    def __init__(self, device: int | None = None, stream: Any = None) -> None:
        """A new handle.

        Args:
            device: an ordinal; that of the stream, or the current one, by default.
            stream: in which its calls go, of any library; the default stream if None.

        Raises:
            NotInitializedError: there is no driver or no device, or the device has no memory left.
            ArgumentError: there is no such device, or the stream is none, or of another device.
            ClosedError: the stream is closed.
            ForkedError: this process was forked from one that had handles.
        """
        self._owned = False
        self._forked = False
        library.check_fork()
        address = streams.stream_pointer(stream)
        if device is None and address > 2 and _driver.count():
            device = _driver.device_of(_driver.context_of_stream(address))
        self._place(device)
        streams.check_device(address, self._context)
        with self._current():
            try:
                self._own(calls.cudnnCreate())
            except errors.CudnnError as error:
                if error.status is None:
                    raise
                raise _explained(error, self.device) from None
        self._register()
        if address:
            self.stream = stream

    @classmethod
    def from_address(cls, address: int, keep: Any = None, device: int | None = None) -> Self:
        """A handle that somebody else owns, such as another framework; it is never destroyed.

        Args:
            address: the cudnnHandle_t; not 0.
            keep: whatever must live as long as the result.
            device: the ordinal of its device; the current one by default.
        """
        self = super().from_address(address, keep)
        _call.made_handle(address)
        self._forked = False
        self._place(device)
        self._register()
        return self

    @classmethod
    def _again(cls, address: int, origin: _Origin, device: int) -> Self:
        """A handle whose object is gone, and with it all that could use it."""
        self = cls.__new__(cls)
        self._forked = False
        self._place(device)
        self._own(address)
        _origins[address] = origin
        self._register()
        left, origin.workspace = origin.workspace, None
        if left is not None and left._captured:
            self.workspace._inherit(left)
        self.set_stream(0)
        return self

    def _place(self, device: int | None) -> None:
        """Fix the device and the context whose calls this handle makes."""
        self._children: dict[int, weakref.ref[Any]] = {}
        self._workspace = None
        self._stream = None
        self._given = 0
        self._life = None
        self._context = 0
        self.device = 0 if device is None else _driver.ordinal(device)
        if not _driver.count():
            return  # cuDNN itself will say what is wrong
        if device is None:
            self.device = _driver.device_of(_driver.current_context())
        self._context = _driver.usable_context(self.device)

    def _own(self, address: int) -> None:
        super()._own(address)
        _origins[address] = _Origin(self._context)
        self._life = _driver.last_reference(address, _end)

    def _register(self) -> None:
        several = _driver.count() > 1
        if several or (self._context and self._context != _driver.primary_context(self.device)):
            self.__class__ = _switching(type(self))
        key = id(self)
        _live[key] = weakref.ref(self, lambda _: _live.pop(key, None))

    def _current(self) -> AbstractContextManager[None]:
        """Has the handle's context current, and afterwards the one that was before."""
        return _having(self._context)

    def __getattr__(self, name: str) -> Any:
        # Only reached for what is not there: the address of a handle that is closed.
        if name == "_cudnnHandle_t" and getattr(self, "_forked", False):
            raise errors.ForkedError(
                "the Handle was made before this process was forked, and does not work here",
                hint="make handles after the fork, or start processes with 'spawn'",
            )
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @property
    def closed(self) -> bool:
        try:
            _stored.__get__(self)
        except AttributeError:
            return True
        return False

    @property
    def stream(self) -> Any:
        """The stream of its calls: as it was given, or a `Stream` where C code changed it.

        Setting it to the stream that it has already costs next to nothing. The handle keeps the
        object; an address, or a stream that was set by its C name, has to live as long as calls
        go to it. Streams do not wait for each other; but where the default stream takes the place
        of a closed `Stream`, it goes on behind that, on the device.

        Raises:
            ArgumentError: what is set is no stream, or one of another device.
            ClosedError: the stream is closed.
        """
        if self.get_stream() != self._given:
            self._borrow_stream()
        stream = self._stream
        if stream is not None and _is_closed(stream, self._given):
            raise errors.ClosedError(
                "the stream of the Handle is closed",
                hint="set handle.stream to another one; None is the default stream",
            )
        return stream

    @stream.setter
    def stream(self, stream: Any) -> None:
        address = streams.stream_pointer(stream)
        # A new stream may be where a closed one was.
        if address != self.get_stream() or _is_closed(self._stream, self._given):
            streams.check_device(address, self._context)
            if address in streams._SPECIAL:
                self._follow(self._stream)
            self.set_stream(address)
        self._stream, self._given = stream, address

    def _follow(self, stream: Any) -> None:
        """Have the default stream go on behind a stream of ours, if that is closed."""
        if isinstance(stream, streams.Stream) and stream.closed:
            with self._current():
                stream._hand_over()

    def _borrow_stream(self) -> None:
        """Take note of the stream that C code has set."""
        address = self._given = self.get_stream()
        self._stream = streams.Stream._borrowed(address, self.device) if address else None

    def _order(self) -> int:
        """The stream to free in what its calls use; the default one, behind its own, if closed."""
        address: int = self.get_stream()
        stream = self._stream
        if address != self._given or not _is_closed(stream, address):
            return address
        with self._current():
            streams.hand_over(stream)
        return 0

    @contextmanager
    def using(self, stream: Any) -> Iterator[Self]:
        """Has another stream for the calls in a `with` block.

        Afterwards it has the one from before or, where that was closed, the default stream. As
        everywhere, neither stream waits for the other: what is used in both has to be ordered
        between them, by `DeviceArray.ready_in` or an event.

        Raises: as setting `stream` does.
        """
        if self.get_stream() != self._given:
            self._borrow_stream()
        before, place = self._stream, self._given
        self.stream = stream
        try:
            yield self
        finally:
            if not self.closed:
                if _is_closed(before, place):
                    self._follow(before)
                    before = None
                self.stream = before

    @property
    def workspace(self) -> Workspace:
        if self._workspace is None:
            self._workspace = Workspace(self)
            if self._owned:
                _origins[self.address].workspace = self._workspace
        return self._workspace

    def adopt(self, child: _Child) -> None:
        """Close `child` before the handle. The child has to refer to the handle itself."""
        children, key = self._children, id(child)
        children[key] = weakref.ref(child, lambda _: children.pop(key, None))

    def close(self) -> None:
        """Close what was made with the handle, then the handle; closing again does nothing.

        cuDNN waits for the device while it destroys a handle.
        """
        if not self.closed:
            with self._current():
                super().close()

    def _detach(self, c_name: str) -> int:
        if c_name == self._c_name and not self.closed:
            for reference in list(self._children.values())[::-1]:
                child = reference()
                if child is not None:
                    child.close()
            self._children.clear()
            workspace, self._workspace = self._workspace, None
            if workspace is not None:
                workspace.close()
        address = super()._detach(c_name)
        _live.pop(id(self), None)
        if self._owned:
            _origins.pop(address, None)
        self._life = None
        return address

    def __del__(self, _finalizing: Callable[[], bool] = sys.is_finalizing) -> None:
        """Nothing: `_life` ends it, after the finalizers of what is in a cycle with it."""

    def __repr__(self) -> str:
        if self.closed:
            return "Handle(closed)"
        return f"Handle({_stored.__get__(self):#x} device {self.device})"


class _ElsewhereError(TypeError):
    """The context of the handle is not the current one; the call layer makes it so and goes on."""


class _Switching:
    """For a handle whose context may not be the current one: it is, for the time of a call.

    Reading the address in another context is what a wrapper cannot do, so the call takes the slow
    way, which has the context current around a second attempt and puts the old one back.
    """

    __slots__ = ()

    _context: int
    device: int

    @property
    def _cudnnHandle_t(self) -> int:
        if _driver.current_context() != self._context:
            raise _ElsewhereError(f"the context of device {self.device} is not current")
        address: int = _stored.__get__(self)
        return address

    @_cudnnHandle_t.setter
    def _cudnnHandle_t(self, address: int) -> None:
        _stored.__set__(self, address)

    @_cudnnHandle_t.deleter
    def _cudnnHandle_t(self) -> None:
        _stored.__delete__(self)

    @property
    def address(self) -> int:
        try:
            address: int = _stored.__get__(self)
        except AttributeError:
            raise errors.ClosedError("the Handle is closed") from None
        return address

    def _elsewhere(self) -> bool:
        return bool(self._context) and _driver.current_context() != self._context

    def _switched(self) -> Any:
        return self._current()  # type: ignore[attr-defined]


_switching_classes: dict[int, Any] = {}


def _switching(cls: type[Handle]) -> Any:
    """A class like `cls` that switches, under its name."""
    key = id(cls)  # which the new class keeps alive
    if key not in _switching_classes:
        own = {"__slots__": (), "__module__": cls.__module__}
        _switching_classes[key] = type(cls.__name__, (_Switching, cls), own)
    return _switching_classes[key]


def _explained(error: errors.CudnnError, device: int) -> errors.CudnnError:
    """The error of a handle that could not be made, with what is known of driver and device."""
    why = _driver.why_unusable()
    if why:
        told = {"driver": why}
    else:
        about = _driver.info(device)
        told = {
            "device": str(about),
            "driver": about.driver,
        }
    return error.replace(arguments=told)


# One for each thread and device ---


class _Held(threading.local):
    """The handles of one thread, by device."""

    def __init__(self) -> None:
        self.handles: dict[int, Handle] = {}


_held = _Held()
_UNCHANGED: Any = object()


def handle(device: int | None = None, stream: Any = _UNCHANGED) -> Handle:
    """The handle of this thread for a device, made when it is first asked for.

    When the thread has ended and nothing refers to the handle any more, another thread gets it.

    Args:
        device: an ordinal; the current device by default.
        stream: to set; by default it keeps the one that it has.

    Raises: as `Handle` does.
    """
    if device is None:
        device = _driver.device_of() if _driver.count() > 1 else 0
    else:
        device = _driver.ordinal(device)
    handles = _held.handles
    found = handles.get(device)
    if found is None or found.closed:
        found = handles[device] = _taken_over(device) or _shared(device)
    if stream is not _UNCHANGED:
        found.stream = stream
    return found


def _taken_over(device: int) -> Handle | None:
    library.check_fork()
    if not _idle:
        return None
    idle = _idle.get(_driver.usable_context(device) if _driver.count() else 0)
    try:
        address, origin = idle.pop() if idle else (0, None)
    except IndexError:  # another thread was first
        return None
    return Handle._again(address, origin, device) if origin is not None else None


def _shared(device: int) -> Handle:
    made = Handle(device)
    _origins[made.address].shared = True
    return made


# After a fork ---


def _lose_handles() -> None:
    """In a forked child: no handle works, and none may be destroyed."""
    _origins.clear()
    for reference in list(_live.values()):
        each = reference()
        if each is not None:
            each._owned = False
            each._forked = True
            each._children.clear()
            each._workspace = None
            each._life = None
            try:
                _stored.__delete__(each)
            except AttributeError:
                continue
    _live.clear()
    _idle.clear()


library.watch_handles(_call.count_handles)
_fork.in_child("objects", _lose_handles)
