"""Scratch memory for a handle's calls: one block for each stream, which grows on demand."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

from .. import driver as _driver
from .. import errors
from .._support.arguments import integers
from ..driver import streams
from ..memory import Memory

if TYPE_CHECKING:
    from ..types import Stream as StreamLike


class Owner(Protocol):
    """A handle, as its workspace sees it."""

    device: int
    _context: int

    @property
    def closed(self) -> bool:
        """Return whether the handle is closed."""

    @property
    def stream(self) -> Any:
        """Return the stream of the handle's calls."""

    def _current(self) -> AbstractContextManager[None]:
        """Make the handle's context current for a `with` block."""


#: Sizes are rounded up to this, so that a slightly larger request needs no new block.
_GRAIN = 1 << 20

_OF_THE_HANDLE: Any = object()

#: Called after the limit of a workspace has changed, which calls of operations depend on.
listeners: list[Callable[[], None]] = []


class Workspace:
    """The scratch memory of one handle.

    Calls in one stream run one after the other, so they share a block. A block that is too small is
    freed in the order of its stream, after the calls that use it, and replaced by a larger one.

    A block that is used while its stream is captured into a graph belongs to that graph from then
    on, since the graph can be launched at any time and in any stream. It stays until the handle is
    closed.

    A block keeps its stream alive. Allocating a block frees those of closed streams, and those of a
    `Stream` to which nothing else refers. A stream that is passed as an int has to live as long as
    its block: until `clear` or the end of the handle.

    Attributes:
        limit: the most bytes of one block; None for no limit.
    """

    limit: int | None

    def __init__(self, handle: Owner, limit: int | None = None) -> None:
        self._handle = weakref.ref(handle)
        self._blocks: dict[int, Memory] = {}
        self._captured: dict[tuple[int, int], Memory] = {}
        self.limit = limit

    def __setattr__(self, name: str, value: object) -> None:
        # No property: calls read the limit, and it changes rarely.
        if name == "limit" and value is not None:
            (value,) = integers(limit=value)
            if value < 0:
                raise errors.ArgumentError(f"limit: expected bytes from 0 on, or None, got {value}")
        is_change = name == "limit" and hasattr(self, name)
        super().__setattr__(name, value)
        if is_change:
            for each in listeners:
                each()

    def __repr__(self) -> str:
        size = sum(each.size for each in [*self._blocks.values(), *self._captured.values()])
        return f"<Workspace of {size} bytes, limit {self.limit}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Workspace cannot be copied or pickled: it belongs to a handle")

    def get(self, size: int, stream: StreamLike = _OF_THE_HANDLE) -> int:
        """Return the address of at least `size` bytes for calls in `stream`; 0 if `size` is 0.

        Args:
            size: in bytes.
            stream: a stream of any library; None for the default stream; by default the handle's.

        Raises:
            AllocationError: `size` exceeds the limit, or what the device has left.
            ArgumentError: the stream is of another device.
            ClosedError: the stream or the handle is closed.
            CudnnError: the stream is being captured, and has no block of that size yet.
        """
        if size <= 0:
            return 0
        if stream is _OF_THE_HANDLE:
            stream = self._open_handle().stream
        address = streams.stream_pointer(stream)
        block = self._blocks.get(address)
        # Another stream may have been there before.
        if (
            block is not None
            and block.stream is not stream
            and streams.is_closed(block.stream, address)
        ):
            block = None
        capture = self._capture(address)
        if capture:
            block = self._of_graph(size, address, capture, block)
        elif block is None or block.size < size:
            block = self._grow(size, stream, address)
        assert block.address is not None
        return block.address

    def reserve(self, size: int, stream: StreamLike = _OF_THE_HANDLE) -> None:
        """Allocate at least `size` bytes for `stream` now, so that later calls need not.

        Args:
            size, stream: as for `get`.

        Raises:
            AllocationError, ArgumentError, ClosedError, CudnnError: as `get` does.
        """
        if stream is _OF_THE_HANDLE:
            stream = self._open_handle().stream
        self.get(size, stream)

    def _open_handle(self) -> Owner:
        handle = self._handle()
        if handle is None or handle.closed:
            raise errors.ClosedError("the Handle of the workspace is closed")
        return handle

    def _capture(self, address: int) -> int:
        """Return the capture that the stream is in; 0 for none, as always in the default stream."""
        if address in (0, 1):
            return 0
        if _driver.current_context():
            return _driver.capture_id(address)
        with self._open_handle()._current():
            return _driver.capture_id(address)

    def _of_graph(self, size: int, address: int, capture: int, current: Memory | None) -> Memory:
        """Return the block of the graph that is being captured: the current one of the stream."""
        key = address, capture
        block = self._captured.get(key)
        if block is None and current is not None and current.size >= size:
            block = self._captured[key] = self._blocks.pop(address)
        if block is None or block.size < size:
            there = block or current
            raise errors.CudnnError(
                f"{size} bytes of workspace were asked for while the stream is captured, "
                f"{there.size if there is not None else 0} are there",
                hint="before each capture call it once in that stream, or use "
                "handle.workspace.reserve: a graph keeps the block that it was captured with",
            )
        return block

    def _grow(self, size: int, stream: StreamLike, address: int) -> Memory:
        if self.limit is not None and size > self.limit:
            raise errors.AllocationError(
                f"{size} bytes of workspace were asked for, at most {self.limit} are allowed",
                hint="raise handle.workspace.limit, or choose an algorithm that needs less",
            )
        handle = self._open_handle()
        streams.check_device(address, handle._context)
        for key, block in list(self._blocks.items()):
            if key == address or streams.is_closed(block.stream, key) or _forgotten(block):
                del self._blocks[key]
                block.close()
        wanted = -(-size // _GRAIN) * _GRAIN
        if self.limit is not None:
            wanted = min(wanted, self.limit)
        with handle._current():
            block = self._blocks[address] = Memory(wanted, handle.device, stream)
        return block

    def _inherit(self, other: Workspace) -> None:
        """Take over the blocks of captured graphs."""
        self._captured, other._captured = other._captured, {}

    @property
    def size(self) -> int:
        """Return the bytes of all blocks, over all streams and graphs."""
        return sum(block.size for block in (*self._blocks.values(), *self._captured.values()))

    def clear(self) -> None:
        """Free the blocks that no captured graph uses, each in the order of its stream."""
        while self._blocks:
            self._blocks.popitem()[1].close()

    def close(self) -> None:
        """Free all blocks; graphs that were captured with one must not be launched any more."""
        self.clear()
        while self._captured:
            self._captured.popitem()[1].close()


def _forgotten(block: Memory) -> bool:
    """Return whether its stream is a `Stream` to which nothing else refers."""
    if not isinstance(block.stream, streams.Stream) or block.stream._owned is None:
        return False
    return sys.getrefcount(block.stream) <= 2  # the block's, and that of this very call
