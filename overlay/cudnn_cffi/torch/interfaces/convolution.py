"""Kernels of PyTorch's operators of convolutions: those by cuDNN, forward and for the gradients.

PyTorch chooses what computes a convolution: these kernels compute where it would call cuDNN, and a
bias with it. PyTorch computes depthwise convolutions by kernels of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import torch
from torch import Tensor

from ... import ops
from ...kernels import can_compile
from ..autograd import switches
from ..autograd.layer import REFUSALS, Layer
from ..fallback import is_open
from ..functional.conv.convolution import (
    BackwardData,
    BackwardFilter,
    Convolution,
    ConvolutionTranspose,
)
from .kernel import attempt, layer_of, offer_parts, tell

__all__ = ["MAKERS"]

_Gradients: TypeAlias = tuple[Tensor | None, Tensor | None, Tensor | None]

_select: Callable[..., object] = torch._C._select_conv_backend
_format: Callable[..., torch.memory_format] = torch._C._conv_determine_backend_memory_format
_Backend: Any = torch._C._ConvBackend

#: The sections of the gradients for the input and for the filters.
_SECTIONS = "data", "filter"

#: Choices of PyTorch that call cuDNN for the gradients.
CUDNN = (_Backend.Cudnn, _Backend.CudnnTranspose)


def _follows(layer: Layer, x: Tensor, flags: tuple[bool, ...]) -> bool:
    """Return whether `benchmark`, `deterministic` and `allow_tf32` are PyTorch's switches."""
    _, limit, deterministic, strict, tf32, _ = switches.state()
    benchmarks, repeats, wide = flags
    if (
        benchmarks == (limit is not None)
        and repeats == (deterministic or strict)
        and (wide == tf32 or x.dtype != torch.float32)
    ):
        return True
    tell(layer.word, "benchmark, deterministic or allow_tf32 differs from PyTorch's switches")
    return False


def _numbers(w: Tensor, *given: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """Return a number for each axis; PyTorch also takes one for all of them."""
    axes = w.dim() - 2
    return tuple([tuple(each) * (axes if len(each) == 1 else 1) for each in given])


def _taken(
    x: Tensor, w: Tensor, bias: Tensor | None, options: tuple[Any, ...]
) -> torch.memory_format | None:
    """Return the format of a convolution for which PyTorch calls cuDNN with its input as it is.

    Returns: None for another one.
    """
    _, _, _, transposed, _, _ = options
    if transposed or x.dim() < 4 or any(
        each is not None and (each.dtype != x.dtype or each.device != x.device)
        for each in (w, bias)
    ):  # fmt: skip
        return None
    backend = _select(x, w, bias, *options, None)
    if backend != _Backend.Cudnn:
        return None
    form = _format(x, w, backend)
    return form if x.is_contiguous(memory_format=form) else None


def _formatted(
    found: Tensor, form: torch.memory_format, state: switches.State, layer: Layer, count: int
) -> Tensor:
    """Return a result in PyTorch's format, and offer such calls, of a number of tensors.

    The layer may choose another one where both fit its tensors, which have one channel or pixel.
    """
    made = found.contiguous(memory_format=form)
    if made is found:
        offer_parts(state, (layer, None, tuple(range(count)), 0))
    return made


def convolve_whole(own: Any) -> Callable[..., Any]:
    """Return the kernel of `aten::convolution`, to which PyTorch's own one adds the bias.

    A call that cuDNN does not take with its bias goes to the other kernels by PyTorch's own one.
    """

    def kernel(
        keys: object, x: Tensor, w: Tensor, bias: Tensor | None, stride: Sequence[int],
        padding: Sequence[int], dilation: Sequence[int], transposed: bool,
        output_padding: Sequence[int], groups: int,
    ) -> Any:  # fmt: skip
        state = switches.state()
        options = stride, padding, dilation, transposed, output_padding, groups
        form = _taken(x, w, bias, options)
        if form is None:
            offer_parts(state)
            return own.call_boxed(keys, x, w, bias, *options)
        layer = layer_of(Convolution, *_numbers(w, padding, stride, dilation), groups)
        given = (x, w) if bias is None else (x, w, bias)
        if not layer.has_refused(given):
            try:
                found = layer.compute(*given)
            except REFUSALS as error:  # the kernel without a bias tells of it
                if bias is not None and is_open(None):
                    layer.note(given, error)
            else:
                tell(layer.word)
                return _formatted(found, form, state, layer, len(given))
        return own.call_boxed(keys, x, w, bias, *options)

    return kernel


def convolve(own: Any) -> Callable[..., Any]:
    """Return the kernel of `aten::cudnn_convolution`."""

    def kernel(
        keys: object, x: Tensor, w: Tensor, padding: Sequence[int], stride: Sequence[int],
        dilation: Sequence[int], groups: int, *flags: bool,
    ) -> Any:  # fmt: skip
        state = switches.state()
        layer = layer_of(Convolution, tuple(padding), tuple(stride), tuple(dilation), groups)
        if _follows(layer, x, flags):
            found = attempt(layer, "forward", layer.compute, x, w)
            if found is not None:
                return _formatted(found, _format(x, w, _Backend.Cudnn), state, layer, 2)
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


#: The operation that sums the gradient of a bias.
_bias: Callable[..., Any] = ops.ConvolutionBackwardBias()


def _sum(dy: Tensor) -> tuple[Tensor, Callable[..., Any] | None]:
    """Return the gradient of a bias, and the operation that computed it; None if PyTorch did."""
    if dy.is_cuda and can_compile():
        try:
            return _bias(dy), _bias
        except REFUSALS:
            pass  # PyTorch's takes whatever there is
    axes = [axis for axis in range(dy.dim()) if axis != 1]
    return dy.sum(axes, dtype=dy.dtype), None  # in the given data type, also under autocast


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
        state = switches.state()
        # Gradients have the layout that PyTorch's would have, which compiled models rely on.
        form = torch.contiguous_format if x.dim() < 4 else _format(x, w, backend)
        given = dy, x, w
        dy, x, w = tensors = tuple([each.contiguous(memory_format=form) for each in given])
        known = *_numbers(w, padding, stride, dilation), groups
        # The class of the layer, the places of its tensors, and the shape that it takes.
        data: Any = (Convolution, (0, 2)) if transposed else (BackwardData, (0, 2), x.shape)
        filters: Any = BackwardFilter, (0, 1) if transposed else (1, 0), w.shape
        found: list[Tensor | None] = [None, None]
        parts = []
        for at, (section, (cls, places, *shape)) in enumerate(
            zip(_SECTIONS, (data, filters), strict=True)
        ):
            if wanted[at]:
                layer = layer_of(cls, *known)
                own_tensors = [tensors[place] for place in places]
                found[at] = attempt(layer, section, layer.compute, *own_tensors, *shape)
                parts.append((layer, *(shape or (None,)), places, at))
        missing = [want and each is None for want, each in zip(wanted, found, strict=False)]
        if any(missing):
            more = own.call_boxed(keys, dy, x, w, bias, *options, [*missing, False])
            found = [more[at] if lacks else found[at] for at, lacks in enumerate(missing)]
        made = [each if each is None else each.contiguous(memory_format=form) for each in found]
        copies = zip((*given, *found), (*tensors, *made), strict=True)
        total, by = _sum(dy) if wanted[2] else (None, None)
        if not any(missing) and all(one is other for one, other in copies):
            offer_parts(state, *parts, others=() if by is None else ((by, (0,), 2),))
        return made[0], made[1], total

    return kernel


#: Functions that make the kernels, by the names of operators.
MAKERS = {
    "cudnn_convolution": convolve,
    "cudnn_convolution_transpose": transpose,
    "convolution": convolve_whole,
    "convolution_backward": differentiate,
}
