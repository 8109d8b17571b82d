"""Convolutions, transposed ones, and their gradients, which have gradients themselves.

Second derivatives: by cuDNN
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import torch
from torch import Tensor

from .... import errors, ops
from ....kernels import can_compile
from ...autograd.layer import REFUSALS, Layer
from ...autograd.layouts import are_last, empty, formatted
from ...autograd.nodes import GRADIENT, NOTHING, SHAPE
from ...autograd.sharing import layers, shared
from ...autograd.states import is_eager
from ...autograd.switches import is_grad_on
from ..arguments import check_tensors, name_for_axes, numbers, same_padding

if TYPE_CHECKING:
    from ....choice.policy import Choose
    from ...autograd.record import Gradients, Results, SymInt, Tensors
    from ..arguments import Padding, Sizes


class _Convolving(Layer):
    """The base of a convolution and its gradients.

    The padding has one number for each dimension, or two: before and after.
    """

    keeps: ClassVar[tuple[str, ...]] = ("x", "w")

    twice = True
    casts = "lower"

    padding: tuple[int, ...]
    stride: tuple[int, ...]
    dilation: tuple[int, ...]
    groups: SymInt

    def _start(self, *options: object) -> None:
        super()._start(*options)
        #: By the number of axes: all but that of the channels.
        self._others: dict[int, list[int]] = {}

    def make(self, **options: object) -> ops.Operation:
        if len(self.padding) > len(self.stride):
            options["padding"] = tuple(self._sides())
        return super().make(**options)

    def arrange(self, given: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        last = self._is_last(given[0], given[1])
        return tuple(
            [
                each
                if each is None
                else formatted(each, last)
                if each.dim() > 1
                else each.contiguous()
                for each in given
            ]
        )

    def _is_last(self, x: Tensor, other: Tensor) -> bool:
        """Return whether arrays get channels last, which a single example has not."""
        return x.dim() == len(self.stride) + 2 and are_last(x, other)

    def _sides(self) -> list[tuple[int, int]]:
        if len(self.padding) > len(self.stride):
            return list(zip(self.padding[::2], self.padding[1::2], strict=True))
        return [(each, each) for each in self.padding]

    def _padded(self, x: Tensor) -> tuple[Tensor, list[int], list[int]]:
        """Return the input and the padding as PyTorch takes them, and what was added before.

        Its convolutions pad both sides alike; what is more on one side is added to the input.
        """
        sides = self._sides()
        even = [min(before, after) for before, after in sides]
        added = [(b - e, a - e) for (b, a), e in zip(sides, even, strict=True)]
        if any(any(pair) for pair in added):
            flat = [each for pair in reversed(added) for each in pair]
            x = torch.nn.functional.pad(x, flat)
        return x, even, [before for before, _ in added]

    def _bias(self, dy: Tensor) -> Tensor:
        """Return the gradient of the bias: a sum, by the kernel of reductions where it is there."""
        if dy.is_cuda and can_compile() and is_eager(dy) and not is_grad_on():
            batch = dy.dim() == len(self.stride) + 2
            try:
                return ops.convolution_backward_bias(dy, batch=batch)
            except REFUSALS:
                pass  # PyTorch's takes whatever there is
        axes = self._others.get(dy.dim())
        if axes is None:
            channels = dy.dim() - len(self.stride) - 1
            axes = self._others[dy.dim()] = [a for a in range(dy.dim()) if a != channels]
        return dy.sum(axes)


def _fake(self: _Convolving, x: Tensor, w: Tensor, bias: Tensor | None = None) -> Results:
    """Return an empty result of a layer with a bias."""
    found: Tensor = self.reference(x.contiguous(), w.contiguous(), bias)
    return empty(x, found.shape, self._is_last(x, w))


def _gradients(
    self: _Convolving, saved: Tensors, needs: Sequence[bool], grads: Tensors
) -> Gradients:
    """Return the gradients of a layer with a bias."""
    found = list(Layer.own_gradients(self, saved, needs[:2], grads))
    return [*found, self._bias(grads[0]) if needs[2] else None]


class Convolution(_Convolving):
    """The layer of a convolution."""

    by = ops.Convolution
    takes = ("x", "w", "bias")
    fake, own_gradients = _fake, _gradients

    def reference(self, x: Tensor, w: Tensor, bias: Tensor | None = None) -> Results:
        x, padding, _ = self._padded(x)
        functions = (torch.conv1d, torch.conv2d, torch.conv3d)
        return functions[len(self.stride) - 1](
            x, w, bias, self.stride, padding, self.dilation, self.groups
        )


class BackwardData(_Convolving):
    """The layer of the gradient for the input."""

    by = ops.ConvolutionBackwardData
    extras = ("SymInt[] shape",)
    keeps = ("dy", "w")

    def reference(self, dy: Tensor, w: Tensor, shape: Sequence[int]) -> Results:
        x, padding, before = self._padded(dy.new_empty(1).expand(tuple(shape)))
        batch = dy.dim() == w.dim()
        found = torch.ops.aten.convolution_backward(
            dy if batch else dy[None], x if batch else x[None], w, None, self.stride, padding,
            self.dilation, False, [0] * len(padding), self.groups, [True, False, False],
        )[0]  # fmt: skip
        found = found if batch else found[0]
        for axis, start in enumerate(before):
            place = axis + len(shape) - len(before)
            found = found.narrow(place, start, shape[place])
        return found

    def fake(self, dy: Tensor, w: Tensor, shape: Sequence[int]) -> Results:
        return empty(dy, tuple(shape), self._is_last(dy, w))

    def own_gradients(self, saved: Tensors, needs: Sequence[bool], grads: Tensors) -> Gradients:
        dy, w = saved
        (more,) = grads
        return (
            Convolution(*self.options).reference(more, w) if needs[0] else None,
            BackwardFilter(*self.options).reference(more, dy, w.shape) if needs[1] else None,
        )


class BackwardFilter(_Convolving):
    """The layer of the gradient for the filters."""

    by = ops.ConvolutionBackwardFilter
    extras = ("SymInt[] shape",)
    keeps = ("x", "dy")

    def reference(self, x: Tensor, dy: Tensor, shape: Sequence[int]) -> Results:
        x, padding, _ = self._padded(x)
        batch = x.dim() == len(shape)
        return torch.ops.aten.convolution_backward(
            dy if batch else dy[None], x if batch else x[None], x.new_empty(1).expand(tuple(shape)),
            None, self.stride, padding, self.dilation, False, [0] * len(padding), self.groups,
            [False, True, False],
        )[1]  # fmt: skip

    def fake(self, x: Tensor, dy: Tensor, shape: Sequence[int]) -> Results:
        return empty(x, tuple(shape), self._is_last(x, dy))

    def own_gradients(self, saved: Tensors, needs: Sequence[bool], grads: Tensors) -> Gradients:
        x, dy = saved
        (more,) = grads
        return (
            BackwardData(*self.options).reference(dy, more, x.shape) if needs[0] else None,
            Convolution(*self.options).reference(x, more) if needs[1] else None,
        )


class ConvolutionTranspose(_Convolving):
    """The layer of a transposed convolution."""

    by = ops.ConvolutionTranspose
    fake, own_gradients = _fake, _gradients
    output_padding: tuple[int, ...]

    def reference(self, x: Tensor, w: Tensor, bias: Tensor | None = None) -> Results:
        functional = torch.nn.functional
        functions = (
            functional.conv_transpose1d, functional.conv_transpose2d, functional.conv_transpose3d,
        )  # fmt: skip
        return functions[len(self.stride) - 1](
            x, w, bias, self.stride, self.padding, self.output_padding, self.groups, self.dilation
        )


Convolution.steps = (
    (BackwardData, (GRADIENT, 1, SHAPE + 0)), (BackwardFilter, (0, GRADIENT, SHAPE + 1)), "_bias",
)  # fmt: skip
BackwardData.steps = (
    (Convolution, (GRADIENT, 1, NOTHING)), (BackwardFilter, (GRADIENT, 0, SHAPE + 1)),
)  # fmt: skip
BackwardFilter.steps = (
    (BackwardData, (1, GRADIENT, SHAPE + 0)), (Convolution, (0, GRADIENT, NOTHING)),
)  # fmt: skip
ConvolutionTranspose.steps = (
    (Convolution, (GRADIENT, 1, NOTHING)), (BackwardFilter, (GRADIENT, 0, SHAPE + 1)), "_bias",
)  # fmt: skip


def _convolve(
    count: int, x: Tensor, w: Tensor, stride: Sizes, padding: Padding, dilation: Sizes, groups: int,
    choose: Choose,
) -> Any:  # fmt: skip
    """Return the layer for the arguments of a call, after looking at them."""
    check_tensors(input=x, weight=w)
    return shared(
        Convolution, *options_of(count, w, stride, padding, dilation, groups), choose=choose
    )


def options_of(
    count: int, w: Tensor, stride: Sizes, padding: Padding, dilation: Sizes, groups: int
) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], int]:
    """Return the options of a `Convolution` as PyTorch's functions take them.

    Raises:
        ArgumentError: one does not fit.
    """
    dilation = numbers(dilation, count, "dilation")
    stride = numbers(stride, count, "stride")
    if padding == "same":
        if set(stride) != {1}:
            raise errors.ArgumentError('padding: "same" goes with a stride of 1 only')
        padding = same_padding(w.shape[2:], dilation)
    else:
        padding = numbers(0 if padding == "valid" else padding, count, "padding")
    return padding, stride, dilation, groups


def transposed_options(
    count: int, stride: Sizes, padding: Sizes, output_padding: Sizes, groups: int, dilation: Sizes
) -> tuple[object, ...]:
    """Return the options of a `ConvolutionTranspose` as PyTorch's functions take them.

    Raises:
        ArgumentError: one does not fit.
    """
    return (
        numbers(padding, count, "padding"), numbers(stride, count, "stride"),
        numbers(dilation, count, "dilation"), groups,
        numbers(output_padding, count, "output_padding"),
    )  # fmt: skip


def _transpose(
    count: int, x: Tensor, w: Tensor, bias: Tensor, stride: Sizes, padding: Sizes,
    output_padding: Sizes, groups: int, dilation: Sizes, choose: Choose,
) -> Any:  # fmt: skip
    check_tensors(input=x, weight=w)
    options = transposed_options(count, stride, padding, output_padding, groups, dilation)
    return shared(ConvolutionTranspose, *options, choose=choose)(x, w, bias)


def _make(count: int) -> tuple[Any, Any]:
    def conv(
        input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Sizes = 1,
        padding: Padding = 0, dilation: Sizes = 1, groups: int = 1, *, choose: Choose = None,
    ) -> Tensor:  # fmt: skip
        """Convolve over {axes}.

        Args:
            input: (N, C, {axes}), or without N, on a GPU.
            weight: the filters, (K, C / groups, {axes}), of the same data type.
            bias: (K,).
            stride, padding, dilation: a number, or one for each spatial axis; `padding` also
                "valid" or "same".
            groups: the number of groups of channels.
            choose: the policy that picks the engine or algorithm; see `cudnn_cffi.choice`.

        Returns: (N, K, {axes}), or without N.

        Raises:
            ArgumentError: shapes or options do not fit, or a tensor is not on a GPU.
            NotSupportedError: cuDNN does not compute this.

        Computed by a graph, or by `cudnnConvolutionForward`.
        """
        key = count, stride, padding, dilation, groups, choose
        try:
            layer = layers.get(key) if input.is_cuda else None
        except (AttributeError, TypeError):  # no tensor, or arguments that are no keys
            layer = None
        if layer is None:
            layer = _convolve(count, input, weight, stride, padding, dilation, groups, choose)
            plain = choose is None or type(choose) is str
            if plain and is_eager(input) and all(type(each) in (int, tuple) for each in key[1:5]):
                layers[key] = layer
        return layer(input, weight, bias)

    def transpose(
        input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Sizes = 1,
        padding: Sizes = 0, output_padding: Sizes = 0, groups: int = 1, dilation: Sizes = 1, *,
        choose: Choose = None,
    ) -> Tensor:  # fmt: skip
        """Convolve transposed over {axes}: the gradient of a convolution.

        Args:
            input: (N, K, {axes}), or without N, on a GPU.
            weight: the filters, (K, C / groups, {axes}), of the same data type.
            bias: (C,).
            stride, padding, dilation: a number, or one for each spatial axis.
            output_padding: how much longer the result is at the end of each axis.
            groups: the number of groups of channels.
            choose: the policy that picks the engine or algorithm; see `cudnn_cffi.choice`.

        Returns: (N, C, {axes}), or without N.

        Raises:
            ArgumentError: shapes or options do not fit, or a tensor is not on a GPU.
            NotSupportedError: cuDNN does not compute this.

        Computed by a graph, or by `cudnnConvolutionBackwardData`.
        """
        return _transpose(
            count, input, weight, bias, stride, padding, output_padding, groups, dilation, choose
        )

    name_for_axes(conv, f"conv{count}d", count)
    name_for_axes(transpose, f"conv_transpose{count}d", count)
    return conv, transpose


if TYPE_CHECKING:

    def conv1d(
        input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Sizes = 1,
        padding: Padding = 0, dilation: Sizes = 1, groups: int = 1, *, choose: Choose = None,
    ) -> Tensor:  # fmt: skip
        """Convolve by cuDNN, with the arguments of PyTorch's function of the same name.

        `choose` is the policy that picks the engine or algorithm; see `cudnn_cffi.choice`.

        Raises:
            ArgumentError: shapes or options do not fit, or a tensor is not on a GPU.
            NotSupportedError: cuDNN does not compute this.
        """

    def conv_transpose1d(
        input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Sizes = 1,
        padding: Sizes = 0, output_padding: Sizes = 0, groups: int = 1, dilation: Sizes = 1, *,
        choose: Choose = None,
    ) -> Tensor:  # fmt: skip
        """Convolve transposed by cuDNN, as PyTorch's function of the same name.

        `choose` is the policy that picks the engine or algorithm; see `cudnn_cffi.choice`.

        Raises:
            ArgumentError: shapes or options do not fit, or a tensor is not on a GPU.
            NotSupportedError: cuDNN does not compute this.
        """

    conv2d = conv3d = conv1d
    conv_transpose2d = conv_transpose3d = conv_transpose1d
else:
    conv1d, conv_transpose1d = _make(1)
    conv2d, conv_transpose2d = _make(2)
    conv3d, conv_transpose3d = _make(3)
