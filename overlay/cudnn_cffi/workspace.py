"""Scratch memory for a handle's calls: one block per stream, which grows as it is asked to."""

from __future__ import annotations

from . import _driver, errors, streams
from .memory import Memory

__all__ = ["Workspace"]

#: Sizes are rounded up to this, so that a slightly larger request finds what it needs.
_GRAIN = 1 << 20


class Workspace:
    """The scratch memory of one handle.

    Calls in one stream run one after the other, so they share a block. A block that is too small
    is freed in the order of its stream, after the calls that use it, and a larger one takes its
    place. What was handed out while the stream was captured into a graph stays until the handle is
    closed, since the graph can be launched at any time.

    Attributes:
        limit: the most bytes that one block may have; None for no limit.
    """

    def __init__(self, device: int, limit: int | None = None) -> None:
        self._device = device
        self._blocks: dict[int, Memory] = {}
        self._captured: list[Memory] = []
        self.limit = limit

    def get(self, size: int, stream: object = None) -> int:
        """The address of at least `size` bytes for calls in `stream`; 0 for none.

        Raises:
            AllocationError: it is more than the limit, or than the device has left.
            CudnnError: it would have to grow while the stream is being captured.
        """
        if size <= 0:
            return 0
        address = streams.stream_pointer(stream)
        block = self._blocks.get(address)
        capturing = _driver.is_capturing(address)
        if block is None or block.size < size:
            if capturing:
                raise errors.CudnnError(
                    f"{size} bytes of workspace were asked for while the stream is captured, "
                    f"{block.size if block is not None else 0} are there",
                    hint="call it once before the capture, or use handle.workspace.reserve",
                )
            block = self.reserve(size, stream)
        if capturing and block not in self._captured:
            self._captured.append(block)
        assert block.address is not None
        return block.address

    def reserve(self, size: int, stream: object = None) -> Memory:
        """Have at least `size` bytes ready for `stream`; returns the block."""
        if self.limit is not None and size > self.limit:
            raise errors.AllocationError(
                f"{size} bytes of workspace were asked for, at most {self.limit} are allowed",
                hint="raise handle.workspace.limit, or choose an algorithm that needs less",
            )
        address = streams.stream_pointer(stream)
        block = self._blocks.get(address)
        if block is not None and block.size >= size:
            return block
        wanted = -(-size // _GRAIN) * _GRAIN
        if self.limit is not None:
            wanted = min(wanted, self.limit)
        if block is not None:
            del self._blocks[address]
            if block not in self._captured:
                block.close()
        block = self._blocks[address] = Memory(wanted, self._device, stream)
        return block

    @property
    def size(self) -> int:
        """Bytes held, over all streams."""
        held = {id(block): block.size for block in (*self._blocks.values(), *self._captured)}
        return sum(held.values())

    def clear(self) -> None:
        """Free what no captured graph uses, each block in the order of its stream."""
        for address, block in list(self._blocks.items()):
            del self._blocks[address]
            if block not in self._captured:
                block.close()

    def close(self) -> None:
        """Free everything; graphs that were captured with it must not be launched any more."""
        blocks = [*self._blocks.values(), *self._captured]
        self._blocks.clear()
        self._captured.clear()
        for block in blocks:
            block.close()
