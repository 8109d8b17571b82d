"""Check the arguments of arrays: shapes, data types, devices and indices."""

from __future__ import annotations

from types import EllipsisType
from typing import TYPE_CHECKING

from .. import arrays, errors
from .. import driver as _driver
from .._support.arguments import index, whole
from ..driver import streams

if TYPE_CHECKING:
    from ..types import DTypeWord
    from ..types import Stream as StreamLike

Index = int | slice | EllipsisType


def device_for(device: int | None, stream: StreamLike) -> int:
    """Return the ordinal of a device: that of the stream, or the current one, by default."""
    if device is not None:
        return _driver.ordinal(device)
    address = streams.stream_pointer(stream)
    if address > 2:
        return _driver.device_of(_driver.context_of_stream(address))
    return _driver.device_of()


def extents_of(shape: object) -> tuple[int, ...]:
    """Return a shape, or one extent, as a tuple of ints.

    Raises:
        ArgumentError: it is neither, or an extent is negative.
    """
    try:
        extents: tuple[int, ...] = (index(shape),)
    except TypeError:
        extents = whole(shape, "shape")
    if any(extent < 0 for extent in extents):
        raise errors.ArgumentError(f"expected extents of 0 or more, got {extents}")
    return extents


def known_dtype(dtype: object) -> DTypeWord:
    """Return the name that NumPy or ml_dtypes has for a data type.

    Raises:
        ArgumentError: they have none.
    """
    name = arrays.dtype_name(dtype)
    if not name:
        raise errors.ArgumentError(
            f"expected a data type, got {dtype!r}", hint=f"one of {', '.join(arrays.DTYPES)}"
        )
    return name


def several(values: tuple[object, ...], name: str) -> tuple[int, ...]:
    """Return ints that were passed one by one or as one sequence."""
    if len(values) == 1:
        try:
            index(values[0])
        except TypeError:
            return whole(values[0], name)
    return whole(values, name)


def all_keys(keys: tuple[Index, ...], count: int) -> list[int | slice]:
    """Return a key for each of `count` axes; `...` and axes without a key become whole slices."""
    dots = [position for position, each in enumerate(keys) if each is ...]
    indices = len(keys) - len(dots)
    if len(dots) > 1 or indices > count:
        raise IndexError(f"{count} axes, {indices} indices and {len(dots)} times ...")
    before = dots[0] if dots else len(keys)
    found = [*keys[:before], *[slice(None)] * (count - indices), *keys[before + 1 :]]
    return found  # type: ignore[return-value]  # no `...` is left


def key_index(key: object) -> int:
    """Return an index as an int.

    Raises:
        ArgumentError: it is none.
    """
    if not isinstance(key, bool):
        try:
            return index(key)
        except TypeError:
            pass
    raise errors.ArgumentError(f"expected an int, a slice or ..., got {key!r}")
