"""The tables of one API as Python objects, made when they are first asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from enum import IntEnum
from functools import cache, cached_property
from typing import TYPE_CHECKING

from .._index import FAMILIES, RELEASES
from .._support import fork
from ..versions import version_key, version_number
from .enums import AnyEnum, TolerantEnum, make_enum
from .records import make_record
from .rows import Rows

if TYPE_CHECKING:
    import ctypes

_lock = fork.lock()


class Tables:
    """The enums, flags, constants and structs of one API, by all names they go by."""

    def __init__(self, release: str) -> None:
        self.release = release
        self.rows = Rows(release)
        self._classes: dict[str, type] = {}

    @property
    def functions(self) -> Mapping[str, str]:
        """The wrapper of each function that this API has, by its C name."""
        return self.rows.functions

    @property
    def attributes(self) -> Mapping[str, tuple[str, tuple[str, ...], bool | None, bool | None]]:
        """Owner, types, readable, writable of each backend attribute, by its C name."""
        return self.rows.attributes

    def enum(self, name: str) -> type[TolerantEnum]:
        """Return the class of an enum or flag set; KeyError where this API does not have it."""
        return self._classes.get(name) or self._class(name, self._make_enum)

    def _make_enum(self, name: str) -> AnyEnum:
        flags = name not in self.rows.enums
        rows = self.rows.flags if flags else self.rows.enums
        return make_enum(name, rows[name], self, flags)

    @property
    def releases(self) -> str:
        """The releases that these tables are for, as text, such as "9.11.0 to 9.12.0"."""
        same = [release for release, name in RELEASES.items() if name == self.release]
        return same[0] if len(same) == 1 else f"{same[0]} to {same[-1]}"

    def _class(self, name: str, make: Callable[[str], type]) -> type:
        """Return a class, which is made once."""
        with _lock:
            if name not in self._classes:
                self._classes[name] = make(name)
            return self._classes[name]

    def record(self, name: str) -> type[ctypes.Structure]:
        """Return the class of a struct."""
        return self._classes.get(name) or self._class(name, self._make_record)

    def _make_record(self, name: str) -> type[ctypes.Structure]:
        return make_record(name, self.rows.records[name], self)

    @cached_property
    def typedefs(self) -> Mapping[str, str]:
        """Python names by C type names."""
        rows = {**self.rows.enums, **self.rows.records}
        return {row[0]: name for name, row in rows.items()}

    def enum_of(self, c_type: str) -> type[TolerantEnum] | None:
        """Return the class of a C enum type; None where the type is no enum."""
        name = self.typedefs.get(c_type)
        return self.enum(name) if name is not None and name in self.rows.enums else None

    def attribute_enum(self, type_name: str) -> type[TolerantEnum] | None:
        """Return the enum of an attribute type's elements, by the type's name after CUDNN_TYPE_.

        None where the elements are no members of an enum.
        """
        name = self.rows.attribute_enums.get(type_name)
        return None if name is None else self.enum(name)

    def has_family(self, cls: str) -> bool:
        """Return whether this API makes objects of an emitted class."""
        stem = cls if cls != "Handle" else ""
        return f"cudnnCreate{stem}" in self.functions or (
            cls.startswith("Backend") and "cudnnBackendCreateDescriptor" in self.functions
        )

    def c_name(self, member: IntEnum) -> str:
        """Return the C name of an enum member; "" for one that the tables do not have."""
        row = self.rows.enums.get(type(member).__name__)
        found = row[3].get(member.name) if row is not None else None
        return found[0] if found is not None else ""

    @cached_property
    def _by_c_name(self) -> Mapping[str, tuple[str, str]]:
        """By C name the class and the name of each enumerator and bit."""
        rows = {**self.rows.enums, **self.rows.flags}
        return {
            c_name: (cls, member)
            for cls, (_, _, _, members) in rows.items()
            for member, (c_name, _) in members.items()
        }

    def get(self, name: str) -> object:
        """Return what `name` means in this API: a class, a member, a constant; or KeyError."""
        rows = self.rows
        if name in rows.enums or name in rows.flags:
            return self.enum(name)
        if name in rows.records and "." not in name:
            return self.record(name)
        if name in rows.constants:
            return rows.constants[name]
        if name in self.typedefs:
            name = self.typedefs[name]
            return self.enum(name) if name in rows.enums else self.record(name)
        if name in self._by_c_name:
            cls, member = self._by_c_name[name]
            return self.enum(cls)[member]
        return rows.macros[name]

    def names(self) -> Iterator[str]:
        """Yield all that `get` knows, and the version macros."""
        rows = self.rows
        yield from rows.enums
        yield from rows.flags
        yield from (name for name in rows.records if "." not in name)
        yield from rows.constants
        yield from rows.versions
        yield from (name for name in self.typedefs if "." not in name)
        yield from self._by_c_name
        yield from rows.macros

    @cache  # noqa: B019  tables live as long as the process
    def all_names(self) -> frozenset[str]:
        """Return all that the module of the release has: also functions and classes of objects."""
        classes = {cls: c_name for cls, c_name in FAMILIES.items() if self.has_family(cls)}
        return frozenset({*self.functions, *self.names(), *classes, *classes.values()})


#: Classes of objects by their C types.
_FAMILIES_BY_C_NAME = {c_name: cls for cls, c_name in FAMILIES.items()}


def family_named(name: str) -> str | None:
    """Return the emitted class with a name, or for the C type with that name; None for neither."""
    return name if name in FAMILIES else _FAMILIES_BY_C_NAME.get(name)


_all: dict[str, Tables] = {}


def tables(release: str) -> Tables:
    """Return the tables of a release, by its version."""
    name = RELEASES[release]
    with _lock:
        if name not in _all:
            _all[name] = Tables(name)
        return _all[name]


def newest() -> Tables:
    """Return the tables of the newest known release."""
    return tables(list(RELEASES)[-1])


def version_part(part: int, release: str) -> int:
    """Return a part of the version of a release, as `Rows.versions` counts them."""
    return (
        version_number(release) if part == len(version_key(release)) else version_key(release)[part]
    )
