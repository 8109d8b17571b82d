"""The tensors of a graph: inputs, numbers, views, and which results are kept."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ... import arrays, errors
from ..names import Names
from ..record.enum_words import data_type_name, extents, layout_strides, reordering_name
from ..rules.results import packed
from ..tensors import Node, Tensor
from .arguments import (
    check_alignment,
    check_strides,
    is_view,
    lies_in,
    number,
    read_shape,
    view_alignment,
    view_of,
)

_MOST = 8  # dimensions
#: What a tensor is that has a graph, and that the graph has not got.
INSIDE = "a tensor inside a function of scores, which nothing else can read"
_END = 1 << 63  # of cuDNN's numbers
_MOST_UID = 1 << 62  # which leaves room for others


class Operands(Names):
    """The tensors and nodes of a graph.

    Attributes:
        name: of the graph; "" where none was given.
        io_data_type: of inputs and outputs for which none is given; None: FLOAT for inputs, and
            for outputs the type of the data they were computed from.
        intermediate_data_type: of virtual tensors for which none is given.
        compute_data_type: that operations compute in for which none is given.
        composites: what is lowered even where the release has it.
        dynamic_shapes: whether plans of several shapes may share kernels.
        tensors: all tensors, by their ids.
        nodes: all nodes, in the order in which they were added.
        outputs: the tensors that a plan writes for its caller, in the order of a call.
    """

    def __init__(
        self,
        name: str | None = None,
        *,
        io_data_type: Any = None,
        intermediate_data_type: Any = "FLOAT",
        compute_data_type: Any = "FLOAT",
        composites: Iterable[str] = (),
        dynamic_shapes: bool = False,
    ) -> None:
        """Make a graph without tensors.

        Args:
            name: for texts and errors.
            io_data_type: the data type of inputs and outputs for which none is given.
            intermediate_data_type: that of virtual tensors.
            compute_data_type: that which operations compute in.
            composites: kinds of operations, or names of nodes, that composites of other operations
                do, even where the release has the operation itself; see `Graph.lowered`.
            dynamic_shapes: whether plans of graphs that differ in extents and strides alone may
                share kernels, by `choice.KernelCache`.
        """
        self.name = name or ""
        self.io_data_type = None if io_data_type is None else data_type_name(io_data_type)
        self.intermediate_data_type = data_type_name(intermediate_data_type)
        self.compute_data_type = data_type_name(compute_data_type)
        self.composites = tuple(composites)
        self.dynamic_shapes = bool(dynamic_shapes)
        self.tensors: dict[int, Tensor] = {}
        self.nodes: list[Node] = []
        self.outputs: list[Tensor] = []
        self.by_name = {}
        self.next_uid = 1

    # Tensors

    def tensor(
        self,
        shape: Any,
        data_type: Any = None,
        strides: Sequence[int] | None = None,
        *,
        layout: Any = None,
        name: str | None = None,
        alignment: int | None = None,
        uid: int | None = None,
        virtual: bool = False,
        ragged_offset: Tensor | None = None,
        ragged_multiplier: int = 1,
        reordering_mode: Any = None,
        vectorization: tuple[int, int] | None = None,
    ) -> Tensor:
        """Add an input.

        Args:
            shape: the extents, batch and channels first whatever the layout is; or an array of any
                library, whose shape, strides, data type and alignment are taken. The array itself
                is not kept.
            data_type: a member of `DataType`, its name, or a data type of any array library.
                Without one: that of the array, or the graph's I/O type, or FLOAT.
            strides: in elements; without them, those of the array, or of `layout`.
            layout: a word such as "NHWC" or "channels_last", or the order of dimensions, outermost
                first. Without it: row-major.
            name: unique in the graph; in calls of the plan it is the keyword of this operand.
            alignment: bytes that the address of the data is a multiple of, a power of two;
                without one: 16, or less where the array's address is not a multiple of that.
            uid: the number for cuDNN; without one: the next that is free.
            virtual: whether it is no input but an intermediate result: of a node that `add` makes.
            ragged_offset: a tensor with an offset for each batch entry, and one for the end.
            ragged_multiplier: what these offsets are multiplied by.
            reordering_mode: a member of cuDNN's enum of tensor reorderings, or its name.
            vectorization: (count, dimension): so many elements of a dimension are kept together.

        Raises:
            ArgumentError: no such data type, shape, strides, name or id is possible, or the name
                or id is taken.
        """
        if type(shape) is not tuple:
            shape, strides, data_type, alignment = read_shape(shape, strides, data_type, alignment)
        if name is not None:
            self._check_name(name)
        try:
            for each in shape:
                if type(each) is not int or not 1 <= each < _END:
                    shape = extents(shape, "shape")
            if not 1 <= len(shape) <= _MOST:
                raise errors.ArgumentError(f"shape {shape}: expected 1 to {_MOST} dimensions")
            if strides is None:
                strides = packed(shape) if layout is None else layout_strides(shape, layout)
            else:
                strides = check_strides(shape, strides, layout)
            alignment = 16 if alignment is None else check_alignment(alignment)
            if data_type is not None:
                data_type = data_type_name(data_type)
        except errors.ArgumentError as error:
            if name is None:
                raise
            raise error.replace(message=f"tensor {name}: {error.message}") from None
        tensor = self.add_tensor(shape, strides, data_type, name, alignment, virtual, uid)
        if ragged_offset is not None:
            tensor.ragged_offset = self._own(ragged_offset, "ragged_offset")
            (tensor.ragged_multiplier,) = extents((ragged_multiplier,), "ragged_multiplier")
        if reordering_mode is not None:
            tensor.reordering_mode = reordering_name(reordering_mode)
        if vectorization is not None:
            count, dimension = extents(vectorization, "vectorization", 0)
            tensor.vectorization = (count, dimension)
        return tensor

    def add_tensor(
        self,
        shape: tuple[int, ...],
        strides: tuple[int, ...],
        data_type: str | None,
        name: str | None = None,
        alignment: int = 16,
        virtual: bool = False,
        uid: int | None = None,
        hint: str = "FLOAT",
    ) -> Tensor:
        """Add a tensor with what was checked."""
        if uid is None:
            uid = self.next_uid
            self.next_uid = uid + 1
        else:
            uid = extents((uid,), "uid", 0)[0]
            if uid > _MOST_UID:
                raise errors.ArgumentError(f"uid: expected at most {_MOST_UID}, got {uid}")
            if uid in self.tensors:
                raise errors.ArgumentError(f"uid {uid} is that of {self.tensors[uid].name} already")
            self.next_uid = max(self.next_uid, uid + 1)
        tensor = Tensor(self, uid, shape, strides, data_type, name, alignment, virtual, hint)
        self.tensors[uid] = tensor
        if name is not None:
            self.by_name[name] = tensor
        return tensor

    def scalar(
        self,
        value: float | None = None,
        data_type: Any = None,
        *,
        rank: int | None = None,
        name: str | None = None,
        uid: int | None = None,
    ) -> Tensor:
        """Add a number that is passed by value, from host memory.

        Args:
            value: the number; None to pass it in each call of the plan, as an operand.
            data_type: as for `tensor`; without one: INT32 or FLOAT, as the graph computes.
            rank: its number of dimensions, all with extent 1; without one, that of the first node
                that uses it.
            name, uid: as for `tensor`.
        """
        if name is not None:
            self._check_name(name)
        if data_type is not None:
            data_type = data_type_name(data_type)
        elif self.compute_data_type in ("DOUBLE", "INT32", "INT64"):
            data_type = self.compute_data_type
        else:
            data_type = "FLOAT"
        if value is not None and type(value) not in (int, float):
            value = number(value)
        if rank is not None and extents((rank,), "rank")[0] > _MOST:
            raise errors.ArgumentError(f"rank: expected at most {_MOST}, got {rank}")
        shape = (1,) * (rank or 1)
        tensor = self.add_tensor(shape, shape, data_type, name, uid=uid)
        tensor.by_value = True
        tensor.value = value
        tensor.takes_rank = rank is None
        return tensor

    def constant(
        self,
        value: float,
        data_type: Any = None,
        *,
        rank: int | None = None,
        name: str | None = None,
    ) -> Tensor:
        """Add a number that is part of the operation graph, so that engines compile it in.

        A release that knows no constants gets it by value instead.
        """
        tensor = self.scalar(value, data_type, rank=rank, name=name)
        if tensor.value is None:
            raise errors.ArgumentError("a constant has a value")
        tensor.is_constant = True
        return tensor

    def output(
        self,
        tensor: Tensor,
        *,
        name: str | None = None,
        data_type: Any = None,
        strides: Sequence[int] | None = None,
        layout: Any = None,
        alignment: int | None = None,
    ) -> Tensor:
        """Have the plan write a result to memory, and return its tensor.

        Args:
            tensor: the result of a node.
            name: unique in the graph.
            data_type: without one: the graph's I/O type, or that of the data it was computed from.
            strides, layout: without them: packed, in the order of dimensions of the inputs.
            alignment: bytes that the address of its data is a multiple of; 16 without one.

        Raises:
            ArgumentError: it is no result of this graph, or a setting is impossible.
            GraphError: other strides are set, and a view goes by those that it has.
        """
        self._own(tensor, "output")
        if tensor.producer is None:
            raise errors.ArgumentError(f"output: {tensor.name} is an input, no node computes it")
        if name is not None and name != tensor._name:
            self.rename(tensor, name)
        if data_type is not None or strides is not None or layout is not None:
            before = tensor.strides
            self._settle(tensor, data_type, strides, layout)
            if not arrays.same_strides(tensor.shape, tensor.strides, before):
                self._check_views(tensor, before)
        if alignment is not None:
            tensor.alignment = check_alignment(alignment)
        if not tensor.is_output:
            tensor.is_virtual = tensor.in_workspace = False
            tensor.is_output, tensor.fill = True, None
            self.outputs.append(tensor)
        return tensor

    def workspace(
        self, tensor: Tensor, *, data_type: Any = None, fill: int | None = None
    ) -> Tensor:
        """Have the plan keep a result in its workspace: memory, but none of the caller's.

        Args:
            tensor: the result of a node.
            data_type: without one: the graph's intermediate type.
            fill: 0 to have it zeroed before each run.
        """
        self._own(tensor, "workspace")
        if tensor.producer is None:
            raise errors.ArgumentError(f"workspace: {tensor.name} is an input")
        if fill not in (None, 0):
            raise errors.ArgumentError(f"fill: expected 0 or None, got {fill!r}")
        if data_type is not None:
            tensor.given_type = data_type_name(data_type)
        if tensor.is_output:
            raise errors.GraphError(f"workspace: {tensor.name} is an output already")
        tensor.is_virtual = False
        tensor.in_workspace, tensor.fill = True, fill
        return tensor

    def view(
        self, x: Tensor, shape: Sequence[int], strides: Sequence[int], offset: int = 0
    ) -> Tensor:
        """Add a tensor that lies in the memory of an input, which a call of the plan takes.

        Args:
            x: the input.
            shape: the extents of the view.
            strides: in elements.
            offset: the elements between the first of the input and that of the view.

        Raises:
            ShapeMismatchError: the view ends behind the input.
            NotSupportedError: it begins within a byte that several elements share.
        """
        self._own(x, "view")
        if x.producer is not None or x.by_value or x.is_virtual:
            raise errors.ArgumentError(f"view: expected an input, got {x.describe()}")
        if x.vectorization is not None or x.reordering_mode is not None:
            raise errors.NotSupportedError(
                f"view: strides alone do not tell where the elements of {x.describe()} lie"
            )
        if x.base is not None:
            x, offset = x.base, offset + x.offset
        wanted, steps = extents(shape, "shape"), extents(strides, "strides", 0)
        if not lies_in(x, wanted, steps, offset):
            raise errors.ShapeMismatchError(
                f"view of {x.name} {x.shape}: {wanted} with strides {steps} from element {offset} "
                "on does not lie in it"
            )
        alignment = view_alignment(x, offset, x.data_type)
        tensor = self.add_tensor(wanted, steps, x.data_type, None, alignment)
        tensor.base, tensor.offset = x, offset
        tensor.ragged_offset, tensor.ragged_multiplier = x.ragged_offset, x.ragged_multiplier
        return tensor

    def _settle(self, tensor: Tensor, data_type: Any, strides: Any, layout: Any) -> None:
        """Set what a caller says of a result."""
        if data_type is not None:
            tensor.given_type = data_type_name(data_type)
        if strides is not None:
            tensor.strides = check_strides(tensor.shape, strides, layout)
        elif layout is not None:
            tensor.strides = layout_strides(tensor.shape, layout)

    def _check_views(self, tensor: Tensor, before: tuple[int, ...]) -> None:
        """Refuse other strides of what a view goes by, which are the old ones again then."""
        producer = tensor.producer
        view = producer if producer is not None and is_view(producer) else view_of(tensor)
        if view is not None:
            wanted, tensor.strides = tensor.strides, before
            raise errors.GraphError(
                f"output: {tensor.name} {tensor.shape} has the strides {before}, by which "
                f"node {view.name} reads memory: expected these, got {wanted}",
                hint="reshape with mode='LOGICAL', or make a copy the output: g.identity(...)",
            )

    def _own(self, tensor: Any, what: str) -> Tensor:
        """Return a tensor of this graph; refuse anything else."""
        if not isinstance(tensor, Tensor):
            raise errors.ArgumentError(f"{what}: expected a Tensor, got {tensor!r}")
        if tensor.graph is not self:
            raise errors.GraphError(f"{what}: {tensor.name} is a tensor of another graph")
        if self.tensors.get(tensor.uid) is not tensor:
            raise errors.GraphError(f"{what}: {tensor.name} is {INSIDE}")
        own: Tensor = tensor
        return own
