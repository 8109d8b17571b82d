"""Attributes of backend descriptors: elements of the type that another argument names."""

from __future__ import annotations

import ctypes
import numbers
from collections.abc import Sequence

from _cffi_backend import FFI

from ... import arrays, errors
from ..._object import Adopting, Family
from ..._support.results import NamedTuple
from ..._support.wording import a_kind
from ..._tables import active
from ..codes import ARRAY_LIMIT, NUMBERS
from ..layer import ffi
from .addresses import address_of, addresses_of
from .elements import check_length, keep_pointer, pack, read_elements
from .host import HostMemory, check_contiguous, check_elements, describe
from .messages import refused
from .scalars import is_sequence

#: Codes of the elements of the attribute types that are no enums, by name.
_CODES = {
    "HANDLE": "Q",
    "VOID_PTR": "Q",
    "BACKEND_DESCRIPTOR": "Q",
    "INT64": "q",
    "INT32": "i",
    "FLOAT": "f",
    "DOUBLE": "d",
    "BOOLEAN": "B",
    "CHAR": "B",
    "FRACTION": "q",
}


class _Elements(NamedTuple):
    """The parts of an attribute: the name of its type, the code of C's elements, their number.

    The code is "" for a type whose size these tables do not know.
    """

    name: str
    code: str
    length: int

    @property
    def size(self) -> int:
        return self.length * NUMBERS[self.code].size

    def check_known(self, value: object) -> None:
        """Refuse `value`, which is no memory, where the size of an element is not known."""
        if not self.code:
            raise TypeError(
                f"expected memory, such as bytes or an array, got {a_kind(value)}: how large "
                f"an element of {self.name} is is not known"
            )


def _find_elements(attribute_type: int, count: int) -> _Elements:
    tables = active()
    name: str = tables.enum("BackendAttributeType")(attribute_type).name
    if count < 0:
        raise TypeError(f"the number of its elements is {count}, below 0")
    if count > ARRAY_LIMIT:
        raise OverflowError(f"{count} is out of range, 0 to {ARRAY_LIMIT}")
    factor = 2 if name == "FRACTION" else 1  # numerator and denominator
    code = _CODES.get(name) or ("i" if tables.attribute_enum(name) is not None else "")
    return _Elements(name, code, count * factor)


def attribute_in(
    value: object, attribute_type: int, count: int, name: str, owner: object = None
) -> FFI.CData:
    """Return a C array of elements: numbers, enums, objects, fractions, text, memory.

    Args:
        owner: the descriptor that gets the attribute; it keeps the objects alive.
    """
    try:
        return _to_elements(value, _find_elements(attribute_type, count), name, owner)
    except errors.CudnnError:
        raise
    except (TypeError, OverflowError) as error:
        raise refused(name, str(error), value) from error


def _to_elements(value: object, wanted: _Elements, name: str, owner: object) -> FFI.CData:
    if value is None:
        if wanted.length:
            raise errors.NullPointerError(
                f"{name}: expected {wanted.length} elements, got None",
                arguments={name: "None"},
            )
        return ffi.NULL
    if isinstance(value, str) and wanted.name == "CHAR":
        value = value.encode()
    memory = None if isinstance(value, (list, tuple, numbers.Number)) else describe(value)
    raw = memory is not None and (memory.size is None or memory.element in (None, ("int", 1)))
    if memory is not None and (raw or not wanted.code):
        _check_size(memory, wanted)
        return keep_pointer(memory)
    wanted.check_known(value)
    if memory is not None and not _is_one(value):
        values = read_elements(value)
    elif isinstance(value, (list, tuple)):
        values = tuple(value)
    else:
        is_array = getattr(value, "__array_interface__", None) is not None
        has_axes = is_array and getattr(value, "shape", None)
        values = read_elements(value) if has_axes else (value,)
    if wanted.name == "FRACTION" and any(isinstance(each, (tuple, list)) for each in values):
        values = tuple(part for each in values for part in read_elements(each))
    if wanted.code == "Q":
        _keep_alive(owner, values)
        values = tuple(addresses_of(values, lambda each: _to_address(each, name)))
    else:
        for index, each in enumerate(values):
            if type(each) is not int and is_sequence(each):
                raise TypeError(f"element {index}: expected a number, got {a_kind(each)}")
    check_length(len(values), wanted.length)
    if wanted.name == "VOID_PTR":
        # cuDNN reads overrides of shapes and strides as one std::vector, which has three pointers:
        # with NULL as the only element it is empty.
        values = (*values, 0, 0)
    return ffi.from_buffer(pack(values, wanted.code))


def _is_one(value: object) -> bool:
    """Return whether memory is one number: of ctypes, or an array without dimensions."""
    return isinstance(value, ctypes._SimpleCData) or getattr(value, "shape", None) == ()


def _check_size(memory: HostMemory, wanted: _Elements) -> None:
    """Refuse memory that is smaller than the elements, or holds others, as far as that is known."""
    if not wanted.code:
        check_contiguous(memory)
        return
    check_elements(memory, wanted.code)
    if memory.size is not None and memory.size < wanted.size:
        width = NUMBERS[wanted.code].size
        raise TypeError(
            f"expected {wanted.length} elements of {width} bytes, got {memory.size} bytes"
        )


class _References(dict):  # type: ignore[type-arg]
    """All objects that were set as attributes of a descriptor, by identity."""


def _keep_alive(owner: object, values: Sequence[object]) -> None:
    """Keep objects alive by a descriptor, and close it before a handle that is among them."""
    if not isinstance(owner, Family):
        return
    kept = getattr(owner, "_keep", None)
    for each in values:
        if isinstance(each, Family):
            if not isinstance(kept, _References):
                kept = owner._keep = _References({0: kept})
            kept[id(each)] = each
            if isinstance(each, Adopting):
                each.adopt(owner)


def _to_address(value: object, name: str) -> int:
    if value is None:
        return 0
    ctype = getattr(value, "_c_name", None)
    try:
        if ctype is not None:
            return address_of(value, ctype, optional=False)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        return arrays.device_pointer(value)
    except TypeError as error:
        raise refused(name, str(getattr(error, "message", error)), value) from error


def attribute_out(value: object, attribute_type: int, count: int, name: str) -> FFI.CData:
    """Return memory for `count` elements of an attribute.

    cuDNN does not make descriptors but fills them, so the caller passes them; other memory may be
    passed too.
    """
    try:
        wanted = _find_elements(attribute_type, count)
        if value is None:
            if not wanted.length:
                return ffi.NULL
            wanted.check_known(value)
            return ffi.new("char[]", wanted.size)
        if isinstance(value, str):
            raise TypeError("expected memory to write to, got a str")
        if not isinstance(value, (list, tuple, Family)):
            memory = describe(value)
            if memory is None:
                raise TypeError(f"expected memory to write to, got {a_kind(value)}")
            if not memory.writable:
                raise TypeError(
                    f"expected memory to write to, got a read-only {type(value).__name__}"
                )
            _check_size(memory, wanted)
            return keep_pointer(memory)
        return _to_elements(value, wanted, name, None)
    except errors.CudnnError:
        raise
    except (TypeError, OverflowError) as error:
        raise refused(name, str(error), value) from error


def attribute_size(attribute_type: int) -> int:
    """Return the bytes of one element of an attribute type."""
    return _find_elements(attribute_type, 1).size


def attribute_values(buffer: object, attribute_type: int, count: int) -> list[object]:
    """Return the elements that cuDNN wrote: numbers, enum members, addresses, pairs.

    If their size is not known, none are returned: the caller has the memory.
    """
    name, code, _ = _find_elements(attribute_type, count)
    if not count or buffer == ffi.NULL or not code:
        return []
    ctype = NUMBERS[code].ctype if name != "CHAR" else "char"
    if name == "FRACTION":
        flat = ffi.unpack(ffi.cast("int64_t *", buffer), count * 2)
        return list(zip(flat[::2], flat[1::2], strict=True))
    values = ffi.unpack(ffi.cast(f"{ctype} *", buffer), count)
    if name == "CHAR":
        return [values]
    if name == "BOOLEAN":
        return [bool(each) for each in values]
    cls = active().attribute_enum(name)
    return [cls(each) for each in values] if cls is not None else list(values)
