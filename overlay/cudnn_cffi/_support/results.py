"""Named tuples for results: like those of `collections`, with classes that are made faster."""

from __future__ import annotations

from .constructors import Shown

try:
    from _collections import _tuplegetter  # type: ignore[import-not-found]
except ImportError:
    from operator import itemgetter

    def _tuplegetter(place: int, text: str) -> property:
        return property(itemgetter(place), doc=text)


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, ClassVar, NoReturn, Self


def tell_fields(self: Result, name: str) -> NoReturn:
    """Refuse an attribute of a named tuple, and tell which it has: its `__getattr__`.

    Raises:
        AttributeError: always.
    """
    text = f"{type(self).__name__!r} object has no attribute {name!r}"
    if name[:1] != "_":
        text += f": it is a tuple of {', '.join(self._fields)}"
    raise AttributeError(text, name=name, obj=self)


class Result(tuple):  # type: ignore[type-arg]
    """Several results of one call, by place and by name."""

    __slots__ = ()
    _fields: ClassVar[tuple[str, ...]] = ()
    _field_defaults: ClassVar[dict[str, object]] = {}

    def __new__(cls, *values: object, **named: object) -> Self:
        fields = cls._fields
        if named or len(values) != len(fields):
            rest = fields[len(values) :]
            known = cls._field_defaults | named
            if len(values) > len(fields) or not named.keys() <= {*rest} <= known.keys():
                raise TypeError(f"{cls.__name__} takes {', '.join(fields)}, each once")
            values += tuple(map(known.__getitem__, rest))
        return tuple.__new__(cls, values)

    __signature__ = Shown(lambda cls: _parameters(cls))

    @classmethod
    def _make(cls, values: Iterable[object]) -> Self:
        return cls(*values)

    def _asdict(self) -> dict[str, object]:
        return dict(zip(self._fields, self, strict=True))

    def _replace(self, **named: object) -> Self:
        values = tuple(map(named.pop, self._fields, self))
        return type(self)(*values, **named)  # names that are left are no fields

    def __getnewargs__(self) -> tuple[object, ...]:
        return tuple(self)

    def __hash__(self) -> int:
        # Python 3.14 keeps hashes in tuples; those that C code makes lack that field: hash a copy.
        return hash(tuple(self))

    def __repr__(self) -> str:
        parts = (f"{name}={value!r}" for name, value in zip(self._fields, self, strict=True))
        return f"{type(self).__name__}({', '.join(parts)})"


def _parameters(cls: type) -> list[tuple[str, object, object]] | None:
    new: object = cls.__new__
    if new is not Result.__new__ or not issubclass(cls, Result):
        return None
    kinds = cls.__annotations__
    return [(each, cls._field_defaults.get(each, ...), kinds.get(each)) for each in cls._fields]


def _told(text: str, kinds: dict[str, object]) -> dict[str, str]:
    """Return the type of each field, and what the docstring of its class says of it."""
    found = dict.fromkeys(kinds, "")
    names: list[str] = []
    indent = ""
    for line in text.partition("Attributes:\n")[2].splitlines():
        words = line.strip()
        if not words:
            break
        begin = line[: len(line) - len(line.lstrip())]
        if begin == (indent or begin):
            indent = begin
            listed, _, words = words.partition(": ")
            names = [name for name in listed.split(", ") if name in found]
        for name in names:
            found[name] = f"{found[name]} {words}"
    return {
        name: f"{kinds[name]}:{said}" if said else str(kinds[name]) for name, said in found.items()
    }


class _Maker(type):
    """Makes a class of results of one that names `NamedTuple` as its base."""

    def __new__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> type:
        if not bases:
            return super().__new__(cls, name, bases, namespace)
        fields = tuple(namespace["__annotations__"])
        body = namespace | {
            "__match_args__": fields,
            "__slots__": (),
            "_fields": fields,
            "_field_defaults": {field: namespace[field] for field in fields if field in namespace},
        }
        told = _told(namespace.get("__doc__") or "", namespace["__annotations__"])
        body |= {field: _tuplegetter(place, told[field]) for place, field in enumerate(fields)}
        return type(name, (Result,), body)


if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple
else:

    class NamedTuple(metaclass=_Maker):
        """Stands in for typing's, which takes a hundred times as long to derive from."""
