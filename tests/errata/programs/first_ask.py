"""Print the most calls, of Python and of C, that a choice takes to ask for known errors of a graph.

Calls are counted, since the time of a busy machine tells nothing. Asks of a choice that leaves out
many engines are counted by engines.
"""

import gc
import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[3]))

import cudnn_cffi as cudnn
from cudnn_cffi import errata, errors
from cudnn_cffi.errata import asks

from benchmarks.graphs import suggested
from tests.explain.refusals import REFUSALS

H200 = cudnn.DeviceProperties("H200")


def calls(graph: cudnn.Graph, engines: list[tuple[int, Any]]) -> float:
    """Return the number of calls of what a choice asks, for each engine."""
    computation = graph.computation(device=H200)
    computation.operation_graph  # its descriptors are made
    count = 0

    def see(_: Any, event: str, __: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(see)
    if not asks.misalignment(computation):
        for engine, knobs in engines:
            asks.wrong_engine(computation, engine, knobs)
    sys.setprofile(None)
    return count / max(len(engines), 1)


shown = [json.dumps(each.shows["graph"]) for each in errata.records() if "graph" in each.shows]
found = []
gc.disable()  # it would end objects while calls are counted
for make in (
    *(lambda text=text: cudnn.Graph.from_json(text) for text in shown),
    *(lambda each=each: each.make(cudnn.Graph) for each in REFUSALS),
):
    try:
        engines = suggested(make(), H200)
        calls(make(), engines)  # structures are looked up once in a process
    except errors.CudnnError:
        continue  # a graph that is refused before engines are asked
    found.append(calls(make(), engines))
print(len(found), round(max(found)))
