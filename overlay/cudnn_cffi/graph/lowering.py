"""Replace operations that a release lacks, or that cuDNN has no descriptor for, by others.

A rule gets the new graph, a node of the old one, the node's inputs in the new graph, and a release.
It adds nodes to the new graph and returns their results by the ports of the old node; or None, to
keep the node as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .._tables import active, chosen_release
from ..versions import version_key
from .tensors import Node, Tensor

if TYPE_CHECKING:
    from .core import Core

__all__ = ["LOWERINGS", "Rule", "copy_tensor", "lower", "replay"]

Release = tuple[int, ...]
Rule = Callable[[Any, Node, dict[str, Tensor], Release], dict[str, Tensor] | None]

#: The rules, by the kinds of operations.
LOWERINGS: dict[str, Rule] = {}


def lower(graph: Core, release: str | None = None) -> Any:
    """Return a graph of operations that a release has; the same graph where nothing is replaced.

    Tensors that both graphs have keep their ids and names.

    Args:
        graph: the graph.
        release: such as "9.19.0"; without one, that of the loaded library.

    Raises:
        NotSupportedError: the release can not compute an operation in any form.
    """
    if not any(node.kind in LOWERINGS for node in graph.nodes):
        return graph
    version = version_key(release or _loaded_release())[:3]
    new = type(graph)(
        graph.name or None,
        io_data_type=graph.io_data_type,
        intermediate_data_type=graph.intermediate_data_type,
        compute_data_type=graph.compute_data_type,
    )
    new._next = graph._next
    tensors: dict[int, Tensor] = {}
    for tensor in graph.tensors.values():
        if tensor.producer is None:
            copy_tensor(new, tensor, tensors)
    changed = False
    for node in graph.nodes:
        inputs = {port: tensors[each.uid] for port, each in node.inputs.items()}
        rule = LOWERINGS.get(node.kind)
        results = None if rule is None else rule(new, node, inputs, version)
        if results is None:
            replay(new, node, inputs, tensors)
            continue
        changed = True
        for port, old in node.outputs.items():
            tensors[old.uid] = _adopt(new, results[port], old, tensors)
    if not changed:
        return graph
    new.outputs.extend(tensors[each.uid] for each in graph.outputs)
    return new


def copy_tensor(new: Core, old: Tensor, tensors: dict[int, Tensor]) -> Tensor:
    """Return the new graph's tensor with the id and properties of an old one."""
    found = tensors.get(old.uid)
    if found is not None:
        return found
    tensor = new._tensor(
        old.shape,
        old.strides,
        old._type,
        old.name,
        old.alignment,
        old.is_virtual,
        old.uid,
        old._hint,
    )
    tensors[old.uid] = tensor
    tensor.value, tensor.by_value, tensor.is_constant = old.value, old.by_value, old.is_constant
    _set_role(new, tensor, old, tensors)
    return tensor


def replay(
    new: Core, node: Node, inputs: dict[str, Tensor], tensors: dict[int, Tensor]
) -> dict[str, Tensor]:
    """Add a node like one of another graph, and return its results."""
    results = {port: copy_tensor(new, each, tensors) for port, each in node.outputs.items()}
    copy = new._node(node.operation, inputs, node.options, node._name, results)
    return copy.outputs


def _adopt(new: Core, result: Tensor, old: Tensor, tensors: dict[int, Tensor]) -> Tensor:
    """Give a result the id, name, layout and role of the tensor that it stands for."""
    del new.tensors[result.uid]
    result.uid = old.uid
    new.tensors[old.uid] = result
    if result._name != old.name:
        new.rename(result, old.name)
    result.strides, result.alignment = old.strides, old.alignment
    result._type, result._hint, result.is_virtual = old._type, old._hint, old.is_virtual
    _set_role(new, result, old, tensors)
    return result


def _set_role(new: Core, tensor: Tensor, old: Tensor, tensors: dict[int, Tensor]) -> None:
    tensor.is_output, tensor.in_workspace, tensor.fill = old.is_output, old.in_workspace, old.fill
    tensor.reordering_mode, tensor.vectorization = old.reordering_mode, old.vectorization
    tensor._is_loose = old._is_loose
    if old.ragged_offset is not None:
        tensor.ragged_offset = copy_tensor(new, old.ragged_offset, tensors)
        tensor.ragged_multiplier = old.ragged_multiplier
    if old.view_of is not None:
        tensor.view_of = copy_tensor(new, old.view_of, tensors)


def _loaded_release() -> str:
    active()
    return chosen_release()
