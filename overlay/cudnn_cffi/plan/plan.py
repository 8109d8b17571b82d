"""A computation that cuDNN has compiled for one device, ready to run on arrays."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, ClassVar, Self, cast

from .. import driver as _driver
from .. import errors, handles, library
from .._lookup import calls
from .._support.constructors import list_makers
from ..driver import keeping
from ..handles import Handle
from ..handles.placing import choose_handle
from . import saving
from .descriptors import empty, read_number, read_text, set_attribute
from .operand import Operand, check_operands, span
from .run.apart import pairs_of
from .run.call_steps import Scratch, Zero
from .run.launcher import Launcher

if TYPE_CHECKING:
    from typing import Protocol, SupportsInt

    from ..families import BackendDescriptor
    from ..types import ArrayT
    from ..types import Stream as StreamLike
    from .computation import Device
    from .run.copy import Copy

    class _HasHandle(Protocol):
        @property
        def handle(self) -> SupportsInt: ...

    #: A cudaGraph_t: its address, or an object that has it as `handle`.
    Graph = SupportsInt | _HasHandle

#: Alignment of the operands of the role "workspace", and of the memory before them.
_GRAIN = 256


@list_makers
class Plan(Launcher):
    """An engine's code for one computation, on operands of fixed types, shapes and strides.

    Usually `Graph.build`, `choice.build` or the method `plan` of an operation makes it.

    `plan(x, w, y)` executes it, in the order of a stream, and returns the outputs. Outputs that are
    left out, or None, are made in the library of the inputs. Every call checks each array against
    its operand: data type, shape, strides (but those of axes with one element), alignment, device.
    It raises an ArgumentError, ShapeMismatchError, MisalignedPointerError or ClosedError before
    anything runs. Arrays may be named, as in `plan(x=x, w=w)`. The keywords `handle` and
    `stream` say where it runs; `workspace` is memory for it, else it takes the handle's.

    Threads may share a plan. cuDNN's own plans must not run in two threads at the same time, so one
    call waits for the other while it puts its work into its stream: some microseconds, without the
    GIL. Threads that must never wait have plans of their own, by `copy.copy(plan)`.

    A call may be captured into a CUDA graph, which then keeps the plan, its workspace and the
    arrays alive, but not PyTorch's: it may be the graph's own memory.
    """

    _is_shared = False
    #: Returns the plan of its graph for other extents of inputs; None where they are fixed.
    _others: Callable[[Mapping[str, object]], Plan] | None = None
    #: Makes a `Sequence` of its JSON; the module of that class sets it.
    _restore_several: ClassVar[Callable[[saving.Saved, Handle | None, Device | None], Plan]]

    def __init__(
        self,
        execution_plan: BackendDescriptor,
        operands: Sequence[Operand],
        *,
        handle: Handle | None = None,
        device: Device | None = None,
        engine: int | None = None,
        knobs: Mapping[str, int] | None = None,
        notes: Sequence[str] = (),
        signature: str = "",
        text: str = "",
        replays: bool = True,
        write: Callable[[], str] | None = None,
    ) -> None:
        """Take over a finalized descriptor.

        Args:
            execution_plan: a `BackendDescriptor` of an execution plan; closed with the plan.
            operands: of its operation graph: inputs, then outputs, in the order of a call.
            handle: that the plan was made with, if it was; the plan runs with any of that device.
            device: what describes the device, where there was no handle; it has a `name`.
            engine: the index of the engine; by default read from the plan.
            knobs: the choices of the engine's knobs by name; by default read from the plan.
            notes: the names of the engine's notes on behaviour and numerics.
            signature: of the computation.
            text: the graph in words.
            replays: whether calls that come again may be launched as CUDA graphs.
            write: returns the graph as JSON, of which the plan can be built anew.

        Raises:
            ArgumentError: operands contradict each other.
        """
        keeping.sweep()
        self.operands = check_operands(operands)
        self.signature = signature
        self.text = text
        self.notes = tuple(map(str, notes))
        self.replays = replays
        self._write = write
        self._engine = engine
        self._knobs = None if knobs is None else dict(knobs)
        self._plan = execution_plan
        self._handle = handle
        self._ordinal = None if handle is None else handle.device
        self._device_name = "" if device is None else str(device.name)
        self._takes = tuple(each for each in self.operands if each.is_argument)
        self._apart = pairs_of(self._takes, lambda output, other: other.name in output.shares)
        own = read_number(execution_plan, "EXECUTION_PLAN_WORKSPACE_SIZE")
        #: Where in the workspace each operand of that role begins.
        self._places: dict[int, int] = {}
        size = own
        for each in self.operands:
            if each.role == "workspace":
                self._places[each.uid] = size = -(-size // _GRAIN) * _GRAIN
                size += span(each)
        self.workspace_size = size
        self._steps = [
            Zero(Scratch(self._places[each.uid]), span(each))
            for each in self.operands
            if each.fill is not None
        ]
        self._set_up()

    def at(self, **shapes: object) -> Plan:
        """Return the plan of the same graph for inputs of other extents.

        For a graph with `dynamic_shapes` it is another plan, which is found again, or made of the
        kernels of this one: nothing is compiled if its engine supports the extents. For a graph
        with `override_shapes` it is this plan, executed with other extents.

        Args:
            shapes: by the names of inputs, their extents, or an array that has them. Other inputs
                keep their extents. Strides keep their order.

        Raises:
            NotSupportedError: the graph has neither, or the plan was loaded from JSON.
            GraphError: there is no such input, or an operation of the graph has extents as options.
            ShapeMismatchError: the extents do not go together.
            NoPlanError: no engine supports them.
        """
        if self._others is None:
            raise errors.NotSupportedError(
                "at: the plan is for fixed extents",
                hint="Graph(dynamic_shapes=True).build() makes one for others as well",
            )
        return self._others(shapes)

    def lead_to(self, others: Callable[[Mapping[str, object]], Plan]) -> None:
        """Set the function that returns the plan of the same graph for other extents; see `at`."""
        self._others = others

    @property
    def parts(self) -> tuple[Plan | Copy, ...]:
        """Return the plan itself; a `Sequence` has several parts."""
        return (self,)

    @property
    def inputs(self) -> tuple[Operand, ...]:
        """Return the operands that a call reads."""
        return tuple(each for each in self._takes if each.role == "input")

    @cached_property
    def _text(self) -> str:
        """cuDNN's own JSON of the plan; "" where the release has none."""
        try:
            return read_text(self.execution_plan, "EXECUTION_PLAN_JSON_REPRESENTATION")
        except (errors.ClosedError, errors.UnknownMemberError):
            raise
        except errors.CudnnError:
            return ""

    @cached_property
    def _fields(self) -> saving.PlanFields:
        import json

        return json.loads(self._text) if self._text else {}

    def _known_uids(self) -> set[int] | None:
        """Return the unique ids that the plan knows of; None if the release cannot read them."""
        tensors = self._fields.get("operationGraph", {}).get("tensors")
        try:
            return None if tensors is None else {int(each["name"]) for each in tensors}
        except (TypeError, KeyError, ValueError):
            return None

    @property
    def engine(self) -> int | None:
        """Return the index of the engine; None if the release cannot read it."""
        if self._engine is None:
            self._engine = self._fields.get("engine", {}).get("engineId")
        return self._engine

    @property
    def knobs(self) -> dict[str, int]:
        """Return the choices of the engine's knobs, by the names of `BackendKnobType`."""
        if self._knobs is None:
            choices = self._fields.get("engine", {}).get("knobChoices") or {}
            prefix = "CUDNN_KNOB_TYPE_"
            self._knobs = {name.removeprefix(prefix): int(v) for name, v in choices.items()}
        return dict(self._knobs)

    @property
    def device(self) -> str:
        """Return the name of the device that the plan is for; "" if it is unknown."""
        profile = self._fields.get("GPUProfile", {})
        return str(self._device_name or profile.get("deviceName", ""))

    @property
    def execution_plan(self) -> BackendDescriptor:
        """Return the descriptor.

        Raises:
            ClosedError: the plan is closed.
        """
        self._check_open()
        assert self._plan is not None
        return self._plan

    @property
    def closed(self) -> bool:
        """Return whether the plan is closed."""
        return self._plan is not None and self._plan.closed

    def close(self) -> None:
        """Destroy the descriptor; no CUDA graph that has captured the plan may be launched later.

        Closing again does nothing, and so does closing a plan that the cache of plans has had:
        others may have it, too. It ends with the last reference to it. While the interpreter ends,
        nothing is destroyed: a thread that no longer runs may have the plan's lock.
        """
        if not self._is_shared and not sys.is_finalizing():
            with self._lock():
                self._destroy()

    def _destroy(self) -> None:
        if self._is_armed:
            self._end()
        if self._plan is not None:
            self._plan.close()

    def share(self) -> None:
        """Make `close` do nothing from now on: the plan belongs to several."""
        self._is_shared = True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def prepare(self, handle: Handle | None = None, stream: StreamLike = None) -> None:
        """Allocate the workspace now, so that the next call in a stream can be captured.

        A graph keeps the workspace that it was captured with, so prepare the plan before each
        capture. Calls with PyTorch's tensors need no preparation. It releases objects that ended
        graphs kept alive.

        Args:
            handle: that the call will be made with; by default the one that it will choose.
            stream: of any library, that the call will be made in, where no handle is given; None
                for the default stream.

        Raises:
            AllocationError: the device does not have that much memory left.
            ArgumentError: `stream` is not a stream, or the handle has another one.
            ClosedError: the plan, the handle or the stream is closed.
        """
        self._check_open()
        keeping.sweep()
        chosen = choose_handle(handle, ... if handle is not None else stream, None, self._ordinal)
        chosen.workspace.reserve(self.workspace_size)

    # CUDA graphs

    def populate_cuda_graph(
        self, graph: Graph, *arrays: ArrayT | float | None, **named: ArrayT | float | None
    ) -> ArrayT:
        """Add the plan's work to a CUDA graph, by `cudnnBackendPopulateCudaGraph`.

        Only engines with the note SUPPORTS_CUDA_GRAPH_NATIVE_API can do this. The graph keeps the
        plan and its workspace alive.

        Args:
            graph: an empty cudaGraph_t: its address, or an object that has it as `handle`.
            arrays, named: as for a call; without `workspace` the graph gets one of its own.

        Returns: the outputs.

        Raises:
            ArgumentError: as a call does.
            MissingFunctionError: the release does not have this yet.
            NotSupportedError: the engine cannot do this.
        """
        populate = calls.cudnnBackendPopulateCudaGraph
        return cast("ArrayT", self._into_graph(populate, graph, arrays, named))

    def update_cuda_graph(
        self, graph: Graph, *arrays: ArrayT | float | None, **named: ArrayT | float | None
    ) -> ArrayT:
        """Give other arrays to a CUDA graph that the plan has populated.

        By `cudnnBackendUpdateCudaGraph`; the graph is then instantiated, or an instance updated.

        Args, Returns, Raises: as `populate_cuda_graph`.
        """
        update = calls.cudnnBackendUpdateCudaGraph
        return cast("ArrayT", self._into_graph(update, graph, arrays, named))

    def _into_graph(
        self,
        function: Callable[..., object],
        graph: Graph,
        given: Sequence[object],
        named: Mapping[str, object],
    ) -> object:
        address = _graph_address(graph)
        if any(each.fill is not None for each in self.operands):
            raise errors.NotSupportedError(
                "the plan's own memory is set to zero before each execution, which cuDNN does "
                "not put into a graph",
                hint="capture a call of the plan instead",
            )
        launch = self._place(given, named, shared=False)
        with launch.handle._current():
            pack = self._pack(launch)
            with self._lock():
                function(launch.handle, self.execution_plan, pack, address)
            keeping.keep(address, (self, launch.keep))
        return launch.results[0] if len(launch.results) == 1 else tuple(launch.results)

    # Saving

    def to_json(self) -> str:
        """Return the plan as JSON, for `from_json` on such a device with the same release.

        It contains cuDNN's own JSON, and the graph if that has no kernels.

        Raises:
            ClosedError: the plan is closed.
            NotSupportedError: the release has no JSON of plans, or it does not name the device:
                so does 9.8.0 for a described device, and 9.9.0 for some plans. Or NaN passes a ReLU
                of a computation that is made of descriptors, which cuDNN's JSON does not say.
        """
        self._check_open()
        if not self._text:
            raise errors.NotSupportedError("the loaded release cannot write plans as JSON")
        if not self._fields.get("GPUProfile", {}).get("deviceName"):
            raise errors.NotSupportedError("the loaded release does not write the plan's device")
        write = None if saving.has_kernels(self._text) else self._write
        return saving.encode(
            release=library.load().version,
            device=self.device,
            operands=self.operands,
            plan=self._text,
            engine=self.engine,
            knobs=self.knobs,
            notes=list(self.notes),
            signature=self.signature,
            text=self.text,
            replays=self.replays,
            **({} if write is None else {"graph": write()}),
        )

    @classmethod
    def from_json(
        cls, text: str, handle: Handle | None = None, *, device: Device | None = None
    ) -> Self:
        """Return a plan from its JSON; kernels that are part of it are not compiled again.

        One whose JSON has no kernels is built anew of the graph, by the same engine.

        Args:
            text: from `to_json`.
            handle: of the device that will execute the plan; by default this thread's where there
                is a device. The plan does not end with it.
            device: what describes a device instead, with a `name` and a `descriptor`: such as
                `DeviceProperties`.

        Raises:
            ArgumentError: the text is damaged, `device` describes none, or the plan is for another
                one.
            VersionMismatchError: another release of cuDNN has made it, or one for another CUDA.
        """
        saved = saving.decode(text)
        if handle is not None:
            handle = handles.lasting(handle)
        elif device is None and _driver.count():
            handle = handles.handle()
        if device is not None:
            expected = saving.described_profile(device)
        else:
            expected = saving.device_profile(handle.device) if handle is not None else {}
        saving.check_place(saved, expected)
        with handle._current() if handle is not None else nullcontext():
            return cls._loaded(saved, handle, device)

    @classmethod
    def _loaded(cls, saved: saving.Saved, handle: Handle | None, device: Device | None) -> Self:
        """Return a plan or a sequence; the handle's context is current."""
        if "parts" in saved:
            return cls._restore_several(saved, handle, device)  # type: ignore[return-value]
        if "graph" in saved:  # its room is far above this module
            room = import_module(f"{__name__.partition('.')[0]}.graph.graph")
            return room.build_saved(saved, handle, device)
        made = empty("EXECUTION_PLAN")
        try:
            if handle is not None:
                set_attribute(made, "EXECUTION_PLAN_HANDLE", "HANDLE", [handle])
            else:
                described = _properties(saved) if device is None else device.descriptor
                set_attribute(made, "EXECUTION_PLAN_DEVICEPROP", "BACKEND_DESCRIPTOR", [described])
            code = saved["plan"].encode()
            set_attribute(made, "EXECUTION_PLAN_JSON_REPRESENTATION", "CHAR", code)
            made.finalize()
            return cls(
                made,
                saved["operands"],
                handle=handle,
                device=device,
                engine=saved.get("engine"),
                knobs=saved.get("knobs"),
                notes=saved["notes"],
                signature=saved["signature"],
                text=saved["text"],
                replays=saved.get("replays", True),
            )
        except BaseException:
            made.close()
            raise

    def __reduce__(self) -> tuple[Callable[..., Plan], tuple[str]]:
        return (type(self).from_json, (self.to_json(),))

    def __copy__(self) -> Plan:
        return type(self).from_json(self.to_json(), self._handle)

    def __repr__(self) -> str:
        kind = type(self).__name__
        takes = ", ".join(each.name for each in self.inputs)
        gives = ", ".join(each.name for each in self.outputs)
        if self.closed:
            return f"<{kind} ({takes}) -> {gives}, closed>"
        return (
            f"<{kind} ({takes}) -> {gives}, {self._about()}, "
            f"workspace {self.workspace_size} bytes, for {self.device or 'an unknown device'}>"
        )

    def _about(self) -> str:
        return f"engine {self.engine}"


def _graph_address(graph: object) -> int:
    value = getattr(graph, "handle", graph)
    try:
        address = int(value)  # type: ignore[call-overload]
    except (TypeError, ValueError, OverflowError):
        address = 0
    if address <= 0:
        raise errors.ArgumentError(f"graph: expected the address of a cudaGraph_t, got {graph!r}")
    return int(address)


def _properties(saved: saving.Saved) -> BackendDescriptor:
    """Return a finalized descriptor of the device that a plan's JSON tells of."""
    import json

    described = empty("DEVICEPROP")
    code = json.dumps(saved["profile"]).encode()
    set_attribute(described, "DEVICEPROP_JSON_REPRESENTATION", "CHAR", code)
    described.finalize()
    return described
