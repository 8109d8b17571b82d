"""Modules of pooling."""

from __future__ import annotations

from typing import ClassVar

from torch import Tensor, nn

from ..functional.arguments import numbers
from ..functional.pooling import Pooling, rows
from .base import Cudnn


class _Pool(Cudnn):
    """The base of pooling.

    PyTorch computes: `return_indices`, dilated windows, `divisor_override`, `ceil_mode` with
        windows over the end
    """

    _decides = frozenset(
        {"kernel_size", "stride", "padding", "ceil_mode", "count_include_pad"}
        | {"dilation", "return_indices", "divisor_override"}
    )
    _axes: ClassVar[int]

    def forward(self, input: Tensor) -> Tensor:
        axes, layers = input.dim(), self._layer
        if layers is not None and not self.ceil_mode and axes in layers:
            return layers[axes](input)
        if self._is_special() or (self.ceil_mode and not self._is_even(input)):
            self._leave("cuDNN has no windows of such options", input)
            return super().forward(self._settled(input))
        batch = axes == self._axes + 2
        if not batch and axes != self._axes + 1:
            return super().forward(input)
        return self._kept(axes, lambda: self._new_layer(batch))(input)

    def _is_special(self) -> bool:
        """Return whether options ask for what cuDNN does not have."""
        raise NotImplementedError

    def _settled(self, x: Tensor) -> Tensor:
        """Return a tensor whose gradient PyTorch computes rightly."""
        return x

    def _kind(self) -> str:
        raise NotImplementedError

    def _window(self) -> tuple[tuple[int, ...], ...]:
        window = numbers(self.kernel_size, self._axes, "kernel_size")
        stride = window
        if self.stride is not None and self.stride != ():
            stride = numbers(self.stride, self._axes, "stride")
        return window, stride, numbers(self.padding, self._axes, "padding")

    def _is_even(self, x: Tensor) -> bool:
        """Return whether windows end where the input does, so that nothing is rounded."""
        sizes = x.shape[-self._axes :]
        return all(
            (size + 2 * p - k) % s == 0
            for size, k, s, p in zip(sizes, *self._window(), strict=True)
        )

    def _new_layer(self, batch: bool) -> Pooling:
        return Pooling(self._kind(), *self._window(), batch, **self._terms())


class _MaxPool(_Pool):
    def _is_special(self) -> bool:
        return self.return_indices or self.dilation not in (1, (1,) * self._axes)

    def _kind(self) -> str:
        return "max"


class _AvgPool(_Pool):
    def _is_special(self) -> bool:
        return getattr(self, "divisor_override", None) is not None

    def _settled(self, x: Tensor) -> Tensor:
        return rows(x, self._window()[2])

    def _kind(self) -> str:
        return "average" if self.count_include_pad else "average_without_padding"


class MaxPool1d(_MaxPool, nn.MaxPool1d):
    """`torch.nn.MaxPool1d`, computed by cuDNN."""

    _axes = 1


class MaxPool2d(_MaxPool, nn.MaxPool2d):
    """`torch.nn.MaxPool2d`, computed by cuDNN."""

    _axes = 2


class MaxPool3d(_MaxPool, nn.MaxPool3d):
    """`torch.nn.MaxPool3d`, computed by cuDNN."""

    _axes = 3


class AvgPool1d(_AvgPool, nn.AvgPool1d):
    """`torch.nn.AvgPool1d`, computed by cuDNN."""

    _axes = 1


class AvgPool2d(_AvgPool, nn.AvgPool2d):
    """`torch.nn.AvgPool2d`, computed by cuDNN."""

    _axes = 2


class AvgPool3d(_AvgPool, nn.AvgPool3d):
    """`torch.nn.AvgPool3d`, computed by cuDNN."""

    _axes = 3
