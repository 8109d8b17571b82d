"""Names of data types, layouts and enumerators, as graphs keep them: without a library loaded."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from ... import errors
from ..._support.arguments import index
from ..._support.wording import meant
from ..._tables import newest
from ...arrays import DTYPES, dtype_name, ordered_strides

#: cuDNN's numbers are less than this.
_END = 1 << 63

_known: dict[Any, str] = {}


def data_type_name(dtype: Any) -> str:
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
    name = DTYPES.get(dtype_name(dtype), "")
    if not name:
        text = getattr(dtype, "name", dtype)
        members = newest().enum("DataType").__members__
        text = str(text).removeprefix("CUDNN_DATA_")
        name = next((each for each in members if each.lower() == text.lower()), "")
        if not name:
            raise errors.ArgumentError(
                f"expected a data type, got {dtype!r}", hint=f"one of {', '.join(members)}"
            )
    try:
        _known[dtype] = name
    except TypeError:  # not hashable
        pass
    return name


def enumerator(value: Any, prefix: str, enum: str = "") -> str:
    """Return the name of an enumerator without its prefix, in upper case: of a member or a text.

    Args:
        value: what a caller passed.
        prefix: of the enumerators' C names, behind CUDNN_.
        enum: the enum's name, where the newest known release is to have that enumerator.

    Raises:
        ArgumentError: it is no name, or none of the enum.
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


#: The words of array libraries for modes of reductions.
REDUCTIONS = {
    "absmax": "AMAX", "sum": "ADD", "plus": "ADD", "mean": "AVG", "average": "AVG", "prod": "MUL",
    "product": "MUL", "multiply": "MUL", "times": "MUL", "minimum": "MIN", "maximum": "MAX",
    "l1": "NORM1", "l2": "NORM2", "norm": "NORM2",
}  # fmt: skip


def reduction_name(value: Any) -> str:
    """Return the name of a mode of a reduction, such as "ADD", which "sum" means too.

    Raises:
        ArgumentError: it is none.
    """
    word = value.lower() if isinstance(value, str) else value
    return enumerator(REDUCTIONS.get(word, value), "REDUCE_TENSOR_", "ReduceTensorOp")


def reordering_name(value: Any) -> str:
    """Return the name of a reordering of a tensor's elements, such as "F8_128x4"."""
    name = str(getattr(value, "name", value)).removeprefix("CUDNN_TENSOR_REORDERING_")
    members: list[str] = list(newest().enum("BackendTensorReordering").__members__)
    for each in members:
        if each.lower() == name.lower():
            return each
    raise errors.ArgumentError(
        f"reordering_mode: got {value!r}", hint=f"one of {', '.join(members)}"
    )


#: Orders of dimensions, outermost first, by the word for a layout and the rank.
CHANNELS_LAST = ("channels_last", "nhwc", "nwc", "ndhwc", "nlc")
CHANNELS_FIRST = ("channels_first", "nchw", "ncw", "ncdhw", "ncl", "row_major", "packed")


def layout_strides(shape: tuple[int, ...], layout: Any) -> tuple[int, ...]:
    """Return the strides of a tensor without gaps in a layout.

    Args:
        shape: the extents, batch and channels first, whatever the layout is.
        layout: a word such as "NHWC" or "channels_last", or the order of dimensions, outermost
            first, as in (0, 2, 3, 1).

    Raises:
        ArgumentError: there is no such layout for this rank.
    """
    return _layout_strides(shape, layout if isinstance(layout, str) else _hashable(layout))


def _hashable(layout: Any) -> Any:
    return layout.name if hasattr(layout, "name") else tuple(layout)


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
                f"layout {layout!r} is none of a tensor with {rank} dimensions",
                hint=f"one of {', '.join((*CHANNELS_FIRST, *CHANNELS_LAST, 'column_major'))}, "
                "or the order of dimensions, outermost first",
            )
    else:
        order = layout
        if sorted(order) != list(range(rank)):
            raise errors.ArgumentError(f"layout {layout!r} is not an order of {rank} dimensions")
    return ordered_strides(shape, order)


def extents(value: Any, what: str, least: int = 1) -> tuple[int, ...]:
    """Return a tuple of integers.

    Raises:
        ArgumentError: one is no integer, or below `least`.
    """
    try:
        result = tuple([each if type(each) is int else index(each) for each in value])
    except TypeError as error:
        raise errors.ArgumentError(f"{what}: expected integers, got {value!r}") from error
    if result and min(result) < least:
        raise errors.ArgumentError(f"{what}: {result} has a number below {least}")
    if result and max(result) >= _END:
        raise errors.ArgumentError(f"{what}: {result} has a number of more than 63 bits")
    return result
