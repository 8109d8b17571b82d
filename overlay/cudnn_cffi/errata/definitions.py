"""Facts of graphs that conditions of errata are made of, in Python.

The compiled layer finds the same (`native/facts.c`); these are read where it is not there, and for
descriptors that it does not know.
"""

from __future__ import annotations

import math
from functools import cached_property

from .facts import OPERANDS, RESULTS, Operations, child, makers_of, mode_of, read, size_of
from .record import ALIGNMENT, BEYOND_32_BITS, MAXIMUM_OF_GRID

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .._backend import Descriptor

#: Columns of a product that a block of engine 1 computes, and elements of a tile of its operands.
_TILE_OF_COLUMNS, _TILE = 128, 64

#: Maximum of elements of a row of pointwise operations: 8 in each block of a grid.
MAXIMUM_OF_COLUMNS = 8 * MAXIMUM_OF_GRID

#: Maximum of channels with which engine 80 of convolutions could always be launched, of those of
#: volumes for which engine 62 is slower than engine 22, and the bytes of those of a pixel that
#: engine 72 turns into channels last at a time.
_CHANNELS, _NARROW, _TURNED = 8192, 32, 128

#: Results of a channel that a block of engine 3 of pooling computes, and images that one of means
#: does.
_TILE_OF_POOLING, _IMAGES = 256, 32

#: Maximum of contiguous elements that engine 1 of reductions makes one, and of those that it adds
#: in a single block: several add to 128, and to 45 that do not lie side by side. The order of two
#: does not matter.
_LONGEST, _FEW, _TWO = 1 << 22, 64, 2

#: An upper clip that no number reaches.
_NO_CEILING = 1e30

#: The first operations of attention, among which a bias is added.
_EARLY = 5


class Tensor:
    """A tensor: what was set of it, or else what cuDNN tells."""

    def __init__(self, descriptor: Descriptor) -> None:
        self.descriptor = descriptor
        self.shape, self.strides = read(descriptor, "dimensions"), read(descriptor, "strides")
        if len(self.shape) == 1:
            self.shape, self.strides = (*self.shape, 1), (*self.strides, 1)

    @cached_property
    def size(self) -> int:
        """The bytes of an element."""
        return size_of(read(self.descriptor, "data_type"))

    @property
    def alignment(self) -> int:
        """The bytes of whose multiples the address is one."""
        found: int | None = read(self.descriptor, "byte_alignment")
        return ALIGNMENT if found is None else found

    def is_odd(self, step: int, multiple: int = ALIGNMENT) -> bool:
        """Return whether a step of elements is not a multiple of a number of bytes."""
        return bool(step * self.size % multiple)

    def repeats(self, last: int = 0) -> bool:
        """Return whether elements are repeated along one of the last axes; 0 for all axes."""
        axes = zip(self.shape[-last:], self.strides[-last:], strict=True)
        return any(extent > 1 and not stride for extent, stride in axes)

    @property
    def is_loose(self) -> bool:
        """Whether elements of others lie between its own."""
        axes = zip(self.shape, self.strides, strict=True)
        return bool(sum((n - 1) * step for n, step in axes) >= math.prod(self.shape))

    @property
    def outer(self) -> tuple[int, ...]:
        """The extents of batches of matrices."""
        return self.shape[:-2]

    @property
    def is_inside(self) -> bool:
        """Whether matrices of a batch lie within each other."""
        axes = [(n, n * step) for n, step in zip(self.shape[-2:], self.strides[-2:], strict=True)]
        longest = max(length if n > 1 else 0 for n, length in axes)
        steps = zip(self.outer, self.strides, strict=False)
        return any(n > 1 and step < longest for n, step in steps)

    @property
    def pixels(self) -> int:
        """The number of pixels of an image."""
        return math.prod(self.shape[2:])

    @property
    def would_be_beyond(self) -> bool:
        """Whether images would be 2^31 elements if their channels were multiples of 16 bytes."""
        images, channels = self.shape[:2]
        step = max(1, ALIGNMENT // self.size)
        whole = -(-channels // step) * step
        return bool(whole != channels and images * whole * self.pixels >= BEYOND_32_BITS)

    @property
    def has_channels_outside(self) -> bool:
        """Whether the steps of channels are no less than those along an extent of the pixels."""
        axes = zip(self.shape[2:], self.strides[2:], strict=True)
        return self.strides[1] >= min([step for n, step in axes if n > 1], default=math.inf)

    @property
    def is_of_other_order(self) -> bool:
        """Whether neither the channels nor the last extent are innermost."""
        if self.strides[1] == 1 or self.strides[-1] == 1:
            return False
        return bool(max(self.shape[1], self.shape[-1]) > 1)

    def is_packed(self, *, channels_last: bool) -> bool:
        """Return whether there are no gaps in the order of axes, or with the channels last."""
        axes = list(zip(self.shape, self.strides, strict=True))
        if channels_last:
            axes.append(axes.pop(1))
        step = 1
        for extent, stride in reversed(axes):
            if extent > 1 and stride != step:
                return False
            step *= extent
        return True

    @property
    def has_many_tiles(self) -> bool:
        """Whether there are more images than a grid has, of which a block has 256 results.

        Extents count as the next powers of two, which gives the least number of images of a block.
        """
        tile = math.prod([1 << (n - 1).bit_length() for n in self.shape[2:]])
        return bool(self.shape[0] > MAXIMUM_OF_GRID * max(1, _TILE_OF_POOLING // tile))


def _has_rank(rank: int) -> Callable[[Tensor], bool]:
    return lambda t: len(t.shape) == rank


#: Facts of tensors, in the order of `native/facts.h`.
TENSOR: dict[str, Callable[[Tensor], bool]] = {
    # It is a result that stays in an engine; a number; it has several elements.
    "COMPUTED": lambda t: bool(read(t.descriptor, "is_virtual")),
    "NUMBER": lambda t: bool(read(t.descriptor, "is_by_value")),
    "SEVERAL": lambda t: max(t.shape) > 1,
    # It, or a matrix of it, does not begin at a multiple of 16 bytes.
    "LOW": lambda t: t.alignment < ALIGNMENT,
    "LOW_MATRIX": lambda t: (
        t.alignment < ALIGNMENT
        or any(n > 1 and t.is_odd(step) for n, step in zip(t.outer, t.strides, strict=False))
    ),
    # There are gaps; or repeated elements; these are within matrices.
    "LOOSE": lambda t: t.is_loose,
    "GAPS": lambda t: t.is_loose or t.repeats(),
    "REPEATED": lambda t: t.repeats(2),
    # Matrices lie within each other; rows, or columns, begin at no multiples of 16 bytes.
    "INSIDE": lambda t: t.is_inside,
    "ODD_ROWS": lambda t: min(t.shape[-2:]) > 1 and t.is_odd(max(t.strides[-2:])),
    "BY_COLUMNS": lambda t: t.shape[-1] > 1 and t.strides[-1] != 1,
    # Half a tile of 128 columns of scores remains, or whole ones of a single row.
    "TORN_TILES": lambda t: t.shape[-1] % 64 == 0 and (t.shape[-2] == 1 or t.shape[-1] % 128 != 0),
    "TORN_ROWS": lambda t: t.shape[-2] % _TILE != 0,
    "TORN_COLUMNS": lambda t: t.shape[-1] % _TILE != 0,
    "ONE_ROW": lambda t: t.shape[-2] == 1,
    "ONE_COLUMN": lambda t: t.shape[-1] == 1,
    # There are more examples or heads, matrices or tiles of columns, or rows than a grid has.
    "MANY_HEADS": lambda t: max(t.outer, default=0) > MAXIMUM_OF_GRID,
    "MANY_MATRICES": lambda t: (
        math.prod(t.outer) > MAXIMUM_OF_GRID or t.shape[-1] > MAXIMUM_OF_GRID * _TILE_OF_COLUMNS
    ),
    "MANY_ROWS": lambda t: t.shape[0] > MAXIMUM_OF_GRID or t.shape[-1] > MAXIMUM_OF_COLUMNS,
    # Above 2^22 elements; from 2^31 on; or above; or if channels were multiples of 16 bytes.
    "LONG": lambda t: math.prod(t.shape) > _LONGEST,
    "BEYOND": lambda t: math.prod(t.shape) >= BEYOND_32_BITS,
    "ABOVE": lambda t: math.prod(t.shape) > BEYOND_32_BITS,
    "PADDED_BEYOND": lambda t: t.would_be_beyond,
    "MATRICES": _has_rank(3),
    "IMAGE": _has_rank(4),
    "VOLUME": _has_rank(5),
    "PIXEL": lambda t: t.pixels == 1,
    # Pixels of a channel in all images, and channels of a pixel, that are no multiple of 16, 8 or
    # 128 bytes.
    "ODD_PIXELS": lambda t: t.is_odd(t.shape[0] * t.pixels),
    "ODD_CHANNELS": lambda t: t.is_odd(t.shape[1], 8),
    "TORN_CHANNELS": lambda t: t.is_odd(t.shape[1], _TURNED),
    "MANY_CHANNELS": lambda t: t.shape[1] > _CHANNELS,
    "CHANNELS_INSIDE": lambda t: t.strides[1] == 1,
    "CHANNELS_OUTSIDE": lambda t: t.has_channels_outside,
    "OTHER_ORDER": lambda t: t.is_of_other_order,
    # It is packed, row-major or with the channels last.
    "BY_ROWS": lambda t: t.is_packed(channels_last=False),
    "BY_PIXELS": lambda t: t.is_packed(channels_last=True),
    # There are more images than a grid has, than it has for means, or for tiles of pooling.
    "MANY_IMAGES": lambda t: t.shape[0] > MAXIMUM_OF_GRID,
    "MANY_MEANS": lambda t: t.shape[0] > _IMAGES * MAXIMUM_OF_GRID,
    "MANY_TILES": lambda t: t.has_many_tiles,
    # The number of filters is no multiple of 4; it, or that of their channels, of 16 bytes; there
    # are few of few channels.
    "ODD_FILTERS": lambda t: t.shape[0] % 4 != 0,
    "TORN_FILTERS": lambda t: t.is_odd(t.shape[0]) or t.is_odd(t.shape[1]),
    "FEW": lambda t: max(t.shape[:2]) <= _NARROW,
    # Filters of 3x3 and 5x5, images of odd extents above 35, and those of one pixel with at least
    # 6,144 and 12,288 channels.
    "THREES": lambda t: t.shape[2:] == (3, 3),
    "FIVES": lambda t: t.shape[2:] == (5, 5),
    "ODD_IMAGE": lambda t: len(t.shape) == 4 and all(n > 35 and n % 2 for n in t.shape[2:]),
    "WIDE": lambda t: t.shape[2:] == (1, 1) and t.shape[1] >= 6144,
    "WIDER": lambda t: t.shape[2:] == (1, 1) and t.shape[1] >= 12288,
}


class Graph(Operations):
    """A graph's operations, and facts of these."""

    @cached_property
    def product(self) -> int:
        """The place of the first product."""
        return self.structure.places["Matmul"][0]

    def computes(self, port: str, *, in_engine: bool) -> list[Descriptor]:
        """Return the operations that compute an operand of the first product.

        Args:
            port: the operand.
            in_engine: whether results in memory count as read.
        """
        made = makers_of(self)
        waiting = [child(self.given[self.product], port)]
        found: list[Descriptor] = []
        while waiting:
            tensor = waiting.pop()
            if tensor is None or (in_engine and not read(tensor, "is_virtual")):
                continue
            source = made.get(read(tensor, "unique_id"))
            if source is not None and source not in found:
                found.append(source)
                waiting += [child(source, name) for name in OPERANDS]
        return found

    def axes(self, place: int) -> list[tuple[int, int, int]]:
        """Return the extents that a reduction reads and makes of axes that differ, and strides."""
        x, y = (child(self.given[place], name) for name in ("xdesc", "ydesc"))
        if x is None or y is None:
            return []
        given = Tensor(x)
        axes = zip(given.shape, Tensor(y).shape, given.strides, strict=False)
        return [each for each in axes if each[0] != each[1]]

    def is_long_sum(self, place: int) -> bool:
        """Return whether many elements that lie side by side make one result."""
        reduced = [(n, step) for n, made, step in self.axes(place) if made == 1]
        along = min((step for _, step in reduced), default=0)
        return along == 1 and math.prod([n for n, _ in reduced]) > _LONGEST

    def is_sum_of_many(self, place: int) -> bool:
        """Return whether a sum has so many elements that several blocks add to it."""
        axes = self.axes(place)
        most = _FEW if [step for _, _, step in axes] == [1] else _TWO
        return math.prod([n for n, _, _ in axes]) > most

    def has_other_type(self, place: int) -> bool:
        """Return whether a bias has another data type than the scale."""
        both = [child(self.given[place], name) for name in ("scale_desc", "bias_desc")]
        return None not in both and len({read(each, "data_type") for each in both if each}) > 1

    def reads_two_computed(self, place: int) -> bool:
        """Return whether both operands are results of operations before."""
        names = (*RESULTS, "cdesc", "y")
        made = [child(each, name) for each in self.given[:place] for name in names]
        given = [each for name in OPERANDS if (each := child(self.given[place], name))]
        return len([each for each in given if each in made]) > 1

    def spreads(self, place: int, first: int) -> bool:
        """Return whether it repeats a computed operand of several elements.

        Args:
            place: the place of the operation.
            first: the first axis that counts.
        """
        operation = self.given[place]
        given = [each for name in OPERANDS if (each := child(operation, name))]
        made = [each for name in RESULTS if (each := child(operation, name))]
        shapes = [Tensor(each).shape[first:] for each in given if read(each, "is_virtual")]
        whole = [Tensor(each).shape[first:] for each in made[:1]]
        return any(each not in whole and max(each) > 1 for each in shapes if whole)

    def reads_twice(self, place: int) -> bool:
        """Return whether several operations read a product's result, once one has scaled it.

        An operation that makes indices of it reads no elements.
        """
        scores, scaled, count = child(self.given[place], "cdesc"), None, 0
        for each in self.of("Pointwise"):
            given = [child(each, name) for name in OPERANDS]
            if scaled is None:
                scaled = child(each, "ydesc") if scores in given else None
            elif scaled in given and mode_of(each) != "GEN_INDEX":
                count += 1
        return count > 1

    @cached_property
    def of_graph(self) -> frozenset[str]:
        """The facts of the graph."""
        kinds = self.structure.kinds
        products, convolutions = map(kinds.count, ("Matmul", "ConvolutionForward"))
        found = {
            "SINGLE": len(kinds) == 1,
            "THREE": len(kinds) == 3,
            "ONE_KIND": len(set(kinds)) == 1,
            "ONE_PRODUCT": products == 1,
            "TWO_PRODUCTS": products == 2,
            "FIVE_PRODUCTS": products == 5,
            "SEVERAL_PRODUCTS": products > 1,
            "ONE_CONVOLUTION": convolutions == 1,
            "ONE_OF_BOTH": products + convolutions == 1,
        }
        return frozenset(name for name, is_there in found.items() if is_there).union(kinds)


def _is_clipped(options: Descriptor) -> bool:
    ceiling = read(options, "relu_upper_clip")
    if ceiling is not None and ceiling < _NO_CEILING:
        return True
    return bool(read(options, "relu_lower_clip") or read(options, "relu_lower_clip_slope"))


#: Facts of options, before words, in the order of `native/facts.h`.
OPTION: dict[str, Callable[[Descriptor], bool]] = {
    # Paddings before and after differ.
    "UNEVEN": lambda each: bool(read(each, "pre_paddings") != read(each, "post_paddings")),
    # ReLU has an upper clip, a lower one that is not 0, or a slope below it.
    "CLIPPED": _is_clipped,
}


def _is_before(port: str, *, in_engine: bool = False) -> Callable[[Graph, int], bool]:
    return lambda graph, place: graph.given[place] in graph.computes(port, in_engine=in_engine)


def _is_to_product(graph: Graph, place: int) -> bool:
    return place == graph.product or any(
        _is_before(port, in_engine=True)(graph, place) for port in ("adesc", "bdesc")
    )


#: Facts of operations in their graph, in the order of `native/facts.h`.
OPERATION: dict[str, Callable[[Graph, int], bool]] = {
    "FIRST": lambda _, place: place == 0,
    "SECOND": lambda _, place: place == 1,
    "THIRD": lambda _, place: place == 2,
    "EARLY": lambda _, place: place < _EARLY,
    # The first product, and what computes its operands in an engine; or each of them.
    "TO_PRODUCT": _is_to_product,
    "TO_A": _is_before("adesc"),
    "TO_B": _is_before("bdesc"),
    "LONG_SUM": Graph.is_long_sum,
    "MANY_SUMMED": Graph.is_sum_of_many,
    "OTHER_TYPE": Graph.has_other_type,
    "TWO_COMPUTED": Graph.reads_two_computed,
    # It repeats a computed operand, or matrices of it.
    "SPREADS": lambda graph, place: graph.spreads(place, 0),
    "SPREADS_MATRICES": lambda graph, place: graph.spreads(place, -2),
    "TWICE": Graph.reads_twice,
}
