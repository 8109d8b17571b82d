"""Memory that replayed calls take in unusual programs.

    python -m benchmarks.gpu_replay_memory [--record]

Each case runs in two processes, executed (CUDNN_CFFI_REPLAY=0) and replayed. It prints how much
memory of the device and of the host the calls took, after arrays and plans were made.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from benchmarks import records

#: Calls with each set of addresses: more than a capture needs.
TURNS = 6

Calls = Iterable[Callable[[], object]]


def addresses(cudnn: Any, torch: Any) -> tuple[list[Any], Calls]:
    """Call one plan with 1,000 outputs in turn."""
    plan, x, w = _plan(cudnn, torch, 64)
    outputs = [torch.empty_like(x) for _ in range(1000)]
    return [plan], (partial(plan, x, w, y) for y in outputs for _ in range(TURNS))


def streams(cudnn: Any, torch: Any) -> tuple[list[Any], Calls]:
    """Call one plan on 200 streams in turn."""
    plan, x, w = _plan(cudnn, torch, 64)
    y, made = torch.empty_like(x), [torch.cuda.Stream() for _ in range(200)]

    def call(stream: Any) -> None:
        with torch.cuda.stream(stream):
            plan(x, w, y)

    return [plan], (partial(call, stream) for stream in made for _ in range(TURNS))


def handles(cudnn: Any, torch: Any) -> tuple[list[Any], Calls]:
    """Open a handle for each of 500 requests, beside calls of one plan."""
    plan, x, w = _plan(cudnn, torch, 64)
    y = torch.empty_like(x)

    def request() -> None:
        with cudnn.Handle() as handle:
            plan(x, w, y, handle=handle)
        for _ in range(TURNS):
            plan(x, w, y)

    return [plan], (request for _ in range(500))


def plans(cudnn: Any, torch: Any) -> tuple[list[Any], Calls]:
    """Call 300 plans with 8 outputs each: 2,400 calls that could be graphs."""
    made = [_plan(cudnn, torch, 16 + size) for size in range(300)]
    outputs = {id(plan): [torch.empty_like(x) for _ in range(8)] for plan, x, _ in made}
    calls = (
        partial(plan, x, w, y)
        for plan, x, w in made
        for y in outputs[id(plan)]
        for _ in range(TURNS)
    )
    return [plan for plan, *_ in made], calls


CASES = {each.__name__: each for each in (addresses, streams, handles, plans)}


def _plan(cudnn: Any, torch: Any, size: int) -> tuple[Any, Any, Any]:
    """Return a plan of a convolution of `size` x 8 pixels, its input and its filters."""
    kind = {"device": "cuda", "dtype": torch.half}
    x, w = torch.randn(1, 8, size, 8, **kind), torch.randn(8, 8, 1, 1, **kind)
    x, w = (each.contiguous(memory_format=torch.channels_last) for each in (x, w))
    graph = cudnn.Graph()
    graph.output(graph.convolution(graph.tensor(x), graph.tensor(w)))
    return graph.build(), x, w


def _host() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def run(name: str) -> None:
    """Run one case, and print its figures as JSON."""
    import cudnn_cffi as cudnn
    import torch

    made, calls = CASES[name](cudnn, torch)
    torch.cuda.synchronize()
    free, host = torch.cuda.mem_get_info()[0], _host()
    count = 0
    for call in calls:
        call()
        count += 1
    torch.cuda.synchronize()
    device = free - torch.cuda.mem_get_info()[0]
    graphs = sum(int(plan._graphs()) for plan in made)  # noqa: SLF001  only tests ask otherwise
    print(json.dumps([count, graphs, device, _host() - host]))


def main() -> None:
    """Run all cases in child processes, and print a table."""
    parser = records.parser(__doc__)
    parser.add_argument("case", nargs="?", choices=CASES, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.case:
        run(options.case)
        return
    values: dict[str, Any] = {}
    print(f"{'case':10} {'calls':>6} {'graphs':>6} {'device MiB':>21} {'host MiB':>21}")
    print(f"{'':24} {'executed   replayed':>21} {'executed   replayed':>21}")
    for name in CASES:
        found = []
        for after in ("0", "3"):
            done = subprocess.run(
                [sys.executable, "-m", "benchmarks.gpu_replay_memory", name], capture_output=True,
                text=True, check=False,
                env=os.environ | {"CUDNN_CFFI_REPLAY": after},
            )  # fmt: skip
            if done.returncode:
                raise SystemExit(done.stderr)
            found.append(json.loads(done.stdout.splitlines()[-1]))
        (calls, _, *executed), (_, graphs, *replayed) = found
        pairs = (
            f"{one / 2**20:9.1f}  {other / 2**20:9.1f}"
            for one, other in zip(executed, replayed, strict=True)
        )
        print(f"{name:10} {calls:6} {graphs:6} {'  '.join(pairs)}")
        values[name] = {
            "calls": calls,
            "graphs": graphs,
            "executed": dict(zip(("device", "host"), executed, strict=True)),
            "replayed": dict(zip(("device", "host"), replayed, strict=True)),
        }
        if graphs > 1:
            more = [other - one for one, other in zip(executed, replayed, strict=True)]
            values[name] |= {"graph_device": more[0] / graphs, "graph_host": more[1] / graphs}
    import torch

    subject = "native", "overlay/cudnn_cffi/plan", "overlay/cudnn_cffi/driver"
    records.finish(options, "gpu_replay_memory", values, subject, torch.cuda.get_device_name())


if __name__ == "__main__":
    main()
