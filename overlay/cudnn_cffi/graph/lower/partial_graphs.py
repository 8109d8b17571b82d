"""Parts of a graph as graphs of their own, which read and write memory where they are cut."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ... import arrays, errors
from ...errata.conditions.tensors import goes_by_strides
from ..arguments import view_alignment
from ..tensors import Node, Tensor
from .copies import copy_tensor

if TYPE_CHECKING:
    from ..methods.operations import Operations
    from ..record.types import DataTypeName


class Stored(NamedTuple):
    """Where the elements of a tensor lie.

    Attributes:
        root: the uid of the tensor whose memory it is.
        strides: in elements.
        offset: of the first element, from that of the root.
    """

    root: int
    strides: tuple[int, ...]
    offset: int = 0


def in_order(nodes: Iterable[Node]) -> list[Node]:
    """Return nodes in an order in which each follows the nodes whose results it reads."""
    waiting = {id(node): node for node in nodes}
    ordered: list[Node] = []
    while waiting:
        ready = next(
            node
            for node in waiting.values()
            if not any(id(each.producer) in waiting for each in node.inputs.values())
        )
        ordered.append(waiting.pop(id(ready)))
    return ordered


def cut(graph: Operations, nodes: Sequence[Node], stored: dict[int, Stored]) -> Operations | None:
    """Return nodes of a graph as a graph of their own; None where it cannot be cut there.

    Results that other nodes read are its outputs. Results of others are its inputs.

    Args:
        graph: the whole.
        nodes: in an order in which they can be computed.
        stored: the tensors that lie in memory.
    """
    own = {id(node) for node in nodes}
    outside = {
        each.uid for node in graph.nodes if id(node) not in own for each in node.inputs.values()
    }
    made = type(graph)(
        graph.name,
        io_data_type=graph.io_data_type,
        intermediate_data_type=graph.intermediate_data_type,
        compute_data_type=graph.compute_data_type,
    )
    made.next_uid = graph.next_uid
    for node in nodes:
        inputs = {port: _read(made, graph, each, own, stored) for port, each in node.inputs.items()}
        twin = Node(made, node.operation, inputs, node.options.copy(), node.name)
        for port, each in node.outputs.items():
            if each.is_virtual and each.uid in outside and not goes_by_strides(each):
                return None
            result = _twin(made, each)
            result.producer, result.port = twin, port
            if each.ragged_offset is not None:
                result.ragged_offset = _read(made, graph, each.ragged_offset, own, stored)
            if not each.is_virtual or each.uid in outside:
                if each.in_workspace and each.uid in outside and each.fill is not None:
                    return None
                if each.is_output or each.uid in outside:
                    result.given_type, result.is_output = stored_type(each), True
                    result.is_virtual = result.in_workspace = False
                    made.outputs.append(result)
            twin.outputs[port] = result
        made.nodes.append(twin)
        made.by_name[f"node {twin.name}"] = twin
    return made


def stored_type(tensor: Tensor) -> DataTypeName:
    """Return the data type in which a tensor that others read lies in memory.

    No engine writes truth values as bytes: they are numbers there, which selections take.
    """
    return "FLOAT" if tensor.data_type == "BOOLEAN" and tensor.is_virtual else tensor.data_type


def _twin(graph: Operations, tensor: Tensor) -> Tensor:
    twin = copy_tensor(graph, tensor)
    if twin._name is None:
        twin._name = tensor.name
        graph.by_name[tensor.name] = twin
    graph.tensors[tensor.uid] = twin
    return twin


def _read(
    graph: Operations, whole: Operations, tensor: Tensor, own: set[int], stored: dict[int, Stored]
) -> Tensor:
    """Return the tensor of a part that corresponds to one of the whole graph."""
    known = graph.tensors.get(tensor.uid)
    if known is not None:
        return known
    twin = _twin(graph, tensor)
    if tensor.ragged_offset is not None:
        twin.ragged_offset = _read(graph, whole, tensor.ragged_offset, own, stored)
    if tensor.by_value:
        return twin
    place = stored.get(tensor.uid)
    if place is None:
        raise errors.GraphError(f"{tensor.name}: nothing has computed it")
    twin.given_type = stored_type(tensor)
    twin.is_virtual = twin.is_output = twin.in_workspace = False
    twin.fill = None
    twin.strides = place.strides
    if place.root != tensor.uid:
        root = whole.tensors[place.root]
        twin.base, twin.offset = _read(graph, whole, root, own, stored), place.offset
        twin.alignment = view_alignment(twin.base, twin.offset, twin.data_type)
    return twin


def size(tensor: Tensor, strides: Sequence[int]) -> int:
    """Return the bytes from the first element to the end of the last, with gaps."""
    elements = 1 + arrays.last_offset(tensor.shape, strides)
    return elements * arrays.itemsize(arrays.dtype_name(stored_type(tensor)))


def needed(nodes: Sequence[Node]) -> list[Node]:
    """Return the nodes whose results are kept, or read by one of them; they come in order."""
    read: set[int] = set()
    needed = []
    for node in reversed(nodes):
        if any(not each.is_virtual or each.uid in read for each in node.outputs.values()):
            needed.append(node)
            read |= {each.uid for each in node.inputs.values()}
    return needed[::-1]


def are_same(shape: Sequence[int], one: Sequence[int], other: Sequence[int]) -> bool:
    """Return whether strides are the same where they matter."""
    return all(n == 1 or a == b for n, a, b in zip(shape, one, other, strict=True))


def orders(tensors: Sequence[Tensor]) -> list[tuple[int, ...]]:
    """Return four orders of dimensions to try, outermost first.

    Row-major; the channels last; those that all tensors have first, and last.
    """
    rank = len(tensors[0].shape)
    axes = range(rank)
    all_have = [all(t.shape[a] == max(e.shape[a] for e in tensors) for t in tensors) for a in axes]
    return [
        tuple(axes),
        (0, *range(2, rank), 1) if rank > 1 else (0,),
        tuple(sorted(axes, key=lambda axis: not all_have[axis])),
        tuple(sorted(axes, key=lambda axis: all_have[axis])),
    ]
