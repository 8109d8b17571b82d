"""The difference of two arrays in device memory, without copies to the host."""

from __future__ import annotations

import math
import struct
from functools import cache
from pathlib import Path

from .. import driver, errors
from .._support.results import NamedTuple
from ..driver import timing
from ..memory import Memory
from .compiling import compiled
from .launching import Launch, kernel_of, load_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..handles import Handle

#: The kernel's numbers of data types.
TYPES = {"HALF": 0, "BFLOAT16": 1, "FLOAT": 2}

_SOURCE = Path(__file__).parent / "difference.cu"
_THREADS, _BLOCKS, _SUMS = 256, 1024, 5


class Difference(NamedTuple):
    """The difference of an array from another one.

    Attributes:
        apart: the sum of the squares of the differences.
        norm: the sum of the squares of the other array.
        nan, other_nan: how many elements of the array, and of the other one, are no numbers.
        odd: how many elements are numbers in one of them alone.
    """

    apart: float
    norm: float
    nan: int
    other_nan: int
    odd: int

    @property
    def error(self) -> float:
        """Return the norm of the difference over that of the other array; inf where NaN differ."""
        if self.odd:
            return math.inf
        if not self.apart:
            return 0.0
        error = math.sqrt(self.apart / self.norm) if self.norm else math.inf
        return error if error == error else math.inf


@cache
def _launch(ordinal: int, data_type: str) -> Launch:
    """Return the launch of the kernel for a type on a device."""
    options = f"-DTYPE={TYPES[data_type]}", f"-DTHREADS={_THREADS}"
    capability = driver.compute_capability(ordinal) or (0, 0)
    module = load_module(compiled(_SOURCE, capability, *options), ordinal)
    return Launch(kernel_of(module, "difference", ordinal), ordinal, (_BLOCKS, 1, 1), _THREADS)


@cache
def can_compare(ordinal: int, data_type: str) -> bool:
    """Return whether a device has the kernel for numbers of a type."""
    if data_type not in TYPES:
        return False
    try:
        _launch(ordinal, data_type)
    except errors.NotSupportedError:  # no compiler, or the driver takes nothing that it makes
        return False
    return True


def difference(data_type: str, own: int, other: int, count: int, handle: Handle) -> Difference:
    """Return how far an array is from another one, and wait for the stream of a handle.

    Args:
        data_type: of both, one that the device `can_compare`.
        own, other: their addresses.
        count: the number of their elements, which lie one after the other.
        handle: in whose stream, and on whose device they are read; its context is current.

    Raises:
        AllocationError: the device has no memory left for the sums.
    """
    launch, stream = _launch(handle.device, data_type), handle.get_stream()
    sums = Memory(8 * _SUMS * _BLOCKS, handle.device, handle.stream)
    try:
        address = int(sums.address or 0)
        launch.put(stream, *[struct.pack("q", each) for each in (own, other, count, address)])
        data = timing.copy_out(address, sums.size, stream)
    finally:
        sums.close()
    found = struct.unpack(f"{_SUMS * _BLOCKS}d", data)
    apart, norm, *counts = (sum(found[i::_SUMS]) for i in range(_SUMS))
    return Difference(apart, norm, *map(int, counts))
