"""The description of an array, and errors for objects that have none."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING

from .. import errors
from .._support.results import NamedTuple
from .._support.wording import a_kind


class ArrayInfo(NamedTuple):
    """An array as a call has to know it.

    Attributes:
        address: of the first element.
        dtype: as NumPy or ml_dtypes names it; the library's own name where they have none.
        shape: the extents.
        strides: in elements.
        device: the ordinal of the device; None where it cannot be told.
    """

    address: int
    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    device: int | None


class OwnArray:
    """The base of this package's arrays, which know everything about themselves.

    Attributes:
        address: of the first element; raises ClosedError when the memory was freed.
        device: the ordinal of the device.
        readonly: whether it must not be written.
        dtype_name, shape, strides: as in `ArrayInfo`.
        _pointer: the address as a plain attribute, absent when the memory was freed.
    """

    __slots__ = ()

    if TYPE_CHECKING:
        _pointer: int
        dtype_name: str
        shape: tuple[int, ...]
        strides: tuple[int, ...]

        @property
        def address(self) -> int:
            """Return the address of the first element."""

        @property
        def device(self) -> int:
            """Return the ordinal of the device."""

        @property
        def readonly(self) -> bool:
            """Return whether it must not be written."""


def packed_strides(shape: Sequence[int], layout: str = "NCHW") -> tuple[int, ...]:
    """Return the strides, in elements, of an array without gaps.

    Args:
        shape: the extents; the second axis is the channels.
        layout: "NCHW" for row-major; "NHWC" for channels innermost.
    """
    axes = list(range(len(shape)))
    if layout == "NHWC" and len(axes) > 2:
        axes = [0, *axes[2:], 1]
    return ordered_strides(shape, axes)


def ordered_strides(shape: Sequence[int], order: Sequence[int]) -> tuple[int, ...]:
    """Return the strides, in elements, of an array without gaps.

    Args:
        shape: the extents.
        order: the axes in the order of memory, the innermost last.
    """
    strides, step = [1] * len(shape), 1
    for axis in reversed(order):
        strides[axis] = step
        step *= max(shape[axis], 1)
    return tuple(strides)


def last_offset(shape: Sequence[int], strides: Sequence[int]) -> int:
    """Return the offset of the last element of an array from its first one, in elements."""
    return sum((extent - 1) * step for extent, step in zip(shape, strides, strict=True))


def same_strides(shape: Sequence[int], left: Sequence[int], right: Sequence[int]) -> bool:
    """Return whether strides mean the same; that of an axis with one element means nothing."""
    return all(a == b for extent, a, b in zip(shape, left, right, strict=True) if extent > 1)


def usual_strides(
    shape: Sequence[int], strides: Sequence[int]
) -> tuple[tuple[int, ...] | None, tuple[int, ...] | None]:
    """Return strides with those of axes of one element around what is within.

    Args:
        shape: the extents.
        strides: in elements.

    Returns:
        the strides row by row, and with the second axis innermost; None for an order that axes of
        more elements do not have.
    """
    axes = range(len(shape))
    return _around(shape, strides, axes), _around(shape, strides, (0, *axes[2:], *axes[1:2]))


def settled_strides(shape: Sequence[int], strides: Sequence[int], by_rows: bool) -> tuple[int, ...]:
    """Return the strides of one of both orders of `usual_strides`, if an array has one.

    Args:
        shape: the extents.
        strides: in elements; they stay if those of axes of one element are in one of the orders.
        by_rows: which order it is if the array has both.
    """
    both = usual_strides(shape, strides)
    known = [each for each in (both if by_rows else both[::-1]) if each is not None]
    return tuple(strides) if not known or tuple(strides) in known else known[0]


def _around(
    shape: Sequence[int], strides: Sequence[int], order: Sequence[int]
) -> tuple[int, ...] | None:
    found, step = list(strides), 1
    for axis in reversed(order):
        if shape[axis] == 1:
            found[axis] = step
        elif 0 < strides[axis] < step:
            return None
        step = max(step, found[axis] * shape[axis])
    return tuple(found)


def batch_of_one(info: ArrayInfo) -> ArrayInfo:
    """Return the same array with an axis of one element in front."""
    step = max([1, *map(operator.mul, info.shape, info.strides)])
    return ArrayInfo(info.address, info.dtype, (1, *info.shape), (step, *info.strides), info.device)


def host_error(array: object) -> errors.ArgumentError:
    """Return the error for an array in host memory."""
    return errors.ArgumentError(
        f"expected device memory, got {a_kind(array)} in host memory",
        hint="copy it to the device first",
    )


def not_device_error(
    array: object, hint: str = "pass an array on the device or an address"
) -> errors.ArgumentError:
    """Return the error for a value that is not device memory at all."""
    return errors.ArgumentError(f"expected device memory, got {a_kind(array)}", hint=hint)
