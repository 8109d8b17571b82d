"""Layers of norms: parameters that are not given, and the shapes of statistics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

import torch
from torch import Tensor

from ...autograd.layer import Layer
from ...autograd.layouts import like_image

if TYPE_CHECKING:
    from ...autograd.record import Results


def filled(
    layer: Layer, name: str, value: float, shape: Sequence[int], like: Tensor, kind: torch.dtype
) -> Tensor:
    """Return a parameter that a layer does not have: all ones, or all zeros."""
    key = (name, tuple(shape), like.device, kind)
    kept = layer.__dict__.setdefault("_filled", {})
    found = kept.get(key)
    if found is None:
        with torch.inference_mode(False):
            found = torch.full(tuple(shape), value, dtype=kind, device=like.device)
        if like.is_cuda:
            if torch.cuda.is_current_stream_capturing():
                return found  # it is filled when the graph runs, in the graph's memory
            torch.cuda.current_stream(like.device).synchronize()  # other streams read it, too
        kept[key] = found
    return found


def scale_of(scale: Tensor | None, bias: Tensor | None) -> Tensor | None:
    """Return a scale for PyTorch, whose second derivatives with a bias alone fail."""
    return torch.ones_like(bias) if scale is None and bias is not None else scale


def wide(x: Tensor) -> torch.dtype:
    """Return the data type of statistics."""
    return torch.float64 if x.dtype == torch.float64 else torch.float32


class Norm(Layer):
    """A norm or its gradients, over channels or, where `shape` is an option, over the last axes.

    Parameters that are not given are ones and zeros.
    """

    shape: ClassVar[tuple[int, ...] | None] = None
    #: The parameters that the operation needs.
    fills: ClassVar[tuple[str, ...]] = ("scale", "bias")

    def parameter(self, x: Tensor) -> tuple[tuple[int, ...], torch.dtype]:
        """Return the shape and the data type of parameters."""
        return (tuple(x.shape[1:2]), wide(x)) if self.shape is None else (self.shape, x.dtype)

    def statistic(self, x: Tensor) -> tuple[int, ...]:
        """Return the shape of a statistic."""
        if self.shape is None:
            return tuple(x.shape[1:2])
        own = len(self.shape)
        return (*x.shape[: x.dim() - own], *(1,) * own)

    def neutral(self, x: Tensor, scale: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Return a scale and a bias for it that change nothing."""
        shape, kind = self.parameter(x)
        kind = kind if scale is None else scale.dtype
        return filled(self, "scale", 1.0, shape, x, kind), filled(self, "bias", 0.0, shape, x, kind)

    def compute(self, *given: Tensor) -> Results:
        named = dict(zip(self.takes, given, strict=False))
        for name in self.fills:
            if name in named and named[name] is None:
                scale, bias = self.neutral(named["x"], named["scale"])
                named[name] = scale if name == "scale" else bias
        return self.operation()(*named.values(), *given[len(named) :])

    def fake(self, *given: Tensor) -> Results:
        named = dict(zip(self.takes, given, strict=False))
        x = named["x"]
        made = like_image(x) if self.images else torch.empty_like(x.contiguous())
        if self.gives == ("y",):
            return made
        shape, kind = self.statistic(x), wide(x)
        if self.gives[0] == "dx":
            shape, kind = self.parameter(x)
            kind = kind if named["scale"] is None else named["scale"].dtype
        return (made, *[x.new_empty(shape, dtype=kind) for _ in self.gives[1:]])


def has_other_types(x: Tensor, weight: Tensor | None, mean: Tensor | None) -> bool:
    """Return whether parameters are not float32, or float64 with such an input."""
    wanted = torch.float64 if x.dtype == torch.float64 else torch.float32
    return (weight is not None and weight.dtype != wanted) or (
        mean is not None and mean.dtype != wanted
    )
