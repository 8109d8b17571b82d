"""The core of a graph: its tensors, its nodes and their names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, cast

from .. import errors
from .._support.arguments import boolean
from .._support.wording import a_kind
from ..plan.operand import OPTIONS
from .arguments import (
    check_alignment,
    check_strides,
    is_number,
    names,
    no_operand,
    number,
    read_shape,
)
from .record.enum_words import data_type_name, extents, layout_strides, reordering_name
from .record.key import key_and_names
from .rules.results import misfit, packed, strides_like
from .tensors import Node, Tensor
from .whole import whole

if TYPE_CHECKING:
    from .record.operation import Operation
    from .record.types import DataTypeName, DType, Key, Layout, Options, ReorderingWord, Shaped
    from .rules.results import Result
    from .tensors import Operand, Owner

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*\Z")
#: The prefix of nodes in `Builder.by_name`, since their names are a space of their own.
NODE = "node "
#: Describes, in errors, a tensor that has a graph and is not in its list.
INSIDE = "a tensor inside a function of scores, which nothing else can read"

_MAX_RANK = 8
_END = 1 << 63  # of cuDNN's numbers
_MAX_UID = 1 << 62  # so that there is room for others
_NOTHING: dict[str, Tensor] = {}


def _text(name: str) -> str:
    """Return the name of a graph; refuse one that cannot be written to a file."""
    try:
        name.encode()
    except (AttributeError, UnicodeEncodeError):
        raise errors.ArgumentError(f"name: expected a text, got {name!r}") from None
    return name


class Builder:
    """The tensors and nodes of a graph.

    Attributes:
        name: of the graph; "" where none was given.
        io_data_type: of inputs and outputs for which none is given; None: FLOAT for inputs, and
            for outputs the type of the data they were computed from.
        intermediate_data_type: of virtual tensors for which none is given.
        compute_data_type: that operations compute in for which none is given.
        composites: operations that are lowered even if the release has them.
        dynamic_shapes: whether plans of several shapes may share kernels.
        override_shapes: whether executions may give tensors other extents.
        tensors: all tensors, by their ids.
        nodes: all nodes, in the order in which they were added.
        outputs: the tensors that a plan writes for its caller, in the order of a call.
    """

    def __init__(
        self,
        name: str | None = None,
        *,
        io_data_type: DType | None = None,
        intermediate_data_type: DType = "FLOAT",
        compute_data_type: DType = "FLOAT",
        composites: Iterable[str] = (),
        dynamic_shapes: bool = False,
        override_shapes: bool = False,
    ) -> None:
        """Make a graph without tensors.

        Args:
            name: for texts and errors.
            io_data_type: the data type of inputs and outputs for which none is given.
            intermediate_data_type: of virtual tensors.
            compute_data_type: that which operations compute in.
            composites: kinds of operations, or names of nodes, that composites of other operations
                do, even where the release has the operation itself; see `Graph.lowered`.
            dynamic_shapes: whether plans of graphs that differ in extents and strides alone share
                kernels; see `build` and `Plan.at`.
            override_shapes: whether one plan takes arrays of other extents; see `Plan.at`. From
                9.21 on; engines of Blackwell do it.
        """
        self.name = _text("" if name is None else name)
        self.io_data_type = None if io_data_type is None else data_type_name(io_data_type)
        self.intermediate_data_type = data_type_name(intermediate_data_type)
        self.compute_data_type = data_type_name(compute_data_type)
        self.composites = names(composites, "composites")
        self.dynamic_shapes = boolean(dynamic_shapes, "dynamic_shapes")
        self.override_shapes = boolean(override_shapes, "override_shapes")
        self.tensors: dict[int, Tensor] = {}
        self.nodes: list[Node] = []
        self.outputs: list[Tensor] = []
        self.by_name: dict[str, Tensor | Node] = {}
        self.next_uid = 1

    def name_of(self, thing: Tensor | Node) -> str:
        """Return the name of a tensor or node; one that has none gets one, and keeps it.

        Raises:
            ArgumentError: it is neither.
        """
        prefix = _prefix(thing)
        if thing._name is None:
            if isinstance(thing, Node):
                base = thing.word
            elif thing.producer is not None:
                base = f"{thing.producer.name}_{thing.port}"
            elif thing.by_value:
                base = "constant" if thing.is_constant else "scalar"
            else:
                base = "virtual" if thing.is_virtual else "input"
            name, count = base, 0
            while prefix + name in self.by_name:
                count += 1
                name = f"{base}_{count}"
            thing._name = name
            self.by_name[prefix + name] = thing
        return thing._name

    def rename(self, thing: Tensor | Node, name: str) -> None:
        """Give a tensor or node another name.

        Raises:
            ArgumentError: it is neither, or the name is in use or no name.
        """
        prefix = _prefix(thing)
        if name != thing._name:
            self._check_name(name, prefix)
            if thing._name is not None:
                del self.by_name[prefix + thing._name]
            thing._name = name
            self.by_name[prefix + name] = thing

    def _check_name(self, name: str, prefix: str = "") -> None:
        if type(name) is not str or not (name.isidentifier() or _NAME.match(name)):
            raise errors.ArgumentError(f"name: expected letters, digits, _ and ., got {name!r}")
        if not prefix and name in OPTIONS:
            raise errors.ArgumentError(
                f"name: {name!r} is an argument of each call of a plan, so no tensor can have it",
                hint=f"for example {name}_",
            )
        if prefix + name in self.by_name:
            what = "node" if prefix else "tensor"
            raise errors.ArgumentError(f"name: a {what} of this graph is called {name!r} already")

    # Tensors

    def tensor(
        self,
        shape: Shaped,
        data_type: DType | None = None,
        strides: Sequence[int] | None = None,
        *,
        layout: Layout | None = None,
        name: str | None = None,
        alignment: int | None = None,
        uid: int | None = None,
        virtual: bool = False,
        ragged_offset: Tensor | None = None,
        ragged_multiplier: int = 1,
        reordering_mode: ReorderingWord | None = None,
        vectorization: tuple[int, int] | None = None,
    ) -> Tensor:
        """Add an input.

        Args:
            shape: the extents, batch and channels first whatever the layout is; or an array of any
                library, whose shape, strides, data type and alignment are taken. The array itself
                is not kept.
            data_type: a member of `DataType`, its name, or a data type of any array library.
                By default that of the array, or the graph's I/O type, or FLOAT.
            strides: in elements; by default those of the array, or of `layout`.
            layout: a word such as "NHWC" or "channels_last", or the order of dimensions, outermost
                first; by default row-major.
            name: unique in the graph; in calls of the plan it is the keyword of this operand.
            alignment: bytes that the address of the data is a multiple of, a power of two;
                by default 16, or less where the array's address is not a multiple of that.
            uid: the number for cuDNN; by default the next that is free.
            virtual: whether it is no input but an intermediate result: of a node that `add` makes.
            ragged_offset: a tensor with an offset for each batch entry, and one for the end.
            ragged_multiplier: the factor of these offsets.
            reordering_mode: a member of cuDNN's enum of tensor reorderings, or its name.
            vectorization: (count, dimension): `count` elements of a dimension lie together.

        Raises:
            ArgumentError: no such data type, shape, strides, name or id is possible, or the name
                or id is taken.
        """
        found: tuple[int, ...]
        steps, kind = strides, data_type
        if type(shape) is tuple:
            found = shape
        else:
            found, steps, kind, alignment = read_shape(shape, strides, data_type, alignment)
        if name is not None:
            self._check_name(name)
        try:
            for each in found:
                if type(each) is not int or not 1 <= each < _END:
                    found = extents(found, "shape")
            if not 1 <= len(found) <= _MAX_RANK:
                raise errors.ArgumentError(f"shape {found}: expected 1 to {_MAX_RANK} dimensions")
            if steps is None:
                steps = packed(found) if layout is None else layout_strides(found, layout)
            else:
                steps = check_strides(found, steps, layout)
            alignment = 16 if alignment is None else check_alignment(alignment)
            known = None if kind is None else data_type_name(kind)
        except errors.ArgumentError as error:
            if name is None:
                raise
            raise error.replace(message=f"tensor {name}: {error.message}") from None
        is_virtual, order, vectors = boolean(virtual, "virtual"), None, None
        if ragged_offset is not None:
            self._own(ragged_offset, "ragged_offset")
            (ragged_multiplier,) = extents((ragged_multiplier,), "ragged_multiplier")
        if reordering_mode is not None:
            order = reordering_name(reordering_mode)
        if vectorization is not None:
            numbers = extents(vectorization, "vectorization", 0)
            if len(numbers) != 2:
                raise errors.ArgumentError(
                    f"vectorization: expected (count, dimension), got {vectorization!r}"
                )
            vectors = numbers[0], numbers[1]
        tensor = self.add_tensor(found, steps, known, name, alignment, is_virtual, uid)
        if ragged_offset is not None:
            tensor.ragged_offset, tensor.ragged_multiplier = ragged_offset, ragged_multiplier
        tensor.reordering_mode, tensor.vectorization = order, vectors
        return tensor

    def add_tensor(
        self,
        shape: tuple[int, ...],
        strides: tuple[int, ...],
        data_type: DataTypeName | None,
        name: str | None = None,
        alignment: int = 16,
        virtual: bool = False,
        uid: int | None = None,
        hint: DataTypeName = "FLOAT",
    ) -> Tensor:
        """Add a tensor whose description was checked."""
        if uid is None:
            uid = self.next_uid
            self.next_uid = uid + 1
        else:
            uid = extents((uid,), "uid", 0)[0]
            if uid > _MAX_UID:
                raise errors.ArgumentError(f"uid: expected at most {_MAX_UID}, got {uid}")
            if uid in self.tensors:
                raise errors.ArgumentError(f"uid {uid} is that of {self.tensors[uid].name} already")
            self.next_uid = max(self.next_uid, uid + 1)
        owner: Owner = self  # type: ignore[assignment]  # subclasses have its other methods
        tensor = Tensor(owner, uid, shape, strides, data_type, name, alignment, virtual, hint)
        self.tensors[uid] = tensor
        if name is not None:
            self.by_name[name] = tensor
        return tensor

    def scalar(
        self,
        value: float | None = None,
        data_type: DType | None = None,
        *,
        rank: int | None = None,
        name: str | None = None,
        uid: int | None = None,
    ) -> Tensor:
        """Add a number that is passed by value, from host memory.

        Args:
            value: the number; None to pass it in each call of the plan, as an operand.
            data_type: as for `tensor`; by default INT32 or FLOAT, as the graph computes.
            rank: its number of dimensions, all with extent 1; by default that of the first node
                that uses it.
            name, uid: as for `tensor`.
        """
        if name is not None:
            self._check_name(name)
        kind: DataTypeName = "FLOAT"
        if data_type is not None:
            kind = data_type_name(data_type)
        elif self.compute_data_type in ("DOUBLE", "INT32", "INT64"):
            kind = self.compute_data_type
        if value is not None and type(value) not in (int, float):
            value = number(value)
        if rank is not None and extents((rank,), "rank")[0] > _MAX_RANK:
            raise errors.ArgumentError(f"rank: expected at most {_MAX_RANK}, got {rank}")
        shape = (1,) * (rank or 1)
        tensor = self.add_tensor(shape, shape, kind, name, uid=uid)
        tensor.by_value = True
        tensor.value = value
        tensor.takes_rank = rank is None
        return tensor

    def constant(
        self,
        value: float,
        data_type: DType | None = None,
        *,
        rank: int | None = None,
        name: str | None = None,
    ) -> Tensor:
        """Add a number that is part of the operation graph, so that engines compile it in.

        A release that knows no constants gets it by value instead.
        """
        if value is None:
            raise errors.ArgumentError("value: expected a number for a constant, got None")
        tensor = self.scalar(value, data_type, rank=rank, name=name)
        tensor.is_constant = True
        return tensor

    def _settle(
        self,
        tensor: Tensor,
        data_type: DType | None,
        strides: Sequence[int] | None,
        layout: Layout | None,
    ) -> None:
        """Set the data type and the layout of a result, as far as the caller gives them."""
        known = None if data_type is None else data_type_name(data_type)
        if strides is not None:
            tensor.strides = check_strides(tensor.shape, strides, layout)
        elif layout is not None:
            tensor.strides = layout_strides(tensor.shape, layout)
        if known is not None:
            tensor.given_type = known

    def _own(self, tensor: Tensor, what: str) -> Tensor:
        """Return a tensor of this graph; refuse anything else."""
        if not isinstance(tensor, Tensor):
            raise errors.ArgumentError(f"{what}: expected a Tensor, got {tensor!r}")
        if tensor.graph is not cast("Owner", self):
            raise errors.GraphError(f"{what}: {tensor.name} is a tensor of another graph")
        if self.tensors.get(tensor.uid) is not tensor:
            raise errors.GraphError(f"{what}: {tensor.name} is {INSIDE}")
        return tensor

    # Nodes

    def _add_node(
        self,
        operation: Operation,
        inputs: dict[str, Tensor],
        options: Options,
        name: str | None = None,
        results: Iterable[str] | dict[str, Tensor] = ("y",),
        data_type: DType | None = None,
        strides: Sequence[int] | None = None,
        layout: Layout | None = None,
    ) -> Node:
        """Add a node and its results.

        Args:
            operation: its kind.
            inputs, options: by the names of the table; options must be hashable.
            name: of the node.
            results: the ports of the results; the settings are for the first. As a mapping, with
                the tensor that becomes that result.
            data_type, strides, layout: of the first result.
        """
        if name is not None:
            self._check_name(name, NODE)
        owner: Owner = self  # type: ignore[assignment]
        node = Node(owner, operation, inputs, options, name)
        for port, each in inputs.items():
            if not isinstance(each, Tensor) or self.tensors.get(each.uid) is not each:
                raise self._foreign(node, port, each)
            if each.is_virtual and each.producer is None:
                raise errors.GraphError(
                    f"node {node.name}: its {port} is {each.name}, which is virtual, and no node "
                    "has computed it"
                )
        inferred: dict[str, Result] = operation.rule(node)  # type: ignore[assignment]
        given = results if isinstance(results, dict) else _NOTHING
        outputs, tensors = node.outputs, self.tensors
        self.nodes.append(node)
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
                    owner, uid, shape, own, known, None, 16, True, hint, node, port
                )
            outputs[port] = tensor
        if data_type is not None or strides is not None or layout is not None:
            self._settle(next(iter(node.outputs.values())), data_type, strides, layout)
        if name is not None:
            self.by_name[NODE + name] = node
        return node

    add_node = whole(_add_node)

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
            raise misfit(node, f"its {port} has the shape {shape}", tensor)

    def _foreign(self, node: Node, port: str, tensor: object) -> errors.CudnnError:
        if not isinstance(tensor, Tensor):
            return no_operand(tensor, f"node {node.name}: its {port}")
        whose = INSIDE if tensor.graph is cast("Owner", self) else "a tensor of another graph"
        return errors.GraphError(f"node {node.name}: its {port} is {tensor.name}, {whose}")

    def _operand(
        self,
        value: Operand,
        what: str,
        rank: int | None = None,
        data_type: DataTypeName | None = None,
    ) -> Tensor:
        """Return an argument as a tensor: a number becomes a scalar with the rank of the others."""
        if type(value) is not Tensor:
            if type(value) not in (int, float) and not is_number(value):
                raise no_operand(value, what)
            return self.scalar(value, data_type, rank=rank)  # type: ignore[arg-type]
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
    def key(self) -> Key:
        """Everything that descriptors say of the graph, without names; a hashable value."""
        return self.key_and_names()[0]

    def key_and_names(self) -> tuple[Key, tuple[str, ...]]:
        """Return the key, and the names of the tensors that are not virtual."""
        start: list[object] = [self.compute_data_type, self.composites, self.dynamic_shapes]
        if self.override_shapes:
            start.append("override")
        if self.intermediate_data_type != self.compute_data_type:  # composites have such tensors
            start.append(self.intermediate_data_type)
        return key_and_names(
            start,
            (self.io_data_type, self.intermediate_data_type),
            self.tensors,
            self.nodes,
            self.outputs,
        )


def _prefix(thing: Tensor | Node) -> str:
    """Return the prefix of a name in `by_name`; refuse anything but a tensor or a node."""
    if not isinstance(thing, (Tensor, Node)):
        raise errors.ArgumentError(f"expected a tensor or node of a graph, got {a_kind(thing)}")
    return NODE if isinstance(thing, Node) else ""
