"""Windows as columns, and blocks of pixels as channels; each is the gradient of the other.

Second derivatives: by cuDNN
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from .... import errors, ops
from ...autograd.layer import Layer
from ...autograd.layouts import empty, is_last
from ...autograd.sharing import shared
from ..arguments import check_tensors, numbers

if TYPE_CHECKING:
    from ....choice.policy import Choose
    from ...autograd.record import Gradients, Results, Tensors
    from ..arguments import Sizes


class _Columns(Layer):
    """A layer of windows of images with the extents `size`; both directions are linear."""

    keeps = ()
    twice = True
    window: tuple[int, ...]
    stride: tuple[int, ...]
    padding: tuple[int, ...]
    dilation: tuple[int, ...]
    size: tuple[int, ...]


class Im2Col(_Columns):
    """The layer of windows as columns."""

    by = ops.Im2Col
    contiguous = True

    twice = True

    def reference(self, x: Tensor) -> Results:
        return torch.nn.functional.unfold(x, self.window, self.dilation, self.padding, self.stride)

    def fake(self, x: Tensor) -> Results:
        windows = self.window, self.stride, self.padding, self.dilation
        count = math.prod(
            (n + 2 * p - d * (k - 1) - 1) // s + 1
            for n, k, s, p, d in zip(self.size, *windows, strict=True)
        )
        rows = x.shape[1] * math.prod(self.window)
        return x.new_empty((rows, x.shape[0], count)).transpose(0, 1)  # as cuDNN has them

    def own_gradients(self, saved: Tensors, needs: Sequence[bool], grads: Tensors) -> Gradients:
        return (Col2Im(*self.options).reference(grads[0]),)


class Col2Im(_Columns):
    """The layer of images as sums of columns; `size` has their spatial extents."""

    by = ops.Col2Im

    twice = True

    def make(self, channels: int = 1, **options: object) -> ops.Operation:
        return super().make(shape=(1, channels, *self.size), **options)

    def compute(self, y: Tensor) -> Results:
        return self.plain(channels=self._channels(y))(y)

    def _channels(self, y: Tensor) -> object:
        kernel = math.prod(self.window)
        if y.dim() != 3 or y.shape[1] % kernel:
            raise errors.ShapeMismatchError(
                f"y: expected (N, a multiple of {kernel}, windows), got {tuple(y.shape)}"
            )
        return max(y.shape[1] // kernel, 1)

    def reference(self, y: Tensor) -> Results:
        return torch.nn.functional.fold(
            y, self.size, self.window, self.dilation, self.padding, self.stride
        )

    def fake(self, y: Tensor) -> Results:
        return y.new_empty((y.shape[0], y.shape[1] // math.prod(self.window), *self.size))

    def own_gradients(self, saved: Tensors, needs: Sequence[bool], grads: Tensors) -> Gradients:
        return (Im2Col(*self.options).reference(grads[0]),)

    def arrange(self, given: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        (y,) = given
        return (y if y.transpose(0, 1).is_contiguous() else y.contiguous(),)


class _Blocks(Layer):
    """The base of both directions of blocks and channels; both are linear."""

    keeps = ()
    images = ("x",)
    factor: tuple[int, ...]


class BlocksToChannels(_Blocks):
    """The layer of blocks of pixels as channels."""

    by = ops.Fold

    twice = True

    def reference(self, x: Tensor) -> Results:
        """Compute by PyTorch: the channels of one place of a block follow each other."""
        count = len(self.factor)
        for axis, factor in enumerate(self.factor):
            x = x.unflatten(2 + 2 * axis, (-1, factor))
        order = (0, *range(3, 3 + 2 * count, 2), 1, *range(2, 2 + 2 * count, 2))
        return x.permute(order).flatten(1, 1 + count)

    def fake(self, x: Tensor) -> Results:
        sizes = [n // f for n, f in zip(x.shape[2:], self.factor, strict=True)]
        shape = (x.shape[0], x.shape[1] * math.prod(self.factor), *sizes)
        return empty(x, shape, is_last(x))


class ChannelsToBlocks(_Blocks):
    """The layer of channels as blocks of pixels."""

    by = ops.Unfold

    twice = True

    def reference(self, x: Tensor) -> Results:
        """Compute by PyTorch; see `BlocksToChannels`."""
        count = len(self.factor)
        x = x.unflatten(1, (*self.factor, -1))
        pairs = [axis for place in range(count) for axis in (2 + count + place, 1 + place)]
        x = x.permute(0, 1 + count, *pairs)
        for axis in range(count):
            x = x.flatten(2 + axis, 3 + axis)
        return x

    def fake(self, x: Tensor) -> Results:
        sizes = [n * f for n, f in zip(x.shape[2:], self.factor, strict=True)]
        shape = (x.shape[0], x.shape[1] // math.prod(self.factor), *sizes)
        return empty(x, shape, is_last(x))


def _windows(
    kernel_size: Sizes, dilation: Sizes, padding: Sizes, stride: Sizes
) -> tuple[tuple[int, ...], ...]:
    return (
        numbers(kernel_size, 2, "kernel_size"), numbers(stride, 2, "stride"),
        numbers(padding, 2, "padding"), numbers(dilation, 2, "dilation"),
    )  # fmt: skip


def unfold(
    input: Tensor, kernel_size: Sizes, dilation: Sizes = 1, padding: Sizes = 0, stride: Sizes = 1,
    *, choose: Choose = None,
) -> Tensor:  # fmt: skip
    """Return windows as columns, by `cudnnIm2Col`.

    Args:
        input: (N, C, H, W), or (C, H, W).
        kernel_size, dilation, padding, stride: as for `torch.nn.functional.unfold`.
        choose: the policy that picks the engine or algorithm; see `cudnn_cffi.choice`.

    Returns: (N, C * elements of a window, windows), or without N. In memory one element of all
        windows of all images follows the other.

    Raises:
        ArgumentError: the shape does not fit.
    """
    check_tensors(input=input)
    if input.dim() not in (3, 4):
        raise errors.ArgumentError(
            f"input: expected (N, C, H, W) or (C, H, W), got {tuple(input.shape)}"
        )
    options = (*_windows(kernel_size, dilation, padding, stride), tuple(input.shape[-2:]))
    layer = shared(Im2Col, *options, choose=choose)
    return layer(input[None])[0] if input.dim() == 3 else layer(input)


def fold(
    input: Tensor, output_size: Sizes, kernel_size: Sizes, dilation: Sizes = 1, padding: Sizes = 0,
    stride: Sizes = 1, *, choose: Choose = None,
) -> Tensor:  # fmt: skip
    """Return images as sums of columns: the gradient of `unfold`.

    An infinite element makes NaN of its neighbours.

    Args:
        input: (N, C * elements of a window, windows), or without N.
        output_size: height and width of the images.
        kernel_size, dilation, padding, stride: as for `torch.nn.functional.fold`.
        choose: the policy that picks the engine or algorithm; see `cudnn_cffi.choice`.

    Raises:
        ArgumentError: the shape does not fit.
    """
    check_tensors(input=input)
    size = numbers(output_size, 2, "output_size")
    options = (*_windows(kernel_size, dilation, padding, stride), size)
    layer = shared(Col2Im, *options, choose=choose)
    return layer(input[None])[0] if input.dim() == 2 else layer(input)


def blocks_to_channels(x: Tensor, factor: Sizes = 2, *, choose: Choose = None) -> Tensor:
    """Return blocks of pixels as channels, by `cudnnTransformTensorEx`: `ops.fold`.

    Args:
        x: (N, C, H, W) or (N, C, D, H, W).
        factor: the extents of a block: a number, or one for each spatial axis.
        choose: the policy that picks the engine or algorithm; see `cudnn_cffi.choice`.

    Returns: (N, C * f * f, H / f, W / f), in the layout of `x`: first all channels of the first
        pixel of each block. (PyTorch's pixel_unshuffle has first all pixels of the first channel.)

    Raises:
        ShapeMismatchError: the extents are no multiples of the factor.
    """
    check_tensors(x=x)
    factors = numbers(factor, x.dim() - 2, "factor")
    return shared(BlocksToChannels, factors, choose=choose)(x)


def channels_to_blocks(x: Tensor, factor: Sizes = 2, *, choose: Choose = None) -> Tensor:
    """Return channels as blocks of pixels, the inverse of `blocks_to_channels`: `ops.unfold`.

    Args:
        x: (N, C * f * f, H, W) or (N, C * f * f * f, D, H, W).
        factor: the extents of a block: a number, or one for each spatial axis.
        choose: the policy that picks the engine or algorithm; see `cudnn_cffi.choice`.

    Returns: (N, C, H * f, W * f), in the layout of `x`.

    Raises:
        ShapeMismatchError: the channels are no multiple of what is in a block.
    """
    check_tensors(x=x)
    factors = numbers(factor, x.dim() - 2, "factor")
    return shared(ChannelsToBlocks, factors, choose=choose)(x)
