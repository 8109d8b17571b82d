"""Norms, gates and additions, computed of rows of channels by kernels of this package.

The functions are nodes of graphs: they take any tensors, and PyTorch computes where the kernels do
not: on other devices, of other data types, and where channels do not lie side by side.
"""

from __future__ import annotations

import ctypes
import math
import struct
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import torch
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensor
from torch.nn import functional

from ...autograd.layouts import empty
from ...autograd.switches import autocast_type
from .activations import activated, number_of
from .compiled import NARROW, can_compile
from .functions import kernels, launch, prepare

if TYPE_CHECKING:
    from ..trace.words import Activation

_TAIL = struct.Struct("8Q5qi2fi")
_SUMS = struct.Struct("2Q2q3i4x")
_PRODUCT = struct.Struct("4Q4i2f")
_REPEAT = struct.Struct("2Q4q7i4x")
_GROUPS = struct.Struct("6Q8q4i2f")
_POOL = struct.Struct("3Q3q9i4x")

#: Maximum number of positions of a window that are read one after the other.
_POSITIONS = 64

#: Threads of a block, and about how many blocks fill a device.
_THREADS, _BLOCKS = 256, 132

#: Maximum bytes of rows that a block of `product` keeps, and how many rows.
_SHARED, _TOGETHER = 48 << 10, 4

#: Maximum elements of a tensor whose rows are counted in 32 bits.
_MOST_ROWS = 1 << 31


def _row_of(x: Tensor) -> int:
    """Return the stride of rows of channels; 0 where they are no equal steps apart.

    It is 0 for arrays of other than 4 or 5 axes, too, which PyTorch makes none of with channels
    last.
    """
    if x.dim() not in (4, 5) or x.numel() == 0 or x.stride(1) != 1:
        return 0
    row = step = x.shape[1]
    found = 0
    for axis in range(x.dim() - 1, 1, -1):
        if x.shape[axis] == 1:
            continue
        if not found:
            found = row = x.stride(axis)
            step = row
        if x.stride(axis) != step:
            return 0
        step *= x.shape[axis]
    return int(row)


def _is_dense(x: Tensor) -> bool:
    """Return whether images lie one after the other, as their rows do."""
    row = _row_of(x)
    pixels = x[0, 0].numel() if row else 0
    return bool(row) and (x.shape[0] == 1 or x.stride(0) == row * pixels)


def _takes(x: Tensor, *others: Tensor | None) -> bool:
    """Return whether kernels take x, and others of the same type beside it."""
    if not _is_on_device(x) or x.dtype not in NARROW or not _row_of(x):
        return False
    if autocast_type(x.device.type) is not None:
        return False  # which gives some results another type
    return all(
        each is None or (each.dtype == x.dtype and each.device == x.device) for each in others
    )


def _is_on_device(x: Tensor) -> bool:
    return bool(x.is_cuda) and can_compile()


def _vector(count: int, *places: int) -> int:
    """Return how many numbers are read at once: all of these are multiples of it, or of its bytes.

    Args:
        count: of numbers that are read so.
        places: strides in elements.
    """
    return next(each for each in (8, 4, 2, 1) if not any(n % each for n in (count, *places)))


def _aligned(vector: int, *tensors: Tensor | None) -> int:
    """Return how many numbers are read at once of tensors that begin anywhere."""
    for each in tensors:
        while each is not None and vector > 1 and each.data_ptr() % (each.element_size() * vector):
            vector //= 2
    return vector


def _kernels(
    x: Tensor, file: str, names: tuple[str, ...], word: Activation | None, vector: int
) -> list[ctypes.c_void_p]:
    return kernels(x.device.index, file, names, x.dtype, word and word[0], f"VECTOR={vector}")


def _prepare(x: Tensor, file: str, word: Activation | None, *macros: str) -> None:
    """Begin to compile what is launched later for tensors like one without memory."""
    prepare(x.device.index, file, x.dtype, word and word[0], *macros)


def _address(tensor: Tensor | None) -> int:
    return 0 if tensor is None else tensor.data_ptr()


def _is_gate(gate: Tensor, x: Tensor, gaps: bool = False) -> bool:
    """Return whether there is a number for each channel of each image, with gaps between images."""
    count = len(x) * x.shape[1]
    same = gate.numel() == count and gate.shape[:2] == x.shape[:2]
    return bool(same and (gate.is_contiguous() or (gaps and gate.stride(1) == 1)))


def tailed(
    x: Tensor, word: Activation | None = None, *, gate: Tensor | None = None,
    factor: Tensor | None = None, norm: tuple[Tensor | None, ...] | None = None,
    epsilon: float = 0.0, residual: Tensor | None = None, keeps: bool = False,
) -> Tensor:  # fmt: skip
    """Return an activation of x * factor * gate + offset + residual.

    Args:
        x: images, (batch, channels, ...).
        word: the activation.
        gate: a number for each channel of each image, (batch, channels, 1, ...).
        factor: a number for each channel, (channels, 1, ...).
        norm: in place of a factor the mean, variance, weight and bias of a batch norm, of which
            only the variance must be there.
        epsilon: of the norm.
        residual: as x.
        keeps: whether it is added in place, so that the sum keeps its data type.
    """
    statistics = (None, None, None, None) if norm is None else norm
    mean, variance, gamma, beta = statistics
    gamma = gamma if factor is None else factor
    given = [each for each in (mean, variance, gamma, beta) if each is not None]
    types = {each.dtype for each in given}
    fits = (
        _takes(x, gate, residual)
        and _is_dense(x)
        and len(types) <= 1
        and types <= {x.dtype, torch.float32}
        and all(each.is_contiguous() and each.numel() == x.shape[1] for each in given)
        and all(each.device == x.device for each in given)
        and (factor is None or factor.shape == (x.shape[1], *[1] * (x.dim() - 2)))
        and (residual is None or (residual.shape == x.shape and _is_dense(residual)))
        and (gate is None or _is_gate(gate, x))
        and x.numel() // x.shape[1] < _MOST_ROWS
    )
    if not fits:
        if norm is not None:
            assert variance is not None
            x = functional.batch_norm(x, mean, variance, gamma, beta, False, 0.0, epsilon)
        x = x if factor is None else x * factor
        x = x if gate is None else x * gate
        if residual is not None:
            x = x.add_(residual) if keeps else x + residual
        return activated(x, word)
    y = empty(x, x.shape, True)
    channels = x.shape[1]
    x_row, added_row = _row_of(x), 0 if residual is None else _row_of(residual)
    vector = _vector(channels, x_row, added_row)
    if isinstance(x, FakeTensor):
        _prepare(x, "tail.cu", word, f"VECTOR={vector}")
        return y
    vector = _aligned(vector, x, residual, gate)
    rows = x.numel() // channels
    argument = _TAIL.pack(
        x.data_ptr(), _address(residual), _address(gate), _address(gamma), _address(beta),
        _address(mean), _address(variance), y.data_ptr(), rows, x_row, added_row, channels,
        rows // x.shape[0], channels, number_of(word), epsilon, torch.float32 in types,
    )  # fmt: skip
    threads = -(-rows * channels // vector // 4)
    blocks = max(1, min(-(-threads // _THREADS), 8 * _BLOCKS))
    (kernel,) = _kernels(x, "tail.cu", ("tail",), word, vector)
    launch(kernel, x.device.index, (blocks, 1, 1), _THREADS, argument)
    return y


def gate_of(
    x: Tensor, weight: Tensor, bias: Tensor | None, word: Activation | None, last: Tensor,
    last_bias: Tensor | None, last_word: Activation | None, *, sums: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """Return a gate for each channel of images, computed of the means of all channels.

    Args:
        x: images, (batch, channels, height, width).
        weight: filters of one element, (squeezed, channels, 1, 1).
        bias: (squeezed,), or None.
        word: the activation of the squeezed channels.
        last: filters, (channels, squeezed, 1, 1).
        last_bias: (channels,), or None.
        last_word: the activation of the gate.
        sums: of all pixels of places of x, (images, places, channels) of float; None to sum x.
    """
    fits = (
        _takes(x, weight, bias, last, last_bias)
        and _is_dense(x)
        and all(_is_rows(each) for each in (weight, last))
        and all(each is None or each.is_contiguous() for each in (bias, last_bias))
        and _TOGETHER * 4 * max(weight.shape[:2]) <= _SHARED
        and x[0, 0].numel() < _MOST_ROWS
        and x.shape[0] < 1 << 16
    )
    if not fits:
        if sums is None:
            means = functional.adaptive_avg_pool2d(x, 1)
        else:
            means = (sums.sum(1) / x[0, 0].numel())[:, :, None, None].to(x.dtype)
        squeezed = activated(functional.conv2d(means, weight, bias), word)
        return activated(functional.conv2d(squeezed, last, last_bias), last_word)
    images, channels = x.shape[:2]
    vector = _vector(channels, _row_of(x))
    if isinstance(x, FakeTensor):
        _prepare(x, "squeeze.cu", None, f"VECTOR={vector}")
        for each, its in ((weight, word), (last, last_word)):
            _prepare(x, "squeeze.cu", its, *_macros(images, each))
        return x.new_empty((images, channels, 1, 1))
    rows = x.numel() // images // channels
    sums = _sums(x, rows, vector) if sums is None else sums
    squeezed = x.new_empty((images, weight.shape[0]))
    gate = x.new_empty((images, channels, 1, 1))
    _product(sums, weight, bias, word, squeezed, sums.shape[1], 1.0 / rows)
    _product(squeezed, last, last_bias, last_word, gate, 0, 1.0)
    return gate


def _sums(x: Tensor, rows: int, vector: int) -> Tensor:
    """Return the sums of pieces of images, (images, pieces, channels)."""
    images, channels = x.shape[:2]
    vector = _aligned(vector, x)
    columns = -(-channels // (8 * vector))
    pieces = max(1, min(2 * _BLOCKS // (columns * images), rows // 64, 64))
    parts = torch.empty((images, pieces, channels), dtype=torch.float32, device=x.device)
    argument = _SUMS.pack(
        x.data_ptr(), parts.data_ptr(), rows * _row_of(x), _row_of(x), rows, channels, pieces
    )
    (kernel,) = _kernels(x, "squeeze.cu", ("sums",), None, vector)
    launch(kernel, x.device.index, (columns, pieces, images), _THREADS, argument)
    return parts


def _is_rows(weight: Tensor) -> bool:
    """Return whether filters of one element lie as a matrix without gaps."""
    flat = weight.dim() == 4 and weight.shape[2:] == (1, 1)
    return bool(flat and weight[:, :, 0, 0].is_contiguous())


def _macros(images: int, weight: Tensor) -> tuple[str, str]:
    vector = _vector(weight.shape[1])
    vector = vector if isinstance(weight, FakeTensor) else _aligned(vector, weight)
    return f"VECTOR={vector}", f"ROWS={1 if images < _TOGETHER else _TOGETHER}"


def _product(
    x: Tensor, weight: Tensor, bias: Tensor | None, word: Activation | None, y: Tensor, pieces: int,
    factor: float,
) -> None:  # fmt: skip
    outputs, columns = weight.shape[:2]
    images = x.shape[0]
    together = 1 if images < _TOGETHER else _TOGETHER
    argument = _PRODUCT.pack(
        x.data_ptr(), weight.data_ptr(), _address(bias), y.data_ptr(), images, columns, outputs,
        pieces, number_of(word), factor,
    )  # fmt: skip
    grid = -(-outputs // (_THREADS // 32)), -(-images // together), 1
    shared = together * columns * 4
    macros = _macros(images, weight)
    which = y.dtype, word and word[0], *macros
    (kernel,) = kernels(y.device.index, "squeeze.cu", ("product",), *which)
    launch(kernel, x.device.index, grid, _THREADS, argument, shared)


#: Writes pixels of images to memory: where, from which pixel on, and how many.
Writer = Callable[[Tensor, int, int], None]


def group_norm(
    x: Tensor, groups: int, weight: Tensor | None, bias: Tensor | None, epsilon: float,
    word: Activation | None = None, added: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """Return an activation of the group norm of x + added.

    Args:
        x: images, (batch, channels, ...).
        groups: the number of groups of channels.
        weight: (channels,), or None.
        bias: (channels,), or None.
        epsilon: what is added to variances.
        word: the activation.
        added: a number for each channel of each image, (batch, channels, 1, ...), or None.
    """
    write = norm_writer(x, groups, weight, bias, epsilon, word, added)
    if write is None:
        x = x if added is None else x + added
        return activated(functional.group_norm(x, groups, weight, bias, epsilon), word)
    y = empty(x, x.shape, True)
    write(y, 0, x[0, 0].numel())
    return y


def norm_writer(
    x: Tensor, groups: int, weight: Tensor | None, bias: Tensor | None, epsilon: float,
    word: Activation | None = None, added: Tensor | None = None,
) -> Writer | None:  # fmt: skip
    """Return what writes pixels of a group norm; None where no kernel does. See `group_norm`.

    Where x has several images, all pixels have to be written.
    """
    width = x.shape[1] // groups
    fits = (
        _takes(x, weight, bias, added)
        and all(each is None or each.is_contiguous() for each in (weight, bias))
        and (added is None or _is_gate(added, x, True))
        and groups <= _THREADS
        and width * groups == x.shape[1]
        and x.shape[0] < 1 << 16
    )
    vector = _vector(x.shape[1], _row_of(x), x.stride(0)) if fits else 1
    if fits and not isinstance(x, FakeTensor):
        vector = _aligned(vector, x)
    while vector > 1 and width // math.gcd(vector, width) > _THREADS:
        vector //= 2
    if not fits or width // math.gcd(vector, width) > _THREADS:
        return None
    images, channels = x.shape[:2]
    if isinstance(x, FakeTensor):
        _prepare(x, "groups.cu", word, f"VECTOR={vector}")
        return lambda *_: None
    rows = x[0, 0].numel()
    unit = vector // math.gcd(vector, width)  # groups whose channels are whole vectors
    most = max(1, _THREADS * vector // (width * unit)) * unit
    columns = -(-groups // most)
    together = -(-groups // columns // unit) * unit
    lanes = _THREADS // (together * width // vector)
    pieces = max(1, min(4 * _BLOCKS // (columns * images), rows // (4 * lanes), 256))
    piece = -(-rows // pieces)
    pieces = -(-rows // piece)
    parts = torch.empty((images, groups, pieces, 2), dtype=torch.float32, device=x.device)
    ordinal, row = x.device.index, _row_of(x)
    moments, normalize = _kernels(x, "groups.cu", ("moments", "normalize"), word, vector)

    def argument(y: Tensor | None, first: int, count: int) -> bytes:
        return _GROUPS.pack(
            x.data_ptr() + first * row * x.element_size(), _address(added), _address(weight),
            _address(bias), _address(y), parts.data_ptr(), x.stride(0), row, rows * channels,
            channels, 0 if added is None else added.stride(0), rows, count, piece, channels,
            groups, pieces, together, number_of(word), epsilon,
        )  # fmt: skip

    def write(y: Tensor, first: int, count: int) -> None:
        threads = -(-count * channels // vector // 4)
        blocks = max(1, min(-(-threads // _THREADS), -(-8 * _BLOCKS // images)))
        grid = blocks, 1, images
        launch(normalize, ordinal, grid, _THREADS, argument(y, first, count), overlaps=True)

    launch(moments, ordinal, (pieces, columns, images), _THREADS, argument(None, 0, rows))
    return write


def repeated(x: Tensor, times: int | tuple[int, ...]) -> Tensor:
    """Return images with each pixel repeated along each axis.

    Args:
        x: images, (batch, channels, ...).
        times: how often, for all axes or each.
    """
    write = repeat_writer(x, times)
    times = (times,) * (x.dim() - 2) if isinstance(times, int) else times
    if write is None:
        return functional.interpolate(x, scale_factor=tuple(map(float, times)), mode="nearest")
    images, channels, *sizes = x.shape
    y = empty(
        x, (images, channels, *(size * n for size, n in zip(sizes, times, strict=True))), True
    )
    write(y, 0, y.numel() // channels)
    return y


def repeat_writer(x: Tensor, times: int | tuple[int, ...]) -> Writer | None:
    """Return what writes pixels of all images, repeated; None where no kernel does."""
    times = (times,) * (x.dim() - 2) if isinstance(times, int) else times
    if not _takes(x) or len(times) != x.dim() - 2:
        return None
    channels, *sizes = x.shape[1:]
    sizes = [size * n for size, n in zip(sizes, times, strict=True)]
    vector = _vector(channels, _row_of(x), x.stride(0))
    if isinstance(x, FakeTensor):
        _prepare(x, "repeat.cu", None, f"VECTOR={vector}")
        return lambda *_: None
    vector = _aligned(vector, x)
    ahead = [1] * (3 - len(sizes))
    (kernel,) = _kernels(x, "repeat.cu", ("repeat",), None, vector)

    def write(y: Tensor, first: int, count: int) -> None:
        count = count * channels // vector
        argument = _REPEAT.pack(
            x.data_ptr(), y.data_ptr(), x.stride(0), _row_of(x), first, count, channels, *ahead,
            *sizes, *ahead, *times,
        )  # fmt: skip
        blocks = max(1, min(-(-count // (2 * _THREADS)), 16 * _BLOCKS))
        launch(kernel, x.device.index, (blocks, 1, 1), _THREADS, argument)

    return write


def pooled(
    x: Tensor, window: tuple[int, int], stride: tuple[int, int], padding: tuple[int, int],
    dilation: tuple[int, int], ceiled: bool,
) -> Tensor:  # fmt: skip
    """Return the largest number of each window.

    Args:
        x: images, (batch, channels, height, width).
        window, stride, padding, dilation: along both axes.
        ceiled: whether a last window may end beyond the padding.
    """
    taken = _takes(x) and x.dim() == 4 and not ceiled
    shape = pooled_shape(x.shape, window, stride, padding, dilation) if taken else None
    if shape is None:
        return functional.max_pool2d(x, window, stride, padding, dilation, ceiled)
    y = empty(x, shape, True)
    run_pool("pool", x, y, None, window, (stride, padding, dilation))
    return y


def pooled_shape(
    shape: Sequence[int], window: tuple[int, int], stride: tuple[int, int],
    padding: tuple[int, int], dilation: tuple[int, int],
) -> tuple[int, ...] | None:  # fmt: skip
    """Return the shape of the largest numbers of windows of images.

    None where the kernels do not take the windows, or PyTorch raises for them.
    """
    if any(len(each) != 2 for each in (window, stride, padding, dilation)):
        return None
    pads = zip(padding, window, strict=True)
    if math.prod(window) > _POSITIONS or min(*window, *stride) < 1:
        return None
    sizes = [
        size + 2 * pad - gap * (extent - 1) - 1
        for size, pad, gap, extent in zip(shape[2:], padding, dilation, window, strict=True)
    ]
    if min(sizes) < 0 or not all(0 <= 2 * pad <= extent for pad, extent in pads):
        return None
    return (*shape[:2], *[size // step + 1 for size, step in zip(sizes, stride, strict=True)])


def run_pool(
    name: str, x: Tensor, y: Tensor, places: Tensor | None, window: tuple[int, int],
    options: tuple[tuple[int, int], ...],
) -> None:  # fmt: skip
    """Run a kernel of pool.cu, or begin to compile it for tensors without memory.

    Args:
        name: "pool" or "pool_gradient".
        x, y: images and the largest numbers of their windows, or the gradients.
        places: of the largest numbers, of 8 bits, dense with channels last.
        window: along both axes.
        options: stride, padding and dilation.
    """
    channels, written = x.shape[1], y if name == "pool" else x
    vector = _vector(channels, _row_of(x), x.stride(0))
    values = *window, *options[0], int(places is not None)
    words = "HIGH", "WIDE", "DOWN", "ACROSS", "PLACES"
    macros = [f"{word}={value}" for word, value in zip(words, values, strict=True)]
    if isinstance(x, FakeTensor):
        _prepare(x, "pool.cu", None, f"VECTOR={vector}", *macros)
        return
    vector = _aligned(vector, x, y, places)
    rows, ordinal = written.numel() // channels, x.device.index
    argument = _POOL.pack(
        x.data_ptr(), y.data_ptr(), _address(places), x.stride(0), _row_of(x), rows, channels,
        *x.shape[2:], *y.shape[2:], *options[1], *options[2],
    )  # fmt: skip
    blocks = max(1, min(-(-rows * channels // vector // _THREADS), 16 * _BLOCKS))
    (kernel,) = kernels(ordinal, "pool.cu", (name,), x.dtype, None, f"VECTOR={vector}", *macros)
    launch(kernel, ordinal, (blocks, 1, 1), _THREADS, argument)


#: The function that writes pixels of another one's result, of the same arguments.
WRITERS: dict[object, Callable[..., Writer | None]] = {
    group_norm: norm_writer, repeated: repeat_writer,
}  # fmt: skip
