"""Convolutions, matrix products and reductions."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Unpack, cast

from ... import errors
from ..._support.arguments import boolean
from ..arguments import check_tensor, dimension, is_iterable, paddings, per_dimension
from ..record.enum_words import extents, reduction_name
from ..record.operations import OPERATIONS
from ..tensors import Tensor
from .adding import add_one

if TYPE_CHECKING:
    from ..builder import Builder
    from ..record.types import Options, Padding, PerDimension, ReductionWord, Settings
    from ..tensors import Operand

_FORWARD = OPERATIONS["convolution_forward"]
_DATA = OPERATIONS["convolution_backward_data"]
_FILTER = OPERATIONS["convolution_backward_filter"]
_MATMUL = OPERATIONS["matmul"]
_REDUCTION = OPERATIONS["reduction"]


def convolution(
    self: Builder,
    x: Tensor,
    w: Tensor,
    *,
    padding: Padding = 0,
    stride: PerDimension = 1,
    dilation: PerDimension = 1,
    flip: bool = False,
    alpha: float | None = None,
    beta: float | None = None,
    **settings: Unpack[Settings],
) -> Tensor:
    """Add a convolution in one to three dimensions.

    Args:
        x: the input, (N, C, [D,] [H,] W).
        w: the filters, (K, C / groups, [D,] [H,] W). The number of groups follows from the
            channels of `x` and of the filters.
        padding: zeros on both sides of each spatial dimension; a pair (before, after) for each
            dimension where they differ.
        stride: the step of the filter.
        dilation: the distance of the filter's elements.
        flip: whether filters are flipped, as mathematics has it; frameworks do not.
        alpha: the factor of the result; by default 1.
        beta: the factor of the output's former content, which is added; by default 0.
        settings: see `Settings`.

    Returns:
        The result, (N, K, [D,] [H,] W).

    Raises:
        ShapeMismatchError: filters do not go with the input.
    """
    options = _convolution(x, padding, stride, dilation, flip)
    if alpha is beta is None and not settings:  # most convolutions; reading takes a microsecond
        return self._add_node(_FORWARD, {"x": x, "w": w}, options).outputs["y"]
    given = {"x": x, "w": w, "alpha": alpha, "beta": beta, "settings": settings}
    return add_one(self, _FORWARD, given, options)


def convolution_backward_data(
    self: Builder,
    dy: Tensor,
    w: Tensor,
    *,
    shape: Sequence[int] | None = None,
    padding: Padding = 0,
    stride: PerDimension = 1,
    dilation: PerDimension = 1,
    groups: int = 1,
    flip: bool = False,
    alpha: float | None = None,
    beta: float | None = None,
    **settings: Unpack[Settings],
) -> Tensor:
    """Add the gradient of a convolution for its input.

    Args:
        dy: the gradient of the convolution's result.
        w: its filters.
        shape: of the convolution's input; by default the smallest that has such a result,
            with as many channels as `groups` filters have.
        groups: the number of groups, where `shape` does not say it.
        padding, stride, dilation, flip, alpha, beta, settings: as for `convolution`.
    """
    options = _convolution(w, padding, stride, dilation, flip)
    if shape is not None:
        options["shape"] = extents(shape, "shape")
    elif groups != 1:
        options["groups"] = groups
    given = locals() | {"groups": None}
    return add_one(self, _DATA, given, options)


def convolution_transpose(
    self: Builder,
    x: Tensor,
    w: Tensor,
    *,
    padding: Padding = 0,
    output_padding: PerDimension = 0,
    stride: PerDimension = 1,
    dilation: PerDimension = 1,
    groups: int = 1,
    **settings: Unpack[Settings],
) -> Tensor:
    """Add a transposed convolution, which is the gradient of a convolution for its input.

    Args:
        x: the input, (N, K, ...).
        w: the filters, (K, C / groups, ...), as PyTorch has them.
        output_padding: how much longer the result is at the end of each dimension.
        groups: the number of groups.
        padding, stride, dilation, settings: as for `convolution`.

    Returns:
        The result, (N, C, ...).
    """
    options = _convolution(w, padding, stride, dilation, False)
    rank = len(w.shape) - 2
    options["output_padding"] = per_dimension(output_padding, rank, "output_padding", 0)
    options["groups"] = groups
    return add_one(self, _DATA, {"dy": x, "w": w, "settings": settings}, options)


def convolution_backward_filter(
    self: Builder,
    x: Tensor,
    dy: Tensor,
    shape: Sequence[int],
    *,
    padding: Padding = 0,
    stride: PerDimension = 1,
    dilation: PerDimension = 1,
    flip: bool = False,
    alpha: float | None = None,
    beta: float | None = None,
    **settings: Unpack[Settings],
) -> Tensor:
    """Add the gradient of a convolution for its filters.

    Args:
        x: the convolution's input.
        dy: the gradient of its result.
        shape: of the filters, (K, C / groups, ...).
        padding, stride, dilation, flip, alpha, beta, settings: as for `convolution`.
    """
    options = _convolution(x, padding, stride, dilation, flip)
    return add_one(self, _FILTER, locals(), options)


def matmul(
    self: Builder,
    a: Tensor,
    b: Tensor,
    *,
    m: Operand | None = None,
    n: Operand | None = None,
    k: Operand | None = None,
    padding_value: float | None = None,
    batch_count: int | None = None,
    **settings: Unpack[Settings],
) -> Tensor:
    """Add a product of matrices.

    Args:
        a: (..., M, K); a transposed matrix is one with its strides and extents swapped.
        b: (..., K, N). Batch dimensions of 1 are repeated, and those that divide the other's,
            as with grouped heads.
        m, n, k: tensors with the rows, columns and inner extents that count.
        padding_value: the value of the result beyond them.
        batch_count: how many matrices there are, where strides do not tell.
        settings: see `Settings`.

    Raises:
        ShapeMismatchError: the shapes do not go together.
    """
    is_plain = type(a) is type(b) is Tensor and not settings
    if is_plain and m is n is k is padding_value is batch_count is None:
        return self._add_node(_MATMUL, {"a": a, "b": b}, {}, None, ("c",)).outputs["c"]
    return add_one(self, _MATMUL, locals())


def reduction(
    self: Builder,
    x: Tensor,
    mode: ReductionWord = "ADD",
    *,
    dims: int | Sequence[int] | None = None,
    shape: Sequence[int] | None = None,
    deterministic: bool | None = None,
    group_offset: Tensor | None = None,
    **settings: Unpack[Settings],
) -> Tensor:
    """Add a reduction over dimensions, which the result has with extent 1.

    Args:
        x: the input.
        mode: ADD, MUL, MIN, MAX, AMAX, AVG, NORM1, NORM2 or MUL_NO_ZEROS: a member of
            `ReduceTensorOp`, its name, or a word such as "sum" or "mean".
        dims: the dimensions; all where neither this nor `shape` is given.
        shape: of the result: the extent 1, or that of the input, in each dimension.
        deterministic: whether the sum must come out the same each time.
        group_offset: a tensor with the first element of each group.
        settings: see `Settings`.
    """
    check_tensor(x, "reduction x")
    rank = len(x.shape)
    if shape is None:
        chosen = _dimensions(range(rank) if dims is None else dims, rank)
        wanted = tuple([1 if axis in chosen else n for axis, n in enumerate(x.shape)])
    else:
        wanted = extents(shape, "shape")
        if dims is not None:
            raise errors.ArgumentError("reduction: expected dims or a shape, got both")
        if group_offset is None and (
            len(wanted) != rank
            or any(new not in (1, old) for new, old in zip(wanted, x.shape, strict=True))
        ):
            raise errors.ShapeMismatchError(
                f"reduction of {x.name} {x.shape}: expected extents of 1 or of the input, got the "
                f"shape {wanted}"
            )
    options: Options = {"mode": reduction_name(mode), "shape": wanted}
    if deterministic is not None:
        options["deterministic"] = boolean(deterministic, "deterministic")
    if group_offset is None and not settings:
        return self._add_node(_REDUCTION, {"x": x}, options).outputs["y"]
    given = {"x": x, "group_offset": group_offset, "settings": settings}
    return add_one(self, _REDUCTION, given, options)


def _convolution(
    image: Tensor, padding: Padding, stride: PerDimension, dilation: PerDimension, flip: bool
) -> Options:
    """Return the options of a convolution of as many dimensions as one of its tensors has."""
    check_tensor(image, "convolution")
    spatial = len(image.shape) - 2
    try:
        given = cast("tuple[Hashable, ...]", (padding, stride, dilation))
        return _convolution_options(spatial, *given, flip).copy()
    except TypeError:  # a list
        return _convolution_options.__wrapped__(spatial, *given, flip)


@lru_cache(1024)
def _convolution_options(
    spatial: int, padding: Hashable, stride: Hashable, dilation: Hashable, flip: bool
) -> Options:
    before, after = paddings(padding, spatial)
    return {
        "mode": "CONVOLUTION" if boolean(flip, "flip") else "CROSS_CORRELATION",
        "pre_padding": before,
        "post_padding": after,
        "stride": per_dimension(stride, spatial, "stride", 1),
        "dilation": per_dimension(dilation, spatial, "dilation", 1),
    }


def _dimensions(dims: object, rank: int) -> frozenset[int]:
    chosen = dims if is_iterable(dims) else (dims,)
    return frozenset(dimension(axis, rank, "dims") for axis in chosen)
