"""What descriptors have in common whose configuration can be read back from cuDNN."""

from __future__ import annotations

import ctypes
import operator
from collections.abc import Iterable, Sequence
from enum import Enum
from math import isnan, nan
from typing import TYPE_CHECKING, Any, ClassVar, Self

from .. import arrays, errors
from .._object import Family
from .._tables import active, find_member, members_hint

SPATIAL_MAX = 6


class Made(Family):
    """What is made by class methods: the constructor takes nothing, and says which there are."""

    __slots__ = ()

    if not TYPE_CHECKING:  # which sees the constructor

        def __new__(cls, *values: Any, **named: Any) -> Self:
            if values or named:
                _check_constructor(cls, values, named)
            return object.__new__(cls)


def _check_constructor(cls: type, values: tuple[Any, ...], named: dict[str, Any]) -> None:
    """Raises for arguments of a constructor that takes none; a subclass's may take them."""
    from inspect import signature

    if _binds(signature(cls.__init__), (None, *values), named):  # type: ignore[misc]
        return
    makers = {
        name: signature(getattr(cls, name))
        for base in cls.__mro__
        if issubclass(base, Made)
        for name, value in vars(base).items()
        if isinstance(value, classmethod) and name[0] != "_" and name != "of_info"
    }
    # Those first that take such arguments.
    names = sorted(makers, key=lambda name: not _binds(makers[name], values, named))
    listed = ", ".join(f".{name}({', '.join(makers[name].parameters)})" for name in names)
    raise errors.ArgumentError(
        f"{cls.__name__}() takes no arguments, {len(values) + len(named)} came",
        hint=f"make one by {cls.__name__}{listed}",
    )


def _binds(signature: Any, values: tuple[Any, ...], named: dict[str, Any]) -> bool:
    try:
        signature.bind(*values, **named)
    except TypeError:
        return False
    return True


class Configured(Made):
    """What descriptors share whose configuration can be read back from cuDNN.

    Two are equal when they are configured alike. So the hash changes when a descriptor is set
    anew: one that is a key has to be left alone. Pickling keeps the configuration, with names
    instead of numbers, so that another release of cuDNN can restore it.
    """

    __slots__ = ()

    _label: ClassVar[str]

    def _configuration(self) -> dict[str, Any]:
        """What cuDNN says is set, by the names of the properties; {} where nothing is."""
        raise NotImplementedError

    def _arguments(self) -> dict[str, Any]:
        """Keyword arguments that `_restored` makes an equal one of."""
        return self._configuration()

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
        return self.address == other.address or self._compared() == other._compared()

    def __hash__(self) -> int:
        self.address  # noqa: B018  a closed one has no configuration
        return hash((self._c_name, self._compared()))

    def _compared(self) -> tuple[Any, ...]:
        # A NaN is unequal to another one, but a container takes an object as equal to itself.
        return tuple(
            (name, nan if isinstance(value, float) and isnan(value) else value)
            for name, value in self._configuration().items()
        )

    def __reduce__(self) -> Any:
        self.address  # noqa: B018
        return _restore, (type(self), self._arguments())

    def __copy__(self) -> Self:
        return self.copied()

    def copied(self) -> Self:
        """Another descriptor of the same configuration."""
        made: Self = _restore(type(self), self._arguments())
        return made

    def __repr__(self) -> str:
        if self.closed:
            return f"{self._label}(closed)"
        try:
            return f"{self._label}({self._text() if self._configuration() else 'not set'})"
        except (errors.CudnnError, AttributeError) as error:  # an older release tells less
            return f"{self._label}({self.address:#x}, {type(error).__name__} when read)"


def _restore(cls: type[Configured], configuration: dict[str, Any]) -> Any:
    return cls._restored(**configuration) if configuration else cls()


def member(enum: str, value: Any) -> Any:
    """The member of an enum of the loaded release, by itself, its number or a name.

    A name may be the member's or the C name, in upper or lower case, or a word that frameworks use.

    Raises:
        ArgumentError: this release has none of that name, or it is no member of this enum.
    """
    cls = active().enum(enum)
    if isinstance(value, str):
        found = find_member(cls, _WORDS.get(value.lower(), value))
        if found is not None:
            return found
    elif not isinstance(value, bool) and (
        not isinstance(value, Enum) or type(value).__name__ == enum  # another release's is as good
    ):
        try:
            return cls(index(value))
        except TypeError:
            pass
    raise errors.ArgumentError(
        f"a {enum} was expected, {value!r} came", hint=members_hint(cls, value)
    )


#: Names of members by the words of frameworks.
_WORDS = {"channels_first": "NCHW", "channels_last": "NHWC"}


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


#: Codes of the integer types of ctypes.
_INTEGERS = tuple("bBhHiIlLqQ")


def index(value: Any) -> int:
    """As `operator.index`, and of the integer types of ctypes too."""
    if isinstance(value, ctypes._SimpleCData) and getattr(value, "_type_", "") in _INTEGERS:
        return int(value.value)
    return operator.index(value)


def integers(**values: Any) -> list[int]:
    """These arguments as int, in their order, whatever integers of whatever library they are.

    Raises:
        ArgumentError: one of them is something else, which is named; floats and texts are.
    """
    found = []
    for name, value in values.items():
        try:
            found.append(index(value))
        except TypeError:
            raise errors.ArgumentError(
                f"{name}: a whole number was expected, {value!r} came"
            ) from None
    return found


def real(value: Any, name: str) -> float:
    """An argument as a float, whatever number of whatever library it is.

    Raises:
        ArgumentError: it is no number; texts are none.
    """
    try:
        if isinstance(value, ctypes._SimpleCData) and not isinstance(value.value, (bytes, str)):
            value = value.value
        if not isinstance(value, (str, bytes, bytearray)):
            return float(value)
    except (TypeError, ValueError, OverflowError):
        pass
    raise errors.ArgumentError(f"{name}: a number was expected, {value!r} came")


def reals(**values: Any) -> list[float]:
    """These arguments as float, in their order; as `real`, and NaN is refused too."""
    found = [real(value, name) for name, value in values.items()]
    for name, value in zip(values, found, strict=True):
        if isnan(value):
            raise errors.ArgumentError(f"{name}: a number was expected, nan came")
    return found


def per_axis(axes: int, **values: int | Iterable[int]) -> tuple[int, list[tuple[int, ...]]]:
    """How many axes there are, and each of the arguments with one number for each axis.

    Args:
        axes: how many, where all of `values` are single numbers; else the sequences tell.
        values: for each axis, or one for all.

    Raises:
        ArgumentError: one of them is neither, or there are too many or too few of them.
    """
    (count,) = integers(axes=axes)
    given: dict[str, int | tuple[int, ...]] = {}
    for name, value in values.items():
        try:
            given[name] = index(value)
        except TypeError:
            given[name] = whole(value, name, "a whole number or a sequence of them")
    for each in given.values():
        if isinstance(each, tuple):
            count = len(each)
            break
    found = [(each,) * count if isinstance(each, int) else each for each in given.values()]
    for name, each in zip(given, found, strict=True):
        if len(each) != count:
            raise errors.ArgumentError(f"{name}: {count} numbers were expected, {len(each)} came")
    return count, found


def numbers(values: Iterable[int]) -> str:
    return ",".join(map(str, values))


def dtype_text(dtype: Any) -> str:
    return arrays.dtype_name(dtype) or str(dtype.name)


def whole(values: Any, name: str, expected: str = "a sequence of whole numbers") -> tuple[int, ...]:
    """Extents or strides as a tuple of int, whatever integers of whatever library they are."""
    try:
        return tuple(index(value) for value in values)
    except TypeError:
        raise errors.ArgumentError(f"{name}: {expected} was expected, {values!r} came") from None


def padded(shape: Sequence[int], axes: int) -> tuple[int, ...]:
    extents, (axes,) = whole(shape, "shape"), integers(axes=axes)
    if not extents or min(extents) < 1:
        raise errors.ArgumentError(
            f"extents of 1 or more were expected, {numbers(extents) or 'none'} came",
            hint="cuDNN has no empty tensors",
        )
    return extents + (1,) * (axes - len(extents))
