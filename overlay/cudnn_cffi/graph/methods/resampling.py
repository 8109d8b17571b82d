"""Pooling and changes of size."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Literal, Unpack, overload

from ... import errors
from ..arguments import check_tensor, no_operand, paddings, per_dimension
from ..record.enum_words import enumerator, extents
from ..record.operations import OPERATIONS
from ..record.types import Settings
from ..tensors import Tensor
from .adding import add, add_one

if TYPE_CHECKING:
    from ...enum_words import NanPropagationLike, PaddingModeLike, ResampleModeLike
    from ..builder import Builder
    from ..record.types import Options, Padding, PerDimension

_RESAMPLE = OPERATIONS["resample_forward"]
_RESAMPLE_BACKWARD = OPERATIONS["resample_backward"]

#: The padding that suits a mode.
_PADDING_MODES = {"MAXPOOL": "NEG_INF_PAD", "BILINEAR": "EDGE_VAL_PAD", "NEAREST": "EDGE_VAL_PAD"}


class ResampleOptions(Settings, total=False):
    """The options of `resample`, without the one that decides how many results it has."""

    window: PerDimension | None
    stride: PerDimension
    padding: Padding
    shape: Sequence[int] | None
    padding_mode: PaddingModeLike | None
    nan_propagation: NanPropagationLike | None
    alpha: float | None
    beta: float | None


@overload
def resample(
    self: Builder,
    x: Tensor,
    mode: ResampleModeLike,
    *,
    index: Literal[True],
    **options: Unpack[ResampleOptions],
) -> tuple[Tensor, Tensor]: ...
@overload
def resample(
    self: Builder,
    x: Tensor,
    mode: ResampleModeLike,
    *,
    index: Literal[False] = False,
    **options: Unpack[ResampleOptions],
) -> Tensor: ...
def resample(
    self: Builder,
    x: Tensor,
    mode: ResampleModeLike,
    *,
    window: PerDimension | None = None,
    stride: PerDimension = 1,
    padding: Padding = 0,
    shape: Sequence[int] | None = None,
    padding_mode: PaddingModeLike | None = None,
    nan_propagation: NanPropagationLike | None = None,
    index: bool = False,
    alpha: float | None = None,
    beta: float | None = None,
    **settings: Unpack[Settings],
) -> Tensor | tuple[Tensor, Tensor]:
    """Add pooling, or a change of size.

    Args:
        x: the input, (N, C, spatial dimensions).
        mode: MAXPOOL, AVGPOOL_INCLUDE_PADDING, AVGPOOL_EXCLUDE_PADDING, BILINEAR or NEAREST:
            a member of `ResampleMode` or its name.
        window: the extents of the window; by default 2 for BILINEAR, 1 for NEAREST.
        stride: the step of the window.
        padding: on both sides of each dimension, or pairs, as for `convolution`.
        shape: of the result, for a change of size; stride and padding follow from it.
        padding_mode: ZERO_PAD, NEG_INF_PAD or EDGE_VAL_PAD; by default the one for the mode.
        nan_propagation: a member of `NanPropagation` or its name.
        index: whether to return the positions of maxima as well, for `resample_backward`: INT8,
            or INT32 where windows have more than 128 elements.
        alpha, beta: as for `convolution`.
        settings: see `Settings`.

    Returns:
        The result; with `index`, the result and the tensor of positions.
    """
    check_tensor(x, "resample x")
    options = _resampling(x.shape, mode, window, stride, padding, shape, padding_mode)
    if nan_propagation is not None:
        options["nan_propagation"] = enumerator(nan_propagation, "", "NanPropagation")
    given = {"x": x, "alpha": alpha, "beta": beta, "settings": settings}
    if index:
        node = add(self, _RESAMPLE, given, options, ("y", "index"))
        return node.outputs["y"], node.outputs["index"]
    return add_one(self, _RESAMPLE, given, options)


def resample_backward(
    self: Builder,
    dy: Tensor,
    mode: ResampleModeLike,
    *,
    x: Tensor | None = None,
    y: Tensor | None = None,
    index: Tensor | None = None,
    shape: Sequence[int] | None = None,
    window: PerDimension | None = None,
    stride: PerDimension = 1,
    padding: Padding = 0,
    padding_mode: PaddingModeLike | None = None,
    nan_propagation: NanPropagationLike | None = None,
    alpha: float | None = None,
    beta: float | None = None,
    **settings: Unpack[Settings],
) -> Tensor:
    """Add the gradient of `resample` for its input.

    Args:
        dy: the gradient of the result.
        x, y: input and result of the forward operation.
        index: the positions of maxima, which `resample` returned; MAXPOOL needs them. INT8
            holds those of windows with up to 128 elements.
        shape: of the input, unless it follows from `x`.
        mode, window, stride, padding, padding_mode, nan_propagation, alpha, beta, settings: as
            in the forward operation.
    """
    if x is None and shape is None:
        raise errors.ArgumentError("resample_backward: expected x or a shape, got neither")
    if x is not None and type(x) is not Tensor:
        raise no_operand(x, "resample_backward x", "a tensor")
    source = x.shape if x is not None else extents(shape, "shape")
    options = _resampling(source, mode, window, stride, padding, None, padding_mode)
    options["shape"] = source
    if nan_propagation is not None:
        options["nan_propagation"] = enumerator(nan_propagation, "", "NanPropagation")
    return add_one(self, _RESAMPLE_BACKWARD, locals(), options)


def _resampling(
    shape: tuple[int, ...],
    word: ResampleModeLike,
    window: PerDimension | None,
    stride: PerDimension,
    padding: Padding,
    wanted: Sequence[int] | None,
    padding_mode: PaddingModeLike | None,
) -> Options:
    """Return the options of windows, or of a change to the wanted shape."""
    mode = enumerator(word, "RESAMPLE_", "ResampleMode")
    spatial = len(shape) - 2
    if window is None:
        if mode not in ("BILINEAR", "NEAREST"):
            raise errors.ArgumentError(f"resample {mode}: expected a window")
        window = 2 if mode == "BILINEAR" else 1
    options: Options = {"mode": mode}
    if wanted is not None:
        if (stride, padding) != (1, 0):
            raise errors.ArgumentError(
                f"resample {mode}: expected a shape, or stride and padding, got both"
            )
        result = extents(wanted, "shape")
        if len(result) != len(shape) or result[:2] != shape[:2]:
            raise errors.ShapeMismatchError(
                f"resample of {shape}: the shape {result} has another rank, batch or channels"
            )
        steps = [Fraction(a, b) for a, b in zip(shape[2:], result[2:], strict=True)]
        windows = per_dimension(window, spatial, "window", 1)
        # The one padding that engines take: pixel i of the result is at i * step of the input.
        before = [Fraction(1, 2) if mode == "BILINEAR" else Fraction(0)] * spatial
        after = [
            (n - 1) * step + w - extent - low
            for n, step, w, extent, low in zip(
                result[2:], steps, windows, shape[2:], before, strict=True
            )
        ]
        options["pre_padding"], options["post_padding"] = _fractions(before), _fractions(after)
        options["stride"], options["shape"] = _fractions(steps), result
    else:
        options["pre_padding"], options["post_padding"] = paddings(padding, spatial)
        options["stride"] = per_dimension(stride, spatial, "stride", 1)
    options["window"] = per_dimension(window, spatial, "window", 1)
    usual = _PADDING_MODES.get(mode, "ZERO_PAD")
    options["padding_mode"] = enumerator(padding_mode or usual, "", "PaddingMode")
    return options


def _fractions(values: list[Fraction]) -> tuple[tuple[int, int], ...]:
    return tuple((each.numerator, each.denominator) for each in values)
