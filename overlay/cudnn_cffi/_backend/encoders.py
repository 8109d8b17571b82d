"""The elements of attributes as C has them, from values of Python.

An encoder takes a value and returns how many elements it is, and their bytes. It raises TypeError
or OverflowError for other values; the caller names the attribute.
"""

from __future__ import annotations

import numbers
import struct
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from .. import arrays, errors
from .._call import describe_host, ffi, to_float, to_int
from .._object import Family
from .._support.wording import a
from .._tables import ENUM_TYPES, find_member, members_hint

if TYPE_CHECKING:
    from .schema import Attribute

    Encode = Callable[[Any], tuple[int, Any]]


_pack_address = struct.Struct("=Q").pack
_pack_int64 = struct.Struct("=q").pack
_pack_float = struct.Struct("=f").pack
_pack_double = struct.Struct("=d").pack

_INT64 = (-(1 << 63), (1 << 63) - 1)
_INT32 = (-(1 << 31), (1 << 31) - 1)


def is_plain(type_: str) -> bool:
    """Return whether elements of an attribute type are no members of an enum."""
    return type_ in _ONE


def is_known(type_: str, attribute: Attribute) -> bool:
    """Return whether elements of one of an attribute's types can be converted."""
    return is_plain(type_) or attribute.enum is not None


def make_encoder(type_: str, attribute: Attribute, cls: object) -> Encode:
    """Return the encoder of an attribute.

    Args:
        type_: one of its types.
        attribute: its record.
        cls: the enum of its members, or the class of descriptors that it holds, or None.
    """
    if type_ == "CHAR":
        return _encode_text
    if type_ == "BACKEND_DESCRIPTOR":
        one = _make_child(cls)
    elif cls is not None:
        one = _make_member(cls)
    else:
        one = _ONE[type_]
    if not attribute.many:
        return lambda value: (1, one(value))
    if attribute.nested:
        return lambda value: (1, value.vector)
    return _make_list(one, attribute)


class Rows(tuple):  # type: ignore[type-arg]
    """Lists of integers, with the std::vector of vectors of int64_t that holds them.

    It is laid out as libstdc++ does, and lives as long as this.
    """

    vector: Any
    _memory: Any

    def __new__(cls, value: object) -> Rows:
        rows = []
        for place, row in enumerate(_items(value)):
            try:
                rows.append(tuple([_to_int(each, *_INT64) for each in _items(row)]))
            except (TypeError, OverflowError) as error:
                raise type(error)(f"element {place}: {getattr(error, 'message', error)}") from None
        self = super().__new__(cls, rows)
        memory = [ffi.new("int64_t[]", row) for row in rows]
        spans = [_span(each, len(row), 8) for each, row in zip(memory, rows, strict=True)]
        inner = ffi.new("uintptr_t[]", [address for span in spans for address in span])
        self._memory = (memory, inner)
        self.vector = ffi.new("uintptr_t[3]", _span(inner, len(rows), 24))
        return self


def _span(memory: object, count: int, size: int) -> tuple[int, int, int]:
    """Return the three pointers of a vector: its begin, its end, and the end of its memory."""
    begin = int(ffi.cast("uintptr_t", memory)) if count else 0
    return begin, begin + count * size, begin + count * size


def _make_list(one: Callable[[Any], bytes], attribute: Attribute) -> Encode:
    def encode(value: object) -> tuple[int, bytes]:
        items = _items(value)
        _check_most(len(items), attribute)
        parts = []
        for place, item in enumerate(items):
            try:
                parts.append(one(item))
            except (TypeError, OverflowError) as error:
                text = getattr(error, "message", error)
                raise type(error)(f"element {place}: {text}") from None
        return len(items), b"".join(parts)

    return encode


def _items(value: Any) -> Sequence[Any]:
    """Return the elements of a list, tuple, range or array; TypeError for anything else."""
    if isinstance(value, (list, tuple)):
        return value
    if not isinstance(value, (str, bytes, bytearray, Family)) and not hasattr(value, "keys"):
        try:
            return list(value)
        except TypeError:
            pass
    raise TypeError(f"expected a sequence, got {_shown(value)}")


def _shown(value: object) -> str:
    if isinstance(value, (int, float, str)):
        return repr(value)
    return "None" if value is None else a(type(value).__name__)


def _check_most(count: int, attribute: Attribute) -> None:
    if attribute.most is not None and count > attribute.most:
        raise TypeError(f"expected at most {attribute.most} elements, got {count}")


def _encode_text(value: object) -> tuple[int, bytes]:
    if not isinstance(value, str):
        raise TypeError(f"expected a str, got {_shown(value)}")
    if "\0" in value:
        raise TypeError("expected a str without NUL")
    try:
        data = value.encode() + b"\0"
    except UnicodeEncodeError:
        raise TypeError("expected a str that has an encoding in UTF-8") from None
    return len(data), data


def _to_int(value: object, low: int, high: int) -> int:
    if isinstance(value, Family):  # whose index is its address
        raise TypeError(f"expected an int, got {_shown(value)}")
    return to_int(value, low, high)


def _int64(value: object) -> bytes:
    try:
        return _pack_int64(value if type(value) is int else _to_int(value, *_INT64))
    except struct.error:
        raise OverflowError(f"{value} is out of range, {_INT64[0]} to {_INT64[1]}") from None


def _int32(value: object) -> bytes:
    return struct.pack("=i", _to_int(value, *_INT32))


def _float(value: object) -> bytes:
    number = to_float(value)
    try:
        return _pack_float(number)
    except OverflowError:
        raise OverflowError(f"{number} is out of range of a float") from None


def _double(value: object) -> bytes:
    return _pack_double(to_float(value))


def _bool(value: object) -> bytes:
    if value is True or value is False:
        return b"\1" if value else b"\0"
    if getattr(getattr(value, "dtype", None), "kind", "") == "b":
        return b"\1" if value else b"\0"
    if isinstance(value, int) and value in (0, 1):
        return b"\1" if value else b"\0"
    raise TypeError(f"expected a bool, got {_shown(value)}")


def _fraction(value: object) -> bytes:
    if isinstance(value, (tuple, list)):
        if len(value) != 2:
            raise TypeError(f"expected a numerator and a denominator, got {value!r}")
        parts = value
    elif isinstance(value, numbers.Rational):
        parts = (value.numerator, value.denominator)
    else:
        raise TypeError(f"expected a fraction, got {_shown(value)}")
    numerator, denominator = (_to_int(each, *_INT64) for each in parts)
    if not denominator:
        raise TypeError("expected a denominator other than 0")
    return struct.pack("=qq", numerator, denominator)


def _handle(value: object) -> bytes:
    if type(value) is int:
        return _pack_address(to_int(value, 0, (1 << 64) - 1))
    slot = getattr(type(value), "_cudnnHandle_t", None)
    if not isinstance(value, Family) or slot is None:
        raise TypeError(f"expected a Handle or its address, got {_shown(value)}")
    return _pack_address(value.address)


def _pointer(value: object) -> bytes:
    if type(value) is int:
        return _pack_address(to_int(value, 0, (1 << 64) - 1))
    if value is None:
        return _pack_address(0)
    if isinstance(value, (bool, float, str, Family)):
        raise TypeError(f"expected an address or an array, got {_shown(value)}")
    try:
        return _pack_address(to_int(arrays.device_pointer(value), 0, (1 << 64) - 1))
    except TypeError as error:
        memory = describe_host(value)
        if memory is None:
            raise TypeError(f"expected an address or an array, got {_shown(value)}") from error
        return _pack_address(to_int(memory.address, 0, (1 << 64) - 1))


_ONE: dict[str, Callable[[Any], bytes]] = {
    "BOOLEAN": _bool,
    "CHAR": _bool,
    "DOUBLE": _double,
    "FLOAT": _float,
    "FRACTION": _fraction,
    "HANDLE": _handle,
    "INT32": _int32,
    "INT64": _int64,
    "VOID_PTR": _pointer,
    "BACKEND_DESCRIPTOR": _pointer,
}


class _Members(dict[int, bytes]):
    """Members of an enum as C has them."""

    def __missing__(self, member: int) -> bytes:
        data = self[member] = struct.pack("=i", member)
        return data


def _make_member(cls: Any) -> Callable[[Any], bytes]:
    known = _Members()
    own = ENUM_TYPES[cls]

    def encode(value: Any) -> bytes:
        if type(value) is cls:
            return known[value]
        return known[_find(value)]

    def _find(value: Any) -> Any:
        if isinstance(value, str):
            member = find_member(cls, value)
            if member is None:
                raise errors.ArgumentError(
                    f"expected {a(cls.__name__)}, got {value!r}", hint=members_hint(cls, value)
                )
            return member
        other = ENUM_TYPES.get(type(value))
        if other is not None:
            if other != own:
                raise TypeError(
                    f"expected {a(cls.__name__)}, got {type(value).__name__}.{value.name}"
                )
            # A member of another release's tables: look it up by name, its number may differ here.
            member = find_member(cls, value.name)
            if member is None:
                raise TypeError(f"expected a {cls.__name__} of this release, got {value!r}")
            return member
        if isinstance(value, (bool, Family)) or not hasattr(type(value), "__index__"):
            raise TypeError(f"expected {a(cls.__name__)}, got {_shown(value)}")
        number = to_int(value, *_INT32)
        if number not in cls._member_map_.values():
            raise TypeError(f"expected {a(cls.__name__)}, {number} is not one of its members")
        return cls(number)

    return encode


def _make_child(cls: Any) -> Callable[[Any], bytes]:
    def encode(value: Any) -> bytes:
        if not issubclass(type(value), cls):  # whatever its class says that it is
            other = _shown(value)
            if type(value).__name__ == cls.__name__:
                other = f"a {type(value).__module__}.{cls.__name__}"
            raise TypeError(f"expected {a(cls.__name__)}, got {other}")
        if not value.finalized:
            value.address  # noqa: B018  raises where it is closed
            raise errors.NotFinalizedError(
                f"expected a finalized {cls.__name__}, got one that is not finalized"
            )
        return _pack_address(value.address)

    return encode
