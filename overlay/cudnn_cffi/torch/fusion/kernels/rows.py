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
from .activations import activated, number_of
from .functions import kernels, launch, prepare
from .pixels.layouts import address_of, aligned_vector, is_dense, row_of, takes, vector_of

if TYPE_CHECKING:
    from ..trace.words import Activation

_TAIL = struct.Struct("8Q5qi2fi")
_REPEAT = struct.Struct("2Q4q7i4x")
_GROUPS = struct.Struct("6Q8q4i2f")
_POOL = struct.Struct("3Q3q9i4x")

#: Maximum number of positions of a window that are read one after the other.
_POSITIONS = 64

#: Threads of a block, and about how many blocks fill a device.
_THREADS, _BLOCKS = 256, 132

#: Maximum elements of a tensor whose rows are counted in 32 bits.
_MOST_ROWS = 1 << 31


def _kernels(
    x: Tensor, file: str, names: tuple[str, ...], word: Activation | None, vector: int
) -> list[ctypes.c_void_p]:
    return kernels(x.device.index, file, names, x.dtype, word and word[0], f"VECTOR={vector}")


def _prepare(x: Tensor, file: str, word: Activation | None, *macros: str) -> None:
    """Begin to compile what is launched later for tensors like one without memory."""
    prepare(x.device.index, file, x.dtype, word and word[0], *macros)


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
        takes(x, gate, residual)
        and is_dense(x)
        and len(types) <= 1
        and types <= {x.dtype, torch.float32}
        and all(each.is_contiguous() and each.numel() == x.shape[1] for each in given)
        and all(each.device == x.device for each in given)
        and (factor is None or factor.shape == (x.shape[1], *[1] * (x.dim() - 2)))
        and (residual is None or (residual.shape == x.shape and is_dense(residual)))
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
    x_row, added_row = row_of(x), 0 if residual is None else row_of(residual)
    vector = vector_of(channels, x_row, added_row)
    if isinstance(x, FakeTensor):
        _prepare(x, "tail.cu", word, f"VECTOR={vector}")
        return y
    vector = aligned_vector(vector, x, residual, gate)
    rows = x.numel() // channels
    argument = _TAIL.pack(
        x.data_ptr(), address_of(residual), address_of(gate), address_of(gamma), address_of(beta),
        address_of(mean), address_of(variance), y.data_ptr(), rows, x_row, added_row, channels,
        rows // x.shape[0], channels, number_of(word), epsilon, torch.float32 in types,
    )  # fmt: skip
    threads = -(-rows * channels // vector // 4)
    blocks = max(1, min(-(-threads // _THREADS), 8 * _BLOCKS))
    (kernel,) = _kernels(x, "tail.cu", ("tail",), word, vector)
    launch(kernel, x.device.index, (blocks, 1, 1), _THREADS, argument)
    return y


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
    vector = _norm_vector(x, groups, weight, bias, added)
    kept = _kept_rows(x, groups, vector) if vector else None
    if kept is None:
        write = norm_writer(x, groups, weight, bias, epsilon, word, added)
        if write is None:
            x = x if added is None else x + added
            return activated(functional.group_norm(x, groups, weight, bias, epsilon), word)
        y = empty(x, x.shape, True)
        write(y, 0, x[0, 0].numel())
        return y
    y = empty(x, x.shape, True)
    if isinstance(x, FakeTensor):
        _prepare(x, "groups.cu", word, f"VECTOR={vector}")
        return y
    together, columns, pieces = kept
    rows, channels = x[0, 0].numel(), x.shape[1]
    argument = _GROUPS.pack(
        *map(address_of, (x, added, weight, bias, y)), 0, x.stride(0), row_of(x),
        rows * channels, channels, 0 if added is None else added.stride(0), rows, rows,
        -(-rows // pieces), channels, groups, pieces, together, number_of(word), epsilon,
    )  # fmt: skip
    (kernel,) = _kernels(x, "groups.cu", ("normalize_kept",), word, vector)
    grid = columns, len(x), pieces
    launch(kernel, x.device.index, grid, _THREADS, argument, cluster=pieces)
    return y


def _norm_vector(
    x: Tensor, groups: int, weight: Tensor | None, bias: Tensor | None, added: Tensor | None
) -> int:
    """Return how many numbers kernels of group norms read at once; 0 where none takes them."""
    width = x.shape[1] // groups
    fits = (
        takes(x, weight, bias, added)
        and all(each is None or each.is_contiguous() for each in (weight, bias))
        and (added is None or _is_gate(added, x, True))
        and groups <= _THREADS
        and width * groups == x.shape[1]
        and x.shape[0] < 1 << 16
    )
    if not fits:
        return 0
    vector = vector_of(x.shape[1], row_of(x), x.stride(0))
    if not isinstance(x, FakeTensor):
        vector = aligned_vector(vector, x)
    while vector > 1 and width // math.gcd(vector, width) > _THREADS:
        vector //= 2
    return vector if width // math.gcd(vector, width) <= _THREADS else 0


#: Channels of a block of a norm that keeps what it reads, and of a group at least, rows that a
#: thread keeps, and blocks of a cluster, as in groups.cu.
_COLUMNS, _LEAST, _KEPT, _CLUSTER = 24, 6, 8, 8


def _kept_rows(x: Tensor, groups: int, vector: int) -> tuple[int, int, int] | None:
    """Return the groups of a block, blocks beside each other, and blocks of a cluster.

    None where blocks cannot keep what they read.
    """
    width, rows = x.shape[1] // groups, x[0, 0].numel()
    unit = vector // math.gcd(vector, width)  # groups whose channels are whole vectors
    together = unit * max(1, -(-_COLUMNS // (unit * width)))
    columns = -(-groups // together)
    if vector < 8 or width < _LEAST or together * width > _THREADS or together > _THREADS // 32:
        return None
    if torch.cuda.get_device_capability(x.device) < (9, 0):
        return None
    lanes = _THREADS // (together * width // vector)
    pieces = 1
    while pieces < _CLUSTER and (
        -(-rows // pieces) > lanes * _KEPT
        or (2 * pieces * lanes <= rows and columns * len(x) * pieces < 2 * _BLOCKS)
    ):
        pieces *= 2
    return (together, columns, pieces) if -(-rows // pieces) <= lanes * _KEPT else None


def norm_writer(
    x: Tensor, groups: int, weight: Tensor | None, bias: Tensor | None, epsilon: float,
    word: Activation | None = None, added: Tensor | None = None,
) -> Writer | None:  # fmt: skip
    """Return what writes pixels of a group norm; None where no kernel does. See `group_norm`.

    Where x has several images, all pixels have to be written.
    """
    vector = _norm_vector(x, groups, weight, bias, added)
    if not vector:
        return None
    images, channels = x.shape[:2]
    width = channels // groups
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
    ordinal, row = x.device.index, row_of(x)
    moments, normalize = _kernels(x, "groups.cu", ("moments", "normalize"), word, vector)

    def argument(y: Tensor | None, first: int, count: int) -> bytes:
        return _GROUPS.pack(
            x.data_ptr() + first * row * x.element_size(), address_of(added), address_of(weight),
            address_of(bias), address_of(y), parts.data_ptr(), x.stride(0), row, rows * channels,
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
    if not takes(x) or len(times) != x.dim() - 2:
        return None
    channels, *sizes = x.shape[1:]
    sizes = [size * n for size, n in zip(sizes, times, strict=True)]
    vector = vector_of(channels, row_of(x), x.stride(0))
    if isinstance(x, FakeTensor):
        _prepare(x, "repeat.cu", None, f"VECTOR={vector}")
        return lambda *_: None
    vector = aligned_vector(vector, x)
    ahead = [1] * (3 - len(sizes))
    (kernel,) = _kernels(x, "repeat.cu", ("repeat",), None, vector)

    def write(y: Tensor, first: int, count: int) -> None:
        count = count * channels // vector
        argument = _REPEAT.pack(
            x.data_ptr(), y.data_ptr(), x.stride(0), row_of(x), first, count, channels, *ahead,
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
    taken = takes(x) and x.dim() == 4 and not ceiled
    shape = pooled_shape(x.shape, window, stride, padding, dilation) if taken else None
    if shape is None:
        return functional.max_pool2d(x, window, stride, padding, dilation, ceiled)
    y = empty(x, shape, True)
    run_pool("pool", x, y, None, window, (stride, padding, dilation))
    return y


def averaged(x: Tensor, window: tuple[int, int], stride: tuple[int, int]) -> Tensor:
    """Return the mean of each window of images, (batch, channels, height, width).

    Args:
        x: the images.
        window, stride: along both axes.
    """
    options = stride, (0, 0), (1, 1)
    shape = pooled_shape(x.shape, window, *options) if takes(x) and x.dim() == 4 else None
    if shape is None:
        return functional.avg_pool2d(x, window, stride)
    y = empty(x, shape, True)
    run_pool("pool", x, y, None, window, options, "MEAN=1")
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
    options: tuple[tuple[int, int], ...], *more: str,
) -> None:  # fmt: skip
    """Run a kernel of pool.cu, or begin to compile it for tensors without memory.

    Args:
        name: "pool" or "pool_gradient".
        x, y: images and the largest numbers of their windows, or the gradients.
        places: of the largest numbers, of 8 bits, dense with channels last.
        window: along both axes.
        options: stride, padding and dilation.
        more: other macros.
    """
    channels, written = x.shape[1], y if name == "pool" else x
    vector = vector_of(channels, row_of(x), x.stride(0))
    values = *window, *options[0], int(places is not None)
    words = "HIGH", "WIDE", "DOWN", "ACROSS", "PLACES"
    macros = [f"{word}={value}" for word, value in zip(words, values, strict=True)] + [*more]
    if isinstance(x, FakeTensor):
        _prepare(x, "pool.cu", None, f"VECTOR={vector}", *macros)
        return
    vector = aligned_vector(vector, x, y, places)
    rows, ordinal = written.numel() // channels, x.device.index
    argument = _POOL.pack(
        x.data_ptr(), y.data_ptr(), address_of(places), x.stride(0), row_of(x), rows, channels,
        *x.shape[2:], *y.shape[2:], *options[1], *options[2],
    )  # fmt: skip
    blocks = max(1, min(-(-rows * channels // vector // _THREADS), 16 * _BLOCKS))
    (kernel,) = kernels(ordinal, "pool.cu", (name,), x.dtype, None, f"VECTOR={vector}", *macros)
    launch(kernel, ordinal, (blocks, 1, 1), _THREADS, argument)


#: The function that writes pixels of another one's result, of the same arguments.
WRITERS: dict[object, Callable[..., Writer | None]] = {
    group_norm: norm_writer, repeated: repeat_writer,
}  # fmt: skip
