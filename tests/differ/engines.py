"""Graphs of all families by every engine that takes them, and knobs of it, against float64."""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Iterator, Mapping
from typing import Any

from .draw import Deviation, Draw
from .executing import Run, expected_of, tried
from .families import TABLE as TABLE
from .families import family_of
from .graphs import Family, make, reason_of
from .judge import RefusedError

__all__ = ["by_each_engine", "run", "values_of"]

#: More than the index of any engine; the knobs of one are drawn so often, besides the defaults.
ENGINES, DRAWN = 200, 2

#: The sizes of a graph that take turns.
SIZES = 2

#: Most elements of all inputs that a record has.
SHOWN = 1024


def run(draw: Draw) -> str:
    """Run a graph of a family by each engine."""
    return by_each_engine(draw, family_of(draw))


def by_each_engine(draw: Draw, family: Family) -> str:
    """Run a graph by each engine, and note what each does wrong.

    A graph is not cut into several plans here. Engines and knobs that errata leave out are not run.
    """
    import cudnn_cffi
    from cudnn_cffi import errors
    from cudnn_cffi.errata.asks import is_wrong

    graphs = [cudnn_cffi.Graph(f"drawn {turn}") for turn in range(SIZES)]
    refusals = errors.NotSupportedError, errors.BadParamError, errors.ArgumentError
    try:
        made = [make(draw, graphs[0], family)]
        candidates = graphs[0].candidates(every_engine=True)
    except refusals as error:
        raise RefusedError(reason_of(error)) from None
    with contextlib.suppress(*refusals):  # if only this size is possible
        made.append(make(draw, graphs[1], family, 1))
    if not candidates:
        raise RefusedError("no engine takes the graph")
    expected: list[Any] = []
    steps = list(_steps(draw, graphs[0], sorted({each.engine for each in candidates})))
    built = 0
    for place, (engine, number, knobs) in enumerate(steps):
        if place < draw.done:
            continue
        facts = _facts(draw, graphs[0], engine, knobs)
        given = {"engine": engine + 1, "knobs": number + 1}
        draw.tell(place, {"given": given, **facts})
        runs = []
        for turn, graph in enumerate(graphs[: 1 if number else len(made)]):
            try:
                (candidate,) = graph.candidates(engine=engine, knobs=knobs)
                asked = graph.computation()
                if is_wrong(asked, engine, candidate.knobs):
                    break
                plan = candidate.build()
            except (errors.CudnnError, errors.ArgumentError):
                break  # not with these
            if turn == len(expected):
                expected.append(expected_of(made[turn]))
            runs.append(Run(expected[turn], plan))
        if not runs:
            continue
        built += 1
        text, kind = tried(runs)
        claims = bool(candidate.deterministic)
        if not text:
            bits = "other" if runs[0].odd else "equal"
            draw.notes[f"{'claimed' if claims else 'unclaimed'} determinism: {bits} bits"] += 1
        notes = {getattr(each, "name", each) for each in candidate.numeric_notes}
        if text and "DOWN_CONVERT_INPUTS" in notes and kind == "wrong numbers":
            draw.notes["engines that round to HALF, as noted: other numbers"] += 1
            continue
        if claims and not text and runs[0].odd:
            text, kind = f"other bits {runs[0].odd}", "not deterministic"
        if text:
            words = f"engine {engine} {knobs or ''}".rstrip()
            facts |= {"kind": kind, "values": values_of(made[0].arrays)}
            draw.deviations.append(Deviation(given, f"{words}: {text}", facts))
        if kind == "context lost":
            return ""
    if not built and not draw.done:
        raise RefusedError("no engine builds a plan of the graph")
    return ""


def _steps(draw: Draw, graph: Any, engines: list[int]) -> Iterator[tuple[int, int, dict[str, int]]]:
    """Yield engines with the number of a drawing, and knobs; the line of a case may name one."""
    only = draw.pick("engine", ("each", *range(ENGINES)), simple=1.0, subject=True)
    which = draw.pick("knobs", ("each", *range(DRAWN + 1)), simple=1.0, subject=True)
    for engine in engines:
        if only not in ("each", engine):
            continue
        for number in range(DRAWN + 1):
            (candidate,) = graph.candidates(engine=engine)
            knobs = _drawn(draw, candidate, number) if number else {}
            if number and not knobs:
                break  # it has none
            if which in ("each", number):
                yield engine, number, knobs


def _drawn(draw: Draw, candidate: Any, number: int) -> dict[str, int]:
    """Return values of an engine's knobs; half of them are left at their defaults."""
    chance = draw.chance(f"engine{candidate.engine}_knobs{number}")
    return {
        each.name: chance.choice(each.values)
        for each in candidate.engine_knobs
        if chance.random() < 0.5
    }


def values_of(arrays: Mapping[str, Any]) -> dict[str, Any]:
    """Return inputs as errata have them: one number for all elements, or each, where they are few."""

    def told(x: Any) -> Any:
        if isinstance(x, list):
            return [told(each) for each in x]
        return x if math.isfinite(x) else str(x)

    few = sum(x.numel() for x in arrays.values()) <= SHOWN
    found = {}
    for name, x in arrays.items():
        numbers = told(x.flatten().tolist())
        if len({str(each) for each in numbers}) == 1:
            found[name] = numbers[0]
        elif few:
            found[name] = told(x.tolist())
    return found


def _facts(draw: Draw, graph: Any, engine: int, knobs: dict[str, int]) -> dict[str, Any]:
    """Return what an erratum tells."""
    picks = {name: index for name, (index, _) in draw.made.items() if index}
    return {
        "engine": engine,
        "knobs": knobs,
        "graph": json.loads(graph.to_json()),
        "picks": {name: index for name, index in picks.items() if name not in draw.subjects},
        "data": {name: text for name, (_, text) in draw.made.items() if name.endswith("_data")},
    }
