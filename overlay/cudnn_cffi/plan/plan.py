"""A computation that cuDNN has compiled for one device, ready to run on arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple, Self

from .. import _call, arrays, errors, handles, library
from .. import driver as _driver
from .._lookup import calls
from ..driver import graphs
from ..handles import Handle
from ..memory import Memory
from . import capture, saving
from .binding import bind, check
from .descriptors import empty, read_numbers, read_text, set_attribute, variant_pack
from .libraries import current_stream, has_core, library_of
from .libraries import empty as new_output
from .operand import Number, Operand, check_operands, encode, span
from .placing import choose_handle
from .runner import WORKSPACE, Runner

__all__ = ["Plan"]

#: What each operand of the role "workspace" is aligned to, and what is before it.
_GRAIN = 256

_OPTIONS = ("handle", "stream", "workspace")


class _Launch(NamedTuple):
    """All that an execution takes."""

    handle: Handle
    stream: int
    graph: int  # that the stream is being captured into, or 0
    addresses: list[int]  # for the variant pack
    workspace: int
    results: list[Any]
    keep: tuple[Any, ...]  # what must live until cuDNN has the work


class Plan(Runner):
    """An engine's code for one computation, on operands of fixed types, shapes and strides.

    `plan(x, w, y)` executes it, in the order of a stream, and returns the outputs. Outputs that are
    left out, or None, are made in the library of the inputs. Every call checks each array against
    its operand: data type, shape, strides (but those of axes with one element), alignment, device.

    Threads may share a plan. cuDNN's own plans must not run in two threads at the same time, so one
    call waits for the other while it puts its work into its stream: some microseconds, without the
    GIL. Threads that must never wait have plans of their own, by `copy.copy(plan)`.

    A call may be captured into a CUDA graph, which then keeps the plan and its workspace alive.
    """

    def __init__(
        self,
        execution_plan: Any,
        operands: Sequence[Operand],
        *,
        handle: Handle | None = None,
        device: Any = None,
        engine: int | None = None,
        knobs: Mapping[str, int] | None = None,
        notes: Sequence[str] = (),
        signature: str = "",
        text: str = "",
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

        Raises:
            ArgumentError: operands contradict each other.
        """
        capture.sweep()
        self.operands = check_operands(operands)
        self.signature = signature
        self.text = text
        self.notes = tuple(map(str, notes))
        self._engine = engine
        self._knobs = None if knobs is None else dict(knobs)
        self._plan = execution_plan
        self._handle = handle
        self._ordinal = None if handle is None else handle.device
        self._device_name = "" if device is None else str(device.name)
        self._takes = tuple(each for each in self.operands if each.is_argument)
        own = int(read_numbers(execution_plan, "EXECUTION_PLAN_WORKSPACE_SIZE")[0])
        #: Where in the workspace each operand of that role begins.
        self._places: dict[int, int] = {}
        size = own
        for each in self.operands:
            if each.role == "workspace":
                self._places[each.uid] = size = -(-size // _GRAIN) * _GRAIN
                size += span(each)
        self.workspace_size = size
        self._set_up()

    @property
    def inputs(self) -> tuple[Operand, ...]:
        """Return the operands that a call reads."""
        return tuple(each for each in self._takes if each.role == "input")

    @property
    def outputs(self) -> tuple[Operand, ...]:
        """Return the operands that a call writes."""
        return tuple(each for each in self._takes if each.role == "output")

    @cached_property
    def _text(self) -> str:
        """cuDNN's own JSON of the plan; "" where the release has none."""
        try:
            return read_text(self._open(), "EXECUTION_PLAN_JSON_REPRESENTATION")
        except (errors.ClosedError, errors.UnknownMemberError):
            raise
        except errors.CudnnError:
            return ""

    @cached_property
    def _parts(self) -> dict[str, Any]:
        import json

        parts: dict[str, Any] = json.loads(self._text) if self._text else {}
        return parts

    def _known_uids(self) -> set[int] | None:
        """Return the unique ids that the plan knows of; None where the release does not tell."""
        tensors = self._parts.get("operationGraph", {}).get("tensors")
        try:
            return {int(each["name"]) for each in tensors}
        except (TypeError, KeyError, ValueError):
            return None

    @property
    def engine(self) -> int | None:
        """Return the index of the engine; None where the release does not tell."""
        if self._engine is None:
            self._engine = self._parts.get("engine", {}).get("engineId")
        return self._engine

    @property
    def knobs(self) -> dict[str, int]:
        """Return the choices of the engine's knobs, by the names of `BackendKnobType`."""
        if self._knobs is None:
            choices = self._parts.get("engine", {}).get("knobChoices") or {}
            prefix = "CUDNN_KNOB_TYPE_"
            self._knobs = {name.removeprefix(prefix): int(v) for name, v in choices.items()}
        return dict(self._knobs)

    @property
    def device(self) -> str:
        """Return the name of the device that the plan is for; "" where nothing tells."""
        profile = self._parts.get("GPUProfile", {})
        return str(self._device_name or profile.get("deviceName", ""))

    @property
    def execution_plan(self) -> Any:
        """Return the descriptor.

        Raises:
            ClosedError: the plan is closed.
        """
        return self._open()

    @property
    def closed(self) -> bool:
        """Return whether the plan is closed."""
        return bool(self._plan.closed)

    def _open(self) -> Any:
        if self._plan.closed:
            raise errors.ClosedError("the Plan is closed", hint="build it anew")
        return self._plan

    def close(self) -> None:
        """Destroy the descriptor; no CUDA graph that has captured the plan may be launched later.

        Closing again does nothing.
        """
        with self._lock():
            self._plan.close()
            if self._is_armed:
                self._end()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Executing

    def _run(self, given: Sequence[Any], named: Mapping[str, Any]) -> Any:
        """Execute the plan: what a call does, except where the compiled layer does it at once."""
        capture.sweep()
        launch = self._place(given, named)
        handle = launch.handle
        with handle._current():
            self._fill(launch)
            pack = self._pack(launch)
            try:
                with self._lock():
                    calls.cudnnBackendExecute(handle, self._open(), pack)
            except errors.CudnnError as error:
                raise self._explain(error, handle) from None
            if launch.graph:
                capture.keep(launch.graph, (self, launch.keep))
        return launch.results[0] if len(launch.results) == 1 else tuple(launch.results)

    def _failed(self, status: int, handle: Handle) -> None:
        """Raise what a status means that the compiled layer got; it calls this."""
        arguments = (handle, self._open(), 0)
        try:
            _call.failed(calls.cudnnBackendExecute, "cudnnBackendExecute", status, arguments)
        except errors.CudnnError as error:
            raise self._explain(error, handle) from None

    def _explain(self, error: errors.CudnnError, handle: Handle) -> errors.CudnnError:
        """Return the error of an execution, with the plan in place of addresses."""
        return error.replace(arguments={"handle": repr(handle), "plan": repr(self)})

    def _place(
        self, given: Sequence[Any], named: Mapping[str, Any], *, shared: bool = True
    ) -> _Launch:
        """Check the arguments of a call, and find what else it takes.

        Args:
            shared: whether the workspace may be one that other calls use, too.
        """
        self._open()
        mine = {each.name for each in self._takes}
        options = {name: named[name] for name in _OPTIONS if name in named and name not in mine}
        rest = {name: value for name, value in named.items() if name not in options}
        bound = bind(self._takes, given, rest)
        found: dict[str, int] = {}
        device = self._ordinal
        kind = None
        keep: list[Any] = []
        given_handle = options.get("handle")
        if device is None and isinstance(given_handle, Handle):
            device = given_handle.device
        for each in self._takes:
            if each.by_value:
                number = Number(encode(each, bound[each.name]))
                keep.append(number)
                found[each.name] = number.address
            elif each.name in bound:
                array = bound[each.name]
                found[each.name], came = check(each, array, device)
                if kind is None:
                    kind = library_of(array)
                device = came if device is None else device
        kind = "own" if kind is None else kind
        place = _driver.device_of() if device is None else device
        handle = choose_handle(
            given_handle,
            options.get("stream", ...),
            None if given_handle is not None else current_stream(kind, place),
            device,
        )
        stream = handle.get_stream()
        with handle._current():
            graph = graphs.capturing_graph(stream)
            # What a library allocates is used, and used again, in the order of its current stream.
            follows = current_stream(kind, place) == stream
            workspace, memory = self._workspace(
                options.get("workspace"), handle, kind if follows else "", graph, shared
            )
            for each in self.outputs:
                if each.name not in bound:
                    if graph and not (kind == "torch" and follows):
                        raise errors.ArgumentError(
                            f"{each.name}: it is missing, and nothing can be allocated while the "
                            "stream is captured",
                            hint=f"pass {each.name}, an array in device memory to write to",
                        )
                    made = new_output(kind, each, handle.device, stream)
                    bound[each.name] = made
                    found[each.name], _ = check(each, made, device)
        found |= {WORKSPACE: workspace, "": 0}
        addresses = [found[name] + offset for _, name, offset in self._packed]
        self._learn(bound, handle)
        results = [bound[each.name] for each in self.outputs]
        return _Launch(handle, stream, graph, addresses, workspace, results, (memory, *keep))

    def _workspace(
        self, given: Any, handle: Handle, kind: str, graph: int, shared: bool
    ) -> tuple[int, Any]:
        """Return the address of the workspace, and what keeps it alive.

        Args:
            given: the caller's, or None.
            kind: the library whose current stream is the handle's, or "".
            graph: that the stream is being captured into, or 0.
            shared: whether other calls may use the memory, too.
        """
        size = self.workspace_size
        if given is not None:
            return self._check_workspace(given, handle), given
        if not size:
            return 0, None
        # PyTorch's allocator knows the capture: the memory is the graph's own.
        if kind == "torch" and (graph or not has_core()):
            operand = Operand("workspace", 0, (size,), (1,), "UINT8", role="output")
            memory = new_output("torch", operand, handle.device, None)
            return arrays.device_pointer(memory), memory
        if not shared:
            own = Memory(size, handle.device, handle.stream)
            return own.address or 0, own
        try:
            return handle.workspace.get(size), None
        except errors.CudnnError as error:
            if not graph:
                raise
            raise error.replace(
                message=f"the plan is not ready to be captured: {error.message}",
                hint="call plan.prepare(handle), or plan.prepare(stream=stream), before each "
                "capture; or pass workspace=",
            ) from None

    def _check_workspace(self, given: Any, handle: Handle) -> int:
        try:
            info = arrays.describe(given)
            size = arrays.size_in_bytes(given)
        except errors.CudnnError as error:
            raise error.replace(message=f"workspace: {error.message}") from error
        if size < self.workspace_size:
            raise errors.ArgumentError(
                f"workspace: {self.workspace_size} bytes were expected, {size} came",
                hint="plan.workspace_size says how many it takes",
            )
        if info.device is not None and info.device != handle.device:
            raise errors.ArgumentError(
                f"workspace: memory of device {handle.device} was expected, "
                f"of device {info.device} came"
            )
        if info.address % 16:
            raise errors.MisalignedPointerError(
                f"workspace: an address that is a multiple of 16 was expected, "
                f"{info.address:#x} came"
            )
        return info.address

    def _pack(self, launch: _Launch) -> Any:
        return variant_pack([uid for uid, *_ in self._packed], launch.addresses, launch.workspace)

    def _fill(self, launch: _Launch) -> None:
        for each in self.operands:
            if each.fill is not None:
                address = launch.workspace + self._places[each.uid]
                graphs.fill(address, span(each), launch.stream)

    def prepare(self, handle: Handle | None = None, stream: Any = None) -> None:
        """Allocate the workspace now, so that the next call in a stream can be captured.

        A graph keeps the workspace that it was captured with, so prepare the plan before each
        capture. Calls with PyTorch's tensors need no preparation.

        Args:
            handle: that the call will be made with; by default the one that it will choose.
            stream: of any library, that the call will be made in, where no handle is given; None
                for the default stream.

        Raises:
            AllocationError: the device does not have that much memory left.
            ArgumentError: `stream` is not a stream, or the handle has another one.
            ClosedError: the plan, the handle or the stream is closed.
        """
        self._open()
        chosen = choose_handle(handle, ... if handle is not None else stream, None, self._ordinal)
        chosen.workspace.reserve(self.workspace_size)

    # CUDA graphs

    def populate_cuda_graph(self, graph: Any, *arrays: Any, **named: Any) -> Any:
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
        return self._into_graph(calls.cudnnBackendPopulateCudaGraph, graph, arrays, named)

    def update_cuda_graph(self, graph: Any, *arrays: Any, **named: Any) -> Any:
        """Give other arrays to a CUDA graph that the plan has populated.

        By `cudnnBackendUpdateCudaGraph`; the graph is then instantiated, or an instance updated.

        Args, Returns, Raises: as `populate_cuda_graph`.
        """
        return self._into_graph(calls.cudnnBackendUpdateCudaGraph, graph, arrays, named)

    def _into_graph(
        self, function: Any, graph: Any, given: Sequence[Any], named: Mapping[str, Any]
    ) -> Any:
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
                function(launch.handle, self._open(), pack, address)
            capture.keep(address, (self, launch.keep))
        return launch.results[0] if len(launch.results) == 1 else tuple(launch.results)

    # Saving

    def to_json(self) -> str:
        """Return the plan as JSON, for `from_json` on such a device with the same release.

        Raises:
            ClosedError: the plan is closed.
            NotSupportedError: the release has no JSON of plans.
        """
        self._open()
        if not self._text:
            raise errors.NotSupportedError("the loaded release cannot write plans as JSON")
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
        )

    @classmethod
    def from_json(cls, text: str, handle: Handle | None = None, *, device: Any = None) -> Self:
        """Return a plan from its JSON; kernels that are part of it are not compiled again.

        Args:
            text: what `to_json` returned.
            handle: of the device that will execute the plan; by default this thread's where there
                is a device.
            device: what describes a device instead, with a `name` and a `descriptor`.

        Raises:
            ArgumentError: the text is damaged, or the plan is for another device.
            VersionMismatchError: the plan was made by another release of cuDNN.
        """
        saved = saving.decode(text)
        if handle is None and device is None and _driver.count():
            handle = handles.handle()
        if device is not None:
            expected = {"deviceName": str(device.name)}
        else:
            expected = saving.device_profile(handle.device) if handle is not None else {}
        saving.check_place(saved, expected)
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
            )
        except BaseException:
            made.close()
            raise

    def __reduce__(self) -> Any:
        return (type(self).from_json, (self.to_json(),))

    def __copy__(self) -> Self:
        return type(self).from_json(self.to_json(), self._handle)

    def __repr__(self) -> str:
        takes = ", ".join(each.name for each in self.inputs)
        gives = ", ".join(each.name for each in self.outputs)
        if self.closed:
            return f"<Plan ({takes}) -> {gives}, closed>"
        return (
            f"<Plan ({takes}) -> {gives}, engine {self.engine}, "
            f"workspace {self.workspace_size} bytes, for {self.device or 'an unknown device'}>"
        )


def _graph_address(graph: Any) -> int:
    value = getattr(graph, "handle", graph)
    try:
        address = int(value)
    except (TypeError, ValueError):
        address = 0
    if address <= 0:
        raise errors.ArgumentError(
            f"graph: the address of a cudaGraph_t was expected, {graph!r} came"
        )
    return address


def _properties(saved: dict[str, Any]) -> Any:
    """Return a finalized descriptor of the device that a plan's JSON tells of."""
    import json

    described = empty("DEVICEPROP")
    code = json.dumps(saved["profile"]).encode()
    set_attribute(described, "DEVICEPROP_JSON_REPRESENTATION", "CHAR", code)
    described.finalize()
    return described
