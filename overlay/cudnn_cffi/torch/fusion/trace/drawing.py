"""Random numbers that are drawn while a model is traced, which would be the same in each call."""

from __future__ import annotations

import random
import sys
import threading
from collections.abc import Callable
from typing import Any, Self

import torch
from torch import nn
from torch._subclasses.fake_tensor import unset_fake_temporarily

from .state import generators_inside

#: How often a model is traced while other threads may draw the numbers.
ATTEMPTS = 3


class Drawing:
    """Sees in a block whether random numbers are drawn, and sets the generators back.

    They are those of the process, so other threads may have drawn. Where one did anything, the
    generators stay as they are: it would draw the same numbers again.

    Attributes:
        why: says that numbers were drawn; "" if none were.
        is_disturbed: whether another thread may have drawn them.
    """

    why = ""
    is_disturbed = False

    def __init__(self, root: nn.Module) -> None:
        """Watch the process's generators, and a model's own."""
        generators: list[tuple[Callable[[], Any], Callable[[Any], object]]] = [
            (random.getstate, random.setstate),
            (torch.get_rng_state, torch.set_rng_state),
            *generators_inside(root),
        ]
        if "numpy" in sys.modules:
            numpy = sys.modules["numpy"].random
            generators.append((numpy.get_state, numpy.set_state))
        if torch.cuda.is_initialized() and not torch.cuda.is_current_stream_capturing():
            generators.append((torch.cuda.get_rng_state, torch.cuda.set_rng_state))
        self._generators = generators

    def __enter__(self) -> Self:
        with unset_fake_temporarily():
            self._before = [read() for read, _ in self._generators]
        self._others = _other_threads()
        return self

    def __exit__(self, *_: object) -> None:
        others = _other_threads()
        with unset_fake_temporarily():
            drawn = [
                (write, state)
                for (read, write), state in zip(self._generators, self._before, strict=True)
                if not _is_same(read(), state)
            ]
            self.is_disturbed = bool(drawn) and others != self._others
            if drawn and not self.is_disturbed:
                self.why = "it draws random numbers while it is traced"
                for write, state in drawn:
                    write(state)
            elif drawn:
                self.why = "it, or another thread, draws random numbers while it is traced"


def _other_threads() -> dict[int, tuple[object, int]]:
    """Return where other threads are; those that are there later, too, have waited all the time."""
    own = threading.get_ident()
    return {
        thread: (frame, frame.f_lasti)
        for thread, frame in sys._current_frames().items()
        if thread != own
    }


def _is_same(one: Any, other: Any) -> bool:
    """Return whether two states of a generator are equal."""
    if isinstance(one, torch.Tensor):
        return bool(torch.equal(one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_is_same(one[key], other[key]) for key in one)
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(_is_same, one, other))
    return bool(one == other) if not hasattr(one, "tobytes") else one.tobytes() == other.tobytes()
