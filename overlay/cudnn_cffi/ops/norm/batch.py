"""Batch normalization: training, inference and gradients."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

from ... import arrays, errors
from ..._lookup import calls, has
from ..._operation.functions import function
from ..._operation.operation import Operation
from ..._support.arguments import reals
from ..._support.wording import no_word
from ..._ways.array_spec import Spec, per_channel, widened
from ..._ways.case import HALVES, Case, Unfit, blend
from ..._ways.classic_call import HANDLE, Classic, Scratch, Step, describe, operands_of
from ..._ways.graph_draft import Draft
from ...choice.policy import Rule
from ...descriptors import TensorDescriptor
from ...errata import asks as errata
from ...errata.record import ALIGNMENT
from ..conv.base import laid_out
from .results import NormGradients, NormResults, check_epsilon, parameter_type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Unpack

    from ..._ways.signatures import (
        Array,
        ArrayT,
        BatchNormWord,
        CallStream,
        Choose,
        Handle,
        Out,
        WithOut,
    )
    from ...enum_words import BatchNormModeLike

_BATCH_MODES: dict[str, BatchNormModeLike] = {
    "spatial": "SPATIAL",
    "per_activation": "PER_ACTIVATION",
    "spatial_persistent": "SPATIAL_PERSISTENT",
}

#: The arrays that are like the input; all others have a number for each channel or activation.
_IMAGES = ("x", "y", "dy", "dx", "residual", "dresidual")


def alignment_for(images: Sequence[Spec], device: int | None) -> int:
    """Return what functions that normalize images want addresses to be multiples of."""
    is_last = any(each.layout == "NHWC" for each in images)
    call: errata.Call = {
        "layout": "NHWC" if is_last else "NCHW",
        "width": arrays.itemsize(images[0].dtype),
    }
    is_wrong = errata.wrong_function("cudnnBatchNormalizationForwardTraining", call, device)
    return ALIGNMENT if is_wrong else 1


def as_images(x: Spec) -> Spec:
    """Return images as cuDNN has them: with channels, and with three spatial axes at most.

    Raises:
        Unfit: spatial axes that are too many do not lie side by side.
    """
    shape, strides = x.shape, x.strides
    if len(shape) == 1:
        shape, strides = (*shape, 1), (*strides, 1)
    while len(shape) > 5:
        if strides[-2] != shape[-1] * strides[-1]:
            raise Unfit(f"expected spatial axes that lie side by side, got {x}")
        shape, strides = (*shape[:-2], shape[-2] * shape[-1]), (*strides[:-2], strides[-1])
    return widened(x._replace(shape=shape, strides=strides), True)


class _BatchNorm(Operation):
    """The base of batch normalization, its inference and its gradient."""

    ways = ("classic", "graph")
    sums = True

    #: Whether parameters and statistics may have the type of images of float16 or bfloat16.
    takes_narrow = False
    updates: ClassVar[tuple[str, ...]] = ("running_mean", "running_variance")

    def __init__(
        self, mode: BatchNormWord = "spatial", *, epsilon: float = 1e-5, choose: Choose = None
    ) -> None:
        """Make the operation.

        Args:
            mode, epsilon: as for `BatchNorm`.
            choose: the policy that picks the engine or algorithm; see `cudnn_cffi.choice`.
        """
        word = str(getattr(mode, "name", mode)).lower().replace("-", "_")
        word = word.removeprefix("cudnn_batchnorm_")
        if word not in _BATCH_MODES:
            raise no_word("mode", mode, "a mode of batch norm", _BATCH_MODES)
        super().__init__(choose, mode=word, epsilon=check_epsilon(epsilon))

    def _check(self, case: Case, *names: str) -> tuple[Spec, Spec]:
        """Return the input, and what a parameter looks like where none is given."""
        x = case.inputs["x"]
        if not x.shape:
            raise errors.ArgumentError("x: expected the axis of the batch, got a number")
        wanted = self._shape(x)
        kind = parameter_type(x)
        kinds = (kind, x.dtype) if self.takes_narrow and x.dtype in HALVES else (kind,)
        for name in names:
            each = case.inputs.get(name)
            if each is None:
                continue
            if each.dtype not in kinds:
                expected = " or ".join(kinds)
                raise errors.ArgumentError(f"{name}: expected {expected}, got {each.dtype}")
            if self.options["mode"] == "per_activation":
                fits = each.shape in (wanted, (1, *wanted))
            else:
                fits = sorted(n for n in each.shape if n > 1) == [n for n in wanted if n > 1]
            if not fits:
                raise errors.ShapeMismatchError(
                    f"{name}: expected the shape {wanted}, got {each.shape}"
                )
        if "running_variance" in case.inputs and math.prod(wanted) == math.prod(x.shape) > 0:
            raise errors.ArgumentError(
                f"x: expected several numbers for each running variance, got {x.shape}"
            )
        dy = case.inputs.get("dy")
        if dy is not None and (dy.shape, dy.dtype) != (x.shape, x.dtype):
            raise errors.ShapeMismatchError(f"dy: expected {x}, got {dy}")
        return x, Spec(kind, wanted, arrays.packed_strides(wanted), x.device)

    def _shape(self, x: Spec) -> tuple[int, ...]:
        """Return the shape of statistics and parameters."""
        is_each = self.options["mode"] == "per_activation"
        return x.shape[1:] if is_each else x.shape[1:2] or (1,)

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
            name: describe(as_images(specs[name]), prefer)
            for name in ("x", "dy", "y", "dx")
            if name in specs
        }
        mode = _BATCH_MODES[self.options["mode"]]
        found["parameters"] = TensorDescriptor.for_batch_norm(found["x"], mode)
        found["mode"] = arrays.member("BatchNormMode", str(mode))
        for name, spec in specs.items():
            if name in _IMAGES or spec.is_in_c_order:
                continue
            raise Unfit(f"{name}: expected an array in C order without gaps, got {spec}")
        return found

    def alignment_of(self, case: Case) -> int:
        """Return what addresses have to be multiples of."""
        images = [e for n, e in (*case.inputs.items(), *case.outputs.items()) if n in _IMAGES]
        return alignment_for(images, self.device_of(case))

    def _has_quick(self, case: Case, rule: Rule, function: str) -> bool:
        """Return whether cuDNN's kernels for channels innermost compute a case in training.

        They take the persistent mode and a workspace; without them that layout is 40 times slower.
        """
        return (
            self.options["mode"] != "per_activation"
            and not rule.keeps_bits
            and all(
                spec.layout == "NHWC"
                for name, spec in (*case.inputs.items(), *case.outputs.items())
                if name in ("x", "dy", "y", "dx")
            )
            and has(function)
        )


class BatchNorm(_BatchNorm):
    """Batch normalization in training: y = scale * (x - mean) / sqrt(variance + epsilon) + bias.

    Formula: scale (x - mean) / sqrt(variance + epsilon) + bias
    Arrays: scale, bias float32 (C,); running statistics in place
    Ways: the graph without running statistics; with channels last
        `cudnnBatchNormalizationForwardTrainingEx` in the persistent mode
    Edges: running statistics where infinities are averaged in float64: NaN (PyTorch: the infinity)
    """

    word = "batch_norm"
    by = "`cudnnBatchNormalizationForwardTraining`, or by a graph (NORM_FORWARD)"
    gradient = ("batch_norm_backward",)
    together = ("running_mean", "running_variance")
    gives: tuple[str, ...] = ("y", "mean", "inv_variance")

    def __init__(
        self,
        mode: BatchNormWord = "spatial",
        *,
        epsilon: float = 1e-5,
        momentum: float = 0.1,
        choose: Choose = None,
    ) -> None:
        """Make a batch normalization.

        Args:
            mode: "spatial": statistics for each channel; "spatial_persistent": the same, faster,
                which may overflow in float16; "per_activation": statistics for each element. With
                channels innermost "spatial" is computed by the persistent kernels, too, as PyTorch
                has it, unless the choice is deterministic.
            epsilon: added to the variance.
            momentum: the weight of this batch in the running statistics.
            choose: the policy that picks the engine or algorithm; see `cudnn_cffi.choice`.
        """
        super().__init__(mode, epsilon=epsilon, choose=choose)
        self.options["momentum"] = reals(momentum=momentum)[0]

    def __call__(
        self, x: ArrayT, scale: Array, bias: Array, running_mean: Array | None = None,
        running_variance: Array | None = None, *, out: Out = None, alpha: float = 1.0,
        beta: float = 0.0, handle: Handle | None = None, stream: CallStream = ...,
        choose: Choose = None,
    ) -> NormResults[ArrayT, ArrayT]:  # fmt: skip
        """Normalize, and update the running statistics in place.

        Args:
            x: (N, C, ...).
            scale, bias: (C,), float32, or float64 if `x` is; with "per_activation" the shape of
                `x` without N.
            running_mean, running_variance: statistics of former batches, which become
                (1 - momentum) * old + momentum * new; the variance is that of the sample.
            out: `y`, or a tuple of outputs, with None for those to be made.
            alpha, beta, handle, stream, choose: as for `Convolution`.

        Returns: `y`, and `mean` and `inv_variance`, which the gradient needs.
        """
        given = (x, scale, bias, running_mean, running_variance)
        return NormResults(*self.run(given, out, handle, stream, choose, alpha, beta))

    def results(self, case: Case) -> dict[str, Spec]:
        x, parameter = self._check(case, "scale", "bias", "running_mean", "running_variance")
        return {"y": laid_out(x.shape, x), "mean": parameter, "inv_variance": parameter}

    def graph(self, case: Case, draft: Draft) -> None:
        """Add a normalization node."""
        self._only_spatial()
        if "running_mean" in case.inputs:
            raise Unfit("a graph writes running statistics to arrays of their own, not in place")
        x, y = as_images(case.inputs["x"]), as_images(case.outputs["y"])
        axes = len(x.shape)
        made = draft.graph.batch_norm(
            draft.input("x", x), self._graph_parameter(draft, "scale", axes),
            self._graph_parameter(draft, "bias", axes), epsilon=self.options["epsilon"],
        )  # fmt: skip
        draft.output(blend(case, draft, made.y, y), "y", y)
        for name in ("mean", "inv_variance"):
            draft.output(getattr(made, name), name, per_channel(case.outputs[name], axes))

    def classic(self, case: Case, rule: Rule, handle: Handle) -> Classic:
        """Return the call of `cudnnBatchNormalizationForwardTraining`."""
        found = self._descriptors(case)
        name = "cudnnBatchNormalizationForwardTraining"
        x, y, parameters, mode = (found[each] for each in ("x", "y", "parameters", "mode"))
        epsilon, momentum = self.options["epsilon"], self.options["momentum"]
        alpha, beta, running = case.alpha, case.beta, "running_mean" in case.inputs

        factor = momentum if running else 0.0
        averages = ("running_mean", "running_variance") if running else (None, None)
        if self._has_quick(case, rule, f"{name}Ex"):
            mode, plain = _persistent()
            room = calls.cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize
            size = _whole(room(handle, mode, plain, x, None, y, parameters, None))
            reserve = calls.cudnnGetBatchNormalizationTrainingExReserveSpaceSize
            kept = reserve(handle, mode, plain, None, x)  # nothing that is fused has to be kept
            step = Step(
                f"{name}Ex", HANDLE, mode, plain, alpha, beta, x, "x", None, None, y, "y",
                parameters, "scale", "bias", factor, *averages, epsilon, "mean", "inv_variance",
                None, Scratch(), size, Scratch(size), kept,
            )  # fmt: skip
            operands = operands_of(case.inputs, case.outputs, self.alignment_of(case))
            return Classic(
                step.function,
                operands,
                [step],
                workspace_size=size + kept,
                algorithm=mode.name,
                changes=self.updates,
            )
        step = Step(
            name, HANDLE, mode, alpha, beta, x, "x", y, "y", parameters, "scale", "bias", factor,
            *averages, epsilon, "mean", "inv_variance",
        )  # fmt: skip
        operands = operands_of(case.inputs, case.outputs, self.alignment_of(case))
        return Classic(name, operands, [step], algorithm=mode.name, changes=self.updates)

    def backward(
        self,
        dy: ArrayT,
        x: Array,
        scale: Array,
        mean: Array | None = None,
        inv_variance: Array | None = None,
        **call: Unpack[WithOut],
    ) -> NormGradients[ArrayT]:
        """Return the gradients; see `BatchNormBackward`."""
        settings = {"mode": self.options["mode"], "epsilon": self.options["epsilon"]}
        backward = self._like(BatchNormBackward, **settings)
        return backward(dy, x, scale, mean, inv_variance, **call)


class BatchNormBackward(_BatchNorm):
    """The gradients of batch normalization for input, scale and bias.

    Formula: with n = (x - mean) inv_variance: dx = scale inv_variance (dy - mean of dy - n mean of
        dy n), dscale = sum of dy n, dbias = sum of dy
    Arrays: dy, x, scale, mean, inv_variance
    Ways: with channels last `cudnnBatchNormalizationBackwardEx`
    """

    word = "batch_norm_backward"
    by = "`cudnnBatchNormalizationBackward`, or by a graph (NORM_BACKWARD)"
    section = "data"
    together = ("mean", "inv_variance")
    gives: tuple[str, ...] = ("dx", "dscale", "dbias")

    def __call__(
        self, dy: ArrayT, x: Array, scale: Array, mean: Array | None = None,
        inv_variance: Array | None = None, *, out: Out = None, handle: Handle | None = None,
        stream: CallStream = ..., choose: Choose = None,
    ) -> NormGradients[ArrayT]:  # fmt: skip
        """Compute the gradients.

        Args:
            dy: the gradient of the result.
            x, scale: as in the forward call.
            mean, inv_variance: returned by the forward call; by default computed again.
            out: the gradients, with None for those to be made.
            handle, stream, choose: as for `Convolution`.
        """
        given = (dy, x, scale, mean, inv_variance)
        return NormGradients(*self.run(given, out, handle, stream, choose))

    def results(self, case: Case) -> dict[str, Spec]:
        x, parameter = self._check(case, "scale", "mean", "inv_variance")
        return {"dx": laid_out(x.shape, x), "dscale": parameter, "dbias": parameter}

    def graph(self, case: Case, draft: Draft) -> None:
        """Add a node for the gradients."""
        self._only_spatial()
        if "mean" not in case.inputs:
            raise Unfit("a graph needs mean and inv_variance")
        specs = {**case.inputs, **case.outputs}
        wide = {name: as_images(specs[name]) for name in ("dy", "x", "dx")}
        axes = len(wide["x"].shape)
        made = draft.graph.norm_backward(
            "batch", draft.input("dy", wide["dy"]), draft.input("x", wide["x"]),
            *(self._graph_parameter(draft, name, axes) for name in self.takes[2:]),
        )  # fmt: skip
        draft.output(made.dx, "dx", wide["dx"])
        for name in ("dscale", "dbias"):
            draft.output(getattr(made, name), name, per_channel(case.outputs[name], axes))

    def classic(self, case: Case, rule: Rule, handle: Handle) -> Classic:
        """Return the call of `cudnnBatchNormalizationBackward`."""
        found = self._descriptors(case)
        name = "cudnnBatchNormalizationBackward"
        names = ("x", "dy", "dx", "parameters", "mode")
        x, dy, dx, parameters, mode = (found[each] for each in names)
        epsilon, saved = self.options["epsilon"], "mean" in case.inputs

        statistics = ("mean", "inv_variance") if saved else (None, None)
        if self._has_quick(case, rule, f"{name}Ex"):
            mode, plain = _persistent()
            reserve = calls.cudnnGetBatchNormalizationTrainingExReserveSpaceSize
            if reserve(handle, mode, plain, None, x):
                raise Unfit(f"{name}Ex reads what the forward call kept")
            room = calls.cudnnGetBatchNormalizationBackwardExWorkspaceSize
            size = _whole(room(handle, mode, plain, x, None, dy, None, dx, parameters, None))
            step = Step(
                f"{name}Ex", HANDLE, mode, plain, 1.0, 0.0, 1.0, 0.0, x, "x", None, None, dy, "dy",
                None, None, dx, "dx", parameters, "scale", None, "dscale", "dbias", epsilon,
                *statistics, None, Scratch(), size, None, 0,
            )  # fmt: skip
            operands = operands_of(case.inputs, case.outputs, self.alignment_of(case))
            return Classic(
                step.function, operands, [step], workspace_size=size, algorithm=mode.name
            )
        step = Step(
            name, HANDLE, mode, 1.0, 0.0, 1.0, 0.0, x, "x", dy, "dy", dx, "dx", parameters,
            "scale", "dscale", "dbias", epsilon, *statistics,
        )  # fmt: skip
        operands = operands_of(case.inputs, case.outputs, self.alignment_of(case))
        return Classic(name, operands, [step], algorithm=mode.name)


def _persistent() -> tuple[Any, Any]:
    """Return the mode of the kernels for channels innermost, and that nothing is fused."""
    return (
        arrays.member("BatchNormMode", "SPATIAL_PERSISTENT"),
        arrays.member("BatchNormOps", "BN"),
    )


def _whole(size: int) -> int:
    """Return a size at which other memory may begin."""
    return -(-size // 256) * 256


batch_norm = function(
    BatchNorm,
    summary=("Normalize in training: y = scale * (x - mean) / sqrt(variance + epsilon) + bias."),
)


batch_norm_backward = function(
    BatchNormBackward,
    summary="Return the gradients of batch norm for input, scale and bias.",
)
