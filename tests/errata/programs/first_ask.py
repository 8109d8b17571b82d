"""Print the most calls, of Python and of C, that a choice takes to ask for known errors of a graph.

Calls are counted, since the time of a busy machine tells nothing: for each engine that is asked
about, and for all of a graph.
"""

import gc
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[3]))

import cudnn_cffi as cudnn
from cudnn_cffi import errors
from cudnn_cffi.errata import asks, table

from benchmarks.graphs import makers, suggested

H200 = cudnn.DeviceProperties("H200")


def calls(graph: cudnn.Graph, engines: list[tuple[int, Any]]) -> int:
    """Return the number of calls of all that a choice asks."""
    computation = graph.computation(device=H200)
    computation.operation_graph  # its descriptors are made
    count = 0

    def see(_: Any, event: str, __: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(see)
    if not asks.misalignment(computation):
        given, held = computation.operation_graph, dict[int, int | None]()
        for engine, knobs in engines:
            if engine not in held:
                held[engine] = asks.judge(given, table.current, engine)
            bits = held[engine]
            if bits is None or (bits and asks.left_out(bits, table.current, engine, knobs) is None):
                asks.wrong_engine(computation, engine, knobs)
    sys.setprofile(None)
    return count


found, by_engine = [], []
gc.disable()  # it would end objects while calls are counted
for make in makers():
    try:
        engines = suggested(make().computation(device=H200))
        calls(make(), engines)  # structures are looked up once in a process
    except errors.CudnnError:
        continue  # a graph that is refused before engines are asked
    found.append(calls(make(), engines))
    by_engine.append(found[-1] / max(len(engines), 1))
print(len(found), round(max(by_engine)), max(found))
