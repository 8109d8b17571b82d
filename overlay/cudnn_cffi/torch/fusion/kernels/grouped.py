"""Convolutions with groups, or one filter for each channel, by kernels of this package."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import Tensor

from .... import errors
from ...autograd.layouts import empty
from .activations import NUMBERS
from .compiled import NARROW
from .functions import Kernel, Run, aligned, is_available, prepare, steps_of

if TYPE_CHECKING:
    from ....ops import Spec
    from ..trace.words import Activation

#: The layout of `Convolution` in numbers.cuh, and of what sliding.cu has after it.
_ARGUMENT, _SUMS = struct.Struct("5Q9q8ifi"), struct.Struct("Q")

#: Threads of a block, most bytes of it, and blocks that run at once.
_THREADS, _SHARED, _BLOCKS = 256, 110 << 10, 132 * 2

#: Channels of a block of depthwise.cu, words of an output's channels, and most parts of a filter
#: that a thread keeps.
_CHANNELS, _WORDS, _KNOWN = 16, 12, 40

#: Most threads of a block of sliding.cu, most pairs of channels of one, and most outputs of a row
#: that a thread computes, by the step (H200).
_SLIDING, _PAIRS, _MOST = 256, 128, {1: 7, 2: 4}

#: Threads of a multiprocessor whose registers have room for windows of up to 9 elements, and more.
_ROOM = 640, 384

#: Number of results from which on sliding.cu is faster at windows up to 5x5 (H200).
_MANY = 1 << 20


class Bands(NamedTuple):
    """The constants of depthwise.cu."""

    HIGH: int
    WIDE: int
    ROW_STEP: int
    STEP: int
    SPAN: int
    STEPS: int
    DOWN: int
    FAR: int
    NEAR: int
    IMAGES: int
    PITCH: int

    @property
    def shared(self) -> int:
        """Bytes of memory of a block."""
        tall, broad = self.DOWN * self.FAR, 8 // self.DOWN * self.NEAR * self.SPAN
        rows = (tall - 1) * self.ROW_STEP + self.HIGH
        plane = -(-self.IMAGES * rows * self.PITCH // 4) * 4 + 2
        taps = 2 * self.HIGH * 8 * (self.STEPS + self.STEP)
        return 4 * (self.IMAGES * tall * broad * _WORDS + _CHANNELS * (plane + taps))

    @property
    def time(self) -> float:
        """Time of a block: to begin, to read inputs, and for its products."""
        rows = (self.DOWN * self.FAR - 1) * self.ROW_STEP + self.HIGH
        return 1.0 + self.IMAGES * (rows * self.PITCH / 250 + self.FAR * self.NEAR / 3)

    def tiles(self, y: Sequence[int]) -> int:
        """Return how many there are of a result, for 16 channels."""
        tall, broad = self.DOWN * self.FAR, 8 // self.DOWN * self.NEAR * self.SPAN
        return -(-y[0] // self.IMAGES) * -(-y[2] // tall) * -(-y[3] // broad)

    def columns(self, y: Sequence[int]) -> int:
        """Return how many blocks share a tile."""
        return -(-y[1] // _CHANNELS)


class Tiles(NamedTuple):
    """The constants of grouped.cu."""

    IN: int
    OUT: int
    HIGH: int
    WIDE: int
    ROW_STEP: int
    STEP: int
    TALL: int
    BROAD: int

    @property
    def shared(self) -> int:
        """Bytes of memory of a block."""
        rows = (self.TALL - 1) * self.ROW_STEP + self.HIGH
        columns = (self.BROAD - 1) * self.STEP + self.WIDE
        chunks = self.HIGH * self.WIDE * self.IN // 8
        return 16 * (self.OUT * (chunks | 1) + rows * columns * (self.IN // 8 | 1))

    @property
    def time(self) -> float:
        """Time of a block: to begin, to read inputs, and for its products."""
        chunks = self.HIGH * self.WIDE * self.IN // 8
        inputs = self.shared - 16 * self.OUT * (chunks | 1)
        warps = -(-self.TALL * self.BROAD // 32)
        return 1.0 + inputs / 30000 + chunks * self.OUT * warps / 9600

    def tiles(self, y: Sequence[int]) -> int:
        """Return how many there are of a result, for one group."""
        return y[0] * -(-y[2] // self.TALL) * -(-y[3] // self.BROAD)

    def columns(self, y: Sequence[int]) -> int:
        """Return how many blocks share a tile."""
        return y[1] // self.OUT


class Sliding(NamedTuple):
    """The constants of sliding.cu."""

    HIGH: int
    WIDE: int
    ROW_STEP: int
    STEP: int
    BROAD: int
    TALL: int
    GROUP: int
    STRIPS: int
    X_COLUMN: int
    Y_COLUMN: int
    ADDED: int
    AT_ONCE: int
    SUMMED: int = 0

    @property
    def shared(self) -> int:
        """Bytes of memory of a block."""
        return 4 * self.GROUP * self.HIGH * self.WIDE

    @property
    def time(self) -> float:
        """Time of a block: to begin, and for all rows of inputs."""
        return 2 + self.TALL + -(-self.HIGH // self.ROW_STEP)

    @property
    def threads(self) -> int:
        """Threads of a block."""
        return -(-self.GROUP * self.STRIPS // 32) * 32

    def places(self, y: Sequence[int]) -> int:
        """Return how many places an image of a result has."""
        return -(-y[2] // self.TALL) * -(-y[3] // self.BROAD)

    def tiles(self, y: Sequence[int]) -> int:
        """Return how many blocks a result has, for their channels."""
        return -(-y[0] * self.places(y) // self.STRIPS)

    def columns(self, y: Sequence[int]) -> int:
        """Return how many blocks share a place."""
        return -(-y[1] // (2 * self.GROUP))


def _sliding(
    x: Spec, y: Spec, window: Sequence[int], steps: Sequence[int], adds: bool
) -> Iterator[Sliding]:
    """Yield the constants for many results with one filter for each channel."""
    _, channels, height, width = y.shape
    if math.prod(y.shape) < _MANY or max(window) > 5 or min(x.shape[3], width) < 2:
        return
    pairs, (high, wide), (row_step, step) = channels // 2, window, steps
    group, broad = -(-pairs // -(-pairs // _PAIRS)), -(-width // -(-width // _MOST[step]))
    strips, at_once = _strips(group, _ROOM[high * wide > 9])
    for tall in {-(-height // parts) for parts in range(1, height + 1)}:
        yield Sliding(
            high, wide, row_step, step, broad, tall, group, strips, x.strides[3], y.strides[3],
            int(adds), at_once,
        )  # fmt: skip


def _strips(group: int, room: int) -> tuple[int, int]:
    """Return the places of a block, and the blocks there are, with the most threads at work."""
    found = []
    for strips in range(1, max(1, _SLIDING // group) + 1):
        threads = -(-strips * group // 32) * 32
        found.append((room // threads * strips * group, -abs(threads - 128), strips, threads))
    _, _, strips, threads = max(found)
    return strips, room // threads


def _bands(window: Sequence[int], steps: Sequence[int], y: Sequence[int]) -> Iterator[Bands]:
    """Yield the constants that a convolution may have, with one filter for each channel."""
    (high, wide), (row_step, step), (images, _, height, width) = window, steps, y
    spans = {
        span: -(-(step * (span - 1) + wide) // 16)
        for span in range(16, 0, -1)
        if span * step % 2 == 0
    }
    spans = {span: each for span, each in spans.items() if high * (2 * each + step) <= _KNOWN}
    if not spans:
        return
    span = min(spans, key=lambda each: (-(-width // each) * spans[each], spans[each]))
    even = -(-width // -(-width // span))
    span = even + even * step % 2
    strips = -(-width // span)
    down = min((8, 4, 2, 1), key=lambda each: -(-height // each) * -(-strips // (8 // each)))
    far_most, near_most = -(-height // down), -(-strips // (8 // down))
    for far, near, its in product((1, 2), range(1, 9), (1, 2, 4)):
        if far > far_most or near > near_most or far * near * its > 8 or its > images:
            continue
        if its > 1 and (far, near) != (far_most, near_most):
            continue
        words = -(-((8 // down * near - 1) * span * step + 16 * spans[span]) // 2)
        odd = 4 if row_step == 1 else 2
        pitch = words + (odd - words) % (2 * odd)
        yield Bands(
            high, wide, row_step, step, span, spans[span], down, far, near, its, pitch
        )  # fmt: skip


def _tiles(
    inside: int, window: Sequence[int], steps: Sequence[int], y: Sequence[int], groups: int
) -> Iterator[Tiles]:
    """Yield the constants that a convolution with groups may have."""
    outside = y[1] // groups
    (high, wide), (row_step, step) = window, steps
    if inside % 8 or outside % 8 or outside > 64:
        return
    for parts in range(1, y[3] + 1):
        broad = -(-y[3] // parts)
        for tall in {-(-y[2] // number) for number in range(1, y[2] + 1)}:
            if tall * broad <= 256:
                yield Tiles(inside, outside, high, wide, row_step, step, tall, broad)


class Grouped(Run):
    """Computes a convolution with groups, as plans of convolutions do.

    Attributes:
        kind: the class of the kernel's constants.
    """

    def __init__(
        self, specs: Mapping[str, Spec], constants: Bands | Tiles | Sliding, corner: Sequence[int],
        activation: Activation | None,
    ) -> None:  # fmt: skip
        """Describe the kernel, which is compiled from `begin` on.

        Args:
            specs: what x, w, bias, residual and y are; bias and residual may be absent.
            constants: of the kernel.
            corner: the padding in front of each axis.
            activation: a word and its number.
        """
        self._given = specs, constants, corner, activation
        x, y = specs["x"], specs["y"]
        assert x.device is not None
        word, number = activation or (None, None)
        macros = [f"{name}={value}" for name, value in constants._asdict().items()]
        macros.append(f"VECTOR={min(_vector(x), _vector(y))}")
        self.kind = type(constants)
        name = {Bands: "depthwise", Tiles: "grouped", Sliding: "sliding"}[self.kind]
        dtype = getattr(torch, x.dtype)
        source = prepare(x.device, f"{name}.cu", dtype, word, *macros, begins=False)
        columns, self._shape = constants.columns(y.shape), y.shape
        tiles, self._apart = constants.tiles(y.shape), (x.strides[3], y.strides[3])
        threads = constants.threads if isinstance(constants, Sliding) else _THREADS
        if self.kind is not Sliding:  # blocks go from tile to tile
            tiles = max(1, min(tiles, _BLOCKS // columns))
        self._kernel = Kernel(source, (tiles, columns, 1), constants.shared, 1, threads, name)
        self._has = "bias" in specs, "residual" in specs
        self._sizes = *x.shape, *y.shape[2:], *corner, number or 0.0
        self._sums: tuple[int, int, int] | None = None
        if isinstance(constants, Sliding) and constants.SUMMED:
            self._sums = y.shape[0], constants.places(y.shape), y.shape[1]

    def begin(self) -> None:
        self._kernel.begin()

    def summed(self) -> Grouped | None:
        specs, constants, corner, activation = self._given
        if not isinstance(constants, Sliding):
            return None
        made = Grouped(specs, constants._replace(SUMMED=1), corner, activation)
        return made if made.may_run() else None

    def __call__(self, x: Tensor, w: Tensor, *others: Tensor) -> Any:
        """Return the result, in the last of the arrays if that is for it, and its sums."""
        rest = list(others)
        bias = aligned(rest.pop(0)) if self._has[0] else None
        residual = rest.pop(0) if self._has[1] else None
        y = rest[0] if rest else empty(x, self._shape, True)
        weight = aligned(w)
        overlaps = self.overlaps and weight is w
        given = x, weight, bias, residual, y
        addresses = [0 if each is None else each.data_ptr() for each in given]
        steps = [each for image in (x, residual, y) for each in steps_of(image)]
        apart = steps[2], steps[8]
        if self.kind is Sliding and self._apart != apart:
            raise errors.ArgumentError(
                f"pixels of x and y: expected them {self._apart} elements apart, got {apart}"
            )
        argument = _ARGUMENT.pack(*addresses, *steps, *self._sizes, overlaps)
        sums = None
        if self.kind is Sliding:
            if self._sums is not None:
                sums = torch.empty(self._sums, dtype=torch.float32, device=x.device)
            argument += _SUMS.pack(0 if sums is None else sums.data_ptr())
        self._kernel(argument, overlaps)
        return y if sums is None else (y, sums)


def find(
    specs: Mapping[str, Spec], padding: Sequence[int | tuple[int, int]], stride: Sequence[int],
    dilation: Sequence[int], activation: Activation | None,
) -> Grouped | None:  # fmt: skip
    """Return what computes a convolution with groups; None where plans are faster, or it cannot.

    Args:
        specs: what x, w, bias, residual and y are; bias and residual may be absent.
        padding: in front of each axis, or pairs.
        stride: along each axis.
        dilation: along each axis.
        activation: a word and its number.
    """
    x, w, y = specs["x"], specs["w"], specs["y"]
    dtype = getattr(torch, x.dtype)
    if dtype not in NARROW or w.dtype != x.dtype or not is_available(dtype, x.device, 8):
        return None
    if len(x.shape) != 4 or not all(x.shape + y.shape) or {*dilation} != {1}:
        return None
    if not {*stride} <= {1, 2} or x.shape[0] * y.shape[2] * y.shape[3] >= 1 << 31:
        return None
    added = specs.get("residual")
    if (activation and activation[0]) not in NUMBERS or (added and added[:2] != y[:2]):
        return None
    if added and not _vector(added):
        return None
    found: list[Bands | Tiles | Sliding] = []
    vector, groups = min(_vector(x), _vector(y)), x.shape[1] // w.shape[1]
    if w.shape[:2] == (x.shape[1], 1):
        if vector:
            found += _sliding(x, y, w.shape[2:], stride, added is not None)
            found = found or [*_bands(w.shape[2:], stride, y.shape)]
    elif vector == 8 and w.strides[0] == w.shape[1] * w.shape[2] * w.shape[3] and w.strides[1] == 1:
        found += _tiles(w.shape[1], w.shape[2:], stride, y.shape, groups)
    fitting = [each for each in found if each.shared <= _SHARED]
    if not fitting:
        return None

    def time(each: Bands | Tiles | Sliding) -> float:
        blocks = each.tiles(y.shape) * each.columns(y.shape)
        if isinstance(each, Sliding):
            return each.time * -(-blocks // (132 * each.AT_ONCE))
        return each.time * max(1.0, blocks / _BLOCKS)

    corner = [each[0] if isinstance(each, tuple) else each for each in padding]
    made = Grouped(specs, min(fitting, key=time), corner, activation)
    return made if made.may_run() else None


def _vector(image: Spec) -> int:
    """Return how many channels of images are read at once; 0 for those that are not."""
    pairs = [*zip(image.shape, image.strides, strict=True)]
    apart = [step for place, (size, step) in enumerate(pairs) if size > 1 and place != 1]
    for count in (8, 2):
        if image.alignment % (2 * count) == 0 and not any(n % count for n in (pairs[1][0], *apart)):
            return count if pairs[1][1] == 1 else 0
    return 0
