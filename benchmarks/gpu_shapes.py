"""Attention and convolutions of shapes that change, beside PyTorch.

    python -m benchmarks.gpu_shapes [--record]

Each part runs in a process of its own, with an empty cache of the driver and no saved plans. It
prints milliseconds of first calls, the host's time for a new length in a bucket, memory and modules
over 1,000 lengths, and the device's time beside those of plans for the length itself, and for that
of its bucket. Convolutions need not wait for an engine of their own (`exact=False`).
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

from cudnn_cffi import choice
from cudnn_cffi.ops.attn.buckets import EXACT, round_up

from benchmarks import records
from benchmarks.timing import Call, of_device

LENGTHS = (512, 530)
#: Lengths whose kernels are those of the first one.
LATER = (528, 560, 592, 624, 656, 688, 720)
KINDS = ("plain", "bias", "causal")
SIZES = (56, 60, 57, 61)

#: A callback of CUPTI for a loaded module, and the domain of resources.
_LOADED, _RESOURCES = 6, 3


class Modules:
    """Counts modules that CUDA loads, by CUPTI; `count` is None without it."""

    def __init__(self) -> None:
        self.count: int | None = None
        found = [p for d in sys.path for p in Path(d).glob("nvidia/*/lib/libcupti.so*")]
        if not found:
            return
        library = ctypes.CDLL(str(found[0]))
        kind = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_uint, ctypes.c_void_p)
        self._callback = kind(self._see)
        subscriber = ctypes.c_void_p()
        if library.cuptiSubscribe(ctypes.byref(subscriber), self._callback, None) == 0:
            library.cuptiEnableDomain(1, subscriber, _RESOURCES)
            self.count = 0

    def _see(self, _: Any, domain: int, event: int, __: Any) -> None:
        if (domain, event) == (_RESOURCES, _LOADED) and self.count is not None:
            self.count += 1


def _qkv(torch: Any, length: int, batch: int = 2, heads: int = 16, width: int = 128) -> list[Any]:
    shape = (batch, heads, length, width)
    return [torch.randn(shape, device="cuda", dtype=torch.half) for _ in range(3)]


def _wall(torch: Any, call: Call) -> float:
    torch.cuda.synchronize()
    start = time.perf_counter()
    call()
    torch.cuda.synchronize()
    return (time.perf_counter() - start) * 1e3


def _device(torch: Any, call: Call) -> float:
    """Return microseconds of a call on the device, the least of 5 samples."""
    return min(of_device(torch, call, 50) for _ in range(5))


def _attention_of(torch: Any, kind: str, length: int) -> tuple[Call, Call]:
    """Return calls of this package's attention, and of PyTorch's."""
    from cudnn_cffi import ops

    given, causal = _qkv(torch, length), kind == "causal"
    bias = torch.randn(1, 16, length, length, device="cuda", dtype=torch.half)
    mask = bias if kind == "bias" else None
    theirs = torch.nn.functional.scaled_dot_product_attention
    return (
        partial(ops.attention, *given, bias=mask, causal=causal),
        partial(theirs, *given, mask, is_causal=causal),
    )


def _begin(torch: Any) -> None:
    """Load what any attention loads."""
    for call in _attention_of(torch, "plain", 64)[::-1]:
        call()


def _attention(own: bool) -> dict[str, Any]:
    import torch

    _begin(torch)
    values: dict[str, Any] = {}
    for kind in KINDS:
        for length in LENGTHS:
            ours, theirs = _attention_of(torch, kind, length)
            values.setdefault(kind, {})[f"l{length}"] = _wall(torch, ours if own else theirs)
    return values


def later_attention() -> dict[str, Any]:
    """Time first calls of further lengths in turns, for which nothing is compiled."""
    import torch

    _begin(torch)
    values: dict[str, Any] = {}
    for kind in KINDS:
        times: dict[str, list[float]] = {"own": [], "their": []}
        for turn, length in enumerate(LATER):
            pairs = list(zip(times, _attention_of(torch, kind, length), strict=True))
            for name, call in pairs[:: 1 if turn % 2 else -1]:
                times[name].append(_wall(torch, call))
        row = values[kind] = {name: statistics.median(each[1:]) for name, each in times.items()}
        row["ratio"] = row["own"] / row["their"]
        print(kind, times)
    return values


def _convolution(own: bool) -> dict[str, Any]:
    import torch
    from cudnn_cffi import ops
    from cudnn_cffi.choice.store import background

    values: dict[str, Any] = {}
    kind = {"device": "cuda", "dtype": torch.half}
    last = {"memory_format": torch.channels_last}
    w = torch.randn(64, 64, 3, 3, **kind).to(**last)
    for size in (40, *SIZES):
        x = torch.randn(8, 64, size, size, **kind).to(**last)

        def ours(x: Any = x) -> object:
            return ops.convolution(x, w, padding=1, activation="relu")

        def other(x: Any = x) -> object:
            return torch.relu(torch.nn.functional.conv2d(x, w, padding=1))

        call = ours if own else other
        first = _wall(torch, call)
        background.wait()
        if size in SIZES:
            values[f"s{size}"] = {"first": first, "later": _device(torch, call)}
    return values


def own_attention() -> dict[str, Any]:
    """Time first calls of this package's attention."""
    return _attention(own=True)


def exact_attention() -> dict[str, Any]:
    """Time first calls of this package's attention with engines for the arrays alone."""
    choice.set_default(exact=True)
    return _attention(own=True)


def their_attention() -> dict[str, Any]:
    """Time first calls of PyTorch's attention."""
    return _attention(own=False)


def own_convolution() -> dict[str, Any]:
    """Time first calls of a convolution with ReLU."""
    return _convolution(own=True)


def their_convolution() -> dict[str, Any]:
    """Time first calls of PyTorch's convolution and ReLU."""
    return _convolution(own=False)


def lengths() -> dict[str, Any]:
    """Call attention with 1,000 lengths, after one of each bucket."""
    import torch
    from cudnn_cffi import ops

    modules = Modules()
    whole = _qkv(torch, 2048, 1, 4, 64)
    operation = ops.Attention()
    longest = range(1025, 2048)
    steps = [n for n in longest if n % 256]
    for length in (*range(65, 65 + EXACT), 2047, 1792 - 1, 1536 - 1, 1280 - 1):
        operation(*[each[:, :, :length].contiguous() for each in whole])
    torch.cuda.synchronize()
    loaded, took, free, host = modules.count, [], [], []
    for length in steps[:1000]:
        given = [each[:, :, :length].contiguous() for each in whole]
        torch.cuda.synchronize()
        start = time.perf_counter()
        operation(*given)
        took.append((time.perf_counter() - start) * 1e3)
        free.append(torch.cuda.mem_get_info()[0])
        host.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
    took.sort()
    return {
        "count": len(took), "median": statistics.median(took), "p99": took[len(took) * 99 // 100],
        "most": took[-1], "device": free[0] - free[-1], "host": host[-1] - host[0],
        "modules": -1 if loaded is None else (modules.count or 0) - loaded,
    }  # fmt: skip


def device() -> dict[str, Any]:
    """Time attention in buckets beside plans for the lengths themselves."""
    import torch
    from cudnn_cffi import ops

    values: dict[str, Any] = {}
    for layout in ("bhsd", "bshd"):
        for causal in (False, True):
            operation = ops.Attention(causal=causal)
            exact = ops.Attention(causal=causal, choose={"exact": True})

            def arrays(length: int, layout: str = layout) -> list[Any]:
                given = _qkv(torch, length)
                if layout == "bshd":
                    given = [e.transpose(1, 2).contiguous().transpose(1, 2) for e in given]
                return given

            for length in range(65, 65 + EXACT):
                operation(*arrays(length))
            for length in (320, 511, 530, 639, 1100, 1279, 2047, 4000):
                given, edge = arrays(length), arrays(round_up(length))
                calls = [(operation, given), (exact, given), (exact, edge)]
                times = [_device(torch, partial(each, *with_)) for each, with_ in calls]
                row = dict(zip(("bucket", "exact", "edge"), times, strict=True))
                row["ratio"] = row["bucket"] / row["edge"]
                name = f"{layout}_{'causal' if causal else 'plain'}"
                values.setdefault(name, {})[f"l{length}"] = row
    return values


PARTS = {
    each.__name__: each
    for each in (
        own_attention, exact_attention, their_attention, later_attention, own_convolution,
        their_convolution, lengths, device,
    )
}  # fmt: skip


def main() -> None:
    """Run all parts in child processes, and print what they measured."""
    parser = records.parser(__doc__)
    parser.add_argument("part", nargs="?", choices=PARTS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.part:
        if "convolution" in options.part:
            choice.set_default(exact=False)
        print(json.dumps(PARTS[options.part]()))
        return
    values: dict[str, Any] = {}
    for name in PARTS:
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                [sys.executable, "-m", "benchmarks.gpu_shapes", name], capture_output=True,
                text=True, check=False,
                env=os.environ | {"CUDA_CACHE_PATH": folder, "CUDNN_CFFI_PLAN_CACHE": "0"},
            )  # fmt: skip
        if done.returncode:
            print(name, done.stderr[-2000:])
            continue
        values[name] = json.loads(done.stdout.splitlines()[-1])
        print(name, json.dumps(values[name], indent=1), flush=True)
    if values.keys() == PARTS.keys():
        import torch

        subject = (
            "overlay/cudnn_cffi/_operation", "overlay/cudnn_cffi/choice/build.py",
            "overlay/cudnn_cffi/ops/attn", "overlay/cudnn_cffi/choice/store/background.py",
        )  # fmt: skip
        records.finish(options, "gpu_shapes", values, subject, torch.cuda.get_device_name())


if __name__ == "__main__":
    main()
