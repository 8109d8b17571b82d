"""Device memory for new outputs of our own, allocated and freed by the driver without a detour."""

from __future__ import annotations

import operator
import sys
import weakref
from collections.abc import Callable, Iterator
from typing import Any, Self

from ... import driver as _driver
from ..._support import fork
from ...driver import captures, graphs
from ...handles import Handle
from ...memory import DeviceArray, Memory
from ..arrays.libraries import empty, storage
from ..operand import Operand, span

#: Number of views of a block that are noted before dead ones are removed.
_MOST_VIEWS = 64

#: Allocates bytes in a stream while a context is current, else returns 0.
Allocate = Callable[[int, int, int], int]

#: Frees an address in a stream while a context is current and the stream is not captured, else
#: returns False.
Free = Callable[[int, int, int], bool]


class _Arrays(list[weakref.ref[DeviceArray]]):
    """The arrays that have an address, as in a WeakSet, which takes longer to make."""

    __slots__ = ()

    def add(self, array: DeviceArray) -> None:
        if len(self) > _MOST_VIEWS:
            self[:] = [each for each in super().__iter__() if each() is not None]
        self.append(weakref.ref(array))

    def __iter__(self) -> Iterator[Any]:
        return (array for each in super().__iter__() if (array := each()) is not None)


class Block(Memory):
    """Memory from the driver's pool, which the compiled layer allocates and frees."""

    __slots__ = ("_free",)

    _free: Free

    @classmethod
    def make(
        cls, address: int, size: int, device: int, stream: Any, at: int, context: int, free: Free
    ) -> Self:
        """Own memory that was allocated in the order of the stream at `at`."""
        self = cls.__new__(cls)
        self.arrays = _Arrays()  # type: ignore[assignment]
        self.address = self.buffer = address
        self.size = size
        self.device = device
        self.stream = stream
        self._stream_address = at
        self._context = context
        self._owned = True
        self._free = free
        return self

    def _free_buffer(self, buffer: int, _: object, address: int) -> None:
        self._free(buffer, address, _driver.current_context())

    def __del__(  # type: ignore[override]
        self, _finalizing: Callable[[], bool] = sys.is_finalizing
    ) -> None:
        # Nothing refers to it, so no array does.
        address = getattr(self, "buffer", None)
        if address is None or _finalizing():
            return
        plain = self.stream is None and not fork.lost
        if not (plain and self._free(address, 0, self._context)):
            self.close()


def own_maker(
    operand: Operand, device: int, allocate: Allocate, free: Free
) -> Callable[[Handle], DeviceArray]:
    """Return what makes a new DeviceArray for an operand, in the stream of a handle."""
    names, shape, strides = storage(operand)
    name, size = names[0], max(span(operand), 1)
    graphs.keep_pool(device)
    context_of, stream_of = operator.attrgetter("_context"), operator.attrgetter("_stream")

    def make(handle: Handle) -> Any:
        captures.sweep()
        at, context = handle.get_stream(), context_of(handle)
        stream = handle.stream if at or stream_of(handle) is not None else None
        address = allocate(size, at, context)
        if not address:  # it says why, or finds a way
            return empty("own", operand, device, stream)
        block = Block.make(address, size, device, stream, at, context, free)
        return DeviceArray(block, shape, name, strides)

    return make
