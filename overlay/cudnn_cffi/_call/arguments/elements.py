"""Elements in host memory: arrays of numbers or objects, and single ones of a data type."""

from __future__ import annotations

import array as _array
import ctypes
import struct
from collections.abc import Sequence

from _cffi_backend import FFI

from ... import errors
from ..._object import Family
from ..._support.wording import a_kind
from ..._tables import TolerantEnum, active
from ...arrays import encode_numbers
from ..codes import NUMBERS
from ..layer import ffi
from .addresses import address_of, addresses_of
from .host import HostMemory, check_elements, describe
from .messages import refused, render
from .scalars import is_on_device, to_float, to_int


def array(value: object, code: str, length: int | None, name: str) -> FFI.CData:
    """Return a C array of the numbers in `value`, which must have at least `length`.

    The elements of lists, and of memory whose size is known, are converted one by one. An address
    or a pointer is taken as it is, if what it points to is not known to be something else.
    """
    try:
        if type(value) is tuple or type(value) is list:
            values = tuple(value)
        elif value is None or isinstance(value, (str, bytes, dict, set, bool, float)):
            raise TypeError(f"expected a sequence of numbers, got {_say(value)}")
        else:
            memory = describe(value)
            if memory is not None and memory.size is None:
                check_elements(memory, code)
                if not memory.address:
                    raise errors.NullPointerError(
                        f"{name} must not be NULL", arguments={name: render(value, "")}
                    )
                return ffi.cast("void *", memory.address)
            values = read_elements(value)
        if length is not None and not 0 <= length <= len(values):
            check_length(len(values), length)
        try:
            return ffi.from_buffer(_array.array(code, values or (0,)))
        except (TypeError, OverflowError):
            pass
        return ffi.from_buffer(_pack_one_by_one(values, code))
    except errors.CudnnError:
        raise
    except (TypeError, OverflowError) as error:
        raise refused(name, str(error), value) from error


def characters(value: object, name: str) -> FFI.CData:
    """Return text of C's, from a str as UTF-8, or bytes; other memory as it is.

    It ends at its first zero, so that there may be none in what Python gives.
    """
    try:
        if isinstance(value, str):
            value = value.encode()
        if isinstance(value, (bytes, bytearray)):
            if 0 in value:
                raise ValueError("expected a text without a zero, got one with a zero")
            return ffi.new("char[]", bytes(value))
        memory = None if value is None else describe(value)
        if memory is None:
            raise TypeError(f"expected a text, got {_say(value)}")
        if not memory.address:
            raise errors.NullPointerError(
                f"{name} must not be NULL", arguments={name: render(value, "")}
            )
        return keep_pointer(memory)
    except (TypeError, ValueError, OverflowError) as error:
        raise refused(name, str(error), value) from error


def read_elements(value: object) -> tuple[object, ...]:
    """Return the elements of a sequence, or of memory with elements, as they are now."""
    if isinstance(value, ctypes._SimpleCData):
        return (value.value,)
    if isinstance(value, ffi.CData) and ffi.typeof(value).kind == "pointer":
        return (value[0],)  # describe has said that it is one
    if is_on_device(value):
        raise TypeError("expected host memory, got device memory")
    try:
        return tuple(value)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(f"expected a sequence of numbers, got {_say(value)}") from None


def pack(values: Sequence[object], code: str) -> _array.array[float]:
    """Return numbers as elements of C, integers by their `__index__`, floats by `__float__`."""
    try:
        return _array.array(code, values or (0,))  # type: ignore[arg-type]
    except (TypeError, OverflowError):
        return _pack_one_by_one(values, code)


def _pack_one_by_one(values: Sequence[object], code: str) -> _array.array[float]:
    exact: list[float] = []
    for index, value in enumerate(values):
        try:
            exact.append(to_float(value) if code in "fd" else to_int(value, *NUMBERS[code].range))
        except (TypeError, OverflowError) as error:
            raise type(error)(f"element {index}: {error}") from error
    return _array.array(code, exact)


def check_length(got: int, length: int | None) -> None:
    """Refuse a sequence that is shorter than cuDNN would read."""
    if length is None:
        return
    if length < 0:
        raise TypeError(f"the number of its elements is {length}, below 0")
    if got < length:
        raise TypeError(f"expected {length} elements, got {got}")


def _say(value: object) -> str:
    return "None" if value is None else a_kind(value)


def objects(
    value: object, ctype: str, length: int | None, name: str, release: bool = False
) -> FFI.CData:
    """Return a C array with the addresses of the objects in `value`.

    Args:
        release: whether the call destroys the objects, so that they are closed.
    """
    if isinstance(value, (int, ffi.CData)) or value is None:
        return array(value, "Q", length, name)
    try:
        if isinstance(value, (str, bytes, bytearray, memoryview)):
            raise TypeError(f"expected a sequence of {ctype}, got {a_kind(value)}")
        values = read_elements(value)
        addresses = addresses_of(values, lambda each: address_of(each, ctype, optional=False))
        if 0 in addresses:
            raise TypeError(f"expected a {ctype} at {addresses.index(0)}, got NULL")
        check_length(len(addresses), length)
    except (TypeError, OverflowError) as error:
        raise refused(name, str(getattr(error, "message", error)), value) from error
    if release:
        for each in values:
            if isinstance(each, Family):
                each._detach(ctype)
    return ffi.from_buffer(pack(addresses, "Q"))


# Single elements, by the name of their data type -------------------------------------------------

_FORMATS = {
    "FLOAT": "f",
    "DOUBLE": "d",
    "HALF": "e",
    "INT8": "b",
    "INT32": "i",
    "INT64": "q",
    "UINT8": "B",
    "BOOLEAN": "?",
}


def element(value: object, data_type: int, name: str) -> FFI.CData:
    """Return memory with one element of `data_type`, from a number; other memory as it is."""
    if value is None:
        return ffi.NULL
    try:
        kind = active().enum("DataType")(data_type).name
        form = _FORMATS.get(kind)
        memory = None if isinstance(value, (int, ctypes._SimpleCData)) else describe(value)
        if memory is not None:
            size = 2 if kind == "BFLOAT16" else struct.calcsize(form or "")
            if memory.size is not None and memory.size < size:
                raise TypeError(f"expected {size} bytes, got {memory.size}")
            if form in NUMBERS:
                check_elements(memory, form)
            return keep_pointer(memory)
        if kind == "BFLOAT16":
            data = encode_numbers([to_float(value)], "bfloat16")
        elif form is not None:
            data = struct.pack(form, to_float(value) if form in "fde" else _to_whole(value))
        else:
            error = refused(name, f"a number cannot be turned into one {kind}", value)
            error.hint = "pass memory that holds the element"
            raise error
    except (struct.error, TypeError, ValueError, OverflowError) as error:
        raise refused(name, str(error), value) from error
    return ffi.new("char[]", data + bytes(8 - len(data)))


def _to_whole(value: object) -> int:
    """Return an int, also from a float that is whole."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return to_int(value, *NUMBERS["q"].range)


def keep_pointer(memory: HostMemory) -> FFI.CData:
    """Return memory as an argument that keeps it as it is until the call is over."""
    pointer = ffi.cast("char *", memory.address)
    if memory.keep is None:
        return pointer
    return ffi.gc(pointer, lambda _, keep=memory.keep: None)  # noqa: ARG005


def element_value(buffer: object, data_type: TolerantEnum) -> object:
    """Return the number in memory that cuDNN filled with one element of `data_type`."""
    data = bytes(ffi.buffer(buffer))
    kind = data_type.name
    if kind == "BFLOAT16":
        return struct.unpack("f", bytes(2) + data[:2])[0]
    form = _FORMATS.get(kind)
    return data if form is None else struct.unpack_from(form, data)[0]
