"""Graphs of all families as users get them: by default, timed, tuned, and replayed."""

from __future__ import annotations

from typing import Any

from .covering import Table
from .draw import Deviation, Draw
from .executing import Run, expected_of, tried
from .families import FACTORS, FAMILIES, JOINED, family_of
from .graphs import REPEATED, RESULTS, THIN, Family, make, reason_of
from .judge import RefusedError

__all__ = ["CASES", "HARD", "TABLE", "WAYS", "by_each_way", "run"]

#: The way of a case, in which each other value is; what "autotune" remembers is for "time". And
#: what engines rarely take as it is, so that a graph is cut, or relabelled.
CASES: dict[str, tuple[str, ...]] = {
    "way": ("default", "time", "deterministic", "exact"),
    "thin": THIN,
    "repeated": REPEATED,
    "results": RESULTS,
    "shared": ("False", "True"),
    "kept": ("drawn", "all"),
    "numbers": ("constant", "called"),
}

#: Values that are often refused; copies let engines take the others.
HARD = {"x_repeats": {"True"}}

TABLE = Table(FACTORS | CASES | {"family": (*FAMILIES, *JOINED)}, HARD)

#: Ways to choose a plan: the settings of `Graph.build`, or of `Graph.autotune`, whose choice "time"
#: remembers. Other parts run all engines, so that a few are enough here. Products of FLOAT may be
#: rounded to TF32, and are judged so, but by "exact".
WAYS: dict[str, dict[str, Any]] = {
    "default": {},
    "autotune": {"seconds": 0.25, "most": 8},
    "time": {"choose": "time"},
    "deterministic": {"deterministic": True},
    "exact": {"tf32": False},
}

#: The sizes that take turns by default; other ways have the first one.
SIZES = 2


def run(draw: Draw) -> str:
    """Build a graph of a family in the way of a case."""
    return by_each_way(draw, family_of(draw, TABLE))


def by_each_way(draw: Draw, family: Family) -> str:
    """Build a graph in the way of a case, or in each, run its plan, and note what is wrong.

    A plan of an engine that ran before is judged as that one was.
    """
    import cudnn_cffi
    from cudnn_cffi import errors

    words: list[str] = []
    expected: dict[tuple[int, bool], Any] = {}
    known: dict[str, tuple[str, str, str]] = {}
    only = draw.pick("way", ("each", *WAYS), simple=1.0, subject=True)
    for place, (way, options) in enumerate(WAYS.items()):
        is_first = only == "time" and way == "autotune"
        if place < draw.done or not (is_first or only in ("each", way)):
            continue
        facts = {"engine": way, "knobs": {}, "picks": {}}
        draw.tell(place, {"given": {"way": place + 1}, **facts})
        runs: list[Run] = []
        for turn in range(1 if options else SIZES):
            graph = cudnn_cffi.Graph(f"drawn {turn}")
            try:
                made = make(draw, graph, family, turn)
                tunes = way == "autotune"
                plan: Any = graph.autotune(**options).best if tunes else graph.build(**options)
            except (errors.NotSupportedError, errors.BadParamError, errors.ArgumentError) as error:
                if not turn:
                    words.append(f"{way}: {reason_of(error)}")
                break
            key = turn, way == "exact"
            if key not in expected:
                expected[key] = expected_of(made, tf32=way != "exact")
            runs.append(Run(expected[key], plan))
        if not runs:
            draw.notes[f"{way}: refused"] += 1
            continue
        parts = runs[0].plan.parts
        engines = [getattr(each, "engine", None) for each in parts]  # copies have none
        alike = (engines, parts[0].knobs, way == "exact") if len(parts) == 1 else way
        if repr(alike) not in known:
            known[repr(alike)] = *tried(runs), runs[0].odd
        text, kind, odd = known[repr(alike)]
        draw.notes[f"{way}: {'wrong' if text else 'right'}"] += 1
        if way == "deterministic" and not text and odd:
            text, kind = f"other bits {odd}", "not deterministic"
        if text:
            text = f"{way} (engines {engines}): {text}"
            draw.deviations.append(Deviation({"way": place + 1}, text, {**facts, "kind": kind}))
        if kind == "context lost":
            return ""
    if words and not draw.notes.keys() - {f"{way}: refused" for way in WAYS}:
        raise RefusedError(words[0])
    return ""
