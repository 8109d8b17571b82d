"""cuDNN's handle: of one device, with one stream at a time, for one thread at a time."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import TYPE_CHECKING, Any, NoReturn, Protocol, Self

from .. import _call, errors
from .. import driver as _driver
from .._lookup import calls, families
from .._support import fork as _fork
from .._support.children import Children
from .._support.constructors import list_makers
from .._support.wording import a_kind
from ..driver import captures, streams
from . import origins
from .devices import explain, stored, switching
from .workspace import Workspace

if TYPE_CHECKING:
    from ..types import Stream as StreamLike


class Child(Protocol):
    """An object that a handle closes before itself."""

    def close(self) -> None:
        """Close the object."""


#: Handles that this process created or wrapped and that are open.
_live: dict[int, weakref.ref[Handle]] = {}

_is_closed = streams.is_closed


@list_makers
class Handle(families.Handle):
    """A cudnnHandle_t: created and owned, or another framework's and borrowed.

    Only one thread at a time may use a handle; `cudnn.handle()` gives each thread its own. Where
    the process sees several devices, the handle's device is current during each call with it, and
    memory of another device is refused.

    An object that was made with the handle, such as a dropout state, keeps the handle alive and is
    closed before it. A handle is destroyed by `close`, at the end of a `with` block, or with the
    last reference to it.

    Attributes:
        device: the ordinal of the device.
    """

    __slots__ = (
        "_children",
        "_context",
        "_forked",
        "_life",
        "_stream",
        "_stream_address",
        "_workspace",
        "device",
    )

    _stream: Any
    _stream_address: int  # that of the stream when it was set
    _life: Any  # its end is the end of a handle that is owned
    _workspace: Workspace | None
    device: int

    def __init__(self, device: int | None = None, stream: StreamLike = None) -> None:
        """Create a handle, by `cudnnCreate` (cudnn_graph.h; cudnn_ops_infer.h before 9.0).

        Args:
            device: an ordinal; by default the device of the stream, or the current device.
            stream: the stream, of any library, for the handle's calls; None for the default stream.

        Raises:
            NotInitializedError: there is no driver or no device, or the device has no memory left.
            ArgumentError: there is no such device, `stream` is not a stream, or the stream is of
                another device.
            ClosedError: the stream is closed.
            ForkedError: this process was forked from one that had used the GPU.
        """
        self._owned = False
        _fork.check()
        address = streams.stream_pointer(stream)
        if device is None and address > 2 and _driver.count():
            device = _driver.device_of(_driver.context_of_stream(address))
        self._set_device(device)
        streams.check_device(address, self._context)
        with self._current(), captures.relaxed():  # it allocates memory
            try:
                self._own(calls.cudnnCreate())
            except errors.CudnnError as error:
                if error.status is None:
                    raise
                raise explain(error, self.device) from None
        self._register()
        if address:
            self.stream = stream

    @classmethod
    def from_address(cls, address: int, keep: object = None, device: int | None = None) -> Self:
        """Wrap a handle that somebody else owns, such as another framework; never destroy it.

        Args:
            address: the cudnnHandle_t; not 0.
            keep: an object to keep alive as long as the result, such as the owner.
            device: the ordinal of the handle's device; by default the current one.

        Raises:
            ArgumentError: `address` is not an int, or there is no such device.
            NullPointerError: the address is 0.
        """
        self = super().from_address(address, keep)
        _call.made_handle(address)
        self._set_device(device)
        self._register()
        return self

    @classmethod
    def _taken_over(cls, address: int, origin: origins.Origin, device: int) -> Self:
        """Wrap a handle whose object is gone, with everything that could use it."""
        self = cls.__new__(cls)
        self._set_device(device)
        self._own(address)
        origins.by_address[address] = origin
        self._register()
        left, origin.workspace = origin.workspace, None
        if left is not None:
            self.workspace._inherit(left)
        self.set_stream(0)
        return self

    def _set_device(self, device: int | None) -> None:
        """Set the device and the context of the handle's calls."""
        self._children = Children()
        self._workspace = None
        self._stream = None
        self._stream_address = 0
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
        origins.by_address[address] = origins.Origin(type(self), self._context)
        self._life = _driver.last_reference(address, origins.end)

    def _register(self) -> None:
        several = _driver.count() > 1
        if several or (self._context and self._context != _driver.primary_context(self.device)):
            self.__class__ = switching(type(self))
        key = id(self)
        _live[key] = weakref.ref(self, lambda _: _live.pop(key, None))

    def _current(self) -> AbstractContextManager[None]:
        """Make the handle's context current for a `with` block.

        In a thread that had none it stays, if it is the one that the CUDA runtime would have made
        current there: other libraries, such as cuBLAS, look for it.
        """
        stay = self.device == 0 and _driver.is_primary(self._context)
        return _driver.in_context(self._context, stay=stay)

    def __getattr__(self, name: str) -> NoReturn:
        # Called for missing attributes only, such as the address of a closed handle.
        if name == "_cudnnHandle_t" and getattr(self, "_forked", False):
            raise errors.ForkedError(
                "the Handle was made before this process was forked, and does not work here",
                hint="make handles after the fork, or start processes with 'spawn'",
            )
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @property
    def closed(self) -> bool:
        """Return whether the handle is closed."""
        try:
            stored.__get__(self)
        except AttributeError:
            return True
        return False

    @property
    def stream(self) -> Any:
        """Return or set the stream of the handle's calls, by `cudnnGetStream` and `cudnnSetStream`.

        It is the object that was set, or a `Stream` if C code set another one, or an address of one
        was set. Setting the stream that the handle has already costs next to nothing. The handle
        keeps the object alive; another library's stream that is set as an address, or by the C
        name, has to live as long as calls go to it.

        Streams do not wait for each other. When the default stream replaces a closed `Stream`, it
        first waits, on the device, for the work that the closed stream has left.

        Raises:
            ArgumentError: the new value is not a stream, or is a stream of another device.
            ClosedError: the stream is closed.
        """
        if self.get_stream() != self._stream_address:
            self._borrow_stream()
        stream = self._stream
        if stream is not None and _is_closed(stream, self._stream_address):
            raise errors.ClosedError(
                "the stream of the Handle is closed",
                hint="set handle.stream to another one; None is the default stream",
            )
        return stream

    @stream.setter
    def stream(self, stream: StreamLike) -> None:
        stream = streams.owner(stream)
        address = streams.stream_pointer(stream)
        # A new stream may be where a closed one was.
        if address != self.get_stream() or _is_closed(self._stream, self._stream_address):
            streams.check_device(address, self._context)
            if address in streams.SPECIAL:
                self._wait_for_closed(self._stream)
            self.set_stream(address)
        self._stream, self._stream_address = stream, address

    def _wait_for_closed(self, stream: StreamLike) -> None:
        """Make the default stream wait for the work of a `Stream`, if that is closed."""
        if isinstance(stream, streams.Stream) and stream.closed:
            with self._current():
                streams.hand_over(stream)

    def _borrow_stream(self) -> None:
        """Wrap the stream that C code has set."""
        address = self._stream_address = self.get_stream()
        found = streams.owner(address)
        if not isinstance(found, streams.Stream):
            found = streams.Stream._borrowed(address, self.device)
        self._stream = found if address else None

    def _order(self) -> int:
        """Return the stream in whose order to free memory: not its own if that is closed."""
        address: int = self.get_stream()
        stream = self._stream
        if address != self._stream_address or not _is_closed(stream, address):
            return address
        with self._current():
            streams.hand_over(stream)
        return 0

    @contextmanager
    def using(self, stream: StreamLike) -> Iterator[Self]:
        """Use another stream for the calls in a `with` block.

        Afterwards the handle has its earlier stream again, or the default stream if that was closed
        in the block. Neither stream waits for the other: order what both use by
        `DeviceArray.ready_in` or an event.

        Args:
            stream: a stream of any library; None for the default stream.

        Raises:
            ArgumentError: `stream` is not a stream, or is of another device.
            ClosedError: the stream is closed.
        """
        if self.get_stream() != self._stream_address:
            self._borrow_stream()
        before, address = self._stream, self._stream_address
        self.stream = stream
        try:
            yield self
        finally:
            if not self.closed:
                if _is_closed(before, address):
                    self._wait_for_closed(before)
                    before = None
                self.stream = before

    @property
    def workspace(self) -> Workspace:
        """Return the scratch memory for calls with the handle."""
        if self._workspace is None:
            self._workspace = Workspace(self)
            if self._owned:
                origins.by_address[self.address].workspace = self._workspace
        return self._workspace

    def adopt(self, child: Child) -> None:
        """Close `child` before the handle.

        Args:
            child: an object with `close`, which keeps the handle alive; it is not kept alive.
        """
        self._children.add(child)

    def close(self) -> None:
        """Close what was made with the handle, then destroy the handle, by `cudnnDestroy`.

        Destroying waits for the device, inside cuDNN. Closing again does nothing.
        """
        if not self.closed:
            with self._current():
                super().close()

    def _detach(self, c_name: str) -> int:
        if c_name == self._c_name and not self.closed:
            self._children.close()
            workspace, self._workspace = self._workspace, None
            if workspace is not None:
                workspace.close()
        address = super()._detach(c_name)
        _live.pop(id(self), None)
        if self._owned:
            origins.by_address.pop(address, None)
        self._life = None
        return address

    def _lose(self) -> None:
        """Make the handle one that a forked child cannot use, and must not destroy."""
        self._owned = False
        self._forked = True
        self._children.clear()
        self._workspace = None
        self._life = None
        with suppress(AttributeError):
            stored.__delete__(self)

    def __del__(self, _finalizing: Callable[[], bool] = sys.is_finalizing) -> None:
        """Do nothing: `_life` ends the handle, after the finalizers of a cycle that it is in."""

    def __repr__(self) -> str:
        if self.closed:
            return "Handle(closed)"
        return f"Handle({stored.__get__(self):#x} device {self.device})"


def _lose_handles() -> None:
    """Mark all handles in a forked child: none works there, and none may be destroyed."""
    origins.by_address.clear()
    for reference in list(_live.values()):
        each = reference()
        if each is not None:
            each._lose()
    _live.clear()
    origins.idle.clear()


def checked_handle(given: object) -> Handle:
    """Return a handle, if it is one.

    Raises:
        ArgumentError: it is not a `Handle`.
    """
    if not isinstance(given, Handle):
        raise errors.ArgumentError(
            f"handle: expected a Handle, got {a_kind(given)}",
            hint="Handle.from_address wraps the handle of another library",
        )
    return given


_fork.in_child("objects", _lose_handles)
