"""The weights of a layer in 8 bits, and what its results are multiplied with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch

from ...autograd.layouts import formatted
from ..kernels.compiled import TYPES
from ..kernels.fold import collapsed, order_of

if TYPE_CHECKING:
    from ..parts import Part
    from ..weights import Weights
    from .kinds import Kind


def why_not(part: Part) -> str:
    """Return why the kernel does not take the weights of a part; "" where it does."""
    layer, norm = part.conv, part.norm
    source = layer.weight
    tensors = [source, layer.bias]
    if norm is not None:
        mean, variance = norm.running_mean, norm.running_var
        if mean is None or variance is None or mean.dtype != variance.dtype:
            return "its statistics have two data types"
        if None not in (norm.weight, norm.bias) and norm.weight.dtype != norm.bias.dtype:
            return "its norm has two data types"
        tensors += [mean, variance, norm.weight, norm.bias]
    for place, each in enumerate(tensors):
        if each is not None and each.dtype not in TYPES:
            return f"it has parameters of {each.dtype}"
        if place and each is not None and (each.dim() != 1 or each.stride(0) != 1):
            return "its parameters have gaps"
    order = order_of(source.shape, True)
    sizes, strides = ([get(axis) for axis in order[1:]] for get in (source.size, source.stride))
    if len(collapsed(sizes, strides)) > 2 or source.numel() >= 1 << 30:
        return "its filters have gaps"
    return ""


class NarrowWeights:
    """Filters of 8 bits, each row with a scale, and the factors and offsets of results.

    Attributes:
        layer, norm: the modules; norm may be None.
        kind: the data type.
        weight: the filters, with channels last; `Requantizing` writes them and both below.
        factors, offsets: what sums of products are multiplied with, and what is added then.
        factor, offset: what all factors, and all offsets, are multiplied with.
    """

    bias = None
    last = True
    parts: Sequence[Weights] = ()  # nothing to fold

    def __init__(self, part: Part, kind: Kind, factor: float, offset: float) -> None:
        """Make the memory."""
        self.layer, self.norm = part.conv, part.norm
        self.kind, self.factor, self.offset = kind, factor, offset
        source = self.layer.weight
        device, rows = source.device, source.shape[0]
        with torch.inference_mode(False):
            empty = torch.zeros(source.shape, dtype=torch.uint8, device=device)
            self.weight = formatted(empty, True).view(kind.dtype)
            self.factors = torch.zeros(rows, dtype=torch.float32, device=device)
            self.offsets = torch.zeros(rows, dtype=torch.float32, device=device)
