"""Ways to compute a model: those of the package, and what trains it."""

from __future__ import annotations

import contextlib
import copy
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any

import torch
from cudnn_cffi import ArgumentError, NotSupportedError
from torch.utils._pytree import tree_leaves

from .judge import DiffersError, RefusedError, SkippedError

__all__ = [
    "CLIP",
    "GUARDS",
    "INFERENCE",
    "OPTIMIZERS",
    "OPTIMIZER_CHANGES",
    "SCALE",
    "SCHEDULERS",
    "TRAINING",
    "Found",
    "Twin",
    "Way",
    "scaler_of",
    "tensors",
]

nn = torch.nn

#: The ways to compute a model without gradients, and with them.
INFERENCE = (
    *("fuse", "capture") * 4,
    *("compile", "backend", "convert", "install", "timed", "package", "package", "nested", "both"),
    *("eight", "compiled"),
)
TRAINING = (
    *("train", "step", "captured step") * 3,
    *("convert", "backend", "install", "nested", "both", "compiled"),
)

#: The settings of models that are fused for inference.
SETTINGS: dict[str, dict[str, Any]] = {
    "fuse": {}, "capture": {"capture": True}, "compile": {"compile": True},
    "timed": {"choose": "time"},
}  # fmt: skip

RATE = 0.125


def _in_groups(given: Sequence[Any]) -> Any:
    some = [{"params": given[1::2], "lr": 0.5 * RATE, "momentum": 0.5}] if given[1:] else []
    return torch.optim.SGD([{"params": given[::2]}, *some], RATE)


def _by_a_tensor(given: Sequence[Any]) -> Any:
    on_gpu = given[0].is_cuda
    rate = torch.tensor(RATE, device=given[0].device)
    return torch.optim.Adam(given, rate, eps=1e-3, capturable=on_gpu, foreach=on_gpu)


def _by_a_tensor_of_the_host(given: Sequence[Any]) -> Any:
    rate, on_gpu = torch.tensor(RATE), given[0].is_cuda
    return torch.optim.Adam(given, rate, eps=1e-3, capturable=on_gpu, foreach=False)


class _EverySecond(torch.optim.SGD):  # type: ignore[misc, name-defined]
    """Has every second step go twice as far, by a number that it counts in a list."""

    def __init__(self, given: Sequence[Any]) -> None:
        super().__init__(given, RATE / 2)
        self.counts = [0]

    def step(self, _closure: Any = None) -> None:
        self.counts[0] += 1
        by = -self.param_groups[0]["lr"] * (1 + self.counts[0] % 2)
        with torch.no_grad():
            for each in self.param_groups[0]["params"]:
                if each.grad is not None:
                    each.add_(each.grad, alpha=by)


#: Optimizers of a step; some that count on the host, too.
OPTIMIZERS: tuple[Callable[[Any], Any], ...] = (
    lambda given: torch.optim.SGD(given, RATE),
    lambda given: torch.optim.SGD(given, RATE, 0.5, weight_decay=0.125, nesterov=True),
    lambda given: torch.optim.SGD(given, RATE, maximize=True, foreach=True),
    lambda given: torch.optim.Adam(given, RATE, eps=1e-3, capturable=given[0].is_cuda),
    lambda given: torch.optim.AdamW(given, RATE, eps=1e-3),
    _in_groups,
    _by_a_tensor,
    lambda given: torch.optim.SGD(given, RATE, 0.5, fused=True),
    lambda given: torch.optim.Adam(
        given, RATE, eps=1e-3, amsgrad=True, capturable=given[0].is_cuda, fused=True
    ),
    lambda given: torch.optim.RMSprop(
        given, RATE / 8, eps=0.1, momentum=0.5, capturable=given[0].is_cuda
    ),
    lambda given: torch.optim.NAdam(given, RATE / 4, eps=1e-2, foreach=False),
    _by_a_tensor_of_the_host,
    _EverySecond,
)

#: Makers of what changes rates between steps.
SCHEDULERS: tuple[Callable[[Any], Any], ...] = (
    lambda optimizer: torch.optim.lr_scheduler.ConstantLR(optimizer, 1.0),
    lambda optimizer: torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.5),
    lambda optimizer: torch.optim.lr_scheduler.LambdaLR(optimizer, lambda n: 1 / (1 + n)),
    lambda optimizer: torch.optim.lr_scheduler.OneCycleLR(optimizer, 2 * RATE, 8),
)


def nothing(optimizer: Any) -> None:
    """Change nothing."""


def _restored(optimizer: Any) -> None:
    optimizer.load_state_dict(copy.deepcopy(optimizer.state_dict()))


def _slower(optimizer: Any) -> None:
    for group in optimizer.param_groups:
        group["lr"] *= 0.5


def _decaying(optimizer: Any) -> None:
    optimizer.param_groups[0]["weight_decay"] = 0.25


def _begun_again(optimizer: Any) -> None:
    optimizer.state.clear()


#: Changes of an optimizer between steps.
OPTIMIZER_CHANGES: tuple[Callable[[Any], None], ...] = (
    nothing, _restored, _slower, _decaying, _begun_again,
)  # fmt: skip

#: Steps may change gradients before the optimizer reads them; the names are of `networks.GRADIENTS`.
GUARDS = ("backward", "clipped", "scaled", "scaled and clipped")

#: The norm that gradients are scaled to, and the factor of losses.
CLIP, SCALE = 1.0, 64.0

Found = dict[str, Any]


def scaler_of(device: str, mode: str) -> Any:
    """Return what scales losses; a step without infinities doubles the factor."""
    is_on = mode.startswith("scaled")
    return torch.amp.GradScaler(device, SCALE, growth_interval=1, enabled=is_on)


class Way:
    """A way to compute a model.

    Attributes:
        call: computes it.
        around: the context of calls.
        takes: calls it with an input.
        times: how often a step does so.
        guard: of `GUARDS`.
        step: computes a step of training; None for ways that have none.
        optimizer, scaler: of the step.
    """

    optimizer: Any
    scaler: Any

    def __init__(
        self, how: str, model: Any, optimizer: Callable[[Any], Any], takes: Any, times: int,
        guard: str,
    ) -> None:  # fmt: skip
        from cudnn_cffi.torch import backend, convert, fuse, install

        self.takes, self.times = takes, times
        self.call: Any = model
        self.around: Any = contextlib.nullcontext
        self.step: Any = None
        if how in SETTINGS:
            self.call = fuse(model, **SETTINGS[how])
        elif how == "backend":
            torch._dynamo.reset()
            self.call = torch.compile(model, backend=backend)
        elif how == "convert":
            convert(model, everything=True, fallback="silent")
        elif how == "install":
            self.around = install
        elif how == "package":
            self.call = _Packaged(model)
        elif how == "eight":
            self.call = _Eight(model)
        elif how == "compiled":
            torch._dynamo.reset()
            self.call = torch.compile(fuse(model, training=model.training), backend="eager")
        elif how == "nested":
            for place in range(0, len(model.steps), 2):
                model.steps[place] = fuse(model.steps[place], training=model.training)
        elif how == "both":
            convert(model, everything=True, fallback="silent")
            self.call = fuse(model, training=model.training)
        else:
            self.call = fuse(model, training=True, capture=how == "captured step")
            if "step" in how:
                grown = [each for each in model.parameters() if each.requires_grad]
                if not grown:
                    raise SkippedError("no gradients")
                self.optimizer = optimizer(grown)
                self.scaler = scaler_of(grown[0].device.type, guard)
                self.step = self.call.step(
                    self._loss, self.optimizer, clip=CLIP if guard.endswith("clipped") else None,
                    scaler=self.scaler,
                )  # fmt: skip

    def _loss(self, x: Any, *signs: Any) -> Any:
        found = []
        for _ in range(self.times):
            pairs = zip(tensors(self.takes(self.call, x)), signs, strict=True)
            found += [(y * sign).float().sum() for y, sign in pairs if y.requires_grad]
        if not found:
            raise SkippedError("no gradients")
        return sum(found)


class Twin:
    """An optimizer of PyTorch's, of copies of parameters in another type.

    In float64 it counts steps in float64, too: powers of the count correct what Adam averages.
    """

    def __init__(self, make: Callable[[Any], Any], like: Found, kind: Any) -> None:
        self.own = {name: each.detach().to(kind, copy=True) for name, each in like.items()}
        self.kind = kind or torch.get_default_dtype()
        self.optimizer = make(list(self.own.values()))

    def step(self, before: Found, grads: Found, *, leaves_out: bool = False) -> Found:
        """Return the parameters after a step from others, which may be left out."""
        for name, each in self.own.items():
            if name in before:
                each.copy_(before[name])
            grad = grads.get(name)
            each.grad = None if grad is None else grad.to(each.dtype)
        if leaves_out:
            return self.own
        default = torch.get_default_dtype()
        torch.set_default_dtype(self.kind)
        try:
            self.optimizer.step()
        finally:
            torch.set_default_dtype(default)
        return self.own


class _Packaged:
    """A model as a file, which is written anew for each input."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def __call__(self, x: Any) -> Any:
        from cudnn_cffi import load_network
        from cudnn_cffi.torch import package

        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.net"
            try:
                package(self.model, x, path)
            except (ArgumentError, NotSupportedError) as error:
                raise RefusedError(str(error)[:80]) from None
            return load_network(path)(x)


class _Eight:
    """A model with layers of 8 bits, whose ranges are twice those of its first input."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self.fused: Any = None

    def __call__(self, x: Any) -> Any:
        from cudnn_cffi.torch import fuse

        if self.fused is None:
            kind = "int8" if x.dtype == torch.bfloat16 else "float8_e4m3"
            try:
                self.fused = fuse(self.model, dtype=kind, calibration=[x * 2])
            except (ArgumentError, NotSupportedError) as error:
                raise RefusedError(str(error)[:80]) from None
        return self.fused(x)


def tensors(results: Any) -> list[Any]:
    """Return the tensors of results; all else has to be what networks return.

    Raises:
        DiffersError: it is not.
    """
    leaves = tree_leaves(results)
    found = tree_leaves([vars(each) if is_dataclass(each) else each for each in leaves])
    others = [each for each in found if not isinstance(each, torch.Tensor)]
    if others not in ([], [None], [3, "text"]):
        raise DiffersError(f"it returns {others}")
    return [each for each in found if isinstance(each, torch.Tensor)]
