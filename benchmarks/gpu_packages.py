"""Time of loading a network's file in a new process, by parts, on a GPU.

    python -m benchmarks.gpu_packages [--network resnet18] [--processes 5] [--record]

The file is of eight images in float16. A process has nothing loaded: it imports this package, opens
libcudnn, makes a context of the driver and a handle of cuDNN, and loads the file twice. A plan is
slow if it takes more than a millisecond. At last it builds a plan that opens cuBLASLt, which files
have none of for linear layers, and times such a layer by that, and by the fastest other engine.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import statistics
import subprocess
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks import records


def load(path: str) -> dict[str, float]:
    """Load a network; return the milliseconds of each part, and numbers of plans."""
    marks = [time.perf_counter()]

    def passed() -> float:
        marks.append(time.perf_counter())
        return 1e3 * (marks[-1] - marks[-2])

    cudnn: Any = import_module("cudnn_cffi")
    cudnn.load_network  # noqa: B018  is imported when it is asked for
    found = {"import": passed()}
    cudnn.load()
    found["libcudnn"] = passed()
    driver, context = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p()
    driver.cuInit(0)
    driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
    found["context"] = passed()
    cudnn.handle()
    found["handle"] = passed()
    loading, weights = (import_module(f"cudnn_cffi.network.{e}") for e in ("loading", "weights"))
    plans, copies = (_timed(*each) for each in ((loading, "_restored"), (weights.Weights, "write")))
    passed()
    network = cudnn.load_network(path)
    found["load"] = passed()
    slow = [each for each in plans if each > 1.0]
    found |= {"plans": sum(plans), "weights": sum(copies), "slow_plans": sum(slow)}
    found |= {"count": len(plans), "slow": len(slow)}
    network.close()
    passed()
    cudnn.load_network(path)
    return found | {"again": passed()} | linear(cudnn)


def linear(cudnn: Any) -> dict[str, float]:
    """Return ms of a first plan that opens cuBLASLt, and µs of a layer by it and by others."""

    def spec(*shape: int) -> Any:
        shape = (*shape, 1, 1) if len(shape) > 1 else shape
        strides = arrays.packed_strides(shape, "NHWC") if len(shape) > 1 else (1,)
        return ops.Spec("float16", shape, strides, 0, 16)

    ops, choice, arrays = (import_module(f"cudnn_cffi.{e}") for e in ("ops", "choice", "arrays"))
    import_module("cudnn_cffi.choice.measured")
    operation = ops.Convolution(0)
    case = operation.case(spec(8, 512), spec(1000, 512), spec(1000), out=spec(8, 1000))
    computation = operation.computation(case, cudnn.handle(), None)
    opening = {choice.measured.CUBLAS_ENGINE}
    start = time.perf_counter()
    choice.build(computation, where=lambda each: each.engine in opening)
    found = {"cublas": 1e3 * (time.perf_counter() - start)}
    tuned = choice.autotune(
        computation, most=20, seconds=2.0, remember=False, runtime_compilation=False
    )
    for row in reversed([each for each in tuned if each.samples]):
        found["linear_by_cublas_us" if row.engine in opening else "linear_us"] = row.median
    return found


def _timed(place: Any, name: str) -> list[float]:
    """Have a function note the milliseconds of its calls."""
    before, times = getattr(place, name), []

    def call(*given: Any) -> Any:
        begin = time.perf_counter()
        made = before(*given)
        times.append(1e3 * (time.perf_counter() - begin))
        return made

    setattr(place, name, call)
    return times


def write_file(network: str, path: str) -> None:
    """Write the file of a network of torchvision."""
    torch, models = import_module("torch"), import_module("torchvision.models")
    x = torch.randn(8, 3, 224, 224, device="cuda", dtype=torch.half)
    model = getattr(models, network)(weights=None).eval().cuda().half()
    import_module("cudnn_cffi.torch").package(model, x, path)


def main() -> None:
    """Load a file in some processes, and print medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--network", default="resnet18")
    parser.add_argument("--processes", type=int, default=5)
    parser.add_argument("--load", help=argparse.SUPPRESS)
    records.add_option(parser)
    options = parser.parse_args()
    if options.load:
        print(json.dumps(load(options.load)))
        return
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "network.net")
        write_file(options.network, path)
        command = [sys.executable, "-m", "benchmarks.gpu_packages", "--load", path]
        rows = [
            json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
            for _ in range(options.processes)
        ]
    values = {name: statistics.median([row[name] for row in rows]) for name in rows[0]}
    for name, value in values.items():
        print(f"{name:12} {value:8.1f}")
    if options.record:
        torch = import_module("torch")
        subject = "native", "overlay/cudnn_cffi/network", "overlay/cudnn_cffi/plan"
        records.write(
            "gpu_packages", {options.network: values}, subject, torch.cuda.get_device_name()
        )


if __name__ == "__main__":
    main()
