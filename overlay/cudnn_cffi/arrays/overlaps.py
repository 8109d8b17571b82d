"""Whether arrays have memory in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from .. import errors
from .dtypes import itemsize
from .info import ArrayInfo, last_offset, same_strides

#: Shape, strides, and the bytes of an element.
Laid: TypeAlias = tuple[tuple[int, ...], tuple[int, ...], int]

#: Maximum number of sums that are tried.
_MOST_SUMS = 10_000


def refuse_overlaps(
    name: str, output: ArrayInfo, inputs: Mapping[str, ArrayInfo], same: str = ""
) -> None:
    """Refuse an output in the memory of an input.

    Args:
        name: of the output.
        output: its description.
        inputs: those of the inputs, by name.
        same: the name of the input that may be the same array, if it has the same strides.

    Raises:
        ArgumentError: they have an element in common.
    """
    for each, info in inputs.items():
        distance = output.address - info.address
        is_same = each == same and not distance and output[1:3] == info[1:3]
        if is_same and same_strides(info.shape, info.strides, output.strides):
            continue
        near = are_near(distance, span_of(output), span_of(info))
        if near and meet(distance, _laid(output), _laid(info)):
            raise overlap(name, each)


def overlap(name: str, other: str) -> errors.ArgumentError:
    """Return the error for an output in the memory of another array."""
    return errors.ArgumentError(
        f"{name}: expected memory of its own, it overlaps {other}",
        hint="an output may be an input only where each of its elements is computed of the same "
        "element of that, and both have the same strides",
    )


def _laid(info: ArrayInfo) -> Laid:
    return info.shape, info.strides, itemsize(info.dtype)


def are_near(distance: int, span: int, other: int) -> bool:
    """Return whether the spans of two arrays have a byte in common.

    Args:
        distance: the bytes from the first element of the other one to that of the first one.
        span: the bytes that the first one spans.
        other: those of the other one.
    """
    return -span < distance < other


def span_of(info: ArrayInfo) -> int:
    """Return the bytes from an array's first element to the end of its last."""
    shape, strides, width = _laid(info)
    return 0 if 0 in shape else (last_offset(shape, strides) + 1) * width


def meet(distance: int, one: Laid, other: Laid) -> bool:
    """Return whether two arrays have a byte in common, or may have one where a search is long.

    Args:
        distance: the bytes from the first element of the other one to that of the first one.
        one, other: how they are laid out; both have elements.
    """
    ranges: dict[int, tuple[int, int]] = {}  # by steps in bytes: the least and the greatest factor
    for (shape, strides, width), sign in ((one, 1), (other, -1)):
        for extent, stride in zip(shape, strides, strict=True):
            least, most = ranges.get(stride * width, (0, 0))
            reach = sign * (extent - 1)
            ranges[stride * width] = min(least, least + reach), max(most, most + reach)
    ranges.pop(0, None)
    steps = sorted(ranges.items())
    # The open interval from where smaller steps can still lead to a common byte.
    lows, highs = [-one[2]], [other[2]]
    for step, (least, most) in steps:
        lows.append(lows[-1] - step * most)
        highs.append(highs[-1] - step * least)
    left, waiting = _MOST_SUMS, [(distance, len(steps))]
    while waiting:
        at, level = waiting.pop()
        if not lows[level] < at < highs[level]:
            continue
        if not level:
            return True
        step, (least, most) = steps[level - 1]
        first = max(least, (lows[level - 1] - at) // step)
        last = min(most, -((at - highs[level - 1]) // step))
        left -= last - first + 1
        if left < 0:
            return True
        waiting += [(at + step * factor, level - 1) for factor in range(first, last + 1)]
    return False
