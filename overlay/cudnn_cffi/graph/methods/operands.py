"""Where results and views lie: outputs, the workspace, parts of inputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ... import arrays, errors
from ..arguments import check_alignment, is_view, lies_in, view_alignment, view_of
from ..record.enum_words import data_type_name, extents

if TYPE_CHECKING:
    from ..builder import Builder
    from ..record.types import DType, Layout
    from ..tensors import Tensor


def output(
    self: Builder,
    tensor: Tensor,
    *,
    name: str | None = None,
    data_type: DType | None = None,
    strides: Sequence[int] | None = None,
    layout: Layout | None = None,
    alignment: int | None = None,
) -> Tensor:
    """Make a result an output, which the plan writes to memory; return its tensor.

    Args:
        tensor: the result of a node.
        name: unique in the graph.
        data_type: by default the graph's I/O type, or that of the data it was computed from.
        strides, layout: by default packed, in the order of dimensions of the inputs.
        alignment: bytes that the address of its data is a multiple of; by default 16.

    Raises:
        ArgumentError: it is no result of this graph, or a setting is impossible.
        GraphError: other strides are set, and a view goes by those that it has.
    """
    self._own(tensor, "output")
    if tensor.producer is None:
        raise errors.ArgumentError(f"output: {tensor.name} is an input, no node computes it")
    if alignment is not None:
        alignment = check_alignment(alignment)
    if name is not None and name != tensor._name:
        self._check_name(name)
    if data_type is not None or strides is not None or layout is not None:
        before = tensor.strides
        self._settle(tensor, data_type, strides, layout)
        if not arrays.same_strides(tensor.shape, tensor.strides, before):
            _check_views(tensor, before)
    if name is not None:
        self.rename(tensor, name)
    if alignment is not None:
        tensor.alignment = alignment
    if not tensor.is_output:
        tensor.is_virtual = tensor.in_workspace = False
        tensor.is_output, tensor.fill = True, None
        self.outputs.append(tensor)
    return tensor


def workspace(
    self: Builder, tensor: Tensor, *, data_type: DType | None = None, fill: int | None = None
) -> Tensor:
    """Make the plan keep a result in its workspace, which is not the caller's memory.

    Args:
        tensor: the result of a node.
        data_type: by default the graph's intermediate type.
        fill: 0 to have it zeroed before each run.
    """
    self._own(tensor, "workspace")
    if tensor.producer is None:
        raise errors.ArgumentError(f"workspace: {tensor.name} is an input")
    if fill not in (None, 0):
        raise errors.ArgumentError(f"fill: expected 0 or None, got {fill!r}")
    if tensor.is_output:
        raise errors.GraphError(f"workspace: {tensor.name} is an output already")
    if data_type is not None:
        tensor.given_type = data_type_name(data_type)
    tensor.is_virtual = False
    tensor.in_workspace, tensor.fill = True, fill
    return tensor


def view(
    self: Builder, x: Tensor, shape: Sequence[int], strides: Sequence[int], offset: int = 0
) -> Tensor:
    """Add a tensor that lies in the memory of an input, which a call of the plan takes.

    Args:
        x: the input.
        shape: the extents of the view.
        strides: in elements.
        offset: the elements between the first of the input and that of the view.

    Raises:
        ShapeMismatchError: the view ends after the input.
        NotSupportedError: it begins within a byte that several elements share; or it has other
            strides than an input whose elements lie together as vectors, or in another order.
    """
    self._own(x, "view")
    if x.producer is not None or x.by_value or x.is_virtual:
        raise errors.ArgumentError(f"view: expected an input, got {x.describe()}")
    wanted, steps = extents(shape, "shape"), extents(strides, "strides", 0)
    order = x.vectorization, x.reordering_mode
    if order != (None, None) and (offset or (wanted, steps) != (x.shape, x.strides)):
        raise errors.NotSupportedError(
            f"view: strides alone do not tell where the elements of {x.describe()} lie"
        )
    if x.base is not None:
        x, offset = x.base, offset + x.offset
    if not lies_in(x, wanted, steps, offset):
        raise errors.ShapeMismatchError(
            f"view of {x.name} {x.shape}: {wanted} with strides {steps} from element {offset} "
            "on does not lie in it"
        )
    alignment = view_alignment(x, offset, x.data_type)
    tensor = self.add_tensor(wanted, steps, x.data_type, None, alignment)
    tensor.base, tensor.offset = x, offset
    tensor.vectorization, tensor.reordering_mode = order
    tensor.ragged_offset, tensor.ragged_multiplier = x.ragged_offset, x.ragged_multiplier
    return tensor


def _check_views(tensor: Tensor, before: tuple[int, ...]) -> None:
    """Refuse other strides of a tensor that a view reads; restore the old ones."""
    producer = tensor.producer
    view = producer if producer is not None and is_view(producer) else view_of(tensor)
    if view is not None:
        wanted, tensor.strides = tensor.strides, before
        raise errors.GraphError(
            f"output: {tensor.name} {tensor.shape} has the strides {before}, by which "
            f"node {view.name} reads memory: expected these, got {wanted}",
            hint="reshape with mode='LOGICAL', or make a copy the output: g.identity(...)",
        )
