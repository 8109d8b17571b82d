"""Modules of convolutions."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor, nn

from ..functional.arguments import same_padding
from ..functional.conv.convolution import Convolution, ConvolutionTranspose
from .base import Cudnn


class _Conv(Cudnn):
    """The base of convolutions.

    PyTorch computes: the padding, if it is not zeros; then cuDNN the convolution
    """

    _decides = frozenset({"stride", "padding", "dilation", "groups", "padding_mode", "kernel_size"})

    def _new_layer(self) -> Convolution:
        padding = self.padding
        if self.padding_mode != "zeros":
            padding = (0,) * len(self.stride)
        elif padding == "same":
            padding = same_padding(self.kernel_size, self.dilation)
        elif padding == "valid":
            padding = (0,) * len(self.stride)
        options = (tuple(padding), tuple(self.stride), tuple(self.dilation), self.groups)
        return self._remember(Convolution(*options, **self._terms()))

    def forward(self, input: Tensor) -> Tensor:
        layer = self._layer
        if layer is None:
            layer = self._new_layer()
        parameters = self._parameters
        if "weight" in parameters and "bias" in parameters:
            weight, bias = parameters["weight"], parameters["bias"]
        else:  # they are computed, by a parametrization for example
            weight, bias = self.weight, self.bias
        if self.padding_mode != "zeros":
            input = nn.functional.pad(
                input, self._reversed_padding_repeated_twice, mode=self.padding_mode
            )
        return layer(input, weight, bias)


class Conv1d(_Conv, nn.Conv1d):
    """`torch.nn.Conv1d`, computed by cuDNN."""


class Conv2d(_Conv, nn.Conv2d):
    """`torch.nn.Conv2d`, computed by cuDNN."""


class Conv3d(_Conv, nn.Conv3d):
    """`torch.nn.Conv3d`, computed by cuDNN."""


class _Transpose(Cudnn):
    _decides = frozenset({"stride", "padding", "dilation", "groups", "output_padding"})

    def forward(self, input: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        count = len(self.stride)
        extra = tuple(self.output_padding)
        if output_size is not None:
            extra = tuple(
                self._output_padding(
                    input, output_size, self.stride, self.padding, self.kernel_size, count,
                    self.dilation,
                )
            )  # fmt: skip
        layers = self._layer
        layer = None if layers is None else layers.get(extra)
        if layer is None:
            layer = self._kept(extra, lambda: self._new_layer(extra))
        return layer(input, *self._weight_and_bias())

    def _new_layer(self, extra: tuple[int, ...]) -> ConvolutionTranspose:
        options = (tuple(self.padding), tuple(self.stride), tuple(self.dilation), self.groups)
        return ConvolutionTranspose(*options, extra, **self._terms())


class ConvTranspose1d(_Transpose, nn.ConvTranspose1d):
    """`torch.nn.ConvTranspose1d`, computed by cuDNN."""


class ConvTranspose2d(_Transpose, nn.ConvTranspose2d):
    """`torch.nn.ConvTranspose2d`, computed by cuDNN."""


class ConvTranspose3d(_Transpose, nn.ConvTranspose3d):
    """`torch.nn.ConvTranspose3d`, computed by cuDNN."""
