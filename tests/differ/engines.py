"""Random graphs by every engine that takes them, and knobs of it, against float64."""

from __future__ import annotations

import sys
from typing import Any

from .draw import Draw
from .graphs import check, make, reason_of
from .judge import DiffersError, RefusedError

__all__ = ["run"]

#: More than the index of any engine; the knobs of one are drawn so often, besides the defaults.
ENGINES, DRAWN = 200, 2

#: The numbers of operations of a graph; more engines take a small one.
STEPS = (1, 2, 3, 6)

#: Calls of a plan: some are executed, the others launched as a CUDA graph.
CALLS = 6


def run(draw: Draw) -> str:
    """Run a drawn graph by each engine, and compare all results with float64.

    A graph is not cut into several plans here. If the process ends, the last line that it wrote
    names the engine.
    """
    import cudnn_cffi
    from cudnn_cffi import errors

    graph = cudnn_cffi.Graph("drawn")
    try:
        m = make(draw, graph, draw.pick("steps", STEPS))
        candidates = graph.candidates(every_engine=True)
    except (errors.NotSupportedError, errors.BadParamError) as error:
        raise RefusedError(reason_of(error)) from None
    if not candidates:
        raise RefusedError("no engine takes the graph")
    only = draw.pick("engine", ("each", *range(ENGINES)), simple=1.0)
    tried = 0
    for engine in sorted({each.engine for each in candidates}):
        if only not in ("each", engine):
            continue
        for number in range(DRAWN + 1):
            (candidate,) = graph.candidates(engine=engine)
            knobs = _drawn(draw, candidate, number) if number else {}
            if number and not knobs:
                break  # it has none
            text = f"engine {engine} {knobs or ''}".rstrip()
            print(text, file=sys.stderr, flush=True)
            try:
                (candidate,) = graph.candidates(engine=engine, knobs=knobs)
                plan = candidate.build()
            except (errors.CudnnError, errors.ArgumentError):
                continue  # not with these
            tried += 1
            try:
                check(m, plan, CALLS, same_bits=candidate.deterministic)
            except DiffersError as error:
                raise DiffersError(f"{text}: {error}") from None
            except errors.CudnnError as error:
                raise DiffersError(f"{text}: {reason_of(error)}") from error
    if not tried:
        raise RefusedError("no engine builds a plan of the graph")
    return ""


def _drawn(draw: Draw, candidate: Any, number: int) -> dict[str, int]:
    """Return values of an engine's knobs; half of them are left at their defaults."""
    chance = draw.chance(f"engine{candidate.engine}_knobs{number}")
    return {
        each.name: chance.choice(each.values)
        for each in candidate.engine_knobs
        if chance.random() < 0.5
    }
