"""Classes for structs, as `ctypes` has them."""

from __future__ import annotations

import ctypes
import math
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from .. import errors
from .._support.constructors import Shown
from .._support.wording import a

if TYPE_CHECKING:
    from _ctypes import _CData
    from collections.abc import Callable, Sequence

    from .enums import TolerantEnum

    #: A member: its name, C type, offset, bytes, the number of elements, and the name of its type.
    Field = tuple[str, str, int, int, int | None, str | None]

    #: C name, header, "struct" or "union", bytes, alignment, and the members of a struct.
    Row = tuple[str, str, str, int, int, Sequence[Field]]

    class Owner(Protocol):
        """The tables that a struct belongs to, where it finds the types of its members."""

        release: str

        @property
        def releases(self) -> str: ...
        def enum(self, name: str) -> type[TolerantEnum]: ...
        def enum_of(self, c_type: str) -> type[TolerantEnum] | None: ...
        def record(self, name: str) -> type[ctypes.Structure]: ...
        @property
        def typedefs(self) -> Mapping[str, str]: ...


_C_TYPES: Mapping[str, type[_CData]] = {
    "_Bool": ctypes.c_bool,
    "signed char": ctypes.c_byte,
    "unsigned char": ctypes.c_ubyte,
    "short": ctypes.c_short,
    "unsigned short": ctypes.c_ushort,
    "int": ctypes.c_int,
    "unsigned int": ctypes.c_uint,
    "long": ctypes.c_long,
    "unsigned long": ctypes.c_ulong,
    "int8_t": ctypes.c_int8,
    "uint8_t": ctypes.c_uint8,
    "int16_t": ctypes.c_int16,
    "uint16_t": ctypes.c_uint16,
    "int32_t": ctypes.c_int32,
    "uint32_t": ctypes.c_uint32,
    "int64_t": ctypes.c_int64,
    "uint64_t": ctypes.c_uint64,
    "long long": ctypes.c_longlong,
    "unsigned long long": ctypes.c_ulonglong,
    "size_t": ctypes.c_size_t,
    "intptr_t": ctypes.c_ssize_t,
    "uintptr_t": ctypes.c_size_t,
    "ptrdiff_t": ctypes.c_ssize_t,
    "float": ctypes.c_float,
    "double": ctypes.c_double,
    "char": ctypes.c_char,
}


class _RecordMethods:
    """The methods of all struct classes."""

    _members: tuple[str, ...] = ()
    _fields_: Sequence[tuple[str, type[_CData]]]

    @property
    def address(self) -> int:
        """The address of the struct in host memory, which is good as long as this object lives."""
        return ctypes.addressof(self)  # type: ignore[arg-type]

    def __repr__(self) -> str:
        parts = (f"{name}={getattr(self, name)!r}" for name in self._members)
        return f"{type(self).__name__}({', '.join(parts)})"

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and bytes(self) == bytes(other)  # type: ignore[call-overload]

    __hash__ = None  # type: ignore[assignment]

    def __setattr__(self, name: str, value: object) -> None:
        try:
            super().__setattr__(name, value)
        except (TypeError, RuntimeError):
            raise errors.ArgumentError(
                f"{type(self).__name__}.{name}: expected {_expected(self, name)}, got {value!r}"
            ) from None


def _expected(record: _RecordMethods, name: str) -> str:
    """Return in words what a member of a struct takes."""
    fields: dict[str, type[_CData]] = dict(record._fields_)
    kind = fields.get(name) or fields.get(f"_{name}")
    if kind in (ctypes.c_float, ctypes.c_double):
        return "a number"
    if kind is ctypes.c_void_p:
        return "an address or None"
    if isinstance(kind, type) and issubclass(kind, ctypes.Array):
        return f"at most {kind._length_} values"
    if isinstance(kind, type) and issubclass(kind, _RecordMethods):
        return f"{a(kind.__name__)}"
    return "a whole number"


def make_record(name: str, row: Row, owner: Owner) -> type[ctypes.Structure]:
    """Make the class of a struct from a row of a release's tables."""
    c_name, header, kind, size, align, rows = row
    base = ctypes.Union if kind == "union" else ctypes.Structure
    fields: list[tuple[str, type[_CData]]] = []
    offsets: list[int] = []
    namespace: dict[str, object] = {
        "__doc__": f"{c_name} of {header}, as in cuDNN {owner.releases}.",
        "__module__": f"cudnn_cffi.v{owner.release.replace('.', '_')}",
        "_members": tuple(row[0] for row in rows if row[0] != "reserved"),
    }
    for field, spelled, offset, width, length, nested in rows:
        offsets.append(offset)
        bounds = [int(bound) for bound in re.findall(r"\[(\d+)\]", spelled)]
        ctype = spelled.partition("[")[0]
        if "(" in spelled:  # a pointer to a function, whatever that takes
            ctype, bounds = "void *", []
        width //= math.prod(bounds) * (length or 1)
        tagged = ctype.removeprefix("struct ").removeprefix("enum ")
        named = owner.typedefs.get(nested or tagged)
        enum = named if nested is None and owner.enum_of(tagged) is not None else None
        kind_of: Any
        if named is not None and enum is None:
            kind_of = owner.record(named)
        elif enum is not None or ctype in _C_TYPES:
            kind_of = _C_TYPES.get(ctype, ctypes.c_int)
        else:
            kind_of = ctypes.c_void_p if width == 8 else None
        if kind_of is None:
            raise errors.CudnnError(f"{c_name}.{field}: no rule for the type {spelled}")
        for bound in reversed(bounds):
            kind_of *= bound
        stored = field
        if enum is not None and length is None:
            stored = f"_{field}"
            namespace[field] = _enum_member(stored, owner, enum)
        fields.append((stored, kind_of * length if length is not None else kind_of))
    namespace["_fields_"] = fields
    # In C, members of an anonymous struct are members of the struct around it.
    namespace["_anonymous_"] = [name for name, _ in fields if name.startswith("anonymous_")]
    if any(stored.startswith("_") for stored, _ in fields):
        namespace |= _initialized(fields)
    metaclass: type = type(base)
    cls: type[ctypes.Structure] = metaclass(name, (_RecordMethods, base), namespace)
    natural = [getattr(cls, stored).offset for stored, _ in fields]
    if (natural, ctypes.sizeof(cls), ctypes.alignment(cls)) != (offsets, size, align):
        namespace |= _initialized(fields)
        namespace |= {"_pack_": 1, "_fields_": _padded(fields, offsets, size, kind)}
        if align > _ALIGNED:
            namespace["__new__"] = _aligned(size, align)
        cls = metaclass(name, (_RecordMethods, base), namespace)
    got = ctypes.sizeof(cls)
    if got != size:
        raise errors.CudnnError(f"{c_name}: expected {size} bytes, got {got}")
    return cls


#: Bytes that all memory of Python's and of ctypes' is aligned to.
_ALIGNED = 8


def _padded(
    fields: list[tuple[str, type[_CData]]], offsets: list[int], size: int, kind: str
) -> list[tuple[str, type[_CData]]]:
    """Return the fields of a packed struct with bytes between them, so that each is at its offset.

    Between them are bits that are no members here, or what an attribute of C's asks for.
    """
    if kind == "union":
        return [*fields, ("_all", ctypes.c_char * size)]
    laid: list[tuple[str, type[_CData]]] = []
    end = 0
    for (stored, kind_of), offset in zip(fields, offsets, strict=True):
        if offset > end:
            laid.append((f"_before_{stored}", ctypes.c_char * (offset - end)))
        laid.append((stored, kind_of))
        end = offset + ctypes.sizeof(kind_of)
    if size > end:
        laid.append(("_last", ctypes.c_char * (size - end)))
    return laid


def _aligned(size: int, align: int) -> Callable[..., ctypes.Structure]:
    def __new__(cls: type[ctypes.Structure], *_: object, **__: object) -> ctypes.Structure:
        memory = ctypes.create_string_buffer(size + align)
        return cls.from_buffer(memory, -ctypes.addressof(memory) % align)

    return __new__


def _enum_member(stored: str, owner: Owner, enum: str) -> property:
    def get(self: object) -> TolerantEnum:
        return owner.enum(enum)(getattr(self, stored))

    def put(self: object, value: int) -> None:
        setattr(self, stored, value)

    return property(get, put)


def _initialized(fields: list[tuple[str, type[_CData]]]) -> dict[str, object]:
    """Return what makes a class take values for these fields alone, by their names."""
    members = [(stored.removeprefix("_"), 0, None) for stored, _ in fields]
    return {"__init__": _initializer(fields), "__signature__": Shown(lambda _: members)}


def _initializer(fields: list[tuple[str, type[_CData]]]) -> Callable[..., None]:
    names = [stored.removeprefix("_") for stored, _ in fields]

    def __init__(self: object, *values: object, **named: object) -> None:
        if len(values) > len(names):
            raise TypeError(f"expected at most {len(names)} values, got {len(values)}")
        members = dict(zip(names, values, strict=False))
        for name, value in named.items():
            if name not in names or name in members:
                raise TypeError(f"unexpected or repeated value for {name!r}")
            members[name] = value
        for name, value in members.items():
            setattr(self, name, value)

    return __init__
