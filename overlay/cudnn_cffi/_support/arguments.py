"""Convert arguments to plain numbers, whatever library's they are; variables that are switches."""

from __future__ import annotations

import ctypes
import operator
import os
from collections.abc import Iterable, Mapping
from math import isnan
from pathlib import Path

from .. import errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    _K = TypeVar("_K")
    _V = TypeVar("_V")

#: Codes of the integer types of ctypes.
_INTEGERS = tuple("bBhHiIlLqQ")


#: Words of environment variables.
OFF = ("0", "off", "no", "false")
ON = ("1", "on", "yes", "true")


def index(value: object) -> int:
    """Return an integer as an int: as `operator.index`, and also from ctypes' integers.

    Raises:
        TypeError: it is not an integer.
    """
    if isinstance(value, ctypes._SimpleCData) and getattr(value, "_type_", "") in _INTEGERS:
        return int(value.value)
    return operator.index(value)  # type: ignore[arg-type]


#: Far more axes than cuDNN takes, which refuses others in its own words.
_MOST_AXES = 64


def integers(**values: object) -> list[int]:
    """Return integers of any library as ints, in their order.

    Raises:
        ArgumentError: a value is not an integer (floats and strings are refused); the message
            names the argument.
    """
    converted = []
    for name, value in values.items():
        try:
            converted.append(index(value))
        except TypeError:
            raise errors.ArgumentError(f"{name}: expected a whole number, got {value!r}") from None
    return converted


def axis_count(axes: object) -> int:
    """Return a number of axes.

    Raises:
        ArgumentError: it is no integer, or more than any tensor has.
    """
    (count,) = integers(axes=axes)
    if count > _MOST_AXES:  # memory would be full of extents of 1
        raise errors.ArgumentError(f"axes: expected at most {_MOST_AXES}, got {count}")
    return count


def real(value: object, name: str) -> float:
    """Return a number of any library as a float.

    Raises:
        ArgumentError: it is not a number; strings are refused.
    """
    try:
        if isinstance(value, ctypes._SimpleCData) and not isinstance(value.value, (bytes, str)):
            value = value.value
        if not isinstance(value, (str, bytes, bytearray)):
            return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        pass
    raise errors.ArgumentError(f"{name}: expected a number, got {value!r}")


def reals(**values: object) -> list[float]:
    """Return numbers of any library as floats, in their order.

    Raises:
        ArgumentError: a value is not a number, or is NaN; the message names the argument.
    """
    converted = [real(value, name) for name, value in values.items()]
    for name, value in zip(values, converted, strict=True):
        if isnan(value):
            raise errors.ArgumentError(f"{name}: expected a number, got nan")
    return converted


def boolean(value: object, name: str) -> bool:
    """Return a boolean of any library as a bool; the numbers 0 and 1 are such.

    Raises:
        ArgumentError: it is none; strings are refused.
    """
    if isinstance(value, bool):
        return value
    try:
        if value in (0, 1):
            return bool(value)
    except (TypeError, ValueError, RuntimeError):  # of arrays with several elements
        pass
    raise errors.ArgumentError(f"{name}: expected True or False, got {value!r}")


def whole(
    values: object, name: str, expected: str = "a sequence of whole numbers"
) -> tuple[int, ...]:
    """Return a sequence of integers of any library, such as a shape, as a tuple of ints.

    Raises:
        ArgumentError: it is not a sequence of integers.
    """
    try:
        return tuple(index(value) for value in values)  # type: ignore[attr-defined]
    except TypeError:
        raise errors.ArgumentError(f"{name}: expected {expected}, got {values!r}") from None


def per_axis(axes: int, **values: int | Iterable[int]) -> tuple[int, list[tuple[int, ...]]]:
    """Expand arguments to one number for each axis.

    Args:
        axes: the number of axes if all of `values` are single numbers. Otherwise the first
            sequence decides.
        values: a sequence with one number for each axis, or one number for all axes.

    Returns: the number of axes, and the expanded arguments in their order.

    Raises:
        ArgumentError: an argument is neither, or sequences differ in length.
    """
    count = axis_count(axes)
    converted: dict[str, int | tuple[int, ...]] = {}
    for name, value in values.items():
        try:
            converted[name] = index(value)
        except TypeError:
            converted[name] = whole(value, name, "a whole number or a sequence of them")
    for each in converted.values():
        if isinstance(each, tuple):
            count = len(each)
            break
    expanded = [(each,) * count if isinstance(each, int) else each for each in converted.values()]
    for name, each in zip(converted, expanded, strict=True):
        if len(each) != count:
            raise errors.ArgumentError(f"{name}: expected {count} numbers, got {len(each)}")
    return count, expanded


def join(values: Iterable[int]) -> str:
    """Return numbers as text, with commas between them."""
    return ",".join(map(str, values))


#: Units of bytes, by the first letter of their words.
_UNITS = {"": 1, "b": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}


def byte_count(value: object, name: str) -> int:
    """Return a number of bytes, of a number or a text such as "64 MiB"; -1 for no limit.

    Raises:
        ArgumentError: it is neither; the message names the argument.
    """
    if isinstance(value, str):
        text = value.strip().lower()
        if text in ("none", "unlimited", "-1"):
            return -1
        number = text.rstrip("bikmgt ")
        unit = text[len(number) :].strip().removesuffix("b").removesuffix("i")
        if number.strip().isdecimal() and unit in _UNITS:
            return int(number) * _UNITS[unit]
    elif not isinstance(value, bool):
        try:
            count = index(value)
        except TypeError:
            count = -2
        if count >= -1:
            return count
    raise errors.ArgumentError(
        f"{name}: expected a number of bytes, got {value!r}",
        hint='such as 1 << 26 or "64 MiB"; -1 for no limit',
    )


def byte_share(value: object) -> int | str:
    """Return `workspace_limit` as a number of bytes, or as a share of free memory such as "25%".

    Raises:
        ArgumentError: it is neither.
    """
    if not (isinstance(value, str) and value.strip().endswith("%")):
        return byte_count(value, "workspace_limit")
    number = value.strip()[:-1].strip()
    if not number.isdecimal() or not 0 < int(number) <= 100:
        raise errors.ArgumentError(
            f"workspace_limit: expected from 1% to 100% of the free memory, got {value!r}"
        )
    return f"{int(number)}%"


def byte_limit(value: object, name: str) -> int | None:
    """Return the most bytes that are allowed, as `byte_count` does; None for no limit."""
    count = -1 if value is None else byte_count(value, name)
    return None if count < 0 else count


def path_of(value: object, name: str = "path") -> Path:
    """Return the path of a file or folder.

    Raises:
        ArgumentError: it is none, or has a character that no path has.
    """
    try:
        text = os.fsdecode(value)  # type: ignore[arg-type]
        if b"\0" not in os.fsencode(text):
            return Path(text)
    except (TypeError, UnicodeError):
        pass
    raise errors.ArgumentError(f"{name}: expected a path, got {value!r}")


def mapping(value: Mapping[_K, _V] | None, name: str, expected: str) -> Mapping[_K, _V]:
    """Return a mapping; an empty one for None.

    Raises:
        ArgumentError: it is neither.
    """
    if value is None or isinstance(value, Mapping):
        return value or {}
    raise errors.ArgumentError(f"{name}: expected {expected}, got {value!r}")


def is_on(name: str, default: bool) -> bool:
    """Return whether an environment variable turns something on.

    Args:
        name: of the variable.
        default: what holds without it.

    Raises:
        ArgumentError: it says neither.
    """
    given = os.environ.get(name, "")
    word = given.strip().lower()
    if word and word not in (*ON, *OFF):
        raise errors.ArgumentError(f"{name}: expected 1 or 0, got {given!r}")
    return word in ON if word else default
