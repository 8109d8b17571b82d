"""Operations that move data: concatenation, views, slices, band matrices, paged caches."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, Unpack

from ... import errors
from ..record.enum_words import enumerator, extents
from ..record.operations import OPERATIONS
from ..rules.results import packed, view_strides
from ..tensors import Tensor
from ..arguments import dimension
from .norms import Norms
from .pointwise import Operand, Settings

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


class Shapes(Norms):
    """Operations that move data."""

    def concatenate(
        self,
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
        inputs = {f"x{number}": each for number, each in enumerate(tensors)}
        if not inputs:
            raise errors.ArgumentError("concatenate: expected a tensor at least, got none")
        self._check_tensors("concatenate", **inputs)
        axis = dimension(axis, len(tensors[0].shape), "concatenate")
        options: dict[str, Any] = {"axis": axis}
        if in_place_index is not None:
            options["in_place_index"] = in_place_index
        return self._single(_CONCATENATE, inputs, options, settings)

    def reshape(
        self,
        x: Tensor,
        shape: Sequence[int],
        *,
        mode: Any = None,
        **settings: Unpack[Settings],
    ) -> Tensor:
        """Give a tensor another shape with as many elements; one extent may be -1.

        Args:
            x: the input.
            shape: the new extents.
            mode: VIEW_ONLY, for the same memory under another shape and strides; or LOGICAL, for
                the same elements in row-major order, where a release has that. cuDNN takes
                VIEW_ONLY without one.
            settings: see `Settings`. The strides of a view are those with which its elements are
                in row-major order, unless others are set.

        Raises:
            ShapeMismatchError: the number of elements differs; or no strides make that view.
        """
        self._check_tensors("reshape", x=x)
        options: dict[str, Any] = {"shape": _fill(x, shape)}
        if mode is not None:
            options["mode"] = enumerator(mode, "RESHAPE_", "BackendReshapeMode")
        if options.get("mode") != "LOGICAL" and x.strides != packed(x.shape):
            settings = _with_view(x, options["shape"], settings)
        return self._single(_RESHAPE, {"x": x}, options, settings)

    def transpose(
        self, x: Tensor, permutation: Sequence[int], **settings: Unpack[Settings]
    ) -> Tensor:
        """Put dimensions in another order.

        Args:
            x: the input.
            permutation: for each dimension of the result, that of the input.
            settings: see `Settings`. The result is packed in row-major order unless strides or a
                layout are set.
        """
        self._check_tensors("transpose", x=x)
        rank = len(x.shape)
        order = tuple(dimension(each, rank, "transpose") for each in permutation)
        if sorted(order) != list(range(rank)):
            raise errors.ArgumentError(
                f"transpose of {x.name} {x.shape}: {permutation!r} is not an order of its "
                "dimensions"
            )
        return self._single(_TRANSPOSE, {"x": x}, {"permutation": order}, settings)

    def slice(
        self,
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
            step: the distance of indices in each dimension; 1 without it.
            settings: see `Settings`.
        """
        self._check_tensors("slice", x=x)
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
        options = dict(zip(("start", "limit", "step"), bounds, strict=True))
        return self._single(_SLICE, {"x": x}, options, settings)

    def expand(self, x: Tensor, shape: Sequence[int], **settings: Unpack[Settings]) -> Tensor:
        """Repeat a tensor along dimensions in which it has one element.

        Pointwise operations repeat tensors by themselves. cuDNN has no such operation: copies do
        it, so the graph is computed by several plans.

        Args:
            x: the input.
            shape: the extents of the result.
            settings: see `Settings`.
        """
        self._check_tensors("expand", x=x)
        options = {"shape": extents(shape, "shape")}
        return self._single(_EXPAND_DIMENSIONS, {"x": x}, options, settings)

    def signal(
        self,
        x: Tensor,
        flag: Tensor,
        value: int,
        *,
        mode: Any = "SET",
        **settings: Unpack[Settings],
    ) -> Tensor:
        """Pass a tensor on, and set a flag in memory or wait for it.

        Args:
            x: what is passed on.
            flag: an INT32 in device memory.
            value: what it is set to, or waited for.
            mode: SET or WAIT.
            settings: see `Settings`.
        """
        self._check_tensors("signal", x=x, flag=flag)
        options = {"mode": enumerator(mode, "SIGNAL_"), "value": value}
        return self._single(_SIGNAL, {"x": x, "flag": flag}, options, settings)

    def expand_band_matrix(
        self,
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
            shape: that of the result.
            lower, upper: the diagonals below and above the main one.
            axis: the dimension of the band.
            padding_value: what stands outside the band; 0 without one.
            kv_token_offset, speculative_mask: tensors, where a release has them.
            settings: see `Settings`.
        """
        self._check_tensors("expand_band_matrix", x=x)
        given = {"x": x, "kv_token_offset": kv_token_offset, "speculative_mask": speculative_mask}
        inputs = {port: each for port, each in given.items() if each is not None}
        options = _band(x, shape, lower, upper, axis, padding_value)
        return self._single(_EXPAND, inputs, options, settings)

    def contract_band_matrix(
        self,
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
        self._check_tensors("contract_band_matrix", x=x)
        options = _band(x, shape, lower, upper, axis, padding_value)
        if max_token is not None:
            options["max_token"] = max_token
        return self._single(_CONTRACT, {"x": x}, options, settings)

    def diagonal_band_mask(
        self,
        x: Tensor,
        fill: Operand,
        *,
        comparison: Any = "CMP_GE",
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
            fill: what stands elsewhere.
            comparison: CMP_GE keeps the diagonal and what is below; a member of `PointwiseMode`.
            left_bound: columns that are kept to the left of the diagonal; all without one.
            shift_right_bound: by how much the diagonal is moved to the right.
            seq_len_q, seq_len_kv, cu_seq_len_q, cu_seq_len_kv: INT32 tensors with the rows and
                columns of each batch entry.
            settings: see `Settings`.
        """
        self._check_tensors("diagonal_band_mask", x=x)
        rank = len(x.shape)
        given = {
            **{"seq_len_q": seq_len_q, "seq_len_kv": seq_len_kv, "left_bound": left_bound},
            **{"shift_right_bound": shift_right_bound},
            **{"cu_seq_len_q": cu_seq_len_q, "cu_seq_len_kv": cu_seq_len_kv},
        }
        inputs = {"x": x, "b": self._operand(fill, "diagonal_band_mask fill", rank)}
        for port, each in given.items():
            if each is not None:
                inputs[port] = self._operand(each, f"diagonal_band_mask {port}", rank, "INT32")
        options = {"comparison": enumerator(comparison, "POINTWISE_")}
        return self._single(_MASK, inputs, options, settings)

    def paged_cache_load(
        self,
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
            shape: that of the result; (batch, heads, pages of an entry * page size, width) without
                one.
            settings: see `Settings`.
        """
        inputs = {"container": container, "sequence": sequence, "page_table": page_table}
        self._check_tensors("paged_cache_load", **inputs)
        options: dict[str, Any] = {}
        if shape is not None:
            options["shape"] = extents(shape, "shape")
        return self._single(_LOAD, inputs, options, settings)


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


def _band(
    x: Tensor, shape: Sequence[int], lower: int, upper: int, axis: int, padding_value: float | None
) -> dict[str, Any]:
    options: dict[str, Any] = {
        "shape": extents(shape, "shape"),
        "lower": lower,
        "upper": upper,
        "axis": dimension(axis, len(x.shape), "band matrix"),
    }
    if padding_value is not None:
        options["padding_value"] = float(padding_value)
    return options
