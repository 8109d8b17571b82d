"""Copies of graphs whose inputs have other extents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeVar, cast

from ... import errors
from ..arguments import read_shape
from ..rules.results import strides_like
from .copies import copy

if TYPE_CHECKING:
    from ..methods.operations import Operations
    from ..record.types import Shaped
    from ..rules.results import Result
    from ..tensors import Node, Tensor

GraphT = TypeVar("GraphT", bound="Operations")


def resized(graph: GraphT, shapes: Mapping[str, object]) -> GraphT:
    """Return a copy of a graph for inputs of other extents, with the results that follow.

    Args:
        graph: it stays as it is.
        shapes: extents, or an array, by the names of inputs. The strides are those of the array, or
            without gaps in the order that they have.

    Raises:
        GraphError: there is no such input, or a tensor with gaps or a view, or a node that has
            extents as options, would change.
        ShapeMismatchError: the extents do not go together.
    """
    made = copy(graph)
    inputs = {each.name: each for each in made.tensors.values() if each.role == "input"}
    for name, given in shapes.items():
        if name not in inputs:
            raise errors.GraphError(
                f"at: there is no input {name!r}", hint=f"one of {', '.join(inputs)}"
            )
        shape, strides, _, _ = read_shape(cast("Shaped", given), None, None, None)
        _resize(inputs[name], shape, None if strides is None else tuple(strides))
    for node in made.nodes:
        _update_options(node)
        inferred = cast("Mapping[str, Result]", node.operation.rule(node))
        for port, tensor in node.outputs.items():
            _resize(tensor, inferred[port][0], None)
    return made


def _resize(tensor: Tensor, shape: tuple[int, ...], strides: tuple[int, ...] | None) -> None:
    """Give a tensor other extents; without strides those of the same order."""
    if tensor.shape == shape and strides in (None, tensor.strides):
        return
    where = f"at: tensor {tensor.name}"
    if len(shape) != len(tensor.shape):
        raise errors.ShapeMismatchError(f"{where}: expected {len(tensor.shape)} axes, got {shape}")
    views = [each for each in tensor.graph.tensors.values() if each.base is tensor]
    if tensor.base is not None or views:
        raise errors.GraphError(f"{where} has views, or is one, whose extents are fixed")
    if strides is None:
        if strides_like(tensor.shape, tensor.shape, tensor.strides) != tensor.strides:
            raise errors.GraphError(
                f"{where} has gaps: expected an array that tells the strides, got {shape}"
            )
        strides = strides_like(shape, tensor.shape, tensor.strides)
    tensor.shape, tensor.strides = shape, strides


def _update_options(node: Node) -> None:
    """Let a reduction have the extents of its input; refuse other extents that are options."""
    shape = node.options.get("shape")
    if shape is None:
        return
    if node.kind != "reduction":
        raise errors.GraphError(f"at: the extents of node {node.name} are an option of it")
    of = node.inputs["x"].shape
    node.options["shape"] = tuple(
        [1 if kept == 1 else n for kept, n in zip(shape, of, strict=True)]
    )
