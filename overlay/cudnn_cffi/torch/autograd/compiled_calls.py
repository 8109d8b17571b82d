"""The call of a layer, and the two functions of its autograd node: in C where that was compiled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import torch
from torch.autograd import forward_ad

from ..._call.layer import get_compiled
from ...choice.policy import open_policy, reopen
from . import switches

if TYPE_CHECKING:
    from .layer import Layer
    from .record import Gradients, Tensors

    #: The computation of a gradient: a layer and where its arguments are, or the name of a method.
    Step: TypeAlias = tuple[type[Layer], tuple[int, ...]] | str

__all__ = ["GRADIENT", "NOTHING", "SHAPE", "compose", "enter", "make"]

_ENTER, _FORWARD, _BACKWARD, _COMPOSED = range(4)

#: Where the arguments of layers of gradients come from, besides what was kept, by its places: the
#: gradient of the result, the shape of what was kept, None.
GRADIENT, SHAPE, NOTHING = 100, 200, 300


def _within(policy: Any, function: Callable[..., Any], *given: Any) -> Any:
    """Call a function while the scopes of a policy are open: PyTorch's engine has threads."""
    with reopen(policy):
        return function(*given)


_type: Any = get_compiled("cudnn_cffi_node_type")
if _type is not None:
    _type._set_up(
        (
            torch._C._get_cudnn_benchmark, torch._C._get_cudnn_enabled,
            torch._C._get_cudnn_deterministic, torch._C._get_deterministic_algorithms,
            torch._C._get_cudnn_allow_tf32, torch.is_autocast_enabled,
        ),
        switches.benchmark_limit,
        (
            torch._C._len_torch_dispatch_stack, torch._C._are_functorch_transforms_active,
            torch._C._get_tracing_state,
        ),
        torch.is_grad_enabled, torch.Tensor, torch.nn.Parameter,
        forward_ad, open_policy, _within,
    )  # fmt: skip


def enter(call: Callable[..., Any]) -> Any:
    """Return what is called for layers, with a layer in front of the arguments.

    In the compiled layer, calls of plain tensors on a GPU go to the node of the layer where
    gradients are wanted, or straight to the plan that its memory `_results` has for them.

    Args:
        call: a function for all other calls.
    """
    return call if _type is None else _type(_ENTER, call, "_results", 0)


def compose(layer: Layer, saved: Tensors, needs: Sequence[bool], grads: Tensors) -> Gradients:
    """Return the gradients that are needed, by the steps of a layer: see `Layer.steps`."""

    def find(source: int) -> Any:
        if source == NOTHING:
            return None
        if source >= SHAPE:
            return saved[source - SHAPE].shape
        return grads[0] if source == GRADIENT else saved[source]

    return [
        None
        if not wanted
        else getattr(layer, step)(grads[0])
        if isinstance(step, str)
        else layer.parts[step[0]](*map(find, step[1]))
        for step, wanted in zip(layer.steps, needs, strict=False)
    ]


def make(
    compute: Callable[..., Any], differentiate: Callable[..., Any], visible: int, composed: bool
) -> tuple[Any, Any]:
    """Return the functions `forward` and `backward` of an autograd function of the old form.

    The first argument is a layer. In the compiled layer, calls that its memories `_calls` and
    `_gradients` know go straight to their plans, and all others to the functions. Gradients are
    computed in the scopes of choices that were open in the call.

    Args:
        compute: takes the layer and what is given, and returns the results and after them the
        tensors that the gradients need.
        differentiate: takes the layer, those tensors, which gradients are needed, and the
            gradients of the results; returns the gradients for layer and tensors.
        visible: how many of the results the node has.
        composed: whether the layer has steps, of which each is a gradient.
    """
    if _type is not None:
        return (
            _type(_FORWARD, compute, "_calls", visible),
            _type(_COMPOSED if composed else _BACKWARD, differentiate, "_gradients", 0),
        )

    def forward(ctx: Any, layer: Any, *given: Any) -> Any:
        found = compute(layer, *given)
        ctx.layer, ctx.scope = layer, open_policy()
        ctx.save_for_backward(*found[visible:])
        return found[0] if visible == 1 else found[:visible]

    def backward(ctx: Any, *grads: Any) -> Any:
        given = (ctx.layer, ctx.saved_tensors, ctx.needs_input_grad, *grads)
        if ctx.scope is not open_policy():
            return _within(ctx.scope, differentiate, *given)
        return differentiate(*given)

    return forward, backward
