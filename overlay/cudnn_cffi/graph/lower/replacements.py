"""Replacements of operations that no engine takes alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..tensors import Node
from .composites import Composite, find_composite
from .copies import MOVES
from .partial_graphs import stored_type
from .replaced import Replaced

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
_FP8 = {"FP8_E4M3", "FP8_E5M2"}

#: Operations that engines take in FLOAT, where they do not in a narrower type.
_WIDENED = (
    *("resample_forward", "resample_backward", "norm_forward", "norm_backward"),
    *("convolution_forward", "convolution_backward_data", "convolution_backward_filter"),
)


def match_types(graph: Operations) -> None:
    """Convert results that are read with data of a narrower type to that type."""
    for node in list(graph.nodes):
        tensors = {port: node.inputs[port] for port in _ALIKE.get(node.kind, ())}
        wide = [p for p, e in tensors.items() if e.producer and e.data_type == "FLOAT"]
        types = {e.data_type for e in tensors.values()} - {"FLOAT"}
        if not wide or len(types) != 1 or not types <= _NARROW:
            continue
        at = graph.nodes.index(node)
        for port in wide:
            node.inputs[port] = graph.identity(tensors[port], data_type=types.pop())
            graph.nodes.insert(at, graph.nodes.pop())


def converted(at: Replaced) -> None:
    """Move data of one type, and convert it before or after; add nothing if it is of one type."""
    y = at.outputs["y"]
    kind, types = stored_type(y), {port: stored_type(each) for port, each in at.inputs.items()}
    if set(types.values()) == {kind}:
        return
    if at.node.kind == "concatenate":
        inputs = {
            port: each if types[port] == kind else at.graph.identity(each, data_type=kind)
            for port, each in at.inputs.items()
        }
        at.become(at.again(inputs, ("y",), kind)["y"])
        return
    moved = at.again(at.inputs, ("y",), types["x"], y.strides)
    at.become(at.graph.identity(moved["y"]))


def reduced(at: Replaced) -> None:
    """Reduce to FLOAT, as engines do, and convert that."""
    made = at.again(at.inputs, ("y",), "FLOAT", at.outputs["y"].strides)
    at.become(at.graph.identity(made["y"]))


def repeated(at: Replaced) -> None:
    """Copy repeated elements to all their places first; add nothing if there are none."""
    ((port, y),) = at.outputs.items()
    kept = 2 if at.node.kind == "matmul" else 0  # of the last dimensions
    wide = dict(at.inputs)
    for name, each in at.inputs.items():
        rank = len(each.shape) - kept
        shape = (*y.shape[:rank], *each.shape[rank:])
        if each.by_value or len(each.shape) != len(y.shape) or each.shape == shape:
            continue
        if all(n in (1, m) for n, m in zip(each.shape, shape, strict=True)):  # not grouped heads
            wide[name] = at.graph.expand(each, shape)
    if any(wide[name] is not each for name, each in at.inputs.items()):
        at.become(at.again(wide, (port,))[port], port)


def widened(at: Replaced) -> None:
    """Compute narrow types that no engine takes in FLOAT; add nothing if all is FLOAT.

    FP8 is computed so by windows alone.
    """
    types = _NARROW | _FP8 if at.node.kind == "resample_forward" else _NARROW
    narrow = {
        port: each
        for port, each in at.inputs.items()
        if not each.by_value and stored_type(each) in types
    }
    results = {stored_type(each) for each in at.outputs.values()}
    if not (narrow or results & types):
        return
    wide = {port: at.graph.identity(each, data_type="FLOAT") for port, each in narrow.items()}
    made = at.again(at.inputs | wide, tuple(at.outputs), "FLOAT")
    for port, y in at.outputs.items():
        is_done = stored_type(y) in ("FLOAT", made[port].data_type)
        at.become(made[port] if is_done else at.graph.identity(made[port]), port)


def with_images(at: Replaced) -> None:
    """Pass images to the gradient of averages: an engine requires them, and does not read them."""
    dy, dx = at.inputs["dy"], at.outputs["dx"]
    if "x" in at.inputs or "index" in at.inputs:
        widened(at)
        return
    rank = len(dy.shape)
    one = at.graph.slice(dy, (0,) * rank, (1,) * rank)
    images = {"x": at.graph.expand(one, dx.shape), "y": dy}
    at.become(at.again(at.inputs | images, ("dx",))["dx"], "dx")


def find_replacement(node: Node) -> Composite | None:
    """Return the function that replaces an operation that no engine takes alone."""
    if node.kind in MOVES:
        return converted
    if node.kind == "reduction" and stored_type(node.outputs["y"]) != "FLOAT":
        return reduced
    own: dict[str, Composite] = dict.fromkeys(_WIDENED, widened)
    own |= {"resample_backward": with_images, "pointwise": repeated, "matmul": repeated}
    known = find_composite(node) if node.operation.descriptor else None
    return known or own.get(node.kind)
