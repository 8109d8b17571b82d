"""Named tuples for results: like those of `collections`, with classes that are made faster."""

from __future__ import annotations

try:
    from _collections import _tuplegetter  # type: ignore[import-not-found]
except ImportError:
    from operator import itemgetter

    def _tuplegetter(place: int, text: str) -> property:
        return property(itemgetter(place), doc=text)


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any, ClassVar, Self

__all__ = ["Result", "result"]


class Result(tuple):  # type: ignore[type-arg]
    """Several results of one call, by place and by name."""

    __slots__ = ()
    _fields: ClassVar[tuple[str, ...]] = ()
    _field_defaults: ClassVar[dict[str, Any]] = {}

    def __new__(cls, *values: Any, **named: Any) -> Self:
        missing = cls._fields[len(values) :]
        if named or missing:
            defaults = {
                name: cls._field_defaults[name] for name in missing if name in cls._field_defaults
            }
            named = defaults | named
        if len(values) > len(cls._fields) or set(missing) != set(named):
            raise TypeError(f"{cls.__name__} takes {', '.join(cls._fields)}, each once")
        return tuple.__new__(cls, (*values, *(named[name] for name in missing)))

    @classmethod
    def _make(cls, values: Iterable[Any]) -> Self:
        return cls(*values)

    def _asdict(self) -> dict[str, Any]:
        return dict(zip(self._fields, self, strict=True))

    def _replace(self, **named: Any) -> Self:
        return type(self)(**self._asdict() | named)

    def __getnewargs__(self) -> tuple[Any, ...]:
        return tuple(self)

    def __hash__(self) -> int:
        # What is made in C does not say to Python 3.14 that its hash was not taken yet.
        return hash(tuple(self))

    def __repr__(self) -> str:
        parts = (f"{name}={value!r}" for name, value in zip(self._fields, self, strict=True))
        return f"{type(self).__name__}({', '.join(parts)})"


def result(name: str, fields: tuple[str, ...], text: str, module: str) -> type[Result]:
    """Return a class of results with these names, for the module that it is a global of."""
    namespace: Mapping[str, Any] = {
        "__doc__": text,
        "__match_args__": fields,
        "__module__": module,
        "__slots__": (),
        "_fields": fields,
        **{field: _tuplegetter(place, "") for place, field in enumerate(fields)},
    }
    return type(name, (Result,), dict(namespace))


class _Results(type):
    """Makes a class of results where one is derived from `Named`."""

    def __new__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> Any:
        if not bases:
            return super().__new__(cls, name, bases, namespace)
        fields = tuple(namespace["__annotations__"])
        return result(name, fields, namespace["__doc__"], namespace["__module__"])


class Named(metaclass=_Results):
    """Stands in emitted modules for NamedTuple, which takes a hundred times as long to derive."""


class Record(Result):
    """To be named NamedTuple where type checkers do not look: does the same with annotations."""

    def __init_subclass__(cls) -> None:
        fields = tuple(cls.__annotations__)
        cls._fields = fields
        setattr(cls, "__match_args__", fields)  # noqa: B010
        cls._field_defaults = {name: getattr(cls, name) for name in fields if hasattr(cls, name)}
        for place, field in enumerate(fields):
            setattr(cls, field, _tuplegetter(place, ""))
