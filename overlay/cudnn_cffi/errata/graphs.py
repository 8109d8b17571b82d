"""Refuse graphs that engines take as a whole, and compute wrongly, or that end the process."""

from __future__ import annotations

from .. import errors
from . import table
from .conditions.graphs import FILTERS as FILTERS
from .conditions.graphs import NORMS as NORMS
from .conditions.graphs import RESAMPLING as RESAMPLING
from .conditions.graphs import images_read as images_read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from .conditions.tensors import Graph
    from .record import Erratum

    #: A record that concerns a graph, and what it concerns in it.
    Found: TypeAlias = tuple[Erratum, str]

#: The groups of records: graphs that are refused whatever the shapes of their tensors are; with
#: tensors that engines read or write at wrong addresses; lines that are resampled, which are
#: described as planes but for sizes that are interpolated; pointwise graphs of one to three
#: dimensions, which are described as batches of matrices; images that no other shape describes as
#: engines read them.
TOGETHER, LAYOUTS, LINES, MATRICES, IMAGES = (
    "graphs together",
    "graphs by layout",
    "graphs of lines",
    "graphs of matrices",
    "graphs of images",
)


def find(graph: Graph, group: str) -> Found | None:
    """Return the first record of a group that concerns a graph."""
    for each in table.of(group):
        if each.is_limited and not table.concerns(each):
            continue
        if found := each.applies(graph):
            return each, found
    return None


def error(graph: Graph, found: Found) -> errors.NotSupportedError:
    """Return what refuses a graph."""
    record, what = found
    text = f"graph {graph.name}: {record.symptom}: {what}"
    return errors.NotSupportedError(text, hint=record.workaround)


def refuse(graph: Graph, group: str) -> None:
    """Refuse a graph that a record of a group concerns.

    Raises:
        NotSupportedError: engines take the graph and compute it wrongly.
    """
    if found := find(graph, group):
        raise error(graph, found)
