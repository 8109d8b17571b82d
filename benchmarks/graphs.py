"""CPU time of building a graph again and finding its plan, and of asking for known errors of one.

    python -m benchmarks.graphs [--record]

It needs no GPU, but a cuDNN that builds plans for a device that is not there; medians of rounds.
"""

from __future__ import annotations

import json
import statistics
import time
import timeit
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial, wraps
from importlib import import_module
from typing import Any

import cudnn_cffi as cudnn
from cudnn_cffi import errata, errors
from cudnn_cffi.choice.engine.engines import Candidate
from cudnn_cffi.plan import Computation

from benchmarks import records
from tests.choice.programs import left
from tests.explain.refusals import REFUSALS

ROUNDS, CALLS, ASKS = 9, 1000, 3

#: Maximum of microseconds for the asks of a choice.
LIMIT = 20


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
    for each in chooser.search(computation, every_engine=True):
        if isinstance(each, Candidate):
            return [*asked, (each.engine, each.knobs)]
        if each.stage == "errata" and each.engine is not None:
            asked.append((each.engine, each.knobs))
    return asked


#: The module that asks for known errors, and the seconds of its asks since this was set.
chooser: Any = import_module("cudnn_cffi.choice.candidates")
spent = 0.0


def timed(call: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function whose seconds are added to `spent`."""

    @wraps(call)
    def wrapped(*given: Any) -> Any:
        global spent
        begin = time.perf_counter()
        found = call(*given)
        spent += time.perf_counter() - begin
        return found

    return wrapped


def ask(computation: Computation) -> float:
    """Return the seconds that the first choice of an engine for a graph asks for known errors.

    That is `are_low`, before cuDNN's heuristics, and `judge` and `left_out` for each engine that
    they suggest, when little of that is left in the caches; `misalignment` and `wrong_engine` where
    Python decides.
    """
    global spent
    computation.operation_graph  # noqa: B018  # its descriptors are made
    spent = 0.0
    suggested(computation)
    return spent


def makers() -> list[Callable[[], cudnn.Graph]]:
    """Return what makes the graphs that show known errors, and those that no engine takes.

    Graphs that end the process where engines are asked are left out.
    """
    records = [each for each in errata.records() if each.has_graph and each.kind != "crash"]
    shown = [partial(cudnn.Graph.from_json, json.dumps(each.shows["graph"])) for each in records]
    return [*shown, *(partial(each.make, cudnn.Graph) for each in REFUSALS)]


def drawn(device: cudnn.DeviceProperties) -> Iterator[tuple[str, Computation]]:
    """Yield the computations of `makers` that no record refuses before engines are asked."""
    for place, make in enumerate(makers()):
        with suppress(errors.CudnnError):
            yield str(place), make().computation(device=device)


def of_all(given: Callable[[], Iterable[tuple[str, Computation]]]) -> list[float]:
    """Return the microseconds of the asks for graphs: medians of rounds, of those above the limit.

    A machine that does other things, too, interrupts some, so these are asked about again.
    """
    found: dict[str, list[float]] = {}
    for turn in range(ASKS):
        for name, computation in given():
            if turn == 0 or found.get(name, [0.0])[0] > LIMIT:
                found.setdefault(name, []).append(ask(computation) * 1e6)
    return sorted(map(statistics.median, found.values()))


def main() -> None:
    """Print the medians in microseconds, and how the first asks of all graphs are distributed."""
    parser = records.parser(__doc__)
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
    for name in ("are_low", "misalignment", "judge", "left_out", "wrong_engine"):
        setattr(chooser, name, timed(getattr(chooser, name)))
    for name, make in (("block", block), ("attention's gradients", gradient)):
        took = [ask(make().computation(device=device)) for _ in range(10 * ASKS)]
        values[f"known errors of {name}"] = statistics.median(took) * 1e6
        print(
            f"asks for the known errors of {name}: {statistics.median(took) * 1e6:.1f} us",
            flush=True,
        )
    for name, found in (
        ("odd graphs", of_all(lambda: drawn(device))),
        ("own graphs", of_all(lambda: (each[:2] for each in left.computations()))),
    ):
        above = sum(each > LIMIT for each in found)
        at = {"median": found[len(found) // 2], "at most": found[-1], "above the limit": above}
        print(f"asks for the known errors of {len(found)} {name}, in us:")
        for part, value in at.items():
            values[f"known errors of {name}, {part}"] = value
            print(f"    {part}: {value:.1f}")
    subject = "overlay/cudnn_cffi/graph", "overlay/cudnn_cffi/errata"
    records.finish(options, "graphs", values, subject)


if __name__ == "__main__":
    main()
