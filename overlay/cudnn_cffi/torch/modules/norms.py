"""Modules of norms."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import torch
from torch import Tensor, nn
from torch.nn.modules.batchnorm import _NormBase

from ...choice import measured, policy
from ...errata.record import ALIGNMENT
from ..autograd import switches
from ..autograd.layouts import is_last, layouts_differ
from ..functional.activations import Activation
from ..functional.norm import batch
from ..functional.norm import local as local_norms
from ..functional.norm import norms as functions
from ..functional.norm.base import has_other_types
from . import base
from .base import Cudnn

if TYPE_CHECKING:
    from ...choice.policy import Choose

_LOWER = (torch.float16, torch.bfloat16)
#: Weight and bias, running statistics, and whether those of the batch are used.
_Prepared: TypeAlias = "tuple[Tensor | None, Tensor | None, Tensor | None, Tensor | None, bool]"
_NARROW = "parameters and statistics are not float32"


class _BatchNorm(Cudnn):
    """The base of batch norms.

    PyTorch computes: parameters of float16 or bfloat16, but for some inference; `momentum=None`;
        gradients in eval mode
    """

    _decides = frozenset({"eps", "momentum"})

    def forward(self, input: Tensor) -> Tensor:
        found = self._prepared(input)
        if found is None:
            return super().forward(_aligned(input))
        weight, bias, mean, variance, training = found
        if not training:
            return self._infer(input, weight, bias, mean, variance)
        layer = self._kept("training", self._new_training)
        return batch.run_batch_norm(layer, (input, weight, bias), mean, variance)

    def _prepared(self, input: Tensor) -> _Prepared | None:
        """Return parameters, running statistics, and whether those of the batch are used.

        None where PyTorch's module computes. In training the batch is counted.
        """
        tracks, (mean, variance) = self.track_running_stats, self._statistics()
        weight, bias = self._weight_and_bias()
        training = self.training or (mean is None and variance is None)
        if not base.on_gpu(input) or (training and tracks and self.momentum is None):
            self._leave("cuDNN has no averages over all batches", input)
            return None
        if has_other_types(input, weight, mean) and (
            training or self.eps < 0 or not base.is_plain(input)
        ):
            self._leave(_NARROW, input)
            return None
        self._check_input_dim(input)
        if training and input.numel() == input.shape[1]:
            return None  # PyTorch refuses it in words
        if self.training and tracks:
            own = self._buffers
            counts = "num_batches_tracked" in own
            count = own["num_batches_tracked"] if counts else self.num_batches_tracked
            if count is not None:
                count.add_(1)
        elif self.training:
            mean = variance = None
        return weight, bias, mean, variance, training

    def _infer(
        self, x: Tensor, weight: Tensor | None, bias: Tensor | None, mean: Tensor | None,
        variance: Tensor | None,
    ) -> Tensor:  # fmt: skip
        """Normalize by running statistics."""
        if has_other_types(x, weight, mean) and not self._gains(x, weight, bias, mean, variance):
            self._leave(_NARROW, x)
            # As PyTorch's module does, without its attributes, which take long.
            return torch.batch_norm(
                x, weight, bias, mean, variance, False, 0.0, self.eps, switches.is_enabled()
            )  # fmt: skip
        layer = self._kept("inference", self._new_inference)
        return batch.run_inference(layer, (x, weight, bias), mean, variance)

    def _gains(self, x: Tensor, *parameters: Tensor | None) -> bool:
        """Return whether cuDNN computes an inference with parameters of float16 or bfloat16.

        With channels last a kernel of this package computes it if they are a multiple of 8; else
        engines are compiled, for each shape or number of channels. So cuDNN computes large images
        with channels last, and all where a choice asks for it.
        """
        if x.dtype not in _LOWER:
            return False
        if _is_asked_for(self.choose):
            # A 1x1 image fits both layouts; keep its strides as PyTorch does.
            if not (x.dim() == 2 or is_last(x) or (x.is_contiguous() and layouts_differ(x))):
                return False
        elif (
            x.numel() * x.element_size() < measured.COMPILED_BYTES
            or not measured.holds(x.device.index)
            or x.shape[1] % 8
            or x.stride(1) != 1
            or not is_last(x)
        ):
            return False
        return not switches.is_grad_on() or not any(
            each is not None and each.requires_grad for each in (x, *parameters)
        )

    def _new_inference(self) -> batch.BatchNormInference:
        return batch.BatchNormInference(self.eps, **self._terms())

    def _new_training(self) -> batch.BatchNorm | batch.BatchNormActivation:
        momentum = 0.0 if self.momentum is None else self.momentum
        return batch.BatchNorm(momentum, self.eps, **self._terms())


def _aligned(x: Tensor) -> Tensor:
    """Return a tensor for PyTorch's module: its calls of cuDNN end the context at low addresses."""
    return x.clone() if base.is_plain(x) and x.data_ptr() % ALIGNMENT else x


#: The facts of the last decision, and the answer: one object, since threads share it.
_asked: tuple[object, object, object, bool, bool] = (None, None, None, False, False)


def _is_asked_for(own: Choose) -> bool:
    """Return whether choices, or PyTorch's switch, ask for times or for an engine.

    Args:
        own: the choice of the module.
    """
    global _asked
    (scope, process), benchmark = policy.state(), switches.is_benchmark_on()
    before = _asked
    if (
        before[0] is own and before[1] is scope and before[2] is process
        and before[3] is benchmark
    ):  # fmt: skip
        return before[4]
    rule = policy.rule_for("forward", policy.to_policy(own), behind=switches.policy())
    answer = (
        rule.pick in ("time", "time_once")
        or isinstance(rule.pick, policy.Engine)
        or rule.via is not None
    )
    _asked = own, scope, process, benchmark, answer
    return answer


class BatchNorm1d(_BatchNorm, nn.BatchNorm1d):
    """`torch.nn.BatchNorm1d`, computed by cuDNN."""


class BatchNorm2d(_BatchNorm, nn.BatchNorm2d):
    """`torch.nn.BatchNorm2d`, computed by cuDNN."""


class BatchNorm3d(_BatchNorm, nn.BatchNorm3d):
    """`torch.nn.BatchNorm3d`, computed by cuDNN."""


class _BatchNormActivation(_BatchNorm):
    """A batch norm with an addition and a ReLU: relu(batch_norm(input) + residual).

    It is none of PyTorch's batch norms, which others take for a norm alone: what synchronizes,
    folds or quantizes those would lose the rest.
    """

    #: Whether the sum has the data type of the input, also where that of the residual is wider.
    _keeps: bool = False

    def forward(self, input: Tensor, residual: Tensor | None = None) -> Tensor:
        if self._keeps and residual is not None:
            residual = residual.to(input.dtype)
        found = self._prepared(input)
        if found is not None and found[-1]:
            weight, bias, mean, variance, _ = found
            layer = self._kept("training", self._new_training)
            return batch.run_batch_norm(
                layer, (input, weight, bias, residual), mean, variance
            )  # fmt: skip
        y = self._infer(input, *found[:4]) if found else nn.BatchNorm2d.forward(self, input)
        y = y if residual is None else y + residual
        return self._kept("relu", self._new_relu)(y)

    def _new_relu(self) -> Activation:
        return Activation("relu", None, **self._terms())

    def _new_training(self) -> batch.BatchNormActivation:
        momentum = 0.0 if self.momentum is None else self.momentum
        return batch.BatchNormActivation(momentum, self.eps, **self._terms())


class BatchNormActivation1d(_BatchNormActivation, _NormBase):
    """`torch.nn.BatchNorm1d` with an addition and a ReLU, as one step of a training.

    The residual is the second argument of a call, like the first, or None.
    """

    _check_input_dim = nn.BatchNorm1d._check_input_dim


class BatchNormActivation2d(_BatchNormActivation, _NormBase):
    """`torch.nn.BatchNorm2d` with an addition and a ReLU, as one step of a training.

    The residual is the second argument of a call, like the first, or None. With channels last it is
    one call of cuDNN, with a residual where there is a multiple of four channels.
    """

    _check_input_dim = nn.BatchNorm2d._check_input_dim


class BatchNormActivation3d(_BatchNormActivation, _NormBase):
    """`torch.nn.BatchNorm3d` with an addition and a ReLU, as one step of a training.

    The residual is the second argument of a call, like the first, or None.
    """

    _check_input_dim = nn.BatchNorm3d._check_input_dim


class LayerNorm(Cudnn, nn.LayerNorm):
    """`torch.nn.LayerNorm`, computed by cuDNN.

    PyTorch computes: float64
    """

    _decides = frozenset({"eps", "normalized_shape"})

    def forward(self, input: Tensor) -> Tensor:
        layer = self._layer or self._make(
            functions.LayerNorm, tuple(self.normalized_shape), self.eps
        )
        return layer(input, *self._weight_and_bias())


class RMSNorm(Cudnn, nn.RMSNorm):
    """`torch.nn.RMSNorm`, computed by cuDNN.

    PyTorch computes: float64
    """

    _decides = frozenset({"eps", "normalized_shape"})

    def forward(self, x: Tensor) -> Tensor:
        kind, layers = x.dtype, self._layer
        layer = None if layers is None else layers.get(kind)
        if layer is None:
            layer = self._kept(kind, lambda: self._new_layer(x))
        weight = self._parameters.get("weight")
        return layer(x, self.weight if weight is None else weight)

    def _new_layer(self, x: Tensor) -> functions.RMSNorm:
        epsilon = functions.default_epsilon(x) if self.eps is None else self.eps
        shape = tuple(self.normalized_shape)
        return functions.RMSNorm(shape, epsilon, **self._terms())


class _InstanceNorm(Cudnn):
    """The base of instance norms.

    PyTorch computes: running statistics
    """

    _decides = frozenset({"eps"})

    def forward(self, input: Tensor) -> Tensor:
        if self._statistics()[0] is not None or not base.on_gpu(input):
            self._leave("cuDNN has no running statistics of instances", input)
            return super().forward(input)
        self._check_input_dim(input)
        single = input.dim() == self._get_no_batch_dim()
        if not input.numel() or input.shape[0 if single else 1] != self.num_features:
            # PyTorch refuses it, or warns.
            return super().forward(input)
        layer = self._layer or self._make(functions.InstanceNorm, self.eps)
        x = input[None] if single else input
        weight, bias = self._weight_and_bias()
        if weight is None and bias is None and base.is_plain(x):
            weight, bias = layer.neutral(x)
        found = layer(x, weight, bias)
        return found[0] if single else found


class InstanceNorm1d(_InstanceNorm, nn.InstanceNorm1d):
    """`torch.nn.InstanceNorm1d`, computed by cuDNN."""


class InstanceNorm2d(_InstanceNorm, nn.InstanceNorm2d):
    """`torch.nn.InstanceNorm2d`, computed by cuDNN."""


class InstanceNorm3d(_InstanceNorm, nn.InstanceNorm3d):
    """`torch.nn.InstanceNorm3d`, computed by cuDNN."""


class GroupNorm(Cudnn, nn.GroupNorm):
    """`torch.nn.GroupNorm`, computed by cuDNN where the parameters are float32.

    PyTorch computes: parameters that are not float32
    """

    _decides = frozenset({"num_groups", "eps"})

    def forward(self, input: Tensor) -> Tensor:
        layer = self._layer or self._make(local_norms.GroupNorm, self.num_groups, self.eps)
        return layer(input, *self._weight_and_bias())


class LocalResponseNorm(Cudnn, nn.LocalResponseNorm):
    """`torch.nn.LocalResponseNorm`, computed by cuDNN where the size of the window is odd.

    PyTorch computes: an even size, for which PyTorch's windows lie elsewhere
    """

    _decides = frozenset({"size", "alpha", "beta", "k"})

    def forward(self, input: Tensor) -> Tensor:
        if self.size % 2 == 0 or not base.on_gpu(input):
            self._leave("cuDNN has no windows of an even size", input)
            return super().forward(input)
        layer = self._layer
        if layer is None:
            options = (int(self.size), float(self.alpha), float(self.beta), float(self.k))
            layer = self._make(local_norms.LocalResponseNorm, *options)
        return layer(input)
