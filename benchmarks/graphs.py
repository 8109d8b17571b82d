"""CPU time of building a graph again and finding its plan, and of asking for known errors of one.

    python -m benchmarks.graphs [--record]

It needs no GPU, but a cuDNN that builds plans for a device that is not there; medians of rounds.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
import timeit
from collections.abc import Callable
from functools import partial
from typing import Any

import cudnn_cffi as cudnn
from cudnn_cffi import errata, errors
from cudnn_cffi.choice.candidates import search
from cudnn_cffi.choice.engine.engines import Candidate
from cudnn_cffi.errata import asks
from cudnn_cffi.plan import Computation

from benchmarks import records
from tests.choice.programs import left
from tests.explain.refusals import REFUSALS

ROUNDS, CALLS = 15, 1000


def block() -> cudnn.Graph:
    """Return the graph of a convolution with bias and ReLU."""
    g = cudnn.Graph(io_data_type="HALF")
    x = g.tensor((8, 64, 56, 56), layout="NHWC", name="x")
    w = g.tensor((64, 64, 3, 3), layout="NHWC", name="w")
    b = g.tensor((1, 64, 1, 1), name="b")
    g.output(g.relu(g.convolution(x, w, padding=1) + b), name="y")
    return g


def gradient() -> cudnn.Graph:
    """Return the graph of the gradients of attention, in 22 operations once it is lowered."""
    g = cudnn.Graph(io_data_type="HALF")
    q, k, v, o, do = (g.tensor((2, 4, 128, 64), name=name) for name in ("q", "k", "v", "o", "do"))
    stats = g.tensor((2, 4, 128, 1), "FLOAT", name="stats")
    for each in g.attention_backward(q, k, v, o, do, stats, causal=True, form="composite"):
        g.output(each)
    return g


def suggested(computation: Computation) -> list[tuple[int, Any]]:
    """Return the engines, with their knobs, that a choice asks about until one is not left out."""
    asked: list[tuple[int, Any]] = []
    for each in search(computation, every_engine=True):
        if isinstance(each, Candidate):
            return [*asked, (each.engine, each.knobs)]
        if each.stage == "errata" and each.engine is not None:
            asked.append((each.engine, each.knobs))
    return asked


def ask(computation: Computation, suggested: list[tuple[int, Any]]) -> float:
    """Return the seconds for the known errors of a computation, all that a choice asks."""
    computation.operation_graph  # noqa: B018  # its descriptors are made
    computation.asked = None
    begin = time.perf_counter()
    if not asks.misalignment(computation):
        known = asks.about(computation)
        for engine, knobs in suggested:
            known.wrong_engine(computation, engine, knobs)
    return time.perf_counter() - begin


def makers() -> list[Callable[[], cudnn.Graph]]:
    """Return what makes the graphs that show known errors, and those that no engine takes.

    Graphs that end the process where engines are asked are left out.
    """
    records = [each for each in errata.records() if each.has_graph and each.kind != "crash"]
    shown = [partial(cudnn.Graph.from_json, json.dumps(each.shows["graph"])) for each in records]
    return [*shown, *(partial(each.make, cudnn.Graph) for each in REFUSALS)]


def of_all(device: cudnn.DeviceProperties) -> list[float]:
    """Return the microseconds of the asks for `makers`, the least of some rounds of each."""
    found = []
    for make in makers():
        try:
            engines = suggested(make().computation(device=device))
            rounds = [ask(make().computation(device=device), engines) for _ in range(ROUNDS)]
            found.append(min(rounds) * 1e6)
        except errors.CudnnError:
            continue  # it is refused before engines are asked
    return sorted(found)


def of_own() -> list[float]:
    """Return the microseconds of the asks for the package's own graphs, the least of each."""
    engines: dict[str, list[tuple[int, Any]]] = {}
    found: dict[str, float] = {}
    for turn in range(ROUNDS):
        for name, computation, _ in left.computations():
            if not turn:
                engines[name] = suggested(computation)
            took = ask(computation, engines[name]) * 1e6
            found[name] = min(took, found.get(name, took))
    return sorted(found.values())


def main() -> None:
    """Print the medians in microseconds, and how the first asks of all graphs are distributed."""
    parser = argparse.ArgumentParser(description=__doc__)
    records.add_option(parser)
    options = parser.parse_args()
    values = {}
    device = cudnn.DeviceProperties("H200")
    block().build(device=device)
    for name, call in (
        ("build the graph", block),
        ("and its signature", lambda: block().signature),
        ("and find its plan", lambda: block().build(device=device)),
    ):
        times = timeit.repeat(call, timer=time.process_time, number=CALLS, repeat=ROUNDS)
        values[name] = statistics.median(times) / CALLS * 1e6
        print(f"{name}: {values[name]:.1f} us")
    for name, make in (("block", block), ("attention's gradients", gradient)):
        engines = suggested(make().computation(device=device))
        took = [ask(make().computation(device=device), engines) for _ in range(10 * ROUNDS)]
        values[f"known errors of {name}"] = statistics.median(took) * 1e6
        print(f"asks for the known errors of {name}: {statistics.median(took) * 1e6:.1f} us")
    for name, found in (("odd graphs", of_all(device)), ("own graphs", of_own())):
        at = {"median": found[len(found) // 2], "at most": found[-1]}
        print(f"asks for the known errors of {len(found)} {name}, in us:")
        for part, value in at.items():
            values[f"known errors of {name}, {part}"] = value
            print(f"    {part}: {value:.1f}")
        print(f"    above 20: {sum(each > 20 for each in found)}")
    if options.record:
        records.write("graphs", values, ["overlay/cudnn_cffi/graph", "overlay/cudnn_cffi/errata"])


if __name__ == "__main__":
    main()
