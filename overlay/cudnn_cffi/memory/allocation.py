"""Allocate and free device memory in the order of streams, through cuda.core.

cuda.core is imported when the first memory is allocated.
"""

from __future__ import annotations

import ctypes
import sys
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, Self

from .. import driver as _driver
from .. import errors, library
from .._support import fork
from ..arrays import OwnArray
from ..driver import captures, streams

if TYPE_CHECKING:
    from ..types import Stream as StreamLike

#: cuda.core takes over all names of another module while it is imported, `__spec__` too. Python
#: then believes that it is complete, and a thread that imports it gets it as it is.
_importing = fork.lock()


def import_core() -> Any:
    """Import cuda.core.

    Raises:
        CudnnError: it is not installed.
        ForkedError: the parent process had used CUDA.
    """
    fork.check()
    try:
        with _importing:
            return import_module("cuda.core")
    except ImportError as error:
        raise errors.CudnnError(
            "arrays of this package are made with cuda.core, which is not installed",
            hint=f"{library.install_cuda_core()}; or pass arrays of another library",
        ) from error


def core_stream(stream: StreamLike, address: int | None = None) -> Any:
    """Return a stream as an object of cuda.core; the default stream for None or 0.

    Args:
        stream: a stream of any library.
        address: its address, where the caller knows it already.
    """
    core = import_core()
    if address is None:
        address = streams.stream_pointer(stream)
    if address in (0, 1):
        return core.LEGACY_DEFAULT_STREAM
    if address == 2:
        return core.PER_THREAD_DEFAULT_STREAM
    if isinstance(stream, core.Stream):
        return stream
    return core.Stream.from_handle(address)


@contextmanager
def allocating(
    device: int, context: int, full: Callable[[], errors.AllocationError]
) -> Iterator[Any]:
    """Give a device of cuda.core that allocates in a context, while a `with` block runs.

    Args:
        device: the ordinal of the device.
        context: one on it.
        full: returns the error for too little memory.

    Raises:
        AllocationError: there is too little memory.
        CudnnError: cuda.core is not installed.
    """
    with _driver.in_context(context, stay=True), captures.relaxed():
        target = import_core().Device(device)
        # cuda.core wants this once, and makes the primary context current; but the default
        # stream is that of the context in which the memory is used.
        target.set_current()
        if _driver.current_context() != context:
            _driver.set_context(context)
        try:
            yield target
        except Exception as error:
            if "OUT_OF_MEMORY" not in str(error):
                raise
            raise full() from error


#: Buffers that are kept for ever. cuda.core would free them in a child where CUDA does not work,
#: or, at the end of the interpreter, in the order of a stream that may be gone.
_left: list[object] = []
ctypes.pythonapi.Py_IncRef(ctypes.py_object(_left))  # the interpreter does not end the list, either


class Memory:
    """An allocation in device memory, which is freed once, in the order of a stream.

    Attributes:
        address: of the first byte; None when the memory was freed.
        size: in bytes.
        device: the ordinal of the device.
        readonly: whether it must not be written.
        stream: the stream that the caller named; `ordered` returns the one to use now.
        arrays: the arrays that have the address, and lose it when the memory is freed.
    """

    __slots__ = (
        "__weakref__",
        "_context",
        "_owned",
        "_stream_address",
        "address",
        "arrays",
        "buffer",
        "device",
        "readonly",
        "size",
        "stream",
    )

    address: int | None
    arrays: weakref.WeakSet[OwnArray]
    buffer: Any
    _stream_address: int

    def __init__(self, size: int, device: int, stream: StreamLike, resource: Any = None) -> None:
        """Allocate memory for use in `stream` from now on.

        Args:
            size: in bytes.
            device: the ordinal of the device.
            stream: a stream of any library; None for the default stream.
            resource: a memory resource of cuda.core; the device's own by default.

        Raises:
            AllocationError: the device does not have that much memory left.
            ArgumentError: the stream is of another device.
            CudnnError: cuda.core is not installed.
        """
        self._describe(size, device, stream)
        import_core()
        captures.sweep()
        self._context = context = _driver.usable_context(device)
        streams.check_device(self._stream_address, context)

        def full() -> errors.AllocationError:
            return errors.AllocationError(
                f"{size} bytes do not fit on device {_driver.info(device)}",
                hint="free arrays, or what other processes and libraries hold on it",
            )

        with allocating(device, context, full) as target:
            ordered = core_stream(stream, self._stream_address)
            source = target if resource is None else resource
            self.buffer = source.allocate(max(size, 1), stream=ordered)
        self.address = int(self.buffer.handle)

    def _describe(self, size: int, device: int, stream: StreamLike) -> None:
        """Make this an object without memory, which can be closed."""
        self.buffer = None
        self.arrays = weakref.WeakSet()
        self._owned = True
        self._context = 0
        self.address = None
        self.size = size
        self.device = device
        self.readonly = False
        self.stream = streams.owner(stream)
        self._stream_address = streams.stream_pointer(stream)

    @classmethod
    def borrow(
        cls, address: int, size: int, device: int, stream: StreamLike, keep: object,
        readonly: bool = False,
    ) -> Memory:  # fmt: skip
        """Wrap memory that another object owns; it is never freed from here.

        Args:
            address: of the first byte, on the device.
            size: in bytes.
            device: the ordinal of the device.
            stream: the stream in whose order the memory is used.
            keep: the owner, which is kept alive.
            readonly: whether it must not be written.
        """
        self = cls.__new__(cls)
        self._describe(size, device, stream)
        self.buffer, self.address, self._owned = keep, address, False
        self.readonly = readonly
        return self

    def current(self) -> _driver.in_context:
        """Make the context of the allocation current for a `with` block."""
        return _driver.in_context(self._context or _driver.usable_context(self.device), stay=True)

    def ordered(self) -> StreamLike:
        """Return the stream in whose order the memory is used.

        When that stream is closed, the default stream takes its place. It first waits for the work
        that the closed stream has left: on the device for a `Stream`; for a stream of another
        library this call waits for the whole context.
        """
        stream = self.stream
        if stream is not None and streams.is_closed(stream, self._stream_address):
            with self.current():
                streams.hand_over(stream)
            self.stream, self._stream_address = None, 0
        return self.stream

    def close(self, stream: StreamLike = None) -> None:
        """Free the memory after the work of `stream`, by default its own; once.

        This call waits only if its own stream is a closed one of another library. While the stream
        is captured nothing is freed: that is done later, when this package next allocates memory
        or runs a plan.
        """
        if self._is_in_use and self._is_captured(stream):
            captures.later(self._move(stream).close)
            return
        # All that can fail is done before anything is changed.
        if stream is not None:
            address = streams.stream_pointer(stream)
        elif self._is_in_use:
            stream, address = self.ordered(), self._stream_address
        owned, buffer = self._is_in_use, self._let_go()
        if owned:
            with self.current(), captures.relaxed():
                self._free_buffer(buffer, stream, address)

    def _free_buffer(self, buffer: Any, stream: StreamLike, address: int) -> None:
        buffer.close(core_stream(stream, address))

    @property
    def _is_in_use(self) -> bool:
        """Return whether there is memory to free."""
        return self._owned and self.buffer is not None and not fork.is_lost()

    def _is_captured(self, stream: StreamLike) -> bool:
        """Return whether the memory cannot be freed now, in the order of a stream."""
        with self.current():
            if stream is not None:
                return captures.is_captured(streams.stream_pointer(stream))
            if self.stream is not None and streams.is_closed(self.stream, self._stream_address):
                return captures.is_any_captured()  # `hand_over` waits
            return captures.is_captured(self._stream_address)

    def _move(self, stream: StreamLike) -> Self:
        """Return an object that owns the memory in place of this one, to free it later."""
        other = type(self).__new__(type(self))
        for kind in type(self).__mro__[:-1]:
            for name in kind.__dict__.get("__slots__", ()):
                if name != "__weakref__":
                    setattr(other, name, getattr(self, name))
        other.arrays = type(self.arrays)()
        if stream is not None:
            other.stream = stream
            other._stream_address = streams.stream_pointer(stream)  # noqa: SLF001  its own class
        self._let_go()
        return other

    def _let_go(self) -> Any:
        """Make this an object without memory; return the buffer that it had."""
        buffer, self.buffer = self.buffer, None
        if self._owned and fork.is_lost():
            _left.append(buffer)
        self.address = None
        for array in list(self.arrays):
            del array._pointer
        self.arrays.clear()
        return buffer

    def __del__(
        self,
        _finalizing: Callable[[], bool] = sys.is_finalizing,
        _is_lost: Callable[[], bool] = fork.is_lost,
        _leave: Callable[[Any], None] = _left.append,
    ) -> None:
        try:
            buffer = self.buffer
        except AttributeError:
            return
        if buffer is None:
            return
        if _finalizing():  # modules are gone, and builtin functions such as `getattr`
            if self._owned:
                _leave(buffer)
        elif _is_lost():
            _leave(buffer)
        else:
            self.close()


def wait_for(stream: int, other: int, device: int) -> None:
    """Make `stream` wait, on the device, for the work that is in the stream `other` now."""
    if (stream or 1) != (other or 1):  # both are the default stream
        with _driver.in_context(_driver.usable_context(device), stay=True):
            _driver.wait_for(_driver.record(other), stream)
