"""Weights in the data type of autocast: a few calls cast all of them, and their gradients."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import torch
from torch import Tensor, nn

from ...autograd.batches import one_by_one
from ...autograd.states import is_eager
from ...autograd.switches import autocast_type, is_grad_on
from ..kernels.compiled import NARROW, can_compile
from ..kernels.functions import launch, prepare
from .norms import is_on_device, is_readable

#: Number of elements from which on a group of weights is closed: gradients of a group are there
#: when the last one is, and those that send them to other processes wait for it.
_GROUP = 1 << 22


class _Cast(torch.autograd.Function):
    """Casts weights by one call, and their gradients by another one."""

    @staticmethod
    def forward(ctx: Any, dtype: torch.dtype, *weights: Tensor) -> tuple[Tensor, ...]:
        ctx.dtypes = [each.dtype for each in weights]
        ctx.set_materialize_grads(False)
        return _cast([each.detach() for each in weights], [dtype] * len(weights))

    @staticmethod
    @one_by_one
    def backward(ctx: Any, *grads: Tensor | None) -> tuple[Tensor | None, ...]:
        pairs = list(zip(grads, ctx.dtypes, strict=True))
        if is_grad_on():  # they have gradients themselves
            return None, *[each if each is None else each.to(kind) for each, kind in pairs]
        known = [(each, kind) for each, kind in pairs if each is not None]
        found = iter(_cast([each for each, _ in known], [kind for _, kind in known]))
        return None, *[each if each is None else next(found) for each in grads]


def _cast(tensors: Sequence[Tensor], dtypes: Sequence[torch.dtype]) -> tuple[Tensor, ...]:
    """Return tensors in other data types, with the strides that they have."""
    pairs = zip(tensors, dtypes, strict=True)
    made = [torch.empty_like(each, dtype=kind) for each, kind in pairs]
    if made and not _cast_by_kernel(tensors, made):
        torch._foreach_copy_(made, list(tensors))
    return tuple(made)


def _cast_by_kernel(tensors: Sequence[Tensor], made: Sequence[Tensor]) -> bool:
    """Cast tensors to others by a kernel; return False where it does not take them."""
    kinds = {(one.dtype, other.dtype, one.device) for one, other in zip(tensors, made, strict=True)}
    if len(kinds) > 1:
        return False
    ((kind, other, device),) = kinds
    narrower = kind if kind in NARROW else other
    if {kind, other} != {narrower, torch.float32} or narrower not in NARROW:
        return False
    if not is_on_device(tensors[0]) or not can_compile():
        return False
    for one, two in zip(tensors, made, strict=True):
        if one.stride() != two.stride() or not 0 < one.numel() < 1 << 30 or not is_readable(one):
            return False
    source = prepare(device.index, "casts.cu", narrower, None, f"WIDENS={int(kind == narrower)}")
    if not source.is_loaded and torch.cuda.is_current_stream_capturing():
        return False
    kernel = source.kernel("casts")
    for begin in range(0, len(made), _MOST):
        some = [each[begin : begin + _MOST] for each in (tensors, made)]
        sizes = [each.numel() for each in some[0]]
        *first, blocks = accumulate([-(-size // _CHUNK) for size in sizes], initial=0)
        gap = [0] * (_MOST - len(sizes))
        addresses = [[each.data_ptr() for each in tensors_] + gap for tensors_ in some]
        argument = _CASTS.pack(*addresses[0], *addresses[1], *first, *gap, *sizes, *gap, len(sizes))
        launch(kernel, device.index, (blocks, 1, 1), 256, argument)
    return True


#: Arrays of a launch of casts.cu, elements of a block, and the argument.
_MOST, _CHUNK = 128, 8192
_CASTS = struct.Struct(f"{2 * _MOST}Q{2 * _MOST}ii4x")


class Weights(nn.Module):
    """Returns parameters of layers: in the data type of autocast where that is on."""

    def __init__(self, places: Sequence[tuple[nn.Module, str]]) -> None:
        """Remember where parameters are: in which module, and by which name."""
        super().__init__()
        # The dictionaries are the model's: they have what an optimizer changes.
        self.__dict__["_places"] = [(each._parameters, name) for each, name in places]

    def forward(self) -> list[Tensor]:
        found: list[Any] = [space[name] for space, name in self.__dict__["_places"]]
        kinds: dict[tuple[object, ...], list[int]] = {}
        for place, each in enumerate(found):
            lower = autocast_type(each.device.type)
            wide = each.dtype == torch.float32 and type(each) is nn.Parameter
            if lower is not None and wide and lower != each.dtype and each.is_cuda:
                kinds.setdefault((each.device, each.requires_grad, lower), []).append(place)
        for (_, needs, lower), places in kinds.items():
            for group in _groups([(place, found[place].numel()) for place in places]):
                given = [found[place] for place in group]
                if not is_eager(given[0]):  # tools that trace have no such function
                    made = tuple([each.to(lower) for each in given])
                elif needs and is_grad_on():
                    made = _Cast.apply(lower, *given)
                else:
                    made = _cast([each.detach() for each in given], [lower] * len(given))
                for place, each in zip(group, made, strict=True):
                    found[place] = each
        return found


def _groups(sizes: Sequence[tuple[int, int]]) -> list[list[int]]:
    """Return places in groups of about the same number of elements."""
    groups: list[list[int]] = [[]]
    count = 0
    for place, size in sizes:
        groups[-1].append(place)
        count += size
        if count >= _GROUP:
            groups.append([])
            count = 0
    return [each for each in groups if each]
