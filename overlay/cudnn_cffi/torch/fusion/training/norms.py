"""Batch norm in training with an addition and an activation, and its gradients, by kernels.

Kernels take images of 16 bits with channels last; modules compute all others.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from ...._support.recent import Recent
from ...autograd.batches import one_by_one
from ...autograd.states import is_eager, updated
from ...autograd.switches import autocast_type, is_enabled, is_grad_on
from ..kernels.activations import activated, number_of
from ..kernels.compiled import NARROW, Launch, Source, can_compile
from ..kernels.functions import prepare

if TYPE_CHECKING:
    from ..trace.words import Activation

#: The activations of training.cu.
WORDS = frozenset({"relu", "clipped_relu", "swish", "hard_swish"})

_ALL = struct.Struct("17Qq2i3f4x")

#: Channels of a vector, and threads of a block.
VECTOR, _THREADS = 8, 256

#: Blocks that fill a multiprocessor, and the fewest rows of a thread.
_BLOCKS, _ROWS, _BLOCKS_OF_ROWS = 2, 4, 3


class Kind(NamedTuple):
    """The constants that kernels are compiled for."""

    ordinal: int
    dtype: torch.dtype
    word: str | None
    adds: bool
    layers: bool = False


def begin(kind: Kind, channels: int) -> Source:
    """Begin to compile the kernels for a number of channels, once."""
    columns, wide = _columns(channels)
    return prepare(
        kind.ordinal, "training.cu", kind.dtype, kind.word, f"ADDS={int(kind.adds)}",
        f"COLUMNS={columns}", f"WIDE={wide}", f"LAYERS={int(kind.layers)}",
    )  # fmt: skip


class Kernels:
    """The kernels of a norm, for images of a shape."""

    def __init__(self, kind: Kind, rows: int, channels: int) -> None:
        """Begin to compile them."""
        self.kind, self.rows, self.channels = kind, rows, channels
        processors = _processors(kind.ordinal)
        blocks, (columns, wide) = _BLOCKS * processors, _columns(channels)

        def grid(width: int) -> tuple[int, int, int]:
            """Return the pieces of rows, and the tiles of `width` vectors."""
            tiles = -(-channels // (VECTOR * width))
            least = -(-rows // (_THREADS // width * _ROWS))
            return max(1, min(blocks // tiles, least)), tiles, 1

        self.pieces = grid(columns)[0]
        names = (*OF_ROWS, SUMS) if kind.layers else (*_FORWARD, *_BACKWARD)
        grids = {"normalize": grid(wide), "gradient": grid(wide)}
        grids |= dict.fromkeys(OF_ROWS, (_BLOCKS_OF_ROWS * processors, 1, 1))
        self._grids = {each: grids.get(each, grid(columns)) for each in names}
        self._source = begin(kind, channels)
        self._launches: dict[str, Launch] = {}

    def may_run(self) -> bool:
        """Return whether they can be launched now: none is loaded while a stream is captured."""
        return bool(self._launches) or not torch.cuda.is_current_stream_capturing()

    def run(self, names: Sequence[str], arguments: bytes) -> None:
        """Launch kernels, one after the other.

        Raises:
            NotSupportedError: they cannot be compiled.
        """
        if not self._launches:
            self._launches = {
                each: Launch(self._source.kernel(each), self.kind.ordinal, grid, _THREADS)
                for each, grid in self._grids.items()
            }
        for each in names:
            self._launches[each](arguments, overlaps=each in _SECOND)


SUMS = "sums"
_FORWARD, _BACKWARD = ("statistics", "normalize"), (SUMS, "gradient")
_SECOND = frozenset({_FORWARD[1], _BACKWARD[1]})
OF_ROWS = "normalize_rows", "gradient_rows"


@cache
def _processors(ordinal: int) -> int:
    return int(torch.cuda.get_device_properties(ordinal).multi_processor_count)


def columns_of(channels: int, counts: tuple[int, ...] = (8, 4)) -> int:
    """Return how many vectors of channels a block has: those that leave fewer threads idle."""
    vectors = channels // VECTOR
    return min(counts, key=lambda each: -(-vectors // each) * each)


def _columns(channels: int) -> tuple[int, int]:
    """Return the vectors of a block that reduces, and of others."""
    return columns_of(channels), columns_of(channels, (32, 16, 8, 4))


def tiles_of(channels: int) -> int:
    """Return how many tiles of channels there are: as many tickets are needed."""
    return -(-channels // (VECTOR * columns_of(channels)))


class _Norm(torch.autograd.Function):
    """Computes activation(batch_norm(x) + residual)."""

    @staticmethod
    def forward(
        ctx: Any, own: Kernels, epsilon: float, momentum: float, number: float, start: int,
        running: tuple[Tensor | None, Tensor | None], x: Tensor, weight: Tensor | None,
        bias: Tensor | None, residual: Tensor | None, zeros: Tensor,
    ) -> Tensor:  # fmt: skip
        y = torch.empty_like(x)
        mean, inverse = x.new_empty((2, own.channels), dtype=torch.float32)
        parts = x.new_empty(2 * own.pieces * own.channels, dtype=torch.float32)
        mask = None
        if own.kind.adds and own.kind.word is not None:
            mask = x.new_empty(x.numel() // VECTOR, dtype=torch.uint8)
        arguments = packed(
            own, (epsilon, momentum, number), zeros.data_ptr() + 4 * start, x=x,
            residual=residual, weight=weight, bias=bias, mean=mean, inverse=inverse,
            running_mean=running[0], running_variance=running[1], parts=parts, y=y, mask=mask,
        )  # fmt: skip
        own.run(_FORWARD, arguments)
        updated(*running)
        ctx.own, ctx.numbers, ctx.start = own, (epsilon, momentum, number), start
        ctx.is_fresh = mask is not None  # whether the gradient of the residual is new memory
        ctx.save_for_backward(x, weight, bias, mean, inverse, mask, zeros)
        return y

    @staticmethod
    @one_by_one
    def backward(ctx: Any, dy: Tensor) -> tuple[Tensor | None, ...]:
        x, weight, bias, mean, inverse, mask, zeros = ctx.saved_tensors
        own, needs = ctx.own, ctx.needs_input_grad[6:10]
        if is_grad_on():
            return *[None] * 6, *_again(ctx, dy, x, weight, bias, mask), None
        # Hooks may have kept x elsewhere.
        x, dy = (
            each if is_dense_image(each) else each.clone(memory_format=torch.channels_last)
            for each in (x, dy)
        )
        dx = torch.empty_like(x)
        dresidual = torch.empty_like(x) if needs[3] and mask is not None else None
        dweight, dbias = (x.new_empty(own.channels, dtype=torch.float32) for _ in range(2))
        parts = x.new_empty(2 * own.pieces * own.channels, dtype=torch.float32)
        arguments = packed(
            own, ctx.numbers, zeros.data_ptr() + 4 * ctx.start, x=x, dy=dy, weight=weight,
            bias=bias, mean=mean, inverse=inverse, dweight=dweight, dbias=dbias, parts=parts, dx=dx,
            dresidual=dresidual, mask=mask,
        )  # fmt: skip
        own.run(_BACKWARD if needs[0] or dresidual is not None else _BACKWARD[:1], arguments)
        found = dx, dweight, dbias, dy if mask is None else dresidual
        return (
            *[None] * 6, *[each if need else None for each, need in zip(found, needs, strict=True)],
            None,
        )  # fmt: skip


_NAMED = (
    "x", "dy", "residual", "weight", "bias", "mean", "inverse", "running_mean", "running_variance",
    "dweight", "dbias", "parts", "y", "dx", "dresidual", "mask",
)  # fmt: skip
_PLACE_OF_TICKETS = _NAMED.index("parts") + 1


def packed(
    own: Kernels, numbers: tuple[float, ...], tickets: int, **tensors: Tensor | None
) -> bytes:
    """Return the argument of the kernels."""
    addresses = [0 if (at := tensors.get(name)) is None else at.data_ptr() for name in _NAMED]
    addresses.insert(_PLACE_OF_TICKETS, tickets)
    return _ALL.pack(*addresses, own.rows, own.channels, own.pieces, *numbers)


def _again(
    ctx: Any, dy: Tensor, x: Tensor, weight: Tensor | None, bias: Tensor | None,
    mask: Tensor | None,
) -> list[Tensor | None]:  # fmt: skip
    """Return gradients that have gradients themselves, by PyTorch."""
    needs, own = ctx.needs_input_grad[6:10], ctx.own
    with torch.enable_grad():
        if mask is not None:
            bits = mask[:, None] >> torch.arange(VECTOR, device=x.device, dtype=torch.uint8) & 1
            count, channels, *sides = x.shape
            dy = dy * bits.view(count, *sides, channels).permute(0, 3, 1, 2).bool()
        given = [each if each is None else each.view_as(each) for each in (x, weight, bias)]
        y = functional.batch_norm(given[0], None, None, *given[1:], True, 0.0, ctx.numbers[0])
        if not own.kind.adds and own.kind.word is not None:
            y = activated(y, (own.kind.word, ctx.numbers[2]))
        wanted = [each for each, need in zip(given, needs, strict=False) if need]
        found = iter(torch.autograd.grad(y, wanted, dy, create_graph=True) if wanted else ())
    return [*[next(found) if need else None for need in needs[:3]], dy if needs[3] else None]


class Normalizing(nn.Module):
    """A batch norm in training, with an addition and an activation after it."""

    def __init__(
        self, norm: nn.Module, word: Activation | None, start: int, *, has_word: bool
    ) -> None:
        """Take the place of a module.

        Args:
            norm: a batch norm, which computes what the kernels do not take.
            word: the activation.
            start: the first of its tickets.
            has_word: whether `norm` computes addition and activation, too.
        """
        super().__init__()
        own: Any = self.__dict__
        own["norm"], own["word"], own["start"], own["has_word"] = norm, word, start, has_word
        self._known: Recent[Any, Kernels] = Recent(32)

    def forward(self, x: Tensor, zeros: Tensor, residual: Tensor | None = None) -> Tensor:
        own = self.__dict__
        norm, word = own["norm"], own["word"]
        kernels = self._kernels(x, zeros, residual)
        found = None if kernels is None else norm._prepared(x)
        if kernels is not None and found is not None:
            weight, bias, *running, _ = found
            y: Tensor = _Norm.apply(
                kernels, norm.eps, norm.momentum or 0.0, number_of(word), own["start"],
                tuple(running), x, weight, bias, residual, zeros,
            )  # fmt: skip
            return y
        if own["has_word"]:
            return norm(x) if residual is None else norm(x, residual)
        y = norm(x)
        return activated(y if residual is None else y + residual, word)

    def _kernels(self, x: Tensor, zeros: Tensor, residual: Tensor | None) -> Kernels | None:
        """Return the kernels for an image; None where they do not take it."""
        norm, word = self.__dict__["norm"], self.__dict__["word"]
        if not _is_taken(x, norm) or zeros.device != x.device:
            return None
        adds = residual is not None
        if residual is not None and (
            residual.dtype != x.dtype or residual.shape != x.shape or not is_dense_image(residual)
        ):
            return None
        channels = x.shape[1]
        key = x.device.index, x.dtype, x.numel() // channels, channels, adds
        found = self._known.get(key)
        if found is None:
            kind = Kind(x.device.index, x.dtype, None if word is None else word[0], adds)
            found = self._known[key] = Kernels(kind, x.numel() // channels, channels)
        return found if found.may_run() else None


def is_dense_image(x: Tensor) -> bool:
    """Return whether an image has channels last, without gaps, where 16 bytes are read at once."""
    return is_readable(x) and x.is_contiguous(memory_format=torch.channels_last)


def is_readable(x: Tensor) -> bool:
    """Return whether kernels can read 16 bytes at once, and those are the numbers of a tensor."""
    return bool(x.data_ptr() % 16 == 0 and not x.is_neg())


def is_on_device(x: Tensor) -> bool:
    """Return whether kernels can read a tensor."""
    return bool(x.is_cuda)


def are_float32(x: Tensor, *parameters: Tensor | None) -> bool:
    """Return whether parameters are None, or float32 on the device of x, without gaps."""
    return all(
        each is None
        or (each.dtype == torch.float32 and each.device == x.device and each.is_contiguous())
        for each in parameters
    )


def _is_taken(x: Tensor, norm: Any) -> bool:
    """Return whether the kernels may compute a norm in training of an image."""
    return (
        is_on_device(x)
        and is_eager(x)
        and is_enabled()
        and x.dtype in NARROW
        and x.dim() == 4
        and x.shape[1] == norm.num_features
        and x.shape[1] % VECTOR == 0
        and x.numel() > x.shape[1]
        and is_dense_image(x)
        and (norm.momentum is not None or not norm.track_running_stats)
        and norm.eps >= 0
        and are_float32(x, *norm._weight_and_bias(), *norm._statistics())
        and can_compile()
    )


class Zeros(nn.Module):
    """Returns zeros for the tickets of all norms: kernels leave zeros, and calls share none.

    Attributes:
        kinds: the norms' activations, whether they add, and channels. Their kernels begin to be
            compiled here, since the first step waits for each otherwise.
    """

    def __init__(self, norms: Sequence[nn.Module], count: int) -> None:
        super().__init__()
        self.__dict__["_norms"], self.count = list(norms), count
        self.kinds: set[tuple[str | None, bool, int]] = set()
        self._begun: set[object] = set()

    def forward(self) -> Tensor:
        spaces = [{**each._parameters, **each._buffers} for each in self.__dict__["_norms"]]
        tensors = (each for space in spaces for each in space.values() if each is not None)
        device = next((each.device for each in tensors if each.is_cuda), torch.device("cpu"))
        if device.index is not None:
            self._begin(device.index, autocast_type(device.type))
        return torch.zeros(self.count, dtype=torch.int32, device=device)

    def _begin(self, ordinal: int, dtype: torch.dtype | None) -> None:
        if (ordinal, dtype) in self._begun:
            return
        self._begun.add((ordinal, dtype))
        if dtype in NARROW and can_compile() and is_enabled():
            for word, adds, channels in self.kinds:
                if channels % VECTOR == 0:
                    begin(Kind(ordinal, dtype, word, adds), channels)


#: The class of nodes of autograd, whose `is_fresh` says whether the gradient of a residual is new.
NODE: Any = _Norm._backward_cls
