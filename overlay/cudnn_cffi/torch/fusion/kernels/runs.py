"""Computations of parts by one kernel: products of few rows, or of many pixels, and norms."""

from __future__ import annotations

import copy
import struct
from collections.abc import Mapping, Sequence
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import Tensor

from .... import driver
from ...autograd.layouts import empty
from .activations import NUMBERS
from .functions import (
    KINDS,
    THREADS,
    Kernel,
    Run,
    aligned,
    is_available,
    prepare,
    rows_of,
)

if TYPE_CHECKING:
    from .... import ops
    from ..trace.words import Activation

#: The layout of `Product` in rows.cu.
_PRODUCT = struct.Struct("5Q4q4if4x")

#: The layout of `Pixels` in images.cu.
_PIXELS = struct.Struct("8Q5qi2fi")

#: The layout of what `Windows` has after it.
_WINDOWS = struct.Struct("3q12i")

#: The layout of `Rows` in rows.cu.
_NORM = struct.Struct("4Q2ifi")

#: Columns of a tile of what is summed, as in rows.cu.
_DEPTH = 64

#: Maximum bytes that blocks of a product read, from which on cuBLAS, whose blocks share what they
#: read, is faster (H200); and minimum columns of which sums are divided.
_MOST, _LONG = 20 << 20, 1024

#: Maximum depth of products of pixels, and of the depths of all blocks, from which on cuDNN's
#: engines are faster (H200).
_DEEP, _WORK = 512, 65536


#: Bytes of shared memory of a block beside which a multiprocessor has no room for another such one,
#: so that blocks that are placed while others end are spread over all multiprocessors.
_ALONE = 114 << 10


class Tile(NamedTuple):
    """Division of a product: rows and columns of a block, tiles ahead, parts of a sum.

    It is for instructions of 64 rows, which compute capability 9.0 has, if it is wide. Then blocks
    write their parts of a sum to the memory of those that add them. The 64 rows are those of x, or
    of w if it is turned. A block has groups of four warps.
    """

    rows: int
    columns: int
    ahead: int
    parts: int
    wide: bool = False
    turned: bool = False
    groups: int = 1

    @property
    def together(self) -> int:
        """Return the number of tiles that a block multiplies at a time, one for each group."""
        tall = self.columns if self.turned else self.rows
        return self.groups if tall % (64 * self.groups) else 1

    @property
    def shared(self) -> int:
        """Return the memory of a block in bytes."""
        rows, columns = self.rows, self.columns
        ring, sums = (rows + columns) * 128 * self.ahead, rows * (columns + 4) * 4
        ring, sums = ring * self.together, sums * self.together
        return ring + sums + 8 if self.wide and self.parts > 1 else max(ring, sums)


class Window(NamedTuple):
    """The window of a convolution: strides, padding before images, and dilation of both axes."""

    stride: Sequence[int]
    padding: Sequence[int]
    dilation: Sequence[int]

    def is_point(self, filters: Sequence[int]) -> bool:
        """Return whether a result depends on one pixel, at its own place."""
        return {*filters[2:], *self.stride} == {1} and not any(self.padding)


class Product(Run):
    """Computes activation(x w^T + bias) + residual of images, as plans of products do."""

    def __init__(
        self, specs: Mapping[str, ops.Spec], tile: Tile, activation: Activation | None,
        ordinal: int, last: bool = False, window: Window | None = None,
    ) -> None:  # fmt: skip
        """Begin to compile the kernel.

        Args:
            specs: what x, w, bias, residual and y are; bias and residual may be absent.
            tile: how it is divided.
            activation: a word of `NUMBERS` and its number, or None.
            ordinal: the device.
            last: whether the activation is that of the sum with the residual.
            window: of a convolution, whose tile is wide; None for filters of one element.
        """
        x, self._shape = specs["x"], specs["y"].shape
        self._columns, *extents = specs["w"].shape
        self._depth = prod(extents)
        self._rows = prod(self._shape) // self._columns
        self._has = "bias" in specs, "residual" in specs
        word, number = activation or (None, None)
        self._number = number or 0.0
        numbers = [*tile[:4], NUMBERS[word], int(last)]
        function, struct_ = "product", "Product"
        if tile.wide:
            function = "wide_product"
            tiles = -(-self._depth // (_DEPTH * tile.together))
            numbers.append(-(-tiles // tile.parts) <= tile.ahead)
            if window is None:
                numbers.append(tile.turned)
        self._window: tuple[int, ...] = ()
        if window is not None:
            function, struct_ = "windows", "Windows"
            self._window = (
                *x.shape[2:], *self._shape[2:], x.shape[1], extents[2],
                *window.stride, *window.padding, *window.dilation,
            )  # fmt: skip
        given = ", ".join(str(int(each)) for each in numbers)
        text = f"KERNEL({struct_}, ({function}<{given}>))"
        blocks = -(-self._columns // tile.columns), -(-self._rows // tile.rows), tile.parts
        threads, shared = THREADS * tile.groups, tile.shared
        if tile.wide and prod(blocks) <= driver.attribute(ordinal, driver.MULTIPROCESSORS):
            shared = max(shared, _ALONE)
        source = rows_of(ordinal, KINDS[x.dtype], text, threads=threads)
        self._kernel = Kernel(source, blocks, shared, tile.parts, threads)
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
        arguments = _PRODUCT.pack(*addresses, *self._steps, *sizes)
        if self._window:
            steps = x.stride(0), x.stride(2), x.stride(3)
            arguments += _WINDOWS.pack(*steps, *self._window)
        self._kernel(arguments, overlaps)
        return y


class Form(NamedTuple):
    """The constants of `pixels` in images.cu: whether there is an addition, and what follows."""

    DEPTH: int
    COLUMNS: int
    TEAMS: int
    STAGES: int
    ADDED: int
    NEXT: int = 0
    NEXT_WORD: int = 0

    @property
    def shared(self) -> int:
        """Return the memory of a block in bytes."""
        ring = self.TEAMS * self.STAGES * _TILE * (self.DEPTH + self.COLUMNS)
        numbers = ring + self.COLUMNS * (self.DEPTH + self.NEXT)
        return 1024 + 2 * numbers + 4 * (self.COLUMNS + self.NEXT)

    def followed_by(self, columns: int, word: str | None) -> Form | None:
        """Return the constants with a product after it, of these columns and this activation."""
        teams, stages = _RINGS.get(columns, (0, 0))
        made = self._replace(
            TEAMS=teams, STAGES=stages, NEXT=columns, NEXT_WORD=NUMBERS[word]
        )  # fmt: skip
        return made if teams and made.shared <= _SHARED else None


#: Pixels of a tile of `pixels`, threads that compute one, and bytes of memory of a block.
_TILE, _TEAM, _SHARED = 64, 128, 227 << 10

#: Teams and stages of products that another follows, by its columns, the fastest (H200).
_RINGS = {64: (2, 2), 128: (3, 1)}

#: Pixels from which on that kernel is faster than plans (H200).
_MANY = 1 << 15


class Pixels(Run):
    """Computes activation(x w^T + bias + residual) of many pixels, as plans of convolutions do."""

    def __init__(
        self, specs: Mapping[str, ops.Spec], form: Form, activation: Activation | None,
        ordinal: int, number: float = 0.0,
    ) -> None:  # fmt: skip
        """Describe the kernel, which is compiled from `begin` on.

        Args:
            specs: what x, w, bias, residual and y are; bias and residual may be absent.
            form: its constants.
            activation: a word of `NUMBERS` and its number, or None.
            ordinal: the device.
            number: of the activation of the product that follows.
        """
        self._specs, self._form, self._activation = specs, form, activation
        self._ordinal, self._shape = ordinal, specs["y"].shape
        columns = specs["w"].shape[0]
        self._has = "bias" in specs, "residual" in specs
        self._next: tuple[Tensor, Tensor | None] | None = None
        word, own = activation or (None, None)
        macros = [f"{name}={value}" for name, value in form._asdict().items()]
        dtype = KINDS[specs["x"].dtype]
        source = prepare(ordinal, "images.cu", dtype, word, *macros, begins=False)
        slices, rows = columns // form.COLUMNS, prod(self._shape) // columns
        blocks = torch.cuda.get_device_properties(ordinal).multi_processor_count
        most = -(-rows // (_TILE * form.TEAMS))  # of a slice
        grid = min(max(1, blocks // slices), most) * slices, 1, 1
        self._kernel = Kernel(source, grid, form.shared, 1, _TEAM * form.TEAMS, "pixels")
        steps = [row_step(specs[e]) if e in specs else 0 for e in ("x", "residual", "y")]
        self._sizes = *steps, form.NEXT, rows, columns, own or 0.0, number

    def begin(self) -> None:
        self._kernel.begin()

    def followed_by(
        self, specs: Mapping[str, ops.Spec], activation: Activation | None
    ) -> Pixels | None:
        word, number = activation or (None, None)
        columns, depth = specs["w"].shape[:2]
        if word not in NUMBERS or depth != self._form.COLUMNS or self._form.NEXT:
            return None
        if len({each.dtype for each in (*specs.values(), *self._specs.values())}) > 1:
            return None
        form = self._form.followed_by(columns, word)
        if form is None:
            return None
        given = self._specs, form, self._activation, self._ordinal, number or 0.0
        made = Pixels(*given)
        return made if made.may_run() else None

    def bound(self, weight: Tensor, bias: Tensor | None) -> Pixels:
        made = copy.copy(self)
        made._next = weight, bias
        return made

    def __call__(self, x: Tensor, w: Tensor, *others: Tensor) -> Any:
        """Return the result, in the last of the arrays if that is for it, and what follows."""
        rest = list(others)
        bias = rest.pop(0) if self._has[0] else None
        residual = aligned(rest.pop(0)) if self._has[1] else None
        y = rest[0] if rest else empty(x, self._shape, True)
        weight, z, other = aligned(w), None, None
        overlaps = self.overlaps and weight is w
        given = [x, weight, bias, residual, y]
        if self._next is not None:
            other = aligned(self._next[0])
            overlaps = overlaps and other is self._next[0]
            z = empty(x, (self._shape[0], other.shape[0], *self._shape[2:]), True)
            given += [other, self._next[1], z]
        addresses = [0 if each is None else each.data_ptr() for each in given]
        addresses += [0] * (8 - len(addresses))
        self._kernel(_PIXELS.pack(*addresses, *self._sizes, overlaps), overlaps)
        return y if z is None else (y, z)


#: Columns, teams and stages by channels of x and whether there is an addition, the fastest (H200).
_FORMS = {
    (64, True): (256, 2, 2), (128, True): (128, 2, 2), (64, False): (128, 4, 2),
    (256, True): (128, 3, 1), (256, False): (128, 3, 1),
}  # fmt: skip


def pixels_form(rows: int, columns: int, depth: int, added: bool) -> Form | None:
    """Return the constants for products of many pixels; None where plans are faster (H200)."""
    known = _FORMS.get((depth, added))
    if known is None or rows < _MANY or columns % known[0]:
        return None
    return Form(depth, *known, int(added))


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
    specs: Mapping[str, ops.Spec], activation: Activation | None, window: Window | None = None
) -> Product | Pixels | None:
    """Return what computes a product; None where plans are faster, or it cannot.

    Args:
        specs: what x, w, bias, residual and y are; bias and residual may be absent.
        activation: a word and its number.
        window: of a convolution, whose activation is that of the sum with the residual; None for
            linear layers.
    """
    w, device = specs["w"], specs["w"].device
    columns, depth = w.shape[0], prod(w.shape[1:])
    rows = prod(specs["y"].shape) // max(1, columns)
    word = activation and activation[0]
    if len({each.dtype for each in specs.values()}) > 1:
        return None  # the kernel reads all of them as numbers of one type
    if columns % 8 or word not in NUMBERS or not rows:
        return None
    if w.dtype == "float32" or device is None or not is_available(KINDS.get(w.dtype), device, 9):
        return None
    images = [specs[name] for name in ("x", "residual", "y") if name in specs]
    if any(row_step(each) % 8 or each.alignment % 16 or not row_step(each) for each in images):
        return None
    tile = form = None
    if torch.cuda.get_device_capability(device) == (9, 0):
        tile = wide_tile(rows, columns, depth, window is not None)
        form = pixels_form(rows, columns, depth, "residual" in specs)
    same = specs["x"].shape[2:] == specs["y"].shape[2:]
    is_point = window is None or (same and window.is_point(w.shape))
    if not is_point and len(w.shape) != 4:
        return None
    if window is not None and is_point and form is not None:
        found = Pixels(specs, form, activation, device)
        return found if found.may_run() else None
    if tile is None and is_point:
        tile = _narrow_tile(specs, rows, word, window is not None)
    if tile is None or w.shape[1] % (8 if is_point else _DEPTH):
        return None
    made = Product(
        specs, tile, activation, device, window is not None, None if is_point else window
    )
    return made if made.may_run() else None


def _narrow_tile(
    specs: Mapping[str, ops.Spec], rows: int, word: str | None, pixels: bool
) -> Tile | None:
    """Return the division of a product of few numbers; None where plans are faster.

    It is faster with an activation, which takes a kernel of its own after a plan, and with an
    addition where few blocks would sum many columns.
    """
    columns, depth = specs["w"].shape[:2]
    is_long = depth >= _LONG
    if not pixels and (is_long == (word is not None) or (is_long and "residual" not in specs)):
        return None
    tile = _small_tile(rows, columns) if pixels else tile_of(rows, depth)
    blocks = -(-rows // tile.rows) * -(-columns // tile.columns)
    if pixels and (depth > _DEEP or blocks * depth > _WORK):
        return None
    return None if blocks * (tile.rows + tile.columns) * depth * 2 > _MOST else tile


def _small_tile(rows: int, columns: int) -> Tile:
    """Return the division for pixels that was the fastest on an H200."""
    small = Tile(32, 32, 8, 1)
    is_small = -(-rows // small.rows) * -(-columns // small.columns) <= 512
    return small if is_small else Tile(64, 64, 4, 1)


#: Maximum number of rows of products by instructions of 64 rows, and of weights, from which on
#: plans are faster; and minimum number of columns that convolutions sum (H200).
_FEW, _LARGE, _SUMMED = 256, 1 << 22, 1024

#: Blocks of a product that are there at once: one for each multiprocessor of an H200.
_AT_ONCE = 132


def wide_tile(rows: int, columns: int, depth: int, convolution: bool) -> Tile | None:
    """Return the division by instructions of 64 rows that was the fastest; None for none (H200)."""
    if convolution:
        if rows > _FEW or depth < _SUMMED:
            return None
        return Tile(64, 48, 8, 8, True) if rows <= 64 else Tile(64, 96, 4, 8, True)
    if rows > _FEW or columns * depth > _LARGE:
        return None
    if rows <= 64:
        below = 1 if rows <= 32 else 2
        blocks = -(-columns // 64) * below
        parts = next((n for n in (4, 2) if depth >= 256 * n and blocks * n <= 192), 1)
        return Tile(max(24, _by_eight(-(-rows // below))), 64, 8, parts, True, True)
    # All blocks are there at once, so there is a most for the number of those below each other.
    parts, width = (4, 128) if depth >= 2 * columns else (1, 64)
    most = _AT_ONCE // (-(-columns // width) * parts)
    height = max(24, _by_eight(-(-rows // max(1, most))))
    if most and height <= 72:
        return Tile(height, width, 7 if parts > 1 else 6, parts, True, True, 2)
    return Tile(64, 48, 7, 1, True)


def _by_eight(rows: int) -> int:
    """Return the next multiple of eight."""
    return -(-rows // 8) * 8


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
        self._kernel = Kernel(rows_of(x.device, KINDS[x.dtype], text), (blocks, 1, 1))

    def __call__(self, x: Tensor, w: Tensor, *others: Tensor) -> Tensor:
        """Return the result, in the last of the arrays if that is for it."""
        rest = list(others)
        weights = [w, rest.pop(0)] if self._has_bias else [w]
        y = rest[0] if rest else torch.empty_like(x)
        made = [aligned(each) for each in weights]
        # Copies are not there before the kernel before it ends.
        early = self.overlaps and all(a is b for a, b in zip(made, weights, strict=True))
        addresses = [each.data_ptr() for each in (x, *made)] + [0] * (not self._has_bias)
        addresses.append(y.data_ptr())
        sizes = self._rows, self._columns, self._epsilon, early
        self._kernel(_NORM.pack(*addresses, *sizes), self.overlaps)
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
