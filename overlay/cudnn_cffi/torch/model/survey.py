"""The layers of a model and what they are called with: for `candidates` and `profile`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import torch
from torch import Tensor, nn

from ... import errors, ops
from ..autograd.layouts import are_last
from ..autograd.switches import autocast_type
from ..fallback import ignored
from ..fusion.building import padding_of
from ..fusion.trace.shadow import to_shadow
from ..fusion.trace.state import is_fused

if TYPE_CHECKING:
    from ...types import DTypeWord

_TRANSPOSED = (nn.ConvTranspose1d, nn.ConvTranspose2d, nn.ConvTranspose3d)
_CONVOLUTIONS = (nn.Conv1d, nn.Conv2d, nn.Conv3d, *_TRANSPOSED)


@dataclass(slots=True)
class Layer:
    """A module that was called with arrays of one kind.

    Attributes:
        name: as `named_modules` has it.
        module: the module.
        given: what the tensors among its arguments are like.
        arguments: its arguments, with tensors of other types than floating point unchanged.
        named: the same of its named arguments: for each, its description, and the argument itself.
        calls: how often it was called so.
        is_first: whether no gradient for its input is wanted.
        x, w, bias: the input, the filters and the bias of a convolution.
    """

    name: str
    module: nn.Module
    given: tuple[object, ...]
    arguments: tuple[object, ...]
    named: dict[str, tuple[object, object]]
    calls: int = 1
    is_first: bool = False
    x: ops.Spec | None = None
    w: ops.Spec | None = None
    bias: ops.Spec | None = None
    #: Elements that are added to the extents of a transposed convolution's result.
    extra: tuple[int, ...] = ()

    @property
    def arrays(self) -> tuple[ops.Spec | None, ...]:
        """Return what the operation of a convolution takes."""
        return (self.x, self.w) if self.bias is None else (self.x, self.w, self.bias)

    @property
    def device(self) -> int | None:
        """Return the GPU that a convolution is on; None elsewhere."""
        return None if self.x is None else self.x.device

    @property
    def is_transposed(self) -> bool:
        """Return whether it is a transposed convolution, which is computed as a gradient."""
        return isinstance(self.module, _TRANSPOSED)

    def wants(self, section: str) -> bool:
        """Return whether a section of a convolution is computed: the input may want no gradient."""
        return not self.is_first or section != ("forward" if self.is_transposed else "data")

    @property
    def is_convolution(self) -> bool:
        """Return whether its engines and algorithms can be listed."""
        return self.x is not None


def wants_gradients(model: nn.Module) -> bool:
    """Return whether a model is being trained: its mode, and a parameter that wants a gradient."""
    return model.training and any(each.requires_grad for each in model.parameters())


def survey(
    model: nn.Module,
    inputs: Sequence[object],
    kwargs: Mapping[str, object] | None = None,
    *,
    outer: bool = False,
) -> list[Layer]:
    """Return the layers of a model in the order of their first calls.

    With `outer`, return the modules in it that call others instead, the inner ones first.

    A layer is a module that calls no other: one without any, or one that reads their parameters, as
    multi-head attention does. A copy is called that shares the parameters, so running statistics
    stay what they are.

    Raises:
        ArgumentError: `model` is no module, or makes no call of a layer.
    """
    if not isinstance(model, nn.Module):
        raise errors.ArgumentError(f"model: expected a module, got {model!r}")
    if is_fused(model):
        raise errors.ArgumentError(
            "model: a fused model has no layers to look at",
            hint="print it, or pass what was fused, its attribute `original`",
        )
    copied = copy_of(model)
    originals = dict(model.named_modules())
    found: dict[object, Layer] = {}
    fixed = {
        each.data_ptr()
        for each in inputs
        if isinstance(each, torch.Tensor) and not each.requires_grad
    }
    hooks = []
    counted = [0]
    for name, module in copied.named_modules():
        if isinstance(module, torch.jit.ScriptModule) or (module is copied and module._modules):
            continue
        note = _hook(name, originals[name], found, fixed, counted)
        if not module._modules:
            count = _hook(name, originals[name], {}, fixed, counted) if outer else note
            hooks.append(module.register_forward_pre_hook(count, with_kwargs=True))
            continue
        before, after = _whole(note, counted, outer)
        hooks.append(module.register_forward_pre_hook(before, with_kwargs=True))
        hooks.append(module.register_forward_hook(after, with_kwargs=True))
    devices = [each.device for each in inputs if isinstance(each, torch.Tensor) and each.is_cuda]
    ordinals = [each.index for each in devices]
    try:
        with ignored(), torch.no_grad(), torch.random.fork_rng(devices=ordinals):
            copied(*inputs, **(kwargs or {}))
    except (AttributeError, TypeError) as error:
        if not any(isinstance(each, (tuple, list)) for each in inputs):
            raise
        raise errors.ArgumentError(
            f"inputs: the model does not take the given sequence ({error})",
            hint="pass inputs one by one, as in profile(model, *inputs)",
        ) from error
    finally:
        for hook in hooks:
            hook.remove()
    if not found and not outer:
        raise errors.ArgumentError(
            "model: no layer was called",
            hint="are there modules in it that compute, and are they called?",
        )
    return list(found.values())


def copy_of(model: nn.Module) -> nn.Module:
    """Return a copy that shares the parameters, in the same mode, with buffers of its own."""
    copied = to_shadow(model)
    for each, own in zip(copied.modules(), model.modules(), strict=True):
        if model.training:
            each.training = own.training
            each._buffers = {n: b if b is None else b.clone() for n, b in each._buffers.items()}
        elif not isinstance(each, torch.jit.ScriptModule):
            each._buffers = dict(each._buffers)  # a call may replace them
    return copied


def _whole(
    note: Callable[..., None], counted: list[int], outer: bool
) -> tuple[Callable[..., None], ...]:
    """Return hooks before and after a module that has others: it is a layer if it calls none."""
    begun: list[int] = []

    def before(*_: object) -> None:
        begun.append(counted[0])

    def after(
        copied: nn.Module, given: tuple[object, ...], named: dict[str, object], _: object
    ) -> None:
        if (counted[0] != begun.pop()) is outer:
            note(copied, given, named)
        counted[0] += 1

    return before, after


def _hook(
    name: str, module: nn.Module, found: dict[object, Layer], fixed: set[int], counted: list[int]
) -> Callable[..., None]:
    def note(copied: nn.Module, given: tuple[object, ...], named: dict[str, object]) -> None:
        counted[0] += 1
        likes = tuple([_like(each) for each in given])
        key = (name, likes, tuple([(each, _like(named[each])) for each in sorted(named)]))
        known = found.get(key)
        if known is not None:
            known.calls += 1
            return
        kept = tuple([None if _is_floating(each) else each for each in given])
        pairs = {n: (_like(e), None if _is_floating(e) else e) for n, e in named.items()}
        made = Layer(name, module, likes, kept, pairs)
        first = given[0] if given else named.get("input")
        if isinstance(first, torch.Tensor):
            made.is_first = first.data_ptr() in fixed
            if isinstance(module, _CONVOLUTIONS) and module.padding_mode == "zeros":
                made.x, made.w = _specs(first, copied.weight)
                if isinstance(module, _TRANSPOSED):
                    made.extra = _extra(copied, first, *given[1:], **named)
                # A transposed convolution adds its bias by itself, whatever computes the rest.
                if copied.bias is not None and not isinstance(module, _TRANSPOSED):
                    made.bias = ops.Spec.like(tuple(copied.bias.shape), made.x.dtype)
                    made.bias = made.bias._replace(device=made.x.device)
        found[key] = made

    return note


def _extra(module: nn.Module, x: Tensor, output_size: Any = None, **_: object) -> tuple[int, ...]:
    """Return what a call of a transposed convolution adds to the extents of its result."""
    if output_size is None:
        return tuple(module.output_padding)
    return tuple(
        module._output_padding(
            x, output_size, module.stride, module.padding, module.kernel_size,
            len(module.stride), module.dilation,
        )
    )  # fmt: skip


def _is_floating(value: object) -> bool:
    return isinstance(value, torch.Tensor) and value.is_floating_point()


def _like(value: object) -> object:
    """Return what a tensor is like: data type, shape, strides, device; other values by identity."""
    if isinstance(value, torch.Tensor):
        return value.dtype, tuple(value.shape), tuple(value.stride()), value.device
    return id(value)


def _specs(x: Tensor, w: Tensor) -> tuple[ops.Spec, ops.Spec]:
    """Return what a convolution is computed of: both with channels last, or both first."""
    dtype = autocast_type(x.device.type) or x.dtype
    last = x.dim() == w.dim() and are_last(x, w)
    device = x.device.index if x.is_cuda else None
    made = []
    for each in (x, w):
        name = cast("DTypeWord", str(dtype).removeprefix("torch."))
        spec = ops.Spec.like(tuple(each.shape), name, "NHWC" if last else "NCHW")
        made.append(spec._replace(device=device))
    return made[0], made[1]


def operation_of(layer: Layer) -> ops.Convolution | ops.ConvolutionTranspose:
    """Return the operation that computes a convolution."""
    module = layer.module
    options: dict[str, Any] = {
        "stride": tuple(module.stride), "dilation": tuple(module.dilation),
        "groups": module.groups, "choose": getattr(module, "choose", None),
    }  # fmt: skip
    if isinstance(module, _TRANSPOSED):
        padding = tuple(module.padding)
        return ops.ConvolutionTranspose(padding, output_padding=layer.extra, **options)
    return ops.Convolution(padding_of(module), **options)
