"""Convolutions with one filter for each channel by tensor cores, by a kernel of this package."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import Tensor

from ...autograd.layouts import empty
from .activations import NUMBERS
from .compiled import Launch
from .functions import is_available, may_run
from .runs import Run
from .sources import NARROW, prepare

if TYPE_CHECKING:
    from ....ops import Spec
    from ..trace.words import Activation

#: The layout of `Bands` in bands.cu.
_ARGUMENT = struct.Struct("5Q9q8ifi")

#: Channels and threads of a block, and words of an output's channels.
_CHANNELS, _THREADS, _WORDS = 16, 256, 12

#: Most parts of a filter that a thread keeps, bytes of a block, and blocks that run at once.
_KNOWN, _SHARED, _BLOCKS = 40, 100 << 10, 132 * 4


class Shape(NamedTuple):
    """The constants of bands.cu."""

    HIGH: int
    WIDE: int
    ROW_STEP: int
    STEP: int
    SPAN: int
    STEPS: int
    DOWN: int
    FAR: int
    NEAR: int
    PITCH: int

    @property
    def shared(self) -> int:
        """Bytes of memory of a block."""
        tall, broad = self.DOWN * self.FAR, 8 // self.DOWN * self.NEAR * self.SPAN
        rows = (tall - 1) * self.ROW_STEP + self.HIGH
        plane = -(-rows * self.PITCH // 4) * 4 + 2
        taps = 2 * self.HIGH * 8 * (self.STEPS + self.STEP)
        return 4 * (tall * broad * _WORDS + _CHANNELS * (plane + taps))

    def tiles(self, images: int, out: Sequence[int]) -> int:
        """Return how many blocks have results of these extents, for 16 channels."""
        tall, broad = self.DOWN * self.FAR, 8 // self.DOWN * self.NEAR * self.SPAN
        return images * -(-out[0] // tall) * -(-out[1] // broad)


def shape_of(
    window: Sequence[int], steps: Sequence[int], images: int, channels: int, out: Sequence[int],
    most: int = 6,
) -> Shape | None:  # fmt: skip
    """Return the constants for a convolution; None if a thread cannot keep its filters."""
    (high, wide), (row_step, step) = window, steps
    spans = {
        span: -(-(step * (span - 1) + wide) // 16)
        for span in range(16, 0, -1)
        if span * step % 2 == 0
    }
    span = min(spans, key=lambda each: (-(-out[1] // each) * spans[each], spans[each]))
    even = -(-out[1] // -(-out[1] // span))
    span = even + even * step % 2
    if high * (2 * spans[span] + step) > _KNOWN:
        return None
    strips, groups = -(-out[1] // span), -(-channels // _CHANNELS)
    down = min((8, 4, 2, 1), key=lambda each: -(-out[0] // each) * -(-strips // (8 // each)))
    far_most, near_most = -(-out[0] // down), -(-strips // (8 // down))
    best: Shape | None = None
    least = 0.0
    for far, near in product(range(1, 3), range(1, most + 1)):
        if far > far_most or near > near_most or far * near > most:
            continue
        words = -(-((8 // down * near - 1) * span * step + 16 * spans[span]) // 2)
        odd = 4 if row_step == 1 else 2
        pitch = words + (odd - words) % (2 * odd)
        shape = Shape(high, wide, row_step, step, span, spans[span], down, far, near, pitch)
        tiles = shape.tiles(images, out)
        if shape.shared > _SHARED:
            continue
        # Time of a block: to begin, to read inputs, and for its products.
        rows = (down * far - 1) * row_step + high
        block = 1.0 + rows * pitch / 250 + far * near / 3
        turns = max(1.0, tiles * groups / _BLOCKS)
        if best is None or block * turns < least:
            best, least = shape, block * turns
    return best


class Bands(Run):
    """Computes a convolution with one filter for each channel, as plans of convolutions do."""

    def __init__(
        self, specs: Mapping[str, Spec], constants: Shape, corner: Sequence[int],
        activation: Activation | None,
    ) -> None:  # fmt: skip
        """Begin to compile the kernel.

        Args:
            specs: what x, w, bias, residual and y are; bias and residual may be absent.
            constants: of `shape_of`.
            corner: the padding in front of each axis.
            activation: a word and its number.
        """
        x, self._shape = specs["x"], specs["y"].shape
        assert x.device is not None
        images, channels, height, width = x.shape
        word, number = activation or (None, None)
        self._ordinal, self._shared = x.device, constants.shared
        macros = [f"{name}={value}" for name, value in constants._asdict().items()]
        self._source = prepare(x.device, "bands.cu", getattr(torch, x.dtype), word, *macros)
        groups = -(-channels // _CHANNELS)
        tiles = constants.tiles(images, self._shape[2:])
        self._grid = max(1, min(tiles, _BLOCKS // groups)), groups, 1
        self._has = "bias" in specs, "residual" in specs
        self._sizes = images, channels, height, width, *self._shape[2:], *corner, number or 0.0

    def may_run(self) -> bool:
        """Return whether the kernel can be launched now."""
        return may_run(self._source)

    def __call__(self, x: Tensor, w: Tensor, *others: Tensor) -> Tensor:
        """Return the result, in the last of the arrays if that is for it."""
        rest = list(others)
        bias, residual = (rest.pop(0) if has else None for has in self._has)
        y = rest[0] if rest else empty(x, self._shape, True)
        given = x, w, bias, residual, y
        addresses = [0 if each is None else each.data_ptr() for each in given]
        steps = [each for image in (x, residual, y) for each in _steps(image)]
        argument = _ARGUMENT.pack(*addresses, *steps, *self._sizes, self.overlaps)
        kernel = self._source.kernel("bands", self._shared)
        Launch(kernel, self._ordinal, self._grid, _THREADS, shared=self._shared)(
            argument, overlaps=self.overlaps
        )
        return y


def find(
    specs: Mapping[str, Spec], padding: Sequence[int | tuple[int, int]], stride: Sequence[int],
    dilation: Sequence[int], activation: Activation | None, chosen: Shape | None = None,
) -> Bands | None:  # fmt: skip
    """Return what computes a convolution with one filter for each channel; None for others.

    Args:
        specs: what x, w, bias, residual and y are; bias and residual may be absent.
        padding: in front of each axis, or pairs.
        stride: along each axis.
        dilation: along each axis.
        activation: a word and its number.
        chosen: the constants, in place of those of `shape_of`.
    """
    x, w, y = specs["x"], specs["w"], specs["y"]
    dtype = getattr(torch, x.dtype)
    if dtype not in NARROW or w.dtype != x.dtype or not is_available(dtype, x.device, 8):
        return None
    if len(x.shape) != 4 or not all(y.shape) or not all(x.shape):
        return None
    channels = x.shape[1]
    if (
        w.shape[:2] != (channels, 1)
        or channels % 8
        or {*dilation} != {1}
        or not {*stride} <= {1, 2}
    ):
        return None
    added = specs.get("residual")
    if (activation and activation[0]) not in NUMBERS or (added and added[:2] != y[:2]):
        return None
    if not (_is_aligned(x) and _is_aligned(y)) or x.shape[0] * y.shape[2] * y.shape[3] >= 1 << 31:
        return None
    constants = chosen or shape_of(w.shape[2:], stride, x.shape[0], channels, y.shape[2:])
    if constants is None:
        return None
    corner = [each[0] if isinstance(each, tuple) else each for each in padding]
    made = Bands(specs, constants, corner, activation)
    return made if made.may_run() else None


def _is_aligned(spec: Spec) -> bool:
    """Return whether eight channels of each pixel lie at a multiple of 16 bytes."""
    pairs = [*zip(spec.shape, spec.strides, strict=True)]
    apart = [step for place, (size, step) in enumerate(pairs) if size > 1 and place != 1]
    return pairs[1][1] == 1 and spec.alignment % 16 == 0 and not any(each % 8 for each in apart)


def _steps(image: Tensor | None) -> tuple[int, int, int]:
    """Return the strides of images, rows and columns."""
    return (0, 0, 0) if image is None else (image.stride(0), image.stride(2), image.stride(3))
