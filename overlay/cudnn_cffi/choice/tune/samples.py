"""Operands to time a plan with, and comparisons of what plans computed."""

from __future__ import annotations

import math
import os
import random
import struct
import sys

from ... import arrays, errors
from ..._support.recent import Recent
from ...driver import streams, timing
from ...memory import DeviceArray, Memory
from ...plan import Operand
from ...plan.arrays.outputs import PAIRS as _PAIRS
from ...plan.operand import span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any, TypeVar

    from ...handles import Handle
    from ...kernels import Difference
    from ...types import Stream as StreamLike

    _Found = TypeVar("_Found")

#: For each data type the bytes of an element, the bits that are random, and those that are set.
#: Numbers are between 0.5 and 1, of both signs; whole numbers are from 0 to 3.
_PATTERNS = {
    "HALF": (2, 0x83FF, 0x3800),
    "BFLOAT16": (2, 0x807F, 0x3F00),
    "FLOAT": (4, 0x807FFFFF, 0x3F000000),
    "DOUBLE": (8, 0x800FFFFFFFFFFFFF, 0x3FE0000000000000),
    "FP8_E4M3": (1, 0x87, 0x30),
    "FP8_E5M2": (1, 0x83, 0x38),
    "FP8_E8M0": (1, 0, 0x7F),
    "FP4_E2M1": (1, 0xFF, 0),
    "INT8": (1, 0x03, 0),
    "UINT8": (1, 0x03, 0),
    "INT4": (1, 0x33, 0),
    "UINT4": (1, 0x33, 0),
    "BOOLEAN": (1, 0xFF, 0),
}

#: Elements of one block of random data, which is repeated to the end of an array.
_BLOCK = 1 << 18

_CODES = {
    "HALF": "e",
    "FLOAT": "f",
    "DOUBLE": "d",
    "INT8": "b",
    "UINT8": "B",
    "BOOLEAN": "B",
    "INT32": "i",
    "INT64": "q",
    "UINT32": "I",
}

#: Numbers that are compared at a time: they and what is computed of them stay in the cache.
_PART = 1 << 17

#: Threads that compare.
_THREADS = min(8, os.cpu_count() or 1)

#: The places of an output with gaps that are compared, and the bytes at each.
_CHUNKS, _CHUNK = 64, 4096

#: The same of an output without gaps: each place is a copy.
_PLACES, _PLACE = 16, 16384

#: Bytes of an output from which it is worth it to compile a kernel that compares, in a tenth of a
#: second: the host copies and compares at some 0.3 GB/s, for each graph anew.
_LARGE = 1 << 22

#: Maximum distance of results: the norm of the difference over the norm of the reference.
_TOLERANCES = {
    "DOUBLE": 1e-10,
    "FLOAT": 1e-4,
    "HALF": 1e-2,
    "BFLOAT16": 5e-2,
    "FP8_E4M3": 0.2,
    "FP8_E5M2": 0.3,
}


class NotMadeUpError(errors.ArgumentError):
    """An operand that has to be given, because it cannot be random numbers."""


def make_array(operand: Operand, device: int, stream: StreamLike, chance: random.Random) -> Any:
    """Return an array for an operand: random numbers for an input, nothing yet for an output.

    Raises:
        ArgumentError: numbers of this type, such as lengths or indices, cannot be made up.
        AllocationError: the device does not have that much memory left.
    """
    if operand.by_value:
        return 1
    if operand.role == "input" and operand.data_type not in _PATTERNS:
        raise NotMadeUpError(
            f"{operand.name}: elements of {operand.data_type} may be lengths or indices, for which "
            "random numbers do not serve",
            hint=f"pass operands={{{operand.name!r}: ...}}",
        )
    size = span(operand)
    memory = Memory(max(size, 1), device, stream)
    shape, name, strides = operand.shape, arrays.dtype_name(operand.data_type), operand.strides
    if operand.is_bits:
        shape, name, strides = (size,), "uint8", (1,)
    made = DeviceArray(memory, shape, name, strides)
    if operand.role == "input" and size:
        block = _random_block(operand.data_type, chance)
        timing.repeat(made.address, block, size, streams.stream_pointer(stream))
    return made


#: The latest blocks of random data, and the generator after each, by type and generator before.
_blocks: dict[object, tuple[bytes, Any]] = Recent(6)


def _random_block(data_type: str, chance: random.Random) -> bytes:
    key = data_type, chance.getstate()
    known = _blocks.get(key)
    if known is None:
        known = _blocks[key] = _new_block(data_type, chance), chance.getstate()
    chance.setstate(known[1])
    return known[0]


def _new_block(data_type: str, chance: random.Random) -> bytes:
    width, random_bits, set_bits = _PATTERNS[data_type]
    count = _BLOCK
    raw = int.from_bytes(chance.randbytes(width * count), "little")
    repeated = [int.from_bytes(b.to_bytes(width, "little") * count, "little")
                for b in (random_bits, set_bits)]  # fmt: skip
    return (raw & repeated[0] | repeated[1]).to_bytes(width * count, "little")


def place(operand: Operand, array: object) -> tuple[int, int]:
    """Return the address and the bytes of an operand's array."""
    return arrays.device_pointer(array), span(operand)


def read_array(operand: Operand, array: object, stream: int = 0, *, complete: bool = False) -> Any:
    """Return numbers of an array: from places that are spread over it, or all.

    Args:
        operand: the array's operand.
        array: in device memory.
        stream: the address of the stream that has written it.
        complete: whether to return all numbers. Where NumPy is not there, it is those places.

    Returns: an array of NumPy where that is there, else a list.
    """
    size = span(operand)
    address = arrays.device_pointer(array)
    has_numpy = "numpy" in sys.modules or _import_numpy()
    runs, width = _runs(operand)
    whole = size <= _CHUNKS * _CHUNK or (complete and has_numpy)
    if runs and whole and has_numpy:
        return _without_gaps(operand, timing.copy_out(address, size, stream))
    data: bytes | bytearray
    if runs:
        places = _spread(runs, width, arrays.itemsize(arrays.dtype_name(operand.data_type)))
        data = b"".join(timing.copy_out(address + at, part, stream) for at, part in places)
    elif whole:
        data = timing.copy_out(address, size, stream)
    else:
        begins = (((size - _PLACE) * i // (_PLACES - 1)) & ~15 for i in range(_PLACES))
        data = b"".join(timing.copy_out(address + at, _PLACE, stream) for at in begins)
    if operand.is_bits:  # one of 0 and 1 for each, and none for the rest of the last byte
        count = arrays.last_offset(operand.shape, operand.strides) + 1
        data = _unpacked(data, has_numpy)[: count if whole else -8]
    return (_decode_numpy if has_numpy else _decode)(operand.data_type, data)


def _unpacked(data: bytes | bytearray, has_numpy: bool) -> bytes:
    """Return a byte for each bit."""
    if not has_numpy:
        return bytes([byte >> place & 1 for byte in data for place in range(8)])
    import numpy

    return numpy.unpackbits(numpy.frombuffer(data, "u1"), bitorder="little").tobytes()


def has_gaps(operand: Operand) -> bool:
    """Return whether elements of other arrays may lie between those of an operand."""
    return bool(_runs(operand)[0])


def _runs(operand: Operand) -> tuple[list[tuple[int, int]], int]:
    """Return how runs of elements without gaps follow each other, and the bytes of one run.

    Returns: extent and step in bytes of each dimension of runs; none for an operand without gaps,
        or with elements of less than a byte.
    """
    if operand.data_type in _PAIRS or operand.is_bits or 0 in operand.shape:
        return [], 0
    size = arrays.itemsize(arrays.dtype_name(operand.data_type))
    run = 1
    outer: list[tuple[int, int]] = []
    pairs = zip(operand.strides, operand.shape, strict=True)
    for step, extent in sorted(each for each in pairs if each[1] > 1):
        if step == run and not outer:
            run *= extent
        else:
            outer.append((extent, step * size))
    return outer, run * size


def _spread(runs: Sequence[tuple[int, int]], width: int, item: int) -> Iterator[tuple[int, int]]:
    """Yield offset and bytes of parts of some runs: the first one, the last one, some between.

    Args:
        runs, width: as `_runs` returns them.
        item: the bytes of an element, so that parts are of whole ones.
    """
    count = math.prod(extent for extent, _ in runs)
    most = min(count, _CHUNKS)
    size = min(width, _CHUNKS * _CHUNK // most // item * item)
    for i in range(most):
        number = (count - 1) * i // (most - 1)
        begin = (width - size) * i // (most - 1) // item * item
        for extent, step in runs:
            number, index = divmod(number, extent)
            begin += index * step
        yield begin, size


def _without_gaps(operand: Operand, data: bytes | bytearray) -> Any:
    """Return the elements that lie in a span of memory, one after the other."""
    from numpy.lib.stride_tricks import as_strided

    numbers = _decode_numpy(operand.data_type, data)
    steps = tuple([step * numbers.itemsize for step in operand.strides])
    return as_strided(numbers, operand.shape, steps).ravel()


def _import_numpy() -> bool:
    try:
        import numpy  # noqa: F401
    except ImportError:
        return False
    return True


def _decode(data_type: str, data: bytes | bytearray) -> list[float]:
    if data_type == "BFLOAT16":
        wide = b"".join(b"\0\0" + data[i : i + 2] for i in range(0, len(data) - 1, 2))
        return list(struct.unpack(f"<{len(wide) // 4}f", wide))
    if data_type in _CODES:
        width = struct.calcsize(_CODES[data_type])
        count = len(data) // width
        return list(struct.unpack(f"<{count}{_CODES[data_type]}", data[: count * width]))
    if data_type in _EIGHT_BITS:
        table = _eight_bits(data_type)
        return [table[byte] for byte in data]
    return [float(byte) for byte in data]


def _decode_numpy(data_type: str, data: bytes | bytearray) -> Any:
    """Return an array of the numbers as they are; `_widen` makes those of it that NumPy lacks."""
    import numpy

    if data_type in _CODES:
        return numpy.frombuffer(data, f"<{_CODES[data_type]}")
    width = "<u2" if data_type == "BFLOAT16" else "u1"
    return numpy.frombuffer(data, [(data_type, width)])


def _widen(numbers: Any) -> Any:
    """Return numbers of any data type as float32, or as float64."""
    if numbers.dtype.names:
        (data_type,) = numbers.dtype.names
        bits = numbers[data_type]
        if data_type == "BFLOAT16":
            return (bits.astype("<u4") << 16).view("<f4")
        if data_type in _EIGHT_BITS:
            import numpy

            return numpy.array(_eight_bits(data_type), "<f4")[bits]
        return bits.astype("<f4")
    return numbers.astype("<f4" if numbers.dtype.char in "ef" else "<f8", copy=False)


def _of_parts(function: Callable[..., _Found], *numbers: Any) -> Iterator[_Found]:
    """Yield what a function makes of the same part of each array, in several threads at once.

    A part fits into a processor's cache.
    """

    def compute(begin: int) -> _Found:
        return function(*[_widen(each[begin : begin + _PART]) for each in numbers])

    begins = range(0, len(numbers[0]), _PART)
    if len(begins) < 2 * _THREADS:
        yield from map(compute, begins)
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(_THREADS) as pool:
        yield from pool.map(compute, begins)


#: Bits of exponent and of mantissa, and whether the largest exponent means infinity.
_EIGHT_BITS = {"FP8_E4M3": (4, 3, False), "FP8_E5M2": (5, 2, True)}


def _eight_bits(data_type: str) -> list[float]:
    """Return the number that each byte stands for."""
    exponent_bits, mantissa_bits, infinite = _EIGHT_BITS[data_type]
    bias = (1 << exponent_bits - 1) - 1
    table = []
    for byte in range(256):
        exponent = byte >> mantissa_bits & (1 << exponent_bits) - 1
        mantissa = byte & (1 << mantissa_bits) - 1
        top = exponent == (1 << exponent_bits) - 1
        if top and (infinite or mantissa == (1 << mantissa_bits) - 1):
            value = math.nan if mantissa else math.inf
        elif exponent:
            value = math.ldexp(1 + mantissa / (1 << mantissa_bits), exponent - bias)
        else:
            value = math.ldexp(mantissa / (1 << mantissa_bits), 1 - bias)
        table.append(-value if byte >> 7 else value)
    return table


def has_nan(numbers: object) -> bool:
    """Return whether there is a NaN among numbers."""
    if isinstance(numbers, list):
        return any(each != each for each in numbers)
    return any(_of_parts(lambda part: (part != part).any(), numbers))


def all_nan(numbers: object) -> bool:
    """Return whether there is nothing but NaN."""
    if isinstance(numbers, list):
        return all(each != each for each in numbers)
    return all(_of_parts(lambda part: (part != part).all(), numbers))


def difference(numbers: object, reference: Any) -> float:
    """Return the norm of the difference over the norm of the reference; inf where NaN differ."""
    if isinstance(numbers, list):
        return _ratio(*_squares(numbers, reference))
    pairs = list(_of_parts(_squares_of, numbers, reference))
    return _ratio(sum(apart for apart, _ in pairs), sum(norm for _, norm in pairs))


def is_comparable(operand: Operand, ordinal: int) -> bool:
    """Return whether a device compares all elements of an output by itself: of a large one."""
    if span(operand) < _LARGE or has_gaps(operand):
        return False
    from ... import kernels

    return kernels.can_compare(ordinal, operand.data_type)


def difference_there(
    operand: Operand, address: int, size: int, other: int, handle: Handle
) -> Difference:
    """Return the difference of an output from another array, which the device computes.

    Args:
        operand: the output, one that `is_comparable`.
        address, size: of its memory, as `place` returns them.
        other: the address of the other array.
        handle: whose stream and device are used.
    """
    from ... import kernels

    count = size // arrays.itemsize(arrays.dtype_name(operand.data_type))
    return kernels.difference(operand.data_type, address, other, count, handle)


def _squares_of(numbers: Any, reference: Any) -> tuple[float, float]:
    """Return the squares of both norms, as `_squares`, for arrays of NumPy."""
    import numpy

    with numpy.errstate(all="ignore"):
        gap = numbers - reference
        sums = float(numpy.vdot(gap, gap)), float(numpy.vdot(reference, reference))
        if math.isfinite(sums[0]) and math.isfinite(sums[1]):
            return sums
        return _odd_squares(numbers, reference)


def _ratio(apart: float, norm: float) -> float:
    if not apart:
        return 0.0
    error = math.sqrt(apart / norm) if norm else math.inf
    return error if error == error else math.inf


def _odd_squares(numbers: Any, reference: Any) -> tuple[float, float]:
    """Return the result of `_squares` for arrays with numbers that are not finite."""
    here = numbers != numbers
    if (here != (reference != reference)).any():
        return math.inf, 1.0
    same = numbers == reference  # also infinities
    apart = (numbers.astype(float) - reference)[~here & ~same]
    kept = reference[~here].astype(float)
    return float((apart**2).sum()), float((kept**2).sum())


def _squares(numbers: Sequence[float], reference: Sequence[float]) -> tuple[float, float]:
    """Return the sums of the squares of the differences and of the reference."""
    apart = norm = 0.0
    for a, b in zip(numbers, reference, strict=True):
        if (a != a) != (b != b):
            return math.inf, 1.0
        if a == a and a != b:
            apart += (a - b) ** 2
        if b == b:
            norm += b * b
    return apart, norm


def tolerance(data_type: str, narrow: bool) -> float:
    """Return how far results of a type may be apart.

    Args:
        data_type: of the output.
        narrow: whether inputs may have been rounded to a narrower type, such as TensorFloat-32.
    """
    allowed = _TOLERANCES.get(data_type, 1e-2)
    return max(allowed, 5e-3) if narrow and data_type == "FLOAT" else allowed
