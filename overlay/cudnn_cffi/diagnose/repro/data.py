"""Inputs of a program by seed: each element is a function of the seed, the name and the place.

program.c computes the same in C, bit for bit: every number is exact in float32 before it is
rounded to the data type of its array, once, to nearest and ties to even. Numbers beyond the
largest of a type become the largest.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ... import arrays, errors
from ..._support.results import NamedTuple
from ...plan.operand import Operand

#: Kinds of data, in the order of the numbers that they have in C; any number is a constant.
KINDS: dict[str, str] = {
    "normal": "sums of four uniform numbers, from -3.5 to 3.5",
    "positive": "the size of such a sum, and 0.5 more",
    "integers": "integers from -4 to 4",
    "zeros": "zeros",
    "negative_rows": "normal, and 10000 less in every second row",
    "one_huge": "normal, and one element of 1000",
    "cancelling": "large numbers, each followed by its negative",
    "denormals": "numbers below the smallest normal one of the data type",
    "extremes": "0, -0, 1, -1, the largest, the smallest normal and the smallest number",
}

_GOLDEN = 0x9E3779B97F4A7C15
_MASK = (1 << 64) - 1

#: Maximum number of elements that are made at once.
_AT_ONCE = 1 << 20


class Format(NamedTuple):
    """A data type of elements.

    Attributes:
        size: bytes of an element.
        exponent, mantissa: bits of these parts of a float; 0 of an integer.
        smallest, largest: of all finite numbers.
        has_infinity: whether a float can be infinite.
    """

    size: int
    exponent: int
    mantissa: int
    smallest: float
    largest: float
    has_infinity: bool = True

    @property
    def lowest_exponent(self) -> int:
        """Return the exponent of the smallest normal number."""
        return 2 - (1 << (self.exponent - 1)) if self.exponent else 0


def _float(size: int, exponent: int, mantissa: int) -> Format:
    largest = math.ldexp(2 - 2.0**-mantissa, (1 << (exponent - 1)) - 1)
    return Format(size, exponent, mantissa, -largest, largest)


#: The data types that arrays can have, by the names of `DataType`.
FORMATS: dict[str, Format] = {
    "HALF": _float(2, 5, 10),
    "BFLOAT16": _float(2, 8, 7),
    "FLOAT": _float(4, 8, 23),
    "DOUBLE": _float(8, 11, 52),
    "FP8_E4M3": Format(1, 4, 3, -448.0, 448.0, has_infinity=False),
    "FP8_E5M2": _float(1, 5, 2),
    "INT8": Format(1, 0, 0, -128.0, 127.0),
    "UINT8": Format(1, 0, 0, 0.0, 255.0),
    "INT32": Format(4, 0, 0, -(2.0**31), 2.0**31 - 1),
    "INT64": Format(8, 0, 0, 1 - 2.0**53, 2.0**53 - 1),  # which float64 has exactly
    "BOOLEAN": Format(1, 0, 0, 0.0, 1.0),
}

#: Data types whose elements usually are indices or lengths, which are not made up.
INDICES = ("INT32", "INT64")


def format_of(operand: Operand) -> Format:
    """Return the format of the elements of an operand.

    Raises:
        NotSupportedError: there is none for its data type.
    """
    found = FORMATS.get(operand.data_type)
    if found is None:
        raise errors.NotSupportedError(
            f"{operand.name}: no data of the type {operand.data_type} is made here",
            hint=f"the types are {', '.join(FORMATS)}",
        )
    return found


# Numbers by place


def _mix(x: Any) -> Any:
    """Return the words that splitmix64 makes of its states."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def key_of(seed: int, name: str) -> int:
    """Return the state that the words of an array begin with: of the seed and FNV-1a of a name."""
    found = 0xCBF29CE484222325
    for byte in name.encode():
        found = (found ^ byte) * 0x100000001B3 & _MASK
    return int(_mix(np.array([(seed & _MASK) ^ found], np.uint64))[0])


def _words(key: int, places: Any) -> Any:
    with np.errstate(over="ignore"):
        return _mix(np.uint64(key) + (places.astype(np.uint64) + np.uint64(1)) * np.uint64(_GOLDEN))


def _normal(words: Any) -> Any:
    """Return multiples of 7 / 2^18: the sum of four 16-bit integers, centred and scaled."""
    total = sum((words >> np.uint64(shift)) & np.uint64(0xFFFF) for shift in (0, 16, 32, 48))
    return (total.astype(np.float64) - 131070.0) * 7.0 / 262144.0


def _made(kind: str, key: int, places: Any, rows: Any, span: int, kept: Format) -> Any:
    """Return the numbers of a kind at places of the memory of an array."""
    words = _words(key, places)
    if kind == "positive":
        return abs(_normal(words)) + 0.5
    if kind == "integers":
        return ((words >> np.uint64(32)) % np.uint64(9)).astype(np.float64) - 4.0
    if kind == "zeros":
        return np.zeros(places.shape)
    if kind == "negative_rows":
        return np.where(rows % 2 == 1, _normal(words) - 10000.0, _normal(words))
    if kind == "one_huge":
        chosen = int(_words(key, np.array([_MASK], np.uint64))[0]) % span
        return np.where(places == chosen, 1000.0, _normal(words))
    if kind == "cancelling":
        pairs = _normal(_words(key, places // 2)) * 256.0
        return np.where(places % 2 == 1, -pairs, pairs)
    if kind == "denormals":
        return np.ldexp(_normal(words), kept.lowest_exponent - 2) if kept.exponent else 0 * places
    if kind == "extremes":
        lowest = kept.lowest_exponent
        least = math.ldexp(1.0, lowest), math.ldexp(1.0, lowest - kept.mantissa)
        table = [0.0, -0.0, 1.0, -1.0, kept.largest, kept.smallest, *least]
        return np.array(table)[(words >> np.uint64(32)) % np.uint64(8)]
    return _normal(words)


def places_of(indices: Any, shape: Sequence[int], strides: Sequence[int]) -> tuple[Any, Any]:
    """Return where elements lie in memory, in elements, and their rows.

    Args:
        indices: of the elements, in row-major order.
        shape, strides: of the array.
    """
    places, rows = np.zeros(indices.shape, np.int64), np.zeros(indices.shape, np.int64)
    for axis in reversed(range(len(shape))):
        indices, at = np.divmod(indices, shape[axis])
        places += at * strides[axis]
        if axis == len(shape) - 2 and strides[axis]:
            rows = at
    return places, rows


def chunks(shape: Sequence[int]) -> Iterator[Any]:
    """Yield the indices of all elements, in row-major order, some at a time."""
    count = math.prod(shape)
    for first in range(0, count, _AT_ONCE):
        yield np.arange(first, min(first + _AT_ONCE, count), dtype=np.int64)


def memory(operand: Operand, data: str | float | Sequence[float], seed: int) -> Any:
    """Return the memory of an operand, as unsigned integers of its elements' size.

    Args:
        operand: the operand; gaps between its elements are zeros.
        data: one of `KINDS`, a number for all elements, or all elements in row-major order.
        seed: of the numbers.
    """
    kept, key = format_of(operand), key_of(seed, operand.name)
    span = arrays.last_offset(operand.shape, operand.strides) + 1
    made = np.zeros(span, f"u{kept.size}")
    given = None if isinstance(data, str) else np.asarray(data, np.float64).ravel()
    for indices in chunks(operand.shape):
        places, rows = places_of(indices, operand.shape, operand.strides)
        if given is None:
            values = _made(str(data), key, places, rows, span, kept)
        else:
            values = given[indices if given.size > 1 else np.zeros_like(indices)]
        made[places] = encode(values, kept)
    return made


def seen(memory: Any, operand: Operand) -> Any:
    """Return the elements of an operand, from its memory, as float64."""
    kept, found = format_of(operand), np.empty(math.prod(operand.shape))
    for indices in chunks(operand.shape):
        places, _ = places_of(indices, operand.shape, operand.strides)
        found[indices] = decode(memory[places], kept)
    return found.reshape(operand.shape)


def to_device(memory: Any, operand: Operand) -> bytes:
    """Return memory as it lies on the device, where truth values have a bit each."""
    return bytes((np.packbits(memory, bitorder="little") if operand.is_bits else memory).tobytes())


def from_device(content: bytes | bytearray, operand: Operand) -> Any:
    """Return the memory that `to_device` made bytes of."""
    if not operand.is_bits:
        return np.frombuffer(content, f"u{format_of(operand).size}")
    span = arrays.last_offset(operand.shape, operand.strides) + 1
    return np.unpackbits(np.frombuffer(content, np.uint8), bitorder="little", count=span)


def checksum(memory: Any) -> int:
    """Return a number of 64 bits that tells one memory from another."""
    found = 0
    for places in chunks(memory.shape):
        with np.errstate(over="ignore"):
            words = memory[places].astype(np.uint64) + places.astype(np.uint64) * np.uint64(_GOLDEN)
            found += int(_mix(words).sum(dtype=np.uint64))
    return found & _MASK


# Numbers as elements


def encode(values: Any, kept: Format) -> Any:
    """Return numbers as elements: unsigned integers of the same size."""
    values = np.asarray(values, np.float64)
    if not kept.exponent:
        is_bool = kept.largest == 1
        whole = values > 0 if is_bool else np.rint(np.clip(values, kept.smallest, kept.largest))
        return whole.astype(np.int64).astype(f"u{kept.size}")
    if kept.size == 8:
        return values.view(np.uint64)
    endless = np.isinf(values) & kept.has_infinity
    size = np.where(np.isnan(values), 0.0, np.minimum(abs(values), kept.largest))
    exponent = np.where(size > 0, np.frexp(size)[1] - 1, kept.lowest_exponent)
    exponent = np.maximum(exponent, kept.lowest_exponent)
    steps = np.rint(np.ldexp(size, kept.mantissa - exponent)).astype(np.int64)
    bits = ((exponent - kept.lowest_exponent).astype(np.int64) << kept.mantissa) + steps
    top = ((1 << kept.exponent) - 1) << kept.mantissa
    bits = np.where(endless, top, bits)
    quiet = top | (1 << (kept.mantissa - 1)) if kept.has_infinity else 0x7F
    bits = np.where(np.isnan(values), quiet, bits | np.signbit(values) * (1 << (8 * kept.size - 1)))
    return bits.astype(f"u{kept.size}")


def decode(memory: Any, kept: Format) -> Any:
    """Return elements as numbers in float64."""
    if not kept.exponent:
        return memory.view(f"i{kept.size}" if kept.smallest else f"u{kept.size}").astype(np.float64)
    if kept.size == 8:
        return memory.view(np.float64)
    bits = memory.astype(np.int64)
    steps = bits & ((1 << kept.mantissa) - 1)
    exponent = (bits >> kept.mantissa) & ((1 << kept.exponent) - 1)
    normal = exponent > 0
    shift = np.where(normal, exponent - 1, 0) + kept.lowest_exponent - kept.mantissa
    values = np.ldexp((steps + np.where(normal, 1 << kept.mantissa, 0)).astype(np.float64), shift)
    last = exponent == (1 << kept.exponent) - 1
    if kept.has_infinity:
        values = np.where(last, np.where(steps == 0, math.inf, math.nan), values)
    else:
        values = np.where(last & (steps == (1 << kept.mantissa) - 1), math.nan, values)
    return np.where(bits >> (8 * kept.size - 1), -values, values)
