"""The format of a network's file: records of fixed size, then cuDNN's texts of plans, then weights.

All numbers are little-endian. The C program beside a file reads the same records.
"""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterable, Sequence
from typing import Any, ClassVar, NamedTuple, Self, TypeVar

from .. import arrays, errors
from .._tables import active
from ..plan.operand import Operand, span

MAGIC = b"cuDNNnet"

#: The number of the format; others are refused. Plans of the first one may have lost NaN, and the
#: second one does not say for which CUDA its plans are.
VERSION = 3

#: The maximum number of axes of a tensor, of spatial axes of a window, and of operands of a plan.
RANK, WINDOW, OPERANDS = 8, 3, 16

#: Alignment of sections, of weights, and of memory between steps, in bytes.
GRAIN = 256

#: Bytes of weights with a checksum of their own, so that several threads read a file.
PIECE = 1 << 21

#: Kinds of steps.
PLAN, CALL = range(2)

#: Where an operand of a step is: an input or output of the network, the memory between steps, or
#: the weights.
TENSOR, ARENA, WEIGHTS = range(3)

#: Functions of steps that are no plans, by their numbers.
TRANSFORM, POOL, ACTIVATE = range(3)

#: Roles of tensors, by their numbers. A "view" is the last bytes of the operand before it under
#: another unique id; the plan has no unique id of one that is "seen" through its views alone.
ROLES = ("input", "output", "view", "seen")

_NAME = 64

_Record = TypeVar("_Record", bound="Record")


def damaged(why: str) -> errors.NetworkFileError:
    """Return the error for a file that is none, or not as it was written."""
    return errors.NetworkFileError(f"the file of a network is damaged: {why}")


def to_name(name: str) -> bytes:
    """Return a name as records have it.

    Raises:
        ArgumentError: it is too long.
    """
    data = name.encode()
    if not 0 < len(data) < _NAME or 0 in data:
        raise errors.ArgumentError(f"{name!r}: expected a name of 1 to {_NAME - 1} bytes")
    return data


def from_name(data: bytes) -> str:
    """Return a name of a record."""
    try:
        return data.partition(b"\0")[0].decode()
    except UnicodeDecodeError:
        raise damaged("a name is not UTF-8") from None


def to_axes(values: Sequence[int], count: int, fill: int) -> tuple[int, ...]:
    """Return a number for each axis that records have.

    Raises:
        NotSupportedError: there are more.
    """
    if len(values) > count:
        raise errors.NotSupportedError(f"expected at most {count} axes, got {len(values)}")
    return (*values, *[fill] * (count - len(values)))


def member(kind: int) -> str:
    """Return the name of a data type of a record."""
    found: str = active().enum("DataType")(kind).name
    if not arrays.dtype_name(found):
        raise damaged(f"there is no data type {kind}")
    return found


class Record:
    """The base of records: how one lies in a file."""

    FORMAT: ClassVar[struct.Struct]

    def fields(self) -> tuple[Any, ...]:
        """Return what `FORMAT` packs."""
        return tuple(self)  # type: ignore[arg-type]

    @classmethod
    def read(cls, *fields: Any) -> Self:
        """Return the record of its fields.

        Raises:
            NetworkFileError: they are none of a record.
        """
        return cls(*fields)


def pack(records: Sequence[Record]) -> bytes:
    """Return records as they lie in a file."""
    return b"".join([each.FORMAT.pack(*each.fields()) for each in records])


def unpack(cls: type[_Record], data: bytes, begin: int, count: int) -> tuple[list[_Record], int]:
    """Return records, and where they end."""
    end = begin + count * cls.FORMAT.size
    found = [cls.read(*each) for each in cls.FORMAT.iter_unpack(data[begin:end])]
    return found, end


class _Header(NamedTuple):
    magic: bytes
    version: int
    checksum: int
    size: int
    records: int
    texts: int
    weights: int
    arena: int
    release: int
    cuda: int
    architecture: int
    multiprocessors: int
    tensors: int
    plans: int
    operands: int
    calls: int
    steps: int
    places: int
    pieces: int
    device: bytes


class Header(_Header, Record):
    """The beginning of a file.

    Attributes:
        checksum: CRC-32 of the rest of the header, of all records and all checksums of pieces.
        size: of the file; `records`, `texts` and `weights` are those of its sections.
        arena: bytes of memory between steps.
        release, cuda, architecture, multiprocessors, device: what runs it: `cudnnGetVersion`, the
            major version of its CUDA, ten times the compute capability in hundreds, and the
            device's name.
        tensors, plans, operands, calls, steps, places: how many records there are of each.
        pieces: how many pieces the texts and the weights have: the texts are one.
    """

    FORMAT = struct.Struct(f"<8sII5Q11I4x{_NAME}s")
    #: Where the checksum begins that `checksum` is of.
    CHECKED = 16


class _Tensor(NamedTuple):
    operand: Operand


class Tensor(_Tensor, Record):
    """An input or output of the network, or an operand of a plan or call."""

    FORMAT = struct.Struct(f"<{_NAME}sqQ4I{RANK}q{RANK}q")

    def fields(self) -> tuple[Any, ...]:
        """Return what `FORMAT` packs.

        Raises:
            NotSupportedError: the format has no such operand.
        """
        each = self.operand
        if not each.is_argument or each.by_value or each.has_bytes or not each.is_read:
            raise errors.NotSupportedError(
                f"{each.name}: the format cannot describe this operand of a plan"
            )
        return (
            to_name(each.name), each.uid, span(each),
            int(active().enum("DataType")[each.data_type]), len(each.shape), each.alignment,
            ROLES.index(each.role), *to_axes(each.shape, RANK, 1), *to_axes(each.strides, RANK, 1),
        )  # fmt: skip

    @classmethod
    def read(cls, *fields: Any) -> Self:
        """Return the record of its fields."""
        name, uid, size, kind, rank, alignment, role, *axes = fields
        if rank > RANK or role >= len(ROLES) or not alignment or alignment & (alignment - 1):
            raise damaged(f"a tensor has {rank} axes, the role {role} and alignment {alignment}")
        shape, strides = tuple(axes[:rank]), tuple(axes[RANK : RANK + rank])
        if min(shape, default=1) < 1 or min(strides, default=0) < 0:
            raise damaged(f"a tensor has the extents {shape}, and the strides {strides}")
        made = Operand(
            from_name(name), uid, shape, strides, member(kind), alignment, ROLES[role]
        )  # fmt: skip
        if span(made) != size:
            raise damaged(f"{made.name} has {span(made)} bytes, its record says {size}")
        return cls(made)


def records(operand: Operand, known: Collection[int] | None) -> list[Tensor]:
    """Return the record of an operand, and those of its views.

    Args:
        operand: of a plan.
        known: the unique ids that the plan has; None where nothing tells.
    """
    is_seen = operand.views and known is not None and operand.uid not in known
    own = operand._replace(views=(), role="seen" if is_seen else operand.role)
    whole = span(operand)
    views = [
        Operand(operand.name, uid, (whole - offset,), (1,), "INT8", 1, "view")
        for uid, offset in operand.views
    ]
    return [Tensor(each) for each in (own, *views)]


def operands(tensors: Iterable[Tensor]) -> list[Operand]:
    """Return operands of their records, with views."""
    made: list[Operand] = []
    for (each,) in tensors:
        if each.role != "view":
            made.append(each._replace(role="input") if each.role == "seen" else each)
        elif made:
            view = each.uid, span(made[-1]) - span(each)
            made[-1] = made[-1]._replace(views=(*made[-1].views, view))
        else:
            raise damaged("a view is of no operand")
    return made


class _StoredPlan(NamedTuple):
    text: int
    text_size: int
    source: int
    source_size: int
    workspace: int
    operand: int
    operands: int
    engine: int
    replays: int


class StoredPlan(_StoredPlan, Record):
    """A plan: where cuDNN's text of it is, and its graph as JSON, or none; and its operands.

    Offsets count from the begin of the texts; `workspace` is what cuDNN said when it was built.
    """

    FORMAT = struct.Struct("<5Q4I")


class _Call(NamedTuple):
    function: int
    operand: int
    mode: int
    nan: int
    window: tuple[int, ...]
    padding: tuple[int, ...]
    stride: tuple[int, ...]
    coefficient: float


class Call(_Call, Record):
    """A classic function with one input and one output.

    Attributes:
        function: `TRANSFORM`, `POOL` or `ACTIVATE`.
        operand: the index of the input among the operands; the output is the next one.
        mode, nan: of the pooling or activation.
        window, padding, stride: of the pooling.
        coefficient: of the activation.
    """

    FORMAT = struct.Struct(f"<5I{3 * WINDOW}id")

    def fields(self) -> tuple[Any, ...]:
        """Return what `FORMAT` packs."""
        sides = (to_axes(each, WINDOW, 1) for each in (self.window, self.padding, self.stride))
        numbers = [number for side in sides for number in side]
        return (*self[:4], len(self.window), *numbers, self.coefficient)

    @classmethod
    def read(cls, *fields: Any) -> Self:
        """Return the record of its fields."""
        function, operand, mode, nan, count, *rest = fields
        sides = [tuple(rest[place : place + count]) for place in range(0, 3 * WINDOW, WINDOW)]
        if function > ACTIVATE or count > WINDOW or (count == 0) == (function == POOL):
            raise damaged(f"a step calls the function {function} with {count} axes of a window")
        if count and (min(*sides[0], *sides[2]) < 1 or min(sides[1]) < 0):
            raise damaged(f"a window is {sides}")
        window, padding, stride = sides
        return cls(function, operand, mode, nan, window, padding, stride, rest[-1])


class _Step(NamedTuple):
    kind: int
    number: int
    place: int
    unused: int = 0


class Step(_Step, Record):
    """A plan or a call, by its number, and the first of the places of its operands, in order."""

    FORMAT = struct.Struct("<4I")


class _Place(NamedTuple):
    where: int
    tensor: int
    offset: int
    size: int


class Place(_Place, Record):
    """Where an operand of a step is: which memory, and bytes in it."""

    FORMAT = struct.Struct("<2I2Q")


class File(NamedTuple):
    """A file but for its weights.

    Attributes:
        header, tensors, plans, operands, calls, steps, places: the records.
        pieces: CRC-32 of the texts, and of each `PIECE` of the weights.
        texts: cuDNN's texts of plans, and sources.
    """

    header: Header
    tensors: Sequence[Tensor]
    plans: Sequence[StoredPlan]
    operands: Sequence[Tensor]
    calls: Sequence[Call]
    steps: Sequence[Step]
    places: Sequence[Place]
    pieces: Sequence[int]
    texts: bytes
