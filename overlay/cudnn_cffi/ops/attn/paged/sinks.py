"""Sinks of one query over pages: engines take none, so graphs after the plan have them in sums."""

from __future__ import annotations

from typing import Any

from ...._ways.array_spec import Spec, reshaped
from ...._ways.call_sequence import Steps, packed
from ...._ways.case import Case
from ...._ways.graph_draft import Draft

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...._ways.signatures import Handle


def _with_sink(rows: Spec, row: Spec, result: str) -> tuple[Draft, Any, Any]:
    """Return a graph, with the statistics without sinks, and the sinks."""
    draft = Draft({"before": rows, "sink": row}, {result: rows})
    return draft, draft.input("before"), draft.input("sink")


def drafts_of(case: Case) -> list[Draft]:
    """Return the graphs: `o *= sigmoid(stats - sink)`, and the logarithm of both sums."""
    o, sink = case.outputs["o"], case.inputs["sink"]
    batch, heads = o.shape[:2]
    row, rows = reshaped(sink, 1, 1, heads), packed((1, batch, heads), sink)
    draft, before, own = _with_sink(rows, row, "part")
    draft.output(draft.graph.sigmoid(draft.graph.sub(before, own)), "part")
    found = [draft]
    if "stats" in case.outputs:
        draft, before, own = _with_sink(rows, row, "stats")
        graph = draft.graph
        less = graph.exp(graph.neg(graph.abs(graph.sub(before, own))))
        total = graph.add(graph.max(before, own), graph.log(graph.add(less, 1.0)))
        draft.output(total, "stats")
        found.append(draft)
    scaled = Draft({"raw": o, "part": packed((batch, heads, 1, 1), sink)}, {"o": o})
    scaled.output(scaled.graph.mul(scaled.input("raw"), scaled.input("part")), "o")
    return [*found, scaled]


def add_sink(steps: Steps, case: Case, places: Mapping[str, str], handle: Handle) -> None:
    """Add sinks to the sums of one query.

    Args:
        steps: what is added to.
        case: the arrays of the call.
        places: the names of the plan's result and statistics.
        handle: what plans are built for.
    """
    names = {"before": places["stats"], "raw": places["o"], "part": "part"}
    steps.room("part", packed(case.outputs["o"].shape[:2], case.inputs["sink"]))
    for draft in drafts_of(case):
        takes = (*draft.inputs, *draft.outputs)
        steps.way(draft.graph.build(handle), {name: names.get(name, name) for name in takes})
