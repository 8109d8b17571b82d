"""Where CuPy keeps what the compiled layer reads of an array.

CuPy's arrays are objects of a C type. Asked by attribute, each makes two tuples and some numbers,
which takes three times as long as the rest of a plan's call. So the places of the fields are found
once, on two arrays whose fields are known: a field is at the place where both arrays have its
value, if there is only one. If one field is not found so, attributes are asked.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple, Protocol

_WORD = 8

#: The C signature of the function that returns the current stream, as CuPy exports it.
_SIGNATURE = b"intptr_t (void)"


class Fields(NamedTuple):
    """Offsets of fields in bytes, and the type of the object that has the address.

    Shape and strides are the first of two pointers: to the first number, and after the last one.
    """

    shape: int
    strides: int
    dtype: int
    data: int
    pointer: int
    device: int
    memory: type


class _Array(Protocol):
    @property
    def dtype(self) -> object: ...
    @property
    def data(self) -> object: ...


class _Sample(NamedTuple):
    """An array that nothing reads, with what it was made of."""

    array: _Array
    address: int
    device: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]


def _samples() -> tuple[_Sample, _Sample]:
    """Return two arrays that differ in each field."""
    cupy = sys.modules["cupy"]

    def sample(address: int, device: int, dtype: str, *shape: int) -> _Sample:
        memory = cupy.cuda.UnownedMemory(address, 1 << 20, None, device)
        strides = tuple(16 * (place + 3) for place in range(len(shape)))
        place = cupy.cuda.MemoryPointer(memory, 0)
        array = cupy.ndarray(shape, dtype, place, strides)
        return _Sample(array, address, device, shape, strides)

    return sample(0x5A17_3000, 0x2B, "float16", 3, 5, 7), sample(0x6C29_8000, 0x4D, "int32", 11, 13)


def _places(thing: object, width: int) -> range:
    """Return the offsets after an object's header at which a field of that many bytes can be."""
    return range(object.__basicsize__, type(thing).__basicsize__ - width + 1, min(width, _WORD))


def _words(thing: object, count: int) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield each offset in an object, and the words there."""
    for offset in _places(thing, count * _WORD):
        yield offset, tuple((ctypes.c_size_t * count).from_address(id(thing) + offset))


def _numbers(array: object, wanted: tuple[int, ...]) -> set[int]:
    """Return where an array has three pointers as those of a vector of these numbers."""
    size = len(wanted) * _WORD
    return {
        offset
        for offset, (begin, end, limit) in _words(array, 3)
        if begin and not begin % _WORD and end - begin == size <= limit - begin < 1 << 16
        if tuple((ctypes.c_int64 * len(wanted)).from_address(begin)) == wanted
    }


def _word(thing: object, wanted: int) -> set[int]:
    return {offset for offset, (word,) in _words(thing, 1) if word == wanted}


def _number(thing: object, wanted: int) -> set[int]:
    """Return where an object has this number of 32 bits."""
    places = _places(thing, 4)
    return {at for at in places if ctypes.c_int32.from_address(id(thing) + at).value == wanted}


def _same(find: Callable[[_Sample], set[int]], samples: tuple[_Sample, ...]) -> int:
    """Return the only place that all samples have a field at."""
    (place,) = set.intersection(*map(find, samples))
    return place


@cache
def find_fields(kind: type) -> Fields | None:
    """Return where arrays of a type have their fields; None where that is not certain.

    Only CuPy's own class is looked at, on CPython with its lock, where an object's `id` is its
    address and nothing can change an array while it is read.
    """
    if sys.implementation.name != "cpython" or ctypes.sizeof(ctypes.c_void_p) != _WORD:
        return None
    if not getattr(sys, "_is_gil_enabled", lambda: True)():
        return None
    try:
        samples = _samples()
        memory = type(samples[0].array.data)
        if {type(each.array) for each in samples} != {kind}:
            return None
        return Fields(
            _same(lambda one: _numbers(one.array, one.shape), samples),
            _same(lambda one: _numbers(one.array, one.strides), samples),
            _same(lambda one: _word(one.array, id(one.array.dtype)), samples),
            _same(lambda one: _word(one.array, id(one.array.data)), samples),
            _same(lambda one: _word(one.array.data, one.address), samples),
            _same(lambda one: _number(one.array.data, one.device), samples),
            memory,
        )
    except (AttributeError, TypeError, ValueError, RuntimeError):
        return None


@cache
def current_stream() -> object:
    """Return the capsule of CuPy's C function that returns the current stream; None without one."""
    try:
        from cupy_backends.cuda import stream  # type: ignore[import-not-found]

        capsule = stream.__pyx_capi__["get_current_stream_ptr"]
    except (ImportError, AttributeError, KeyError):
        return None
    is_valid = ctypes.pythonapi.PyCapsule_IsValid
    is_valid.argtypes = [ctypes.py_object, ctypes.c_char_p]
    return capsule if is_valid(capsule, _SIGNATURE) else None
