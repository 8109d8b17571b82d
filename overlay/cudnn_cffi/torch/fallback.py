"""Ignore, warn or raise where PyTorch would compute in place of cuDNN.

A choice that names how to compute is kept, or the call raises. It names an engine, an algorithm, a
mode such as "fft", a way (`via`), or `deterministic`. Other choices leave it to this package how to
compute: PyTorch takes over, with one warning for each layer, unless `fallback` says otherwise.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Literal

import torch

from .. import errors
from ..choice import policy
from ..choice.policy import Engine, Rule
from .autograd.switches import is_strict

#: "warn": one warning for each layer that cuDNN refuses; "silent": none; "error": an error whenever
#: PyTorch would compute in place of cuDNN, also tensors on the CPU.
Fallback = Literal["warn", "silent", "error"]

_WORDS = ("warn", "silent", "error")

#: Picks that leave it to this package how to compute.
_FREE = (None, "heuristic", "heuristic_once", "time", "time_once")

#: The number of the backward pass of this thread; -1 outside of one.
_backward: Callable[[], int] = torch._C._current_graph_task_id

_default: list[Fallback] = ["warn"]

_ignored: ContextVar[bool] = ContextVar("cudnn_cffi_fallback", default=False)


def check(value: Any) -> None:
    """Refuse what is no word of `Fallback`.

    Raises:
        ArgumentError: it is none.
    """
    if value not in _WORDS:
        raise errors.ArgumentError(
            f'fallback: expected "warn", "silent" or "error", got {value!r}',
            hint='"error" forbids PyTorch to compute in place of cuDNN',
        )


def default() -> Fallback:
    """Return what holds for modules that say nothing themselves."""
    return _default[0]


def set_default(value: Any) -> None:
    """Set the word for modules that have none of their own.

    Args:
        value: a word of `Fallback`: "warn", "silent" or "error".

    Raises:
        ArgumentError: it is none of these.
    """
    check(value)
    _default[0] = value


@contextmanager
def ignored() -> Iterator[None]:
    """Let PyTorch compute all that it can in a `with` block: only shapes are needed."""
    token = _ignored.set(True)
    try:
        yield
    finally:
        _ignored.reset(token)


class Owner:
    """The module of layers, as they know it.

    Attributes:
        name: tells the module in messages.
        fallback: that of the module; None for that of the process.
        is_warned: whether a warning was given.
    """

    def __init__(self, name: str, fallback: Fallback | None) -> None:
        self.name = name
        self.fallback = fallback
        self.is_warned = False

    @property
    def forbids(self) -> bool:
        """Return whether PyTorch may not take over."""
        return (self.fallback or default()) == "error" and not _ignored.get()

    def warn(self, text: str) -> None:
        """Warn once, if warnings are wanted."""
        if not self.is_warned and (self.fallback or default()) == "warn" and not _ignored.get():
            self.is_warned = True
            warnings.warn(text, RuntimeWarning, stacklevel=4)


def way_of(rule: Rule, has_algorithms: bool) -> str:
    """Return how a rule says to compute; "" where it leaves that open.

    Args:
        rule: of the section that it is for.
        has_algorithms: whether algorithms and modes mean something to the operation.
    """
    if isinstance(rule.pick, Engine):
        return str(rule.pick)
    if has_algorithms and rule.pick not in (*_FREE, "deterministic"):
        return str(rule.pick)
    return "" if rule.via is None else f"via={rule.via}"


def is_open(own: Any) -> bool:
    """Return whether nothing is chosen: by the module or function, a scope, or the process."""
    scope, process = policy.state()
    return own is None and scope is None and not any(any(rule) for rule in process)


def named(own: Any, sections: Sequence[str], has_algorithms: bool) -> tuple[str, bool]:
    """Return how the choices that hold now say to compute, and whether to keep the bits.

    Args:
        own: the choice of the module or function.
        sections: those whose rules count.
        has_algorithms: see `way_of`.
    """
    if is_open(own):
        return "", False
    mine = policy.to_policy(own)
    rules = [policy.rule_for(section, mine) for section in sections]
    ways = [found for rule in rules if (found := way_of(rule, has_algorithms))]
    return (ways[0] if ways else ""), any(rule.keeps_bits for rule in rules)


def is_forced(own: Any) -> bool:
    """Return whether the choice of a module or function names a way for any section."""
    return own is not None and any(way_of(rule, True) for rule in policy.Policy.of(own))


_OUT = (
    "cudnn_cffi.ops.candidates lists what cuDNN has for these arrays; without the choice, or with "
    '"heuristic", PyTorch computes what cuDNN refuses'
)
_ALLOW = 'fallback="warn" lets PyTorch compute it'


def refuse(owner: Owner | None, choice: tuple[str, bool], error: errors.CudnnError) -> str:
    """Raise where cuDNN refuses what PyTorch must not compute.

    Args:
        owner: the module; None for a function, which raises in any case.
        choice: what `named` returns.
        error: how cuDNN, or this package, refuses.

    Returns: what to warn of when PyTorch has computed it.
    """
    if owner is None or is_told(error):
        raise error
    way, keeps_bits = choice
    said = way or ("deterministic" if keeps_bits else "")
    if said and not _ignored.get():
        raise _told(
            error,
            f"{owner.name}: the choice {said!r} cannot be kept: {error.message}",
            _OUT,
        ) from error
    if owner.forbids:
        raise _told(error, f"{owner.name}: {error.message}", _ALLOW) from error
    return (
        f"{owner.name} is computed by PyTorch: {error.message.splitlines()[0]} "
        '(fallback="silent" leaves this out, fallback="error" makes it an error)'
    )


def leave(
    owner: Owner | None, choice: tuple[str, bool], why: str, *, is_elsewhere: bool = False
) -> None:
    """Raise where PyTorch must not compute what cuDNN is not asked for.

    Args:
        owner: the module; None for a function.
        choice: what `named` returns.
        why: cuDNN is not asked.
        is_elsewhere: whether the tensors are not on a GPU.
    """
    way, keeps_bits = choice
    name = "" if owner is None else f"{owner.name}: "
    if way and not _ignored.get():
        raise _told(
            errors.NotSupportedError(why),
            f"{name}the choice {way!r} cannot be kept: {why}",
            _OUT,
        )
    if owner is None:
        return
    if owner.forbids:
        raise _told(errors.NotSupportedError(why), f"{name}{why}", _ALLOW)
    if keeps_bits and not is_elsewhere and not is_strict():
        owner.warn(
            f"{name}PyTorch computes this: {why}; torch.use_deterministic_algorithms(True) makes "
            "it keep the bits"
        )


def refuse_repetition(word: str) -> None:
    """Refuse cuDNN's random numbers in a backward pass: checkpoints compute calls again there.

    Raises:
        NotSupportedError: a backward pass runs in this thread.
    """
    if _backward() >= 0:
        raise _told(
            errors.NotSupportedError(word),
            f"{word}: expected no call in a backward pass, where cuDNN's random numbers are others",
            "leave it out of torch.utils.checkpoint, which would compute wrong gradients",
        )


def _told(error: errors.CudnnError, message: str, hint: str) -> errors.CudnnError:
    found = error.replace(message=message, hint=hint)
    vars(found)["is_final"] = True
    return found


def is_told(error: errors.CudnnError) -> bool:
    """Return whether an error says already that PyTorch must not take over."""
    return "is_final" in vars(error)
