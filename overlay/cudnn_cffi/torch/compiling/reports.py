"""Reports of compiled graphs."""

from __future__ import annotations

import weakref
from typing import Protocol

from ..fusion.report import Ran, Report


class Reporting(Protocol):
    """A compiled graph, which tells how it is computed."""

    def ran(self) -> list[Ran]:
        """Return how each part is computed, as far as it was called."""


#: All compiled graphs that live, in the order in which they were compiled.
_graphs: list[weakref.ref[Reporting]] = []


def add(graph: Reporting) -> None:
    """Add a compiled graph to the reports, as long as it lives."""
    _graphs.append(weakref.ref(graph, _graphs.remove))


def compiled_graphs() -> list[Report]:
    """Return how each graph is computed that the backend of `torch.compile` compiled.

    Graphs are in the order in which they were compiled. `torch.compiler.reset()` drops them.
    Layers of graphs for inference are told of once they were called.

    Returns: for each graph a report as that of `fuse`: the name of the module, what it computes, by
        what, and why. That is "engine 41" and the like for a plan, "layer" for a layer by cuDNN,
        "torch" where PyTorch computes instead, "inductor" for PyTorch's compiler, and "as it is"
        for the rest. The first row of a graph with layers that is not fused says why.
    """
    return [Report(graph.ran()) for each in tuple(_graphs) if (graph := each()) is not None]
