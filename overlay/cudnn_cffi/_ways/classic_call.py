"""Calls of cuDNN's classic functions on arrays of one kind, with the interface of a plan."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext

from .. import arrays, errors
from .._support.wording import a_kind
from ..arrays.libraries import allocating_in, has_core, library_of
from ..descriptors import TensorDescriptor
from ..driver import captures
from ..handles import Handle
from ..handles.placing import choose_handle
from ..plan import Operand, Plan
from ..plan.arrays.outputs import empty, scratch_of
from ..plan.operand import span
from ..plan.run.apart import pairs_of_steps
from ..plan.run.call_steps import (
    HANDLE,
    AnyStep,
    Behind,
    Execute,
    Fill,
    Held,
    Kernel,
    Rows,
    Scratch,
    Step,
    Zero,
)
from ..plan.run.launcher import Launch, Launcher
from ..plan.run.streams import Change, run_all
from .array_spec import Spec

#: Bytes. In a rehearsal, addresses have the same rest as in the call.
ALIGNED = 256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..plan.run.compiled import Turn
    from ..types import Stream
    from .signatures import Handle

__all__ = [
    "HANDLE",
    "AnyStep",
    "Behind",
    "Change",
    "Classic",
    "Execute",
    "Fill",
    "Held",
    "Kernel",
    "Rows",
    "Scratch",
    "Step",
    "Zero",
    "describe",
    "operands_of",
    "run_all",
]


class Classic(Launcher):
    """Classic functions of cuDNN for arrays of fixed types, shapes and strides.

    It is called as a `Plan` is: `call(x, w, y)` returns the outputs; those that are left out are
    made in the library of the inputs. Threads may share it. The compiled layer makes plain calls,
    as it does for plans.

    Attributes:
        function: the C name; several, with commas between them, for several steps.
        operands: what it reads and writes: inputs, then outputs.
        algorithm: the name of the algorithm; "" where the function has none.
        steps: what a call does; none where it is a function of Python that does it.
        workspace_size: in bytes.
        deterministic: whether the same input gives the same bits each time; None if not known.
        math: the name of the math type; "" where the function has none.
    """

    def __init__(
        self,
        function: str,
        operands: Sequence[Operand],
        run: Sequence[AnyStep] | Callable[..., object],
        *,
        around: Callable[[Handle], AbstractContextManager[object]] | None = None,
        turn: Turn | None = None,
        workspace_size: int = 0,
        algorithm: str = "",
        deterministic: bool | None = True,
        math: str = "",
        touches: Sequence[Collection[str]] | None = None,
        parts: Sequence[AnyStep] = (),
        changes: Collection[str] = (),
    ) -> None:
        """Collect the steps and arguments of a call.

        Args:
            run: the steps; or, for what steps cannot say, a function that is called with a handle,
                the address and size of the workspace, and the address of each operand.
            around: what has to be open while it runs, by the handle. Without `turn`, Python makes
                each call.
            turn: what the compiled layer does instead where nothing has to be prepared.
            touches: the names of the operands that each step reads or writes, where `run` does not
                tell.
            parts: what does these steps, where `run` does not tell.
            changes: the names of the inputs that a call writes; all, where there are no outputs.
        """
        self.function = function
        self.operands = self._takes = tuple(operands)
        for each in self.operands:
            if not isinstance(each, Operand):
                raise errors.ArgumentError(f"operands: expected an Operand, got {a_kind(each)}")
        self.algorithm = algorithm
        self.workspace_size = workspace_size
        self.deterministic = deterministic
        self.math = math
        self._plan = None
        self._places = {}
        self._around = around
        self._python = run if callable(run) else None
        self.steps = () if callable(run) else tuple(run)
        for step in self.steps:
            if not hasattr(step, "names"):
                raise errors.ArgumentError(f"run: expected a step, got {a_kind(step)}")
        devices = [each.plan._ordinal for each in self.steps if isinstance(each, Execute)]
        devices += [each.launch.ordinal for each in self.steps if isinstance(each, Kernel)]
        self._ordinal = next((each for each in devices if each is not None), None)
        in_python = callable(run) or (around is not None and turn is None)
        self._steps = None if in_python else self.steps
        self._turn_of_calls = turn
        if touches is None:
            names = [each.name for each in self.operands]
            touches = [names] if callable(run) else [each.names for each in self.steps]
        is_in_place = all(each.role == "input" for each in self.operands)
        self._changes = [each.name for each in self.operands] if is_in_place else changes
        self._apart = pairs_of_steps(self.operands, touches, parts or self.steps)
        self._set_up()

    steps: tuple[AnyStep, ...] = ()

    #: Fallback: builds another call for the same result.
    instead: Callable[[], Classic] | None = None

    #: Whether part of it is a plan, so that no algorithm names all of it.
    is_mixed = False

    #: The plan that computes the operation, where all other steps fill or convert what it writes.
    core: Plan | None = None
    #: Text that `ops.record` puts after the engine.
    detail = ""

    #: Whether it takes all arrays, but is so slow that calls look for a better way each time.
    is_makeshift = False

    #: Temporary substitute during stream capture (plans cannot be compiled then); never cached.
    is_late = False

    @property
    def is_steps(self) -> bool:
        """Return whether a call is its steps and nothing else, so that others can contain them."""
        return self._steps is not None and self._around is None and self._turn_of_calls is None

    @property
    def inputs(self) -> tuple[Operand, ...]:
        """Return the operands that a call reads."""
        return tuple(each for each in self.operands if each.role == "input")

    def call_with(self, handle: Handle, scratch: int, *addresses: int) -> None:
        """Run the functions on addresses, which nothing checks.

        Args:
            handle: the handle that runs them; its context is current.
            scratch: the address of the workspace.
            addresses: those of the operands, in their order.
        """
        with nullcontext() if self._around is None else self._around(handle):
            if self._python is not None:
                self._python(handle, scratch, self.workspace_size, *addresses)
            found = {each.name: at for each, at in zip(self.operands, addresses, strict=True)}
            run_all(self.steps, handle, found, scratch)

    def rehearse(self, named: Mapping[str, object], written: Sequence[str], always: bool) -> None:
        """Run several steps, with other memory in place of their outputs.

        A step that is refused after another one has written would leave neither the old numbers
        nor the new ones. Nothing is done in a capture, nor where random numbers would be drawn.

        Args:
            named: the arguments of the call.
            written: the names of operands.
            always: whether what is written is read before; otherwise it is looked at whether an
                input lies in the same memory.
        """
        if len(self.steps) == 1 or self._around is not None:
            return
        launch = self._place((), named)
        spans = {each.name: span(each) for each in self.operands}
        begins = {name: launch.found[name] for name in spans}
        inputs = [each.name for each in self.inputs if each.name not in written]
        if launch.graph or not (
            always
            or any(
                begins[one] < begins[other] + spans[other]
                and begins[other] < begins[one] + spans[one]
                for one in written
                for other in inputs
            )
        ):
            return
        library, handle = library_of(named[written[0]]), launch.handle
        if library not in ("torch", "cupy") and not has_core():
            return
        made, stream = library if library in ("torch", "cupy") else "own", handle.get_stream()
        with handle._current(), captures.relaxed(), allocating_in(made, handle.device, stream):
            rooms = {
                name: empty(made, scratch_of(spans[name] + ALIGNED), handle.device, handle.stream)
                for name in written
            }
            found = {}
            for name, room in rooms.items():
                address = arrays.device_pointer(room)
                found[name] = address + (begins[name] - address) % ALIGNED
            self._execute(self.placed(launch, {**launch.found, **found}))

    def _execute(self, launch: Launch) -> None:
        self.call_with(launch.handle, launch.workspace, *launch.addresses)

    def _explain(self, error: errors.CudnnError, handle: Handle) -> errors.CudnnError:
        return error

    def prepare(self, handle: Handle | None = None, stream: Stream = None) -> None:
        """Allocate the workspace now, so that the next call in a stream can be captured."""
        chosen = choose_handle(handle, ... if handle is not None else stream, None, None)
        chosen.workspace.reserve(self.workspace_size)

    def __repr__(self) -> str:
        takes = ", ".join(each.name for each in self.inputs)
        gives = ", ".join(each.name for each in self.outputs)
        named = f", {self.algorithm}" if self.algorithm else ""
        return f"<Classic ({takes}) -> {gives}, {self.function}{named}>"


def operands_of(
    inputs: dict[str, Spec], outputs: dict[str, Spec], alignment: int = 1
) -> tuple[Operand, ...]:
    """Return arrays as operands: inputs, then outputs, by their names.

    Args:
        alignment: what addresses have to be multiples of, besides that of an element.
    """
    made: list[Operand] = []
    for role, specs in (("input", inputs), ("output", outputs)):
        for name, spec in specs.items():
            made.append(
                Operand(
                    name=name,
                    uid=len(made) + 1,
                    shape=spec.shape,
                    strides=spec.strides,
                    data_type=spec.data_type,
                    alignment=max(_natural(spec), alignment),
                    role=role,
                    has_bytes=spec.data_type == "BOOLEAN",
                )
            )
    return tuple(made)


def _natural(spec: Spec) -> int:
    """Return the alignment that classic functions need: that of an element."""
    return arrays.itemsize(spec.dtype)


def describe(spec: Spec, prefer: str = "NCHW") -> TensorDescriptor:
    """Return cuDNN's descriptor of an array with four axes at least.

    Raises:
        NotSupportedError: cuDNN has no such descriptor.
    """
    try:
        return TensorDescriptor.of_info(spec.info(), prefer=prefer)
    except errors.BadParamError as error:
        raise errors.NotSupportedError(
            f"classic functions have no descriptor of {spec}: {error.message}"
        ) from error
