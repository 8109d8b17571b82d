"""What descriptors have in common whose configuration can be read back from cuDNN."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import index
from typing import Any, ClassVar, Self

from . import arrays, errors
from ._family import Family
from ._tables import active

SPATIAL_MAX = 6


class Configured(Family):
    """What descriptors share whose configuration can be read back from cuDNN.

    Two are equal when they are configured alike. So the hash changes when a descriptor is set
    anew: one that is a key has to be left alone. Pickling keeps the configuration, with names
    instead of numbers, so that another release of cuDNN can restore it.
    """

    __slots__ = ()

    _label: ClassVar[str]

    def _configuration(self) -> dict[str, Any]:
        """Keyword arguments that `_restored` makes an equal one of; {} where nothing is set."""
        raise NotImplementedError

    @classmethod
    def _restored(cls, **configuration: Any) -> Self:
        raise NotImplementedError

    def _text(self) -> str:
        """What is between the parentheses of the repr."""
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Configured) or other._c_name != self._c_name:
            return NotImplemented
        if self.closed or other.closed:
            return self is other
        return self.address == other.address or self._configuration() == other._configuration()

    def __hash__(self) -> int:
        self.address  # noqa: B018  a closed one has no configuration
        return hash((self._c_name, tuple(self._configuration().items())))

    def __reduce__(self) -> Any:
        self.address  # noqa: B018
        return _restore, (type(self), self._configuration())

    def __copy__(self) -> Self:
        return self.copied()

    def copied(self) -> Self:
        """Another descriptor of the same configuration."""
        made: Self = _restore(type(self), self._configuration())
        return made

    def __repr__(self) -> str:
        if self.closed:
            return f"{self._label}(closed)"
        try:
            return f"{self._label}({self._text() if self._configuration() else 'not set'})"
        except errors.CudnnError as error:
            return f"{self._label}({self.address:#x}, {type(error).__name__} when read)"


def _restore(cls: type[Configured], configuration: dict[str, Any]) -> Any:
    return cls._restored(**configuration) if configuration else cls()


def member(enum: str, value: Any) -> Any:
    """The member of an enum of the loaded release, by itself, its number or its name.

    Raises:
        ArgumentError: this release has none of that name.
    """
    cls = active().enum(enum)
    if isinstance(value, int) and not isinstance(value, bool):
        return cls(int(value))
    try:
        return cls[value]
    except KeyError:
        raise errors.ArgumentError(
            f"a {enum} was expected, {value!r} came",
            hint=f"this cuDNN has {', '.join(each.name for each in cls)}",
        ) from None


def nan_option(propagate: bool) -> Any:
    """The NanPropagation of a choice; a number of the same meaning where the enum is gone."""
    try:
        cls = active().enum("NanPropagation")
    except KeyError:
        return int(propagate)
    return int(cls["PROPAGATE_NAN" if propagate else "NOT_PROPAGATE_NAN"])


def is_known(value: Any) -> bool:
    """Whether an enum member is one; a descriptor that was never set can hold anything."""
    return not value.name.startswith("UNKNOWN_")


def each_axis(value: int | Iterable[int], count: int, name: str) -> tuple[int, ...]:
    """One number for each of `count` axes."""
    if isinstance(value, int):
        return (value,) * count
    numbers = tuple(value)
    if len(numbers) != count:
        raise errors.ArgumentError(f"{name}: {count} numbers were expected, {len(numbers)} came")
    return numbers


def axes_of(*values: int | Iterable[int], default: int) -> int:
    """How many axes the values are for, by those that are sequences."""
    for value in values:
        if not isinstance(value, int):
            return len(tuple(value))
    return default


def numbers(values: Iterable[int]) -> str:
    return ",".join(map(str, values))


def dtype_text(dtype: Any) -> str:
    return arrays.dtype_name(dtype) or str(dtype.name)


def whole(values: Iterable[int], name: str) -> tuple[int, ...]:
    """Extents or strides as a tuple of int, whatever integers of whatever library they are."""
    try:
        return tuple(index(value) for value in values)
    except TypeError:
        raise errors.ArgumentError(
            f"{name}: a sequence of whole numbers was expected, {values!r} came"
        ) from None


def padded(shape: Sequence[int], axes: int) -> tuple[int, ...]:
    extents = whole(shape, "shape")
    if not extents or min(extents) < 1:
        raise errors.ArgumentError(
            f"extents of 1 or more were expected, {numbers(extents) or 'none'} came",
            hint="cuDNN has no empty tensors",
        )
    return extents + (1,) * (axes - len(extents))
