"""Batch, layer, RMS and instance norm."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from .... import errors, ops
from ...autograd.layer import Layer, shared
from ...autograd.layouts import formatted, is_last, like_image
from ...autograd.states import changed, is_eager
from ..arguments import check_tensors, only

if TYPE_CHECKING:
    from ....choice.policy import Choose
    from ...autograd.record import Results
    from ..arguments import Sizes

__all__ = [
    "BatchNorm",
    "BatchNormInference",
    "InstanceNorm",
    "LayerNorm",
    "RMSNorm",
    "batch_norm",
    "instance_norm",
    "layer_norm",
    "rms_norm",
]

_functional = torch.nn.functional

#: Training needs statistics; calls without gradients leave them out.
_STATISTICS: Mapping[str, object] = {"statistics": True}


def _filled(
    layer: Layer, name: str, value: float, shape: Sequence[int], like: Tensor, kind: torch.dtype
) -> Tensor:
    """Return a parameter that a layer does not have: all ones, or all zeros."""
    key = (name, tuple(shape), like.device, kind)
    kept = layer.__dict__.setdefault("_filled", {})
    found = kept.get(key)
    if found is None:
        with torch.inference_mode(False):
            found = torch.full(tuple(shape), value, dtype=kind, device=like.device)
        if like.is_cuda:
            if torch.cuda.is_current_stream_capturing():
                return found  # it is filled when the graph runs, in the graph's memory
            torch.cuda.current_stream(like.device).synchronize()  # other streams read it, too
        kept[key] = found
    return found


def _wide(x: Tensor) -> torch.dtype:
    """Return the data type of statistics."""
    return torch.float64 if x.dtype == torch.float64 else torch.float32


def _affine(
    layer: Layer, shape: Sequence[int], x: Tensor, scale: Tensor, bias: Tensor
) -> tuple[Tensor, Tensor]:
    """Return scale and bias of each channel, or ones and zeros where there are none."""
    if scale is None:
        scale = _filled(layer, "scale", 1.0, shape, x, _wide(x))
    if bias is None:
        bias = _filled(layer, "bias", 0.0, shape, x, _wide(x))
    return scale, bias


class BatchNorm(Layer):
    """The layer of batch norm in training, which returns the statistics of the batch, too.

    Running statistics are no tensors of the operator, since operators change none of theirs.
    """

    by = ops.BatchNorm
    takes = ("x", "scale", "bias")
    optional = frozenset({"scale", "bias"})
    images = ("x",)
    momentum: float
    epsilon: float

    def compute(
        self, x: Tensor, scale: Tensor | None, bias: Tensor | None, mean: Tensor | None = None,
        variance: Tensor | None = None,
    ) -> Results:  # fmt: skip
        scale, bias = _affine(self, x.shape[1:2], x, scale, bias)
        return self.operation()(x, scale, bias, mean, variance)

    def reference(
        self, x: Tensor, scale: Tensor | None, bias: Tensor | None, mean: Tensor | None = None,
        variance: Tensor | None = None,
    ) -> Results:  # fmt: skip
        y = _functional.batch_norm(
            x, mean, variance, scale, bias, True, self.momentum, self.epsilon
        )
        return (y,)

    def fake(self, x: Tensor, scale: Tensor | None, bias: Tensor | None) -> Results:
        statistic = x.new_empty(x.shape[1:2], dtype=_wide(x))
        return like_image(x), statistic, torch.empty_like(statistic)


class BatchNormBackward(Layer):
    """The layer of the gradients of batch norm."""

    by = ops.BatchNormBackward
    optional = frozenset({"scale"})
    images = ("dy", "x")
    epsilon: float

    def compute(
        self, dy: Tensor, x: Tensor, scale: Tensor | None, mean: Tensor, inverse: Tensor
    ) -> Results:
        if scale is None:
            scale = _filled(self, "scale", 1.0, x.shape[1:2], x, _wide(x))
        return self.operation()(dy, x, scale, mean, inverse)

    def reference(
        self, dy: Tensor, x: Tensor, scale: Tensor | None, mean: Tensor, inverse: Tensor
    ) -> Results:
        if scale is None:
            scale = torch.ones_like(mean)
        return torch.ops.aten.native_batch_norm_backward(
            dy, x, scale, None, None, mean, inverse, True, self.epsilon, [True, True, True]
        )

    def fake(
        self, dy: Tensor, x: Tensor, scale: Tensor | None, mean: Tensor, inverse: Tensor
    ) -> Results:
        return like_image(x), torch.empty_like(mean), torch.empty_like(mean)


class BatchNormInference(Layer):
    """The layer of batch norm with known statistics; its gradients are PyTorch's."""

    by = ops.BatchNormInference
    optional = frozenset({"scale", "bias"})
    images = ("x",)
    epsilon: float

    def compute(
        self, x: Tensor, scale: Tensor | None, bias: Tensor | None, mean: Tensor, variance: Tensor
    ) -> Results:
        scale, bias = _affine(self, mean.shape, x, scale, bias)
        return self.operation()(x, scale, bias, mean, variance)

    def reference(
        self, x: Tensor, scale: Tensor | None, bias: Tensor | None, mean: Tensor, variance: Tensor
    ) -> Results:
        x = formatted(x, is_last(x))  # PyTorch's gradients of strided images are less exact
        return _functional.batch_norm(x, mean, variance, scale, bias, False, 0.0, self.epsilon)

    def fake(
        self, x: Tensor, scale: Tensor | None, bias: Tensor | None, mean: Tensor, variance: Tensor
    ) -> Results:
        return like_image(x)


class _Trailing(Layer):
    """A norm over the last axes: those of the parameters."""

    contiguous = True
    shape: tuple[int, ...]
    epsilon: float

    def _statistic(self, x: Tensor) -> Tensor:
        own = len(self.shape)
        return x.new_empty((*x.shape[: x.dim() - own], *(1,) * own), dtype=_wide(x))


class LayerNorm(_Trailing):
    """The layer of layer norm."""

    by = ops.LayerNorm
    fixed = _STATISTICS
    optional = frozenset({"scale", "bias"})
    gives = ("y", "mean", "inv_variance")

    casts = "float32"

    def compute(self, x: Tensor, scale: Tensor | None, bias: Tensor | None) -> Results:
        if scale is None:
            scale = _filled(self, "scale", 1.0, self.shape, x, x.dtype)
        if bias is None:
            bias = _filled(self, "bias", 0.0, self.shape, x, scale.dtype)
        return self.operation()(x, scale, bias)

    def infer(self, x: Tensor, scale: Tensor | None, bias: Tensor | None) -> Results:
        if scale is None or bias is None:
            return self.compute(x, scale, bias)[0]
        return self.plain(statistics=False)(x, scale, bias)

    def reference(self, x: Tensor, scale: Tensor | None, bias: Tensor | None) -> Results:
        return (_functional.layer_norm(x, self.shape, scale, bias, self.epsilon),)

    def fake(self, x: Tensor, scale: Tensor | None, bias: Tensor | None) -> Results:
        x = x.contiguous()
        return torch.empty_like(x), self._statistic(x), self._statistic(x)


class LayerNormBackward(_Trailing):
    """The layer of the gradients of layer norm."""

    by = ops.LayerNormBackward
    optional = frozenset({"scale"})

    def compute(
        self, dy: Tensor, x: Tensor, scale: Tensor | None, mean: Tensor, inverse: Tensor
    ) -> Results:
        if scale is None:
            scale = _filled(self, "scale", 1.0, self.shape, x, x.dtype)
        return self.operation()(dy, x, scale, mean, inverse)

    def reference(
        self, dy: Tensor, x: Tensor, scale: Tensor | None, mean: Tensor, inverse: Tensor
    ) -> Results:
        if scale is None:
            scale = _filled(self, "scale", 1.0, self.shape, x, x.dtype)
        # PyTorch reads only the type of the bias, so the scale takes its place.
        return torch.ops.aten.native_layer_norm_backward(
            dy, x, list(self.shape), mean, inverse, scale, scale, [True, True, True]
        )

    def fake(
        self, dy: Tensor, x: Tensor, scale: Tensor | None, mean: Tensor, inverse: Tensor
    ) -> Results:
        parameter = x.new_empty(tuple(self.shape), dtype=x.dtype if scale is None else scale.dtype)
        return torch.empty_like(x.contiguous()), parameter, torch.empty_like(parameter)


class RMSNorm(_Trailing):
    """The layer of RMS norm."""

    by = ops.RMSNorm
    fixed = _STATISTICS
    takes = ("x", "scale")
    optional = frozenset({"scale"})
    gives = ("y", "inv_variance")

    def compute(self, x: Tensor, scale: Tensor | None) -> Results:
        if scale is None:
            scale = _filled(self, "scale", 1.0, self.shape, x, x.dtype)
        y, _, inverse = self.operation()(x, scale)
        return y, inverse

    def infer(self, x: Tensor, scale: Tensor | None) -> Results:
        if scale is None:
            return self.compute(x, scale)[0]
        return self.plain(statistics=False)(x, scale)

    def reference(self, x: Tensor, scale: Tensor | None) -> Results:
        return (_functional.rms_norm(x, self.shape, scale, self.epsilon),)

    def fake(self, x: Tensor, scale: Tensor | None) -> Results:
        x = x.contiguous()
        return torch.empty_like(x), self._statistic(x)


class RMSNormBackward(_Trailing):
    """The layer of the gradients of RMS norm."""

    by = ops.RMSNormBackward
    optional = frozenset({"scale"})
    gives = ("dx", "dscale")

    def compute(self, dy: Tensor, x: Tensor, scale: Tensor | None, inverse: Tensor) -> Results:
        if scale is None:
            scale = _filled(self, "scale", 1.0, self.shape, x, x.dtype)
        return self.operation()(dy, x, scale, inverse)[:2]

    def reference(self, dy: Tensor, x: Tensor, scale: Tensor | None, inverse: Tensor) -> Results:
        given = [each for each in (x, scale) if each is not None]
        with torch.enable_grad():
            given = [each.detach().requires_grad_() for each in given]
            y = _functional.rms_norm(
                given[0], self.shape, given[1] if len(given) > 1 else None, self.epsilon
            )
            found = torch.autograd.grad(y, given, dy)
        return found if len(found) == 2 else (found[0], torch.zeros_like(found[0]).sum())

    def fake(self, dy: Tensor, x: Tensor, scale: Tensor | None, inverse: Tensor) -> Results:
        parameter = x.new_empty(tuple(self.shape), dtype=x.dtype if scale is None else scale.dtype)
        return torch.empty_like(x.contiguous()), parameter


class InstanceNorm(Layer):
    """The layer of instance norm."""

    by = ops.InstanceNorm
    fixed = _STATISTICS
    optional = frozenset({"scale", "bias"})
    gives = ("y", "mean", "inv_variance")
    images = ("x",)
    epsilon: float

    def _start(self, epsilon: float) -> None:
        super()._start(epsilon)
        self._neutral: dict[object, tuple[Tensor, Tensor]] = {}

    def compute(self, x: Tensor, scale: Tensor | None, bias: Tensor | None) -> Results:
        if scale is None:
            scale = _filled(self, "scale", 1.0, x.shape[1:2], x, _wide(x))
        if bias is None:
            bias = _filled(self, "bias", 0.0, x.shape[1:2], x, scale.dtype)
        return self.operation()(x, scale, bias)

    def neutral(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Return a scale and a bias that change nothing; calls with arrays are known sooner."""
        key = x.shape[1], x.dtype, x.device
        found = self._neutral.get(key)
        if found is None:
            shape, kind = x.shape[1:2], _wide(x)
            found = (
                _filled(self, "scale", 1.0, shape, x, kind),
                _filled(self, "bias", 0.0, shape, x, kind),
            )
            if not (x.is_cuda and torch.cuda.is_current_stream_capturing()):  # see `_filled`
                self._neutral[key] = found
        return found

    def reference(self, x: Tensor, scale: Tensor | None, bias: Tensor | None) -> Results:
        return (_functional.instance_norm(x, None, None, scale, bias, True, 0.0, self.epsilon),)

    def fake(self, x: Tensor, scale: Tensor | None, bias: Tensor | None) -> Results:
        statistic = x.new_empty((*x.shape[:2], *(1,) * (x.dim() - 2)), dtype=_wide(x))
        return like_image(x), statistic, torch.empty_like(statistic)


class InstanceNormBackward(Layer):
    """The layer of the gradients of instance norm."""

    by = ops.InstanceNormBackward
    optional = frozenset({"scale"})
    images = ("dy", "x")
    epsilon: float

    def compute(
        self, dy: Tensor, x: Tensor, scale: Tensor | None, mean: Tensor, inverse: Tensor
    ) -> Results:
        if scale is None:
            scale = _filled(self, "scale", 1.0, x.shape[1:2], x, _wide(x))
        return self.operation()(dy, x, scale, mean, inverse)

    def reference(
        self, dy: Tensor, x: Tensor, scale: Tensor | None, mean: Tensor, inverse: Tensor
    ) -> Results:
        raise errors.NotSupportedError("instance_norm_backward: PyTorch has no function for it")

    def fake(
        self, dy: Tensor, x: Tensor, scale: Tensor | None, mean: Tensor, inverse: Tensor
    ) -> Results:
        kind = torch.float32 if scale is None else scale.dtype
        parameter = x.new_empty(x.shape[1:2], dtype=kind)
        return like_image(x), parameter, torch.empty_like(parameter)


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


def layer_norm(
    input: Tensor, normalized_shape: Sizes, weight: Tensor | None = None,
    bias: Tensor | None = None, eps: float = 1e-5, *, choose: Choose = None,
) -> Tensor:  # fmt: skip
    """Normalize over the last axes.

    Args:
        input: any shape that ends with `normalized_shape`, on a GPU.
        normalized_shape: the extents of the axes that are normalized together.
        weight, bias: tensors of that shape; 1 and 0 without them.
        eps: added to the variance.
        choose: the policy that picks the engine; see `cudnn_cffi.choice`.

    Raises:
        ArgumentError: the shape of `input` does not end so, or that of a parameter is another one.
    """
    check_tensors(input=input)
    shape = _shape(normalized_shape, input, weight, bias)
    return shared(LayerNorm, shape, float(eps), choose=choose)(input, weight, bias)


def rms_norm(
    input: Tensor, normalized_shape: Sizes, weight: Tensor | None = None, eps: float | None = None,
    *, choose: Choose = None,
) -> Tensor:  # fmt: skip
    """Divide by the root of the mean square over the last axes.

    Beside an infinity numbers give 0, where PyTorch has NaN.

    Args:
        input: any shape that ends with `normalized_shape`, on a GPU.
        normalized_shape: the extents of the axes that are normalized together.
        weight: a tensor of that shape; 1 without it.
        eps: added to the mean square. Without it, what the installed PyTorch adds: the epsilon of
            float32, or of float64 for such a tensor; older versions add that of the tensor's type.
        choose: the policy that picks the engine; see `cudnn_cffi.choice`.

    Raises:
        ArgumentError: the shape of `input` does not end so, or that of `weight` is another one.
    """
    check_tensors(input=input)
    shape = _shape(normalized_shape, input, weight)
    epsilon = default_epsilon(input) if eps is None else float(eps)
    return shared(RMSNorm, shape, epsilon, choose=choose)(input, weight)


def _adds_narrow() -> bool:
    """Return whether this PyTorch adds float16's epsilon to float16: later ones add float32's."""
    x = torch.full((1,), 1e-3, dtype=torch.float16, device="cpu")
    return float(_functional.rms_norm(x, (1,))) < 0.5  # 0.03 or 0.95


_IS_NARROW = _adds_narrow()


def default_epsilon(x: Tensor) -> float:
    """Return what PyTorch's `rms_norm` adds where nothing is said; versions differ."""
    return float(torch.finfo(x.dtype if _IS_NARROW else _wide(x)).eps)


def instance_norm(
    input: Tensor, running_mean: Tensor | None = None, running_var: Tensor | None = None,
    weight: Tensor | None = None, bias: Tensor | None = None, use_input_stats: bool = True,
    momentum: float = 0.1, eps: float = 1e-5, *, choose: Choose = None,
) -> Tensor:  # fmt: skip
    """Normalize each channel of each example over its spatial axes.

    Args:
        input: (N, C, ...), on a GPU.
        running_mean, running_var, momentum: of running statistics, which cuDNN does not have.
        weight, bias: (C,); 1 and 0 without them.
        use_input_stats: True.
        eps: added to the variance.
        choose: the policy that picks the engine; see `cudnn_cffi.choice`.

    Raises:
        NotSupportedError: there are running statistics, or those of the input are not to be used.
    """
    only(None, running_mean=running_mean, running_var=running_var)
    only(True, use_input_stats=use_input_stats)
    del momentum  # of running statistics
    check_tensors(input=input)
    return shared(InstanceNorm, float(eps), choose=choose)(input, weight, bias)


def _shape(value: Sizes, x: Tensor, *parameters: Tensor | None) -> tuple[int, ...]:
    """Return the axes that are normalized over, as a tuple, if the tensors have them."""
    shape = (value,) if isinstance(value, int) else tuple(value)
    if not shape or tuple(x.shape[-len(shape) :]) != shape:
        raise errors.ArgumentError(
            f"normalized_shape: expected the last axes of {tuple(x.shape)}, got {shape}"
        )
    for each in parameters:
        if each is not None and tuple(each.shape) != shape:
            raise errors.ArgumentError(
                f"weight, bias: expected the shape {shape}, got {tuple(each.shape)}"
            )
    return shape
