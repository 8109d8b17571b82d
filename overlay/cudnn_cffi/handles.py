"""cuDNN's handle: of one device, with one stream at a time, for one thread at a time."""

from __future__ import annotations

import os
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol, Self

from . import _call, _driver, errors, families, library, streams
from .calls import graph as _graph
from .workspace import Workspace

__all__ = ["Handle", "handle"]


class _Child(Protocol):
    def close(self) -> None: ...


#: Handles that this process made or wrapped and that are open.
_live: dict[int, weakref.ref[Handle]] = {}

_stored = families.Handle.__dict__["_cudnnHandle_t"]


class Handle(families.Handle):
    """A cudnnHandle_t: made here and owned, or another framework's and borrowed.

    cuDNN allows the use of a handle by one thread at a time; `cudnn.handle()` gives each thread
    its own. Where the process sees several devices, a call with a handle has its device current
    for the time of the call, and memory of another device is refused.

    What was made with the handle (a dropout state) keeps it alive and is closed before it.

    Attributes:
        device: the ordinal of its device.
        workspace: scratch memory for calls, see `Workspace`.
    """

    __slots__ = ("_children", "_context", "_forked", "_stream", "_workspace", "device")

    _stream: Any
    _workspace: Workspace | None
    device: int

    def __init__(self, device: int | None = None, stream: Any = None) -> None:
        """A new handle.

        Args:
            device: an ordinal; that of the stream, or the current one, by default.
            stream: in which its calls go; the default stream if None.

        Raises:
            NotInitializedError: there is no driver or no device, or the device has no memory left.
            ArgumentError: there is no such device, or the stream is of another one.
            ForkedError: this process was forked from one that had handles.
        """
        self._owned = False
        self._forked = False
        library.check_fork()
        address = streams.stream_pointer(stream)
        if device is None and address > 2 and _driver.count():
            device = _driver.device_of(_driver.context_of_stream(address))
        self._place(device)
        with self._current():
            try:
                self._own(_graph.cudnnCreate())
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
        _call._made_handle(address)
        self._forked = False
        self._place(device)
        self._register()
        return self

    def _place(self, device: int | None) -> None:
        """Fix the device and the context whose calls this handle makes."""
        self._children: dict[int, weakref.ref[Any]] = {}
        self._workspace = None
        self._stream = None
        self._context = 0
        self.device = 0 if device is None else device
        if not _driver.count():
            return  # cuDNN itself will say what is wrong
        current = _driver.current_context()
        here = _driver.device_of(current)
        self.device = here if device is None else device
        own = current if current and here == self.device else 0
        self._context = own or _driver.primary_context(self.device)

    def _register(self) -> None:
        several = _driver.count() > 1
        if several or (self._context and self._context != _driver.primary_context(self.device)):
            self.__class__ = _switching(type(self))
        key = id(self)
        _live[key] = weakref.ref(self, lambda _: _live.pop(key, None))

    @contextmanager
    def _current(self) -> Iterator[None]:
        """Has the handle's context current, and afterwards the one that was before."""
        before = _driver.current_context() if self._context else 0
        if self._context and before != self._context:
            _driver.set_context(self._context)
        try:
            yield
        finally:
            if self._context and before != self._context:
                _driver.set_context(before)

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

        Setting it to the stream that it has already costs next to nothing.

        Raises:
            ArgumentError: the stream is of another device.
        """
        address = self.get_stream()
        if streams.stream_pointer(self._stream) != address:
            self._stream = streams.Stream.from_address(address) if address else None
        return self._stream

    @stream.setter
    def stream(self, stream: Any) -> None:
        address = streams.stream_pointer(stream)
        if address != self.get_stream():
            streams.check_device(address, self._context)
            self.set_stream(address)
        self._stream = stream

    @contextmanager
    def using(self, stream: Any) -> Iterator[Self]:
        """Has another stream for the calls in a `with` block."""
        before = self.stream
        self.stream = stream
        try:
            yield self
        finally:
            self.stream = before

    @property
    def workspace(self) -> Workspace:
        if self._workspace is None:
            self._workspace = Workspace(self.device)
        return self._workspace

    def adopt(self, child: _Child) -> None:
        """Close `child` before the handle. The child has to refer to the handle itself."""
        children, key = self._children, id(child)
        children[key] = weakref.ref(child, lambda _: children.pop(key, None))

    def close(self) -> None:
        """Close what was made with the handle, then the handle; closing again does nothing.

        cuDNN waits for the device while it destroys a handle.
        """
        if self.closed or not hasattr(self, "_children"):
            return
        for reference in list(self._children.values())[::-1]:
            child = reference()
            if child is not None:
                child.close()
        self._children.clear()
        if self._workspace is not None:
            self._workspace.close()
            self._workspace = None
        _live.pop(id(self), None)
        with self._current():
            super().close()

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
    return type(error)(
        error.message,
        function=error.function,
        status=error.status,
        status_name=error.status_name,
        text=error.text,
        arguments=told,
        library=error.library,
        version=error.version,
        tables=error.tables,
        hint=error.hint,
    )


# One for each thread and device ---


class _Held(threading.local):
    """The handles of one thread. When it ends, others take them over: making one is slow, and
    destroying one waits for the device."""

    def __init__(self) -> None:
        self.keeper = _Keeper()


class _Keeper:
    def __init__(self) -> None:
        self.handles: dict[int, Handle] = {}

    def __del__(self, _finalizing: Callable[[], bool] = sys.is_finalizing) -> None:
        if _finalizing():
            return
        for device, each in self.handles.items():
            if not each.closed:
                _idle.setdefault(device, []).append(each)


_idle: dict[int, list[Handle]] = {}
_held = _Held()
_UNCHANGED: Any = object()


def handle(device: int | None = None, stream: Any = _UNCHANGED) -> Handle:
    """The handle of this thread for a device, made when it is first asked for.

    Args:
        device: an ordinal; the current device by default.
        stream: to set; by default it keeps the one that it has.

    Raises: as `Handle` does.
    """
    if device is None:
        device = _driver.device_of() if _driver.count() > 1 else 0
    handles = _held.keeper.handles
    found = handles.get(device)
    if found is None or found.closed:
        library.check_fork()
        found = None
        while found is None and (idle := _idle.get(device)):
            try:
                found = idle.pop()
            except IndexError:  # another thread was first
                break
            if found.closed:
                found = None
            else:
                found.stream = None
        if found is None:
            found = Handle(device)
        handles[device] = found
    if stream is not _UNCHANGED:
        found.stream = stream
    return found


# After a fork ---


def _lose_handles() -> None:
    """In a forked child: no handle works, and none may be destroyed."""
    for reference in list(_live.values()):
        each = reference()
        if each is not None:
            each._owned = False
            each._forked = True
            each._children.clear()
            each._workspace = None
            try:
                _stored.__delete__(each)
            except AttributeError:
                continue
    _live.clear()
    _idle.clear()


library.watch_handles(_call.handles_made)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_lose_handles)
