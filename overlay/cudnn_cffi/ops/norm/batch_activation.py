"""Batch norm in training with what follows it in residual networks: an addition and a ReLU."""

from __future__ import annotations

from typing import Any, ClassVar, Generic, NamedTuple

from ... import arrays, errors
from ..._lookup import calls
from ..._operation.functions import function
from ..._support.arguments import reals
from ..._ways.array_spec import Spec
from ..._ways.call_sequence import Steps
from ..._ways.case import Case
from ..._ways.classic_call import Classic
from ..._ways.type_variables import ArrayT
from ...choice.policy import Rule
from ...descriptors import ActivationDescriptor
from ..conv.base import laid_out
from .batch import _IMAGES, _BatchNorm, _persistent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Unpack

    from ..._ways.signatures import (
        Array,
        BatchNormWord,
        CallStream,
        Choose,
        Handle,
        Out,
        WithOut,
    )


class BatchNormActivationResults(NamedTuple, Generic[ArrayT]):
    """The results of batch norm with an activation.

    Attributes:
        y: the result.
        mean, inv_variance: statistics of the batch.
        reserve: bytes for the fused gradient; None where calls of their own compute it.
    """

    y: ArrayT
    mean: ArrayT
    inv_variance: ArrayT
    reserve: ArrayT | None


class BatchNormActivationGradients(NamedTuple, Generic[ArrayT]):
    """The gradients of batch norm with an activation; the residual's is None if there was none."""

    x: ArrayT
    scale: ArrayT
    bias: ArrayT
    residual: ArrayT | None


class _Fused(_BatchNorm):
    """The base of the operation and its gradients."""

    ways: ClassVar[tuple[str, ...]] = ("classic",)  # type: ignore[assignment]

    def _check_images(self, case: Case) -> tuple[Spec, Spec]:
        x, parameter = self._check(case, "scale", "bias", "running_mean", "running_variance",
                                   "mean", "inv_variance")  # fmt: skip
        plain = laid_out(x.shape, x)
        for name, each in (*case.inputs.items(), *case.outputs.items()):
            if name not in _IMAGES:
                continue
            if (each.dtype, each.shape) != (x.dtype, x.shape):
                raise errors.ShapeMismatchError(f"{name}: expected {x}, got {each}")
            if not arrays.same_strides(each.shape, each.strides, plain.strides):
                raise errors.ArgumentError(
                    f"{name}: expected an array without gaps in the layout of x, got {each}"
                )
        return x, parameter

    def _is_fused(self, x: Spec, adds: bool) -> bool:
        """Return whether cuDNN has one call for all."""
        return (
            self.options["mode"] != "per_activation"
            and x.dtype != "float64"
            and x.layout == "NHWC"
            and len(x.shape) == 4
            and (x.shape[1] % 4 == 0 or not adds)
        )

    def _is_quick(self, case: Case, rule: Rule, function: str) -> bool:
        """Return whether the kernels for channels innermost are used, which `spatial` allows."""
        x = case.inputs["x"]
        if self.options["mode"] == "spatial_persistent" and self._is_fused(x, False):
            return True
        return x.dtype != "float64" and self._has_quick(case, rule, function)

    @staticmethod
    def _operation(adds: bool) -> Any:
        return arrays.member("BatchNormOps", "BN_ADD_ACTIVATION" if adds else "BN_ACTIVATION")


class BatchNormActivation(_Fused):
    """Batch norm in training, then an addition and a ReLU: y = relu(batch_norm(x) + residual).

    Formula: relu(batch_norm(x) + residual), in training
    Arrays: as `batch_norm`; residual like x
    Ways: the first function is fused for images with channels last (with a residual: four channels,
        eight, ...), where the choice is not deterministic; else one of the first two, without
        anything fused, and the others
    """

    word = "batch_norm_activation"
    by = (
        "`cudnnBatchNormalizationForwardTrainingEx`, "
        "`cudnnBatchNormalizationForwardTraining`, `cudnnAddTensor`, "
        "`cudnnActivationForward`"
    )
    gradient = ("batch_norm_activation_backward",)
    together = ("running_mean", "running_variance")
    gives: tuple[str, ...] = ("y", "mean", "inv_variance")

    def __init__(
        self, mode: BatchNormWord = "spatial", *, epsilon: float = 1e-5, momentum: float = 0.1,
        choose: Choose = None,
    ) -> None:  # fmt: skip
        """Make the operation.

        Images with channels last are one call: with an addition where there is a multiple of four
        channels; not float64, not "per_activation", and in "spatial" not where the choice is
        deterministic. Everything else is a call each for batch norm, addition and ReLU.

        Args:
            mode, epsilon, momentum: as for `BatchNorm`.
            choose: the policy that picks the engine or algorithm; see `cudnn_cffi.choice`.
        """
        super().__init__(mode, epsilon=epsilon, choose=choose)
        self.options["momentum"] = reals(momentum=momentum)[0]

    def __call__(
        self, x: ArrayT, scale: Array, bias: Array, residual: Array | None = None,
        running_mean: Array | None = None, running_variance: Array | None = None, *,
        out: Out = None, handle: Handle | None = None, stream: CallStream = ...,
        choose: Choose = None,
    ) -> BatchNormActivationResults[ArrayT]:  # fmt: skip
        """Normalize, add and clip.

        Args:
            x, scale, bias, running_mean, running_variance: as for `BatchNorm`; `x` without gaps.
            residual: is added before the ReLU; an array like `x`.
            out: `y`, or a tuple of y, mean and inv_variance, with None for those to be made.
            handle, stream, choose: as for `Convolution`.
        """
        given = (x, scale, bias, residual, running_mean, running_variance)
        found = self.run(given, out, handle, stream, choose)
        return BatchNormActivationResults(*found, *(None,) * (4 - len(found)))

    def results(self, case: Case) -> dict[str, Spec]:
        x, parameter = self._check_images(case)
        return {"y": laid_out(x.shape, x), "mean": parameter, "inv_variance": parameter}

    def classic(self, case: Case, rule: Rule, handle: Handle) -> Classic:
        """Return `cudnnBatchNormalizationForwardTrainingEx`, or calls of several functions."""
        found = self._descriptors(case)
        x, parameters, mode = found["x"], found["parameters"], found["mode"]
        adds, running = "residual" in case.inputs, "running_mean" in case.inputs
        statistics = ("running_mean", "running_variance") if running else (None, None)
        factor = self.options["momentum"] if running else 0.0
        relu, epsilon = ActivationDescriptor.relu(), self.options["epsilon"]
        name = "cudnnBatchNormalizationForwardTraining"
        is_quick = self._is_quick(case, rule, f"{name}Ex")
        if is_quick:
            mode, plain = _persistent()
        if is_quick and self._is_fused(case.inputs["x"], adds):
            operation, z = self._operation(adds), x if adds else None
            size = calls.cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize(
                handle, mode, operation, x, z, x, parameters, relu
            )
            kept = calls.cudnnGetBatchNormalizationTrainingExReserveSpaceSize(
                handle, mode, operation, relu, x
            )
            reserve = Spec("uint8", (max(kept, 1),), (1,), case.inputs["x"].device)
            steps = Steps(
                case.inputs, {**case.outputs, "reserve": reserve}, self.alignment_of(case)
            )
            scratch = steps.room("scratch", size) if size else None
            steps.call(
                f"{name}Ex", mode, operation, 1.0, 0.0, x, "x", z, "residual" if adds else None, x,
                "y", parameters, "scale", "bias", factor, *statistics, epsilon, "mean",
                "inv_variance", relu, scratch, size, "reserve", kept,
            )  # fmt: skip
            return steps.classic(algorithm=mode.name, changes=self.updates)
        steps = Steps(case.inputs, case.outputs, self.alignment_of(case))
        last = ("scale", "bias", factor, *statistics, epsilon, "mean", "inv_variance")
        if is_quick:
            size = calls.cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize(
                handle, mode, plain, x, None, x, parameters, None
            )
            kept = calls.cudnnGetBatchNormalizationTrainingExReserveSpaceSize(
                handle, mode, plain, None, x
            )
            steps.call(
                f"{name}Ex", mode, plain, 1.0, 0.0, x, "x", None, None, x, "y", parameters, *last,
                None, steps.room("scratch", size), size, steps.room("kept", kept), kept,
            )  # fmt: skip
        else:
            steps.call(name, mode, 1.0, 0.0, x, "x", x, "y", parameters, *last)
        if adds:
            steps.call("cudnnAddTensor", 1.0, x, "residual", 1.0, x, "y")
        steps.call("cudnnActivationForward", relu, 1.0, x, "y", 0.0, x, "y")
        return steps.classic(algorithm=mode.name, changes=self.updates)

    def backward(
        self, dy: ArrayT, x: Array, y: Array, scale: Array, bias: Array, mean: Array,
        inv_variance: Array, reserve: Array | None = None, *, residual: bool = False,
        **call: Unpack[WithOut],
    ) -> BatchNormActivationGradients[ArrayT]:  # fmt: skip
        """Return the gradients; see `BatchNormActivationBackward` and its call."""
        settings = {"mode": self.options["mode"], "epsilon": self.options["epsilon"]}
        backward = self._like(BatchNormActivationBackward, residual=residual, **settings)
        return backward(dy, x, y, scale, bias, mean, inv_variance, reserve, **call)


class BatchNormActivationBackward(_Fused):
    """The gradients of batch norm with an addition and a ReLU.

    Formula: for x, scale, bias and residual
    Arrays: dy, x, y, scale, bias, and what the forward call returned
    Ways: the first function is fused; else the second, and the first or the last
    """

    word = "batch_norm_activation_backward"
    by = (
        "`cudnnBatchNormalizationBackwardEx`, `cudnnActivationBackward`, "
        "`cudnnBatchNormalizationBackward`"
    )
    section = "data"

    def __init__(
        self, mode: BatchNormWord = "spatial", *, epsilon: float = 1e-5, residual: bool = False,
        choose: Choose = None,
    ) -> None:  # fmt: skip
        """Make the operation.

        Args:
            mode, epsilon, choose: as for `BatchNormActivation`.
            residual: whether something was added, and has a gradient; with a reserve, whether
                something was added.
        """
        super().__init__(mode, epsilon=epsilon, choose=choose)
        self.options["residual"] = residual

    @property
    def gives(self) -> tuple[str, ...]:  # type: ignore[override]
        """Return the names of the outputs."""
        more = ("dresidual",) if self.options["residual"] else ()
        return ("dx", "dscale", "dbias", *more)

    def __call__(
        self, dy: ArrayT, x: Array, y: Array, scale: Array, bias: Array, mean: Array,
        inv_variance: Array, reserve: Array | None = None, *, out: Out = None,
        handle: Handle | None = None, stream: CallStream = ..., choose: Choose = None,
    ) -> BatchNormActivationGradients[ArrayT]:  # fmt: skip
        """Compute the gradients.

        Args:
            dy: the gradient of the result.
            x, scale, bias: as in the forward call.
            y, mean, inv_variance, reserve: returned by the forward call.
            out: the gradients, with None for those to be made.
            handle, stream, choose: as for `Convolution`.
        """
        given = (dy, x, y, scale, bias, mean, inv_variance, reserve)
        found = self.run(given, out, handle, stream, choose)
        return BatchNormActivationGradients(*found, *(None,) * (4 - len(found)))

    def results(self, case: Case) -> dict[str, Spec]:
        x, parameter = self._check_images(case)
        reserve = case.inputs.get("reserve")
        is_fused = self._is_fused(x, self.options["residual"])
        if reserve is not None and (reserve.dtype != "uint8" or not is_fused):
            raise errors.ArgumentError(
                f"reserve: expected what the forward call returned, got {reserve}"
            )
        image = laid_out(x.shape, x)
        found = {"dx": image, "dscale": parameter, "dbias": parameter, "dresidual": image}
        return {name: found[name] for name in self.gives}

    def classic(self, case: Case, rule: Rule, handle: Handle) -> Classic:
        """Return `cudnnBatchNormalizationBackwardEx`, or calls of several functions."""
        found = self._descriptors(case)
        x, parameters, mode = found["x"], found["parameters"], found["mode"]
        relu, epsilon = ActivationDescriptor.relu(), self.options["epsilon"]
        adds = self.options["residual"]
        steps = Steps(case.inputs, case.outputs, self.alignment_of(case))
        factors, name = (1.0, 0.0, 1.0, 0.0), "cudnnBatchNormalizationBackward"
        is_quick = "reserve" in case.inputs or self._is_quick(case, rule, f"{name}Ex")
        if is_quick:
            mode, plain = _persistent()
        if "reserve" in case.inputs:
            operation, z = self._operation(adds), x if adds else None
            size = calls.cudnnGetBatchNormalizationBackwardExWorkspaceSize(
                handle, mode, operation, x, x, x, z, x, parameters, relu
            )
            kept = calls.cudnnGetBatchNormalizationTrainingExReserveSpaceSize(
                handle, mode, operation, relu, x
            )
            if case.inputs["reserve"].shape != (max(kept, 1),):
                raise errors.ArgumentError(
                    f"reserve: expected {max(kept, 1)} bytes, got {case.inputs['reserve'].shape}"
                )
            scratch = steps.room("scratch", size) if size else None
            steps.call(
                f"{name}Ex", mode, operation, *factors, x, "x", x, "y", x, "dy", z,
                "dresidual" if adds else None, x, "dx", parameters, "scale", "bias", "dscale",
                "dbias", epsilon, "mean", "inv_variance", relu, scratch, size, "reserve", kept,
            )  # fmt: skip
            return steps.classic(algorithm=mode.name)
        inner = "dresidual" if adds else steps.room("inner", laid_out(case.inputs["x"].shape,
                                                                     case.inputs["x"]))  # fmt: skip
        # The ReLU's gradient reads only the sign of its input, which is positive exactly where the
        # result is: so the result takes the place of the input, which was not kept.
        steps.call("cudnnActivationBackward", relu, 1.0, x, "y", x, "dy", x, "y", 0.0, x, inner)
        last = ("dscale", "dbias", epsilon, "mean", "inv_variance")
        if is_quick and not calls.cudnnGetBatchNormalizationTrainingExReserveSpaceSize(
            handle, mode, plain, None, x
        ):
            size = calls.cudnnGetBatchNormalizationBackwardExWorkspaceSize(
                handle, mode, plain, x, None, x, None, x, parameters, None
            )
            steps.call(
                f"{name}Ex", mode, plain, *factors, x, "x", None, None, x, inner, None, None, x,
                "dx", parameters, "scale", None, *last, None, steps.room("scratch", size), size,
                None, 0,
            )  # fmt: skip
            return steps.classic(algorithm=mode.name)
        mode = found["mode"]
        steps.call(
            name, mode, *factors, x, "x", x, inner, x, "dx", parameters, "scale", *last
        )  # fmt: skip
        return steps.classic(algorithm=mode.name)


batch_norm_activation = function(
    BatchNormActivation,
    summary="Compute y = relu(batch_norm(x) + residual) in training.",
)


batch_norm_activation_backward = function(
    BatchNormActivationBackward,
    summary="Return the gradients of a batch norm with an addition and a ReLU.",
)
