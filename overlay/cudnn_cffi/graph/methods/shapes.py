"""Operations that move data: concatenation, views, slices, band matrices, paged caches."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Unpack

from ... import errors
from ..._support.arguments import integers
from ..arguments import check_tensor, dimension, is_iterable
from ..record.enum_words import enumerator, extents
from ..record.operations import OPERATIONS
from ..rules.results import packed, view_strides
from ..tensors import Tensor
from .adding import add_one

if TYPE_CHECKING:
    from ...enum_words import PointwiseModeLike, SignalModeLike
    from ..builder import Builder
    from ..record.types import Options, ReshapeWord, Settings
    from ..tensors import Operand

_CONCATENATE = OPERATIONS["concatenate"]
_RESHAPE = OPERATIONS["reshape"]
_TRANSPOSE = OPERATIONS["transpose"]
_SLICE = OPERATIONS["slice"]
_EXPAND_DIMENSIONS = OPERATIONS["expand"]
_SIGNAL = OPERATIONS["signal"]
_EXPAND = OPERATIONS["expand_band_matrix"]
_CONTRACT = OPERATIONS["contract_band_matrix"]
_MASK = OPERATIONS["diagonal_band_mask"]
_LOAD = OPERATIONS["paged_cache_load"]


def concatenate(
    self: Builder,
    tensors: Sequence[Tensor],
    axis: int,
    *,
    in_place_index: int | None = None,
    **settings: Unpack[Settings],
) -> Tensor:
    """Join tensors along a dimension, in which alone they may differ.

    Args:
        tensors: the inputs.
        axis: the dimension.
        in_place_index: the input that lies in the result's memory already.
        settings: see `Settings`.
    """
    if is_iterable(tensors) and not (tensors := tuple(tensors)):
        raise errors.ArgumentError("concatenate: expected a tensor at least, got none")
    (axis,) = integers(axis=axis)
    return add_one(self, _CONCATENATE, locals() | {"x": tensors})


def reshape(
    self: Builder,
    x: Tensor,
    shape: Sequence[int],
    *,
    mode: ReshapeWord | None = None,
    **settings: Unpack[Settings],
) -> Tensor:
    """Give a tensor another shape with as many elements; one extent may be -1.

    Args:
        x: the input.
        shape: the new extents.
        mode: VIEW_ONLY, for the same memory under another shape and strides; or LOGICAL, for
            the same elements in row-major order, where a release has that. By
            default VIEW_ONLY.
        settings: see `Settings`. The strides of a view are those with which its elements are
            in row-major order, unless others are set.

    Raises:
        ShapeMismatchError: the number of elements differs; or no strides make that view.
    """
    check_tensor(x, "reshape x")
    options: Options = {"shape": _fill(x, shape)}
    if mode is not None:
        options["mode"] = enumerator(mode, "RESHAPE_", "BackendReshapeMode")
    if options.get("mode") != "LOGICAL" and x.strides != packed(x.shape):
        settings = _with_view(x, options["shape"], settings)
    return add_one(self, _RESHAPE, {"x": x, "settings": settings}, options)


def transpose(
    self: Builder, x: Tensor, permutation: Sequence[int], **settings: Unpack[Settings]
) -> Tensor:
    """Put dimensions in another order.

    Args:
        x: the input.
        permutation: for each dimension of the result, that of the input.
        settings: see `Settings`. The result is packed in row-major order unless strides or a
            layout are set.
    """
    check_tensor(x, "transpose x")
    rank = len(x.shape)
    wanted = extents(permutation, "transpose permutation", -rank)
    order = tuple(dimension(each, rank, "transpose") for each in wanted)
    if sorted(order) != list(range(rank)):
        raise errors.ArgumentError(
            f"transpose of {x.name} {x.shape}: {permutation!r} is not an order of its dimensions"
        )
    return add_one(self, _TRANSPOSE, {"x": x, "settings": settings}, {"permutation": order})


def slice(
    self: Builder,
    x: Tensor,
    start: Sequence[int],
    limit: Sequence[int],
    step: Sequence[int] | None = None,
    **settings: Unpack[Settings],
) -> Tensor:
    """Take a part of a tensor: `x[start:limit:step]` in each dimension.

    Args:
        x: the input.
        start: the first index in each dimension.
        limit: one more than the last index in each dimension.
        step: the distance of indices in each dimension; by default 1.
        settings: see `Settings`.
    """
    check_tensor(x, "slice x")
    rank = len(x.shape)
    bounds = [
        extents(start, "start", 0),
        extents(limit, "limit", 1),
        extents((1,) * rank if step is None else step, "step", 1),
    ]
    fits = all(len(each) == rank for each in bounds) and all(
        low < high <= extent for low, high, extent in zip(*bounds[:2], x.shape, strict=True)
    )
    if not fits:
        raise errors.ShapeMismatchError(
            f"slice of {x.name} {x.shape}: start {bounds[0]}, limit {bounds[1]}, step "
            f"{bounds[2]} do not go with its extents"
        )
    options: Options = {"start": bounds[0], "limit": bounds[1], "step": bounds[2]}
    return add_one(self, _SLICE, {"x": x, "settings": settings}, options)


def expand(self: Builder, x: Tensor, shape: Sequence[int], **settings: Unpack[Settings]) -> Tensor:
    """Repeat a tensor along dimensions in which it has one element.

    Pointwise operations repeat tensors by themselves. cuDNN has no such operation: copies do
    it, so the graph is computed by several plans.

    Args:
        x: the input.
        shape: the extents of the result.
        settings: see `Settings`.
    """
    return add_one(self, _EXPAND_DIMENSIONS, locals())


def signal(
    self: Builder,
    x: Tensor,
    flag: Tensor,
    value: int,
    *,
    mode: SignalModeLike = "SET",
    **settings: Unpack[Settings],
) -> Tensor:
    """Pass a tensor on, and set a flag in memory or wait for it.

    Args:
        x: the tensor that is passed on.
        flag: an INT32 in device memory.
        value: the value that the flag is set to, or that is waited for.
        mode: SET or WAIT.
        settings: see `Settings`.
    """
    return add_one(self, _SIGNAL, locals())


def expand_band_matrix(
    self: Builder,
    x: Tensor,
    shape: Sequence[int],
    *,
    lower: int,
    upper: int,
    axis: int,
    padding_value: float | None = None,
    kv_token_offset: Tensor | None = None,
    speculative_mask: Tensor | None = None,
    **settings: Unpack[Settings],
) -> Tensor:
    """Turn a band matrix that is stored by its band into one with all its elements.

    Args:
        x: the band.
        shape: of the result.
        lower, upper: the diagonals below and above the main one.
        axis: the dimension of the band.
        padding_value: the value outside the band; by default 0.
        kv_token_offset, speculative_mask: tensors, where a release has them.
        settings: see `Settings`.
    """
    return add_one(self, _EXPAND, locals())


def contract_band_matrix(
    self: Builder,
    x: Tensor,
    shape: Sequence[int],
    *,
    lower: int,
    upper: int,
    axis: int,
    padding_value: float | None = None,
    max_token: int | None = None,
    **settings: Unpack[Settings],
) -> Tensor:
    """Store a band matrix by its band; the opposite of `expand_band_matrix`.

    Args:
        x: the matrix.
        shape, lower, upper, axis, padding_value, settings: as for `expand_band_matrix`.
        max_token: the most tokens, where a release has it.
    """
    return add_one(self, _CONTRACT, locals())


def diagonal_band_mask(
    self: Builder,
    x: Tensor,
    fill: Operand,
    *,
    comparison: PointwiseModeLike = "CMP_GE",
    left_bound: Operand | None = None,
    shift_right_bound: Operand | None = None,
    seq_len_q: Tensor | None = None,
    seq_len_kv: Tensor | None = None,
    cu_seq_len_q: Tensor | None = None,
    cu_seq_len_kv: Tensor | None = None,
    **settings: Unpack[Settings],
) -> Tensor:
    """Replace the elements of a matrix on one side of a diagonal.

    Element (row, column) of the last two dimensions is kept where `row + shift_right_bound`
    compares to `column`, and not `left_bound` or more columns before the row.

    Args:
        x: the matrices.
        fill: the value of the other elements.
        comparison: CMP_GE keeps the diagonal and all below; a member of `PointwiseMode`.
        left_bound: columns that are kept to the left of the diagonal; by default all.
        shift_right_bound: by how much the diagonal is moved to the right.
        seq_len_q, seq_len_kv, cu_seq_len_q, cu_seq_len_kv: INT32 tensors with the rows and
            columns of each batch entry.
        settings: see `Settings`.
    """
    return add_one(self, _MASK, locals() | {"b": fill})


def paged_cache_load(
    self: Builder,
    container: Tensor,
    page_table: Tensor,
    sequence: Tensor,
    *,
    shape: Sequence[int] | None = None,
    **settings: Unpack[Settings],
) -> Tensor:
    """Read keys or values whose pages lie scattered in a container.

    Args:
        container: (pages, heads, page size, width).
        page_table: INT32 (batch, 1, pages of an entry, 1): the page at each place.
        sequence: INT32 (batch, 1, 1, 1): the length of each batch entry.
        shape: of the result; by default (batch, heads, pages of an entry * page size, width).
        settings: see `Settings`.
    """
    return add_one(self, _LOAD, locals())


def _with_view(x: Tensor, shape: tuple[int, ...], settings: Settings) -> Settings:
    """Return settings with the strides of a view, where none are set."""
    if settings.get("strides") is not None or settings.get("layout") is not None:
        return settings
    strides = view_strides(x.shape, x.strides, shape)
    if strides is None and prod(x.shape) == prod(shape):
        raise errors.ShapeMismatchError(
            f"reshape of {x.name} {x.shape} with the strides {x.strides}: no strides make it a "
            f"view {shape} in row-major order",
            hint="mode='LOGICAL' copies; or say the strides in which the memory is to be read",
        )
    return settings if strides is None else {**settings, "strides": strides}


def _fill(x: Tensor, shape: Sequence[int]) -> tuple[int, ...]:
    """Return a shape with the extent that -1 stands for."""
    result = list(extents(shape, "shape", -1))
    if -1 in result:
        total, known = prod(x.shape), prod(extent for extent in result if extent != -1)
        if result.count(-1) > 1 or known < 1 or total % known:
            raise errors.ShapeMismatchError(
                f"reshape of {x.name} {x.shape}: {tuple(result)} does not go with its elements"
            )
        result[result.index(-1)] = total // known
    return extents(result, "shape")
