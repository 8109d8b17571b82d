"""Normalizations and their gradients: batch, layer, RMS and instance norm."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

from .. import arrays, errors
from .._lookup import calls
from ..choice.policy import Rule
from ..descriptors import TensorDescriptor
from .classic import Classic, describe, operands_of
from .convolution import _laid_out
from .drafts import Draft
from .operation import Case, Operation, Unfit, blend, shared, split
from .specs import Spec, per_channel, widened

__all__ = [
    "BatchNorm",
    "BatchNormBackward",
    "BatchNormInference",
    "InstanceNorm",
    "InstanceNormBackward",
    "LayerNorm",
    "LayerNormBackward",
    "NormGradients",
    "NormResults",
    "RMSNorm",
    "RMSNormBackward",
    "batch_norm",
    "batch_norm_backward",
    "batch_norm_inference",
    "instance_norm",
    "instance_norm_backward",
    "layer_norm",
    "layer_norm_backward",
    "rms_norm",
    "rms_norm_backward",
]


class NormResults(NamedTuple):
    """What a normalization returns in training; None where it has none of that.

    Attributes:
        y: the normalized input.
        mean: of what was normalized together.
        inv_variance: 1 / sqrt(variance + epsilon).
    """

    y: Any
    mean: Any
    inv_variance: Any


class NormGradients(NamedTuple):
    """The gradients of a normalization; None where it has none of that."""

    x: Any
    scale: Any
    bias: Any


_BATCH_MODES = {
    "spatial": "SPATIAL",
    "per_activation": "PER_ACTIVATION",
    "spatial_persistent": "SPATIAL_PERSISTENT",
}


def _epsilon(value: Any) -> float:
    if not isinstance(value, (int, float)) or not value >= 0:
        raise errors.ArgumentError(f"epsilon: a number of 0 or more was expected, {value!r} came")
    return float(value)


def _parameter_type(x: Spec) -> str:
    """Return the data type of statistics, and of what batch norm multiplies by and adds."""
    return "float64" if x.dtype == "float64" else "float32"


class _BatchNorm(Operation):
    """What batch normalization, its inference and its gradient share."""

    ways = ("classic", "graph")

    def __init__(
        self, mode: str = "spatial", *, epsilon: float = 1e-5, choose: Any = None, **more: Any
    ) -> None:
        word = str(getattr(mode, "name", mode)).lower()
        if word not in _BATCH_MODES:
            raise errors.ArgumentError(
                f"mode: {mode!r} is none", hint=f"one of {', '.join(_BATCH_MODES)}"
            )
        super().__init__(choose, mode=word, epsilon=_epsilon(epsilon), **more)

    def _check(self, case: Case, *names: str) -> tuple[Spec, Spec]:
        """Return the input, and what a parameter looks like where none is given."""
        x = case.inputs["x"]
        if not 2 <= len(x.shape) <= 5:
            raise errors.ArgumentError(f"x: 2 to 5 axes were expected, {len(x.shape)} came")
        wanted = self._shape(x)
        kind = _parameter_type(x)
        for name in names:
            each = case.inputs.get(name)
            if each is None:
                continue
            if each.dtype != kind:
                raise errors.ArgumentError(f"{name}: {kind} was expected, {each.dtype} came")
            if self.options["mode"] == "per_activation":
                fits = each.shape in (wanted, (1, *wanted))
            else:
                fits = sorted(n for n in each.shape if n > 1) == [n for n in wanted if n > 1]
            if not fits:
                raise errors.ShapeMismatchError(
                    f"{name}: the shape {wanted} was expected, {each.shape} came"
                )
        dy = case.inputs.get("dy")
        if dy is not None and (dy.shape, dy.dtype) != (x.shape, x.dtype):
            raise errors.ShapeMismatchError(f"dy: {x} was expected, {dy} came")
        return x, Spec(kind, wanted, arrays.packed_strides(wanted), x.device)

    def _shape(self, x: Spec) -> tuple[int, ...]:
        """Return the shape of statistics and parameters."""
        return x.shape[1:] if self.options["mode"] == "per_activation" else (x.shape[1],)

    def _graph_parameter(self, draft: Draft, name: str, axes: int) -> Any:
        return draft.input(name, per_channel(draft.inputs[name], axes))

    def _only_spatial(self) -> None:
        if self.options["mode"] == "per_activation":
            raise Unfit("graphs normalize over batch and spatial axes only")

    def _descriptors(self, case: Case) -> dict[str, Any]:
        specs = {**case.inputs, **case.outputs}
        x = specs["x"]
        prefer = "NHWC" if x.layout == "NHWC" else "NCHW"
        found: dict[str, Any] = {
            name: describe(widened(specs[name], True), prefer)
            for name in ("x", "dy", "y", "dx")
            if name in specs
        }
        mode = _BATCH_MODES[self.options["mode"]]
        found["parameters"] = TensorDescriptor.for_batch_norm(found["x"], mode)
        found["mode"] = arrays.member("BatchNormMode", mode)
        for name, spec in specs.items():
            if name in ("x", "dy", "y", "dx") or spec.is_dense:
                continue
            raise Unfit(f"{name} has gaps between its elements")
        return found


class BatchNorm(_BatchNorm):
    """Batch normalization in training: y = scale * (x - mean) / sqrt(variance + epsilon) + bias."""

    word = "batch_norm"
    takes = ("x", "scale", "bias", "running_mean", "running_variance")
    optional = frozenset({"running_mean", "running_variance"})
    gives = ("y", "mean", "inv_variance")

    def __init__(
        self,
        mode: str = "spatial",
        *,
        epsilon: float = 1e-5,
        momentum: float = 0.1,
        choose: Any = None,
    ) -> None:
        """Make a batch normalization.

        Args:
            mode: "spatial": statistics for each channel; "spatial_persistent": the same, faster,
                which may overflow in float16; "per_activation": statistics for each element.
            epsilon: added to the variance.
            momentum: the weight of this batch in the running statistics.
            choose: how it is computed; see `cudnn_cffi.choice`.
        """
        super().__init__(mode, epsilon=epsilon, choose=choose, momentum=float(momentum))

    def __call__(
        self, x: Any, scale: Any, bias: Any, running_mean: Any = None,
        running_variance: Any = None, *, out: Any = None, alpha: float = 1.0, beta: float = 0.0,
        handle: Any = None, stream: Any = ..., choose: Any = None,
    ) -> NormResults:  # fmt: skip
        """Normalize, and update the running statistics in place.

        Args:
            x: (N, C, ...).
            scale, bias: (C,), float32, or float64 with such an `x`; with "per_activation" the
                shape of `x` without N.
            running_mean, running_variance: statistics of former batches, which become
                (1 - momentum) * old + momentum * new; the variance is that of the sample.
            out: `y`, or a tuple of outputs, with None for those to be made.
            alpha, beta, handle, stream, choose: as for `Convolution`.

        Returns: `y`, and `mean` and `inv_variance`, which the gradient needs.
        """
        if (running_mean is None) != (running_variance is None):
            raise errors.ArgumentError(
                "running_mean and running_variance were expected together, one came"
            )
        return NormResults(
            *self.run(
                (x, scale, bias, running_mean, running_variance), out, handle, stream, choose,
                alpha, beta, (), running_mean is None,
            )
        )  # fmt: skip

    def results(self, case: Case) -> dict[str, Spec]:
        """Return what the outputs are."""
        x, parameter = self._check(case, "scale", "bias", "running_mean", "running_variance")
        return {"y": _laid_out(x.shape, x), "mean": parameter, "inv_variance": parameter}

    def graph(self, case: Case, draft: Draft) -> None:
        """Add a normalization node."""
        self._only_spatial()
        if "running_mean" in case.inputs:
            raise Unfit("a graph writes running statistics to arrays of their own, not in place")
        x, y = widened(case.inputs["x"], True), widened(case.outputs["y"], True)
        axes = len(x.shape)
        made = draft.graph.batch_norm(
            draft.input("x", x), self._graph_parameter(draft, "scale", axes),
            self._graph_parameter(draft, "bias", axes), epsilon=self.options["epsilon"],
        )  # fmt: skip
        draft.output(blend(case, draft, made.y, y), "y", y)
        for name in ("mean", "inv_variance"):
            draft.output(getattr(made, name), name, per_channel(case.outputs[name], axes))

    def classic(self, case: Case, rule: Rule, handle: Any) -> Classic:
        """Return the call of `cudnnBatchNormalizationForwardTraining`."""
        found = self._descriptors(case)
        call = calls.cudnnBatchNormalizationForwardTraining
        x, y, parameters, mode = (found[name] for name in ("x", "y", "parameters", "mode"))
        epsilon, momentum = self.options["epsilon"], self.options["momentum"]
        alpha, beta, running = case.alpha, case.beta, "running_mean" in case.inputs

        def run(handle: Any, _scratch: int, _room: int, *a: int) -> None:
            mean, variance = (a[3], a[4]) if running else (0, 0)
            factor = momentum if running else 0.0
            call(
                handle, mode, alpha, beta, x, a[0], y, a[-3], parameters, a[1], a[2], factor,
                mean or None, variance or None, epsilon, a[-2], a[-1],
            )  # fmt: skip

        operands = operands_of(case.inputs, case.outputs)
        return Classic(call.__name__, operands, run, algorithm=mode.name)

    def backward(
        self, dy: Any, x: Any, scale: Any, mean: Any = None, inv_variance: Any = None, **call: Any
    ) -> NormGradients:
        """Return the gradients; see `BatchNormBackward`."""
        settings = {"mode": self.options["mode"], "epsilon": self.options["epsilon"]}
        if self.policy is not None:
            settings["choose"] = self.policy
        made: NormGradients = shared(BatchNormBackward, settings)(
            dy, x, scale, mean, inv_variance, **call
        )
        return made


class BatchNormInference(_BatchNorm):
    """Batch normalization with known statistics."""

    word = "batch_norm_inference"
    takes = ("x", "scale", "bias", "mean", "variance")

    def __init__(self, mode: str = "spatial", *, epsilon: float = 1e-5, choose: Any = None) -> None:
        """Make the operation; arguments are those of `BatchNorm`."""
        super().__init__(mode, epsilon=epsilon, choose=choose)

    def __call__(
        self, x: Any, scale: Any, bias: Any, mean: Any, variance: Any, *, out: Any = None,
        alpha: float = 1.0, beta: float = 0.0, handle: Any = None, stream: Any = ...,
        choose: Any = None,
    ) -> Any:  # fmt: skip
        """Return scale * (x - mean) / sqrt(variance + epsilon) + bias.

        Args:
            x, scale, bias: as for `BatchNorm`.
            mean, variance: the running statistics.
            out, alpha, beta, handle, stream, choose: as for `Convolution`.
        """
        return self.run((x, scale, bias, mean, variance), out, handle, stream, choose, alpha, beta)

    def results(self, case: Case) -> dict[str, Spec]:
        """Return what the output is."""
        x, _ = self._check(case, "scale", "bias", "mean", "variance")
        return {"y": _laid_out(x.shape, x)}

    def graph(self, case: Case, draft: Draft) -> None:
        """Add pointwise nodes."""
        self._only_spatial()
        graph = draft.graph
        x, y = widened(case.inputs["x"], True), widened(case.outputs["y"], True)
        axes = len(x.shape)
        source = draft.input("x", x)
        scale, bias, mean, variance = (
            self._graph_parameter(draft, name, axes) for name in self.takes[1:]
        )
        inverse = graph.rsqrt(graph.add(variance, self.options["epsilon"]))
        made = graph.batch_norm_inference(source, mean, inverse, scale, bias)
        draft.output(blend(case, draft, made, y), "y", y)

    def classic(self, case: Case, rule: Rule, handle: Any) -> Classic:
        """Return the call of `cudnnBatchNormalizationForwardInference`."""
        found = self._descriptors(case)
        call = calls.cudnnBatchNormalizationForwardInference
        x, y, parameters, mode = (found[name] for name in ("x", "y", "parameters", "mode"))
        epsilon, alpha, beta = self.options["epsilon"], case.alpha, case.beta

        def run(handle: Any, _scratch: int, _room: int, *a: int) -> None:
            call(
                handle, mode, alpha, beta, x, a[0], y, a[5], parameters, a[1], a[2], a[3], a[4],
                epsilon,
            )  # fmt: skip

        operands = operands_of(case.inputs, case.outputs)
        return Classic(call.__name__, operands, run, algorithm=mode.name)


class BatchNormBackward(_BatchNorm):
    """The gradients of batch normalization for input, scale and bias."""

    word = "batch_norm_backward"
    section = "data"
    takes = ("dy", "x", "scale", "mean", "inv_variance")
    optional = frozenset({"mean", "inv_variance"})
    gives = ("dx", "dscale", "dbias")

    def __init__(self, mode: str = "spatial", *, epsilon: float = 1e-5, choose: Any = None) -> None:
        """Make the operation; arguments are those of `BatchNorm`."""
        super().__init__(mode, epsilon=epsilon, choose=choose)

    def __call__(
        self, dy: Any, x: Any, scale: Any, mean: Any = None, inv_variance: Any = None, *,
        out: Any = None, handle: Any = None, stream: Any = ..., choose: Any = None,
    ) -> NormGradients:  # fmt: skip
        """Compute the gradients.

        Args:
            dy: the gradient of the result.
            x, scale: as in the forward call.
            mean, inv_variance: what it returned; without them they are computed again.
            out: the gradients, with None for those to be made.
            handle, stream, choose: as for `Convolution`.
        """
        if (mean is None) != (inv_variance is None):
            raise errors.ArgumentError("mean and inv_variance were expected together, one came")
        return NormGradients(
            *self.run(
                (dy, x, scale, mean, inv_variance), out, handle, stream, choose, 1.0, 0.0, (),
                mean is None,
            )
        )  # fmt: skip

    def results(self, case: Case) -> dict[str, Spec]:
        """Return what the outputs are."""
        x, parameter = self._check(case, "scale", "mean", "inv_variance")
        return {"dx": _laid_out(x.shape, x), "dscale": parameter, "dbias": parameter}

    def graph(self, case: Case, draft: Draft) -> None:
        """Add a node for the gradients."""
        self._only_spatial()
        if "mean" not in case.inputs:
            raise Unfit("a graph needs mean and inv_variance")
        specs = {**case.inputs, **case.outputs}
        wide = {name: widened(specs[name], True) for name in ("dy", "x", "dx")}
        axes = len(wide["x"].shape)
        made = draft.graph.norm_backward(
            "batch", draft.input("dy", wide["dy"]), draft.input("x", wide["x"]),
            *(self._graph_parameter(draft, name, axes) for name in self.takes[2:]),
        )  # fmt: skip
        draft.output(made.dx, "dx", wide["dx"])
        for name in ("dscale", "dbias"):
            draft.output(getattr(made, name), name, per_channel(case.outputs[name], axes))

    def classic(self, case: Case, rule: Rule, handle: Any) -> Classic:
        """Return the call of `cudnnBatchNormalizationBackward`."""
        found = self._descriptors(case)
        call = calls.cudnnBatchNormalizationBackward
        names = ("x", "dy", "dx", "parameters", "mode")
        x, dy, dx, parameters, mode = (found[name] for name in names)
        epsilon, saved = self.options["epsilon"], "mean" in case.inputs

        def run(handle: Any, _scratch: int, _room: int, *a: int) -> None:
            mean, inverse = (a[3], a[4]) if saved else (None, None)
            call(
                handle, mode, 1.0, 0.0, 1.0, 0.0, x, a[1], dy, a[0], dx, a[-3], parameters, a[2],
                a[-2], a[-1], epsilon, mean, inverse,
            )  # fmt: skip

        operands = operands_of(case.inputs, case.outputs)
        return Classic(call.__name__, operands, run, algorithm=mode.name)


class _Norm(Operation):
    """A normalization that only graphs compute."""

    ways = ("graph",)
    _mode: ClassVar[str] = ""
    _has_mean: ClassVar[bool] = True

    def __init__(self, *, epsilon: float = 1e-5, statistics: bool = False, choose: Any = None):
        """Make a normalization.

        Args:
            epsilon: added to the variance.
            statistics: whether to return what the gradient needs as well: `NormResults`.
            choose: how it is computed; see `cudnn_cffi.choice`.
        """
        super().__init__(choose, epsilon=_epsilon(epsilon), statistics=bool(statistics))

    @property
    def gives(self) -> tuple[str, ...]:  # type: ignore[override]
        """Return the names of the outputs."""
        if not self.options["statistics"]:
            return ("y",)
        return ("y", "mean", "inv_variance") if self._has_mean else ("y", "inv_variance")

    def __call__(
        self, x: Any, scale: Any, bias: Any = None, *, out: Any = None, handle: Any = None,
        stream: Any = ..., choose: Any = None,
    ) -> Any:  # fmt: skip
        """Normalize.

        Args:
            x: the input.
            scale, bias: what the normalized input is multiplied by, and what is added.
            out, handle, stream, choose: as for `Convolution`.

        Returns: the normalized input; with `statistics`, `NormResults`.
        """
        found = self.run((x, scale, bias), out, handle, stream, choose, 1.0, 0.0, (), bias is None)
        if not self.options["statistics"]:
            return found
        return NormResults(*found) if self._has_mean else NormResults(found[0], None, found[1])

    def _views(self, specs: dict[str, Spec]) -> dict[str, Spec]:
        """Return all arrays as the graph sees them."""
        raise NotImplementedError

    def _statistics_shape(self, x: Spec, scale: Spec) -> tuple[int, ...]:
        raise NotImplementedError

    def results(self, case: Case) -> dict[str, Spec]:
        """Return what the outputs are."""
        x, scale = case.inputs["x"], case.inputs["scale"]
        self._check(case.inputs)
        shape = self._statistics_shape(x, scale)
        statistic = Spec(_parameter_type(x), shape, arrays.packed_strides(shape), x.device)
        found = {"y": Spec(x.dtype, x.shape, x.strides, x.device)}
        if not x.is_dense:
            raise errors.ArgumentError("x: an array without gaps was expected")
        if self.options["statistics"]:
            found |= {name: statistic for name in self.gives[1:]}
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
    takes = ("dy", "x", "scale", "mean", "inv_variance")
    gives = ("dx", "dscale", "dbias")
    _mode: ClassVar[str] = ""
    _has_mean: ClassVar[bool] = True

    def __init__(self, *, epsilon: float = 1e-5, choose: Any = None) -> None:
        """Make the operation; arguments are those of the normalization."""
        super().__init__(choose, epsilon=_epsilon(epsilon))

    def __call__(
        self, dy: Any, x: Any, scale: Any, mean: Any, inv_variance: Any, *, out: Any = None,
        handle: Any = None, stream: Any = ..., choose: Any = None,
    ) -> NormGradients:  # fmt: skip
        """Compute the gradients for input, scale and bias.

        Args:
            dy: the gradient of the result.
            x, scale: as in the forward call.
            mean, inv_variance: what it returned with `statistics`.
            out, handle, stream, choose: as for `Convolution`.
        """
        return NormGradients(
            *self.run((dy, x, scale, mean, inv_variance), out, handle, stream, choose)
        )

    _views = _Norm._views
    _check = _Norm._check
    _statistics_shape = _Norm._statistics_shape

    def results(self, case: Case) -> dict[str, Spec]:
        """Return what the outputs are."""
        x, scale = case.inputs["x"], case.inputs["scale"]
        self._check(case.inputs)
        shape = self._statistics_shape(x, scale)
        for name in ("mean", "inv_variance"):
            each = case.inputs.get(name)
            if each is not None and each.shape != shape:
                raise errors.ShapeMismatchError(
                    f"{name}: the shape {shape} was expected, {each.shape} came"
                )
        if case.inputs["dy"].shape != x.shape:
            raise errors.ShapeMismatchError(
                f"dy: the shape {x.shape} was expected, {case.inputs['dy'].shape} came"
            )
        if not x.is_dense or not case.inputs["dy"].is_dense:
            raise errors.ArgumentError("x and dy: arrays without gaps were expected")
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

    def _check(self, specs: dict[str, Spec]) -> None:
        x, scale = specs["x"], specs["scale"]
        own = len(scale.shape)
        if not own or own > len(x.shape) or x.shape[-own:] != scale.shape:
            raise errors.ShapeMismatchError(
                f"scale: the last extents of {x.shape} were expected, {scale.shape} came"
            )
        for name in ("x", "dy", "y", "dx", "scale", "bias"):
            each = specs.get(name)
            if each is None:
                continue
            packed = arrays.packed_strides(each.shape)
            if not arrays.same_strides(each.shape, each.strides, packed):
                raise errors.ArgumentError(f"{name}: a row-major array was expected, {each} came")
            if name == "bias" and each.shape != scale.shape:
                raise errors.ShapeMismatchError(
                    f"bias: the shape {scale.shape} was expected, {each.shape} came"
                )

    def _statistics_shape(self, x: Spec, scale: Spec) -> tuple[int, ...]:
        own = len(scale.shape)
        return x.shape[:-own] + (1,) * own

    def _views(self, specs: dict[str, Spec]) -> dict[str, Spec]:
        count = 1
        for each in specs["scale"].shape:
            count *= each
        rows = 1
        for each in specs["x"].shape:
            rows *= each
        rows //= count
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
    """Layer norm over the axes of `scale`, which are the last ones of `x`."""

    word = "layer_norm"
    takes = ("x", "scale", "bias")
    _mode = "LAYER_NORM"

    def backward(
        self, dy: Any, x: Any, scale: Any, mean: Any, inv_variance: Any, **call: Any
    ) -> Any:
        """Return the gradients; see `LayerNormBackward`."""
        return shared(LayerNormBackward, {"epsilon": self.options["epsilon"]})(
            dy, x, scale, mean, inv_variance, **call
        )


class RMSNorm(_OverTrailing, _Norm):
    """RMS norm over the axes of `scale`: y = x / sqrt(mean of squares + epsilon) * scale + bias."""

    word = "rms_norm"
    takes = ("x", "scale", "bias")
    optional = frozenset({"bias"})
    _mode = "RMS_NORM"
    _has_mean = False

    def backward(self, dy: Any, x: Any, scale: Any, inv_variance: Any, **call: Any) -> Any:
        """Return the gradients; see `RMSNormBackward`."""
        return shared(RMSNormBackward, {"epsilon": self.options["epsilon"]})(
            dy, x, scale, inv_variance, **call
        )


class LayerNormBackward(_OverTrailing, _NormBackward):
    """The gradients of layer norm."""

    word = "layer_norm_backward"
    _mode = "LAYER_NORM"


class RMSNormBackward(_OverTrailing, _NormBackward):
    """The gradients of RMS norm for input and scale, and for a bias where that is asked for."""

    word = "rms_norm_backward"
    takes = ("dy", "x", "scale", "inv_variance")
    _mode = "RMS_NORM"
    _has_mean = False

    def __init__(self, *, epsilon: float = 1e-5, bias: bool = False, choose: Any = None) -> None:
        """Make the operation.

        Args:
            epsilon: as in the forward operation.
            bias: whether to compute the gradient of a bias too.
            choose: how it is computed; see `cudnn_cffi.choice`.
        """
        super().__init__(epsilon=epsilon, choose=choose)
        self.options["bias"] = bool(bias)

    @property
    def gives(self) -> tuple[str, ...]:  # type: ignore[override]
        """Return the names of the outputs."""
        return ("dx", "dscale", "dbias") if self.options["bias"] else ("dx", "dscale")

    def __call__(  # type: ignore[override]
        self, dy: Any, x: Any, scale: Any, inv_variance: Any, *, out: Any = None,
        handle: Any = None, stream: Any = ..., choose: Any = None,
    ) -> NormGradients:  # fmt: skip
        """Compute the gradients; arguments are those of `LayerNormBackward` without the mean."""
        found = self.run((dy, x, scale, inv_variance), out, handle, stream, choose)
        return NormGradients(*found) if len(found) == 3 else NormGradients(*found, None)


class _OverSpatial:
    """Normalizes over the spatial axes of each channel of each example."""

    def _check(self, specs: dict[str, Spec]) -> None:
        x = specs["x"]
        if not 3 <= len(x.shape) <= 5:
            raise errors.ArgumentError(f"x: 3 to 5 axes were expected, {len(x.shape)} came")
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
                    f"{name}: {x.shape[1]} numbers were expected, {count} came"
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
    """Instance norm: over the spatial axes; `scale` and `bias` are (C,)."""

    word = "instance_norm"
    takes = ("x", "scale", "bias")
    _mode = "INSTANCE_NORM"

    def backward(
        self, dy: Any, x: Any, scale: Any, mean: Any, inv_variance: Any, **call: Any
    ) -> Any:
        """Return the gradients; see `InstanceNormBackward`."""
        return shared(InstanceNormBackward, {"epsilon": self.options["epsilon"]})(
            dy, x, scale, mean, inv_variance, **call
        )


class InstanceNormBackward(_OverSpatial, _NormBackward):
    """The gradients of instance norm."""

    word = "instance_norm_backward"
    _mode = "INSTANCE_NORM"


def batch_norm(
    x: Any, scale: Any, bias: Any, running_mean: Any = None, running_variance: Any = None,
    **arguments: Any,
) -> Any:  # fmt: skip
    """Normalize in training; arguments are those of `BatchNorm` and of its call."""
    call, options = split(arguments)
    return shared(BatchNorm, options)(x, scale, bias, running_mean, running_variance, **call)


def batch_norm_inference(
    x: Any, scale: Any, bias: Any, mean: Any, variance: Any, **arguments: Any
) -> Any:
    """Normalize with known statistics; see `BatchNormInference` and its call."""
    call, options = split(arguments)
    return shared(BatchNormInference, options)(x, scale, bias, mean, variance, **call)


def batch_norm_backward(
    dy: Any, x: Any, scale: Any, mean: Any = None, inv_variance: Any = None, **arguments: Any
) -> Any:
    """Return the gradients of batch norm; see `BatchNormBackward` and its call."""
    call, options = split(arguments)
    return shared(BatchNormBackward, options)(dy, x, scale, mean, inv_variance, **call)


def layer_norm(x: Any, scale: Any, bias: Any, **arguments: Any) -> Any:
    """Normalize over the axes of `scale`; arguments are those of `LayerNorm` and of its call."""
    call, options = split(arguments)
    return shared(LayerNorm, options)(x, scale, bias, **call)


def layer_norm_backward(
    dy: Any, x: Any, scale: Any, mean: Any, inv_variance: Any, **arguments: Any
) -> Any:
    """Return the gradients of layer norm; see `LayerNormBackward` and its call."""
    call, options = split(arguments)
    return shared(LayerNormBackward, options)(dy, x, scale, mean, inv_variance, **call)


def rms_norm(x: Any, scale: Any, bias: Any = None, **arguments: Any) -> Any:
    """Normalize by the root of the mean square; see `RMSNorm` and its call."""
    call, options = split(arguments)
    return shared(RMSNorm, options)(x, scale, bias, **call)


def rms_norm_backward(dy: Any, x: Any, scale: Any, inv_variance: Any, **arguments: Any) -> Any:
    """Return the gradients of RMS norm; see `RMSNormBackward` and its call."""
    call, options = split(arguments)
    return shared(RMSNormBackward, options)(dy, x, scale, inv_variance, **call)


def instance_norm(x: Any, scale: Any, bias: Any, **arguments: Any) -> Any:
    """Normalize over the spatial axes; see `InstanceNorm` and its call."""
    call, options = split(arguments)
    return shared(InstanceNorm, options)(x, scale, bias, **call)


def instance_norm_backward(
    dy: Any, x: Any, scale: Any, mean: Any, inv_variance: Any, **arguments: Any
) -> Any:
    """Return the gradients of instance norm; see `InstanceNormBackward` and its call."""
    call, options = split(arguments)
    return shared(InstanceNormBackward, options)(dy, x, scale, mean, inv_variance, **call)
