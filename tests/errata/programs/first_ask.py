"""Print the most calls, of Python and of C, that the first ask for known errors of a graph takes.

Calls are counted, since the time of a busy machine tells nothing: 147, of a convolution with a bias
and a ReLU, took 63 microseconds on the host of an H200.
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

from tests.explain.refusals import REFUSALS

H200 = cudnn.DeviceProperties("H200")


def calls(graph: cudnn.Graph) -> int:
    """Return the number of calls of the first ask."""
    computation = graph.computation(device=H200)
    computation.operation_graph  # its descriptors are made
    count = 0

    def see(_: Any, event: str, __: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    gc.collect()
    gc.disable()
    sys.setprofile(see)
    asks.misalignment(computation)
    asks.wrong_engines(computation)
    sys.setprofile(None)
    gc.enable()
    return count


shown = [json.dumps(each.shows["graph"]) for each in errata.records() if "graph" in each.shows]
found = []
for make in (
    *(lambda text=text: cudnn.Graph.from_json(text) for text in shown),
    *(lambda each=each: each.make(cudnn.Graph) for each in REFUSALS),
):
    try:
        calls(make())  # names of enumerators are looked up once in a process
    except errors.CudnnError:
        continue  # a graph that is refused before engines are asked
    found.append(calls(make()))
print(len(found), max(found))
