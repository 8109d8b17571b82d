"""What all methods of a graph stand on: its tensors, its nodes and their names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ... import errors
from ..names import NODE
from ..rules import results as infer
from ..rules.results import packed, strides_like
from ..tensors import Node, Tensor
from .arguments import is_number, no_operand
from .operands import INSIDE, Operands

if TYPE_CHECKING:
    from ..record.operation import Operation


class Core(Operands):
    """The nodes of a graph, on its tensors."""

    def add_node(
        self,
        operation: Operation,
        inputs: dict[str, Tensor],
        options: dict[str, Any],
        name: str | None = None,
        results: Iterable[str] | dict[str, Tensor] = ("y",),
        data_type: Any = None,
        strides: Any = None,
        layout: Any = None,
    ) -> Node:
        """Add a node and its results.

        Args:
            operation: its kind.
            inputs, options: by the names of the table; options must be hashable.
            name: of the node.
            results: the ports that are wanted, the first of which the settings are for; as a
                mapping, with the tensor that is to be that result.
            data_type, strides, layout: of the first result.
        """
        if name is not None:
            self._check_name(name, NODE)
        node = Node(self, operation, inputs, options, name)
        for port, each in inputs.items():
            if not isinstance(each, Tensor) or self.tensors.get(each.uid) is not each:
                raise self._foreign(node, port, each)
            if each.is_virtual and each.producer is None:
                raise errors.GraphError(
                    f"node {node.name}: its {port} is {each.name}, which is virtual, and no node "
                    "has computed it"
                )
        try:
            inferred = operation.rule(node)
        except BaseException:
            if name is None and node._name is not None:  # the error has named it
                del self.by_name[NODE + node._name]
            raise
        given = results if type(results) is dict else _NOTHING
        outputs, tensors = node.outputs, self.tensors
        for port in results:
            shape, like, known, hint = inferred[port]
            if port in given:
                tensor = given[port]
                self._check_result(node, port, tensor, shape)
                tensor.producer, tensor.port = node, port
            else:
                if like is None:
                    own, hint = packed(shape), hint or "FLOAT"
                else:
                    own, hint = strides_like(shape, like.shape, like.strides), hint or like.io_type
                uid = self.next_uid
                self.next_uid = uid + 1
                tensor = tensors[uid] = Tensor(
                    self, uid, shape, own, known, None, 16, True, hint, node, port
                )
            outputs[port] = tensor
        if data_type is not None or strides is not None or layout is not None:
            self._settle(next(iter(node.outputs.values())), data_type, strides, layout)
        self.nodes.append(node)
        if name is not None:
            self.by_name[NODE + name] = node
        return node

    def _check_result(self, node: Node, port: str, tensor: Tensor, shape: tuple[int, ...]) -> None:
        """Refuse a tensor that is not to be this result."""
        if self.tensors.get(tensor.uid) is not tensor:
            raise self._foreign(node, port, tensor)
        if tensor.producer is not None:
            raise errors.GraphError(
                f"node {node.name}: its {port} is {tensor.name}, which node "
                f"{tensor.producer.name} computes already"
            )
        if tensor.shape != shape:
            raise infer.misfit(node, f"its {port} has the shape {shape}", tensor)

    def _foreign(self, node: Node, port: str, tensor: Any) -> errors.CudnnError:
        if not isinstance(tensor, Tensor):
            return no_operand(tensor, f"node {node.name}: its {port}")
        whose = INSIDE if tensor.graph is self else "a tensor of another graph"
        return errors.GraphError(f"node {node.name}: its {port} is {tensor.name}, {whose}")

    def _operand(
        self, value: Any, what: str, rank: int | None = None, data_type: str | None = None
    ) -> Tensor:
        """Return an argument as a tensor: a number becomes a scalar with the rank of the others."""
        if type(value) is not Tensor:
            if type(value) not in (int, float) and not is_number(value):
                raise no_operand(value, what)
            return self.scalar(value, data_type, rank=rank)
        if value.by_value and rank and (value.takes_rank or len(value.shape) != rank):
            return self._ranked(value, rank)
        return value

    def _ranked(self, scalar: Tensor, rank: int) -> Tensor:
        """Return a scalar with a rank: the same at its first use, else another of that value."""
        if scalar.takes_rank:
            scalar.shape = scalar.strides = (1,) * rank
            scalar.takes_rank = False
            return scalar
        if scalar.value is None:
            raise errors.ShapeMismatchError(
                f"{scalar.describe()} is used with {rank} dimensions",
                hint="name its rank where it is made, or add a scalar for each rank",
            )
        other = self.scalar(scalar.value, scalar.data_type, rank=rank)
        other.is_constant = scalar.is_constant
        return other

    @property
    def key(self) -> tuple[Any, ...]:
        """All that descriptors say of the graph, but no names; a hashable value."""
        return self.key_and_names()[0]

    def key_and_names(self) -> tuple[tuple[Any, ...], tuple[str, ...]]:
        """Return the key, and the names of the tensors that are not virtual."""
        names: list[str] = []
        parts: list[Any] = [self.compute_data_type, self.composites, self.dynamic_shapes]
        add = parts.append
        io, intermediate = self.io_data_type, self.intermediate_data_type
        for each in self.tensors.values():  # without calls: this is most of finding a plan again
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
                add(each.rest_of_key)
        for node in self.nodes:
            add(node.operation.kind)
            for port, each in node.inputs.items():
                add(port)
                add(each.uid)
            for port, each in node.outputs.items():
                add(port)
                add(each.uid)
            parts += node.options.items()
        add(None)
        for each in self.outputs:
            add(each.uid)
        return tuple(parts), tuple(names)


_NOTHING: dict[str, Tensor] = {}
