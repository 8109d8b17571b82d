"""Memory on the host that a caller hands over: where it is, how large, and what its elements are.

`describe` takes every kind of it: what has Python's buffer protocol (bytearray, memoryview,
array.array, NumPy), instances of ctypes, what cffi owns, and pointers of both. Nothing is
known about the memory at a bare address or a pointer: the caller says that it is large enough.
"""

from __future__ import annotations

import ctypes
import numbers
import sys
from _ctypes import CFuncPtr

from _cffi_backend import FFI

from ..._support.results import NamedTuple
from ..codes import NUMBERS

#: Codes of C's integers, in the struct module, array.array, ctypes and the buffer protocol alike.
INTEGERS = "bBhHiIlLqQ"

_FLOATS = "efdg"
_POINTERS = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_wchar_p, ctypes._Pointer, CFuncPtr)
_INSTANCES = (ctypes._SimpleCData, ctypes.Structure, ctypes.Union, ctypes.Array)

#: Reads values of any FFI; the ones of the call layer have declarations, too.
ffi = FFI()
_OWNED = type(ffi.new("int *"))


class HostMemory(NamedTuple):
    """Facts about memory on the host.

    Attributes:
        address: where it begins; 0 for NULL.
        size: bytes; None where only the address is known.
        writable: False for memory that must not change, as that of bytes.
        element: "int" or "float" (or "other", or "strided" where they are not next to each other)
            and the bytes of one; None where nobody says.
        keep: what keeps the memory where it is, and as large as it is, as long as it lives.
    """

    address: int
    size: int | None
    writable: bool
    element: tuple[str, int] | None
    keep: object


def describe(value: object) -> HostMemory | None:
    """Return what is known of the memory that `value` is, or points to; None for no memory.

    Raises:
        OverflowError: it is an int that no address can be.
    """
    if isinstance(value, FFI.CData):
        return _of_cffi(value)
    if isinstance(value, _POINTERS):
        address = ctypes.cast(value, ctypes.c_void_p).value or 0
        target = (
            getattr(type(value), "_type_", None) if isinstance(value, ctypes._Pointer) else None
        )
        return HostMemory(address, None, True, _ctypes_element(target), value)
    if isinstance(value, _INSTANCES):
        where, size = ctypes.addressof(value), ctypes.sizeof(value)
        return HostMemory(where, size, True, _ctypes_element(type(value)), value)
    if isinstance(value, numbers.Number):
        return _of_number(value)
    try:
        view = memoryview(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, BufferError):
        return None
    if not view.c_contiguous:
        return HostMemory(0, view.nbytes, not view.readonly, ("strided", view.itemsize), view)
    # The view keeps the memory from being resized. The view of cffi must not outlive this line:
    # Python crashes where it collects a view together with what took its buffer.
    address = _integer(ffi.from_buffer(view))
    element = _buffer_element(view.format, view.itemsize)
    return HostMemory(address, view.nbytes, not view.readonly, element, view)


def _of_number(value: object) -> HostMemory | None:
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        return None
    number = int.__index__(value.__index__())
    if not 0 <= number < 1 << 64:
        raise OverflowError(f"{number} is not an address")
    return HostMemory(number, None, True, None, None)


def _of_cffi(value: object) -> HostMemory | None:
    ctype = ffi.typeof(value)
    if ctype.kind in ("struct", "union"):
        size = ffi.sizeof(ctype)
        return HostMemory(_integer(ffi.addressof(value)), size, True, None, value)
    if ctype.kind == "array":
        element = _cffi_element(ctype.item)
        return HostMemory(_integer(value), ffi.sizeof(value), True, element, value)
    if ctype.kind == "pointer":
        size = ffi.sizeof(ctype.item) if type(value) is _OWNED else None
        return HostMemory(_integer(value), size, True, _cffi_element(ctype.item), value)
    if ctype.kind == "function":
        return HostMemory(_integer(value), None, True, None, value)
    return None


def check_contiguous(memory: HostMemory) -> None:
    """Refuse memory with gaps.

    Raises:
        TypeError: it has gaps.
    """
    if memory.element is not None and memory.element[0] == "strided":
        raise TypeError("expected contiguous memory, got memory with gaps")


def check_elements(memory: HostMemory, code: str) -> None:
    """Refuse memory whose elements are known to be others than `code`; bytes can be anything.

    Raises:
        TypeError: they are others, or there are gaps between them.
    """
    check_contiguous(memory)
    wanted = NUMBERS[code]
    if memory.element not in (None, (wanted.kind, wanted.size), ("int", 1)):
        kind, size = memory.element
        raise TypeError(
            f"expected {wanted.kind}s of {8 * wanted.size} bits, got {kind}s of {8 * size} bits"
        )


def c_code(value: object) -> str:
    """Return the code of a number of ctypes, such as c_int; "" for any other value."""
    return getattr(type(value), "_type_", "") if isinstance(value, ctypes._SimpleCData) else ""


def is_c_integer(value: object) -> bool:
    """Return whether a value of cffi's is an integer, or a member of an enum."""
    ctype = ffi.typeof(value)
    element = _cffi_element(ctype) if ctype.kind in ("primitive", "enum") else None
    return element is not None and element[0] == "int"


def _integer(pointer: object) -> int:
    return int(ffi.cast("uintptr_t", pointer))


def _cffi_element(ctype: FFI.CType) -> tuple[str, int] | None:
    while ctype.kind == "array":
        ctype = ctype.item
    if ctype.kind in ("enum", "pointer", "function"):
        return "int", ffi.sizeof(ctype)
    if ctype.kind != "primitive":
        return None
    name = ctype.cname
    kind = "other" if "complex" in name else "float" if name in _C_FLOATS else "int"
    return kind, ffi.sizeof(ctype)


_C_FLOATS = ("float", "double", "long double")


def _ctypes_element(kind: object) -> tuple[str, int] | None:
    while isinstance(kind, type) and issubclass(kind, ctypes.Array):
        kind = kind._type_
    if not (isinstance(kind, type) and issubclass(kind, (ctypes._SimpleCData, ctypes._Pointer))):
        return None
    code: object = getattr(kind, "_type_", "P")
    return _kind_of(code if isinstance(code, str) else "P"), ctypes.sizeof(kind)


def _buffer_element(form: str | None, size: int) -> tuple[str, int] | None:
    order, code = (form[0], form[1:]) if form and form[0] in "@=<>!" else ("@", form or "B")
    if code.startswith("T{") or (code[:-1].isdigit() and code[-1:] in "sx"):
        return None
    swapped = order in ">!" if sys.byteorder == "little" else order == "<"
    return ("other" if swapped and size > 1 else _kind_of(code)), size


def _kind_of(code: str) -> str:
    if code in _FLOATS:
        return "float"
    return "int" if code in INTEGERS or code in "nNPOzZ?c" else "other"
