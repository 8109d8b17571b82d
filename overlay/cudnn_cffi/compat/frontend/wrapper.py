"""The front end's `wrapper.Graph`: built at the end of a `with` block, and then called."""

from __future__ import annotations

import inspect
import logging
import sys
import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Self, TypedDict, TypeVar, Unpack, cast, overload

from ... import driver, handles
from ...arrays.libraries import current_stream, library_of
from ...plan.arrays.outputs import empty
from ...plan.operand import Operand
from .enums import data_type, heur_mode, to_data_type
from .executing import pygraph
from .handles import Handle, destroy_handle, set_stream, to_own
from .tensors import Tensor

if TYPE_CHECKING:
    from ...types import ArrayT, DevicePointer, Stream
    from .handles import HandleLike
    from .methods.options import WrapperOptions

    _K = TypeVar("_K")

    class CallOptions(TypedDict, total=False):
        """Options of a call, as for `pygraph.execute`."""

        handle: HandleLike | None
        workspace: DevicePointer


__all__ = ["Graph", "data_type", "destroy_default_handle", "get_default_handle", "heur_mode"]

_log = logging.getLogger(__name__)

#: Methods of a `pygraph` that are called as they are.
_PASSED = frozenset(
    (
        "get_workspace_size get_workspace_size_plan_at_index serialize deserialize "
        "query_tensor_attributes_of_uid"
    ).split()
)
#: Methods that the end of the block calls, and nobody else.
_REFUSED = frozenset(
    (
        "build build_operation_graph build_plan_at_index build_plans check_support "
        "create_execution_plan create_execution_plans deselect_behavior_notes deselect_engines "
        "deselect_numeric_notes deselect_workspace_greater_than execute execute_plan_at_index "
        "get_behavior_notes get_behavior_notes_for_plan_at_index get_engine_count "
        "get_execution_plan_count get_knobs_for_engine get_plan_name_at_index key "
        "populate_cuda_graph select_behavior_notes select_numeric_notes update_cuda_graph validate"
    ).split()
)


class _Defaults(threading.local):
    def __init__(self) -> None:
        self.by_device: dict[int, Handle] = {}


_defaults = _Defaults()


def get_default_handle(stream: Stream = None) -> Handle:
    """Return this thread's handle of a stream's device, with it; or with PyTorch's current stream.

    Args:
        stream: a stream of PyTorch, or the address of one of the current device.
    """
    device = getattr(getattr(stream, "device", None), "index", None)
    if device is None:
        device = driver.device_of()
    found = _defaults.by_device.get(device)
    if found is None or found.backend_handle is None:
        found = _defaults.by_device[device] = Handle(None, stream=0)
        found.own = handles.Handle(device)
    if stream is None:
        stream = current_stream("torch", device) if "torch" in sys.modules else 0
    set_stream(found, stream)
    return found


def destroy_default_handle() -> None:
    """Destroy this thread's handles, one of each device; the next call makes another."""
    made = list(_defaults.by_device.values())
    _defaults.by_device.clear()
    for each in made:
        destroy_handle(each)


class Graph:
    """A graph that is built at the end of a `with` block, and then called.

    Arrays that operations are given become its inputs. Names of inputs are "node::argument", those
    of results "node::RESULT", or what the program has set.

    Example::

        with cudnn.Graph(inputs=["mm::A", "mm::B"], outputs=["mm::C"], handle="auto") as graph:
            c = graph.matmul(a, b, name="mm")
            c.set_output(True)
        c = graph(a, b)
    """

    def __init__(
        self,
        *,
        handle: HandleLike | Literal["auto"] | None = None,
        inputs: Sequence[object] | None = None,
        outputs: Sequence[object] | None = None,
        heuristics: Sequence[heur_mode] | None = None,
        workspace_alloc: bool = True,
        **options: Unpack[WrapperOptions],
    ) -> None:
        """Make an empty graph.

        Args:
            handle: whose stream is used; "auto" for PyTorch's current stream.
            inputs, outputs: tensors, arrays or names, in the order of a call.
            heuristics: the modes to try; by default A and FALLBACK.
            workspace_alloc: whether the graph has a workspace of its own; else a call is given one.
            options: as for `pygraph`.

        Raises:
            ValueError: an argument is no list.
        """
        for what, given in (("inputs", inputs), ("outputs", outputs), ("heuristics", heuristics)):
            if given and not isinstance(given, (list, tuple)):
                raise ValueError(f"{what}: expected a list or tuple, got {given!r}")
        for name in ("io_data_type", "intermediate_data_type", "compute_data_type"):
            if name in options:
                options[name] = to_data_type(options[name])
        self._options = options
        self._handle = handle
        self._inputs, self._outputs = list(inputs or ()), list(outputs or ())
        self._heuristics = list(heuristics or (heur_mode.A, heur_mode.FALLBACK))
        self._needs_workspace = not workspace_alloc
        self._clear()

    def _clear(self) -> None:
        """Begin with an empty graph."""
        self._graph: pygraph | None = None
        self._arrays: dict[int, tuple[object, Tensor]] = {}
        self._named_inputs: dict[str, Tensor] = {}
        self._named_outputs: dict[str, Tensor] = {}
        self._own: list[Tensor] = []
        self._counts: dict[str, int] = {}
        self._nodes: set[str] = set()
        self._order: tuple[tuple[Tensor, ...], tuple[Tensor, ...]] | None = None

    def __enter__(self) -> Self:
        if self._graph is not None:
            raise RuntimeError("the graph was made already")
        handle = self._handle if isinstance(self._handle, Handle) else None
        self._graph = pygraph(handle=handle, **self._options)
        return self

    def __exit__(self, kind: object, value: object, trace: object) -> None:
        if kind is not None:
            self._clear()
            return
        graph = self._made
        graph.build(self._heuristics)
        if self._inputs or self._outputs:
            self.set_io_tuples(self._inputs, self._outputs)
        _log.debug("inputs %s, outputs %s", self._named_inputs, self._named_outputs)

    @property
    def _made(self) -> pygraph:
        if self._graph is None:
            raise RuntimeError("the graph was not made: use it in a with block")
        return self._graph

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        attribute = getattr(self._made, name)
        if name in _PASSED:
            return attribute
        if name in _REFUSED:
            raise RuntimeError(f"{name} is called by the end of the with block, not by a program")
        if not inspect.ismethod(attribute):
            return attribute
        if name in ("tensor", "tensor_like", "tensor_scalar"):

            def capture(*given: Any, **named: Any) -> Any:
                made = attribute(*given, **named)
                self._own.append(made)
                return made

            return capture

        def operation(*given: Any, **named: Any) -> Any:
            node = named.get("name") or f"{name}.{self._counts.get(name, 0)}"
            self._counts[name] = self._counts.get(name, 0) + 1
            if node in self._nodes:
                raise ValueError(f"a node is called {node!r} already")
            self._nodes.add(node)
            places = [self._operand(f"{node}::{at}", each) for at, each in enumerate(given)]
            words = {
                key: self._operand(f"{node}::{key}", each)
                for key, each in named.items()
                if key != "name"
            }
            made = attribute(*places, name=node, **words)
            for at, each in enumerate(made if isinstance(made, (list, tuple)) else [made]):
                if isinstance(each, Tensor):
                    self._named_outputs[each.get_name() or f"{node}::{at}"] = each
            return made

        return operation

    def _operand(self, name: str, given: Any) -> Any:
        """Return an argument, with tensors in the place of arrays."""
        if isinstance(given, tuple):
            return tuple(self._operand(f"{name}::{at}", each) for at, each in enumerate(given))
        if not isinstance(given, Tensor) and hasattr(given, "__dlpack__"):
            if id(given) not in self._arrays:
                plain = given.detach() if getattr(given, "requires_grad", False) else given
                self._arrays[id(given)] = (given, self._made.tensor_like(plain))
            given = self._arrays[id(given)][1]
        if isinstance(given, Tensor):
            self._named_inputs[name] = given
        return given

    def set_io_tuples(self, inputs: Sequence[object], outputs: Sequence[object]) -> None:
        """Set the order of arrays in a call.

        Args:
            inputs, outputs: tensors, arrays that operations were given, names or uids.

        Raises:
            ValueError: one is not of this graph, or comes twice, or one is missing.
        """
        for what, given in (("inputs", inputs), ("outputs", outputs)):
            if not isinstance(given, (list, tuple)):
                raise ValueError(f"{what}: expected a list or tuple, got {given!r}")
        if not self._made.get_execution_plan_count():
            self._inputs, self._outputs = list(inputs), list(outputs)
            return
        reads = tuple(self._find("input", each, self._named_inputs) for each in inputs)
        writes = tuple(self._find("output", each, self._named_outputs) for each in outputs)
        if len({*reads, *writes}) < len(reads) + len(writes):
            raise ValueError("a tensor comes twice among the inputs and outputs")
        for each in reads:
            if each.get_is_virtual():
                raise ValueError(f"the input {each.get_name()!r} is virtual")
        known = {*reads, *writes}
        for name, each in (*self._named_inputs.items(), *self._named_outputs.items()):
            if _in_memory(each) and each not in known:
                raise ValueError(f"{name!r} is in memory, and neither an input nor an output")
        self._order = (reads, writes)

    def _find(self, what: str, given: object, named: Mapping[str, Tensor]) -> Tensor:
        if isinstance(given, Tensor):
            if given in self._own or given in named.values():
                return given
        elif isinstance(given, str) and given in named:
            return named[given]
        elif isinstance(given, (str, int)):
            for each in (*named.values(), *self._own):
                if given in (each.get_name(), each.get_uid()):
                    return each
        elif id(given) in self._arrays:
            return self._arrays[id(given)][1]
        raise ValueError(f"{what}: {given!r} is not part of this graph")

    @overload
    def __call__(
        self, given: dict[_K, ArrayT], /, **options: Unpack[CallOptions]
    ) -> dict[_K, ArrayT]: ...
    @overload
    def __call__(
        self, *given: ArrayT, **options: Unpack[CallOptions]
    ) -> ArrayT | tuple[ArrayT, ...]: ...
    def __call__(self, *given: Any, **options: Unpack[CallOptions]) -> object:
        """Execute the graph.

        Args:
            given: arrays in the order of `set_io_tuples`; or one dict of arrays by names, tensors
                or uids.
            options: `handle` and `workspace`, as for `pygraph.execute`.

        Returns:
            The output, or a tuple of them; with a dict, the dict with all outputs.

        Raises:
            RuntimeError: the graph is not built, or an array, handle or workspace is missing.
            ValueError: there are more or fewer arrays than inputs.
        """
        graph = self._made
        if not graph.get_execution_plan_count():
            raise RuntimeError("the graph is built at the end of the with block")
        if len(given) == 1 and isinstance(given[0], dict):
            return self._call_with_names(given[0], options)
        if self._order is None:
            raise ValueError("call set_io_tuples before a call with arrays by place")
        reads, writes = self._order
        own = self._take_handle(options)
        if len(given) != len(reads):
            raise ValueError(f"expected {len(reads)} arrays, got {len(given)}")
        pack = dict(zip(reads, given, strict=True))
        made = tuple([self._empty(each, given, own) for each in writes])
        pack.update(zip(writes, made, strict=True))
        self._execute(pack, options)
        return made[0] if len(made) == 1 else made

    def _call_with_names(self, arrays: dict[Any, Any], options: CallOptions) -> object:
        pack: dict[Tensor, DevicePointer] = {}
        missing: dict[Tensor, str] = {}
        for name, tensor in (*self._named_inputs.items(), *self._named_outputs.items()):
            if not _in_memory(tensor) or tensor in pack:
                continue
            keys = (name, tensor, tensor.get_name(), tensor.get_uid())
            key = next((key for key in keys if key in arrays), None)
            if key is None:
                missing[tensor] = name
            else:
                pack[tensor] = arrays[key]
                missing.pop(tensor, None)
        lacking = [name for tensor, name in missing.items() if name not in self._named_outputs]
        if lacking:
            raise RuntimeError(f"got no array for the inputs {', '.join(lacking)}")
        own = self._take_handle(options)
        for tensor, name in missing.items():
            pack[tensor] = arrays[name] = self._empty(tensor, list(arrays.values()), own)
        self._execute(pack, options)
        return arrays

    def _take_handle(self, options: CallOptions) -> handles.Handle:
        """Put the handle of a call into its options, and return it as this package's."""
        if options.get("handle") is None:
            if self._handle is None:
                raise RuntimeError('expected a handle: pass one, or handle="auto"')
            auto = self._handle == "auto"
            handle = get_default_handle() if auto else cast("HandleLike", self._handle)
            options["handle"] = handle
        own = to_own(options["handle"])
        assert own is not None
        return own

    def _execute(self, pack: dict[Tensor, DevicePointer], options: CallOptions) -> None:
        if "workspace" not in options and self._needs_workspace:
            raise RuntimeError("workspace: expected one, since workspace_alloc is false")
        self._made.execute(pack, **options)

    def _empty(self, tensor: Tensor, like: Sequence[object], own: handles.Handle) -> DevicePointer:
        """Return a new array for a tensor, in the library of the inputs, for a handle's work."""
        kind = library_of(like[0]) if len(like) else "torch" if "torch" in sys.modules else "own"
        dtype = tensor.get_data_type()
        assert dtype is not None
        operand = Operand(
            "output",
            tensor.get_uid(),
            tuple(tensor.get_dim()),
            tuple(tensor.get_stride()),
            dtype.name,
            role="output",
        )
        return empty(kind, operand, own.device, own.stream)


def _in_memory(tensor: Tensor) -> bool:
    """Return whether a program passes an array for it: it is neither virtual nor a known number."""
    return not tensor.get_is_virtual() and tensor.pass_by_value is None
