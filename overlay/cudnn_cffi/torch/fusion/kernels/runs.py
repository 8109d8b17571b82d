"""Computations of parts by one kernel of rows.cu: products of few rows, and norms."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from math import prod
from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import Tensor

from ...autograd.layouts import empty
from .activations import NUMBERS
from .functions import KINDS, THREADS, Kernel, Run, aligned, is_available

if TYPE_CHECKING:
    from .... import ops
    from ..trace.words import Activation

#: The layout of `Product` in rows.cu.
_PRODUCT = struct.Struct("5Q4q4if4x")

#: Maximum bytes that blocks of a product read, from which on cuBLAS, whose blocks share what they
#: read, is faster (H200); and minimum columns of which sums are divided.
_MOST, _LONG = 20 << 20, 1024

#: Maximum depth of products of pixels, and of the depths of all blocks, from which on cuDNN's
#: engines are faster (H200).
_DEEP, _WORK = 512, 65536


class Tile(NamedTuple):
    """Division of a product: rows and columns of a block, tiles ahead, parts of a sum."""

    rows: int
    columns: int
    ahead: int
    parts: int

    @property
    def shared(self) -> int:
        """Return the memory of a block in bytes."""
        rows, columns = self.rows, self.columns
        return max((rows + columns) * 128 * self.ahead, rows * (columns + 4) * 4)


class Product(Run):
    """Computes activation(x w^T + bias) + residual of images, as plans of products do."""

    def __init__(
        self, specs: Mapping[str, ops.Spec], tile: Tile, activation: Activation | None,
        ordinal: int, last: bool = False,
    ) -> None:  # fmt: skip
        """Begin to compile the kernel.

        Args:
            specs: what x, w, bias, residual and y are; bias and residual may be absent.
            tile: how it is divided.
            activation: a word of `NUMBERS` and its number, or None.
            ordinal: the device.
            last: whether the activation is that of the sum with the residual.
        """
        x, self._shape = specs["x"], specs["y"].shape
        self._columns, self._depth = specs["w"].shape[:2]
        self._rows = prod(x.shape) // self._depth
        self._has = "bias" in specs, "residual" in specs
        word, number = activation or (None, None)
        self._number = number or 0.0
        numbers = ", ".join(map(str, (*tile, NUMBERS[word], int(last))))
        text = f"KERNEL(Product, (product<{numbers}>))"
        blocks = -(-self._columns // tile.columns), -(-self._rows // tile.rows), tile.parts
        dtype = KINDS[x.dtype]
        self._kernel = Kernel(ordinal, dtype, text, blocks, tile.shared, tile.parts)
        steps = [row_step(specs[name]) if name in specs else 0 for name in ("x", "residual", "y")]
        self._steps = steps[0], self._depth, *steps[1:]

    def __call__(self, x: Tensor, w: Tensor, *others: Tensor) -> Tensor:
        """Return the result, in the last of the arrays if that is for it."""
        rest = list(others)
        bias, residual = (aligned(rest.pop(0)) if has else None for has in self._has)
        y = rest[0] if rest else empty(x, self._shape, True)
        weight = aligned(w)
        overlaps = self.overlaps and weight is w
        given = x, weight, bias, residual, y
        addresses = [0 if each is None else each.data_ptr() for each in given]
        sizes = self._rows, self._columns, self._depth, overlaps, self._number
        self._kernel(_PRODUCT.pack(*addresses, *self._steps, *sizes), overlaps)
        return y


def row_step(image: ops.Spec) -> int:
    """Return the stride of an image's pixels; 0 where they are no equal steps apart."""
    axes = [0, *range(2, len(image.shape))]
    pairs = [(image.shape[axis], image.strides[axis]) for axis in axes if image.shape[axis] > 1]
    first = pairs[-1][1] if pairs else image.shape[1]
    size = 1
    for extent, stride in reversed(pairs):
        if stride != first * size:
            return 0
        size *= extent
    return first if image.strides[1] == 1 else 0


def find_product(
    specs: Mapping[str, ops.Spec], activation: Activation | None, pixels: bool = False
) -> Product | None:
    """Return what computes a product; None where plans are faster, or it cannot.

    It is faster with an activation, which takes a kernel of its own after a plan, and with an
    addition where few blocks would sum many columns.

    Args:
        specs: what x, w, bias, residual and y are; bias and residual may be absent.
        activation: a word and its number.
        pixels: whether it is a convolution with filters of one element, whose activation is that
            of the sum with the residual.
    """
    x, w = specs["x"], specs["w"]
    columns, depth = w.shape[:2]
    rows = prod(x.shape) // max(1, depth)
    word = activation and activation[0]
    if x.dtype != w.dtype or depth % 8 or columns % 8 or word not in NUMBERS or not rows:
        return None
    images = [specs[name] for name in ("x", "residual", "y") if name in specs]
    if any(row_step(each) % 8 or each.alignment % 16 or not row_step(each) for each in images):
        return None
    is_long = depth >= _LONG
    if not pixels and (is_long == (word is not None) or (is_long and "residual" not in specs)):
        return None
    tile = _small_tile(rows, columns) if pixels else tile_of(rows, depth)
    blocks = -(-rows // tile.rows) * -(-columns // tile.columns)
    if pixels and (depth > _DEEP or blocks * depth > _WORK):
        return None
    if blocks * (tile.rows + tile.columns) * depth * 2 > _MOST:
        return None
    if w.dtype == "float32" or not is_available(KINDS.get(w.dtype), w.device, 9):
        return None
    assert w.device is not None
    made = Product(specs, tile, activation, w.device, pixels)
    return made if made.may_run() else None


def _small_tile(rows: int, columns: int) -> Tile:
    """Return the division for pixels that was the fastest on an H200."""
    small = Tile(32, 32, 8, 1)
    is_small = -(-rows // small.rows) * -(-columns // small.columns) <= 512
    return small if is_small else Tile(64, 64, 4, 1)


def tile_of(rows: int, depth: int) -> Tile:
    """Return the division of a product that was the fastest on an H200."""
    if depth >= _LONG:
        return Tile(64, 32, 6, 4) if rows <= 64 else Tile(64, 64, 4, 4)
    return Tile(32, 32, 8, 1) if rows <= 64 else Tile(64, 64, 4, 1)


class Norm(Run):
    """Computes a layer norm, or an RMS norm, of the last axis of packed arrays."""

    def __init__(self, specs: Mapping[str, ops.Spec], epsilon: float, rms: bool) -> None:
        """Begin to compile the kernel.

        Args:
            specs: what x, w, bias and y are; bias may be absent.
            epsilon: is added to the mean of squares.
            rms: whether the mean is not subtracted.
        """
        x = specs["x"]
        assert x.device is not None
        (self._columns,) = specs["w"].shape
        self._rows = 1
        for extent in x.shape:
            self._rows *= extent
        self._rows //= self._columns
        self._epsilon = epsilon
        self._has_bias = "bias" in specs
        vectors = self._columns // 8
        threads = 4
        while threads < THREADS and threads * (4 if threads >= 32 else 1) < vectors:
            threads *= 2
        text = f"KERNEL(Rows, (norm<{threads}, {-(-vectors // threads)}, {int(rms)}>))"
        blocks = -(-self._rows // (THREADS // threads))
        self._kernel = Kernel(x.device, KINDS[x.dtype], text, (blocks, 1, 1))

    def __call__(self, x: Tensor, w: Tensor, *others: Tensor) -> Tensor:
        """Return the result, in the last of the arrays if that is for it."""
        rest = list(others)
        bias = aligned(rest.pop(0)) if self._has_bias else None
        y = rest[0] if rest else torch.empty_like(x)
        addresses = [0 if each is None else each.data_ptr() for each in (x, aligned(w), bias, y)]
        self._kernel(
            struct.pack("4Q2if4x", *addresses, self._rows, self._columns, self._epsilon),
            self.overlaps,
        )
        return y


#: Maximum number of columns of a norm: those of 128 threads with eight vectors each.
_WIDEST = 8 * 8 * THREADS


def find_norm(specs: Mapping[str, ops.Spec], epsilon: float, *, rms: bool = False) -> Norm | None:
    """Return what computes a norm; None where the kernel does not take it."""
    x, w = specs["x"], specs["w"]
    if len(w.shape) != 1 or w.shape[0] % 8 or w.shape[0] > _WIDEST:
        return None
    if not is_available(KINDS.get(x.dtype), x.device, 8):
        return None
    made = Norm(specs, epsilon, rms)
    return made if made.may_run() else None
