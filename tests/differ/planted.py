"""Cases with planted failures, for the tests of how cases are run."""

from __future__ import annotations

import os
import time
from typing import Any

from . import values
from .draw import Draw
from .judge import DiffersError, RefusedError, SkippedError

__all__ = ["KINDS", "run"]

KINDS = ("same", "differs", "refused", "crash", "skipped", "lost", "error", "left", "hang")


def run(draw: Draw) -> str:
    """Do what the number of the case says."""
    kind = KINDS[draw.case % len(KINDS)]
    cause, other = draw.pick("cause", ("none", "some")), draw.pick("other", range(9))
    if kind == "differs" and (cause == "some" or draw.case < len(KINDS)):
        raise DiffersError(f"y: {other}")
    if kind == "refused":
        raise RefusedError("it is too large")
    if kind == "skipped":
        raise SkippedError("PyTorch refuses it")
    if kind == "crash":
        os.abort()
    if kind == "lost":
        lose: Any = lambda: True  # noqa: E731
        values.is_lost = lose
        raise DiffersError("y: NaN")
    if kind == "error":
        raise KeyError("x")
    if kind == "hang":
        time.sleep(100)
    return "PyTorch computed it" if kind == "left" else ""
