"""Functions of `cudnn_cffi.torch.functional` on the inputs of PyTorch's database of operators."""

from __future__ import annotations

import functools
import itertools
import random
from typing import Any

import torch
from cudnn_cffi.torch import functional
from cudnn_cffi.torch.layer import REFUSALS
from torch.testing._internal.common_methods_invocations import op_db

from .calls import Given, compare_calls, prepared
from .draw import Draw
from .judge import SkippedError
from .values import KINDS, device

__all__ = ["run"]

#: Random by design, or of other semantics.
LEFT_OUT = {"dropout", "add", "reduce", "fold"}

#: Arguments that have no gradient, or whose values are not free, by function.
STATES = {"batch_norm": (1, 2), "instance_norm": (1, 2)}
BOUND = {"batch_norm": (1, 2), "instance_norm": (1, 2), "grid_sample": (1,), "ctc_loss": ()}


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
def _operators() -> list[tuple[str, Any]]:
    found = {}
    for info in op_db:
        name = info.name.rpartition(".")[2]
        plain = info.name.startswith("nn.functional.") or info.name in ("sigmoid", "tanh")
        plain = plain or info.name in ("softmax", "log_softmax")
        if plain and name not in LEFT_OUT and hasattr(functional, name):
            found.setdefault(name, info)
    return sorted(found.items())


def run(draw: Draw) -> str:
    name, info = draw.pick("function", [_Named(each) for each in _operators()], subject=True).pair
    kind = draw.pick("dtype", KINDS)
    torch.manual_seed(draw.number("samples"))
    random.seed(draw.number("samples"))
    number = draw.chance("sample").randrange(40)
    samples = list(itertools.islice(info.sample_inputs("cpu", torch.float64, False), 41))
    if not samples:
        raise SkippedError(f"no inputs of {name}")
    sample = samples[number % len(samples)]
    states = STATES.get(name, ())
    options = {k: v for k, v in sample.kwargs.items() if not isinstance(v, torch.dtype)}
    args = (sample.input, *sample.args)
    given = Given((args, options), lambda i, _: i not in states)
    prepared(draw, given, kind, lambda i: i in BOUND.get(name, ()))
    if name == "scaled_dot_product_attention" and options.get("dropout_p"):
        raise SkippedError("dropout")
    theirs = getattr(torch.nn.functional, name, None) or getattr(torch, name)
    own = getattr(functional, name)
    choose = draw.pick("choose", (None, {"via": "graph"}, {"via": "classic"}, "deterministic"), 0.4)
    return compare_calls(
        draw, given, kind,
        lambda _: _Function(own, states, choose=choose) if device() == "cuda" else theirs_of(0),
        theirs_of := (lambda _: _Function(theirs, states)),
        REFUSALS,
    )  # fmt: skip


class _Named:
    """A pair whose text is its name."""

    def __init__(self, pair: tuple[str, Any]) -> None:
        self.pair = pair

    def __str__(self) -> str:
        return self.pair[0]
