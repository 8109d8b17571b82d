"""Device time of attention and its gradient: plans of this package against PyTorch's backends.

For each shape the fastest of PyTorch's backends (flash, cuDNN, memory efficient) is compared with
the fastest of the first candidates of a graph. Both are timed by CUDA events around several calls,
in turns, and of the rounds the median is taken. The gradient is timed alone.

    python -m benchmarks.gpu_attention [--seconds N] [--candidates N] [--json FILE] [--record]
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from cudnn_cffi import errors
from cudnn_cffi.graph import Graph
from torch.nn.attention import SDPBackend, sdpa_kernel

from benchmarks import records
from benchmarks.timing import Call, in_turns, of_device

BACKENDS = {
    "flash": SDPBackend.FLASH_ATTENTION,
    "cudnn": SDPBackend.CUDNN_ATTENTION,
    "efficient": SDPBackend.EFFICIENT_ATTENTION,
}
#: (batch, heads, length): as many tokens each, but for the small one.
SHAPES = [(1, 8, 256), (16, 16, 512), (4, 16, 2048), (1, 16, 8192), (1, 16, 16384), (32, 16, 128)]
ROUNDS = 7
#: Cycles in which the host queues a call: about 100 microseconds.
WAIT = 180_000


@dataclass
class Result:
    """The times of one shape, in microseconds of the device."""

    batch: int
    heads: int
    length: int
    width: int
    causal: bool
    direction: str
    ours: float
    engine: int
    torch: float
    backend: str

    @property
    def ratio(self) -> float:
        """Our time over PyTorch's."""
        return self.ours / self.torch


def time_in_turns(functions: dict[str, Call], wait: int = WAIT) -> dict[str, float]:
    """Return the median time of a call of each function, in microseconds.

    Args:
        functions: are called in turns.
        wait: the cycles that the device waits for the host to queue a call.
    """
    ways = {}
    for name, function in functions.items():
        taken = of_device(torch, function, 2, 2 * wait)
        count = max(1, min(50, int(4000 / max(taken, 1.0))))
        ways[name] = partial(of_device, torch, function, count, count * wait)
    return in_turns(ways, ROUNDS)


def backends(
    q: Any, k: Any, v: Any, do: Any, causal: bool, backward: bool
) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield what PyTorch's backends do with these tensors, where they take them."""
    for name, backend in BACKENDS.items():

        def forward(backend: Any = backend) -> Any:
            with sdpa_kernel(backend):
                return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)

        try:
            o = forward()
            if not backward:
                yield name, forward
                continue

            def gradient(o: Any = o) -> Any:
                return torch.autograd.grad(o, (q, k, v), do, retain_graph=True)

            gradient()
            yield name, gradient
        except RuntimeError:
            continue


def plans(graph: Any, most: int) -> Iterator[Any]:
    """Yield plans of the first candidates that can be built."""
    built = 0
    for candidate in graph.candidates():
        if built == most:
            return
        try:
            yield candidate.build()
            built += 1
        except errors.CudnnError:
            continue


def measure(shape: tuple[int, int, int], width: int, causal: bool, most: int) -> Iterator[Result]:
    """Yield the results of both directions of a shape."""
    batch, heads, length = shape
    sizes = (batch, heads, length, width)
    q, k, v = (torch.randn(sizes, device="cuda").half().requires_grad_() for _ in range(3))
    do = torch.randn(sizes, device="cuda").half()
    o, stats = torch.empty_like(do), torch.empty(batch, heads, length, 1, device="cuda")
    arrays = {"q": q.detach(), "k": k.detach(), "v": v.detach()}
    for direction in ("forward", "backward"):
        graph = Graph(io_data_type="HALF")
        tensors = {name: graph.tensor(each, name=name) for name, each in arrays.items()}
        if direction == "forward":
            results = graph.attention(*tensors.values(), causal=causal, stats=True)
            outputs = {"out": o, "stats_out": stats}
        else:
            more = {"o": o, "do": do, "stats": stats}
            tensors |= {name: graph.tensor(each, name=name) for name, each in more.items()}
            arrays |= more
            results = graph.attention_backward(*tensors.values(), causal=causal)
            outputs = {f"d{name}": torch.empty_like(do) for name in "qkv"}
        for (name, _), tensor in zip(outputs.items(), results, strict=True):
            graph.output(tensor, name=name)
        ours = {
            f"engine {plan.engine} #{number}": partial(plan, **arrays, **outputs)
            for number, plan in enumerate(plans(graph, most))
        }
        backward = direction == "backward"
        theirs = dict(backends(q, k, v, do, causal, backward))
        times = time_in_turns(ours | theirs)
        best = min(ours, key=times.__getitem__)
        rival = min(theirs, key=times.__getitem__)
        yield Result(
            *(batch, heads, length, width, causal, direction),
            times[best],
            int(best.split()[1]),
            times[rival],
            rival,
        )


def main() -> None:
    """Measure, and print a table."""
    parser = records.parser(__doc__)
    parser.add_argument("--seconds", type=float, default=90, help="begin no shape after that")
    parser.add_argument("--candidates", type=int, default=3, help="plans to try for each graph")
    options = parser.parse_args()
    began, results = time.monotonic(), []
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}")
    print("batch heads length width causal direction    ours us  engine   torch us  ratio")
    cases = [(shape, width, causal) for shape in SHAPES for width in (64, 128) for causal in (0, 1)]
    for done, (shape, width, causal) in enumerate(cases):
        if time.monotonic() - began > options.seconds:
            print(f"{len(cases) - done} of {len(cases)} cases were left out for lack of time")
            break
        for each in measure(shape, width, bool(causal), options.candidates):
            results.append(each)
            print(
                f"{each.batch:5} {each.heads:5} {each.length:6} {each.width:5} {each.causal!s:>6} "
                f"{each.direction:9} {each.ours:10.1f}  {each.engine:6} {each.torch:10.1f}  "
                f"{each.ratio:5.2f} {each.backend}"
            )
    if not results:
        sys.exit("nothing was measured")
    values: dict[str, dict[str, float]] = {}
    for direction in ("forward", "backward"):
        ratios = sorted(each.ratio for each in results if each.direction == direction)
        values[direction] = {
            "cases": len(ratios),
            "median": statistics.median(ratios),
            "best": ratios[0],
            "worst": ratios[-1],
        }
        print(
            f"{direction}: median ratio {statistics.median(ratios):.2f}, worst {ratios[-1]:.2f}, "
            f"above 1.05: {sum(ratio > 1.05 for ratio in ratios)} of {len(ratios)}"
        )
    subject = "overlay/cudnn_cffi/graph", "overlay/cudnn_cffi/choice"
    records.finish(options, "gpu_attention", values, subject, torch.cuda.get_device_name())


if __name__ == "__main__":
    main()
