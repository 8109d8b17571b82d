"""Configurations of an engine that show a record, and errors of results that are right."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import errata, errors
from ..errata.scope import fits_knobs

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ..choice import Candidate, DeviceProperties
    from ..errata import Record
    from ..graph import Graph
    from ..plan import Plan

#: Relative errors that are right, by the data type of a result; `LIMIT` for all others.
LIMITS = {"HALF": 1e-2, "BFLOAT16": 5e-2, "FP8_E4M3": 0.13, "FP8_E5M2": 0.26, "INT8": 0.02}
LIMIT = 2e-3

#: The largest numbers of data types, which larger ones overflow.
LARGEST = {"HALF": 65504.0, "BFLOAT16": 3.39e38, "FLOAT": 3.4028234e38}


def configurations(
    graph: Graph, record: Record, engine: int, device: DeviceProperties | str | None = None
) -> Iterator[Candidate]:
    """Yield configurations of an engine with the knobs that show a record.

    Other knobs have cuDNN's defaults, which it refuses for some graphs; then the values that
    heuristics suggest.

    Args:
        graph: the graph.
        record: the record.
        engine: one of its engines.
        device: a described device, where there is none.

    Raises:
        ArgumentError, NotSupportedError: the engine does not take the graph, or has no such knob.
    """
    place: dict[str, Any] = {} if device is None else {"device": device}
    knobs = record.shown_knobs
    yield from graph.candidates(engine=engine, knobs=knobs, **place)
    with errata.off(record.id):
        found = graph.candidates(**place)
    yield from (each for each in found if each.engine == engine and fits_knobs(knobs, each.knobs))


def build(graph: Graph, record: Record, engine: int) -> Plan:
    """Return the plan of the first configuration that cuDNN builds on the current device.

    Raises:
        ArgumentError, NotSupportedError: as `configurations` does, or cuDNN builds none.
    """
    refused: errors.NotSupportedError | None = None
    for each in configurations(graph, record, engine):
        try:
            return each.build()
        except errors.NotSupportedError as error:
            refused = refused or error
    raise refused or errors.NotSupportedError(
        f"engine {engine} has no configuration that shows {record.id}"
    )
