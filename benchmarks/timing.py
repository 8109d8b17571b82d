"""Times of calls as benchmarks take them: on the device, on the host, and in turns."""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

Call = Callable[[], Any]

#: Returns the time of a call, from one sample.
Sample = Callable[[], float]

#: Calls in a batch of `in_python`.
CALLS = 200


def torch_on_gpu() -> Any:
    """Return PyTorch; without it or a GPU, the process ends with status 77."""
    try:
        torch: Any = import_module("torch")
    except ImportError:
        torch = None
    if torch is None or not torch.cuda.is_available():
        print("not run: it takes PyTorch and a GPU", file=sys.stderr)
        sys.exit(77)
    return torch


def in_turns(
    ways: Mapping[str, Sample], rounds: int, warm: int = 0, wait: Call | None = None
) -> dict[str, float]:
    """Return the median of the samples of each way, which are taken in turns.

    Args:
        ways: take a sample each.
        rounds: the number of samples.
        warm: the number of rounds before them, which do not count.
        wait: is called before each sample, for an idle device.
    """
    times: dict[str, list[float]] = {name: [] for name in ways}
    for turn in range(warm + rounds):
        for name, sample in ways.items():
            if wait is not None:
                wait()
            taken = sample()
            if turn >= warm:
                times[name].append(taken)
    return {name: statistics.median(each) for name, each in times.items()}


def in_python(function: Callable[..., Any], *arguments: Any, **named: Any) -> Sample:
    """Return a function that times a batch of bare calls, in nanoseconds for each call."""
    names = [f"a{i}" for i in range(len(arguments))]
    passed = ", ".join([*names, *[f"{name}={name}" for name in named]])
    takes = ", ".join([*names, *named])
    code = (
        f"def batch(function, clock, n, {takes}):\n"
        "    began = clock()\n"
        "    for _ in range(n):\n"
        f"        function({passed})\n"
        "    return (clock() - began) / n\n"
    )
    space: dict[str, Any] = {}
    exec(code, space)
    batch = space["batch"]
    return lambda: float(batch(function, time.perf_counter_ns, CALLS, *arguments, *named.values()))


def captured(torch: Any, *calls: Call, before: Call | None = None) -> Call:
    """Return a function that launches a CUDA graph of calls; it keeps them alive.

    Args:
        torch: PyTorch.
        calls: are called three times first.
        before: is called before they are captured.
    """
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for call in calls * 3:
            call()
    torch.cuda.current_stream().wait_stream(side)
    if before is not None:
        before()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=side):
        for call in calls:
            call()

    def launch(_kept: Any = calls) -> None:
        graph.replay()

    return launch


def of_device(torch: Any, call: Call, count: int = 20, wait: int = 400_000) -> float:
    """Return the microseconds of a call between events of the device, which the host is ahead of.

    Args:
        torch: PyTorch.
        call: is called `count` times.
        count: the number of calls.
        wait: the cycles that the device waits first, while the host queues calls.
    """
    before, after = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda.synchronize()
    torch.cuda._sleep(wait)  # noqa: SLF001
    before.record()
    for _ in range(count):
        call()
    after.record()
    after.synchronize()
    return float(before.elapsed_time(after)) * 1e3 / count
