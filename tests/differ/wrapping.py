"""Modules around steps of a network: what users do with modules, beside calling them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.utils.checkpoint import checkpoint

__all__ = ["READING", "REENTRANT", "STATEFUL", "UNCAPTURED", "WRAPPERS", "has_calls"]

nn = torch.nn


class Wrapped(nn.Module):  # type: ignore[misc, name-defined]
    """A module whose calls are made in another way."""

    def __init__(self, inner: Any, call: Callable[[Any, Any], Any]) -> None:
        super().__init__()
        self.inner, self.call, self.count = inner, call, 0
        self.register_buffer("seen", torch.zeros((), dtype=torch.float64))

    def forward(self, x: Any) -> Any:
        return self.call(self, x)


def _checkpointed(own: Wrapped, x: Any) -> Any:
    return checkpoint(own.inner, x, use_reentrant=False)


def _by_another_backward(own: Wrapped, x: Any) -> Any:
    return checkpoint(own.inner, x, use_reentrant=True)


def _narrower(own: Wrapped, x: Any) -> Any:
    with torch.autocast(x.device.type, torch.bfloat16):
        return own.inner(x)


def _without_autocast(own: Wrapped, x: Any) -> Any:
    with torch.autocast(x.device.type, enabled=False):
        return own.inner(x.to(own.seen.dtype))


def _without_gradients(own: Wrapped, x: Any) -> Any:
    with torch.no_grad():
        y = own.inner(x.clone())
    return y + x if y.shape == x.shape else y


def _detached(own: Wrapped, x: Any) -> Any:
    y = own.inner(x.detach().clone())
    return y + x if y.shape == x.shape else y


def _counting(own: Wrapped, x: Any) -> Any:
    own.count += 1
    return own.inner(x) * own.count


def _remembering(own: Wrapped, x: Any) -> Any:
    own.seen.mul_(0.5).add_(x.detach().nan_to_num(0, 0, 0).clamp(-1, 1).sum())
    return own.inner(x) + own.seen.to(x.dtype) / 64


def _replacing(own: Wrapped, x: Any) -> Any:
    own.seen = own.seen + 0.25
    return own.inner(x) * own.seen.to(x.dtype)


def _deciding(own: Wrapped, x: Any) -> Any:
    return x if x.numel() and float(x.detach().float().abs().max()) > 1e30 else own.inner(x)


def _in_parts(own: Wrapped, x: Any) -> Any:
    return torch.cat([own.inner(each) for each in x.split(1)]) if len(x) else own.inner(x)


def _twice(own: Wrapped, x: Any) -> Any:
    return own.inner(x.clone()) + own.inner(x * 0.5)


def _of_other_shapes(own: Wrapped, x: Any) -> Any:
    y, other = own.inner(x), own.inner(x[..., 1:] if x.shape[-1] > 1 else x * 0.5)
    return y + other.mean(tuple(range(2, other.dim())), keepdim=True)


def _reading_weights(own: Wrapped, x: Any) -> Any:
    y = own.inner(x)
    for each in list(own.inner.parameters())[:1]:
        y = y * (1 + each.mean().to(y.dtype))
    return y


def _changing_what_it_read(own: Wrapped, x: Any) -> Any:
    given = x * 1.0
    y = own.inner(given)
    given = torch.relu(given) if torch.is_grad_enabled() else torch.relu_(given)
    return y + given if y.shape == given.shape else y * (1 + given.mean())


class _Squashed(nn.Module):  # type: ignore[misc, name-defined]
    """A parametrization of weights."""

    def forward(self, weight: Any) -> Any:
        return weight / (1 + weight.abs())


def _parametrized(inner: Any) -> Any:
    for each in list(inner.modules()):
        if isinstance(each, (nn.modules.conv._ConvNd, nn.Linear)) and "weight" in each._parameters:
            nn.utils.parametrize.register_parametrization(each, "weight", _Squashed())
    return inner


def _tensor_hook(own: Wrapped, x: Any) -> Any:
    y = own.inner(x)
    if y.requires_grad:
        y.register_hook(lambda dy: dy * 0.5)
    return y


def _plain(own: Wrapped, x: Any) -> Any:
    return own.inner(x)


def _hooked(register: str, hook: Callable[..., Any]) -> Callable[[Any], Wrapped]:
    def make(inner: Any) -> Wrapped:
        getattr(inner, register)(hook)
        return Wrapped(inner, _plain)

    return make


def _halved(_module: Any, grads: Any, *_more: Any) -> Any:
    return tuple([each if each is None else each * 0.5 for each in grads])


def has_calls(model: Any, calls: frozenset[Any]) -> bool:
    """Return whether a module in a model is called in one of some ways."""
    return any(getattr(each, "call", None) in calls for each in model.modules())


def _by(call: Callable[[Any, Any], Any]) -> Callable[[Any], Wrapped]:
    return lambda inner: Wrapped(inner, call)


#: Calls that change what later ones compute, in eval mode, too; that read numbers of the device on
#: the host, which no CUDA graph does; whose gradients Dynamo computes, and eager mode where x has one.
STATEFUL = frozenset({_counting, _remembering, _replacing})
READING = frozenset({_deciding})
REENTRANT = frozenset({_by_another_backward})

#: Calls whose gradients PyTorch does not capture: it reads the state of random numbers, or remembers
#: weights that autocast has cast on another stream.
UNCAPTURED = frozenset({_checkpointed, _by_another_backward, _narrower, _without_autocast})

#: Makers of the module of a step, by name; the first leaves it as it is.
WRAPPERS: dict[str, Callable[[Any], Any]] = {
    "plain": lambda inner: inner,
    "checkpointed": _by(_checkpointed),
    "by another backward": _by(_by_another_backward),
    "narrower": _by(_narrower),
    "without autocast": _by(_without_autocast),
    "without gradients": _by(_without_gradients),
    "detached": _by(_detached),
    "counting": _by(_counting),
    "remembering": _by(_remembering),
    "replacing": _by(_replacing),
    "deciding": _by(_deciding),
    "in parts": _by(_in_parts),
    "twice": _by(_twice),
    "of other shapes": _by(_of_other_shapes),
    "reading weights": _by(_reading_weights),
    "changing what it read": _by(_changing_what_it_read),
    "parametrized": _parametrized,
    "tensor hook": _by(_tensor_hook),
    "before": _hooked("register_forward_pre_hook", lambda _module, given: given[0] * 0.5),
    "after": _hooked("register_forward_hook", lambda _module, _given, y: y * 0.5),
    "gradient": _hooked("register_full_backward_hook", _halved),
    "gradient before": _hooked("register_full_backward_pre_hook", _halved),
}
