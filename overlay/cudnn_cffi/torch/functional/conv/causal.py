"""Causal convolutions along sequences, directly and by FFT."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from .... import ops
from ....choice.policy import open_policy, reopen
from ...autograd.layer import Layer, shared
from ..arguments import check_tensors

_functional = torch.nn.functional


def _convolved(x: Any, weight: Any, bias: Any) -> Any:
    """Convolve each channel of (batch, channels, time) by PyTorch, seeing nothing that is later."""
    padded = _functional.pad(x, (weight.shape[1] - 1, 0))
    return torch.conv1d(padded, weight[:, None], bias, groups=x.shape[1])


class CausalConvolution(Layer):
    """The layer of a causal convolution with short filters."""

    contiguous = True
    by = ops.CausalConvolution
    names = ("str? activation", "channels_last")
    activation: str | None
    channels_last: bool

    casts = "lower"

    def reference(self, x: Any, weight: Any, bias: Any = None) -> Any:
        x = x.transpose(1, 2) if self.channels_last else x
        y = _convolved(x, weight, bias)
        y = _functional.silu(y) if self.activation == "silu" else y
        return y.transpose(1, 2) if self.channels_last else y

    def fake(self, x: Any, weight: Any, bias: Any = None) -> Any:
        return x.new_empty(x.shape)


class CausalConvolutionBackward(Layer):
    """The layer of the gradients; that of the bias is for zeros where there is none."""

    contiguous = True
    by = ops.CausalConvolutionBackward
    names = CausalConvolution.names

    def compute(self, dy: Any, x: Any, weight: Any, bias: Any) -> Any:
        found = self.operation()(dy, x, weight, bias)  # of parameters in float32
        return found[0], found[1].to(weight.dtype), found[2].to(weight.dtype)

    def reference(self, dy: Any, x: Any, weight: Any, bias: Any) -> Any:
        bias = weight.new_zeros(weight.shape[0]) if bias is None else bias
        forward = CausalConvolution(*self.options)
        return tuple(forward.own_gradients((x, weight, bias), (True, True, True), (dy,)))

    def fake(self, dy: Any, x: Any, weight: Any, bias: Any) -> Any:
        return (
            x.new_empty(x.shape), weight.new_empty(weight.shape),
            weight.new_empty(weight.shape[:1]),
        )  # fmt: skip


class _FFTFunction(torch.autograd.Function):
    """A convolution by FFT, which keeps what the gradient of a long one needs."""

    @staticmethod
    def forward(ctx: Any, layer: FFTCausalConvolution, x: Any, weight: Any) -> Any:
        y, reserve = layer.operation()(x, weight)
        ctx.layer, ctx.scope = layer, open_policy()
        ctx.save_for_backward(x, weight, reserve)
        return y

    @staticmethod
    def backward(ctx: Any, dy: Any) -> Any:
        with reopen(ctx.scope):  # PyTorch's engine has threads of its own
            found = ctx.layer.backward(ctx.saved_tensors, ctx.needs_input_grad[1:], (dy,))
        return (None, *found)


class FFTCausalConvolution(Layer):
    """The layer of a causal convolution by FFT."""

    contiguous = True
    by = ops.FFTCausalConvolution
    names = ("long",)
    long: bool

    casts = "lower"
    _function = _FFTFunction

    def compute(self, x: Any, weight: Any) -> Any:
        return self.operation()(x, weight).y

    def reference(self, x: Any, weight: Any) -> Any:
        return _convolved(x, weight, None)

    def fake(self, x: Any, weight: Any) -> Any:
        return x.new_empty(x.shape)

    def saves(self, given: Sequence[Any], results: Sequence[Any]) -> tuple[Any, ...]:
        return (*given, None)

    def gradients(self, saved: Any, needs: Sequence[bool], grads: Sequence[Any]) -> Any:
        found = self.parts[FFTCausalConvolutionBackward](grads[0], *saved)
        return [each if want else None for each, want in zip(found, needs, strict=True)]


class FFTCausalConvolutionBackward(Layer):
    """The layer of the gradients; without what a long one kept, it is computed once more."""

    contiguous = True
    by = ops.FFTCausalConvolutionBackward
    optional = frozenset({"reserve"})
    names = ("bool long",)
    long: bool

    def compute(self, dy: Any, x: Any, weight: Any, reserve: Any) -> Any:
        if not self.long:
            return self.operation()(dy, x, weight)
        if reserve is None:
            reserve = self.parts[FFTCausalConvolution].operation()(x, weight).reserve
        return self.plain(kernel=weight.shape[1])(dy, None, None, reserve)

    def reference(self, dy: Any, x: Any, weight: Any, reserve: Any) -> Any:
        forward = FFTCausalConvolution(*self.options)
        return tuple(forward.own_gradients((x, weight), (True, True), (dy,)))

    def fake(self, dy: Any, x: Any, weight: Any, reserve: Any) -> Any:
        return x.new_empty(x.shape), weight.new_empty(weight.shape)


def causal_convolution(
    x: Any, weight: Any, bias: Any = None, activation: str | None = None, *,
    channels_last: bool = False, choose: Any = None,
) -> Any:  # fmt: skip
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
    word = {"identity": None, "swish": "silu"}.get(activation, activation)  # type: ignore[arg-type]
    return shared(CausalConvolution, word, bool(channels_last), choose=choose)(x, weight, bias)


def fft_causal_convolution(x: Any, weight: Any, *, long: bool = False, choose: Any = None) -> Any:
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
    return shared(FFTCausalConvolution, bool(long), choose=choose)(x, weight)
