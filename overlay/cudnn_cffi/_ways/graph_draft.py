"""Graphs of operations whose arrays have fewer axes than cuDNN wants."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..graph import Graph, Tensor
from .array_spec import Spec

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..graph.record.types import DataTypeName
    from ..plan import Computation
    from .signatures import Device, Handle


class Draft:
    """A graph in the making, and what its operands look like in a call.

    cuDNN wants a batch and two spatial axes, and vectors as (1, C, 1, 1); callers have arrays
    without them. The plan's operands are described as callers have them, and its tensors as cuDNN
    wants them. Both are the same memory.

    Attributes:
        graph: the graph that nodes are added to.
        inputs, outputs: the arrays of a call, by name.
    """

    def __init__(self, inputs: Mapping[str, Spec], outputs: Mapping[str, Spec]) -> None:
        self.inputs = inputs
        self.outputs = outputs
        wide = next(iter(inputs.values())).data_type == "DOUBLE"
        self.compute: DataTypeName = "DOUBLE" if wide else "FLOAT"
        self.graph = Graph(
            intermediate_data_type=self.compute,
            compute_data_type=self.compute,
        )
        #: The layouts of further inputs in a call.
        self.more: dict[str, Spec] = {}

    def input(self, name: str, tensor: Spec | None = None) -> Tensor:
        """Add an input.

        Args:
            name: of the array of the call.
            tensor: the array as the graph reads it, such as in another shape; by default as it is.
        """
        spec = self.inputs[name] if tensor is None else tensor
        return self.graph.tensor(
            spec.shape, spec.data_type, spec.strides, name=name, alignment=spec.alignment
        )

    def output(self, result: Tensor, name: str, tensor: Spec | None = None) -> None:
        """Write a result to an array of the call; `tensor` is the array as the graph writes it."""
        spec = self.outputs[name] if tensor is None else tensor
        self.graph.output(
            result,
            name=name,
            data_type=spec.data_type,
            strides=spec.strides,
            alignment=spec.alignment,
        )

    def computation(self, handle: Handle | None, device: Device | None) -> Computation:
        """Return the computation, whose operands are the arrays of a call."""
        made = self.graph._computation(handle, device)
        known = {**self.inputs, **self.more, **self.outputs}
        changed = False
        operands = []
        for each in made.operands:
            spec = known.get(each.name)
            if spec is not None and (spec.shape, spec.strides) != (each.shape, each.strides):
                each = each._replace(shape=spec.shape, strides=spec.strides)
                changed = True
            operands.append(each)
        order = {name: place for place, name in enumerate((*self.inputs, "", *self.outputs))}
        operands.sort(key=lambda each: order.get(each.name, order[""]))
        made.operands = tuple(operands)
        if changed:
            faces = ";".join(f"{each.shape}{each.strides}" for each in operands)
            made.signature = f"{made.signature} {faces}"
        return made
