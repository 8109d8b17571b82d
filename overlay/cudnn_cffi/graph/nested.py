"""Operations inside an operation: functions of scores, and descriptors that hold descriptors."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar, cast

from .. import errors
from .tensors import Node, Tensor
from .whole import whole

if TYPE_CHECKING:
    from .builder import Builder
    from .record.types import Key
    from .tensors import Owner


class Nested:
    """Nodes that are no part of their graph's list, but of one of its nodes.

    Attributes:
        name: of the function, or of its role.
        nodes: in their order.
        arguments: the tensors that stand for its arguments.
        result: the tensor that it computes.
        captured: the tensors of the graph that it reads.
    """

    def __init__(
        self, name: str, nodes: list[Node], arguments: tuple[Tensor, ...], result: Tensor
    ) -> None:
        self.name = name
        self.nodes = tuple(nodes)
        self.arguments = arguments
        self.result = result
        inside = {id(node) for node in nodes}
        captured: dict[int, Tensor] = {}
        for node in nodes:
            for each in node.inputs.values():
                if id(each.producer) not in inside and all(each is not a for a in arguments):
                    captured[each.uid] = each
        self.captured = tuple(captured.values())

    @property
    def tensors(self) -> list[Tensor]:
        """Its arguments, and all that its nodes compute."""
        return [*self.arguments, *[t for node in self.nodes for t in node.outputs.values()]]

    @property
    def key(self) -> Key:
        """All but names; a hashable value."""
        uids = tuple([each.uid for each in (*self.arguments, self.result)])
        made = [each for node in self.nodes for each in node.outputs.values() if each.given_type]
        types = [(each.uid, each.given_type) for each in made if type(self) is Nested]
        return (uids, *[node.key for node in self.nodes], *types)  # others are the graph's tensors

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Nested) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __repr__(self) -> str:
        return f"{type(self).__name__}{self.key!r}"

    def __str__(self) -> str:
        return "{" + "; ".join(node.name for node in self.nodes) + "}"

    def apply(
        self,
        graph: Builder,
        *arguments: Tensor,
        inputs: dict[int, Tensor],
        instead: Callable[[Node, dict[str, Tensor]], dict[str, Tensor] | None],
    ) -> Tensor:
        """Add the nodes to another graph, and return the result.

        Args:
            graph: the other graph.
            arguments: the tensors that it is applied to.
            inputs: the tensors that stand for captured ones, by their ids.
            instead: replaces a node by others, and returns their results; None for one that stays.
        """
        tensors = dict(inputs)
        for own, other in zip(self.arguments, arguments, strict=True):
            tensors[own.uid] = other
        for node in self.nodes:
            bound = {port: tensors[each.uid] for port, each in node.inputs.items()}
            made = instead(node, bound)
            if made is None:
                options = node.options.copy()
                made = graph.add_node(node.operation, bound, options, None, [*node.outputs]).outputs
            for port, each in node.outputs.items():
                made[port].given_type = each.given_type
                tensors[each.uid] = made[port]
        return tensors[self.result.uid]


class SubGraph(Nested):
    """Operations that cuDNN takes as an operation graph of its own."""


class SingleNode(Nested):
    """An operation that cuDNN takes as a part of another."""


NestedT = TypeVar("NestedT", bound=Nested)


@whole
def trace(
    graph: Builder,
    name: str,
    function: Callable[..., Tensor],
    shape: tuple[int, ...],
    count: int,
    kind: type[NestedT],
) -> NestedT:
    """Call a function that adds nodes to a graph, and take them out of it again.

    Args:
        graph: the graph.
        name: of the function, for errors and names.
        function: gets the graph and the arguments.
        shape: of the arguments, which are FLOAT.
        count: how many arguments there are.
        kind: the class of the result.

    Raises:
        ArgumentError: it returns no tensor of that shape, or nothing that it computed.
    """
    if not callable(function):
        raise errors.ArgumentError(f"{name}: expected a function, got {function!r}")
    before, outputs = len(graph.nodes), len(graph.outputs)
    arguments = []
    for number in range(count):
        base = f"{name}.argument{number}"
        argument = graph.tensor(shape, "FLOAT", name=_free_name(graph, base))
        arguments.append(argument)
    result = function(graph, *arguments)
    nodes = graph.nodes[before:]
    del graph.nodes[before:]
    for each in arguments:
        each.is_virtual = True
    if len(graph.outputs) != outputs:
        inner = graph.outputs[outputs]
        del graph.outputs[outputs:]
        raise errors.ArgumentError(
            f"{name}: {inner.name} is marked as an output, but what it computes stays in attention"
        )
    mine = isinstance(result, Tensor) and result.graph is cast("Owner", graph)
    if not mine or not nodes:
        raise errors.ArgumentError(
            f"{name}: expected a tensor that it computes from the scores, got {result!r}"
        )
    if result.shape != shape:
        raise errors.ShapeMismatchError(
            f"{name}: expected its result {result.describe()} to have the shape {shape}"
        )
    made = kind(name, nodes, tuple(arguments), result)
    if kind is Nested:
        for each in made.tensors:
            del graph.tensors[each.uid]
    return made


def _free_name(graph: Builder, base: str) -> str:
    name, count = base, 0
    while name in graph.by_name:
        count += 1
        name = f"{base}_{count}"
    return name
