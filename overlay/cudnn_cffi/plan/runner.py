"""What runs a plan."""

from __future__ import annotations

import threading
from typing import Any

from .operand import Number, Operand, encode

__all__ = ["Runner"]


class Runner:
    """The base of plans: a lock, and numbers in host memory that are always the same."""

    operands: tuple[Operand, ...]
    _numbers: dict[int, Number]

    def _set_up(self) -> None:
        self._own_lock = threading.RLock()
        self._numbers = {
            each.uid: Number(encode(each, each.value))
            for each in self.operands
            if each.value is not None
        }

    def _lock(self) -> Any:
        return self._own_lock

    def __call__(self, *given: Any, **named: Any) -> Any:
        return self._run(given, named)
