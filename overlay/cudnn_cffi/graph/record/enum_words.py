"""Names of data types, layouts and enumerators, as graphs keep them: without a library loaded."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, cast

from ... import errors
from ..._support.arguments import index, whole
from ..._support.wording import meant
from ..._tables import newest
from ...arrays import DTYPES, dtype_name, ordered_strides

if TYPE_CHECKING:
    from .types import DataTypeName, DType, Layout, ReorderingWord

#: cuDNN's numbers are less than this.
_END = 1 << 63

_known: dict[object, DataTypeName] = {}


def data_type_name(dtype: DType | str) -> DataTypeName:
    """Return cuDNN's name of a data type, such as "HALF".

    Args:
        dtype: a member of `DataType`, its name, or a data type of any array library.

    Raises:
        ArgumentError: no known release has such a data type.
    """
    try:
        return _known[dtype]
    except (KeyError, TypeError):
        pass
    found = DTYPES.get(dtype_name(dtype), "")
    if not found:
        members = newest().enum("DataType").__members__
        text = str(getattr(dtype, "name", dtype)).removeprefix("CUDNN_DATA_").lower()
        found = next((each for each in members if each.lower() == text), "")
        if not found:
            raise errors.ArgumentError(
                f"expected a data type, got {dtype!r}", hint=f"one of {', '.join(members)}"
            )
    name = cast("DataTypeName", found)
    try:
        _known[dtype] = name
    except TypeError:  # not hashable
        pass
    return name


def enumerator(value: object, prefix: str, enum: str = "") -> str:
    """Return the name of an enumerator, without its prefix and in upper case.

    Args:
        value: a member of the enum, or a text.
        prefix: of the enumerators' C names, after CUDNN_.
        enum: its name, to refuse enumerators that the newest known release does not have.

    Raises:
        ArgumentError: the value is no name, or is not in the enum.
    """
    name = getattr(value, "name", value)
    known = tuple(newest().enum(enum).__members__) if enum else ()
    if isinstance(name, str):
        name = name.upper().removeprefix("CUDNN_").removeprefix(prefix)
        if not enum or name in known:
            return name
    raise errors.ArgumentError(
        f"expected the name of a mode, got {value!r}",
        hint=f"{meant(value, known)}one of {', '.join(known)}" if known else "",
    )


#: Words of array libraries for modes of reductions.
REDUCTIONS = {
    "absmax": "AMAX", "sum": "ADD", "plus": "ADD", "mean": "AVG", "average": "AVG", "prod": "MUL",
    "product": "MUL", "multiply": "MUL", "times": "MUL", "minimum": "MIN", "maximum": "MAX",
    "l1": "NORM1", "l2": "NORM2", "norm": "NORM2",
}  # fmt: skip


def reduction_name(value: object) -> str:
    """Return the name of a mode of a reduction, such as "ADD" for "sum".

    Raises:
        ArgumentError: there is no such mode.
    """
    word = REDUCTIONS.get(value.lower(), value) if isinstance(value, str) else value
    return enumerator(word, "REDUCE_TENSOR_", "ReduceTensorOp")


def reordering_name(value: ReorderingWord | str) -> str:
    """Return the name of a reordering of a tensor's elements, such as "F8_128x4"."""
    name = str(getattr(value, "name", value)).removeprefix("CUDNN_TENSOR_REORDERING_")
    members: list[str] = list(newest().enum("BackendTensorReordering").__members__)
    for each in members:
        if each.lower() == name.lower():
            return each
    raise errors.ArgumentError(
        f"reordering_mode: expected one of {', '.join(members)}, got {value!r}"
    )


#: Orders of dimensions, outermost first, by the word for a layout and the rank.
CHANNELS_LAST = ("channels_last", "nhwc", "nwc", "ndhwc", "nlc")
CHANNELS_FIRST = ("channels_first", "nchw", "ncw", "ncdhw", "ncl", "row_major", "packed")


def layout_strides(shape: tuple[int, ...], layout: Layout | str) -> tuple[int, ...]:
    """Return the strides of a tensor without gaps in a layout.

    Args:
        shape: the extents, batch and channels first, whatever the layout is.
        layout: a word such as "NHWC" or "channels_last", or the order of dimensions, outermost
            first, as in (0, 2, 3, 1).

    Raises:
        ArgumentError: there is no such layout for this rank.
    """
    if not isinstance(layout, str):
        name = getattr(layout, "name", None)
        layout = whole(layout, "layout", "a word, or whole numbers") if name is None else name
    return _layout_strides(shape, layout)


@lru_cache(1024)
def _layout_strides(shape: tuple[int, ...], layout: str | tuple[int, ...]) -> tuple[int, ...]:
    rank = len(shape)
    order: Sequence[int]
    if isinstance(layout, str):
        word = layout.lower()
        if word in CHANNELS_FIRST and (word[0] != "n" or len(word) == rank):
            order = range(rank)
        elif word in CHANNELS_LAST and (word[0] != "n" or len(word) == rank):
            order = (0, *range(2, rank), 1)
        elif word in ("column_major", "transposed"):
            order = (*range(rank - 2), rank - 1, rank - 2)
        else:
            raise errors.ArgumentError(
                f"layout: expected one of {rank} dimensions, got {layout!r}",
                hint=f"one of {', '.join((*CHANNELS_FIRST, *CHANNELS_LAST, 'column_major'))}, "
                "or the order of dimensions, outermost first",
            )
    else:
        order = layout
        if sorted(order) != list(range(rank)):
            raise errors.ArgumentError(
                f"layout: expected an order of {rank} dimensions, got {layout!r}"
            )
    return ordered_strides(shape, order)


def extents(value: object, what: str, least: int = 1) -> tuple[int, ...]:
    """Return a tuple of integers.

    Args:
        value: integers of any library.
        what: their name in errors.
        least: the lowest that is possible.

    Raises:
        ArgumentError: one is no integer, or is too low or too high.
    """
    try:
        result = tuple([e if type(e) is int else index(e) for e in value])  # type: ignore[attr-defined]
    except TypeError as error:
        raise errors.ArgumentError(f"{what}: expected integers, got {value!r}") from error
    if result and min(result) < least:
        raise errors.ArgumentError(f"{what}: expected numbers from {least} on, got {result}")
    if result and max(result) >= _END:
        raise errors.ArgumentError(f"{what}: expected numbers of at most 63 bits, got {result}")
    return result
