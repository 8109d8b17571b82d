"""The rows that one release has of the history of all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property

from .. import _history
from ..versions import version_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    #: C name, header, prefix of the members, and by name the C name and the value of each member.
    EnumRow = tuple[str, str, str, Mapping[str, tuple[str, int]]]


class Rows:
    """The tables of a release, each made when it is first asked for."""

    def __init__(self, release: str, history: Any = _history) -> None:
        self._history = history
        self._release = version_key(release)
        self._past: dict[str, bool] = {}

    def _has_begun(self, release: str) -> bool:
        """Return whether a release is this one or an older one."""
        past = self._past.get(release)
        if past is None:
            past = self._past[release] = version_key(release) <= self._release
        return past

    def _alive(self, rows: Iterable[tuple[Any, ...]], width: int) -> Iterator[tuple[Any, ...]]:
        """Yield the rows that this release has; the first `width` items of a row are its values."""
        begun = self._has_begun
        for row in rows:
            if begun(row[width]) and not (len(row) > width + 1 and begun(row[width + 1])):
                yield row

    def _pairs(self, rows: Iterable[tuple[Any, ...]]) -> dict[str, Any]:
        return {name: value for name, value, *_ in self._alive(rows, 2)}

    @cached_property
    def enums(self) -> Mapping[str, EnumRow]:
        """Return the enums by the names of their classes."""
        return self._enums(self._history.ENUMS)

    @cached_property
    def flags(self) -> Mapping[str, EnumRow]:
        """Return the sets of flags by the names of their classes."""
        return self._enums(self._history.FLAGS)

    def _enums(self, history: Mapping[str, tuple[Any, Any]]) -> Mapping[str, EnumRow]:
        heads = {cls: head for cls, (forms, _) in history.items() for head in self._alive(forms, 3)}
        return _Made(list(heads), lambda cls: self._enum(heads[cls], history[cls][1]))

    def _enum(self, head: tuple[Any, ...], members: Iterable[tuple[Any, ...]]) -> EnumRow:
        found = {name: (c_name, value) for name, c_name, value, *_ in self._alive(members, 3)}
        return head[0], head[1], head[2], found

    @cached_property
    def constants(self) -> Mapping[str, int | float]:
        """Return the constants by their names."""
        return self._pairs(self._history.CONSTANTS)

    @cached_property
    def versions(self) -> Mapping[str, int]:
        """Return the part of the version that each macro is, from 0; 3 for all of it."""
        return self._pairs(self._history.VERSIONS)

    @cached_property
    def records(self) -> Mapping[str, tuple[Any, ...]]:
        """Return the structs by the names of their classes."""
        return self._pairs(self._history.RECORDS)

    @cached_property
    def functions(self) -> Mapping[str, str]:
        """Return the wrapper of each function, by its C name."""
        return self._pairs(self._history.FUNCTIONS)

    @cached_property
    def attributes(self) -> Mapping[str, tuple[str, tuple[str, ...], bool | None, bool | None]]:
        """Return owner, types, readable, writable of each backend attribute, by its C name."""
        return self._pairs(self._history.ATTRIBUTES)

    @cached_property
    def attribute_enums(self) -> Mapping[str, str]:
        """Return the enum of the elements of attribute types that have one."""
        return self._pairs(self._history.ATTRIBUTE_ENUMS)

    @cached_property
    def macros(self) -> Mapping[str, Callable[..., int]]:
        """Return the macros that are functions, by their names."""
        return {
            function.__name__: function for function, *_ in self._alive(self._history.MACROS, 1)
        }


class _Made(Mapping[str, "EnumRow"]):
    """Rows that are made when they are first asked for."""

    def __init__(self, names: list[str], make: Callable[[str], EnumRow]) -> None:
        self._rows: dict[str, EnumRow | None] = dict.fromkeys(names)
        self._make = make

    def __getitem__(self, name: str) -> EnumRow:
        row = self._rows[name]
        if row is None:
            row = self._rows[name] = self._make(name)
        return row

    def __contains__(self, name: object) -> bool:
        return name in self._rows

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)
