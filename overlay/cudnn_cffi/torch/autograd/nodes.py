"""Nodes of PyTorch's autograd for layers, in C where that was compiled, and PyTorch's gradients."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor
from torch.autograd import forward_ad

from ... import errors
from ..._call.layer import get_compiled
from ..._support import fork
from ...choice.policy import open_policy, reopen
from . import recorder, switches
from .batches import one_by_one
from .sharing import layers

if TYPE_CHECKING:
    from ...choice.policy import Choose
    from ..fallback import Owner
    from .record import Context, Gradients, Record, Results, Tensors

#: Errors which mean that cuDNN does not compute this, and not that something went wrong.
REFUSALS = (
    errors.NotSupportedError,
    errors.MissingFunctionError,
    errors.ArgumentError,
    errors.BadParamError,
)


#: Held while saved results are read that were changed.
_lock = fork.lock()


class DisabledError(errors.NotSupportedError):
    """cuDNN was switched off, for now."""


class Parts(dict[Any, Any]):
    """The layers of a layer's gradients, which are made when they are first asked for.

    A key is a class, or a class with the options that the layer has not.
    """

    def __init__(
        self, words: Sequence[str], options: Sequence[object], choose: Choose, owner: Owner | None
    ) -> None:
        super().__init__()
        self._of = dict(zip(words, options, strict=True)), choose, owner

    def __missing__(self, key: Any) -> Any:
        cls, *more = key if isinstance(key, tuple) else (key,)
        known, choose, owner = self._of
        own = dict(zip([word for word in cls.words if word not in known], more, strict=True))
        options = [known[word] if word in known else own[word] for word in cls.words]
        made = cls(*options, choose=choose, owner=owner)
        made.casts = ""  # gradients are computed in the types of the call, as PyTorch's are
        self[key] = made
        return made


_ENTER, _APPLY, _FORWARD, _BACKWARD, _COMPOSED = range(5)

#: Where the arguments of layers of gradients come from, besides what was kept, by its places: the
#: gradient of the result, the shape of what was kept, None.
GRADIENT, SHAPE, NOTHING = 100, 200, 300


def _within(policy: Any, function: Callable[..., object], *given: object) -> object:
    """Call a function while the scopes of a policy are open: PyTorch's engine has threads."""
    with reopen(policy):
        return function(*given)


_type: Any = get_compiled("cudnn_cffi_node_type")
if _type is not None:
    _type._set_up(
        *switches.COMPILED,
        (
            torch._C._len_torch_dispatch_stack, torch._C._are_functorch_transforms_active,
            switches.traced,
        ),
        switches.is_grad_on, torch.Tensor, torch.nn.Parameter,
        forward_ad, open_policy, _within, layers, REFUSALS,
    )  # fmt: skip
    recorder.load()


def enter(call: Callable[..., object]) -> Any:
    """Return what is called for layers, with a layer in front of the arguments.

    In the compiled layer, calls of plain tensors on a GPU go to the node of the layer where
    gradients are wanted, or straight to the plan that its memory `_results` has for them.

    Args:
        call: a function for all other calls.
    """
    return call if _type is None else _type(_ENTER, call, "_results", 0)


def known(x: Any, given: tuple[object, ...]) -> Any:
    """Compute by the layer that functions have kept for such arguments; None without one.

    Dynamo does not trace it.

    Args:
        x: the tensor.
        given: what else decides the layer.
    """
    try:
        layer = layers.get((*given, x.ndim)) if x.is_cuda else None
    except (AttributeError, TypeError):  # no tensor, or arguments that are no keys
        return None
    try:
        return layer and layer._enter(x)
    except REFUSALS:  # the call of the layer fails in the same way, and goes on
        return None


if _type is not None:
    known = _type._find


def compose(layer: Record, saved: Tensors, needs: Sequence[bool], grads: Tensors) -> Gradients:
    """Return the gradients that are needed, by the steps of a layer: see `Layer.steps`."""

    def find(source: int) -> object:
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


def _make(
    compute: Callable[..., tuple[Tensor, ...]], differentiate: Callable[..., object],
    visible: int, composed: bool,
) -> tuple[Callable[..., object], Callable[..., object]]:  # fmt: skip
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

    def forward(ctx: Context, layer: object, *given: Tensor) -> Results:
        found = compute(layer, *given)
        ctx.layer, ctx.scope = layer, open_policy()
        ctx.save_for_backward(*found[visible:])
        return found[0] if visible == 1 else found[:visible]

    def backward(ctx: Any, *grads: Tensor) -> object:
        try:
            saved = ctx.saved_tensors
        except RuntimeError as error:
            saved = ctx.saved_again(error)
        given = (ctx.layer, saved, ctx.needs_input_grad, *grads)
        if ctx.scope is not open_policy():
            return _within(ctx.scope, differentiate, *given)
        return differentiate(*given)

    return forward, backward


def make_function(cls: Any) -> Any:
    """Return the autograd function of a class of layers.

    It is of the form whose forward function gets the context: the other one costs 20 us more.
    """
    single, visible, bare = cls.returns == "Tensor", cls.visible, cls.is_bare

    def compute(layer: Any, *given: Tensor) -> tuple[Tensor, ...]:
        recorder.start()
        found = layer.operation()(*given) if bare else layer.compute(*given)
        results = (found,) if single else found
        return (*results[:visible], *layer.saves(given, results))

    @one_by_one
    def differentiate(
        layer: Any, saved: Tensors, needs: Sequence[bool], *grads: Tensor
    ) -> tuple[Tensor | None, ...]:
        if any(each is None for each in saved[cls.again :] if cls.again):  # by the extension
            saved = layer.saved_again(saved[: cls.again])
        try:
            found = layer.all_gradients(saved, needs[1:], grads)
        except REFUSALS as error:
            found = layer.backward_instead(error, saved, needs[1:], grads)
        return (None, *found, *(None,) * (len(needs) - 1 - len(found)))

    name = "Cudnn" + "".join(part.capitalize() for part in cls.word.split("_"))
    first, second = _make(compute, differentiate, visible, cls.composed)
    made: Any = type(
        name,
        (torch.autograd.Function,),
        {"forward": staticmethod(first), "backward": staticmethod(second)},
    )
    # The engine calls this, which looks for `backward` by five attributes: it is that already.
    made._backward_cls.apply = second
    made._backward_cls.scope = None  # where no scope of choices was open in the call
    made._backward_cls.saved_again = _saved_again
    return made


class _Unchecked:
    """Lets one thread at a time read saved results that were changed in place.

    PyTorch unpacks all that was saved at once, and checks what has no such hooks.
    """

    thread = 0

    def pack(self, tensor: Tensor) -> Tensor:
        return tensor

    def unpack(self, tensor: Tensor) -> Tensor:
        if self.thread != threading.get_ident():
            raise RuntimeError("a result was modified by an inplace operation")
        return tensor


def _saved_again(ctx: Any, error: RuntimeError) -> Tensors:
    """Return what a call has saved, with results computed again which were changed in place.

    Args:
        ctx: of the call.
        error: of reading what it has saved.

    Raises:
        RuntimeError: that error, where other tensors were changed, or nothing is computed again.
        Exception: of computing again.
    """
    layer = ctx.layer
    try:
        with _lock:
            hooks = getattr(ctx, "unchecked", None)
            if hooks is None:
                hooks = ctx.unchecked = _Unchecked()
                for each in ctx._raw_saved_tensors[layer.again :] if layer.again else ():
                    each.register_hooks(hooks.pack, hooks.unpack)
            hooks.thread = threading.get_ident()
            try:
                given = ctx.saved_tensors[: layer.again]
            finally:
                hooks.thread = 0
    except Exception:
        raise error from None
    with reopen(ctx.scope):
        return layer.saved_again(given)


def apply_of(function: Any, visible: int) -> Any:
    """Return what calls an autograd function of a class of layers.

    In the compiled layer, the extension for PyTorch records known calls, if it is there.

    Args:
        function: what `make_function` returns, or another one.
        visible: how many of the results the node has.
    """
    # Without the part in Python, which looks for transforms: layers look for them.
    base: Any = torch.autograd.Function
    plain = super(base, function).apply
    gradients = function._backward_cls.apply
    if _type is None or not isinstance(gradients, _type):
        return plain
    title = f"{function.__name__}Backward"
    return staticmethod(_type(_APPLY, plain, "_calls", visible, gradients, title))


def gradients_of(
    function: Callable[..., Results], given: Tensors, needs: Sequence[bool],
    grads: Gradients,
) -> Gradients:  # fmt: skip
    """Return the gradients of a function of PyTorch's for its arguments."""
    more = switches.is_grad_on()
    # Types are those that the call was computed in.
    with torch.enable_grad(), switches.without_autocast():
        # A view of its own for each: one input may be another one, or be computed from it.
        inputs = [
            each
            if each is None or not wanted
            else each.view_as(each)
            if more and each.requires_grad
            else each.detach().requires_grad_()
            for each, wanted in zip(given, needs, strict=False)
        ]
        results = function(*inputs)
        results = (results,) if isinstance(results, Tensor) else tuple(results)
        wanted = [each for each, want in zip(inputs, needs, strict=False) if want]
        pairs = [
            (result, grad)
            for result, grad in zip(results, grads, strict=False)
            if grad is not None and result.requires_grad
        ]
        if not pairs or not wanted:
            return [None] * len(given)
        found = iter(
            torch.autograd.grad(
                [result for result, _ in pairs], wanted, [grad for _, grad in pairs],
                create_graph=more, allow_unused=True,
            )
        )  # fmt: skip
    return [next(found) if want else None for want, _ in zip(needs, given, strict=False)]
