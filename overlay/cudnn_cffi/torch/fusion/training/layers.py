"""Steps of a graph for training: convolutions with given weights, counters of batches."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from ...autograd.batches import one_by_one
from ...autograd.states import is_eager
from ...autograd.switches import is_enabled
from ...modules.base import CLASSES
from ..kernels.compiled import NARROW

#: The buffer in which a batch norm counts batches.
_COUNTER = "num_batches_tracked"


class Convolving(nn.Module):
    """A convolution of parameters that were prepared: cast, for example."""

    def __init__(self, layer: Any) -> None:
        super().__init__()
        self.__dict__["layer"] = layer

    def forward(self, x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
        own = self.__dict__["layer"]
        found: Tensor = (own._layer or own._new_layer())(x, weight, bias)
        return found


class _Taken(torch.autograd.Function):
    """Takes elements of a tensor by their places, each once, and zeros in other places."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, places: Tensor, others: Tensor, back: Tensor) -> Tensor:
        ctx.save_for_backward(back)
        return torch.take(x, places).masked_fill_(others, 0)

    @staticmethod
    @one_by_one
    def backward(ctx: Any, dy: Tensor) -> tuple[Tensor | None, ...]:
        (back,) = ctx.saved_tensors
        return torch.take(dy, back), None, None, None


class Unshuffling(Convolving):
    """A convolution of few channels by steps of two, as one of four times as many by steps of one.

    Squares of 2 x 2 pixels are pixels of more channels, which engines compute several times as
    fast. Products and their sums are the same; zeros are added.
    """

    #: The channels of the inner convolution: engines need a multiple of eight.
    _CHANNELS = 16

    def __init__(self, layer: Any) -> None:
        super().__init__(layer)
        pairs = zip(layer.kernel_size, layer.padding, strict=True)
        taps = tuple([_Side(0, *each).taps for each in pairs])
        self.__dict__["inner"] = type(layer)(
            self._CHANNELS, layer.out_channels, taps, device="meta"
        )
        self._known: dict[torch.device, tuple[Tensor, ...]] = {}

    @classmethod
    def takes(cls, layer: Any) -> bool:
        """Return whether it can take the place of a layer."""
        own = type(layer) is CLASSES["Conv2d"] and not isinstance(layer.padding, str)
        return bool(
            own
            and 4 * layer.in_channels <= cls._CHANNELS
            and layer.groups == 1
            and tuple(layer.stride) == (2, 2)
            and tuple(layer.dilation) == (1, 1)
            and min(layer.kernel_size) > 1
        )

    def forward(self, x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
        sides = self._sides(x, weight)
        if not sides:
            return super().forward(x, weight, bias)
        inner, layer = self.__dict__["inner"], self.__dict__["layer"]
        for name in ("choose", "fallback"):
            if getattr(inner, name) != getattr(layer, name):
                setattr(inner, name, getattr(layer, name))
        given = _unshuffled(x, weight.dtype, sides), self._filter(weight, sides), bias
        found: Tensor = (inner._layer or inner._new_layer())(*given)
        return found

    def _sides(self, x: Tensor, weight: Tensor) -> tuple[_Side, ...]:
        """Return the sides of an image that it computes, or nothing."""
        layer, known = self.__dict__["layer"], self._known
        if not (
            x.is_cuda
            and x.dim() == 4
            and x.shape[1] == layer.in_channels
            and x.dtype in (torch.float32, weight.dtype)
            and weight.dtype in NARROW
            and not x.requires_grad
            and x.is_contiguous(memory_format=torch.channels_last)
            and is_eager(x)
            and is_enabled()
            and (weight.device in known or not torch.cuda.is_current_stream_capturing())
        ):
            return ()
        given = zip(x.shape[2:], layer.kernel_size, layer.padding, strict=True)
        sides = tuple([_Side(*each) for each in given])
        return sides if all(each.fits for each in sides) else ()

    def _filter(self, weight: Tensor, sides: tuple[_Side, ...]) -> Tensor:
        """Return the filter for pixels of more channels, with channels last."""
        known = self._known.get(weight.device)
        if known is None:
            count, channels = weight.shape[:2]
            high, wide = (each.taps for each in sides)
            pads = [
                zeros
                for each in reversed(sides)
                for zeros in (each.shift, 2 * each.taps - each.shift - each.kernel)
            ]
            numbers = torch.arange(weight.numel()).view(weight.shape)
            squares = nn.functional.pad(numbers, pads, value=-1)
            squares = squares.view(count, channels, high, 2, wide, 2).permute(0, 2, 4, 3, 5, 1)
            squares = squares.reshape(count, high, wide, 4 * channels)
            squares = nn.functional.pad(squares, (0, self._CHANNELS - 4 * channels), value=-1)
            found = squares.flatten()
            back = torch.empty(weight.numel(), dtype=torch.int64)
            back[found[found >= 0]] = (found >= 0).nonzero().flatten()
            places = squares.clamp(min=0), squares < 0, back.view(weight.shape)
            known = self._known[weight.device] = tuple([each.to(weight.device) for each in places])
        taken: Tensor = _Taken.apply(weight, *known)
        return taken.permute(0, 3, 1, 2)


class _Side(NamedTuple):
    """A side of an image and of a filter, in pixels, and the padding."""

    size: int
    kernel: int
    padding: int

    @property
    def shift(self) -> int:
        """Zeros before the filter, with which squares begin at the padding."""
        return self.padding % 2

    @property
    def taps(self) -> int:
        """The side of the filter in squares."""
        return (self.shift + self.kernel + 1) // 2

    @property
    def squares(self) -> int:
        """The side of the image in squares, with the padding."""
        return (self.size + 2 * self.padding - self.kernel) // 2 + self.taps

    @property
    def first(self) -> int:
        """The place of the image's first square."""
        return (self.padding + self.shift) // 2

    @property
    def fits(self) -> bool:
        """Whether the image consists of squares, which all have a place."""
        return self.size % 2 == 0 and 0 < self.size // 2 <= self.squares - self.first


def _unshuffled(x: Tensor, dtype: torch.dtype, sides: tuple[_Side, ...]) -> Tensor:
    """Return squares of pixels as pixels with more channels, with padding."""
    (count, channels), (high, wide) = x.shape[:2], (each.size // 2 for each in sides)
    made = x.new_zeros(
        (count, *[each.squares for each in sides], Unshuffling._CHANNELS), dtype=dtype
    )
    (top, left) = (each.first for each in sides)
    inner = made[:, top : top + high, left : left + wide, : 4 * channels]
    rows = x.permute(0, 2, 3, 1).view(count, high, 2, wide, 2 * channels).transpose(2, 3)
    inner.unflatten(3, (2, 2 * channels)).copy_(rows)
    return made.permute(0, 3, 1, 2)


class Multiplying(nn.Module):
    """A linear layer of parameters that were prepared."""

    def forward(self, x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
        return nn.functional.linear(x, weight, bias)


class Counting(nn.Module):
    """Counts a batch in all norms by one call."""

    def __init__(self, spaces: Sequence[dict[str, Any]]) -> None:
        super().__init__()
        found = Counter(id(each[_COUNTER]) for each in spaces)
        tensors = {id(each[_COUNTER]): each[_COUNTER] for each in spaces}
        self.__dict__["_tensors"] = list(tensors.values())
        self.__dict__["_steps"] = [found[each] for each in tensors]

    def forward(self) -> None:
        torch._foreach_add_(self.__dict__["_tensors"], self.__dict__["_steps"])


def counted_elsewhere(norm: nn.Module) -> nn.Module:
    """Return a batch norm with the same tensors that does not count batches."""
    made = copy.copy(norm)
    made.__dict__["_buffers"] = {**norm._buffers, _COUNTER: None}
    return made


def counts(norm: nn.Module) -> bool:
    """Return whether a batch norm counts batches, and needs no count itself."""
    own: Any = norm
    tracks = own.training and own.track_running_stats and own.momentum is not None
    return bool(tracks and own._buffers.get(_COUNTER) is not None)


def with_activation(norm: nn.Module, axes: int, keeps: bool) -> nn.Module:
    """Return a norm with the same tensors that adds a residual and computes a ReLU, too.

    Args:
        norm: the norm.
        axes: of space.
        keeps: whether the model adds in place, so that the sum keeps the data type.
    """
    made = copy.copy(norm)
    made.__class__ = CLASSES[f"BatchNormActivation{axes}d"]
    made.__dict__.pop("_layer", None)  # that of the norm alone
    made.__dict__["_keeps"] = keeps
    return made
