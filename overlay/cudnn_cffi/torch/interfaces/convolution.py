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
from ..functional.conv.convolution import (
    BackwardData,
    BackwardFilter,
    Convolution,
    ConvolutionTranspose,
)
from .kernel import attempt, layer_of, tell

__all__ = ["FUNCTIONS"]

_Gradients: TypeAlias = tuple[Tensor | None, Tensor | None, Tensor | None]

_select: Callable[..., object] = torch._C._select_conv_backend
_Backend: Any = torch._C._ConvBackend

#: Choices of PyTorch that call cuDNN for the gradients.
CUDNN = (_Backend.Cudnn, _Backend.CudnnTranspose)


def _follows(x: Tensor, flags: tuple[bool, bool, bool]) -> bool:
    """Return whether `benchmark`, `deterministic` and `allow_tf32` are PyTorch's switches."""
    _, limit, deterministic, strict, tf32 = switches.state()
    benchmarks, repeats, wide = flags
    return (
        benchmarks == (limit is not None)
        and repeats == (deterministic or strict)
        and (wide == tf32 or x.dtype != torch.float32)
    )


_OTHER = "benchmark, deterministic or allow_tf32 differs from PyTorch's switches"


def convolve(
    theirs: Callable[..., Any], x: Tensor, w: Tensor, padding: Sequence[int], stride: Sequence[int],
    dilation: Sequence[int], groups: int, *flags: bool,
) -> Any:  # fmt: skip
    """Compute `aten::cudnn_convolution`."""
    layer = layer_of(Convolution, tuple(padding), tuple(stride), tuple(dilation), groups)
    found = None
    if _follows(x, flags):  # type: ignore[arg-type]
        found = attempt(layer, "forward", layer.compute, x, w)
    else:
        tell(layer.word, _OTHER)
    if found is None:
        return theirs(x, w, padding, stride, dilation, groups, *flags)
    return found


def transpose(
    theirs: Callable[..., Any], x: Tensor, w: Tensor, padding: Sequence[int],
    output_padding: Sequence[int], stride: Sequence[int], dilation: Sequence[int], groups: int,
    *flags: bool,
) -> Any:  # fmt: skip
    """Compute `aten::cudnn_convolution_transpose`."""
    layer = layer_of(
        ConvolutionTranspose, tuple(padding), tuple(stride), tuple(dilation), groups,
        tuple(output_padding),
    )  # fmt: skip
    found = None
    if _follows(x, flags):  # type: ignore[arg-type]
        found = attempt(layer, "forward", layer.compute, x, w)
    else:
        tell(layer.word, _OTHER)
    if found is None:
        return theirs(x, w, padding, output_padding, stride, dilation, groups, *flags)
    return found


def differentiate(
    theirs: Callable[..., _Gradients], dy: Tensor, x: Tensor, w: Tensor,
    bias: Sequence[int] | None, stride: Sequence[int], padding: Sequence[int],
    dilation: Sequence[int], transposed: bool, output_padding: Sequence[int], groups: int,
    wanted: Sequence[bool],
) -> _Gradients:  # fmt: skip
    """Compute `aten::convolution_backward`, if PyTorch would call cuDNN for it."""
    options = stride, padding, dilation, transposed, output_padding, groups
    if _select(x, w, None, *options, bias) not in CUDNN:
        return theirs(dy, x, w, bias, *options, wanted)
    own = tuple(padding), tuple(stride), tuple(dilation), groups
    dx = dw = None
    if wanted[0]:
        if transposed:
            data: Any = layer_of(Convolution, *own)
            dx = attempt(data, "data", data.compute, dy, w)
        else:
            data = layer_of(BackwardData, *own)
            dx = attempt(data, "data", data.compute, dy, w, x.shape)
    if wanted[1]:
        layer = layer_of(BackwardFilter, *own)
        one, other = (dy, x) if transposed else (x, dy)
        dw = attempt(layer, "filter", layer.compute, one, other, w.shape)
    missing = [wanted[0] and dx is None, wanted[1] and dw is None, False]
    if any(missing):
        more = theirs(dy, x, w, bias, *options, missing)
        dx, dw = (more[0] if missing[0] else dx), (more[1] if missing[1] else dw)
    db = None
    if wanted[2]:  # in the given data type, also under autocast
        db = dy.sum([axis for axis in range(dy.dim()) if axis != 1], dtype=dy.dtype)
    return dx, dw, db


#: The functions by the names of operators.
FUNCTIONS = {
    "cudnn_convolution": convolve,
    "cudnn_convolution_transpose": transpose,
    "convolution_backward": differentiate,
}
