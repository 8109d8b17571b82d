"""Gates of the means of channels, by a kernel that keeps the squeezed channels, or by two."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import torch
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensor
from torch.nn import functional

from ..activations import NUMBERS, activated, number_of
from ..functions import kernels, launch, prepare
from ..rows import address_of, aligned_vector, is_dense, row_of, takes, vector_of

if TYPE_CHECKING:
    from ...trace.words import Activation

_FILE = "squeeze.cu"
_SUMS, _PRODUCT = struct.Struct("2Q2q3i4x"), struct.Struct("4Q4i2f")
_GATES = struct.Struct("6Q4i3f4x")

#: Threads of a block, and of one that computes gates; about how many blocks fill a device.
_THREADS, _MANY, _BLOCKS = 256, 512, 132

#: Maximum bytes of images that a block keeps, and how many images.
_SHARED, _TOGETHER = 48 << 10, 4

#: Maximum number of weights that each block of `gates` reads; blocks of two kernels share more.
_MOST = 1 << 17

#: Maximum number of pixels of an image.
_PIXELS = 1 << 31


def gate_of(
    x: Tensor, weight: Tensor, bias: Tensor | None, word: Activation | None, last: Tensor,
    last_bias: Tensor | None, last_word: Activation | None, *, sums: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """Return a gate for each channel of images, computed of the means of all channels.

    Args:
        x: images, (batch, channels, height, width).
        weight: filters of one element, (squeezed, channels, 1, 1).
        bias: (squeezed,), or None.
        word: the activation of the squeezed channels.
        last: filters, (channels, squeezed, 1, 1).
        last_bias: (channels,), or None.
        last_word: the activation of the gate.
        sums: of all pixels of places of x, (images, places, channels) of float; None to sum x.
    """
    fits = (
        takes(x, weight, bias, last, last_bias)
        and is_dense(x)
        and all(_is_rows(each) for each in (weight, last))
        and all(each is None or each.is_contiguous() for each in (bias, last_bias))
        and _TOGETHER * 4 * max(weight.shape[:2]) <= _SHARED
        and x[0, 0].numel() < _PIXELS
        and x.shape[0] < 1 << 16
    )
    if not fits:
        if sums is None:
            means = functional.adaptive_avg_pool2d(x, 1)
        else:
            means = (sums.sum(1) / x[0, 0].numel())[:, :, None, None].to(x.dtype)
        squeezed = activated(functional.conv2d(means, weight, bias), word)
        return activated(functional.conv2d(squeezed, last, last_bias), last_word)
    images, channels = x.shape[:2]
    together, sharing = _rows_of(images), max(1, _MANY // channels)
    shared = 4 * together * ((1 + sharing) * channels + weight.shape[0])
    is_one = weight.numel() + last.numel() <= _MOST and shared <= _SHARED
    macros = _macros(images, weight)
    if is_one:
        macros += f"LAST={NUMBERS[last_word and last_word[0]]}", f"LAST_VECTOR={_columns(last)}"
    if isinstance(x, FakeTensor):
        vector = vector_of(channels, row_of(x))
        prepare(x.device.index, _FILE, x.dtype, None, f"VECTOR={vector}")
        prepare(x.device.index, _FILE, x.dtype, word and word[0], *macros)
        if not is_one:
            its = last_word and last_word[0]
            prepare(x.device.index, _FILE, x.dtype, its, *_macros(images, last))
        return x.new_empty((images, channels, 1, 1))
    rows = x.numel() // images // channels
    sums = _sums(x, rows) if sums is None else sums
    gate = x.new_empty((images, channels, 1, 1))
    if not is_one:
        squeezed = x.new_empty((images, weight.shape[0]))
        _product(sums, weight, bias, word, squeezed, sums.shape[1], 1.0 / rows)
        _product(squeezed, last, last_bias, last_word, gate, 0, 1.0)
        return gate
    argument = _GATES.pack(
        sums.data_ptr(), weight.data_ptr(), address_of(bias), last.data_ptr(),
        address_of(last_bias), gate.data_ptr(), images, channels, weight.shape[0], sums.shape[1],
        1.0 / rows, number_of(word), number_of(last_word),
    )  # fmt: skip
    which = x.dtype, word and word[0], *macros
    (kernel,) = kernels(x.device.index, _FILE, ("gates",), *which)
    grid = -(-images // together), 1, 1
    launch(kernel, x.device.index, grid, _MANY, argument, shared)
    return gate


def _sums(x: Tensor, rows: int) -> Tensor:
    """Return the sums of pieces of images, (images, pieces, channels)."""
    images, channels = x.shape[:2]
    vector = aligned_vector(vector_of(channels, row_of(x)), x)
    columns = -(-channels // (8 * vector))
    pieces = max(1, min(2 * _BLOCKS // (columns * images), rows // 64, 64))
    parts = torch.empty((images, pieces, channels), dtype=torch.float32, device=x.device)
    argument = _SUMS.pack(
        x.data_ptr(), parts.data_ptr(), rows * row_of(x), row_of(x), rows, channels, pieces
    )
    (kernel,) = kernels(x.device.index, _FILE, ("sums",), x.dtype, None, f"VECTOR={vector}")
    launch(kernel, x.device.index, (columns, pieces, images), _THREADS, argument)
    return parts


def _is_rows(weight: Tensor) -> bool:
    """Return whether filters of one element lie as a matrix without gaps."""
    flat = weight.dim() == 4 and weight.shape[2:] == (1, 1)
    return bool(flat and weight[:, :, 0, 0].is_contiguous())


def _rows_of(images: int) -> int:
    """Return how many images a block does."""
    return 1 if images < _TOGETHER else _TOGETHER


def _columns(weight: Tensor) -> int:
    """Return how many weights are read at once."""
    vector = vector_of(weight.shape[1])
    return vector if isinstance(weight, FakeTensor) else aligned_vector(vector, weight)


def _macros(images: int, weight: Tensor) -> tuple[str, ...]:
    return f"VECTOR={_columns(weight)}", f"ROWS={_rows_of(images)}"


def _product(
    x: Tensor, weight: Tensor, bias: Tensor | None, word: Activation | None, y: Tensor, pieces: int,
    factor: float,
) -> None:  # fmt: skip
    outputs, columns = weight.shape[:2]
    images = x.shape[0]
    together = _rows_of(images)
    argument = _PRODUCT.pack(
        x.data_ptr(), weight.data_ptr(), address_of(bias), y.data_ptr(), images, columns, outputs,
        pieces, number_of(word), factor,
    )  # fmt: skip
    grid = -(-outputs // (_THREADS // 32)), -(-images // together), 1
    which = y.dtype, word and word[0], *_macros(images, weight)
    (kernel,) = kernels(y.device.index, _FILE, ("product",), *which)
    launch(kernel, x.device.index, grid, _THREADS, argument, together * columns * 4)
