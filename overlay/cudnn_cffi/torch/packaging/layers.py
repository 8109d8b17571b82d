"""Pooling layers of PyTorch as operations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import torch
from torch import Tensor, fx, nn
from torch.nn import functional

from ... import ops

_MAXIMA = (nn.MaxPool1d, nn.MaxPool2d, nn.MaxPool3d)
_MEANS = (nn.AvgPool1d, nn.AvgPool2d, nn.AvgPool3d)
_ADAPTIVE = (nn.AdaptiveAvgPool1d, nn.AdaptiveAvgPool2d, nn.AdaptiveAvgPool3d)

#: The layers that functions have in common, and the order of the arguments after the input.
_FUNCTIONS: dict[object, tuple[type[nn.Module], ...]] = {
    functional.max_pool2d: _MAXIMA[1:2],
    functional.avg_pool2d: _MEANS[1:2],
    functional.adaptive_avg_pool2d: _ADAPTIVE[1:2],
}


def pooling_of(
    node: fx.Node, layer: nn.Module | None, fakes: Mapping[fx.Node, object]
) -> tuple[fx.Node, ops.Pooling] | None:
    """Return the input of a pooling, and its operation; None for what is none that cuDNN has."""
    if not node.args or not isinstance(node.args[0], fx.Node):
        return None
    x = node.args[0]
    if layer is None:
        layer = _layer_of(node)
    like, made = fakes[x], fakes[node]
    if not isinstance(like, Tensor) or not isinstance(made, Tensor) or like.dim() < 4:
        return None
    count = like.dim() - 2
    if layer is None:
        return (x, ops.Pooling("average", tuple(like.shape[2:]))) if _is_mean(node, count) else None
    found = _pooling(layer, tuple(like.shape[2:]), tuple(made.shape[2:]), count)
    return None if found is None else (x, found)


def _is_mean(node: fx.Node, count: int) -> bool:
    """Return whether a function computes the mean of each channel."""
    if node.target not in (torch.mean, "mean") or len(node.args) > 3:
        return False
    axes = [*node.args[1:], node.kwargs.get("dim")][0]
    if not isinstance(axes, (tuple, list)) or node.kwargs.get("dtype") is not None:
        return False
    return sorted(int(each) % (count + 2) for each in axes) == list(range(2, count + 2))


def _layer_of(node: fx.Node) -> nn.Module | None:
    """Return the layer that computes what a function does."""
    kinds = _FUNCTIONS.get(node.target)
    if kinds is None or any(isinstance(each, fx.Node) for each in node.args[1:]):
        return None
    named = {key: value for key, value in node.kwargs.items() if value is not None}
    try:
        return kinds[0](*node.args[1:], **cast("dict[str, Any]", named))
    except TypeError:
        return None


def _pooling(
    layer: Any, before: tuple[int, ...], after: tuple[int, ...], count: int
) -> ops.Pooling | None:
    if type(layer) in _ADAPTIVE:
        if any(a % b for a, b in zip(before, after, strict=True)):
            return None
        window = tuple([a // b for a, b in zip(before, after, strict=True)])
        return ops.Pooling("average", window)
    if type(layer) in _MAXIMA:
        if layer.return_indices or _each(layer.dilation, count) != (1,) * count:
            return None
        kind = "max"
    elif type(layer) in _MEANS:
        if getattr(layer, "divisor_override", None) is not None:
            return None
        kind = "average" if layer.count_include_pad else "average_without_padding"
    else:
        return None
    window, stride, padding = (
        _each(each, count) for each in (layer.kernel_size, layer.stride, layer.padding)
    )
    return ops.Pooling(kind, window, stride, padding)


def _each(value: int | Sequence[int], count: int) -> tuple[int, ...]:
    return (value,) * count if isinstance(value, int) else tuple(value)
