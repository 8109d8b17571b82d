"""Reductions over axes of an array, which are computed in float32 at least, and rounded once."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence

from .. import driver
from .._support.results import NamedTuple
from ..arrays import itemsize
from .common import TYPES, module_of
from .launching import Launch, kernel_of

#: The numbers of reductions in the source.
WORDS = {
    "ADD": 0, "AVG": 0, "NORM1": 1, "NORM2": 2, "MUL": 3, "MUL_NO_ZEROS": 4, "MAX": 5, "AMAX": 6,
    "MIN": 7,
}  # fmt: skip

#: Threads of a block, and blocks of a multiprocessor.
_THREADS, _RESIDENT = 256, 3

#: Pieces that a thread reads at once, which is a turn; how many turns a block takes besides, a
#: second launch, and memory for a turn of all threads. They were measured on an H200.
_AT_ONCE, _BESIDES, _SECOND, _MEMORY = 4, 2, 3, 2.5

#: Bytes of a piece and of what memory reads at once, the maximum of pieces of a row that a block
#: reads, and of blocks along an axis.
_PIECE, _SECTORS, _ACROSS, _MOST = 16, 256, 32, 65535

#: Elements of a result that are counted in 32 bits.
_FEW = (1 << 31) - (1 << 20)


class Axis(NamedTuple):
    """Axes of an array that are gone through as one.

    Attributes:
        extent: the number of elements.
        stride: in elements of the array.
        result: the stride of the result, if they are kept.
    """

    extent: int
    stride: int
    result: int


_ONE = Axis(1, 0, 0)


class Axes(NamedTuple):
    """The axes of a reduction, outer ones first: two that are kept, two that are not.

    Attributes:
        kept: axes of the result.
        reduced: axes that are reduced.
        late: whether the first one that is kept is reduced, too, by a second launch.
    """

    kept: tuple[Axis, Axis]
    reduced: tuple[Axis, Axis]
    late: bool = False

    @property
    def reach(self) -> int:
        """Return how many elements the array spans."""
        return sum((each.extent - 1) * each.stride for each in (*self.kept, *self.reduced)) + 1


def axes_of(
    shape: Sequence[int], strides: Sequence[int], full: Sequence[int], result: Sequence[int]
) -> Axes | None:
    """Return the axes of a reduction; None where there are more than kernels take.

    Args:
        shape, strides: of the array, in elements.
        full: the shape of the result, with 1 for axes that are reduced.
        result: the strides of the result.
    """
    kept: list[Axis] = []
    reduced: list[Axis] = []
    for extent, left, *steps in sorted(
        zip(shape, full, strides, result, strict=True), key=lambda each: -each[2]
    ):
        if extent == 1:
            continue
        own, axis = (
            (kept, Axis(extent, *steps)) if left > 1 else (reduced, Axis(extent, steps[0], 0))
        )
        if own and own[-1][1:] == (extent * axis.stride, extent * axis.result):
            axis = axis._replace(extent=extent * own.pop().extent)
        own.append(axis)
    late = len(reduced) == 3 and len(kept) < 2
    if late:
        kept = [reduced.pop(0), *([_ONE] * (1 - len(kept))), *kept]
    if max(len(kept), len(reduced)) > 2:
        return None
    first, second = [(*[_ONE] * (2 - len(own)), *own) for own in (kept, reduced)]
    return Axes((first[0], first[1]), (second[0], second[1]), late)


class Shape(NamedTuple):
    """The shape of the launches of a reduction.

    Attributes:
        side: how many columns a thread reads at once; 0 if threads go along reduced axes.
        folds: how many columns side by side belong to one result.
        team: threads of a result, or of a row of columns.
        blocks: along the results.
        parts: into which what makes a result is divided among blocks.
        axes: of the launch.
    """

    side: int
    folds: int
    team: int
    blocks: int
    parts: int
    axes: Axes


def shape_of(axes: Axes, size: int, processors: int) -> Shape:
    """Return how a reduction is launched.

    Args:
        axes: of the array.
        size: the bytes of an element.
        processors: the multiprocessors of the device.
    """
    (outer, inner), (far, near), late = axes
    count, each = outer.extent * inner.extent, far.extent * near.extent
    width, wanted = _PIECE // size, processors * _RESIDENT
    memory = _MEMORY * count * each / (wanted * _THREADS * _AT_ONCE * width)
    found: list[tuple[float, float, int, int, int]] = []

    def judge(team: int, blocks: int, steps: int, threads: int, is_short: bool) -> None:
        cost, parts = _divided(blocks, steps, threads, wanted)
        # Short pieces of rows are read in whole sectors.
        wasted = max(1, _SECTORS / (team * (side or width) * size)) if is_short else 1
        busy = math.sqrt(min(1, 1.1 * blocks * parts / wanted))
        found.append((max(cost, memory * wasted / busy), cost, -team, blocks, parts))

    if inner.extent == 1 or near.stride <= inner.stride:
        side, row = 0, -(-near.extent // width)
        for team in _powers(_THREADS):
            blocks = -(-count // (_THREADS // team))
            judge(team, blocks, far.extent * row, team, row > 2 * _AT_ONCE * team)
        *_, team, blocks, parts = min(found)
        return Shape(side, 1, -team, min(blocks, _MOST), parts, axes)
    folds = 1
    if outer.extent == far.extent == inner.stride == 1 and near.stride == inner.extent:
        # Rows that are shorter than pieces are read together.
        together = width // math.gcd(width, inner.extent)
        if near.extent % together == 0 and near.extent > together:
            folds = together
        near = Axis(near.extent // folds, near.stride * folds, 0)
    side = width if inner.stride == 1 else 1
    for axis in (outer, far, near):
        if axis.extent > 1:
            side = math.gcd(side, axis.stride)
    across, lines = -(-inner.extent * folds // side), far.extent * near.extent
    for team in _powers(_ACROSS):
        blocks = outer.extent * -(-across // team)
        judge(team, blocks, lines, _THREADS // team, across > team)
    *_, team, blocks, parts = min(found)
    return Shape(side, folds, -team, min(blocks, _MOST), parts, Axes(axes.kept, (far, near), late))


def _powers(most: int) -> list[int]:
    return [1 << each for each in range(most.bit_length())]


def _divided(blocks: int, steps: int, threads: int, wanted: int) -> tuple[float, int]:
    """Return how many turns of reading a reduction takes, and into how many parts it is divided.

    Args:
        blocks: how many there are for undivided results.
        steps: of a result.
        threads: that divide these.
        wanted: how many blocks the device has at the same time.
    """
    turns = -(-steps // (threads * _AT_ONCE))
    parts = max(1, min(wanted // blocks, turns, _MOST))
    whole = -(-blocks // wanted) * (turns + _BESIDES)
    divided = -(-turns // parts) + _BESIDES + _SECOND + parts / 128
    return (divided, parts) if parts > 1 and divided < whole else (whole, 1)


class Reduce:
    """A reduction of an array, by a launch or by two; for steps of a call.

    Attributes:
        launches: of kernels.
        workspace_size: of what is between them, in bytes.
    """

    def __init__(
        self, word: str, axes: Axes, dtype: str, result: str, *, alpha: float = 1.0,
        beta: float = 0.0, nan: bool = True, device: int = 0,
    ) -> None:  # fmt: skip
        """Compile the kernels.

        Args:
            word: of `WORDS`; a mean is divided here.
            axes: of the array and of the result.
            dtype: of the array, one of `TYPES`; doubles are added as doubles, all else in float32.
            result: the type of the result, one of `TYPES` that is not narrower.
            alpha, beta: the result becomes alpha * reduction + beta * what was there.
            nan: whether extremes of NaN and numbers are NaN; else the NaN do not count.
            device: its ordinal.

        Raises:
            NotSupportedError: there is no compiler, or it does not know the device.
        """
        processors = driver.attribute(device, driver.MULTIPROCESSORS)
        self._shape = shape = shape_of(axes, itemsize(dtype), processors)
        (outer, inner), reduced, late = axes
        each, more = math.prod(axis.extent for axis in reduced), outer.extent if late else 1
        index = "int" if max(each, more) < _FEW else "long long"
        module = module_of(
            "reduce.cu", device, f"-DTYPE={TYPES[dtype]}", f"-DRESULT={TYPES[result]}",
            f"-DHOW={WORDS[word]}", f"-DSIDE={shape.side}", f"-DTHREADS={_THREADS}",
            f"-DBLOCKS={_RESIDENT}", f"-DNAN_WINS={int(nan)}",
            f"-DINDEX={index}", least=(7, 0),
        )  # fmt: skip
        if word == "AVG":
            alpha /= each * more
        self._scale = alpha, beta
        slots = shape.parts * shape.folds
        self._after: Shape | None = None
        self.workspace_size = 0
        kernel = kernel_of(module, "columns" if shape.side else "rows", device)
        self.launches = [Launch(kernel, device, (shape.blocks, shape.parts, 1), _THREADS)]
        if slots > 1 or late:
            own = inner._replace(stride=slots)
            above = outer._replace(stride=inner.extent * slots)
            kept_axes = (_ONE, own) if late else (above, own)
            after = Axes(kept_axes, (above if late else _ONE, Axis(slots, 1, 0)))
            width = 8 if dtype == "float64" else 4
            self.workspace_size = width * outer.extent * inner.extent * slots
            self._after = shape_of(after, width, processors)._replace(parts=1)
            kernel = kernel_of(module, "finish", device)
            self.launches.append(Launch(kernel, device, (self._after.blocks, 1, 1), _THREADS))

    def words(self, x: str, y: str, parts: str) -> list[tuple[str | int, ...]]:
        """Return the argument of each launch, in words of 64 bits.

        Args:
            x, y: stand for the addresses of the array and of the result.
            parts: stands for that of the workspace, if there is any.
        """
        if self._after is None:
            return [(x, y, 0, *_numbers(self._shape, *self._scale))]
        return [
            (x, 0, parts, *_numbers(self._shape, 1.0, 0.0)),
            (parts, y, 0, *_numbers(self._after, *self._scale)),
        ]


def _numbers(shape: Shape, alpha: float, beta: float) -> list[int]:
    """Return the words of an argument after its addresses."""
    kept, reduced, _ = shape.axes
    width = _PIECE // 2
    even = all(each.stride % width == 0 for each in (*kept, reduced[0]) if each.extent > 1)
    found = [each.extent for each in (*kept, *reduced)]
    found += [each.stride for each in (*kept, *reduced)]
    found += [each.result for each in kept]
    return [
        *found, shape.axes.reach, shape.parts, shape.folds, shape.team | int(even) << 32,
        *struct.unpack("2Q", struct.pack("2d", alpha, beta)),
    ]  # fmt: skip
