"""The tensors and the nodes that a graph consists of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol, TypeAlias, Unpack

from .. import errors

if TYPE_CHECKING:
    from .record.operation import Operation
    from .record.types import DataTypeName, Key, Options, OutputSettings, PointwiseWord


class Owner(Protocol):
    """The part of a graph that its tensors and nodes use."""

    tensors: dict[int, Tensor]
    nodes: list[Node]
    io_data_type: DataTypeName | None
    intermediate_data_type: DataTypeName
    compute_data_type: DataTypeName

    def name_of(self, thing: Tensor | Node) -> str:
        """Return the name of a tensor or node."""

    def rename(self, thing: Tensor | Node, name: str) -> None:
        """Give a tensor or node another name."""

    def pointwise(self, mode: PointwiseWord, *operands: Operand) -> Tensor:
        """Add a pointwise operation."""

    def matmul(self, a: Tensor, b: Tensor) -> Tensor:
        """Add a product of matrices."""

    def output(self, tensor: Tensor, **settings: Unpack[OutputSettings]) -> Tensor:
        """Make a result an output."""


class _Named:
    """The base of tensors and nodes: their names."""

    __slots__ = ()
    graph: Owner
    _name: str | None

    @property
    def name(self: Tensor | Node) -> str:  # type: ignore[misc]
        """Return the name: the one that was given, or one that the graph made up."""
        return self._name or self.graph.name_of(self)

    @name.setter
    def name(self: Tensor | Node, name: str) -> None:  # type: ignore[misc]
        self.graph.rename(self, name)


class Tensor(_Named):
    """A tensor of a graph: the description of its data, not the data.

    A graph makes its tensors: `Graph.tensor`, `Graph.scalar`, `Graph.constant`, and each operation.
    Python's operators add a pointwise node: `+ - * / % ** @`, `abs`, the comparisons, and
    `& | ~` for logic. A number on either side becomes a scalar that is passed by value.

    Attributes:
        graph: the graph it belongs to.
        uid: the number that cuDNN knows it by; unique in the graph.
        shape: the extents, in cuDNN's order: batch, channels, then depth, height and width,
            whatever the layout is.
        strides: in elements, one for each extent; they are the layout.
        alignment: the bytes that the address of its data is a multiple of.
        is_virtual: whether it is an intermediate result that no memory holds.
        is_output: whether the plan writes it to memory of the caller.
        in_workspace: whether the plan keeps it in its own workspace, hidden from the caller.
        fill: the value that fills a tensor in the workspace before each run: 0, or None.
        by_value: whether it is one number in host memory.
        value: that number; None where the caller passes it in each call.
        is_constant: whether the number is part of the operation graph, for the compiler to use.
        base: the input in whose memory it lies, for a view of a part of it; else None.
        offset: of a view: the elements between the first of its base and its own.
        ragged_offset: the tensor with the offset of each batch entry; None for a dense tensor.
        ragged_multiplier: the factor of the ragged offsets.
        reordering_mode: the name of a member of cuDNN's enum of tensor reorderings; None for none.
        vectorization: how many elements of one dimension are kept together, and that dimension.
        producer: the node that computes it; None for an input.
        port: the name that its producer has for it.
        given_type: the data type that was set; None where `data_type` decides.
        memory_type: the data type that it has in memory where neither caller nor graph say.
        takes_rank: whether it is a scalar whose rank its first use decides.
    """

    __slots__ = (
        "_name",
        "alignment",
        "base",
        "by_value",
        "fill",
        "given_type",
        "graph",
        "in_workspace",
        "is_constant",
        "is_output",
        "is_virtual",
        "memory_type",
        "offset",
        "port",
        "producer",
        "ragged_multiplier",
        "ragged_offset",
        "reordering_mode",
        "shape",
        "strides",
        "takes_rank",
        "uid",
        "value",
        "vectorization",
    )

    def __init__(
        self,
        graph: Owner,
        uid: int,
        shape: tuple[int, ...],
        strides: tuple[int, ...],
        data_type: DataTypeName | None = None,
        name: str | None = None,
        alignment: int = 16,
        is_virtual: bool = False,
        hint: DataTypeName = "FLOAT",
        producer: Node | None = None,
        port: str = "",
    ) -> None:
        self.graph = graph
        self.uid = uid
        self.shape = shape
        self.strides = strides
        self.alignment = alignment
        self.is_virtual = is_virtual
        self.is_output = self.in_workspace = self.by_value = self.is_constant = False
        self.fill: int | None = None
        self.value: float | None = None
        self.base: Tensor | None = None
        self.offset = 0
        self.ragged_offset: Tensor | None = None
        self.ragged_multiplier = 1
        self.reordering_mode: str | None = None
        self.vectorization: tuple[int, int] | None = None
        self.producer = producer
        self.port = port
        self._name = name
        self.given_type = data_type
        self.memory_type = hint
        self.takes_rank = False

    @property
    def data_type(self) -> DataTypeName:
        """The name of its cuDNN data type, such as "HALF".

        Where none was set: the graph's intermediate type for a virtual tensor; for others the
        graph's I/O type, or else the type of the data that it was computed from.
        """
        if self.given_type is not None:
            return self.given_type
        graph = self.graph
        if self.is_virtual or self.in_workspace:
            return graph.intermediate_data_type
        return graph.io_data_type or self.memory_type

    @property
    def io_type(self) -> DataTypeName:
        """The data type that a result of the kind of this tensor's data has in memory."""
        return self.memory_type if self.given_type is None or self.is_virtual else self.given_type

    @property
    def role(self) -> str:
        """Return the role in a call: "input", "output", "workspace", "virtual", "value", "view"."""
        if self.is_virtual:
            return "virtual"
        if self.in_workspace:
            return "workspace"
        if self.producer is not None:
            return "output"
        if self.base is not None:
            return "view"
        return "value" if self.value is not None else "input"

    def output(self, **settings: Unpack[OutputSettings]) -> Tensor:
        """Make it an output, which the plan writes to memory; see `Graph.output`."""
        return self.graph.output(self, **settings)

    def describe(self) -> str:
        """Return its name, type and shape, as errors and texts show it."""
        shape = ",".join(map(str, self.shape))
        return f"{self.name}[{shape}]"

    def __repr__(self) -> str:
        return (
            f"<Tensor {self.name} uid={self.uid} shape={self.shape} strides={self.strides} "
            f"{self.data_type} {self.role}>"
        )

    def __add__(self, other: Operand) -> Tensor:
        return self.graph.pointwise("ADD", self, other)

    def __radd__(self, other: Operand) -> Tensor:
        return self.graph.pointwise("ADD", other, self)

    def __sub__(self, other: Operand) -> Tensor:
        return self.graph.pointwise("SUB", self, other)

    def __rsub__(self, other: Operand) -> Tensor:
        return self.graph.pointwise("SUB", other, self)

    def __mul__(self, other: Operand) -> Tensor:
        return self.graph.pointwise("MUL", self, other)

    def __rmul__(self, other: Operand) -> Tensor:
        return self.graph.pointwise("MUL", other, self)

    def __truediv__(self, other: Operand) -> Tensor:
        return self.graph.pointwise("DIV", self, other)

    def __rtruediv__(self, other: Operand) -> Tensor:
        return self.graph.pointwise("DIV", other, self)

    def __mod__(self, other: Operand) -> Tensor:
        return self.graph.pointwise("FLOOR_MOD", self, other)

    def __rmod__(self, other: Operand) -> Tensor:
        return self.graph.pointwise("FLOOR_MOD", other, self)

    def __pow__(self, other: Operand) -> Tensor:
        return self.graph.pointwise("POW", self, other)

    def __rpow__(self, other: Operand) -> Tensor:
        return self.graph.pointwise("POW", other, self)

    def __matmul__(self, other: Tensor) -> Tensor:
        return self.graph.matmul(self, other)

    def __neg__(self) -> Tensor:
        return self.graph.pointwise("NEG", self)

    def __pos__(self) -> Tensor:
        return self

    def __abs__(self) -> Tensor:
        return self.graph.pointwise("ABS", self)

    def __lt__(self, other: Operand) -> Tensor:
        return self.graph.pointwise("CMP_LT", self, other)

    def __le__(self, other: Operand) -> Tensor:
        return self.graph.pointwise("CMP_LE", self, other)

    def __gt__(self, other: Operand) -> Tensor:
        return self.graph.pointwise("CMP_GT", self, other)

    def __ge__(self, other: Operand) -> Tensor:
        return self.graph.pointwise("CMP_GE", self, other)

    def __eq__(self, other: Operand) -> Tensor:  # type: ignore[override]
        return self.graph.pointwise("CMP_EQ", self, other)

    def __ne__(self, other: Operand) -> Tensor:  # type: ignore[override]
        return self.graph.pointwise("CMP_NEQ", self, other)

    __hash__ = object.__hash__

    def __and__(self, other: Operand) -> Tensor:
        return self.graph.pointwise("LOGICAL_AND", self, other)

    def __or__(self, other: Operand) -> Tensor:
        return self.graph.pointwise("LOGICAL_OR", self, other)

    def __invert__(self) -> Tensor:
        return self.graph.pointwise("LOGICAL_NOT", self)

    def __bool__(self) -> bool:
        raise errors.ArgumentError(
            f"{self.name} is a tensor of a graph: it has no values, so it is not true or false",
            hint="compare tensors with `is`; `==` adds a node that compares their elements",
        )


class Node(_Named):
    """One operation of a graph.

    Attributes:
        operation: its record; an entry of `graph.OPERATIONS`.
        inputs: the tensors it reads, by the names of its ports.
        outputs: the tensors it computes, by the names of its ports.
        options: all other settings, by name; absent ones have cuDNN's defaults.
    """

    __slots__ = ("_name", "graph", "inputs", "operation", "options", "outputs")

    def __init__(
        self,
        graph: Owner,
        operation: Operation,
        inputs: dict[str, Tensor],
        options: Options,
        name: str | None = None,
    ) -> None:
        self.graph = graph
        self.operation = operation
        self.inputs = inputs
        self.options = options
        self.outputs: dict[str, Tensor] = {}
        self._name = name

    @property
    def kind(self) -> str:
        """The kind of operation, such as "convolution_forward" or "pointwise"."""
        return self.operation.kind

    @property
    def word(self) -> str:
        """The word that people know the operation by: a pointwise node's mode, else the kind."""
        mode = self.options.get("mode") if self.operation.named_by_mode else None
        return str(mode).lower() if mode else self.kind

    @property
    def key(self) -> Key:
        """All that the descriptors say of it, but not its name; a hashable value."""
        return (
            self.operation.kind,
            *self.inputs,
            *[tensor.uid for tensor in self.inputs.values()],
            *self.outputs,
            *[tensor.uid for tensor in self.outputs.values()],
            *self.options.items(),
        )

    def tensors(self) -> Mapping[str, Tensor]:
        """Return all its tensors by port."""
        return {**self.inputs, **self.outputs}

    def __repr__(self) -> str:
        return f"<Node {self.name} {self.kind}>"


#: The type of operands: tensors of the graph, and numbers, which are passed by value.
Operand: TypeAlias = Tensor | float
