"""Activations that kernels compute, by the words of `ops.Activation`, and by PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import torch
from torch import Tensor
from torch.nn import functional

if TYPE_CHECKING:
    from ..trace.words import Activation

#: PyTorch's functions of x and of the number, in the order of `Activation` in numbers.cuh.
_FUNCTIONS: dict[str | None, Callable[[Tensor, float], Tensor]] = {
    None: lambda x, _: x,
    "relu": lambda x, _: functional.relu(x),
    "clipped_relu": lambda x, most: functional.hardtanh(x, 0.0, most),
    "swish": lambda x, _: functional.silu(x),
    "hard_swish": lambda x, _: functional.hardswish(x),
    "sigmoid": lambda x, _: torch.sigmoid(x),
    "hard_sigmoid": lambda x, _: functional.hardsigmoid(x),
    "gelu": lambda x, _: functional.gelu(x),
    "gelu_tanh": lambda x, _: functional.gelu(x, approximate="tanh"),
    "tanh": lambda x, _: torch.tanh(x),
    "leaky_relu": lambda x, slope: functional.leaky_relu(x, slope),
    "elu": lambda x, alpha: functional.elu(x, alpha),
}

#: The number in numbers.cuh of each activation.
NUMBERS = {word: place for place, word in enumerate(_FUNCTIONS)}


def number_of(word: Activation | None) -> float:
    """Return the number of an activation."""
    return 0.0 if word is None else word[1] or 0.0


def activated(x: Tensor, word: Activation | None) -> Tensor:
    """Return an activation of x, computed by PyTorch."""
    return _FUNCTIONS[word and word[0]](x, number_of(word))
