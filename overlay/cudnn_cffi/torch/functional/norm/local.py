"""Group norm and local response norm.

Second derivatives: by PyTorch; of `divisive_norm`, which it does not have, of the formula
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

import torch
from torch import Tensor

from .... import errors, ops
from ...autograd.layer import Layer
from ...autograd.layouts import empty, is_last, like_image
from ...autograd.sharing import shared
from ..arguments import check_tensors
from .base import Norm

if TYPE_CHECKING:
    from ....choice.policy import Choose
    from ...autograd.record import Results, Tensors

_functional = torch.nn.functional


class GroupNorm(Norm):
    """The layer of group norm."""

    by = ops.GroupNorm
    fixed: ClassVar[Mapping[str, object]] = {"statistics": True}
    gives = ("y", "mean", "inv_variance")

    casts = "float32"
    images = ("x",)
    fills = ()
    groups: int
    epsilon: float

    def infer(self, *given: Tensor) -> Results:
        return self.plain(statistics=False)(*given)

    def reference(self, x: Tensor, scale: Tensor | None, bias: Tensor | None) -> Results:
        return (_functional.group_norm(x, self.groups, scale, bias, self.epsilon),)

    def statistic(self, x: Tensor) -> tuple[int, ...]:
        return x.shape[0], self.groups


class GroupNormBackward(Norm):
    """The layer of the gradients of group norm."""

    by = ops.GroupNormBackward
    optional = frozenset({"scale"})
    images = ("dy", "x")
    fills = ()
    groups: int
    epsilon: float

    def reference(
        self, dy: Tensor, x: Tensor, scale: Tensor | None, mean: Tensor, inverse: Tensor
    ) -> Results:
        space = x[0, 0].numel()
        scale = mean.new_ones(x.shape[1]) if scale is None else scale
        return torch.ops.aten.native_group_norm_backward(
            dy, x, mean, inverse, scale, x.shape[0], x.shape[1], space, self.groups,
            [True, True, True],
        )  # fmt: skip


class _Local(Layer):
    """The base of local response norm and its gradient; the size of the window is odd."""

    images = ("dy", "x", "y", "means")
    size: int
    alpha: float
    beta: float
    k: float

    def _start(self, size: int, *options: float) -> None:
        super()._start(size, *options)
        if size % 2 == 0:
            raise errors.NotSupportedError(
                f"size: expected an odd number, got {size}",
                hint="windows of an even size lie elsewhere in PyTorch than in cuDNN",
            )


class LocalResponseNorm(_Local):
    """The layer of local response norm."""

    by = ops.LocalResponseNorm
    again = 1

    casts = "float32"  # PyTorch computes it by a power, which its autocast has in float32

    def reference(self, x: Tensor) -> Results:
        x = x.contiguous() if x.dim() > 4 else x  # whose last axes PyTorch views as one
        return _functional.local_response_norm(x, self.size, self.alpha, self.beta, self.k)

    def fake(self, x: Tensor) -> Results:
        return like_image(x)


class LocalResponseNormBackward(_Local):
    """The layer of the gradient of local response norm."""

    by = ops.LocalResponseNormBackward


def _lead(_: Layer, given: Tensors) -> Tensor:
    """Return the image whose layout the others get: the means, if there are any."""
    x, means = given[-2:]
    return x if means is None else means


def _window_sums(x: Tensor, size: int) -> Tensor:
    """Return the sum over the window around each element, as far as it is in the tensor."""
    pool = _functional.avg_pool2d if x.dim() == 4 else _functional.avg_pool3d
    return pool(x, size, 1, size // 2, divisor_override=1)


class DivisiveNorm(_Local):
    """The layer of divisive norm, over windows in space."""

    by = ops.DivisiveNorm
    lead = _lead

    def reference(self, x: Tensor, means: Tensor | None = None) -> Results:
        size = self.size
        total = _window_sums(x * x, size)
        if means is not None:  # the one at the center, for all elements of a window
            count = _window_sums(torch.ones_like(x), size)
            total = total - 2 * means * _window_sums(x, size) + count * means * means
        scale = self.alpha / size ** (x.dim() - 2)
        return x / (self.k + scale * total) ** self.beta

    def fake(self, x: Tensor, means: Tensor | None = None) -> Results:
        return empty(x, x.shape, is_last(x if means is None else means))


class DivisiveNormBackward(_Local):
    """The layer of the gradients of divisive norm; that of the means is empty without them."""

    by = ops.DivisiveNormBackward
    lead = _lead

    def compute(self, dy: Tensor, x: Tensor, means: Tensor | None = None) -> Results:
        found = self.operation()(dy, x, means)
        return found[0], x.new_empty(0) if means is None else found[1]


def divisive_norm(
    x: Tensor, means: Tensor | None = None, size: int = 5, alpha: float = 1e-4, beta: float = 0.75,
    k: float = 1.0, *, choose: Choose = None,
) -> Tensor:  # fmt: skip
    """Divide by the squares of neighbours in space, by `cudnnDivisiveNormalizationForward`.

    Args:
        x: (N, C, H, W) or (N, C, D, H, W).
        means: what is taken from the elements of the window around each place; zeros without it.
        size: the extent of a window, an odd number.
        alpha, beta, k: numbers of x / (k + alpha / size ** d * sum of (x - mean) ** 2) ** beta, for
            d axes of space.
        choose: the policy that picks the engine or algorithm; see `cudnn_cffi.choice`.

    Raises:
        NotSupportedError: `size` is even.
    """
    check_tensors(x=x)
    options = (int(size), float(alpha), float(beta), float(k))
    return shared(DivisiveNorm, *options, choose=choose)(x, means)


def group_norm(
    input: Tensor, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None,
    eps: float = 1e-5, *, choose: Choose = None,
) -> Tensor:  # fmt: skip
    """Normalize over groups of channels and the spatial axes of each example.

    Args:
        input: (N, C, ...), on a GPU.
        num_groups: the number of groups, which divides that of the channels.
        weight, bias: (C,) float32, or float64 with such an input; 1 and 0 without them.
        eps: added to the variance.
        choose: the policy that picks the algorithm; see `cudnn_cffi.choice`.

    Raises:
        ArgumentError: shapes do not fit, or the input is not on a GPU.

    Computed by `cudnnBatchNormalizationForwardTraining`, with groups as channels.
    """
    check_tensors(input=input)
    return shared(GroupNorm, int(num_groups), float(eps), choose=choose)(input, weight, bias)


def local_response_norm(
    input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0, *,
    choose: Choose = None,
) -> Tensor:  # fmt: skip
    """Divide by (k + alpha / size * sum of x * x over `size` neighboring channels) ** beta.

    cuDNN adds and subtracts squares along the channels: numbers beside huge ones lose digits, and a
    NaN or an infinity makes results of any channel of its pixel wrong.

    Args:
        input: (N, C, ...), on a GPU.
        size: the number of channels in a window, odd.
        alpha, beta, k: the numbers of the formula.
        choose: the policy that picks the algorithm; see `cudnn_cffi.choice`.

    Raises:
        ArgumentError: a number is out of range, or the input is not on a GPU.
        NotSupportedError: the size is even, where PyTorch's windows lie elsewhere.

    Computed by `cudnnLRNCrossChannelForward`.
    """
    check_tensors(input=input)
    options = (int(size), float(alpha), float(beta), float(k))
    return shared(LocalResponseNorm, *options, choose=choose)(input)
