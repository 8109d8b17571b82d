"""Batch norm, by itself or with the addition and the ReLU that follow it in a training.

Second derivatives: by PyTorch
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

import torch
from torch import Tensor

from .... import errors, ops
from ...._support.arguments import boolean
from ...autograd.layouts import formatted, is_last
from ...autograd.sharing import shared
from ...autograd.states import is_eager, need, updated
from ..activations import Activation
from ..arguments import check_tensors
from .base import Norm, scale_of

if TYPE_CHECKING:
    from ....choice.policy import Choose
    from ...autograd.record import Gradients, Results, Tensors

_functional = torch.nn.functional


class BatchNorm(Norm):
    """The layer of batch norm in training, which returns the statistics of the batch, too.

    Running statistics are no tensors of the operator, since operators do not change their inputs.
    """

    by = ops.BatchNorm
    takes = ("x", "scale", "bias")
    optional = frozenset({"scale", "bias"})
    images = ("x",)
    momentum: float
    epsilon: float

    def reference(
        self, x: Tensor, scale: Tensor | None, bias: Tensor | None, mean: Tensor | None = None,
        variance: Tensor | None = None,
    ) -> Results:  # fmt: skip
        running = _uncounted(x, mean, variance)
        scale = scale_of(scale, bias)
        y = _functional.batch_norm(x, *running, scale, bias, True, self.momentum, self.epsilon)
        return (y,)


class BatchNormBackward(Norm):
    """The layer of the gradients of batch norm."""

    by = ops.BatchNormBackward
    optional = frozenset({"scale"})
    images = ("dy", "x")
    epsilon: float

    def reference(
        self, dy: Tensor, x: Tensor, scale: Tensor | None, mean: Tensor, inverse: Tensor
    ) -> Results:
        if scale is None:
            scale = torch.ones_like(mean)
        return torch.ops.aten.native_batch_norm_backward(
            dy, x, scale, None, None, mean, inverse, True, self.epsilon, [True, True, True]
        )


class BatchNormInference(Norm):
    """The layer of batch norm with known statistics; its gradients are PyTorch's."""

    by = ops.BatchNormInference
    optional = frozenset({"scale", "bias"})
    images = ("x",)
    epsilon: float

    def compute(
        self, x: Tensor, scale: Tensor | None, bias: Tensor | None, mean: Tensor, variance: Tensor
    ) -> Results:
        bias = self.neutral(x)[1] if bias is None else bias  # of the type of statistics
        return super().compute(x, scale, bias, mean, variance)

    def reference(
        self, x: Tensor, scale: Tensor | None, bias: Tensor | None, mean: Tensor, variance: Tensor
    ) -> Results:
        x = formatted(x, is_last(x))  # PyTorch's gradients of strided images are less exact
        scale = scale_of(scale, bias)
        return _functional.batch_norm(x, mean, variance, scale, bias, False, 0.0, self.epsilon)


class BatchNormActivation(Norm):
    """The layer of relu(batch_norm(x) + residual) in training, with the statistics of the batch.

    The other memory of the fused gradient has a size that only cuDNN knows: it stays with
    autograd's function, and the operator returns none of it. Its gradient is that of several calls.
    """

    by = ops.BatchNormActivation
    takes = ("x", "scale", "bias", "residual")
    optional = frozenset({"scale", "bias", "residual"})
    images = ("x", "residual")
    momentum: float
    epsilon: float

    def reference(
        self, x: Tensor, scale: Tensor | None, bias: Tensor | None, residual: Tensor | None,
        mean: Tensor | None = None, variance: Tensor | None = None,
    ) -> Results:  # fmt: skip
        running = _uncounted(x, mean, variance)
        scale = scale_of(scale, bias)
        y = _functional.batch_norm(x, *running, scale, bias, True, self.momentum, self.epsilon)
        return (torch.relu(y if residual is None else y + residual),)

    def saves(self, given: Tensors, results: Tensors) -> Tensors:
        y, mean, inverse, *reserve = results
        return (*given[:3], y, mean, inverse, reserve[0] if reserve else None)

    def gradients(self, saved: Tensors, needs: Sequence[bool], grads: Tensors) -> Gradients:
        x, scale, bias, y, mean, inverse, reserve = saved
        # The reserve of a fused addition is for the gradient with the addend, wanted or not.
        adds = needs[3] or (reserve is not None and reserve.numel() > 1)
        made = self.parts[BatchNormActivationBackward, adds]
        found = made(grads[0], x, y, scale, bias, mean, inverse, reserve)
        return [each if want else None for each, want in zip(found, needs[:4], strict=True)]

    def own_gradients(self, saved: Tensors, needs: Sequence[bool], grads: Tensors) -> Gradients:
        x, scale, bias, y, *_ = saved
        inner = grads[0] * (y > 0)
        found = BatchNorm(*self.options).own_gradients((x, scale, bias), needs[:3], (inner,))
        return [*found, inner if needs[3] else None]


class BatchNormActivationBackward(Norm):
    """The layer of the gradients; that of the residual is empty where none is wanted."""

    by = ops.BatchNormActivationBackward
    optional = frozenset({"scale", "bias", "reserve"})
    gives = ("dx", "dscale", "dbias", "dresidual")
    images = ("dy", "x", "y")
    epsilon: float
    residual: bool

    def compute(
        self, dy: Tensor, x: Tensor, y: Tensor, scale: Tensor | None, bias: Tensor | None,
        mean: Tensor, inverse: Tensor, reserve: Tensor | None,
    ) -> Results:  # fmt: skip
        found = super().compute(dy, x, y, scale, bias, mean, inverse, reserve)
        return found if self.residual else (*found[:3], x.new_empty(0))

    def reference(
        self, dy: Tensor, x: Tensor, y: Tensor, scale: Tensor | None, bias: Tensor | None,
        mean: Tensor, inverse: Tensor, reserve: Tensor | None,
    ) -> Results:  # fmt: skip
        inner = dy * (y > 0)
        found = BatchNormBackward(self.epsilon).reference(inner, x, scale, mean, inverse)
        return (*found, inner if self.residual else x.new_empty(0))

    def fake(
        self, dy: Tensor, x: Tensor, y: Tensor, scale: Tensor | None, bias: Tensor | None,
        mean: Tensor, inverse: Tensor, reserve: Tensor | None,
    ) -> Results:  # fmt: skip
        found = super().fake(dy, x, y, scale, bias, mean, inverse, reserve)
        return (*found[:3], torch.empty_like(found[0]) if self.residual else x.new_empty(0))


def batch_norm(
    input: Tensor, running_mean: Tensor | None, running_var: Tensor | None,
    weight: Tensor | None = None, bias: Tensor | None = None, training: bool = False,
    momentum: float = 0.1, eps: float = 1e-5, *, choose: Choose = None,
) -> Tensor:  # fmt: skip
    """Normalize by the statistics of the batch in training, else by running ones.

    Args:
        input: (N, C, ...), on a GPU.
        running_mean, running_var: (C,), updated in place in training; they may be None then.
        weight, bias: (C,) float32, or float64 with such an input; 1 and 0 without them.
            Outside training these and the statistics may also have the type of `input`.
        training: whether to use the statistics of the batch.
        momentum: the weight of this batch in the running statistics.
        eps: added to the variance.
        choose: the policy that picks the engine or algorithm; see `cudnn_cffi.choice`.

    Raises:
        ArgumentError: shapes do not fit, or there are no running statistics where they are needed,
            or a channel has one number in training.
        NotSupportedError: cuDNN does not compute this.

    Computed by `cudnnBatchNormalizationForwardTraining`, `...TrainingEx` with channels last, or
    `cudnnBatchNormalizationForwardInference`.
    """
    check_tensors(input=input)
    if not boolean(training, "training"):
        return _infer((input, weight, bias), running_mean, running_var, eps, choose)
    _check_count(input)
    layer = shared(BatchNorm, float(momentum), float(eps), choose=choose)
    return run_batch_norm(layer, (input, weight, bias), running_mean, running_var)


def batch_norm_activation(
    x: Tensor, running_mean: Tensor | None, running_var: Tensor | None,
    weight: Tensor | None = None, bias: Tensor | None = None, residual: Tensor | None = None,
    training: bool = False, momentum: float = 0.1, eps: float = 1e-5, *, choose: Choose = None,
) -> Tensor:  # fmt: skip
    """Return relu(batch_norm(x) + residual), by `cudnnBatchNormalizationForwardTrainingEx`.

    In training that is one step with one gradient, and with channels last one call of cuDNN;
    otherwise batch norm, addition and ReLU one after the other.

    Args:
        x: (N, C, ...).
        running_mean, running_var: statistics of former batches, (C,), float32, or float64 with such
            an `x`, which are updated in training; or None for both, in training.
        weight, bias: (C,) of the same type, or None for ones and zeros.
        residual: is added before the ReLU, like `x`; or None.
        training: whether to normalize by the statistics of the batch.
        momentum: the weight of this batch in the running statistics.
        eps: added to the variance.
        choose: the policy that picks the engine or algorithm; see `cudnn_cffi.choice`.

    Raises:
        ArgumentError: there are no running statistics, and no training; or a channel has one
            number in training.
    """
    check_tensors(x=x)
    if not boolean(training, "training"):
        y = _infer((x, weight, bias), running_mean, running_var, eps, choose)
        relu = shared(Activation, "relu", None, choose=choose)
        return relu(y if residual is None else y + residual)
    _check_count(x)
    layer = shared(BatchNormActivation, float(momentum), float(eps), choose=choose)
    return run_batch_norm(layer, (x, weight, bias, residual), running_mean, running_var)


def _uncounted(x: Tensor, *running: Tensor | None) -> list[Tensor | None]:
    """Return statistics that PyTorch may keep for the gradient: `updated` counts changes."""
    return [each if each is None or not is_eager(x) else each.data for each in running]


def _check_count(x: Tensor) -> None:
    """Refuse one number for each channel, whose variance would make running ones NaN."""
    if x.dim() > 1 and x.numel() == x.shape[1] > 0:
        raise errors.ArgumentError(
            f"input: expected several numbers for each channel in training, got {tuple(x.shape)}"
        )


def _infer(
    given: tuple[Tensor | None, ...], mean: Tensor | None, variance: Tensor | None, eps: float,
    choose: Choose,
) -> Tensor:  # fmt: skip
    if mean is None or variance is None:
        raise errors.ArgumentError("running_mean, running_var: expected tensors, got None")
    layer = shared(BatchNormInference, float(eps), choose=choose)
    return run_inference(layer, given, mean, variance)


def run_inference(
    layer: BatchNormInference, given: tuple[Tensor | None, ...], mean: Tensor, variance: Tensor
) -> Tensor:
    """Normalize by running statistics; a gradient of that needs them as they are."""
    y: Tensor = layer(*given, mean, variance)
    if y.requires_grad and is_eager(y):
        need(mean, variance)
    return y


def run_batch_norm(
    layer: BatchNorm | BatchNormActivation, given: tuple[Tensor, *tuple[Tensor | None, ...]],
    mean: Tensor | None, variance: Tensor | None,
) -> Tensor:  # fmt: skip
    """Normalize in training, and update the running statistics in place.

    cuDNN updates them itself in the short way; where the operator is traced, they follow from the
    statistics that it returns.
    """
    if mean is None:
        return layer(*given)
    x = given[0]
    if is_eager(x):
        y = layer(*given, mean, variance)
        updated(mean, variance)
        return y
    if not layer.has_operator_for(x) or not x.numel():  # without elements statistics stay
        return layer.by_pytorch((*given, mean, variance))
    error = layer.refusal_in_trace(given)
    if error is not None:
        return layer._instead((*given, mean, variance), error)
    y, found, inverse = layer.operator(*given, *layer.options, layer._choice)
    with torch.no_grad():
        count = x.numel() // x.shape[1]
        biased = inverse.pow(-2) - layer.epsilon
        mean.lerp_(found.to(mean.dtype), layer.momentum)
        other = cast("Tensor", variance)  # there are both, or none
        other.lerp_((biased * (count / (count - 1))).to(other.dtype), layer.momentum)
    return y
