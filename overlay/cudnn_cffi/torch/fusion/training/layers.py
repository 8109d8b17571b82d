"""Steps of a graph for training: convolutions with given weights, counters of batches."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn

from ...modules.base import CLASSES

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


def with_activation(norm: nn.Module, axes: int) -> nn.Module:
    """Return a norm with the same tensors that adds a residual and computes a ReLU, too."""
    made = copy.copy(norm)
    made.__class__ = CLASSES[f"BatchNormActivation{axes}d"]
    made.__dict__.pop("_layer", None)  # that of the norm alone
    return made
