"""The tables of one API as Python objects, made when first asked for."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Mapping
from enum import EnumType, IntEnum, IntFlag
from importlib import import_module
from numbers import Integral
from types import ModuleType

from .. import errors
from .._index import RELEASES
from .._support import fork as _fork

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["EnumMap", "Tables", "active", "enum_map", "record_class", "tables"]

_lock = _fork.lock()


class Tables:
    """The enums, flags, constants and structs of one API, by all names they go by."""

    def __init__(self, release: str) -> None:
        self.release = release
        self._module: ModuleType = import_module(f"cudnn_cffi.tables.v{release.replace('.', '_')}")
        self._made: dict[str, Any] = {}
        self._c_names: dict[str, Any] | None = None
        self._typedefs: dict[str, str] | None = None

    @property
    def functions(self) -> Mapping[str, str]:
        """The wrapper of each function that this API has, by its C name."""
        functions: Mapping[str, str] = self._module.FUNCTIONS
        return functions

    @property
    def attributes(self) -> Mapping[str, tuple[str, tuple[str, ...], bool | None, bool | None]]:
        """Owner, types, readable, writable of each backend attribute, by its C name."""
        found: Mapping[str, Any] = self._module.ATTRIBUTES
        return found

    def enum(self, name: str) -> Any:
        """The class of an enum or flag set; KeyError where this API has none of that name."""
        made = self._made.get(name)
        if made is not None:
            return made
        with _lock:
            if name not in self._made:
                if name in self._module.ENUMS:
                    self._made[name] = _enum(name, self._module.ENUMS[name], self.release, False)
                else:
                    self._made[name] = _enum(name, self._module.FLAGS[name], self.release, True)
            return self._made[name]

    def record(self, name: str) -> Any:
        """The class of a struct."""
        made = self._made.get(name)
        if made is not None:
            return made
        with _lock:
            if name not in self._made:
                self._made[name] = _record(name, self._module.RECORDS[name], self)
            return self._made[name]

    def typedefs(self) -> Mapping[str, str]:
        """Python names by C type names."""
        if self._typedefs is None:
            rows = {**self._module.ENUMS, **self._module.RECORDS}
            self._typedefs = {row[0]: name for name, row in rows.items()}
        return self._typedefs

    def enum_of(self, c_type: str) -> Any | None:
        """The class of a C enum type; None where the type is no enum."""
        name = self.typedefs().get(c_type)
        return self.enum(name) if name is not None and name in self._module.ENUMS else None

    def attribute_enum(self, type_name: str) -> Any | None:
        """The enum of the elements of an attribute type, given its name after CUDNN_TYPE_."""
        wanted = type_name.replace("_", "").lower().replace("attribname", "attributename")
        for name in self._module.ENUMS:
            plain = name.lower()
            if plain in (wanted, f"backend{wanted}") or (
                plain.startswith("backend") and plain.removeprefix("backendtensor") == wanted
            ):
                return self.enum(name)
        return None

    def c_name(self, member: Any) -> str:
        """The C name of an enum member; "" for one that the tables do not have."""
        row = self._module.ENUMS.get(type(member).__name__)
        found = row[3].get(member.name) if row is not None else None
        return found[0] if found is not None else ""

    def _by_c_name(self) -> dict[str, Any]:
        """Where each enumerator and bit is: by its C name, the class's and its own."""
        if self._c_names is None:
            names: dict[str, Any] = {}
            for rows in (self._module.ENUMS, self._module.FLAGS):
                for cls, (_, _, _, members) in rows.items():
                    for member, (c_name, _) in members.items():
                        names[c_name] = (cls, member)
            self._c_names = names
        return self._c_names

    def get(self, name: str) -> Any:
        """What `name` means in this API: a class, a member, a constant; KeyError if nothing."""
        module = self._module
        if name in module.ENUMS or name in module.FLAGS:
            return self.enum(name)
        if name in module.RECORDS and "." not in name:
            return self.record(name)
        if name in module.CONSTANTS:
            return module.CONSTANTS[name]
        if name in (typedefs := self.typedefs()):
            name = typedefs[name]
            return self.enum(name) if name in module.ENUMS else self.record(name)
        if name in (c_names := self._by_c_name()):
            cls, member = c_names[name]
            return self.enum(cls)[member]
        if name.startswith("CUDNN_") and hasattr(module, name):
            return getattr(module, name)
        raise KeyError(name)

    def names(self) -> Iterator[str]:
        """All that `get` knows."""
        module = self._module
        yield from module.ENUMS
        yield from module.FLAGS
        yield from (name for name in module.RECORDS if "." not in name)
        yield from module.CONSTANTS
        yield from VERSION_MACROS
        yield from (name for name in self.typedefs() if "." not in name)
        yield from self._by_c_name()
        yield from (name for name in vars(module) if name.startswith("CUDNN_"))


# Enums ------------------------------------------------------------------------------------------


#: The C name of each enum class that was made, of any release.
ENUM_TYPES: dict[type, str] = {}


def _enum(name: str, row: Any, release: str, flags: bool) -> Any:
    c_name, header, prefix, members = row
    values = {member: value for member, (_, value) in members.items()}
    module = f"cudnn_cffi.v{release.replace('.', '_')}"
    base: Any = _Flags if flags else _TolerantEnum
    made = base(name, values, module=module)
    made._c_names = {c_name: member for member, (c_name, _) in members.items()}
    what = "Bits" if flags else c_name
    text = f"{what} of {header}, as cuDNN {release} has them."
    made.__doc__ = f"{text}\n\nTheir C names begin with ``{prefix}``." if prefix else text
    if not flags:
        ENUM_TYPES[made] = c_name
    return made


class _Members(EnumType):
    """Finds members by their C names too, and says which one was meant by an unknown name."""

    _c_names: Mapping[str, str] = {}  # names of members by C names

    def __getitem__(cls: Any, name: str) -> Any:
        try:
            return cls._member_map_[name]
        except KeyError:
            pass
        if name in cls._c_names:
            return cls._member_map_[cls._c_names[name]]
        raise _unknown(cls, name)

    def __getattr__(cls: Any, name: str) -> Any:
        if name[0] != "_":
            if name in cls._member_map_:  # in Python 3.11 it may be there alone
                return cls._member_map_[name]
            raise _unknown(cls, name)
        raise AttributeError(
            f"type object {cls.__name__!r} has no attribute {name!r}", name=name, obj=cls
        )

    def __dir__(cls) -> list[str]:
        """The members, without what every int has: for `help` and completion."""
        return ["__class__", "__doc__", "__members__", "__module__", "__name__", *cls._member_map_]


def _unknown(cls: Any, name: object) -> errors.UnknownMemberError:
    return errors.UnknownMemberError(
        f"{cls.__name__} has no member {name!r}", hint=members_hint(cls, name)
    )


def find_member(cls: Any, text: str) -> Any | None:
    """The member of an enum by its name or C name, in upper or lower case; None if none is."""
    for name in (text, cls._c_names.get(text)):
        if name in cls._member_map_:
            return cls._member_map_[name]
    spelt = text.upper()
    for names in (cls._c_names.items(), zip(cls._member_map_, cls._member_map_, strict=True)):
        for each, name in names:
            if each.upper() == spelt:
                return cls._member_map_[name]
    return None


def members_hint(cls: Any, value: object) -> str:
    """Which member was meant by a text, as far as can be told, and which there are."""
    from difflib import get_close_matches

    meant = ""
    if isinstance(value, str):
        names = {name.upper(): name for name in cls._member_map_}
        names |= {c_name.upper(): name for c_name, name in cls._c_names.items()}
        begun = (name for name in names if name.startswith(f"{value.upper()}_"))
        if near := [*get_close_matches(value.upper(), names, 1, 0.6), *begun]:
            meant = f"did you mean {names[near[0]]}? "
    if meant and len(cls) > _FEW:
        return meant.rstrip()
    return f"{meant}this cuDNN has {', '.join(cls._member_map_)}"


#: As many members as a hint lists where it has something better to say.
_FEW = 40


def expected_member(c_type: str, text: str) -> errors.ArgumentError | None:
    """What to say of a text that came for a C enum, which takes no text; None for another type."""
    cls = active().enum_of(c_type.removeprefix("const "))
    if cls is None:
        return None
    found = find_member(cls, text)
    return errors.ArgumentError(
        f"a {cls.__name__} was expected, the text {text!r} came",
        hint=members_hint(cls, text) if found is None else f"write {cls.__name__}.{found.name}",
    )


def _show(self: Any) -> str:
    return self.name or int.__repr__(self)


def _format(self: Any, format_spec: str) -> str:
    """As a number where the type of a number is asked for, else as text."""
    if format_spec and format_spec[-1] in "bcdoxXneEfFgG%":
        return int.__format__(self, format_spec)
    return format(str(self), format_spec)


class _Flags(IntFlag, metaclass=_Members):
    __str__ = _show
    __format__ = _format

    @classmethod
    def _missing_(cls, value: object) -> Any:
        if isinstance(value, Integral):  # NumPy's too
            value = int(value)
        return super()._missing_(value)


class _TolerantEnum(IntEnum, metaclass=_Members):
    """An enum that meets a number it does not know with a member made for it."""

    __str__ = _show
    __format__ = _format

    @classmethod
    def _missing_(cls, value: object) -> Any:
        if isinstance(value, str):
            found = find_member(cls, value)
            meant = (
                members_hint(cls, value) if found is None else f"write {cls.__name__}.{found.name}"
            )
            text = f"{value!r} is not a valid {cls.__name__}, a number was expected"
            raise ValueError(f"{text}: {meant}")
        if not isinstance(value, Integral) or isinstance(value, bool):
            return None
        number = int(value)  # NumPy's too
        member = int.__new__(cls, number)
        member._name_ = f"UNKNOWN_{number}".replace("-", "MINUS_")
        member._value_ = number
        return cls._value2member_map_.setdefault(number, member)


class EnumMap(dict[int, "Any"]):
    """Members by number, filled on demand: a look-up costs a fifth of calling the class."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __missing__(self, number: int) -> Any:
        member = self[number] = active().enum(self.name)(number)
        return member


_maps: dict[str, EnumMap] = {}


def enum_map(name: str) -> EnumMap:
    """The members of an enum or flag set of the active tables, by number."""
    return _maps.setdefault(name, EnumMap(name))


# Structs ----------------------------------------------------------------------------------------

_C_TYPES: Mapping[str, Any] = {
    "int": ctypes.c_int,
    "unsigned int": ctypes.c_uint,
    "int8_t": ctypes.c_int8,
    "uint8_t": ctypes.c_uint8,
    "int32_t": ctypes.c_int32,
    "uint32_t": ctypes.c_uint32,
    "int64_t": ctypes.c_int64,
    "uint64_t": ctypes.c_uint64,
    "long long": ctypes.c_longlong,
    "unsigned long long": ctypes.c_ulonglong,
    "size_t": ctypes.c_size_t,
    "float": ctypes.c_float,
    "double": ctypes.c_double,
    "char": ctypes.c_char,
}


class _RecordMethods:
    """What all struct classes have besides their members."""

    _members: tuple[str, ...] = ()

    @property
    def address(self) -> int:
        """Where the struct is in host memory, as long as this object lives."""
        return ctypes.addressof(self)  # type: ignore[arg-type]

    def __repr__(self) -> str:
        parts = (f"{name}={getattr(self, name)!r}" for name in self._members)
        return f"{type(self).__name__}({', '.join(parts)})"

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and bytes(self) == bytes(other)  # type: ignore[call-overload]

    __hash__ = None  # type: ignore[assignment]

    def __setattr__(self, name: str, value: Any) -> None:
        try:
            super().__setattr__(name, value)
        except (TypeError, RuntimeError):
            raise errors.ArgumentError(
                f"{type(self).__name__}.{name}: {_expected(self, name)} expected, {value!r} came"
            ) from None


def _expected(record: Any, name: str) -> str:
    """What a member of a struct takes, in words."""
    fields = dict(record._fields_)
    kind = fields.get(name) or fields.get(f"_{name}")
    if kind in (ctypes.c_float, ctypes.c_double):
        return "a number was"
    if kind is ctypes.c_void_p:
        return "an address or None was"
    if isinstance(kind, type) and issubclass(kind, ctypes.Array):
        return f"at most {kind._length_} values were"
    if isinstance(kind, type) and issubclass(kind, _RecordMethods):
        return f"a {kind.__name__} was"
    return "a whole number was"


def _record(name: str, row: Any, owner: Tables) -> Any:
    c_name, header, kind, size, _, rows = row
    base = ctypes.Union if kind == "union" else ctypes.Structure
    fields: list[tuple[str, Any]] = []
    namespace: dict[str, Any] = {
        "__doc__": f"{c_name} of {header}, as cuDNN {owner.release} has it.",
        "__module__": f"cudnn_cffi.v{owner.release.replace('.', '_')}",
        "_members": tuple(row[0] for row in rows if row[0] != "reserved"),
    }
    for field, ctype, _, width, length, nested in rows:
        if nested is not None:
            kind_of: Any = owner.record(_class_name(nested))
        elif "*" in ctype or (owner.enum_of(ctype) is None and ctype not in _C_TYPES):
            kind_of = ctypes.c_void_p if width == 8 else None
        else:
            kind_of = _C_TYPES.get(ctype, ctypes.c_int)
        if kind_of is None:
            raise errors.CudnnError(f"{c_name}.{field}: no rule for the type {ctype}")
        stored = field
        enum = owner.typedefs().get(ctype)
        if enum is not None and length is None and nested is None:
            stored = f"_{field}"
            namespace[field] = _enum_member(stored, owner, enum)
        fields.append((stored, kind_of * length if length is not None else kind_of))
    namespace["_fields_"] = fields
    if any(stored.startswith("_") for stored, _ in fields):
        namespace["__init__"] = _initializer(fields)
    metaclass: Any = type(base)
    made = metaclass(name, (_RecordMethods, base), namespace)
    came = ctypes.sizeof(made)
    if came != size:
        raise errors.CudnnError(f"{c_name} has {came} bytes, {size} were expected")
    return made


def _class_name(c_name: str) -> str:
    name = c_name.removeprefix("cudnn").removesuffix("_t")
    return name[0].upper() + name[1:]


def _enum_member(stored: str, owner: Tables, enum: str) -> property:
    def get(self: Any) -> Any:
        return owner.enum(enum)(getattr(self, stored))

    def put(self: Any, value: int) -> None:
        setattr(self, stored, value)

    return property(get, put)


def _initializer(fields: list[tuple[str, Any]]) -> Any:
    names = [stored.removeprefix("_") for stored, _ in fields]

    def __init__(self: Any, *values: Any, **named: Any) -> None:
        if len(values) > len(names):
            raise TypeError(f"at most {len(names)} values expected, {len(values)} came")
        given = dict(zip(names, values, strict=False))
        for name, value in named.items():
            if name not in names or name in given:
                raise TypeError(f"unexpected or repeated value for {name!r}")
            given[name] = value
        for name, value in given.items():
            setattr(self, name, value)

    return __init__


def record_class(c_name: str) -> Any:
    """The class of a C struct in the active tables; TypeError where they have none."""
    tables = active()
    try:
        return tables.get(c_name)
    except KeyError:
        raise TypeError(f"cuDNN {tables.release} has no {c_name}") from None


# What is missing ---------------------------------------------------------------------------------


class AbsentError(AttributeError):
    """A name that a release does not have; what others have is looked up only to be printed."""

    def __init__(self, message: str, release: str = "", **about: Any) -> None:
        super().__init__(message, **about)
        self.release = release

    def __str__(self) -> str:
        text, name = super().__str__(), self.name or ""
        if when := elsewhere(name, self.release):
            from .._index import HISTORY

            successor = HISTORY[name][2] if name in HISTORY else None
            use = f"; use {successor}" if successor and when.startswith("removed") else ""
            return f"{text}: it was {when}{use}"
        from .._words import advice

        return f"{text}{advice(name, self.obj)}"

    def __reduce__(self) -> Any:
        return AttributeError, (str(self),)  # modules cannot be pickled


def elsewhere(name: str, release: str) -> str:
    """When `name` came or went, as in "added in 9.0.0", for a release that does not have it.

    "" where no known release has it, or that one does.
    """
    known = list(RELEASES)
    place = known.index(release)
    having = [at for at, other in enumerate(known) if _named(name, tables(other))]
    if place in having:
        return ""
    older = [found for found in having if found < place]
    newer = [found for found in having if found > place]
    if older:
        again = f", added again in {known[newer[0]]}" if newer else ""
        return f"removed in {known[older[-1] + 1]}{again}"
    return f"added in {known[newer[0]]}" if newer else ""


def _named(name: str, own: Tables) -> bool:
    from .._index import FAMILIES
    from .pinned import _family, _has_family

    if name in own.functions or name in own.names():
        return True
    family = _family(name) if name in FAMILIES or name.startswith("cudnn") else None
    return family is not None and _has_family(family, own.functions)


# Which tables -----------------------------------------------------------------------------------

_all: dict[str, Tables] = {}
_active: Tables | None = None
_chosen_for: str | None = None  # the loaded version; None where no library was found
_release = ""  # the known release that the tables were chosen as


def tables(release: str) -> Tables:
    """The tables of a release, by its version."""
    name = RELEASES[release]
    with _lock:
        if name not in _all:
            _all[name] = Tables(name)
        return _all[name]


def newest() -> Tables:
    """The tables of the newest known release."""
    return tables(list(RELEASES)[-1])


def in_use() -> Tables:
    """The tables to list names of: the newest before a library is loaded, which this does not."""
    from .. import library

    return _active or (newest() if library.current() is None else active())


def active(version: str | None = None) -> Tables:
    """The tables in use: those of the loaded library, chosen once; without one the newest.

    Args:
        version: what the library reports that is being loaded.

    Raises:
        UnsupportedVersionError: there are none for it, or others were handed out before.
    """
    global _active, _chosen_for, _release
    if _active is not None and (version is None or version == _chosen_for):
        return _active
    with _lock:
        if version is None:
            version = _loadable_version()
        if _active is not None:
            if version is not None and version != _chosen_for:
                _check_late(version)
            return _active
        if version is None:
            _release = list(RELEASES)[-1]
        else:
            from .selection import select

            _release = select(version, RELEASES).release
            _chosen_for = version
        _active = tables(_release)
        return _active


def _loadable_version() -> str | None:
    """The version of the library that calls would use; None where there is none."""
    from .. import library

    try:
        return library.load().version
    except errors.LibraryNotFoundError:
        return None


def _check_late(version: str) -> None:
    """A library that appeared after names were handed out must have the same API."""
    global _chosen_for
    from .selection import select

    assert _active is not None
    wanted = select(version, RELEASES).tables
    if wanted != _active.release:
        raise errors.UnsupportedVersionError(
            f"cuDNN {version} was loaded after names of {_active.release} had been handed out",
            version=version,
            tables=_active.release,
            hint="load the library first, with cudnn_cffi.load(path)",
        )
    _chosen_for = version


def chosen_release() -> str:
    """The release whose tables are in use, by its own version; "" before they are chosen."""
    return _release


#: Macros of cudnn_version.h that say nothing but the release, so no model has them.
VERSION_MACROS = ("CUDNN_MAJOR", "CUDNN_MINOR", "CUDNN_PATCHLEVEL", "CUDNN_VERSION")


def version_macro(name: str, release: str) -> int:
    """The value of one of `VERSION_MACROS` in the headers of a release."""
    from ..versions import version_key, version_number

    if name == "CUDNN_VERSION":
        return version_number(release)
    return version_key(release)[VERSION_MACROS.index(name)]
