"""Time recurrent networks, dropout and local norms against PyTorch, on host and device.

    python -m benchmarks.gpu_recurrent [--rounds N]

Prints the median of rounds: microseconds of the device for `ops` and for PyTorch, their ratio, and
microseconds of the host. Networks are LSTM and GRU, float32 with TF32 and float16, forward in
inference and forward with all gradients in training, by the policies "heuristic" and "time".
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from cudnn_cffi import ops

#: Time steps, batch, inputs, hidden size and layers.
SHAPES = ((5, 2, 32, 16, 3), (20, 16, 64, 64, 1), (50, 32, 128, 128, 2), (100, 64, 512, 512, 2))


def measure(call: Callable[[], Any], rounds: int) -> tuple[float, float]:
    """Return the medians of device and host, in microseconds for each call."""
    for _ in range(3):
        call()
    device, host = [], []
    for _ in range(rounds):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        torch.cuda.synchronize()
        # Work before the first event keeps the host ahead, so that the device does not wait.
        torch.cuda._sleep(4_000_000)  # noqa: SLF001
        start.record()
        begin = time.perf_counter()
        for _ in range(4):
            call()
        host.append((time.perf_counter() - begin) / 4 * 1e6)
        end.record()
        torch.cuda.synchronize()
        device.append(start.elapsed_time(end) / 4 * 1e3)
    return statistics.median(device), statistics.median(host)


def report(name: str, ours: Callable[[], Any], theirs: Callable[[], Any], rounds: int) -> None:
    """Print a line that compares two calls."""
    own, other = measure(ours, rounds), measure(theirs, rounds)
    print(
        f"{name:70s} {own[0]:9.1f} {other[0]:9.1f} {own[0] / other[0]:5.2f} "
        f"{own[1]:8.1f} {other[1]:7.1f}"
    )


def train(module: Any, x: Any, dy: Any) -> None:
    """Run a module of PyTorch forward and backward."""
    module(x)[0].backward(dy)


def infer(module: Any, x: Any) -> None:
    """Run a module of PyTorch forward."""
    with torch.no_grad():
        module(x)


def train_ours(net: Any, x: Any, weights: Any, dy: Any) -> None:
    """Run a network forward and backward."""
    y, _, _, reserve = net(x, weights, training=True)
    net.backward(dy, x, y, weights, reserve)


def network(cell: str, dtype: torch.dtype, shape: tuple[int, ...], rounds: int) -> None:
    """Compare one kind of network by both policies."""
    steps, batch, inputs, hidden, layers = shape
    x = torch.randn(steps, batch, inputs, device="cuda", dtype=dtype)
    dy = torch.randn(steps, batch, hidden, device="cuda", dtype=dtype)
    module = getattr(torch.nn, cell)(inputs, hidden, layers).cuda().to(dtype)
    module.flatten_parameters()
    given = x.clone().requires_grad_()
    for pick in ("heuristic", "time"):
        net = getattr(ops, cell)(inputs, hidden, layers, choose=pick)
        kind = str(dtype).removeprefix("torch.")
        weights = torch.randn(net.weights_count(kind), device="cuda", dtype=dtype) * 0.05
        name = f"{cell} T{steps} B{batch} I{inputs} H{hidden} L{layers} {kind} {pick}"
        chosen = net(x, weights, training=True).reserve.algorithm
        report(f"{name} forward", partial(net, x, weights), partial(infer, module, x), rounds)
        ours = partial(train_ours, net, x, weights, dy)
        report(f"{name} {chosen}", ours, partial(train, module, given, dy), rounds)


def others(rounds: int) -> None:
    """Compare dropout and local response norm."""
    functional = torch.nn.functional
    drop, norm = ops.Dropout(0.5, seed=1), ops.LocalResponseNorm(5)
    for shape in ((64, 256, 28, 28), (8, 64, 14, 14)):
        x = torch.randn(shape, device="cuda")
        report(f"dropout {shape}", partial(drop, x), partial(functional.dropout, x), rounds)
        theirs = partial(functional.local_response_norm, x, 5)
        report(f"local response norm {shape}", partial(norm, x), theirs, rounds)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=15, help="how often each is timed")
    rounds = parser.parse_args().rounds
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
    print(f"{'':70s} {'device us':>9s} {'PyTorch':>9s} ratio {'host us':>8s} {'PyTorch':>7s}")
    others(rounds)
    for cell in ("LSTM", "GRU"):
        for dtype in (torch.float32, torch.float16):
            for shape in SHAPES:
                network(cell, dtype, shape, rounds)


if __name__ == "__main__":
    main()
