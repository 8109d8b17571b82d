"""Errata answer by engine as all records do, one after the other, for the same graph.

Prints how many graphs were asked about, and for how many of them some record holds.
"""

import itertools
import json
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[3]))

import cudnn_cffi as cudnn
from cudnn_cffi import errata, errors, library
from cudnn_cffi.errata import asks, facts, table

from tests.differ import executing, families, graphs
from tests.differ.draw import Draw
from tests.differ.judge import RefusedError, SkippedError
from tests.explain.refusals import REFUSALS

SEED, EACH = 7, 4
H200 = cudnn.DeviceProperties("H200")

executing.device = lambda: "cpu"
errata.on(*[each.id for each in errata.records() if each.scope == "engine" and each.engines])
rows = [
    row
    for each in errata.records()
    if each.scope == "engine" and errata.is_on(each.id)
    for row in table.rows_of(each)
]
engines = {each.engine for each in rows if each.engine is not None}


def drawn(case: int) -> cudnn.Graph:
    draw, graph = Draw("engines", SEED, case), cudnn.Graph()
    graphs.make(draw, graph, families.family_of(draw))
    return graph


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


def listed() -> Iterator[Callable[[], Any]]:
    """Yield what makes each graph."""
    for record in errata.records():
        if "graph" in record.shows:
            yield partial(cudnn.Graph.from_json, json.dumps(record.shows["graph"]))
    for each in REFUSALS:
        yield partial(each.make, cudnn.Graph)
    for given in itertools.product(("convolution", "matmul"), GRADIENTS, ("add", "reduction")):
        yield partial(between, *given)
    for case in range(0, len(families.rows(SEED)), EACH):
        yield partial(drawn, case)


def holds(row: Any, given: Any, structure: facts.Structure) -> bool:
    """Return whether a row holds, from facts that are read for it alone."""
    operations = facts.Operations(given, structure)
    if not row.concerns(library.load().number, lambda: H200.compute_capability):
        return False
    if row.fits is not None and not row.fits(structure):
        return False
    own = operations.of(row.subject)
    return any(row.applies(each, operations) for each in ([None] if row.whole and own else own))


asked = found = 0
for make in listed():
    try:
        computation = make().computation(device=H200)
    except (errors.CudnnError, errors.ArgumentError, RefusedError, SkippedError):
        continue  # which no errata of engines are asked about
    given = facts.operations_of(computation.operation_graph)
    structure = facts.structure_of(given, {})
    plain: dict[int, list[str]] = {each: [] for each in engines}
    for row in rows:
        if row.engine in plain and holds(row, given, structure):
            plain[row.engine].append(row.id)
    by_engine = {
        engine: [each.id for each in asks._matching(computation, engine)] for engine in engines
    }
    assert by_engine == plain, computation.text
    asked += 1
    found += any(plain.values())
print(asked, found)
