"""One number from one argument: integers by `__index__` alone, floats by `__float__`."""

from __future__ import annotations

import ctypes
import numbers
import operator
from collections.abc import Iterable

from _cffi_backend import FFI

from ... import errors
from ..._support.wording import a_kind
from ..._tables import ENUM_TYPES, expected_member
from ..codes import NUMBERS
from .host import INTEGERS, c_code, ffi, is_c_integer

#: An int from here on is more likely an address than a scaling factor.
_ADDRESSES = 1 << 24


def to_int(value: object, low: int, high: int) -> int:
    """Return a whole number by its `__index__`, asked once, as an int that no class has changed.

    Raises:
        TypeError: it is no whole number.
        OverflowError: it is not between `low` and `high`.
    """
    number = value
    if isinstance(value, ctypes._SimpleCData) and c_code(value) in (*INTEGERS, "?"):
        number = value.value
    elif isinstance(value, FFI.CData) and is_c_integer(value):
        number = int(value)
    if type(number) is not int:
        if isinstance(number, (float, str, bytes)) or number is None or is_sequence(number):
            raise TypeError(f"expected an int, got {a_kind(value)}")
        try:
            number = int.__index__(operator.index(number))  # type: ignore[arg-type]
        except TypeError as error:
            if hasattr(type(number), "__index__") and not is_array(number):
                raise
            raise TypeError(f"expected an int, got {a_kind(value)}") from error
    if not low <= number <= high:
        raise OverflowError(f"{number} is out of range, {low} to {high}")
    return number


def is_sequence(value: object) -> bool:
    """Return whether a value has elements: it is no number, also where it could be read as one.

    They are stand-ins of tests, which have every method. An array without axes is a number.
    """
    return (
        isinstance(value, Iterable)
        and not isinstance(value, int)
        and getattr(value, "shape", None) != ()
    )


def is_array(value: object) -> bool:
    """Return whether a value has a length, or the array interface of NumPy."""
    return hasattr(type(value), "__len__") or hasattr(type(value), "__array_interface__")


class _LatestClasses(dict[str, "list[type | None]"]):
    """By C name of an enum, the class whose members are taken as numbers: the last one seen."""

    def __missing__(self, ctype: str) -> list[type | None]:
        bare = ctype.removeprefix("const ")
        entry = self[ctype] = [None] if bare == ctype else self[bare]
        return entry


#: A list of one class for each enum: a compiled callable reads it with every call.
latest_class = _LatestClasses()


def to_enum(value: object, ctype: str, code: str = "i") -> int:
    """Return the number of an enum's member, of whichever release's class, or a number as it is."""
    cls = type(value)
    own = ENUM_TYPES.get(cls)
    if own is not None:
        if own != ctype:
            raise TypeError(f"expected a {ctype}, got a {own}: {cls.__name__}.{value}")
        latest_class[ctype][0] = cls
    if isinstance(value, str) and (error := expected_member(ctype, value)):
        raise error
    return to_int(value, *NUMBERS[code].range)


def to_float(value: object) -> float:
    """Return a number by its `__float__`, as a float that no class has changed."""
    if isinstance(value, float):
        return float.__float__(value)
    if isinstance(value, ctypes._SimpleCData) and c_code(value) in (*INTEGERS, *"?fd"):
        return float(value.value)
    if isinstance(value, (str, bytes, bytearray)) or value is None or _is_complex(value):
        raise TypeError(f"expected a float, got {a_kind(value)}")
    try:
        return float(value)  # type: ignore[arg-type]
    except TypeError as error:
        if hasattr(type(value), "__float__") and not is_array(value):
            raise
        raise TypeError(f"expected a float, got {a_kind(value)}") from error


def _is_complex(value: object) -> bool:
    """Return whether `float` would cut an imaginary part off."""
    if isinstance(value, numbers.Complex):
        return not isinstance(value, numbers.Real)
    return getattr(getattr(value, "dtype", None), "kind", "") == "c"


def check_address(number: object) -> int:
    """Return an address that somebody's attribute or method gave; only an int is one."""
    if type(number) is not int:
        raise TypeError(f"expected an address, got {a_kind(number)}")
    return number


def to_scale(value: object) -> float:
    """Return a scaling factor, from a number or from host memory with one."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        if isinstance(value, int) and abs(value) > _ADDRESSES:
            raise errors.ArgumentError(
                f"expected a scaling factor, got {value}, which looks like an address",
                hint="pass the number itself, or a typed pointer (ctypes, cffi, NumPy)",
            )
        return float(value)
    if isinstance(value, (bool, str, bytes)) or value is None:
        raise TypeError(f"expected a number, got {a_kind(value)}")
    if isinstance(value, FFI.CData):
        kind = ffi.typeof(value)
        if kind.kind in ("pointer", "array") and kind.item.cname in ("float", "double"):
            if value == ffi.NULL:
                raise errors.NullPointerError("expected a number, got NULL")
            if kind.kind == "array" and not len(value):
                raise TypeError("expected a number, got an empty array")
            return float(value[0])
        raise TypeError(f"expected a number, got a {kind.cname}")
    if isinstance(value, (ctypes.c_float, ctypes.c_double)):
        return float(value.value)
    if isinstance(value, ctypes._Pointer):
        return to_float(value.contents)
    if is_on_device(value):
        raise TypeError("expected a number in host memory, got device memory")
    size = getattr(value, "size", 1)
    if size not in (1, None) and not callable(size):
        raise TypeError(f"expected one number, got {size}")
    try:
        return to_float(value)
    except (TypeError, ValueError):
        raise TypeError(f"expected a number, got {a_kind(value)}") from None


def is_on_device(value: object) -> bool:
    """Return whether an array says that it lies in device memory."""
    if hasattr(value, "is_cuda"):  # whose interface raises where a gradient is wanted
        return bool(value.is_cuda)
    return getattr(value, "__cuda_array_interface__", None) is not None
