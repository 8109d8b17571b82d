"""Group norm and its gradients, by batch norm: groups of examples are its channels."""

from __future__ import annotations

import math
from typing import Any

from ... import arrays, errors
from ..._operation.functions import function
from ..._operation.operation import Operation
from ..._support.arguments import integers
from ..._ways.array_spec import Spec, check_dtype, per_channel
from ..._ways.call_sequence import Steps, packed
from ..._ways.case import Case
from ..._ways.classic_call import Classic, describe
from ...choice.policy import Rule
from ...descriptors import TensorDescriptor
from .batch import alignment_for
from .results import NormGradients, NormResults, check_epsilon, parameter_type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Unpack

    from ..._ways.signatures import Array, ArrayT, CallStream, Choose, Handle, Out, WithOut


class _GroupNorm(Operation):
    """The base of group norm and its gradient."""

    ways = ("classic",)

    def __init__(
        self, groups: int, *, epsilon: float = 1e-5, choose: Choose = None, **more: Any
    ) -> None:
        (count,) = integers(groups=groups)
        if count < 1:
            raise errors.ArgumentError(f"groups: expected 1 or more, got {count}")
        super().__init__(choose, groups=count, epsilon=check_epsilon(epsilon), **more)

    def alignment_of(self, case: Case) -> int:
        """Return what addresses have to be multiples of."""
        return alignment_for([case.inputs["x"]], self.device_of(case))

    def _check(self, case: Case) -> Spec:
        """Return the input; refuse what does not fit."""
        x, groups = case.inputs["x"], self.options["groups"]
        if not 2 <= len(x.shape) <= 5:
            raise errors.ArgumentError(f"x: expected 2 to 5 axes, got {len(x.shape)}")
        if x.dtype not in ("float32", "float64", "float16", "bfloat16"):
            raise errors.ArgumentError(f"x: expected a floating-point type, got {x.dtype}")
        if x.shape[1] % groups:
            raise errors.ShapeMismatchError(
                f"x: expected a multiple of {groups} channels, got {x.shape[1]}"
            )
        kind = parameter_type(x)
        for name in ("scale", "bias"):
            each = case.inputs.get(name)
            if each is None:
                continue
            check_dtype(each, kind, name)
            try:
                count = per_channel(each).shape[1]
            except errors.ArgumentError as error:
                raise error.replace(message=f"{name}: {error.message}") from None
            if count != x.shape[1] or not each.is_dense:
                raise errors.ShapeMismatchError(
                    f"{name}: expected {x.shape[1]} numbers without gaps, got {each}"
                )
        statistics = self._statistics(x)
        for name in ("mean", "inv_variance"):
            each = case.inputs.get(name)
            if each is not None and (each.dtype, each.shape) != statistics[0:2]:
                raise errors.ShapeMismatchError(f"{name}: expected {statistics}, got {each}")
        dy = case.inputs.get("dy")
        if dy is not None and (dy.dtype, dy.shape) != (x.dtype, x.shape):
            raise errors.ShapeMismatchError(f"dy: expected {x}, got {dy}")
        for name, each in (*case.inputs.items(), *case.outputs.items()):
            image = name in ("x", "dy", "y", "dx")
            if not ("strides" not in each.layout if image else each.is_in_c_order):
                what = "channels first or last" if image else "an array in C order"
                raise errors.ArgumentError(f"{name}: expected {what} without gaps, got {each}")
        return x

    def _statistics(self, x: Spec) -> Spec:
        return packed((x.shape[0], self.options["groups"]), x, parameter_type(x))


class _Parts:
    """The arrays of a group norm as cuDNN sees them, and the steps that make them so."""

    def __init__(self, case: Case, groups: int, epsilon: float, handle: Handle) -> None:
        self.case, self.epsilon = case, epsilon
        x = self.x = case.inputs["x"]
        self.steps = Steps(case.inputs, case.outputs, alignment_for([x], x.device))
        batch, channels, *sizes = x.shape
        space = math.prod(sizes)
        self.images = batch, channels, space, 1
        rows = batch * groups
        self.groups = 1, rows, channels // groups * space, 1
        kind = parameter_type(x)
        self.itemsize = arrays.itemsize(kind)
        most = max(rows, channels)
        self.zeros = self.steps.constant("zeros", handle, [0.0] * most, kind)
        self.ones = self.steps.constant("ones", handle, [1.0] * most, kind)
        self.image, self.group = self._described(self.images), self._described(self.groups)
        mode = self.mode = arrays.member("BatchNormMode", "SPATIAL")
        self.channel = TensorDescriptor.for_batch_norm(self.image, mode.name)
        self.row = TensorDescriptor.for_batch_norm(self.group, mode.name)

    def _described(self, shape: tuple[int, ...]) -> Any:
        return describe(packed(shape, self.x))

    def own(self, name: str) -> Any:
        """Return the descriptor of an array of the call, with one spatial axis."""
        spec = {**self.case.inputs, **self.case.outputs}[name]
        n, c, s, _ = self.images
        last = spec.layout == "NHWC"
        strides = (c * s, 1, c, 1) if last else (c * s, s, 1, 1)
        return describe(spec._replace(shape=(n, c, s, 1), strides=strides))

    def is_last(self, name: str) -> bool:
        return {**self.case.inputs, **self.case.outputs}[name].layout == "NHWC"

    def room(self, name: str) -> str:
        """Keep memory for another array like the input."""
        return self.steps.room(name, packed(self.images, self.x))

    def first(self, name: str) -> str:
        """Return the name of an input with channels first; a copy, if that is needed."""
        if not self.is_last(name):
            return name
        copy = self.room(f"{name} first")
        self.steps.call("cudnnTransformTensor", 1.0, self.own(name), name, 0.0, self.image, copy)
        return copy

    def normalize(self, x: str, y: str, mean: str | None, inverse: str | None) -> None:
        """Add what normalizes groups."""
        self.steps.call(
            "cudnnBatchNormalizationForwardTraining", self.mode, 1.0, 0.0, self.group, x,
            self.group, y, self.row, self.ones, self.zeros, 0.0, None, None, self.epsilon, mean,
            inverse,
        )  # fmt: skip

    def scale(self, x: str, y: str, scale: str, bias: str) -> None:
        """Add y = scale * x + bias by channel: inference with a mean of 0 and a variance of 1."""
        self.steps.call(
            "cudnnBatchNormalizationForwardInference", self.mode, 1.0, 0.0, self.image, x,
            self.image, y, self.channel, scale, bias, self.zeros, self.ones, 0.0,
        )  # fmt: skip

    def last(self, made: str, name: str) -> None:
        """Add a copy of a result to an output with channels last."""
        self.steps.call("cudnnTransformTensor", 1.0, self.image, made, 0.0, self.own(name), name)


class GroupNorm(_GroupNorm):
    """Group norm: over the spatial axes and the channels of a group, for each example.

    Formula: as `batch_norm`, over the spatial axes and the channels of a group
    Arrays: x without gaps; scale, bias (C,) float32, optional
    Ways: the first function has groups as channels, the second applies scale and bias; with
        channels last the third
    """

    word = "group_norm"
    by = (
        "`cudnnBatchNormalizationForwardTraining`, "
        "`cudnnBatchNormalizationForwardInference`, `cudnnTransformTensor`"
    )
    gradient = ("group_norm_backward",)

    def __init__(
        self, groups: int, *, epsilon: float = 1e-5, statistics: bool = False, choose: Choose = None
    ) -> None:
        """Make a group norm.

        Args:
            groups: their number, which divides that of the channels.
            epsilon: added to the variance.
            statistics: whether to return what the gradient can use as well: `NormResults`.
            choose: the policy that picks the engine or algorithm; see `cudnn_cffi.choice`.
        """
        super().__init__(groups, epsilon=epsilon, statistics=statistics, choose=choose)

    @property
    def gives(self) -> tuple[str, ...]:  # type: ignore[override]
        """Return the names of the outputs."""
        return ("y", "mean", "inv_variance") if self.options["statistics"] else ("y",)

    def __call__(
        self, x: ArrayT, scale: Array | None = None, bias: Array | None = None, *, out: Out = None,
        handle: Handle | None = None, stream: CallStream = ..., choose: Choose = None,
    ) -> Any:  # fmt: skip
        """Normalize.

        Args:
            x: (N, C, ...), channels first or last, without gaps.
            scale, bias: the factor and the summand of the normalized input, (C,), float32, or
                float64 if `x` is; by default 1 and 0.
            out, handle, stream, choose: as for `Convolution`.

        Returns: the normalized input; with `statistics`, `NormResults`, whose statistics are
            (N, groups).
        """
        found = self.run((x, scale, bias), out, handle, stream, choose)
        return NormResults(*found) if self.options["statistics"] else found

    def results(self, case: Case) -> dict[str, Spec]:
        x = self._check(case)
        found = {"y": Spec(x.dtype, x.shape, x.strides, x.device)}
        if self.options["statistics"]:
            found |= dict.fromkeys(("mean", "inv_variance"), self._statistics(x))
        return found

    def classic(self, case: Case, rule: Rule, handle: Handle) -> Classic:
        """Return calls of batch norm: training for groups, then inference for channels."""
        options = self.options
        parts = _Parts(case, options["groups"], options["epsilon"], handle)
        names = ("mean", "inv_variance") if options["statistics"] else (None, None)
        normal = parts.room("normal")
        parts.normalize(parts.first("x"), normal, *names)
        scale = "scale" if "scale" in case.inputs else parts.ones
        bias = "bias" if "bias" in case.inputs else parts.zeros
        last = parts.is_last("y")
        target = parts.room("y first") if last else "y"
        parts.scale(normal, target, scale, bias)
        if last:
            parts.last(target, "y")
        return parts.steps.classic(algorithm=parts.mode.name)

    def backward(
        self, dy: ArrayT, x: Array, scale: Array | None = None, mean: Array | None = None,
        inv_variance: Array | None = None, **call: Unpack[WithOut],
    ) -> NormGradients[ArrayT]:  # fmt: skip
        """Return the gradients; see `GroupNormBackward`."""
        settings = {"groups": self.options["groups"], "epsilon": self.options["epsilon"]}
        backward = self._like(GroupNormBackward, **settings)
        return backward(dy, x, scale, mean, inv_variance, **call)


class GroupNormBackward(_GroupNorm):
    """The gradients of group norm for input, scale and bias.

    Formula: dscale = sum of dy n, dbias = sum of dy; dx as of `batch_norm_backward`, with dy scale
        in the place of dy
    Arrays: dy, x, scale; mean and inv_variance optional
    Ways: twice, with what `group_norm` calls
    """

    word = "group_norm_backward"
    by = "`cudnnBatchNormalizationBackward`"
    section = "data"
    together = ("mean", "inv_variance")
    gives: tuple[str, ...] = ("dx", "dscale", "dbias")
    sums = True

    def __init__(self, groups: int, *, epsilon: float = 1e-5, choose: Choose = None) -> None:
        """Make the operation.

        Args:
            groups, epsilon: as for `GroupNorm`.
            choose: the policy that picks the engine or algorithm; see `cudnn_cffi.choice`.
        """
        super().__init__(groups, epsilon=epsilon, choose=choose)

    def __call__(
        self, dy: ArrayT, x: Array, scale: Array | None = None, mean: Array | None = None,
        inv_variance: Array | None = None, *, out: Out = None, handle: Handle | None = None,
        stream: CallStream = ..., choose: Choose = None,
    ) -> NormGradients[ArrayT]:  # fmt: skip
        """Compute the gradients.

        Args:
            dy: the gradient of the result.
            x, scale: as in the forward call.
            mean, inv_variance: returned by the forward call with `statistics`; by default computed
                again.
            out: the gradients, with None for those to be made.
            handle, stream, choose: as for `Convolution`.
        """
        given = (dy, x, scale, mean, inv_variance)
        return NormGradients(*self.run(given, out, handle, stream, choose))

    def results(self, case: Case) -> dict[str, Spec]:
        x = self._check(case)
        parameter = packed(x.shape[1:2], x, parameter_type(x))
        dx = Spec(x.dtype, x.shape, x.strides, x.device)
        return {"dx": dx, "dscale": parameter, "dbias": parameter}

    def classic(self, case: Case, rule: Rule, handle: Handle) -> Classic:
        """Return calls of batch norm: its gradients for channels, then for groups."""
        options = self.options
        parts = _Parts(case, options["groups"], options["epsilon"], handle)
        function, steps = "cudnnBatchNormalizationBackward", parts.steps
        x, dy = parts.first("x"), parts.first("dy")
        normal, other = parts.room("normal"), parts.room("other")
        parts.normalize(x, normal, None, None)
        factors = (1.0, 0.0, 1.0, 0.0)
        image, group = (parts.image,) * 3, (parts.group,) * 3
        steps.call(
            function, parts.mode, *factors, image[0], normal, image[1], dy, image[2], other,
            parts.channel, parts.ones, "dscale", "dbias", 0.0, parts.zeros, parts.ones,
        )  # fmt: skip
        scaled = dy
        if "scale" in case.inputs:
            scaled = other
            parts.scale(dy, other, "scale", parts.zeros)
        last = parts.is_last("dx")
        target = normal if last else "dx"
        unused = [
            steps.room(name, parts.groups[1] * parts.itemsize) for name in ("unused", "unused too")
        ]
        saved = ("mean", "inv_variance") if "mean" in case.inputs else (None, None)
        steps.call(
            function, parts.mode, *factors, group[0], x, group[1], scaled, group[2], target,
            parts.row, parts.ones, *unused, parts.epsilon, *saved,
        )  # fmt: skip
        if last:
            parts.last(target, "dx")
        return steps.classic(algorithm=parts.mode.name)


group_norm = function(
    GroupNorm,
    summary=("Normalize over the spatial axes and the channels of a group, for each example."),
    order="x groups scale bias",
)


group_norm_backward = function(
    GroupNormBackward,
    summary="Return the gradients of group norm for input, scale and bias.",
    order="dy x groups scale mean inv_variance",
)
