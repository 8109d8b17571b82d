"""Kernels of PyTorch's operators of convolutions: those by cuDNN, forward and for the gradients.

PyTorch chooses what computes a convolution, and calls these kernels where it would call cuDNN. It
adds a bias itself, and computes depthwise convolutions by kernels of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import torch
from torch import Tensor

from ..autograd import switches
from ..autograd.layer import Layer
from ..functional.conv.convolution import (
    BackwardData,
    BackwardFilter,
    Convolution,
    ConvolutionTranspose,
)
from .kernel import again, attempt, known, layer_of, offer, remember, tell

__all__ = ["MAKERS"]

_Gradients: TypeAlias = tuple[Tensor | None, Tensor | None, Tensor | None]

_select: Callable[..., object] = torch._C._select_conv_backend
_format: Callable[..., torch.memory_format] = torch._C._conv_determine_backend_memory_format
_Backend: Any = torch._C._ConvBackend

#: Choices of PyTorch that call cuDNN for the gradients.
CUDNN = (_Backend.Cudnn, _Backend.CudnnTranspose)


def _follows(layer: Layer, x: Tensor, flags: tuple[bool, ...]) -> bool:
    """Return whether `benchmark`, `deterministic` and `allow_tf32` are PyTorch's switches."""
    _, limit, deterministic, strict, tf32 = switches.state()
    benchmarks, repeats, wide = flags
    if (
        benchmarks == (limit is not None)
        and repeats == (deterministic or strict)
        and (wide == tf32 or x.dtype != torch.float32)
    ):
        return True
    tell(layer.word, "benchmark, deterministic or allow_tf32 differs from PyTorch's switches")
    return False


def convolve(own: Any) -> Callable[..., Any]:
    """Return the kernel of `aten::cudnn_convolution`."""

    def kernel(
        keys: object, x: Tensor, w: Tensor, padding: Sequence[int], stride: Sequence[int],
        dilation: Sequence[int], groups: int, *flags: bool,
    ) -> Any:  # fmt: skip
        state = switches.state()
        key = (*padding, *stride, *dilation, groups, *flags, *state, x.dtype)
        call = known(key)
        if call is not None:
            found = again(call, x, w)
            if found is not None:
                offer(call, (0, 1))
                return found
        else:
            layer = layer_of(Convolution, tuple(padding), tuple(stride), tuple(dilation), groups)
            if _follows(layer, x, flags):
                found = attempt(layer, "forward", layer.compute, x, w)
                if found is not None:
                    remember(key, state, layer)
                    return found
        return own.call_boxed(keys, x, w, padding, stride, dilation, groups, *flags)

    return kernel


def transpose(own: Any) -> Callable[..., Any]:
    """Return the kernel of `aten::cudnn_convolution_transpose`."""

    def kernel(
        keys: object, x: Tensor, w: Tensor, padding: Sequence[int], output_padding: Sequence[int],
        stride: Sequence[int], dilation: Sequence[int], groups: int, *flags: bool,
    ) -> Any:  # fmt: skip
        layer = layer_of(
            ConvolutionTranspose, tuple(padding), tuple(stride), tuple(dilation), groups,
            tuple(output_padding),
        )  # fmt: skip
        if _follows(layer, x, flags):
            found = attempt(layer, "forward", layer.compute, x, w)
            if found is not None:
                return found
        return own.call_boxed(
            keys, x, w, padding, output_padding, stride, dilation, groups, *flags
        )  # fmt: skip

    return kernel


def differentiate(own: Any) -> Callable[..., _Gradients]:
    """Return the kernel of `aten::convolution_backward`, which asks if PyTorch would call cuDNN."""

    def kernel(
        keys: object, dy: Tensor, x: Tensor, w: Tensor, bias: Sequence[int] | None,
        stride: Sequence[int], padding: Sequence[int], dilation: Sequence[int], transposed: bool,
        output_padding: Sequence[int], groups: int, wanted: Sequence[bool],
    ) -> _Gradients:  # fmt: skip
        options = stride, padding, dilation, transposed, output_padding, groups
        backend = _select(x, w, None, *options, bias)
        if backend not in CUDNN:
            theirs: _Gradients = own.call_boxed(keys, dy, x, w, bias, *options, wanted)
            return theirs
        # Gradients have the layout that PyTorch's would have, which compiled models rely on.
        form = torch.contiguous_format if x.dim() < 4 else _format(x, w, backend)
        x, w, dy = (each.contiguous(memory_format=form) for each in (x, w, dy))
        known = tuple(padding), tuple(stride), tuple(dilation), groups
        dx = dw = db = None
        if wanted[0]:
            dx = _for_data(known, dy, x, w, transposed)
        if wanted[1]:
            layer = layer_of(BackwardFilter, *known)
            one, other = (dy, x) if transposed else (x, dy)
            dw = attempt(layer, "filter", layer.compute, one, other, w.shape)
        missing = [wanted[0] and dx is None, wanted[1] and dw is None, False]
        if any(missing):
            more = own.call_boxed(keys, dy, x, w, bias, *options, missing)
            dx, dw = (more[0] if missing[0] else dx), (more[1] if missing[1] else dw)
        if wanted[2]:  # in the given data type, also under autocast
            db = dy.sum([axis for axis in range(dy.dim()) if axis != 1], dtype=dy.dtype)
        dx, dw = (
            each if each is None else each.contiguous(memory_format=form) for each in (dx, dw)
        )  # fmt: skip
        return dx, dw, db

    return kernel


def _for_data(
    known: tuple[Any, ...], dy: Tensor, x: Tensor, w: Tensor, transposed: bool
) -> Tensor | None:
    """Return the gradient for the input; None where PyTorch is to compute it."""
    if transposed:
        forward = layer_of(Convolution, *known)
        found: Tensor | None = attempt(forward, "data", forward.compute, dy, w)
        return found
    layer = layer_of(BackwardData, *known)
    found = attempt(layer, "data", layer.compute, dy, w, x.shape)
    return found


#: Functions that make the kernels, by the names of operators.
MAKERS = {
    "cudnn_convolution": convolve,
    "cudnn_convolution_transpose": transpose,
    "convolution_backward": differentiate,
}
