"""The weights of parts: folded with a norm, or those of the model itself."""

from __future__ import annotations

import ctypes
import math
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn
from torch._subclasses.fake_tensor import FakeTensor, unset_fake_temporarily

from ... import errors
from ..autograd.layouts import formatted
from ..autograd.switches import autocast_type

if TYPE_CHECKING:
    from torch.nn.modules.batchnorm import _BatchNorm
    from torch.nn.modules.conv import _ConvNd

    from .products import Matrix

    #: A layer, and the norm that follows it.
    Pair = tuple[_ConvNd | nn.Linear, _BatchNorm]


_NARROW = (torch.float16, torch.bfloat16)

#: Maximum numbers of a filter whose errors are to cancel, and of their shift as a share of them.
_MOST = 65536
_MOST_SHARE = 1 / 256

#: Numbers that are rounded at once, which bounds the memory for it.
_TOGETHER = 1 << 19

#: Maximum of a folded bias of 16 bits, in multiples of the weight and bias of the norm; and in
#: float16 the least of the largest number of a filter, and the weight of a norm that matters.
_MOST_BIAS, _LEAST, _LEAST_WEIGHT = 32, 2.0**-16, 2.0**-10


def rounded(wide: Tensor, dtype: torch.dtype) -> Tensor:
    """Return filters of float32 in 16 bits, so that the errors of each add up to about nothing.

    fold.cu computes the same bits, and says how.
    """
    rows = max(1, _TOGETHER // math.prod(wide.shape[1:]))
    return torch.cat([_rounded(each, dtype) for each in wide.split(rows)])


def _rounded(wide: Tensor, dtype: torch.dtype) -> Tensor:
    exact = wide.flatten(2) if wide.dim() > 2 else wide[..., None]
    exact = exact.permute(2, 0, 1).contiguous()  # each tap in one piece of memory
    sizes, is_zero = exact.abs(), exact == 0
    # Smaller numbers stay finite when they are moved. A GPU is not waited for to ask that.
    has_memory = exact.device.type == "cpu" and not isinstance(exact, FakeTensor)
    finite = has_memory and bool(sizes.amax() < torch.finfo(dtype).max / 2)
    if not finite:
        sizes.nan_to_num_(0.0, 0.0, 0.0)
    least = max(torch.finfo(dtype).tiny, 2.0**-90)  # below, errors have a size of their own
    exponents = torch.frexp(sizes.amax((0, 2)).clamp(least))[1]
    units = torch.ldexp(torch.ones_like(sizes[0, :, 0]), 27 - exponents)
    total = (sizes * (units / 256.0)[:, None]).round().long().sum((0, 2)) * 256

    def moved_by(share: Tensor) -> tuple[Tensor, Tensor]:
        """Return filters moved by a share of their size, and the errors of their sums."""
        carry, taps = torch.zeros_like(exact[0]), torch.empty_like(exact, dtype=dtype)
        start = exact - share[:, None] * sizes
        for each, moved, zero, made in zip(exact, start, is_zero, taps, strict=True):
            moved += carry
            made.copy_(torch.where(zero, each, moved))
            if not finite:
                made.copy_(torch.where(made.isfinite(), made, each.to(dtype)))
            torch.sub(moved, made.float(), out=carry)
            if not finite:
                carry.nan_to_num_(0.0, 0.0, 0.0)
        error = -(carry * units[:, None]).round().long().sum(1)
        shift = (share.double() * total.double()).round().long()
        return taps, error - shift

    taps, error = moved_by(torch.zeros_like(units))
    share = (error.float() / total.clamp(1).float()).clamp(-_MOST_SHARE, _MOST_SHARE)
    other, its = moved_by(share)
    worse = (its.abs() > error.abs())[:, None]  # many are alike
    return torch.where(worse, taps, other).permute(1, 2, 0).reshape(wide.shape)


def folded(layer: _ConvNd | nn.Linear, norm: _BatchNorm) -> tuple[Tensor, Tensor]:
    """Return the factors of filters, and the bias; the kernel computes the same bits."""
    scale = 1.0 / torch.sqrt(norm.running_var.double() + norm.eps)
    if norm.weight is not None:
        scale = scale * norm.weight.double()
    offset = -norm.running_mean.double()
    if layer.bias is not None:
        offset = offset + layer.bias.double()
    bias = offset * scale
    return scale, bias if norm.bias is None else bias + norm.bias.double()


def find_lossy(pairs: Sequence[Pair]) -> set[Pair]:
    """Return the layers with norms that 16 bits are too few for, if they are folded.

    Means cancel most of a bias then, or numbers of float16 are too large or too small. fold.cu asks
    the same of what it folds later, with twice the limits. Nothing is known of tensors without
    memory. All answers are read from the device at once. Under autocast both its data type and the
    layer's own have to do, since convolutions are folded in the one, and other layers in the other.

    Raises:
        CudnnError: the current stream is captured.
    """
    asked: dict[torch.device, list[tuple[Pair, Tensor]]] = {}
    with torch.no_grad(), unset_fake_temporarily():
        for pair in pairs:
            layer, norm = pair
            own, count = norm.running_var, norm.num_features
            if count not in (getattr(layer, "out_channels", 0), getattr(layer, "out_features", 0)):
                continue  # PyTorch will say so in its words
            if isinstance(own, FakeTensor) or own.is_meta:
                continue
            types = {layer.weight.dtype, autocast_type(layer.weight.device.type)}
            for dtype in types.intersection(_NARROW):
                refuse_captures(layer.weight.device)
                answer = _is_lossy(layer, norm, dtype)
                asked.setdefault(answer.device, []).append((pair, answer))
        answers = [torch.stack([each for _, each in found]).tolist() for found in asked.values()]
    return {
        pair
        for found, flags in zip(asked.values(), answers, strict=True)
        for (pair, _), flag in zip(found, flags, strict=True)
        if flag
    }


def _is_lossy(layer: _ConvNd | nn.Linear, norm: _BatchNorm, dtype: torch.dtype) -> Tensor:
    scale, bias = folded(layer, norm)
    weight = torch.ones_like(scale) if norm.weight is None else norm.weight.abs().double()
    size = weight if norm.bias is None else weight + norm.bias.abs().double()
    found = (bias.abs() > _MOST_BIAS * size).any()
    if dtype != torch.float16 or not layer.weight.numel():
        return found
    filters, most = layer.weight.detach(), torch.finfo(dtype).max / 2
    if getattr(layer, "transposed", False):
        filters = filters.unflatten(0, (layer.groups, -1)).transpose(1, 2).flatten(0, 1)
    largest = filters.abs().flatten(1).amax(1).double() * scale.abs()
    small = (largest < _LEAST) & (largest > 0) & (weight > _LEAST_WEIGHT)
    return found | (small | (largest > most) | (bias.abs() > most)).any()


def tell_of_losses(name: str) -> None:
    """Warn of calls that were over, maybe, before it was known that a norm was not to be folded."""
    warnings.warn(
        f"the fused {name} folded norms whose statistics changed so that 16 bits are too few for "
        "it: earlier results may have lost digits, later ones are computed without that",
        RuntimeWarning, stacklevel=4,
    )  # fmt: skip


def _is_captured() -> bool:
    return torch.cuda.is_available() and bool(torch.cuda.is_current_stream_capturing())


def refuse_changes() -> None:
    """Raise an error while the current stream is captured: what changed is not prepared anew."""
    if _is_captured():
        raise errors.CudnnError(
            "a fused model changed, and the stream is being captured",
            hint="call the model once before the capture",
        )


def refuse_captures(device: torch.device) -> None:
    """Raise an error while the current stream of a device is captured.

    Numbers cannot be read then, and what is written is there in none but the graph's own runs.
    """
    if device.type == "cuda" and _is_captured():
        raise errors.CudnnError(
            "a fused model is prepared for inputs of a new kind while the stream is captured",
            hint="call the model once with such inputs before the capture",
        )


def _aligned(tensor: Tensor) -> Tensor:
    """Return a tensor at an address that plans read; the same one where it is."""
    return tensor.clone() if tensor.data_ptr() % 16 else tensor


class Weights:
    """The filters and the bias of a layer, with its norm folded into them.

    Filters that need neither folding nor another layout, data type or address are the model's own
    memory.

    Attributes:
        layer, norm: the modules; norm may be None.
        last: whether filters have their channels last.
        weight, bias: what a part reads; bias may be None. Both stay where they are.
    """

    def __init__(
        self, layer: _ConvNd | nn.Linear, norm: _BatchNorm | None,
        dtype: torch.dtype | None = None, *, last: bool = False,
        into: tuple[Tensor, Tensor | None] | None = None, now: bool = True,
    ) -> None:  # fmt: skip
        """Fold.

        Args:
            layer, norm: the modules; norm may be None.
            dtype: of what a part reads; by default that of the filters.
            last: whether filters have their channels last.
            into: memory for the filters and the bias; by default what there is, or new memory.
            now: False if a folding runs before they are read: filters whose errors are to cancel
                take long, and are left to it.
        """
        self.layer, self.norm = layer, norm
        self._dtype = layer.weight.dtype if dtype is None else dtype
        self.last = last
        weight = layer.weight
        #: Whether the errors of filters are to cancel, as those of nearest numbers add up.
        self.cancels = (
            norm is not None and self._dtype in _NARROW
            and 0 < weight.numel() <= _MOST * weight.shape[0]
            and not getattr(layer, "transposed", False)
        )  # fmt: skip
        self._marks: Tensor | None = None
        self._largest: Tensor | None = None
        with torch.no_grad():
            found = None if now else self._memory()
            self.weight, self.bias = self._compute() if found is None else found
            if into is not None:
                into[0].copy_(self.weight)
                if into[1] is not None and self.bias is not None:
                    into[1].copy_(self.bias)
                self.weight, self.bias = into

    @property
    def parts(self) -> Sequence[Weights]:
        """Return what is folded for these."""
        return (self,)

    @property
    def is_derived(self) -> bool:
        """Return whether a part reads other memory than the model's."""
        pairs = ((self.weight, self.layer.weight), (self.bias, self.layer.bias))
        return any(
            own is not None and (given is None or own.data_ptr() != given.data_ptr())
            for own, given in pairs
        )

    def _memory(self) -> tuple[Tensor, Tensor] | None:
        """Return memory for what is folded later; None where shapes differ, or that is short."""
        weight, norm = self.layer.weight, self.norm
        if norm is None or not self.cancels or isinstance(weight, FakeTensor):
            return None
        given = (self.layer.bias, norm.running_mean, norm.running_var, norm.weight, norm.bias)
        if any(each is not None and each.shape != weight.shape[:1] for each in given):
            return None
        filters = torch.empty(weight.shape, dtype=self._dtype, device=weight.device)
        return formatted(filters, self.last), filters.new_empty(weight.shape[0])

    def _compute(self) -> tuple[Tensor, Tensor | None]:
        layer, norm = self.layer, self.norm
        weight, bias = layer.weight.detach(), layer.bias
        bias = None if bias is None else bias.detach()
        if norm is not None:
            wide = torch.float32 if weight.dtype in _NARROW else torch.float64
            scale, bias = folded(layer, norm)
            weight = weight.to(wide) * self._along(scale.to(wide), weight)
            if self._dtype in _NARROW:
                weight, bias = weight.float(), bias.float()
        weight = rounded(weight, self._dtype) if self.cancels else weight.to(self._dtype)
        weight = _aligned(formatted(weight, self.last))
        return weight, None if bias is None else _aligned(bias.to(self._dtype).contiguous())

    def _along(self, scale: Tensor, weight: Tensor) -> Tensor:
        """Return a number for each output channel in the shape of the filters."""
        axes = [1] * (weight.dim() - 1)
        if not getattr(self.layer, "transposed", False):
            return scale.view(-1, *axes)
        # Filters of each group of inputs are for the outputs of that group.
        groups = self.layer.groups
        each = scale.view(groups, 1, -1).expand(-1, weight.shape[0] // groups, -1)
        return each.reshape(weight.shape[0], -1, *axes[1:])

    def marks(self, count: int) -> Tensor:
        """Return the hashes of what ranges of the filters were folded from; 0 for nothing known."""
        if self._marks is None:
            with torch.inference_mode(False):  # it is written to later
                self._marks = torch.zeros(count, dtype=torch.long, device=self.weight.device)
        return self._marks

    def largest(self, count: int) -> Tensor:
        """Return the largest number of each channel in ranges of filters; infinity if not known."""
        if self._largest is None:
            with torch.inference_mode(False):
                self._largest = torch.full((count,), torch.inf, device=self.weight.device)
        return self._largest

    def refresh(self) -> None:
        """Fold again, into the same memory."""
        with torch.no_grad():
            if self._marks is not None:
                self._marks.zero_()
            weight, bias = self._compute()
            for own, now in ((self.weight, weight), (self.bias, bias)):
                if own is not None and now is not None and own.data_ptr() != now.data_ptr():
                    own.copy_(now)


class Losses:
    """Notes whether 16 bits are too few for norms that are folded anew.

    Attributes:
        flags: two numbers that the host reads while the device works; not 0 for too few.
    """

    def __init__(self, weights: Sequence[Weights]) -> None:
        """Begin with none.

        Args:
            weights: those that PyTorch folds; a kernel notes the others in the first flag.
        """
        self._asked = [
            each for each in weights if each.norm is not None and each.weight.dtype in _NARROW
        ]
        pinned = torch.cuda.is_available() and torch.cuda.is_initialized()
        with torch.inference_mode(False):
            self.flags = torch.zeros(2, dtype=torch.int32, pin_memory=pinned)
            #: Whether 16 bits ever were too few for what PyTorch folds.
            self._ever: Tensor | None = None
            if self._asked:
                device = self._asked[0].weight.device
                self._ever = torch.zeros((), dtype=torch.int32, device=device)
        self._read = (ctypes.c_int32 * 2).from_address(self.flags.data_ptr())

    def note(self) -> None:
        """Look at what PyTorch folds, without a wait."""
        found = [
            _is_lossy(e.layer, e.norm, e.weight.dtype) for e in self._asked if e.norm is not None
        ]
        if self._ever is not None:
            with torch.no_grad():
                self._ever.logical_or_(torch.stack(found).any())
                self.flags[1].copy_(self._ever, non_blocking=True)

    @property
    def are_there(self) -> bool:
        """Return whether something was noted."""
        return any(self._read)


class Joined:
    """The weights of linear layers with the same input, one after the other.

    Attributes:
        weight, bias: of all of them; bias may be None.
        parts: those of each.
    """

    def __init__(self, layers: Sequence[Matrix], dtype: torch.dtype | None) -> None:
        """Copy the weights to where they lie together."""
        first = layers[0].weight
        dtype = first.dtype if dtype is None else dtype
        counts = [each.weight.shape[0] for each in layers]
        self.weight = first.new_empty((sum(counts), first.shape[1]), dtype=dtype)
        self.bias = None if layers[0].bias is None else first.new_empty(sum(counts), dtype=dtype)
        weights = self.weight.split(counts)
        biases = [None] * len(counts) if self.bias is None else self.bias.split(counts)
        self.parts: Sequence[Weights] = [
            Weights(layer, None, dtype, into=(weight, bias))
            for layer, weight, bias in zip(layers, weights, biases, strict=True)
        ]
