"""Execute a plan on addresses, without checks of what lies there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ... import errors
from ...driver import captures, graphs, keeping
from ...handles import ordering
from ..descriptors import variant_pack
from .call_steps import WORKSPACE
from .launcher import Launch

if TYPE_CHECKING:
    from ...families import BackendDescriptor
    from ...handles import Handle
    from ..plan import Graph, Plan


def launch(
    plan: Plan, handle: Handle, addresses: Sequence[int], workspace: int = 0,
    arrays: Iterable[object] = (),
) -> None:  # fmt: skip
    """Execute a plan in the stream of a handle.

    Nothing is known of what lies at the addresses: they are taken for memory with the data types,
    shapes and strides of the operands, on the handle's device. A capture of the stream keeps the
    plan and arrays alive.

    Args:
        plan: the plan.
        handle: whose stream is used.
        addresses: of the operands, in the order of a call; those of numbers that are passed by
            value are in host memory.
        workspace: the address of `plan.workspace_size` bytes; 0 for the memory of the handle.
        arrays: what has the addresses; a capture keeps those that are not PyTorch's.

    Raises:
        ArgumentError: an output or the workspace overlaps another array.
        ClosedError: the plan or the handle is closed.
        CudnnError: cuDNN refuses, or fails.
    """
    keeping.sweep()
    with captures.relaxed(), handle._current():
        graph = graphs.capturing_graph(handle.get_stream())
        keep, given = None, workspace
        if not workspace:
            workspace, keep = plan._workspace(None, handle, "", graph, True)
        names = [each.name for each in plan._takes]
        found = dict(zip(names, addresses, strict=True))
        plan.refuse_overlaps(found, given)
        try:
            plan._execute(plan.placed(Launch(handle, graph, {}, [], workspace, [], ()), found))
        except errors.CudnnError as error:
            raise plan._explain(error, handle) from None
        if graph:
            keeping.keep(graph, (plan, keep, ordering.kept(arrays)))


def launcher(
    plan: Plan,
    slow: Callable[..., object],
    operands: Sequence[tuple[int, int, bool, bool, bool]],
) -> Any:
    """Return what executes a plan on mappings without a Python frame; None where it cannot be.

    It is called with a dict of arrays or addresses, a workspace and a handle. Its method
    `_learn(given, handle, keys, places, arrays, of_thread)` says which handle an object stands for,
    which operand each key of the dict has, -1 for none, and which array, and whether the handle is
    this thread's alone. Other calls it passes on, also those with other kinds of arrays.

    Args:
        plan: the plan.
        slow: gets the calls that are not plain, with their arguments.
        operands: for each operand the bits of its address that have to be 0; its address, if that
            is the same each time, or 0; and whether it is on the host, is written, and is ragged.
    """
    make = getattr(plan, "_launcher", None)
    if make is None or not plan._is_armed or plan._steps:
        return None
    return make(slow, tuple(operands))


def launch_into(
    plan: Plan,
    function: Callable[..., object],
    handle: Handle,
    graph: Graph,
    addresses: Sequence[int],
    workspace: int,
    keep: object,
) -> None:
    """Let cuDNN write a plan's work into a CUDA graph, which then keeps the plan alive.

    Args:
        plan, handle, addresses: as for `launch`.
        function: `cudnnBackendPopulateCudaGraph` or `cudnnBackendUpdateCudaGraph`.
        graph: the address of a cudaGraph_t.
        workspace: as for `launch`; 0 for memory that lives as long as the graph.
        keep: other objects that have to live as long as the graph.

    Raises:
        ArgumentError: an output or the workspace overlaps another array.
        NotSupportedError: the engine cannot do this.
        MissingFunctionError: the release does not have this yet.
    """
    if len(plan.parts) > 1:
        plan._into_graph(function, graph, addresses, {})
    if any(each.fill is not None for each in plan.operands):
        raise errors.NotSupportedError(
            "the plan's own memory is set to zero before each execution, which cuDNN does not put "
            "into a graph",
            hint="capture an execution instead",
        )
    address = int(getattr(graph, "handle", graph))  # type: ignore[arg-type]
    with handle._current():
        own = None
        if not workspace:
            workspace, own = plan._workspace(None, handle, "", 0, False)
        pack = _pack(plan, addresses, workspace, own is None)
        with plan._lock():
            function(handle, plan.execution_plan, pack, address)
        keeping.keep(address, (plan, own, keep))


def _pack(
    plan: Plan, addresses: Sequence[int], workspace: int, is_given: bool
) -> BackendDescriptor:
    names = [each.name for each in plan._takes]
    found = dict(zip(names, addresses, strict=True))
    plan.refuse_overlaps(found, workspace if is_given else 0)
    found |= {WORKSPACE: workspace, "": 0}
    uids, pointers = [], []
    for uid, name, offset in plan._packed:
        uids.append(uid)
        pointers.append(found[name] + offset)
    return variant_pack(uids, pointers, workspace, plan._overrides)
