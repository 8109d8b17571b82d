"""Run a plan: by the compiled layer if the call fits, else step by step."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ... import _call, arrays, errors, handles
from ... import driver as _driver
from ..._call.binding import missing
from ..._call.codes import NOT_BOUND
from ..._lookup import calls
from ..._support import fork
from ...arrays.libraries import allocating_in, current_stream, has_core, library_of
from ...driver import captures, graphs, keeping
from ...driver.streams import stream_pointer
from ...handles import Handle, ordering
from ...handles.placing import choose_handle, following, second
from ...memory import Memory
from ..arrays.outputs import (
    Allocate,
    Free,
    cupy_maker,
    empty,
    own_maker,
    scratch_of,
    settle,
    storage,
    torch_maker,
    torch_options,
)
from ..binding import bind, check
from ..descriptors import variant_pack
from ..operand import OPTIONS, Number, Operand, Pair, encode
from .apart import Extents
from .arming import argument_of, dtype_of, set_up
from .call_steps import (
    FROM_NOTHING,
    FROM_WORKSPACE,
    WORKSPACE,
    AnyStep,
    Execute,
    Fill,
    Kernel,
    Rows,
    Scratch,
    are_replayed,
    packed,
)
from .compiled import Base, Locked, Maker, Turn, native
from .reading import is_learnt, learn_type
from .streams import Change, run_all

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from ...families import BackendDescriptor
    from ...types import Stream as StreamLike
    from ..descriptors import SetsAttributes


class Launch(NamedTuple):
    """All that an execution takes."""

    handle: Handle
    graph: int  # that the stream is being captured into, or 0
    found: dict[str, int]  # the address of each operand, by its name
    addresses: list[int]  # for the variant pack
    workspace: int
    results: list[object]
    keep: tuple[object, ...]  # what must live until cuDNN has the work, or as long as the graph
    order: ordering.Order = ordering.Order()
    scratch: object = None  # what must live until cuDNN has the work, but no longer


class Launcher(Base):
    """The base of plans and classic calls: runs them, by the compiled layer if the call fits.

    The compiled layer learns a type of arrays from the first call with it, which `_run` executes.
    """

    operands: tuple[Operand, ...]
    workspace_size: int
    _ordinal: int | None  # of the only device that it runs on, if that is known
    _takes: tuple[Operand, ...]
    _places: dict[int, int]
    _numbers: dict[int, Number]
    _packed: tuple[tuple[int, str, int], ...]
    _plan: BackendDescriptor | None  # None if nothing follows the steps
    _steps: Sequence[AnyStep] | None  # what runs first; None for what only Python can do
    _changes: Collection[str] = ()  # the inputs that a call writes
    #: The turn by which calls in several streams follow each other.
    _turn_of_calls: Turn | None = None
    #: Whether calls that come again may be launched as CUDA graphs.
    replays = True
    #: Extents that a variant pack has in place of those of the plan.
    _overrides: SetsAttributes | None = None
    #: The pairs of arrays that must not overlap.
    _apart: tuple[Pair, ...] = ()

    def _set_up(self) -> None:
        self._own_lock = fork.lock() if native is None else None
        self._numbers = {
            each.uid: Number(encode(each, each.value))
            for each in self.operands
            if each.value is not None
        }
        self._packed = tuple(self._list_packed())
        self._extents = Extents(self._takes, self._apart)
        self._is_armed = native is not None and self._arm_compiled()
        self._taught: set[tuple[type, int]] = set()

    def _list_packed(self) -> Iterator[tuple[int, str, int]]:
        """Yield what is in the variant pack: unique id, whose address it is, and an offset.

        The address is that of an argument, by its name, or of the workspace; or "" for none.
        """
        known = self._known_uids() if any(each.views for each in self.operands) else None
        for each in self.operands:
            if each.value is not None:
                yield each.uid, "", self._numbers[each.uid].address
            elif each.role == "workspace":
                yield each.uid, WORKSPACE, self._places[each.uid]
            elif each.is_read:
                # An input may be read through its views alone. The plan's text names no offsets of
                # ragged tensors, so what it does not name is left out only where there are views.
                for uid, offset in ((each.uid, 0), *each.views):
                    if known is None or uid in known or not each.views:
                        yield uid, each.name, offset

    def _known_uids(self) -> set[int] | None:
        """Return the unique ids that cuDNN knows of; None if that is unknown."""
        return None

    def _lock(self) -> AbstractContextManager[object]:
        return self._own_lock or Locked(self._acquire, self._release)

    @property
    def ordinal(self) -> int | None:
        """Return the ordinal of the only device that it runs on; None if that is not known."""
        return self._ordinal

    @property
    def is_replayed(self) -> bool:
        """Return whether a call does the same each time on the same addresses."""
        steps = self._steps
        return (
            self.replays
            and self._turn_of_calls is None
            and steps is not None
            and are_replayed(steps)
        )

    def _arm_compiled(self) -> bool:
        """Tell the compiled layer what to check; return whether it can execute this."""
        steps = self._steps
        if steps is None:
            return False
        sources = {each.name: place for place, each in enumerate(self._takes)}
        written = {*self._changes, *(each.name for each in self.outputs)}
        sizes = self._extents.sizes
        words = packed(steps, sources)
        if words is None:
            return False
        set_up(self)
        self._knows_numpy = "numpy" in sys.modules
        pack = [
            (uid, sources.get(name, FROM_WORKSPACE if name else FROM_NOTHING), offset)
            for uid, name, offset in self._packed
        ]
        is_armed = bool(
            self._arm(
                descriptor=self._plan,
                device=-1 if self._ordinal is None else self._ordinal,
                workspace_size=self.workspace_size,
                packed=() if self._plan is None else tuple(pack),
                arguments=tuple([argument_of(each, written, sizes) for each in self._takes]),
                steps=words,
                turn=self._turn_of_calls,
                replays=self.is_replayed,
            )
        )
        if is_armed:
            self._teach_apart()
        return is_armed

    def _teach_apart(self) -> None:
        """Tell the compiled layer which arrays must not overlap."""
        sources = {each.name: place for place, each in enumerate(self._takes)}
        self._keep_apart(tuple(self._extents.records(sources)))

    def _default(self, device: int) -> Handle:
        return handles.handle(device)

    def _following(self, device: int) -> Handle:
        return following(device)

    def _beside(self, device: int) -> tuple[object, ...] | None:
        return second(device)

    def _stream_address(self, stream: StreamLike) -> int:
        return stream_pointer(stream)

    def _learn(self, bound: Mapping[str, object], handle: Handle) -> None:
        """Tell the compiled layer the types of these arrays, which were found to fit."""
        if not self._is_armed:
            return
        if not self._knows_numpy and "numpy" in sys.modules:
            self._set_dtypes(tuple(map(dtype_of, self._takes)))
            self._knows_numpy = True
        for each in self._takes:
            array = bound[each.name]
            kind = type(array)
            learn_type(array)
            makes = each.role == "input" and is_learnt(kind)
            if makes and (kind, handle.device) not in self._taught:
                self._taught.add((kind, handle.device))
                library = library_of(array)
                outputs = [one for one in self._takes if one.role == "output"]
                memory = self._allocate, self._free
                if self.workspace_size and self._lends_scratch(library):
                    outputs.append(scratch_of(self.workspace_size))
                makers = [_maker(library, one, handle.device, memory) for one in outputs]
                self._teach(kind, handle.device, tuple(makers))
        stream = handle.stream
        if type(stream).__module__.partition(".")[0] in ("torch", "cupy"):
            self._learn_stream(type(stream))

    def _make_output(self, library: str, operand: Operand, handle: Handle) -> object:
        """Return a new array for an output, in the library of the inputs."""
        if library == "own" and native is not None:
            return own_maker(operand, handle.device, self._allocate, self._free)(handle)
        with allocating_in(library, handle.device, handle.get_stream()):
            return empty(library, operand, handle.device, handle.stream)

    @property
    def outputs(self) -> tuple[Operand, ...]:
        """Return the operands that a call writes."""
        return tuple(each for each in self._takes if each.role == "output")

    def _check_open(self) -> None:
        """Refuse a plan that is closed.

        Raises:
            ClosedError: it is.
        """
        if self._plan is not None and self._plan.closed:
            raise errors.ClosedError("the Plan is closed", hint="build it anew")

    def _run(self, given: Sequence[object], named: Mapping[str, object]) -> object:
        """Execute the plan: what a call does, except where the compiled layer does it at once.

        The first execution of an engine loads its kernels, which is allowed in a capture only where
        the thread is relaxed.
        """
        with captures.relaxed():
            return self._run_relaxed(given, named)

    def _run_relaxed(self, given: Sequence[object], named: Mapping[str, object]) -> object:
        keeping.sweep()
        launch = self._place(given, named)
        with launch.handle._current():
            try:
                self._execute(launch)
            except errors.CudnnError as error:
                raise self._explain(error, launch.handle) from None
            results = launch.results
            ordering.end(launch.order, launch.handle, (self, launch.keep))
            if launch.order.lent and not launch.graph:
                results = [settle(each) for each in results]
        return results[0] if len(results) == 1 else tuple(results)

    def _execute(self, launch: Launch) -> None:
        """Execute by cuDNN; the handle's context is current."""
        run_all(self._steps or (), launch.handle, launch.found, launch.workspace)
        if self._plan is not None:
            pack = self._pack(launch)
            with self._lock():
                self._check_open()
                calls.cudnnBackendExecute(launch.handle, self._plan, pack)

    def _failed(self, status: int, handle: Handle, at: int) -> None:
        """Raise what a status means that the compiled layer got; it calls this.

        Args:
            status: of cuDNN, or of the driver where a step sets or copies memory.
            handle: that the work was done with.
            at: the number of the step; -1 for the plan's execution.
        """
        step = self._steps[at] if at >= 0 and self._steps else None
        arguments: tuple[object, ...]
        if isinstance(step, (Change, Fill, Kernel, Rows)):
            answer = _driver.error_name(status)
            raise errors.ExecutionFailedError(f"{step.undone}: the driver answers {answer}")
        if step is None or isinstance(step, Execute):
            plan = self._plan if step is None else step.plan._plan
            name, arguments = "cudnnBackendExecute", (handle, plan, 0)
        else:
            name = step.function
            arguments = tuple(0 if isinstance(e, (str, Scratch)) else e for e in step.arguments)
        try:
            if status == NOT_BOUND:
                raise missing(name)
            _call.failed(getattr(calls, name), name, status, arguments)
        except errors.CudnnError as error:
            raise self._explain(error, handle) from None

    def _explain(self, error: errors.CudnnError, handle: Handle) -> errors.CudnnError:
        """Return the error of an execution, with the plan in place of addresses."""
        return error.replace(arguments={"handle": repr(handle), "plan": repr(self)})

    def _place(
        self, given: Sequence[object], named: Mapping[str, object], *, shared: bool = True
    ) -> Launch:
        """Check the arguments of a call; find its handle, stream, workspace and outputs.

        Args:
            shared: whether the workspace may be one that other calls use, too.
        """
        self._check_open()
        options = {name: named[name] for name in OPTIONS if name in named}
        rest = {name: value for name, value in named.items() if name not in options}
        bound = bind(self._takes, given, rest)
        found: dict[str, int] = {}
        device = self._ordinal
        kind = None
        keep: list[object] = []
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
                if each.name in self._changes:
                    arrays.check_writable(array, each.name)
                if kind is None:
                    kind = library_of(array)
                device = came if device is None else device
        kind = "own" if kind is None else kind
        place = _driver.device_of() if device is None else device
        handle = choose_handle(
            given_handle,
            options.get("stream", ...),  # type: ignore[arg-type]
            None if given_handle is not None else current_stream(kind, place),
            device,
        )
        stream = handle.get_stream()
        with handle._current():
            graph = graphs.capturing_graph(stream)
            # Memory of a library is used, and used again, in the order of its current stream.
            follows = current_stream(kind, place) == stream
            missing = [each.name for each in self.outputs if each.name not in bound]
            if missing and graph and not (kind == "torch" and follows):
                raise errors.ArgumentError(
                    f"{missing[0]}: it is missing, and nothing can be allocated while the stream "
                    "is captured",
                    hint=f"pass {missing[0]}, an array in device memory to write to",
                )
            workspace, memory = self._workspace(
                options.get("workspace"), handle, kind if follows else "", graph, shared
            )
            is_free = given_handle is None and "stream" not in options
            order = ordering.begin(bound.values(), place, stream, graph, is_free)
            for each in [one for one in self.outputs if one.name in missing]:
                made = bound[each.name] = self._make_output(kind, each, handle)
                found[each.name], _ = check(each, made, device)
        self.refuse_overlaps(found, 0 if options.get("workspace") is None else workspace)
        self._learn(bound, handle)
        if not shared:  # for another graph than that of a pool
            keep += [*bound.values(), memory]
        elif graph not in keeping.pools or options.get("workspace") is not None:
            keep.append(memory)
        results = [bound[each.name] for each in self.outputs]
        launch = Launch(handle, graph, {}, [], workspace, results, tuple(keep), order, memory)
        return self.placed(launch, found)

    def refuse_overlaps(self, found: Mapping[str, int], workspace: int) -> None:
        """Refuse an output, or a workspace of the caller's, that overlaps another array.

        Args:
            found: the address of each operand.
            workspace: the address of the caller's workspace, or 0.

        Raises:
            ArgumentError: there is one.
        """
        if workspace and self.workspace_size:
            self._extents.check_workspace(found, workspace, self.workspace_size)
        if self._extents.check(found) and self._is_armed:
            self._teach_apart()

    def placed(self, launch: Launch, found: Mapping[str, int]) -> Launch:
        """Return an execution of this in the place of another one.

        Args:
            launch: the other one, whose workspace is large enough.
            found: the address of each operand.
        """
        known = {**found, WORKSPACE: launch.workspace, "": 0}
        addresses = [known[name] + offset for _, name, offset in self._packed]
        return launch._replace(found=known, addresses=addresses)

    def execute_at(self, handle: Handle, found: Mapping[str, int], workspace: int) -> None:
        """Execute it on addresses, which nothing checks; the handle's context is current.

        Args:
            handle: it runs with this one.
            found: the address of each operand, by its name.
            workspace: the address of the workspace.
        """
        self._execute(self.placed(Launch(handle, 0, {}, [], workspace, [], ()), found))

    def _workspace(
        self, given: object, handle: Handle, kind: str, graph: int, shared: bool
    ) -> tuple[int, object]:
        """Return the address of the workspace, and what keeps it alive.

        Args:
            given: the caller's, or None.
            kind: the library whose current stream is the handle's, or "".
            graph: that the stream is being captured into, or 0.
            shared: whether other calls may use the memory, too.
        """
        size = self.workspace_size
        if given is not None:
            return self.check_workspace(given, handle), given
        if not size:
            return 0, None
        # PyTorch's allocator knows the capture: the memory is the graph's own.
        if self._lends_scratch(kind) or (kind == "torch" and graph):
            memory = empty("torch", scratch_of(size), handle.device, None)
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

    def _lends_scratch(self, library: str) -> bool:
        return library == "torch" and not has_core()

    def check_workspace(self, given: object, handle: Handle) -> int:
        """Return the address of the caller's workspace."""
        arrays.check_writable(given, "workspace")
        try:
            info = arrays.describe(given)
            size = arrays.size_in_bytes(given)
        except errors.CudnnError as error:
            raise error.replace(message=f"workspace: {error.message}") from error
        if size < self.workspace_size:
            raise errors.ArgumentError(
                f"workspace: expected {self.workspace_size} bytes, got {size}",
                hint="plan.workspace_size says how many it takes, without gaps",
            )
        if info.device is not None and info.device != handle.device:
            raise errors.ArgumentError(
                f"workspace: expected memory of device {handle.device}, got of device {info.device}"
            )
        if info.address % 16:
            raise errors.MisalignedPointerError(
                f"workspace: expected an address that is a multiple of 16, got {info.address:#x}"
            )
        return info.address

    def _pack(self, launch: Launch) -> BackendDescriptor:
        uids = [uid for uid, *_ in self._packed]
        return variant_pack(uids, launch.addresses, launch.workspace, self._overrides)


def _maker(library: str, operand: Operand, device: int, memory: tuple[Allocate, Free]) -> Maker:
    """Return a callable that makes an output, its arguments (None for the handle), its keywords."""
    names, shape, strides = storage(operand)
    if library == "torch":
        options = torch_options(names, device)
        short = torch_maker()
        if options is not None and short is not None:
            return short, (shape, strides, options["dtype"]), None
        if options is not None:
            return sys.modules["torch"].empty_strided, (shape, strides), options
    if library == "cupy":
        maker = cupy_maker(operand, device)
        if maker is not None:
            return maker, (), None
    if library == "own":
        return own_maker(operand, device, *memory), None, None
    return (lambda: empty(library, operand, device, None)), (), None
