"""The steps of a prepared call: classic functions, plans, memory that is set or copied, kernels."""

from __future__ import annotations

import operator
import struct
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from ... import errors
from ..._call.spec import WRAPPERS, read_spec
from ..._lookup import calls
from ...driver.timing import copy_rows, fill_with
from ..operand import Operand, Pair
from .streams import Change

if TYPE_CHECKING:
    from ...families import BackendDescriptor
    from ...handles import Handle

__all__ = [
    "HANDLE",
    "AnyStep",
    "Behind",
    "Execute",
    "Fill",
    "Held",
    "Kernel",
    "Rows",
    "Scratch",
    "Step",
    "Zero",
    "packed",
]

#: Where the compiled layer takes addresses from that are no operand's.
FROM_WORKSPACE, FROM_NOTHING, FROM_HANDLE = -1, -2, -3

#: Stands for the workspace among names of operands.
WORKSPACE = "\0"

#: Stands for the handle of a call among the arguments of a step.
HANDLE = object()

#: The numbers that stand for a function where memory is set or copied, or a kernel is launched.
_FILL, _COPY, _LAUNCH = -1, -2, -6

#: Finds another place for an argument; returns other values as they are.
Place = Callable[[Any], Any]

#: The function or the plan; its words; and for words that are addresses of a call the index, the
#: source, and an offset.
_Words = tuple[object, tuple[int, ...], tuple[tuple[int, int, int], ...]]


class HasAddress(Protocol):
    """Memory whose address is known."""

    @property
    def address(self) -> int | None: ...


class Executable(Protocol):
    """A plan, or several, as a step."""

    workspace_size: int
    replays: bool
    _is_armed: bool
    _ordinal: int | None
    _plan: BackendDescriptor | None
    _takes: tuple[Operand, ...]
    _apart: tuple[Pair, ...]

    @property
    def outputs(self) -> tuple[Operand, ...]: ...
    def execute_at(self, handle: Handle, found: Mapping[str, int], workspace: int) -> None: ...


class Launchable(Protocol):
    """The launch of a kernel with one argument."""

    @property
    def ordinal(self) -> int: ...
    def words(self, overlaps: bool) -> tuple[int, ...]: ...
    def put(self, stream: int, *arguments: bytes, overlaps: bool = False) -> None: ...


class Scratch(NamedTuple):
    """A placeholder for an address in the workspace, at an offset in bytes from its begin."""

    offset: int = 0


class Behind(NamedTuple):
    """A placeholder for an address at an offset in bytes from that of an operand."""

    name: str
    offset: int


class Held(NamedTuple):
    """Stands for memory of the call's own, at an offset in bytes, and keeps it alive."""

    memory: HasAddress
    offset: int = 0

    @property
    def address(self) -> int | None:
        """Return the address; None for memory that was freed."""
        begin = self.memory.address
        return None if begin is None else begin + self.offset


class Step:
    """A classic function, and what it is called with.

    Attributes:
        function: the C name.
        arguments: those of the function, in its order, with `HANDLE` for the handle, the name of an
            operand or a `Behind` for its address, a `Scratch` for an address in the workspace, and
            a `Held` for that of other memory; all else is passed as it is. Descriptors are kept
            alive.
    """

    __slots__ = ("arguments", "function")

    def __init__(self, function: str, *arguments: object) -> None:
        self.function = function
        self.arguments = arguments

    def run(self, handle: object, addresses: Mapping[str, int], scratch: int) -> None:
        """Call the function.

        Args:
            handle: what stands in the place of `HANDLE`.
            addresses: of operands, by their names.
            scratch: the address of the workspace.

        Raises:
            CudnnError: cuDNN refuses the call.
        """
        getattr(calls, self.function)(
            *[_argument(each, handle, addresses, scratch) for each in self.arguments]
        )

    def placed(self, place: Place) -> Step:
        """Return the step with what `place` makes of each argument."""
        return Step(self.function, *map(place, self.arguments))

    @property
    def names(self) -> frozenset[str]:
        """Return the names of the operands that it reads or writes."""
        return frozenset(each for each in self.arguments if each.__class__ is str)

    def words(self, places: Mapping[str, int]) -> _Words | None:
        """Return the call as the compiled layer takes it; None where it cannot.

        Args:
            places: the numbers of operands, by their names.
        """
        parameters = read_spec(self.function).parameters
        if len(parameters) != len(self.arguments):
            raise errors.ArgumentError(
                f"{self.function}: expected {len(parameters)} arguments, got {len(self.arguments)}"
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


class Fill:
    """Memory whose elements are all set to the same bits.

    Attributes:
        where: the name of an operand, or a `Scratch`.
        count: how many elements there are.
        bits: of each element, as a number.
        width: the bytes of an element: 1, 2 or 4.
    """

    __slots__ = ("bits", "count", "where", "width")

    #: The text of an error.
    undone = "memory could not be set"

    def __init__(self, where: str | Scratch, count: int, bits: int = 0, width: int = 1) -> None:
        self.where = where
        self.count = count
        self.bits = bits
        self.width = width

    def run(self, handle: Handle, addresses: Mapping[str, int], scratch: int) -> None:
        """Set the memory in the stream of a handle; arguments are those of `Step.run`."""
        address = _argument(self.where, handle, addresses, scratch)
        fill_with(address or 0, self.bits, self.count, handle.get_stream(), self.width)

    def placed(self, place: Place) -> Fill:
        """Return the step with what `place` makes of the memory."""
        return Fill(place(self.where), self.count, self.bits, self.width)

    @property
    def names(self) -> frozenset[str]:
        """Return the name of the operand that it sets, if it is one."""
        return frozenset([self.where] if isinstance(self.where, str) else [])

    def words(self, places: Mapping[str, int]) -> _Words | None:
        """Return the step as the compiled layer takes it; see `Step.words`."""
        source = _source(self.where, places)
        words = (0, self.count, self.bits, self.width)
        return None if source is None else (_FILL, words, ((0, *source),))


class Zero(Fill):
    """Memory whose bytes are set to zero."""

    __slots__ = ()

    def __init__(self, where: str | Scratch, size: int) -> None:
        super().__init__(where, size)


class Rows:
    """Rows of memory that are copied, without the gaps between them or with others.

    Attributes:
        source, target: each the name of an operand, or a `Scratch`.
        rows: how many there are.
        width: the bytes of each that are copied.
        pitch, to_pitch: the bytes from row to row in the source, and in the target.
    """

    __slots__ = ("pitch", "rows", "source", "target", "to_pitch", "width")

    #: The text of an error.
    undone = "memory could not be copied"

    def __init__(
        self, source: str | Scratch, target: str | Scratch, rows: int, width: int, pitch: int,
        to_pitch: int | None = None,
    ) -> None:  # fmt: skip
        self.source = source
        self.target = target
        self.rows = rows
        self.width = width
        self.pitch = pitch
        self.to_pitch = width if to_pitch is None else to_pitch

    def run(self, handle: Handle, addresses: Mapping[str, int], scratch: int) -> None:
        """Copy in the stream of a handle; arguments are those of `Step.run`."""
        source, target = (
            _argument(each, handle, addresses, scratch) for each in (self.source, self.target)
        )
        stream = handle.get_stream()
        copy_rows(source, target, self.rows, self.width, self.pitch, self.to_pitch, stream)

    @property
    def names(self) -> frozenset[str]:
        """Return the names of the operands that it reads or writes."""
        return frozenset(each for each in (self.source, self.target) if isinstance(each, str))

    def placed(self, place: Place) -> Rows:
        """Return the step with what `place` makes of source and target."""
        ends = place(self.source), place(self.target)
        return Rows(*ends, self.rows, self.width, self.pitch, self.to_pitch)

    def words(self, places: Mapping[str, int]) -> _Words | None:
        """Return the step as the compiled layer takes it; see `Step.words`."""
        ends = [_source(each, places) for each in (self.source, self.target)]
        words = (0, 0, self.rows, self.width, self.pitch, self.to_pitch)
        taken = [(at, *each) for at, each in enumerate(ends) if each is not None]
        return (_COPY, words, tuple(taken)) if len(taken) == 2 else None


class Execute:
    """The execution of a plan.

    Attributes:
        plan: the plan to execute.
        arguments: for each operand of the plan, by its name, where it is: the name of an operand of
            the call, a `Behind`, a `Scratch`, or a `Held`.
        workspace: a `Scratch` for that of the plan; None where it needs none.
    """

    __slots__ = ("arguments", "plan", "workspace")

    function = "cudnnBackendExecute"

    def __init__(
        self, plan: Executable, arguments: Mapping[str, object], workspace: Any = None
    ) -> None:
        if plan.workspace_size and workspace is None:
            raise errors.ArgumentError(f"workspace: expected one for {plan!r}, got None")
        self.plan = plan
        self.arguments = dict(arguments)
        self.workspace = workspace

    def run(self, handle: Handle, addresses: Mapping[str, int], scratch: int) -> None:
        """Execute the plan; arguments are those of `Step.run`."""
        found = {
            name: _argument(each, handle, addresses, scratch)
            for name, each in self.arguments.items()
        }
        at = 0 if self.workspace is None else scratch + self.workspace.offset
        self.plan.execute_at(handle, found, at)

    @property
    def names(self) -> frozenset[str]:
        """Return the names of the operands that it reads or writes."""
        return frozenset(each for each in self.arguments.values() if isinstance(each, str))

    def placed(self, place: Place) -> Execute:
        """Return the step with what `place` makes of each argument, and of the workspace."""
        given = {name: place(each) for name, each in self.arguments.items()}
        return Execute(self.plan, given, place(self.workspace))

    def words(self, places: Mapping[str, int]) -> _Words | None:
        """Return the step as the compiled layer takes it; see `Step.words`."""
        if not self.plan._is_armed or self.plan._plan is None:  # several plans
            return None
        if any(each.by_value for each in self.plan._takes):
            return None
        words: list[int] = []
        taken: list[tuple[int, int, int]] = []
        where = [self.arguments[each.name] for each in self.plan._takes]
        for at, value in enumerate((*where, self.workspace)):
            source = None if value is None else _source(value, places)
            if source is not None:
                taken.append((at, *source))
            words.append(0 if source is not None or value is None else int(value.address))
        return self.plan, tuple(words), tuple(taken)


class Kernel:
    """The launch of a kernel, which may begin before the one before it ends, and waits itself.

    Attributes:
        launch: the kernel with its blocks.
        arguments: the words of its argument, each the name of an operand or a `Behind`, a
            `Scratch`, a `Held`, or a number.
        by_element: whether each element of what it writes depends on the same element of all that
            it reads, which is read before.
    """

    __slots__ = ("arguments", "by_element", "launch")

    #: The text of an error.
    undone = "a kernel could not be launched"

    def __init__(self, launch: Launchable, *arguments: object, by_element: bool = False) -> None:
        self.launch = launch
        self.arguments = arguments
        self.by_element = by_element

    def run(self, handle: Handle, addresses: Mapping[str, int], scratch: int) -> None:
        """Launch it in the stream of a handle; arguments are those of `Step.run`."""
        words = [_argument(each, handle, addresses, scratch) or 0 for each in self.arguments]
        self.launch.put(handle.get_stream(), struct.pack(f"{len(words)}Q", *words), overlaps=True)

    @property
    def names(self) -> frozenset[str]:
        """Return the names of the operands that it reads or writes."""
        return frozenset(each for each in self.arguments if isinstance(each, str))

    def placed(self, place: Place) -> Kernel:
        """Return the step with what `place` makes of each argument."""
        return Kernel(self.launch, *map(place, self.arguments), by_element=self.by_element)

    def words(self, places: Mapping[str, int]) -> _Words | None:
        """Return the step as the compiled layer takes it; see `Step.words`."""
        words = list(self.launch.words(True))
        taken: list[tuple[int, int, int]] = []
        for value in self.arguments:
            source = _source(value, places)
            if source is not None:
                taken.append((len(words), *source))
            words.append((_word(value, "P") or 0) if source is None else 0)
        return _LAUNCH, tuple(words), tuple(taken)


#: The kinds of steps of a call.
AnyStep = Step | Fill | Rows | Execute | Kernel | Change


def packed(steps: Sequence[AnyStep], places: Mapping[str, int]) -> tuple[_Words, ...] | None:
    """Return steps as the compiled layer takes them; None where it cannot run one of them."""
    found = []
    for each in steps:
        words = each.words(places)
        if words is None:
            return None
        found.append(words)
    return tuple(found)


#: Functions whose work on the device depends on their arguments and memory alone.
_PURE = frozenset(
    {
        "cudnnActivationBackward",
        "cudnnActivationForward",
        "cudnnAddTensor",
        "cudnnConvolutionBackwardBias",
        "cudnnOpTensor",
        "cudnnPoolingBackward",
        "cudnnPoolingForward",
        "cudnnReduceTensor",
        "cudnnSoftmaxBackward",
        "cudnnSoftmaxForward",
        "cudnnTransformTensor",
        "cudnnBackendExecute",
    }
)


def are_replayed(steps: Sequence[AnyStep]) -> bool:
    """Return whether steps do the same each time on the same addresses."""
    return all(
        each.function in _PURE and (isinstance(each, Step) or each.plan.replays)
        for each in steps
        if isinstance(each, (Step, Execute))
    )


def _argument(value: object, handle: object, addresses: Mapping[str, int], scratch: int) -> Any:
    if value is HANDLE:
        return handle
    if value.__class__ is str:
        return addresses[value]
    if value.__class__ is Behind:
        return addresses[value.name] + value.offset
    if value.__class__ is Scratch:
        return scratch + value.offset or None
    if value.__class__ is Held:
        return value.address
    return value


def _source(value: object, places: Mapping[str, int]) -> tuple[int, int] | None:
    """Return where an argument's address comes from, and an offset; None for what is known."""
    if value is HANDLE:
        return FROM_HANDLE, 0
    if value.__class__ is str:
        return places[value], 0
    if value.__class__ is Behind:
        return places[value.name], value.offset
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
        return value.address
    try:
        return operator.index(value)
    except TypeError:
        pass
    address = getattr(value, "address", None)
    return address if code in ("P", "p") and isinstance(address, int) else None
