"""The kernels that make numbers of 8 bits of values and of weights."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from ...autograd.layouts import dense
from ..kernels.compiled import TYPES, Launch, source_of
from ..kernels.fold import matrix_of, sources_of

if TYPE_CHECKING:
    from .kinds import Kind
    from .weights import NarrowWeights

#: The layout of `Item` in quantize.cu, but for the rows of a block, and of these.
_ITEM, _ROWS_OF = struct.Struct("=9Q3d3q9i"), struct.Struct("=2i4x")

#: Threads of a block, rows that one block quantizes, and most blocks for values.
_THREADS, _ROWS, _BLOCKS = 256, 16, 132 * 8


class Quantizer:
    """Makes numbers of 8 bits of a value: `x / scale`, the nearest, or the largest there is."""

    def __init__(self, kind: Kind, scale: float) -> None:
        self.kind, self.scale = kind, scale
        self._launches: dict[tuple[int, int], Launch] = {}

    def __call__(self, x: Tensor) -> Tensor:
        """Return such a tensor, without gaps; with the strides of x where that has none."""
        x = dense(x)
        y = torch.empty_strided(x.shape, x.stride(), dtype=self.kind.dtype, device=x.device)
        count, ordinal = x.numel(), x.device.index
        if not count:
            return y
        blocks = min(_BLOCKS, -(-count // (16 * _THREADS)))
        launch = self._launches.get((ordinal, blocks))
        if launch is None:
            kernel = source_of(ordinal, "quantize.cu").kernel("quantize")
            launch = Launch(kernel, ordinal, (blocks, 1, 1), _THREADS)
            self._launches[ordinal, blocks] = launch
        launch(
            struct.pack("Q", x.data_ptr()), struct.pack("Q", y.data_ptr()),
            struct.pack("q", count), struct.pack("f", 1.0 / self.scale),
            struct.pack("i", TYPES[x.dtype]), struct.pack("i", self.kind.code),
        )  # fmt: skip
        return y


def _item(own: NarrowWeights) -> bytes:
    """Describe weights to the kernel, but for the rows of a block."""
    norm, source = own.norm, own.layer.weight
    (middle, source_middle), (inner, source_inner) = matrix_of(source, own.last)
    tensors, types = sources_of(own.layer, norm)
    vectors = (
        source.element_size() == 2
        and source_inner == 1
        and inner % 8 == 0
        and source.data_ptr() % 16 == 0
        and source_middle % 8 == 0
        and source.stride(0) % 8 == 0
    )
    packed = [0 if each is None else each.data_ptr() for each in tensors]
    targets = [each.data_ptr() for each in (own.weight, own.factors, own.offsets)]
    codes = [-1 if each is None else TYPES[each.dtype] for each in types]
    return _ITEM.pack(
        *packed, *targets, 0.0 if norm is None else norm.eps, own.factor, own.offset,
        source.stride(0), source_middle, source_inner, source.shape[0], middle, inner,
        *codes, own.kind.code, vectors,
    )  # fmt: skip


class Requantizing:
    """Quantizes the weights of several layers anew by one launch."""

    def __init__(self, weights: Sequence[NarrowWeights], ordinal: int) -> None:
        """Describe the layers to the device.

        Raises:
            NotSupportedError: the kernel cannot be compiled.
        """
        items = []
        for own in weights:
            described, rows = _item(own), own.layer.weight.shape[0]
            for first in range(0, rows, _ROWS):
                items.append(described + _ROWS_OF.pack(first, min(first + _ROWS, rows)))
        kernel = source_of(ordinal, "quantize.cu").kernel("quantize_weights")
        self._launch = Launch(kernel, ordinal, (len(items), 1, 1), _THREADS)
        table = torch.frombuffer(bytearray(b"".join(items)), dtype=torch.uint8)
        self._table = table.to(f"cuda:{ordinal}")
        self._argument = struct.pack("Q", self._table.data_ptr())
        self._weights = tuple(weights)  # whose memory the table names

    def run(self) -> None:
        """Quantize, in PyTorch's current stream of the device."""
        self._launch(self._argument)
