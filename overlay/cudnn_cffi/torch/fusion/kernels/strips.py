"""Convolutions of large images, piece by piece: a few images at once, or a few of their rows.

The input of a piece, with its zeros, is made in memory that the next piece uses again: it is not
there as a whole, and no plan gets a tensor of 2^31 elements or more.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from torch import Tensor

from .... import arrays
from ...autograd.layouts import empty
from ..trace.windows import Window

if TYPE_CHECKING:
    from torch.nn.modules.conv import _ConvNd

    from .... import ops
    from ..trace.windows import Before

#: Number of elements that no tensor of a plan has.
_MOST = 1 << 31

#: Maximum bytes of the input of a piece, if a row of the result does not need more.
_PIECE = 3 << 26


class Pieces(NamedTuple):
    """The pieces of a convolution.

    Attributes:
        layer: the convolution of a piece; without padding along the first axis where that is cut.
        shape, result: of the whole input, as it is made, without zeros, and of the whole result.
        front: zeros that are put before the first axis.
        images, rows: of the result of a piece.
        taken: rows of the input of a piece, with zeros.
    """

    layer: Window
    shape: tuple[int, ...]
    result: tuple[int, ...]
    front: int
    images: int
    rows: int
    taken: int

    def number(self) -> int:
        """Return how many pieces there are."""
        return -(-self.result[0] // self.images) * -(-self.result[2] // self.rows)

    def specs(self, whole: Mapping[str, ops.Spec]) -> dict[str, ops.Spec]:
        """Return what a piece reads and writes, of what the whole convolution does."""
        found = dict(whole)
        if "residual" in whole and whole["residual"].shape != self.result:
            del found["residual"]
        for name in ("x", "y", "residual"):
            if name in found:
                own = found[name]
                rows = self.taken if name == "x" else self.rows
                shape = (self.images, own.shape[1], rows, *own.shape[3:])
                strides = arrays.packed_strides(shape, "NHWC")
                # A piece begins after some rows of an image, or after whole images.
                step = strides[2] if rows < own.shape[2] else strides[0]
                alignment = math.gcd(own.alignment, step * arrays.itemsize(own.dtype))
                found[name] = own._replace(shape=shape, strides=strides, alignment=alignment)
        return found

    def _places(self) -> Iterator[tuple[int, int]]:
        """Yield the first image and the first row of each piece; the last one may repeat some."""
        images, _, rows = self.result[:3]
        for image in range(0, images, self.images):
            for row in range(0, rows, self.rows):
                yield min(image, images - self.images), min(row, rows - self.rows)


class Strips:
    """Computes a convolution piece by piece, by a plan of one piece."""

    def __init__(
        self, pieces: Pieces, plan: Callable[..., Tensor], *, bias: bool, residual: bool
    ) -> None:
        """Take the plan, and whether it has a bias and a residual."""
        self._pieces, self._plan = pieces, plan
        self._fixed, self._added = 1 + bias, residual

    def __call__(self, x: Tensor, *others: Tensor) -> Tensor:
        """Return the result, in the last of the arrays if that is for it."""
        pieces = self._pieces
        fixed, rest = others[: self._fixed], list(others[self._fixed :])
        residual = rest.pop(0) if self._added else None
        y = rest[0] if rest else empty(others[0], pieces.result, True)
        buffer: Tensor | None = None
        known, write = -1, None
        stride = pieces.layer.stride[0]
        for image, row in pieces._places():
            images, rows = (slice(image, image + pieces.images), slice(row, row + pieces.rows))
            begin = row * stride - pieces.front
            low, high = max(begin, 0), min(begin + pieces.taken, pieces.shape[2])
            if pieces.layer.before is None and high - low == pieces.taken:
                given = x[images, :, low:high]
            else:
                if write is None or known != image:
                    known, write = image, writer(pieces.layer.before, x[images])
                if buffer is None:
                    shape = pieces.images, pieces.shape[1], pieces.taken, *pieces.shape[3:]
                    buffer = empty(others[0], shape, True)
                given = buffer
                inside = slice(low - begin, max(low, high) - begin)
                given[:, :, : inside.start].zero_()
                given[:, :, inside.stop :].zero_()
                if low < high:
                    write(given[:, :, inside], low, high)
            added = () if residual is None else (residual[images, :, rows],)
            self._plan(given, *fixed, *added, y[images, :, rows])
        return y


def writer(before: Before | None, x: Tensor) -> Callable[[Tensor, int, int], None]:
    """Return what writes some rows of what is made of an image: where, from which on, and to which.

    Args:
        before: makes it; None for x itself.
        x: one image.
    """
    arguments = () if before is None else before.arguments()
    write = None if before is None else before.writer(x, *arguments)
    made = x if before is None else before(x) if write is None else None

    def rows(out: Tensor, low: int, high: int) -> None:
        if made is not None:
            out.copy_(made[:, :, low:high])
        elif write is not None:
            pixels = out[0, 0, 0].numel()
            write(out, low * pixels, (high - low) * pixels)

    return rows


def pieces_of(
    conv: _ConvNd | Window, padding: Sequence[int | tuple[int, int]], x: Tensor, y: Tensor
) -> Pieces | None:
    """Return the pieces that a convolution is computed in; None for one that is computed at once.

    Convolutions of volumes that have zeros on one side of the first axis, or an input made for them
    alone, are cut where the input is large; all are where a tensor has 2^31 elements or more.

    Args:
        conv: the convolution.
        padding: of its axes.
        x: its input without zeros, such as a tensor without memory.
        y: the result.
    """
    layer = conv if isinstance(conv, Window) else Window(conv)
    rest = layer.rest or ((0, 0),) * (x.dim() - 2)
    is_large = max(x.numel(), y.numel()) >= _MOST
    if layer.is_line or any(map(any, rest[1:])) or not all((*x.shape, *y.shape)):
        return None
    if not is_large and layer.before is None and (x.dim() != 5 or not any(rest[0])):
        return None
    first = padding[0]
    ahead = (first if isinstance(first, tuple) else (first, first))[0] + rest[0][0]
    images, channels, height = x.shape[:3]
    pixels = y[0, 0, 0].numel()
    stride, window = layer.stride[0], layer.dilation[0] * (layer.kernel_size[0] - 1) + 1
    shapes = tuple(x.shape), tuple(y.shape)
    if not any(map(any, rest)) and layer.before is None:
        whole = max(x[0].numel(), y[0].numel())
        if whole < _MOST:
            together = min(images, (_MOST - 1) // whole)
            return Pieces(layer, *shapes, 0, together, y.shape[2], height)
    layer = Window(layer.module, layer.zeros, layer.before, (0, *padding[1:]))
    taken = max(window, _PIECE // (channels * x[0, 0, 0].numel() * x.element_size()))
    rows = min(y.shape[2], (taken - window) // stride + 1, (_MOST - 1) // (y.shape[1] * pixels))
    if rows < 1:
        return None
    rows = -(-y.shape[2] // -(-y.shape[2] // rows))
    return Pieces(layer, *shapes, ahead, 1, rows, (rows - 1) * stride + window)
