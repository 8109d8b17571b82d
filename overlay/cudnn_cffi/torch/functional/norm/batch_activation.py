"""Batch norm with the addition and the ReLU that follow it, as one step of a training.

Second derivatives: by PyTorch
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from .... import errors, ops
from ...autograd.layer import shared
from ..activations import Activation
from ..arguments import check_tensors
from .base import Norm
from .batch import BatchNorm, BatchNormBackward, BatchNormInference, run_batch_norm

if TYPE_CHECKING:
    from ....choice.policy import Choose
    from ...autograd.record import Gradients, Results, Tensors


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
        y = torch.nn.functional.batch_norm(
            x, mean, variance, scale, bias, True, self.momentum, self.epsilon
        )
        return (torch.relu(y if residual is None else y + residual),)

    def saves(self, given: Tensors, results: Tensors) -> Tensors:
        y, mean, inverse, *reserve = results
        return (*given[:3], y, mean, inverse, reserve[0] if reserve else None)

    def gradients(self, saved: Tensors, needs: Sequence[bool], grads: Tensors) -> Gradients:
        x, scale, bias, y, mean, inverse, reserve = saved
        # The reserve of a fused addition is for the gradient with the addend, wanted or not.
        adds = needs[3] or (reserve is not None and reserve.numel() > 1)
        made = self.parts[BatchNormActivationBackward, self.epsilon, adds]
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


def batch_norm_activation(
    x: Tensor, running_mean: Tensor, running_var: Tensor, weight: Tensor | None = None,
    bias: Tensor | None = None, residual: Tensor | None = None, training: bool = False,
    momentum: float = 0.1, eps: float = 1e-5, *, choose: Choose = None,
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
        ArgumentError: there are no running statistics, and no training.
    """
    check_tensors(x=x)
    if not training:
        if running_mean is None or running_var is None:
            raise errors.ArgumentError("running_mean, running_var: expected tensors, got None")
        known = shared(BatchNormInference, float(eps), choose=choose)
        y = known(x, weight, bias, running_mean, running_var)
        relu = shared(Activation, "relu", None, choose=choose)
        return relu(y if residual is None else y + residual)
    layer = shared(BatchNormActivation, float(momentum), float(eps), choose=choose)
    return run_batch_norm(layer, (x, weight, bias, residual), running_mean, running_var)
