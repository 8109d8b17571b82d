"""The shapes, layouts and data types of results, one rule for each kind of operation.

A rule gets a node with its inputs and options and returns, for each port of a result, a `Result`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import prod
from typing import TYPE_CHECKING, NamedTuple

from ... import arrays, errors

if TYPE_CHECKING:
    from ..record.types import DataTypeName
    from ..tensors import Node, Tensor


class Result(NamedTuple):
    """The inferred properties of a result.

    Attributes:
        shape: its extents.
        like: the tensor whose order of strides it has; None for row-major.
        data_type: its type unless the caller sets another; None if the graph decides.
        hint: its type in memory where neither caller nor graph say; None for that of `like`.
    """

    shape: tuple[int, ...]
    like: Tensor | None = None
    data_type: DataTypeName | None = None
    hint: DataTypeName | None = None


#: Makes a `Result` of all its parts; its own constructor takes five times as long.
new_tuple = tuple.__new__


def misfit(node: Node, problem: str, *tensors: Tensor) -> errors.ShapeMismatchError:
    """Return the error for tensors that do not go together: it names the node and each of them."""
    which = " and ".join(f"{each.name} {each.shape}" for each in tensors)
    return errors.ShapeMismatchError(
        f"node {node.name} ({node.word}): {problem}: {which}",
        arguments={port: each.describe() for port, each in node.inputs.items()},
    )


def check_ranks(node: Node, least: int, *ports: str) -> None:
    """Refuse tensors with too few dimensions."""
    for port in ports:
        each = node.inputs.get(port)
        if each is not None and len(each.shape) < least:
            raise misfit(node, f"expected {port} to have {least} dimensions or more", each)


@lru_cache(4096)
def packed(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the strides of a row-major tensor without gaps."""
    return arrays.packed_strides(shape)


@lru_cache(4096)
def strides_like(
    shape: tuple[int, ...], other: tuple[int, ...], strides: tuple[int, ...]
) -> tuple[int, ...]:
    """Return strides without gaps, in the order that those of another tensor of this rank have.

    Args:
        shape: the extents of the new tensor.
        other: the extents of the other tensor.
        strides: the strides of the other tensor.
    """
    if len(shape) != len(other):
        return packed(shape)
    # The sort is stable, and of equal strides an extent of 1 is the inner one: (N, 1, H, W) with
    # strides (HW, 1, W, 1) has its channels last.
    order = sorted(range(len(shape)), key=lambda axis: (-strides[axis], other[axis] == 1))
    return arrays.ordered_strides(shape, order)


def view_strides(
    shape: tuple[int, ...], strides: tuple[int, ...], wanted: tuple[int, ...]
) -> tuple[int, ...] | None:
    """Return strides with which another shape has the same elements in row-major order.

    Args:
        shape, strides: of the tensor in memory.
        wanted: the other shape, with as many elements.

    Returns:
        The strides; None where there are none, and a copy is needed.
    """
    joined: list[tuple[int, int]] = []  # extents and strides of dimensions that can be one
    for n, step in zip(shape, strides, strict=True):
        if n != 1:
            if joined and joined[-1][1] == n * step:
                n *= joined.pop()[0]
            joined.append((n, step))
    result: list[int] = []
    room, step = 1, 1  # how much of a dimension is left, and its stride
    for extent in reversed(wanted):
        if room == 1 != extent and joined:
            room, step = joined.pop()
        if room % extent:
            return None
        result.append(step)
        room //= extent
        step *= extent
    return tuple(reversed(result))


@lru_cache(4096)
def broadcast_shapes(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...] | None:
    """Return the shape to which two shapes are broadcast; None if they do not fit."""
    if len(a) != len(b):
        return None
    shape = []
    for one, other in zip(a, b, strict=True):
        if one != other and one != 1 and other != 1:
            return None
        shape.append(other if one == 1 else one)
    return tuple(shape)


def broadcast(node: Node, tensors: Sequence[Tensor]) -> tuple[int, ...]:
    """Return the shape to which tensors are broadcast; an extent of 1 fits any other."""
    first = tensors[0]
    shape = first.shape
    for each in tensors[1:]:
        if each.shape != shape:
            wider = broadcast_shapes(shape, each.shape)
            if wider is None:
                if len(each.shape) != len(shape):
                    raise misfit(
                        node, "ranks differ, and cuDNN broadcasts extents of 1 only", first, each
                    )
                raise misfit(node, "extents differ and neither is 1", first, each)
            shape = wider
    return shape


#: The data types that hold no fractions.
INTEGERS = frozenset(("INT32", "INT64", "INT8", "UINT8", "UINT32"))
_EXACT = INTEGERS | {"BOOLEAN"}

#: Pointwise modes whose results of integers are integers, also where they compute in such a type.
CLOSED = frozenset(
    (
        *("ADD", "SUB", "MUL", "DIV", "MOD", "FLOOR_MOD", "MAX", "MIN", "ABS", "NEG"),
        *("ADD_SQUARE", "BINARY_SELECT"),
    )
)
_KEEPING = CLOSED | {"IDENTITY", "CEIL", "FLOOR", "RELU_FWD", "RELU_BWD"}

#: The data types of results that are no numbers of the graph's types.
LOGIC = {
    "GEN_INDEX": "INT32",
    **dict.fromkeys(("LOGICAL_AND", "LOGICAL_OR", "LOGICAL_NOT"), "BOOLEAN"),
    **{f"CMP_{word}": "BOOLEAN" for word in ("EQ", "NEQ", "GT", "GE", "LT", "LE")},
}


def pointwise(node: Node) -> dict[str, Result]:
    """Return the result of an operation by element, with extents of 1 repeated."""
    tensors = tuple(node.inputs.values())
    like = tensors[0]
    shape = like.shape if len(tensors) == 1 else broadcast(node, tensors)
    if like.by_value or like.shape != shape:
        for each in tensors:
            if each.shape == shape and not each.by_value:
                like = each
                break
    mode = node.options["mode"]
    if mode == "BINARY_SELECT":
        x, b = node.inputs["x"], node.inputs["b"]
        first = b if x.by_value and not b.by_value else x
        return {"y": Result(shape, like, None, _result_type(mode, first, (x, b)))}
    port = "dx" if mode.endswith("_BWD") else "y"
    hint = _result_type(mode, like, tensors) if like.io_type in _EXACT else None
    return {port: new_tuple(Result, (shape, like, LOGIC.get(mode), hint))}


def _result_type(mode: str, like: Tensor, tensors: Sequence[Tensor]) -> DataTypeName:
    """Return the type of a result in memory: that of `like`, unless it may have fractions."""
    kind = like.io_type
    if kind in _EXACT:
        for each in sorted(tensors, key=lambda each: each.by_value):
            if each.io_type not in _EXACT:
                return each.io_type
        return kind if mode in _KEEPING or mode in LOGIC else "FLOAT"
    return kind


def concatenate(node: Node) -> dict[str, Result]:
    """Return a result as long along an axis as the inputs are together."""
    tensors, axis = list(node.inputs.values()), node.options["axis"]
    first, total = tensors[0], 0
    for each in tensors:
        same = len(each.shape) == len(first.shape) and all(
            a == b or at == axis
            for at, (a, b) in enumerate(zip(first.shape, each.shape, strict=True))
        )
        if not same:
            raise misfit(node, f"they differ in more than dimension {axis}", first, each)
        total += each.shape[axis]
    shape = (*first.shape[:axis], total, *first.shape[axis + 1 :])
    return {"y": Result(shape, first, first.data_type)}


def same(node: Node) -> dict[str, Result]:
    """Return results that are all like the first input."""
    x = next(iter(node.inputs.values()))
    return {port.name: Result(x.shape, x) for port in node.operation.outputs}


def reshape(node: Node) -> dict[str, Result]:
    """Return a result of as many elements as the input, in another shape."""
    x, shape = node.inputs["x"], node.options["shape"]
    if prod(x.shape) != prod(shape):
        raise misfit(node, f"expected a shape with as many elements, got {shape}", x)
    return {"y": Result(shape, None, x.data_type, x.io_type)}


def transpose(node: Node) -> dict[str, Result]:
    """Return a result with the extents of the input in another order."""
    x, permutation = node.inputs["x"], node.options["permutation"]
    shape = tuple([x.shape[axis] for axis in permutation])
    return {"y": Result(shape, None, x.data_type, x.io_type)}


def expand(node: Node) -> dict[str, Result]:
    """Return a result in which extents of 1 of the input are repeated."""
    x, shape = node.inputs["x"], _shape(node)
    if len(x.shape) != len(shape) or any(
        n not in (1, wanted) for n, wanted in zip(x.shape, shape, strict=True)
    ):
        raise misfit(node, f"expected a tensor that repeats to the shape {shape}", x)
    return {"y": Result(shape, x, x.data_type)}


def slicing(node: Node) -> dict[str, Result]:
    """Return a result with each `step`-th element of a part of the input."""
    x, o = node.inputs["x"], node.options
    shape = tuple(
        [
            -(-(stop - start) // step)
            for start, stop, step in zip(o["start"], o["limit"], o["step"], strict=True)
        ]
    )
    return {"y": Result(shape, x, x.data_type)}


def given_shape(node: Node) -> dict[str, Result]:
    """Return results of the shape that the caller gave."""
    first = next(iter(node.inputs.values()), None)
    hint = None if first is None else first.io_type
    return {port.name: Result(_shape(node), None, None, hint) for port in node.operation.outputs}


def _shape(node: Node) -> tuple[int, ...]:
    """Return the shape that the caller gave.

    Raises:
        ArgumentError: there is none.
    """
    if "shape" not in node.options:
        raise errors.ArgumentError(f"{node.kind} shape: expected integers, got None")
    return node.options["shape"]
