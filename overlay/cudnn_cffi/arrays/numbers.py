"""Numbers as they lie in the memory of an array."""

from __future__ import annotations

import struct
from collections.abc import Sequence

_CODES = {
    "float16": "e",
    "float32": "f",
    "float64": "d",
    "int8": "b",
    "uint8": "B",
    "int32": "i",
    "uint32": "I",
    "int64": "q",
    "bool": "?",
}

#: Encodings of numbers, by the names that NumPy and ml_dtypes use.
ENCODED = frozenset({*_CODES, "bfloat16"})


def encode_numbers(values: Sequence[float], dtype: str) -> bytes:
    """Return numbers as elements of an array, rounded to nearest, ties to even.

    Args:
        values: the numbers; for integers ints. For bfloat16 they are rounded to float32 first, as
            in C.
        dtype: one of `ENCODED`.

    Raises:
        OverflowError: the type of floats is too narrow for a number; infinities are none of these.
        struct.error: a number is out of the range of integers, or is no integer.
    """
    if dtype == "bfloat16":
        return b"".join([_bfloat16(each) for each in values])
    numbers = map(float, values) if "float" in dtype else values
    return struct.pack(f"={len(values)}{_CODES[dtype]}", *numbers)


def _bfloat16(value: float) -> bytes:
    """Return the upper half of a float32."""
    (bits,) = struct.unpack("=I", struct.pack("=f", float(value)))
    if value != value:
        return struct.pack("=H", bits >> 16 | 0x40)  # a NaN, also where the lower half said so
    rounded = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
    if rounded & 0x7FFF == 0x7F80 != bits >> 16 & 0x7FFF:
        raise OverflowError("float too large to pack with bfloat16 format")
    return struct.pack("=H", rounded)
