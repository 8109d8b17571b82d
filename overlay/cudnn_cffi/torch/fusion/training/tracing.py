"""Traces in training: what a graph of functions does not tell ends them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import torch
import torch.utils.checkpoint
from torch import nn

from ..trace.lock import Untraceable, tracing
from ..trace.tracing import Form, Traced, trace

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


def trace_training(root: nn.Module, form: Form) -> Traced:
    """Return what a module computes of arguments of a form, in the mode of each module in it.

    Raises:
        Untraceable: as `trace`; or the module makes tensors, that would be the same in each call.
    """
    with tracing(), _without_blocks():
        traced = trace(root, form)
    if traced.made:
        raise Untraceable("it makes a tensor that may be another one in each call")
    return traced
