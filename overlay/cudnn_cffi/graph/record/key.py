"""The key of a graph: everything that its descriptors say, as a hashable value."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ..tensors import Node, Tensor
    from .types import Key


def rest_of_key(tensor: Tensor) -> Key:
    """Return the part of the key that only views, numbers, and ragged or hidden tensors have."""
    ragged, base = tensor.ragged_offset, tensor.base
    return (
        tensor.data_type,
        tensor.by_value,
        tensor.is_constant,
        repr(tensor.value),  # 0.0 is not -0.0, and nan is nan
        tensor.in_workspace,
        tensor.fill,
        None if base is None else (base.uid, tensor.offset),
        None if ragged is None else (ragged.uid, tensor.ragged_multiplier),
        tensor.reordering_mode,
        tensor.vectorization,
    )


def key_and_names(
    start: Iterable[object],
    types: tuple[str | None, str],
    tensors: Mapping[int, Tensor],
    nodes: Iterable[Node],
    outputs: Iterable[Tensor],
) -> tuple[Key, tuple[str, ...]]:
    """Return the key of a graph, and the names of the tensors that are not virtual.

    Args:
        start: the graph's own settings.
        types: the data types of inputs and outputs, and of virtual tensors.
        tensors, nodes, outputs: those of the graph.
    """
    names: list[str] = []
    parts = [*start]
    add = parts.append
    io, intermediate = types
    for each in tensors.values():  # few calls: finding a plan again mostly is this loop
        kind = each.given_type or (intermediate if each.is_virtual else io or each.memory_type)
        virtual, output = each.is_virtual, each.is_output
        if not virtual:
            names.append(each._name or each.name)
        add((each.uid, each.shape, each.strides, kind, each.alignment, virtual, output))
        if (
            each.by_value
            or each.in_workspace
            or each.base is not None
            or each.ragged_offset is not None
            or each.reordering_mode is not None
            or each.vectorization is not None
        ):
            add(rest_of_key(each))
    for node in nodes:
        add(node.operation.kind)
        for port, each in node.inputs.items():
            add(port)
            add(each.uid)
        for port, each in node.outputs.items():
            add(port)
            add(each.uid)
        parts += node.options.items()
    add(None)
    for each in outputs:
        add(each.uid)
    return tuple(parts), tuple(names)
