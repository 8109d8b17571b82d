"""Compare errata of changed graphs in the compiled layer and in Python; print the numbers.

Prints how many answers were compared, for how many a record holds, and for how many none does.
"""

import json
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

import cudnn_cffi as cudnn
from cudnn_cffi import errata, errors
from cudnn_cffi.errata import asks, table
from cudnn_cffi.errata.facts import operations_of

from tests.errata.indexed import H200, KNOBS, listed, reason
from tests.errata.mutated import mutated

ROUNDS = 3000 // int(sys.argv[2])

#: Records as users may add them: of other operations than the package's, for its conditions, too.
OWN: list[dict[str, object]] = [
    {"operation": "ResampleBwd", "engines": [1], "where": "index of maxima"},
    {"operation": "NormForward", "engines": [2], "where": "instance norm"},
    {"operation": "BNFinalizeStatistics", "engines": [3], "where": "tanh after a convolution"},
    {"operation": "ConvolutionBackwardData", "engines": [4], "where": {"with": ["Pointwise ADD"]}},
    {
        "operation": "ConvolutionForward",
        "engines": [5],
        "where": {"tensors": {"x": {"rank": 4}, "w": {"rank": 5}}},
    },
    {"operation": "Matmul", "engines": [6], "where": {"tensors": {"adesc": {"rank": 3}}}},
    {"operation": "Matmul", "engines": [7], "where": {"tensors": {"adesc": {"rank": [3]}}}},
    {"operation": "Reduction", "engines": [8], "where": "sums of more elements than a grid takes"},
    {"operation": "Pointwise", "engines": [9], "where": "images with gaps"},
    {"operation": "Reduction", "engines": [10], "where": "gaps after a product"},
    {"operation": "Matmul", "engines": [12], "knobs": {"SPLIT_K_SLC": {"modulo": 2, "is": 1}}},
]
names = ("id", "kind", "symptom")
path = Path(sys.argv[1])
rows = [dict(zip(names, (f"own-{i}", "fails", f"own {i}"), strict=True)) for i in range(len(OWN))]
own = [{**row, **each} for row, each in zip(rows, OWN, strict=True)]
text = json.dumps({"schema": "cudnn_cffi.errata", "version": 2, "records": own})
path.write_text(text, encoding="utf-8")
errata.load(path)
errata.on(*[each.id for each in errata.records() if each.scope == "engine" and each.engines])


def backward() -> cudnn.Graph:
    """Return a gradient alone, whose arrays have other names."""
    graph = cudnn.Graph(io_data_type="HALF")
    x = graph.tensor((3, 16, 8))
    graph.output(graph.pointwise("RELU_BWD", x, graph.tensor((3, 16, 8))))
    return graph


computations = []
for make in (*listed(), backward, backward):
    try:
        computations.append(make().computation(device=H200))
    except errors.CudnnError:
        continue  # which no errata of engines are asked about
graphs = [each.operation_graph for each in computations]
chance = random.Random(20)
held = none = 0
for _ in range(ROUNDS):
    computation = chance.choice(computations)
    with mutated(computation.operation_graph, graphs, chance) as told:
        given = operations_of(computation.operation_graph)
        for engine, known in table.state().engines.items():
            knobs = chance.choice(KNOBS)
            wanted = reason(known, knobs, given)
            why = asks.wrong_engine(computation, engine, knobs)
            assert why == wanted, (engine, knobs, told)
            held += bool(wanted)
            none += not wanted
print(held, none)
