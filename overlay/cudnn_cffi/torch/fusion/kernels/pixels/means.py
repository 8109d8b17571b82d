"""Gates of the means of channels: products of matrices with a row for each image."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import torch
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensor
from torch.nn import functional

from ..activations import activated, number_of
from ..functions import kernels, launch, prepare
from .layouts import address_of, aligned_vector, is_dense, row_of, takes, vector_of

if TYPE_CHECKING:
    from ...trace.words import Activation

_FILE = "squeeze.cu"
_SUMS, _PRODUCT = struct.Struct("2Q2q3i4x"), struct.Struct("4Q4i2f")

#: Threads of a block, and about how many blocks fill a device.
_THREADS, _BLOCKS = 256, 132

#: Maximum bytes of images that a block keeps, and how many images.
_SHARED, _TOGETHER = 48 << 10, 4

#: Number of images from which on products are by tensor cores, of how many columns at most, and
#: from how many on warps of a block share them.
_MANY, _WIDEST, _LONG = 8, 1280, 256

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
    if isinstance(x, FakeTensor):
        vector = vector_of(channels, row_of(x))
        prepare(x.device.index, _FILE, x.dtype, None, f"VECTOR={vector}")
        for each, its in ((weight, word), (last, last_word)):
            prepare(x.device.index, _FILE, x.dtype, its and its[0], *_macros(images, each)[1:])
        return x.new_empty((images, channels, 1, 1))
    rows = x.numel() // images // channels
    sums = _sums(x, rows) if sums is None else sums
    squeezed = x.new_empty((images, weight.shape[0]))
    gate = x.new_empty((images, channels, 1, 1))
    _product(sums, weight, bias, word, squeezed, sums.shape[1], 1.0 / rows)
    _product(squeezed, last, last_bias, last_word, gate, 0, 1.0)
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


def _macros(images: int, weight: Tensor) -> tuple[str, ...]:
    """Return the name of the kernel of a product, and its macros."""
    columns = weight.shape[1]
    vector = vector_of(columns)
    vector = vector if isinstance(weight, FakeTensor) else aligned_vector(vector, weight)
    macros = [f"VECTOR={vector}"]
    capability = torch.cuda.get_device_capability(weight.device)
    if images < _MANY or columns > _WIDEST or capability < (8, 0):
        return "product", *macros, f"ROWS={1 if images < _TOGETHER else _TOGETHER}"
    return "products", *macros, f"SPLIT={int(columns >= _LONG)}"


def _product(
    x: Tensor, weight: Tensor, bias: Tensor | None, word: Activation | None, y: Tensor, pieces: int,
    factor: float,
) -> None:  # fmt: skip
    outputs, columns = weight.shape[:2]
    images = x.shape[0]
    argument = _PRODUCT.pack(
        x.data_ptr(), weight.data_ptr(), address_of(bias), y.data_ptr(), images, columns, outputs,
        pieces, number_of(word), factor,
    )  # fmt: skip
    name, *macros = _macros(images, weight)
    if name == "products":
        together, beside = 16, 8 if columns >= _LONG else 64
        shared = 32 * (-(-columns // 32) | 1) * 32 + 4096
    else:
        together, beside = 1 if images < _TOGETHER else _TOGETHER, _THREADS // 32
        shared = together * columns * 4
    grid = -(-outputs // beside), -(-images // together), 1
    (kernel,) = kernels(y.device.index, _FILE, (name,), y.dtype, word and word[0], *macros)
    overlaps = name == "products"  # which waits for the kernel before it first
    launch(kernel, x.device.index, grid, _THREADS, argument, shared, overlaps=overlaps)
