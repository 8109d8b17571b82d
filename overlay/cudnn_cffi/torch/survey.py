"""The layers of a model and what they are called with: for `candidates` and `profile`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from .. import errors, ops
from .fusion.building import padding_of
from .fusion.program import autocast_type
from .fusion.tracing import to_shadow

__all__ = ["Layer", "operation_of", "survey", "wants_gradients"]

_FORMATS = {4: torch.channels_last, 5: torch.channels_last_3d}
_TRANSPOSED = (nn.ConvTranspose1d, nn.ConvTranspose2d, nn.ConvTranspose3d)
_CONVOLUTIONS = (nn.Conv1d, nn.Conv2d, nn.Conv3d, *_TRANSPOSED)


@dataclass(slots=True)
class Layer:
    """A module that was called with arrays of one kind.

    Attributes:
        name: as `named_modules` has it.
        module: the module.
        given: what the tensors among its arguments are like.
        arguments: its arguments, with tensors of other types than floating point as they came.
        calls: how often it was called so.
        is_first: whether no gradient for its input is wanted.
        x, w, bias: the input, the filters and the bias of a convolution.
    """

    name: str
    module: Any
    given: tuple[Any, ...]
    arguments: tuple[Any, ...]
    calls: int = 1
    is_first: bool = False
    x: Any = None
    w: Any = None
    bias: Any = None

    @property
    def arrays(self) -> tuple[Any, ...]:
        """Return what the operation of a convolution takes."""
        return (self.x, self.w) if self.bias is None else (self.x, self.w, self.bias)

    @property
    def is_convolution(self) -> bool:
        """Return whether its engines and algorithms can be listed."""
        return self.x is not None


def wants_gradients(model: nn.Module) -> bool:
    """Return whether a model is being trained: its mode, and a parameter that wants a gradient."""
    return model.training and any(each.requires_grad for each in model.parameters())


def survey(
    model: nn.Module, inputs: Sequence[Any], kwargs: Mapping[str, Any] | None = None
) -> list[Layer]:
    """Return the layers of a model in the order of their first calls.

    A copy is called that shares the parameters, so running statistics stay what they are.

    Raises:
        ArgumentError: `model` is no module, or makes no call of a layer.
    """
    if not isinstance(model, nn.Module):
        raise errors.ArgumentError(f"model: a module was expected, {model!r} came")
    copied = to_shadow(model)
    if model.training:
        for each, own in zip(copied.modules(), model.modules(), strict=True):
            each.training = own.training
            each._buffers = {n: b if b is None else b.clone() for n, b in each._buffers.items()}
    originals = dict(model.named_modules())
    found: dict[Any, Layer] = {}
    fixed = {
        each.data_ptr()
        for each in inputs
        if isinstance(each, torch.Tensor) and not each.requires_grad
    }
    hooks = []
    for name, module in copied.named_modules():
        if not module._modules and not isinstance(module, torch.jit.ScriptModule):
            hooks.append(
                module.register_forward_pre_hook(_hook(name, originals[name], found, fixed))
            )
    devices = [each.device for each in inputs if isinstance(each, torch.Tensor) and each.is_cuda]
    try:
        with torch.no_grad(), torch.random.fork_rng(devices=[each.index for each in devices]):
            copied(*inputs, **(kwargs or {}))
    finally:
        for hook in hooks:
            hook.remove()
    if not found:
        raise errors.ArgumentError("model: no layer was called")
    return list(found.values())


def _hook(name: str, module: Any, found: dict[Any, Layer], fixed: set[int]) -> Any:
    def note(copied: Any, given: Any) -> None:
        key = (name, tuple([_like(each) for each in given]))
        known = found.get(key)
        if known is not None:
            known.calls += 1
            return
        kept = tuple([None if _is_floating(each) else each for each in given])
        made = Layer(name, module, key[1], kept)
        if given and isinstance(given[0], torch.Tensor):
            made.is_first = given[0].data_ptr() in fixed
            if isinstance(module, _CONVOLUTIONS) and module.padding_mode == "zeros":
                made.x, made.w = _specs(given[0], copied.weight)
                # A transposed convolution adds its bias by itself, whatever computes the rest.
                if copied.bias is not None and not isinstance(module, _TRANSPOSED):
                    made.bias = ops.Spec.like(tuple(copied.bias.shape), made.x.dtype)
                    made.bias = made.bias._replace(device=made.x.device)
        found[key] = made

    return note


def _is_floating(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.is_floating_point()


def _like(value: Any) -> Any:
    """Return what a tensor is like: data type, shape, strides, device; other values by identity."""
    if isinstance(value, torch.Tensor):
        return value.dtype, tuple(value.shape), tuple(value.stride()), value.device
    return id(value)


def _specs(x: Any, w: Any) -> tuple[ops.Spec, ops.Spec]:
    """Return what a convolution is computed of: both with channels last, or both first."""
    dtype = autocast_type(x.device.type) or x.dtype
    layout = _FORMATS.get(w.dim())
    last = layout is not None and any(
        not each.is_contiguous() and each.is_contiguous(memory_format=layout) for each in (x, w)
    )
    device = x.device.index if x.is_cuda else None
    made = []
    for each in (x, w):
        name = str(dtype).removeprefix("torch.")
        spec = ops.Spec.like(tuple(each.shape), name, "NHWC" if last else "NCHW")
        made.append(spec._replace(device=device))
    return made[0], made[1]


def operation_of(module: Any) -> Any:
    """Return the operation that computes a convolution."""
    options: dict[str, Any] = {
        "stride": tuple(module.stride), "dilation": tuple(module.dilation),
        "groups": module.groups, "choose": getattr(module, "choose", None),
    }  # fmt: skip
    if isinstance(module, _TRANSPOSED):
        extra = tuple(module.output_padding)
        return ops.ConvolutionTranspose(tuple(module.padding), output_padding=extra, **options)
    return ops.Convolution(padding_of(module), **options)
