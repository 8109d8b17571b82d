"""Converted modules on the inputs of PyTorch's database of modules."""

from __future__ import annotations

import copy
import functools
import random
from typing import Any

import torch
from cudnn_cffi.torch import convert, modules
from cudnn_cffi.torch.autograd.layer import REFUSALS
from cudnn_cffi.torch.modules.base import Cudnn
from torch.testing._internal.common_modules import module_db

from .calls import Given, compare_calls, prepared
from .draw import Draw
from .judge import SkippedError
from .values import KINDS, device, weighed

__all__ = ["run"]

#: Random by design.
LEFT_OUT = {"Dropout"}

RECURRENT = ("RNN", "LSTM", "GRU")

#: Modules that engines compute by approximations of the device, in float32 too.
ROUGH = {"GELU", "Softplus", "SiLU", "Sigmoid", "Tanh", "ELU", "LocalResponseNorm"}

#: Modules whose gradients are differences of numbers that are nearly 1.
SATURATING = {"Softmax", "Softmax2d", "LogSoftmax", "Softmin"}

#: Inputs whose values are not free.
BOUND = {"CTCLoss": (0,), "CrossEntropyLoss": (1,), "NLLLoss": (0, 1)}


class _Module:
    """A module in a data type, as `compare_calls` wants it."""

    def __init__(self, module: Any, kind: Any, order: Any) -> None:
        self.module = copy.deepcopy(module).to(device(), kind)
        if order is not None:
            self.module.to(memory_format=order)

    @property
    def parameters(self) -> list[Any]:
        return list(self.module.parameters())

    def __call__(self, tree: Any) -> Any:
        args, options = tree
        return self.module(*args, **options)

    def state(self) -> list[Any]:
        return [each.clone() for each in self.module.buffers()]


@functools.cache
def _modules() -> dict[str, Any]:
    found = {}
    for info in module_db:
        name = info.module_cls.__name__
        if name not in LEFT_OUT and hasattr(modules, name):
            found[name] = info
    return dict(sorted(found.items()))


def run(draw: Draw) -> str:
    name = draw.pick("module", weighed(_modules()), subject=True)
    info = _modules()[name]
    kind = draw.pick("dtype", KINDS)
    training = draw.pick("training", (False, True))
    torch.manual_seed(draw.number("samples"))
    random.seed(draw.number("samples"))
    inputs = list(
        info.module_inputs_func(
            info, device="cpu", dtype=torch.float64, requires_grad=False, training=training
        )
    )
    sample = inputs[draw.chance("sample").randrange(1000) % len(inputs)]
    if sample.forward_input is None:
        raise SkippedError(f"no inputs of {name}")
    made = info.module_cls(*sample.constructor_input.args, **sample.constructor_input.kwargs)
    made = made.double().train(training)
    if getattr(made, "dropout", 0) and name in (*RECURRENT, "MultiheadAttention"):
        made.dropout = 0.0
    arguments = sample.forward_input
    given = Given((tuple(arguments.args), dict(arguments.kwargs)), lambda *_: True)
    prepared(draw, given, kind, lambda i: i in BOUND.get(name, ()))
    kept: list[Any] = []

    order = draw.pick("weights", (None, torch.channels_last, torch.channels_last_3d), 0.3)
    wide = "Norm" in name and draw.pick("wide_weights", (False, True))

    def theirs(kind: Any) -> Any:
        narrow = kind in (torch.float16, torch.bfloat16)
        return _Module(made, torch.float32 if wide and narrow else kind, order)

    def ours(kind: Any) -> Any:
        call = theirs(kind)
        convert(call.module, everything=True)
        kept.append(call.module)
        return call

    def refused() -> str:
        own = [each for each in kept[0].modules() if isinstance(each, Cudnn)]
        found = [why for each in own for why in each.refused.values()]
        if own and not any(each._layer for each in own):
            found.append("it asks for no layer")
        return f"PyTorch computes {name}: {found[0]}" if found else ""

    return compare_calls(
        *(draw, given, kind, ours, theirs, REFUSALS, refused),
        rough=name in ROUGH,
        saturates=name in SATURATING,
        by_cudnn=name in RECURRENT,
    )
