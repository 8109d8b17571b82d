"""Pooling and changes of size."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Unpack

from ... import errors
from ..record.enum_words import enumerator, extents
from ..record.operations import OPERATIONS
from ..tensors import Tensor
from .linear import Linear, PerDimension, paddings, per_dimension, set_scaling
from .pointwise import Settings

_RESAMPLE = OPERATIONS["resample_forward"]
_RESAMPLE_BACKWARD = OPERATIONS["resample_backward"]


class Resampling(Linear):
    """Pooling and changes of size."""

    def resample(
        self,
        x: Tensor,
        mode: Any,
        *,
        window: PerDimension | None = None,
        stride: Any = 1,
        padding: Any = 0,
        shape: Sequence[int] | None = None,
        padding_mode: Any = None,
        nan_propagation: Any = None,
        index: bool = False,
        alpha: float | None = None,
        beta: float | None = None,
        **settings: Unpack[Settings],
    ) -> Any:
        """Add pooling, or a change of size.

        Args:
            x: the input, (N, C, spatial dimensions).
            mode: MAXPOOL, AVGPOOL_INCLUDE_PADDING, AVGPOOL_EXCLUDE_PADDING, BILINEAR or NEAREST:
                a member of `ResampleMode` or its name.
            window: the extents of the window; 2 for BILINEAR, 1 for NEAREST without one.
            stride: the step of the window.
            padding: on both sides of each dimension, or pairs, as for `convolution`.
            shape: that of the result, for a change of size; stride and padding follow from it.
            padding_mode: ZERO_PAD, NEG_INF_PAD or EDGE_VAL_PAD; what suits the mode without one.
            nan_propagation: a member of `NanPropagation` or its name.
            index: whether to return the positions of maxima as well, for `resample_backward`: INT8,
                or INT32 where windows have more than 128 elements.
            alpha, beta: as for `convolution`.
            settings: see `Settings`.

        Returns:
            The result; with `index`, the result and the tensor of positions.
        """
        self._check_tensors("resample", x=x)
        inputs = {"x": x}
        options = _resampling(x.shape, mode, window, stride, padding, shape, padding_mode)
        if nan_propagation is not None:
            options["nan_propagation"] = enumerator(nan_propagation, "", "NanPropagation")
        if index:
            set_scaling(options, alpha, beta)
            node = self._with_settings(_RESAMPLE, inputs, options, ("y", "index"), settings)
            return node.outputs["y"], node.outputs["index"]
        set_scaling(options, alpha, beta)
        return self._single(_RESAMPLE, inputs, options, settings)

    def resample_backward(
        self,
        dy: Tensor,
        mode: Any,
        *,
        x: Tensor | None = None,
        y: Tensor | None = None,
        index: Tensor | None = None,
        shape: Sequence[int] | None = None,
        window: PerDimension | None = None,
        stride: Any = 1,
        padding: Any = 0,
        padding_mode: Any = None,
        nan_propagation: Any = None,
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
            shape: that of the input, where `x` does not tell it.
            mode, window, stride, padding, padding_mode, nan_propagation, alpha, beta, settings: as
                in the forward operation.
        """
        optional = {"x": x, "y": y, "index": index}
        known = {port: each for port, each in optional.items() if each is not None}
        self._check_tensors("resample_backward", dy=dy, **known)
        if index is None and enumerator(mode, "RESAMPLE_", "ResampleMode") == "MAXPOOL":
            # Some releases end the process where it is missing, and others have no engine.
            raise errors.ArgumentError("resample_backward MAXPOOL: expected index, got none")
        inputs = {"dy": dy, **known}
        if x is None and shape is None:
            raise errors.ArgumentError("resample_backward: expected x or a shape, got neither")
        source = x.shape if x is not None else extents(shape or (), "shape")
        options = _resampling(source, mode, window, stride, padding, None, padding_mode)
        options["shape"] = source
        if nan_propagation is not None:
            options["nan_propagation"] = enumerator(nan_propagation, "", "NanPropagation")
        set_scaling(options, alpha, beta)
        return self._single(_RESAMPLE_BACKWARD, inputs, options, settings)


def _resampling(
    shape: tuple[int, ...],
    mode: Any,
    window: Any,
    stride: Any,
    padding: Any,
    result: Any,
    padding_mode: Any,
) -> dict[str, Any]:
    mode = enumerator(mode, "RESAMPLE_", "ResampleMode")
    spatial = len(shape) - 2
    if window is None:
        if mode not in ("BILINEAR", "NEAREST"):
            raise errors.ArgumentError(f"resample {mode}: expected a window")
        window = 2 if mode == "BILINEAR" else 1
    options: dict[str, Any] = {"mode": mode}
    if result is not None:
        if (stride, padding) != (1, 0):
            raise errors.ArgumentError(
                f"resample {mode}: expected a shape, or stride and padding, got both"
            )
        result = extents(result, "shape")
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
        options |= {
            "pre_padding": _fractions(before),
            "post_padding": _fractions(after),
            "stride": _fractions(steps),
            "shape": result,
        }
    else:
        before_after = paddings(padding, spatial)
        options |= {
            "pre_padding": before_after[0],
            "post_padding": before_after[1],
            "stride": per_dimension(stride, spatial, "stride", 1),
        }
    options["window"] = per_dimension(window, spatial, "window", 1)
    if padding_mode is None:
        padding_mode = {
            "MAXPOOL": "NEG_INF_PAD",
            "BILINEAR": "EDGE_VAL_PAD",
            "NEAREST": "EDGE_VAL_PAD",
        }.get(mode, "ZERO_PAD")
    options["padding_mode"] = enumerator(padding_mode, "", "PaddingMode")
    return options


def _fractions(values: Any) -> tuple[tuple[int, int], ...]:
    return tuple((each.numerator, each.denominator) for each in values)
