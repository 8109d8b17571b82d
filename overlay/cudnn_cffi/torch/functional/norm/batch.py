"""Batch norm.

Second derivatives: by PyTorch
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from .... import errors, ops
from ...autograd.layer import shared
from ...autograd.layouts import formatted, is_last
from ...autograd.states import changed, is_eager
from ..arguments import check_tensors
from .base import Norm

if TYPE_CHECKING:
    from ....choice.policy import Choose
    from ...autograd.record import Results

__all__ = ["BatchNorm", "BatchNormBackward", "BatchNormInference", "batch_norm", "run_batch_norm"]

_functional = torch.nn.functional


class BatchNorm(Norm):
    """The layer of batch norm in training, which returns the statistics of the batch, too.

    Running statistics are no tensors of the operator, since operators change none of theirs.
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
        y = _functional.batch_norm(
            x, mean, variance, scale, bias, True, self.momentum, self.epsilon
        )
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
        return _functional.batch_norm(x, mean, variance, scale, bias, False, 0.0, self.epsilon)


def batch_norm(
    input: Tensor, running_mean: Tensor, running_var: Tensor, weight: Tensor | None = None,
    bias: Tensor | None = None, training: bool = False, momentum: float = 0.1, eps: float = 1e-5, *,
    choose: Choose = None,
) -> Tensor:  # fmt: skip
    """Normalize by the statistics of the batch in training, else by running ones.

    Args:
        input: (N, C, ...), on a GPU.
        running_mean, running_var: (C,), updated in place in training; they may be None then.
        weight, bias: (C,) float32, or float64 with such an input; 1 and 0 without them. Not in
            training these and the statistics may also have the type of `input`.
        training: whether to use the statistics of the batch.
        momentum: the weight of this batch in the running statistics.
        eps: added to the variance.
        choose: the policy that picks the engine or algorithm; see `cudnn_cffi.choice`.

    Raises:
        ArgumentError: shapes do not fit, or there are no running statistics where they are needed.
        NotSupportedError: cuDNN does not compute this.

    Computed by `cudnnBatchNormalizationForwardTraining`, `...TrainingEx` with channels last, or
    `cudnnBatchNormalizationForwardInference`.
    """
    check_tensors(input=input)
    if not training:
        if running_mean is None or running_var is None:
            raise errors.ArgumentError("running_mean, running_var: expected tensors, got None")
        known = shared(BatchNormInference, float(eps), choose=choose)
        return known(input, weight, bias, running_mean, running_var)
    layer = shared(BatchNorm, float(momentum), float(eps), choose=choose)
    return run_batch_norm(layer, (input, weight, bias), running_mean, running_var)


def run_batch_norm(layer: Any, given: tuple[Tensor, ...], mean: Tensor, variance: Tensor) -> Tensor:
    """Normalize in training, and update the running statistics in place.

    cuDNN updates them itself in the short way; where the operator is traced, they follow from the
    statistics that it returns.
    """
    if mean is None:
        return layer(*given)
    x = given[0]
    if is_eager(x):
        y = layer(*given, mean, variance)
        changed(mean)
        changed(variance)  # one by one: not all releases of PyTorch take several
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
        variance.lerp_((biased * (count / (count - 1))).to(variance.dtype), layer.momentum)
    return y
