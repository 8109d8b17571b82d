"""Traces in training: what a graph of functions does not tell ends them."""

from __future__ import annotations

import random
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import torch
import torch.utils.checkpoint
from torch import nn

from ..trace.tracing import Form, Traced, Untraceable, trace, tracing

#: Functions that switch something for a block of a forward function: a graph has no blocks.
_BLOCKS: tuple[tuple[Any, str, str], ...] = (
    (torch.autocast, "__enter__", "it switches autocast"),
    (torch.no_grad, "__enter__", "it switches gradients off"),
    (torch.enable_grad, "__enter__", "it switches gradients on"),
    (torch.inference_mode, "__enter__", "it switches to inference"),
    (torch.set_grad_enabled, "__init__", "it switches gradients"),
    (torch.autograd.graph.saved_tensors_hooks, "__enter__", "it keeps tensors in its own way"),
    (torch.utils.checkpoint, "CheckpointFunction", "it is checkpointed"),
    (torch.utils.checkpoint, "_checkpoint_without_reentrant_generator", "it is checkpointed"),
)


@contextmanager
def _without_blocks() -> Iterator[None]:
    """Raise in this thread if a function enters such a block."""
    thread = threading.get_ident()

    def refusing(function: Any, why: str) -> Callable[..., object]:
        def call(*args: Any, **kwargs: Any) -> object:
            if threading.get_ident() == thread:
                raise Untraceable(why)
            return function(*args, **kwargs)

        return call

    with ExitStack() as undo:
        for owner, name, why in _BLOCKS:
            function = getattr(owner, name, None)
            if function is None:  # of another release of PyTorch
                continue
            own = name in vars(owner)
            call = refusing(function, why)
            if name == "CheckpointFunction":
                call = type(name, (), {"apply": staticmethod(refusing(function.apply, why))})
            undo.callback(*((setattr, owner, name, function) if own else (delattr, owner, name)))
            setattr(owner, name, call)
        yield


@contextmanager
def _without_random_numbers() -> Iterator[None]:
    """Raise after a block in which random numbers were drawn, and set the generators back.

    Raises:
        Untraceable: numbers were drawn, on the host or by PyTorch.
    """
    generators: list[tuple[Callable[[], Any], Callable[[Any], object]]] = [
        (random.getstate, random.setstate),
        (torch.get_rng_state, torch.set_rng_state),
    ]
    if "numpy" in sys.modules:
        numpy = sys.modules["numpy"].random
        generators.append((numpy.get_state, numpy.set_state))
    if torch.cuda.is_available() and torch.cuda.is_initialized():
        generators.append((torch.cuda.get_rng_state, torch.cuda.set_rng_state))
    before = [read() for read, _ in generators]
    drawn = False
    try:
        yield
    finally:
        for (read, write), state in zip(generators, before, strict=True):
            if not _is_same(read(), state):
                write(state)
                drawn = True
    if drawn:
        raise Untraceable("it draws random numbers while it is traced")


def _is_same(one: Any, other: Any) -> bool:
    """Return whether two states of a generator are equal."""
    if isinstance(one, torch.Tensor):
        return bool(torch.equal(one, other))
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(_is_same, one, other))
    return bool(one == other) if not hasattr(one, "tobytes") else one.tobytes() == other.tobytes()


def trace_training(root: nn.Module, form: Form) -> Traced:
    """Return what a module computes of arguments of a form, in the mode of each module in it.

    Raises:
        Untraceable: as `trace`; or the module draws random numbers, or makes tensors, that would be
            the same in each call.
    """
    with tracing, _without_random_numbers(), _without_blocks():
        traced = trace(root, form)
    if traced.made:
        raise Untraceable("it makes a tensor that may be another one in each call")
    return traced
