"""Convolutions with one filter for each channel, by a kernel of this package."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from ...autograd.layouts import empty
from . import bands
from .activations import NUMBERS
from .compiled import can_compile
from .sources import NARROW, kernels, launch, prepare

if TYPE_CHECKING:
    from ....ops import Spec
    from ..trace.words import Activation

#: The layout of `Depthwise` in depthwise.cu.
_ARGUMENT = struct.Struct("5Q9q10if4x")

#: Maximum bytes of filters of a block, and threads of one, and of one of many.
_SHARED, _THREADS, _MANY = 48 << 10, 384, 256

#: Number of threads from which on the device is filled, and blocks that are launched at most.
_FEW, _BLOCKS = 132 * 1024, 132 * 2

#: Widths of filters that are read as a whole; others are read so many taps at a time.
_WINDOWS, _PART = (3, 5, 7), 8


def find(
    specs: Mapping[str, Spec], padding: Sequence[int | tuple[int, int]], stride: Sequence[int],
    dilation: Sequence[int], activation: Activation | None,
) -> Callable[..., Tensor] | None:  # fmt: skip
    """Return what computes a convolution with one filter for each channel; None for others.

    It takes x, filters, bias, residual (those that there are), and the output or nothing.

    Args:
        specs: what x, w, bias, residual and y are; bias and residual may be absent.
        padding: in front of each axis, or pairs.
        stride: along each axis.
        dilation: along each axis.
        activation: a word and its number.
    """
    fast = bands.find(specs, padding, stride, dilation, activation)
    if fast is not None:
        return fast
    x, w, y = specs["x"], specs["w"], specs["y"]
    dtype = getattr(torch, x.dtype)
    if not can_compile() or dtype not in NARROW or w.dtype != x.dtype:
        return None
    if x.device is None or len(x.shape) != 4:
        return None
    images, channels, height, width = x.shape
    if w.shape[:2] != (channels, 1) or channels % 2 or not all(y.shape) or not all(x.shape):
        return None
    if any(each != 1 for each in dilation) or stride[1] not in (1, 2):
        return None
    word, number = activation or (None, None)
    added = specs.get("residual")
    if word not in NUMBERS or (added is not None and added[:2] != y[:2]):
        return None
    top, left = [each[0] if isinstance(each, tuple) else each for each in padding]
    out_height, out_width = y.shape[2:]
    high, wide = w.shape[2:]
    window = wide if wide in _WINDOWS else _PART if wide > 1 else 1
    taps = high * (-(-wide // window) * window)
    pairs = channels // 2
    pairs = -(-pairs // -(-pairs // 48))
    while pairs > 1 and taps * (pairs | 1) * 8 > _SHARED:
        pairs = -(-pairs // 2)
    if taps * (pairs | 1) * 8 > _SHARED or images * out_height * out_width >= 1 << 31:
        return None
    tile = 7 if out_width % 7 == 0 else 8
    if images * out_height * -(-out_width // tile) * (channels // 2) < _FEW:
        tile = 4
    tile = min(tile, 1 << (out_width - 1).bit_length())
    ordinal = x.device
    strips = -(-out_width // tile)
    together, most = _settings(images * strips * (channels // 2), out_height, high, stride[0])
    if together < 1:
        return None
    macros = (
        f"WINDOW={window}", f"TILE={tile}", f"STEP={stride[1]}", f"HIGH={high}", f"WIDE={wide}",
        f"ROWS={together}",
    )  # fmt: skip
    which = dtype, word, *macros
    prepare(ordinal, "depthwise.cu", *which)
    teams = max(1, most // pairs)
    items = images * -(-out_height // together) * strips
    columns = -(-(channels // 2) // pairs)
    grid = max(1, min(-(-items // teams), _BLOCKS // columns)), columns, 1
    has_bias, has_residual, shape = "bias" in specs, added is not None, y.shape
    sizes = (
        images, channels, height, width, out_height, out_width, stride[0], top, left, pairs,
        number or 0.0,
    )  # fmt: skip

    def run(x: Tensor, w: Tensor, *others: Tensor) -> Tensor:
        rest = list(others)
        bias = rest.pop(0).data_ptr() if has_bias else 0
        added = rest.pop(0) if has_residual else None
        if rest:
            (y,) = rest
        else:
            y = empty(x, shape, True)
        if w.data_ptr() % 4:
            w = w.clone()
        argument = _ARGUMENT.pack(
            x.data_ptr(), w.data_ptr(), bias, 0 if added is None else added.data_ptr(),
            y.data_ptr(), *_steps(x), *((0, 0, 0) if added is None else _steps(added)), *_steps(y),
            *sizes,
        )  # fmt: skip
        (kernel,) = kernels(ordinal, "depthwise.cu", ("depthwise",), *which)
        launch(kernel, ordinal, grid, teams * pairs, argument, taps * (pairs | 1) * 8)
        return y

    return run


def _settings(across: int, height: int, high: int, stride: int) -> tuple[int, int]:
    """Return how many rows of a result a thread computes, and the most threads of a block.

    They were the fastest on an H200. Without rows, cuDNN's kernels are.

    Args:
        across: threads for one row of all results.
        height: of results.
        high: extent of filters.
        stride: of rows.
    """
    if stride > 1:
        return (0, 0) if high == 3 and across * height >= 2 * _FEW else (1, _MANY)
    two = across * -(-height // 2)
    if height > 1 and two >= _FEW // 4:
        return 2, _MANY if two >= _FEW else _THREADS
    return 1, _MANY if high == 1 else _THREADS


def _steps(image: Tensor) -> tuple[int, int, int]:
    return image.stride(0), image.stride(2), image.stride(3)
