"""The words of activations that nodes of a graph compute."""

from __future__ import annotations

from typing import Any, TypeAlias

import torch
from torch import fx, nn
from torch.nn import functional

#: A word of `building.ACTIVATIONS`, and its number.
Activation: TypeAlias = tuple[str, float | None]

#: Parts of names of functions whose results differ from call to call.
RANDOM = ("rand", "normal", "bernoulli", "multinomial", "dropout", "empty", "uniform", "poisson")

#: Functions and methods without further arguments, by their names.
_WORDS: dict[str, Activation] = {
    **dict.fromkeys(("relu", "relu_"), ("relu", None)),
    "relu6": ("clipped_relu", 6.0),
    **dict.fromkeys(("sigmoid", "sigmoid_"), ("sigmoid", None)),
    **dict.fromkeys(("tanh", "tanh_"), ("tanh", None)),
    "silu": ("swish", None),
}


def word_of(node: fx.Node, module: nn.Module | None) -> Activation | None:
    """Return the activation that a node computes: its word and number; None for none."""
    if node.op == "call_module":
        return _word_of_module(module)
    if node.op == "call_method":
        name = str(node.target)
        return _WORDS.get(name) if len(node.args) == 1 and not node.kwargs else None
    if node.op != "call_function":
        return None
    name = getattr(node.target, "__name__", "")
    if node.target not in (getattr(torch, name, None), getattr(functional, name, None)):
        return None
    rest = {key: value for key, value in node.kwargs.items() if key != "inplace"}
    if name == "gelu" and len(node.args) == 1 and set(rest) <= {"approximate"}:
        return ("gelu_tanh" if rest.get("approximate") == "tanh" else "gelu"), None
    if rest or len(node.args) > 2 or (len(node.args) == 2 and not isinstance(node.args[1], bool)):
        return None
    return _WORDS.get(name)


def _word_of_module(module: Any) -> Activation | None:
    kind = type(module)
    if kind.__module__.startswith("cudnn_cffi.torch."):  # they have PyTorch's names
        kind = getattr(nn, kind.__name__, nn.ReLU6 if isinstance(module, nn.ReLU6) else kind)
    if kind is nn.ReLU:
        return "relu", None
    if kind is nn.ReLU6 or (kind is nn.Hardtanh and module.min_val == 0):
        return "clipped_relu", float(module.max_val)
    if kind is nn.LeakyReLU:
        return "leaky_relu", float(module.negative_slope)
    if kind is nn.ELU:
        return "elu", float(module.alpha)
    if kind is nn.GELU:
        return ("gelu_tanh" if module.approximate == "tanh" else "gelu"), None
    plain = {nn.Sigmoid: "sigmoid", nn.Tanh: "tanh", nn.SiLU: "swish"}
    return (plain[kind], None) if kind in plain else None
