"""Layer, RMS and instance norm, and their gradients."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from ... import arrays, errors
from ..._operation.functions import function
from ..._operation.operation import Operation
from ..._ways.array_spec import Spec, check_shape, per_channel, widened
from ..._ways.case import Case
from ..._ways.graph_draft import Draft
from .results import NormGradients, NormResults, check_epsilon, parameter_type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Unpack

    from ..._ways.signatures import Array, ArrayT, CallStream, Choose, Handle, Out, WithOut
    from ...graph.record.types import NormWord


class _Norm(Operation):
    """A normalization that only graphs compute."""

    ways = ("graph",)
    _mode: ClassVar[NormWord]
    _has_mean: ClassVar[bool] = True

    def __init__(self, *, epsilon: float = 1e-5, statistics: bool = False, choose: Choose = None):
        """Make a normalization.

        Args:
            epsilon: added to the variance.
            statistics: whether to return what the gradient needs as well: `NormResults`.
            choose: the policy that picks the engine or algorithm; see `cudnn_cffi.choice`.
        """
        super().__init__(choose, epsilon=check_epsilon(epsilon), statistics=statistics)

    @property
    def gives(self) -> tuple[str, ...]:  # type: ignore[override]
        """Return the names of the outputs."""
        if not self.options["statistics"]:
            return ("y",)
        return ("y", "mean", "inv_variance") if self._has_mean else ("y", "inv_variance")

    def __call__(
        self, x: ArrayT, scale: Array, bias: Array | None = None, *, out: Out = None,
        handle: Handle | None = None, stream: CallStream = ..., choose: Choose = None,
    ) -> Any:  # fmt: skip
        """Normalize.

        Args:
            x: the input, without gaps; for instance norm (N, C, ...).
            scale, bias: the factor and the summand of the normalized input. For layer and RMS norm
                they have the last axes of `x`, for instance norm they are (C,).
            out, handle, stream, choose: as for `Convolution`.

        Returns: the normalized input; with `statistics`, `NormResults`.
        """
        found = self.run((x, scale, bias), out, handle, stream, choose)
        if not self.options["statistics"]:
            return found
        return NormResults(*found) if self._has_mean else NormResults(found[0], None, found[1])

    def _views(self, specs: dict[str, Spec]) -> dict[str, Spec]:
        """Return all arrays as the graph sees them."""
        raise NotImplementedError

    def _statistics_shape(self, x: Spec, scale: Spec) -> tuple[int, ...]:
        raise NotImplementedError

    def results(self, case: Case) -> dict[str, Spec]:
        x, scale = case.inputs["x"], case.inputs["scale"]
        self._check(case.inputs)
        shape = self._statistics_shape(x, scale)
        statistic = Spec(parameter_type(x), shape, arrays.packed_strides(shape), x.device)
        found = {"y": Spec(x.dtype, x.shape, x.strides, x.device)}
        if not x.is_dense:
            raise errors.ArgumentError("x: expected an array without gaps")
        if self.options["statistics"]:
            found |= dict.fromkeys(self.gives[1:], statistic)
        return found

    def _check(self, specs: dict[str, Spec]) -> None:
        raise NotImplementedError

    def graph(self, case: Case, draft: Draft) -> None:
        """Add a normalization node."""
        views = self._views({**case.inputs, **case.outputs})
        training = self.options["statistics"]
        bias = draft.input("bias", views["bias"]) if "bias" in case.inputs else None
        made = draft.graph.norm_forward(
            self._mode, "TRAINING" if training else "INFERENCE", draft.input("x", views["x"]),
            scale=draft.input("scale", views["scale"]), bias=bias,
            epsilon=self.options["epsilon"],
        )  # fmt: skip
        draft.output(made.y, "y", views["y"])
        for name in self.gives[1:]:
            draft.output(getattr(made, name), name, views[name])


class _NormBackward(Operation):
    """The gradients of a normalization that only graphs compute."""

    section = "data"
    ways = ("graph",)
    sums = True
    gives: tuple[str, ...] = ("dx", "dscale", "dbias")
    _mode: ClassVar[NormWord]
    _has_mean: ClassVar[bool] = True

    def __init__(self, *, epsilon: float = 1e-5, choose: Choose = None) -> None:
        """Make the operation.

        Args:
            epsilon: added to the variance, as in the forward operation.
            choose: the policy that picks the engine or algorithm; see `cudnn_cffi.choice`.
        """
        super().__init__(choose, epsilon=check_epsilon(epsilon))

    def __call__(
        self, dy: ArrayT, x: Array, scale: Array, mean: Array, inv_variance: Array, *,
        out: Out = None, handle: Handle | None = None, stream: CallStream = ...,
        choose: Choose = None,
    ) -> NormGradients[ArrayT]:  # fmt: skip
        """Compute the gradients for input, scale and bias.

        Args:
            dy: the gradient of the result.
            x, scale: as in the forward call.
            mean, inv_variance: returned by the forward call with `statistics`.
            out: the gradients, with None for those to be made.
            handle, stream, choose: as for `Convolution`.
        """
        return NormGradients(
            *self.run((dy, x, scale, mean, inv_variance), out, handle, stream, choose)
        )

    def _views(self, specs: dict[str, Spec]) -> dict[str, Spec]:
        raise NotImplementedError

    def _check(self, specs: dict[str, Spec]) -> None:
        raise NotImplementedError

    def _statistics_shape(self, x: Spec, scale: Spec) -> tuple[int, ...]:
        raise NotImplementedError

    def results(self, case: Case) -> dict[str, Spec]:
        x, scale = case.inputs["x"], case.inputs["scale"]
        self._check(case.inputs)
        shape = self._statistics_shape(x, scale)
        for name in ("mean", "inv_variance"):
            each = case.inputs.get(name)
            if each is not None:
                check_shape(each, shape, name)
        check_shape(case.inputs["dy"], x.shape, "dy")
        if not x.is_dense or not case.inputs["dy"].is_dense:
            raise errors.ArgumentError("x and dy: expected arrays without gaps")
        parameter = Spec(scale.dtype, scale.shape, scale.strides, x.device)
        found = {"dx": Spec(x.dtype, x.shape, x.strides, x.device), "dscale": parameter}
        if "dbias" in self.gives:
            found["dbias"] = parameter
        return found

    def graph(self, case: Case, draft: Draft) -> None:
        """Add a node for the gradients."""
        views = self._views({**case.inputs, **case.outputs})
        mean = draft.input("mean", views["mean"]) if self._has_mean else None
        made = draft.graph.norm_backward(
            self._mode, draft.input("dy", views["dy"]), draft.input("x", views["x"]),
            draft.input("scale", views["scale"]), mean,
            draft.input("inv_variance", views["inv_variance"]), bias="dbias" in self.gives,
        )  # fmt: skip
        for name in self.gives:
            draft.output(getattr(made, name), name, views[name])


class _OverTrailing:
    """Normalizes over the last axes: those that the scale has."""

    #: The graph sees all of them as rows.
    in_c_order: ClassVar[frozenset[str]] = frozenset(
        ("x", "dy", "y", "dx", "scale", "bias", "mean", "inv_variance", "dscale", "dbias")
    )

    def _check(self, specs: dict[str, Spec]) -> None:
        x, scale = specs["x"], specs["scale"]
        own = len(scale.shape)
        if not own or own > len(x.shape) or x.shape[-own:] != scale.shape:
            raise errors.ShapeMismatchError(
                f"scale: expected the last extents of {x.shape}, got {scale.shape}"
            )
        bias = specs.get("bias")
        if bias is not None:
            check_shape(bias, scale.shape, "bias")

    def _statistics_shape(self, x: Spec, scale: Spec) -> tuple[int, ...]:
        own = len(scale.shape)
        return x.shape[:-own] + (1,) * own

    def _views(self, specs: dict[str, Spec]) -> dict[str, Spec]:
        count = math.prod(specs["scale"].shape)
        rows = math.prod(specs["x"].shape) // count
        views = {}
        for name, spec in specs.items():
            if name in ("x", "y", "dy", "dx"):
                shape = (rows, count, 1, 1)
            elif name in ("mean", "inv_variance"):
                shape = (rows, 1, 1, 1)
            else:
                shape = (1, count, 1, 1)
            inner = shape[1]
            views[name] = spec._replace(shape=shape, strides=(inner, 1, inner, inner))
        return views


class LayerNorm(_OverTrailing, _Norm):
    """Layer norm over the axes of `scale`, which are the last ones of `x`.

    Formula: as `batch_norm`, over the axes of `scale`, the last ones of x
    Arrays: row-major
    """

    word = "layer_norm"
    by = "a graph (NORM_FORWARD)"
    gradient = ("layer_norm_backward",)
    optional = frozenset()
    _mode = "LAYER_NORM"

    def backward(
        self,
        dy: ArrayT,
        x: Array,
        scale: Array,
        mean: Array,
        inv_variance: Array,
        **call: Unpack[WithOut],
    ) -> NormGradients[ArrayT]:
        """Return the gradients; see `LayerNormBackward`."""
        backward = self._like(LayerNormBackward, epsilon=self.options["epsilon"])
        return backward(dy, x, scale, mean, inv_variance, **call)


class RMSNorm(_OverTrailing, _Norm):
    """RMS norm over the axes of `scale`: y = x / sqrt(mean of squares + epsilon) * scale + bias.

    Formula: x / sqrt(mean of squares + epsilon) scale + bias, over the axes of `scale`, the last
        ones of x
    Arrays: row-major; bias optional
    Edges: a row with an infinity: finite elements give 0 (PyTorch: NaN)
    """

    word = "rms_norm"
    by = "a graph (NORM_FORWARD)"
    gradient = ("rms_norm_backward",)
    _mode = "RMS_NORM"
    _has_mean = False

    def backward(
        self,
        dy: ArrayT,
        x: Array,
        scale: Array,
        inv_variance: Array,
        *,
        bias: bool = False,
        **call: Unpack[WithOut],
    ) -> NormGradients[ArrayT]:
        """Return the gradients; see `RMSNormBackward`, also for `bias`."""
        backward = self._like(RMSNormBackward, epsilon=self.options["epsilon"], bias=bias)
        return backward(dy, x, scale, inv_variance, **call)


class LayerNormBackward(_OverTrailing, _NormBackward):
    """The gradients of layer norm.

    Formula: as `batch_norm_backward`
    Arrays: dy, x, scale, and the statistics of the forward call
    Edges: one or two elements in a row: rounding errors of dy / sqrt(variance + epsilon) in place
        of 0
    """

    word = "layer_norm_backward"
    by = "a graph (NORM_BACKWARD)"
    _mode = "LAYER_NORM"


class RMSNormBackward(_OverTrailing, _NormBackward):
    """The gradients of RMS norm for input and scale, and for a bias where that is asked for.

    Formula: as `batch_norm_backward`, with a mean of 0, and without the mean of dy
    Arrays: dy, x, scale, and the statistics of the forward call
    Edges: one element in a row: rounding errors of dy / sqrt(variance + epsilon) in place of 0
    """

    word = "rms_norm_backward"
    by = "a graph (NORM_BACKWARD)"
    _mode = "RMS_NORM"
    _has_mean = False

    def __init__(self, *, epsilon: float = 1e-5, bias: bool = False, choose: Choose = None) -> None:
        """Make the operation.

        Args:
            epsilon: as in the forward operation.
            bias: whether to compute the gradient of a bias too.
            choose: the policy that picks the engine or algorithm; see `cudnn_cffi.choice`.
        """
        super().__init__(epsilon=epsilon, choose=choose)
        self.options = {**self.options, "bias": bias}

    @property
    def gives(self) -> tuple[str, ...]:  # type: ignore[override]
        """Return the names of the outputs."""
        return ("dx", "dscale", "dbias") if self.options["bias"] else ("dx", "dscale")

    def __call__(  # type: ignore[override]
        self, dy: ArrayT, x: Array, scale: Array, inv_variance: Array, *, out: Out = None,
        handle: Handle | None = None, stream: CallStream = ..., choose: Choose = None,
    ) -> NormGradients[ArrayT]:  # fmt: skip
        """Compute the gradients for input and scale, and for a bias where that is asked for.

        Args:
            dy: the gradient of the result.
            x, scale: as in the forward call.
            inv_variance: returned by the forward call with `statistics`.
            out, handle, stream, choose: as for `Convolution`.
        """
        found = self.run((dy, x, scale, inv_variance), out, handle, stream, choose)
        return NormGradients(found[0], found[1], found[2] if len(found) == 3 else None)


class _OverSpatial:
    """Normalizes over the spatial axes of each channel of each example."""

    def _check(self, specs: dict[str, Spec]) -> None:
        x = specs["x"]
        if not 3 <= len(x.shape) <= 5:
            raise errors.ArgumentError(f"x: expected 3 to 5 axes, got {len(x.shape)}")
        for name in ("scale", "bias"):
            each = specs.get(name)
            if each is None:
                continue
            try:
                count = per_channel(each).shape[1]
            except errors.ArgumentError as error:
                raise error.replace(message=f"{name}: {error.message}") from None
            if count != x.shape[1]:
                raise errors.ShapeMismatchError(
                    f"{name}: expected {x.shape[1]} numbers, got {count}"
                )

    def _statistics_shape(self, x: Spec, scale: Spec) -> tuple[int, ...]:
        return (*x.shape[:2], *(1,) * (len(x.shape) - 2))

    def _views(self, specs: dict[str, Spec]) -> dict[str, Spec]:
        axes = max(len(specs["x"].shape), 4)
        return {
            name: per_channel(each, axes)
            if name in ("scale", "bias", "dscale", "dbias")
            else widened(each, True)
            for name, each in specs.items()
        }


class InstanceNorm(_OverSpatial, _Norm):
    """Instance norm: over the spatial axes; `scale` and `bias` are (C,).

    Formula: as `batch_norm`, over the spatial axes
    Arrays: scale, bias (C,)
    """

    word = "instance_norm"
    by = "a graph (NORM_FORWARD)"
    gradient = ("instance_norm_backward",)
    optional = frozenset()
    _mode = "INSTANCE_NORM"

    def backward(
        self,
        dy: ArrayT,
        x: Array,
        scale: Array,
        mean: Array,
        inv_variance: Array,
        **call: Unpack[WithOut],
    ) -> NormGradients[ArrayT]:
        """Return the gradients; see `InstanceNormBackward`."""
        backward = self._like(InstanceNormBackward, epsilon=self.options["epsilon"])
        return backward(dy, x, scale, mean, inv_variance, **call)


class InstanceNormBackward(_OverSpatial, _NormBackward):
    """The gradients of instance norm.

    Formula: as `batch_norm_backward`
    Arrays: dy, x, scale, and the statistics of the forward call
    """

    word = "instance_norm_backward"
    by = "a graph (NORM_BACKWARD)"
    _mode = "INSTANCE_NORM"


layer_norm = function(
    LayerNorm,
    summary="Normalize over the axes of `scale`, which are the last ones of `x`.",
)


layer_norm_backward = function(
    LayerNormBackward,
    summary="Return the gradients of layer norm for input, scale and bias.",
)


rms_norm = function(
    RMSNorm,
    summary=(
        "Compute RMS norm over the axes of `scale`, which are the last ones of `x`.\n"
        "\n"
        "y = x / sqrt(mean of squares + epsilon) * scale + bias. In a row with an infinity,\n"
        "finite elements give 0 (PyTorch: NaN)."
    ),
)


rms_norm_backward = function(
    RMSNormBackward,
    summary=("Return the gradients of RMS norm for input and scale, and for a bias on request."),
)


instance_norm = function(
    InstanceNorm,
    summary="Normalize over the spatial axes of each channel and example.",
)


instance_norm_backward = function(
    InstanceNormBackward,
    summary="Return the gradients of instance norm for input, scale and bias.",
)
