"""Operands of a plan: tensors in device memory, and numbers in host memory."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Iterable, Sequence

from .. import arrays, errors
from .._support.results import NamedTuple

#: Keywords of a call of a plan beside its operands, so that no operand is called so.
OPTIONS = ("handle", "stream", "workspace")

#: Roles of an operand in its plan.
ROLES = ("input", "output", "workspace")

#: The bits of an element, for data types with several elements in a byte.
_BITS = {"INT4": 4, "UINT4": 4, "FP4_E2M1": 4}


class Operand(NamedTuple):
    """A tensor that is not virtual, as a plan knows it.

    Attributes:
        name: as it reads in errors, and the name of the argument; unique in its plan.
        uid: the unique id in cuDNN's tensor descriptor.
        shape: the extents.
        strides: in elements.
        data_type: the member of `DataType`, by its name: "HALF".
        alignment: the number of bytes that the address is a multiple of.
        role: "input"; "output"; or "workspace", for memory that the plan
            provides itself, after the one that cuDNN asks for.
        value: the number, of an input that is a number in host memory and always the same.
        by_value: whether the tensor is a number in host memory. One without `value` is an argument,
            a Python number.
        fill: 0 to have memory of the plan's own set to zero before each execution, else None.
        views: other tensors in the memory of an argument: the unique id of each, and its offset in
        bytes from the argument's address.
        is_read: False for an input of a call that the plan does not read, such as a sink beside
            statistics: engines refuse addresses of tensors that they do not know.
        shares: the names of the inputs that may be the same array as this output, because each of
            their elements is read for the same element of the output only.
        is_ragged: whether offsets define how far it reaches.
        has_bytes: whether truth values have a byte each, as in arrays of bool: copies and classic
            functions keep them. Engines have eight in a byte, the first one in the lowest bit.
    """

    name: str
    uid: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    data_type: str
    alignment: int = 16
    role: str = "input"
    value: float | None = None
    by_value: bool = False
    fill: int | None = None
    views: tuple[tuple[int, int], ...] = ()
    is_read: bool = True
    shares: tuple[str, ...] = ()
    is_ragged: bool = False
    has_bytes: bool = False

    @property
    def is_argument(self) -> bool:
        """Return whether a call of the plan takes it."""
        return self.role != "workspace" and self.value is None

    @property
    def is_bits(self) -> bool:
        """Return whether it is truth values in memory, eight in a byte."""
        return self.data_type == "BOOLEAN" and not (self.has_bytes or self.by_value)

    def __str__(self) -> str:
        if self.by_value:
            return f"{self.name}: {self.data_type} number"
        return f"{self.name}: {self.data_type} {self.shape} strides {self.strides}"


class Pair(NamedTuple):
    """An output, and another array, which must not overlap.

    Attributes:
        output, other: their names.
        may_be_one: whether they may be the same array.
    """

    output: str
    other: str
    may_be_one: bool = False


def span(operand: Operand) -> int:
    """Return the bytes from an operand's first element to the end of its last."""
    if 0 in operand.shape:
        return 0
    elements = arrays.last_offset(operand.shape, operand.strides) + 1
    bits = 1 if operand.is_bits else _BITS.get(operand.data_type)
    if bits is not None:
        return -(-elements * bits // 8)
    return elements * arrays.itemsize(arrays.dtype_name(operand.data_type))


def least_span(operand: Operand) -> int:
    """Return how many bytes an operand has for sure: one, where offsets on the device say how many.

    Packed arrays may lie closer to each other than their extents.
    """
    return 1 if operand.is_ragged else span(operand)


def encode(operand: Operand, value: object) -> bytes:
    """Return a number as it lies in host memory.

    Raises:
        ArgumentError: it is no number, out of range, or numbers of that type are not passed so.
    """
    kind = operand.data_type
    dtype = arrays.dtype_name(kind)
    if dtype not in arrays.ENCODED:
        raise errors.ArgumentError(
            f"{operand.name}: no number of the type {kind} is passed by value",
            hint=f"one of {', '.join(sorted(map(arrays.DTYPES.__getitem__, arrays.ENCODED)))}",
        )
    if isinstance(value, bool) and kind != "BOOLEAN":
        value = int(value)
    try:
        if isinstance(value, (str, bytes)):
            raise TypeError
        if dtype == "bool":
            value = bool(value)
        exact = float(value) if "float" in dtype else value.__index__()  # type: ignore[attr-defined, arg-type]
        return arrays.encode_numbers([exact], dtype)
    except (AttributeError, TypeError, ValueError, struct.error, OverflowError):
        raise errors.ArgumentError(
            f"{operand.name}: expected a number of the type {kind}, got {value!r}"
        ) from None


class Number:
    """A number in host memory, at an address that stays."""

    __slots__ = ("_memory", "address", "data")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self._memory = ctypes.create_string_buffer(data, max(len(data), 16))
        self.address = ctypes.addressof(self._memory)


def _problem_of(each: Operand) -> str:
    """Return what is wrong with an operand by itself; "" for nothing."""
    is_memory = not each.by_value and each.role != "workspace"
    problems = (
        (each.role not in ROLES, f"the role {each.role!r} is not one of {', '.join(ROLES)}"),
        (len(each.shape) != len(each.strides),
         f"{len(each.shape)} extents, {len(each.strides)} strides"),
        (each.alignment < 1 or each.alignment & (each.alignment - 1),
         f"expected a power of two as alignment, got {each.alignment}"),
        (each.value is not None and not each.by_value,
         "only a number passed by value has a value"),
        (each.by_value and each.role != "input", "a number passed by value is an input"),
        (each.views and not is_memory, "only arguments in device memory have views"),
        (each.fill is not None and each.role != "workspace",
         "only memory of the plan's own is filled"),
        (any(offset < 0 for _, offset in each.views), "a view begins before the array"),
    )  # fmt: skip
    return next((why for is_wrong, why in problems if is_wrong), "")


def check_operands(operands: Iterable[Operand]) -> tuple[Operand, ...]:
    """Return operands as a tuple.

    Raises:
        ArgumentError: they contradict themselves or each other.
    """
    checked = tuple(operands)
    for each in checked:
        if not isinstance(each, Operand):
            raise errors.ArgumentError(f"expected an Operand, got a {type(each).__name__}")
        if each.name in OPTIONS and each.is_argument:
            raise errors.ArgumentError(
                f"an operand is called {each.name!r}, as an argument of each call of a plan is",
                hint="give it another name",
            )
        if why := _problem_of(each):
            raise errors.ArgumentError(f"{each.name}: {why}")
        if each.by_value:
            encode(each, 0 if each.value is None else each.value)
    names = [each.name for each in checked]
    uids = [uid for each in checked for uid in (each.uid, *[view[0] for view in each.views])]
    lists: tuple[tuple[str, Sequence[object]], ...] = ("name", names), ("uid", uids)
    for what, values in lists:
        twice = {value for value in values if values.count(value) > 1}
        if twice:
            raise errors.ArgumentError(f"several operands have the {what} {twice.pop()!r}")
    return checked
