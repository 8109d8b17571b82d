"""Batch norm with the addition and the ReLU that follow it, as one step of a training."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from .... import errors, ops
from ...autograd.layer import Layer, empty, formatted, is_last, shared
from ..activations import Activation
from ..arguments import check_tensors
from .norms import BatchNorm, BatchNormBackward, BatchNormInference, _affine, _wide, run_batch_norm


class BatchNormActivation(Layer):
    """The layer of relu(batch_norm(x) + residual) in training, with the statistics of the batch.

    What the fused gradient reads besides has a size that only cuDNN knows: it stays with autograd's
    function, and the operator returns none of it. Its gradient is that of several calls.
    """

    word = "batch_norm_activation"
    tensors = ("Tensor x", "Tensor? scale", "Tensor? bias", "Tensor? residual")
    names = ("float momentum", "float epsilon")
    returns = "(Tensor, Tensor, Tensor)"

    def _start(self, momentum: float, epsilon: float) -> None:
        self.momentum, self.epsilon = momentum, epsilon

    def make(self) -> Any:
        return ops.BatchNormActivation(
            epsilon=self.epsilon, momentum=self.momentum, choose=self.choose
        )

    def compute(
        self, x: Any, scale: Any, bias: Any, residual: Any, mean: Any = None, variance: Any = None
    ) -> Any:
        scale, bias = _affine(self, x.shape[1:2], x, scale, bias)
        return self.operation()(x, scale, bias, residual, mean, variance)

    def reference(
        self, x: Any, scale: Any, bias: Any, residual: Any, mean: Any = None, variance: Any = None
    ) -> Any:
        y = torch.nn.functional.batch_norm(
            x, mean, variance, scale, bias, True, self.momentum, self.epsilon
        )
        return (torch.relu(y if residual is None else y + residual),)

    def fake(self, x: Any, scale: Any, bias: Any, residual: Any) -> Any:
        statistic = x.new_empty(x.shape[1:2], dtype=_wide(x))
        return empty(x, x.shape, is_last(x)), statistic, torch.empty_like(statistic)

    def arrange(self, given: tuple[Any, ...]) -> tuple[Any, ...]:
        x, scale, bias, residual, *running = given
        last = is_last(x)
        if residual is not None:
            residual = formatted(residual, last)
        return (formatted(x, last), scale, bias, residual, *running)

    def saves(self, given: Sequence[Any], results: Sequence[Any]) -> tuple[Any, ...]:
        y, mean, inverse, *reserve = results
        return (*given[:3], y, mean, inverse, reserve[0] if reserve else None)

    def gradients(self, saved: Any, needs: Sequence[bool], grads: Sequence[Any]) -> Any:
        x, scale, bias, y, mean, inverse, reserve = saved
        # The reserve of a fused addition is for the gradient with the addend, wanted or not.
        adds = needs[3] or (reserve is not None and reserve.numel() > 1)
        made = self.parts[BatchNormActivationBackward, self.epsilon, adds]
        found = made(grads[0], x, y, scale, bias, mean, inverse, reserve)
        return [each if want else None for each, want in zip(found, needs[:4], strict=True)]

    def own_gradients(self, saved: Any, needs: Sequence[bool], grads: Sequence[Any]) -> Any:
        x, scale, bias, y, *_ = saved
        inner = grads[0] * (y > 0)
        found = BatchNorm(*self.options).own_gradients((x, scale, bias), needs[:3], (inner,))
        return [*found, inner if needs[3] else None]


class BatchNormActivationBackward(Layer):
    """The layer of the gradients; that of the residual is empty where none is wanted."""

    word = "batch_norm_activation_backward"
    tensors = (
        *("Tensor dy", "Tensor x", "Tensor y", "Tensor? scale", "Tensor? bias", "Tensor mean"),
        *("Tensor inverse", "Tensor? reserve"),
    )
    names = ("float epsilon", "bool residual")
    returns = "(Tensor, Tensor, Tensor, Tensor)"
    visible = 4

    def _start(self, epsilon: float, residual: bool) -> None:
        self.epsilon, self.residual = epsilon, residual

    def make(self) -> Any:
        return ops.BatchNormActivationBackward(
            epsilon=self.epsilon, residual=self.residual, choose=self.choose
        )

    def compute(
        self, dy: Any, x: Any, y: Any, scale: Any, bias: Any, mean: Any, inverse: Any, reserve: Any
    ) -> Any:
        scale, bias = _affine(self, x.shape[1:2], x, scale, bias)
        found = self.operation()(dy, x, y, scale, bias, mean, inverse, reserve)
        return found if self.residual else (*found[:3], x.new_empty(0))

    def reference(
        self, dy: Any, x: Any, y: Any, scale: Any, bias: Any, mean: Any, inverse: Any, reserve: Any
    ) -> Any:
        inner = dy * (y > 0)
        found = BatchNormBackward(self.epsilon).reference(inner, x, scale, mean, inverse)
        return (*found, inner if self.residual else x.new_empty(0))

    def fake(
        self, dy: Any, x: Any, y: Any, scale: Any, bias: Any, mean: Any, inverse: Any, reserve: Any
    ) -> Any:
        made = empty(x, x.shape, is_last(x))
        more = torch.empty_like(made) if self.residual else x.new_empty(0)
        return made, torch.empty_like(mean), torch.empty_like(mean), more

    def arrange(self, given: tuple[Any, ...]) -> tuple[Any, ...]:
        last = is_last(given[1])
        return (*[formatted(each, last) for each in given[:3]], *given[3:])


def batch_norm_activation(
    x: Any, running_mean: Any, running_var: Any, weight: Any = None, bias: Any = None,
    residual: Any = None, training: bool = False, momentum: float = 0.1, eps: float = 1e-5, *,
    choose: Any = None,
) -> Any:  # fmt: skip
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
        ArgumentError: there are no running statistics, and no training.
    """
    check_tensors(x=x)
    if not training:
        if running_mean is None or running_var is None:
            raise errors.ArgumentError("running_mean, running_var: expected tensors, got None")
        layer = shared(BatchNormInference, float(eps), choose=choose)
        y = layer(x, weight, bias, running_mean, running_var)
        relu = shared(Activation, "relu", None, choose=choose)
        return relu(y if residual is None else y + residual)
    layer = shared(BatchNormActivation, float(momentum), float(eps), choose=choose)
    return run_batch_norm(layer, (x, weight, bias, residual), running_mean, running_var)
