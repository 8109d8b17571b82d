"""CPU time of building a graph again and finding its plan.

    python -m benchmarks.graphs [--record]

It needs no GPU, but a cuDNN that builds plans for a device that is not there; medians of rounds.
"""

from __future__ import annotations

import argparse
import statistics
import time
import timeit

import cudnn_cffi as cudnn

from benchmarks import records

ROUNDS, CALLS = 15, 1000


def block() -> cudnn.Graph:
    """Return the graph of a convolution with bias and ReLU."""
    g = cudnn.Graph(io_data_type="HALF")
    x = g.tensor((8, 64, 56, 56), layout="NHWC", name="x")
    w = g.tensor((64, 64, 3, 3), layout="NHWC", name="w")
    b = g.tensor((1, 64, 1, 1), name="b")
    g.output(g.relu(g.convolution(x, w, padding=1) + b), name="y")
    return g


def main() -> None:
    """Print the medians in microseconds."""
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
    if options.record:
        records.write("graphs", values, ["overlay/cudnn_cffi/graph"])


if __name__ == "__main__":
    main()
