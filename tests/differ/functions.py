"""Functions of `cudnn_cffi.torch.functional` on the inputs of PyTorch's database of operators."""

from __future__ import annotations

import functools
import itertools
import random
from typing import Any

import torch
from cudnn_cffi.torch import functional
from cudnn_cffi.torch.autograd.layer import REFUSALS
from torch.testing._internal.common_methods_invocations import op_db

from .calls import Given, compare_calls, prepared
from .draw import Draw
from .judge import SkippedError
from .values import KINDS, device, weighed

__all__ = ["run"]

#: Random by design, or of other semantics.
LEFT_OUT = {"dropout", "add", "reduce", "fold"}

#: Functions that are not of `torch.nn.functional`, and how many inputs of each there are at most.
MORE = ("sigmoid", "tanh", "softmax", "log_softmax")
MOST = 41

#: Arguments that have no gradient, or whose values are not free, by function.
STATES = {"batch_norm": (1, 2), "instance_norm": (1, 2)}
BOUND = {"batch_norm": (1, 2), "instance_norm": (1, 2), "grid_sample": (1,), "ctc_loss": (0,)}

#: Functions that engines compute by approximations of the device, in float32 too.
ROUGH = {"gelu", "softplus", "silu", "sigmoid", "tanh", "elu"}

#: Functions whose gradients are differences of numbers that are nearly 1.
SATURATING = {"softmax", "log_softmax", "softmin"}


class _Function:
    """A function with options, as `compare_calls` wants it."""

    parameters = ()

    def __init__(self, function: Any, states: tuple[int, ...], **more: Any) -> None:
        self.function, self.states, self.more = function, states, more
        self.args: Any = ()

    def __call__(self, tree: Any) -> Any:
        self.args, options = tree
        return self.function(*self.args, **options, **self.more)

    def state(self) -> list[Any]:
        return [self.args[i] for i in self.states if i < len(self.args) if self.args[i] is not None]


@functools.cache
def _operators() -> dict[str, Any]:
    found: dict[str, Any] = {}
    for info in op_db:
        name = info.name.rpartition(".")[2]
        is_one = info.name.startswith("nn.functional.") or info.name in MORE
        if is_one and name not in LEFT_OUT and hasattr(functional, name):
            found.setdefault(name, info)
    return dict(sorted(found.items()))


def run(draw: Draw) -> str:
    """Call a drawn function on drawn inputs, and compare."""
    name = draw.pick("function", weighed(_operators()), subject=True)
    kind = draw.pick("dtype", KINDS)
    torch.manual_seed(draw.number("samples"))
    random.seed(draw.number("samples"))
    inputs = _operators()[name].sample_inputs("cpu", torch.float64, False)
    samples = list(itertools.islice(inputs, MOST))
    if not samples:
        raise SkippedError(f"no inputs of {name}")
    sample = samples[draw.chance("sample").randrange(MOST) % len(samples)]
    options = {k: v for k, v in sample.kwargs.items() if not isinstance(v, torch.dtype)}
    if options.get("dropout_p"):
        raise SkippedError("dropout")
    states = STATES.get(name, ())
    given = Given(((sample.input, *sample.args), options), lambda i, _: i not in states)
    prepared(draw, given, kind, lambda i: i in BOUND.get(name, ()))
    choose = draw.pick("choose", (None, {"via": "graph"}, {"via": "classic"}, "deterministic"), 0.4)

    def theirs(_: Any) -> Any:
        function = getattr(torch.nn.functional, name, None) or getattr(torch, name)
        return _Function(function, states)

    def ours(_: Any) -> Any:
        return _Function(getattr(functional, name), states, choose=choose)

    ours = ours if device() == "cuda" else theirs
    return compare_calls(
        *(draw, given, kind, ours, theirs, REFUSALS),
        rough=name in ROUGH,
        saturates=name in SATURATING,
    )
