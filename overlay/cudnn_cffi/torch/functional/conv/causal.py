"""Causal convolutions along sequences, directly and by FFT.

Second derivatives: by PyTorch
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import torch
from torch import Tensor

from .... import ops
from ...._support.arguments import boolean
from ....choice.policy import open_policy, reopen
from ...autograd.batches import one_by_one
from ...autograd.layer import Layer
from ...autograd.sharing import shared
from ..arguments import check_tensors

if TYPE_CHECKING:
    from ....choice.policy import Choose
    from ...autograd.record import Context, Gradients, Results, Tensors

_functional = torch.nn.functional


def _convolved(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """Convolve each channel of (batch, channels, time) by PyTorch, seeing nothing that is later."""
    padded = _functional.pad(x, (weight.shape[1] - 1, 0))
    return torch.conv1d(padded, weight[:, None], bias, groups=x.shape[1])


class CausalConvolution(Layer):
    """The layer of a causal convolution with short filters."""

    contiguous = True
    by = ops.CausalConvolution
    activation: str | None
    channels_last: bool

    casts = "lower"

    def reference(self, x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Results:
        x = x.transpose(1, 2) if self.channels_last else x
        y = _convolved(x, weight, bias)
        y = _functional.silu(y) if self.activation == "silu" else y
        return y.transpose(1, 2) if self.channels_last else y

    def fake(self, x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Results:
        return x.new_empty(x.shape)


class CausalConvolutionBackward(Layer):
    """The layer of the gradients; that of the bias is for zeros where there is none."""

    contiguous = True
    by = ops.CausalConvolutionBackward
    activation: str | None
    channels_last: bool

    def compute(self, dy: Tensor, x: Tensor, weight: Tensor, bias: Tensor | None) -> Results:
        found = self.operation()(dy, x, weight, bias)  # of parameters in float32
        return found[0], found[1].to(weight.dtype), found[2].to(weight.dtype)

    def reference(self, dy: Tensor, x: Tensor, weight: Tensor, bias: Tensor | None) -> Results:
        bias = weight.new_zeros(weight.shape[0]) if bias is None else bias
        forward = CausalConvolution(*self.options)
        return tuple(forward.own_gradients((x, weight, bias), (True, True, True), (dy,)))

    def fake(self, dy: Tensor, x: Tensor, weight: Tensor, bias: Tensor | None) -> Results:
        return (
            x.new_empty(x.shape), weight.new_empty(weight.shape),
            weight.new_empty(weight.shape[:1]),
        )  # fmt: skip


class _FFTFunction(torch.autograd.Function):
    """A convolution by FFT, which keeps what the gradient of a long one needs."""

    @staticmethod
    def forward(ctx: Context, layer: FFTCausalConvolution, x: Tensor, weight: Tensor) -> Tensor:
        y, reserve = layer.operation()(x, weight)
        ctx.layer, ctx.scope = layer, open_policy()
        ctx.save_for_backward(x, weight, reserve)
        return y

    @staticmethod
    @one_by_one
    def backward(ctx: Context, dy: Tensor) -> Gradients:
        with reopen(ctx.scope):  # PyTorch's engine has threads of its own
            found = ctx.layer.backward(ctx.saved_tensors, ctx.needs_input_grad[1:], (dy,))
        return (None, *found)


class FFTCausalConvolution(Layer):
    """The layer of a causal convolution by FFT."""

    contiguous = True
    by = ops.FFTCausalConvolution
    long: bool

    casts = "lower"
    _function = _FFTFunction

    def compute(self, x: Tensor, weight: Tensor) -> Results:
        return self.operation()(x, weight).y

    def reference(self, x: Tensor, weight: Tensor) -> Results:
        return _convolved(x, weight, None)

    def fake(self, x: Tensor, weight: Tensor) -> Results:
        return x.new_empty(x.shape)

    def saves(self, given: Tensors, results: Tensors) -> Tensors:
        return (*given, None)

    def gradients(self, saved: Tensors, needs: Sequence[bool], grads: Tensors) -> Gradients:
        found = self.parts[FFTCausalConvolutionBackward](grads[0], *saved)
        return [each if want else None for each, want in zip(found, needs, strict=True)]


class FFTCausalConvolutionBackward(Layer):
    """The layer of the gradients; without what a long one kept, it is computed once more."""

    contiguous = True
    by = ops.FFTCausalConvolutionBackward
    optional = frozenset({"reserve"})
    long: bool

    def compute(self, dy: Tensor, x: Tensor, weight: Tensor, reserve: Tensor | None) -> Results:
        if not self.long:
            return self.operation()(dy, x, weight)
        if reserve is None:
            reserve = self.parts[FFTCausalConvolution].operation()(x, weight).reserve
        return self.plain(kernel=weight.shape[1])(dy, None, None, reserve)


def causal_convolution(
    x: Tensor, weight: Tensor, bias: Tensor | None = None,
    activation: Literal["silu", "swish", "identity"] | None = None, *, channels_last: bool = False,
    choose: Choose = None,
) -> Tensor:  # fmt: skip
    """Convolve each channel with a filter of its own, which sees no later elements (9.22).

    y[n, c, t] = f(bias[c] + sum over k of weight[c, k] * x[n, c, t - K + 1 + k]), by
    `cudnnCausalConv1dForward`.

    Args:
        x: (batch, channels, time), or (batch, time, channels) with `channels_last`; float32,
            float16 or bfloat16.
        weight: the filters, (channels, elements).
        bias: a number for each channel, or None.
        activation: None, or "silu", which is x * sigmoid(x).
        channels_last: the order of axes.
        choose: the policy that picks the engine or algorithm; see `cudnn_cffi.choice`.

    Raises:
        ArgumentError: shapes, types or options do not fit.
        NotSupportedError: the loaded release has no such function.
    """
    check_tensors(x=x, weight=weight)
    word = {None: None, "identity": None, "swish": "silu"}.get(activation, activation)
    return shared(CausalConvolution, word, boolean(channels_last, "channels_last"), choose=choose)(
        x, weight, bias
    )


def fft_causal_convolution(
    x: Tensor, weight: Tensor, *, long: bool = False, choose: Choose = None
) -> Tensor:
    """Convolve as `causal_convolution`, with filters as long as sequences, by FFT (9.26).

    Args:
        x: (batch, channels, time).
        weight: the filters, (channels, elements).
        long: whether to use `cudnnLongFFTCausalConv1dForward`, which takes memory for it.
        choose: the policy that picks the engine or algorithm; see `cudnn_cffi.choice`.

    Raises:
        ArgumentError: shapes or types do not fit.
        NotSupportedError: the loaded release has no such function.
    """
    check_tensors(x=x, weight=weight)
    return shared(FFTCausalConvolution, boolean(long, "long"), choose=choose)(x, weight)
