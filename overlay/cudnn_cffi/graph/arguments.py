"""Descriptions of tensors, read from arrays and numbers of any library."""

from __future__ import annotations

from collections.abc import Sequence, Sized
from typing import TYPE_CHECKING, TypeGuard, cast

from .. import arrays, errors
from .._support.arguments import index
from .._support.wording import a_kind
from .record.enum_words import extents
from .tensors import Node, Tensor

if TYPE_CHECKING:
    from .record.types import DType, HostArray, Layout, Shaped


def read_shape(
    shape: Shaped, strides: Sequence[int] | None, data_type: DType | None, alignment: int | None
) -> tuple[tuple[int, ...], Sequence[int] | None, DType | None, int | None]:
    """Return shape, strides, data type and alignment of an array, or of a sequence of extents."""
    if isinstance(shape, (list, range)) or not (
        arrays.tells_shape(shape) or hasattr(shape, "__array_interface__")
    ):
        return extents(shape, "shape"), strides, data_type, alignment
    if arrays.tells_shape(shape) and not _is_host(shape):
        info = arrays.describe(shape)
        dtype = cast("DType", info.dtype)
        found, address, own = info.shape, info.address, info.strides
    else:  # of NumPy: everything but the memory is used
        array = cast("HostArray", shape)
        dtype, found, address = array.dtype, array.shape, array.__array_interface__["data"][0]
        own = tuple(step // array.itemsize for step in array.strides)
    found, own = (found, own) if found else ((1,), (1,))
    if alignment is None and address:
        alignment = min(16, address & -address)
    return found, own if strides is None else strides, data_type or dtype, alignment


def _is_host(array: object) -> bool:
    return hasattr(array, "__array_interface__") and not hasattr(array, "__cuda_array_interface__")


def check_strides(
    shape: tuple[int, ...], strides: Sequence[int], layout: Layout | None
) -> tuple[int, ...]:
    """Return strides as a tuple; refuse those that do not go with a shape."""
    if layout is not None:
        raise errors.ArgumentError("expected strides or a layout, got both")
    result = extents(strides, "strides", 0)
    if len(result) != len(shape):
        raise errors.ArgumentError(
            f"expected strides {result} to be {len(shape)}, as the shape {shape} has extents"
        )
    return result


def lies_in(base: Tensor, shape: Sequence[int], strides: Sequence[int], offset: int) -> bool:
    """Return whether all elements of a view are some of a tensor's, or in its gaps."""
    last = offset + arrays.last_offset(shape, strides)
    return offset >= 0 and last <= arrays.last_offset(base.shape, base.strides)


#: Data types with several elements in a byte.
_PACKED = ("BOOLEAN", "INT4", "UINT4", "FP4_E2M1")


def view_alignment(base: Tensor, offset: int, data_type: str) -> int:
    """Return the alignment of a view, in bytes.

    Raises:
        NotSupportedError: the view begins within a byte that elements share.
    """
    moved = offset * arrays.itemsize(arrays.dtype_name(data_type))
    if moved and data_type in _PACKED:
        raise errors.NotSupportedError(
            f"{base.name}: several elements of {data_type} share a byte, so no view begins at "
            f"element {offset}"
        )
    return min(base.alignment, moved & -moved) if moved else base.alignment


def is_view(node: Node) -> bool:
    """Return whether a node reads the memory of its input in the order of addresses."""
    return node.kind == "reshape" and node.options.get("mode") != "LOGICAL"


def view_of(tensor: Tensor) -> Node | None:
    """Return a node that reads a tensor by how it lies in memory; None without one."""
    for node in tensor.graph.nodes:
        if is_view(node) and node.inputs["x"] is tensor:
            return node
    return None


def overlaps(shape: tuple[int, ...], strides: tuple[int, ...]) -> bool:
    """Return whether elements with different indices may lie at the same address."""
    last = 0  # the greatest offset of the dimensions so far
    for step, extent in sorted(zip(strides, shape, strict=True)):
        if extent > 1:
            if step <= last:
                return True
            last += step * (extent - 1)
    return False


def check_alignment(alignment: int) -> int:
    """Return an alignment in bytes; refuse a number that is no power of two."""
    (size,) = extents((alignment,), "alignment")
    if size & (size - 1):
        raise errors.ArgumentError(f"alignment: expected a power of two, got {size}")
    return size


def is_number(value: object) -> bool:
    """Return whether a value may be a number: one of Python, or of an array library."""
    if value is None or isinstance(value, (str, bytes, tuple, list, dict)):
        return False
    return getattr(value, "shape", ()) == ()


def no_operand(
    value: object, what: str, expected: str = "a tensor or number"
) -> errors.ArgumentError:
    """Return the error for an argument that is no operand."""
    hint = ""
    if isinstance(value, tuple) and any(isinstance(each, Tensor) for each in value):
        fields = ", ".join(getattr(value, "_fields", ()))
        hint = f"pass one of its tensors: {fields}" if fields else "pass one of its tensors"
    elif getattr(value, "shape", ()) != ():
        hint = "add it first: g.tensor(array)"
    plain = value is None or isinstance(value, (int, float, str))
    came = repr(value) if plain else a_kind(value)
    return errors.ArgumentError(f"{what}: expected {expected}, got {came}", hint=hint)


def check_tensor(value: object, what: str) -> None:
    """Refuse an argument that is no tensor of a graph."""
    if type(value) is not Tensor:
        raise no_operand(value, what, "a tensor")


def number(value: object) -> float:
    """Return a number of any library as an int or a float."""
    if isinstance(value, bool):
        return int(value)
    try:
        item = value.item() if hasattr(value, "item") else value
        return item if isinstance(item, (int, float)) else float(cast("float", item))
    except (TypeError, ValueError) as error:
        raise errors.ArgumentError(f"expected a number, got {value!r}") from error


def names(value: object, what: str) -> tuple[str, ...]:
    """Return a sequence of names as a tuple."""
    found = tuple(value) if is_iterable(value) and not isinstance(value, (str, bytes)) else None
    if found is None or any(not isinstance(each, str) for each in found):
        raise errors.ArgumentError(f"{what}: expected a sequence of names, got {value!r}")
    return cast("tuple[str, ...]", found)


def is_iterable(value: object) -> TypeGuard[Sequence[object]]:
    """Return whether a value has elements, which an array without dimensions has not."""
    return hasattr(value, "__iter__") and getattr(value, "shape", None) != ()


def each_alike(value: object, count: int) -> object:
    """Return a whole number of any library as often as it takes; anything else as it is."""
    if type(value) is int:
        return (value,) * count
    if is_iterable(value):
        return value
    try:
        return (index(value),) * count
    except TypeError:
        return value


def dimension(axis: object, rank: int, what: str) -> int:
    """Return the number of a dimension, counted from the first; refuse one out of range."""
    try:
        number = index(axis)
    except TypeError:
        number = rank
    if not -rank <= number < rank:
        raise errors.ArgumentError(f"{what}: expected a dimension of {rank}, got {axis!r}")
    return number % rank


def per_dimension(value: object, count: int, what: str, least: int) -> tuple[int, ...]:
    """Return a number for each spatial dimension."""
    result = extents(each_alike(value, count), what, least)
    if len(result) != count:
        raise errors.ArgumentError(
            f"{what}: expected {count} numbers, one for each spatial dimension, got {value!r}"
        )
    return result


def paddings(value: object, count: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the padding before and after each spatial dimension."""
    value = each_alike(value, count)
    pairs = [each for each in value if isinstance(each, Sized)] if is_iterable(value) else []
    if not is_iterable(value) or not pairs:
        both = per_dimension(value, count, "padding", 0)
        return both, both
    if not len(pairs) == len(value) == count or any(len(each) != 2 for each in pairs):
        raise errors.ArgumentError(
            f"padding: expected {count} pairs (before, after), got {value!r}"
        )
    before, after = zip(*cast("Sequence[Sequence[int]]", value), strict=True)
    return extents(before, "padding", 0), extents(after, "padding", 0)
