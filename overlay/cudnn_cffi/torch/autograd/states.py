"""States of a call in PyTorch: tensors are traced, wrapped, or elsewhere than for cuDNN."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.autograd import forward_ad
from torch.utils.weak import WeakTensorKeyDictionary

from .sharing import is_dynamo
from .switches import lower_type, traced

__all__ = [
    *("are_plain", "cast", "changed", "is_eager", "is_elsewhere", "is_empty", "is_transformed"),
    *("need", "updated"),
]

_PLAIN = (torch.Tensor, torch.nn.Parameter)
_PLAIN_OR_NONE = frozenset({*_PLAIN, type(None)})
_dispatch_modes = torch._C._len_torch_dispatch_stack
_transforms = torch._C._are_functorch_transforms_active

#: Has PyTorch count that cuDNN wrote to a tensor: what a gradient has saved is known to be stale.
changed = torch.autograd.graph.increment_version

#: Running statistics that gradients of inference need.
_needed = WeakTensorKeyDictionary()


def need(*statistics: Tensor) -> None:
    """Note that a gradient needs running statistics as they are now."""
    for each in statistics:
        _needed[each] = True


def updated(*statistics: Tensor | None) -> None:
    """Have PyTorch count an update of running statistics that gradients of inference need.

    It counts none itself, and its batch norms keep them for gradients in training, too, which do
    not need them.
    """
    for each in statistics if _needed else ():
        if each is not None and each in _needed:
            changed(each)


def is_eager(x: Tensor) -> bool:
    """Return whether a tensor is neither traced nor wrapped, and nothing looks at calls."""
    return not (
        type(x) not in _PLAIN
        or is_dynamo()
        or _dispatch_modes()
        or _transforms()
        or traced()
        or forward_ad._current_level >= 0
    )


def are_plain(given: Sequence[object]) -> bool:
    """Return whether no tensor among arguments is of a class that may compute in its own way."""
    return _PLAIN_OR_NONE.issuperset(map(type, given)) or all(
        type(each) in _PLAIN or not isinstance(each, Tensor) for each in given
    )


def is_transformed() -> bool:
    """Return whether PyTorch computes more of a call than its result, such as a derivative."""
    return bool(_transforms() or traced() or forward_ad._current_level >= 0)


def is_elsewhere(x: Tensor) -> bool:
    """Return whether a tensor is where cuDNN cannot compute it."""
    return not x.is_cuda


def is_empty(given: Sequence[object]) -> bool:
    """Return whether a tensor among arguments has no elements."""
    return any(isinstance(each, Tensor) and not each.numel() for each in given)


def cast(given: tuple[Tensor, ...], casts: str) -> tuple[Tensor, ...]:
    """Return tensors of the types that autocast wants."""
    if casts == "lower":
        target = lower_type()
    elif casts == "float32":
        target = torch.float32
    else:
        kinds = [e.dtype for e in given if isinstance(e, Tensor) and e.is_floating_point()]
        target = torch.float32 if torch.float32 in kinds or not kinds else kinds[0]
    return tuple(
        [
            each.to(target)
            if isinstance(each, Tensor)
            and each.is_cuda
            and each.is_floating_point()
            and each.dtype not in (target, torch.float64)
            else each
            for each in given
        ]
    )
