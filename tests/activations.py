"""The activations of `ops`, by PyTorch."""

from __future__ import annotations

from typing import Any

from cudnn_cffi import ops
from cudnn_cffi._operation.functions import FUNCTIONS
from cudnn_cffi.ops.element.activation import ACTIVATIONS

#: The functions that compute one activation, but the copy.
WORDS = tuple(
    [
        name
        for name, made in FUNCTIONS.items()
        if made.cls is ops.Activation and made.fixed and name != "identity"
    ]
)

#: The activations of classic functions that take no number.
CLASSIC = ("relu", "sigmoid", "tanh", "elu", "swish")


def activate(word: str, x: Any, number: float | None = None) -> Any:
    """Apply an activation to each element; without a number by its default."""
    import torch

    f = torch.nn.functional
    coefficient = ACTIVATIONS[word].coefficient
    n: Any = coefficient[1] if number is None and coefficient is not None else number
    return {
        "relu": lambda: torch.relu(x),
        "clipped_relu": lambda: f.hardtanh(x, 0.0, float(n)),
        "leaky_relu": lambda: f.leaky_relu(x, n),
        "sigmoid": lambda: torch.sigmoid(x),
        "tanh": lambda: torch.tanh(x),
        "elu": lambda: f.elu(x, n),
        "swish": lambda: x * torch.sigmoid(n * x),
        "silu": lambda: x * torch.sigmoid(n * x),
        "softplus": lambda: f.softplus(x, n),
        "gelu": lambda: f.gelu(x),
        "gelu_tanh": lambda: f.gelu(x, approximate="tanh"),
    }[word]()
