"""Tensors and nodes as a program describes them; nothing is known to cuDNN yet."""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeAlias

from ... import arrays
from .enums import data_type, scalar_type, tensor_reordering, to_data_type

if TYPE_CHECKING:
    from ...types import Array

#: An operand of a node: a tensor of the graph, or an array of any library, which is bound to one.
Operand: TypeAlias = "Tensor | Array"

#: Extents that a program gives: those of the first result, or of several by their ports.
OutDims: TypeAlias = Sequence[int] | Mapping[str, Sequence[int]]


def row_major(dim: Sequence[int]) -> list[int]:
    """Return the strides of a tensor without gaps, in row-major order."""
    return list(arrays.packed_strides(dim))


@dataclass
class GraphContext:
    """The data types of a graph where tensors and nodes have none of their own."""

    io_data_type: Any = None
    intermediate_data_type: Any = None
    compute_data_type: Any = None

    def __post_init__(self) -> None:
        self.io_data_type = to_data_type(self.io_data_type)
        self.intermediate_data_type = to_data_type(self.intermediate_data_type)
        self.compute_data_type = to_data_type(self.compute_data_type)


class Owner(Protocol):
    """The graph of a tensor."""

    def check_mutable(self, what: str) -> None:
        """Refuse a change of a graph that was planned."""

    def rename(self, tensor: Tensor, name: str) -> None:
        """Give a tensor another name."""

    def renumber(self, tensor: Tensor, uid: int) -> None:
        """Give a tensor another uid."""


class Tensor:
    """A tensor of a `pygraph`. Setters return the tensor, so that they can be chained.

    Attributes:
        name: a label, which other tensors may have too.
        data_type: of its elements; None until it is known.
        dim, stride: extents and strides in elements; empty until they are known.
        is_virtual: whether no memory holds it.
        is_pass_by_value: whether it is a number in host memory.
        pass_by_value: that number, where the graph knows it.
        scalar_type: whether that number is compiled in; None for other tensors.
        uid: the number that cuDNN knows it by.
        uid_assigned, dim_assigned, stride_assigned: whether the program has set it.
        reordering_type: how elements are reordered in memory; None for not at all.
        ragged_offset: the tensor with the offset of each batch entry.
        ragged_offset_multiplier: the factor of these offsets.
        alignment_value: a number that all its values are multiples of.
    """

    def __init__(
        self,
        name: str = "",
        data_type: object = None,
        dim: Sequence[int] = (),
        stride: Sequence[int] = (),
        is_virtual: bool = False,
        is_pass_by_value: bool = False,
        pass_by_value: float | None = None,
        uid: int = 0,
        uid_assigned: bool = False,
        dim_assigned: bool = False,
        stride_assigned: bool = False,
        reordering_type: tensor_reordering | None = None,
        ragged_offset: Tensor | None = None,
        ragged_offset_multiplier: int = 1,
        *,
        scalar_type: scalar_type | None = None,
        alignment_value: int = 1,
        owner: Owner | None = None,
    ) -> None:
        self.name = name
        self.data_type = to_data_type(data_type)
        self.dim: Sequence[int] = [int(each) for each in dim]
        self.stride: Sequence[int] = [int(each) for each in stride]
        self.is_virtual = is_virtual
        self.is_pass_by_value = is_pass_by_value
        self.pass_by_value = pass_by_value
        self.scalar_type = scalar_type
        self.uid = uid
        self.uid_assigned = uid_assigned
        self.dim_assigned, self.stride_assigned = dim_assigned, stride_assigned
        self.reordering_type = _reordering(reordering_type)
        self.ragged_offset = ragged_offset
        self.ragged_offset_multiplier = ragged_offset_multiplier
        self.alignment_value = alignment_value
        self.owner = None if owner is None else weakref.ref(owner)

    def _graph(self) -> Owner | None:
        return None if self.owner is None else self.owner()

    def _change(self, what: str) -> None:
        graph = self._graph()
        if graph is not None:
            graph.check_mutable(f"set {what} of {self.name}")

    def set_output(self, value: bool) -> Self:
        """Set whether the plan writes it to memory."""
        self._change("output")
        self.is_virtual = not value
        return self

    def set_is_virtual(self, value: bool) -> Self:
        """Set whether no memory holds it: the opposite of `set_output`."""
        return self.set_output(not value)

    def set_is_pass_by_value(self, value: bool) -> Self:
        """Set whether it is a number in host memory."""
        self._change("is_pass_by_value")
        self.is_pass_by_value = value
        return self

    def set_data_type(self, dtype: object) -> Self:
        """Set the type of its elements: a `data_type`, or one of any array library."""
        self._change("data_type")
        self.data_type = to_data_type(dtype)
        return self

    def set_name(self, name: str) -> Self:
        """Set the name, which is also a key of `pygraph.execute`."""
        graph = self._graph()
        if graph is None or name == self.name:
            self.name = name
        else:
            graph.rename(self, name)
        return self

    def set_uid(self, uid: int) -> Self:
        """Set the number that cuDNN knows it by; a tensor that got it by itself gets another."""
        graph = self._graph()
        if graph is not None and uid != self.uid:
            graph.renumber(self, uid)
        self.uid = uid
        self.uid_assigned = True
        return self

    def set_dim(self, dim: Sequence[int]) -> Self:
        """Set the extents."""
        self._change("dim")
        self.dim = [int(each) for each in dim]
        self.dim_assigned = True
        return self

    def set_stride(self, stride: Sequence[int]) -> Self:
        """Set the strides, in elements."""
        self._change("stride")
        self.stride = [int(each) for each in stride]
        self.stride_assigned = True
        return self

    def set_ragged_offset(self, ragged_offset: Tensor | None) -> Self:
        """Set the tensor with the offset of each batch entry."""
        self._change("ragged_offset")
        self.ragged_offset = ragged_offset
        return self

    def set_ragged_offset_multiplier(self, multiplier: int) -> Self:
        """Set what the ragged offsets are multiplied by."""
        self._change("ragged_offset_multiplier")
        self.ragged_offset_multiplier = multiplier
        return self

    def set_reordering_type(self, reordering_type: tensor_reordering | None) -> Self:
        """Set how elements are reordered in memory."""
        self._change("reordering_type")
        self.reordering_type = _reordering(reordering_type)
        return self

    def set_alignment_value(self, value: int) -> Self:
        """Promise that all its values are multiples of a number; nothing here makes use of it.

        Raises:
            ValueError: the number is below 1.
        """
        self._change("alignment_value")
        if value < 1:
            raise ValueError(f"alignment_value: expected a number from 1 on, got {value}")
        self.alignment_value = value
        return self

    def get_name(self) -> str:
        """Return the name."""
        return self.name

    def get_uid(self) -> int:
        """Return the number that cuDNN knows it by."""
        return self.uid

    def get_dim(self) -> list[int]:
        """Return the extents; empty until they are known."""
        return list(self.dim)

    def get_stride(self) -> list[int]:
        """Return the strides in elements; empty until they are known."""
        return list(self.stride)

    def get_data_type(self) -> data_type | None:
        """Return the type of its elements; None until it is known."""
        return self.data_type

    def get_is_virtual(self) -> bool:
        """Return whether no memory holds it."""
        return self.is_virtual

    def get_is_pass_by_value(self) -> bool:
        """Return whether it is a number in host memory."""
        return self.is_pass_by_value

    def get_reordering_type(self) -> tensor_reordering | None:
        """Return how elements are reordered in memory; None for not at all."""
        return self.reordering_type

    def get_ragged_offset_multiplier(self) -> int:
        """Return what the ragged offsets are multiplied by."""
        return self.ragged_offset_multiplier

    def validate(self) -> None:
        """Check that it is described completely.

        Raises:
            ValueError: extents or strides are missing, or contradict each other.
        """
        if not self.dim:
            raise ValueError(f"Tensor {self.name!r}: its dimensions are not set: call set_dim")
        if not self.stride:
            raise ValueError(f"Tensor {self.name!r}: its strides are not set: call set_stride")
        if len(self.dim) != len(self.stride):
            raise ValueError(
                f"Tensor {self.name!r}: {len(self.dim)} dimensions and {len(self.stride)} strides"
            )
        if self.is_virtual and self.is_pass_by_value:
            raise ValueError(f"Tensor {self.name!r} is virtual, and passed by value")

    def __repr__(self) -> str:
        words = [f"name={self.name!r}", f"data_type={self.data_type}", f"dim={list(self.dim)}"]
        words += [f"stride={list(self.stride)}", f"is_virtual={self.is_virtual}", f"uid={self.uid}"]
        return f"Tensor({', '.join(words)})"


def _reordering(given: tensor_reordering | None) -> tensor_reordering | None:
    return None if given is tensor_reordering.NONE else given


#: The kinds of nodes, in the front end's order.
_KINDS = (
    "COMPOSITE CONV_FPROP CONV_DGRAD CONV_WGRAD GENSTATS RESHAPE SLICE CONCATENATE TRANSPOSE ROPE "
    "ROPE_BWD MOE_GROUPED_MATMUL_BWD MATMUL MATMUL_FP8 POINTWISE REDUCTION RMSNORM RMSNORM_BWD "
    "LAYERNORM LAYERNORM_BWD ADALAYERNORM ADALAYERNORM_BWD INSTANCENORM INSTANCENORM_BWD BATCHNORM "
    "BATCHNORM_INFERENCE BATCHNORM_BWD SDPA SDPA_BWD SDPA_FP8 SDPA_FP8_BWD SDPA_MXFP8 "
    "SDPA_MXFP8_BWD GDN GDN_BWD KDA KDA_BWD GDN2 GDN2_BWD MOE_GROUPED_MATMUL BLOCK_SCALE_QUANTIZE "
    "BLOCK_SCALE_DEQUANTIZE GDP GDP_BWD GDN_SUMMARY KDA_SUMMARY GDN2_SUMMARY GDP_SUMMARY "
    "GDN_SUMMARY_BWD KDA_SUMMARY_BWD GDN2_SUMMARY_BWD GDP_SUMMARY_BWD MAMBA2 MAMBA2_BWD "
    "MAMBA2_SUMMARY MAMBA2_SUMMARY_BWD"
)

#: The kind of a node.
NodeType: Any = Enum("NodeType", _KINDS, module=__name__)  # type: ignore[misc]


class Node:
    """An operation of a `pygraph`.

    Attributes:
        name: its label.
        node_type: its kind.
        compute_data_type: of computation; None for the graph's.
        inputs, outputs: its tensors by their ports.
        params: its other arguments.
        dims: infers the extents of its results; None where they have to be set.
    """

    def __init__(self, name: str, node_type: Enum, compute_data_type: object = None) -> None:
        self.name = name
        self.node_type = node_type
        self.compute_data_type = to_data_type(compute_data_type)
        self.inputs: Any = {}
        self.outputs: Any = {}
        self.params: Any = {}
        self.dims: Any = None

    def shapes(self) -> Mapping[str, Sequence[int]]:
        """Return the extents of results that follow from the inputs, as far as those are known.

        Raises:
            ValueError: the inputs do not go together.
        """
        if self.dims is None or not all(each.dim for each in self.inputs.values()):
            return {}
        return self.dims(self)

    def validate(self) -> None:
        """Check the tensors of the node.

        Raises:
            ValueError: one is None, or the extents of the inputs do not go together.
        """
        for what, tensors in (("input", self.inputs), ("output", self.outputs)):
            for port, each in tensors.items():
                if each is None:
                    raise ValueError(f"node {self.name!r}: expected a tensor as {what} {port}")
        self.shapes()

    def infer_properties(self, context: GraphContext) -> None:
        """Set the data types that tensors lack, and extents and strides of results.

        Args:
            context: the data types for tensors in memory, and for virtual ones.

        Raises:
            ValueError: the extents of the inputs do not go together.
        """
        for each in (*self.inputs.values(), *self.outputs.values()):
            if each.data_type is None:
                virtual = each.is_virtual
                each.data_type = context.intermediate_data_type if virtual else context.io_data_type
        for port, dim in self.shapes().items():
            tensor: Tensor | None = self.outputs.get(port)
            if tensor is not None and not tensor.dim_assigned:
                tensor.dim = list(dim)
                if not tensor.stride_assigned:
                    tensor.stride = row_major(dim)

    def __repr__(self) -> str:
        return f"Node({self.name!r}, {self.node_type.name})"
