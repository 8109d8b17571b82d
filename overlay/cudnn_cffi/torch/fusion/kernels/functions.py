"""Functions that graphs call in the places of several of PyTorch's: one kernel each."""

from __future__ import annotations

import copy
import ctypes
import math
import struct
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import torch
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensor
from torch.nn import functional

from ...._support.recent import Recent
from ...autograd.switches import may_attend_efficiently
from .activations import NUMBERS, activated
from .compiled import NARROW, TYPES, Launch, Source, can_compile, source_of

if TYPE_CHECKING:
    from ....ops import Spec
    from ..trace.words import Activation

    #: Functions, each with what follows the first of its arguments.
    Chain: TypeAlias = Sequence[tuple[Callable[..., Tensor], tuple[Any, ...], Mapping[str, Any]]]

FollowerT = TypeVar("FollowerT", bound="Follower")
RunT = TypeVar("RunT", bound="Run")

#: Threads of a block, as in rows.cu.
THREADS = 128

#: The source of most kernels.
_ROWS = "rows.cu"

KINDS = {
    str(each).removeprefix("torch."): each
    for each in (torch.float16, torch.bfloat16, torch.float32)
}

#: The kernel of attention: its source, extent of heads, queries of a block, and maximum numbers of
#: keys and of blocks, from which on PyTorch's kernels are faster (H200).
_ATTENTION = "attention.cu"
_HEAD, _QUERIES, _MOST_KEYS, _MOST_BLOCKS = 64, 16, 256, 528

#: Keys of a warp, for so many blocks at most, which are there at once, and for more (H200).
_KEYS, _AT_ONCE, _MORE_KEYS = 16, 264, 32

#: Maximum numbers of queries and of keys for which PyTorch's own kernel with a mask is known to be
#: the faster one, and what rows of its masks begin at multiples of, in elements.
_MOST_MASKED, _GRAIN = 64, 16

#: The activations of gates, of `ops.Activation`.
WORDS = ("relu", "gelu", "swish", "gelu_tanh", "sigmoid", "tanh")

#: The numbers of the activations of rows.cu.
ACTIVATIONS = {word: NUMBERS[word] for word in (None, *WORDS)}


class Kernel:
    """A kernel of a source, which a thread compiles, and its blocks."""

    def __init__(
        self, source: Source, grid: tuple[int, int, int], shared: int = 0, cluster: int = 1,
        threads: int = THREADS, name: str = "made",
    ) -> None:  # fmt: skip
        """Take what it is launched with.

        Args:
            source: of `rows_of` or `prepare`.
            grid, shared, cluster, threads: as for `Launch`.
            name: as the source has it.
        """
        self._source, self._name = source, name
        self._grid, self._shared, self._cluster = grid, shared, cluster
        self._threads = threads
        self._launch: Launch | None = None

    def may_run(self) -> bool:
        """Return whether it can be launched now: it is not loaded while a stream is captured."""
        return may_run(self._source)

    def begin(self) -> None:
        """Begin to compile it, if that has not begun."""
        self._source.begin()

    def __call__(self, arguments: bytes, overlaps: bool = False) -> None:
        """Launch it, as `Launch` does."""
        if self._launch is None:
            function = self._source.kernel(self._name, self._shared)
            self._launch = Launch(
                function, self._source.ordinal, self._grid, self._threads,
                shared=self._shared, cluster=self._cluster,
            )  # fmt: skip
        self._launch(arguments, overlaps=overlaps)


class Follower:
    """A computation by one kernel.

    Attributes:
        overlaps: whether one of these ran before it in the stream, and nothing has written
            weights since. Then it begins before the kernel before it ends, and reads weights.
    """

    overlaps = False

    def following(self: FollowerT) -> FollowerT:
        """Return this for calls after one of these."""
        made = copy.copy(self)
        made.overlaps = True
        return made


class Run(Follower):
    """The computation of a part by one kernel.

    Attributes:
        pools: whether that of the max pooling after it, too.
    """

    pools = False
    _kernel: Kernel

    def may_run(self) -> bool:
        """Return whether the kernel can be launched now."""
        return self._kernel.may_run()

    def begin(self) -> None:
        """Begin to compile the kernel, if that waited until it is known what follows."""

    def followed_by(self, specs: Mapping[str, Spec], activation: Activation | None) -> Run | None:
        """Return what computes a product of its results, too, by the same kernel; None for none.

        It has to be `bound`, and returns both results.

        Args:
            specs: what x, w, bias and y of the product are; bias may be absent.
            activation: of the product, a word and its number.
        """
        return None

    def summed(self) -> Run | None:
        """Return what sums its results, too, over the pixels of places; None for none.

        It returns both: the sums are (images, places, channels), of float.
        """
        return None

    def bound(self: RunT, weight: Tensor, bias: Tensor | None) -> RunT:
        """Return this with the weights of the product of its results."""
        raise NotImplementedError


def aligned(tensor: Tensor) -> Tensor:
    """Return a tensor whose address is a multiple of 16 bytes."""
    return tensor.clone() if tensor.data_ptr() % 16 else tensor


def steps_of(image: Tensor | None) -> tuple[int, int, int]:
    """Return the strides of images, rows and columns."""
    return (0, 0, 0) if image is None else (image.stride(0), image.stride(2), image.stride(3))


def may_run(source: Source) -> bool:
    """Return whether a kernel of a source can be launched now."""
    return source.is_loaded or not torch.cuda.is_current_stream_capturing()


def prepare(
    ordinal: int, file: str, dtype: torch.dtype, word: str | None, *macros: str,
    begins: bool = True,
) -> Source:  # fmt: skip
    """Begin to compile a file for numbers of 16 bits, and return its kernels; see `source_of`.

    Args:
        ordinal: the device.
        file: its name.
        dtype: of the numbers.
        word: the activation, of `NUMBERS`.
        macros: others than TYPE and ACTIVATION, as NAME=VALUE.
        begins: as for `source_of`.
    """
    given = (f"TYPE={TYPES[dtype]}", f"ACTIVATION={NUMBERS[word]}", *macros)
    return source_of(ordinal, file, *[f"-D{each}" for each in given], begins=begins)


def kernels(
    ordinal: int, file: str, names: tuple[str, ...], dtype: torch.dtype, word: str | None,
    *macros: str,
) -> list[ctypes.c_void_p]:  # fmt: skip
    """Return kernels of a file of this folder; see `prepare`.

    Raises:
        NotSupportedError: they cannot be compiled.
    """
    source = prepare(ordinal, file, dtype, word, *macros)
    return [source.kernel(each) for each in names]


def launch(
    kernel: ctypes.c_void_p, ordinal: int, grid: tuple[int, int, int], threads: int,
    argument: bytes, shared: int = 0, *, overlaps: bool = False, cluster: int = 1,
) -> None:  # fmt: skip
    """Launch a kernel with one argument, in PyTorch's current stream of a device; see `Launch.put`.

    Raises:
        CudnnError: the driver refuses it.
    """
    made = Launch(kernel, ordinal, grid, threads, shared=shared, cluster=cluster)
    made(argument, overlaps=overlaps)


def rows_of(
    ordinal: int, dtype: torch.dtype, text: str, file: str = _ROWS, threads: int = THREADS
) -> Source:
    """Return the kernel of a line after a file, as "made"."""
    options = [f"-DTYPE={TYPES[dtype]}", "-DEXACT"]
    if file == _ROWS and threads != THREADS:
        options.append(f"-DTHREADS={threads}")
    return source_of(ordinal, file, *options, more=text)


def is_available(dtype: torch.dtype | None, ordinal: int | None, least: int) -> bool:
    """Return whether there are kernels for a data type, if a device has a capability at least."""
    if ordinal is None or dtype not in KINDS.values():
        return False
    if torch.cuda.get_device_capability(ordinal)[0] < least:
        return False
    return can_compile()


def _has_kernel(text: str, *tensors: Tensor, file: str = _ROWS) -> bool:
    """Return whether a kernel reads these: of one data type, 16 bytes at once.

    It begins to be compiled.
    """
    first = tensors[0]
    if not first.is_cuda or not is_available(first.dtype, first.device.index, 8):
        return False
    source = rows_of(first.device.index, first.dtype, text, file)
    if isinstance(first, FakeTensor):
        return False
    return (
        len({(each.dtype, each.device) for each in tensors}) == 1
        and all(each.numel() and each.data_ptr() % 16 == 0 for each in tensors)
        and may_run(source)
    )


def _run(text: str, like: Tensor, count: int, arguments: bytes) -> None:
    """Run a kernel whose threads do eight numbers each."""
    ordinal = like.device.index
    blocks = -(-count // (8 * THREADS))
    Kernel(rows_of(ordinal, like.dtype, text), (blocks, 1, 1))(arguments)


_MOVE, _ROTATE = "KERNEL(Move, move)", "KERNEL(Rotation, rotate)"


def _steps(tensor: Tensor, shape: Sequence[int]) -> list[int] | None:
    """Return the strides of all axes but the last; None where eight numbers lie apart."""
    wide = tensor.expand(shape)
    *steps, last = wide.stride()
    return steps if last == 1 and not any(each % 8 for each in steps) else None


def rotated(x: Tensor, cosine: Tensor, sine: Tensor) -> Tensor:
    """Return x cosine + (-second half of x, first half of x) sine.

    Args:
        x: heads of queries or keys, of four axes.
        cosine, sine: what fits x.
    """
    y = torch.empty_like(x)
    has_kernel = _has_kernel(_ROTATE, x, cosine, sine)
    if isinstance(x, FakeTensor):
        return y
    half = x.shape[-1] // 2
    steps = [_steps(each, x.shape) for each in (x, cosine, sine, y)]
    if half % 8 or None in steps or not has_kernel:
        turned = torch.cat((-x[..., half:], x[..., :half]), -1)
        return y.copy_(x * cosine + turned * sine)
    count = x.numel() // 2
    addresses = [each.data_ptr() for each in (x, cosine, sine, y)]
    numbers = [each for all_ in steps for each in all_ or ()]
    _run(_ROTATE, x, count, struct.pack(
        "4Q12qq3i4x", *addresses, *numbers, count, *x.shape[1:3], half,
    ))  # fmt: skip
    return y


def gated(x: Tensor, other: Tensor, word: str) -> Tensor:
    """Return activation(x) other.

    Args:
        x, other: of one shape.
        word: the activation, of `WORDS`.
    """
    y = x.new_empty(x.shape)
    text = f"KERNEL(Gate, gate<{ACTIVATIONS[word]}>)"
    columns = x.shape[-1]
    rows = [each.reshape(-1, columns) for each in (x, other)] if x.numel() else []
    has_kernel = bool(rows) and _has_kernel(text, *rows)
    if isinstance(x, FakeTensor):
        return y
    if columns % 8 or not has_kernel or None in [_steps(e, e.shape) for e in rows]:
        return y.copy_(activated(x, (word, None)) * other)
    addresses = [each.data_ptr() for each in (*rows, y)]
    steps = [each.stride(0) for each in rows]
    _run(text, x, y.numel(), struct.pack(
        "3Q3qi4x", *addresses, *steps, y.numel(), columns,
    ))  # fmt: skip
    return y


class Attending(Follower):
    """Computes softmax(scale q k^T) v, for few keys."""

    __name__ = "attended"

    def __init__(self, scale: float | None) -> None:
        """Take the scale; None for one over the root of the last extent."""
        self._scale = scale

    @staticmethod
    def takes(q: Tensor, k: Tensor, v: Tensor) -> bool:
        """Return whether the kernel is faster than others for tensors, (batch, heads, rows, 64)."""
        given = (q, k, v)
        if any(each.dim() != 4 or not each.numel() or not each.is_cuda for each in given):
            return False
        blocks = -(-q.shape[2] // _QUERIES) * q.shape[0] * q.shape[1]
        return (
            q.dtype in NARROW
            and len({(each.dtype, each.shape[:2], each.shape[3]) for each in given}) == 1
            and q.shape[3] == _HEAD
            and k.shape[2] == v.shape[2] <= _MOST_KEYS
            and blocks <= _MOST_BLOCKS
        )

    def __call__(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        """Return the result for tensors, (batch, heads, rows, columns); heads lie side by side."""
        batch, heads, rows, columns = q.shape
        grid = -(-rows // _QUERIES), batch * heads, 1
        keys = _KEYS if grid[0] * grid[1] <= _AT_ONCE else _MORE_KEYS
        warps = -(-k.shape[2] // keys)
        text = f"KERNEL({warps}, (attend<{columns}, {_QUERIES}, {keys}, {warps}>))"
        has_kernel = _has_kernel(text, q, k, v, file=_ATTENTION)
        y = q.new_empty((batch, rows, heads, columns)).transpose(1, 2)
        if isinstance(q, FakeTensor):
            return y
        steps = [_steps(each, each.shape) for each in (q, k, v, y)]
        if None in steps or not has_kernel or not self.takes(q, k, v):
            return y.copy_(functional.scaled_dot_product_attention(q, k, v, scale=self._scale))
        scale = columns**-0.5 if self._scale is None else self._scale
        addresses = [each.data_ptr() for each in (q, k, v, y)]
        numbers = [each for all_ in steps for each in all_ or ()]
        shared = warps * (keys * columns * 2 + _QUERIES * (columns + 8 + 2) * 4)
        source = rows_of(q.device.index, q.dtype, text, _ATTENTION)
        kernel = Kernel(source, grid, shared, threads=32 * warps)
        kernel(struct.pack(
            "4Q12q3if", *addresses, *numbers, rows, k.shape[2], heads, scale * math.log2(math.e),
        ), self.overlaps)  # fmt: skip
        return y


class Masking:
    """Computes softmax(scale q k^T + mask) v, for few keys, by a kernel of PyTorch's binaries.

    Left to itself, PyTorch has cuDNN compile one on Hopper, which takes a second or more for the
    first shape, and each call up to 3.4 times as long (H200, 49 keys).
    """

    __name__ = "masked"

    def __init__(self, scale: float | None) -> None:
        """Take the scale; None for one over the root of the last extent."""
        self._scale = scale

    @staticmethod
    def takes(q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> bool:
        """Return whether that kernel is the faster one, by shapes and data types."""
        given = (q, k, v)
        if any(each.dim() != 4 or not each.numel() or not each.is_cuda for each in given):
            return False
        return (
            q.dtype in NARROW
            and len({(each.dtype, each.device) for each in (*given, mask)}) == 1
            and len({(each.shape[:2], each.shape[3]) for each in given}) == 1
            and q.shape[3] % 8 == 0
            and max(q.shape[2], k.shape[2]) <= _MOST_MASKED
            and k.shape[2:3] == v.shape[2:3] == mask.shape[-1:]
            and torch.cuda.get_device_capability(q.device)[0] == 9
        )

    def __call__(self, q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> Tensor:
        """Return the result for tensors, (batch, heads, rows, columns); heads lie side by side."""
        (batch, heads, rows, _), columns, keys = q.shape, v.shape[3], k.shape[2]
        if isinstance(q, FakeTensor):
            return q.new_empty((batch, rows, heads, columns)).transpose(1, 2)
        if self.takes(q, k, v, mask) and not any(
            each.data_ptr() % 16 or _steps(each, each.shape) is None for each in (q, k, v)
        ):
            *steps, last = mask.stride()
            if last != 1 or any(each % _GRAIN for each in steps) or mask.data_ptr() % 32:
                mask = functional.pad(mask, (0, _GRAIN - keys % _GRAIN))[..., :keys]
            mask = mask.expand(batch, heads, rows, keys)
            if may_attend_efficiently(q, k, v, mask):
                result: Tensor = torch.ops.aten._scaled_dot_product_efficient_attention(
                    q, k, v, mask, False, scale=self._scale
                )[0]
                return result
        y = q.new_empty((batch, rows, heads, columns)).transpose(1, 2)
        return y.copy_(functional.scaled_dot_product_attention(q, k, v, mask, scale=self._scale))


class Moving:
    """Moves the elements of a tensor as a chain of functions does, and may add another tensor."""

    __name__ = "moved"

    def __init__(self, chain: Chain) -> None:
        """Take functions that move elements, each with what follows the first of its arguments."""
        self._chain = chain
        self._tables: dict[object, tuple[torch.Size, Tensor] | None] = Recent(8)

    def apply(self, x: Tensor) -> Tensor:
        """Return what the functions make of a tensor."""
        for function, args, kwargs in self._chain:
            x = function(x, *args, **kwargs)
        return x

    def __call__(self, x: Tensor, other: Tensor | None = None) -> Tensor:
        """Return the moved tensor, plus the other one, which has its shape."""
        others = () if other is None else (other.contiguous(),)
        has_kernel = _has_kernel(_MOVE, x, *others)
        if isinstance(x, FakeTensor):
            return x.new_empty(self.apply(x).shape)
        found = self._table(x) if has_kernel else None
        if found is None:
            made = self.apply(x)
            return (made if other is None else made + other).contiguous()
        shape, table = found
        y = x.new_empty(shape)
        addresses = [x.data_ptr(), *([each.data_ptr() for each in others] or [0]), y.data_ptr()]
        arguments = struct.pack("4Qq", *addresses, table.data_ptr(), table.numel())
        _run(_MOVE, x, y.numel(), arguments)
        return y

    def _table(self, x: Tensor) -> tuple[torch.Size, Tensor] | None:
        """Return the shape of the result, and where each eight numbers of it are; or None."""
        key = x.shape, x.stride(), x.device
        found = self._tables.get(key)
        if found is None and key not in self._tables:
            if torch.cuda.is_current_stream_capturing():
                return None
            found = self._tables[key] = self._new_table(x)
        return found

    def _new_table(self, x: Tensor) -> tuple[torch.Size, Tensor] | None:
        pairs = zip(x.shape, x.stride(), strict=True)
        count = 1 + sum((size - 1) * step for size, step in pairs)
        # Zeros are what does not come from the tensor.
        places = torch.arange(1, count + 1, device=x.device).as_strided(x.shape, x.stride())
        made = self.apply(places)
        if made.shape[-1] % 8 or count >= 1 << 34:
            return None
        vectors = made.reshape(-1, 8)
        begins = vectors[:, 0]
        steps = (begins > 0)[:, None] * torch.arange(8, device=x.device)
        whole = (vectors == begins[:, None] + steps).all() & ((begins - 1).relu() % 8 == 0).all()
        if not whole:
            return None
        return made.shape, torch.where(begins > 0, (begins - 1) // 8, -1).int()
