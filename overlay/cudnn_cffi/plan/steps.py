"""What a prepared call does: classic functions with their arguments, and memory set to zero."""

from __future__ import annotations

import operator
import struct
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .. import errors
from .._call.spec import WRAPPERS, read_spec
from .._lookup import calls
from ..driver.timing import fill_with

__all__ = ["HANDLE", "Held", "Scratch", "Step", "Zero", "packed"]

#: Where the compiled layer takes addresses from that are no operand's.
FROM_WORKSPACE, FROM_NOTHING, FROM_HANDLE = -1, -2, -3

#: Stands for the handle of a call among the arguments of a step.
HANDLE: Any = object()

#: The number that stands for a function where memory is set to zero.
_ZERO = -1

_Words = tuple[int, tuple[int, ...], tuple[tuple[int, int, int], ...]]


class Scratch(NamedTuple):
    """Stands for the workspace among the arguments of a step, so many bytes behind its begin."""

    offset: int = 0


class Held(NamedTuple):
    """Stands for memory of the call's own among the arguments of a step, and keeps it alive."""

    memory: Any


class Step:
    """A classic function, and what it is called with.

    Attributes:
        function: the C name.
        arguments: those of the function, in its order, with `HANDLE` for the handle, the name of an
            operand for its address, a `Scratch` for an address in the workspace, and a `Held` for
            that of other memory; all else is passed as it is. Descriptors are kept alive.
    """

    __slots__ = ("arguments", "function")

    def __init__(self, function: str, *arguments: Any) -> None:
        self.function = function
        self.arguments = arguments

    def run(self, handle: Any, addresses: Mapping[str, int], scratch: int) -> None:
        """Call the function.

        Args:
            handle: what stands in the place of `HANDLE`.
            addresses: those of operands, by their names.
            scratch: the address of the workspace.

        Raises:
            CudnnError: cuDNN refuses the call.
        """
        getattr(calls, self.function)(
            *[_argument(each, handle, addresses, scratch) for each in self.arguments]
        )

    @property
    def names(self) -> frozenset[str]:
        """Return the names of the operands that it reads or writes."""
        return frozenset(each for each in self.arguments if each.__class__ is str)

    def renamed(self, names: Mapping[str, str]) -> Step:
        """Return the step with other names for its operands."""
        given = [names[each] if each.__class__ is str else each for each in self.arguments]
        return Step(self.function, *given)

    def words(self, places: Mapping[str, int]) -> _Words | None:
        """Return the call as the compiled layer takes it; None where it cannot.

        Args:
            places: the numbers of operands, by their names.
        """
        parameters = read_spec(self.function).parameters
        if len(parameters) != len(self.arguments):
            raise errors.ArgumentError(
                f"{self.function}: {len(parameters)} arguments were expected, "
                f"{len(self.arguments)} came"
            )
        words: list[int] = []
        taken: list[tuple[int, int, int]] = []
        for at, (value, parameter) in enumerate(zip(self.arguments, parameters, strict=True)):
            source = _source(value, places)
            if source is not None:
                taken.append((at, *source))
                words.append(0)
                continue
            word = _word(value, parameter.code)
            if word is None:
                return None
            words.append(word)
        return WRAPPERS.index(self.function), tuple(words), tuple(taken)


class Zero:
    """Memory that is set to zero.

    Attributes:
        where: the name of an operand, or a `Scratch`.
        size: in bytes.
    """

    __slots__ = ("size", "where")

    def __init__(self, where: str | Scratch, size: int) -> None:
        self.where = where
        self.size = size

    def run(self, handle: Any, addresses: Mapping[str, int], scratch: int) -> None:
        """Set the memory to zero in the stream of a handle; arguments are those of `Step.run`."""
        address = _argument(self.where, handle, addresses, scratch)
        fill_with(address or 0, 0, self.size, handle.get_stream())

    @property
    def names(self) -> frozenset[str]:
        """Return the name of the operand that it sets, if it is one."""
        return frozenset([self.where] if isinstance(self.where, str) else [])

    def renamed(self, names: Mapping[str, str]) -> Zero:
        """Return the step with another name for its operand."""
        return Zero(names[self.where] if isinstance(self.where, str) else self.where, self.size)

    def words(self, places: Mapping[str, int]) -> _Words | None:
        """Return the step as the compiled layer takes it; see `Step.words`."""
        source = _source(self.where, places)
        return None if source is None else (_ZERO, (0, self.size), ((0, *source),))


def packed(steps: Sequence[Step | Zero], places: Mapping[str, int]) -> tuple[_Words, ...] | None:
    """Return steps as the compiled layer takes them; None where it cannot run one of them."""
    found = []
    for each in steps:
        words = each.words(places)
        if words is None:
            return None
        found.append(words)
    return tuple(found)


def _argument(value: Any, handle: Any, addresses: Mapping[str, int], scratch: int) -> Any:
    if value is HANDLE:
        return handle
    if value.__class__ is str:
        return addresses[value]
    if value.__class__ is Scratch:
        return scratch + value.offset or None
    if value.__class__ is Held:
        return value.memory.address
    return value


def _source(value: Any, places: Mapping[str, int]) -> tuple[int, int] | None:
    """Return where an argument's address comes from, and an offset; None for what is known."""
    if value is HANDLE:
        return FROM_HANDLE, 0
    if value.__class__ is str:
        return places[value], 0
    if value.__class__ is Scratch:
        return FROM_WORKSPACE, value.offset
    return None


def _word(value: Any, code: str) -> int | None:
    """Return an argument in 64 bits; None for one that has no place there."""
    if code[0] in "fdst":
        number: int = struct.unpack("=Q", struct.pack("=d", float(value)))[0]
        return number
    if value is None:
        return 0
    if value.__class__ is Held:
        value = value.memory
    try:
        return operator.index(value)
    except TypeError:
        pass
    address = getattr(value, "address", None)
    return address if code in ("P", "p") and isinstance(address, int) else None
