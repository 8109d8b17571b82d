"""The kernel that folds norms into weights on the device."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import torch

from ...autograd.layouts import last_format
from .compiled import TYPES, Launch, Source, source_of

if TYPE_CHECKING:
    from torch import Tensor
    from torch.nn.modules.batchnorm import _BatchNorm

    from ..weights import Losses, Weights

#: The layout of `Item` in fold.cu, but for the range of elements, and of that range and its mark.
_LAYER = struct.Struct("9Qd3q17i")
_RANGE = struct.Struct("=5iQ")

#: Minimum and maximum elements of a target that one block of threads folds: about as many as make
#: 8 blocks for a layer; and the maximum of rows that they are in.
_FEW, _MANY = 2048, 16384
_ROWS = 504

#: Maximum elements of rows that one block folds, where these have to be whole.
_MOST = 65536

#: Maximum channels of a transposed convolution whose filters are judged: STAGED of fold.cu.
_CHANNELS = 4608

_THREADS = 256


def order_of(shape: Sequence[int], last: bool) -> list[int]:
    """Return the axes of filters in the order of memory."""
    axes = list(range(2, len(shape)))
    return [0, *axes, 1] if last and last_format(len(shape)) is not None else [0, 1, *axes]


def collapsed(sizes: list[int], strides: list[int]) -> list[tuple[int, int]]:
    """Return extents and strides with axes joined that lie in memory as one."""
    pairs: list[tuple[int, int]] = []
    for size, stride in zip(sizes, strides, strict=True):
        if size == 1:
            continue
        if pairs and pairs[-1][1] == size * stride:
            pairs[-1] = (pairs[-1][0] * size, stride)
        else:
            pairs.append((size, stride))
    return pairs


def matrix_of(weight: Tensor, last: bool) -> list[tuple[int, int]]:
    """Return the extents and strides of two axes of filters, or of more if there have to be.

    Args:
        weight: the filters, of which the first axis is left out.
        last: whether channels are the last axis.
    """
    order = order_of(weight.shape, last)[1:]
    pairs = collapsed(
        [weight.shape[axis] for axis in order], [weight.stride(axis) for axis in order]
    )
    return [(1, 0)] * (2 - len(pairs)) + pairs


def sources_of(layer: Any, norm: _BatchNorm | None) -> tuple[list[Any], list[Any]]:
    """Return the tensors that weights are folded from, or None, and those that tell data types.

    Args:
        layer: has filters and a bias.
        norm: has mean, variance, weight and bias.
    """
    tensors = [layer.weight, layer.bias, None, None, None, None]
    types = [layer.weight, layer.bias, None, None]
    if norm is not None:
        tensors[2:] = [norm.running_mean, norm.running_var, norm.weight, norm.bias]
        types[2:] = [norm.running_var, norm.weight if norm.weight is not None else norm.bias]
    return tensors, types


def _reads(norm: Any, tensors: Sequence[Tensor | None], types: Sequence[Tensor | None]) -> bool:
    """Return whether the kernel reads the vectors of a layer and its norm, and their types."""
    if norm is not None:
        if norm.running_mean.dtype != norm.running_var.dtype:
            return False
        if None not in (norm.weight, norm.bias) and norm.weight.dtype != norm.bias.dtype:
            return False
    for each in tensors[1:]:
        if each is not None and (each.dim() != 1 or each.stride(0) != 1) and each.numel() > 1:
            return False
    return all(each is None or each.dtype in TYPES for each in types)


def _writes_vectors(source: Tensor, target: Tensor, inner: int) -> bool:
    """Return whether the kernel writes 16 bytes at once: rows of such a number of elements."""
    types = source.dtype, target.dtype
    return (
        inner % (16 // target.element_size()) == 0
        and target.data_ptr() % 16 == 0
        and types not in ((torch.float16, torch.float32), (torch.bfloat16, torch.float32))
        and torch.float64 not in types
    )


def _reads_vectors(source: Tensor, target: Tensor, middle: int, inner: int) -> bool:
    """Return whether it reads 16 bytes at once, too, by the strides inside of a row."""
    count = 16 // target.element_size()
    return (
        inner == 1
        and source.element_size() == target.element_size()
        and source.data_ptr() % 16 == 0
        and middle % count == 0
        and source.stride(0) % count == 0
    )


def _step_of(count: int, row: int, grain: int, has_whole_rows: bool) -> int:
    """Return the number of elements that a block takes.

    Args:
        count: all elements of the layer.
        row: those of a row.
        grain: rows from one with an aligned address to the next.
        has_whole_rows: whether a block has whole rows only.
    """
    step = max(_FEW, min(_MANY, count // 64 * 8))
    if has_whole_rows:
        return row * grain * max(1, min(step // row, _ROWS) // grain)
    return min(step, max(8, _ROWS * row // 8 * 8))


def layer_of(own: Weights) -> tuple[bytes, int, int, int] | None:
    """Return the description of a layer for the kernel, and elements of it, a row and a block.

    None where the kernel does not take it.
    """
    layer, norm, target, bias = own.layer, own.norm, own.weight, own.bias
    source = layer.weight
    if source.dim() < 2 or target.data_ptr() == source.data_ptr():
        return None
    if bias is not None and layer.bias is not None and bias.data_ptr() == layer.bias.data_ptr():
        bias = None  # it is the model's own
    transposed = bool(getattr(layer, "transposed", False))
    order = order_of(source.shape, own.last)
    sizes = [source.shape[axis] for axis in order[1:]]
    strides = [source.stride(axis) for axis in order[1:]]
    pairs = matrix_of(source, own.last)
    if transposed and norm is not None:
        if order[-1] == 1 and len(order) > 2:
            return None
        window = collapsed(sizes[1:], strides[1:])
        pairs = [(sizes[0], strides[0]), *(window or [(1, 1)])]
    if len(pairs) != 2 or source.numel() >= 1 << 30:
        return None
    (middle, source_middle), (inner, source_inner) = pairs
    tensors, types = sources_of(layer, norm)
    types.insert(1, target)
    if not _reads(norm, tensors, types):
        return None
    codes = [-1 if each is None else TYPES[each.dtype] for each in types]
    narrow = source.dtype in (torch.float16, torch.bfloat16)
    vectors = not (transposed and norm is not None) and _writes_vectors(source, target, inner)
    aligned = _reads_vectors(source, target, source_middle, source_inner)
    # Filters without gaps are hashed as one piece of memory: whole rows, or in the target's order.
    row = middle * inner
    last = sum((size - 1) * stride for size, stride in zip(sizes, strides, strict=True))
    grain = 16 // math.gcd(16, row * source.element_size())  # rows to the next that is aligned
    is_whole = own.cancels or row * grain <= _MOST
    flat = (
        source.stride(0) == row == last + 1 and min(strides) > 0 and source.data_ptr() % 16 == 0
        and (is_whole or (source_inner == 1 and (middle == 1 or source_middle == inner)))
    )  # fmt: skip
    step = _step_of(source.numel(), row, grain, is_whole and (flat or own.cancels))
    largest = None
    if transposed and norm is not None and target.dtype == torch.float16:
        if norm.num_features > _CHANNELS:
            return None
        largest = own.largest(-(-source.numel() // step) * norm.num_features)
    groups = layer.groups if transposed else 1
    taps = math.prod(source.shape[2:]) if own.cancels else 0
    return (
        _LAYER.pack(
            *[0 if each is None else each.data_ptr() for each in tensors],
            target.data_ptr(), 0 if bias is None else bias.data_ptr(),
            0 if largest is None else largest.data_ptr(),
            0.0 if norm is None else norm.eps,
            source.stride(0), source_middle, source_inner,
            source.shape[0], middle, inner,
            0 if bias is None else bias.numel(),
            source.shape[0] // groups if transposed and norm is not None else 0,
            *codes, not narrow, vectors, aligned, flat,
            taps, source.shape[1] if order[-1] == 1 else 1, -(-source.numel() // step),
        ),
        source.numel(), row, step,
    )  # fmt: skip


def table_of(weights: Sequence[Weights]) -> tuple[bytes, int, list[Weights]]:
    """Return what the kernel reads, how many blocks of threads it takes, and weights it leaves."""
    items: list[bytes] = []
    left: list[Weights] = []
    for own in weights:
        found = layer_of(own)
        # The kernel judges no filters of float16 that are too large for their errors to cancel.
        judged = own.norm is None or own.cancels or own.weight.dtype != torch.float16
        judged = judged or getattr(own.layer, "transposed", False)
        if found is None or not judged:
            left.append(own)
            continue
        described, count, row, step = found
        # The ranges of a layer are always the same, as each has its mark.
        begins = range(0, count, step)
        marks = own.marks(len(begins)).data_ptr()
        for place, begin in enumerate(begins):
            end, mark = min(begin + step, count), marks + 8 * place
            rows = begin // row, (end - 1) // row
            items.append(described + _RANGE.pack(place, begin, end, *rows, mark))
    return b"".join(items), len(items), left


def begin_folding(kinds: Sequence[tuple[torch.dtype, torch.dtype]], ordinal: int) -> Source:
    """Begin to compile the kernel, and return it.

    Args:
        kinds: the data types of filters whose errors are to cancel, of the model's and of the
            folded ones; it is the fastest for most of these.
        ordinal: the device.
    """
    types = [target for _, target in kinds]
    wide = sum(source == torch.float32 for source, _ in kinds)
    kind = TYPES[max((torch.float16, torch.bfloat16), key=types.count)]
    macros = f"-DTYPE={kind}", f"-DWIDE={int(2 * wide > len(types))}"
    return source_of(ordinal, "fold.cu", "--fmad=false", *macros)


class Folding:
    """Folds the weights of several layers by one launch."""

    def __init__(
        self, weights: Sequence[Weights], ordinal: int, losses: Callable[[list[Weights]], Losses]
    ) -> None:
        """Describe the layers to the device.

        Args:
            weights: of the layers.
            ordinal: the device.
            losses: makes what notes whether 16 bits are too few, of the weights left to PyTorch.

        Raises:
            NotSupportedError: the kernel cannot be compiled.
        """
        kinds = [(own.layer.weight.dtype, own.weight.dtype) for own in weights if own.cancels]
        source = begin_folding(kinds, ordinal)
        table, count, self._left = table_of(weights)
        self._launch: Launch | None = None
        self._losses = losses(self._left)
        if count:
            held = torch.frombuffer(bytearray(table), dtype=torch.uint8)
            self._table = held.to(f"cuda:{ordinal}")
            given = self._table.data_ptr(), self._losses.flags.data_ptr()
            self._arguments = [struct.pack("Q", each) for each in given]
            self._launch = Launch(source.kernel("fold"), ordinal, (count, 1, 1), _THREADS)

    def run(self) -> None:
        """Fold, in PyTorch's current stream of the device."""
        if self._launch is not None:
            self._launch(*self._arguments)
        for each in self._left:
            each.refresh()
        self._losses.note()

    @property
    def is_lossy(self) -> bool:
        """Return whether 16 bits were too few for a norm that the device folded by now."""
        return self._losses.are_there
