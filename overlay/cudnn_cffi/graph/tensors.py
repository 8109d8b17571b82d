"""The tensors and the nodes that a graph consists of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .. import errors

if TYPE_CHECKING:
    from .record.operation import Operation


class Tensor:
    """A tensor of a graph: what its data looks like, not the data.

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
        fill: what a tensor in the workspace is filled with before each run: 0, or None for nothing.
        by_value: whether it is one number in host memory.
        value: that number; None where the caller passes it in each call.
        is_constant: whether the number is part of the operation graph, for the compiler to use.
        base: the input in whose memory it lies, for a view of a part of it; else None.
        offset: of a view: the elements between the first of its base and its own.
        ragged_offset: the tensor with the offset of each batch entry; None for a dense tensor.
        ragged_multiplier: what the ragged offsets are multiplied by.
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
        graph: Any,
        uid: int,
        shape: tuple[int, ...],
        strides: tuple[int, ...],
        data_type: str | None = None,
        name: str | None = None,
        alignment: int = 16,
        is_virtual: bool = False,
        hint: str = "FLOAT",
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
    def name(self) -> str:
        """Return the name: the one that was given, or one that the graph made up."""
        name: str = self._name or self.graph.name_of(self)
        return name

    @name.setter
    def name(self, name: str) -> None:
        self.graph.rename(self, name)

    @property
    def data_type(self) -> str:
        """The name of its cuDNN data type, such as "HALF".

        Where none was set: the graph's intermediate type for a virtual tensor; for others the
        graph's I/O type, or else the type of the data that it was computed from.
        """
        if self.given_type is not None:
            return self.given_type
        graph = self.graph
        name: str = graph.intermediate_data_type
        if self.is_virtual or self.in_workspace:
            return name
        return graph.io_data_type or self.memory_type

    @property
    def io_type(self) -> str:
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

    def output(self, **settings: Any) -> Tensor:
        """Have the plan write it to memory; see `Graph.output`."""
        result: Tensor = self.graph.output(self, **settings)
        return result

    @property
    def rest_of_key(self) -> tuple[Any, ...]:
        """Return what `Graph.key` has of a tensor that is no plain one."""
        ragged, base = self.ragged_offset, self.base
        return (
            self.data_type,
            self.by_value,
            self.is_constant,
            repr(self.value),  # 0.0 is not -0.0, and nan is nan
            self.in_workspace,
            self.fill,
            None if base is None else (base.uid, self.offset),
            None if ragged is None else (ragged.uid, self.ragged_multiplier),
            self.reordering_mode,
            self.vectorization,
        )

    def describe(self) -> str:
        """Return its name, type and shape, as errors and texts show it."""
        shape = ",".join(map(str, self.shape))
        return f"{self.name}[{shape}]"

    def __repr__(self) -> str:
        return (
            f"<Tensor {self.name} uid={self.uid} shape={self.shape} strides={self.strides} "
            f"{self.data_type} {self.role}>"
        )

    def _pointwise(self, mode: str, *operands: Any) -> Tensor:
        result: Tensor = self.graph.pointwise(mode, *operands)
        return result

    def __add__(self, other: Any) -> Tensor:
        result: Tensor = self.graph.pointwise("ADD", self, other)
        return result

    def __radd__(self, other: Any) -> Tensor:
        return self._pointwise("ADD", other, self)

    def __sub__(self, other: Any) -> Tensor:
        result: Tensor = self.graph.pointwise("SUB", self, other)
        return result

    def __rsub__(self, other: Any) -> Tensor:
        return self._pointwise("SUB", other, self)

    def __mul__(self, other: Any) -> Tensor:
        result: Tensor = self.graph.pointwise("MUL", self, other)
        return result

    def __rmul__(self, other: Any) -> Tensor:
        return self._pointwise("MUL", other, self)

    def __truediv__(self, other: Any) -> Tensor:
        result: Tensor = self.graph.pointwise("DIV", self, other)
        return result

    def __rtruediv__(self, other: Any) -> Tensor:
        return self._pointwise("DIV", other, self)

    def __mod__(self, other: Any) -> Tensor:
        return self._pointwise("FLOOR_MOD", self, other)

    def __rmod__(self, other: Any) -> Tensor:
        return self._pointwise("FLOOR_MOD", other, self)

    def __pow__(self, other: Any) -> Tensor:
        return self._pointwise("POW", self, other)

    def __rpow__(self, other: Any) -> Tensor:
        return self._pointwise("POW", other, self)

    def __matmul__(self, other: Any) -> Tensor:
        result: Tensor = self.graph.matmul(self, other)
        return result

    def __neg__(self) -> Tensor:
        return self._pointwise("NEG", self)

    def __pos__(self) -> Tensor:
        return self

    def __abs__(self) -> Tensor:
        return self._pointwise("ABS", self)

    def __lt__(self, other: Any) -> Tensor:
        return self._pointwise("CMP_LT", self, other)

    def __le__(self, other: Any) -> Tensor:
        return self._pointwise("CMP_LE", self, other)

    def __gt__(self, other: Any) -> Tensor:
        return self._pointwise("CMP_GT", self, other)

    def __ge__(self, other: Any) -> Tensor:
        return self._pointwise("CMP_GE", self, other)

    def __eq__(self, other: Any) -> Tensor:  # type: ignore[override]
        return self._pointwise("CMP_EQ", self, other)

    def __ne__(self, other: Any) -> Tensor:  # type: ignore[override]
        return self._pointwise("CMP_NEQ", self, other)

    __hash__ = object.__hash__

    def __and__(self, other: Any) -> Tensor:
        return self._pointwise("LOGICAL_AND", self, other)

    def __or__(self, other: Any) -> Tensor:
        return self._pointwise("LOGICAL_OR", self, other)

    def __invert__(self) -> Tensor:
        return self._pointwise("LOGICAL_NOT", self)

    def __bool__(self) -> bool:
        raise errors.ArgumentError(
            f"{self.name} is a tensor of a graph: it has no values, so it is not true or false",
            hint="compare tensors with `is`; `==` adds a node that compares their elements",
        )


class Node:
    """One operation of a graph.

    Attributes:
        operation: what kind it is; an entry of `graph.OPERATIONS`.
        inputs: the tensors it reads, by the names of its ports.
        outputs: the tensors it computes, by the names of its ports.
        options: everything else that was set, by name; what is absent has cuDNN's default.
    """

    __slots__ = ("_name", "graph", "inputs", "operation", "options", "outputs")

    def __init__(
        self,
        graph: Any,
        operation: Operation,
        inputs: dict[str, Tensor],
        options: dict[str, Any],
        name: str | None = None,
    ) -> None:
        self.graph = graph
        self.operation = operation
        self.inputs = inputs
        self.options = options
        self.outputs: dict[str, Tensor] = {}
        self._name = name

    @property
    def name(self) -> str:
        """Return the name: the one that was given, or one that the graph made up."""
        name: str = self._name or self.graph.name_of(self)
        return name

    @name.setter
    def name(self, name: str) -> None:
        self.graph.rename(self, name)

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
    def key(self) -> tuple[Any, ...]:
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
