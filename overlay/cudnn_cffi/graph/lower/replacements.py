"""What stands in the place of an operation that no engine takes alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..tensors import Node, Tensor
from .composites import become, find_composite
from .copies import MOVES
from .partial_graphs import stored_type

if TYPE_CHECKING:
    from ..methods.operations import Operations


#: Operations whose inputs have one data type, and the ports of these.
_ALIKE = {
    "convolution_forward": ("x", "w"),
    "convolution_backward_data": ("dy", "w"),
    "convolution_backward_filter": ("x", "dy"),
    "matmul": ("a", "b"),
}

_NARROW = {"HALF", "BFLOAT16"}

#: Operations that engines take in FLOAT, where they do not in a narrower type.
_WIDENED = (
    *("resample_forward", "resample_backward", "norm_forward", "norm_backward"),
    *("convolution_forward", "convolution_backward_data", "convolution_backward_filter"),
)


def match_types(graph: Operations) -> None:
    """Convert results that are read with data of a narrower type to that type."""
    for node in list(graph.nodes):
        tensors = {port: node.inputs[port] for port in _ALIKE.get(node.kind, ())}
        wide = [p for p, e in tensors.items() if e.is_virtual and e.data_type == "FLOAT"]
        types = {e.data_type for e in tensors.values()} - {"FLOAT"}
        if not wide or len(types) != 1 or not types <= _NARROW:
            continue
        at = graph.nodes.index(node)
        for port in wide:
            node.inputs[port] = graph.identity(tensors[port], data_type=types.pop())
            graph.nodes.insert(at, graph.nodes.pop())


def converted(
    graph: Operations, node: Node, inputs: dict[str, Tensor], outputs: dict[str, Tensor]
) -> None:
    """Move data of one type, and convert it before or behind; add nothing if it is of one type."""
    y = outputs["y"]
    kind, types = stored_type(y), {port: stored_type(each) for port, each in inputs.items()}
    if set(types.values()) == {kind}:
        return
    if node.kind == "concatenate":
        inputs = {
            port: each if types[port] == kind else graph.identity(each, data_type=kind)
            for port, each in inputs.items()
        }
        made = graph.add_node(node.operation, inputs, node.options, None, ("y",), kind)
        become(graph, made.outputs["y"], y)
        return
    moved = graph.add_node(
        node.operation, inputs, node.options, None, ("y",), types["x"], y.strides
    )
    become(graph, graph.identity(moved.outputs["y"]), y)


def reduced(
    graph: Operations, node: Node, inputs: dict[str, Tensor], outputs: dict[str, Tensor]
) -> None:
    """Reduce to FLOAT, as engines do, and convert that."""
    y = outputs["y"]
    made = graph.add_node(node.operation, inputs, node.options, None, ("y",), "FLOAT", y.strides)
    become(graph, graph.identity(made.outputs["y"]), y)


def repeated(
    graph: Operations, node: Node, inputs: dict[str, Tensor], outputs: dict[str, Tensor]
) -> None:
    """Copy what is repeated to all places first; add nothing if nothing is."""
    ((port, y),) = outputs.items()
    kept = 2 if node.kind == "matmul" else 0  # of the last dimensions
    wide = dict(inputs)
    for name, each in inputs.items():
        rank = len(each.shape) - kept
        shape = (*y.shape[:rank], *each.shape[rank:])
        if each.by_value or len(each.shape) != len(y.shape) or each.shape == shape:
            continue
        if all(n in (1, m) for n, m in zip(each.shape, shape, strict=True)):  # not grouped heads
            wide[name] = graph.expand(each, shape)
    if any(wide[name] is not each for name, each in inputs.items()):
        made = graph.add_node(node.operation, wide, node.options, None, (port,))
        become(graph, made.outputs[port], y)


def widened(
    graph: Operations, node: Node, inputs: dict[str, Tensor], outputs: dict[str, Tensor]
) -> None:
    """Compute in FLOAT what no engine takes in narrower types; add nothing if all is FLOAT."""
    narrow = {
        port: each
        for port, each in inputs.items()
        if not each.by_value and stored_type(each) in _NARROW
    }
    if "index" in outputs or not (narrow or {stored_type(e) for e in outputs.values()} & _NARROW):
        return
    wide = inputs | {port: graph.identity(e, data_type="FLOAT") for port, e in narrow.items()}
    made = graph.add_node(node.operation, wide, node.options, None, tuple(outputs), "FLOAT")
    for port, y in outputs.items():
        result = made.outputs[port]
        become(graph, result if stored_type(y) == "FLOAT" else graph.identity(result), y)


def with_images(
    graph: Operations, node: Node, inputs: dict[str, Tensor], outputs: dict[str, Tensor]
) -> None:
    """Pass images to the gradient of averages, which an engine wants and does not read."""
    dy, dx = inputs["dy"], outputs["dx"]
    if "x" in inputs or "index" in inputs:
        widened(graph, node, inputs, outputs)
        return
    rank = len(dy.shape)
    one = graph.slice(dy, (0,) * rank, (1,) * rank)
    images = {"x": graph.expand(one, dx.shape), "y": dy}
    made = graph.add_node(node.operation, inputs | images, node.options, None, ("dx",))
    become(graph, made.outputs["dx"], dx)


def find_replacement(node: Node) -> Callable[..., None] | None:
    """Return what adds others in the place of an operation that no engine takes alone."""
    if node.kind in MOVES:
        return converted
    if node.kind == "reduction" and stored_type(node.outputs["y"]) != "FLOAT":
        return reduced
    known: Callable[..., None] | None = find_composite(node) if node.operation.descriptor else None
    own: dict[str, Callable[..., None]] = dict.fromkeys(_WIDENED, widened)
    own |= {"resample_backward": with_images, "pointwise": repeated, "matmul": repeated}
    return known or own.get(node.kind)
