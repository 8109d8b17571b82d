"""Errata that are asked by engine beside all records, one after the other, for the same graph."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from types import SimpleNamespace
from typing import Any

import cudnn_cffi as cudnn
from cudnn_cffi import errata, errors, library
from cudnn_cffi._call import mode
from cudnn_cffi.errata import asks, facts, judging, table
from cudnn_cffi.errata.conditions import addresses
from cudnn_cffi.errata.definitions import Graph
from cudnn_cffi.errata.record import CHOSEN
from cudnn_cffi.errata.scope import fits_knobs

from tests.explain.refusals import REFUSALS

H200 = cudnn.DeviceProperties("H200")

#: Values of knobs that records have, and others.
KNOBS: tuple[dict[str, int], ...] = (
    {},
    {"SPLIT_K_SLC": 3, "KERNEL_CFG": 26, "USE_TEX": 1, "WORKSPACE": 1},
    {"SPLIT_K_SLC": 3, "KERNEL_CFG": 0, "TILE_ROWS": 1, "SPLIT_COLS": 0, "WORKSPACE": 3},
    {"SPLIT_K_SLC": 2, "KERNEL_CFG": 31, "TILE_ROWS": 2, "SPLIT_COLS": 1, "USE_TEX": 0},
)

GRADIENTS = ("RELU", "TANH", "SIGMOID", "ELU", "GELU", "GELU_APPROX_TANH", "SOFTPLUS", "SWISH")


def between(kind: str, mode: str, last: str) -> cudnn.Graph:
    """Return a product, the gradient of an activation, which has other tensors, and one more."""
    graph = cudnn.Graph(io_data_type="HALF")
    if kind == "convolution":
        made = graph.convolution(graph.tensor((4, 16, 8, 8)), graph.tensor((16, 16, 1, 1)))
    else:
        made = graph.matmul(graph.tensor((4, 16, 8)), graph.tensor((4, 8, 16)))
    other = graph.tensor(made.shape)
    gradient = graph.pointwise(f"{mode}_BWD", other, made)
    graph.output(graph.add(gradient, other) if last == "add" else graph.reduction(gradient, dims=1))
    return graph


def listed() -> Iterator[Callable[[], cudnn.Graph]]:
    """Yield what makes each graph: those of records, those that no engine takes, and odd ones."""
    for record in errata.records():
        if "graph" in record.shows:
            yield partial(cudnn.Graph.from_json, json.dumps(record.shows["graph"]))
    for each in REFUSALS:
        yield partial(each.make, cudnn.Graph)
    for given in itertools.product(("convolution", "matmul"), GRADIENTS, ("add", "reduction")):
        yield partial(between, *given)


def holds(row: Any, given: Any) -> bool:
    """Return whether a row holds, from facts that are read for it alone, in Python."""
    graph = Graph(given, {})
    if not row.concerns(library.load().number, lambda: H200.compute_capability):
        return False
    if not any(judging.holds(each, row.subject, graph) for each in row.needs):
        return False
    return row.applies is None or any(row.applies(each, graph) for each in graph.of(row.subject))


def reason(rows: Iterable[Any], knobs: dict[str, int], given: Any) -> str:
    """Return why rows leave an engine out, in Python; those without knobs come first."""
    for each in sorted(rows, key=lambda row: bool(row.knobs)):
        if each.kind not in CHOSEN and fits_knobs(each.knobs, knobs) and holds(each, given):
            return str(each.reason)
    return ""


def may_lie_anywhere(computation: Any, graph: Graph) -> bool:
    """Return whether no condition holds for a graph whose arrays begin at any byte, in Python."""
    low = [each._replace(alignment=1) for each in computation.operands]
    given = SimpleNamespace(operands=low)
    return not any(applies(given, graph) for applies in addresses.CONDITIONS.values())


def compare(
    makers: Iterable[Callable[[], cudnn.Graph]], refusals: tuple[type[Exception], ...] = ()
) -> tuple[int, int]:
    """Compare the answers for graphs, in the compiled layer and in Python, with all records.

    Returns how many were asked, and for how many a record holds.

    Args:
        makers: make the graphs.
        refusals: what they raise besides errors of the package.
    """
    errata.on(*[each.id for each in errata.records() if each.scope == "engine" and each.engines])
    rows = [
        row
        for each in errata.records()
        if each.scope == "engine" and errata.is_on(each.id)
        for row in table.rows_of(each)
    ]
    engines = {each.engine for each in rows if each.engine is not None}
    ends: tuple[type[Exception], ...] = (errors.CudnnError, *refusals)
    asked = found = 0
    for make in makers:
        try:
            computation = make().computation(device=H200)
        except ends:
            continue  # which no errata of engines are asked about
        given = facts.operations_of(computation.operation_graph)
        anywhere = asks._is_anywhere(computation.operation_graph, table.state())
        graph = Graph(given, {})
        is_decided = mode() == "api" and not addresses._is_attention(graph.structure.kinds)
        assert anywhere == (is_decided and may_lie_anywhere(computation, graph)), computation.text
        plain: dict[int, set[str]] = {each: set() for each in engines}
        for row in rows:
            if row.engine in plain and holds(row, given):
                plain[row.engine].add(row.id)
        by_engine = {
            engine: {each.id for each in asks._held(computation, engine)} for engine in engines
        }
        assert by_engine == plain, computation.text
        known, descriptor = table.state().engines, computation.operation_graph
        held = dict[int, int | None]()
        for engine in sorted(engines):  # of which each is judged with those that followed before
            held.setdefault(engine, asks.judge(descriptor, table.current, engine, held))
        alone = {each: asks.judge(descriptor, table.current, each) for each in engines}
        assert held == alone, computation.text
        for engine, knobs in itertools.product(engines, KNOBS):
            why = asks.wrong_engine(computation, engine, knobs)
            assert why == reason(known[engine], knobs, given), (engine, knobs, computation)
        asked += 1
        found += any(plain.values())
    return asked, found
