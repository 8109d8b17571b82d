"""Nodes of PyTorch's autograd for layers, and gradients by PyTorch itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from ... import errors
from . import compiled_calls as node

if TYPE_CHECKING:
    from ...choice.policy import Choose
    from ..fallback import Owner
    from .layer import Layer
    from .record import Gradients, Results, Tensors

__all__ = ["REFUSALS", "DisabledError", "Parts", "gradients_of", "make_function"]

#: Errors which mean that cuDNN does not compute this, and not that something went wrong.
REFUSALS = (
    errors.NotSupportedError,
    errors.MissingFunctionError,
    errors.ArgumentError,
    errors.BadParamError,
)


class DisabledError(errors.NotSupportedError):
    """cuDNN was switched off, for now."""


class Parts(dict[Any, "Layer"]):
    """The layers of a layer's gradients, which are made when they are first asked for.

    A key is a class, or a class with the options that the layer has not.
    """

    def __init__(
        self, words: Sequence[str], options: Sequence[object], choose: Choose, owner: Owner | None
    ) -> None:
        super().__init__()
        self._of = dict(zip(words, options, strict=True)), choose, owner

    def __missing__(self, key: Any) -> Layer:
        cls, *more = key if isinstance(key, tuple) else (key,)
        known, choose, owner = self._of
        given = iter(more)
        options = [known[word] if word in known else next(given) for word in cls.words]
        made: Layer = cls(*options, choose=choose, owner=owner)
        made.casts = ""  # gradients are computed in the types of the call, as PyTorch's are
        self[key] = made
        return made


def make_function(cls: type[Layer]) -> Any:
    """Return the autograd function of a class of layers.

    It is of the form whose forward function gets the context: the other one costs 20 us more.
    """
    single, visible, bare = cls.returns == "Tensor", cls.visible, cls.is_bare

    def compute(layer: Layer, *given: Tensor) -> tuple[Tensor, ...]:
        found = layer.operation()(*given) if bare else layer.compute(*given)
        results = (found,) if single else found
        return (*results[:visible], *layer.saves(given, results))

    def differentiate(
        layer: Layer, saved: Tensors, needs: Sequence[bool], *grads: Tensor
    ) -> tuple[Tensor | None, ...]:
        try:
            found = layer.all_gradients(saved, needs[1:], grads)
        except REFUSALS as error:
            found = layer.backward_instead(error, saved, needs[1:], grads)
        return (None, *found, *(None,) * (len(needs) - 1 - len(found)))

    name = "Cudnn" + "".join(part.capitalize() for part in cls.word.split("_"))
    first, second = node.make(compute, differentiate, visible, cls.composed)
    made: Any = type(
        name,
        (torch.autograd.Function,),
        {"forward": staticmethod(first), "backward": staticmethod(second)},
    )
    # The engine calls this, which looks for `backward` by five attributes: it is that already.
    made._backward_cls.apply = second
    made._backward_cls.scope = None  # where no scope of choices was open in the call
    return made


def gradients_of(
    function: Callable[..., Results], given: Tensors, needs: Sequence[bool],
    grads: Gradients,
) -> Gradients:  # fmt: skip
    """Return the gradients of a function of PyTorch's for its arguments."""
    more = torch.is_grad_enabled()
    # Types are those that the call was computed in.
    plain = torch.autocast("cuda", enabled=False) if torch.is_autocast_enabled() else nullcontext()
    with torch.enable_grad(), plain:
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
