"""Convolutions, matrix products and reductions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Unpack

from ... import errors
from ..record.enum_words import data_type_name, extents, reduction_name
from ..record.hints import SETTINGS, unknown_argument
from ..record.operations import OPERATIONS
from ..tensors import Node, Tensor
from ..arguments import dimension, each_alike, is_iterable, no_operand
from .pointwise import Operand, Pointwise, Settings

_FORWARD = OPERATIONS["convolution_forward"]
_DATA = OPERATIONS["convolution_backward_data"]
_FILTER = OPERATIONS["convolution_backward_filter"]
_MATMUL = OPERATIONS["matmul"]
_REDUCTION = OPERATIONS["reduction"]

#: A number for all spatial dimensions, or one for each.
PerDimension = int | Sequence[int]
#: The same, or for each dimension the numbers before and after it.
Padding = int | Sequence[int] | Sequence[Sequence[int]]


class Linear(Pointwise):
    """Convolutions, matrix products and reductions."""

    def convolution(
        self,
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
            alpha: what the result is multiplied by; cuDNN has 1.
            beta: what is kept of the output's former content; cuDNN has 0.
            settings: see `Settings`.

        Returns:
            The result, (N, K, [D,] [H,] W).

        Raises:
            ShapeMismatchError: filters do not go with the input.
        """
        if type(x) is not Tensor or type(w) is not Tensor:
            self._check_tensors("convolution", x=x, w=w)
        options = _convolution(len(x.shape) - 2, padding, stride, dilation, flip)
        set_scaling(options, alpha, beta)
        return self._single(_FORWARD, {"x": x, "w": w}, options, settings)

    def convolution_backward_data(
        self,
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
            shape: that of the convolution's input. Without it, the smallest that has such a result,
                with as many channels as `groups` filters have.
            groups: the number of groups, where `shape` does not say it.
            padding, stride, dilation, flip, alpha, beta, settings: as for `convolution`.
        """
        if type(dy) is not Tensor or type(w) is not Tensor:
            self._check_tensors("convolution_backward_data", dy=dy, w=w)
        options = _convolution(len(w.shape) - 2, padding, stride, dilation, flip)
        if shape is not None:
            options["shape"] = extents(shape, "shape")
        elif groups != 1:
            options["groups"] = groups
        set_scaling(options, alpha, beta)
        return self._single(_DATA, {"dy": dy, "w": w}, options, settings)

    def convolution_transpose(
        self,
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
        if type(x) is not Tensor or type(w) is not Tensor:
            self._check_tensors("convolution_transpose", x=x, w=w)
        spatial = len(w.shape) - 2
        options = _convolution(spatial, padding, stride, dilation, False)
        options["output_padding"] = per_dimension(output_padding, spatial, "output_padding", 0)
        options["groups"] = groups
        return self._single(_DATA, {"dy": x, "w": w}, options, settings)

    def convolution_backward_filter(
        self,
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
            shape: that of the filters, (K, C / groups, ...).
            padding, stride, dilation, flip, alpha, beta, settings: as for `convolution`.
        """
        if type(x) is not Tensor or type(dy) is not Tensor:
            self._check_tensors("convolution_backward_filter", x=x, dy=dy)
        options = _convolution(len(x.shape) - 2, padding, stride, dilation, flip)
        options["shape"] = extents(shape, "shape")
        set_scaling(options, alpha, beta)
        return self._single(_FILTER, {"x": x, "dy": dy}, options, settings)

    def matmul(
        self,
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
            padding_value: what stands in the result where they end.
            batch_count: how many matrices there are, where strides do not tell.
            settings: see `Settings`.

        Raises:
            ShapeMismatchError: the shapes do not go together.
        """
        if type(a) is not Tensor or type(b) is not Tensor:
            self._check_tensors("matmul", a=a, b=b)
        inputs = {"a": a, "b": b}
        rank = len(a.shape)
        for port, each in (("m", m), ("n", n), ("k", k)):
            if each is not None:
                inputs[port] = self._operand(each, f"matmul {port}", rank, "INT32")
        options: dict[str, Any] = {}
        if batch_count is not None:
            options["batch_count"] = batch_count
        if padding_value is not None:
            options["padding_value"] = padding_value
        return self._single(_MATMUL, inputs, options, settings)

    def reduction(
        self,
        x: Tensor,
        mode: Any = "ADD",
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
            shape: that of the result: the extent 1, or that of the input, in each dimension.
            deterministic: whether the sum must come out the same each time.
            group_offset: a tensor with the first element of each group.
            settings: see `Settings`.
        """
        self._check_tensors("reduction", x=x)
        rank = len(x.shape)
        if shape is None:
            over = range(rank) if dims is None else dims
            chosen = _dimensions(over, rank)
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
                    f"reduction of {x.name} {x.shape}: the shape {wanted} has an extent that is "
                    "neither 1 nor the input's"
                )
        options: dict[str, Any] = {
            "mode": reduction_name(mode),
            "shape": wanted,
        }
        if deterministic is not None:
            options["deterministic"] = bool(deterministic)
        inputs = {"x": x}
        if group_offset is not None:
            inputs["group_offset"] = group_offset
        return self._single(_REDUCTION, inputs, options, settings)

    # Helpers

    def _check_tensors(self, what: str, **tensors: Any) -> None:
        for port, each in tensors.items():
            if type(each) is not Tensor:
                raise no_operand(each, f"{what} {port}", "a tensor")

    def _single(
        self, operation: Any, inputs: dict[str, Tensor], options: dict[str, Any], settings: Any
    ) -> Tensor:
        """Add a node and return its one result."""
        port = operation.outputs[0].name
        if settings:
            node = self._with_settings(operation, inputs, options, (port,), settings)
        else:
            node = self.add_node(operation, inputs, options, None, (port,))
        return node.outputs[port]

    def _with_settings(
        self,
        operation: Any,
        inputs: dict[str, Tensor],
        options: dict[str, Any],
        results: Sequence[str],
        settings: Any,
    ) -> Node:
        """Add a node with several results."""
        for name in settings:
            if name not in SETTINGS:
                raise unknown_argument(self, operation.kind, name)
        compute = settings.pop("compute_data_type", None)
        if compute is not None:
            options["compute_data_type"] = data_type_name(compute)
        return self.add_node(operation, inputs, options, results=results, **settings)


def set_scaling(options: dict[str, Any], alpha: float | None, beta: float | None) -> None:
    """Set the factors of a result, and of what was there before, where they are given."""
    if alpha is not None:
        options["alpha"] = float(alpha)
    if beta is not None:
        options["beta"] = float(beta)


def _convolution(
    spatial: int, padding: Any, stride: Any, dilation: Any, flip: bool
) -> dict[str, Any]:
    try:
        return _convolution_options(spatial, padding, stride, dilation, flip).copy()
    except TypeError:  # a list
        return _convolution_options.__wrapped__(spatial, padding, stride, dilation, flip)


@lru_cache(1024)
def _convolution_options(
    spatial: int, padding: Any, stride: Any, dilation: Any, flip: bool
) -> dict[str, Any]:
    before, after = paddings(padding, spatial)
    return {
        "mode": "CONVOLUTION" if flip else "CROSS_CORRELATION",
        "pre_padding": before,
        "post_padding": after,
        "stride": per_dimension(stride, spatial, "stride", 1),
        "dilation": per_dimension(dilation, spatial, "dilation", 1),
    }


def per_dimension(value: Any, count: int, what: str, least: int) -> tuple[int, ...]:
    """Return a number for each spatial dimension."""
    result = extents(each_alike(value, count), what, least)
    if len(result) != count:
        raise errors.ArgumentError(
            f"{what}: expected {count} numbers, one for each spatial dimension, got {value!r}"
        )
    return result


def paddings(value: Any, count: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the padding before and after each spatial dimension."""
    value = each_alike(value, count)
    pairs = [each for each in value if hasattr(each, "__len__")] if is_iterable(value) else []
    if not pairs:
        both = per_dimension(value, count, "padding", 0)
        return both, both
    if not len(pairs) == len(value) == count or any(len(each) != 2 for each in pairs):
        raise errors.ArgumentError(
            f"padding: expected {count} pairs (before, after), got {value!r}"
        )
    before, after = zip(*value, strict=True)
    return extents(before, "padding", 0), extents(after, "padding", 0)


def _dimensions(dims: Any, rank: int) -> frozenset[int]:
    chosen = dims if is_iterable(dims) else (dims,)
    return frozenset(dimension(axis, rank, "dims") for axis in chosen)
