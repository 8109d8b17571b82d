"""A node that others are to replace, and the graph that they are added to."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ... import errors
from ...versions import version_number

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..methods.operations import Operations
    from ..record.types import DataTypeName
    from ..tensors import Node, Tensor


class Replaced(NamedTuple):
    """A node that others are to replace.

    Attributes:
        graph: the graph that the others are added to.
        node: the node, which may be one of another graph.
        inputs, outputs: the tensors of its ports in `graph`; a composite computes the outputs.
        release: the version of the release that the others are for.
        whole: whether one engine is to take the result of the lowering.
    """

    graph: Operations
    node: Node
    inputs: dict[str, Tensor]
    outputs: dict[str, Tensor]
    release: tuple[int, ...] = ()
    whole: bool = True

    @property
    def number(self) -> int:
        """The release as cudnnGetVersion numbers it."""
        return version_number(".".join(map(str, self.release)))

    def name(self, part: str) -> str:
        """Return the name of a node that is added."""
        return f"{self.node.name}.{part}"

    def refusal(self, problem: str, *tensors: str) -> errors.NotSupportedError:
        """Return the error for a node that cannot be replaced, with some of its tensors."""
        known = self.inputs | self.outputs
        return errors.NotSupportedError(
            f"node {self.node.name} ({self.node.word}): {problem}",
            arguments={port: known[port].describe() for port in tensors},
        )

    def again(
        self,
        inputs: dict[str, Tensor],
        ports: Iterable[str] = ("y",),
        data_type: DataTypeName | None = None,
        strides: tuple[int, ...] | None = None,
    ) -> dict[str, Tensor]:
        """Add the same operation with other inputs, and return its results by their ports."""
        operation, options = self.node.operation, self.node.options
        made = self.graph.add_node(operation, inputs, options, None, ports, data_type, strides)
        return made.outputs

    def become(self, made: Tensor, port: str = "y") -> None:
        """Have the node that computes `made` write an output of the replaced node instead."""
        graph, node, wanted = self.graph, made.producer, self.outputs[port]
        assert node is not None
        assert made.shape == wanted.shape
        del graph.tensors[made.uid]
        if made._name is not None:
            del graph.by_name[made._name]
        node.outputs[made.port] = wanted
        wanted.producer, wanted.port = node, made.port
        for other in graph.nodes:
            for own, each in other.inputs.items():
                if each is made:
                    other.inputs[own] = wanted
