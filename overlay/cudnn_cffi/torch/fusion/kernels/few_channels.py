"""Convolutions of images of few channels, as first layers are, perhaps with a pooling after it.

And those by filters of 3x3 of images whose pixels a block reads once: of 64 channels, where filters
are the left factor of instructions, and with few results, as in DenseNet, where pixels are.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import Tensor

from ...autograd.layouts import empty
from .activations import NUMBERS
from .compiled import NARROW
from .functions import Kernel, Run, aligned, is_available, prepare, steps_of

if TYPE_CHECKING:
    from ....ops import Spec
    from ..trace.words import Activation

#: The layout of `Images` in images.cu.
_ARGUMENT = struct.Struct("5Q9q8ifii4xQ")

#: The layout of `Convolution` in numbers.cuh.
_CONVOLUTION = struct.Struct("5Q9q8ifi")

#: Threads of a block, results of a row that one computes, channels, and lines of inputs, as there.
_THREADS, _PIXELS, _CHANNELS, _LINES = 128, (112, 64), 64, 16

#: Most instructions of a row of results, whose filters registers keep.
_TIMES = 16

#: Time of a row of results where 1, 2 and 3 blocks share a multiprocessor, in that of its products;
#: rows in whose time a band begins.
_TIMES_OF_ROW, _BEGIN = (1.9, 2.0, 2.7), 4


class Constants(NamedTuple):
    """The constants of `few_channels` in images.cu."""

    IN: int
    HIGH: int
    WIDE: int
    ROW_STEP: int
    STEP: int
    LEAD: int
    EVEN: int
    PIXELS: int
    POOLED: int
    WHOLE: int
    EIGHTS: int

    @property
    def units(self) -> int:
        """Units of pixels of a row of a window."""
        return -(-(self.LEAD + self.WIDE) // (2 * self.STEP)) * 2

    @property
    def shared(self) -> int:
        """Bytes of memory of a block."""
        results = self.PIXELS // 2 if self.POOLED else self.PIXELS
        return _LINES * (self.PIXELS + self.units) * 16 + results * 144

    @property
    def fits(self) -> bool:
        """Return whether the kernel computes such a convolution."""
        return (
            self.STEP * self.IN <= 8
            and self.ROW_STEP <= self.HIGH <= _LINES - self.ROW_STEP
            and self.HIGH * self.units <= 2 * _TIMES
        )

    def rows(self, images: int, height: int, blocks: int) -> int:
        """Return how many rows of results a block computes without a break.

        Args:
            images: how many bands there are of the same rows.
            height: of all results.
            blocks: multiprocessors.
        """

        def time(rows: int) -> float:
            items = images * -(-height // rows)
            sharing = min(-(-items // blocks), len(_TIMES_OF_ROW))
            span = 2 * rows + 1 if self.POOLED else rows
            turns = -(-items // (blocks * sharing))
            return turns * (span + _BEGIN) * _TIMES_OF_ROW[sharing - 1]

        return min({-(-height // parts) for parts in range(1, height + 1)}, key=time)


class FewChannels(Run):
    """Computes a convolution of images of few channels, as plans of convolutions do.

    Attributes:
        place: memory of the device with the address that x is read from; None for that of a call.
    """

    place: Tensor | None = None

    def __init__(
        self, specs: Mapping[str, Spec], constants: Constants, corner: Sequence[int],
        activation: Activation | None,
    ) -> None:  # fmt: skip
        """Begin to compile the kernel.

        Args:
            specs: what x, w, bias and y are, and the pooled y; bias and pooled may be absent.
            constants: of the kernel.
            corner: the padding in front of each axis.
            activation: a word and its number.
        """
        x, y = specs["x"], specs["y"]
        assert x.device is not None
        self.pools = "pooled" in specs
        self._shape = specs["pooled" if self.pools else "y"].shape
        word, number = activation or (None, None)
        macros = [f"{name}={value}" for name, value in constants._asdict().items()]
        dtype = getattr(torch, x.dtype)
        source = prepare(x.device, "images.cu", dtype, word, *macros)
        blocks = torch.cuda.get_device_properties(x.device).multi_processor_count
        across, down = -(-y.shape[3] // constants.PIXELS), -(-y.shape[1] // _CHANNELS)
        images, _, height, _ = self._shape
        self._rows = constants.rows(images * across * down, height, blocks)
        items = images * across * -(-height // self._rows)
        most = max(1, len(_TIMES_OF_ROW) * blocks // down)
        grid = min(items, most), down, 1
        self._kernel = Kernel(source, grid, constants.shared, 1, _THREADS, "few_channels")
        self._has_bias = "bias" in specs
        self._sizes = x.shape[0], y.shape[1], *x.shape[2:], *y.shape[2:], *corner, number or 0.0

    def __call__(self, x: Tensor, w: Tensor, *others: Tensor) -> Tensor:
        """Return the result, in the last of the arrays if that is for it."""
        rest = list(others)
        bias = rest.pop(0) if self._has_bias else None
        y = rest[0] if rest else empty(x, self._shape, True)
        weight = aligned(w)
        overlaps = self.overlaps and weight is w
        addresses = [0 if each is None else each.data_ptr() for each in (x, weight, bias, None, y)]
        steps = *steps_of(x), *steps_of(None), *steps_of(y)
        place = 0 if self.place is None else self.place.data_ptr()
        argument = _ARGUMENT.pack(*addresses, *steps, *self._sizes, overlaps, self._rows, place)
        self._kernel(argument, overlaps)
        return y


class Planes(NamedTuple):
    """The constants of `neighbors` in images.cu."""

    PITCH: int
    ROWS: int
    TOGETHER: int
    PLANE: int
    TEAMS: int
    ADDED: int

    @property
    def span(self) -> int:
        """Columns of results of a tile."""
        return self.PITCH - 2

    @property
    def shared(self) -> int:
        """Bytes of memory of a block."""
        team = 2 * _CHANNELS * self.PLANE + -(-self.TOGETHER // 16) * 2048
        return 1024 + 18 * _CHANNELS * _CHANNELS + self.TEAMS * team

    def tiles(self, height: int, width: int) -> int:
        """Return how many tiles an image has."""
        return -(-height // self.ROWS) * -(-width // self.span)


class Lines(NamedTuple):
    """The constants of `few_results` in images.cu."""

    PITCH: int
    ROWS: int
    TALL: int
    PLANE: int
    TEAMS: int
    DEPTH: int

    @property
    def shared(self) -> int:
        """Bytes of memory of a block."""
        return 1024 + 2 * self.DEPTH * (9 * _RESULTS + self.TEAMS * self.PLANE)

    def tiles(self, height: int, width: int) -> int:
        """Return how many tiles an image has."""
        return -(-height // self.ROWS) * -(-width // (self.PITCH - 2))

    def time(self, images: int, height: int, width: int, blocks: int) -> int:
        """Return about how many cycles it takes, with one block for each multiprocessor (H200)."""
        steps, size = 9 * self.DEPTH // 16, (self.ROWS + 2) * self.PITCH * self.DEPTH * 2
        copies = 1000 + size // 40
        # Teams share instructions; those of one sum wait for each other.
        turn = steps * max(33 * self.TEAMS * self.TALL, 60 + 18 * self.TALL) + 400 + size // 200
        turn += copies if self.TEAMS == 1 else 0
        turns = -(-images * self.tiles(height, width) // (blocks * self.TEAMS))
        return turns * turn + (copies + 2000 if self.TEAMS > 1 else 0)


#: Pixels of an instruction of that kernel, teams, and bytes of memory of a block.
_TOGETHER, _TEAMS, _SHARED = (232, 240), 2, 227 << 10

#: Minimum number of tiles, and of the part of their results that is of use (H200).
_LEAST, _USED = 2048, 0.8

#: Channels of results of the other kernel, and of its images.
_RESULTS, _DEPTHS = 32, (64, 128)


def planes_of(height: int, width: int) -> Planes:
    """Return the division of results of this size that needs the fewest instructions."""
    found = []
    for across in range(1, width + 1):
        pitch = -(-width // across) + 2
        most = (_TOGETHER[-1] + 2) // pitch
        if most:
            rows = -(-height // -(-height // most))
            together = next(each for each in _TOGETHER if each >= rows * pitch - 2)
            plane = -(-(2 * pitch + 2 + together) // 8) * 8
            found.append(Planes(pitch, rows, together, plane, _TEAMS, 0))
    fits = [each for each in found if each.shared <= _SHARED]
    cost = {each: each.tiles(height, width) * each.TOGETHER for each in fits}
    return min(fits, key=lambda each: (cost[each], -each.span))


def lines_of(images: int, height: int, width: int, depth: int, blocks: int) -> Lines | None:
    """Return the division of few results of images that takes the least time; None for none."""
    found = []
    for pitch in {-(-width // across) + 2 for across in range(1, width + 1)}:
        for rows in range(1, height + 1):
            tall = -(-(rows * pitch - 2) // 64)
            if tall > 4:
                break
            plane = -(-(2 * pitch + 2 + 64 * tall) // 8) * 8
            found += [Lines(pitch, rows, tall, plane, teams, depth) for teams in (1, 2)]
    fits = [each for each in found if each.shared <= _SHARED]
    return min(fits, key=lambda each: each.time(images, height, width, blocks), default=None)


class Neighbors(Run):
    """Computes a convolution by filters of 3x3 with steps of one, as plans do.

    It is one of images of 64 channels by `neighbors` in images.cu, or one with few results by
    `few_results`.
    """

    def __init__(
        self, specs: Mapping[str, Spec], form: Planes | Lines, corner: Sequence[int],
        activation: Activation | None,
    ) -> None:  # fmt: skip
        """Begin to compile the kernel.

        Args:
            specs: what x, w, bias, residual and y are; bias and residual may be absent, and few
                results have no residual.
            form: its constants.
            corner: the padding in front of each axis.
            activation: a word and its number.
        """
        x, y = specs["x"], specs["y"]
        assert x.device is not None
        self._shape = y.shape
        word, number = activation or (None, None)
        kernel, columns = "few_results", _RESULTS
        if isinstance(form, Planes):
            kernel, columns = "neighbors", _CHANNELS
            form = form._replace(ADDED=int("residual" in specs))
        macros = [f"{name}={value}" for name, value in form._asdict().items()]
        source = prepare(x.device, "images.cu", getattr(torch, x.dtype), word, *macros)
        blocks = torch.cuda.get_device_properties(x.device).multi_processor_count
        slices, tiles = y.shape[1] // columns, x.shape[0] * form.tiles(*y.shape[2:])
        grid = min(-(-blocks // slices), -(-tiles // form.TEAMS)), slices, 1
        self._kernel = Kernel(source, grid, form.shared, 1, _THREADS * form.TEAMS, kernel)
        self._has = "bias" in specs, "residual" in specs
        self._sizes = x.shape[0], y.shape[1], *x.shape[2:], *y.shape[2:], *corner, number or 0.0

    def __call__(self, x: Tensor, w: Tensor, *others: Tensor) -> Tensor:
        """Return the result, in the last of the arrays if that is for it."""
        rest = list(others)
        bias = rest.pop(0) if self._has[0] else None  # which is read number by number
        residual = aligned(rest.pop(0)) if self._has[1] else None
        y = rest[0] if rest else empty(x, self._shape, True)
        weight = aligned(w)
        overlaps = self.overlaps and weight is w
        given = x, weight, bias, residual, y
        addresses = [0 if each is None else each.data_ptr() for each in given]
        steps = *steps_of(x), *steps_of(residual), *steps_of(y)
        self._kernel(_CONVOLUTION.pack(*addresses, *steps, *self._sizes, overlaps), overlaps)
        return y


def find(
    specs: Mapping[str, Spec], padding: Sequence[int | tuple[int, int]], stride: Sequence[int],
    dilation: Sequence[int], activation: Activation | None,
) -> FewChannels | Neighbors | None:  # fmt: skip
    """Return what computes a convolution of few channels, or of 64; None where it cannot.

    Args:
        specs: what x, w, bias, residual, y and the pooled y are, of which x, w and y are there.
            Windows of pooling are `patterns.HALVING`.
        padding: in front of each axis, or pairs.
        stride: along each axis.
        dilation: along each axis.
        activation: a word and its number.
    """
    x, w, y = specs["x"], specs["w"], specs["y"]
    if len(x.shape) != 4 or not _takes(specs) or {*dilation} != {1}:
        return None
    if (activation and activation[0]) not in NUMBERS:
        return None
    corner = [each[0] if isinstance(each, tuple) else each for each in padding]
    if x.shape[1] >= _CHANNELS:
        return _find_neighbors(specs, corner, stride, activation)
    if "residual" in specs:
        return None
    channels, width = x.shape[1], y.shape[3]
    lead = corner[1] % 2 if stride[1] == 2 else 0  # so that units begin at even pixels
    even = not any(each % 2 for each in (
        (corner[1] + lead) * channels, stride[1] * channels, x.strides[2], x.strides[0],
        x.alignment // 2,
    ))  # fmt: skip
    pixels = min(_PIXELS, key=lambda each: (-(-width // each) * each, -each))
    given = dict(specs)
    if width > pixels:  # windows have results of two blocks
        given.pop("pooled", None)
    pools = "pooled" in given
    constants = Constants(
        channels, w.shape[2], w.shape[3], stride[0], stride[1], lead, int(even), pixels, int(pools),
        int(width == pixels), min(8, y.shape[1] // 8),
    )  # fmt: skip
    if not constants.fits:
        return None
    made = FewChannels(given, constants, corner, activation)
    return made if made.may_run() else None


def _find_neighbors(
    specs: Mapping[str, Spec], corner: Sequence[int], stride: Sequence[int],
    activation: Activation | None,
) -> Neighbors | None:  # fmt: skip
    """Return what computes a convolution of many channels; None where plans are faster (H200)."""
    x, w, y = specs["x"], specs["w"], specs["y"]
    if {*stride} != {1} or tuple(w.shape[2:]) != (3, 3):
        return None
    images, (height, width) = x.shape[0], y.shape[2:]
    form: Planes | Lines | None = None
    if w.shape[0] == _RESULTS and w.shape[1] in _DEPTHS and "residual" not in specs:
        assert x.device is not None
        blocks = torch.cuda.get_device_properties(x.device).multi_processor_count
        form = lines_of(images, height, width, x.shape[1], blocks)
    elif w.shape[0] == w.shape[1] == _CHANNELS:
        planes = planes_of(height, width)
        tiles = planes.tiles(height, width)
        if images * tiles >= _LEAST and height * width >= _USED * tiles * planes.TOGETHER:
            form = planes
    made = None if form is None else Neighbors(specs, form, corner, activation)
    return made if made is not None and made.may_run() else None


def _takes(specs: Mapping[str, Spec]) -> bool:
    """Return whether a kernel reads and writes such arrays."""
    x, w, y = specs["x"], specs["w"], specs["y"]
    residual = specs.get("residual", y)
    if residual.shape != y.shape or residual.dtype != y.dtype or residual.alignment % 16:
        return False
    dtype = getattr(torch, x.dtype)
    if dtype not in NARROW or w.dtype != x.dtype or not is_available(dtype, x.device, 9):
        return False
    if torch.cuda.get_device_capability(x.device) != (9, 0) or not all(x.shape + y.shape):
        return False
    count = w.shape[1] * w.shape[2] * w.shape[3]
    is_many = x.shape[1] % _CHANNELS == 0
    images = (y, residual, x) if is_many else (y, residual)
    apart = [
        each
        for image in images
        for size, each in zip(image.shape, image.strides, strict=True)
        if size > 1 and each != 1
    ]
    is_few = x.shape[1] <= 4 and x.strides[3] == x.shape[1]
    return (
        x.shape[1] == w.shape[1]
        and (is_few or (is_many and x.alignment % 16 == 0))
        and (x.shape[1] == 1 or x.strides[1] == w.strides[1] == 1)
        and w.strides[0] == count
        and y.strides[1] == residual.strides[1] == 1
        and y.alignment % 16 == 0
        and not any(each % 8 for each in (y.shape[1], *apart))
        and x.shape[0] * y.shape[2] * y.shape[3] < 1 << 31
        and x.shape[2] * x.shape[3] * 4 < 1 << 31
    )
