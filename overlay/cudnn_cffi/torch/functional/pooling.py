"""Pooling.

Second derivatives: by PyTorch
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from ... import errors, ops
from ..._support.arguments import boolean
from ..autograd.layer import Layer
from ..autograd.layouts import empty, is_last
from ..autograd.nodes import known
from ..autograd.sharing import is_dynamo, keep, shared
from ..autograd.switches import keeps_bits
from .arguments import check_tensors, name_for_axes, numbers, only

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...choice.policy import Choose
    from ..autograd.record import Gradients, Results, Tensors
    from .arguments import Sizes


def rows(x: Tensor, padding: Sequence[int]) -> Tensor:
    """Return an image for PyTorch's means of windows, which may have padding.

    PyTorch 2.11's gradients leave it out where channels are last.
    """
    return x.contiguous() if any(padding) else x


class _Pooling(Layer):
    """The base of a pooling and its gradient."""

    images = ("dy", "x", "y")
    kind: str
    window: tuple[int, ...]
    stride: tuple[int, ...]
    padding: tuple[int, ...]
    batch: bool

    def arrange(self, given: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        if 0 in given[-1].shape[int(self.batch) :]:
            raise errors.ArgumentError("the batch alone may be empty, as in PyTorch")
        return super().arrange(given)

    def make(self, **options: object) -> ops.Operation:
        return super().make(deterministic=keeps_bits(), **options)

    def _pool(self, x: Tensor) -> Tensor:
        place = len(self.window) - 1
        functional = torch.nn.functional
        if self.kind == "max":
            functions = (functional.max_pool1d, functional.max_pool2d, functional.max_pool3d)
            return functions[place](x, self.window, self.stride, self.padding)
        averages = (functional.avg_pool1d, functional.avg_pool2d, functional.avg_pool3d)
        return averages[place](
            rows(x, self.padding),
            self.window,
            self.stride,
            self.padding,
            False,
            self.kind == "average",
        )


class Pooling(_Pooling):
    """The layer of a pooling."""

    by = ops.Pooling
    again = 1

    def saves(self, given: Tensors, results: Tensors) -> Tensors:
        return (*given, *results) if self.kind == "max" else given

    def gradients(self, saved: Tensors, needs: Sequence[bool], grads: Tensors) -> Gradients:
        y = saved[1] if self.kind == "max" else grads[0]  # that of means is not read
        return (self.parts[PoolingBackward](grads[0], saved[0], y),)

    def reference(self, x: Tensor) -> Results:
        return self._pool(x)

    def fake(self, x: Tensor) -> Results:
        return empty(x, self._pool(x.contiguous()).shape, is_last(x))


class PoolingBackward(_Pooling):
    """The layer of the gradient of a pooling."""

    by = ops.PoolingBackward


def _layer(
    count: int, kind: str, x: Tensor, window: Sizes, stride: Sizes | None, padding: Sizes,
    ceil_mode: bool, choose: Choose,
) -> Any:  # fmt: skip
    check_tensors(input=x)
    if x.dim() not in (count + 1, count + 2):
        raise errors.ArgumentError(
            f"input: expected {count + 2} axes, or {count + 1} without the batch, got {x.dim()}"
        )
    window = numbers(window, count, "kernel_size")
    stride = window if stride is None or stride == () else numbers(stride, count, "stride")
    padding = numbers(padding, count, "padding")
    if boolean(ceil_mode, "ceil_mode"):
        sizes = zip(x.shape[-count:], window, stride, padding, strict=True)
        if any((size + 2 * p - k) % s for size, k, s, p in sizes):
            raise errors.NotSupportedError(
                "ceil_mode: the last windows would reach over the end, which cuDNN does not "
                "compute",
                hint="PyTorch's own function has them",
            )
    batch = x.dim() == count + 2
    return shared(Pooling, kind, window, stride, padding, batch, choose=choose)


def _make(count: int) -> tuple[Any, Any]:
    def largest(
        input: Tensor, kernel_size: Sizes, stride: Sizes | None = None, padding: Sizes = 0,
        dilation: Sizes = 1, ceil_mode: bool = False, return_indices: bool = False, *,
        choose: Choose = None,
    ) -> Tensor:  # fmt: skip
        """Return the largest element of each window over {axes}.

        A window of -inf gives the lowest finite number of the type, where PyTorch's gives -inf.

        Args:
            input: (N, C, {axes}), or without N, on a GPU.
            kernel_size: the extents of the window: a number, or one for each spatial axis.
            stride: the step from window to window, likewise; by default the extents of the window.
            padding: elements on both sides of each axis, likewise.
            ceil_mode: whether windows may reach over the end, where none would.
            dilation, return_indices: 1 and False; cuDNN has no others.
            choose: the policy that picks the engine or algorithm; see `cudnn_cffi.choice`.

        Raises:
            ArgumentError: shapes or options do not fit, or the input is not on a GPU.
            NotSupportedError: an option asks for what cuDNN does not have.

        Computed by a graph, or by `cudnnPoolingForward`.
        """
        given = ("max", count, kernel_size, stride, padding, dilation, return_indices, choose)
        found: Tensor | None = None if ceil_mode or is_dynamo() else known(input, given)
        if found is not None:
            return found
        only(False, return_indices=return_indices)
        only((1,) * count, dilation=numbers(dilation, count, "dilation"))
        own = (kernel_size, stride, padding, ceil_mode, choose)
        return keep(_layer(count, "max", input, *own), input, given)(input)

    def average(
        input: Tensor, kernel_size: Sizes, stride: Sizes | None = None, padding: Sizes = 0,
        ceil_mode: bool = False, count_include_pad: bool = True,
        divisor_override: int | None = None, *, choose: Choose = None,
    ) -> Tensor:  # fmt: skip
        """Return the mean of each window over {axes}.

        Args:
            count_include_pad: whether the zeros of the padding count as elements.
            divisor_override: None; cuDNN has no others.
            input, kernel_size, stride, padding, ceil_mode, choose: as for `max_pool2d`, whose
                errors it raises, too.

        Computed by a graph, or by `cudnnPoolingForward`.
        """
        given = (
            "average", count, kernel_size, stride, padding, count_include_pad, divisor_override,
            choose,
        )  # fmt: skip
        found: Tensor | None = None if ceil_mode or is_dynamo() else known(input, given)
        if found is not None:
            return found
        only(None, divisor_override=divisor_override)
        counts = boolean(count_include_pad, "count_include_pad")
        kind = "average" if counts else "average_without_padding"
        own = kernel_size, stride, padding, ceil_mode, choose
        return keep(_layer(count, kind, input, *own), input, given)(input)

    name_for_axes(largest, f"max_pool{count}d", count)
    name_for_axes(average, f"avg_pool{count}d", count)
    return largest, average


if TYPE_CHECKING:

    def max_pool1d(
        input: Tensor, kernel_size: Sizes, stride: Sizes | None = None, padding: Sizes = 0,
        dilation: Sizes = 1, ceil_mode: bool = False, return_indices: bool = False, *,
        choose: Choose = None,
    ) -> Tensor:  # fmt: skip
        """Return the largest element of each window, as PyTorch's function of the name."""

    def avg_pool1d(
        input: Tensor, kernel_size: Sizes, stride: Sizes | None = None, padding: Sizes = 0,
        ceil_mode: bool = False, count_include_pad: bool = True,
        divisor_override: int | None = None, *, choose: Choose = None,
    ) -> Tensor:  # fmt: skip
        """Return the mean of each window, as PyTorch's function of the name."""

    max_pool2d = max_pool3d = max_pool1d
    avg_pool2d = avg_pool3d = avg_pool1d
else:
    max_pool1d, avg_pool1d = _make(1)
    max_pool2d, avg_pool2d = _make(2)
    max_pool3d, avg_pool3d = _make(3)
