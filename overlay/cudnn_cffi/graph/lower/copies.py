"""Copies of graphs and of their tensors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, TypeVar

from ..tensors import Node, Tensor
from .replaced import Replaced

if TYPE_CHECKING:
    from ..methods.operations import Operations

GraphT = TypeVar("GraphT", bound="Operations")

#: Operations that only move data.
MOVES = ("concatenate", "expand", "reshape", "slice", "transpose")


def copy(
    graph: GraphT,
    replaced: Mapping[int, Callable[[Replaced], None]] | None = None,
    release: tuple[int, ...] = (),
    whole: bool = True,
) -> GraphT:
    """Return a copy of a graph, with some nodes replaced.

    Args:
        graph: it stays as it is.
        replaced: the function that replaces a node, by the node's `id`.
        release, whole: as for `Replaced`.
    """
    made = type(graph)(
        graph.name,
        io_data_type=graph.io_data_type,
        intermediate_data_type=graph.intermediate_data_type,
        compute_data_type=graph.compute_data_type,
        composites=() if replaced is not None else graph.composites,
        dynamic_shapes=graph.dynamic_shapes,
        override_shapes=graph.override_shapes,
    )
    made.next_uid = graph.next_uid
    tensors = {uid: copy_tensor(made, each) for uid, each in graph.tensors.items()}
    for uid, tensor in tensors.items():
        ragged = graph.tensors[uid].ragged_offset
        tensor.ragged_offset = None if ragged is None else tensors[ragged.uid]
        base = graph.tensors[uid].base
        tensor.base = None if base is None else tensors[base.uid]
    made.tensors.update(tensors)
    for node in graph.nodes:
        inputs = {port: tensors[each.uid] for port, each in node.inputs.items()}
        outputs = {port: tensors[each.uid] for port, each in node.outputs.items()}
        make = (replaced or {}).get(id(node))
        if make is not None:
            before = len(made.nodes)
            make(Replaced(made, node, inputs, outputs, release, whole))
            keep_compute_type(node, made.nodes[before:])
            continue
        twin = Node(made, node.operation, inputs, node.options.copy(), node._name)
        twin.outputs = outputs
        for port, each in outputs.items():
            each.producer, each.port = twin, port
        made.nodes.append(twin)
        if twin._name is not None:
            made.by_name[f"node {twin._name}"] = twin
    made.outputs = [tensors[each.uid] for each in graph.outputs]
    return made


def keep_compute_type(node: Node, added: Iterable[Node]) -> None:
    """Let nodes that replace another one compute in its type."""
    kind = node.options.get("compute_data_type")
    for each in added:
        if kind is not None and each.operation.compute:
            each.options.setdefault("compute_data_type", kind)


def copy_tensor(graph: Operations, tensor: Tensor) -> Tensor:
    """Return a tensor for another graph, on its own: without producer, base and ragged offsets."""
    twin = Tensor.__new__(Tensor)
    for slot in Tensor.__slots__:
        setattr(twin, slot, getattr(tensor, slot))
    twin.graph = graph
    twin.producer = twin.ragged_offset = twin.base = None
    if twin._name is not None:
        graph.by_name[twin._name] = twin
    return twin
