"""Several calls of cuDNN as one classic call, with arrays between them in the workspace."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from .. import arrays, driver, errors
from ..choice.engine.finalize import is_captured
from ..driver.timing import copy_in
from ..memory import Memory
from ..plan.sequence import Sequence as PlanSequence
from .array_spec import Spec, in_front
from .case import NARROW, Unfit
from .classic_call import (
    HANDLE,
    AnyStep,
    Behind,
    Change,
    Classic,
    Execute,
    Fill,
    Held,
    Kernel,
    Rows,
    Scratch,
    Step,
    Zero,
    describe,
    operands_of,
    run_all,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .signatures import DTypeWord, Handle

#: Alignment of each array in the workspace, in bytes.
GRAIN = 256

#: Addresses of arrays, by their names.
Addresses = Mapping[str, int]


def packed(shape: tuple[int, ...], like: Spec, dtype: DTypeWord | None = None) -> Spec:
    """Return an array in C order without gaps, on the device of another one."""
    return Spec(dtype or like.dtype, shape, arrays.packed_strides(shape), like.device)


def bits_of(value: float, dtype: str) -> tuple[int, int] | None:
    """Return the bits of a number in a data type, rounded to it, and how many bytes these are.

    Returns: None where the type has no such number, or is not one of "float32", "float16" and
        "bfloat16".
    """
    if dtype not in NARROW:
        return None
    try:
        data = arrays.encode_numbers([value], dtype)
    except OverflowError:
        return None
    return int.from_bytes(data, sys.byteorder), len(data)


def constant_of(handle: Handle, data: bytes) -> Memory:
    """Return device memory with these bytes.

    Raises:
        NotSupportedError: the stream is captured, which waiting for it would end.
    """
    if is_captured(handle):
        raise errors.NotSupportedError(
            "what an operation keeps in device memory cannot be made while a stream is captured",
            hint="call the operation once before the capture",
        )
    made = Memory(len(data), handle.device, handle.stream)
    with handle._current():  # memory of another device than the current one cannot be copied to
        driver.synchronize(handle.get_stream())  # the memory is there in the order of the stream
        copy_in(int(made.address or 0), data)
    return made


class _InPython:
    """A function of Python as a step, which gets the handle, and the address of each array."""

    def __init__(self, function: Callable[[Any, Addresses], object]) -> None:
        self._function = function

    def run(self, handle: Handle, addresses: Addresses, _: int) -> None:
        self._function(handle, addresses)


class Steps:
    """Several calls, one after the other; `classic` makes one call of all.

    Steps name arrays of the call, of the workspace, and constants. The compiled layer runs them all
    in one call; functions of Python among them make it a call of Python.
    """

    def __init__(
        self, inputs: Mapping[str, Spec], outputs: Mapping[str, Spec], alignment: int = 1
    ) -> None:
        """Begin with arrays, whose addresses are multiples of `alignment` bytes."""
        self._operands = operands_of(dict(inputs), dict(outputs), alignment)
        self._places: dict[str, int] = {}
        self._behind: dict[str, Behind] = {}
        self._kept: dict[str, Memory | Held] = {}
        self._size = 0
        self._steps: list[AnyStep | Callable[[Any, Addresses], object]] = []
        self._functions: list[str] = []
        #: The names that each step reads or writes; functions of Python do so with all.
        self._touches: list[Collection[str]] = []

    def room(self, name: str, size: int | Spec) -> str:
        """Keep bytes of the workspace under a name, or as many as an array spans; return it."""
        if isinstance(size, Spec):
            elements = arrays.last_offset(size.shape, size.strides) + 1
            size = elements * arrays.itemsize(size.dtype) if 0 not in size.shape else 0
        self._places[name] = self._size
        self._size += -(-max(size, 1) // GRAIN) * GRAIN
        return name

    def part(self, name: str, of: str, offset: int) -> str:
        """Return a name for the address at an offset in bytes from another name's place."""
        found = self._at(of, offset)
        if isinstance(found, Behind):
            self._behind[name] = found
        else:
            self._places[name] = found
        return name

    def _at(self, of: str, offset: int) -> Behind | int:
        """Return the address at an offset from a name's: from an operand's, or in the workspace."""
        if of in self._places:
            return self._places[of] + offset
        name, before = self._behind.get(of, Behind(of, 0))
        return Behind(name, before + offset)

    def _owner(self, name: Any) -> Any:
        """Return the operand of a part; other names as they are."""
        return self._behind[name].name if name in self._behind else name

    def number(self, name: str, value: float) -> str:
        """Add a step that writes a float32 to the workspace, under a name; return it.

        Raises:
            Unfit: the number is too large.
        """
        found = bits_of(value, "float32")
        if found is None:
            raise Unfit(f"{name}: {value} is no float32")
        bits, width = found
        self._add(Fill(self.room(name, width), 1, bits, width), [name])
        return name

    def constant(
        self, name: str, handle: Handle, numbers: Iterable[float] | bytes,
        dtype: DTypeWord = "float32",
    ) -> str:  # fmt: skip
        """Keep numbers, or bytes, in device memory under a name; return it."""
        if not isinstance(numbers, bytes):
            numbers = arrays.encode_numbers(list(numbers), dtype)
        self._kept[name] = constant_of(handle, numbers)
        return name

    def whole_constants(self, handle: Handle, numbers: Mapping[str, Sequence[int]]) -> None:
        """Keep several arrays of int32 in device memory under their names, by one copy."""
        places, data = {}, bytearray()
        for name, each in numbers.items():
            places[name] = len(data)
            data += arrays.encode_numbers(each, "int32")
            data += bytes(-len(data) % GRAIN)
        memory = constant_of(handle, bytes(data))
        self._kept |= {name: Held(memory, place) for name, place in places.items()}

    def then(self, step: Callable[[Any, Addresses], object], name: str = "") -> None:
        """Add a function of Python, which gets the handle, and the address of each array by name.

        Args:
            name: of the C function that it calls.
        """
        self._add(step, [each.name for each in self._operands])
        self._name(name)

    def _add(self, step: Any, touches: Collection[str]) -> None:
        self._steps.append(step)
        self._touches.append([self._owner(each) for each in touches])

    def _name(self, function: str) -> None:
        if function and function not in self._functions:
            self._functions.append(function)

    def change(self, where: Change) -> None:
        """Say where the next steps run, after a FORK until a JOIN."""
        self._add(where, ())

    def call(self, function: str, *arguments: Any) -> None:
        """Add a call of a C function after the handle; a `str` stands for the array so named."""
        step = Step(function, HANDLE, *arguments)
        self._add(step, step.names)
        self._name(function)

    def zero(self, name: str, size: int) -> None:
        """Add a step that sets the bytes of an array to zero."""
        self._add(Zero(name, size), [name])

    def fill(self, name: str, array: Spec, value: float) -> None:
        """Add a step that sets all elements of an array to a number.

        Args:
            name: of the array.
            array: its description.
            value: a number that floating-point types of two bytes or more have; zero for others.
        """
        found, width = bits_of(value, array.dtype), arrays.itemsize(array.dtype)
        if array.is_dense and value == 0.0:
            self.zero(name, math.prod(array.shape) * width)
            return
        if array.is_dense and found is not None:
            self._add(Fill(name, math.prod(array.shape), *found), [name])
            return
        like = array._replace(dtype="int8") if width == 1 else array  # zeros of FP8
        self.call("cudnnSetTensor", describe(in_front(like, 4)), name, value)

    def copy_rows(
        self, source: str, target: str, rows: int, width: int, pitch: int,
        to_pitch: int | None = None,
    ) -> None:  # fmt: skip
        """Add a copy of the first bytes of each row, by default without gaps; see `Rows`."""
        step = Rows(source, target, rows, width, pitch, to_pitch)
        self._add(step, step.names)

    def copy(self, one: Spec, source: str, other: Spec, target: str) -> None:
        """Add a copy of an array to one with other strides."""
        own, wanted = (describe(in_front(each, 4)) for each in (one, other))
        self.call("cudnnTransformTensor", 1.0, own, source, 0.0, wanted, target)

    def kernel(self, launch: Any, *arguments: str | int, by_element: bool = False) -> None:
        """Add the launch of a kernel with these words as its argument; see `Kernel`."""
        step = Kernel(launch, *arguments, by_element=by_element)
        self._add(step, step.names)
        self._name("cuLaunchKernelEx")

    def plan(self, plan: Any, names: Mapping[str, str], workspace: str = "") -> None:
        """Add the execution of a plan.

        Args:
            names: the array for each operand of the plan, by the operand's name.
            workspace: the name of a room that several plans share; "" for one of its own.
        """
        self._align(plan, names)
        scratch = self._scratch_of(plan, workspace)
        if isinstance(plan, PlanSequence) and plan._steps is not None:
            self._insert(plan._steps, names, scratch)
        else:
            step = Execute(plan, names, scratch or None)
            self._add(step, step.names)
        self._name(Execute.function)

    def _insert(self, steps: Iterable[AnyStep], names: Mapping[str, str], scratch: str) -> None:
        """Add the steps of another call.

        Args:
            names: the array for each operand of that call.
            scratch: the name of its workspace; "" if it has none.
        """
        base = self._places[scratch] if scratch else 0
        for each in steps:
            touched: set[str] = set()

            def place(value: Any, touched: set[str] = touched) -> Any:
                if isinstance(value, Scratch):
                    return Scratch(base + value.offset)
                if not isinstance(value, Behind):
                    return names[value] if type(value) is str else value
                name = names[value.name]
                if name in self._kept:
                    return Held(self._kept[name], value.offset)
                found = self._at(name, value.offset)
                if not isinstance(found, Behind):
                    return Scratch(found)
                touched.add(found.name)
                return found

            step = each.placed(place)
            self._add(step, touched.union(step.names))

    def _align(self, way: Any, names: Mapping[str, str]) -> None:
        """Put arrays of the call where a plan or call among the steps reads its operands."""
        wanted: dict[str, int] = {}
        for each in way.operands:
            if each.is_argument:
                owner = self._owner(names[each.name])
                wanted[owner] = max(each.alignment, wanted.get(owner, 1))
        self.align(wanted)

    def align(self, wanted: Mapping[str, int]) -> None:
        """Require addresses of arrays of the call to be multiples of a number of bytes, by name."""
        self._operands = tuple(
            [
                each._replace(alignment=max(each.alignment, wanted.get(each.name, 1)))
                for each in self._operands
            ]
        )

    def _scratch_of(self, way: Any, workspace: str = "") -> str:
        """Keep the workspace of a plan or call; return its name."""
        size = way.workspace_size
        return (workspace or self.room(f"workspace {len(self._steps)}", size)) if size else ""

    def way(self, way: Any, names: Mapping[str, str], workspace: str = "") -> None:
        """Add a plan or the call of a classic function; see `plan`."""
        if not isinstance(way, Classic):
            self.plan(way, names, workspace)
            return
        self._align(way, names)
        scratch = self._scratch_of(way, workspace)
        if way.is_steps:
            self._insert(way.steps, names, scratch)
            self._name(way.function)
            return
        order = [names[each.name] for each in way.operands]
        self._add(
            lambda handle, at: way.call_with(
                handle, at[scratch] if scratch else 0, *[at[each] for each in order]
            ),
            order,
        )
        self._name(way.function)

    def classic(self, **facts: Any) -> Classic:
        """Return one call of all steps; `facts` are keywords of `Classic`."""
        facts.setdefault("workspace_size", self._size)
        run = self._in_python if any(map(callable, self._steps)) else self._in_c
        made = Classic(
            ", ".join(self._functions), self._operands, run(), touches=self._touches, **facts
        )
        made.is_mixed = any(isinstance(each, (Execute, Kernel)) for each in self._steps)
        return made

    def _in_c(self) -> list[AnyStep]:
        """Return the steps, with places in the workspace and memory instead of names."""
        return [each.placed(self._place) for each in self._steps if not callable(each)]

    def _place(self, value: Any) -> Any:
        """Return where an array is that a step names; anything else, and operands, as they are."""
        if type(value) is not str or any(value == each.name for each in self._operands):
            return value
        if value in self._places or value in self._behind:
            found = self._at(value, 0)
            return found if isinstance(found, Behind) else Scratch(found)
        return Held(self._kept[value]) if value in self._kept else value

    def _in_python(self) -> Callable[..., None]:
        """Return a function that runs the steps."""
        names = tuple(each.name for each in self._operands)
        places, kept, behind = dict(self._places), dict(self._kept), dict(self._behind)
        steps: list[AnyStep | _InPython] = [
            _InPython(each) if callable(each) else each.placed(self._place) for each in self._steps
        ]

        def run(handle: Handle, scratch: int, _room: int, *addresses: int) -> None:
            at = {name: scratch + place for name, place in places.items()}
            at.update((name, int(each.address or 0)) for name, each in kept.items())
            at.update(zip(names, addresses, strict=True))
            at.update((name, at[of] + offset) for name, (of, offset) in behind.items())
            run_all(steps, handle, at, scratch)

        return run
