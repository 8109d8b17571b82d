"""Cases with planted failures, for the tests of how cases are run."""

from __future__ import annotations

import os
import random
import time
from typing import Any

from . import values
from .draw import Deviation, Draw
from .judge import DiffersError, RefusedError, SkippedError

__all__ = ["KINDS", "SLOW", "STEPS", "run"]

KINDS = ("same", "differs", "refused", "crash", "skipped", "lost", "error", "left", "hang")

#: The number of a case that gets on, and for how many seconds it does.
SLOW, SECONDS = 90, 8

#: The steps of the case of this number, and of those after it.
SEVERAL = 100
STEPS = (
    "same",
    "differs",
    "crash",
    "differs",
    "differs",
    "lost",
    "same",
    "hang",
    "same",
    "differs",
)


def _steps(draw: Draw) -> str:
    """Do several things, of which each is told before it is done."""
    cause, other = draw.pick("cause", ("none", "some")), draw.pick("other", range(9))
    only = draw.pick("engine", ("each", *range(len(STEPS))), 1.0, subject=True)
    graph = {"nodes": [{"kind": "pointwise"}, {"kind": "matmul"}]}
    for place, kind in enumerate(STEPS):
        if place < draw.done or only not in ("each", place):
            continue
        facts = {"engine": place, "knobs": {}, "graph": graph, "data": {}}
        facts["picks"] = {name: index for name, (index, _) in draw.made.items() if index}
        given = {"engine": place + 1}
        draw.tell(place, {"given": given, **facts})
        if kind == "same" or cause == "none":
            continue
        if kind in ("differs", "lost"):
            bad = "wrong numbers" if kind == "differs" else "context lost"
            deviation = Deviation(given, f"step {place}: {other}", {**facts, "kind": bad})
            draw.deviations.append(deviation)
        if kind != "differs":
            _break(kind)
        if kind == "lost":
            return ""
    return ""


def _break(kind: str) -> None:
    """End the process, the device or the patience."""
    if kind == "crash":
        os.abort()
    if kind == "lost":
        lose: Any = lambda: True  # noqa: E731
        values.is_lost = lose
    if kind == "hang":
        time.sleep(100)


def _sleep(depth: int) -> None:
    """Sleep below some calls."""
    if depth:
        _sleep(depth - 1)
    else:
        time.sleep(0.2)


def run(draw: Draw) -> str:
    """Do what the number of the case says."""
    if draw.case >= SEVERAL:
        return _steps(draw)
    if draw.case == SLOW:
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            _sleep(random.randrange(100))
        return ""
    kind = KINDS[draw.case % len(KINDS)]
    cause, other = draw.pick("cause", ("none", "some")), draw.pick("other", range(9))
    if kind == "differs" and (cause == "some" or draw.case < len(KINDS)):
        raise DiffersError(f"y: {other}")
    if kind == "refused":
        raise RefusedError("it is too large")
    if kind == "skipped":
        raise SkippedError("PyTorch refuses it")
    if kind == "error":
        raise KeyError("x")
    _break(kind)
    if kind == "lost":
        raise DiffersError("y: NaN")
    return "PyTorch computed it" if kind == "left" else ""
