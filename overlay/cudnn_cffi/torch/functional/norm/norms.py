"""Layer, RMS and instance norm.

Second derivatives: by PyTorch
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from .... import errors, ops
from ...autograd.sharing import shared
from ..arguments import check_tensors, only
from .base import Norm, scale_of, wide

if TYPE_CHECKING:
    from ....choice.policy import Choose
    from ...autograd.record import Results
    from ..arguments import Sizes

_functional = torch.nn.functional

#: Training needs statistics; calls without gradients leave them out.
_STATISTICS: Mapping[str, object] = {"statistics": True}


class LayerNorm(Norm):
    """The layer of layer norm."""

    by = ops.LayerNorm
    contiguous = True
    fixed = _STATISTICS
    optional = frozenset({"scale", "bias"})
    gives = ("y", "mean", "inv_variance")

    casts = "float32"
    shape: tuple[int, ...]  # type: ignore[misc]
    epsilon: float

    def infer(self, x: Tensor, scale: Tensor | None, bias: Tensor | None) -> Results:
        if scale is None or bias is None:
            return self.compute(x, scale, bias)[0]
        return self.plain(statistics=False)(x, scale, bias)

    def reference(self, x: Tensor, scale: Tensor | None, bias: Tensor | None) -> Results:
        return (_functional.layer_norm(x, self.shape, scale, bias, self.epsilon),)


class LayerNormBackward(Norm):
    """The layer of the gradients of layer norm."""

    by = ops.LayerNormBackward
    optional = frozenset({"scale"})
    contiguous = True
    shape: tuple[int, ...]  # type: ignore[misc]
    epsilon: float

    def reference(
        self, dy: Tensor, x: Tensor, scale: Tensor | None, mean: Tensor, inverse: Tensor
    ) -> Results:
        scale = self.neutral(x)[0] if scale is None else scale
        # PyTorch reads only the type of the bias, so the scale takes its place.
        return torch.ops.aten.native_layer_norm_backward(
            dy, x, list(self.shape), mean, inverse, scale, scale, [True, True, True]
        )


class RMSNorm(Norm):
    """The layer of RMS norm."""

    by = ops.RMSNorm
    fixed = _STATISTICS
    takes = ("x", "scale")
    optional = frozenset({"scale"})
    gives = ("y", "inv_variance")
    contiguous = True
    shape: tuple[int, ...]  # type: ignore[misc]
    epsilon: float

    def compute(self, x: Tensor, scale: Tensor | None) -> Results:
        y, _, inverse = super().compute(x, scale)
        return y, inverse

    def infer(self, x: Tensor, scale: Tensor | None) -> Results:
        if scale is None:
            return self.compute(x, scale)[0]
        return self.plain(statistics=False)(x, scale)

    def reference(self, x: Tensor, scale: Tensor | None) -> Results:
        return (_functional.rms_norm(x, self.shape, scale, self.epsilon),)


class RMSNormBackward(Norm):
    """The layer of the gradients of RMS norm."""

    by = ops.RMSNormBackward
    optional = frozenset({"scale"})
    gives = ("dx", "dscale")
    contiguous = True
    shape: tuple[int, ...]  # type: ignore[misc]
    epsilon: float

    def compute(self, dy: Tensor, x: Tensor, scale: Tensor | None, inverse: Tensor) -> Results:
        return super().compute(dy, x, scale, inverse)[:2]


class InstanceNorm(Norm):
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

    def statistic(self, x: Tensor) -> tuple[int, ...]:
        return (*x.shape[:2], *(1,) * (x.dim() - 2))

    def neutral(self, x: Tensor, scale: Tensor | None = None) -> tuple[Tensor, Tensor]:
        if scale is not None:
            return super().neutral(x, scale)
        key = x.shape[1], x.dtype, x.device  # calls with arrays are known sooner
        found = self._neutral.get(key)
        if found is None:
            found = super().neutral(x)
            if not (x.is_cuda and torch.cuda.is_current_stream_capturing()):  # see `filled`
                self._neutral[key] = found
        return found

    def reference(self, x: Tensor, scale: Tensor | None, bias: Tensor | None) -> Results:
        scale = scale_of(scale, bias)
        return (_functional.instance_norm(x, None, None, scale, bias, True, 0.0, self.epsilon),)


class InstanceNormBackward(Norm):
    """The layer of the gradients of instance norm."""

    by = ops.InstanceNormBackward
    optional = frozenset({"scale"})
    images = ("dy", "x")
    epsilon: float

    def reference(
        self, dy: Tensor, x: Tensor, scale: Tensor | None, mean: Tensor, inverse: Tensor
    ) -> Results:
        raise errors.NotSupportedError("instance_norm_backward: PyTorch has no function for it")


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
    return float(torch.finfo(x.dtype if _IS_NARROW else wide(x)).eps)


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
