"""Filters of one element for pixels of few channels, of which a gate or a norm may come before."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import Tensor

from ....autograd.layouts import empty
from ..activations import NUMBERS
from ..compiled import NARROW
from ..functions import KINDS, Kernel, Run, aligned, is_available, prepare
from ..runs import row_step
from .layouts import address_of, row_of

if TYPE_CHECKING:
    from ..... import ops
    from ...trace.words import Activation
    from ..runs import Window

#: The layout of `Points` in points.cu.
_ARGUMENT = struct.Struct("6Q3q2Ifi4Q2i2f")


class Form(NamedTuple):
    """The constants of points.cu."""

    DEPTH: int
    COLUMNS: int
    TILES: int
    AHEAD: int
    HELD: int
    THREADS: int
    BLOCKS: int
    ADDED: int
    GATED: int = 0
    NORMED: int = -1

    def shared(self, depth: int) -> int:
        """Return the memory of a block in bytes, by the channels of x."""
        groups = -(-depth // (32 * self.AHEAD)) * self.AHEAD
        norms = 256 * groups if self.NORMED >= 0 else 0
        return 2048 * groups * -(-self.COLUMNS // 32) + 4 * self.COLUMNS + norms


class Points(Run):
    """Computes activation((x gate) w^T + bias + residual) of pixels, as plans do."""

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
            number: of the activation of the norm.
        """
        self._shape, self._gated, self._normed = specs["y"].shape, form.GATED, form.NORMED >= 0
        self._has = "bias" in specs, "residual" in specs
        word, own = activation or (None, None)
        macros = [f"{name}={value}" for name, value in form._asdict().items()]
        dtype = KINDS[specs["x"].dtype]
        source = prepare(ordinal, "points.cu", dtype, word, *macros, begins=False)
        columns, depth = specs["w"].shape[:2]
        rows, slices = prod(self._shape) // columns, columns // form.COLUMNS
        blocks = torch.cuda.get_device_properties(ordinal).multi_processor_count * form.BLOCKS
        most = -(-rows // (form.TILES * form.THREADS // 2))
        grid = min(max(1, blocks // slices), most), slices, 1
        self._kernel = Kernel(source, grid, form.shared(depth), 1, form.THREADS, "points")
        steps = [row_step(specs[e]) if e in specs else 0 for e in ("x", "residual", "y")]
        self._sizes = *steps, rows, prod(self._shape[2:]), own or 0.0
        self._depth, self._number = depth, number

    def begin(self) -> None:
        self._kernel.begin()

    def __call__(self, x: Tensor, w: Tensor, *others: Tensor) -> Tensor:
        """Return the result, in the last of the arrays if that is for it."""
        rest = list(others)
        bias = rest.pop(0) if self._has[0] else None
        gate = aligned(rest.pop(0).flatten(1).contiguous()) if self._gated else None
        norm: Any = rest.pop(0) if self._normed else None
        residual = aligned(rest.pop(0)) if self._has[1] else None
        y = rest[0] if rest else empty(x, self._shape, True)
        weight = aligned(w)
        overlaps = self.overlaps and weight is w
        given = x, weight, bias, residual, gate, y
        addresses = [address_of(each) for each in given]
        sizes: tuple[float, ...] = self._sizes
        statistics, kind = [0] * 4, (self._depth, 0, 0.0, 0.0)
        if norm is not None:
            sizes = row_of(x), *sizes[1:]  # it may be a part of the channels of others
            statistics = [address_of(each) for each in norm.tensors]
            is_wide = norm.tensors[1].dtype == torch.float32
            kind = self._depth, int(is_wide), self._number, norm.epsilon
        self._kernel(
            _ARGUMENT.pack(*addresses, *sizes, overlaps, *statistics, *kind), overlaps
        )  # fmt: skip
        return y


#: Most memory of the blocks of a multiprocessor.
_SHARED = 220 << 10

#: Pixels from which on the kernel is faster than plans without the activation, gate or norm (H200).
_MANY = 1 << 14


def form_of(depth: int, columns: int, *, added: bool, gated: bool) -> Form | None:
    """Return the constants for products of many pixels; None where plans are faster (H200)."""
    groups, slices, more = -(-depth // 32), -(-columns // 32), (int(added), int(gated))
    if groups == 1 and slices == 1:
        made = Form(depth, columns, 1, 1, 1, 256, 3, *more)
    elif groups <= 4 and slices > groups:
        made = Form(depth, columns, 1, groups, 1, 512, 1, *more)
    elif slices <= 4:
        ahead = next(n for n in (4, 3, 5, 2, 1) if groups % n == 0)
        threads, blocks = (128, 3) if slices <= 2 else (256, 1)
        made = Form(depth, columns, 1, ahead, 0, threads, blocks, *more)
    else:
        return None
    return made if made.shared(depth) * made.BLOCKS <= _SHARED else None


def normed_form(depth: int, columns: int, *, added: bool, word: str) -> Form | None:
    """Return the constants for products of a norm; None where plans are faster (H200)."""
    for width in (128, 64):
        made = Form(0, width, 1, 4, 0, 256, 1, int(added), 0, NUMBERS[word])
        if columns % width == 0 and made.shared(depth) <= _SHARED:
            return made
    return None


def find(
    specs: Mapping[str, ops.Spec], activation: Activation | None, window: Window | None,
    before: Activation | None = None,
) -> Points | None:  # fmt: skip
    """Return what computes a convolution; None where plans are faster, or it cannot.

    Args:
        specs: what x, w, bias, residual and y are; bias and residual may be absent. A gate, as x,
            multiplies x.
        activation: a word and its number.
        window: of the convolution; None for linear layers.
        before: the activation of a norm of x; None for no norm.
    """
    if window is None:
        return None
    x, w, y = specs["x"], specs["w"], specs["y"]
    columns, depth = w.shape[:2]
    rows, word = prod(y.shape) // max(1, columns), activation and activation[0]
    added, gated = "residual" in specs, "gate" in specs
    is_slow = word not in (None, "relu") or gated or (added and columns <= 32) or before
    if not is_slow or word not in NUMBERS or x.shape[2:] != y.shape[2:]:
        return None
    if not window.is_point(w.shape) or not _MANY <= rows < 1 << 31 or depth % 8 or columns % 8:
        return None
    if len({each.dtype for each in specs.values()}) > 1 or KINDS.get(w.dtype) not in NARROW:
        return None
    if w.device is None or not is_available(KINDS[w.dtype], w.device, 9):
        return None
    images = [specs[name] for name in ("x", "residual", "y") if name in specs]
    if any(not row_step(each) or row_step(each) % 8 or each.alignment % 16 for each in images):
        return None
    number = 0.0
    if before is not None:
        if gated or before[0] not in NUMBERS:
            return None
        form = normed_form(depth, columns, added=added, word=before[0])
        number = before[1] or 0.0
    else:
        form = form_of(depth, columns, added=added, gated=gated)
    made = None if form is None else Points(specs, form, activation, w.device, number)
    return made if made is not None and made.may_run() else None
