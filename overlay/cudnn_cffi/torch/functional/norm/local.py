"""Group norm and local response norm."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from .... import errors, ops
from ...autograd.layer import Layer, empty, formatted, is_last, shared
from ..arguments import check_tensors

_functional = torch.nn.functional


class _Grouped(Layer):
    """What group norm and its gradient share."""

    names = ("int groups", "float epsilon")

    def _start(self, groups: int, epsilon: float) -> None:
        self.groups, self.epsilon = groups, epsilon

    @staticmethod
    def _kind(x: Any) -> Any:
        return torch.float64 if x.dtype == torch.float64 else torch.float32


class GroupNorm(_Grouped):
    """The layer of group norm."""

    word = "group_norm"
    tensors = ("Tensor x", "Tensor? scale", "Tensor? bias")
    returns = "(Tensor, Tensor, Tensor)"
    casts = "float32"

    def make(self, statistics: bool = True) -> Any:
        return ops.GroupNorm(
            self.groups, epsilon=self.epsilon, statistics=statistics, choose=self.choose
        )

    def infer(self, *given: Any) -> Any:
        return self.plain(statistics=False)(*given)

    def reference(self, x: Any, scale: Any, bias: Any) -> Any:
        return (_functional.group_norm(x, self.groups, scale, bias, self.epsilon),)

    def fake(self, x: Any, scale: Any, bias: Any) -> Any:
        statistic = x.new_empty((x.shape[0], self.groups), dtype=self._kind(x))
        return empty(x, x.shape, is_last(x)), statistic, torch.empty_like(statistic)

    def arrange(self, given: tuple[Any, ...]) -> tuple[Any, ...]:
        return (formatted(given[0], is_last(given[0])), *given[1:])

    def saves(self, given: Sequence[Any], results: Sequence[Any]) -> tuple[Any, ...]:
        return (*given, *results[1:])

    def gradients(self, saved: Any, needs: Sequence[bool], grads: Sequence[Any]) -> Any:
        x, scale, _, mean, inverse = saved
        found = self.parts[GroupNormBackward](grads[0], x, scale, mean, inverse)
        return [each if want else None for each, want in zip(found, needs, strict=False)]


class GroupNormBackward(_Grouped):
    """The layer of the gradients of group norm."""

    word = "group_norm_backward"
    tensors = ("Tensor dy", "Tensor x", "Tensor? scale", "Tensor mean", "Tensor inverse")
    returns = "(Tensor, Tensor, Tensor)"
    visible = 3

    def make(self) -> Any:
        return ops.GroupNormBackward(self.groups, epsilon=self.epsilon, choose=self.choose)

    def reference(self, dy: Any, x: Any, scale: Any, mean: Any, inverse: Any) -> Any:
        space = x[0, 0].numel()
        scale = mean.new_ones(x.shape[1]) if scale is None else scale
        return torch.ops.aten.native_group_norm_backward(
            dy, x, mean, inverse, scale, x.shape[0], x.shape[1], space, self.groups,
            [True, True, True],
        )  # fmt: skip

    def fake(self, dy: Any, x: Any, scale: Any, mean: Any, inverse: Any) -> Any:
        parameter = x.new_empty(x.shape[1:2], dtype=self._kind(x))
        return empty(x, x.shape, is_last(x)), parameter, torch.empty_like(parameter)

    def arrange(self, given: tuple[Any, ...]) -> tuple[Any, ...]:
        last = is_last(given[1])
        return (formatted(given[0], last), formatted(given[1], last), *given[2:])


class _Local(Layer):
    """What local response norm and its gradient share; the size of the window is odd."""

    names = ("int size", "float alpha", "float beta", "float k")

    def _start(self, size: int, alpha: float, beta: float, k: float) -> None:
        self.settings: dict[str, Any] = {"size": size, "alpha": alpha, "beta": beta, "k": k}
        if size % 2 == 0:
            raise errors.NotSupportedError(
                f"size: expected an odd number, got {size}",
                hint="windows of an even size lie elsewhere in PyTorch than in cuDNN",
            )

    def arrange(self, given: tuple[Any, ...]) -> tuple[Any, ...]:
        last = is_last(given[-1])
        return tuple([formatted(each, last) for each in given])


class LocalResponseNorm(_Local):
    """The layer of local response norm."""

    word = "local_response_norm"
    tensors = ("Tensor x",)
    casts = "float32"  # PyTorch computes it by a power, which its autocast has in float32

    def make(self) -> Any:
        return ops.LocalResponseNorm(**self.settings, choose=self.choose)

    def reference(self, x: Any) -> Any:
        return _functional.local_response_norm(x, **self.settings)

    def fake(self, x: Any) -> Any:
        return empty(x, x.shape, is_last(x))

    def saves(self, given: Sequence[Any], results: Sequence[Any]) -> tuple[Any, ...]:
        return given[0], results[0]

    def gradients(self, saved: Any, needs: Sequence[bool], grads: Sequence[Any]) -> Any:
        return (self.parts[LocalResponseNormBackward](grads[0], *saved),)


class LocalResponseNormBackward(_Local):
    """The layer of the gradient of local response norm."""

    word = "local_response_norm_backward"
    tensors = ("Tensor dy", "Tensor x", "Tensor y")

    def make(self) -> Any:
        return ops.LocalResponseNormBackward(**self.settings, choose=self.choose)

    def reference(self, dy: Any, x: Any, y: Any) -> Any:
        return LocalResponseNorm(*self.options).own_gradients((x,), (True,), (dy,))[0]

    def fake(self, dy: Any, x: Any, y: Any) -> Any:
        return empty(x, x.shape, is_last(x))


def _window_sums(x: Any, size: int) -> Any:
    """Return the sum over the window around each element, as far as it is in the tensor."""
    pool = _functional.avg_pool2d if x.dim() == 4 else _functional.avg_pool3d
    return pool(x, size, 1, size // 2, divisor_override=1)


class DivisiveNorm(_Local):
    """The layer of divisive norm, over windows in space."""

    word = "divisive_norm"
    tensors = ("Tensor x", "Tensor? means")

    def make(self) -> Any:
        return ops.DivisiveNorm(**self.settings, choose=self.choose)

    def reference(self, x: Any, means: Any = None) -> Any:
        size = self.settings["size"]
        total = _window_sums(x * x, size)
        if means is not None:  # the one at the center, for all elements of a window
            count = _window_sums(torch.ones_like(x), size)
            total = total - 2 * means * _window_sums(x, size) + count * means * means
        scale = self.settings["alpha"] / size ** (x.dim() - 2)
        return x / (self.settings["k"] + scale * total) ** self.settings["beta"]

    def fake(self, x: Any, means: Any = None) -> Any:
        return empty(x, x.shape, is_last(x if means is None else means))

    def gradients(self, saved: Any, needs: Sequence[bool], grads: Sequence[Any]) -> Any:
        found = self.parts[DivisiveNormBackward](grads[0], *saved)
        return [each if want else None for each, want in zip(found, needs, strict=False)]

    def arrange(self, given: tuple[Any, ...]) -> tuple[Any, ...]:
        last = is_last(given[0] if given[-1] is None else given[-1])
        return tuple([each if each is None else formatted(each, last) for each in given])


class DivisiveNormBackward(_Local):
    """The layer of the gradients of divisive norm; that of the means is empty without them."""

    word = "divisive_norm_backward"
    tensors = ("Tensor dy", "Tensor x", "Tensor? means")
    returns = "(Tensor, Tensor)"
    visible = 2

    def make(self) -> Any:
        return ops.DivisiveNormBackward(**self.settings, choose=self.choose)

    def compute(self, dy: Any, x: Any, means: Any = None) -> Any:
        found = self.operation()(dy, x, means)
        return found[0], x.new_empty(0) if means is None else found[1]

    def reference(self, dy: Any, x: Any, means: Any = None) -> Any:
        forward = DivisiveNorm(*self.options)
        found = forward.own_gradients((x, means), (True, means is not None), (dy,))
        return found[0], x.new_empty(0) if means is None else found[1]

    def fake(self, dy: Any, x: Any, means: Any = None) -> Any:
        made = empty(x, x.shape, is_last(x if means is None else means))
        return made, x.new_empty(0) if means is None else torch.empty_like(made)

    def arrange(self, given: tuple[Any, ...]) -> tuple[Any, ...]:
        last = is_last(given[1] if given[2] is None else given[2])
        return tuple([each if each is None else formatted(each, last) for each in given])


def divisive_norm(
    x: Any, means: Any = None, size: int = 5, alpha: float = 1e-4, beta: float = 0.75,
    k: float = 1.0, *, choose: Any = None,
) -> Any:  # fmt: skip
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
    input: Any, num_groups: int, weight: Any = None, bias: Any = None, eps: float = 1e-5, *,
    choose: Any = None,
) -> Any:  # fmt: skip
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
    input: Any, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0, *,
    choose: Any = None,
) -> Any:  # fmt: skip
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
