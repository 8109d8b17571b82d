"""Scratch memory for a handle's calls: one block per stream, which grows as it is asked to."""

from __future__ import annotations

import sys
import weakref
from typing import TYPE_CHECKING, Any

from .. import driver as _driver
from .. import errors
from ..driver import streams
from ..memory import Memory

if TYPE_CHECKING:
    from . import Handle

__all__ = ["Workspace"]

#: Sizes are rounded up to this, so that a slightly larger request finds what it needs.
_GRAIN = 1 << 20

_OF_THE_HANDLE: Any = object()


class Workspace:
    """The scratch memory of one handle.

    Calls in one stream run one after the other, so they share a block. A block that is too small
    is freed in the order of its stream, after the calls that use it, and a larger one takes its
    place. What was handed out while the stream was captured into a graph is that graph's alone
    from then on, since it can be launched at any time and in any stream; it stays until the handle
    is closed. Blocks of closed streams, and of a `Stream` that is used nowhere else any more, are
    freed when the next one is allocated. Until then a block keeps the stream alive that it is for;
    the streams of other libraries until they are closed or `clear` is called. A stream that is
    given as an int must live as long as the block.

    Attributes:
        limit: the most bytes that one block may have; None for no limit. `size` is what all
            blocks have together.
    """

    def __init__(self, handle: Handle, limit: int | None = None) -> None:
        self._handle = weakref.ref(handle)
        self._blocks: dict[int, Memory] = {}
        self._captured: dict[tuple[int, int], Memory] = {}
        self.limit = limit

    def get(self, size: int, stream: Any = _OF_THE_HANDLE) -> int:
        """The address of at least `size` bytes for calls in `stream`; 0 where `size` is 0.

        Args:
            size: in bytes.
            stream: of any library, None for the default one; the handle's if it is not given.

        Raises:
            AllocationError: it is more than the limit, or than the device has left.
            ArgumentError: the stream is of another device.
            ClosedError: the stream or the handle is closed.
            CudnnError: while the stream is captured there is no block for the graph, or it is too
                small.
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

    def reserve(self, size: int, stream: Any = _OF_THE_HANDLE) -> None:
        """Have at least `size` bytes ready for `stream`; arguments and errors as for `get`."""
        if stream is _OF_THE_HANDLE:
            stream = self._open_handle().stream
        self.get(size, stream)

    def _open_handle(self) -> Handle:
        handle = self._handle()
        if handle is None or handle.closed:
            raise errors.ClosedError("the Handle of the workspace is closed")
        return handle

    def _capture(self, address: int) -> int:
        """Which capture the stream is in; 0 for none, as always in the default stream."""
        if address in (0, 1):
            return 0
        if _driver.current_context():
            return _driver.capture_id(address)
        with self._open_handle()._current():
            return _driver.capture_id(address)

    def _of_graph(self, size: int, address: int, capture: int, found: Memory | None) -> Memory:
        """The block of the graph that is being captured: that of the stream until now, if any."""
        key = address, capture
        block = self._captured.get(key)
        if block is None and found is not None and found.size >= size:
            block = self._captured[key] = self._blocks.pop(address)
        if block is None or block.size < size:
            there = block or found
            raise errors.CudnnError(
                f"{size} bytes of workspace were asked for while the stream is captured, "
                f"{there.size if there is not None else 0} are there",
                hint="before each capture call it once in that stream, or use "
                "handle.workspace.reserve: a graph keeps the block that it was captured with",
            )
        return block

    def _grow(self, size: int, stream: Any, address: int) -> Memory:
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
        """Take over what captured graphs use."""
        self._captured, other._captured = other._captured, {}

    @property
    def size(self) -> int:
        """Bytes held, over all streams and graphs."""
        return sum(block.size for block in (*self._blocks.values(), *self._captured.values()))

    def clear(self) -> None:
        """Free what no captured graph uses, each block in the order of its stream."""
        while self._blocks:
            self._blocks.popitem()[1].close()

    def close(self) -> None:
        """Free everything; graphs that were captured with it must not be launched any more."""
        self.clear()
        while self._captured:
            self._captured.popitem()[1].close()


def _forgotten(block: Memory) -> bool:
    """Whether its stream is one of ours to which nothing else refers."""
    if not isinstance(block.stream, streams.Stream) or block.stream._owned is None:
        return False
    return sys.getrefcount(block.stream) <= 2  # the block's, and that of this very call
